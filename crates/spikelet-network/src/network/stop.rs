//! Conditions that end a run: `spikes(E) > 10000`, `rate(50 ms) < 0.1 Hz`.

use spikelet_lang::diagnostic::{Span, suggestion};
use spikelet_lang::quantity::constant;
use spikelet_lang::{Diagnostic, Dimension, Kind};

use super::steps::nearest_step;

/// The name of the text in diagnostics.
const PLACE: &str = "condition";

/// A condition on the number of spikes since the start, or on the mean rate over a window.
///
/// ```text
/// condition  = measure comparison quantity
/// measure    = "spikes" [ "(" name ")" ]  |  "rate" "(" [ name "," ] time ")"
/// comparison = ">" | ">=" | "<" | "<="
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct StopCondition {
    /// The text of the condition.
    pub text: String,
    /// The object whose spikes count; default: all populations and sources.
    pub of: Option<String>,
    /// The window of a rate in ms; `None` for a number of spikes.
    pub window_ms: Option<f64>,
    /// The comparison with the limit.
    pub comparison: Comparison,
    /// A number of spikes, or a rate in kHz.
    pub limit: f64,
}

/// A comparison with a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
}

impl Comparison {
    /// Whether the comparison of a value with a limit is true.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Comparison::Above => value > limit,
            Comparison::AtLeast => value >= limit,
            Comparison::Below => value < limit,
            Comparison::AtMost => value <= limit,
        }
    }

    /// Whether it is a condition for few spikes.
    pub fn is_from_above(self) -> bool {
        matches!(self, Comparison::Below | Comparison::AtMost)
    }
}

impl StopCondition {
    /// Reads a condition on some of the objects named `names`, for steps of `dt_ms`.
    ///
    /// # Errors
    /// The error, with its column.
    pub fn parse(text: &str, dt_ms: f64, names: &[&str]) -> Result<StopCondition, Diagnostic> {
        let mut reader = Reader { text, at: 0 };
        let measure = reader.word();
        let (of, window_ms) = match measure.text {
            "spikes" => match reader.arguments()?.as_deref() {
                None => (None, None),
                Some([name]) => (Some(reader.name(*name, names)?), None),
                Some(more) => {
                    let message = format!("`spikes` takes the name of one population or source, found {}.", more.len());
                    return Err(reader.wrong(Kind::WrongArity, more[1].span(), message).help("For example spikes(E)."));
                }
            },
            "rate" => match reader.arguments()?.as_deref() {
                Some([window]) => (None, Some(reader.window(*window, dt_ms)?)),
                Some([name, window]) => (Some(reader.name(*name, names)?), Some(reader.window(*window, dt_ms)?)),
                _ => {
                    let message = "`rate` takes an averaging time, and before it optionally the name of a population or source.";
                    return Err(reader.wrong(Kind::WrongArity, measure.span(), message).help("For example rate(E, 50 ms)."));
                }
            },
            other => {
                let found = if other.is_empty() { "nothing".to_owned() } else { format!("`{other}`") };
                let message = format!("a condition must begin with `spikes` or `rate`, found {found}.");
                let help = match suggestion(other, ["spikes", "rate"]) {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => "For example spikes > 10000 or rate(E, 50 ms) > 100 Hz.".to_owned(),
                };
                return Err(reader.wrong(Kind::SyntaxError, measure.span(), message).help(help));
            }
        };
        let comparison = reader.comparison()?;
        let limit = reader.limit(window_ms.is_some())?;
        if window_ms.is_none() && comparison.is_from_above() {
            let message = "the number of spikes starts at 0 and only increases: this condition is true from the first step on.";
            let whole = Span { start: 0, end: text.len() };
            return Err(reader.wrong(Kind::Unsupported, whole, message).help("Write > or >=."));
        }
        Ok(StopCondition { text: text.trim().to_owned(), of, window_ms, comparison, limit })
    }

    /// Length of the window in steps; 0 where there is none.
    pub fn window_steps(&self, dt_ms: f64) -> u32 {
        self.window_ms.map_or(0, |window| nearest_step(window / dt_ms) as u32)
    }
}

/// A piece of the text.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    start: usize,
    text: &'a str,
}

