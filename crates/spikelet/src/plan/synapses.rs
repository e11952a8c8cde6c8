//! What synapses do to populations, and projections in the fixed-point scales of their ports.

use std::sync::Arc;

use spikelet_lang::model::Target;

use super::bounds::EventBounds;
use super::checked::Checked;
use super::drawn::{Amount, Drawn, Write};
use super::neurons::Neurons;
use super::{DrawnValue, PathwayPlan, PerSynapse, PopulationPlan, ProjectionPlan, StatePlan, WritePlan};
use crate::{half, ring};

/// A port before it has a place: the variable it adds to, and whether what it adds is computed when spikes arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) variable: String,
    pub(super) wide: bool,
}

/// What synapses do to each population: the ports they add to, in the order they are first written, and the variables that they
/// write in other ways.
pub(super) fn effects<'a>(
    projections: impl Iterator<Item = (&'a Checked, &'a EventBounds)>,
    neurons: &[Neurons],
) -> Vec<(Vec<Wanted>, Vec<String>)> {
    let mut effects = vec![(Vec::new(), Vec::new()); neurons.len()];
    for (projection, bounds) in projections {
        let (ports, written) = &mut effects[projection.post];
        let name = |variable: usize| neurons[projection.post].model.variables[variable].name.clone();
        for pathway in &projection.model.pathways {
            let in_turn = pathway.statements.iter().any(|write| matches!(write.target, Target::Post(_)));
            for write in &pathway.statements {
                match write.target {
                    Target::Add(variable) if !in_turn => {
                        let wide = !projection.model.is_static() && !bounds.contains(variable);
                        let port = Wanted { variable: name(variable), wide };
                        if !ports.contains(&port) {
                            ports.push(port);
                        }
                    }
                    Target::Add(variable) | Target::Post(variable) => written.push(name(variable)),
                    Target::Own(_) => {}
                }
            }
        }
        written.extend(projection.model.summed.iter().map(|(variable, _)| name(*variable)));
    }
    effects
}

impl Drawn {
    /// The projection in the fixed-point scales of its ports.
    pub(super) fn quantised(
        self,
        neurons: &[Neurons],
        populations: &[PopulationPlan],
        state: Option<StatePlan>,
    ) -> ProjectionPlan {
        let post = &populations[self.checked.post];
        let model = &neurons[self.checked.post].model;
        let write = |Write { variable, amount, largest }| {
            let variable: usize = variable;
            let port = post.port(&model.variables[variable].name, false)?;
            let shift = post.ports[port].shift;
            let weights = match amount {
                Amount::Shared(weight) => PerSynapse::Shared(ring::quantise(weight, shift)),
                Amount::Each(weights) => {
                    // In place: both are as long and as wide.
                    let units = weights.into_iter().map(|weight| ring::quantise(f64::from(weight), shift));
                    PerSynapse::Each(Arc::new(units.collect()))
                }
                Amount::Half(weights) => {
                    // Not in place, which would keep all the room that there was.
                    let mut halves = Vec::with_capacity(weights.len());
                    halves.extend(weights.iter().map(|weight| half::encode(ring::quantise(f64::from(*weight), shift))));
                    PerSynapse::Half(Arc::new(halves))
                }
                Amount::Code(code) => PerSynapse::Drawn(DrawnValue { code, range: 0..0 }),
                Amount::Kept(weights, before) if before == shift => weights,
                Amount::Kept(weights, before) => match weights {
                    PerSynapse::Shared(weight) => PerSynapse::Shared(ring::rescale(weight, before, shift)),
                    PerSynapse::Each(weights) => {
                        PerSynapse::Each(Arc::new(weights.iter().map(|weight| ring::rescale(*weight, before, shift)).collect()))
                    }
                    PerSynapse::Half(weights) => {
                        let rescaled = |weight: &u16| half::encode(ring::rescale(half::decode(*weight), before, shift));
                        PerSynapse::Half(Arc::new(weights.iter().map(rescaled).collect()))
                    }
                    drawn => drawn,
                },
            };
            Some(WritePlan { port, weights, largest })
        };
        let mut writes = self.writes.into_iter().map(|writes| writes.into_iter().filter_map(write).collect());
        let ends = self.checked.model.pathways.iter().map(|pathway| pathway.end);
        let pathways =
            ends.zip(self.delays).map(|(end, delay)| PathwayPlan { end, delay, writes: writes.next().unwrap_or_default() });
        let pathways = pathways.collect();
        let Checked { name, pre, post, .. } = self.checked;
        let (pre_slice, edges, degrees) = (self.pre_slice, self.edges, self.degrees);
        ProjectionPlan { name, pre, pre_slice, post, edges, degrees, pathways, state }
    }
}
