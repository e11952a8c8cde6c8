//! The first spikes of every network of the catalogue, which are the same on every machine.

use std::collections::BTreeMap;

use spikelet::{Backend, Error, Recorder, Simulation, catalogue};

/// Hashes by network.
const HASHES: &str = include_str!("../../../tests/hashes.json");

/// Numbers of CPU threads that must give the same spikes.
pub const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Networks that a software GPU runs for as long as a CPU, since a GPU that rounds like one gives the same spikes.
pub const ON_SOFTWARE_GPU: [&str; 3] = ["cuba", "coba", "izhikevich"];

/// The hash of the first 100 ms of each network of the catalogue at its small scale, seed 1: `tests/hashes.json`.
///
/// # Errors
/// The file is no table of texts.
pub fn first_spikes() -> Result<BTreeMap<String, String>, serde_json::Error> {
    serde_json::from_str(HASHES)
}

/// The same hash, of a run on a backend.
///
/// # Errors
/// The catalogue does not have the network, or the backend fails.
pub async fn run_first_spikes(name: &str, backend: Box<dyn Backend>) -> Result<String, Error> {
    let network = catalogue::network(name, catalogue::entry(name)?.small)?;
    let mut simulation = Simulation::new(&network, backend).await?;
    let mut recorder = Recorder::new(simulation.plan());
    let steps = (100.0 / network.dt_ms).round() as u32;
    while simulation.step() < steps {
        let activity = simulation.advance(100.min(steps - simulation.step())).await?;
        recorder.add(&activity.spikes);
    }
    Ok(recorder.spikes_hash())
}
