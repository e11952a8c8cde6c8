//! Equations and statements: texts of many lines, each of which may be wrong on its own.

use super::parser::{Parse, Parser};
use super::token::{Token, TokenKind};
use super::{AssignKind, BinaryOp, Declared, Equation, EquationKind, Statement};
use crate::diagnostic::{Diagnostic, Span};
use crate::unit::Unit;

/// The operators of a statement.
const ASSIGN: [(&str, AssignKind); 8] = [
    ("=", AssignKind::Set),
    ("+=", AssignKind::Change(BinaryOp::Add)),
    ("-=", AssignKind::Change(BinaryOp::Subtract)),
    ("*=", AssignKind::Change(BinaryOp::Multiply)),
    ("/=", AssignKind::Change(BinaryOp::Divide)),
    ("//=", AssignKind::Change(BinaryOp::FloorDivide)),
    ("%=", AssignKind::Change(BinaryOp::Modulo)),
    ("**=", AssignKind::Change(BinaryOp::Power)),
];

fn is_end(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Newline | TokenKind::End | TokenKind::Symbol(";"))
}

fn is_symbol(token: Option<&Token>, symbols: &[&str]) -> bool {
    matches!(token, Some(Token { kind: TokenKind::Symbol(found), .. }) if symbols.contains(found))
}

