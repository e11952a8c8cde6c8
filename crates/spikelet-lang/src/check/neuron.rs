//! The texts of a neuron model, checked against each other.

use std::cell::{Cell, RefCell};

use indexmap::IndexMap;

use super::{Resolver, Scope, Type, resolve_as};
use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::model::{Constant, NeuronModel, NeuronText, Variable};
use crate::syntax::{self, AssignKind, Equation, EquationKind, Expr, ExprKind, Statement};
use crate::term::{self, Symbol, Term};
use crate::unit::Dimension;

/// Checks a neuron model. `constants` names the parameters that are given from outside, with their dimensions.
///
/// # Errors
/// Every mistake found, one for each text or equation at least.
pub fn check_neuron(text: &NeuronText, constants: &IndexMap<String, Dimension>) -> Result<NeuronModel, Vec<Diagnostic>> {
    let equations = syntax::parse_equations("equations", &text.equations)?;
    let names = Names::new("equations", &text.equations, &equations, constants, &text.each)?;
    let mut found = Vec::new();
    let mut differential = Vec::new();
    for equation in &equations {
        match &equation.kind {
            EquationKind::Differential(value) => {
                let wanted = equation.unit.dimension.over(Dimension::TIME);
                match names.resolve_as("equations", &text.equations, value, wanted) {
                    Ok(rate) => differential.extend(names.variable(&equation.name).map(|variable| (variable, rate))),
                    Err(diagnostic) => found.push(diagnostic),
                }
            }
            EquationKind::Subexpression(value) => {
                found.extend(names.resolve_as("equations", &text.equations, value, equation.unit.dimension).err());
            }
            EquationKind::Parameter => {}
        }
    }
    let mut statements = |place: &str, text: &Option<String>| match names.statements(place, text.as_deref().unwrap_or("")) {
        Ok(statements) => statements,
        Err(diagnostics) => {
            found.extend(diagnostics);
            Vec::new()
        }
    };
    let update = statements("update", &text.update);
    let reset = statements("reset", &text.reset);
    let mut keep = |result: Option<Result<Term, Diagnostic>>| match result {
        Some(Ok(term)) => Some(term),
        Some(Err(diagnostic)) => {
            found.push(diagnostic);
            None
        }
        None => None,
    };
    let threshold = keep(text.threshold.as_ref().map(|text| names.condition("threshold", text)));
    let refractory = keep(text.refractory.as_ref().map(|text| names.refractory(text)));
    // An error at the same place in two texts (a subexpression used twice) is one error.
    found.dedup();
    if !found.is_empty() {
        return Err(found);
    }
    let mut variables = names.variables;
    for (variable, _) in differential.iter().chain(&update).chain(&reset) {
        variables[*variable].written = true;
    }
    Ok(NeuronModel {
        variables,
        constants: names.used.into_inner(),
        equations: differential,
        update,
        threshold,
        reset,
        refractory,
        method: text.method,
    })
}

/// The names that the texts of one model share.
pub(super) struct Names<'a> {
    text: &'a str,
    place: &'a str,
    pub(super) variables: Vec<Variable>,
    subexpressions: IndexMap<&'a str, (&'a Expr, Dimension)>,
    constants: &'a IndexMap<String, Dimension>,
    /// Constants met so far, in the order of their index.
    pub(super) used: RefCell<Vec<Constant>>,
    /// Subexpressions being expanded, to find circles.
    open: RefCell<Vec<String>>,
    /// Terms of the subexpressions expanded so far: a draw inside is made once, however often the name is used.
    expanded: RefCell<IndexMap<String, Term>>,
    sites: Cell<u32>,
}

const FLAGS: [&str; 4] = ["constant", "shared", "unless refractory", "constant over dt"];
const RESERVED: [&str; 9] = ["t", "dt", "i", "j", "N", "rand", "randn", "not_refractory", "lastspike"];

