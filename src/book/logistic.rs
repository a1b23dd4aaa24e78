//! Win rates and logarithms that are the same to the last bit on all machines: libraries of mathematics differ there,
//! and by them costs, the order of moves and whole books would.

/// 1 / (1 + exp(-value / k)).
pub(crate) fn win_rate(value: i32, k: u16) -> f64 {
    let small = exp_of_minus(f64::from(value.unsigned_abs()) / f64::from(k.max(1)));
    if value < 0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) }
}

/// exp(-x) of an x that is not negative.
fn exp_of_minus(x: f64) -> f64 {
    if x > 700.0 {
        return 0.0;
    }
    // The series of a part of it, raised to the whole.
    let part = -x / 4096.0;
    let mut power = (1..=10).rev().fold(1.0, |sum, n| 1.0 + sum * part / f64::from(n));
    for _ in 0..12 {
        power *= power;
    }
    power
}

/// The natural logarithm of a number above 0; 0 of 0.
pub(crate) fn ln(number: u32) -> f64 {
    let Some(exponent) = number.checked_ilog2() else { return 0.0 };
    let mantissa = f64::from(number) / f64::from(1_u32 << exponent);
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let series = (0..20).rev().fold(0.0, |sum, n| sum * z * z + 1.0 / f64::from(2 * n + 1));
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * z * series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn win_rates_are_those_of_the_library_but_for_the_last_bits() {
        for k in [1, 100, 200, 999, u16::MAX] {
            for value in (-30_000..=30_000).step_by(7) {
                let library = 1.0 / (1.0 + (-f64::from(value) / f64::from(k)).exp());
                assert!((win_rate(value, k) - library).abs() < 1e-11, "{value} {k}");
            }
        }
    }

    #[test]
    fn win_rates_rise_with_the_value_and_mirror_each_other() {
        for value in 0..5_000 {
            assert!(win_rate(value, 200) <= win_rate(value + 1, 200));
            assert!(win_rate(-value - 1, 200) <= win_rate(-value, 200));
            assert!((win_rate(value, 200) + win_rate(-value, 200) - 1.0).abs() < 1e-14);
        }
        assert_eq!(win_rate(0, 200), 0.5);
    }

    #[test]
    fn logarithms_are_those_of_the_library_but_for_the_last_bits() {
        for number in (1..3_000).chain([1 << 20, (1 << 20) + 1, u32::MAX - 1, u32::MAX]) {
            assert!((ln(number) - f64::from(number).ln()).abs() < 1e-13, "{number}");
        }
        assert_eq!((ln(0), ln(1)), (0.0, 0.0));
    }
}
