//! The class behind `spikelet.Training`.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pollster::block_on;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use spikelet::Error;
use spikelet_gpu::{Device, GpuBptt, GpuEventProp, Selector};
use spikelet_native::memory;
use spikelet_train::{
    Answers, Checkpoint, Dataset, Differentiable, EpochResult, Evaluation, Event, EventPropCpu, Method, PRESETS, Part, Readings,
    Sample, Score, Target, Trainer, Training, bptt, preset,
};

use crate::device::DeviceRequest;
use crate::failure::Failure;
use crate::opening::Source;
use crate::worker::Worker;

/// Samples as arrays: times in ms, channels, first spike of each sample and the number of all, and the answers: classes, or values, or nothing.
type Arrays<'py> = (
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, u32>,
    PyReadonlyArray1<'py, u64>,
    Option<PyReadonlyArray1<'py, u32>>,
    Option<PyReadonlyArray1<'py, f32>>,
);

/// Numbers with their shape.
type Shaped<'py> = (Bound<'py, PyArray1<f32>>, Vec<usize>);

/// What the terms of the loss read of a batch, with the classes (-1 without) and the values of its samples.
type Read<'py> = (Vec<Shaped<'py>>, Vec<i64>, Vec<Vec<f32>>);

/// What replaces keys of a training.
#[derive(Debug, Clone, Default, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Changes {
    method: Option<String>,
    epochs: Option<u32>,
    batch: Option<u32>,
    rate: Option<f64>,
    seed: Option<u64>,
}

/// A training with its data, on a thread of its own.
#[pyclass(frozen)]
pub(crate) struct Gradients {
    worker: Worker<Trainer>,
}

#[pymethods]
impl Gradients {
    /// `text` is JSON, or the name of a training; samples that are given replace its data.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "the arguments of Python")]
    fn new(
        py: Python<'_>,
        text: String,
        files: HashMap<String, PyBackedBytes>,
        folder: PathBuf,
        train: Option<Arrays<'_>>,
        test: Option<Arrays<'_>>,
        changes: Changes,
        device: DeviceRequest,
    ) -> PyResult<Gradients> {
        let train = train.map(samples).transpose()?;
        let test = test.map(samples).transpose()?;
        let open = move || {
            let mut training = read(&text, &files, &folder)?;
            changes.apply(&mut training)?;
            let data = match train {
                Some(train) => dataset(&training, train, test.unwrap_or_default())?,
                None => training.data.dataset(|name| content(&files, &folder, name))?,
            };
            let device = differentiable(&training, &device)?;
            Ok(block_on(Trainer::new(training, data, device))?)
        };
        Ok(Gradients { worker: Worker::start(py, open)? })
    }

    /// Trains to the end of the epoch, which took `seconds` before; its result as JSON. Stopped by a signal, the next call continues with the
    /// batch after the last one.
    fn epoch(&self, py: Python<'_>, watch: Option<Bound<'_, PyAny>>) -> PyResult<Option<String>> {
        let job = |trainer: &mut Trainer, progress: &crate::worker::Progress| {
            let started = std::time::Instant::now();
            while !trainer.is_epoch_done() {
                if progress.is_stopped() {
                    return Ok(None);
                }
                block_on(trainer.train_batch())?;
                progress.reach(trainer.state().score.samples);
            }
            end_epoch(trainer, started.elapsed().as_secs_f64()).map(Some)
        };
        self.worker.call_watched(py, job, watch.as_ref())
    }

