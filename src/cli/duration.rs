use std::time::Duration;

/// The longest time that can be named: no search takes a year.
const LONGEST: f64 = 365.0 * 24.0 * 3600.0;

/// A length of time on the command line: `5s`, `500ms`, `1.5s`, `2m`, `1h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time: write 5s, 500ms or 2m");
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
    let (number, unit) = text.split_at(at);
    let scale = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<f64>().map_err(|_| wrong())? * scale;
    if seconds > 0.0 && seconds <= LONGEST { Ok(Duration::from_secs_f64(seconds)) } else { Err(wrong()) }
}

/// A time as people read it: `310 ms`, `5.0 s`, `12.3 min`.
pub fn spoken(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", time.as_millis()),
        seconds if seconds < 120.0 => format!("{seconds:.1} s"),
        seconds => format!("{:.1} min", seconds / 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_number_and_a_unit() {
        assert_eq!(duration("5s"), Ok(Duration::from_secs(5)));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        for wrong in ["", "5", "s", "0s", "-1s", "1e9s", "5 s", "1.2.3s", "999999999999h", "∞s", "5ｓ"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_told_by_their_size() {
        assert_eq!(spoken(Duration::from_millis(310)), "310 ms");
        assert_eq!(spoken(Duration::from_millis(5000)), "5.0 s");
        assert_eq!(spoken(Duration::from_secs(738)), "12.3 min");
    }
}
