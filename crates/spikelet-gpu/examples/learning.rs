//! Synapses that learn: 200 Poisson inputs onto one cell by spike-timing-dependent plasticity (Song, Miller & Abbott 2000). Prints how
//! the weights are spread, saves them to `weights.npz`, a NumPy archive, and starts a second simulation with them.
//!
//! ```sh
//! cargo run --release -p spikelet-gpu --example learning
//! ```

use std::error::Error;
use std::fs::File;
use std::io::{Read, Seek, Write};

use spikelet::{Cpu, Network, Simulation, SynapseState};

/// The model `stdp` of the library adds its synaptic current to the cell as `I_syn`.
const NETWORK: &str = r#"{
    "name": "learning", "dt_ms": 0.1, "duration_ms": 2000,
    "populations": [
        {"name": "cell", "size": 1, "threshold": "v > -54*mV", "reset": "v = -60*mV", "initial": {"v": "-60 mV"},
         "equations": "dv/dt = (-70*mV - v + 100*Mohm*I_syn)/(20*ms) : volt\nds_exc/dt = -s_exc/(5*ms) : 1\nI_syn = 20*pA*s_exc : amp"}
    ],
    "sources": [{"name": "input", "type": "poisson", "size": 200, "rate": "20 Hz"}],
    "projections": [
        {"name": "plastic", "pre": "input", "post": "cell", "connect": {"rule": "all"}, "model": "stdp",
         "parameters": {"A_plus": 0.02, "A_minus": 0.021}}
    ]
}"#;

/// Runs the network, writes the weights to `file`, and gives them.
fn simulate(file: impl Write + Seek) -> Result<Vec<f32>, Box<dyn Error>> {
    let network = Network::from_json(NETWORK)?;
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await?;
        simulation.advance((network.duration_ms / network.dt_ms).round() as u32).await?;
        let learned = simulation.synapse_state(0).await?;
        SynapseState::write(&learned, file)?;
        Ok(learned[0].variables["w"].clone())
    })
}

/// The weights of a new simulation that starts with those of a file.
fn restart(file: impl Read + Seek) -> Result<Vec<f64>, Box<dyn Error>> {
    let network = Network::from_json(NETWORK)?;
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await?;
        let learned = SynapseState::read("weights.npz", file, &|_| true)?;
        simulation.load_weights(0, "weights.npz", &learned).await?;
        Ok(simulation.values(0, "plastic.w").await?)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let weights = simulate(File::create("weights.npz")?)?;
    for bin in 0..10u8 {
        let low = f32::from(bin) / 10.0;
        let count = weights.iter().filter(|weight| ((**weight * 10.0) as u8).min(9) == bin).count();
        println!("{low:.1} to {:.1}: {count} weights", low + 0.1);
    }
    println!("{} weights read from weights.npz", restart(File::open("weights.npz")?)?.len());
    Ok(())
}

#[test]
fn weights_change_and_are_read_as_they_were_saved() -> Result<(), Box<dyn Error>> {
    let mut file = std::io::Cursor::new(Vec::new());
    let weights = simulate(&mut file)?;
    // All began at 0.5.
    assert!(weights.len() == 200 && weights.iter().filter(|weight| (**weight - 0.5).abs() > 0.1).count() > 20, "{weights:?}");
    assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)), "{weights:?}");
    let read = restart(file)?;
    assert!(read.iter().zip(&weights).all(|(read, saved)| *read == f64::from(*saved)), "{read:?}");
    Ok(())
}
