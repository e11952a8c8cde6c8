//! Changes of recordings during a run.

use std::borrow::Cow;
use std::sync::Arc;

use spikelet_plan::Precision;

use super::Simulation;
use super::snapshot::Placed;
use crate::network::Recording;
use crate::snapshot::SavedArray;
use crate::{ArrayEntry, Error, Network, Owner, Plan};

/// A network and its plan with the old and the new recordings.
type RecordingChange = [(Arc<Network>, Arc<Plan>); 2];

impl Simulation {
    /// Replaces the [recordings](Network::recordings) in all trials, from the next returned step on: [`Plan::channels`] change then.
    /// Dynamic state and rows do not change; synapses with state are drawn again for their values. Earlier snapshots fit as long as the
    /// arrays of the device are the same.
    ///
    /// # Errors
    /// A recording is invalid, and nothing has changed; as [`Simulation::rewind`]; or an error of the device, which then has no network.
    pub async fn record(&mut self, recordings: Vec<Recording>) -> Result<(), Error> {
        self.rewind().await?;
        let mut rebuilt: Vec<RecordingChange> = Vec::new();
        for run in &self.runs {
            let (network, plan) = &run.history.built;
            let same = |[(_, other), _]: &&RecordingChange| Arc::ptr_eq(other, plan);
            let new = match rebuilt.iter().find(same) {
                Some([_, new]) => new.clone(),
                None => {
                    let mut network = (**network).clone();
                    network.recordings.clone_from(&recordings);
                    network.validate()?;
                    let plan = plan.recording(&network)?;
                    (Arc::new(network), Arc::new(plan))
                }
            };
            rebuilt.push([(network.clone(), plan.clone()), new]);
        }
        let mut snapshot = self.snapshot().await?;
        for ((run, trial), [_, (network, plan)]) in self.runs.iter_mut().zip(&mut snapshot.trials).zip(&rebuilt) {
            trial.network = network.clone();
            run.history.rebuild(network, plan);
        }
        self.restore_arrays(&snapshot, |plan, precision, trial| Ok(moving(plan, precision, &trial.arrays))).await?;
        self.checkpoint().await
    }
}

/// The dynamic arrays with their indices in another plan of the network, and weights that were written. All others follow from it.
fn moving<'a>(plan: &Plan, precision: Precision, arrays: &'a [SavedArray]) -> Placed<'a> {
    let goes_on = |entry: &ArrayEntry| entry.moves() || matches!(entry.owner, Owner::Events { .. });
    let found = plan.arrays().iter().filter(|(_, entry)| goes_on(entry)).filter_map(|(id, entry)| {
        let fits = |kept: &SavedArray| precision == Precision::Double || kept.words.len() == entry.length;
        let kept = arrays.iter().find(|kept| kept.name == entry.path && fits(kept))?;
        Some((id, Cow::Borrowed(kept.words.as_slice())))
    });
    found.collect()
}
