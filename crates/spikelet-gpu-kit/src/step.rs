//! The steps of a run, and their shares of its time.

use std::time::Duration;

use clap::ValueEnum;

/// A step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Step {
    /// The adapter with its limits, features and driver.
    Adapter,
    /// How single operations are rounded.
    Operations,
    /// Whether every kernel compiles, and networks have the spikes and values of the CPU.
    Networks,
    /// Speeds, beside the CPU.
    Figures,
    /// The time of each kernel.
    Profile,
    /// The best value of each constant.
    Tune,
}

impl Step {
    /// All of them, in their order.
    pub(crate) const ALL: [Step; 6] = [Step::Adapter, Step::Operations, Step::Networks, Step::Figures, Step::Profile, Step::Tune];

    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Step::Adapter => "adapter",
            Step::Operations => "operations",
            Step::Networks => "networks",
            Step::Figures => "figures",
            Step::Profile => "profile",
            Step::Tune => "tune",
        }
    }

    /// Its share of the time, in parts of 100.
    fn share(self) -> u32 {
        match self {
            Step::Adapter | Step::Operations => 4,
            Step::Networks => 22,
            Step::Figures => 40,
            Step::Profile => 10,
            Step::Tune => 20,
        }
    }

    /// Maximum time between two results of the step: a device that takes longer hangs.
    pub(crate) fn item_limit(self) -> Duration {
        Duration::from_secs(match self {
            Step::Adapter | Step::Operations => 20,
            Step::Networks => 30,
            Step::Figures | Step::Profile => 90,
            Step::Tune => 60,
        })
    }
}

/// How long after the start of a run each of its steps has to end. What a step leaves over is for the later ones.
pub(crate) fn ends(steps: &[Step], total: Duration) -> Vec<Duration> {
    let all: u32 = steps.iter().map(|step| step.share()).sum();
    let mut used = 0;
    let end = |step: &Step| {
        used += step.share();
        total * used / all.max(1)
    };
    steps.iter().map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_steps_together_take_the_time_and_later_ones_have_what_is_left() {
        let total = Duration::from_secs(400);
        let all = ends(&Step::ALL, total);
        assert!(all.is_sorted() && all.last() == Some(&total), "{all:?}");
        assert_eq!(ends(&[Step::Tune], total), [total]);
        let two = ends(&[Step::Figures, Step::Tune], Duration::from_secs(60));
        assert_eq!(two, [Duration::from_secs(40), Duration::from_secs(60)]);
        assert!(ends(&[], total).is_empty());
    }
}
