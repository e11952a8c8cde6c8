//! The arguments that concern the cost of a run: predictions for many ranks, the measurement of a machine, and energy.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Clone, Args)]
pub(crate) struct CostArguments {
    /// The machine of `--dry-run --ranks N`, which then predicts time and memory without building the network: a file of `spikelet machine`,
    /// or the name of a class (hdr); default: hdr
    #[arg(long, value_name = "FILE|NAME", requires = "dry_run", requires = "ranks")]
    pub(crate) machine: Option<String>,
    /// Mean rate of all populations for that prediction, in Hz; default: the expected one of the catalogue, or 5 Hz
    #[arg(long, value_name = "HZ", requires = "dry_run", requires = "ranks", value_parser = rate, allow_negative_numbers = true)]
    pub(crate) rate: Option<f64>,
    /// Reports the energy of the run: measured by the meter of the processor if the system allows it, otherwise estimated from --watts. A
    /// JSON file can have "watts", and "per_event": energies of other machines per synaptic event, to compare with
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with = "dry_run")]
    #[expect(clippy::option_option, reason = "clap's form of an option with an optional value")]
    pub(crate) energy: Option<Option<PathBuf>>,
    /// Assumed power of the machine during the run, in W, for --energy
    #[arg(long, value_name = "W", requires = "energy", value_parser = watts, allow_negative_numbers = true)]
    pub(crate) watts: Option<f64>,
}

#[derive(Debug, Args)]
pub(crate) struct MachineArguments {
    /// Writes the machine to this file, for `spikelet run --dry-run --ranks N --machine FILE`
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Threads of a rank; default: all of the machine
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Half of the neurons and a tenth of the repetitions: a quick check without reliable numbers
    #[arg(long)]
    pub(crate) quick: bool,
    /// Prints the machine as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

fn rate(text: &str) -> Result<f64, String> {
    number(text, 0.0..=10_000.0).ok_or_else(|| "a rate must be a number of Hz from 0 to 10000, such as 5".to_owned())
}

fn watts(text: &str) -> Result<f64, String> {
    let watts = number(text, 0.0..=1e9).filter(|watts| *watts > 0.0);
    watts.ok_or_else(|| "a power must be a number of W above 0 and up to 1e9, such as 65".to_owned())
}

fn number(text: &str, range: std::ops::RangeInclusive<f64>) -> Option<f64> {
    text.trim().parse().ok().filter(|number| range.contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_powers_are_in_their_range() {
        assert_eq!((rate("0"), rate(" 7.5 ")), (Ok(0.0), Ok(7.5)));
        assert_eq!(watts("65"), Ok(65.0));
        for wrong in ["", "-1", "nan", "inf", "x", "1e10"] {
            assert!(rate(wrong).is_err() && watts(wrong).is_err(), "{wrong}");
        }
        assert!(watts("0").is_err());
    }
}
