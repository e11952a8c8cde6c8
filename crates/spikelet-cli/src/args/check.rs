//! The arguments of `spikelet check`, `verify` and `doctor`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use spikelet_gpu::Selector;

use super::value::positive;

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Processor {
    Cpu,
    Gpu,
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
