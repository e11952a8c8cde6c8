//! The texts of a neuron model, checked together.

use std::sync::Arc;

use indexmap::IndexMap;

use super::flags;
use super::names::{ExternalNames, NameTable, ResolvedDefinitions};
use super::{Resolver, Type, resolve, resolve_as};
use crate::diagnostic::{Diagnostic, Kind, suggestion};
use crate::model::{Event, EventText, Interval, NeuronModel, NeuronText, PoissonInput, Refractory, Role, Variable};
use crate::syntax::{self, BinaryOp, EquationKind, Expr, ExprKind, Statement};
use crate::term::{self, Function, Node, Random, Symbol, Term};
use crate::unit::Dimension;

/// Checks a neuron model. `constants` contains the parameters given from outside, with their dimensions.
///
/// # Errors
/// All errors, at least one per text or equation.
pub fn check_neuron(text: &NeuronText, constants: &IndexMap<String, Dimension>) -> Result<NeuronModel, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let equations = keep(syntax::parse_equations("equations", &text.equations), &mut found);
    let mut driven = Vec::new();
    for (name, value) in &text.driven {
        match syntax::parse_quantity(name, value) {
            Ok(tree) => driven.push((name.as_str(), value.as_str(), tree)),
            Err(diagnostic) => found.push(diagnostic),
        }
    }
    // An invalid definition leaves its name undefined, which is not reported as well.
    if !found.is_empty() {
        return Err(found);
    }
    let outside = ExternalNames {
        constants,
        each: &text.each,
        driven: &driven,
        tables: &text.tables,
        functions: &text.functions,
        flags: flags::OF_NEURONS,
    };
    let (names, mut found) = NameTable::new(&text.equations, &equations, &outside, None);
    found.extend(text.events.iter().filter_map(|event| declare(&names, event).err()));
    let mut differential = Vec::new();
    for equation in &equations {
        if let (EquationKind::Differential(value), Some(variable)) = (&equation.kind, names.variable(&equation.name)) {
            if names.variables.borrow()[variable].shared {
                let message = format!("`{}` is shared, and an equation is integrated in each neuron.", equation.name);
                let help = "Remove the flag, or link the neurons to a population of one neuron.";
                let diagnostic = Diagnostic::new(Kind::Unsupported, "equations", &text.equations, equation.span, message);
                found.push(diagnostic.help(help));
            }
            let wanted = equation.unit.dimension.over(Dimension::TIME);
            match resolve_as("equations", &text.equations, value, &names, wanted) {
                Ok(rate) => differential.push((variable, rate)),
                Err(diagnostic) => found.push(diagnostic),
            }
        }
    }
    let ResolvedDefinitions { subexpressions, held, found: mistakes } = names.expand_all();
    found.extend(mistakes);
    let update = statements(&names, "update", text.update.as_deref(), &mut found);
    let reset = statements(&names, "reset", text.reset.as_deref(), &mut found);
    let threshold = text.threshold.as_ref().map(|text| condition(&names, "threshold", text));
    let score = text.score.as_ref().map(|text| score(&names, text));
    let refractory = text.refractory.as_ref().map(|text| rest(&names, text));
    let inputs = text.inputs.iter().map(|input| poisson_input(&names, input)).collect();
    let threshold = keep(threshold.transpose().map_err(|diagnostic| vec![diagnostic]), &mut found);
    let score = keep(score.transpose().map_err(|diagnostic| vec![diagnostic]), &mut found);
    let refractory = keep(refractory.transpose().map_err(|diagnostic| vec![diagnostic]), &mut found);
    let inputs: Vec<(usize, Term)> = keep(inputs, &mut found);
    let at_intervals = text.regular.iter();
    let regular: Vec<(Interval, Vec<(usize, Term)>)> =
        at_intervals.map(|of| (of.interval, in_all(&names, (&of.path, &of.statements), &mut found))).collect();
    let events: Vec<Event> = text.events.iter().filter_map(|of| event(&names, of, &mut found)).collect();
    let compared = text.threshold.as_ref().and_then(|text| compared(&names, "threshold", text));
    // An error at the same place in two texts (a subexpression used twice) is one error.
    let mut unique: Vec<Diagnostic> = Vec::new();
    found.into_iter().for_each(|diagnostic| {
        if !unique.contains(&diagnostic) {
            unique.push(diagnostic);
        }
    });
    if !unique.is_empty() {
        return Err(unique);
    }
    let noise = names.noise.into_inner().into_values().collect();
    let mut variables = names.variables.into_inner();
    let assigned = regular.iter().map(|(_, statements)| statements).chain(events.iter().map(|event| &event.statements)).flatten();
    for (variable, _) in differential.iter().chain(&update).chain(&reset).chain(&inputs).chain(assigned) {
        variables[*variable].written = true;
    }
    Ok(NeuronModel {
        variables,
        constants: names.used.into_inner(),
        subexpressions,
        held,
        equations: differential,
        update,
        // Without a condition all neurons are compared.
        threshold: threshold.or_else(|| score.is_some().then(|| Arc::new(Node::Boolean(true)))),
        compared,
        score,
        reset,
        regular,
        events,
        refractory,
        inputs,
        tables: text.tables.clone(),
        noise,
        method: text.method,
    })
}

