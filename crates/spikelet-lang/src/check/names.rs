//! The names shared by the texts of a model.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use indexmap::IndexMap;

use super::block::Block;
use super::ends::Ends;
use super::flags;
use super::{Resolver, Scope, Type, resolve, resolve_as};
use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::model::{Constant, Role, Subexpression, Table, Variable};
use crate::own::OwnFunctions;
use crate::syntax::{Declared, Equation, EquationKind, Expr};
use crate::term::{self, Function, Node, Random, Symbol, Term};
use crate::unit::Dimension;

/// Maximum length of a chain of subexpressions: each needs stack memory.
const MAX_CHAIN: usize = 50;

/// Maximum number of operations of an expression after substitution of its subexpressions.
const MAX_OPERATIONS: usize = 50_000;

const RESERVED: [&str; 11] = ["t", "dt", "i", "j", "N", "rand", "randn", "poisson", "binomial", "not_refractory", "lastspike"];

/// An expression with a name, before it is resolved.
pub(super) struct Definition<'a> {
    place: &'a str,
    text: &'a str,
    value: &'a Expr,
    /// As declared; an expression given as a parameter has whatever dimension it has.
    declared: Option<(Dimension, Declared)>,
    shared: bool,
}

/// The names shared by the texts of a model.
pub(super) struct NameTable<'a> {
    pub(super) variables: RefCell<Vec<Variable>>,
    pub(super) definitions: IndexMap<&'a str, Definition<'a>>,
    pub(super) constants: &'a IndexMap<String, Dimension>,
    tables: &'a IndexMap<String, Table>,
    functions: &'a OwnFunctions,
    /// The neurons at both ends, for a synapse.
    pub(super) ends: Option<Ends<'a>>,
    /// Constants met so far, in the order of their index.
    pub(super) used: RefCell<Vec<Constant>>,
    /// Subexpressions being expanded, to find circles.
    open: RefCell<Vec<String>>,
    /// Subexpressions expanded so far: a draw inside is made once, however often the name is used.
    expanded: RefCell<IndexMap<String, (Term, Type)>>,
    sites: Cell<u32>,
    /// Sites of white noise, by name.
    pub(super) noise: RefCell<IndexMap<String, u32>>,
    /// Which statements are being resolved, and the local names they may use.
    pub(super) block: RefCell<Block>,
}

/// All definitions of a model, resolved.
pub(super) struct ResolvedDefinitions {
    /// Those that are worked in wherever they are used.
    pub(super) subexpressions: IndexMap<String, Subexpression>,
    /// Those held over a step: the variable of each, and its value.
    pub(super) held: Vec<(usize, Term)>,
    /// What is wrong with the others.
    pub(super) found: Vec<Diagnostic>,
}

/// What is given to a model from outside its equations.
pub(super) struct ExternalNames<'a> {
    pub(super) constants: &'a IndexMap<String, Dimension>,
    pub(super) each: &'a IndexMap<String, Dimension>,
    /// Functions of time: name, text and its tree.
    pub(super) driven: &'a [(&'a str, &'a str, Expr)],
    pub(super) tables: &'a IndexMap<String, Table>,
    pub(super) functions: &'a OwnFunctions,
    /// Flags that equations of this sort may have.
    pub(super) flags: &'a [flags::Flag],
}

