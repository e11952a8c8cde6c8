//! Tokens → trees, by recursive descent.

use super::token::{Token, TokenKind, tokenize};
use super::{AssignKind, BinaryOp, Equation, EquationKind, Expr, ExprKind, Statement, UnaryOp};
use crate::diagnostic::{Diagnostic, Kind, Span, suggestion};
use crate::unit::{Dimension, Unit, common_names, lookup_with};

/// Deeper nesting is refused: the parser is recursive, and user input must not exhaust the stack.
const MAX_DEPTH: usize = 100;

pub(super) struct Parser<'a> {
    place: &'a str,
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// Newlines end nothing while this is positive (inside brackets, before an equation's colon).
    joined: usize,
}

type Parse<T> = Result<T, Diagnostic>;

impl<'a> Parser<'a> {
    pub(super) fn new(place: &'a str, text: &'a str) -> Parse<Self> {
        Ok(Parser { place, text, tokens: tokenize(place, text)?, at: 0, depth: 0, joined: 0 })
    }

    fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::SyntaxError, self.place, self.text, span, message)
    }

    fn skip_newlines(&mut self) {
        while matches!(self.tokens[self.at].kind, TokenKind::Newline) {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> &Token {
        if self.joined > 0 {
            self.skip_newlines();
        }
        &self.tokens[self.at]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn is(&mut self, symbol: &str) -> bool {
        matches!(&self.peek().kind, TokenKind::Symbol(found) if *found == symbol)
    }

    fn is_word(&mut self, word: &str) -> bool {
        matches!(&self.peek().kind, TokenKind::Name(found) if found == word)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, symbol: &str, purpose: &str) -> Parse<()> {
        if self.take(symbol) {
            return Ok(());
        }
        let found = self.peek().clone();
        Err(self.error(found.span, format!("expected `{symbol}` {purpose}, found {}.", describe(&found.kind))))
    }

    pub(super) fn expect_end(&mut self) -> Parse<()> {
        self.skip_newlines();
        let found = self.peek().clone();
        if found.kind == TokenKind::End {
            return Ok(());
        }
        Err(self.error(found.span, format!("expected the end of the text, found {}.", describe(&found.kind))))
    }

    // ---- expressions, loosest binding first ----

    pub(super) fn expression(&mut self) -> Parse<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.peek().span;
            return Err(self.error(span, format!("brackets and signs are nested deeper than {MAX_DEPTH}.")));
        }
        let result = self.disjunction();
        self.depth -= 1;
        result
    }

    fn disjunction(&mut self) -> Parse<Expr> {
        let mut left = self.conjunction()?;
        while self.is_word("or") {
            self.at += 1;
            left = binary(BinaryOp::Or, left, self.conjunction()?);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parse<Expr> {
        let mut left = self.negation()?;
        while self.is_word("and") {
            self.at += 1;
            left = binary(BinaryOp::And, left, self.negation()?);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parse<Expr> {
        if !self.is_word("not") {
            return self.comparison();
        }
        let start = self.next().span;
        self.nested(|parser| {
            let operand = parser.negation()?;
            Ok(Expr { span: start.to(operand.span), kind: ExprKind::Unary(UnaryOp::Not, Box::new(operand)) })
        })
    }

    fn comparison(&mut self) -> Parse<Expr> {
        use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
        let left = self.sum()?;
        let ops = [("<=", LessEqual), (">=", GreaterEqual), ("==", Equal), ("!=", NotEqual), ("<", Less), (">", Greater)];
        let Some((_, op)) = ops.into_iter().find(|(symbol, _)| self.is(symbol)) else { return Ok(left) };
        self.at += 1;
        let right = self.sum()?;
        if let Some((symbol, _)) = ops.into_iter().find(|(symbol, _)| self.is(symbol)) {
            let span = self.peek().span;
            return Err(self
                .error(span, format!("comparisons cannot be chained: a second `{symbol}`."))
                .help("Join them with `and`."));
        }
        Ok(binary(op, left, right))
    }

    fn sum(&mut self) -> Parse<Expr> {
        let mut left = self.product()?;
        loop {
            let op = if self.is("+") {
                BinaryOp::Add
            } else if self.is("-") {
                BinaryOp::Subtract
            } else {
                return Ok(left);
            };
            self.at += 1;
            left = binary(op, left, self.product()?);
        }
    }

    fn product(&mut self) -> Parse<Expr> {
        let mut left = self.signed()?;
        loop {
            let op = if self.is("*") {
                BinaryOp::Multiply
            } else if self.is("/") {
                BinaryOp::Divide
            } else if self.is("%") {
                BinaryOp::Modulo
            } else {
                return Ok(left);
            };
            self.at += 1;
            left = binary(op, left, self.signed()?);
        }
    }

    fn signed(&mut self) -> Parse<Expr> {
        if !self.is("-") && !self.is("+") {
            return self.power();
        }
        let sign = self.next();
        self.nested(|parser| {
            let operand = parser.signed()?;
            if sign.kind == TokenKind::Symbol("+") {
                return Ok(operand);
            }
            Ok(Expr { span: sign.span.to(operand.span), kind: ExprKind::Unary(UnaryOp::Negate, Box::new(operand)) })
        })
    }

    fn power(&mut self) -> Parse<Expr> {
        let base = self.primary()?;
        if self.is("^") {
            let span = self.peek().span;
            return Err(self.error(span, "`^` is no operator of this language.").help("Write `**` for a power."));
        }
        if !self.take("**") {
            return Ok(base);
        }
        // Right-associative, and tighter than a sign on its left: -x**-2.
        self.nested(|parser| Ok(binary(BinaryOp::Power, base, parser.signed()?)))
    }

    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.peek().span;
            return Err(self.error(span, format!("brackets and signs are nested deeper than {MAX_DEPTH}.")));
        }
        let result = parse(self);
        self.depth -= 1;
        result
    }

    fn primary(&mut self) -> Parse<Expr> {
        let token = self.next();
        let kind = match token.kind {
            TokenKind::Number(value) => ExprKind::Number(value),
            TokenKind::Name(name) if name == "True" || name == "False" => ExprKind::Boolean(name == "True"),
            TokenKind::Name(name) if ["and", "or", "not"].contains(&name.as_str()) => {
                return Err(self.error(token.span, format!("expected a value, found `{name}`.")));
            }
            TokenKind::Name(name) => {
                if !self.is("(") {
                    return Ok(Expr { kind: ExprKind::Name(name), span: token.span });
                }
                let open = self.next().span;
                self.joined += 1;
                let mut arguments = Vec::new();
                while !self.is(")") {
                    if !arguments.is_empty() {
                        self.expect(",", &format!("or `)` in the arguments of `{name}(`"))?;
                    }
                    arguments.push(self.expression()?);
                }
                let close = self.peek().span;
                self.at += 1;
                self.joined -= 1;
                return Ok(Expr { kind: ExprKind::Call(name, arguments), span: token.span.to(open).to(close) });
            }
            TokenKind::Symbol("(") => {
                self.joined += 1;
                let inner = self.expression()?;
                if !self.is(")") {
                    let found = self.peek().clone();
                    let message = format!("the bracket `(` is never closed: expected `)`, found {}.", describe(&found.kind));
                    return Err(self.error(found.span, message));
                }
                let close = self.peek().span;
                self.at += 1;
                self.joined -= 1;
                return Ok(Expr { kind: inner.kind, span: token.span.to(close) });
            }
            other => return Err(self.error(token.span, format!("expected a value, found {}.", describe(&other)))),
        };
        Ok(Expr { kind, span: token.span })
    }

    // ---- equations ----

    pub(super) fn equations(&mut self) -> Parse<Vec<Equation>> {
        let mut equations = Vec::new();
        loop {
            self.skip_newlines();
            if self.take(";") {
                continue;
            }
            if self.peek().kind == TokenKind::End {
                return Ok(equations);
            }
            equations.push(self.equation()?);
        }
    }

    fn equation(&mut self) -> Parse<Equation> {
        let first = self.next();
        let TokenKind::Name(mut name) = first.kind else {
            let message =
                format!("expected an equation such as `dv/dt = … : volt` or `I : amp`, found {}.", describe(&first.kind));
            return Err(self.error(first.span, message));
        };
        let mut span = first.span;
        let differential = self.is("/");
        if differential {
            self.at += 1;
            let below = self.next();
            if below.kind != TokenKind::Name("dt".into()) || !name.starts_with('d') || name.len() == 1 {
                return Err(self.error(span.to(below.span), "expected a derivative such as `dv/dt`."));
            }
            name.remove(0);
            span = span.to(below.span);
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
        self.expect(":", &format!("and the unit of `{name}` (`1` for a pure number)"))?;
        self.joined -= 1;
        let unit = self.unit()?;
        let flags = if self.take("(") { self.flags()? } else { Vec::new() };
        let after = self.peek().clone();
        match after.kind {
            TokenKind::Newline | TokenKind::End | TokenKind::Symbol(";") => Ok(Equation { name, span, kind, unit, flags }),
            other => {
                Err(self.error(after.span, format!("expected the end of the line after the unit, found {}.", describe(&other))))
            }
        }
    }

    fn flags(&mut self) -> Parse<Vec<(String, Span)>> {
        self.joined += 1;
        let mut flags: Vec<(String, Span)> = Vec::new();
        let mut fresh = true;
        loop {
            let token = self.next();
            let comma = token.kind == TokenKind::Symbol(",");
            match token.kind {
                TokenKind::Name(word) if fresh => flags.push((word, token.span)),
                TokenKind::Name(word) => {
                    if let Some((flag, span)) = flags.last_mut() {
                        *flag = format!("{flag} {word}");
                        *span = span.to(token.span);
                    }
                }
                TokenKind::Symbol(",") if !fresh => {}
                TokenKind::Symbol(")") if !fresh => break,
                other => {
                    return Err(
                        self.error(token.span, format!("expected a flag such as `constant`, found {}.", describe(&other)))
                    );
                }
            }
            fresh = comma;
        }
        self.joined -= 1;
        Ok(flags)
    }

    // ---- units ----

    pub(super) fn unit(&mut self) -> Parse<Unit> {
        let mut unit = self.unit_power()?;
        loop {
            let divide = self.is("/");
            if !divide && !self.is("*") {
                return Ok(unit);
            }
            self.at += 1;
            let right = self.unit_power()?;
            unit = if divide {
                Unit { dimension: unit.dimension.over(right.dimension), factor: unit.factor / right.factor }
            } else {
                Unit { dimension: unit.dimension.times(right.dimension), factor: unit.factor * right.factor }
            };
        }
    }

    fn unit_power(&mut self) -> Parse<Unit> {
        let token = self.next();
        let base = match &token.kind {
            TokenKind::Number(1.0) => Unit { dimension: Dimension::NONE, factor: 1.0 },
            TokenKind::Name(name) if name == "boolean" || name == "integer" => Unit { dimension: Dimension::NONE, factor: 1.0 },
            TokenKind::Name(name) => match lookup_with(name, true).or_else(|| squared(name)) {
                Some(unit) => unit,
                None => {
                    let message = format!("there is no unit `{name}`.");
                    let diagnostic = Diagnostic::new(Kind::UndefinedUnit, self.place, self.text, token.span, message);
                    return Err(match suggestion(name, common_names()) {
                        Some(near) => diagnostic.help(format!("Did you mean `{near}`?")),
                        None => {
                            diagnostic.help("Units are written as `mV`, `volt`, `nS/cm**2`, `1/ms`, or `1` for a pure number.")
                        }
                    });
                }
            },
            TokenKind::Symbol("(") => {
                let inner = self.unit()?;
                self.expect(")", "in the unit")?;
                inner
            }
            other => {
                return Err(
                    self.error(token.span, format!("expected a unit (`1` for a pure number), found {}.", describe(other)))
                );
            }
        };
        if !self.take("**") {
            return Ok(base);
        }
        let negative = self.take("-");
        let token = self.next();
        let TokenKind::Number(value) = token.kind else {
            return Err(self.error(token.span, "expected a number as the power of a unit."));
        };
        let exponent = if negative { -value } else { value };
        match base.dimension.power(exponent) {
            Some(dimension) => Ok(Unit { dimension, factor: libm::pow(base.factor, exponent) }),
            None => Err(self.error(token.span, format!("a unit cannot have the power {exponent}."))),
        }
    }

    // ---- statements and quantities ----

    pub(super) fn statements(&mut self) -> Parse<Vec<Statement>> {
        let mut statements = Vec::new();
        loop {
            self.skip_newlines();
            if self.take(";") {
                continue;
            }
            let first = self.next();
            let target = match first.kind {
                TokenKind::End => return Ok(statements),
                TokenKind::Name(name) => name,
                other => {
                    let message = format!("expected a statement such as `v = c`, found {}.", describe(&other));
                    return Err(self.error(first.span, message));
                }
            };
            let operator = self.next();
            let kind = match operator.kind {
                TokenKind::Symbol("=") => AssignKind::Set,
                TokenKind::Symbol("+=") => AssignKind::Change(BinaryOp::Add),
                TokenKind::Symbol("-=") => AssignKind::Change(BinaryOp::Subtract),
                TokenKind::Symbol("*=") => AssignKind::Change(BinaryOp::Multiply),
                TokenKind::Symbol("/=") => AssignKind::Change(BinaryOp::Divide),
                TokenKind::Symbol("**=") => AssignKind::Change(BinaryOp::Power),
                other => {
                    let message = format!("expected `=`, `+=`, `-=`, `*=`, `/=` after `{target}`, found {}.", describe(&other));
                    return Err(self.error(operator.span, message));
                }
            };
            let value = self.expression()?;
            let after = self.peek().clone();
            if !matches!(after.kind, TokenKind::Newline | TokenKind::End | TokenKind::Symbol(";")) {
                return Err(
                    self.error(after.span, format!("expected the end of the statement, found {}.", describe(&after.kind)))
                );
            }
            statements.push(Statement { target, span: first.span, kind, value });
        }
    }

    pub(super) fn quantity(&mut self) -> Parse<Expr> {
        // `20 ms` and `-3.5 nS/cm**2`: a number, then a unit without a sign between them.
        let mut split = self.at;
        split += usize::from(matches!(self.tokens[split].kind, TokenKind::Symbol("-" | "+")));
        let juxtaposed = matches!(self.tokens[split].kind, TokenKind::Number(_))
            && matches!(self.tokens.get(split + 1), Some(Token { kind: TokenKind::Name(_), .. }));
        if juxtaposed {
            let at = self.tokens[split].span.end;
            self.tokens.insert(split + 1, Token { kind: TokenKind::Symbol("*"), span: Span { start: at, end: at } });
        }
        self.expression()
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr { span: left.span.to(right.span), kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) }
}

/// `metre2`, `cm2`, `metre3`: Brian's names of areas and volumes.
fn squared(name: &str) -> Option<Unit> {
    let exponent = f64::from(name.chars().last()?.to_digit(10).filter(|digit| (2..=3).contains(digit))?);
    let base = lookup_with(&name[..name.len() - 1], true)?;
    Some(Unit { dimension: base.dimension.power(exponent)?, factor: libm::pow(base.factor, exponent) })
}

fn describe(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Number(value) => format!("the number `{value}`"),
        TokenKind::Name(name) => format!("`{name}`"),
        TokenKind::Symbol(symbol) => format!("`{symbol}`"),
        TokenKind::Newline => "the end of the line".into(),
        TokenKind::End => "the end of the text".into(),
    }
}
