//! The changes that a network has in store, checked before anything runs.

use std::collections::HashSet;

use indexmap::IndexSet;

use super::checked;
use super::neurons;
use super::population::CheckedPopulation;
use super::sources::LoweredNetwork;
use crate::network::Delays;
use crate::{Error, Network};

/// Makes all changes one after the other, and checks what comes of the object that each is about: names, dimensions, and whether a
/// running network can follow.
pub(super) fn check(network: &Network, neurons: &[CheckedPopulation]) -> Result<(), Error> {
    let dues = network.schedule();
    if dues.is_empty() {
        return Ok(());
    }
    let start = LoweredNetwork::new(network)?;
    let mut later = network.clone();
    for due in dues {
        let make = |later: &mut Network| {
            later.set(&due.path, &due.value)?;
            network.check_fixed(later, &due.path)?;
            check_object(&start, neurons, &LoweredNetwork::new(later)?, &due.path)
        };
        make(&mut later).map_err(|error| error.within(&due.place, &due.path))?;
    }
    Ok(())
}

/// Variables of a population that a change will make too slow for one word.
pub(super) fn slow(network: &LoweredNetwork<'_>, index: usize) -> Result<HashSet<String>, Error> {
    let (mut later, mut slow) = (network.network().clone(), HashSet::new());
    let is_of = |path: &str| path.split_once('.').is_some_and(|(object, _)| object == network.populations[index].name);
    for due in network.network().schedule().into_iter().filter(|due| is_of(&due.path)) {
        later.set(&due.path, &due.value)?;
        slow.extend(neurons::check_one(&LoweredNetwork::new(&later)?, index)?.slow(later.dt_ms));
    }
    Ok(slow)
}

fn check_object(
    start: &LoweredNetwork<'_>,
    neurons: &[CheckedPopulation],
    later: &LoweredNetwork<'_>,
    path: &str,
) -> Result<(), Error> {
    let (object, name) = path.split_once('.').unwrap_or((path, ""));
    let another_kind = |expected: &str| {
        Err(Error::invalid(path, "a value of another kind", expected, "reset it and build it with the new value"))
    };
    let another_code = || another_kind("a running network keeps its sizes and the code of its steps");
    if let Some(index) = later.populations.iter().position(|population| population.name == object) {
        let (before, changed) = (&neurons[index], neurons::check_one(later, index)?);
        let declared = before.model.variables.iter().map(|variable| &variable.name);
        let given = start.populations[index].parameters.keys().chain(before.values.0.keys());
        check_known(object, name, declared.chain(given))?;
        return if changed.model == neurons[index].model { Ok(()) } else { another_code() };
    }
    if let Some(index) = later.projections.iter().position(|projection| projection.name == object) {
        let (before, changed) = (checked::check(start, index, neurons)?, checked::check(later, index, neurons)?);
        if !name.starts_with("delay") {
            let declared = before.model.variables.iter().map(|variable| &variable.name);
            check_known(object, name, declared.chain(before.parameters.keys()).chain(before.initial.keys()))?;
        }
        if changed.model != before.model {
            return another_code();
        }
        let delays = |network: &LoweredNetwork<'_>| -> (Delays, _) {
            let projection = &network.projections[index];
            (projection.delay_ms.clone(), projection.delay_post_ms.clone())
        };
        if delays(start) != delays(later) {
            return another_kind("a running network keeps its delays");
        }
        return Ok(());
    }
    // What a poisson_input sends is part of the code of its targets.
    let targets = later.populations.iter().enumerate().filter(|(_, population)| targets(later, object, &population.name));
    for (index, _) in targets {
        if neurons::check_one(later, index)?.model != neurons[index].model {
            let expected = "what a poisson_input sends is part of the code of its targets, which a running network keeps";
            let way_out = "write its rate as a function of time, such as \"10*Hz*int(t >= 500*ms)\"";
            return Err(Error::invalid(path, "a new value", expected, way_out));
        }
    }
    Ok(())
}

/// Refuses a name that means nothing in the equations of `object`: what has no effect is a slip.
fn check_known<'a>(object: &str, name: &str, known: impl Iterator<Item = &'a String>) -> Result<(), Error> {
    let known: IndexSet<&str> = known.map(String::as_str).collect();
    if known.contains(name) { Ok(()) } else { Err(Error::unknown_name("", &format!("`{object}` parameter"), name, known)) }
}

/// Whether the source called `source` acts on a population without a projection.
fn targets(network: &Network, source: &str, population: &str) -> bool {
    let kind = network.source(source).map(|source| &source.kind);
    matches!(kind, Some(crate::SourceKind::PoissonInput { targets, .. }) if targets.iter().any(|target| target == population))
}

/// Refuses a parameter that `set`, the same network with a value at `path`, has and `network` has not, if it means nothing in the
/// equations of its object: what has no effect is a slip.
pub(crate) fn check_meant(network: &Network, set: &Network, path: &str) -> Result<(), Error> {
    let (object, name) = path.split_once('.').unwrap_or((path, ""));
    let has = |network: &Network| {
        let of_population = network.population(object).map(|population| &population.parameters);
        let of_projection = network.projections.iter().find(|projection| projection.name == object);
        of_population.or(of_projection.map(|projection| &projection.parameters)).is_some_and(|of| of.contains_key(name))
    };
    if has(network) || !has(set) {
        return Ok(());
    }
    let whole = LoweredNetwork::new(network)?;
    let neurons = neurons::check(&whole)?;
    if let Some(index) = whole.populations.iter().position(|population| population.name == object) {
        let declared = neurons[index].model.variables.iter().map(|variable| &variable.name);
        return check_known(object, name, declared.chain(neurons[index].values.0.keys()));
    }
    let Some(index) = whole.projections.iter().position(|projection| projection.name == object) else { return Ok(()) };
    let checked = checked::check(&whole, index, &neurons)?;
    let declared = checked.model.variables.iter().map(|variable| &variable.name);
    check_known(object, name, declared.chain(checked.parameters.keys()).chain(checked.initial.keys()))
}
