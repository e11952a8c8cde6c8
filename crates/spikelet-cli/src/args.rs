//! What can be typed.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use spikelet_gpu::Selector;

/// A spiking-neural-network simulator.
///
/// Exit codes: 0 done, 1 the run failed, 2 the input is wrong; 129, 130 or 143 where SIGHUP, SIGINT or SIGTERM ended a run, which has
/// then written what it had.
#[derive(Debug, Parser)]
#[command(name = "spikelet", version, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs a network and says what it did
    Run(Box<RunArguments>),
    /// Lists what there is: networks, models or devices
    List(ListArguments),
    /// Shows one thing in full
    Show {
        #[command(subcommand)]
        what: ShowArguments,
    },
    /// Checks a network without running it
    Check(CheckArguments),
    /// Runs conformance cases and compares what comes out with what must
    Verify(VerifyArguments),
    /// Measures how fast networks are built and run
    Bench(BenchArguments),
}

impl Command {
    /// Whether it prints JSON.
    pub(crate) fn is_for_machines(&self) -> bool {
        match self {
            Command::Run(args) => args.json,
            Command::Check(args) => args.json,
            Command::List(args) => args.json,
            Command::Verify(args) => args.json,
            Command::Bench(args) => args.json,
            Command::Show { .. } => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    pub(crate) network: String,
    /// How long to run, in ms of biological time
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) time: Option<f64>,
    /// Time step in ms
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// What to run on; `auto` takes a GPU where there is one
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// Which GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// Invocations of a GPU's workgroups: a power of two, or `auto`, which times some sizes and remembers the fastest; changes no spike
    #[arg(long, value_name = "N|auto", value_parser = workgroup_size)]
    pub(crate) workgroup_size: Option<WorkgroupSize>,
    /// CPU threads; as many as the machine has where not given
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Seed of connectivity, initial values and noise
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// How many times to run, side by side on one device, each with noise of its own
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) trials: NonZeroU32,
    /// Runs only this of the trials, counted from 0
    #[arg(long, value_name = "N", conflicts_with = "trials")]
    pub(crate) trial: Option<u32>,
    /// Runs with each of some values, such as E.tau_m=10ms..30ms:8 or E.I=100pA,200pA; repeated, with all combinations
    #[arg(long, value_name = "PATH=VALUES")]
    pub(crate) sweep: Vec<spikelet::Sweep>,
    /// Size of a catalogue network, as a multiple of the published one
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) scale: Option<f64>,
    /// Changes a value, such as E.taum="15 ms", E.size=1000 or EI.delay_ms=1; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Joins a projection by the edges of a file (CSV, Matrix Market, NPZ), such as EE=edges.csv; may be repeated
    #[arg(long, value_name = "PROJECTION=FILE", value_parser = edges)]
    pub(crate) edges: Vec<(String, String)>,
    /// Gives the synapses of a projection what they have learnt in another run, from a file of --save-weights, such as EE=weights.npz;
    /// may be repeated
    #[arg(long, value_name = "PROJECTION=FILE", value_parser = learned)]
    pub(crate) learned: Vec<(String, String)>,
    /// Changes a value while the network runs, such as "500 ms: E.I=200 pA"; may be repeated
    #[arg(long, value_name = "TIME: PATH=VALUE", allow_hyphen_values = true)]
    pub(crate) at: Vec<spikelet::Change>,
    /// Ends a run once this holds, such as "spikes > 10000" or "rate(E, 50 ms) > 100 Hz"; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub(crate) stop: Vec<String>,
    /// Loses the GPU once this time has passed: for tests of what happens then
    #[arg(long, value_name = "MS", hide = true)]
    pub(crate) lose_device_at: Option<f64>,
    /// Runs so many steps at a time, however long these take: for counts of instructions, which must not hang on the clock
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) batch_steps: Option<NonZeroU32>,
    /// Builds the network, says what it takes on the CPU and on GPUs, and runs nothing
    #[arg(long, conflicts_with = "out")]
    pub(crate) dry_run: bool,
    /// Memory that the network may take, such as 4GiB; what is free where not given
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// How synapses are kept where the network does not say; procedural ones are drawn anew at every spike
    #[arg(long, value_enum)]
    pub(crate) storage: Option<Storage>,
    /// How weights are kept where the network does not say: f16 rounds those that differ between stored synapses, to half the bytes
    #[arg(long, value_enum)]
    pub(crate) weights: Option<Weights>,
    /// Writes spikes, traces, statistics, the network and the report into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Writes what synapses with a state have learnt by the end of the run, all their variables, into this NumPy file
    #[arg(long, value_name = "FILE.npz", conflicts_with = "dry_run")]
    pub(crate) save_weights: Option<PathBuf>,
    /// How spikes, traces and statistics are written
    #[arg(long, value_enum, default_value_t = Format::Npz, requires = "out")]
    pub(crate) format: Format,
    /// Prints the report as one JSON object, or what is wrong with the network
    #[arg(long)]
    pub(crate) json: bool,
    /// Times every kernel of a GPU, and says what bounds the run
    #[arg(long)]
    pub(crate) profile: bool,
    /// Writes the dispatches of a profile into a file that chrome://tracing and ui.perfetto.dev show
    #[arg(long, value_name = "FILE", requires = "profile")]
    pub(crate) trace: Option<PathBuf>,
    /// Shows every buffer of the device, too
    #[arg(long, conflicts_with_all = ["quiet", "json"])]
    pub(crate) verbose: bool,
    /// Shows no progress and no table
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    pub(crate) network: String,
    /// Checks every kernel that a GPU would run, too; needs no GPU
    #[arg(long)]
    pub(crate) kernels: bool,
    /// Holds the kernels to what this GPU has, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME", requires = "kernels")]
    pub(crate) adapter: Option<Selector>,
    /// Shows what happens in a step, in its order: who does it, how far it looks, the bytes and arrays that it touches
    #[arg(long)]
    pub(crate) schedule: bool,
    /// Prints what was found, mistakes included, as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    /// Cases as JSON files, or folders of them
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// What to run on; the CPU is what every other backend is judged by
    #[arg(long, value_enum, default_value_t = Processor::Cpu)]
    pub(crate) backend: Processor,
    /// Which GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// With how many seeds to run statistical cases; ten or more are held to the narrow band of their mean
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) seeds: NonZeroU32,
    /// Prints the verdicts as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Runs long statistical cases on a software GPU too
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Only cases with one of these in their names (network/size/backend, see `--list`); large ones run only where their network and
    /// size are named, such as pd14/full
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,
    /// What to measure on; `auto` takes the CPU, and a GPU where there is a real one or a filter names it
    #[arg(long, value_enum, default_value_t = BenchDevice::Auto)]
    pub(crate) backend: BenchDevice,
    /// Which GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// CPU threads; as many as the machine has where not given
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Invocations of a GPU's workgroups, a power of two; 64 where not given
    #[arg(long, value_name = "N")]
    pub(crate) workgroup_size: Option<u32>,
    /// Also measures so many trials side by side, beside one
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) trials: NonZeroU32,
    /// Measures families of networks in sizes from small to large, and says from which size on a GPU is faster
    #[arg(long)]
    pub(crate) scaling: bool,
    /// Wall time to measure each case for, in seconds, without building and warming up; three repetitions at least
    #[arg(long, value_name = "S", default_value = "3", value_parser = seconds)]
    pub(crate) seconds: f64,
    /// A tenth of the time, and a tenth of the spikes compared: figures of little worth, to see that it works
    #[arg(long)]
    pub(crate) quick: bool,
    /// The case of this run that others are compared with; where not given, GPUs with the CPU, several trials with one
    #[arg(long, value_name = "NAME")]
    pub(crate) baseline: Option<String>,
    /// What to write down as the date; the system's where not given
    #[arg(long, value_name = "TEXT")]
    pub(crate) date: Option<String>,
    /// Lists the cases, and measures nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// Prints one JSON array, an object for each case
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
    /// A model of the library: its equations, parameters and presets
    Model {
        /// Its name (`spikelet list models`)
        name: String,
        #[command(flatten)]
        form: ModelForm,
    },
    /// The JSON Schema of a network's file, for editors
    Schema,
}

/// Another form of a model than the one its author gave it.
#[derive(Debug, Clone, Copy, Args)]
#[group(multiple = false)]
pub(crate) struct ModelForm {
    /// Prints the kernel that a GPU runs
    #[arg(long)]
    pub(crate) wgsl: bool,
    /// Prints the intermediate code, one operation a line
    #[arg(long)]
    pub(crate) ir: bool,
    /// Prints the equations as LaTeX
    #[arg(long)]
    pub(crate) latex: bool,
}

/// How large a GPU's workgroups are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkgroupSize {
    /// The fastest.
    Auto,
    Of(u32),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Backend {
    Auto,
    Gpu,
    Cpu,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Weights {
    I32,
    F16,
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
    Devices,
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => Ok((path.trim().to_owned(), value.trim().to_owned())),
        _ => Err("a setting has the form path, `=`, value, such as E.taum=\"15 ms\"".to_owned()),
    }
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

/// A wall time that can be spent.
fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("a time must be a number of seconds above 0 and up to a day, such as 3 or 0.5".to_owned()),
    }
}

/// A number of bytes, with a unit if any: 4GiB, 500 MB, 1000000.
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
