//! A network running on a device.

mod snapshot;
mod watch;

use std::sync::Arc;

use spikelet_lang::program::Lane;

use crate::backend::{Activity, Backend, Epoch, Probe, Trial};
use crate::network::Due;
use crate::{Error, Network, Plan, ring};
use snapshot::Past;
use watch::Watch;

/// A network on its way through time.
///
/// # Protocol
///
/// The [changes](Network::changes) of the network happen by themselves, each before the step that begins at its time, however the
/// run is cut into calls of [`Simulation::advance`].
///
/// The [conditions](Network::stop) that end a run are looked at for every step. The first step for which one holds is the last of
/// the run: the activity ends with it, [`Simulation::stopped`] says why, and only [`Simulation::reset`] leads on. The device works
/// in batches and has gone on to the end of its batch by then: its state is that of a later time, and so [`Simulation::read`] and
/// [`Simulation::write`] refuse it. What is reported depends on no batch's length. Who wants the very state of the last step runs
/// the same trial again for as many steps.
pub struct Simulation {
    network: Arc<Network>,
    plan: Arc<Plan>,
    /// Network and plan without the changes that have happened: what a reset goes back to.
    start: (Arc<Network>, Arc<Plan>),
    backend: Box<dyn Backend>,
    step: u32,
    /// The step that the device would run next: beyond `step` where a condition held in the middle of a batch.
    device_step: u32,
    trial: u32,
    schedule: Vec<Due>,
    changed: Vec<Changed>,
    watch: Watch,
    stopped: Option<Stopped>,
    past: Past,
}

/// A [change](crate::Change) that has happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    /// The first step that saw it.
    pub step: u32,
    /// What was set, such as `E.I`.
    pub path: String,
    /// The new value, as in [`Network::set`].
    pub value: String,
}

