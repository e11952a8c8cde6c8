//! The effects of synapses on populations, and conversion of projections to the fixed-point scales of their ports.

use std::ops::Range;

use spikelet_lang::model::{NeuronModel, Target};

use super::bounds::EventBounds;
use crate::check::checked::CheckedProjection;
use crate::draw::realized::{RealizedProjection, StatelessWrite};
use crate::neurons::population::CheckedPopulation;
use crate::{PathwayPlan, PopulationPlan, ProjectionPlan, StatePlan, WritePlan};

/// A port without an offset: its variable, and whether its increments are computed when spikes arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PortRequest {
    pub(crate) variable: String,
    pub(crate) split_precision: bool,
}

/// The effects of synapses on each population: the ports to which they add, in the order of first use, and the variables that they write in
/// other ways.
pub(crate) fn effects<'a>(
    projections: impl Iterator<Item = (&'a CheckedProjection, &'a EventBounds)>,
    neurons: &[CheckedPopulation],
) -> Vec<(Vec<PortRequest>, Vec<String>)> {
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
                        let port = PortRequest { variable: name(variable), split_precision: wide };
                        if !ports.contains(&port) {
                            ports.push(port);
                        }
                    }
                    Target::Add(variable) | Target::Post(variable) => written.push(name(variable)),
                    Target::Own(_) => {}
                }
            }
        }
        for sum in &projection.model.summed {
            let population = projection.population(sum.end).unwrap_or(projection.post);
            effects[population].1.push(sum.name.clone());
        }
    }
    effects
}

impl StatelessWrite {
    /// The write in the fixed-point scales of the ports of its variable, one or two.
    pub(crate) fn in_ports(self, post: &PopulationPlan, model: &NeuronModel) -> Vec<WritePlan> {
        let StatelessWrite { variable, amount, exact, sizes } = self;
        let Some(port) = post.port(&model.variables[variable].name, false) else { return Vec::new() };
        // Remainders use the next port, if there is one for them.
        let rest = post.ports.get(port + 1).filter(|next| next.rest).map(|next| next.shift);
        let (weights, over) = amount.in_units(post.ports[port].shift, rest);
        let of_rest = over.map(|weights| WritePlan { port: port + 1, weights, exact: None, sizes });
        std::iter::once(WritePlan { port, weights, exact, sizes }).chain(of_rest).collect()
    }
}

impl RealizedProjection {
    /// The projection in the fixed-point scales of its ports.
    pub(crate) fn quantised(
        self,
        neurons: &[CheckedPopulation],
        populations: &[PopulationPlan],
        state: Option<StatePlan>,
        delays: &[Range<u32>],
    ) -> ProjectionPlan {
        let (post, model) = (&populations[self.checked.post], &neurons[self.checked.post].model);
        let write = |write: StatelessWrite| write.in_ports(post, model);
        let mut writes = self.writes.into_iter().map(|writes| writes.into_iter().flat_map(write).collect());
        let pathways = self.checked.model.pathways.iter().zip(&self.checked.order).zip(self.delays.into_iter().zip(delays));
        let pathways = pathways.map(|((pathway, order), (delay, delays))| {
            let (end, order, writes) = (pathway.end, *order, writes.next().unwrap_or_default());
            PathwayPlan { end, order, delay, delays: delays.clone(), writes }
        });
        let pathways = pathways.collect();
        let CheckedProjection { name, pre, post, .. } = self.checked;
        let (pre_slice, edges, degrees, third) = (self.pre_slice, self.edges, self.degrees, self.third);
        ProjectionPlan { name, pre, pre_slice, post, third, edges, degrees, pathways, state }
    }
}
