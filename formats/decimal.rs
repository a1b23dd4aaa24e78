//! Whole numbers as decimal text, without the machinery of `format!`.

/// Appends a number.
pub(crate) fn push(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a number with its sign, if it has one.
pub(crate) fn push_signed(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    push(number.unsigned_abs(), out);
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_written_as_format_writes_them() {
        for number in [0, 7, 10, 99, 12_345, u64::MAX] {
            let mut out = Vec::new();
            super::push(number, &mut out);
            assert_eq!(out, number.to_string().as_bytes());
        }
        for number in [0, -1, 30_000, i64::MIN, i64::MAX] {
            let mut out = Vec::new();
            super::push_signed(number, &mut out);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
