//! Values computed on the host: parameters, initial values, weights, delays.

use std::cell::{Cell, RefCell};

use super::{ArgumentRule, Scope, Type, resolve};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::Expr;
use crate::term::{self, Symbol, Term};
use crate::unit::Dimension;

/// The scope of initial values, weights and plain quantities: the names of `names`, `i`, `j`, `N`.
pub struct ValueScope<'a> {
    /// Symbol and dimension of a name.
    pub names: &'a dyn Fn(&str) -> Option<(Symbol, Dimension)>,
    /// Suggestions for a misspelled name.
    pub known: Vec<String>,
    /// Counts the draws, or says why there are none.
    pub sites: Result<Cell<u32>, &'static str>,
    /// What a name is that means something in other texts, and nothing here.
    pub elsewhere: &'a dyn Fn(&str) -> Option<String>,
}

impl<'a> ValueScope<'a> {
    /// Why a value that is the same for all has no draws.
    pub const SAME_FOR_ALL: &'static str = "a single value for all cannot be drawn; write {\"expr\": \"…\"} for one draw each";

    /// A scope in which nothing is drawn and no other text is near.
    pub fn of_names(names: &'a dyn Fn(&str) -> Option<(Symbol, Dimension)>) -> ValueScope<'a> {
        ValueScope { names, known: Vec::new(), sites: Err(Self::SAME_FOR_ALL), elsewhere: &|_| None }
    }
}

impl Scope for ValueScope<'_> {
    fn name(&self, name: &str, _: (&str, &str, Span)) -> Result<Option<(Term, Type)>, Diagnostic> {
        Ok((self.names)(name).map(|(symbol, dimension)| (term::symbol(symbol), Type::Number(dimension))))
    }

    fn site(&self) -> Result<u32, &'static str> {
        self.sites.as_ref().map(|sites| sites.replace(sites.get() + 1)).map_err(|why| *why)
    }

    fn elsewhere(&self, name: &str) -> Option<String> {
        (self.elsewhere)(name)
    }

    fn known(&self) -> Vec<String> {
        self.known.clone()
    }
}

/// A value that the host computes.
#[derive(Debug, Clone)]
pub struct Value {
    /// What it is, in inner units.
    pub term: Term,
    /// What it measures.
    pub kind: Type,
    /// What must hold of the arguments of its distributions, before it is computed.
    pub demands: Vec<ArgumentRule>,
}

/// A scope of values whose demands will be looked at.
struct OnHost<'a> {
    scope: &'a ValueScope<'a>,
    demands: RefCell<Vec<ArgumentRule>>,
}

impl Scope for OnHost<'_> {
    fn name(&self, name: &str, at: (&str, &str, Span)) -> Result<Option<(Term, Type)>, Diagnostic> {
        self.scope.name(name, at)
    }

    fn site(&self) -> Result<u32, &'static str> {
        self.scope.site()
    }

    fn elsewhere(&self, name: &str) -> Option<String> {
        self.scope.elsewhere(name)
    }

    fn known(&self) -> Vec<String> {
        self.scope.known()
    }

    fn is_on_host(&self) -> bool {
        true
    }

    fn demand(&self, demand: ArgumentRule) {
        self.demands.borrow_mut().push(demand);
    }
}

/// Resolves the expression of a value that the host computes: all distributions may stand in it.
pub fn resolve_value(place: &str, text: &str, expression: &Expr, scope: &ValueScope<'_>) -> Result<Value, Diagnostic> {
    let scope = OnHost { scope, demands: RefCell::default() };
    let (term, kind) = resolve(place, text, expression, &scope)?;
    Ok(Value { term, kind, demands: scope.demands.into_inner() })
}
