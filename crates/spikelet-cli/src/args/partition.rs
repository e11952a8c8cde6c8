//! The arguments of `spikelet partition`.

use std::path::PathBuf;

use clap::Args;
use spikelet_partition::Choice;

use super::NetworkSettings;

#[derive(Debug, Args)]
pub(crate) struct PartitionArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    pub(crate) network: String,
    #[command(flatten)]
    pub(crate) settings: NetworkSettings,
    /// Number of ranks
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) ranks: usize,
    /// Method: auto, blocks, axis, axis:x (or y, z, w), rcb, kmeans or graph; `auto` compares all and takes the best
    #[arg(long, value_name = "METHOD", default_value = "auto")]
    pub(crate) method: Choice,
    /// Mean rates in Hz: a report of `spikelet run --json`, or an object such as {"E": 8.5}; default: expected rates
    #[arg(long, value_name = "FILE")]
    pub(crate) rates: Option<PathBuf>,
    /// Prints the results, including errors, as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Writes a picture of the partition to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Writes the partition to this JSON file
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
