//! The fixed-point scales of ports.

use super::bounds::EventBounds;
use super::drawn::{Drawn, Write};
use super::neurons::Neurons;
use super::{PopulationPlan, state};
use crate::ring;

/// Chooses the scale of every port: the busiest neuron's synapses, all at once and each as large as the largest of its projection, must
/// fit an i32. So the scale depends on degrees and extremes alone, never on the order in which weights are met.
pub(super) fn choose_shifts(
    projections: &[Drawn],
    bounds: &[EventBounds],
    neurons: &[Neurons],
    populations: &mut [PopulationPlan],
) {
    for (index, population) in populations.iter_mut().enumerate() {
        for port in 0..population.ports.len() {
            let name = &population.program.variables[population.program.ports[port]];
            let model = &neurons[index].model;
            let writes = |variable: &usize| model.variables[*variable].name == *name;
            let onto = || projections.iter().zip(bounds).filter(|(projection, _)| projection.checked.post == index);
            if population.ports[port].wide {
                let (mut events, mut size) = (vec![0_u32; population.size as usize], 0.0_f64);
                let is_bounded = |bounds: &EventBounds| model.variable(name).is_some_and(|variable| bounds.contains(variable));
                let wide = onto().filter(|(projection, of)| !projection.checked.model.is_static() && !is_bounded(of));
                for (projection, _) in wide {
                    if let Some(usual) = state::usual_event(projection, neurons, &writes) {
                        size = size.max(usual);
                        events.iter_mut().zip(&projection.degrees.incoming).for_each(|(sum, own)| *sum += own);
                    }
                }
                let most = events.into_iter().max().unwrap_or(0);
                let (coarse, fine, limit) = ring::two_scales(size, most);
                let chosen = &mut population.ports[port];
                (chosen.shift, chosen.fine_shift, chosen.limit) = (coarse, fine, limit);
                continue;
            }
            let mut totals = vec![(0.0_f64, 0_u64); population.size as usize];
            for (projection, bounds) in onto() {
                let fixed = projection.writes.iter().flatten().filter(|write| writes(&write.variable)).map(Write::bound);
                let variable = model.variable(name).unwrap_or(usize::MAX);
                let pathways = 0..projection.checked.model.pathways.len();
                let computed = pathways.filter_map(|pathway| bounds.get(variable, pathway)).filter(|bound| *bound > 0.0);
                for bound in fixed.chain(computed) {
                    for ((total, count), synapses) in totals.iter_mut().zip(&projection.degrees.incoming) {
                        *total += bound * f64::from(*synapses);
                        *count += u64::from(*synapses);
                    }
                }
            }
            let shift = totals.iter().map(|(total, count)| (*total, *count)).filter(|(total, _)| *total > 0.0);
            population.ports[port].shift = shift.map(|(total, count)| ring::shift(total, count)).min().unwrap_or(0);
        }
    }
}
