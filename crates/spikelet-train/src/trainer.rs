//! A training that runs: batches, evaluation, and a state to continue from.

mod answers;
mod check;
mod checkpoint;
mod health;

pub use answers::Answers;
pub use checkpoint::Checkpoint;
pub use health::PopulationRate;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use spikelet_network::{Error, Network, Notice};

use crate::{
    Batch, Dataset, Differentiable, Evaluation, LossFunction, OptimiserState, Parameters, Part, Readings, Sample, Target,
    Training, TrainingPlan, batches,
};
use health::Health;

/// The number of the trial of the first sample of an evaluation. Those of training samples are counted from 0.
const EVALUATED: u32 = 1 << 31;

/// A training with its data, on a device. It reads no clock: its caller measures the time.
pub struct Trainer {
    training: Training,
    plan: Arc<TrainingPlan>,
    data: Dataset,
    loss: LossFunction,
    device: Box<dyn Differentiable>,
    parameters: Parameters,
    state: TrainerState,
    /// The batches of the current epoch.
    order: Vec<Vec<usize>>,
    /// The hash of the data: see [`Dataset::hash`].
    data_hash: u64,
    /// The rates of the last batch of the epoch, once it is trained.
    rates: Vec<PopulationRate>,
    health: Health,
}

/// What a training has learned and where it is: with it, it continues to the bit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct TrainerState {
    /// Number of epochs that are done.
    pub epoch: u32,
    /// Number of batches of the current epoch that are done.
    pub batch: u32,
    /// Losses of the current epoch.
    pub score: Score,
    /// The parameters: see [`Parameters::values`].
    pub values: Vec<f32>,
    /// What the optimiser remembers.
    pub optimiser: OptimiserState,
    /// The epochs that are done.
    pub history: Vec<EpochResult>,
    /// The best of them: see [`EpochResult::is_better`].
    #[serde(default)]
    pub best: Option<BestEpoch>,
}

impl TrainerState {
    /// Adds an epoch to the history; keeps the parameters if it is the best.
    pub fn add(&mut self, result: EpochResult) {
        let before = self.best.as_ref().and_then(|best| self.history.get(best.epoch as usize - 1));
        if before.is_none_or(|before| result.is_better(before)) {
            self.best = Some(BestEpoch { epoch: result.epoch, values: self.values.clone() });
        }
        self.history.push(result);
    }
}

/// The parameters after the best epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BestEpoch {
    /// Its number, from 1.
    pub epoch: u32,
    /// The parameters: see [`Parameters::values`].
    pub values: Vec<f32>,
}

/// What came of an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochResult {
    /// Its number, from 1.
    pub epoch: u32,
    /// The samples that it trained on, each before the update of its batch.
    pub train: Score,
    /// The samples for validation after it; `None` if there are none.
    #[serde(default)]
    pub validation: Option<Score>,
    /// The test samples after it; `None` if there are none.
    pub test: Option<Score>,
    /// Mean rates of the populations that fire, of some samples of the last batch.
    #[serde(default)]
    pub rates: Vec<PopulationRate>,
    /// Wall time in seconds without the evaluation, as far as the caller has measured it.
    pub seconds: f64,
}

impl EpochResult {
    /// The samples by which epochs are compared: those for validation, else the test samples, else those to train on.
    pub fn judged(&self) -> &Score {
        self.validation.as_ref().or(self.test.as_ref()).unwrap_or(&self.train)
    }

    /// Whether its accuracy is higher, or, without classes, its loss lower.
    pub fn is_better(&self, than: &EpochResult) -> bool {
        let value = |of: &EpochResult| of.judged().accuracy().unwrap_or(-of.judged().loss());
        value(self) > value(than)
    }
}

/// Losses of samples.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Score {
    /// Number of samples.
    pub samples: u32,
    /// The sum of their losses.
    pub total: f64,
    /// Number of samples that were classified correctly; `None` if targets are not classes.
    pub correct: Option<u32>,
}

impl Score {
    fn add(&mut self, samples: usize, loss: f64, correct: Option<u32>) {
        self.samples += samples as u32;
        self.total += loss * samples as f64;
        self.correct = correct.map(|correct| correct + self.correct.unwrap_or(0));
    }

    /// The mean loss.
    pub fn loss(&self) -> f64 {
        self.total / f64::from(self.samples)
    }

    /// The part of the samples that was classified correctly.
    pub fn accuracy(&self) -> Option<f64> {
        self.correct.map(|correct| f64::from(correct) / f64::from(self.samples))
    }
}