/// Why a run ended before its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopped {
    /// The condition that held, as it was written.
    pub condition: String,
    /// One past the last step of the run: the condition held at the end of the step before.
    pub step: u32,
    /// The end of the run, in ms of biological time.
    pub time_ms: f64,
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
        let (watch, schedule) = (Watch::new(network, &plan)?, network.schedule());
        backend.load(vec![Trial { number: 0, plan: plan.clone() }]).await?;
        let network = Arc::new(network.clone());
        let start = (network.clone(), plan.clone());
        let past = Past::new(&network, &plan);
        let (step, device_step, trial, changed, stopped) = (0, 0, 0, Vec::new(), None);
        Ok(Simulation { network, plan, start, backend, step, device_step, trial, schedule, changed, watch, stopped, past })
    }

    /// The network, with all values set since it was loaded, and those that changed by themselves.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network as [`Simulation::reset`] starts it: with all values set since it was loaded, without those that changed by
    /// themselves.
    pub fn at_start(&self) -> &Network {
        &self.start.0
    }

    /// The changes of the network that have happened since the start or the last reset, in their order.
    pub fn changed(&self) -> &[Changed] {
        &self.changed
    }

    /// Why the run has ended, where one of the network's conditions held.
    pub fn stopped(&self) -> Option<&Stopped> {
        self.stopped.as_ref()
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

    /// Runs `steps` steps, or fewer where a condition that ends the run holds before: see [`Simulation::stopped`]. Changes that are due
    /// happen on the way.
    ///
    /// # Errors
    /// The device's failure; the run is longer than 2³¹ steps, or has ended; a change that a running network cannot follow.
    pub async fn advance(&mut self, steps: u32) -> Result<Activity, Error> {
        if let Some(Stopped { condition, time_ms, .. }) = &self.stopped {
            let sentence = format!("the run ended at {time_ms} ms, when `{condition}` held; reset it to run it again");
            return Err(Error::Backend(sentence));
        }
        let Some(end) = self.step.checked_add(steps).filter(|end| *end <= i32::MAX as u32) else {
            return Err(Error::Backend(format!("a run has at most {} steps; reset it, or take a longer dt", i32::MAX)));
        };
        self.shorten_log().await?;
        let activity = self.run(end).await?;
        self.past.tell(self.step);
        Ok(activity)
    }

    /// Runs up to a step, or to where a condition holds before.
    async fn run(&mut self, end: u32) -> Result<Activity, Error> {
        let mut activity = Activity::default();
        while self.step < end && self.stopped.is_none() {
            self.make_changes().await?;
            let next = self.schedule.get(self.changed.len()).map_or(end, |due| due.step.min(end));
            let epoch = Epoch { first: self.step, steps: next - self.step };
            let mut part = self.backend.advance(epoch, &[]).await?.pop().unwrap_or_default();
            (self.step, self.device_step) = (next, next);
            if let Some((last, condition)) = self.watch.hear(epoch, &part.spikes) {
                let (step, time_ms) = (last + 1, f64::from(last + 1) * self.plan.dt_ms);
                self.stopped = Some(Stopped { condition: condition.to_owned(), step, time_ms: libm::round(time_ms * 1e9) / 1e9 });
                self.step = step;
                part.spikes.retain(|spike| spike.step <= last);
                part.samples.truncate((step - epoch.first) as usize * self.plan.channels.len());
            }
            activity.spikes.append(&mut part.spikes);
            activity.samples.append(&mut part.samples);
        }
        Ok(activity)
    }

    /// Makes the changes that are due before the next step.
    async fn make_changes(&mut self) -> Result<(), Error> {
        while let Some(due) = self.schedule.get(self.changed.len()).filter(|due| due.step <= self.step).cloned() {
            let made = self.assign(&due.path, &due.value).await;
            made.map_err(|error| error.within(&format!("{}, at {} ms", due.place, self.time_ms()), &due.path))?;
            self.changed.push(Changed { step: self.step, path: due.path, value: due.value });
        }
        Ok(())
    }

    /// Refuses a state with infinite numbers or NaN. After a run that has ended by a condition it is the state that the device has
    /// gone on to.
    ///
    /// # Errors
    /// The first such neuron.
    pub async fn check_finite(&mut self) -> Result<(), Error> {
        let plan = self.plan.clone();
        for (index, population) in plan.populations.iter().enumerate() {
            for (variable, name) in population.program.variables.iter().enumerate() {
                let words = self.backend.read(0, Probe::Variable { population: index, variable }).await?;
                let time_ms = f64::from(self.device_step) * plan.dt_ms;
                if let Some(neuron) = words.iter().position(|word| !f32::from_bits(*word).is_finite()) {
                    return Err(Error::Diverged {
                        population: population.name.clone(),
                        variable: name.clone(),
                        neuron,
                        value: f32::from_bits(words[neuron]),
                        time_ms,
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
    /// The device's failure; the run has ended by a condition, and the device is ahead of its end.
    pub async fn read(&mut self, probe: Probe) -> Result<Vec<u32>, Error> {
        self.check_in_step()?;
        self.backend.read(0, probe).await
    }

    /// Replaces an array of the device.
    ///
    /// # Errors
    /// Another number of words than the array has, or the device's failure; as for [`Simulation::read`].
    pub async fn write(&mut self, probe: Probe, words: &[u32]) -> Result<(), Error> {
        self.check_in_step()?;
        self.backend.write(0, probe, words).await?;
        self.past.write(probe, words);
        Ok(())
    }

    /// Refuses a device that is ahead of the run's end.
    fn check_in_step(&self) -> Result<(), Error> {
        match &self.stopped {
            Some(stopped) if self.device_step > stopped.step => Err(Error::Backend(format!(
                "the run ended at {} ms, when `{}` held, and the device has gone on to {} ms; to look at the end, reset it and advance by {} steps at most",
                stopped.time_ms,
                stopped.condition,
                libm::round(f64::from(self.device_step) * self.plan.dt_ms * 1e9) / 1e9,
                stopped.step
            ))),
            _ => Ok(()),
        }
    }

    /// Changes a value while the network runs: a parameter of a population, `E.taum` to `15 ms`, or a value of the synapses of
    /// a projection. State, spikes under way and wiring stay as they are. It survives a reset, as the network's own
    /// [changes](Network::changes) do not.
    ///
    /// # Errors
    /// What is wrong with the path or value, or that a running network cannot follow it; then nothing has changed.
    pub async fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        let start = if self.changed.is_empty() {
            None
        } else {
            let mut network = (*self.start.0).clone();
            network.set(path, value)?;
            let plan = self.start.1.revised(&network, path)?;
            Some((Arc::new(network), Arc::new(plan)))
        };
        self.assign(path, value).await?;
        self.start = start.unwrap_or_else(|| (self.network.clone(), self.plan.clone()));
        self.past.set(path, value);
        Ok(())
    }

    /// Gives a value to what runs now.
    async fn assign(&mut self, path: &str, value: &str) -> Result<(), Error> {
        let mut network = (*self.network).clone();
        network.set(path, value)?;
        self.network.check_fixed(&network, path)?;
        let plan = Arc::new(self.plan.revised(&network, path)?);
        let (object, name) = path.split_once('.').unwrap_or((path, ""));
        for (index, (new, old)) in plan.populations.iter().zip(&self.plan.populations).enumerate() {
            if new.constants != old.constants {
                let words: Vec<u32> = new.constants.iter().map(|value| value.to_bits()).collect();
                self.backend.write(0, Probe::Constants { population: index }, &words).await?;
            }
            for (variable, array) in new.program.variables.iter().enumerate() {
                // State that other values were computed from at the start has moved on since: what was named is set, and what
                // never changes by itself.
                let derived = variable >= new.program.first_derived() && new.initial[variable] != old.initial[variable];
                if derived || new.name == object && array == name {
                    let words: Vec<u32> = (0..new.size as usize).map(|neuron| new.initial(variable, neuron).to_bits()).collect();
                    self.backend.write(0, Probe::Variable { population: index, variable }, &words).await?;
                }
            }
            for (port, (new_port, old_port)) in new.ports.iter().zip(&old.ports).enumerate() {
                if new_port.shift != old_port.shift {
                    let probe = Probe::Ring { population: index, port };
                    let under_way = self.backend.read(0, probe).await?;
                    let rescaled: Vec<u32> =
                        under_way.iter().map(|sum| ring::rescale(*sum as i32, old_port.shift, new_port.shift) as u32).collect();
                    self.backend.write(0, probe, &rescaled).await?;
                }
            }
            if new.ports != old.ports {
                let words: Vec<u32> = new.ports.iter().flat_map(|port| port.units()).map(f32::to_bits).collect();
                self.backend.write(0, Probe::Scales { population: index }, &words).await?;
            }
        }
        for (index, (new, old)) in plan.projections.iter().zip(&self.plan.projections).enumerate() {
            for (write, ((_, new), (_, old))) in new.writes().zip(old.writes()).enumerate() {
                if new.weights != old.weights {
                    let words: Vec<u32> = new.weights.as_slice().iter().map(|weight| *weight as u32).collect();
                    self.backend.write(0, Probe::Weights { projection: index, write }, &words).await?;
                }
            }
            let (Some(state), Some(before)) = (&new.state, &old.state) else { continue };
            if state.constants != before.constants {
                let words: Vec<u32> = state.constants.iter().map(|value| value.to_bits()).collect();
                self.backend.write(0, Probe::SynapseConstants { projection: index }, &words).await?;
            }
            for (array, (kept, before)) in state.arrays.iter().zip(&before.arrays).enumerate() {
                let derived = matches!(state.program.lanes[kept.lane], Lane::Derived(_)) && kept.initial != before.initial;
                if derived || new.name == object && state.array(name) == Some(array) {
                    let words: Vec<u32> = (0..new.rows().len()).map(|synapse| kept.initial(synapse).to_bits()).collect();
                    self.backend.write(0, Probe::Synapses { projection: index, array }, &words).await?;
                }
            }
        }
        self.backend.revise(vec![plan.clone()]).await?;
        self.network = Arc::new(network);
        self.plan = plan;
        self.past.assign(path, value);
        Ok(())
    }

    /// Back to step 0 and the initial values, for a trial. Values [set](Simulation::set) since then stay; those that changed by
    /// themselves are as they were at first, and change again in their time.
    ///
    /// # Errors
    /// The device's failure.
    pub async fn reset(&mut self, trial: u32) -> Result<(), Error> {
        self.backend.load(vec![Trial { number: trial, plan: self.start.1.clone() }]).await?;
        (self.network, self.plan) = self.start.clone();
        (self.step, self.device_step, self.trial) = (0, 0, trial);
        self.changed.clear();
        self.watch.reset();
        self.stopped = None;
        self.past.reset(trial, &self.start.1);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
