//! Plans of a network with other values: during a run, and as parallel variants.

use std::collections::BTreeSet;
use std::sync::Arc;

use spikelet_lang::model::NeuronModel;
use spikelet_network::{Error, Network, Storage, Weights};
use spikelet_rows::{half, ring};

use super::bindings::ScaleEffect;
use crate::check::{changes, checked};
use crate::draw::drawing::Preparing;
use crate::draw::realized::{EventAmount, RealizedProjection, StatelessWrite};
use crate::neurons::ends::mentioned;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::{Generated, LoweredNetwork};
use crate::scale::bounds::EventBounds;
use crate::values::NamedValues;
use crate::{
    EdgePlan, PartSummary, PathwayPlan, PerSynapse, Plan, PopulationPlan, Port, PortAddition, ProjectionPlan, WritePlan, neurons,
};

/// The differences between a revised plan and one built from the current network: it keeps earlier scales, and weights rounded to them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Revision {
    /// The ports of each population.
    pub ports: Vec<Vec<Port>>,
    /// Weights that differ from those of the plan that was built.
    pub weights: Vec<ScaledWrite>,
}

/// The increments of a write, in units of its port: one for all synapses, or one per synapse.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaledWrite {
    /// Index of the projection.
    pub projection: usize,
    /// Index of the write among [its own](ProjectionPlan::writes).
    pub write: usize,
    /// The units of each synapse.
    pub units: Arc<Vec<i32>>,
}

impl Plan {
    /// The plan of the same network after values at these paths changed, as far as possible during a run: parameters of populations and
    /// values of synapses. The connectivity stays.
    ///
    /// # Errors
    /// A new value is invalid, or changes the code of a step.
    pub(crate) fn revised(&self, network: &Network, paths: &[&str]) -> Result<Plan, Error> {
        self.with_values(network, paths, &BTreeSet::new(), Some(self))
    }

    /// The plan of the same network after values at these paths changed, with the current scales, and with the current weights where they
    /// differ from those of this plan.
    ///
    /// # Errors
    /// A new value is invalid, or changes the code of a step.
    pub fn restored(&self, network: &Network, paths: &[&str], then: &Revision) -> Result<Plan, Error> {
        let mut scaled = self.clone();
        for (population, ports) in scaled.populations.iter_mut().zip(&then.ports) {
            population.ports.clone_from(ports);
        }
        // The largest events, in units of these ports.
        for projection in &mut scaled.projections {
            let [built, ports] = [&self.populations, &scaled.populations].map(|of| &of[projection.post].ports);
            let arrivals = Arc::make_mut(projection).state.iter_mut().flat_map(|state| &mut state.arrivals);
            for add in arrivals.flat_map(|arrival| &mut arrival.adds).filter(|add| !ports[add.port].split_precision) {
                add.limit = ring::rescale(add.limit, built[add.port].shift, ports[add.port].shift);
            }
        }
        // The part of a rank is not assembled again: it follows the values one after the other, as it did during the run.
        let mut plan = if self.part.is_whole() {
            let objects: Vec<&str> = paths.iter().map(|path| path.split_once('.').map_or(*path, |(object, _)| object)).collect();
            self.with_values(network, &objects, &BTreeSet::new(), Some(&scaled))?
        } else {
            let follow = |plan: Plan, path: &&str| Ok::<_, Error>(Arc::unwrap_or_clone(plan.with_value(network, path)?.plan));
            paths.iter().try_fold(scaled, follow)?
        };
        for (index, (projection, built)) in plan.projections.iter_mut().zip(&self.projections).enumerate() {
            let writes = Arc::make_mut(projection).pathways.iter_mut().flat_map(|pathway| &mut pathway.writes);
            for (write, (new, (_, built))) in writes.zip(built.writes()).enumerate() {
                let kept = then.weights.iter().find(|kept| (kept.projection, kept.write) == (index, write));
                match (&mut new.weights, kept, &built.weights) {
                    (PerSynapse::Shared(weight), Some(kept), _) => *weight = kept.units.first().copied().unwrap_or_default(),
                    (PerSynapse::Each(weights), Some(kept), _) => *weights = kept.units.clone(),
                    (PerSynapse::Half(weights), Some(kept), _) => {
                        *weights = Arc::new(kept.units.iter().map(|units| half::encode(*units)).collect());
                    }
                    (PerSynapse::Shared(weight), None, PerSynapse::Shared(built)) => *weight = *built,
                    (PerSynapse::Each(weights), None, PerSynapse::Each(built)) => *weights = built.clone(),
                    (PerSynapse::Half(weights), None, PerSynapse::Half(built)) => *weights = built.clone(),
                    // Drawn weights follow the network.
                    _ => {}
                }
            }
        }
        Ok(plan)
    }