    /// Simulates the next batch.
    fn forward<'py>(&self, py: Python<'py>) -> PyResult<Read<'py>> {
        let (readings, shapes, classes, values) = self.worker.call(py, |trainer, _| {
            let readings = block_on(trainer.forward())?;
            let samples = trainer.next_samples();
            let shapes = shapes(trainer, samples.len());
            let classes: Vec<i64> = samples.iter().map(|sample| sample.class().map_or(-1, i64::from)).collect();
            let values = |sample: &&Sample| match &sample.target {
                Target::Values(values) => values.clone(),
                _ => Vec::new(),
            };
            let values: Vec<Vec<f32>> = samples.iter().map(values).collect();
            Ok((readings.0, shapes, classes, values))
        })?;
        let readings = readings.into_iter().zip(shapes).map(|(numbers, shape)| (numbers.into_pyarray(py), shape));
        Ok((readings.collect(), classes, values))
    }

    /// Updates by the adjoints of these readings. The epoch's result as JSON after its last batch.
    fn backward(
        &self,
        py: Python<'_>,
        loss: f64,
        correct: Option<u32>,
        adjoints: Vec<PyReadonlyArray1<'_, f32>>,
        seconds: f64,
    ) -> PyResult<Option<String>> {
        let adjoints: Vec<Vec<f32>> = adjoints.iter().map(|of| of.as_array().iter().copied().collect()).collect();
        self.worker.call(py, move |trainer, _| {
            let evaluation = Evaluation { loss, adjoints: Readings(adjoints), correct, answers: Vec::new() };
            block_on(trainer.backward(&evaluation))?;
            trainer.is_epoch_done().then(|| end_epoch(trainer, seconds)).transpose()
        })
    }

    /// The losses of `train`, `validation` or `test`, as JSON.
    fn evaluate(&self, py: Python<'_>, part: String) -> PyResult<String> {
        self.worker.call(py, move |trainer, _| {
            let part = match part.as_str() {
                "train" => Part::Train,
                "validation" => Part::Validation,
                "test" => Part::Test,
                other => {
                    let expected = "there are \"train\", \"validation\" and \"test\"";
                    return Err(Error::invalid("samples", format!("{other:?}"), expected, "use one of them").into());
                }
            };
            Ok(json!(block_on(trainer.evaluate(part))?.as_ref().map(score)).to_string())
        })
    }

    /// The answers to samples: classes (-1 for none), what the first term of the loss reads, and its score as JSON.
    fn answers<'py>(&self, py: Python<'py>, given: Arrays<'_>) -> PyResult<(Vec<i64>, Shaped<'py>, String)> {
        let samples = samples(given)?;
        let (answers, mut shape, neurons) = self.worker.call(py, move |trainer, _| {
            let answers = block_on(trainer.answers(&samples))?;
            let neurons = rates(trainer, &answers);
            Ok((answers, shapes(trainer, samples.len()), neurons))
        })?;
        let Answers { score: of, classes, readings, .. } = answers;
        let classes = classes.into_iter().map(|class| class.map_or(-1, i64::from)).collect();
        let mut report = score(&of);
        report["rates_hz"] = neurons;
        let shape = if shape.is_empty() { Vec::new() } else { shape.swap_remove(0) };
        Ok((classes, (readings.into_pyarray(py), shape), report.to_string()))
    }

    /// The network with the parameters now, or of the best epoch, as JSON.
    fn network(&self, py: Python<'_>, best: bool) -> PyResult<String> {
        self.worker.call(py, move |trainer, _| Ok(if best { trainer.best_network()? } else { trainer.network()? }.to_json()))
    }

    /// The parameters by their paths.
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, Bound<'py, PyArray1<f32>>)>> {
        let groups = self.worker.call(py, |trainer, _| {
            let values = &trainer.state().values;
            let of = |group: &spikelet_train::ParameterGroup| (group.path.clone(), values[group.range.clone()].to_vec());
            Ok(trainer.plan().parameters.groups.iter().map(of).collect::<Vec<_>>())
        })?;
        Ok(groups.into_iter().map(|(path, values)| (path, values.into_pyarray(py))).collect())
    }

    /// Replaces the parameters of a path.
    fn set(&self, py: Python<'_>, path: String, values: PyReadonlyArray1<'_, f32>) -> PyResult<()> {
        let values: Vec<f32> = values.as_array().iter().copied().collect();
        self.worker.call(py, move |trainer, _| {
            let groups = &trainer.plan().parameters.groups;
            let Some(group) = groups.iter().find(|group| group.path == path) else {
                let known = groups.iter().map(|group| group.path.as_str());
                return Err(Error::unknown_name("path", "parameter that is trained", &path, known).into());
            };
            if values.len() != group.range.len() {
                let expected = format!("there are {}", group.range.len());
                let found = format!("{} numbers", values.len());
                return Err(Error::invalid(path.as_str(), found, expected, "give one for each").into());
            }
            if let Some(wrong) = values.iter().find(|value| !value.is_finite()) {
                return Err(Error::invalid(path.as_str(), wrong, "parameters are finite numbers", "correct it").into());
            }
            let mut state = trainer.state().clone();
            state.values[group.range.clone()].copy_from_slice(&values);
            Ok(block_on(trainer.restore(state))?)
        })
    }

    /// The training and where it is, as bytes of a file.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.worker.call(py, |trainer, _| Ok(trainer.checkpoint().to_bytes()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Continues from such bytes.
    fn resume(&self, py: Python<'_>, bytes: Vec<u8>) -> PyResult<()> {
        self.worker.call(py, move |trainer, _| Ok(block_on(trainer.resume(Checkpoint::from_bytes(&bytes)?))?))
    }

    /// What it is, where it is and what users should know of it, as JSON.
    fn description(&self, py: Python<'_>) -> PyResult<String> {
        self.worker.call(py, |trainer, _| {
            let device = trainer.device().name();
            let limited = trainer.device().notices();
            let notices: Vec<String> = trainer.notices().iter().chain(&limited).map(ToString::to_string).collect();
            let (training, data, state) = (trainer.training(), trainer.data(), trainer.state());
            let history: Vec<Value> = state.history.iter().map(epoch).collect();
            Ok(json!({
                "name": training.name, "method": training.method.name(), "device": device, "epochs": training.epochs,
                "epoch": state.epoch, "batches": trainer.batches(), "classes": data.classes,
                "train": data.train.len(), "validation": data.validation.len(), "test": data.test.len(),
                "parameters": trainer.plan().parameters.values.len(), "history": history, "notices": notices,
                "best_epoch": state.best.as_ref().map(|best| best.epoch),
            })
            .to_string())
        })
    }
}

