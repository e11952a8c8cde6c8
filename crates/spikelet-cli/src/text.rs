//! Formatting of numbers and lines.

/// Maximum length of a printed message.
const LINES: usize = 40;
const COLUMNS: usize = 1000;

/// 4 000 000, with narrow no-break spaces.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// About three significant digits.
pub(crate) fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        ..0.001 => format!("{number:.2e}"),
        ..1.0 => format!("{number:.3}"),
        ..100.0 => format!("{number:.2}"),
        _ => format!("{number:.0}"),
    }
}

/// The same with a suffix for thousands, millions and so on.
pub(crate) fn metric(number: f64) -> String {
    let (factor, letter) = match number {
        1e9.. => (1e9, " G"),
        1e6.. => (1e6, " M"),
        1e3.. => (1e3, " k"),
        _ => (1.0, ""),
    };
    format!("{}{letter}", short(number / factor))
}

pub(crate) fn bytes(number: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let power = (number.max(1).ilog2() / 10).min(4);
    format!("{} {}", short(number as f64 / f64::from(power * 10).exp2()), units[power as usize])
}

/// Lines of limited width.
pub(crate) fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let full = lines[last].chars().count() + word.chars().count() >= 100;
        match lines[last].as_str() {
            "" => lines[last].push_str(word),
            _ if full => lines.push(word.into()),
            _ => lines[last].extend([" ", word]),
        }
    }
    lines
}

/// The beginning of a text, with the number of omitted characters.
pub(crate) fn screenful(text: &str) -> String {
    let of_line = |line: &str| match line.char_indices().nth(COLUMNS) {
        Some((end, _)) => format!("{} … ({} characters more)", &line[..end], line[end..].chars().count()),
        None => line.to_owned(),
    };
    let mut lines: Vec<String> = text.lines().take(LINES).map(of_line).collect();
    match text.lines().skip(LINES).count() {
        0 => {}
        left => lines.push(format!("… and {left} lines more")),
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(1_234_567).replace('\u{202f}', " "), "1 234 567");
        assert_eq!(grouped(999), "999");
        assert_eq!([0.0, 0.000_12, 0.1234, 12.345, 1234.5].map(short), ["0", "1.20e-4", "0.123", "12.35", "1234"]);
        assert_eq!(metric(26_800_000.0), "26.80 M");
        assert_eq!([0, 1023, 1024, 5 << 20].map(bytes), ["0 B", "1023 B", "1.00 KiB", "5.00 MiB"]);
    }

    #[test]
    fn a_long_message_is_cut_with_word_of_the_rest() {
        assert_eq!(screenful("one\n two"), "one\n two");
        let many = screenful(&vec!["line"; 100].join("\n"));
        assert!(many.lines().count() == 41 && many.ends_with("… and 60 lines more"), "{many}");
        let long = screenful(&"é".repeat(5000));
        assert!(long.ends_with("é … (4000 characters more)"), "{long}");
    }
}