impl Parser<'_> {
    pub(super) fn equations(self) -> Result<Vec<Equation>, Vec<Diagnostic>> {
        self.lines(Self::equation, Self::next_equation)
    }

    pub(super) fn statements(self) -> Result<Vec<Statement>, Vec<Diagnostic>> {
        self.lines(Self::statement, Self::next_statement)
    }

    /// Reads lines one after the other. `skip` goes to the end of a line that is wrong and started at the given token.
    fn lines<T>(
        mut self,
        read: impl Fn(&mut Self) -> Parse<T>,
        skip: impl Fn(&mut Self, usize),
    ) -> Result<Vec<T>, Vec<Diagnostic>> {
        let mut lines = Vec::new();
        loop {
            (self.depth, self.joined) = (0, 0);
            self.skip_newlines();
            if self.take(";") {
                continue;
            }
            if self.peek().kind == TokenKind::End {
                break;
            }
            let start = self.at;
            match read(&mut self) {
                Ok(line) => lines.push(line),
                Err(diagnostic) => {
                    // What was wrong may be that the line ended.
                    while self.at > start && is_end(&self.tokens[self.at - 1].kind) {
                        self.at -= 1;
                    }
                    skip(&mut self, start);
                    // That a character is none of the language's is said already; what follows from it need not be.
                    if self.tokens[start..self.at].iter().all(|token| token.kind != TokenKind::Bad) {
                        self.found.push(diagnostic);
                    }
                }
            }
        }
        self.found.sort_by_key(|found| (found.line, found.column));
        if self.found.is_empty() { Ok(lines) } else { Err(self.found) }
    }

    /// Skips to the end of the line, or of the lines of an equation before its colon.
    fn next_equation(&mut self, start: usize) {
        loop {
            while !is_end(&self.tokens[self.at].kind) {
                self.at += 1;
            }
            let colon = self.tokens[start..self.at].iter().any(|token| token.kind == TokenKind::Symbol(":"));
            if colon || self.tokens[self.at].kind == TokenKind::End {
                return;
            }
            let next = &self.tokens[self.at + 1..];
            let is = |at: usize, symbols: &[&str]| is_symbol(next.get(at), symbols);
            let named = |at: usize| next.get(at).is_some_and(|token| matches!(token.kind, TokenKind::Name(_)));
            if named(0) && (is(1, &[":", "="]) || (is(1, &["/"]) && named(2) && is(3, &["="]))) {
                return;
            }
            self.at += 1;
        }
    }

    /// Skips to the end of the line or, in an open bracket, to the line that starts another statement.
    fn next_statement(&mut self, _: usize) {
        loop {
            while !is_end(&self.tokens[self.at].kind) {
                self.at += 1;
            }
            if self.joined == 0 || self.tokens[self.at].kind != TokenKind::Newline {
                return;
            }
            let next = &self.tokens[self.at + 1..];
            if matches!(next[0].kind, TokenKind::Name(_)) && is_symbol(next.get(1), &ASSIGN.map(|(symbol, _)| symbol)) {
                return;
            }
            self.at += 1;
        }
    }

    // ---- equations ----

    fn equation(&mut self) -> Parse<Equation> {
        let TokenKind::Name(mut name) = self.peek().kind.clone() else {
            return Err(self.unexpected("an equation such as `dv/dt = … : volt` or `I : amp`"));
        };
        let mut span = self.next().span;
        let differential = self.take("/");
        if differential {
            let below = self.next();
            if below.kind != TokenKind::Name("dt".into()) || !name.starts_with('d') || name.len() == 1 {
                return Err(self.error(span.to(below.span), "expected a derivative such as `dv/dt`."));
            }
            name.remove(0);
            span = span.to(below.span);
        }
        if self.is(",") {
            let comma = self.peek().span;
            return Err(self.error(comma, "each name needs its own declaration.").help(format!(
                "Write `{name} : …` on a separate \
                line."
            )));
        }
        self.joined += 1;
        let kind = if self.take("=") {
            let value = self.expression()?;
            if differential { EquationKind::Differential(value) } else { EquationKind::Subexpression(value) }
        } else if differential {
            let found = self.peek().span;
            return Err(self.error(found, format!("`d{name}/dt` needs a right-hand side: expected `=`.")));
        } else {
            EquationKind::Parameter
        };
        if !self.take(":") {
            return Err(self.no_unit(&name, kind == EquationKind::Parameter));
        }
        self.joined -= 1;
        let (unit, declared) = self.declared()?;
        let flags = if self.take("(") { self.flags()? } else { Vec::new() };
        if !is_end(&self.peek().kind) {
            return Err(self.unexpected("the end of the line after the unit"));
        }
        Ok(Equation { name, span, kind, unit, declared, flags })
    }

    /// The colon is missing: if the text continues on the next line, it is missing at the end of this line.
    fn no_unit(&mut self, name: &str, parameter: bool) -> Diagnostic {
        let expected = format!("`:` and the unit of `{name}` (`1` for a pure number)");
        let expected = if parameter { format!("`=` and a value, or {expected}") } else { expected };
        self.peek();
        let last = self.tokens[..self.at].iter().rposition(|token| token.kind != TokenKind::Newline).unwrap_or(0);
        if last + 1 == self.at {
            return self.unexpected(&expected);
        }
        let end = self.tokens[last].span.end;
        self.error(Span { start: end, end }, format!("expected {expected}, found the end of the line."))
    }

    fn declared(&mut self) -> Parse<(Unit, Declared)> {
        let declared = match &self.peek().kind {
            TokenKind::Name(name) if name == "boolean" => Declared::Boolean,
            TokenKind::Name(name) if name == "integer" => Declared::Integer,
            _ => Declared::Float,
        };
        Ok((self.unit()?, declared))
    }

    fn flags(&mut self) -> Parse<Vec<(String, Span)>> {
        let mut flags: Vec<(String, Span)> = Vec::new();
        let mut fresh = true;
        loop {
            let token = self.peek().clone();
            let comma = token.kind == TokenKind::Symbol(",");
            match token.kind {
                TokenKind::Name(word) if fresh => flags.push((word, token.span)),
                TokenKind::Name(word) => {
                    if let Some((flag, span)) = flags.last_mut() {
                        let separator = if flag.ends_with('-') { "" } else { " " };
                        *flag = format!("{flag}{separator}{word}");
                        *span = span.to(token.span);
                    }
                }
                // `event-driven`
                TokenKind::Symbol("-") if !fresh => flags.iter_mut().last().into_iter().for_each(|(flag, _)| flag.push('-')),
                // A list of flags may continue on the next line after a comma.
                TokenKind::Newline if fresh && !flags.is_empty() => {
                    self.at += 1;
                    continue;
                }
                TokenKind::Symbol(",") if !fresh => {}
                TokenKind::Symbol(")") if !flags.is_empty() => {
                    self.at += 1;
                    return Ok(flags);
                }
                _ if fresh => return Err(self.unexpected("a flag such as `constant`")),
                _ => return Err(self.unexpected("`,` or `)` after the flag")),
            }
            self.at += 1;
            fresh = comma;
        }
    }

    // ---- statements ----

    fn statement(&mut self) -> Parse<Statement> {
        let TokenKind::Name(target) = self.peek().kind.clone() else {
            return Err(self.unexpected("a statement such as `v = c`"));
        };
        let span = self.next().span;
        if ["if", "for", "while"].contains(&target.as_str()) {
            let message = format!("the language has no `{target}`.");
            return Err(self.error(span, message).help("For a condition write `v = int(c)*x + int(not c)*v`."));
        }
        let Some((_, kind)) = ASSIGN.into_iter().find(|(symbol, _)| self.take(symbol)) else {
            let symbols = ASSIGN.map(|(symbol, _)| format!("`{symbol}`")).join(", ");
            return Err(self.unexpected(&format!("one of {symbols} after `{target}`")));
        };
        let value = self.expression()?;
        if !is_end(&self.peek().kind) {
            return Err(self.unexpected("the end of the statement"));
        }
        Ok(Statement { target, span, kind, value })
    }
}
