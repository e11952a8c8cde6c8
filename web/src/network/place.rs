//! The position of an error in a network's JSON.

use std::ops::Range;

/// The part of a text that an error refers to, in bytes: the line in its message, or the value at its JSON path, as far as it exists.
pub(crate) fn of(text: &str, message: &str, path: &str) -> Option<Range<usize>> {
    if let Some(line) = message.strip_prefix("line ") {
        let digits: String = line.chars().take_while(char::is_ascii_digit).collect();
        return line_at(text, digits.parse::<usize>().ok()?.checked_sub(1)?);
    }
    // The message may be more specific than the path: `populations[0]: equations, line 1 …`.
    let more = message.strip_prefix(path).and_then(|rest| rest.trim_start_matches([':', ' ']).split([',', ' ', ':']).next());
    value_at(text, &format!("{path}.{}", more.unwrap_or_default()))
}

fn line_at(text: &str, line: usize) -> Option<Range<usize>> {
    let mut start = 0;
    for (at, of_line) in text.split('\n').enumerate() {
        if at == line {
            return Some(start..start + of_line.len());
        }
        start += of_line.len() + 1;
    }
    None
}

/// The value at a path such as `populations[1].size`, as far as it exists.
fn value_at(text: &str, path: &str) -> Option<Range<usize>> {
    let keys = path.split(['.', '[']).map(|key| key.trim_end_matches(']')).filter(|key| !key.is_empty());
    let mut at = Scanner(text, 0).skip_blanks();
    for key in keys {
        let Some(found) = at.member(key) else { break };
        at = found;
    }
    Some(at.1..at.end()?).filter(|range| range.start > 0)
}

/// A JSON text, and a position in it.
#[derive(Clone, Copy)]
struct Scanner<'a>(&'a str, usize);

impl<'a> Scanner<'a> {
    fn rest(self) -> &'a [u8] {
        self.0.as_bytes().get(self.1..).unwrap_or_default()
    }

    fn skip_blanks(self) -> Scanner<'a> {
        let blanks = self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        Scanner(self.0, self.1 + blanks)
    }

    /// Skips this byte, if it is next.
    fn after(self, byte: u8) -> Option<Scanner<'a>> {
        (self.rest().first() == Some(&byte)).then(|| Scanner(self.0, self.1 + 1).skip_blanks())
    }

    /// The end of the value that begins here.
    fn end(self) -> Option<usize> {
        let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
        for (at, &byte) in self.rest().iter().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' if quoted => escaped = true,
                b'"' => quoted = !quoted,
                _ if quoted => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' | b',' if depth == 0 => return Some(self.1 + at),
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            let closes = matches!(byte, b'"' | b'}' | b']');
            if closes && depth == 0 && !quoted {
                return Some(self.1 + at + 1);
            }
        }
        Some(self.0.len())
    }

    /// The value of a key or index of the object or list that begins here.
    fn member(self, wanted: &str) -> Option<Scanner<'a>> {
        let is_list = self.rest().first() == Some(&b'[');
        let mut at = self.after(if is_list { b'[' } else { b'{' })?;
        for index in 0.. {
            let key = if is_list {
                index.to_string()
            } else {
                let key = self.0.get(at.1..at.end()?)?.trim_matches('"').to_owned();
                at = Scanner(self.0, at.end()?).skip_blanks().after(b':')?;
                key
            };
            if key == wanted {
                return Some(at);
            }
            at = Scanner(self.0, at.end()?).skip_blanks().after(b',')?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{\"name\": \"a, {b\",\n \"populations\": [{\"size\": 5},\n  {\"size\": 0 , \"model\": \"l\\\"x\"}]\n}";

    fn found(message: &str, path: &str) -> &'static str {
        TEXT.get(of(TEXT, message, path).expect("a place")).expect("a part")
    }

    #[test]
    fn a_line_or_a_path_is_found() {
        assert_eq!(found("line 2, column 5: the JSON is malformed", ""), " \"populations\": [{\"size\": 5},");
        assert_eq!(found("populations[1].size is 0", "populations[1].size").trim(), "0");
        assert_eq!(found("populations[1]: model, line 1: no", "populations[1]"), "\"l\\\"x\"");
        assert_eq!(found("populations[0]: equations, line 1: no", "populations[0]"), "{\"size\": 5}");
        assert_eq!(found("name is none", "name"), "\"a, {b\"");
    }

    #[test]
    fn what_is_nowhere_is_no_place() {
        assert_eq!(of(TEXT, "dt_ms is missing", "dt_ms"), None);
        assert_eq!(of(TEXT, "line 9: no", ""), None);
        assert_eq!(of("", "populations[0]", "populations[0]"), None);
        assert_eq!(of("[1, 2", "x", "populations"), None);
    }
}
