//! Where arrays lie in the buffers.

use spikelet::{Plan, Probe};

use super::{Arena, Layout, Place};

impl Layout {
    /// The ranges of an array's words in the first trial, each in its arena, in order.
    pub(crate) fn find(&self, plan: &Plan, probe: Probe) -> Vec<Place> {
        let words = probe.words(plan);
        let one = |arena, at: usize| vec![(arena, at..at + words)];
        match probe {
            Probe::Variable { population, variable } => {
                one(Arena::State, self.populations[population].array(variable, plan.populations[population].size))
            }
            Probe::LastSpike { population } => {
                let of = &plan.populations[population];
                one(Arena::State, self.populations[population].array(of.program.variables.len(), of.size))
            }
            Probe::Constants { population } => one(Arena::Tables, self.populations[population].constants),
            Probe::Scales { population } => one(Arena::Tables, self.populations[population].units),
            Probe::Weights { projection, write } => self.weights[projection].get(write).cloned().unwrap_or_default(),
            Probe::Ring { population, port } => {
                let of = &plan.populations[population];
                let lanes = (of.size * of.ports[port].width()) as usize;
                let slot = |slot: u32| slot as usize * plan.ring.lanes as usize + of.ports[port].lane as usize;
                (0..plan.ring.slots).map(|k| (Arena::Ring, slot(k)..slot(k) + lanes)).collect()
            }
            Probe::Remembered { population } => {
                let words = plan.populations[population].size.div_ceil(32) as usize;
                let first = self.memory_at as usize + self.populations[population].memory as usize;
                let slot = |slot: u32| first + slot as usize * self.memory_words as usize;
                (0..plan.memory_steps).map(|k| (Arena::Ring, slot(k)..slot(k) + words)).collect()
            }
            Probe::Synapses { projection, array } => {
                let place = self.projections[projection].as_ref();
                one(Arena::State, place.map_or(0, |place| place.state + array * plan.projections[projection].rows().len()))
            }
            Probe::Traces { projection, trace } => {
                let of = &plan.projections[projection];
                let place = self.projections[projection].as_ref().zip(of.state.as_ref());
                one(Arena::State, place.map_or(0, |(place, state)| place.trace(plan, of, state, trace)))
            }
            Probe::SynapseConstants { projection } => {
                one(Arena::Tables, self.projections[projection].as_ref().map_or(0, |place| place.constants))
            }
            // It is in no arena: it is worked out when it is read.
            Probe::Statistic { .. } => Vec::new(),
        }
    }
}
