//! The location of arrays in the buffers.

use spikelet::{ArrayEntry, ArrayId, Owner, Plan};

use super::{Arena, BufferLayout, WordRange};

impl BufferLayout {
    /// The ranges of an array's words in the first trial, each in its arena, in order.
    pub(crate) fn find(&self, plan: &Plan, id: ArrayId) -> Vec<WordRange> {
        let ArrayEntry { owner, index, .. } = plan.arrays()[id];
        let length = plan.own_length(id);
        let one = |arena, at: usize| vec![(arena, at..at + length)];
        match owner {
            Owner::Neurons { population } => one(Arena::State, self.populations[population].array(index)),
            Owner::Population { population } if index == ArrayEntry::SCALES => {
                one(Arena::Tables, self.populations[population].units)
            }
            Owner::Population { population } => one(Arena::Tables, self.populations[population].constants),
            Owner::Events { projection } => self.weights[projection].get(index).cloned().unwrap_or_default(),
            Owner::RingColumns { population } => {
                let of = &plan.populations[population];
                let lanes = (plan.own(population).len() * of.ports[index].width()) as usize;
                let slot = |slot: u32| slot as usize * plan.ring.columns as usize + of.ports[index].column as usize;
                (0..plan.ring.slots).map(|k| (Arena::Ring, slot(k)..slot(k) + lanes)).collect()
            }
            Owner::Memory { population } => {
                let words = plan.populations[population].size.div_ceil(32) as usize;
                let first = self.memory_offset as usize + self.populations[population].memory as usize;
                let slot = |slot: u32| first + slot as usize * self.memory_words as usize;
                (0..plan.memory_steps).map(|k| (Arena::Ring, slot(k)..slot(k) + words)).collect()
            }
            Owner::Synapses { projection } => {
                let of = self.projections[projection].as_ref().zip(plan.projections[projection].state.as_ref());
                of.map_or(Vec::new(), |(place, state)| vec![place.array(state, index, length)])
            }
            Owner::Traces { projection, .. } => {
                let of = &plan.projections[projection];
                let place = self.projections[projection].as_ref().zip(of.state.as_ref());
                one(Arena::State, place.map_or(0, |(place, state)| place.trace(plan, of, state, index)))
            }
            Owner::Projection { projection } => {
                one(Arena::Tables, self.projections[projection].as_ref().map_or(0, |place| place.constants))
            }
            // It is in no arena: it is computed when it is read.
            Owner::Statistic => Vec::new(),
        }
    }
}
