//! Tokens → trees, by recursive descent: the parser and its expressions. Lines (equations, statements) and units are in files of
//! their own.

use super::token::{Token, TokenKind, tokenize};
use super::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::diagnostic::{Diagnostic, Kind, Span};

/// Deeper nesting is rejected: the parser is recursive, and user input must not exhaust the stack.
const MAX_DEPTH: usize = 100;

/// More operators in one expression are rejected: its tree may be as deep as it is long, and is traversed recursively.
const MAX_OPERATORS: usize = 300;

/// Functions that give another value each time.
const DRAWS: [&str; 9] = ["rand", "randn", "poisson", "binomial", "normal", "lognormal", "uniform", "exponential", "gamma"];

pub(super) struct Parser<'a> {
    pub(super) place: &'a str,
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token>,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// Newlines end nothing while this is positive (inside brackets, before an equation's colon).
    pub(super) joined: usize,
    operators: usize,
    /// Whether a number and a unit may follow each other, `20 ms`, where an argument starts.
    quantities: bool,
    /// What is wrong with the text so far.
    pub(super) found: Vec<Diagnostic>,
}

pub(super) type Parse<T> = Result<T, Diagnostic>;

impl<'a> Parser<'a> {
    pub(super) fn new(place: &'a str, text: &'a str) -> Self {
        let (tokens, found) = tokenize(place, text);
        Parser { place, text, tokens, at: 0, depth: 0, joined: 0, operators: 0, quantities: false, found }
    }

    /// Reads a text that is one thing, over as many lines as it likes.
    pub(super) fn whole<T>(place: &'a str, text: &'a str, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let mut parser = Parser::new(place, text);
        if let Some(first) = parser.found.first() {
            return Err(first.clone());
        }
        parser.joined = 1;
        let whole = parse(&mut parser)?;
        if parser.peek().kind == TokenKind::End { Ok(whole) } else { Err(parser.unexpected("the end of the text")) }
    }

