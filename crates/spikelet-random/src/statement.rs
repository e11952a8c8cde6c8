//! Random statements, whose targets are chosen when their scope is known.

use proptest::prelude::*;

use super::expression::{Condition, Expression, Scope, choice, conditions, expressions, number};

/// What statements may assign.
#[derive(Debug, Clone, Default)]
pub(super) struct Targets {
    /// Variables with numbers of any kind.
    pub(super) floats: Vec<String>,
    /// Variables that are `integer`.
    pub(super) integers: Vec<String>,
    /// Variables that are `boolean`.
    pub(super) booleans: Vec<String>,
    /// Variables that hold a time.
    pub(super) times: Vec<String>,
}

/// A statement. What it assigns stays within about ±3, whatever it reads, so that no run diverges.
#[derive(Debug, Clone)]
pub(super) enum Statement {
    /// `x -= 0.37`
    Less(usize, usize),
    /// `x += 0.17*tanh(…)`
    More(usize, Expression),
    /// `x = clip(…, -1.7, 1.9)`
    Set(usize, Expression),
    /// `x *= 0.83`
    Scale(usize, usize),
    /// `u = …; x += 0.23*tanh(u)`
    Local(usize, Expression),
    /// `n = …`
    Integer(usize, Expression),
    /// `n += 1`
    Count(usize),
    /// `b = …`
    Boolean(usize, Condition),
    /// `last = t`
    Stamp(usize),
}

impl Statement {
    /// As text; empty if there is nothing to assign. `place` makes the names of locals unique.
    pub(super) fn text(&self, targets: &Targets, scope: &Scope, place: usize) -> String {
        let chosen = |list: &[String], at: usize| list.get(at % list.len().max(1)).cloned();
        let of = |at: usize| chosen(&targets.floats, at);
        let more = |at: usize, value: String| of(at).map(|x| format!("{x} += 0.17*{value}"));
        let text = match self {
            Statement::Less(at, by) => of(*at).map(|x| format!("{x} -= {}", number(*by))),
            Statement::More(at, value) => more(*at, value.bounded(scope)),
            Statement::Set(at, value) => of(*at).map(|x| format!("{x} = clip({}, -1.7, 1.9)", value.text(scope))),
            Statement::Scale(at, by) => of(*at).map(|x| format!("{x} *= tanh({})", number(*by))),
            Statement::Local(at, value) => {
                of(*at).map(|x| format!("u{place} = {}; {x} += 0.23*tanh(u{place})", value.text(scope)))
            }
            Statement::Integer(at, value) => match chosen(&targets.integers, *at) {
                Some(n) => Some(format!("{n} = clip({}, -7.3, 7.9)", value.text(scope))),
                None => more(*at, value.bounded(scope)),
            },
            Statement::Count(at) => match chosen(&targets.integers, *at) {
                Some(n) => Some(format!("{n} += 1")),
                None => of(*at).map(|x| format!("{x} += 0.29")),
            },
            Statement::Boolean(at, condition) => match chosen(&targets.booleans, *at) {
                Some(b) => Some(format!("{b} = {}", condition.text(scope))),
                None => more(*at, format!("int({})", condition.text(scope))),
            },
            Statement::Stamp(at) => match chosen(&targets.times, *at) {
                Some(last) => Some(format!("{last} = t")),
                None => of(*at).map(|x| format!("{x} = max({x}, 0.053)")),
            },
        };
        text.unwrap_or_default()
    }
}

/// Statements as one text.
pub(super) fn block(statements: &[Statement], targets: &Targets, scope: &Scope) -> String {
    let texts = statements.iter().enumerate().map(|(place, of)| of.text(targets, scope, place));
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("; ")
}

/// Statements; they shrink to a subtraction of a number.
pub(super) fn statements() -> BoxedStrategy<Statement> {
    prop_oneof![
        2 => (choice(), choice()).prop_map(|(at, by)| Statement::Less(at, by)),
        3 => (choice(), expressions()).prop_map(|(at, value)| Statement::More(at, value)),
        2 => (choice(), expressions()).prop_map(|(at, value)| Statement::Set(at, value)),
        1 => (choice(), choice()).prop_map(|(at, by)| Statement::Scale(at, by)),
        1 => (choice(), expressions()).prop_map(|(at, value)| Statement::Local(at, value)),
        1 => (choice(), expressions()).prop_map(|(at, value)| Statement::Integer(at, value)),
        1 => choice().prop_map(Statement::Count),
        1 => (choice(), conditions()).prop_map(|(at, condition)| Statement::Boolean(at, condition)),
        1 => choice().prop_map(Statement::Stamp),
    ]
    .boxed()
}
