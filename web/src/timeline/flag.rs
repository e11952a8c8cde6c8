//! A change of the run, as the list of changes shows it.

use serde::Deserialize;

use crate::number;

/// The kind of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum FlagKind {
    /// A parameter was set.
    Set,
    /// A timed change of the network.
    Scheduled,
    /// Single values or learned weights were written, which cannot be repeated from their text.
    Written,
}

/// A change of the run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Flag {
    /// Its number.
    pub(crate) id: u32,
    /// Its kind.
    pub(crate) kind: FlagKind,
    /// What was changed, such as `E.taum`.
    pub(crate) path: String,
    /// The first step with the change.
    pub(crate) step: u32,
    /// The value, such as `15 ms`; can be empty.
    pub(crate) value: String,
}

impl Flag {
    /// Its time in ms.
    pub(crate) fn time_ms(&self, dt_ms: f64) -> f64 {
        f64::from(self.step) * dt_ms
    }

    /// Its text: `E.taum = 15 ms at 1 200 ms`.
    pub(crate) fn words(&self, dt_ms: f64) -> String {
        let time = number::quantity(self.time_ms(dt_ms), "ms");
        if self.value.is_empty() {
            format!("{} at {time}", self.path)
        } else {
            format!("{} = {} at {time}", self.path, self.value)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_says_what_and_when() {
        let flag = |value: &str| Flag { id: 1, kind: FlagKind::Set, path: "E.taum".into(), step: 2500, value: value.into() };
        assert_eq!(flag("15 ms").words(0.1), "E.taum = 15 ms at 250\u{a0}ms");
        assert_eq!(flag("").words(0.1), "E.taum at 250\u{a0}ms");
    }
}
