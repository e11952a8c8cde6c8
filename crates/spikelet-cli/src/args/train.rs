//! The arguments of `spikelet train` and `spikelet evaluate`.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use spikelet_gpu::Selector;

use super::Backend;
use super::value::{bytes, positive, setting};

pub(super) const EXAMPLES: &str = "Examples:
  spikelet train yin-yang --epochs 20 --out yin-yang
  spikelet train yin-yang --method bptt --until 0.97
  spikelet train yin-yang --resume yin-yang/checkpoint --epochs 40 --out yin-yang
  spikelet show training yin-yang > mine.json; spikelet train mine.json";

pub(super) const EVALUATE_EXAMPLES: &str = "Examples:
  spikelet train xor --out xor; spikelet evaluate xor/network.json xor
  spikelet evaluate trained/network.json mine.json --data new.npz --out answers";

#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    /// A training as a JSON file, or its name (`spikelet list trainings`)
    pub(crate) training: String,
    /// How gradients are computed; default: as the training says
    #[arg(long, value_enum)]
    pub(crate) method: Option<TrainingMethod>,
    /// Passes over the data, with those before a checkpoint; default: as the training says
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<NonZeroU32>,
    /// Seed of weights, noise and the order of samples; default: as the training says
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Sets a value of the training or its network, such as optimiser.rate=0.01, train[0].rate=2 or hidden.tau_m="15 ms"; may be repeated
    #[arg(long, value_name = "PATH=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Ends when this fraction of the test samples is right, such as 0.95
    #[arg(long, value_name = "ACCURACY", value_parser = fraction)]
    pub(crate) until: Option<f64>,
    /// Ends after N epochs that were no better than the best, and keeps the network of the best. Epochs are compared by the accuracy, or
    /// without classes the loss, of the samples for validation, or else of the test samples, or else of those to train on
    #[arg(long, value_name = "N")]
    pub(crate) patience: Option<NonZeroU32>,
    #[command(flatten)]
    pub(crate) device: TrainingDevice,
    /// Memory for the tape, such as 1GiB; default: as the training says, or what is free
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub(crate) memory: Option<u64>,
    /// Writes the learning curve and the trained network to this folder, and, after each epoch, a checkpoint in place of the last one
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Continues from a checkpoint of the same training
    #[arg(long, value_name = "CHECKPOINT")]
    pub(crate) resume: Option<PathBuf>,
    /// Prints one JSON object per epoch, and a last one with the result
    #[arg(long)]
    pub(crate) json: bool,
    /// Prints no progress and no table
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArguments {
    /// A trained network as a JSON file, such as the network.json of `spikelet train --out`
    pub(crate) network: String,
    /// The training that says what is read of it, and which samples there are: a JSON file, or a name (`spikelet list trainings`)
    pub(crate) training: String,
    /// A file of samples, in place of those of the training
    #[arg(long, value_name = "FILE")]
    pub(crate) data: Option<PathBuf>,
    /// Which samples of the training
    #[arg(long, value_enum, default_value_t = SamplesOf::Test, conflicts_with = "data")]
    pub(crate) samples: SamplesOf,
    /// How the network is simulated; default: as the training says
    #[arg(long, value_enum)]
    pub(crate) method: Option<TrainingMethod>,
    #[command(flatten)]
    pub(crate) device: TrainingDevice,
    /// Writes the answers to this folder: predictions.csv, predictions.npz and evaluation.json
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Prints the result as a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What computes.
#[derive(Debug, Args)]
pub(crate) struct TrainingDevice {
    /// Device; `auto` is the CPU
    #[arg(long, value_enum, default_value_t = Backend::Auto)]
    pub(crate) backend: Backend,
    /// GPU, by its number or a part of its name (`spikelet list devices`)
    #[arg(long, value_name = "NUMBER|NAME")]
    pub(crate) adapter: Option<Selector>,
    /// CPU threads; results do not depend on them. Default: all of the machine
    #[arg(long, value_name = "T", value_parser = positive)]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Samples of a training.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SamplesOf {
    Test,
    Validation,
    Train,
}

/// How gradients are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrainingMethod {
    /// Exact gradients of the times of spikes, for leaky cells with exponential currents
    #[value(name = "eventprop")]
    EventProp,
    /// Backpropagation through time, with surrogates
    Bptt,
    /// Three factors: no errors pass through synapses between spiking neurons
    Eprop,
}

/// A part of all samples, above 0 and up to 1.
fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(part) if part > 0.0 && part <= 1.0 => Ok(part),
        _ => Err("an accuracy must be above 0 and at most 1, such as 0.95".to_owned()),
    }
}
