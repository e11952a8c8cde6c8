//! Statements that run at regular times.

use serde::{Deserialize, Serialize};
use spikelet_lang::model::Interval;
use spikelet_lang::{Dimension, quantity};

use super::{Quantity, between_steps, whole};
use crate::Error;

/// Statements that run at regular times instead of at spikes: `{"every_ms": 10, "statements": "v += 1*mV"}`. They run at the start of a
/// step, in all neurons of a population or all synapses of a projection.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunRegularly {
    /// The interval (a number is in ms), a whole number of steps; default: every step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every_ms: Option<Quantity>,
    /// The time of the first run (a number is in ms), a whole number of steps; default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<Quantity>,
    /// The statements, one per line or separated by `;`.
    pub statements: String,
    /// Of several in the same step those with a smaller number run first; default 0. Of equal numbers the first in the list is first.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub order: i32,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(order: &i32) -> bool {
    *order == 0
}

impl RunRegularly {
    /// The steps in which the statements run.
    ///
    /// # Errors
    /// A time is no multiple of the time step, is out of range, or is no time.
    pub fn interval(&self, path: &str, dt_ms: f64) -> Result<Interval, Error> {
        let every = self.every_ms.as_ref().map_or(Ok(1), |every| steps(&format!("{path}.every_ms"), every, dt_ms, 1))?;
        let first = self.start_ms.as_ref().map_or(Ok(0), |start| steps(&format!("{path}.start_ms"), start, dt_ms, 0))?;
        Ok(Interval { every, first })
    }

    /// Checks everything that does not need the equations.
    pub(super) fn check(&self, path: &str, dt_ms: f64) -> Result<(), Error> {
        if self.statements.trim().is_empty() {
            let expected = "it needs at least one statement";
            return Err(Error::invalid(format!("{path}.statements"), "empty", expected, "for example \"x += 1\", or remove it"));
        }
        self.interval(path, dt_ms).map(|_| ())
    }

    /// The indices of a list, in the order in which their statements run.
    pub fn in_order(list: &[RunRegularly]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..list.len()).collect();
        order.sort_by_key(|index| list[*index].order);
        order
    }
}

/// A time as a number of steps, at least `least`.
fn steps(path: &str, time: &Quantity, dt_ms: f64, least: u32) -> Result<u32, Error> {
    let wrong = |expected: String, way_out: String| Err(Error::invalid(path, time, expected, way_out));
    let time_ms = match time {
        Quantity::Number(time) => *time,
        Quantity::Text(text) | Quantity::Expr(text) => match quantity::constant(path, text) {
            Ok((time, Dimension::TIME)) => time,
            Ok((_, dimension)) => {
                return wrong(format!("a time is expected, and this is {dimension}"), "for example \"10 ms\"".into());
            }
            Err(diagnostic) => return Err(Error::model(path, vec![diagnostic])),
        },
        Quantity::Values { .. } | Quantity::Timed { .. } => {
            return wrong("one time is expected".into(), "write one, such as \"10 ms\"".into());
        }
    };
    let steps = libm::round(time_ms / dt_ms);
    if between_steps(time_ms, dt_ms) && time_ms > 0.0 {
        let below = libm::floor(time_ms / dt_ms);
        let near = |steps: f64| format!("{} ms", whole(steps * dt_ms));
        let near: Vec<String> = [below, below + 1.0].into_iter().filter(|steps| *steps >= f64::from(least)).map(near).collect();
        return wrong(
            format!("it must be a whole number of steps of {dt_ms} ms"),
            format!("use {}, or another dt_ms", near.join(" or ")),
        );
    }
    if !(f64::from(least)..=f64::from(i32::MAX)).contains(&steps) {
        let (low, high) = (whole(f64::from(least) * dt_ms), whole(f64::from(i32::MAX) * dt_ms));
        return wrong(format!("it must be from {low} to {high} ms"), "use a time in this range".into());
    }
    Ok(steps as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regular(every: impl Into<Quantity>) -> RunRegularly {
        RunRegularly { every_ms: Some(every.into()), statements: "x += 1".into(), ..RunRegularly::default() }
    }

    #[test]
    fn times_are_whole_numbers_of_steps() {
        assert_eq!(regular(10.0).interval("r", 0.1).ok(), Some(Interval { every: 100, first: 0 }));
        assert_eq!(regular("0.3 ms").interval("r", 0.1).ok(), Some(Interval { every: 3, first: 0 }));
        let late = RunRegularly { start_ms: Some("1 ms".into()), ..regular(0.5) };
        assert_eq!(late.interval("r", 0.1).ok(), Some(Interval { every: 5, first: 10 }));
        let each = RunRegularly { every_ms: None, ..regular(0.0) };
        assert_eq!(each.interval("r", 0.1).ok(), Some(Interval { every: 1, first: 0 }));
    }

    #[test]
    fn other_times_are_errors_that_name_the_nearest_ones() {
        let message =
            |every: Quantity| regular(every).interval("r", 0.1).err().map_or_else(String::new, |error| error.to_string());
        let found = message(10.05.into());
        assert!(found.contains("r.every_ms") && found.contains("10.05"), "{found}");
        assert!(found.contains("10 ms or 10.1 ms"), "{found}");
        assert!(message(0.04.into()).contains("use 0.1 ms,"), "{}", message(0.04.into()));
        assert!(message(0.0.into()).contains("from 0.1 to"), "{}", message(0.0.into()));
        assert!(message((-1.0).into()).contains("from 0.1 to"), "{}", message((-1.0).into()));
        assert!(message("5 mV".into()).contains("a time is expected"), "{}", message("5 mV".into()));
        assert!(message("5 mss".into()).contains("mss"), "{}", message("5 mss".into()));
    }

    #[test]
    fn the_order_is_stable() {
        let of = |order: i32| RunRegularly { order, ..RunRegularly::default() };
        assert_eq!(RunRegularly::in_order(&[of(1), of(0), of(-2), of(0)]), [2, 1, 3, 0]);
    }
}
