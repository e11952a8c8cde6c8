//! A simulation with what it has recorded, on the thread of its device.

use std::collections::BTreeSet;
use std::sync::Arc;

use pollster::block_on;
use serde_json::{Value, json};
use spikelet::{Builder, Driver, Error, Indices, Pacing, Recording, RunEnd, Simulation, TrialRun, Variant, time};

use crate::device::{DeviceRequest, OpenDevice};
use crate::failure::Failure;
use crate::host::{BATCH_MS, RunHost};
use crate::opening::Source;
use crate::parameter::parameter;
use crate::recorded::Recorded;
use crate::worker::Progress;

/// A network on a device.
pub(crate) struct Running {
    driver: Driver,
    host: RunHost,
    /// The name of the device, and why it was chosen.
    pub(crate) device: String,
    pub(crate) reason: String,
    exact: Option<spikelet::ExactSamples>,
    pub(crate) trials: Vec<Recorded>,
    /// Wall time of all runs in seconds.
    seconds: f64,
    /// What users should know.
    pub(crate) notices: Vec<String>,
}

impl Running {
    /// Builds a network and loads it.
    pub(crate) fn open(source: &Source, request: &DeviceRequest, trials: std::ops::Range<u32>) -> Result<Running, Failure> {
        let network = source.network()?;
        let notices = spikelet::notices(&network).iter().map(ToString::to_string).collect();
        let plan = Arc::new(Builder::new(&network, request.build_options()?)?.finish()?);
        let OpenDevice { backend, kind, name, reason, exact } = request.open()?;
        let network = Arc::new(network);
        let variant = |trial| Variant { network: network.clone(), plan: plan.clone(), trial };
        let simulation = block_on(Simulation::of_trials(trials.map(variant).collect(), backend))?;
        let trials = simulation.runs().iter().map(|run| Recorded::new(run.plan())).collect();
        Ok(Running {
            driver: Driver::new(simulation, Pacing::new(BATCH_MS)),
            host: RunHost::new(request.clone(), kind),
            device: name,
            reason,
            exact,
            trials,
            seconds: 0.0,
            notices,
        })
    }

    /// Runs a number of steps, until a condition is true, or until the caller stops it. What was recorded before an error is kept.
    pub(crate) fn run(&mut self, steps: u32, until: Option<&str>, progress: &Progress) -> Result<(), Failure> {
        let until = until.map(|text| self.simulation().until(text)).transpose()?;
        let end = self.simulation().step().saturating_add(steps);
        self.host.progress = progress.clone();
        self.driver.begin(Some(end), until)?;
        let done = self.run_batches();
        self.driver.finish();
        self.note_losses();
        done?;
        match self.simulation().failure() {
            Some(failure) if self.simulation().is_over() => Err(failure.clone().into()),
            _ => Ok(()),
        }
    }

    /// Number of steps of a run of this duration in ms; by default to the end of the network's own.
    pub(crate) fn steps(&self, duration_ms: Option<f64>) -> Result<u32, Failure> {
        let simulation = self.simulation();
        if let Some(ms) = duration_ms {
            return Ok(simulation.steps_of("duration_ms", ms)?);
        }
        let (of_network, step) = (simulation.network().checked_steps()?, simulation.step());
        if of_network <= step {
            return Err(Failure(format!(
                "the {} ms of the network are over, at {} ms; call run(duration_ms) to continue, or reset() to run it again",
                simulation.network().duration_ms,
                simulation.time_ms()
            )));
        }
        Ok(of_network - step)
    }

    fn run_batches(&mut self) -> Result<(), Failure> {
        while let Some(mut batch) = block_on(self.driver.batch(&mut self.host))? {
            self.seconds += batch.busy_ms / 1000.0;
            let runs = self.driver.simulation.runs().iter().zip(batch.first_steps);
            for (index, (activity, (run, first))) in batch.activities.iter_mut().zip(runs).enumerate() {
                let exact = self.exact.as_ref().filter(|_| index == 0);
                self.trials[index].add(activity, first..run.step(), run.plan(), exact);
            }
            self.host.progress.reach(self.simulation().step());
            if batch.end == Some(RunEnd::Condition) {
                block_on(self.driver.align())?;
            }
        }
        Ok(())
    }

    fn simulation(&self) -> &Simulation {
        &self.driver.simulation
    }

    /// Calls a function of the simulation, again on another device if the current one is lost.
    fn attempt<T>(&mut self, call: impl AsyncFnMut(&mut Simulation) -> Result<T, Error>) -> Result<T, Failure> {
        let done = block_on(self.driver.attempt(&mut self.host, call));
        self.note_losses();
        done
    }

    /// Notes the losses of devices that were not noted.
    fn note_losses(&mut self) {
        for loss in self.host.losses.drain(..) {
            self.device.clone_from(&loss.successor);
            self.notices.push(loss.to_string());
        }
    }

