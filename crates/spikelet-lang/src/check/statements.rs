//! Statements of a model: their targets, and their local names.

use indexmap::IndexMap;

use super::names::NameTable;
use super::{Type, resolve};
use crate::diagnostic::{Diagnostic, Kind};
use crate::model::{Role, Variable};
use crate::syntax::{AssignKind, Declared, Expr, ExprKind, Statement};
use crate::term::Term;
use crate::unit::Dimension;

/// Statements that share local names.
#[derive(Default)]
pub(super) struct Block {
    pub(super) place: String,
    /// Variable of each local name.
    pub(super) locals: IndexMap<String, usize>,
}

impl NameTable<'_> {
    /// Starts statements with local names of their own.
    pub(super) fn enter(&self, place: &str) {
        *self.block.borrow_mut() = Block { place: place.into(), locals: IndexMap::new() };
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
            if variable.constant || variable.shared {
                return Err(error(format!("`{name}` is declared constant or shared, and cannot be assigned.")));
            }
            if variable.linked {
                return Err(error(linked(name)));
            }
            if variable.role == Role::Held {
                return Err(error(format!("`{name}` cannot be assigned: its equation determines its value in each step.")));
            }
            let value = assigned(statement);
            let declared = if variable.boolean { Declared::Boolean } else { Declared::Float };
            return Ok(Some((index, self.value(place, text, &value, (variable.dimension, declared))?)));
        }
        if self.definitions.contains_key(name.as_str()) || self.constants.contains_key(name) {
            let message = format!("`{name}` cannot be assigned: it is not a variable.");
            return Err(error(message).help(format!("Declare it in the equations: `{name} : unit`.")));
        }
        Ok(None)
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
        self.block.borrow_mut().locals.insert(statement.target.clone(), index);
        Ok((index, term))
    }

    /// Suggestions for a misspelled target.
    pub(super) fn targets(&self) -> Vec<String> {
        let variables = self.variables.borrow();
        let fixed = |variable: &Variable| variable.constant || variable.shared || variable.linked;
        let open = variables.iter().filter(|variable| variable.role == Role::Declared && !fixed(variable));
        open.map(|variable| variable.name.clone()).collect()
    }
}

/// Why nothing assigns a linked variable.
pub(super) fn linked(name: &str) -> String {
    format!("`{name}` is linked: it has the value of another variable, and cannot be assigned.")
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