/// The names of the trainings that have one.
#[pyfunction]
pub(crate) fn training_names() -> Vec<String> {
    PRESETS.iter().map(|preset| preset.name.to_owned()).collect()
}

/// The JSON of one of them.
#[pyfunction]
pub(crate) fn training_text(name: &str) -> Result<String, Failure> {
    Ok(preset(name)?.text(None).to_owned())
}

/// A training by its name, or of JSON with files.
fn read(text: &str, files: &HashMap<String, PyBackedBytes>, folder: &Path) -> Result<Training, Failure> {
    if !text.trim_start().starts_with('{') {
        return Ok(preset(text)?.training(None)?);
    }
    Training::from_files(text, |name| {
        let bytes = content(files, folder, name).map_err(Failure::from)?;
        let text = String::from_utf8(bytes).map_err(|_| Failure(format!("{name} is not text; a network is JSON in UTF-8")))?;
        let files = files.iter().map(|(name, bytes)| (name.clone(), Python::attach(|py| bytes.clone_ref(py)))).collect();
        Source { text, files, folder: folder.to_owned() }.network()
    })
}

/// The content of a file by its name.
fn content(files: &HashMap<String, PyBackedBytes>, folder: &Path, name: &str) -> Result<Vec<u8>, Error> {
    if let Some(bytes) = files.get(name) {
        return Ok(bytes.to_vec());
    }
    fs::read(folder.join(name)).map_err(|error| {
        let expected = format!("neither `files` nor {} has it: {error}", folder.display());
        Error::invalid("data.file", name, expected, "give its content by `files`, or its samples as arrays")
    })
}

impl Changes {
    fn apply(self, training: &mut Training) -> Result<(), Error> {
        if let Some(name) = self.method {
            let all = [Method::Bptt, Method::EventProp, Method::Eprop];
            let found = all.into_iter().find(|method| method.name() == name);
            let names = all.map(Method::name);
            training.method = found.ok_or_else(|| Error::unknown_name("method", "method", &name, names))?;
        }
        training.epochs = self.epochs.unwrap_or(training.epochs);
        training.batch = self.batch.unwrap_or(training.batch);
        training.optimiser.rate = self.rate.unwrap_or(training.optimiser.rate);
        if let Some(seed) = self.seed {
            (training.seed, training.network.seed) = (seed, seed);
        }
        Ok(())
    }
}

fn differentiable(training: &Training, request: &DeviceRequest) -> Result<Box<dyn Differentiable>, Failure> {
    let threads = request.threads()?;
    let Some(adapter) = request.gpu()? else {
        return Ok(match training.method {
            Method::Bptt | Method::Eprop => {
                Box::new(bptt::Cpu::new(threads).with_free_memory(memory::free().unwrap_or(u64::MAX)))
            }
            Method::EventProp => Box::new(EventPropCpu::new(threads)),
        });
    };
    let device = open(&adapter)?;
    Ok(match training.method {
        Method::Bptt | Method::Eprop => Box::new(GpuBptt::new(device)),
        Method::EventProp => Box::new(GpuEventProp::new(device)),
    })
}

