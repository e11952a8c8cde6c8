//! Runs of random networks as single numbers, which must be the same on every machine.

use std::hash::Hasher;

use fnv::FnvHasher;
use serde::Deserialize;
use spikelet::{Backend, Error, Network, Recorder, Simulation};

/// A network with what [`run_hash`] gives of it on every CPU: an entry of `tests/random.json`.
#[derive(Debug, Clone, Deserialize)]
pub struct RandomRun {
    /// What [`run_hash`] gives.
    pub hash: String,
    /// The network.
    pub network: Network,
}

/// The entries of `tests/random.json`.
///
/// # Errors
/// The text is no list of networks with hashes.
pub fn random_runs(text: &str) -> Result<Vec<RandomRun>, serde_json::Error> {
    serde_json::from_str(text)
}

/// Two hashes of a whole run: of its spikes; and of its samples, its end, and every value after it, by bits (FNV-1a with 64 bits).
///
/// # Errors
/// The network is invalid, or the backend fails.
pub async fn run_hash(network: &Network, backend: Box<dyn Backend>) -> Result<String, Error> {
    let mut simulation = Simulation::new(network, backend).await?;
    let mut recorder = Recorder::new(simulation.plan());
    let mut hash = FnvHasher::default();
    let mut add = |bytes: &[u8]| hash.write(bytes);
    let steps = network.steps() as u32;
    while simulation.step() < steps && !simulation.is_over() {
        let activity = simulation.advance(steps - simulation.step()).await?;
        recorder.add(&activity.spikes);
        activity.samples.iter().for_each(|sample| add(&sample.to_bits().to_le_bytes()));
    }
    add(&simulation.step().to_le_bytes());
    match simulation.failure() {
        Some(failure) => add(failure.to_string().as_bytes()),
        None => {
            simulation.rewind().await?;
            let named = simulation.plan().arrays().named().filter(|(_, entry)| entry.length > 0);
            let paths: Vec<String> = named.map(|(_, entry)| entry.path.clone()).collect();
            for path in paths {
                // A projection without synapses has no range of values.
                let values = simulation.values(0, &path).await.unwrap_or_default();
                values.iter().for_each(|value| add(&value.to_bits().to_le_bytes()));
            }
        }
    }
    Ok(format!("{} {:016x}", recorder.spikes_hash(), hash.finish()))
}