impl Piece<'_> {
    fn span(self) -> Span {
        Span { start: self.start, end: self.start + self.text.len() }
    }

    /// Without surrounding blanks.
    fn trimmed(self) -> Self {
        let start = self.start + self.text.len() - self.text.trim_start().len();
        Piece { start, text: self.text.trim() }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&mut self) -> &'a str {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        rest
    }

    fn wrong(&self, kind: Kind, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(kind, PLACE, self.text, span, message)
    }

    fn word(&mut self) -> Piece<'a> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let piece = Piece { start: self.at, text: &rest[..end] };
        self.at += end;
        piece
    }

    /// The arguments in parentheses, split at commas; `None` without parentheses.
    fn arguments(&mut self) -> Result<Option<Vec<Piece<'a>>>, Diagnostic> {
        let rest = self.rest();
        if !rest.starts_with('(') {
            return Ok(None);
        }
        let open = self.at;
        let (mut depth, mut pieces, mut start) = (0, Vec::new(), open + 1);
        for (place, letter) in rest.char_indices() {
            let place = open + place;
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && letter == ',' {
                pieces.push(Piece { start, text: &self.text[start..place] }.trimmed());
                start = place + 1;
            }
            if depth == 0 {
                self.at = start;
                return Ok(Some(pieces));
            }
        }
        let message = "this parenthesis is never closed.";
        Err(self.wrong(Kind::SyntaxError, Span { start: open, end: open + 1 }, message).help("Add `)` before the comparison."))
    }

    fn name(&self, piece: Piece<'a>, names: &[&str]) -> Result<String, Diagnostic> {
        if names.contains(&piece.text) {
            return Ok(piece.text.to_owned());
        }
        let message = format!("there is no population or source `{}`.", piece.text);
        let help = match suggestion(piece.text, names.iter().copied()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("There are {}.", names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
        };
        Err(self.wrong(Kind::UndefinedName, piece.span(), message).help(help))
    }

    /// The value of a part of the text, in inner units.
    fn constant(&self, piece: Piece<'a>) -> Result<(f64, Dimension), Diagnostic> {
        constant(PLACE, piece.text).map_err(|found| {
            let start = piece.text.char_indices().nth(found.column - 1).map_or(piece.text.len(), |(at, _)| at);
            let end = piece.text[start..].char_indices().nth(found.width).map_or(piece.text.len(), |(at, _)| start + at);
            let span = Span { start: piece.start + start, end: piece.start + end };
            Diagnostic { help: found.help, ..self.wrong(found.kind, span, found.message) }
        })
    }

    fn window(&self, piece: Piece<'a>, dt_ms: f64) -> Result<f64, Diagnostic> {
        let (window_ms, dimension) = self.constant(piece)?;
        if dimension != Dimension::TIME {
            let message = format!("`{}` is {}; it must be a time, such as 50 ms.", piece.text, dimension.measure());
            let help = "A rate is a mean over a time.";
            return Err(self.wrong(Kind::DimensionMismatch, piece.span(), message).help(help));
        }
        let steps = libm::round(window_ms / dt_ms);
        if !(steps >= 1.0 && steps <= f64::from(i32::MAX)) {
            let message = format!("`{}` is {steps} steps of {dt_ms} ms; expected 1 to {}.", piece.text, i32::MAX);
            return Err(self.wrong(Kind::Unsupported, piece.span(), message).help("For example 50 ms."));
        }
        Ok(window_ms)
    }

    fn comparison(&mut self) -> Result<Comparison, Diagnostic> {
        let rest = self.rest();
        let known = [(">=", Comparison::AtLeast), ("<=", Comparison::AtMost), (">", Comparison::Above), ("<", Comparison::Below)];
        if let Some((sign, comparison)) = known.into_iter().find(|(sign, _)| rest.starts_with(sign)) {
            self.at += sign.len();
            return Ok(comparison);
        }
        let next = rest.chars().next();
        let found = next.map_or("the end".to_owned(), |letter| format!("`{letter}`"));
        let span = Span { start: self.at, end: self.at + next.map_or(0, char::len_utf8) };
        let message = format!("expected a comparison, found {found}.");
        Err(self.wrong(Kind::SyntaxError, span, message).help("Write >, >=, < or <= and a limit."))
    }

    fn limit(&mut self, is_rate: bool) -> Result<f64, Diagnostic> {
        let rest = self.rest();
        let piece = Piece { start: self.at, text: rest }.trimmed();
        if piece.text.is_empty() {
            let message = "expected a limit, found the end.";
            let help = if is_rate { "For example 100 Hz." } else { "For example 10000." };
            return Err(self.wrong(Kind::SyntaxError, Span { start: self.at, end: self.at }, message).help(help));
        }
        let (limit, dimension) = self.constant(piece)?;
        let (wanted, what, example) = match is_rate {
            true => (Dimension::NONE.over(Dimension::TIME), "a rate must be compared with a rate", "100 Hz"),
            false => (Dimension::NONE, "spikes must be compared with a number", "10000"),
        };
        if dimension != wanted {
            let message = format!("`{}` is {}; {what}.", piece.text, dimension.measure());
            return Err(self.wrong(Kind::DimensionMismatch, piece.span(), message).help(format!("For example {example}.")));
        }
        if limit < 0.0 {
            let message = format!("`{}` is negative, and a number of spikes is not.", piece.text);
            return Err(self.wrong(Kind::Unsupported, piece.span(), message).help(format!("For example {example}.")));
        }
        Ok(limit)
    }
}
