//! Generated indices, as in `k for k in range(i - 3, i + 4) if i != k`: the comprehensions of Python with the two sources of Brian 2.

use super::parser::{Parse, Parser};
use super::token::TokenKind;
use super::{Generator, GeneratorLoop, GeneratorSource, SampleAmount};
use crate::diagnostic::{Diagnostic, Span};

/// The sources of indices.
const SOURCES: &str = "`range(…)` or `sample(…)`";

impl Parser<'_> {
    /// `EXPRESSION`, `EXPRESSION if CONDITION`, or `EXPRESSION for NAME in SOURCE if CONDITION`, where the condition may be left out.
    pub(super) fn generator(&mut self) -> Parse<Generator> {
        let element = self.unconditional()?;
        let iteration = if self.take_word("for") { Some(self.iteration()?) } else { None };
        let condition = if self.take_word("if") { Some(self.unconditional()?) } else { None };
        Ok(Generator { element, iteration, condition })
    }

    fn iteration(&mut self) -> Parse<GeneratorLoop> {
        let name = self.name("a name, as in `k for k in range(10)`")?;
        if !self.take_word("in") {
            return Err(self.unexpected("`in`"));
        }
        Ok(GeneratorLoop { name, source: self.source()? })
    }

    fn source(&mut self) -> Parse<GeneratorSource> {
        let start = self.peek().span;
        let function = self.name(SOURCES)?;
        if function != "range" && function != "sample" {
            let help =
                "Write `range(first, end, step)`, or `sample(first, end, step, p=0.1)` or `size=10` to draw some of these.";
            return Err(self.error(start, format!("indices come from {SOURCES}, not from `{function}`.")).help(help));
        }
        let open = self.peek().span;
        if !self.take("(") {
            return Err(self.unexpected("`(`"));
        }
        self.joined += 1;
        let (mut bounds, mut amount) = (Vec::new(), None);
        while !self.is(")") {
            let is_first = bounds.is_empty() && amount.is_none();
            if !is_first && !self.take(",") {
                break;
            }
            if let Some(key) = self.keyword() {
                let span = self.next().span;
                self.take("=");
                let value = self.unconditional()?;
                let given = match key.as_str() {
                    "p" => SampleAmount::Probability(value),
                    "size" => SampleAmount::Size(value),
                    _ => return Err(self.error(span, format!("`{key}` is not an argument of `{function}(`.")).help(AMOUNT)),
                };
                if amount.replace(given).is_some() {
                    return Err(self.error(span, "a sample has either a probability or a size.").help("Remove one of the two."));
                }
            } else if amount.is_some() {
                let span = self.peek().span;
                return Err(self.error(span, "the limits of a sample come before `p=` or `size=`.").help(AMOUNT));
            } else {
                bounds.push(self.unconditional()?);
            }
        }
        let close = self.close(open, &format!("expected `,` or `)` in the arguments of `{function}(`"))?;
        let span = start.to(close);
        let count = bounds.len();
        let mut bounds = bounds.into_iter();
        let (first, end, step) = match count {
            1 => (None, bounds.next(), None),
            2 | 3 => (bounds.next(), bounds.next(), bounds.next()),
            _ => (None, None, None),
        };
        let Some(end) = end else { return Err(self.wrong_limits(span, &function, count)) };
        if amount.is_some() != (function == "sample") {
            let message =
                if function == "range" { "`range` takes all indices." } else { "a sample needs a probability or a size." };
            return Err(self.error(span, message).help(AMOUNT));
        }
        Ok(GeneratorSource { first, end, step, amount, span })
    }

    fn wrong_limits(&self, span: Span, function: &str, count: usize) -> Diagnostic {
        let message = format!("`{function}` has {count} limits; expected one to three.");
        self.error(span, message)
            .help(format!("Write `{function}(end)`, `{function}(first, end)` or `{function}(first, end, step)`."))
    }

    /// The name of an argument, if the next one has a name.
    fn keyword(&mut self) -> Option<String> {
        let TokenKind::Name(name) = self.peek().kind.clone() else { return None };
        let is_given = matches!(self.tokens.get(self.at + 1).map(|token| &token.kind), Some(TokenKind::Symbol("=")));
        is_given.then_some(name)
    }

    fn name(&mut self, expected: &str) -> Parse<String> {
        match self.peek().kind.clone() {
            TokenKind::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }
}

/// How a sample is written.
const AMOUNT: &str = "Write `sample(first, end, step, p=0.1)` for each index with this probability, `size=10` for this many of them, or `range(first, \
                      end, step)` for all.";
