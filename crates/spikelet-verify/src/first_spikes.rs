//! The first spikes of every network of the catalogue, which are the same on every machine.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use spikelet::{
    Backend, BuildOptions, Error, Exchange, Network, Partition, Plan, Played, Ranked, Recorder, Simulation, catalogue, together,
};

/// Hashes by network.
const HASHES: &str = include_str!(env!("SPIKELET_HASHES"));

/// Numbers of CPU threads that must give the same spikes.
pub const THREADS: [usize; 4] = [1, 2, 3, 8];

/// Networks that several ranks simulate together, and the number of ranks: every kind of exchange.
pub const ON_RANKS: [(&str, usize); 6] =
    [("cuba", 2), ("pd14", 3), ("waves", 2), ("plastic_cuba", 3), ("lattice4d", 4), ("assemblies_project", 2)];

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
    let network = small(name)?;
    hash(&network, Simulation::new(&network, backend).await?).await
}

/// The same hash, of a run on several ranks of this thread.
///
/// # Errors
/// As [`run_first_spikes`]; or two ranks find different spikes.
pub async fn run_first_spikes_on_ranks(
    name: &str,
    ranks: usize,
    backend: impl Fn() -> Box<dyn Backend>,
) -> Result<String, Error> {
    let network = small(name)?;
    let partition = Partition::blocks(&network, ranks)?;
    let run = async |exchange: Rc<dyn Exchange>| {
        let plan = Plan::for_part(&network, BuildOptions::default(), &partition, &*exchange).await?;
        let ranked = Ranked::new(backend(), exchange)?;
        hash(&network, Simulation::with_plan(&network, Arc::new(plan), Box::new(ranked)).await?).await
    };
    let found = together(Played::ranks(ranks).into_iter().map(|rank| run(Rc::new(rank)))).await;
    let mut found = found.into_iter().collect::<Result<Vec<String>, Error>>()?;
    found.dedup();
    match found.as_slice() {
        [hash] => Ok(hash.clone()),
        hashes => Err(Error::Backend(format!("the ranks found different spikes: {hashes:?}; report this error"))),
    }
}

fn small(name: &str) -> Result<Network, Error> {
    catalogue::network(name, catalogue::entry(name)?.small)
}

async fn hash(network: &Network, mut simulation: Simulation) -> Result<String, Error> {
    let mut recorder = Recorder::new(simulation.plan());
    let steps = (100.0 / network.dt_ms).round() as u32;
    while simulation.step() < steps {
        let activity = simulation.advance(100.min(steps - simulation.step())).await?;
        recorder.add(&activity.spikes);
    }
    Ok(recorder.spikes_hash())
}
