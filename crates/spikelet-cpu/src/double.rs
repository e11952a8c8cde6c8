//! The backend in double precision: it shows where f32 begins to differ.
//!
//! It executes the same [schedule](spikelet_plan::schedule) with the same codes, connectivity and random words, one phase after the other on
//! one thread. State, constants, weights and input are f64, and nothing is rounded to f32 or to fixed point. It is slow.

mod arrays;
mod neurons;
mod propagate;
mod saved;
mod synapses;
mod trial;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use spikelet_network::Error;
use spikelet_plan::{Activity, ArrayId, Backend, Epoch, Plan, Precision, Spike, Task, Trial};
use trial::DoubleTrial;

/// The CPU in f64.
#[derive(Default)]
pub struct Double {
    trials: Vec<DoubleTrial>,
    samples: ExactSamples,
}

/// The samples of the first trial of a [`Double`] in f64, in inner units: a row per step from the start of the run, a value per channel.
#[derive(Clone, Default)]
pub struct ExactSamples(Rc<RefCell<Vec<f64>>>);

impl ExactSamples {
    /// The rows of these steps, as far as the device has computed them.
    pub fn rows(&self, steps: std::ops::Range<u32>, channels: usize) -> Vec<f64> {
        let all = self.0.borrow();
        let [start, end] = [steps.start, steps.end].map(|step| (step as usize * channels).min(all.len()));
        all[start..end.max(start)].to_vec()
    }

    /// Puts the rows from a step on in the place of earlier ones.
    fn put(&self, step: u32, channels: usize, rows: &[f64]) {
        let mut all = self.0.borrow_mut();
        all.resize(step as usize * channels, f64::NAN);
        all.extend_from_slice(rows);
    }
}

impl Double {
    /// The CPU in f64, on one thread.
    pub fn new() -> Double {
        Double::default()
    }

    /// The samples in f64, which change with the run; an [`Activity`] has them as f32.
    pub fn samples(&self) -> ExactSamples {
        self.samples.clone()
    }

    fn trial(&mut self, trial: usize) -> Result<&mut DoubleTrial, Error> {
        let missing = || Error::Backend("the CPU has not loaded this trial; load it first".into());
        self.trials.get_mut(trial).ok_or_else(missing)
    }
}

impl Backend for Double {
    fn name(&self) -> String {
        "CPU in f64, 1 thread".into()
    }

    fn precision(&self) -> Precision {
        Precision::Double
    }

    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()> {
        Box::pin(async move {
            let channels = |plan: Option<&Arc<Plan>>| plan.map(|plan| plan.sampling.columns.len());
            if channels(self.trials.first().map(|trial| &trial.plan)) != channels(trials.first().map(|trial| &trial.plan)) {
                self.samples.0.borrow_mut().clear();
            }
            // Frees the memory of earlier trials first.
            self.trials.clear();
            trials.iter().try_for_each(|trial| trial.plan.check_functions())?;
            self.trials = trials.into_iter().map(DoubleTrial::new).collect::<Result<_, _>>()?;
            Ok(())
        })
    }

    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        self.trials.iter_mut().zip(plans).for_each(|(trial, plan)| trial.plan = plan);
        Box::pin(async { Ok(()) })
    }

    fn advance(&mut self, epoch: Epoch) -> Task<'_, Vec<Activity>> {
        Box::pin(async move {
            let mut activities = Vec::new();
            for (index, trial) in self.trials.iter_mut().enumerate() {
                let (spikes, samples) = trial.run(epoch);
                if index == 0 {
                    self.samples.put(epoch.first, trial.plan.sampling.columns.len(), &samples);
                }
                let samples = samples.into_iter().map(|sample| sample as f32).collect();
                activities.push(Activity { spikes, samples, statistics: Vec::new(), diverged: trial.diverges(epoch.end()) });
            }
            Ok(activities)
        })
    }

    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>> {
        Box::pin(async move { self.trial(trial)?.read(array) })
    }

    fn complete_step(&mut self, step: u32) -> Task<'_, ()> {
        self.trials.iter_mut().for_each(|trial| trial.complete_step(step));
        Box::pin(async { Ok(()) })
    }

    fn refill<'a>(&'a mut self, trial: usize, spikes: &'a [Spike], step: u32) -> Task<'a, ()> {
        Box::pin(async move {
            self.trial(trial)?.refill(spikes, step);
            Ok(())
        })
    }

    fn read_exact(&mut self, trial: usize, array: ArrayId) -> Result<Option<Vec<f64>>, Error> {
        Ok(self.trial(trial)?.exact(array)?.map(|values| values.clone()))
    }

    fn write_exact(&mut self, trial: usize, array: ArrayId, values: &[f64]) -> Result<bool, Error> {
        let own = self.trial(trial)?.exact(array)?;
        Ok(own.map(|own| own.copy_from_slice(values)).is_some())
    }

    fn save(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>> {
        Box::pin(async move { self.trial(trial)?.save(array) })
    }

    fn restore<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move { self.trial(trial)?.restore(array, words) })
    }

    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()> {
        Box::pin(async move { self.trial(trial)?.write(array, words) })
    }

    fn follow<'a>(&'a mut self, trial: usize, array: ArrayId, plan: &'a Plan) -> Task<'a, ()> {
        Box::pin(async move { self.trial(trial)?.follow(array, plan) })
    }
}