/// Makes the name of an event known to all texts.
fn declare(names: &NameTable<'_>, event: &EventText) -> Result<(), Diagnostic> {
    let name = event.name.as_str();
    let is_known = names.variable(name).is_some() || names.definitions.contains_key(name) || names.constants.contains_key(name);
    if is_known || names.is_reserved(name) {
        let whole = crate::diagnostic::Span { start: 0, end: name.len() };
        let message = format!("the event `{name}` has the name of something else.");
        return Err(Diagnostic::new(Kind::DuplicateVariable, &event.path, name, whole, message).help("Rename one of them."));
    }
    let variable = Variable::new(name, Dimension::NONE, Role::Declared);
    names.variables.borrow_mut().push(Variable { boolean: true, written: true, event: true, ..variable });
    Ok(())
}

fn event(names: &NameTable<'_>, event: &EventText, found: &mut Vec<Diagnostic>) -> Option<Event> {
    let of = |key: &str| format!("{}.{key}", event.path);
    let condition = condition(names, &of("condition"), &event.condition).map_err(|diagnostic| found.push(diagnostic)).ok();
    let statements = statements(names, &of("statements"), Some(&event.statements), found);
    Some(Event { variable: names.variable(&event.name)?, condition: condition?, statements })
}

/// The result, or its default with the mistakes noted.
fn keep<T: Default>(result: Result<T, Vec<Diagnostic>>, found: &mut Vec<Diagnostic>) -> T {
    result.unwrap_or_else(|diagnostics| {
        found.extend(diagnostics);
        T::default()
    })
}

fn statements(names: &NameTable<'_>, place: &str, text: Option<&str>, found: &mut Vec<Diagnostic>) -> Vec<(usize, Term)> {
    names.enter(place);
    entered(names, (place, text.unwrap_or("")), found)
}

/// Statements that run in all neurons at once.
fn in_all(names: &NameTable<'_>, at: (&str, &str), found: &mut Vec<Diagnostic>) -> Vec<(usize, Term)> {
    names.enter_in_all(at.0);
    entered(names, at, found)
}

fn entered(names: &NameTable<'_>, (place, text): (&str, &str), found: &mut Vec<Diagnostic>) -> Vec<(usize, Term)> {
    let mut done = Vec::new();
    let parsed = keep(syntax::parse_statements(place, text), found);
    for (k, statement) in parsed.iter().enumerate() {
        match assignment(names, (place, text), statement, &parsed[k + 1..]) {
            Ok(assignment) => done.push(assignment),
            Err(diagnostic) => found.push(diagnostic),
        }
    }
    names.enter("");
    done
}

