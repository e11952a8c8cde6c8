//! The profile of the open network: where the time goes, and what to change.

use std::time::Duration;

use leptos::{prelude::*, task::spawn_local};
use serde::Deserialize;
use web_sys::AbortController;

use super::{Studio, projects::sleep};
use crate::package::{Error, Simulation};

/// Wall time that is measured.
const MEASURED: Duration = Duration::from_millis(1500);

/// An operation of the CPU threads, or a kernel of the GPU.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ProfileRow {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    /// Fraction of the time of all, from 0 to 1.
    pub(crate) share: f64,
}

/// A change, and the measured reason.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Advice {
    pub(crate) change: String,
    pub(crate) reason: String,
}

/// What the page shows of a profile.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Profile {
    /// Of a CPU.
    #[serde(default)]
    pub(crate) operations: Vec<ProfileRow>,
    /// Of a GPU.
    #[serde(default)]
    pub(crate) kernels: Vec<ProfileRow>,
    pub(crate) neuron_updates_per_second: Option<f64>,
    pub(crate) synaptic_events_per_second: Option<f64>,
    /// What limits the speed of a GPU.
    pub(crate) bottleneck: Option<String>,
    pub(crate) advice: Vec<Advice>,
}

/// The state of the panel.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum ProfileState {
    /// Nothing was measured.
    #[default]
    Nothing,
    /// The network is being measured.
    Measuring,
    /// The profile.
    Measured(Profile),
    /// Why there is none.
    Failed(String),
}

impl Studio {
    /// Measures the open network with its current parameters, from its start, in a simulation of its own: the open one pauses and stays as it is.
    pub(crate) fn measure(self, state: RwSignal<ProfileState>) {
        self.rest();
        state.set(ProfileState::Measuring);
        let request = self.request_now();
        let code = (request.seed, self.workgroup_size.get_untracked());
        spawn_local(async move {
            let signal = AbortController::new().expect("a browser can give up").signal();
            let created = Simulation::create_measured(&request.source, request.backend, code, &signal).await;
            let profile = match created {
                Ok(simulation) => run(&simulation).await,
                Err(error) => Err(error),
            };
            state.set(match profile {
                Ok(profile) => ProfileState::Measured(profile),
                Err(error) => ProfileState::Failed(error.message),
            });
        });
    }
}

async fn run(simulation: &Simulation) -> Result<Profile, Error> {
    // It may end by itself before.
    spawn_local({
        let run = simulation.run();
        async move { drop(run.await) }
    });
    sleep(MEASURED).await;
    simulation.pause().await?;
    simulation.profile().await
}
