use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A day, a month or a year, as far as it is known.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct Date {
    year: u16,
    /// From 1.
    month: Option<u8>,
    /// From 1.
    day: Option<u8>,
}

impl Date {
    /// The year.
    pub const fn year(self) -> u16 {
        self.year
    }

    /// Reads the first date in what a file says, however it is spelled: `2003-05-01`, `2003/5/1`, `1999.??.??`,
    /// `20030501`, `1.5.2003`, `2003年5月`, `12 May 2003`. `None` if there is no year from 1000 to 2999 in it.
    ///
    /// Where the year stands last, day and month are told apart by points between them, or by their size; of
    /// `3/4/2003` only the year is known. What cannot be a month or a day is not known either.
    pub fn find(text: &str) -> Option<Date> {
        let parts = Parts::of(text);
        let at = parts.numbers.iter().position(|part| part.is_year() || part.is_whole_date())?;
        let year = parts.numbers[at];
        if year.is_whole_date() {
            let (month, day) = (year.number / 100 % 100, year.number % 100);
            return Some(Date::known(year.number / 10_000, month, day));
        }
        let follows = |offset: usize| {
            // A list of dates goes on after a comma, and an hour after a blank.
            let near = (at..at + offset).all(|at| parts.numbers[at].joined);
            parts.numbers.get(at + offset).filter(|part| near && part.digits <= 2).map_or(0, |part| part.number)
        };
        if follows(1) > 0 {
            return Some(Date::known(year.number, follows(1), follows(2)));
        }
        let before = |offset: usize| {
            let part = at.checked_sub(offset).map(|at| parts.numbers[at]);
            part.filter(|part| part.joined && part.digits <= 2).map_or(0, |part| part.number)
        };
        let (first, second) = (before(2), before(1));
        let day_first = text.contains('.') || first > 12;
        match (first, second) {
            (0, month) => Some(Date::known(year.number, month, 0)),
            (day, month) if day_first => Some(Date::known(year.number, month, day)),
            (month, day) if day > 12 => Some(Date::known(year.number, month, day)),
            _ => Some(Date::known(year.number, 0, 0)),
        }
    }

    fn known(year: u32, month: u32, day: u32) -> Date {
        let within = |number: u32, last: u32| u8::try_from(number).ok().filter(|_| (1..=last).contains(&number));
        let month = within(month, 12);
        Date { year: year as u16, month, day: month.and_then(|_| within(day, 31)) }
    }

    /// Whether this date is before or after another by the parts that both have; [`Ordering::Equal`] where these do
    /// not tell.
    pub fn compare(self, other: Date) -> Ordering {
        let parts = |a: Option<u8>, b: Option<u8>| a.zip(b).map_or(Ordering::Equal, |(a, b)| a.cmp(&b));
        let months = || parts(self.month, other.month);
        let days = || parts(self.day, other.day);
        self.year.cmp(&other.year).then_with(months).then_with(days)
    }
}

impl FromStr for Date {
    type Err = String;

    /// Reads `2003`, `2003-05` or `2003-05-01`.
    fn from_str(text: &str) -> Result<Date, String> {
        let wrong = || format!("`{text}` is no date: write 2003, 2003-05 or 2003-05-01");
        let mut parts = text.split('-');
        let mut next = |digits: usize| match parts.next() {
            None => Ok(0),
            Some(part) if part.len() <= digits && part.bytes().all(|byte| byte.is_ascii_digit()) => {
                part.parse::<u32>().ok().filter(|number| *number > 0).ok_or_else(wrong)
            }
            Some(_) => Err(wrong()),
        };
        let (year, month, day) = (next(4)?, next(2)?, next(2)?);
        let date = Date::known(year, month, day);
        let whole = date.month.is_some() == (month > 0) && date.day.is_some() == (day > 0);
        if parts.next().is_some() || !(1000..3000).contains(&year) || !whole { Err(wrong()) } else { Ok(date) }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        self.month.map_or(Ok(()), |month| write!(f, "-{month:02}"))?;
        self.day.map_or(Ok(()), |day| write!(f, "-{day:02}"))
    }
}

/// A number in a text.
#[derive(Copy, Clone)]
struct Part {
    number: u32,
    /// How many digits or signs for unknown ones it has.
    digits: usize,
    /// Whether the next number belongs to the same date.
    joined: bool,
}

impl Part {
    fn is_year(self) -> bool {
        self.digits == 4 && (1000..3000).contains(&self.number)
    }

    fn is_whole_date(self) -> bool {
        self.digits == 8 && (1000..3000).contains(&(self.number / 10_000))
    }
}

/// The numbers of a text; what is not known (`??`) is 0.
struct Parts {
    numbers: Vec<Part>,
}

impl Parts {
    fn of(text: &str) -> Parts {
        let mut numbers: Vec<Part> = Vec::new();
        let mut rest = text;
        // Longer texts are no dates.
        while let Some(start) = rest.find(|c: char| c.is_ascii_digit() || c == '?')
            && numbers.len() < 8
        {
            let between = &rest[..start];
            if let Some(before) = numbers.last_mut() {
                before.joined = !between.contains([',', ' ', '~', 'T']);
            }
            let written = &rest[start..];
            let length = written.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'?').count();
            let number = written[..length].parse().unwrap_or(0);
            numbers.push(Part { number, digits: length, joined: false });
            rest = &written[length..];
        }
        Parts { numbers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_found_however_they_are_spelled() {
        for (text, date) in [
            ("2003-05-01", "2003-05-01"),
            ("2003/5/1", "2003-05-01"),
            ("2003.5.1", "2003-05-01"),
            ("1999.??.??", "1999"),
            ("1999.11.??", "1999-11"),
            ("1999-00-00", "1999"),
            ("20030501", "2003-05-01"),
            ("1.5.2003", "2003-05-01"),
            ("5/2003", "2003-05"),
            ("25/12/2003", "2003-12-25"),
            ("12/25/2003", "2003-12-25"),
            ("3/4/2003", "2003"),
            ("2003年5月1日", "2003-05-01"),
            ("2003年", "2003"),
            ("12 May 2003", "2003"),
            ("2003-05-01 18:30", "2003-05-01"),
            ("2003-05-01T18:30", "2003-05-01"),
            ("1996-05-06,07,08", "1996-05-06"),
            ("1996-05,06", "1996-05"),
            ("1996 12:30", "1996"),
            ("2003-13-01", "2003"),
            ("2003-02-40", "2003-02"),
        ] {
            assert_eq!(Date::find(text).map(|date| date.to_string()).as_deref(), Some(date), "{text}");
        }
        for text in ["", "????.??.??", "May", "12:30", "3000", "999", "123456", "99999999999999999999"] {
            assert_eq!(Date::find(text), None, "{text}");
        }
    }

    #[test]
    fn dates_on_the_command_line_are_to_the_letter() {
        for text in ["2003", "2003-05", "2003-05-01"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
        assert_eq!("2003-5-1".parse::<Date>().unwrap().to_string(), "2003-05-01");
        for text in ["", "3", "2003-13", "2003-00", "2003-05-32", "2003-05-01-01", "2003/05", "+203", "200x"] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_known_of_a_date_does_not_tell_it_from_another() {
        let compare = |a: &str, b: &str| Date::find(a).unwrap().compare(Date::find(b).unwrap());
        assert_eq!(compare("2003", "2003-05"), Ordering::Equal);
        assert_eq!(compare("2003-04", "2003-05-20"), Ordering::Less);
        assert_eq!(compare("2004", "2003-05"), Ordering::Greater);
        assert_eq!(compare("2003-05-02", "2003-05-01"), Ordering::Greater);
    }
}
