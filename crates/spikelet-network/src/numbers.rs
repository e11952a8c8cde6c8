//! Numbers as people read them.

/// Bytes in the largest unit that leaves a number of at least 1: `512 B`, `1.5 MiB`.
pub fn human(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Thousands apart by a narrow no-break space: `320 431`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!([0, 1023, 1024, 5 << 20, 3 << 40].map(human), ["0 B", "1023 B", "1.0 KiB", "5.0 MiB", "3.0 TiB"]);
        let expected = ["0", "999", "320\u{202f}431", "1\u{202f}000\u{202f}000"];
        assert_eq!([0, 999, 320_431, 1_000_000].map(grouped), expected);
    }
}
