//! The arguments of `spikelet compare`.

use clap::{Args, ValueEnum};

use super::{NetworkChoice, Storage, Weights, edges, learned, setting};

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) network: Option<String>,
    /// Compares all networks of the catalogue, each at a small scale, and all neuron models of the library with their presets
    #[arg(long, conflicts_with_all = ["dt", "scale", "set", "edges", "learned", "at", "stop"])]
    pub(crate) all: bool,
    /// Duration of the run, in ms of biological time
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) time: Option<f64>,
    /// Time step in ms
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// Seed of connectivity, initial values and noise
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The trial, counted from 0: other noise in the same network
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) trial: u32,
    /// Size of a catalogue network, relative to the published one
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) scale: Option<f64>,
    /// Sets a value, such as E.taum="15 ms", E.size=1000 or EI.delay_ms=1; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Sets the edges of a projection from a file (CSV, Matrix Market, NPZ), such as EE=edges.csv; may be repeated
    #[arg(long, value_name = "PROJECTION=FILE", value_parser = edges)]
    pub(crate) edges: Vec<(String, String)>,
    /// Loads the learned weights of a projection from a file of --save-weights, such as EE=weights.npz; may be repeated
    #[arg(long, value_name = "PROJECTION=FILE", value_parser = learned)]
    pub(crate) learned: Vec<(String, String)>,
    /// Changes a value during the run, such as "500 ms: E.I=200 pA"; may be repeated
    #[arg(long, value_name = "TIME: PATH=VALUE", allow_hyphen_values = true)]
    pub(crate) at: Vec<spikelet::Change>,
    /// Ends the run when a condition is true, such as "spikes > 10000" or "rate(E, 50 ms) > 100 Hz"; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub(crate) stop: Vec<String>,
    /// Storage of synapses if the network does not set it; procedural ones are drawn again at every spike
    #[arg(long, value_enum)]
    pub(crate) storage: Option<Storage>,
    /// Format of weights of the run in f32 if the network does not set it
    #[arg(long, value_enum)]
    pub(crate) weights: Option<Weights>,
    /// Number of neurons of each population, and of synapses of each projection, whose variables are compared
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) elements: u32,
    /// Prints the results as one JSON object, or with --all as one JSON array
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Format of the tables of --all
    #[arg(long, value_enum, default_value_t = TableFormat::Text, requires = "all")]
    pub(crate) format: TableFormat,
    /// Prints no progress
    #[arg(long)]
    pub(crate) quiet: bool,
}

impl CompareArguments {
    /// The network with its settings.
    pub(crate) fn choice<'a>(&'a self, network: &'a str) -> NetworkChoice<'a> {
        let CompareArguments { time, dt, seed, scale, set, edges, learned, at, stop, .. } = self;
        NetworkChoice { network, time: *time, dt: *dt, seed: *seed, scale: *scale, set, edges, learned, at, stop }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    Text,
    Markdown,
}