impl<'a> NameTable<'a> {
    /// Collects the names of `equations`.
    ///
    /// # Errors
    /// Names that are defined twice, and what is wrong with flags.
    pub(super) fn new(
        text: &'a str,
        equations: &'a [Equation],
        outside: &ExternalNames<'a>,
        ends: Option<Ends<'a>>,
    ) -> (Self, Vec<Diagnostic>) {
        let mut names = NameTable {
            variables: RefCell::new(Vec::new()),
            definitions: IndexMap::new(),
            constants: outside.constants,
            tables: outside.tables,
            functions: outside.functions,
            ends,
            used: RefCell::new(Vec::new()),
            open: RefCell::new(Vec::new()),
            expanded: RefCell::new(IndexMap::new()),
            sites: Cell::new(0),
            noise: RefCell::new(IndexMap::new()),
            block: RefCell::default(),
        };
        let place = "equations";
        let mut found = Vec::new();
        for equation in equations {
            let name = equation.name.as_str();
            let error = |kind, message: String| Diagnostic::new(kind, place, text, equation.span, message);
            if names.variable(name).is_some() || names.definitions.contains_key(name) {
                found.push(error(Kind::DuplicateVariable, format!("`{name}` is defined twice.")));
                continue;
            }
            if names.is_reserved(name) {
                let message = format!("`{name}` is a reserved name.");
                found.push(error(Kind::DuplicateVariable, message).help("Give the variable another name."));
                continue;
            }
            found.extend(flags::check(text, equation, outside.flags));
            let has = |wanted: &str| equation.flags.iter().any(|(flag, _)| flag == wanted);
            let declared = Some((equation.unit.dimension, equation.declared));
            let driven = outside.driven.iter().find(|(driven, ..)| *driven == name);
            let definition = match (&equation.kind, driven) {
                // A summed variable belongs to the neuron: nothing here is called so.
                (EquationKind::Subexpression(_), _) if has("summed") => continue,
                (EquationKind::Subexpression(value), _) => Some((place, text, value)),
                (EquationKind::Parameter, Some((name, text, value))) => Some((*name, *text, value)),
                _ => None,
            };
            let held = has("constant over dt") && definition.is_some();
            if let Some((place, text, value)) = definition {
                names.definitions.insert(name, Definition { place, text, value, declared, shared: has("shared") });
                if !held {
                    continue;
                }
            }
            let role = if held { Role::Held } else { Role::Declared };
            names.variables.get_mut().push(Variable {
                boolean: equation.declared == Declared::Boolean,
                integer: equation.declared == Declared::Integer,
                written: held || has("linked"),
                unless_refractory: has("unless refractory"),
                shared: has("shared"),
                constant: has("constant"),
                plastic: has("plastic"),
                linked: has("linked"),
                half: has("f16"),
                ..Variable::new(name, equation.unit.dimension, role)
            });
        }
        for (name, text, value) in outside.driven {
            if !names.definitions.contains_key(name) && names.variable(name).is_none() {
                let definition = Definition { place: name, text, value, declared: None, shared: false };
                names.definitions.insert(name, definition);
            }
        }
        for (name, dimension) in outside.each {
            if names.variable(name).is_none() {
                let variable = Variable { constant: true, ..Variable::new(name, *dimension, Role::Declared) };
                names.variables.get_mut().push(variable);
            }
        }
        (names, found)
    }

    /// Whether a name has a meaning of its own.
    pub(super) fn is_reserved(&self, name: &str) -> bool {
        RESERVED.contains(&name) || name == "xi" || name.starts_with("xi_") || name.starts_with("__")
    }

