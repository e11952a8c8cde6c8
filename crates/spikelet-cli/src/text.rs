//! Formatting of numbers and lines.

use std::borrow::Cow;

use textwrap::{Options, WordSplitter};

/// Maximum length of a printed message.
const LINES: usize = 40;
const COLUMNS: usize = 1000;

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

/// Lines of limited width.
pub(crate) fn wrapped(text: &str) -> Vec<String> {
    let options = Options::new(100).word_splitter(WordSplitter::NoHyphenation).break_words(false);
    textwrap::wrap(text, options).into_iter().map(Cow::into_owned).collect()
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
        assert_eq!([0.0, 0.000_12, 0.1234, 12.345, 1234.5].map(short), ["0", "1.20e-4", "0.123", "12.35", "1234"]);
        assert_eq!(metric(26_800_000.0), "26.80 M");
    }

    #[test]
    fn words_stay_whole() {
        let words = ["integrate-and-fire"; 11].join(" ");
        let lines = wrapped(&words);
        assert!(lines.len() == 3 && lines.join(" ") == words, "{lines:?}");
        assert_eq!(wrapped(&"a".repeat(150)), ["a".repeat(150)]);
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
