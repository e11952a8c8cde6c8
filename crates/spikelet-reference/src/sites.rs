//! The places of random functions in the texts of a model, numbered from 0 (rule 10.4).

use std::collections::HashMap;
use std::mem::take;

use indexmap::IndexMap;
use spikelet_lang::diagnostic::Span;
use spikelet_lang::syntax::{Declared, Expr, ExprKind, Statement};

/// A name for an expression.
#[derive(Clone)]
pub(crate) struct Definition {
    pub(crate) value: Expr,
    /// `(constant over dt)`
    pub(crate) held: bool,
    pub(crate) declared: Declared,
    /// Whether its random functions have their numbers.
    pub(crate) numbered: bool,
}

const RANDOM: [&str; 8] = ["rand", "randn", "poisson", "binomial", "normal", "lognormal", "uniform", "exponential"];

/// Whether a function draws random numbers.
pub(crate) fn draws(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Number(_) | ExprKind::Boolean(_) | ExprKind::Name(_) => false,
        ExprKind::Unary(_, x) => draws(x),
        ExprKind::Binary(_, x, y) => draws(x) || draws(y),
        ExprKind::Call(name, arguments) => RANDOM.contains(&name.as_str()) || name == "gamma" || arguments.iter().any(draws),
    }
}

/// Gives each place its number: as one more argument of the function. Places are numbered in the order of the texts; those of a subexpression
/// where it is used first, once for all of its uses; of those that are constant over dt after the equations. White noise of one name is one place.
#[derive(Default)]
pub(crate) struct Sites {
    next: u32,
    noise: HashMap<String, u32>,
}

impl Sites {
    fn site(&mut self) -> Expr {
        self.next += 1;
        Expr { kind: ExprKind::Number(f64::from(self.next - 1)), span: Span::default() }
    }

    /// The next number, of a place that stands in no text.
    pub(crate) fn hidden(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    pub(crate) fn expression(&mut self, expression: &mut Expr, definitions: &mut IndexMap<String, Definition>) {
        match &mut expression.kind {
            ExprKind::Number(_) | ExprKind::Boolean(_) => {}
            ExprKind::Name(name) if name == "xi" || name.starts_with("xi_") => {
                let site = match self.noise.get(name) {
                    Some(site) => *site,
                    None => self.hidden(),
                };
                self.noise.insert(take(name), site);
                let site = Expr { kind: ExprKind::Number(f64::from(site)), span: expression.span };
                expression.kind = ExprKind::Call("xi".into(), vec![site]);
            }
            ExprKind::Name(name) => self.used(name, definitions),
            ExprKind::Unary(_, x) => self.expression(x, definitions),
            ExprKind::Binary(_, x, y) => {
                self.expression(x, definitions);
                self.expression(y, definitions);
            }
            ExprKind::Call(name, arguments) => {
                arguments.iter_mut().for_each(|x| self.expression(x, definitions));
                if RANDOM.contains(&name.as_str()) {
                    arguments.push(self.site());
                }
            }
        }
    }

    fn definition(&mut self, name: &str, definitions: &mut IndexMap<String, Definition>) {
        let Some(definition) = definitions.get_mut(name).filter(|of| !of.numbered) else { return };
        definition.numbered = true;
        let mut value = definition.value.clone();
        self.expression(&mut value, definitions);
        definitions[name].value = value;
    }

    /// A subexpression where it is used; those that are constant over dt are computed elsewhere.
    fn used(&mut self, name: &str, definitions: &mut IndexMap<String, Definition>) {
        if definitions.get(name).is_some_and(|of| !of.held) {
            self.definition(name, definitions);
        }
    }

    /// Those that no text has used.
    pub(crate) fn definitions(&mut self, definitions: &mut IndexMap<String, Definition>) {
        let names: Vec<String> = definitions.keys().cloned().collect();
        names.iter().for_each(|name| self.definition(name, definitions));
    }

    pub(crate) fn statements(&mut self, statements: &mut [Statement], definitions: &mut IndexMap<String, Definition>) {
        statements.iter_mut().for_each(|of| self.expression(&mut of.value, definitions));
    }
}
