//! A text in pieces for highlighting: names, numbers, units, errors.

use std::collections::HashSet;

use spikelet_lang::unit;

use super::Field;
use super::check::TextPosition;

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum TokenClass {
    /// A parameter, an operator.
    #[default]
    Plain,
    /// A variable with an equation.
    Variable,
    /// `exp`, `clip`
    Function,
    /// `20`
    Number,
    /// `mV`, and the text after the colon of an equation.
    Unit,
    /// From `#` to the end of the line.
    Comment,
}

impl TokenClass {
    /// The class in the style sheet.
    pub(crate) fn class(self) -> &'static str {
        match self {
            TokenClass::Plain => "",
            TokenClass::Variable => "variable",
            TokenClass::Function => "function",
            TokenClass::Number => "number",
            TokenClass::Unit => "unit",
            TokenClass::Comment => "comment",
        }
    }
}

/// The mark of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Highlight {
    #[default]
    None,
    /// A name without a value.
    Missing,
    /// An error.
    Wrong,
}

/// Characters with the same style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) ink: TokenClass,
    pub(crate) mark: Highlight,
}

/// The lines of a text in pieces. `variables` are the names with equations.
pub(crate) fn paint(field: Field, text: &str, variables: &HashSet<String>, spots: &[TextPosition]) -> Vec<Vec<Piece>> {
    let lines = text.split('\n').enumerate();
    lines
        .map(|(at, line)| {
            let characters: Vec<char> = line.chars().collect();
            let inks = inks(field, &characters, variables);
            let mut marks = vec![Highlight::None; characters.len()];
            for spot in spots.iter().filter(|spot| spot.line == at + 1) {
                let mark = if spot.missing { Highlight::Missing } else { Highlight::Wrong };
                // A position after the last character is shown on it.
                let first = (spot.column - 1).min(characters.len().saturating_sub(1));
                for marked in marks.iter_mut().skip(first).take(spot.width) {
                    *marked = mark;
                }
            }
            pieces(&characters, &inks, &marks)
        })
        .collect()
}

fn pieces(characters: &[char], inks: &[TokenClass], marks: &[Highlight]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for ((character, ink), mark) in characters.iter().zip(inks).zip(marks) {
        match pieces.last_mut() {
            Some(last) if (last.ink, last.mark) == (*ink, *mark) => last.text.push(*character),
            _ => pieces.push(Piece { text: (*character).into(), ink: *ink, mark: *mark }),
        }
    }
    pieces
}

fn inks(field: Field, line: &[char], variables: &HashSet<String>) -> Vec<TokenClass> {
    let mut inks = vec![TokenClass::Plain; line.len()];
    let end = line.iter().position(|c| *c == '#').unwrap_or(line.len());
    inks[end..].fill(TokenClass::Comment);
    let colon = line[..end].iter().position(|c| *c == ':').filter(|_| field == Field::Equations);
    if let Some(colon) = colon {
        inks[colon..end].fill(TokenClass::Unit);
    }
    let end = colon.unwrap_or(end);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    while at < end {
        let first = line[at];
        let length = line[at..end].iter().take_while(|c| is_word(**c) || (first.is_ascii_digit() && **c == '.')).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word: String = line[at..at + length].iter().collect();
        let after = line[at + length..end].iter().find(|c| !c.is_whitespace());
        let ink = if first.is_ascii_digit() {
            TokenClass::Number
        } else if variables.contains(&word) || is_differential(&word, after.copied(), variables) {
            TokenClass::Variable
        } else if after == Some(&'(') {
            TokenClass::Function
        } else if unit::lookup(&word).is_some() {
            TokenClass::Unit
        } else {
            TokenClass::Plain
        };
        inks[at..at + length].fill(ink);
        at += length;
    }
    inks
}

/// The `dv` of `dv/dt`.
fn is_differential(word: &str, after: Option<char>, variables: &HashSet<String>) -> bool {
    after == Some('/') && word.strip_prefix('d').is_some_and(|name| variables.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(field: Field, text: &str, spots: &[TextPosition]) -> Vec<String> {
        let variables = HashSet::from(["v".to_owned(), "w".to_owned()]);
        let lines = paint(field, text, &variables, spots);
        let joined: Vec<String> = lines.iter().map(|line| line.iter().map(|piece| piece.text.as_str()).collect()).collect();
        assert_eq!(joined.join("\n"), text, "nothing is added or left out");
        let describe = |piece: &Piece| {
            let mark = match piece.mark {
                Highlight::None => "",
                Highlight::Missing => "?",
                Highlight::Wrong => "!",
            };
            (!piece.text.trim().is_empty() && (piece.ink != TokenClass::Plain || piece.mark != Highlight::None))
                .then(|| format!("{}{mark} {}", piece.ink.class(), piece.text.trim()))
        };
        lines.iter().flatten().filter_map(describe).collect()
    }

    #[test]
    fn every_kind_of_word_has_its_ink() {
        assert_eq!(
            painted(Field::Equations, "dv/dt = (El - v + exp(w/2.5))/tau : volt (unless refractory) # leak\nw : volt", &[]),
            [
                "variable dv",
                "variable v",
                "function exp",
                "variable w",
                "number 2.5",
                "unit : volt (unless refractory)",
                "comment # leak",
                "variable w",
                "unit : volt"
            ]
        );
        assert_eq!(painted(Field::Threshold, "v > -50*mV", &[]), ["variable v", "number 50", "unit mV"]);
    }

    #[test]
    fn spots_are_marked_on_their_line() {
        let spot = |line, column, width, missing| TextPosition { line, column, width, excerpt: String::new(), missing };
        let spots = [spot(2, 5, 2, false), spot(1, 5, 1, true), spot(3, 9, 1, false)];
        assert_eq!(
            painted(Field::Reset, "v = a\nw = bb\nv =", &spots),
            ["variable v", "? a", "variable w", "! bb", "variable v", "! ="]
        );
    }
}
