//! Statistics of synaptic variables, taken while a network runs.

use serde::{Deserialize, Serialize};
use spikelet_lang::quantity::constant;
use spikelet_lang::{Diagnostic, Dimension};

use super::{Network, Quantity};
use crate::Error;

/// Mean, standard deviation, least and largest value of a variable over all synapses of a projection, and how many synapses have a
/// value in each part of a range. Taken at the start and then after every `every_ms`, of the state at that time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Statistic {
    /// Name of a projection.
    pub object: String,
    /// Name of a variable of its synapses.
    pub var: String,
    /// Time from one to the next, in ms: a whole number of steps.
    pub every_ms: f64,
    /// Both ends of the histogram, `["0 mV", "3 mV"]`; a number is in the inner unit. Without it there is no histogram. Values outside
    /// are counted by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[Quantity; 2]>,
    /// Into how many parts of equal width the range is cut, at most 1000; 20 where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bins: Option<u32>,
    /// Unit of the results; that of the variable inside the simulator where it is not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// An end of a range in inner units, with its dimension; none of a plain number, which fits any.
pub type RangeEnd = (f64, Option<Dimension>);

/// Parts of a range where nobody says.
const USUAL_BINS: u32 = 20;
/// Most parts of a range.
const MAX_BINS: u32 = 1000;

impl Statistic {
    /// Into how many parts the range is cut.
    pub fn bins(&self) -> u32 {
        self.bins.unwrap_or(USUAL_BINS)
    }

    /// Steps from one to the next; none where that is no whole number of them.
    pub fn every_steps(&self, dt_ms: f64) -> Option<u32> {
        let steps = self.every_ms / dt_ms;
        let whole = libm::round(steps);
        let near = (steps - whole).abs() <= 1e-9 * whole;
        (whole >= 1.0 && whole <= f64::from(i32::MAX) && near).then_some(whole as u32)
    }

    /// Both ends of the range, where there is one.
    ///
    /// # Errors
    /// An end is no constant.
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
