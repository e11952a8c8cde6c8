//! Where a position of a JSON text is: the path of the value there.
//!
//! serde_json gives the line and column of an error, and this file finds the path again. To carry the path along while values are read, as
//! serde_path_to_error does, compiles everything that reads them once more.

use std::fmt::Write;

/// An object or list that contains the position.
enum Container {
    /// With the current key; `None` before the first key, and between two.
    Object(Option<String>),
    /// With the index of the current entry.
    List(usize),
}

/// The path of the value that ends at a position, or else begins there; empty for the outermost value. The text is valid JSON up to there.
/// Lines count from one; a column is the number of bytes of the line up to the position, as in an error of serde_json.
pub(super) fn path_at(text: &str, line: usize, column: usize) -> String {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let text = &text.as_bytes()[..text.len().min(start + column)];
    let mut containers = Vec::new();
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'{' => containers.push(Container::Object(None)),
            b'[' => containers.push(Container::List(0)),
            b'}' | b']' => drop(containers.pop()),
            b',' => match containers.last_mut() {
                Some(Container::Object(key)) => *key = None,
                Some(Container::List(index)) => *index += 1,
                None => {}
            },
            b'"' => {
                let end = end_of_string(text, at);
                if let Some(Container::Object(key @ None)) = containers.last_mut() {
                    *key = serde_json::from_slice(&text[at..end]).ok();
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    containers.iter().fold(String::new(), |mut path, container| {
        match container {
            Container::Object(None) => {}
            Container::Object(Some(key)) if path.is_empty() => path.push_str(key),
            Container::Object(Some(key)) => path.extend([".", key]),
            Container::List(index) => write!(path, "[{index}]").expect("writing to a String cannot fail"),
        }
        path
    })
}

/// The end of the string that starts at a quotation mark.
fn end_of_string(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_gives_the_value_that_ends_or_begins_there() {
        let text = r#"{"a": [1, {"b\"c": "x, [y"}], "d": {}}"#;
        for (before, path) in [
            ("", ""),
            (r#"{"a""#, "a"),
            (r#"{"a": "#, "a"),
            (r#"{"a": ["#, "a[0]"),
            (r#"{"a": [1"#, "a[0]"),
            (r#"{"a": [1, "#, "a[1]"),
            (r#"{"a": [1, {"b\"c""#, "a[1].b\"c"),
            (r#"{"a": [1, {"b\"c": "x, [y""#, "a[1].b\"c"),
            (r#"{"a": [1, {"b\"c": "x, [y"}"#, "a[1]"),
            (r#"{"a": [1, {"b\"c": "x, [y"}]"#, "a"),
            (r#"{"a": [1, {"b\"c": "x, [y"}], "d": {}"#, "d"),
            (text, ""),
        ] {
            assert!(text.starts_with(before), "{before}");
            assert_eq!(path_at(text, 1, before.len()), path, "{before}");
        }
    }

    #[test]
    fn lines_and_their_bytes_are_counted() {
        let text = "{\n  \"µ\": 1,\n  \"b\": [0,\n    \"x\"]\n}";
        assert_eq!(path_at(text, 2, "  \"µ\"".len()), "µ");
        assert_eq!(path_at(text, 4, 7), "b[1]");
        assert_eq!(path_at(text, 5, 1), "");
    }
}