    /// The trial of this index.
    pub(crate) fn recorded(&self, trial: usize) -> Result<&Recorded, Failure> {
        self.trials.get(trial).ok_or_else(|| self.no_trial(trial))
    }

    fn trial_run(&self, trial: usize) -> Result<&TrialRun, Failure> {
        self.simulation().runs().get(trial).ok_or_else(|| self.no_trial(trial))
    }

    fn no_trial(&self, trial: usize) -> Failure {
        let count = self.trials.len();
        let (expected, way_out) = (format!("the simulation has {count}, counted from 0"), "create it with more `trials`");
        Error::invalid("trial", trial, expected, way_out).into()
    }

    /// The values of a variable, in its unit; of a parameter that all share, one.
    pub(crate) fn values(&mut self, trial: usize, path: &str) -> Result<Vec<f64>, Failure> {
        self.trial_run(trial)?;
        if self.simulation().variable(path).is_err()
            && let Some((value, _)) = parameter(self.simulation().network(), path)
        {
            return Ok(vec![value]);
        }
        self.attempt(async |simulation| simulation.values(trial, path).await)
    }

    /// Number of neurons or synapses of an object of the network.
    fn count(&self, object: &str) -> u32 {
        let plan = self.simulation().plan();
        let of_projection = || plan.projections.iter().find(|of| of.name == object).map_or(0, |of| of.synapses() as u32);
        plan.populations.iter().find(|of| of.name == object).map_or_else(of_projection, |of| of.size)
    }

