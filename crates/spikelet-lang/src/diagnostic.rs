//! Errors in a text: what is wrong, its position, and how to fix it.

use std::fmt;

/// A range of bytes in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The smallest span that contains both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The kind of error, named as in the conformance corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The text does not follow the grammar.
    SyntaxError,
    /// An undefined name.
    UndefinedName,
    /// An unknown unit.
    UndefinedUnit,
    /// Two definitions of one name.
    DuplicateVariable,
    /// Subexpressions that depend on each other.
    CircularSubexpression,
    /// Quantities of different dimension added, compared or assigned.
    DimensionMismatch,
    /// An assignment to a name that does not exist or is read-only.
    UnknownAssignmentTarget,
    /// A parameter without a value.
    MissingParameterValue,
    /// A time constant of 0 or below.
    NonPositiveTimeConstant,
    /// A function with the wrong number of arguments.
    WrongArity,
    /// A method that cannot integrate these equations.
    UnsuitableMethod,
    /// A number that is infinite or not a number.
    NotFinite,
    /// An argument outside the range of its function.
    OutOfRange,
    /// A construct that the language does not have.
    Unsupported,
}

impl Kind {
    /// The name used in files, such as `dimension_mismatch`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::SyntaxError => "syntax_error",
            Kind::UndefinedName => "undefined_name",
            Kind::UndefinedUnit => "undefined_unit",
            Kind::DuplicateVariable => "duplicate_variable",
            Kind::CircularSubexpression => "circular_subexpression",
            Kind::DimensionMismatch => "dimension_mismatch",
            Kind::UnknownAssignmentTarget => "unknown_assignment_target",
            Kind::MissingParameterValue => "missing_parameter_value",
            Kind::NonPositiveTimeConstant => "non_positive_time_constant",
            Kind::WrongArity => "wrong_arity",
            Kind::UnsuitableMethod => "unsuitable_method",
            Kind::NotFinite => "not_finite",
            Kind::OutOfRange => "out_of_range",
            Kind::Unsupported => "unsupported",
        }
    }
}

/// An error in a text. Its `Display` is the sentence, the line with a marker below it, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The kind of error.
    pub kind: Kind,
    /// The text: `equations`, `threshold`, `reset`, `on_pre`, a parameter's name …
    pub place: String,
    /// What is wrong, with the values.
    pub message: String,
    /// How to fix it, if known.
    pub help: Option<String>,
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// The line of the text.
    pub excerpt: String,
    /// Number of marked characters.
    pub width: usize,
}

impl Diagnostic {
    /// An error at `span` of `text`. For a span over several lines the first is shown; quoted parts of the text are written on one line.
    pub fn new(kind: Kind, place: &str, text: &str, span: Span, message: impl Into<String>) -> Self {
        let start = floor_boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let excerpt = text[line_start..line_end].trim_end();
        let mut end = floor_boundary(text, span.end);
        if end > line_end {
            // Without the comment and the blanks at the end of the line.
            let shown = start.max(line_start + excerpt.len());
            let code = text[start..shown].find('#').map_or(shown, |at| start + at);
            end = start + text[start..code].trim_end_matches(|c: char| c.is_whitespace() || c == '\\').len();
        }
        Diagnostic {
            kind,
            place: shown(place, MAX_QUOTED),
            message: shown(&on_one_line(message.into()), MAX_SAID),
            help: None,
            line: text[..line_start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            excerpt: visible(excerpt),
            width: text[start..end.max(start)].chars().count().max(1),
        }
    }

    /// The same with a suggestion.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(shown(&help.into(), MAX_SAID));
        self
    }
}

/// The message with pieces of text quoted in it on one line, without their comments.
fn on_one_line(message: String) -> String {
    let Some((above, last)) = message.rsplit_once('\n') else { return message };
    let code = |line: &str| line.split('#').next().unwrap_or("").trim().trim_end_matches('\\').trim_end().to_owned();
    let mut lines: Vec<String> = above.lines().map(code).filter(|line| !line.is_empty()).collect();
    lines.push(last.trim_start().into());
    lines.join(" ")
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An error of a value has no position in the text.
        if self.excerpt.is_empty() {
            write!(f, "{}: {}", self.place, self.message)?;
        } else {
            write!(f, "{}, line {}, column {}: {}", self.place, self.line, self.column, self.message)?;
        }
        if let Some(help) = &self.help {
            write!(f, " {help}")?;
        }
        if self.excerpt.is_empty() {
            return Ok(());
        }
        // For a long line, the part around the position.
        let first = if self.excerpt.chars().count() > MAX_QUOTED { self.column.saturating_sub(MAX_QUOTED / 2) } else { 0 };
        let excerpt: String = self.excerpt.chars().skip(first).take(MAX_QUOTED).collect();
        // Tabs are as wide below as above, whatever that is.
        let indent: String = excerpt.chars().chain(std::iter::repeat(' ')).take(self.column - 1 - first).map(blank).collect();
        let width = self.width.min(MAX_QUOTED - indent.chars().count().min(MAX_QUOTED - 1));
        write!(f, "\n    {excerpt}\n    {indent}{}", "^".repeat(width))
    }
}

/// Maximum number of characters of a line, or of a name, in a message.
pub const MAX_QUOTED: usize = 160;
/// Maximum number of characters of a sentence.
const MAX_SAID: usize = 800;

/// The text with control characters, and those that change the direction of writing, replaced one by one, so that columns stay.
pub fn visible(text: &str) -> String {
    let sign = |c: char| match c {
        '\n' | '\t' => c,
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    };
    text.chars().map(sign).collect()
}

/// The same, with its middle omitted if it has more than `most` characters.
pub fn shown(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return visible(text);
    }
    let (start, end): (String, String) = (text.chars().take(most / 2).collect(), text.chars().skip(count - most / 2).collect());
    visible(&format!("{start} … {end}"))
}

fn blank(c: char) -> char {
    if c == '\t' { c } else { ' ' }
}

impl std::error::Error for Diagnostic {}

/// The known name most similar to a misspelled one, if it is similar enough.
pub fn suggestion<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    // The memory of a comparison is the product of both lengths, and names of very different lengths are not similar.
    let is_near = |name: &&str| {
        let other = name.chars().count();
        length.abs_diff(other) <= (length.max(other) / 3).max(1)
    };
    known
        .into_iter()
        .filter(is_near)
        .map(|name| (strsim::damerau_levenshtein(&wrong.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| {
            let longer = wrong.len().max(name.len());
            *distance <= (longer / 3).max(1) && *distance < longer
        })
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_the_column_in_characters() {
        let text = "a = 1\nµ = x + y";
        let at = text.find('x').unwrap_or(0);
        let diagnostic = Diagnostic::new(Kind::UndefinedName, "reset", text, Span { start: at, end: at + 1 }, "no x.");
        assert_eq!((diagnostic.line, diagnostic.column), (2, 5));
        assert!(diagnostic.to_string().ends_with("    µ = x + y\n        ^"));
    }

    #[test]
    fn suggests_near_names_only() {
        assert_eq!(suggestion("tuam", ["taum", "taue"]), Some("taum"));
        assert_eq!(suggestion("zebra", ["taum", "taue"]), None);
        assert_eq!(suggestion("q", ["n"]), None);
        assert_eq!(suggestion(&"x".repeat(50_000_000), ["taum"]), None);
    }
}