    /// The declared variable called `name`.
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        self.variables.borrow().iter().position(|variable| variable.name == name && variable.role != Role::Local)
    }

    fn constant(&self, name: &str) -> Option<(Term, Type)> {
        let dimension = *self.constants.get(name)?;
        let mut used = self.used.borrow_mut();
        let index = used.iter().position(|constant| constant.name == name).unwrap_or_else(|| {
            used.push(Constant { name: name.into(), dimension });
            used.len() - 1
        });
        Some((term::symbol(Symbol::Constant(index)), Type::Number(dimension)))
    }

    /// What a variable is in an expression.
    fn reference(&self, index: usize) -> (Term, Type) {
        let variable = &self.variables.borrow()[index];
        let symbol = term::symbol(Symbol::Variable(index));
        if variable.boolean {
            let holds = Node::Binary(crate::syntax::BinaryOp::NotEqual, symbol, term::number(0.0));
            return (Arc::new(holds), Type::Boolean);
        }
        (symbol, Type::Number(variable.dimension))
    }

    /// Resolves an expression that must have a dimension, or be a condition; a condition becomes 1 or 0.
    pub(super) fn value(
        &self,
        place: &str,
        text: &str,
        value: &Expr,
        (dimension, declared): (Dimension, Declared),
    ) -> Result<Term, Diagnostic> {
        if declared == Declared::Boolean {
            return Resolver { place, text, scope: self }.condition(value);
        }
        resolve_as(place, text, value, self, dimension)
    }

    /// The term of a subexpression.
    ///
    /// # Errors
    /// Whatever is wrong in it, or a circle.
    pub(super) fn subexpression(&self, name: &str, at: (&str, &str, Span)) -> Result<Option<(Term, Type)>, Diagnostic> {
        let Some(definition) = self.definitions.get(name) else { return Ok(None) };
        if let Some(found) = self.expanded.borrow().get(name) {
            return Ok(Some(found.clone()));
        }
        let (place, text, span) = at;
        if self.open.borrow().iter().any(|open| open == name) {
            let circle = self.open.borrow().join("` → `");
            let message = format!("the subexpressions depend on each other: `{circle}` → `{name}`.");
            return Err(Diagnostic::new(Kind::CircularSubexpression, place, text, span, message));
        }
        if self.open.borrow().len() == MAX_CHAIN {
            let message = format!("the chain of subexpressions down to `{name}` is longer than {MAX_CHAIN}.");
            let help = "Combine some of them, or declare an intermediate variable `(constant over dt)`.";
            return Err(Diagnostic::new(Kind::Unsupported, place, text, span, message).help(help));
        }
        self.open.borrow_mut().push(name.into());
        let Definition { place, text, value, declared, shared } = definition;
        let sites = self.sites.get();
        let result = match declared {
            Some((_, Declared::Boolean)) => {
                Resolver { place, text, scope: self }.condition(value).map(|term| (term, Type::Boolean))
            }
            Some((dimension, _)) => resolve_as(place, text, value, self, *dimension).map(|term| (term, Type::Number(*dimension))),
            None => resolve(place, text, value, self),
        };
        self.open.borrow_mut().pop();
        let found = result?;
        let error = |kind, message: String| Diagnostic::new(kind, place, text, value.span, message);
        if found.0.size(MAX_OPERATIONS) >= MAX_OPERATIONS {
            let message = format!("`{name}` has more than {MAX_OPERATIONS} operations after substitution of all subexpressions.");
            return Err(error(Kind::Unsupported, message).help("Declare a variable for a part of it."));
        }
        if *shared && self.sites.get() > sites {
            let message = format!("`{name}` is shared, and a random number is drawn for each neuron.");
            return Err(error(Kind::Unsupported, message).help("Remove the flag, or use a population of one neuron as a source."));
        }
        self.expanded.borrow_mut().insert(name.into(), found.clone());
        Ok(Some(found))
    }

    /// Resolves every definition, for recordings and to find mistakes; those held over a step come each after those it needs.
    pub(super) fn expand_all(&self) -> ResolvedDefinitions {
        let (mut subexpressions, mut held, mut found) = (IndexMap::new(), Vec::new(), Vec::new());
        for (name, definition) in &self.definitions {
            match self.subexpression(name, (definition.place, definition.text, definition.value.span)) {
                Ok(Some((term, kind))) => match self.variable(name) {
                    Some(variable) => held.push((variable, term)),
                    None => {
                        let dimension = if let Type::Number(dimension) = kind { dimension } else { Dimension::NONE };
                        subexpressions.insert((*name).to_owned(), Subexpression { term, dimension });
                    }
                },
                Ok(None) => {}
                Err(diagnostic) => found.push(diagnostic),
            }
        }
        let mut sorted: Vec<(usize, Term)> = Vec::new();
        while !held.is_empty() {
            let waits = |term: &Term, held: &[(usize, Term)]| held.iter().any(|(variable, _)| term.mentions(*variable));
            let Some(next) = (0..held.len()).find(|k| !waits(&held[*k].1, &held)) else {
                let variables = self.variables.borrow();
                let circle: Vec<&str> = held.iter().map(|(variable, _)| variables[*variable].name.as_str()).collect();
                let message = format!("the subexpressions depend on each other: `{}`.", circle.join("`, `"));
                let Definition { place, text, value, .. } = &self.definitions[circle[0]];
                found.push(Diagnostic::new(Kind::CircularSubexpression, place, text, value.span, message));
                break;
            };
            sorted.push(held.remove(next));
        }
        ResolvedDefinitions { subexpressions, held: sorted, found }
    }

    fn noise(&self, name: &str) -> (Term, Type) {
        let known = self.noise.borrow().get(name).copied();
        let site = known.unwrap_or_else(|| {
            let site = self.sites.replace(self.sites.get() + 1);
            self.noise.borrow_mut().insert(name.into(), site);
            site
        });
        // One draw for a whole step: its integral over dt has the variance dt.
        let density = term::divide(&term::number(1.0), &term::call(Function::Sqrt, term::symbol(Symbol::Dt)));
        let term = Node::Binary(crate::syntax::BinaryOp::Multiply, Arc::new(Node::Random(Random::Normal, site)), density);
        (Arc::new(term), Type::Number(Dimension::TIME.power(-0.5).unwrap_or(Dimension::NONE)))
    }
}

