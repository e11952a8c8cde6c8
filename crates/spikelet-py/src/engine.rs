//! A simulation with what it has recorded, on the thread of its device.

use std::collections::BTreeSet;
use std::time::Instant;

use pollster::block_on;
use serde_json::{Value, json};
use spikelet::{
    Backend, Builder, Cpu, Error, Indices, Pacing, Plan, Recording, Recovery, Replacement, Simulation, TrialRun, Variant, time,
};
use spikelet_gpu::DeviceKind;
use std::sync::Arc;

use crate::device::{DeviceRequest, OpenDevice};
use crate::failure::Failure;
use crate::opening::Source;
use crate::parameter::parameter;
use crate::recorded::Recorded;
use crate::worker::Progress;

/// Wall time of a batch of steps in ms: the time until a signal has an effect.
const BATCH_MS: f64 = 50.0;

/// A network on a device.
pub(crate) struct Running {
    simulation: Simulation,
    request: DeviceRequest,
    kind: DeviceKind,
    /// The name of the device, and why it was chosen.
    pub(crate) device: String,
    pub(crate) reason: String,
    exact: Option<spikelet::ExactSamples>,
    pub(crate) trials: Vec<Recorded>,
    pacing: Pacing,
    recovery: Recovery,
    began: Instant,
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
            simulation,
            request: request.clone(),
            kind,
            device: name,
            reason,
            exact,
            trials,
            pacing: Pacing::new(BATCH_MS),
            recovery: Recovery::new(0.0),
            began: Instant::now(),
            seconds: 0.0,
            notices,
        })
    }

    /// Runs a number of steps, until a condition is true, or until the caller stops it. What was recorded before an error is kept.
    pub(crate) fn run(&mut self, steps: u32, until: Option<&str>, progress: &Progress) -> Result<(), Failure> {
        let mut until = until.map(|text| self.simulation.until(text)).transpose()?;
        let Some(end) = self.simulation.step().checked_add(steps) else {
            return Err(Failure(format!("{steps} more steps are too many; a run has at most {}", i32::MAX)));
        };
        // The state that is read after the run is that of its last step.
        self.simulation.begin_ahead_until(end);
        while self.simulation.step() < end && !self.simulation.is_over() {
            // Steps that the device has begun are completed, so that all results end at one step.
            let (left, begun) =
                (end - self.simulation.step(), self.simulation.device_step().saturating_sub(self.simulation.step()));
            let wanted = match progress.is_stopped() {
                false => self.pacing.steps().min(left),
                true if begun > 0 => begun.min(left),
                true => break,
            };
            self.simulation.begin_ahead(u32::from(until.is_none() && !progress.is_stopped()));
            let (start, before) = (Instant::now(), self.simulation.step());
            let (mut activities, is_true) = loop {
                let advanced = match &mut until {
                    Some(condition) => block_on(self.simulation.advance_until(wanted, condition)),
                    None => block_on(self.simulation.advance_trials(wanted)).map(|activities| (activities, false)),
                };
                match advanced {
                    Err(Error::DeviceLost { device, why }) => self.replace_device(&device, &why)?,
                    other => break other?,
                }
            };
            let busy = start.elapsed().as_secs_f64();
            self.pacing.record(wanted, wanted, busy * 1000.0);
            self.seconds += busy;
            for (index, (activity, run)) in activities.iter_mut().zip(self.simulation.runs()).enumerate() {
                let exact = self.exact.as_ref().filter(|_| index == 0);
                self.trials[index].add(activity, before..run.step(), run.plan(), exact);
            }
            progress.reach(self.simulation.step());
            self.keep()?;
            if is_true {
                block_on(self.simulation.rewind())?;
                break;
            }
        }
        match self.simulation.failure() {
            Some(failure) if self.simulation.is_over() => Err(failure.clone().into()),
            _ => Ok(()),
        }
    }

    /// Takes a checkpoint if one is due.
    fn keep(&mut self) -> Result<(), Failure> {
        let now_ms = |began: &Instant| began.elapsed().as_secs_f64() * 1000.0;
        let began_ms = now_ms(&self.began);
        if self.recovery.is_due(&self.simulation, self.kind == DeviceKind::Gpu, began_ms) {
            block_on(self.simulation.checkpoint())?;
            self.recovery.kept(began_ms, now_ms(&self.began));
        }
        Ok(())
    }

    /// Continues on another device.
    fn replace_device(&mut self, device: &str, why: &str) -> Result<(), Failure> {
        let (request, kind) = (&self.request, &mut self.kind);
        let open = async |successor: Replacement, _: &Plan| -> Result<Box<dyn Backend>, Error> {
            let failed = |failure: Failure| Error::Backend(failure.0);
            *kind = DeviceKind::Cpu;
            if successor == Replacement::Cpu {
                let cpu: Box<dyn Backend> = Box::new(Cpu::new(request.threads().map_err(failed)?).sparing());
                return Ok(cpu);
            }
            let opened = request.open().map_err(failed)?;
            *kind = opened.kind;
            Ok(opened.backend)
        };
        let loss = block_on(self.recovery.resume(&mut self.simulation, device, why, open))?;
        self.device.clone_from(&loss.successor);
        self.notices.push(loss.to_string());
        Ok(())
    }

    /// The trial of this index.
    pub(crate) fn recorded(&self, trial: usize) -> Result<&Recorded, Failure> {
        self.trials.get(trial).ok_or_else(|| self.no_trial(trial))
    }

    fn trial_run(&self, trial: usize) -> Result<&TrialRun, Failure> {
        self.simulation.runs().get(trial).ok_or_else(|| self.no_trial(trial))
    }

    fn no_trial(&self, trial: usize) -> Failure {
        let count = self.trials.len();
        let (expected, way_out) = (format!("the simulation has {count}, counted from 0"), "create it with more `trials`");
        Error::invalid("trial", trial, expected, way_out).into()
    }

    /// The values of a variable, in its unit; of a parameter that all share, one.
    pub(crate) fn values(&mut self, trial: usize, path: &str) -> Result<Vec<f64>, Failure> {
        self.trial_run(trial)?;
        if self.simulation.variable(path).is_err()
            && let Some((value, _)) = parameter(self.simulation.network(), path)
        {
            return Ok(vec![value]);
        }
        Ok(block_on(self.simulation.values(trial, path))?)
    }

    /// Number of neurons or synapses of an object of the network.
    fn count(&self, object: &str) -> u32 {
        let plan = self.simulation.plan();
        let of_projection = || plan.projections.iter().find(|of| of.name == object).map_or(0, |of| of.synapses() as u32);
        plan.populations.iter().find(|of| of.name == object).map_or_else(of_projection, |of| of.size)
    }

    /// The unit of a variable or parameter.
    pub(crate) fn unit(&self, path: &str) -> Result<String, Failure> {
        match (self.simulation.variable(path), parameter(self.simulation.network(), path)) {
            (Ok(variable), _) => Ok(variable.unit.clone()),
            (Err(_), Some((_, unit))) => Ok(unit),
            (Err(error), None) => Err(error.into()),
        }
    }

    /// The columns of the table of a population's neurons, each with its texts.
    pub(crate) fn neurons(&self, population: &str) -> Result<Vec<(String, Vec<String>)>, Failure> {
        let network = self.simulation.network();
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
        parameter(self.simulation.network(), path).map(|(_, unit)| unit)
    }

    /// Sets a value as text, such as `15 mV`.
    pub(crate) fn set(&mut self, path: &str, value: &str) -> Result<(), Failure> {
        block_on(self.simulation.set(path, value)).map_err(|error| {
            let sentence = error.to_string();
            if sentence.starts_with(path) { Failure(sentence) } else { Failure(format!("{path} cannot be {value}: {sentence}")) }
        })
    }

    /// Sets a variable in its unit: one value for all, or one for each.
    pub(crate) fn set_values(&mut self, path: &str, values: &[f64]) -> Result<(), Failure> {
        block_on(self.simulation.set_values(path, values))?;
        Ok(())
    }

    /// Records the variables of a list in JSON from now on, besides and in place of what is recorded already.
    pub(crate) fn record(&mut self, json: &str) -> Result<(), Failure> {
        let (mut all, new) = (self.simulation.network().recordings.clone(), Recording::list_from_json(json)?);
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
        block_on(self.simulation.record(all))?;
        let step = self.simulation.step();
        self.trials.iter_mut().zip(self.simulation.runs()).for_each(|(trial, run)| trial.change(run.plan(), step));
        Ok(())
    }

    /// Labels, units and intervals in steps of all recorded values.
    pub(crate) fn channels(&self) -> Vec<(String, String, u32)> {
        let channels = self.simulation.plan().channels.iter();
        channels.map(|channel| (channel.label.clone(), channel.unit.clone(), channel.every)).collect()
    }

    /// All synapses of a projection: pairs, then names with units and values.
    pub(crate) fn synapses(&mut self, trial: usize, projection: &str) -> Result<SynapseColumns, Failure> {
        self.trial_run(trial)?;
        let table = block_on(self.simulation.edge_table(trial, projection))?;
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
        Ok(block_on(self.simulation.snapshot())?.to_bytes())
    }

    /// Continues from the state of a snapshot. What was recorded before its time stays.
    pub(crate) fn restore(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let snapshot = spikelet::Snapshot::from_bytes(bytes)?;
        block_on(self.simulation.restore(&snapshot))?;
        let step = self.simulation.step();
        self.trials.iter_mut().zip(self.simulation.runs()).for_each(|(trial, run)| trial.drop_after(run.plan(), step));
        Ok(())
    }

    /// Returns to the start, with a trial's noise.
    pub(crate) fn reset(&mut self, trial: Option<u32>) -> Result<(), Failure> {
        match trial {
            Some(trial) => block_on(self.simulation.reset(trial))?,
            None => block_on(self.simulation.restart())?,
        }
        self.trials = self.simulation.runs().iter().map(|run| Recorded::new(run.plan())).collect();
        self.seconds = 0.0;
        Ok(())
    }

    /// The next step.
    pub(crate) fn step(&self) -> u32 {
        self.simulation.step()
    }

    /// The current network, as JSON.
    pub(crate) fn network(&self) -> String {
        self.simulation.network().to_json()
    }

    /// What does not change: populations, variables, device.
    pub(crate) fn description(&self) -> Value {
        let plan = self.simulation.plan();
        let variable = |entry: &spikelet::ArrayEntry| json!({"path": entry.path, "unit": entry.unit, "length": entry.length});
        json!({
            "name": self.simulation.network().name,
            "dt_ms": plan.dt_ms,
            "duration_ms": self.simulation.network().duration_ms,
            "seed": plan.seed,
            "neurons": plan.neurons(),
            "synapses": plan.synapses(),
            "populations": plan.populations.iter().map(|of| json!({"name": of.name, "first": of.first, "size": of.size})).collect::<Vec<_>>(),
            "projections": plan.projections.iter().map(|of| json!({"name": of.name, "synapses": of.synapses()})).collect::<Vec<_>>(),
            "variables": plan.arrays().named().map(|(_, entry)| variable(entry)).collect::<Vec<_>>(),
            "trials": self.simulation.runs().iter().map(TrialRun::number).collect::<Vec<_>>(),
        })
    }

    /// Rates, hash and speed of a trial.
    pub(crate) fn report(&self, trial: usize) -> Result<Value, Failure> {
        let (recorded, run) = (self.recorded(trial)?, self.trial_run(trial)?);
        let populations = recorded.recorder.populations(run.time_ms());
        Ok(json!({
            "network": self.simulation.network().name,
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
