//! Carries out requests.

mod plane;

use pollster::block_on;
use spikelet_network::Error;
use spikelet_plan::Spike;
use spikelet_train::{Checkpoint, Dataset, Differentiable, EventPropCpu, Method, PRESETS, Trainer, Training, bptt, preset};

use crate::protocol::{
    Command, Epoch, Group, NamedFile, Open, Part, Population, PopulationRate, Preset, Reply, Sample, Score, SessionError,
    Trained, TrainingInfo,
};

/// At most one training, and what it is asked.
#[derive(Default)]
pub struct Session {
    trainer: Option<Trainer>,
}

impl spikelet_module::Session for Session {
    type Command = Command;
    type Reply = Reply;
    // It reports nothing by itself.
    type Event = ();
    type Error = SessionError;

    fn run(&mut self, command: Command) -> Result<Reply, SessionError> {
        match command {
            Command::Presets => Ok(Reply::Presets(presets())),
            Command::Preset { name, method } => Ok(Reply::Text(text_of(&name, method.as_deref())?)),
            Command::Open(open) => {
                self.trainer = None;
                let mut trainer = open_training(open)?;
                let opened = describe(&mut trainer);
                self.trainer = Some(trainer);
                Ok(Reply::Opened(opened))
            }
            command => run(self.trainer.as_mut().ok_or_else(SessionError::no_training)?, command),
        }
    }
}

/// Carries out a request that needs a training.
fn run(trainer: &mut Trainer, command: Command) -> Result<Reply, SessionError> {
    Ok(match command {
        Command::Presets | Command::Preset { .. } | Command::Open(_) => Reply::Opened(describe(trainer)),
        Command::Train { batches, seconds } => Reply::Trained(train(trainer, batches, seconds)?),
        Command::Evaluate => {
            let score = block_on(trainer.evaluate(spikelet_train::Part::Test))?;
            Reply::Score(score.map(|of| Score { loss: of.loss(), accuracy: of.accuracy() }))
        }
        Command::Sample { of, index } => Reply::Sample(sample(trainer, of, index)?),
        Command::Plane { resolution } => Reply::Plane(plane::plane(trainer, resolution)?),
        Command::Weights => Reply::Weights(weights(trainer)),
        Command::Network => Reply::Text(trainer.network()?.to_json()),
        Command::Checkpoint => Reply::Bytes(trainer.checkpoint().to_bytes()),
        Command::Restore { content } => {
            block_on(trainer.resume(Checkpoint::from_bytes(&content.to_vec())?))?;
            Reply::Opened(describe(trainer))
        }
    })
}

fn presets() -> Vec<Preset> {
    let of = |preset: &spikelet_train::Preset| Preset {
        name: preset.name.to_owned(),
        title: preset.title.to_owned(),
        citation: preset.citation.to_owned(),
        methods: preset.methods().map(|method| method.name().to_owned()).collect(),
    };
    PRESETS.iter().map(of).collect()
}

/// The JSON of a preset.
fn text_of(name: &str, method: Option<&str>) -> Result<String, Error> {
    let preset = preset(name)?;
    let Some(wanted) = method else { return Ok(preset.text(None).to_owned()) };
    let methods = || preset.methods().map(Method::name);
    let method = preset.methods().find(|method| method.name() == wanted);
    let method = method.ok_or_else(|| Error::unknown_name("method", &format!("method of `{name}`"), wanted, methods()))?;
    Ok(preset.text(Some(method)).to_owned())
}

fn open_training(open: Open) -> Result<Trainer, Error> {
    let Open { json, files, epochs, seed, rate, batch } = open;
    let mut training = Training::from_json(&json)?;
    training.epochs = epochs.unwrap_or(training.epochs);
    training.seed = seed.unwrap_or(training.seed);
    training.optimiser.rate = rate.unwrap_or(training.optimiser.rate);
    training.batch = batch.unwrap_or(training.batch);
    let data = data_of(&training, &files)?;
    let device: Box<dyn Differentiable> = match training.method {
        Method::Bptt | Method::Eprop => Box::new(bptt::Cpu::new(1)),
        Method::EventProp => Box::new(EventPropCpu::new(1)),
    };
    block_on(Trainer::new(training, data, device))
}