fn open(adapter: &Selector) -> Result<Device, Failure> {
    Ok(block_on(Device::open_with(adapter))?)
}

/// Samples of arrays.
fn samples((times, channels, offsets, classes, values): Arrays<'_>) -> PyResult<Vec<Sample>> {
    let (times, channels, offsets) = (times.as_array(), channels.as_array(), offsets.as_array());
    let count = offsets.len().saturating_sub(1);
    let each = values.as_ref().map_or(0, |values| values.as_array().len() / count.max(1));
    let all = (0..count).map(|index| {
        let range = offsets[index] as usize..offsets[index + 1] as usize;
        let mut events: Vec<Event> = range.map(|at| Event { time_ms: times[at], channel: channels[at] }).collect();
        events.sort_by(|a, b| a.time_ms.total_cmp(&b.time_ms).then(a.channel.cmp(&b.channel)));
        let target = match (&classes, &values) {
            (Some(classes), _) => Target::Class(classes.as_array()[index]),
            (None, Some(values)) => Target::Values(values.as_array().iter().skip(index * each).take(each).copied().collect()),
            (None, None) => Target::Class(0),
        };
        Sample { events: events.into(), target }
    });
    Ok(all.collect())
}

/// The dataset of samples that are given; validation is split off as the training says.
fn dataset(training: &Training, train: Vec<Sample>, test: Vec<Sample>) -> Result<Dataset, Error> {
    let all = || train.iter().chain(&test);
    let channels = all().flat_map(|sample| sample.events.iter()).map(|event| event.channel + 1).max().unwrap_or(0);
    let classes = all().filter_map(Sample::class).map(|class| class + 1).max().unwrap_or(0);
    let duration_ms = training.network.duration_ms;
    let mut dataset = Dataset { channels, classes, duration_ms, train, test, ..Dataset::default() };
    dataset.split_validation(training.data.validation.unwrap_or(0))?;
    Ok(dataset)
}

/// The shapes of the readings of some trials.
fn shapes(trainer: &Trainer, trials: usize) -> Vec<Vec<usize>> {
    let plan = trainer.plan();
    let shape = |readout: &spikelet_train::Readout| {
        let units = plan.plan.populations[readout.population].size as usize;
        if readout.reading.is_by_step() { vec![trials, plan.steps as usize, units] } else { vec![trials, units] }
    };
    plan.readouts.iter().map(shape).collect()
}

fn end_epoch(trainer: &mut Trainer, seconds: f64) -> Result<String, Failure> {
    let known = trainer.notices().len();
    let mut result = epoch(&block_on(trainer.end_epoch(seconds))?);
    result["notices"] = trainer.notices()[known..].iter().map(ToString::to_string).collect();
    Ok(result.to_string())
}

fn epoch(result: &EpochResult) -> Value {
    let rates: serde_json::Map<String, Value> =
        result.rates.iter().map(|rate| (rate.population.clone(), rate.rate_hz.into())).collect();
    json!({
        "epoch": result.epoch, "loss": result.train.loss(), "accuracy": result.train.accuracy(),
        "loss_validation": result.validation.as_ref().map(Score::loss),
        "accuracy_validation": result.validation.as_ref().and_then(Score::accuracy),
        "loss_test": result.test.as_ref().map(Score::loss), "accuracy_test": result.test.as_ref().and_then(Score::accuracy),
        "rates_hz": rates, "seconds": result.seconds, "notices": [],
    })
}

fn score(of: &Score) -> Value {
    json!({"samples": of.samples, "loss": of.loss(), "accuracy": of.accuracy()})
}

/// Mean rates of the populations that fire, in Hz.
fn rates(trainer: &Trainer, answers: &Answers) -> Value {
    let plan = trainer.plan();
    let seconds = plan.network.duration_ms / 1000.0;
    let rate = |of: &spikelet::PopulationPlan| (of.name.clone(), Value::from(answers.spikes_of(of) / seconds));
    Value::Object(plan.plan.populations.iter().map(rate).collect())
}
