//! The arguments of `spikelet resume`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use spikelet_gpu::Selector;

use super::value::{bytes, positive};
use super::{Backend, ResultFormat};

#[derive(Debug, Clone, Args)]
pub(crate) struct ResumeArguments {
    /// The folder of --out of a run that has not ended
    pub(crate) folder: PathBuf,
    /// Another device than before, whose spikes may differ from here on
    #[arg(long, value_enum)]
    pub(crate) backend: Option<Backend>,
    /// GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// CPU threads; default: as before
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Memory available to the network, such as 4GiB; default: as before
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Another file format of spikes, traces and statistics than that of the run
    #[arg(long, value_enum)]
    pub(crate) format: Option<ResultFormat>,
    /// Writes the files of --save-weights, --save-synapses and --trace of the run also if they are outside its folder
    #[arg(long)]
    pub(crate) allow_outside: bool,
    /// Prints the report of the whole run as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Prints no progress and no table
    #[arg(long)]
    pub(crate) quiet: bool,
}
