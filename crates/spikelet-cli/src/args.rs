//! The command line arguments.

mod assemblies;
mod compare;
mod cost;
mod partition;
mod ranks;
mod train;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use spikelet_gpu::Selector;

pub(crate) use assemblies::{
    AssembliesCommand, EngineArguments, Figure, FigureArguments, Grammar, Mode, OperationArguments, ParseArguments,
};
pub(crate) use compare::{CompareArguments, TableFormat};
pub(crate) use cost::{CostArguments, MachineArguments};
pub(crate) use partition::PartitionArguments;
pub(crate) use ranks::{Balance, Division, RankArguments, RankDevice, Split};
pub(crate) use train::{TrainArguments, TrainingMethod};

/// A simulator of spiking neural networks.
///
/// Exit codes: 0 success, 1 the run failed, 2 the input is invalid; 129, 130 or 143 if SIGHUP, SIGINT or SIGTERM interrupted a run; its
/// results so far are written.
#[derive(Debug, Parser)]
#[command(name = "spikelet", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a network and prints its results
    Run(Box<RunArguments>),
    /// Lists networks, models, trainings or devices
    List(ListArguments),
    /// Runs a network in f32 and in f64, and shows where they begin to differ
    Compare(Box<CompareArguments>),
    /// Divides a network among ranks, and compares methods before anything runs
    Partition(Box<PartitionArguments>),
    /// Shows a model, a training, or a schema
    Show {
        #[command(subcommand)]
        what: ShowArguments,
    },
    /// Checks a network without running it
    Check(CheckArguments),
    /// Makes a network of a file of another simulator
    Import(ImportArguments),
    /// Writes a network as a file of another simulator
    Export(ExportArguments),
    /// Runs conformance cases and compares the results with the expected ones
    Verify(VerifyArguments),
    /// Measures the speed of networks
    Bench(BenchArguments),
    /// Checks this installation: a known computation on each device
    Doctor(DoctorArguments),
    /// Measures this machine, for predictions of time on many ranks
    Machine(MachineArguments),
    /// Trains a network by gradients, and evaluates it after each epoch
    #[command(after_help = train::EXAMPLES)]
    Train(Box<TrainArguments>),
    /// Forms assemblies of neurons and computes with them, without a network file
    #[command(after_help = assemblies::EXAMPLES)]
    Assemblies {
        #[command(subcommand)]
        command: Box<AssembliesCommand>,
    },
}

impl Command {
    /// Whether it prints JSON.
    pub(crate) fn is_for_machines(&self) -> bool {
        match self {
            Command::Run(args) => args.json,
            Command::Compare(args) => args.json,
            Command::Partition(args) => args.json,
            Command::Check(args) => args.json,
            Command::List(args) => args.json,
            Command::Verify(args) => args.json,
            Command::Bench(args) => args.json,
            Command::Doctor(args) => args.json,
            Command::Machine(args) => args.json,
            Command::Train(args) => args.json,
            Command::Assemblies { command } => command.is_for_machines(),
            Command::Show { .. } | Command::Import(_) | Command::Export(_) => false,
        }
    }
}

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
    #[command(flatten)]
    pub(crate) cost: CostArguments,
    #[command(flatten)]
    pub(crate) of_ranks: RankArguments,
    /// Destroys the GPU at this time, to test the recovery
    #[arg(long, value_name = "MS", hide = true)]
    pub(crate) lose_device_at: Option<f64>,
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
    #[arg(long, value_enum, default_value_t = Format::Npz, requires = "out")]
    pub(crate) format: Format,
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
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    pub(crate) network: String,
    /// Also checks every GPU kernel; needs no GPU
    #[arg(long)]
    pub(crate) kernels: bool,
    /// Checks the kernels against the limits of this GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME", requires = "kernels")]
    pub(crate) adapter: Option<Selector>,
    /// Prints the phases of a step in their order, with the neurons and synapses, scope, bytes and arrays of each
    #[arg(long)]
    pub(crate) schedule: bool,
    /// Draws the synapses of a large network, too, as --kernels and --schedule do: exact numbers, which may take minutes
    #[arg(long)]
    pub(crate) exact: bool,
    /// Prints the results, including errors, as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// A configuration of 4D-Neural-Cognition, as JSON, or a graph of NIR
    pub(crate) file: PathBuf,
    /// Time step of the network of a graph in ms; default: 0.1
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// What a spike does to the potential of the neurons of a graph; default: value
    #[arg(long, value_enum)]
    pub(crate) reset: Option<GraphReset>,
    /// Spikes of the input of a graph: a CSV file with the columns neuron and time_ms
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Writes the network to this file; default: prints it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    pub(crate) network: String,
    /// Format of the file
    #[arg(long, value_enum)]
    pub(crate) format: ForeignFormat,
    /// Size of a catalogue network, relative to the published one
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) scale: Option<f64>,
    /// Writes to this file, or folder for npz and csv; default: prints it
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Resets of the neurons of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphReset {
    /// Sets it to v_reset, as NIR defines
    Value,
    /// Subtracts v_threshold
    Subtract,
}

