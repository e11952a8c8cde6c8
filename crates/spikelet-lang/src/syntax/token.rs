//! Text → tokens.

use crate::diagnostic::{Diagnostic, Kind, Span};

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum TokenKind {
    Number(f64),
    Name(String),
    Symbol(&'static str),
    Newline,
    End,
}

/// Longest first, so that `**=` is not read as `**` and `=`.
const SYMBOLS: [&str; 26] = [
    "**=", "+=", "-=", "*=", "/=", "**", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "=", "(", ")", ",", ":", ";",
    "[", "]", "^",
];

pub(super) fn tokenize(place: &str, text: &str) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let start = at;
        let kind = if first == '\n' {
            at += 1;
            TokenKind::Newline
        } else if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first == '#' {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if first == '\\' && rest[1..].trim_start_matches([' ', '\t', '\r']).starts_with('\n') {
            // A backslash at the end of a line joins it with the next.
            at += rest.find('\n').unwrap_or(0) + 1;
            continue;
        } else if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            let length = number_length(rest);
            at += length;
            let span = Span { start, end: at };
            let value: f64 = rest[..length].parse().map_err(|_| {
                Diagnostic::new(Kind::SyntaxError, place, text, span, format!("`{}` is no number.", &rest[..length]))
            })?;
            if !value.is_finite() {
                let message = format!("`{}` is too large for a number; the largest is about 1.8e308.", &rest[..length]);
                return Err(Diagnostic::new(Kind::NotFinite, place, text, span, message));
            }
            TokenKind::Number(value)
        } else if first.is_alphabetic() || first == '_' {
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            at += length;
            TokenKind::Name(rest[..length].into())
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            at += symbol.len();
            TokenKind::Symbol(symbol)
        } else {
            let span = Span { start, end: start + first.len_utf8() };
            let diagnostic = Diagnostic::new(Kind::SyntaxError, place, text, span, format!("`{first}` has no meaning here."));
            return Err(match first {
                '&' => diagnostic.help("Write `and`."),
                '|' => diagnostic.help("Write `or`."),
                '!' => diagnostic.help("Write `not`."),
                _ => diagnostic,
            });
        };
        tokens.push(Token { kind, span: Span { start, end: at } });
    }
    tokens.push(Token { kind: TokenKind::End, span: Span { start: text.len(), end: text.len() } });
    Ok(tokens)
}

/// Bytes of the number at the start of `text`: digits, a point, an exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end
}