/// Simulates samples without training, the first with the noise of this number.
async fn simulate(
    device: &mut dyn Differentiable,
    loss: &LossFunction,
    samples: &[Sample],
    first: u32,
) -> Result<(Evaluation, Readings), Error> {
    let inputs = samples.iter().map(|sample| sample.events.clone()).collect();
    let readings = device.forward(&Batch { inputs, first_trial: EVALUATED + first }, false).await?;
    let targets: Vec<&Target> = samples.iter().map(|sample| &sample.target).collect();
    Ok((loss.evaluate(&readings, &targets)?, readings))
}

impl Trainer {
    /// A training before its first batch.
    ///
    /// # Errors
    /// Any error of the plan, the loss, the optimiser, the data or the device.
    pub async fn new(training: Training, data: Dataset, mut device: Box<dyn Differentiable>) -> Result<Trainer, Error> {
        let plan = Arc::new(TrainingPlan::new(&training)?);
        let loss = LossFunction::new(&training.loss, &plan, data.classes)?;
        check::data(&training, &plan, &loss, &data)?;
        let parameters = plan.parameters.clone();
        let optimiser = OptimiserState::new(&training.optimiser, parameters.values.len())?;
        device.load(plan.clone(), training.batch as usize).await?;
        let state = TrainerState { values: parameters.values.clone(), optimiser, ..TrainerState::default() };
        let (data_hash, health) = (data.hash(), Health::new(&parameters));
        let mut trainer = Trainer {
            training,
            plan,
            data,
            loss,
            device,
            parameters,
            state,
            order: Vec::new(),
            data_hash,
            rates: Vec::new(),
            health,
        };
        trainer.restore(trainer.state.clone()).await?;
        Ok(trainer)
    }

    /// The training.
    pub fn training(&self) -> &Training {
        &self.training
    }

    /// Its plan.
    pub fn plan(&self) -> &TrainingPlan {
        &self.plan
    }

    /// Its data.
    pub fn data(&self) -> &Dataset {
        &self.data
    }

    /// The device.
    pub fn device(&mut self) -> &mut dyn Differentiable {
        &mut *self.device
    }

    /// Where it is.
    pub fn state(&self) -> &TrainerState {
        &self.state
    }

    /// Number of batches of an epoch.
    pub fn batches(&self) -> usize {
        self.order.len()
    }

    /// The samples of the next batch of the epoch.
    pub fn next_samples(&self) -> Vec<&Sample> {
        let order = self.order.get(self.state.batch as usize);
        order.into_iter().flatten().map(|index| &self.data.train[*index]).collect()
    }

    /// Trains on the next batch. After the last one of an epoch, [`Trainer::end_epoch`] follows.
    ///
    /// # Errors
    /// An error of the device; a loss or a gradient that is not finite. Then only [`Trainer::restore`] continues.
    pub async fn train_batch(&mut self) -> Result<(), Error> {
        let readings = self.forward().await?;
        let targets: Vec<&Target> = self.next_samples().into_iter().map(|sample| &sample.target).collect();
        let evaluation = self.loss.evaluate(&readings, &targets)?;
        self.backward(&evaluation).await
    }

    /// Simulates the next batch: what the terms of the loss read of it. With a loss of its own a caller continues with [`Trainer::backward`].
    ///
    /// # Errors
    /// An error of the device.
    pub async fn forward(&mut self) -> Result<Readings, Error> {
        let TrainerState { epoch, batch, .. } = self.state;
        let first = u64::from(epoch) * self.data.train.len() as u64 + u64::from(batch) * u64::from(self.training.batch);
        let first_trial = (first % u64::from(EVALUATED)) as u32;
        let inputs = self.next_samples().into_iter().map(|sample| sample.events.clone()).collect();
        self.device.forward(&Batch { inputs, first_trial }, true).await
    }

    /// The gradient of the batch that was simulated, and the update of the parameters by it.
    ///
    /// # Errors
    /// An error of the device; a gradient that is not finite. Then only [`Trainer::restore`] continues.
    pub async fn backward(&mut self, evaluation: &Evaluation) -> Result<(), Error> {
        let samples = self.next_samples().len();
        let raw = self.device.backward(&evaluation.adjoints).await?;
        let gradient = self.plan.gradient(&raw, &self.parameters.values);
        self.check_gradient(&gradient)?;
        self.health.add(&self.parameters, &gradient);
        if self.state.batch as usize + 1 == self.order.len() {
            // A device with other values need not have the batch any more.
            self.rates = self.rates_of(samples).await?;
        }
        self.state.optimiser.step(&self.training.optimiser, self.state.epoch, &mut self.parameters, &gradient);
        self.state.values.clone_from(&self.parameters.values);
        self.device.set(Arc::new(self.plan.values(&self.parameters.values)?)).await?;
        self.state.score.add(samples, evaluation.loss, evaluation.correct);
        self.state.batch += 1;
        Ok(())
    }

