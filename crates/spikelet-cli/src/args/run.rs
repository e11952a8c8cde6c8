//! The arguments of `spikelet run`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use spikelet_gpu::Selector;

use super::screen::Screen;
use super::value::{
    WorkgroupSize, bytes, edges, learned, model_time, positive, seconds, setting, time_ms, wall_time, workgroup_size,
};
use super::{Backend, CostArguments, RankArguments};
use crate::run_description::RunDescription;

#[derive(Debug, Clone, Args)]
pub(crate) struct RunArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    pub(crate) network: String,
    #[command(flatten)]
    pub(crate) settings: NetworkSettings,
    /// Device; `auto` uses a GPU if there is one
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// Precision; `f64` runs on one thread of the CPU and is slow: it shows the rounding errors of f32
    #[arg(long, value_enum, default_value_t = Precision::F32)]
    pub(crate) precision: Precision,
    /// GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// Invocations per workgroup of a GPU: a power of two, or `auto`, which measures some sizes and stores the fastest; spikes do not
    /// depend on it
    #[arg(long, value_name = "N|auto", value_parser = workgroup_size)]
    pub(crate) workgroup_size: Option<WorkgroupSize>,
    /// The GPU's own functions and fused products in neurons and synapses: faster, but spikes are no longer the same on every device
    #[arg(long)]
    pub(crate) fast_math: bool,
    /// Whether neurons that a step without input leaves as they are sleep until something reaches them: the results are the same
    #[arg(long, value_enum, default_value_t = Sleep::Exact)]
    pub(crate) sleep: Sleep,
    /// CPU threads; default: all of the machine
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Number of trials, run in parallel on one device with independent noise
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) trials: NonZeroU32,
    /// Runs only this trial, counted from 0
    #[arg(long, value_name = "N", conflicts_with = "trials")]
    pub(crate) trial: Option<u32>,
    /// Runs with each of several values, such as E.tau_m=10ms..30ms:8 or E.I=100pA,200pA; may be repeated for all combinations
    #[arg(long, value_name = "PATH=VALUES")]
    pub(crate) sweep: Vec<spikelet::Sweep>,
    /// Runs once as it is, and once for each text in a column of the table of neurons, with the neurons that have it silenced: brain.type, or
    /// "brain[side == 'left'].type" for some of them
    #[arg(long, value_name = "NEURONS.COLUMN")]
    pub(crate) screen: Vec<Screen>,
    /// Adds the rates of groups of neurons, by a column of their table, to the report (with --out: groups.csv)
    #[arg(long, value_name = "COLUMN")]
    pub(crate) by: Option<String>,
    #[command(flatten)]
    pub(crate) cost: CostArguments,
    #[command(flatten)]
    pub(crate) of_ranks: RankArguments,
    /// Destroys the GPU at this time, to test the recovery
    #[arg(long, value_name = "MS", hide = true)]
    pub(crate) lose_device_at: Option<f64>,
    /// Panics at this time, or before weights and synapses are saved if the run has ended by then, to test the end by a panic
    #[arg(long, value_name = "MS", hide = true)]
    pub(crate) panic_at: Option<f64>,
    /// Lets the last of several ranks do nothing from this time on, to test how the others end
    #[arg(long, value_name = "MS", hide = true)]
    pub(crate) hang_at: Option<f64>,
    /// Lets the allocation of this number among those of at least 1 MiB fail, to test the end without memory
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) refuse_allocation: Option<u32>,
    /// Number of steps per batch, independent of the clock, for counts of instructions
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) batch_steps: Option<NonZeroU32>,
    /// Prints the memory of the network on the CPU and on GPUs, and runs no step; a large network is not drawn, but estimated
    #[arg(long, conflicts_with = "out")]
    pub(crate) dry_run: bool,
    /// With `--dry-run`, draws the synapses of a large network, too: exact numbers, which may take minutes
    #[arg(long, requires = "dry_run", conflicts_with = "ranks")]
    pub(crate) exact: bool,
    /// Memory available to the network, such as 4GiB; default: the free memory
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Storage of synapses if the network does not set it; procedural ones are drawn again at every spike
    #[arg(long, value_enum)]
    pub(crate) storage: Option<Storage>,
    /// Format of weights if the network does not set it: f16 rounds those that differ between stored synapses, to half the bytes; `auto`
    /// allows it if the network does not fit otherwise
    #[arg(long, value_enum)]
    pub(crate) weights: Option<Weights>,
    /// Writes spikes, traces, statistics, the network and the report to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// With --out, keeps and writes spikes and traces of the last MS of the run only; 0: none. The report is of the whole run
    #[arg(long, value_name = "MS", requires = "out", value_parser = time_ms)]
    pub(crate) keep: Option<f64>,
    /// With --out, saves the state about every S seconds of wall time, so that `spikelet resume DIR` continues after any end of the program
    #[arg(long, value_name = "S", requires = "out", value_parser = wall_time)]
    pub(crate) checkpoint_every: Option<f64>,
    /// The same at intervals of biological time, such as 500ms
    #[arg(long, value_name = "MS", requires = "out", value_parser = model_time)]
    pub(crate) checkpoint_every_model: Option<f64>,
    /// Writes all variables of synapses with state at the end of the run to this NumPy file
    #[arg(long, value_name = "FILE.npz", conflicts_with = "dry_run")]
    pub(crate) save_weights: Option<PathBuf>,
    /// Writes all synapses with their delays and their values at the end of the run to this folder, as `spikelet export` does, with the network
    /// that reads them
    #[arg(long, value_name = "DIR", conflicts_with = "dry_run")]
    pub(crate) save_synapses: Option<PathBuf>,
    /// Measures the spikes from this time on, in ms: CV2, Fano factor, synchrony, correlations, spectra and correlograms; default: from the start
    #[arg(long, value_name = "FROM_MS", num_args = 0..=1, require_equals = true, default_missing_value = "0", value_parser = time_ms)]
    pub(crate) statistics: Option<f64>,
    /// File format of spikes, traces and statistics
    #[arg(long, value_enum, default_value_t = ResultFormat::Npz, requires = "out")]
    pub(crate) format: ResultFormat,
    /// What only you know of a run, for --format nwb: a JSON file with `experimenter`, `institution`, `lab`, `experiment_description`, `keywords`,
    /// `related_publications` and `subject`; docs/results.md has an example
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(crate) metadata: Option<PathBuf>,
    /// Prints the report, or the errors in the network, as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Measures the operations of the CPU or the kernels of a GPU, and prints what limits the speed and what to change
    #[arg(long)]
    pub(crate) profile: bool,
    /// Prints time, memory, speed and rates about every S seconds, and adds them to the report (with --out: monitor.csv)
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "dry_run")]
    pub(crate) monitor: Option<f64>,
    /// Runs the first steps once before the run, and starts again: kernels are then compiled, and memory is in use; spikes are the same
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) warm_up: bool,
    /// Writes the dispatches of a profile to a file for chrome://tracing and ui.perfetto.dev
    #[arg(long, value_name = "FILE", requires = "profile")]
    pub(crate) trace: Option<PathBuf>,
    /// Also prints every buffer of the device
    #[arg(long, conflicts_with_all = ["quiet", "json"])]
    pub(crate) verbose: bool,
    /// Prints no progress and no table
    #[arg(long)]
    pub(crate) quiet: bool,
    /// The run that is continued: no option, but `spikelet resume`
    #[arg(skip)]
    pub(crate) resumed: Option<Arc<RunDescription>>,
}

