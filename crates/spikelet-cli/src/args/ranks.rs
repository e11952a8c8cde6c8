//! The arguments of runs on several ranks: processes, threads or devices that share the work.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use spikelet_gpu::Selector;
use spikelet_partition::Choice;

#[derive(Debug, Clone, Args)]
pub(crate) struct RankArguments {
    /// Number of ranks that share the work, each with its own threads in this process; `mpirun -n N` starts them as processes
    #[arg(long, value_name = "N", value_parser = super::value::positive)]
    pub(crate) ranks: Option<NonZeroUsize>,
    /// The devices of the ranks, one each, such as cpu,cpu or gpu0,cpu (`spikelet list devices`)
    #[arg(long, value_name = "DEVICE,…", value_delimiter = ',', conflicts_with_all = ["ranks", "adapter", "backend"])]
    pub(crate) devices: Vec<RankDevice>,
    /// What ranks share: whole trials and combinations of values, which is the default if there are enough, or the neurons of the network
    #[arg(long, value_enum)]
    pub(crate) split: Option<Split>,
    /// How ranks share the neurons: auto, blocks, axis, axis:x (or y, z, w), rcb, kmeans, graph, or a file of `spikelet partition --out`;
    /// default: auto, or blocks with --balance
    #[arg(long, value_name = "METHOD|FILE")]
    pub(crate) partition: Option<Division>,
    /// The share of the neurons of each rank, such as 2,1,1; `auto` measures how fast the devices are
    #[arg(long, value_name = "auto|SHARES")]
    pub(crate) balance: Option<Balance>,
    /// How long a rank waits for an answer of others before all of them end, such as 10min
    #[arg(long, value_name = "S", default_value = "1h", value_parser = super::value::wall_time)]
    wait_limit: f64,
    /// Runs only this part of all trials and combinations of values, such as 3/16: the third of sixteen
    #[arg(long, value_name = "K/N", conflicts_with = "trial")]
    pub(crate) part: Option<JobPart>,
}

impl RankArguments {
    /// How long a rank waits for others.
    pub(crate) fn wait_limit(&self) -> Duration {
        Duration::from_secs_f64(self.wait_limit)
    }
}

/// What ranks share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Split {
    Trials,
    Network,
}

/// How ranks share the neurons.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Division {
    Method(Choice),
    File(PathBuf),
}

impl FromStr for Division {
    type Err = String;

    fn from_str(text: &str) -> Result<Division, String> {
        let path = Path::new(text);
        match text.parse() {
            Ok(choice) => Ok(Division::Method(choice)),
            Err(_) if path.exists() || path.extension().is_some() || path.components().count() > 1 => {
                Ok(Division::File(path.to_owned()))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The shares of ranks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Balance {
    /// By the speed of their devices.
    Auto,
    /// One number for each.
    Shares(Vec<f64>),
}

impl FromStr for Balance {
    type Err = String;

    fn from_str(text: &str) -> Result<Balance, String> {
        let share = |text: &str| text.trim().parse::<f64>().ok().filter(|share| *share > 0.0 && *share <= 1e9);
        match text.trim() {
            "auto" => Ok(Balance::Auto),
            list => list
                .split(',')
                .map(share)
                .collect::<Option<_>>()
                .map(Balance::Shares)
                .ok_or_else(|| "shares must be numbers above 0, one for each rank, such as 2,1,1, or auto".into()),
        }
    }
}

/// The device of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RankDevice {
    Cpu,
    Gpu(Selector),
}

impl FromStr for RankDevice {
    type Err = String;

    fn from_str(text: &str) -> Result<RankDevice, String> {
        match (text.trim(), text.trim().strip_prefix("gpu")) {
            ("cpu", _) => Ok(RankDevice::Cpu),
            (_, Some("")) => Ok(RankDevice::Gpu(Selector::Best)),
            (_, Some(number)) if number.parse::<usize>().is_ok() => number.parse().map(RankDevice::Gpu),
            _ => {
                Err("a device of a rank must be cpu, gpu, or gpu with its number of `spikelet list devices`, such as gpu0".into())
            }
        }
    }
}

/// A part of all runs: number `index` of `count`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct JobPart {
    pub(crate) index: usize,
    pub(crate) count: usize,
}

impl JobPart {
    /// The runs of this part: the parts have as equal numbers as possible.
    pub(crate) fn range(self, runs: usize) -> std::ops::Range<usize> {
        runs * (self.index - 1) / self.count..runs * self.index / self.count
    }
}

impl FromStr for JobPart {
    type Err = String;

    fn from_str(text: &str) -> Result<JobPart, String> {
        let number = |text: &str| text.trim().parse::<usize>().ok().filter(|number| (1..=10_000_000).contains(number));
        match text.split_once('/').map(|(index, count)| (number(index), number(count))) {
            Some((Some(index), Some(count))) if index <= count => Ok(JobPart { index, count }),
            _ => Err("a part has the form K/N with K from 1 to N, such as 3/16".into()),
        }
    }
}

impl std::fmt::Display for JobPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_all_runs() {
        for (runs, count) in [(16, 16), (40, 16), (3, 5), (10_000_000, 7)] {
            let parts = (1..=count).map(|index| JobPart { index, count }.range(runs));
            let ends = parts.fold(0, |end, part| {
                assert!(part.start == end && part.len().abs_diff(runs / count) <= 1, "{part:?} of {runs}");
                part.end
            });
            assert_eq!(ends, runs);
        }
        for wrong in ["", "3", "0/4", "5/4", "1/0", "a/b", "1/2/3"] {
            assert!(wrong.parse::<JobPart>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_are_positive_numbers() {
        assert_eq!(
            ["auto", "2,1, 0.5"].map(|text| text.parse().ok()),
            [Some(Balance::Auto), Some(Balance::Shares(vec![2.0, 1.0, 0.5]))]
        );
        for wrong in ["", "1,", "1,0", "-1,2", "nan,1", "inf", "1;2"] {
            assert!(wrong.parse::<Balance>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_device_is_a_kind_with_a_number() {
        assert_eq!(
            ["cpu", "gpu", "gpu1"].map(|text| text.parse().ok()),
            [Some(RankDevice::Cpu), Some(RankDevice::Gpu(Selector::Best)), Some(RankDevice::Gpu(Selector::Number(1)))]
        );
        for wrong in ["", "tpu", "gpux", "cpu0"] {
            assert!(wrong.parse::<RankDevice>().is_err(), "{wrong}");
        }
    }
}
