//! What a run recorded, in formats of archives and of analysis: NWB ([`nwb`]) and SONATA ([`sonata_spikes`], [`sonata_reports`]).

mod nwb;
mod sonata;

pub use nwb::{Metadata, Session, Subject, nwb};
pub(crate) use sonata::root as sonata_root;
pub use sonata::{sonata_reports, sonata_spikes};

/// The spikes and traces of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Results {
    /// Name and number of neurons of each population and source.
    pub populations: Vec<(String, u32)>,
    /// Population, neuron in it, and time in ms, in the order of time.
    pub spikes: Vec<(usize, u32, f64)>,
    /// Start and end of the time of which there are all spikes, in ms.
    pub observed_ms: [f64; 2],
    /// What was recorded in between.
    pub traces: Vec<Trace>,
}

/// The values of a variable at an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Object and variable, such as `E.v`, or `mean(E.v)`.
    pub name: String,
    /// The unit, empty for pure numbers.
    pub unit: String,
    /// The neurons or synapses, a column for each; empty for one value of several.
    pub indices: Vec<u32>,
    /// Time of the first row, in ms.
    pub start_ms: f64,
    /// Time from row to row, in ms.
    pub interval_ms: f64,
    /// Row by row.
    pub values: Vec<f32>,
}

impl Trace {
    /// Number of values in a row.
    fn columns(&self) -> usize {
        self.indices.len().max(1)
    }

    /// Number of rows.
    fn rows(&self) -> usize {
        self.values.len() / self.columns()
    }
}
