//! The texts of a synapse model, checked with the models of its neurons.

use std::cell::RefCell;

use indexmap::IndexMap;

use super::ends::Ends;
use super::flags;
use super::names::{ExternalNames, NameTable, ResolvedDefinitions};
use super::statements::assigned;
use super::{Scope, Type, resolve_as};
use crate::compile::{REFRACTORY, SINCE_SPIKE, refractory_steps};
use crate::diagnostic::{Diagnostic, Kind, Span, suggestion};
use crate::lower::AT_SPIKE;
use crate::model::{
    End, NeuronModel, Pathway, Refractory, Role, SummedVariable, SynapseModel, SynapseNeurons, SynapseStatement, SynapseText,
    Target, Variable,
};
use crate::syntax::{self, AssignKind, BinaryOp, Equation, EquationKind, Statement};
use crate::term::{self, Function, Node, Symbol, Term};
use crate::unit::Dimension;

/// The variable of the presynaptic neuron that a statement would add to.
fn presynaptic_target(statement: &Statement) -> Option<&str> {
    statement.target.strip_suffix("_pre").filter(|inner| !inner.is_empty())
}

/// Whether statements of a pathway may add to variables of the presynaptic neuron: to names that the equations do not declare.
pub fn may_add_to_pre(statements: &str, equations: &[Equation]) -> bool {
    let is_own = |name: &str| equations.iter().any(|equation| equation.name == name);
    let adds = |of: &Statement| {
        let changes = matches!(of.kind, AssignKind::Change(BinaryOp::Add | BinaryOp::Subtract));
        changes && presynaptic_target(of).is_some() && !is_own(&of.target)
    };
    syntax::parse_statements("", statements).is_ok_and(|statements| statements.iter().any(adds))
}

/// The constant that enables plasticity: 1, or 0.
pub const PLASTICITY: &str = "plasticity";

