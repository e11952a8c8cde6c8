//! The arguments of `spikelet bench`.

use std::num::{NonZeroU32, NonZeroUsize};

use clap::{Args, ValueEnum};
use spikelet_gpu::Selector;

use super::value::{constant, milliseconds, positive, seconds};

#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Only cases with one of these parts in their names (network/size/backend, see `--list`); large ones only if their network and size
    /// are named, such as pd14/full; a file that ends in .json is a case of its own
    #[arg(value_name = "FILTER|FILE")]
    pub(crate) filters: Vec<String>,
    /// Biological time of the warm-up, whose spikes are compared, in ms; default: 100, for large networks 20
    #[arg(long, value_name = "MS", value_parser = milliseconds)]
    pub(crate) time: Option<f64>,
    /// Device; `auto` uses the CPU, and a GPU if it is not a software GPU or a filter names it
    #[arg(long, value_enum, default_value_t = BenchDevice::Auto)]
    pub(crate) backend: BenchDevice,
    /// GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// CPU threads; default: all of the machine
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Invocations per workgroup of a GPU, a power of two; default 64
    #[arg(long, value_name = "N")]
    pub(crate) workgroup_size: Option<u32>,
    /// A number of the options of a GPU, such as spike_teams=512; only the speed depends on it. BENCHMARKS.md has the names
    #[arg(long = "constant", value_name = "NAME=VALUE", value_parser = constant)]
    pub(crate) constants: Vec<(String, u64)>,
    /// The GPU's own functions and fused products in neurons and synapses; compared spikes may then differ from those of the CPU
    #[arg(long)]
    pub(crate) fast_math: bool,
    /// Also measures this number of parallel trials
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) trials: NonZeroU32,
    /// Measures families of networks of increasing size, and prints from which size on a GPU is faster
    #[arg(long)]
    pub(crate) scaling: bool,
    /// Wall time per case in seconds, without build and warm-up; at least three repetitions
    #[arg(long, value_name = "S", default_value = "3", value_parser = seconds)]
    pub(crate) seconds: f64,
    /// A tenth of the time, and a tenth of the compared spikes: a quick check without reliable numbers
    #[arg(long)]
    pub(crate) quick: bool,
    /// The case of this run used as baseline; default: the CPU for GPUs, one trial for several
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// The date to record; default: the system date
    #[arg(long, value_name = "TEXT")]
    pub(crate) date: Option<String>,
    /// Lists the cases, and measures nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// Prints one JSON array, with an object per case
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchDevice {
    Auto,
    Cpu,
    Gpu,
    Both,
}