fn assignment(
    names: &NameTable<'_>,
    at: (&str, &str),
    statement: &Statement,
    rest: &[Statement],
) -> Result<(usize, Term), Diagnostic> {
    if let Some(done) = names.assignment(at, statement)? {
        return Ok(done);
    }
    let target = &statement.target;
    if names.is_local(statement, rest) {
        return names.local(at, statement);
    }
    let targets = names.targets();
    let message = format!("there is no variable `{target}`.");
    let diagnostic = Diagnostic::new(Kind::UnknownAssignmentTarget, at.0, at.1, statement.span, message);
    Err(match suggestion(target, targets.iter().map(String::as_str)) {
        Some(near) => diagnostic.help(format!("Did you mean `{near}`?")),
        None => diagnostic.help(format!("Declare it in the equations: `{target} : unit`.")),
    })
}

fn condition(names: &NameTable<'_>, place: &str, text: &str) -> Result<Term, Diagnostic> {
    let expression = syntax::parse_expression(place, text)?;
    Resolver { place, text, scope: names }.condition(&expression)
}

/// What the only inequality among the conditions of a threshold that must all hold compares.
fn compared(names: &NameTable<'_>, place: &str, text: &str) -> Option<Dimension> {
    fn inequalities<'a>(condition: &'a Expr, found: &mut Vec<[&'a Expr; 2]>) {
        match &condition.kind {
            ExprKind::Binary(BinaryOp::And, x, y) => [x, y].into_iter().for_each(|side| inequalities(side, found)),
            ExprKind::Binary(op, x, y) if op.is_comparison() && !matches!(op, BinaryOp::Equal | BinaryOp::NotEqual) => {
                found.push([x, y]);
            }
            _ => {}
        }
    }
    let expression = syntax::parse_expression(place, text).ok()?;
    let mut found = Vec::new();
    inequalities(&expression, &mut found);
    let [sides] = found.as_slice() else { return None };
    // Draws have been counted when the condition was resolved.
    let is_drawn = |side: &Expr| ["rand", "randn", "poisson", "binomial"].iter().any(|name| side.mentions(name));
    let side = sides.iter().find(|side| !is_drawn(side))?;
    match resolve(place, text, side, names) {
        Ok((_, Type::Number(dimension))) => Some(dimension),
        _ => None,
    }
}

/// What the neurons that could fire are compared by: a number of any dimension.
fn score(names: &NameTable<'_>, text: &str) -> Result<Term, Diagnostic> {
    let place = "winners.of";
    let expression = syntax::parse_expression(place, text)?;
    match resolve(place, text, &expression, names)? {
        (term, Type::Number(_)) => Ok(term),
        (_, Type::Boolean) => {
            let message = format!("`{text}` is true or false; expected a number to compare neurons by, such as `v`.");
            Err(Diagnostic::new(Kind::DimensionMismatch, place, text, expression.span, message))
        }
    }
}

fn rest(names: &NameTable<'_>, text: &str) -> Result<Refractory, Diagnostic> {
    let place = "refractory";
    let expression = syntax::parse_quantity(place, text)?;
    match resolve(place, text, &expression, names)? {
        (term, Type::Number(Dimension::TIME)) => Ok(Refractory::Time(term)),
        (term, Type::Boolean) => Ok(Refractory::Condition(term)),
        (_, Type::Number(dimension)) => {
            let message = format!("`{text}` is {dimension}; expected a time such as `5*ms`, or a condition such as `v > 0*mV`.");
            Err(Diagnostic::new(Kind::DimensionMismatch, place, text, expression.span, message))
        }
    }
}