    /// The changes of this plan that do not follow from the network.
    pub fn revision(&self, now: &Plan) -> Revision {
        let mut weights = Vec::new();
        for (projection, (new, old)) in now.projections.iter().zip(&self.projections).enumerate() {
            for (write, ((_, new), (_, old))) in new.writes().zip(old.writes()).enumerate() {
                let units = match (&new.weights, &old.weights) {
                    (PerSynapse::Each(new), PerSynapse::Each(old)) if Arc::ptr_eq(new, old) => continue,
                    (new, old) if new == old => continue,
                    (PerSynapse::Each(new), _) => new.clone(),
                    (new, _) => Arc::new(new.units().collect()),
                };
                weights.push(ScaledWrite { projection, write, units });
            }
        }
        Revision { ports: now.populations.iter().map(|population| population.ports.clone()).collect(), weights }
    }

    /// The plan of the same network with other values at `paths`, bit by bit as if built with them, but sharing the rows of this one
    /// wherever they are the same.
    ///
    /// # Errors
    /// A new value is invalid, or changes the code of a step: the plan must be built.
    pub fn varied(&self, network: &Network, paths: &[&str]) -> Result<Plan, Error> {
        if let Some(plan) = self.varied_as_bound(network, paths) {
            return Ok(plan);
        }
        let plan = self.with_values(network, paths, &BTreeSet::new(), None)?;
        // Weights that were rounded to another scale are rounded again.
        let rescaled = |projection: &ProjectionPlan| {
            let ports = |plan: &Plan| plan.populations[projection.post].ports.iter().map(|port| port.shift).collect::<Vec<_>>();
            let (new, old) = (ports(&plan), ports(self));
            projection.writes().any(|(_, write)| new[write.port] != old[write.port])
        };
        let again: BTreeSet<usize> = (0..self.projections.len()).filter(|index| rescaled(&self.projections[*index])).collect();
        let plan = if again.is_empty() { plan } else { self.with_values(network, paths, &again, None)? };
        changes::check(network, &neurons::check(&LoweredNetwork::of_part(network, self.part.clone())?)?)?;
        Ok(plan)
    }

    /// The same, evaluating only the dependants of the paths, if that is sufficient.
    pub(crate) fn varied_as_bound(&self, network: &Network, paths: &[&str]) -> Option<Plan> {
        // Later changes of the network are checked with its values.
        if !network.schedule().is_empty() {
            return None;
        }
        let mut paths = paths.iter();
        let first = self.bound(network, paths.next()?, ScaleEffect::Built)?.plan;
        let plan = paths.try_fold(first, |plan, path| Some(plan.bound(network, path, ScaleEffect::Built)?.plan))?;
        Some(Arc::unwrap_or_clone(plan))
    }

    /// The plan of the same network, with the same values and rows, and other recordings. Arrays may have other indices in it.
    ///
    /// # Errors
    /// A recording is invalid.
    pub fn recording(&self, network: &Network) -> Result<Plan, Error> {
        let mut plan = self.reassembled(network, &[], &BTreeSet::new(), None)?;
        plan.share_with(self);
        Ok(plan)
    }

