//! The fixed-point scales of ports.

use super::neurons::Neurons;
use super::synapses::Drawn;
use super::{PopulationPlan, state};
use crate::ring;

/// Chooses the scale of every port: the busiest neuron's synapses, all at once, must fit an i32.
pub(super) fn choose_shifts(projections: &[Drawn], neurons: &[Neurons], populations: &mut [PopulationPlan]) {
    for (index, population) in populations.iter_mut().enumerate() {
        for port in 0..population.ports.len() {
            let name = &population.program.variables[population.program.ports[port]];
            let model = &neurons[index].model;
            let writes = |variable: &usize| model.variables[*variable].name == *name;
            let onto = || projections.iter().filter(|projection| projection.checked.post == index);
            if population.ports[port].wide {
                let (mut events, mut size) = (vec![0_u32; population.size as usize], 0.0_f64);
                for projection in onto().filter(|projection| !projection.checked.model.is_static()) {
                    if let Some(usual) = state::usual_event(projection, neurons, &writes) {
                        size = size.max(usual);
                        projection.rows.targets.iter().for_each(|target| events[*target as usize] += 1);
                    }
                }
                let most = events.into_iter().max().unwrap_or(0);
                let (coarse, fine, limit) = ring::two_scales(size, most);
                let chosen = &mut population.ports[port];
                (chosen.shift, chosen.fine_shift, chosen.limit) = (coarse, fine, limit);
                continue;
            }
            let mut totals = vec![(0.0_f64, 0_u64); population.size as usize];
            for projection in onto() {
                for (_, weights) in projection.writes.iter().flatten().filter(|(variable, _)| writes(variable)) {
                    for (synapse, target) in projection.rows.targets.iter().enumerate() {
                        let (total, count) = &mut totals[*target as usize];
                        *total += weights.at(synapse).abs();
                        *count += 1;
                    }
                }
            }
            let shift = totals.iter().map(|(total, count)| (*total, *count)).filter(|(total, _)| *total > 0.0);
            population.ports[port].shift = shift.map(|(total, count)| ring::shift(total, count)).min().unwrap_or(0);
        }
    }
}
