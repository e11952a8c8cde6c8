//! A network running on a device.

use std::sync::Arc;

use spikelet_lang::program::Lane;

use crate::backend::{Activity, Backend, Epoch, Probe};
use crate::{Error, Network, Plan, ring};

/// A network on its way through time.
pub struct Simulation {
    network: Network,
    plan: Arc<Plan>,
    backend: Box<dyn Backend>,
    step: u32,
    trial: u32,
}

impl Simulation {
    /// Plans the network and loads it onto the device.
    ///
    /// # Errors
    /// What [`Plan::new`] finds, or the device's refusal.
    pub async fn new(network: &Network, backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        let plan = Arc::new(Plan::new(network)?);
        Simulation::with_plan(network, plan, backend).await
    }

    /// As [`Simulation::new`], with a plan made before.
    ///
    /// # Errors
    /// The device's refusal.
    pub async fn with_plan(network: &Network, plan: Arc<Plan>, mut backend: Box<dyn Backend>) -> Result<Simulation, Error> {
        backend.load(plan.clone(), 0).await?;
        Ok(Simulation { network: network.clone(), plan, backend, step: 0, trial: 0 })
    }

    /// The network, with all values set since it was loaded.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network as arrays.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The device.
    pub fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// The step that runs next.
    pub fn step(&self) -> u32 {
        self.step
    }

    /// Biological time at the start of that step, in ms.
    pub fn time_ms(&self) -> f64 {
        f64::from(self.step) * self.plan.dt_ms
    }

    /// Which of the trials of this seed runs: it decides the noise, not the network.
    pub fn trial(&self) -> u32 {
        self.trial
    }

    /// Runs `steps` steps.
    ///
    /// # Errors
    /// The device's failure; the run is longer than 2³¹ steps.
    pub async fn advance(&mut self, steps: u32) -> Result<Activity, Error> {
        let epoch = Epoch { first: self.step, steps };
        if self.step.checked_add(steps).is_none_or(|end| end > i32::MAX as u32) {
            return Err(Error::Backend(format!("a run has at most {} steps; reset it, or take a longer dt", i32::MAX)));
        }
        let activity = self.backend.advance(epoch, &[]).await?;
        self.step = epoch.end();
        Ok(activity)
    }

    /// Refuses a state with infinite numbers or NaN.
    ///
    /// # Errors
    /// The first such neuron.
    pub async fn check_finite(&mut self) -> Result<(), Error> {
        let plan = self.plan.clone();
        for (index, population) in plan.populations.iter().enumerate() {
            for (variable, name) in population.program.variables.iter().enumerate() {
                let words = self.backend.read(Probe::Variable { population: index, variable }).await?;
                if let Some(neuron) = words.iter().position(|word| !f32::from_bits(*word).is_finite()) {
                    return Err(Error::Diverged {
                        population: population.name.clone(),
                        variable: name.clone(),
                        neuron,
                        value: f32::from_bits(words[neuron]),
                        time_ms: self.time_ms(),
                        dt_ms: plan.dt_ms,
                    });
                }
            }
        }
        Ok(())
    }

    /// An array of the device, as 32-bit words.
    ///
    /// # Errors
    /// The device's failure.
    pub async fn read(&mut self, probe: Probe) -> Result<Vec<u32>, Error> {
        self.backend.read(probe).await
    }

    /// Replaces an array of the device.
    ///
    /// # Errors
    /// Another number of words than the array has, or the device's failure.
    pub async fn write(&mut self, probe: Probe, words: &[u32]) -> Result<(), Error> {
        self.backend.write(probe, words).await
    }

    /// Changes a value while the network runs: a parameter of a population, `E.taum` to `15 ms`, or a value of the synapses of
    /// a projection. State, spikes under way and wiring stay as they are.
    ///
    /// # Errors
    /// What is wrong with the path or value, or that a running network cannot follow it; then nothing has changed.
    pub async fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        let mut network = self.network.clone();
        network.set(path, value)?;
        if let Some(fixed) = ["dt_ms", "seed"].into_iter().find(|fixed| *fixed == path) {
            let expected = format!("a running network keeps its {fixed}");
            return Err(Error::invalid(path, value, expected, "build it with the new value"));
        }
        let plan = Arc::new(self.plan.revised(&network, path)?);
        let (object, name) = path.split_once('.').unwrap_or((path, ""));
        for (index, (new, old)) in plan.populations.iter().zip(&self.plan.populations).enumerate() {
            if new.constants != old.constants {
                let words: Vec<u32> = new.constants.iter().map(|value| value.to_bits()).collect();
                self.backend.write(Probe::Constants { population: index }, &words).await?;
            }
            for (variable, array) in new.program.variables.iter().enumerate() {
                // State that other values were computed from at the start has moved on since: what was named is set, and what
                // never changes by itself.
                let derived = variable >= new.program.first_derived() && new.initial[variable] != old.initial[variable];
                if derived || new.name == object && array == name {
                    let words: Vec<u32> = (0..new.size as usize).map(|neuron| new.initial(variable, neuron).to_bits()).collect();
                    self.backend.write(Probe::Variable { population: index, variable }, &words).await?;
                }
            }
            for (port, (new_port, old_port)) in new.ports.iter().zip(&old.ports).enumerate() {
                if new_port.shift != old_port.shift {
                    let probe = Probe::Ring { population: index, port };
                    let under_way = self.backend.read(probe).await?;
                    let rescaled: Vec<u32> =
                        under_way.iter().map(|sum| ring::rescale(*sum as i32, old_port.shift, new_port.shift) as u32).collect();
                    self.backend.write(probe, &rescaled).await?;
                }
            }
            if new.ports != old.ports {
                let words: Vec<u32> = new.ports.iter().flat_map(|port| port.units()).map(f32::to_bits).collect();
                self.backend.write(Probe::Scales { population: index }, &words).await?;
            }
        }
        for (index, (new, old)) in plan.projections.iter().zip(&self.plan.projections).enumerate() {
            for (write, ((_, new), (_, old))) in new.writes().zip(old.writes()).enumerate() {
                if new.weights != old.weights {
                    let words: Vec<u32> = new.weights.as_slice().iter().map(|weight| *weight as u32).collect();
                    self.backend.write(Probe::Weights { projection: index, write }, &words).await?;
                }
            }
            let (Some(state), Some(before)) = (&new.state, &old.state) else { continue };
            if state.constants != before.constants {
                let words: Vec<u32> = state.constants.iter().map(|value| value.to_bits()).collect();
                self.backend.write(Probe::SynapseConstants { projection: index }, &words).await?;
            }
            for (array, (kept, before)) in state.arrays.iter().zip(&before.arrays).enumerate() {
                let derived = matches!(state.program.lanes[kept.lane], Lane::Derived(_)) && kept.initial != before.initial;
                if derived || new.name == object && state.array(name) == Some(array) {
                    let words: Vec<u32> = (0..new.rows().len()).map(|synapse| kept.initial(synapse).to_bits()).collect();
                    self.backend.write(Probe::Synapses { projection: index, array }, &words).await?;
                }
            }
        }
        self.backend.revise(plan.clone()).await?;
        self.network = network;
        self.plan = plan;
        Ok(())
    }

    /// Back to step 0 and the initial values, for a trial; values set since then stay.
    ///
    /// # Errors
    /// The device's failure.
    pub async fn reset(&mut self, trial: u32) -> Result<(), Error> {
        self.backend.load(self.plan.clone(), trial).await?;
        (self.step, self.trial) = (0, trial);
        Ok(())
    }
}