impl Scope for NameTable<'_> {
    fn name(&self, name: &str, at: (&str, &str, Span)) -> Result<Option<(Term, Type)>, Diagnostic> {
        let local = self.block.borrow().locals.get(name).copied();
        if let Some(index) = local.filter(|_| self.block.borrow().place == at.0).or_else(|| self.variable(name)) {
            return Ok(Some(self.reference(index)));
        }
        if let Some(found) = self.subexpression(name, at)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.constant(name) {
            return Ok(Some(found));
        }
        if let Some(ends) = &self.ends
            && let Some(found) = ends.name(name, at)?
        {
            return Ok(Some(found));
        }
        let (place, text, span) = at;
        let neuron = self.ends.is_none();
        Ok(match name {
            "t" => Some((term::symbol(Symbol::Time), Type::Number(Dimension::TIME))),
            "dt" => Some((term::symbol(Symbol::Dt), Type::Number(Dimension::TIME))),
            "i" => Some((term::symbol(Symbol::Index), Type::Number(Dimension::NONE))),
            "j" if !neuron => Some((term::symbol(Symbol::PostIndex), Type::Number(Dimension::NONE))),
            "N" => Some((term::symbol(Symbol::Size), Type::Number(Dimension::NONE))),
            "not_refractory" if neuron => Some((term::symbol(Symbol::NotRefractory), Type::Boolean)),
            "lastspike" if neuron => {
                let since = term::multiply(&term::symbol(Symbol::SinceSpike), &term::symbol(Symbol::Dt));
                Some((term::subtract(&term::symbol(Symbol::Time), &since), Type::Number(Dimension::TIME)))
            }
            _ if name == "xi" || name.starts_with("xi_") => {
                if place != "equations" {
                    let message = format!("`{name}` is white noise: it is only allowed in differential equations.");
                    let help = "Write `randn()` for a normal random number.";
                    return Err(Diagnostic::new(Kind::Unsupported, place, text, span, message).help(help));
                }
                Some(self.noise(name))
            }
            _ => None,
        })
    }

    fn site(&self) -> Result<u32, &'static str> {
        Ok(self.sites.replace(self.sites.get() + 1))
    }

    fn table(&self, name: &str) -> Option<(usize, Table)> {
        self.tables.get_full(name).map(|(index, _, table)| (index, *table))
    }

    fn functions(&self) -> Option<&OwnFunctions> {
        Some(self.functions)
    }

    fn elsewhere(&self, name: &str) -> Option<String> {
        let is_of_third = self.ends.as_ref().is_some_and(|ends| ends.neurons.third.is_none()) && name.ends_with("_third");
        is_of_third
            .then(|| "a value of a third neuron, of which the key `third` of the projection names the population".to_owned())
    }

    fn known(&self) -> Vec<String> {
        let variables = self.variables.borrow();
        let declared = variables.iter().map(|variable| variable.name.clone());
        let definitions = self.definitions.keys().map(|name| (*name).to_owned());
        let ends = self.ends.iter().flat_map(Ends::known);
        let more = ["lastspike", "not_refractory"].map(str::to_owned);
        declared.chain(definitions).chain(self.constants.keys().cloned()).chain(ends).chain(more).collect()
    }
}
