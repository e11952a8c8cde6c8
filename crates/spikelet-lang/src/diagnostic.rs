//! What is wrong with a text, where, and what to write instead.

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
    /// The smallest span that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The sort of mistake, named as in the conformance corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The text does not follow the grammar.
    SyntaxError,
    /// A name that nothing defines.
    UndefinedName,
    /// A unit that does not exist.
    UndefinedUnit,
    /// Two definitions of one name.
    DuplicateVariable,
    /// Subexpressions that need each other.
    CircularSubexpression,
    /// Quantities of different dimension added, compared or assigned.
    DimensionMismatch,
    /// A statement that writes a name that does not exist or may not be written.
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
    /// An argument outside the range that its function has.
    OutOfRange,
    /// A construct that the language has no place for.
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

/// One mistake in one text. Its `Display` is the sentence, the line with a caret below it, and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The sort of mistake.
    pub kind: Kind,
    /// Which text: `equations`, `threshold`, `reset`, `on_pre`, a parameter's name …
    pub place: String,
    /// What is wrong, with the values.
    pub message: String,
    /// The way out, if there is a good guess.
    pub help: Option<String>,
    /// 1-based line.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// The offending line of the text.
    pub excerpt: String,
    /// How many characters the caret underlines.
    pub width: usize,
}

impl Diagnostic {
    /// A mistake at `span` of `text`. Of a span over several lines the first is shown; what the message quotes of the text is
    /// written on one line.
    pub fn new(kind: Kind, place: &str, text: &str, span: Span, message: impl Into<String>) -> Self {
        let start = floor_boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let excerpt = text[line_start..line_end].trim_end();
        let mut end = floor_boundary(text, span.end);
        if end > line_end {
            // Neither the comment nor the blanks at the end of the line are meant.
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

    /// The same with a way out.
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
        // A mistake that shows only in the values has no place in the text.
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
        // Of a long line, what is around the place.
        let first = if self.excerpt.chars().count() > MAX_QUOTED { self.column.saturating_sub(MAX_QUOTED / 2) } else { 0 };
        let excerpt: String = self.excerpt.chars().skip(first).take(MAX_QUOTED).collect();
        // Tabs are as wide below as above, whatever that is.
        let indent: String = excerpt.chars().chain(std::iter::repeat(' ')).take(self.column - 1 - first).map(blank).collect();
        let width = self.width.min(MAX_QUOTED - indent.chars().count().min(MAX_QUOTED - 1));
        write!(f, "\n    {excerpt}\n    {indent}{}", "^".repeat(width))
    }
}

/// Characters of a line, or of a name, that a message quotes at most.
pub const MAX_QUOTED: usize = 160;
/// Characters of a sentence.
const MAX_SAID: usize = 800;

/// The text with a sign for each character that a terminal would obey, or that would turn the direction of writing; one for one, so
/// that columns stay.
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

/// The same, with its middle left out where it has more than `most` characters.
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

/// The known name nearest to a misspelt one, if one is near enough to be meant.
pub fn suggestion<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = wrong.chars().count();
    // Comparing takes as much memory as both lengths multiplied, and what is so much longer is no slip.
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