/// The samples: generated, or read from the given files.
fn data_of(training: &Training, files: &[NamedFile]) -> Result<Dataset, Error> {
    training.data.dataset(|name| {
        let found = files.iter().find(|file| file.name == name).map(|file| file.content.to_vec());
        found.ok_or_else(|| {
            let known = files.iter().map(|file| file.name.as_str());
            Error::unknown_name("data.file", "file", name, known)
        })
    })
}

fn describe(trainer: &mut Trainer) -> TrainingInfo {
    let device = trainer.device().name();
    let (training, plan, data) = (trainer.training(), trainer.plan(), trainer.data());
    let populations = plan.plan.populations.iter().map(|of| Population { name: of.name.clone(), size: of.size });
    TrainingInfo {
        name: training.name.clone(),
        method: training.method.name().to_owned(),
        device,
        epochs: training.epochs,
        epoch: trainer.state().epoch,
        batches: trainer.batches() as u32,
        batch: training.batch,
        rate: training.optimiser.rate,
        train_samples: data.train.len() as u32,
        test_samples: data.test.len() as u32,
        classes: data.classes,
        duration_ms: training.network.duration_ms,
        dt_ms: training.network.dt_ms,
        input: training.input.clone(),
        populations: populations.collect(),
        synapses: plan.projections.iter().map(|of| of.targets.len() as u32).sum(),
        parameters: plan.parameters.values.len() as u32,
        has_plane: plane::is_plane(training),
    }
}

/// Trains for some batches, at most to the end of the epoch, which it then evaluates. `seconds` is what the epoch took before.
fn train(trainer: &mut Trainer, batches: u32, seconds: f64) -> Result<Trained, Error> {
    let before = trainer.state().score;
    let epoch = trainer.state().epoch + 1;
    for _ in 0..batches.max(1) {
        if trainer.is_epoch_done() {
            break;
        }
        block_on(trainer.train_batch())?;
    }
    let (score, batch) = (trainer.state().score, trainer.state().batch);
    let samples = f64::from(score.samples - before.samples);
    let correct = score.correct.map(|correct| f64::from(correct - before.correct.unwrap_or(0)) / samples);
    let mut trained = Trained { epoch, batch, loss: (score.total - before.total) / samples, accuracy: correct, ended: None };
    if trainer.is_epoch_done() {
        let known = trainer.notices().len();
        let result = block_on(trainer.end_epoch(seconds))?;
        let rates = result.rates.into_iter().map(|of| PopulationRate { population: of.population, rate_hz: of.rate_hz });
        trained.ended = Some(Epoch {
            epoch,
            loss: result.train.loss(),
            loss_test: result.test.map(|test| test.loss()),
            accuracy_train: result.train.accuracy(),
            accuracy_test: result.test.and_then(|test| test.accuracy()),
            rates: rates.collect(),
            notices: trainer.notices()[known..].iter().map(ToString::to_string).collect(),
        });
    }
    Ok(trained)
}

fn sample(trainer: &mut Trainer, of: Part, index: u32) -> Result<Sample, Error> {
    let samples = trainer.data().part(of.into());
    let Some(example) = samples.get(index as usize).cloned() else {
        let expected = format!("there are {} samples, from 0", samples.len());
        return Err(Error::invalid("index", index, expected, "use a smaller index"));
    };
    let class = example.class();
    let answers = block_on(trainer.answers(&[example]))?;
    let own = block_on(trainer.device().spikes(0))?;
    let dt_ms = trainer.training().network.dt_ms;
    Ok(Sample {
        class,
        decision: answers.classes.first().copied().flatten(),
        neurons: own.iter().map(|spike| spike.neuron).collect(),
        times_ms: own.iter().map(|Spike { step, .. }| (f64::from(*step) * dt_ms) as f32).collect(),
    })
}

fn weights(trainer: &Trainer) -> Vec<Group> {
    let parameters = &trainer.plan().parameters;
    let groups = parameters.groups.iter().map(|group| {
        let of = |values: &[f32]| values[group.range.clone()].to_vec();
        Group { path: group.path.clone(), before: of(&parameters.values), now: of(&trainer.state().values) }
    });
    groups.collect()
}

#[cfg(test)]
mod tests;
