//! A projection that is drawn, before its weights have a scale.

use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::ValueCode;

use super::checked::Checked;
use super::values::Named;
use super::{Degrees, EdgePlan, PerSynapse};

/// What an event adds to a variable, in its inner unit.
#[derive(Debug, Clone)]
pub(super) enum Amount {
    /// The same for all synapses.
    Shared(f64),
    /// One each.
    Each(Vec<f32>),
    /// One each, to be kept as f16.
    Half(Vec<f32>),
    /// Computed whenever it is wanted.
    Code(Arc<ValueCode>),
    /// As it is in a plan that is revised, with its shift.
    Kept(PerSynapse<i32>, i32),
}

/// A write of synapses without a state.
#[derive(Debug, Clone)]
pub(super) struct Write {
    /// The variable of the postsynaptic model.
    pub(super) variable: usize,
    pub(super) amount: Amount,
    /// The largest absolute value.
    pub(super) largest: f64,
}

impl Write {
    /// What no event exceeds, however it is rounded.
    pub(super) fn bound(&self) -> f64 {
        match self.amount {
            // A part in 2048 that it may become larger, and as much again for the units that were rounded before.
            Amount::Half(_) | Amount::Kept(PerSynapse::Half(_), _) => self.largest * (1.0 + 1.0 / 1024.0),
            _ => self.largest,
        }
    }
}

/// A projection with its rows drawn and its values as real numbers.
pub(super) struct Drawn {
    pub(super) checked: Checked,
    pub(super) pre_slice: Range<u32>,
    pub(super) edges: EdgePlan,
    pub(super) degrees: Arc<Degrees>,
    /// The delay of each pathway, in steps.
    pub(super) delays: Vec<PerSynapse<u32>>,
    /// Values of parameters and of the initial state, where synapses have one.
    pub(super) values: Named,
    /// What each pathway writes, where synapses have no state.
    pub(super) writes: Vec<Vec<Write>>,
}
