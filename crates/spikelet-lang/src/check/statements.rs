//! Statements of a model: their targets, and their local names.

use super::block::Block;
use super::names::NameTable;
use super::{Type, resolve};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::{Role, Variable};
use crate::syntax::{AssignKind, Declared, Expr, ExprKind, Statement};
use crate::term::{self, Symbol, Term};
use crate::unit::Dimension;

impl NameTable<'_> {
    /// Starts statements with local names of their own.
    pub(super) fn enter(&self, place: &str) {
        *self.block.borrow_mut() = Block { place: place.into(), ..Block::default() };
    }

    /// The same for statements that run in all neurons at once.
    pub(super) fn enter_in_all(&self, place: &str) {
        *self.block.borrow_mut() = Block { place: place.into(), in_all: true, ..Block::default() };
    }

    /// The variable, local or declared, that a statement writes, with its new value; `None` where the target is no name of this
    /// model.
    pub(super) fn assignment(
        &self,
        (place, text): (&str, &str),
        statement: &Statement,
    ) -> Result<Option<(usize, Term)>, Diagnostic> {
        let name = &statement.target;
        let error = |message: String| Diagnostic::new(Kind::UnknownAssignmentTarget, place, text, statement.span, message);
        let local = self.block.borrow().locals.get(name).copied();
        if let Some(index) = local.or_else(|| self.variable(name)) {
            let variable = self.variables.borrow()[index].clone();
            if variable.constant || variable.shared && !self.block.borrow().in_all {
                let diagnostic = error(format!("`{name}` is declared constant or shared, and cannot be assigned here."));
                let help = "Assign a shared variable in `run_regularly` of the population, or remove the flag.";
                return Err(if variable.constant || self.ends.is_some() { diagnostic } else { diagnostic.help(help) });
            }
            if let Some(why) = variable.follows() {
                return Err(error(why));
            }
            if variable.role == Role::Held {
                return Err(error(format!("`{name}` cannot be assigned: its equation determines its value in each step.")));
            }
            let value = assigned(statement);
            let declared = if variable.boolean { Declared::Boolean } else { Declared::Float };
            let term = self.value(place, text, &value, (variable.dimension, declared))?;
            let term = if variable.integer { term::cut_off(&term) } else { term };
            let is_guarded = || variable.unless_refractory.then(|| "it is `unless refractory`".to_owned());
            match self.differs_between_neurons(&term).or_else(is_guarded) {
                Some(why) if variable.shared => {
                    let message = format!("`{name}` is shared: it has one value for all neurons, but {why}.");
                    let help = "Assign it from shared variables, constants and `t`, or link it to a population of one neuron.";
                    return Err(error(message).help(help));
                }
                Some(_) => self.block.borrow_mut().alike.remove(&index),
                None => self.block.borrow_mut().alike.insert(index),
            };
            return Ok(Some((index, term)));
        }
        if self.definitions.contains_key(name.as_str()) || self.constants.contains_key(name) {
            let message = format!("`{name}` cannot be assigned: it is not a variable.");
            return Err(error(message).help(format!("Declare it in the equations: `{name} : unit`.")));
        }
        Ok(None)
    }

    /// Why a term has a value of its own in each neuron, if it has.
    fn differs_between_neurons(&self, term: &Term) -> Option<String> {
        let (variables, block) = (self.variables.borrow(), self.block.borrow());
        let mut why = None;
        term.any(|symbol| {
            why = match symbol {
                None => Some("a random number is drawn for each neuron".to_owned()),
                Some(Symbol::Index) => Some("`i` is the index of a neuron".to_owned()),
                Some(Symbol::NotRefractory) => Some("`not_refractory` is a value of each neuron".to_owned()),
                Some(Symbol::SinceSpike) => Some("`lastspike` is a value of each neuron".to_owned()),
                Some(Symbol::Variable(of)) => {
                    let variable = &variables[of];
                    let is_alike = match variable.role {
                        Role::Local => block.alike.contains(&of),
                        Role::Held => false,
                        Role::Declared => variable.shared,
                    };
                    (!is_alike).then(|| format!("`{}` is a value of each neuron", variable.name))
                }
                Some(_) => None,
            };
            why.is_some()
        });
        why
    }

    /// Whether an unknown target is a local name: it is set, and a statement after it reads it. Otherwise it is a slip.
    pub(super) fn is_local(&self, statement: &Statement, rest: &[Statement]) -> bool {
        let name = &statement.target;
        statement.kind == AssignKind::Set && rest.iter().any(|later| later.value.mentions(name) || later.target == *name)
    }

    /// A statement that gives a new local name its value.
    pub(super) fn local(&self, (place, text): (&str, &str), statement: &Statement) -> Result<(usize, Term), Diagnostic> {
        let (term, kind) = resolve(place, text, &statement.value, self)?;
        let mut variables = self.variables.borrow_mut();
        let mut variable = Variable::new(&statement.target, Dimension::NONE, Role::Local);
        match kind {
            Type::Number(dimension) => variable.dimension = dimension,
            Type::Boolean => variable.boolean = true,
        }
        variables.push(variable);
        let index = variables.len() - 1;
        drop(variables);
        let is_alike = self.differs_between_neurons(&term).is_none();
        let mut block = self.block.borrow_mut();
        block.locals.insert(statement.target.clone(), index);
        if is_alike {
            block.alike.insert(index);
        }
        Ok((index, term))
    }

    /// Suggestions for a misspelled target.
    pub(super) fn targets(&self) -> Vec<String> {
        let variables = self.variables.borrow();
        let fixed = |variable: &Variable| variable.constant || variable.shared || variable.follows().is_some();
        let open = variables.iter().filter(|variable| variable.role == Role::Declared && !fixed(variable));
        open.map(|variable| variable.name.clone()).collect()
    }
}

/// `x += y` → `x + (y)`.
pub(super) fn assigned(statement: &Statement) -> Expr {
    match statement.kind {
        AssignKind::Set => statement.value.clone(),
        AssignKind::Change(op) => {
            let target = Expr { kind: ExprKind::Name(statement.target.clone()), span: statement.span };
            let span = statement.span.to(statement.value.span);
            Expr { kind: ExprKind::Binary(op, Box::new(target), Box::new(statement.value.clone())), span }
        }
    }
}