impl<'a> Names<'a> {
    pub(super) fn new(
        place: &'a str,
        text: &'a str,
        equations: &'a [Equation],
        constants: &'a IndexMap<String, Dimension>,
        each: &IndexMap<String, Dimension>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut names = Names {
            text,
            place,
            variables: Vec::new(),
            subexpressions: IndexMap::new(),
            constants,
            used: RefCell::new(Vec::new()),
            open: RefCell::new(Vec::new()),
            expanded: RefCell::new(IndexMap::new()),
            sites: Cell::new(0),
        };
        let mut found = Vec::new();
        for equation in equations {
            let name = &equation.name;
            let error = |kind, message: String| Diagnostic::new(kind, place, text, equation.span, message);
            if names.variable(name).is_some() || names.subexpressions.contains_key(name.as_str()) {
                found.push(error(Kind::DuplicateVariable, format!("`{name}` is defined a second time.")));
                continue;
            }
            if RESERVED.contains(&name.as_str()) {
                found.push(error(Kind::DuplicateVariable, format!("`{name}` has a meaning of its own in the language.")));
                continue;
            }
            for (flag, span) in &equation.flags {
                if !FLAGS.contains(&flag.as_str()) {
                    let message = format!("there is no flag `{flag}`.");
                    let help = format!("Known are {}.", FLAGS.join(", "));
                    found.push(Diagnostic::new(Kind::SyntaxError, place, text, *span, message).help(help));
                }
            }
            let has = |wanted: &str| equation.flags.iter().any(|(flag, _)| flag == wanted);
            if let EquationKind::Subexpression(value) = &equation.kind {
                names.subexpressions.insert(name, (value, equation.unit.dimension));
                continue;
            }
            names.variables.push(Variable {
                name: name.clone(),
                dimension: equation.unit.dimension,
                written: false,
                unless_refractory: has("unless refractory"),
                shared: has("shared"),
                constant: has("constant"),
            });
        }
        for (name, dimension) in each {
            if names.variable(name).is_none() {
                let (name, dimension) = (name.clone(), *dimension);
                let variable =
                    Variable { name, dimension, written: false, unless_refractory: false, shared: false, constant: true };
                names.variables.push(variable);
            }
        }
        if found.is_empty() { Ok(names) } else { Err(found) }
    }

    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|variable| variable.name == name)
    }

    pub(super) fn constant(&self, name: &str) -> Option<(Term, Type)> {
        let dimension = *self.constants.get(name)?;
        let mut used = self.used.borrow_mut();
        let index = used.iter().position(|constant| constant.name == name).unwrap_or_else(|| {
            used.push(Constant { name: name.into(), dimension });
            used.len() - 1
        });
        Some((term::symbol(Symbol::Constant(index)), Type::Number(dimension)))
    }

    fn resolve_as(&self, place: &str, text: &str, value: &Expr, wanted: Dimension) -> Result<Term, Diagnostic> {
        resolve_as(place, text, value, self, wanted)
    }

    fn subexpression(&self, name: &str, span: Span) -> Result<Option<(Term, Type)>, Diagnostic> {
        let Some((value, dimension)) = self.subexpressions.get(name) else { return Ok(None) };
        if let Some(term) = self.expanded.borrow().get(name) {
            return Ok(Some((term.clone(), Type::Number(*dimension))));
        }
        if self.open.borrow().iter().any(|open| open == name) {
            let circle = self.open.borrow().join("` → `");
            let message = format!("the subexpressions need each other: `{circle}` → `{name}`.");
            return Err(Diagnostic::new(Kind::CircularSubexpression, self.place, self.text, span, message));
        }
        self.open.borrow_mut().push(name.into());
        let term = self.resolve_as(self.place, self.text, value, *dimension);
        self.open.borrow_mut().pop();
        let term = term?;
        self.expanded.borrow_mut().insert(name.into(), term.clone());
        Ok(Some((term, Type::Number(*dimension))))
    }

    fn statements(&self, place: &str, text: &str) -> Result<Vec<(usize, Term)>, Vec<Diagnostic>> {
        let statements = syntax::parse_statements(place, text)?;
        let mut done = Vec::new();
        let mut found = Vec::new();
        for statement in &statements {
            match self.statement(place, text, statement) {
                Ok(assignment) => done.push(assignment),
                Err(diagnostic) => found.push(diagnostic),
            }
        }
        if found.is_empty() { Ok(done) } else { Err(found) }
    }

    fn statement(&self, place: &str, text: &str, statement: &Statement) -> Result<(usize, Term), Diagnostic> {
        let name = &statement.target;
        let error = |message: String| Diagnostic::new(Kind::UnknownAssignmentTarget, place, text, statement.span, message);
        let Some(index) = self.variable(name) else {
            if self.subexpressions.contains_key(name.as_str()) || self.constants.contains_key(name) {
                let message = format!("`{name}` cannot be written: it is no variable.");
                return Err(error(message).help(format!("Declare it in the equations: `{name} : unit`.")));
            }
            let known = self.variables.iter().map(|variable| variable.name.as_str());
            return Err(match crate::diagnostic::suggestion(name, known) {
                Some(near) => error(format!("there is no variable `{name}`.")).help(format!("Did you mean `{near}`?")),
                None => error(format!("there is no variable `{name}`."))
                    .help(format!("Declare it in the equations: `{name} : unit`.")),
            });
        };
        let variable = &self.variables[index];
        if variable.constant || variable.shared {
            return Err(error(format!("`{name}` is declared constant or shared, and cannot be written.")));
        }
        let value = assigned(statement);
        Ok((index, resolve_as(place, text, &value, self, variable.dimension)?))
    }

    fn condition(&self, place: &str, text: &str) -> Result<Term, Diagnostic> {
        let expression = syntax::parse_expression(place, text)?;
        Resolver { place, text, scope: self }.condition(&expression)
    }

    fn refractory(&self, text: &str) -> Result<Term, Diagnostic> {
        let place = "refractory";
        let expression = syntax::parse_quantity(place, text)?;
        match super::resolve(place, text, &expression, self)? {
            (term, Type::Number(Dimension::TIME)) => Ok(term),
            (_, Type::Boolean) => {
                let message = "a refractory condition is not supported; expected a time such as `5*ms`.";
                Err(Diagnostic::new(Kind::Unsupported, place, text, expression.span, message))
            }
            (_, Type::Number(dimension)) => {
                let message = format!("`{text}` is {dimension}; expected a time such as `5*ms`.");
                Err(Diagnostic::new(Kind::DimensionMismatch, place, text, expression.span, message))
            }
        }
    }
}