/// Checks a synapse model between neurons of these models. `constants` contains the parameters given from outside.
///
/// # Errors
/// All errors.
pub fn check_synapse<'a>(
    text: &SynapseText,
    neurons: impl Into<SynapseNeurons<'a>>,
    constants: &IndexMap<String, Dimension>,
) -> Result<SynapseModel, Vec<Diagnostic>> {
    let equations = syntax::parse_equations("equations", &text.equations)?;
    let tables = IndexMap::new();
    let outside = ExternalNames {
        constants,
        each: &text.each,
        driven: &[],
        tables: &tables,
        functions: &text.functions,
        flags: flags::OF_SYNAPSES,
    };
    let neurons = neurons.into();
    let ends = Ends { neurons, reads: RefCell::new(Vec::new()) };
    let (names, mut found) = NameTable::new(&text.equations, &equations, &outside, Some(ends));
    let checker = Checker { names: &names, neurons, text: &text.equations };
    let (mut clock_driven, mut event_driven, mut summed) = (Vec::new(), Vec::new(), Vec::new());
    let mut keep = |done: Result<(), Diagnostic>| found.extend(done.err());
    for equation in &equations {
        let has = |wanted: &str| equation.flags.iter().any(|(flag, _)| flag == wanted);
        match &equation.kind {
            EquationKind::Differential(_) => {
                let list = if has("event-driven") { &mut event_driven } else { &mut clock_driven };
                keep(checker.differential(equation).map(|done| list.push(done)));
            }
            EquationKind::Subexpression(_) if has("summed") => keep(checker.summed(equation).map(|done| summed.push(done))),
            _ => {}
        }
    }
    let ResolvedDefinitions { subexpressions, held, found: mistakes } = names.expand_all();
    found.extend(mistakes);
    let (mut pathways, mut to_pre) = (Vec::new(), Vec::new());
    for (end, texts) in End::ALL.into_iter().zip([&text.on_pre, &text.on_post, &text.on_third]) {
        let first = pathways.len();
        for (name, text) in texts {
            let key = format!("on_{}", end.name());
            let place = if name == end.name() { key } else { format!("{key}.{name}") };
            match checker.pathway(end, &place, text) {
                Ok([statements, added]) => {
                    let of = |statements| Pathway { name: name.clone(), end, statements };
                    pathways.extend((!statements.is_empty()).then(|| of(statements)));
                    to_pre.extend((!added.is_empty()).then(|| of(added)));
                }
                Err(diagnostics) => found.extend(diagnostics),
            }
        }
        pathways[first..].sort_by(|a, b| a.name.cmp(&b.name));
    }
    let mut regular = Vec::new();
    for of in &text.regular {
        match checker.regular(&of.path, &of.statements) {
            Ok(statements) => regular.push((of.interval, statements)),
            Err(diagnostics) => found.extend(diagnostics),
        }
    }
    if pathways.is_empty() && summed.is_empty() && !to_pre.is_empty() && found.is_empty() {
        let message = "these synapses only change their presynaptic neurons.";
        let help = "Write the projection in the opposite direction: exchange `pre` and `post`, `on_pre` and `on_post`, `delay_ms` and \
                    `delay_post_ms`, and the endings `_pre` and `_post`.";
        found.push(Diagnostic::new(Kind::Unsupported, "on_pre", "", Span::default(), message).help(help));
    }
    if pathways.is_empty() && summed.is_empty() && found.is_empty() {
        let message =
            "a synapse must act on its target: expected `on_pre` with a statement such as `ge_post += w`, or a summed variable.";
        found.push(Diagnostic::new(Kind::SyntaxError, "on_pre", "", Span::default(), message));
    }
    let between_events = event_driven.iter().map(|(_, rate)| rate).chain(summed.iter().map(|sum| &sum.value));
    found.extend(noise_between_events(&names, &equations, &text.equations, between_events));
    let mut unique: Vec<Diagnostic> = Vec::new();
    found.into_iter().for_each(|diagnostic| {
        if !unique.contains(&diagnostic) {
            unique.push(diagnostic);
        }
    });
    if !unique.is_empty() {
        return Err(unique);
    }
    let at_steps = regular.iter().flat_map(|(_, statements)| statements);
    let statements = pathways.iter().flat_map(|pathway: &Pathway| &pathway.statements).chain(at_steps);
    let own = statements.filter_map(|write| match write.target {
        Target::Own(variable) => Some(variable),
        Target::Add(_) | Target::Post(_) => None,
    });
    let driven = || clock_driven.iter().chain(&event_driven);
    for variable in own.chain(driven().map(|(variable, _)| *variable)) {
        names.variables.borrow_mut()[variable].written = true;
    }
    mark_plastic(&mut names.variables.borrow_mut(), driven);
    let learns = names.variables.borrow().iter().any(|variable| variable.plastic);
    let plasticity = if learns { checker.plasticity() } else { None };
    let model = SynapseModel {
        variables: names.variables.into_inner(),
        plasticity,
        noise: names.noise.into_inner().into_values().collect(),
        constants: names.used.into_inner(),
        reads: names.ends.map(|ends| ends.reads.into_inner()).unwrap_or_default(),
        subexpressions,
        held,
        equations: clock_driven,
        event_driven,
        summed,
        pathways,
        regular,
        to_pre,
        method: text.method,
    };
    check_event_driven(&model, &equations, &text.equations)?;
    check_changed(&model, &equations, &text.equations)?;
    Ok(model)
}

/// White noise in equations that no step integrates. `terms` are those of event-driven and summed variables.
fn noise_between_events<'a>(
    names: &NameTable<'_>,
    equations: &[Equation],
    text: &str,
    mut terms: impl Iterator<Item = &'a Term>,
) -> Option<Diagnostic> {
    let noise = names.noise.borrow();
    let is_noisy = |term: &Term| {
        let mut found = false;
        term.walk(&mut |node| found |= matches!(node, Node::Random(_, site) if noise.values().any(|of| of == site)));
        found
    };
    terms.find(|term| is_noisy(term))?;
    let is_of_events =
        |equation: &&Equation| equation.flags.iter().any(|(flag, _)| ["event-driven", "summed"].contains(&flag.as_str()));
    let span = equations.iter().find(is_of_events)?.span;
    let message = "`xi` is white noise: of synapses, only clock-driven equations can have it.";
    let help = "Give the equation the flag `(clock-driven)`, or write `randn()` for a normal random number.";
    Some(Diagnostic::new(Kind::Unsupported, "equations", text, span, message).help(help))
}

