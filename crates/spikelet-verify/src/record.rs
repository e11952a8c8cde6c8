//! What is kept of a run: all spikes, and the samples that are judged.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use spikelet::lang::syntax::parse_unit;
use spikelet::{Activity, Network, Plan};

use crate::Case;

/// What is kept of one run of a case.
#[derive(Debug, Clone)]
pub struct Record {
    /// Name, number of the first neuron, number of neurons.
    objects: Vec<(String, u32, u32)>,
    /// Steps of each neuron's spikes, rising.
    spikes: Vec<Vec<u32>>,
    /// Spikes from here on are not those of the case.
    end: u32,
    /// Place of each label among the channels, and the samples' unit in inner units.
    channels: HashMap<String, (usize, f64)>,
    width: usize,
    wanted: BTreeSet<u32>,
    rows: BTreeMap<u32, Vec<f32>>,
    /// Post neuron and weight of each synapse at the end, in a case that measures what synapses learn.
    pub(crate) learned: Vec<(u32, f64)>,
}

impl Record {
    /// Nothing yet, of a case that was planned so.
    pub fn new(case: &Case, plan: &Plan) -> Record {
        let network: &Network = &case.network;
        let sizes = network.populations.iter().map(|population| (&population.name, population.size));
        let sizes = sizes.chain(network.sources.iter().map(|source| (&source.name, source.size())));
        let (mut objects, mut first) = (Vec::new(), 0);
        for (name, size) in sizes {
            objects.push((name.clone(), first, size));
            first += size;
        }
        let channels = plan.channels.iter().enumerate();
        // The simulator's own name of an inner unit is a unit of the language, or else the value has none.
        let factor = |unit: &str| parse_unit(unit).map_or(1.0, |unit| unit.factor);
        Record {
            objects,
            spikes: vec![Vec::new(); first as usize],
            end: case.steps(),
            channels: channels.map(|(place, channel)| (channel.label.clone(), (place, factor(&channel.unit)))).collect(),
            width: plan.channels.len(),
            wanted: case.wanted(),
            rows: BTreeMap::new(),
            learned: Vec::new(),
        }
    }

    /// Adds what happened from step `first` on.
    pub fn add(&mut self, first: u32, activity: &Activity) {
        for spike in activity.spikes.iter().filter(|spike| spike.step < self.end) {
            if let Some(steps) = self.spikes.get_mut(spike.neuron as usize) {
                steps.push(spike.step);
            }
        }
        if self.width > 0 {
            for (step, row) in (first..).zip(activity.samples.chunks(self.width)) {
                if self.wanted.contains(&step) {
                    self.rows.insert(step, row.to_vec());
                }
            }
        }
    }

    /// Steps of the spikes of each neuron of an object.
    pub(crate) fn spikes(&self, object: &str) -> &[Vec<u32>] {
        match self.objects.iter().find(|(name, ..)| name == object) {
            Some(&(_, first, size)) => &self.spikes[first as usize..(first + size) as usize],
            None => &[],
        }
    }

    /// A sample in inner units; none where that channel or step was not recorded.
    pub(crate) fn sample(&self, label: &str, step: u32) -> Option<f64> {
        let (place, factor) = self.channels.get(label)?;
        Some(f64::from(*self.rows.get(&step)?.get(*place)?) * factor)
    }

    /// How many channels there are.
    pub(crate) fn channels(&self) -> usize {
        self.width
    }
}