/// `x += y` → `x + (y)`.
fn assigned(statement: &Statement) -> Expr {
    match statement.kind {
        AssignKind::Set => statement.value.clone(),
        AssignKind::Change(op) => {
            let target = Expr { kind: ExprKind::Name(statement.target.clone()), span: statement.span };
            let span = statement.span.to(statement.value.span);
            Expr { kind: ExprKind::Binary(op, Box::new(target), Box::new(statement.value.clone())), span }
        }
    }
}

impl Scope for Names<'_> {
    fn name(&self, name: &str, span: Span) -> Result<Option<(Term, Type)>, Diagnostic> {
        if let Some(index) = self.variable(name) {
            return Ok(Some((term::symbol(Symbol::Variable(index)), Type::Number(self.variables[index].dimension))));
        }
        if let Some(found) = self.subexpression(name, span)? {
            return Ok(Some(found));
        }
        if let Some(found) = self.constant(name) {
            return Ok(Some(found));
        }
        Ok(match name {
            "dt" => Some((term::symbol(Symbol::Dt), Type::Number(Dimension::TIME))),
            "i" => Some((term::symbol(Symbol::Index), Type::Number(Dimension::NONE))),
            "N" => Some((term::symbol(Symbol::Size), Type::Number(Dimension::NONE))),
            "not_refractory" => Some((term::symbol(Symbol::NotRefractory), Type::Boolean)),
            "t" | "lastspike" => {
                let message = format!("`{name}` cannot be used in a neuron model.");
                return Err(Diagnostic::new(Kind::Unsupported, self.place, self.text, span, message));
            }
            _ => None,
        })
    }

    fn site(&self) -> Result<u32, &'static str> {
        let site = self.sites.get();
        self.sites.set(site + 1);
        Ok(site)
    }

    fn known(&self) -> Vec<String> {
        let declared = self.variables.iter().map(|variable| variable.name.clone());
        declared.chain(self.subexpressions.keys().map(|name| (*name).into())).chain(self.constants.keys().cloned()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Quantities;

    const LIF: &str =
        "dv/dt = (ge + gi - (v - El))/taum : volt (unless refractory)\ndge/dt = -ge/taue : volt\ndgi/dt = -gi/taui : volt";

    fn text(equations: &str, threshold: &str, reset: &str) -> NeuronText {
        NeuronText {
            equations: equations.into(),
            threshold: Some(threshold.into()),
            reset: Some(reset.into()),
            refractory: Some("5*ms".into()),
            ..NeuronText::default()
        }
    }

    fn given() -> IndexMap<String, Dimension> {
        let texts = [
            ("taum", "20*ms"),
            ("taue", "5*ms"),
            ("taui", "10*ms"),
            ("El", "-49*mV"),
            ("Vt", "-50*mV"),
            ("Vr", "-60*mV"),
            ("I", "1*nA"),
        ];
        Quantities::from_texts(texts).map(|given| given.dimensions()).unwrap_or_default()
    }

    fn kinds(text: &NeuronText) -> Vec<(Kind, usize)> {
        check_neuron(text, &given()).err().unwrap_or_default().iter().map(|found| (found.kind, found.line)).collect()
    }

    #[test]
    fn accepts_the_current_based_cell() {
        let model = check_neuron(&text(LIF, "v > Vt", "v = Vr"), &given());
        let model = model.unwrap_or_else(|found| panic!("{}", found[0]));
        assert_eq!(model.variables.iter().map(|v| v.name.as_str()).collect::<Vec<_>>(), ["v", "ge", "gi"]);
        assert_eq!(
            model.constants.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
            ["El", "taum", "taue", "taui", "Vr", "Vt"]
        );
    }

    #[test]
    fn mistakes_have_a_kind_and_a_line() {
        assert_eq!(kinds(&text("dv/dt = (El - v + I)/taum : volt", "v > Vt", "v = Vr")), [(Kind::DimensionMismatch, 1)]);
        assert_eq!(kinds(&text(LIF, "v > -50", "v = Vr")), [(Kind::DimensionMismatch, 1)]);
        assert_eq!(kinds(&text(LIF, "v > Vt", "v = Vr\nu += 1")), [(Kind::UnknownAssignmentTarget, 2)]);
        assert_eq!(kinds(&text(&format!("{LIF}\nge : volt"), "v > Vt", "v = Vr")), [(Kind::DuplicateVariable, 4)]);
        assert_eq!(
            kinds(&text("dv/dt = (a - v)/taum : volt\na = b : volt\nb = a : volt", "v > Vt", "v = Vr"))[0].0,
            Kind::CircularSubexpression
        );
        assert_eq!(kinds(&text("dv/dt = (El - v/taum : volt", "v > Vt", "v = Vr")), [(Kind::SyntaxError, 1)]);
        assert_eq!(kinds(&text("dv/dt = (El - v)/taum : millivolts", "v > Vt", "v = Vr")), [(Kind::UndefinedUnit, 1)]);
        assert_eq!(kinds(&text("dv/dt = (El - v)/tuam : volt", "v > Vt", "v = Vr")), [(Kind::UndefinedName, 1)]);
        assert_eq!(
            kinds(&text("dv/dt = (El - v)*exp(1, 2)/taum : volt", "v", "v = Vr")),
            [(Kind::WrongArity, 1), (Kind::DimensionMismatch, 1)]
        );
    }
}
