//! Where two devices first differ.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pollster::block_on;
use serde_json::{Value, json};
use spikelet::{ArrayEntry, ArrayId, Backend, Error, Network, Owner, Plan, Recorder, Simulation, Spike};

/// Maximum time to look for the first difference of a network.
const PATIENCE: Duration = Duration::from_secs(10);

/// A network on a device, with its spikes.
pub(crate) struct DeviceRun {
    simulation: Simulation,
    recorder: Recorder,
    spikes: Vec<Spike>,
}

impl DeviceRun {
    /// At step 0.
    ///
    /// # Errors
    /// The device rejects the plan.
    pub(crate) fn new(network: &Network, plan: &Arc<Plan>, backend: Box<dyn Backend>) -> Result<DeviceRun, Error> {
        let simulation = block_on(Simulation::with_plan(network, plan.clone(), backend))?;
        Ok(DeviceRun { recorder: Recorder::new(plan), simulation, spikes: Vec::new() })
    }

    /// Runs some more steps.
    ///
    /// # Errors
    /// The device's failure.
    pub(crate) fn advance(&mut self, steps: u32) -> Result<(), Error> {
        let activity = block_on(self.simulation.advance(steps))?;
        self.recorder.add(&activity.spikes);
        self.spikes.extend(activity.spikes);
        Ok(())
    }

    /// All spikes so far, by step, then neuron.
    pub(crate) fn spikes(&self) -> &[Spike] {
        &self.spikes
    }

    /// Their hash.
    pub(crate) fn hash(&self) -> String {
        self.recorder.spikes_hash()
    }

    /// All arrays of neurons, and of synapses with state.
    fn arrays(&self) -> Vec<(ArrayId, ArrayEntry)> {
        let is_kept = |entry: &ArrayEntry| !matches!(entry.owner, Owner::Events { .. } | Owner::Statistic);
        let all = self.simulation.plan().arrays().iter().filter(|(_, entry)| is_kept(entry));
        all.map(|(array, entry)| (array, entry.clone())).collect()
    }
}

/// The first word of an array that differs, with its place.
///
/// # Errors
/// A device's failure.
pub(crate) fn of_arrays(cpu: &mut DeviceRun, gpu: &mut DeviceRun) -> Result<Option<Value>, Error> {
    for (array, entry) in cpu.arrays() {
        let on_cpu = block_on(cpu.simulation.read(array))?;
        let on_gpu = block_on(gpu.simulation.read(array))?;
        if let Some(place) = on_cpu.iter().zip(&on_gpu).position(|(cpu, gpu)| cpu != gpu) {
            let plan = cpu.simulation.plan();
            let (key, owner) = owner(plan, &entry);
            let mut found = json!({"step": cpu.simulation.step(), "neuron": place, "variable": entry.name()});
            found[key] = owner.into();
            found["cpu"] = format!("0x{:08x}", on_cpu[place]).into();
            found["gpu"] = format!("0x{:08x}", on_gpu[place]).into();
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// What an array belongs to: the key in results, and the name.
fn owner(plan: &Plan, entry: &ArrayEntry) -> (&'static str, String) {
    match entry.owner {
        Owner::Neurons { population }
        | Owner::RingColumns { population }
        | Owner::Memory { population }
        | Owner::Population { population } => ("population", plan.populations[population].name.clone()),
        Owner::Synapses { projection }
        | Owner::Events { projection }
        | Owner::Traces { projection, .. }
        | Owner::Projection { projection } => ("projection", plan.projections[projection].name.clone()),
        Owner::Statistic => ("statistic", entry.path.clone()),
    }
}

/// Runs both step by step until something differs: a value, or else a spike. `None` if nothing does within the steps, or the time.
///
/// # Errors
/// A device's failure.
pub(crate) fn first(mut cpu: DeviceRun, mut gpu: DeviceRun, steps: u32) -> Result<Option<Value>, Error> {
    let begun = Instant::now();
    for _ in 0..steps {
        if begun.elapsed() > PATIENCE {
            return Ok(None);
        }
        cpu.advance(1)?;
        gpu.advance(1)?;
        if let Some(found) = of_arrays(&mut cpu, &mut gpu)? {
            return Ok(Some(found));
        }
        let on_one = |one: &DeviceRun, other: &DeviceRun| one.spikes.iter().find(|spike| !other.spikes.contains(spike)).copied();
        if let Some(spike) = on_one(&cpu, &gpu).or_else(|| on_one(&gpu, &cpu)) {
            return Ok(Some(of_spike(cpu.simulation.plan(), spike, cpu.spikes.contains(&spike))));
        }
    }
    Ok(None)
}

/// A spike on one of both.
fn of_spike(plan: &Plan, spike: Spike, on_cpu: bool) -> Value {
    let population = plan.populations.iter().rfind(|population| population.first <= spike.neuron);
    let mut found = json!({"step": spike.step, "neuron": spike.neuron, "variable": "spike"});
    if let Some(population) = population {
        found["population"] = population.name.clone().into();
        found["neuron"] = (spike.neuron - population.first).into();
    }
    let word = |fired: bool| format!("0x{:08x}", u32::from(fired));
    found["cpu"] = word(on_cpu).into();
    found["gpu"] = word(!on_cpu).into();
    found
}

#[cfg(test)]
mod tests {
    use spikelet::Cpu;

    use super::*;

    fn run(current: f64, threads: usize) -> DeviceRun {
        let json = format!(
            r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "populations": [
                {{"name": "quiet", "size": 3, "equations": "v : 1", "update": "v = 0"}},
                {{"name": "cells", "size": 4, "equations": "dv/dt = (I - v)/(5*ms) : 1\nI : 1 (constant)", "threshold": "v > 1",
                 "reset": "v = 0", "parameters": {{"I": {{"expr": "2 + {current}*int(i == 2)"}}}}}}]}}"#
        );
        let network = Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
        let plan = Arc::new(Plan::new(&network).unwrap_or_else(|error| panic!("{error}")));
        DeviceRun::new(&network, &plan, Box::new(Cpu::new(threads))).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn equal_devices_do_not_differ() {
        assert_eq!(first(run(0.0, 1), run(0.0, 2), 60).expect("it runs"), None);
    }

    #[test]
    fn the_first_value_that_differs_is_named() {
        let found = first(run(0.0, 1), run(1.0, 1), 60).expect("it runs").expect("they differ");
        assert_eq!((&found["population"], &found["neuron"], &found["step"]), (&json!("cells"), &json!(2), &json!(1)));
        assert!(found["cpu"].as_str().is_some_and(|word| word.starts_with("0x")) && found["cpu"] != found["gpu"], "{found}");
    }

    #[test]
    fn a_spike_that_differs_is_named() {
        let run = run(0.0, 1);
        let found = of_spike(run.simulation.plan(), Spike { step: 7, neuron: 5 }, false);
        let expected =
            json!({"step": 7, "neuron": 2, "variable": "spike", "population": "cells", "cpu": "0x00000000", "gpu": "0x00000001"});
        assert_eq!(found, expected);
    }
}
