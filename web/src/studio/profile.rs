//! The profile of the open network: where the time goes, and what to change.

use std::time::Duration;

use leptos::{prelude::*, task::spawn_local};
use web_sys::AbortController;

use super::{Studio, projects::sleep};
use crate::package::{Error, Simulation};
use crate::profile::Profile;

/// Wall time that is measured.
const MEASURED: Duration = Duration::from_millis(1500);

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
