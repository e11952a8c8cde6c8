//! What a user reads: results on stdout, words on stderr.

use std::fmt::Display;
use std::io::{ErrorKind, Write, stderr, stdout};

use crate::failure::Failure;
use crate::startup;

/// So much of a message is shown: a screenful.
const LINES: usize = 40;
const COLUMNS: usize = 1000;

/// Prints a result. A reader who stops reading (`| head`) ends the command, without a word.
pub(crate) fn print(text: &impl Display) -> Result<(), Failure> {
    if startup::stdout_is_closed() {
        return Err(Failure::Run("the output cannot be written: standard output is closed".into()));
    }
    let mut stdout = stdout().lock();
    writeln!(stdout, "{}", escaped(&text.to_string())).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Unread,
        _ => Failure::Run(format!("the output cannot be written: {error}")),
    })
}

/// Tells something beside the result. Where nobody can hear it (a terminal that was closed) it is not told.
pub(crate) fn say(text: &impl Display) {
    _ = writeln!(stderr().lock(), "{}", screenful(&escaped(&text.to_string())));
}

/// The same, of what a user should know.
pub(crate) fn notice(text: &impl Display) {
    say(&format_args!("notice: {text}"));
}

/// Names come from files: they move no cursor, colour nothing, and turn no text around.
fn escaped(text: &str) -> String {
    let moves = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if moves(c) || turns(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The beginning of a text, with word of what is left out.
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
    fn what_steers_a_terminal_is_shown_instead() {
        assert_eq!(escaped("a\u{1b}[2J\r\u{7}\u{9b}µ\tb\n"), "a\\u{1b}[2J\\r\\u{7}\\u{9b}µ\tb\n");
        assert_eq!(escaped("\u{202e}txt"), "\\u{202e}txt");
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