    pub(super) fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Kind::SyntaxError, self.place, self.text, span, message)
    }

    /// The next token is not what was expected.
    pub(super) fn unexpected(&mut self, expected: &str) -> Diagnostic {
        let mut found = self.peek().clone();
        let before = self.at.checked_sub(1).map(|before| &self.tokens[before]);
        if let (TokenKind::Newline, Some(before)) = (&found.kind, before) {
            // Where the code ends, not the comment after it.
            found.span = Span { start: before.span.end, end: before.span.end };
        }
        let written = |token: &Token| &self.text[token.span.start..token.span.end];
        let diagnostic = self.error(found.span, format!("expected {expected}, found {}.", describe(&found.kind)));
        let ends_value = |kind: &TokenKind| matches!(kind, TokenKind::Number(_) | TokenKind::Name(_) | TokenKind::Symbol(")"));
        match (before, &found.kind) {
            (_, TokenKind::Name(word)) if word == "if" || word == "else" => diagnostic.help(CONDITIONAL),
            (_, TokenKind::Symbol("^")) => diagnostic.help("Write `**` for a power."),
            (_, TokenKind::Symbol(")")) => diagnostic.help("There is no open bracket `(` here."),
            (_, TokenKind::Symbol("=")) => diagnostic.help("To compare, write `==`."),
            (Some(before), TokenKind::Name(_) | TokenKind::Number(_) | TokenKind::Symbol("(")) if ends_value(&before.kind) => {
                let (left, right) = (written(before), written(&found));
                match before.kind {
                    TokenKind::Number(_) => diagnostic.help(format!("Write `*` between them: `{left}*{right}`.")),
                    _ => diagnostic.help(format!("Is an operator missing between `{left}` and `{right}`?")),
                }
            }
            _ => diagnostic,
        }
    }

    pub(super) fn skip_newlines(&mut self) {
        while matches!(self.tokens[self.at].kind, TokenKind::Newline) {
            self.at += 1;
        }
    }

    pub(super) fn peek(&mut self) -> &Token {
        if self.joined > 0 {
            self.skip_newlines();
        }
        &self.tokens[self.at]
    }

    pub(super) fn next(&mut self) -> Token {
        let token = self.peek().clone();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    pub(super) fn is(&mut self, symbol: &str) -> bool {
        matches!(&self.peek().kind, TokenKind::Symbol(found) if *found == symbol)
    }

    pub(super) fn is_word(&mut self, word: &str) -> bool {
        matches!(&self.peek().kind, TokenKind::Name(found) if found == word)
    }

    pub(super) fn take(&mut self, symbol: &str) -> bool {
        let found = self.is(symbol);
        self.at += usize::from(found);
        found
    }

    /// The first of these symbols that comes next, taken.
    fn take_any<T: Copy>(&mut self, symbols: &[(&str, T)]) -> Option<T> {
        symbols.iter().find(|(symbol, _)| self.take(symbol)).map(|(_, value)| *value)
    }

    // ---- expressions, loosest binding first ----

    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let value = self.unconditional()?;
        if self.is_word("if") {
            let span = self.peek().span;
            return Err(self.error(span, "`if … else` is not an operator of this language.").help(CONDITIONAL));
        }
        Ok(value)
    }

    /// An expression that `if` may follow.
    pub(super) fn unconditional(&mut self) -> Parse<Expr> {
        if self.depth == 0 {
            self.operators = 0;
        }
        self.nested(Self::disjunction)
    }

    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let span = self.peek().span;
            return Err(self.error(span, format!("brackets and signs are nested deeper than {MAX_DEPTH}.")));
        }
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Counts this number of further operators in the expression.
    fn grow(&mut self, operators: usize) -> Parse<()> {
        self.operators += operators;
        if self.operators <= MAX_OPERATORS {
            return Ok(());
        }
        let span = self.peek().span;
        let message = format!("this expression has more than {MAX_OPERATORS} operators.");
        Err(self.error(span, message).help("Define names for parts of it on separate lines."))
    }

    fn binary(&mut self, op: BinaryOp, left: Expr, right: Expr) -> Parse<Expr> {
        self.grow(1)?;
        Ok(Expr { span: left.span.to(right.span), kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) })
    }

    fn disjunction(&mut self) -> Parse<Expr> {
        let mut left = self.conjunction()?;
        while self.is_word("or") {
            self.at += 1;
            let right = self.conjunction()?;
            left = self.binary(BinaryOp::Or, left, right)?;
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parse<Expr> {
        let mut left = self.negation()?;
        while self.is_word("and") {
            self.at += 1;
            let right = self.negation()?;
            left = self.binary(BinaryOp::And, left, right)?;
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
        let ops = [("<=", LessEqual), (">=", GreaterEqual), ("==", Equal), ("!=", NotEqual), ("<", Less), (">", Greater)];
        let first = self.sum()?;
        let Some(op) = self.take_any(&ops) else { return Ok(first) };
        let mut last = self.sum()?;
        let mut all = self.binary(op, first, last.clone())?;
        // a < b < c is a < b and b < c, as in Python.
        while let Some(op) = self.take_any(&ops) {
            if let Some(draw) = drawn(&last) {
                let message = format!("`{draw}` in the middle of a chain of comparisons would be drawn twice.");
                return Err(self.error(last.span, message).help("Define a name for it first."));
            }
            self.grow(size(&last))?;
            let next = self.sum()?;
            let pair = self.binary(op, last, next.clone())?;
            all = self.binary(BinaryOp::And, all, pair)?;
            last = next;
        }
        Ok(all)
    }

    fn sum(&mut self) -> Parse<Expr> {
        let mut left = self.product()?;
        while let Some(op) = self.take_any(&[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)]) {
            let right = self.product()?;
            left = self.binary(op, left, right)?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Parse<Expr> {
        use BinaryOp::{Divide, FloorDivide, Modulo, Multiply};
        let mut left = self.signed()?;
        while let Some(op) = self.take_any(&[("*", Multiply), ("/", Divide), ("//", FloorDivide), ("%", Modulo)]) {
            let right = self.signed()?;
            left = self.binary(op, left, right)?;
        }
        Ok(left)
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
            return Err(self.error(span, "`^` is not an operator of this language.").help("Write `**` for a power."));
        }
        if !self.take("**") {
            return Ok(base);
        }
        // Right-associative, and tighter than a sign on its left: -x**-2.
        let exponent = self.nested(Self::signed)?;
        self.binary(BinaryOp::Power, base, exponent)
    }

    fn primary(&mut self) -> Parse<Expr> {
        let token = self.peek().clone();
        let kind = match token.kind {
            TokenKind::Number(value) => ExprKind::Number(value),
            TokenKind::Name(name) if name == "True" || name == "False" => ExprKind::Boolean(name == "True"),
            TokenKind::Name(name) if ["and", "or", "not", "if", "else"].contains(&name.as_str()) => {
                return Err(self.unexpected("a value"));
            }
            TokenKind::Name(name) => {
                self.at += 1;
                if !self.is("(") {
                    return Ok(Expr { kind: ExprKind::Name(name), span: token.span });
                }
                return self.call(name, token.span);
            }
            TokenKind::Symbol("(") => {
                self.at += 1;
                self.joined += 1;
                let inner = self.expression()?;
                let close = self.close(token.span, "expected `)`")?;
                return Ok(Expr { kind: inner.kind, span: token.span.to(close) });
            }
            _ => return Err(self.unexpected("a value")),
        };
        self.at += 1;
        Ok(Expr { kind, span: token.span })
    }

    fn call(&mut self, name: String, start: Span) -> Parse<Expr> {
        let open = self.next().span;
        self.joined += 1;
        let mut arguments = Vec::new();
        while !self.is(")") {
            if !arguments.is_empty() && !self.take(",") {
                break;
            }
            // A comma may follow the last argument.
            if self.is(")") && !arguments.is_empty() {
                break;
            }
            if self.quantities {
                self.juxtaposed();
            }
            arguments.push(self.expression()?);
        }
        let close = self.close(open, &format!("expected `,` or `)` in the arguments of `{name}(`"))?;
        Ok(Expr { kind: ExprKind::Call(name, arguments), span: start.to(close) })
    }

    /// Takes the `)` that belongs to the bracket at `open`.
    pub(super) fn close(&mut self, open: Span, expected: &str) -> Parse<Span> {
        let found = self.peek().clone();
        if found.kind == TokenKind::Symbol(")") {
            self.at += 1;
            self.joined -= 1;
            return Ok(found.span);
        }
        // On the line of the bracket the place where it should close tells more, on another line the bracket itself.
        let same_line = found.kind != TokenKind::End && !self.text[open.end..found.span.start].contains('\n');
        let message = format!("the bracket `(` is never closed: {expected}, found {}.", describe(&found.kind));
        let error = self.error(if same_line { found.span } else { open }, message);
        let before = &self.tokens[self.at.saturating_sub(1)];
        Err(match (&before.kind, &found.kind) {
            (TokenKind::Number(_), TokenKind::Name(unit)) if same_line && !is_operator(unit) => {
                let number = &self.text[before.span.start..before.span.end];
                error.help(format!("Write `*` between them: `{number}*{unit}`."))
            }
            _ => error,
        })
    }

    /// A quantity as written in a file: an expression, or `20 ms` and `-3.5 nS/cm**2`: a number, then a unit without a sign
    /// between them. Arguments of functions may be written so too: `normal(-65 mV, 5 mV)`.
    pub(super) fn quantity(&mut self) -> Parse<Expr> {
        self.quantities = true;
        self.juxtaposed();
        self.expression()
    }

    /// Puts a `*` between the number and the unit that come next, if they do.
    fn juxtaposed(&mut self) {
        let sign = matches!(self.peek().kind, TokenKind::Symbol("-" | "+"));
        let split = self.at + usize::from(sign);
        let juxtaposed = matches!(self.tokens[split].kind, TokenKind::Number(_))
            && matches!(self.tokens.get(split + 1), Some(Token { kind: TokenKind::Name(name), .. }) if !is_operator(name));
        if juxtaposed {
            let at = self.tokens[split].span.end;
            self.tokens.insert(split + 1, Token { kind: TokenKind::Symbol("*"), span: Span { start: at, end: at } });
        }
    }
}

const CONDITIONAL: &str = "For `x if c else y` write `int(c)*x + int(not c)*y`.";

fn is_operator(word: &str) -> bool {
    ["and", "or", "not", "if", "else"].contains(&word)
}

/// How many expressions an expression is made of.
fn size(expression: &Expr) -> usize {
    1 + match &expression.kind {
        ExprKind::Number(_) | ExprKind::Boolean(_) | ExprKind::Name(_) => 0,
        ExprKind::Unary(_, operand) => size(operand),
        ExprKind::Binary(_, left, right) => size(left) + size(right),
        ExprKind::Call(_, arguments) => arguments.iter().map(size).sum(),
    }
}

/// A random function in it, if there is one.
fn drawn(expression: &Expr) -> Option<&str> {
    match &expression.kind {
        ExprKind::Number(_) | ExprKind::Boolean(_) | ExprKind::Name(_) => None,
        ExprKind::Unary(_, operand) => drawn(operand),
        ExprKind::Binary(_, left, right) => drawn(left).or_else(|| drawn(right)),
        ExprKind::Call(name, _) if DRAWS.contains(&name.as_str()) => Some(name),
        ExprKind::Call(_, arguments) => arguments.iter().find_map(drawn),
    }
}

pub(super) fn describe(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Number(value) => format!("the number `{value}`"),
        TokenKind::Name(name) => format!("`{name}`"),
        TokenKind::Symbol(symbol) => format!("`{symbol}`"),
        TokenKind::Newline => "the end of the line".into(),
        TokenKind::Bad => "a character without a meaning".into(),
        TokenKind::End => "the end of the text".into(),
    }
}
