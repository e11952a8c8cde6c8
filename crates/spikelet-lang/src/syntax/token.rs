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
    /// Something that is no token; what is wrong with it is already noted.
    Bad,
    End,
}

/// Longest first, so that `**=` is not read as `**` and `=`.
const SYMBOLS: [&str; 29] = [
    "**=", "//=", "+=", "-=", "*=", "/=", "%=", "**", "//", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "<", ">", "=", "(",
    ")", ",", ":", ";", "[", "]", "^",
];

const QUOTES: [&str; 2] = ["'''", "\"\"\""];

/// The tokens of a text, and what in it is no token. Comments, joined lines and quotes around the whole text leave no trace.
pub(super) fn tokenize(place: &str, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let mut tokens: Vec<Token> = Vec::new();
    let mut found = Vec::new();
    let (mut at, quotes, close) = unquoted(text);
    if quotes.is_some() && close.is_none() {
        let span = Span { start: at - 3, end: at };
        let message = format!("the quotes `{}` are never closed.", &text[at - 3..at]);
        found.push(Diagnostic::new(Kind::SyntaxError, place, text, span, message).help("Remove them."));
    }
    let end = close.unwrap_or(text.len());
    while let Some(first) = text[at..end].chars().next() {
        let rest = &text[at..end];
        let start = at;
        let kind = if first == '\n' {
            at += 1;
            TokenKind::Newline
        } else if first.is_whitespace() || (first == BYTE_ORDER_MARK && at == 0) {
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
            match number(place, text, span) {
                Ok(value) => TokenKind::Number(value),
                Err(diagnostic) => {
                    found.push(diagnostic);
                    TokenKind::Bad
                }
            }
        } else if is_letter(first) {
            let length = rest.find(|c: char| !(is_letter(c) || c.is_ascii_digit())).unwrap_or(rest.len());
            at += length;
            TokenKind::Name(rest[..length].into())
        } else if let Some(symbol) = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            at += symbol.len();
            TokenKind::Symbol(symbol)
        } else {
            at += first.len_utf8();
            // `&&`, `'''` or a row of dashes is one mistake.
            at += text[at..end].bytes().take_while(|byte| first.is_ascii() && *byte == first as u8).count();
            found.push(no_token(place, text, first, Span { start, end: at }));
            TokenKind::Bad
        };
        tokens.push(Token { kind, span: Span { start, end: at } });
    }
    // A text that stops too early is pointed at where it stops, not after blank lines and comments.
    let last = tokens.iter().rev().find(|token| token.kind != TokenKind::Newline).map_or(0, |token| token.span.end);
    tokens.push(Token { kind: TokenKind::End, span: Span { start: last, end: last } });
    (tokens, found)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Where the text inside the quotes of a docstring starts, the quotes, and where their other half stands.
fn unquoted(text: &str) -> (usize, Option<&'static str>, Option<usize>) {
    let body = text.trim_start_matches(|c: char| c.is_whitespace() || c == BYTE_ORDER_MARK);
    let Some(quotes) = QUOTES.into_iter().find(|quotes| body.starts_with(quotes)) else { return (0, None, None) };
    let start = text.len() - body.len() + quotes.len();
    let close = text[start..].trim_end().strip_suffix(quotes).map(|inner| start + inner.len());
    (start, Some(quotes), close)
}

/// Whether a name may hold the character. Letters in circles are letters to Unicode, but in no name of WGSL.
fn is_letter(c: char) -> bool {
    c == '_' || (c.is_alphabetic() && !matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}'))
}

fn number(place: &str, text: &str, span: Span) -> Result<f64, Diagnostic> {
    let written = &text[span.start..span.end];
    let error = |kind, message| Err(Diagnostic::new(kind, place, text, span, message));
    match written.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => error(Kind::NotFinite, format!("`{written}` is too large for a number; the largest is about 1.8e308.")),
        Err(_) => error(Kind::SyntaxError, format!("`{written}` is not a number.")),
    }
}

/// What to write instead of characters that are no token.
fn no_token(place: &str, text: &str, first: char, span: Span) -> Diagnostic {
    let meant = match first {
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '×' | '·' | '⋅' | '∗' | '∙' | '•' => "*",
        '÷' | '∕' | '⁄' => "/",
        '≤' | '⩽' => "<=",
        '≥' | '⩾' => ">=",
        '≠' => "!=",
        '∧' | '&' => "and",
        '∨' | '|' => "or",
        '!' | '~' | '¬' => "not",
        '²' => "**2",
        '³' => "**3",
        '（' | '{' => "(",
        '）' | '}' => ")",
        '，' => ",",
        '：' => ":",
        '；' => ";",
        _ => "",
    };
    let written = &text[span.start..span.end];
    // Invisible characters are named by their number.
    let code = if first.is_ascii_graphic() { String::new() } else { format!(" (U+{:04X})", u32::from(first)) };
    let shown = if first.is_control() || first == BYTE_ORDER_MARK || ('\u{200b}'..='\u{200f}').contains(&first) {
        "an invisible character".into()
    } else {
        format!("`{written}`")
    };
    let error = |message: String| Diagnostic::new(Kind::SyntaxError, place, text, span, message);
    if let ('.', [Some(object), Some(name)]) = (first, around(text, span)) {
        return error(format!("`{object}.{name}` has a point, which no name has.")).help(format!("Write `{name}`."));
    }
    match first {
        _ if !meant.is_empty() => error(format!("expected `{meant}`, found {shown}{code}.")).help(format!("Write `{meant}`.")),
        '\'' | '"' | '‘'..='‟' | '`' => error(format!("{shown}{code} has no meaning here.")).help("Remove the quotes."),
        '\\' => error("`\\` has no meaning here.".into()).help("It joins two lines only as the last character of the first."),
        _ => error(format!("{shown}{code} has no meaning here.")).help("Remove it."),
    }
}

/// The names directly before and after a span.
fn around(text: &str, span: Span) -> [Option<&str>; 2] {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let part = |c: char| is_letter(c) || c.is_ascii_digit();
    let name = |name| Some(name).filter(|name: &&str| name.starts_with(is_letter));
    [name(&before[before.trim_end_matches(part).len()..]), name(&after[..after.len() - after.trim_start_matches(part).len()])]
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
