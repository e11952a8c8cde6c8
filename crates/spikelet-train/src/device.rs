//! The interface of methods and devices.

use std::sync::Arc;

use spikelet_network::Notice;
use spikelet_plan::{Spike, Task};

use crate::{Batch, DeviceValues, RawGradient, Readings, TrainingPlan};

/// A method on a device that computes the gradient of a loss. Results do not depend on the number of threads, and are the same again.
pub trait Differentiable {
    /// The method and the device, for users.
    fn name(&self) -> String;
    /// Allocates everything for batches of up to this many trials.
    fn load(&mut self, plan: Arc<TrainingPlan>, trials: usize) -> Task<'_, ()>;
    /// From now on simulates with these values.
    fn set(&mut self, values: Arc<DeviceValues>) -> Task<'_, ()>;
    /// Simulates a batch. With `tape`, [`Differentiable::backward`] may follow.
    fn forward<'a>(&'a mut self, batch: &'a Batch, tape: bool) -> Task<'a, Readings>;
    /// The gradient of a loss, from its adjoints of the readings of the last batch: the sum over the trials.
    fn backward<'a>(&'a mut self, adjoints: &'a Readings) -> Task<'a, RawGradient>;
    /// The spikes of a trial of the last batch, by step, then neuron.
    fn spikes(&mut self, trial: usize) -> Task<'_, Vec<Spike>>;
    /// What users should know of the gradients so far.
    fn notices(&self) -> Vec<Notice> {
        Vec::new()
    }
    /// Bytes of the tape of a batch: everything that is stored for [`Differentiable::backward`].
    fn tape_bytes(&self) -> u64;
}