    /// The plan with other values at `paths`, as far as the code of a step does not change. Projections with these paths, and those in
    /// `again`, are drawn again; ports keep at least the scales of `scales`.
    fn with_values(
        &self,
        network: &Network,
        paths: &[&str],
        again: &BTreeSet<usize>,
        scales: Option<&Plan>,
    ) -> Result<Plan, Error> {
        let path = paths.join(", ");
        let mut plan = self.reassembled(network, paths, again, scales)?;
        for (new, old) in plan.populations.iter().zip(&self.populations) {
            let is_kept = |name: &&str| old.in_two_words().any(|kept| kept == *name);
            if let Some(name) = new.in_two_words().find(|name| !is_kept(name)) {
                let value = format!("a value for which `{}.{name}` changes so slowly that it needs two words", new.name);
                return Err(cannot_follow(&path, &value, CODE));
            }
        }
        let same_code = |new: &PopulationPlan, old: &PopulationPlan| new.program == old.program;
        let same_synapses = |new: &ProjectionPlan, old: &ProjectionPlan| {
            let program = |projection: &ProjectionPlan| projection.state.as_ref().map(|state| state.program.clone());
            program(new) == program(old)
        };
        let populations = plan.populations.iter().zip(&self.populations).all(|(new, old)| same_code(new, old));
        let projections = plan.projections.iter().zip(&self.projections);
        if !populations || !projections.clone().all(|(new, old)| same_synapses(new, old)) {
            return Err(cannot_follow(&path, "a value of another kind", CODE));
        }
        let delays = |projection: &ProjectionPlan| projection.pathways.iter().map(|p| p.delay.clone()).collect::<Vec<_>>();
        if projections.clone().any(|(new, old)| delays(new) != delays(old)) {
            return Err(cannot_follow(&path, "another delay", "delays cannot change during a run"));
        }
        plan.share_with(self);
        Ok(plan)
    }

    /// The plan of a network with the same connectivity.
    fn reassembled(
        &self,
        network: &Network,
        paths: &[&str],
        again: &BTreeSet<usize>,
        scales: Option<&Plan>,
    ) -> Result<Plan, Error> {
        let path = paths.join(", ");
        let whole = Arc::new(LoweredNetwork::of_part(network, self.part.clone())?);
        let sizes = whole.populations.iter().map(|population| population.size);
        if !sizes.eq(self.populations.iter().map(|population| population.size)) {
            return Err(cannot_follow(&path, "a value of another kind", CODE));
        }
        let neurons = neurons::check(&whole)?;
        if !self.part.is_whole() {
            (0..self.projections.len()).try_for_each(|index| checked::check(&whole, index, &neurons).map(|_| ()))?;
            let expected = "it would change scales, connectivity or recordings, which several ranks have agreed on";
            return Err(Error::invalid(path, "a new value", expected, "start the network with this value, or use one rank"));
        }
        let is_named = |name: &str| paths.iter().any(|path| path.split_once('.').map_or(*path, |(object, _)| object) == name);
        // Its expressions may depend on values of neurons.
        let starts_from = |projection: &spikelet_network::Projection| {
            let ends = [&projection.pre.population, &projection.post.population];
            ends.into_iter().any(|end| is_named(end)) && !mentioned(projection).is_empty()
        };
        let mut drawn = Vec::new();
        for (index, old) in self.projections.iter().enumerate() {
            let checked = checked::check(&whole, index, &neurons)?;
            // Initial values of synapses with state may depend on values of their neurons.
            let name = match whole.generated(index) {
                Some(Generated::ToPre(of)) => &whole.projections[*of].name,
                _ => &old.name,
            };
            let is_new = is_named(name) || starts_from(&whole.projections[index]);
            drawn.push(if is_new || old.state.is_some() || again.contains(&index) {
                let again = drawn_again(&whole, index, checked, old, self.exact)?;
                if again.degrees != old.degrees || !again.edges.connects_as(&old.edges) || again.third != old.third {
                    return Err(cannot_follow(&path, "another rule", "connectivity cannot change during a run"));
                }
                again
            } else {
                let values = self.bindings.values(index);
                RealizedProjection::kept(checked, old, values, &neurons[old.post], &self.populations[old.post])
            });
        }
        let summary = PartSummary::of(&whole, &neurons, &drawn);
        Plan::assemble(&whole, &neurons, (drawn, &summary), scales, self.exact)
    }

    /// Shares memory with `other` where both are the same.
    pub fn share_with(&mut self, other: &Plan) {
        for (own, other) in self.projections.iter_mut().zip(&other.projections) {
            if own == other {
                *own = other.clone();
                continue;
            }
            let own = Arc::make_mut(own);
            if own.edges.is_the_same(&other.edges) {
                own.edges = other.edges.clone();
            }
            if own.third == other.third {
                own.third = other.third.clone();
            }
            if own.degrees == other.degrees {
                own.degrees = other.degrees.clone();
            }
            for (own, other) in own.pathways.iter_mut().zip(&other.pathways) {
                own.share_with(other);
            }
        }
    }
}

