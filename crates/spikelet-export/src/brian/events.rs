//! What events of a step do to each other: Brian 2 has another order than rules 6.2 to 6.6 of the language.

use std::collections::BTreeSet;

use spikelet::lang::library::library;
use spikelet::lang::syntax::{AssignKind, BinaryOp, Expr, ExprKind, Statement, parse_statements};
use spikelet::lang::{End, unit};
use spikelet::{Network, Projection};

use crate::Lack;

/// A variable of a population.
type Of = (String, String);

/// A pathway.
struct Events {
    /// Its place among all pathways of a step.
    key: (i64, bool, usize, String),
    /// What it is called in errors.
    name: String,
    /// What it reads and adds to of neurons, and to what it assigns values that can differ between its events.
    reads: BTreeSet<Of>,
    adds: BTreeSet<Of>,
    assigns: BTreeSet<Of>,
}

/// Rejects a pathway that reads what an earlier one of the same step adds: by the rules it does not see the amount, in Brian 2 it does.
pub(super) fn check(network: &Network) -> Result<(), Lack> {
    let mut all: Vec<Events> =
        network.projections.iter().enumerate().flat_map(|(place, of)| events(network, place, of)).collect();
    all.sort_by(|x, y| x.key.cmp(&y.key));
    for (at, earlier) in all.iter().enumerate() {
        for later in &all[at + 1..] {
            if let Some((population, variable)) = earlier.adds.intersection(&later.reads).next() {
                return Err(format!(
                    "additions that later pathways of a step do not read: {} adds to `{variable}` of {population}, and {} reads it (rule 6.5); \
                     read a variable that only resets or regular statements change, or let an `order` below that of {} execute {} first",
                    earlier.name, later.name, earlier.name, later.name
                ));
            }
        }
    }
    Ok(())
}

/// The pathway of a projection that assigns to neurons, if the order of its events matters.
pub(super) fn assigning(network: &Network, of: &Projection, end: End, pathway: &str) -> Option<String> {
    let found =
        events(network, 0, of).into_iter().find(|events| events.key.1 == (end == End::Post) && events.key.3 == pathway)?;
    found.assigns.into_iter().next().map(|(_, variable)| variable)
}

fn events(network: &Network, place: usize, of: &Projection) -> Vec<Events> {
    let model = of.model.as_deref().and_then(|name| library(name).ok());
    let mut found = Vec::new();
    for end in [End::Pre, End::Post] {
        let own: Vec<(String, String)> = of.pathways(end).map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        let of_model = model.as_ref().and_then(|model| if end == End::Pre { model.on_pre() } else { model.on_post() });
        let texts = if own.is_empty() {
            of_model.map(|text| (end.name().to_owned(), text.to_owned())).into_iter().collect()
        } else {
            own
        };
        for (name, text) in texts {
            let statements = parse_statements("statements", &text).unwrap_or_default();
            let mut events = Events {
                key: (i64::from(of.order.get(&name).copied().unwrap_or(0)), end == End::Post, place, name.clone()),
                name: format!("the pathway `{name}` of {}", of.name),
                reads: BTreeSet::new(),
                adds: BTreeSet::new(),
                assigns: BTreeSet::new(),
            };
            for statement in &statements {
                events.note(network, of, statement);
            }
            found.push(events);
        }
    }
    found
}

impl Events {
    fn note(&mut self, network: &Network, of: &Projection, statement: &Statement) {
        let target = neuron(network, of, &statement.target);
        let mut names = BTreeSet::new();
        names_of(&statement.value, &mut names);
        let is_added = matches!(statement.kind, AssignKind::Change(BinaryOp::Add | BinaryOp::Subtract));
        // The value of `x += y` is `x + y`.
        if let (true, ExprKind::Binary(_, _, amount)) = (is_added, &statement.value.kind) {
            names.clear();
            names_of(amount, &mut names);
        }
        self.reads.extend(names.iter().filter_map(|name| neuron(network, of, name)));
        let differs = names.iter().any(|name| unit::lookup(name).is_none() && !["t", "dt"].contains(&name.as_str()));
        match target {
            Some(target) if is_added => self.adds.insert(target),
            Some(target) if differs => self.assigns.insert(target),
            _ => false,
        };
    }
}

/// The variable of a neuron that a name of a pathway means.
fn neuron(network: &Network, of: &Projection, name: &str) -> Option<Of> {
    let (own, population) = match (name.strip_suffix("_pre"), name.strip_suffix("_post")) {
        (Some(own), _) => (own, &of.pre.population),
        (_, Some(own)) => (own, &of.post.population),
        _ => return None,
    };
    network.population(population).map(|_| (population.clone(), own.to_owned()))
}

fn names_of(of: &Expr, into: &mut BTreeSet<String>) {
    match &of.kind {
        ExprKind::Number(_) | ExprKind::Boolean(_) => {}
        ExprKind::Name(name) => {
            into.insert(name.clone());
        }
        ExprKind::Unary(_, x) => names_of(x, into),
        ExprKind::Binary(_, x, y) => [x, y].into_iter().for_each(|x| names_of(x, into)),
        ExprKind::Call(_, arguments) => arguments.iter().for_each(|argument| names_of(argument, into)),
    }
}