/// Settings of a network, for each command that runs one.
#[derive(Debug, Clone, Args)]
pub(crate) struct NetworkSettings {
    /// Duration of the run, in ms of biological time
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) time: Option<f64>,
    /// Time step in ms
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// Seed of connectivity, initial values and noise
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Size of a catalogue network, relative to the published one
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) scale: Option<f64>,
    /// Sets a value, such as E.taum="15 ms", E.size=1000 or EI.delay_ms=1; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Sets the edges of a projection from a file (CSV, Feather, Parquet, Matrix Market, NPZ), such as EE=edges.csv; may be repeated
    #[arg(long, value_name = "PROJECTION=FILE", value_parser = edges)]
    pub(crate) edges: Vec<(String, String)>,
    /// Loads the learned weights of a projection from a file of --save-weights, such as EE=weights.npz; may be repeated
    #[arg(long, value_name = "PROJECTION=FILE", value_parser = learned)]
    pub(crate) learned: Vec<(String, String)>,
    /// Silences neurons, such as "brain[type == 'KC']" or E[0:100]: they fire no spikes; may be repeated
    #[arg(long, value_name = "NEURONS")]
    pub(crate) silence: Vec<spikelet::Endpoint>,
    /// Changes a value during the run, such as "500 ms: E.I=200 pA"; may be repeated
    #[arg(long, value_name = "TIME: PATH=VALUE", allow_hyphen_values = true)]
    pub(crate) at: Vec<spikelet::Change>,
    /// Ends the run when a condition is true, such as "spikes > 10000" or "rate(E, 50 ms) > 100 Hz"; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub(crate) stop: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    F32,
    F64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Sleep {
    Exact,
    Never,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Storage {
    Stored,
    Procedural,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Weights {
    I32,
    F16,
    Auto,
}

/// Formats of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ResultFormat {
    /// Archives of NumPy arrays
    Npz,
    /// Tables
    Csv,
    /// Tables of Apache Parquet, for pandas, Polars, DuckDB and Arrow
    Parquet,
    /// Neurodata Without Borders: spikes as units, traces as time series; statistics as NumPy arrays
    Nwb,
    /// SONATA: spikes and reports in HDF5; statistics as NumPy arrays
    Sonata,
}

impl ResultFormat {
    /// The format of files that networks read.
    pub(crate) fn of_arrays(self) -> Format {
        match self {
            ResultFormat::Csv => Format::Csv,
            ResultFormat::Npz | ResultFormat::Parquet | ResultFormat::Nwb | ResultFormat::Sonata => Format::Npz,
        }
    }
}

/// Formats of arrays.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Format {
    Npz,
    Csv,
    Parquet,
}
