//! The arguments of `spikelet assemblies`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use spikelet_gpu::Selector;

use super::Backend;
use super::value::bytes;

/// What the help of the command shows.
pub(super) const EXAMPLES: &str = "Examples:
  spikelet assemblies project --n 1000000 --k 1000 --p 0.001 --seeds 5
  spikelet assemblies merge --p 0.01 --rounds 50 --mode procedural --json
  spikelet assemblies parse \"cats chase mice\"
  spikelet assemblies figure density --out figures";

/// Operations on assemblies, a parser, and figures.
#[derive(Debug, Subcommand)]
pub(crate) enum AssembliesCommand {
    /// Projects a stimulus into an area, where an assembly forms
    Project(OperationArguments),
    /// Projects two assemblies into a third area, first one by one, then together: their images come to overlap
    Associate(OperationArguments),
    /// Merges the assemblies of two areas into one in a third, with feedback
    Merge(OperationArguments),
    /// Forms an assembly, keeps a part of it, and lets the area complete it
    Complete {
        #[command(flatten)]
        operation: OperationArguments,
        /// The part that is kept
        #[arg(long, value_name = "ALPHA", default_value = "0.5", value_parser = part)]
        keep: f64,
        /// Rounds in which the area completes it
        #[arg(long, value_name = "R", default_value = "5")]
        recall: NonZeroU32,
    },
    /// Presents a sequence of stimuli to an area, a round each, and recalls it from the first; `--rounds` is the number of presentations
    Sequence {
        #[command(flatten)]
        operation: OperationArguments,
        /// Number of stimuli in the sequence
        #[arg(long, value_name = "L", default_value = "5", value_parser = clap::value_parser!(u32).range(2..=1000))]
        length: u32,
    },
    /// Parses a sentence with assemblies of words, and prints its dependencies
    Parse(ParseArguments),
    /// Computes a published figure
    Figure(FigureArguments),
}

impl AssembliesCommand {
    pub(crate) fn is_for_machines(&self) -> bool {
        match self {
            AssembliesCommand::Project(args) | AssembliesCommand::Associate(args) | AssembliesCommand::Merge(args) => args.json,
            AssembliesCommand::Complete { operation, .. } | AssembliesCommand::Sequence { operation, .. } => operation.json,
            AssembliesCommand::Parse(args) => args.json,
            AssembliesCommand::Figure(args) => args.json,
        }
    }
}

/// What all operations have.
#[derive(Debug, Clone, Args)]
pub(crate) struct OperationArguments {
    /// Number of neurons of each area
    #[arg(long, value_name = "N", default_value = "100000")]
    pub(crate) n: u32,
    /// Number of neurons that fire in a round, in each area and stimulus
    #[arg(long, value_name = "K", default_value = "317")]
    pub(crate) k: u32,
    /// Probability of a synapse between any two neurons
    #[arg(long, value_name = "P", default_value = "0.05", allow_negative_numbers = true)]
    pub(crate) p: f64,
    /// Plasticity: a synapse onto a winner from a neuron that fired is multiplied by 1 + beta
    #[arg(long, value_name = "BETA", default_value = "0.05", allow_negative_numbers = true)]
    pub(crate) beta: f64,
    /// Number of rounds of each phase of the operation
    #[arg(long, value_name = "R", default_value = "25")]
    pub(crate) rounds: NonZeroU32,
    /// The largest weight; default: as large as the input of a neuron allows, at most 10000
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    pub(crate) w_max: Option<f64>,
    #[command(flatten)]
    pub(crate) engine: EngineArguments,
    /// Runs with each of the seeds 1, 2, … S
    #[arg(long, value_name = "S", default_value = "1")]
    pub(crate) seeds: NonZeroU32,
    /// Writes the areas of the first seed and all rounds as a network, whose spikes in step r are the winners of round r; not in the mode `lazy`
    #[arg(long, value_name = "FILE")]
    pub(crate) save_network: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What computes rounds.
#[derive(Debug, Clone, Args)]
pub(crate) struct EngineArguments {
    /// How synapses are represented: `explicit` stores all, `procedural` draws those of neurons that fire, `lazy` has only neurons that
    /// have won
    #[arg(long, value_enum, default_value_t = Mode::Lazy)]
    pub(crate) mode: Mode,
    /// CPU threads; winners do not depend on them. Default: 1 in the mode `lazy`, else all of the machine
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Device; `auto` is the CPU. A GPU has the modes `procedural` and `explicit`, and the same winners
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// Memory for areas and synapses, such as 4GiB; default: the free memory
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct ParseArguments {
    /// The sentence, such as "cats chase mice"
    #[arg(required_unless_present = "generate", conflicts_with = "generate")]
    pub(crate) sentence: Option<String>,
    /// Parses all sentences that the grammar generates within bounds, and prints the fraction whose dependencies are right
    #[arg(long)]
    pub(crate) generate: bool,
    /// The largest number of adjectives before a noun in generated sentences
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(..=3), conflicts_with = "sentence")]
    pub(crate) adjectives: u32,
    /// The largest number of prepositional phrases in generated sentences
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(..=2), conflicts_with = "sentence")]
    pub(crate) phrases: u32,
    /// The grammar
    #[arg(long, value_enum, default_value_t = Grammar::English)]
    pub(crate) grammar: Grammar,
    /// Seed of the synapses, and of the words of generated sentences
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) seed: u64,
    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FigureArguments {
    /// The figure
    #[arg(value_enum)]
    pub(crate) name: Figure,
    /// Runs each point with the seeds 1, 2, … S
    #[arg(long, value_name = "S", default_value = "3")]
    pub(crate) seeds: NonZeroU32,
    /// Divides the number of neurons by this, and that of winners by its square root: a quick look with other values
    #[arg(long, value_name = "X", default_value = "1")]
    pub(crate) reduce: NonZeroU32,
    #[command(flatten)]
    pub(crate) engine: EngineArguments,
    /// Writes the figure as NAME.csv, NAME.json and NAME.svg to this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Prints one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// How synapses are represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    Lazy,
    Procedural,
    Explicit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Grammar {
    English,
    Russian,
}

/// A published figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Figure {
    /// Support of a projected assembly against beta
    Project,
    /// Support of merged assemblies against beta
    Merge,
    /// Overlap of two associated assemblies against the rounds in which they fire together
    Associate,
    /// Completed part of an assembly against the part that is kept
    Complete,
    /// Density of synapses within an assembly against beta
    Density,
}

/// A part of a whole, above 0 and up to 1.
fn part(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part <= 1.0 => Ok(part),
        _ => Err("the part that is kept must be above 0 and at most 1, such as 0.5".to_owned()),
    }
}
