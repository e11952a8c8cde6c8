//! Equations as coefficient · x + rest, in their texts: by rule 4.4 of the language, which keeps what is not linear in x at its old value.

use std::collections::HashMap;

use spikelet::lang::syntax::{BinaryOp, Expr, ExprKind, UnaryOp};

/// Texts of subexpressions.
pub(super) type Subexpressions = HashMap<String, Expr>;

/// What a text is in terms of a variable.
pub(super) struct Coefficient {
    /// The factor of the variable; `None` without one.
    pub(super) text: Option<String>,
    /// Whether the variable also occurs in what is kept at its old value.
    pub(super) is_held: bool,
}

/// The coefficient of a variable; `None` if it is none of an exponential Euler step.
pub(super) fn coefficient(of: &Expr, variable: &str, subexpressions: &Subexpressions) -> Option<Coefficient> {
    let split = Split { variable, subexpressions };
    match split.linear(of) {
        Some(text) => Some(Coefficient { text, is_held: false }),
        None => split.with_held(of).map(|text| Coefficient { text, is_held: true }),
    }
}

struct Split<'a> {
    variable: &'a str,
    subexpressions: &'a Subexpressions,
}

type Part = Option<String>;

impl Split<'_> {
    fn mentions(&self, of: &Expr) -> bool {
        match &of.kind {
            ExprKind::Number(_) | ExprKind::Boolean(_) => false,
            ExprKind::Name(name) => {
                name == self.variable || self.subexpressions.get(name).is_some_and(|within| self.mentions(within))
            }
            ExprKind::Unary(_, x) => self.mentions(x),
            ExprKind::Binary(_, x, y) => self.mentions(x) || self.mentions(y),
            ExprKind::Call(_, arguments) => arguments.iter().any(|argument| self.mentions(argument)),
        }
    }

    fn linear(&self, of: &Expr) -> Option<Part> {
        if !self.mentions(of) {
            return Some(None);
        }
        match &of.kind {
            ExprKind::Name(name) => match self.subexpressions.get(name) {
                Some(within) if name != self.variable => self.linear(within),
                _ => Some(Some("1".to_owned())),
            },
            ExprKind::Unary(UnaryOp::Negate, x) => self.linear(x).map(negated),
            ExprKind::Binary(op, x, y) => match op {
                BinaryOp::Add | BinaryOp::Subtract => Some(sum(*op, self.linear(x)?, self.linear(y)?)),
                BinaryOp::Multiply if !self.mentions(x) => self.linear(y).map(|part| times(part, x)),
                BinaryOp::Multiply if !self.mentions(y) => self.linear(x).map(|part| times(part, y)),
                BinaryOp::Divide if !self.mentions(y) => self.linear(x).map(|part| over(part, y)),
                _ => None,
            },
            _ => None,
        }
    }

    fn with_held(&self, of: &Expr) -> Option<Part> {
        if let Some(part) = self.linear(of) {
            return Some(part);
        }
        match &of.kind {
            ExprKind::Name(name) => self.with_held(self.subexpressions.get(name)?),
            ExprKind::Unary(UnaryOp::Negate, x) => self.with_held(x).map(negated),
            ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), x, y) => {
                Some(sum(*op, self.with_held(x)?, self.with_held(y)?))
            }
            ExprKind::Binary(BinaryOp::Multiply, x, y) => {
                let splits_right = !self.mentions(x) || self.mentions(y) && self.linear(y).is_some();
                if splits_right {
                    self.with_held(y).map(|part| times(part, x))
                } else {
                    self.with_held(x).map(|part| times(part, y))
                }
            }
            ExprKind::Binary(BinaryOp::Divide, x, y) => self.with_held(x).map(|part| over(part, y)),
            ExprKind::Call(..) => Some(None),
            _ => None,
        }
    }
}

fn negated(part: Part) -> Part {
    part.map(|text| format!("-({text})"))
}

fn sum(op: BinaryOp, left: Part, right: Part) -> Part {
    match (left, right) {
        (Some(left), Some(right)) => Some(format!("{left} {} ({right})", op.symbol())),
        (None, right) if op == BinaryOp::Subtract => negated(right),
        (left, right) => left.or(right),
    }
}

fn times(part: Part, factor: &Expr) -> Part {
    part.map(|text| if text == "1" { operand(factor) } else { format!("({text})*{}", operand(factor)) })
}

fn over(part: Part, divisor: &Expr) -> Part {
    part.map(|text| if text == "1" { format!("1/{}", operand(divisor)) } else { format!("({text})/{}", operand(divisor)) })
}

/// An expression as an operand of another one.
fn operand(of: &Expr) -> String {
    match of.kind {
        ExprKind::Binary(..) | ExprKind::Unary(..) => format!("({})", text(of)),
        _ => text(of),
    }
}

/// An expression as a text.
fn text(of: &Expr) -> String {
    match &of.kind {
        ExprKind::Number(number) => format!("{number:?}"),
        ExprKind::Boolean(true) => "True".to_owned(),
        ExprKind::Boolean(false) => "False".to_owned(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Unary(UnaryOp::Negate, x) => format!("-{}", operand(x)),
        ExprKind::Unary(UnaryOp::Not, x) => format!("not {}", operand(x)),
        ExprKind::Binary(op, x, y) => {
            let symbol = op.symbol();
            let is_tight = matches!(op, BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Power);
            let spaced = if is_tight { symbol.to_owned() } else { format!(" {symbol} ") };
            format!("{}{spaced}{}", operand(x), operand(y))
        }
        ExprKind::Call(name, arguments) => {
            format!("{name}({})", arguments.iter().map(text).collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikelet::lang::syntax::parse_expression;

    #[test]
    fn what_is_not_linear_is_held() {
        let parsed = |text: &str| parse_expression("equations", text).unwrap_or_else(|error| panic!("{error}"));
        let subexpressions: Subexpressions =
            [("B", "1/(1 + exp(-v/mV))"), ("I", "g*B*(E - v)")].map(|(name, text)| (name.to_owned(), parsed(text))).into();
        for (of, expected, is_held) in [
            ("(E - v)/tau + u", Some("(-(1))/tau"), false),
            ("u - a*v*b", Some("-((a)*b)"), false),
            ("-int(v > 0*mV)", None, true),
            ("(I - v/R)/C", Some("((-(1))*(g*B) - (1/R))/C"), true),
            ("v*(1 - v)/tau", Some("((-(1))*v)/tau"), true),
            ("exp(v)*v", Some("exp(v)"), true),
        ] {
            let found = coefficient(&parsed(of), "v", &subexpressions).expect(of);
            assert_eq!((found.text.as_deref(), found.is_held), (expected, is_held), "{of}");
        }
        assert!(coefficient(&parsed("v**2"), "v", &subexpressions).is_none());
    }
}
