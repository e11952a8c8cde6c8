//! Statistics of synaptic variables during a run.

use serde::{Deserialize, Serialize};
use spikelet_lang::quantity::constant;
use spikelet_lang::{Diagnostic, Dimension};

use super::{Network, Quantity, between_steps};
use crate::Error;

/// Mean, standard deviation, minimum and maximum of a variable over all synapses of a projection, and a histogram. Taken at the start and
/// then every `every_ms`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Statistic {
    /// Name of a projection.
    pub object: String,
    /// Name of a variable of its synapses.
    pub var: String,
    /// Interval in ms: a whole number of steps.
    pub every_ms: f64,
    /// Both limits of the histogram, `["0 mV", "3 mV"]`; a number is in the inner unit. Without it there is no histogram. Values outside
    /// are counted separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[Quantity; 2]>,
    /// Number of bins of equal width, at most 1000; default 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<u32>,
    /// Unit of the results; default: the inner unit of the variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// A limit of a range in inner units, with its dimension; `None` for a plain number, which fits any.
pub type RangeEnd = (f64, Option<Dimension>);

/// Default number of bins.
const USUAL_BINS: u32 = 20;
/// Maximum number of bins.
const MAX_BINS: u32 = 1000;

impl Statistic {
    /// Number of bins.
    pub fn bins(&self) -> u32 {
        self.bins.unwrap_or(USUAL_BINS)
    }

    /// Interval in steps; `None` if it is not a whole number of steps.
    pub fn every_steps(&self, dt_ms: f64) -> Option<u32> {
        every_steps(self.every_ms, dt_ms)
    }

    /// Both limits of the range, if there is one.
    ///
    /// # Errors
    /// A limit is not a constant.
    pub fn ends(&self) -> Result<Option<[RangeEnd; 2]>, Diagnostic> {
        let Some(range) = &self.range else { return Ok(None) };
        let end = |quantity: &Quantity| match quantity {
            Quantity::Number(number) => Ok((*number, None)),
            other => {
                let text = other.text().unwrap_or_else(|| other.to_string());
                constant("range", &text).map(|(value, dimension)| (value, Some(dimension)))
            }
        };
        Ok(Some([end(&range[0])?, end(&range[1])?]))
    }
}

/// An interval in steps; `None` if it is not a whole number of steps, 1 or more.
pub(super) fn every_steps(every_ms: f64, dt_ms: f64) -> Option<u32> {
    let steps = libm::round(every_ms / dt_ms);
    (steps >= 1.0 && steps <= f64::from(i32::MAX) && !between_steps(every_ms, dt_ms)).then_some(steps as u32)
}

impl Network {
    pub(super) fn check_statistic(&self, path: &str, statistic: &Statistic) -> Result<(), Error> {
        let at = |key: &str| format!("{path}.{key}");
        if !self.projections.iter().any(|projection| projection.name == statistic.object) {
            if self.objects().any(|name| name == statistic.object) {
                let expected = "a statistic needs a projection";
                let way_out = "name a projection, or add a recording of some neurons";
                return Err(Error::invalid(at("object"), format!("{:?}", statistic.object), expected, way_out));
            }
            let known = self.projections.iter().map(|projection| projection.name.as_str());
            return Err(Error::unknown_name(&at("object"), "projection", &statistic.object, known));
        }
        if statistic.every_steps(self.dt_ms).is_none() {
            let expected = format!("it must be a whole number of steps of {} ms, 1 or more", self.dt_ms);
            return Err(Error::invalid(at("every_ms"), statistic.every_ms, expected, "for example 100"));
        }
        if let Some(bins) = statistic.bins {
            if statistic.range.is_none() {
                let expected = "bins need a `range`, which is not set";
                return Err(Error::invalid(at("bins"), bins, expected, "set one, or remove them"));
            }
            if !(1..=MAX_BINS).contains(&bins) {
                let expected = format!("a histogram has 1 to {MAX_BINS} bins");
                return Err(Error::invalid(at("bins"), bins, expected, format!("for example {USUAL_BINS}")));
            }
        }
        let ends = statistic.ends().map_err(|diagnostic| Error::model(&at("range"), vec![diagnostic]))?;
        if let (Some([low, high]), Some([from, to])) = (ends, &statistic.range)
            && !(low.0 < high.0 && high.0.is_finite() && low.0.is_finite())
        {
            let expected = "a range needs a finite value and a larger finite value";
            return Err(Error::invalid(at("range"), format!("[{from}, {to}]"), expected, "exchange or correct its limits"));
        }
        Ok(())
    }
}
