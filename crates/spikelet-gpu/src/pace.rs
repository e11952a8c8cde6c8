//! How long a submission is.

use spikelet::Pacing;

/// How long the device may be busy with one submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// About 10 ms: somebody draws on the same device.
    Shared,
    /// About 50 ms: as fast as it goes.
    #[default]
    FlatOut,
}

/// Steps of the first submission.
const FIRST_STEPS: u32 = 8;

impl Pace {
    /// How many steps a submission has.
    pub(crate) fn pacing(self) -> Pacing {
        let target_ms = match self {
            Pace::Shared => 10.0,
            Pace::FlatOut => 50.0,
        };
        Pacing::new(target_ms).beginning_with(FIRST_STEPS)
    }
}
