//! A run on the GPU, or on the CPU where there is none; the second half of it on the CPU, from a snapshot of the first.
//!
//! ```sh
//! cargo run --release -p spikelet-gpu --example gpu_or_cpu
//! ```

use spikelet::{Cpu, Error, Recorder, Simulation, Snapshot, catalogue};
use spikelet_gpu::{BackendRequest, Request, auto};

/// Steps of 0.1 ms in each half.
const HALF: u32 = 500;

/// Runs both halves. Gives the hash of all spikes, and the same of one run on the CPU.
async fn simulate(request: &Request) -> Result<[String; 2], Error> {
    let network = catalogue::network("cuba", 0.25)?;
    let chosen = auto(request).await?;
    println!("{}: {}", chosen.name, chosen.reason);
    let mut simulation = Simulation::new(&network, chosen.backend).await?;
    let mut recorder = Recorder::new(simulation.plan());
    recorder.add(&simulation.advance(HALF).await?.spikes);

    // All that moves, as bytes: a file, say.
    let bytes = simulation.snapshot().await?.to_bytes();
    let snapshot = Snapshot::from_bytes(&bytes)?;
    let mut resumed = Simulation::from_snapshot(&snapshot, Box::new(Cpu::new(1))).await?;
    println!("{} bytes hold the state at {} ms", bytes.len(), resumed.time_ms());
    recorder.add(&resumed.advance(HALF).await?.spikes);

    let mut whole = Simulation::new(&network, Box::new(Cpu::new(1))).await?;
    let mut reference = Recorder::new(whole.plan());
    reference.add(&whole.advance(2 * HALF).await?.spikes);
    Ok([recorder.spikes_hash(), reference.spikes_hash()])
}

fn main() -> Result<(), Error> {
    let request = Request { backend: BackendRequest::Auto, threads: 1, ..Request::default() };
    let [resumed, reference] = pollster::block_on(simulate(&request))?;
    println!("spikes hash {resumed}; of one run on the CPU {reference}");
    Ok(())
}

#[test]
fn a_resumed_run_has_the_spikes_of_one_run() -> Result<(), Error> {
    // The CPU: a hardware GPU may round in its own way.
    let request = Request { backend: BackendRequest::Cpu, threads: 1, ..Request::default() };
    let [resumed, reference] = pollster::block_on(simulate(&request))?;
    assert_eq!(resumed, reference);
    Ok(())
}
