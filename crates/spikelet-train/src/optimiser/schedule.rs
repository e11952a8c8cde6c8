//! How the rate of learning changes with the epochs.

use serde::{Deserialize, Serialize};
use spikelet_network::Error;

/// A schedule of the rate η, as in JSON. Epochs e count from 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Its shape.
    #[serde(rename = "type")]
    pub kind: ScheduleKind,
    /// `exponential`, `step`: the factor f.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub factor: Option<f64>,
    /// `step`: the number of epochs between two factors. `cosine`: the number of epochs E until the lowest rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epochs: Option<u32>,
    /// `cosine`: the lowest rate. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowest: Option<f64>,
}

/// The shape of a schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ScheduleKind {
    /// η.
    Constant,
    /// η · fᵉ.
    Exponential,
    /// η · f to the power of ⌊e / `epochs`⌋.
    Step,
    /// `lowest` + (η − `lowest`) · (1 + cos(π min(e, E)/E)) / 2 (Loshchilov & Hutter 2017, arXiv:1608.03983, without restarts).
    Cosine,
}

impl Schedule {
    /// The rate in an epoch.
    pub(super) fn rate(&self, rate: f64, epoch: u32) -> f64 {
        let (factor, epochs) = (self.factor.unwrap_or(1.0), self.epochs.unwrap_or(1).max(1));
        match self.kind {
            ScheduleKind::Constant => rate,
            ScheduleKind::Exponential => rate * libm::pow(factor, f64::from(epoch)),
            ScheduleKind::Step => rate * libm::pow(factor, f64::from(epoch / epochs)),
            ScheduleKind::Cosine => {
                let lowest = self.lowest.unwrap_or(0.0);
                let part = f64::from(epoch.min(epochs)) / f64::from(epochs);
                lowest + (rate - lowest) * 0.5 * (1.0 + libm::cos(std::f64::consts::PI * part))
            }
        }
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let used: &[&str] = match self.kind {
            ScheduleKind::Constant => &[],
            ScheduleKind::Exponential => &["factor"],
            ScheduleKind::Step => &["factor", "epochs"],
            ScheduleKind::Cosine => &["epochs", "lowest"],
        };
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let options =
            [("factor", self.factor, "0.95"), ("epochs", self.epochs.map(f64::from), "10"), ("lowest", self.lowest, "0")];
        for (name, given, example) in options {
            let path = format!("optimiser.schedule.{name}");
            match given {
                Some(value) if !used.contains(&name) => {
                    return Err(Error::invalid(path, value, "this schedule does not have it", "remove it"));
                }
                Some(value) if !positive(value) && (name != "lowest" || value != 0.0) => {
                    return Err(Error::invalid(path, value, "a finite number above 0 is expected", "change it"));
                }
                None if used.contains(&name) && name != "lowest" => {
                    let (path, example) = ("optimiser.schedule".to_owned(), format!("\"{name}\": {example}"));
                    return Err(Error::MissingKey { path, line: None, key: name.to_owned(), example });
                }
                _ => {}
            }
        }
        Ok(())
    }
}