    /// Whether the current epoch has no more batches.
    pub fn is_epoch_done(&self) -> bool {
        self.state.batch as usize == self.order.len()
    }

    /// Evaluates after the last batch of an epoch, and begins the next one. `seconds` is what the epoch took.
    ///
    /// # Errors
    /// An error of the device, or a loss that is not finite.
    pub async fn end_epoch(&mut self, seconds: f64) -> Result<EpochResult, Error> {
        let rates = std::mem::take(&mut self.rates);
        let validation = self.evaluate(Part::Validation).await?;
        let test = self.evaluate(Part::Test).await?;
        let state = &mut self.state;
        let (epoch, train) = (state.epoch + 1, std::mem::take(&mut state.score));
        let result = EpochResult { epoch, train, validation, test, rates, seconds };
        state.add(result.clone());
        (state.epoch, state.batch) = (epoch, 0);
        self.health.end_epoch(&self.plan, &self.state.history);
        self.order_samples();
        Ok(result)
    }

    /// The losses of the samples of a part; `None` if there are none.
    ///
    /// # Errors
    /// An error of the device, or a loss that is not finite.
    pub async fn evaluate(&mut self, part: Part) -> Result<Option<Score>, Error> {
        let mut score = Score::default();
        let Trainer { data, training, device, loss, .. } = self;
        for samples in data.part(part).chunks(training.batch as usize) {
            let (evaluation, _) = simulate(&mut **device, loss, samples, score.samples).await?;
            score.add(samples.len(), evaluation.loss, evaluation.correct);
        }
        Ok((score.samples > 0).then_some(score))
    }

    /// The state, with what a later program must know to continue.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint { training: self.training.clone(), data: Some(self.data_hash), state: self.state.clone() }
    }

    /// Continues from a checkpoint of the same training and data.
    ///
    /// # Errors
    /// Those of [`Checkpoint::check`] and [`Trainer::restore`]; data that have changed since.
    pub async fn resume(&mut self, checkpoint: Checkpoint) -> Result<(), Error> {
        checkpoint.check(&self.training)?;
        if checkpoint.data.is_some_and(|data| data != self.data_hash) {
            let expected = "the samples of this training are others: a file has changed since";
            let way_out = "use the files that it was trained with, or begin without a checkpoint";
            return Err(Error::invalid("the checkpoint", "of other data", expected, way_out));
        }
        self.restore(checkpoint.state).await
    }

    /// Continues from a state of the same training.
    ///
    /// # Errors
    /// A state of other parameters; an error of the device.
    pub async fn restore(&mut self, state: TrainerState) -> Result<(), Error> {
        let numbers = self.parameters.values.len();
        if state.values.len() != numbers {
            let expected = format!("this training has {numbers}");
            let found = format!("of {} parameters", state.values.len());
            return Err(Error::invalid("the checkpoint", found, expected, "use a checkpoint of the same training"));
        }
        self.parameters.values.clone_from(&state.values);
        self.state = state;
        self.rates.clear();
        self.order_samples();
        self.device.set(Arc::new(self.plan.values(&self.parameters.values)?)).await
    }

    /// The network with the trained parameters: a plain network.
    ///
    /// # Errors
    /// A parameter that a network cannot have.
    pub fn network(&self) -> Result<Network, Error> {
        self.plan.network_with(&self.parameters.values)
    }

    /// The network with the parameters of the [best](TrainerState::best) epoch; before the end of the first one as [`Trainer::network`].
    ///
    /// # Errors
    /// A parameter that a network cannot have.
    pub fn best_network(&self) -> Result<Network, Error> {
        let best = self.state.best.as_ref().map_or(&self.parameters.values, |best| &best.values);
        self.plan.network_with(best)
    }

    /// What users should know of the epochs so far, each once: what does not learn, and what may help. [`Differentiable::notices`] has what is
    /// known of the gradients.
    pub fn notices(&self) -> &[Notice] {
        self.health.notices()
    }

    fn order_samples(&mut self) {
        let size = self.training.batch as usize;
        self.order = batches(self.training.seed, self.state.epoch, self.data.train.len(), size);
    }

    /// Rejects a gradient that is not finite.
    fn check_gradient(&self, gradient: &[f32]) -> Result<(), Error> {
        let Some(index) = gradient.iter().position(|number| !number.is_finite()) else { return Ok(()) };
        let group = self.parameters.groups.iter().find(|group| group.range.contains(&index));
        let (path, first) = group.map_or(("", 0), |group| (group.path.as_str(), group.range.start));
        Err(Error::Backend(format!(
            "the gradient of `{path}` is {} at index {}; use a smaller `optimiser.rate`, a surrogate that is less steep, or \
             `optimiser.clip_value`",
            gradient[index],
            index - first
        )))
    }
}

#[cfg(test)]
mod tests;