/// Without a flag: weights are what is written or driven and does not return by itself to a value of its own, as traces do.
fn mark_plastic<'a, I: Iterator<Item = &'a (usize, Term)>>(variables: &mut [Variable], driven: impl Fn() -> I) {
    if variables.iter().any(|variable| variable.plastic) {
        return;
    }
    for (index, variable) in variables.iter_mut().enumerate() {
        let returns = driven().any(|(driven, rate)| *driven == index && rate.mentions(index));
        variable.plastic = variable.role == Role::Declared && variable.written && !returns;
    }
}

/// Rejects event-driven equations without a closed solution between events.
fn check_event_driven(model: &SynapseModel, equations: &[Equation], text: &str) -> Result<(), Vec<Diagnostic>> {
    let changes = |term: &Term| {
        term.any(|symbol| match symbol {
            Some(Symbol::Variable(variable)) => model.variables[variable].written,
            Some(Symbol::Read(_) | Symbol::Time) | None => true,
            Some(_) => false,
        })
    };
    let mut found = Vec::new();
    for (variable, rate) in &model.event_driven {
        let solvable = term::linear(rate, *variable).is_some_and(|(a, b)| !changes(&a) && !changes(&b));
        let name = &model.variables[*variable].name;
        if let (false, Some(equation)) = (solvable, equations.iter().find(|equation| equation.name == *name)) {
            let message = format!(
                "d{name}/dt cannot be event-driven: it is not linear in `{name}` with coefficients that are constant between \
                 events."
            );
            let help = "Write `(clock-driven)`: it is then integrated in every step.";
            found.push(Diagnostic::new(Kind::UnsuitableMethod, "equations", text, equation.span, message).help(help));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Rejects the flags `plastic` and `f16` of variables that nothing changes.
fn check_changed(model: &SynapseModel, equations: &[Equation], text: &str) -> Result<(), Vec<Diagnostic>> {
    let flags = equations.iter().flat_map(|equation| equation.flags.iter().map(move |(flag, _)| (equation, flag.as_str())));
    let changes = |name: &str| model.variable(name).is_some_and(|variable| model.variables[variable].written);
    let idle = flags.filter(|(equation, flag)| ["plastic", "f16"].contains(flag) && !changes(&equation.name));
    let found = idle.map(|(Equation { name, span, .. }, flag)| {
        let message = format!("`{name}` is flagged {flag}, but nothing changes it.");
        let help = match flag {
            "plastic" => format!("Change it in `on_pre`, `on_post` or by `d{name}/dt = …`, or remove the flag."),
            _ => "Remove the flag. Weights of synapses without state have the format `\"weights\": \"f16\"` of the projection."
                .into(),
        };
        Diagnostic::new(Kind::UnknownAssignmentTarget, "equations", text, *span, message).help(help)
    });
    let found: Vec<Diagnostic> = found.collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

struct Checker<'a> {
    names: &'a NameTable<'a>,
    neurons: SynapseNeurons<'a>,
    text: &'a str,
}

/// The statements of a text.
struct Statements {
    /// Those that write the synapse or the postsynaptic neuron.
    writes: Vec<SynapseStatement>,
    /// Those that add to the presynaptic neuron.
    to_pre: Vec<SynapseStatement>,
    /// The mistakes in the others.
    found: Vec<Diagnostic>,
}

impl Checker<'_> {
    /// Whether the synapse is plastic: the number `plasticity` is not 0.
    fn plasticity(&self) -> Option<Term> {
        let (term, kind) = self.names.name(PLASTICITY, ("equations", self.text, Span::default())).ok()??;
        Some(match kind {
            Type::Boolean => term,
            Type::Number(_) => std::sync::Arc::new(Node::Binary(BinaryOp::NotEqual, term, term::number(0.0))),
        })
    }

    fn differential(&self, equation: &Equation) -> Result<(usize, Term), Diagnostic> {
        let (EquationKind::Differential(value), Some(variable)) = (&equation.kind, self.names.variable(&equation.name)) else {
            let message = format!("`{}` is defined twice.", equation.name);
            return Err(Diagnostic::new(Kind::DuplicateVariable, "equations", self.text, equation.span, message));
        };
        let wanted = equation.unit.dimension.over(Dimension::TIME);
        Ok((variable, resolve_as("equations", self.text, value, self.names, wanted)?))
    }

    fn summed(&self, equation: &Equation) -> Result<SummedVariable, Diagnostic> {
        let name = &equation.name;
        let error = |kind, message: String| Diagnostic::new(kind, "equations", self.text, equation.span, message);
        let of_third = || Some((End::Third, self.neurons.third?, name.strip_suffix("_third")?));
        let of_post = name.strip_suffix("_post").map(|target| (End::Post, self.neurons.post, target));
        let Some((end, model, target)) = of_post.or_else(of_third) else {
            let of_third = if self.neurons.third.is_some() { " or to the third one" } else { "" };
            let message = format!("a summed variable belongs to the postsynaptic neuron{of_third}; found `{name}`.");
            let help = match (name.strip_suffix("_pre"), name.strip_suffix("_third")) {
                (Some(of_pre), _) => format!(
                    "Write the projection in the opposite direction: exchange `pre` and `post`, and the endings `_pre` and `_post`; the \
                     line is `{of_pre}_post = …` then."
                ),
                (_, Some(_)) => "Name the population of the third neurons by the key `third` of the projection.".to_owned(),
                _ => format!("Write `{name}_post = …`."),
            };
            return Err(error(Kind::UnknownAssignmentTarget, message).help(help));
        };
        let declared = &model.variables[target_of(end, model, target, error)?];
        if declared.dimension != equation.unit.dimension {
            let message =
                format!("`{target}` of the neuron is {}; `{name}` is declared {}.", declared.dimension, equation.unit.dimension);
            return Err(error(Kind::DimensionMismatch, message));
        }
        let EquationKind::Subexpression(value) = &equation.kind else {
            return Err(error(Kind::SyntaxError, format!("`{name}` needs a right-hand side: the contribution of each synapse.")));
        };
        let value = resolve_as("equations", self.text, value, self.names, declared.dimension)?;
        Ok(SummedVariable { end, name: target.to_owned(), value })
    }

    /// The statements of a text, each if it `may` be written there, and those that add to the presynaptic neuron; with the mistakes.
    fn statements(
        &self,
        place: &str,
        text: &str,
        may: impl Fn(&Statement, Option<&SynapseStatement>) -> Result<(), Diagnostic>,
    ) -> Result<Statements, Vec<Diagnostic>> {
        let statements = syntax::parse_statements(place, text)?;
        self.names.enter(place);
        let (mut writes, mut to_pre, mut found) = (Vec::new(), Vec::new(), Vec::new());
        for (k, statement) in statements.iter().enumerate() {
            let (at, rest) = ((place, text), &statements[k + 1..]);
            let done = match self.addition_to_pre(at, statement, rest).transpose() {
                Some(write) => write.and_then(|write| may(statement, None).map(|()| to_pre.push(write))),
                None => {
                    self.write(at, statement, rest).and_then(|write| may(statement, Some(&write)).map(|()| writes.push(write)))
                }
            };
            found.extend(done.err());
        }
        self.names.enter("");
        Ok(Statements { writes, to_pre, found })
    }

    /// Statements of regular steps, which change the synapse alone.
    fn regular(&self, place: &str, text: &str) -> Result<Vec<SynapseStatement>, Vec<Diagnostic>> {
        let may = |statement: &Statement, write: Option<&SynapseStatement>| {
            if write.is_some_and(|write| matches!(write.target, Target::Own(_))) {
                return Ok(());
            }
            let target = &statement.target;
            let message = format!("`{target}` is a variable of a neuron, which synapses cannot change at regular times.");
            let name = target.strip_suffix("_post").unwrap_or(target);
            let help = format!(
                "Change it in `run_regularly` of the population, or contribute to it in every step, with a line `{name}_post = … : unit \
                 (summed)` in the equations."
            );
            Err(Diagnostic::new(Kind::Unsupported, place, text, statement.span, message).help(help))
        };
        let Statements { writes, found, .. } = self.statements(place, text, may)?;
        if found.is_empty() { Ok(writes) } else { Err(found) }
    }

    /// The statements of a pathway, and those that add to the presynaptic neuron.
    fn pathway(&self, end: End, place: &str, text: &str) -> Result<[Vec<SynapseStatement>; 2], Vec<Diagnostic>> {
        let may = |statement: &Statement, write: Option<&SynapseStatement>| {
            if end != End::Third || write.is_some() {
                return Ok(());
            }
            let message = format!("`{}`: a spike of the third neuron cannot change the presynaptic one.", statement.target);
            let help = "Write a projection from the third population onto the presynaptic one.";
            Err(Diagnostic::new(Kind::Unsupported, place, text, statement.span, message).help(help))
        };
        let Statements { mut writes, to_pre, mut found } = self.statements(place, text, may)?;
        if writes.is_empty() && to_pre.is_empty() && found.is_empty() {
            let whole = Span { start: 0, end: text.len() };
            let message = "the arrival of a spike has no effect; expected a statement such as `ge_post += w`.";
            found.push(Diagnostic::new(Kind::SyntaxError, place, text, whole, message));
        }
        if !found.is_empty() {
            return Err(found);
        }
        self.make_additions_seen(&mut writes);
        // Events that write in other ways than by adding run one after the other; what they add is added to the present value.
        if writes.iter().any(|write| matches!(write.target, Target::Post(_))) {
            for write in &mut writes {
                if let Target::Add(variable) | Target::Post(variable) = write.target {
                    self.unless_refractory(variable, write);
                }
            }
        }
        Ok([writes, to_pre])
    }

    /// A statement that adds a constant to a variable of the presynaptic neuron; `None` for all other statements.
    fn addition_to_pre(
        &self,
        at: (&str, &str),
        statement: &Statement,
        rest: &[Statement],
    ) -> Result<Option<SynapseStatement>, Diagnostic> {
        let Some(inner) = presynaptic_target(statement) else { return Ok(None) };
        let is_other =
            self.names.variable(&statement.target).is_some() || self.neurons.post.variable(&statement.target).is_some();
        let AssignKind::Change(op @ (BinaryOp::Add | BinaryOp::Subtract)) = statement.kind else { return Ok(None) };
        if is_other {
            return Ok(None);
        }
        let error = |kind, message: String| Diagnostic::new(kind, at.0, at.1, statement.span, message);
        let target = statement.target.as_str();
        let pre = self.neurons.pre;
        let Some(variable) = pre.variable(inner) else {
            let known = pre.names().collect::<Vec<_>>().join(", ");
            let diagnostic = error(Kind::UnknownAssignmentTarget, format!("the presynaptic neuron has no variable `{inner}`."));
            return Err(diagnostic.help(if known.is_empty() { "It has none.".to_owned() } else { format!("It has {known}.") }));
        };
        let declared = &pre.variables[variable];
        if let Some(why) = declared.follows() {
            return Err(error(Kind::UnknownAssignmentTarget, why));
        }
        if declared.constant || declared.shared || declared.role != Role::Declared {
            let message = format!("`{inner}` of the presynaptic neuron is constant, shared or computed, and cannot be assigned.");
            return Err(error(Kind::UnknownAssignmentTarget, message));
        }
        let value = resolve_as(at.0, at.1, &statement.value, self.names, declared.dimension)?;
        let is_constant = |symbol: Option<Symbol>| match symbol {
            Some(Symbol::Constant(_) | Symbol::Dt) => true,
            Some(Symbol::Variable(own)) => {
                let own = &self.names.variables.borrow()[own];
                own.constant || own.shared
            }
            _ => false,
        };
        if value.any(|symbol| !is_constant(symbol)) {
            let message = format!(
                "only a number or an expression of constants can be added to `{target}`, because another thread may own the presynaptic \
                 neuron."
            );
            let help = format!(
                "Write a number such as `1`, with its unit, or a parameter with one value for all synapses; or write a projection in the \
                 opposite direction, with `{inner}_post += …`."
            );
            return Err(error(Kind::Unsupported, message).help(help));
        }
        if rest.iter().any(|later| later.value.mentions(target)) {
            let message = format!("a later statement reads `{target}`, which the addition changes in the next step only.");
            return Err(error(Kind::Unsupported, message).help("Move the addition after the statements that read it."));
        }
        let value = if op == BinaryOp::Subtract { term::negate(&value) } else { value };
        Ok(Some(SynapseStatement { target: Target::Add(variable), value }))
    }

    /// What statements add to a variable that a later one reads becomes an assignment, since sums are known to the next step only.
    fn make_additions_seen(&self, writes: &mut [SynapseStatement]) {
        let Some(ends) = &self.names.ends else { return };
        let mut seen: Vec<(usize, Term)> = Vec::new();
        for (k, write) in writes.iter().enumerate() {
            if let Target::Add(variable) = write.target
                && let Some(present) = ends.known_read(End::Post, &self.neurons.post.variables[variable].name)
                && writes[k + 1..].iter().any(|later| later.value.any(|symbol| symbol == Some(present)))
            {
                seen.push((variable, term::symbol(present)));
            }
        }
        for write in writes {
            let Target::Add(variable) = write.target else { continue };
            if let Some((_, present)) = seen.iter().find(|(changed, _)| *changed == variable) {
                let value = term::add(present, &write.value);
                let value = if self.neurons.post.variables[variable].integer { term::cut_off(&value) } else { value };
                *write = SynapseStatement { target: Target::Post(variable), value };
            }
        }
    }

    /// Makes a write leave a variable that is `unless refractory` as it is while the postsynaptic neuron is refractory.
    fn unless_refractory(&self, variable: usize, write: &mut SynapseStatement) {
        let post = self.neurons.post;
        let (Some(ends), declared) = (&self.names.ends, &post.variables[variable]) else { return };
        let present = ends.read(End::Post, &declared.name);
        let since = || ends.read(End::Post, SINCE_SPIKE);
        let node = |op, x: &Term, y: Term| std::sync::Arc::new(Node::Binary(op, x.clone(), y)) as Term;
        let refractory = match &post.refractory {
            Some(rest) if declared.unless_refractory => {
                let stored = || ends.read(End::Post, REFRACTORY);
                let is_set = || node(BinaryOp::NotEqual, &stored(), term::number(0.0));
                let fired = || node(BinaryOp::Equal, &since(), term::number(0.0));
                match rest {
                    Refractory::Time(_) if post.stores_refractoriness() => {
                        let was = node(BinaryOp::NotEqual, &stored(), term::number(AT_SPIKE));
                        node(BinaryOp::And, &is_set(), node(BinaryOp::Or, &was, fired()))
                    }
                    Refractory::Time(time) => node(BinaryOp::Less, &since(), refractory_steps(&ends.seen(End::Post, time))),
                    Refractory::Condition(_) => node(BinaryOp::Or, &is_set(), fired()),
                }
            }
            _ => return,
        };
        let (held, free) = (term::call(Function::Int, refractory.clone()), std::sync::Arc::new(Node::Not(refractory)));
        let free = term::call(Function::Int, free);
        write.value = match write.target {
            Target::Post(_) => term::add(&term::multiply(&free, &write.value), &term::multiply(&held, &present)),
            _ => term::multiply(&free, &write.value),
        };
    }

    fn write(&self, at: (&str, &str), statement: &Statement, rest: &[Statement]) -> Result<SynapseStatement, Diagnostic> {
        let post = self.neurons.post;
        if let Some((variable, value)) = self.names.assignment(at, statement)? {
            return Ok(SynapseStatement { target: Target::Own(variable), value });
        }
        let error = |kind, message: String| Diagnostic::new(kind, at.0, at.1, statement.span, message);
        let name = &statement.target;
        if let Some(pre) = name.strip_suffix("_pre").filter(|_| post.variable(name).is_none()) {
            let message =
                format!("`{name}`: a synapse cannot change its presynaptic neuron, except by adding a constant: `{name} += 1`.");
            let help = format!("Store `{pre}` as a variable of the synapse, or write a projection in the opposite direction.");
            return Err(error(Kind::Unsupported, message).help(help));
        }
        if let Some(third) = name.strip_suffix("_third").filter(|_| self.neurons.third.is_some() && post.variable(name).is_none())
        {
            let message = format!("`{name}`: statements of a synapse cannot change its third neuron.");
            let help = format!(
                "Contribute to it in every step, with a line `{name} = … : unit (summed)` in the equations, or let a projection onto its \
                 population add to it when spikes arrive: `{third}_post += …`."
            );
            return Err(error(Kind::Unsupported, message).help(help));
        }
        let bare = name.strip_suffix("_post").unwrap_or(name);
        if post.variable(bare).is_none() && !name.ends_with("_post") && self.names.is_local(statement, rest) {
            let (variable, value) = self.names.local(at, statement)?;
            return Ok(SynapseStatement { target: Target::Own(variable), value });
        }
        let variable = target_of(End::Post, post, bare, error)?;
        let Variable { dimension, integer, .. } = post.variables[variable];
        let resolved = |value: &syntax::Expr| resolve_as(at.0, at.1, value, self.names, dimension);
        Ok(match statement.kind {
            AssignKind::Change(BinaryOp::Add) => {
                SynapseStatement { target: Target::Add(variable), value: resolved(&statement.value)? }
            }
            AssignKind::Change(BinaryOp::Subtract) => {
                SynapseStatement { target: Target::Add(variable), value: term::negate(&resolved(&statement.value)?) }
            }
            _ => {
                let value = resolved(&assigned(statement))?;
                let value = if integer { term::cut_off(&value) } else { value };
                SynapseStatement { target: Target::Post(variable), value }
            }
        })
    }
}

/// The variable of a neuron of the model `model` called `name`, which may be written.
fn target_of(end: End, model: &NeuronModel, name: &str, error: impl Fn(Kind, String) -> Diagnostic) -> Result<usize, Diagnostic> {
    let neuron = if end == End::Third { "third neuron" } else { "postsynaptic neuron" };
    let Some(variable) = model.variable(name) else {
        let diagnostic = error(Kind::UnknownAssignmentTarget, format!("the {neuron} has no variable `{name}`."));
        return Err(match suggestion(name, model.names()) {
            Some(near) => diagnostic.help(format!("Did you mean `{near}_{}`?", end.name())),
            None => diagnostic.help(format!("It has {}.", model.names().collect::<Vec<_>>().join(", "))),
        });
    };
    let declared = &model.variables[variable];
    if let Some(why) = declared.follows() {
        return Err(error(Kind::UnknownAssignmentTarget, why));
    }
    if declared.constant || declared.shared || declared.role != Role::Declared {
        let message = format!("`{name}` of the {neuron} is constant, shared or computed, and cannot be assigned.");
        return Err(error(Kind::UnknownAssignmentTarget, message));
    }
    Ok(variable)
}
