//! The length of submissions.

use spikelet::Pacing;

/// Target duration of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pace {
    /// About 10 ms: other programs draw on the same device.
    Shared,
    /// About 50 ms: maximum speed.
    #[default]
    FlatOut,
}

/// Steps of the first submission.
const FIRST_STEPS: u32 = 8;

impl Pace {
    /// The number of steps per submission.
    pub(crate) fn pacing(self) -> Pacing {
        let target_ms = match self {
            Pace::Shared => 10.0,
            Pace::FlatOut => 50.0,
        };
        Pacing::new(target_ms).beginning_with(FIRST_STEPS)
    }
}