    /// The unit of a variable or parameter.
    pub(crate) fn unit(&self, path: &str) -> Result<String, Failure> {
        match (self.simulation().variable(path), parameter(self.simulation().network(), path)) {
            (Ok(variable), _) => Ok(variable.unit.clone()),
            (Err(_), Some((_, unit))) => Ok(unit),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// The columns of the table of a population's neurons, each with its texts.
    pub(crate) fn neurons(&self, population: &str) -> Result<Vec<(String, Vec<String>)>, Failure> {
        let network = self.simulation().network();
        let Some(found) = network.population(population) else {
            let known = network.populations.iter().map(|known| known.name.as_str());
            return Err(Error::unknown_name("", "population", population, known).into());
        };
        let Some(table) = found.neurons.as_ref().and_then(|neurons| neurons.table()) else {
            let expected = "its neurons have no table";
            return Err(Error::invalid("the population", population, expected, "give it one by the key `neurons`").into());
        };
        let column = |name: &str| Ok((name.to_owned(), table.texts(name)?.map(str::to_owned).collect()));
        table.columns().map(column).collect()
    }

    /// The unit of a value that all neurons or synapses share; `None` if there is no such value.
    pub(crate) fn parameter_unit(&self, path: &str) -> Option<String> {
        parameter(self.simulation().network(), path).map(|(_, unit)| unit)
    }

    /// Sets a value as text, such as `15 mV`.
    pub(crate) fn set(&mut self, path: &str, value: &str) -> Result<(), Failure> {
        self.attempt(async |simulation| simulation.set(path, value).await).map_err(|Failure(sentence)| {
            if sentence.starts_with(path) { Failure(sentence) } else { Failure(format!("{path} cannot be {value}: {sentence}")) }
        })
    }

    /// Sets a variable in its unit: one value for all, or one for each.
    pub(crate) fn set_values(&mut self, path: &str, values: &[f64]) -> Result<(), Failure> {
        self.attempt(async |simulation| simulation.set_values(path, values).await)
    }

    /// Records the variables of a list in JSON from now on, besides and in place of what is recorded already.
    pub(crate) fn record(&mut self, json: &str) -> Result<(), Failure> {
        let (mut all, new) = (self.simulation().network().recordings.clone(), Recording::list_from_json(json)?);
        for known in &mut all {
            let is_replaced = |of: &&Recording| of.object == known.object && of.var == known.var && known.reduce.is_none();
            for new in new.iter().filter(is_replaced) {
                let size = self.count(&new.object);
                let replaced: BTreeSet<u32> = new.indices.of(size).into_iter().collect();
                let kept = known.indices.of(size).into_iter().filter(|index| !replaced.contains(index));
                known.indices = Indices::List(kept.collect());
            }
        }
        all.retain(|known| known.indices != Indices::List(Vec::new()));
        all.extend(new);
        self.attempt(async |simulation| simulation.record(all.clone()).await)?;
        let step = self.simulation().step();
        self.trials.iter_mut().zip(self.driver.simulation.runs()).for_each(|(trial, run)| trial.change(run.plan(), step));
        Ok(())
    }

    /// Labels, units and intervals in steps of all recorded values.
    pub(crate) fn channels(&self) -> Vec<(String, String, u32)> {
        let channels = self.simulation().plan().channels.iter();
        channels.map(|channel| (channel.label.clone(), channel.unit.clone(), channel.every)).collect()
    }

    /// All synapses of a projection: pairs, then names with units and values.
    pub(crate) fn synapses(&mut self, trial: usize, projection: &str) -> Result<SynapseColumns, Failure> {
        self.trial_run(trial)?;
        let table = self.attempt(async |simulation| simulation.edge_table(trial, projection).await)?;
        let all = table.all()?;
        let columns = table.columns().iter().map(|column| (column.name.clone(), column.unit.clone()));
        Ok(SynapseColumns {
            pre: all.pre,
            post: all.post,
            columns: columns.zip(all.values).map(|((n, u), v)| (n, u, v)).collect(),
        })
    }

    /// The complete state, as bytes.
    pub(crate) fn snapshot(&mut self) -> Result<Vec<u8>, Failure> {
        Ok(self.attempt(async |simulation| simulation.snapshot().await)?.to_bytes())
    }

    /// Continues from the state of a snapshot. What was recorded before its time stays.
    pub(crate) fn restore(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let snapshot = spikelet::Snapshot::from_bytes(bytes)?;
        self.attempt(async |simulation| simulation.restore(&snapshot).await)?;
        let step = self.simulation().step();
        self.trials.iter_mut().zip(self.driver.simulation.runs()).for_each(|(trial, run)| trial.drop_after(run.plan(), step));
        Ok(())
    }

    /// Returns to the start, with a trial's noise.
    pub(crate) fn reset(&mut self, trial: Option<u32>) -> Result<(), Failure> {
        match trial {
            Some(trial) => self.attempt(async |simulation| simulation.reset(trial).await)?,
            None => self.attempt(async |simulation| simulation.restart().await)?,
        }
        self.trials = self.simulation().runs().iter().map(|run| Recorded::new(run.plan())).collect();
        self.seconds = 0.0;
        Ok(())
    }

    /// The next step.
    pub(crate) fn step(&self) -> u32 {
        self.simulation().step()
    }

    /// The current network, as JSON.
    pub(crate) fn network(&self) -> String {
        self.simulation().network().to_json()
    }

    /// What does not change: populations, variables, device.
    pub(crate) fn description(&self) -> Value {
        let plan = self.simulation().plan();
        let variable = |entry: &spikelet::ArrayEntry| json!({"path": entry.path, "unit": entry.unit, "length": entry.length});
        json!({
            "name": self.simulation().network().name,
            "dt_ms": plan.dt_ms,
            "duration_ms": self.simulation().network().duration_ms,
            "seed": plan.seed,
            "neurons": plan.neurons(),
            "synapses": plan.synapses(),
            "populations": plan.populations.iter().map(|of| json!({"name": of.name, "first": of.first, "size": of.size})).collect::<Vec<_>>(),
            "projections": plan.projections.iter().map(|of| json!({"name": of.name, "synapses": of.synapses()})).collect::<Vec<_>>(),
            "variables": plan.arrays().named().map(|(_, entry)| variable(entry)).collect::<Vec<_>>(),
            "trials": self.simulation().runs().iter().map(TrialRun::number).collect::<Vec<_>>(),
        })
    }

    /// Rates, hash and speed of a trial.
    pub(crate) fn report(&self, trial: usize) -> Result<Value, Failure> {
        let (recorded, run) = (self.recorded(trial)?, self.trial_run(trial)?);
        let populations = recorded.recorder.populations(run.time_ms());
        Ok(json!({
            "network": self.simulation().network().name,
            "backend": {"name": self.device, "reason": self.reason},
            "time_ms": run.time_ms(),
            "spikes": recorded.recorder.spikes(),
            "spikes_hash": recorded.recorder.spikes_hash(),
            "synaptic_events": recorded.recorder.synaptic_events(),
            "populations": populations.iter().map(|of| json!({
                "name": of.name, "size": of.size, "rate_hz": of.rate_hz, "cv_isi": of.cv_isi
            })).collect::<Vec<_>>(),
            "changes": run.changed().iter().map(|of| json!({
                "time_ms": time::of_step(of.step, run.plan().dt_ms), "path": of.path, "value": of.value
            })).collect::<Vec<_>>(),
            "stopped": run.stopped().map(|of| json!({"condition": of.condition, "time_ms": of.time_ms})),
            "failure": run.failure().map(ToString::to_string),
            "simulate_seconds": self.seconds,
            "notices": self.notices,
        }))
    }
}

/// All synapses of a projection.
pub(crate) struct SynapseColumns {
    pub(crate) pre: Vec<u32>,
    pub(crate) post: Vec<u32>,
    /// Name, unit and values.
    pub(crate) columns: Vec<(String, String, Vec<f64>)>,
}
