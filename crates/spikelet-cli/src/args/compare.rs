//! The arguments of `spikelet compare`.

use clap::{Args, ValueEnum};

use spikelet_gpu::Selector;

use super::{Backend, NetworkSettings, Storage, Weights};

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    #[arg(required_unless_present = "all", conflicts_with = "all")]
    pub(crate) network: Option<String>,
    /// Compares all networks of the catalogue, each at a small scale, and all neuron models of the library with their presets
    #[arg(long, conflicts_with_all = ["dt", "scale", "set", "edges", "learned", "at", "stop"])]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) settings: NetworkSettings,
    /// The trial, counted from 0: other noise in the same network
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) trial: u32,
    /// Storage of synapses if the network does not set it; procedural ones are drawn again at every spike
    #[arg(long, value_enum)]
    pub(crate) storage: Option<Storage>,
    /// Format of weights of the run in f32 if the network does not set it
    #[arg(long, value_enum)]
    pub(crate) weights: Option<Weights>,
    /// Compares the run in f64 with the rules of docs/language.md, executed one by one: slow, for small networks
    #[arg(long, conflicts_with_all = ["all", "trial", "storage", "weights", "elements", "backend", "adapter", "fast_math"])]
    pub(crate) reference: bool,
    /// Number of neurons of each population, and of synapses of each projection, whose variables are compared
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) elements: u32,
    /// Device of the run in f32; `gpu` with --fast-math shows what that changes
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    pub(crate) backend: Backend,
    /// GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// The GPU's own functions and fused products in neurons and synapses
    #[arg(long)]
    pub(crate) fast_math: bool,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    Text,
    Markdown,
}
