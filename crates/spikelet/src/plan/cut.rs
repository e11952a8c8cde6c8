//! Parts of whole plans, for tests.

use std::sync::Arc;

use super::{EdgePlan, PerSynapse, Plan, SampleSource};
use crate::Partition;
use crate::connect::{Rows, Words};

/// The values of these elements, if there is more than one for all.
fn chosen<T: Copy>(values: &[T], kept: &[usize]) -> Vec<T> {
    if values.len() == 1 { values.to_vec() } else { kept.iter().map(|at| values[*at]).collect() }
}

fn of_synapses<T: Copy>(values: &mut PerSynapse<T>, kept: &[usize]) {
    match values {
        PerSynapse::Each(values) => *values = Arc::new(kept.iter().map(|at| values[*at]).collect()),
        PerSynapse::Half(values) => *values = Arc::new(kept.iter().map(|at| values[*at]).collect()),
        PerSynapse::Shared(_) | PerSynapse::Packed(_) | PerSynapse::Drawn(_) => {}
    }
}

impl Plan {
    /// The plan of a part, from the whole one; with the numbers of its synapses in each projection.
    pub(crate) fn cut(&self, partition: &Partition, rank: usize) -> (Plan, Vec<Vec<usize>>) {
        let (part, mut plan) = (partition.part(rank), self.clone());
        for (population, own) in plan.populations.iter_mut().zip(part.populations()) {
            let kept: Vec<usize> = own.iter().map(|neuron| neuron as usize).collect();
            population.initial.iter_mut().for_each(|values| *values = chosen(values, &kept));
        }
        let mut synapses = Vec::new();
        for projection in &mut plan.projections {
            let projection = Arc::make_mut(projection);
            let own = part.own(projection.post);
            let mut kept = Vec::new();
            if let EdgePlan::Stored(rows) = &projection.edges {
                let (mut offsets, mut words) = (vec![0], Vec::new());
                for row in 0..rows.offsets.len() - 1 {
                    for edge in rows.row(row) {
                        let Some(place) = own.place(rows.target(edge)) else { continue };
                        kept.push(edge);
                        words.push(place | rows.words.get(edge) & !rows.target_mask());
                    }
                    offsets.push(kept.len() as u64);
                }
                let words = match &rows.words {
                    Words::Narrow(_) => Words::Narrow(words.into_iter().map(|word| word as u16).collect()),
                    Words::Wide(_) => Words::Wide(words),
                };
                projection.edges = EdgePlan::Stored(Arc::new(Rows { offsets, words, ..(**rows).clone() }));
                let degrees = Arc::make_mut(&mut projection.degrees);
                degrees.incoming = own.iter().map(|neuron| degrees.incoming[neuron as usize]).collect();
            }
            for pathway in &mut projection.pathways {
                of_synapses(&mut pathway.delay, &kept);
                pathway.writes.iter_mut().for_each(|write| of_synapses(&mut write.weights, &kept));
            }
            for array in projection.state.iter_mut().flat_map(|state| &mut state.arrays) {
                array.initial = Arc::new(chosen(&array.initial, &kept));
            }
            synapses.push(kept);
        }
        for channel in &mut plan.channels {
            if let SampleSource::Synapse { projection, synapse, .. } = &mut channel.sampled {
                let at = synapses[*projection].binary_search(&(*synapse as usize));
                *synapse = at.map_or(u32::MAX, |at| at as u32);
            }
        }
        plan.part = Arc::new(part);
        (plan, synapses)
    }
}
