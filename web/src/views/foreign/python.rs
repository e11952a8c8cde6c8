//! A script of Python in pieces for highlighting.

/// Words of the language that the exported scripts use.
const WORDS: [&str; 24] = [
    "and", "as", "assert", "def", "elif", "else", "False", "for", "from", "if", "import", "in", "is", "lambda", "None", "not",
    "or", "pass", "raise", "return", "True", "while", "with", "yield",
];

/// The pieces of a script, each with its class of the style sheet; together they are the script.
pub(super) fn pieces(script: &str) -> impl Iterator<Item = (&'static str, &str)> {
    let mut rest = script;
    std::iter::from_fn(move || {
        let length = length(rest)?;
        let (piece, after) = rest.split_at(length);
        rest = after;
        Some((class(piece), piece))
    })
}

/// The length of the first piece in bytes; `None` at the end.
fn length(rest: &str) -> Option<usize> {
    let first = rest.chars().next()?;
    let until = |end: &dyn Fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
    Some(match first {
        '#' => until(&|letter| letter == '\n'),
        '"' | '\'' => quoted(rest, first),
        _ if is_name(first) => until(&|letter| !(is_name(letter) || first.is_ascii_digit() && letter == '.')),
        _ => until(&|letter| is_name(letter) || matches!(letter, '#' | '"' | '\'')),
    })
}

fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The length of a text in quotes of one or three characters.
fn quoted(rest: &str, quote: char) -> usize {
    let triple = quote.to_string().repeat(3);
    if let Some(text) = rest.strip_prefix(&triple) {
        return text.find(&triple).map_or(rest.len(), |end| end + 6);
    }
    let mut is_escaped = false;
    let end = rest.char_indices().skip(1).find(|(_, letter)| {
        let is_end = !is_escaped && (*letter == quote || *letter == '\n');
        is_escaped = !is_escaped && *letter == '\\';
        is_end
    });
    end.map_or(rest.len(), |(at, _)| at + 1)
}

fn class(piece: &str) -> &'static str {
    match piece.chars().next() {
        Some('#') => "comment",
        Some('"' | '\'') => "literal",
        Some(first) if first.is_ascii_digit() => "number",
        _ if WORDS.contains(&piece) => "word",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_its_pieces() {
        let script = "from brian2 import * # all\nx = 'a\\'b' + \"\"\"two\nlines\"\"\" * 2.5e3 if μ else None\n";
        let found: Vec<_> = pieces(script).collect();
        assert_eq!(found.iter().map(|(_, text)| *text).collect::<String>(), script);
        let of = |class: &str| found.iter().filter(|(of, _)| *of == class).map(|(_, text)| *text).collect::<Vec<_>>();
        assert_eq!(of("word"), ["from", "import", "if", "else", "None"]);
        assert_eq!(of("comment"), ["# all"]);
        assert_eq!(of("literal"), ["'a\\'b'", "\"\"\"two\nlines\"\"\""]);
        assert_eq!(of("number"), ["2.5e3"]);
        // What does not end ends with the script.
        for open in ["'a", "\"\"\"a", "#", "a", ""] {
            assert_eq!(pieces(open).map(|(_, text)| text).collect::<String>(), open);
        }
    }
}
