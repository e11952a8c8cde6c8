//! Own equations and a parameter sweep: the rate of an adaptive cell with a noisy input, for five input currents and 20 trials each.
//! All points of the sweep and all trials run in parallel in one simulation.
//!
//! ```sh
//! cargo run --release -p spikelet-gpu --example parameter_sweep
//! ```

use std::sync::Arc;

use spikelet::{BuildOptions, Cpu, Error, Network, Plan, Point, Simulation, Sweep};

/// The syntax of equations is that of Brian 2; units are checked.
const NETWORK: &str = r#"{
    "name": "adaptive cell", "dt_ms": 0.1, "duration_ms": 300, "seed": 7,
    "populations": [{
        "name": "cell", "size": 1,
        "equations": "dv/dt = (E_L - v + R*(I - w))/tau_m + sigma*sqrt(2/tau_m)*xi : volt\ndw/dt = -w/tau_w : amp\nI : amp (constant)",
        "threshold": "v > -50*mV", "reset": "v = -65*mV\nw += 20*pA", "refractory": "2 ms",
        "parameters": {"E_L": "-65 mV", "R": "100 Mohm", "tau_m": "10 ms", "tau_w": "100 ms", "sigma": "2 mV", "I": "200 pA"},
        "initial": {"v": "-65 mV"}
    }]
}"#;

const TRIALS: u32 = 20;

/// Each current, with the mean rate over its trials in Hz.
fn simulate() -> Result<Vec<(String, f64)>, Error> {
    let network = Arc::new(Network::from_json(NETWORK)?);
    let plan = Arc::new(Plan::new(&network)?);
    let sweep: Sweep = "cell.I = 100pA..300pA:5".parse()?;
    let mut variants = Vec::new();
    for values in Sweep::grid(std::slice::from_ref(&sweep))? {
        let point = Point::new(&network, &plan, values, BuildOptions::default())?;
        // Trials of a point differ in their noise.
        variants.extend((0..TRIALS).map(|trial| point.variant(trial)));
    }
    pollster::block_on(async {
        let mut simulation = Simulation::of_trials(variants, Box::new(Cpu::new(1))).await?;
        let steps = (network.duration_ms / network.dt_ms).round() as u32;
        let activities = simulation.advance_trials(steps).await?;
        let seconds = f64::from(TRIALS) * network.duration_ms / 1000.0;
        let points =
            activities.chunks(TRIALS as usize).map(|trials| trials.iter().map(|trial| trial.spikes.len()).sum::<usize>());
        Ok(sweep.values.into_iter().zip(points.map(|spikes| spikes as f64 / seconds)).collect())
    })
}

fn main() -> Result<(), Error> {
    println!("input current: mean rate of {TRIALS} trials");
    for (current, rate) in simulate()? {
        println!("{current}: {rate:.1} Hz");
    }
    Ok(())
}

#[test]
fn the_rate_rises_with_the_current() -> Result<(), Error> {
    let points = simulate()?;
    assert_eq!(points.len(), 5);
    assert!(points.is_sorted_by(|(_, lower), (_, higher)| lower < higher), "{points:?}");
    assert!(points[4].1 > 10.0, "{points:?}");
    Ok(())
}
