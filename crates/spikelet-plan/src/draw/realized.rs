//! A projection after drawing, before its weights have a scale.

use std::ops::Range;
use std::sync::Arc;

use spikelet_kernel::ValueCode;
use spikelet_rows::{half, ring};

use crate::check::checked::CheckedProjection;
use crate::values::NamedValues;
use crate::{Degrees, DrawnValue, EdgePlan, PerSynapse, ThirdNeurons, WeightSizes};

/// The increment of a variable by an event, in its inner unit.
#[derive(Debug, Clone)]
pub(crate) enum EventAmount {
    /// The same for all synapses.
    Shared(f64),
    /// One per synapse.
    Each(Vec<f32>),
    /// One per synapse, in the format f16.
    Half(Vec<f32>),
    /// Computed at every use.
    Code(Arc<ValueCode>),
    /// As in a revised plan: units and their shift, then the same for remainders.
    Kept { whole: (PerSynapse<i32>, i32), rest: Option<(PerSynapse<i32>, i32)> },
}

/// A write of synapses without a state.
#[derive(Debug, Clone)]
pub(crate) struct StatelessWrite {
    /// The variable of the postsynaptic model.
    pub(crate) variable: usize,
    pub(crate) amount: EventAmount,
    /// The amount before any rounding, if it is known.
    pub(crate) exact: Option<PerSynapse<f64>>,
    pub(crate) sizes: WeightSizes,
}

impl StatelessWrite {
    /// Upper bound of an event after rounding.
    pub(crate) fn bound(&self) -> f64 {
        self.sizes.bound(matches!(self.amount, EventAmount::Half(_) | EventAmount::Kept { whole: (PerSynapse::Half(_), _), .. }))
    }
}

impl EventAmount {
    /// In whole units of 2^-`whole`, and, if there is a port for it, the remainder in units of 2^-`rest`.
    pub(crate) fn in_units(self, whole: i32, rest: Option<i32>) -> (PerSynapse<i32>, Option<PerSynapse<i32>>) {
        let units = |weight: f64| ring::quantise(weight, whole);
        let left_over = |weight: f64, rest: i32| ring::rest(weight, [whole, rest]);
        match self {
            EventAmount::Shared(weight) => {
                (PerSynapse::Shared(units(weight)), rest.map(|rest| PerSynapse::Shared(left_over(weight, rest))))
            }
            EventAmount::Each(weights) => {
                let over = rest.map(|rest| each(weights.iter().map(|weight| left_over(f64::from(*weight), rest))));
                (PerSynapse::Each(Arc::new(ring::quantise_all(weights, whole))), over)
            }
            EventAmount::Half(weights) => {
                let over = rest.map(|rest| halves(weights.iter().map(|weight| left_over(f64::from(*weight), rest))));
                (halves(weights.iter().map(|weight| units(f64::from(*weight)))), over)
            }
            EventAmount::Code(code) => {
                let drawn = || PerSynapse::Drawn(DrawnValue { code: code.clone(), range: 0..0 });
                (drawn(), rest.map(|_| drawn()))
            }
            EventAmount::Kept { whole: (weights, before), rest: over } => {
                if before == whole && over.as_ref().map(|(_, before)| *before) == rest {
                    return (weights, over.map(|(weights, _)| weights));
                }
                let own = weights.units().map(|units| libm::ldexp(f64::from(units), -before));
                let mut real: Vec<f64> = own.collect();
                if let Some((over, before)) = over {
                    let own = over.units().map(|units| libm::ldexp(f64::from(units), -before));
                    real.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
                }
                let all = real.iter().copied();
                match weights {
                    PerSynapse::Shared(_) => EventAmount::Shared(real.first().copied().unwrap_or_default()).in_units(whole, rest),
                    PerSynapse::Half(_) => {
                        (halves(all.clone().map(units)), rest.map(|rest| halves(all.map(|weight| left_over(weight, rest)))))
                    }
                    PerSynapse::Drawn(of) => EventAmount::Code(of.code).in_units(whole, rest),
                    PerSynapse::Each(_) | PerSynapse::Packed(_) => {
                        (each(all.clone().map(units)), rest.map(|rest| each(all.map(|weight| left_over(weight, rest)))))
                    }
                }
            }
        }
    }
}

fn each(units: impl Iterator<Item = i32>) -> PerSynapse<i32> {
    PerSynapse::Each(Arc::new(units.collect()))
}

fn halves(units: impl Iterator<Item = i32>) -> PerSynapse<i32> {
    PerSynapse::Half(Arc::new(units.map(half::encode).collect()))
}

/// A projection with its rows drawn and its values as real numbers.
pub(crate) struct RealizedProjection {
    pub(crate) checked: CheckedProjection,
    pub(crate) pre_slice: Range<u32>,
    pub(crate) edges: EdgePlan,
    pub(crate) degrees: Arc<Degrees>,
    /// The delay of each pathway, in steps.
    pub(crate) delays: Vec<PerSynapse<u32>>,
    /// The third neurons of synapses with state, if they have any.
    pub(crate) third: Option<ThirdNeurons>,
    /// Values of parameters and of the initial state, for synapses with state.
    pub(crate) values: NamedValues,
    /// The writes of each pathway, for synapses without state.
    pub(crate) writes: Vec<Vec<StatelessWrite>>,
}