/// What `number` Poisson sources add in a step: weight · binomial(number, rate·dt). The spikes of the sources in step k act at the
/// start of step k + 1, so that step 0 starts with none.
fn poisson_input(names: &NameTable<'_>, input: &PoissonInput) -> Result<(usize, Term), Vec<Diagnostic>> {
    let place = |key: &str| format!("{}.{key}", input.path);
    let Some(variable) = names.variable(&input.variable) else {
        let (whole, message) =
            (crate::diagnostic::Span { start: 0, end: input.variable.len() }, "the target does not have this variable.");
        let diagnostic = Diagnostic::new(Kind::UnknownAssignmentTarget, &place("var"), &input.variable, whole, message);
        let targets = names.targets();
        return Err(vec![match suggestion(&input.variable, targets.iter().map(String::as_str)) {
            Some(near) => diagnostic.help(format!("Did you mean `{near}`?")),
            None => diagnostic.help(format!("It has {}.", targets.join(", "))),
        }]);
    };
    if names.variables.borrow()[variable].shared {
        let whole = crate::diagnostic::Span { start: 0, end: input.variable.len() };
        let message = format!("`{}` is shared, and each neuron has its own input.", input.variable);
        let diagnostic = Diagnostic::new(Kind::UnknownAssignmentTarget, &place("var"), &input.variable, whole, message);
        return Err(vec![diagnostic.help("Remove the flag.")]);
    }
    let why = names.variables.borrow()[variable].follows();
    if let Some(message) = why {
        let whole = crate::diagnostic::Span { start: 0, end: input.variable.len() };
        let place = place("var");
        return Err(vec![Diagnostic::new(Kind::UnknownAssignmentTarget, &place, &input.variable, whole, message)]);
    }
    let dimension = names.variables.borrow()[variable].dimension;
    let quantity = |key: &str, text: &str, wanted: Dimension| {
        let place = &place(key);
        match text.trim().parse::<f64>() {
            // A plain number is in the inner unit.
            Ok(value) if value.is_finite() => Ok(term::number(value)),
            _ => resolve_as(place, text, &syntax::parse_quantity(place, text)?, names, wanted),
        }
    };
    let resolved = || {
        let number = quantity("N", &input.number, Dimension::NONE)?;
        let rate = quantity("rate", &input.rate, Dimension::NONE.over(Dimension::TIME))?;
        let weight = quantity("weight", &input.weight, dimension)?;
        let site = super::Scope::site(names).unwrap_or_default();
        let draw = Arc::new(Node::Random(Random::Uniform, site));
        let probability = term::multiply(&rate, &term::symbol(Symbol::Dt));
        let count = Arc::new(Node::Call(Function::Binomial, vec![number, probability, draw]));
        let begun = Node::Binary(syntax::BinaryOp::GreaterEqual, term::symbol(Symbol::Time), term::number(0.0));
        let begun = term::call(Function::Int, Arc::new(begun));
        let count = match is_in(&input.slices) {
            Some(chosen) => term::product_of_finite(&chosen, &count),
            None => count,
        };
        Ok((variable, term::product_of_finite(&term::product_of_finite(&weight, &begun), &count)))
    };
    resolved().map_err(|diagnostic: Diagnostic| vec![diagnostic])
}

/// 1 for the neurons in one of these ranges, which do not overlap, and 0 for others; `None` without ranges.
fn is_in(slices: &[[u32; 2]]) -> Option<Term> {
    let index = || term::symbol(Symbol::Index);
    let compare = |op, limit: u32| -> Term { Arc::new(Node::Binary(op, index(), term::number(f64::from(limit)))) };
    let chosen = slices.iter().map(|[first, end]| -> Term {
        let (from, below) = (compare(syntax::BinaryOp::GreaterEqual, *first), compare(syntax::BinaryOp::Less, *end));
        term::call(Function::Int, Arc::new(Node::Binary(syntax::BinaryOp::And, from, below)))
    });
    chosen.reduce(|sum, chosen| term::add(&sum, &chosen))
}

#[cfg(test)]
mod tests;