/// Properties that a new value must not change.
const CODE: &str = "sizes and the code of steps cannot change during a run";

fn cannot_follow(path: &str, value: &str, expected: &str) -> Error {
    Error::invalid(path, value, expected, "reset it and build it with the new value")
}

impl PathwayPlan {
    fn share_with(&mut self, other: &PathwayPlan) {
        if self.delay == other.delay {
            self.delay = other.delay.clone();
        }
        for (own, other) in self.writes.iter_mut().zip(&other.writes) {
            if own.weights == other.weights {
                own.weights = other.weights.clone();
            }
            if own.exact == other.exact {
                own.exact = other.exact.clone();
            }
        }
    }
}

/// Draws a projection again from the same counters.
fn drawn_again(
    network: &Arc<LoweredNetwork<'_>>,
    index: usize,
    checked: checked::CheckedProjection,
    old: &ProjectionPlan,
    exact: bool,
) -> Result<RealizedProjection, Error> {
    let storage = old.procedural().map(|_| Storage::Procedural);
    let halves = old.writes().any(|(_, write)| matches!(write.weights, PerSynapse::Half(_)));
    let weights = halves.then_some(Weights::F16).or(network.projections[index].weights);
    let mut drawing = Preparing::new(network.clone(), index, checked, storage, (weights, exact))?.finish()?;
    while let [stretch] = drawing.next(1).as_slice() {
        let part = drawing.draw(stretch.clone())?;
        drawing.add(part)?;
    }
    drawing.finish()
}

impl ProjectionPlan {
    /// The increments of each pathway, in its current units.
    pub(crate) fn writes_of(&self, neurons: &CheckedPopulation, post: &PopulationPlan) -> Vec<Vec<StatelessWrite>> {
        let variable = |port: usize| &post.program.variables[post.program.ports[port]];
        let index = |name: &String| neurons.model.variable(name).unwrap_or(usize::MAX);
        let of_pathway = |pathway: &PathwayPlan| {
            let units = |write: &WritePlan| (write.weights.clone(), post.ports[write.port].shift);
            let is_rest = |write: &&WritePlan| post.ports[write.port].rest;
            let write = |(place, write): (usize, &WritePlan)| StatelessWrite {
                variable: index(variable(write.port)),
                amount: EventAmount::Kept { whole: units(write), rest: pathway.writes.get(place + 1).filter(is_rest).map(units) },
                exact: write.exact.clone(),
                sizes: write.sizes,
            };
            pathway.writes.iter().enumerate().filter(|(_, write)| !is_rest(write)).map(write).collect()
        };
        self.pathways.iter().map(of_pathway).collect()
    }

    /// Sets the largest events of each port from their bounds. Returns whether they changed.
    pub(crate) fn limit(&mut self, bounds: &EventBounds, model: &NeuronModel, post: &PopulationPlan) -> bool {
        let mut differs = false;
        let arrivals = self.state.iter_mut().flat_map(|state| state.arrivals.iter_mut().enumerate());
        for (pathway, arrival) in arrivals {
            for add in &mut arrival.adds {
                let variable = model.variable(&post.program.variables[post.program.ports[add.port]]);
                let limit =
                    PortAddition::limit_by(variable.and_then(|variable| bounds.get(variable, pathway)), &post.ports[add.port]);
                differs |= limit != add.limit;
                add.limit = limit;
            }
        }
        differs
    }
}

impl RealizedProjection {
    /// A projection without synaptic state, as in a plan.
    fn kept(
        checked: checked::CheckedProjection,
        old: &ProjectionPlan,
        values: NamedValues,
        neurons: &CheckedPopulation,
        post: &PopulationPlan,
    ) -> RealizedProjection {
        let writes = old.writes_of(neurons, post);
        RealizedProjection {
            pre_slice: old.pre_slice.clone(),
            edges: old.edges.clone(),
            degrees: old.degrees.clone(),
            delays: old.pathways.iter().map(|pathway| pathway.delay.clone()).collect(),
            third: old.third.clone(),
            values,
            writes,
            checked,
        }
    }

    /// The stored rows.
    pub(crate) fn rows(&self) -> &spikelet_rows::Rows {
        match &self.edges {
            EdgePlan::Stored(rows) => rows,
            EdgePlan::Procedural(_) => unreachable!("synapses with a state are kept"),
        }
    }
}