/// Formats of exported networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForeignFormat {
    /// Configurations of 4D-Neural-Cognition
    #[value(name = "4d")]
    World,
    /// Graphs of the Neuromorphic Intermediate Representation
    Nir,
    /// A folder with all synapses of each projection as a NumPy archive, and the network that reads them
    Npz,
    /// The same as text
    Csv,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Cases as JSON files, or folders with cases
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Device; the CPU is the reference
    #[arg(long, value_enum, default_value_t = Processor::Cpu)]
    pub(crate) backend: Processor,
    /// GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// Number of seeds of statistical cases; with ten or more, the mean must be within the narrow tolerance
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) seeds: NonZeroU32,
    /// Prints the results as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Also runs long statistical cases on a software GPU
    #[arg(long)]
    pub(crate) full: bool,
}

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

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// CPU threads; default: all of the machine
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Prints the results as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// What to list
    #[arg(value_enum)]
    pub(crate) what: ListKind,
    /// Lists only the models of this kind
    #[arg(long, value_enum)]
    pub(crate) kind: Option<ModelKind>,
    /// Prints one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ShowArguments {
    /// A library model: its equations, parameters and presets
    Model {
        /// Its name (`spikelet list models`)
        name: String,
        #[command(flatten)]
        form: ModelForm,
    },
    /// A training: the file that `spikelet train` reads
    Training {
        /// Its name (`spikelet list trainings`)
        name: String,
        /// How it computes gradients; default: its own method
        #[arg(long, value_enum)]
        method: Option<TrainingMethod>,
    },
    /// The JSON Schema of network files, for editors
    Schema {
        /// The files
        #[arg(value_enum, default_value_t = SchemaKind::Network)]
        of: SchemaKind,
    },
}

/// Files with a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaKind {
    Network,
    Training,
}

/// Another representation of a model.
#[derive(Debug, Clone, Copy, Args)]
#[group(multiple = false)]
pub(crate) struct ModelForm {
    /// Prints the GPU kernel
    #[arg(long)]
    pub(crate) wgsl: bool,
    /// Prints the intermediate code, one operation per line
    #[arg(long)]
    pub(crate) ir: bool,
    /// Prints the equations as LaTeX
    #[arg(long)]
    pub(crate) latex: bool,
}

/// The size of GPU workgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkgroupSize {
    /// The fastest one.
    Auto,
    Of(u32),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    Auto,
    Gpu,
    Cpu,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Precision {
    F32,
    F64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BenchDevice {
    Auto,
    Cpu,
    Gpu,
    Both,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ModelKind {
    Neuron,
    Source,
    Synapse,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Processor {
    Cpu,
    Gpu,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Format {
    Npz,
    Csv,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ListKind {
    Networks,
    Models,
    Trainings,
    Devices,
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => Ok((path.trim().to_owned(), value.trim().to_owned())),
        _ => Err("a setting has the form path, `=`, value, such as E.taum=\"15 ms\"".to_owned()),
    }
}

/// A number of threads or ranks.
fn positive(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a whole number is expected, at least 1".to_owned())
}

fn workgroup_size(text: &str) -> Result<WorkgroupSize, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(WorkgroupSize::Auto),
        (_, Ok(size)) => Ok(WorkgroupSize::Of(size)),
        _ => Err("a workgroup size must be a power of two, such as 64, or auto".to_owned()),
    }
}

fn edges(text: &str) -> Result<(String, String), String> {
    let sentence = "edges have the form projection, `=`, file, such as EE=edges.csv";
    file_of_projection(text).ok_or_else(|| sentence.to_owned())
}

fn learned(text: &str) -> Result<(String, String), String> {
    let sentence = "learned weights have the form projection, `=`, file, such as EE=weights.npz";
    file_of_projection(text).ok_or_else(|| sentence.to_owned())
}

/// A projection and a file, with `=` between them.
fn file_of_projection(text: &str) -> Option<(String, String)> {
    let (projection, file) = text.split_once('=')?;
    let whole = !projection.trim().is_empty() && !file.is_empty();
    whole.then(|| (projection.trim().to_owned(), file.to_owned()))
}

/// The start of a measurement, or its length.
fn time_ms(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value >= 0.0 && value.is_finite());
    value.ok_or_else(|| "a time in ms, 0 or more, is expected".to_owned())
}

/// A wall time, with or without its unit.
fn seconds(text: &str) -> Result<f64, String> {
    match text.strip_suffix('s').unwrap_or(text).trim_end().parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("a time must be a number of seconds above 0 and up to a day, such as 3 or 0.5".to_owned()),
    }
}

/// A biological time.
fn milliseconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ms) if ms > 0.0 && ms <= 1e9 => Ok(ms),
        _ => Err("a time must be a number of ms above 0 and up to 1e9, such as 100".to_owned()),
    }
}

/// A number of bytes, with an optional unit: 4GiB, 500 MB, 1000000.
fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" | "k" => 1024.0,
        "mib" | "m" => 1_048_576.0,
        "gib" | "g" => 1_073_741_824.0,
        _ => return Err("a size must be a number with a unit, such as 4GiB or 500MB".to_owned()),
    };
    match number.parse::<f64>() {
        Ok(number) if (1.0..=9e18).contains(&(number * factor)) => Ok((number * factor) as u64),
        _ => Err("a size must be a number above 0 with a unit, such as 4GiB or 500MB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definitions_hold_together() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("4GiB"), Ok(4 << 30));
        assert_eq!(bytes("1.5 MB"), Ok(1_500_000));
        assert_eq!(bytes("4096"), Ok(4096));
        for wrong in ["", "GiB", "4 apples", "-3GiB", "0", "1e9"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_setting_keeps_all_after_its_first_equals_sign() {
        assert_eq!(setting("E.v = {\"expr\": \"i == 0\"}"), Ok(("E.v".into(), "{\"expr\": \"i == 0\"}".into())));
        assert!(setting("E.v").is_err());
        assert!(setting("=3").is_err());
    }
}
