//! `--by`: groups of neurons by a column of their table, and what each of them fires.

use serde::{Deserialize, Serialize};
use spikelet::{Error, Network, Quantity, Recorder};

use crate::failure::Failure;

/// The groups of a network.
#[derive(Debug, Clone)]
pub(crate) struct CellGroups {
    groups: Vec<CellGroup>,
    /// The group of each neuron of the populations, in the order of their numbers.
    of_neurons: Vec<Option<u32>>,
}

/// Neurons with the same text in the column.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct CellGroup {
    pub(crate) population: String,
    pub(crate) group: String,
    pub(crate) neurons: u32,
}

/// What a group fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct GroupCount {
    pub(crate) spikes: u64,
    /// Neurons with at least one spike.
    pub(crate) active: u32,
}

impl CellGroups {
    /// The groups by a column: those of all populations whose table has it.
    ///
    /// # Errors
    /// No table has it.
    pub(crate) fn new(network: &Network, column: &str) -> Result<CellGroups, Failure> {
        let (mut groups, mut of_neurons) = (Vec::new(), Vec::new());
        let mut known = Vec::new();
        for population in &network.populations {
            let table = population.neurons.as_ref().and_then(|neurons| neurons.table());
            known.extend(table.into_iter().flat_map(|table| table.columns()));
            let Some((places, texts)) = table.and_then(|table| Some((table.places(column).ok()?, table.different(column).ok()?)))
            else {
                of_neurons.resize(of_neurons.len() + population.size as usize, None);
                continue;
            };
            let first = groups.len();
            let group = |text: &str| CellGroup { population: population.name.clone(), group: text.to_owned(), neurons: 0 };
            groups.extend(texts.map(group));
            for place in places {
                groups[first + *place as usize].neurons += 1;
                of_neurons.push(Some(first as u32 + place));
            }
        }
        if groups.is_empty() && known.is_empty() {
            let sentence = "--by needs a population with a table of neurons, \"neurons\": {\"file\": \"neurons.csv\"}";
            return Err(Failure::Input(format!("{sentence}, and the network has none; leave it out")));
        }
        if groups.is_empty() {
            return Err(Error::unknown_name("--by", "column", column, known).into());
        }
        Ok(CellGroups { groups, of_neurons })
    }

    /// The groups, population by population.
    pub(crate) fn all(&self) -> &[CellGroup] {
        &self.groups
    }

    /// What each group fired.
    pub(crate) fn count(&self, recorder: &Recorder) -> Vec<GroupCount> {
        let mut counts = vec![GroupCount::default(); self.groups.len()];
        for (group, spikes) in self.of_neurons.iter().zip(recorder.spikes_of_neurons()) {
            if let (Some(group), 1..) = (group, spikes) {
                let count = &mut counts[*group as usize];
                count.spikes += u64::from(spikes);
                count.active += 1;
            }
        }
        counts
    }

    /// For each group whether all of its neurons are silenced.
    pub(crate) fn silenced(&self, network: &Network) -> Vec<bool> {
        let mut are_silenced = vec![true; self.groups.len()];
        let values = network.populations.iter().flat_map(|population| {
            let list = match population.parameters.get("silenced") {
                Some(Quantity::Values { values, .. }) => Some(values),
                _ => None,
            };
            (0..population.size as usize)
                .map(move |neuron| list.and_then(|list| list.get(neuron)).is_some_and(|value| *value == 1.0))
        });
        for (group, is_silenced) in self.of_neurons.iter().zip(values) {
            if let (Some(group), false) = (group, is_silenced) {
                are_silenced[*group as usize] = false;
            }
        }
        are_silenced
    }
}
