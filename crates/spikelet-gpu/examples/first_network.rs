//! A first network: two cells and one synapse. Prints the membrane potential of the second cell every 5 ms.
//!
//! ```sh
//! cargo run --release -p spikelet-gpu --example first_network
//! ```

use spikelet::{Cpu, Error, Network, Simulation};

/// A population has equations, as `driver` has, or names a model of the library, as `listener` does.
const NETWORK: &str = r#"{
    "name": "two cells", "dt_ms": 0.1, "duration_ms": 100,
    "populations": [
        {"name": "driver", "size": 1, "equations": "dv/dt = (E - v)/tau : volt", "threshold": "v > -50*mV", "reset": "v = -65*mV",
         "parameters": {"E": "-45 mV", "tau": "20 ms"}, "initial": {"v": "-65 mV"}},
        {"name": "listener", "size": 1, "model": "lif_exp", "parameters": {"El": "-60 mV"}}
    ],
    "projections": [
        {"pre": "driver", "post": "listener", "connect": {"rule": "all"}, "on_pre": "ge_post += 8*mV", "delay_ms": 1.5}
    ],
    "recordings": [{"object": "listener", "var": "v", "indices": [0]}]
}"#;

/// The spike times of the driver in ms, and the potential of the listener in mV at the start of each step.
fn simulate() -> Result<(Vec<f64>, Vec<f32>), Error> {
    let network = Network::from_json(NETWORK)?;
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await?;
        let steps = (network.duration_ms / network.dt_ms).round() as u32;
        let activity = simulation.advance(steps).await?;
        let spikes = activity.spikes.iter().map(|spike| f64::from(spike.step) * network.dt_ms).collect();
        // One recorded cell: one sample in each step.
        Ok((spikes, activity.samples))
    })
}

fn main() -> Result<(), Error> {
    let (spikes, potential) = simulate()?;
    println!("spikes of the driver: {spikes:.1?} ms");
    println!("t (ms)  v of the listener (mV)");
    for (row, v) in potential.iter().step_by(50).enumerate() {
        println!("{:6}  {v:.3}", 5 * row);
    }
    Ok(())
}

#[test]
fn each_spike_depolarizes_the_listener() -> Result<(), Error> {
    let (spikes, potential) = simulate()?;
    assert!(spikes.len() == 3 && potential.len() == 1000, "{spikes:?}, {} samples", potential.len());
    // 5 ms after the first spike.
    let after = potential[(10.0 * spikes[0]) as usize + 50];
    assert!(potential[0] < -59.0 && after > potential[0] + 0.5, "{} mV, then {after} mV", potential[0]);
    Ok(())
}
