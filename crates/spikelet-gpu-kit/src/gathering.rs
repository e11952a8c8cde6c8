//! Spikelet beside a GPU simulator that visits all synapses in every step: the benchmark `gather` of `crates/spikelet-gpu`.

#[path = "../../spikelet-gpu/benches/gather/compare.rs"]
mod compare;
#[path = "../../spikelet-gpu/benches/gather/gather.rs"]
#[allow(clippy::unwrap_used, reason = "a benchmark that fails ends its process")]
mod gather;
#[path = "../../spikelet-gpu/benches/gather/graph.rs"]
mod graph;

use std::sync::Arc;
use std::thread::available_parallelism;
use std::time::Instant;

use pollster::block_on;
use serde_json::json;
use spikelet::{BuildOptions, Builder, Error, catalogue};

use crate::Problem;
use crate::item::{begin, emit};

/// The network.
const CASE: &str = "fly/2hz";
/// Steps whose spikes are compared.
const COMPARED: u32 = 500;
const ROUNDS: usize = 3;
/// Time of each of both in a round.
const SECONDS: f64 = 0.8;

/// Compares both.
///
/// # Errors
/// There is no GPU.
pub(crate) fn run() -> Result<(), Problem> {
    begin(0, CASE);
    let case = catalogue::cases().into_iter().find(|case| case.name() == CASE);
    let case = case.ok_or_else(|| Error::Backend(format!("there is no case {CASE}; report this error")))?;
    let threads = available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN);
    let plan = Builder::new(&case.network()?, BuildOptions { threads, ..BuildOptions::default() })?.finish()?;
    let started = Instant::now();
    let now = || started.elapsed().as_secs_f64();
    let found = block_on(compare::compare(&Arc::new(plan), COMPARED, ROUNDS, SECONDS, &now, &|line| eprintln!("{line}")));
    let found = found.ok_or_else(|| Problem::Adapter("the GPU cannot be opened".into()))?;
    let ours = compare::median(&found.ours);
    for (name, speed) in [("ours", ours), ("gather", compare::median(&found.gather))] {
        let case = format!("gather/{CASE}/{name}");
        emit(&json!({"kind": "figure", "case": case, "device": "gpu", "value": speed, "unit": "steps/s"}));
    }
    eprintln!("{}", found.summary());
    Ok(())
}
