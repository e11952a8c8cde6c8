//! A case: a network, and what must come of it.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use spikelet::lang::syntax::parse_unit;
use spikelet::{Indices, Network, Recording};

use crate::format::{self, File};
use crate::statistics;

/// A file that is no case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct CaseFormatError {
    /// JSON path of what is wrong; `the case` for the whole.
    pub path: String,
    /// What is wrong, with line and column where they are known.
    pub message: String,
}

impl CaseFormatError {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> CaseFormatError {
        CaseFormatError { path: path.into(), message: message.into() }
    }
}

/// A network, and what must come of it.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, which is that of its file.
    pub name: String,
    /// What it belongs to: `lif`, `synapses`, `statistical` …
    pub family: String,
    pub(crate) network: Network,
    pub(crate) expectation: Expectation,
}

/// What must come of a network.
#[derive(Debug, Clone)]
pub(crate) enum Expectation {
    /// These spikes and values.
    Run(CaseRun),
    /// These means over seeds.
    Statistics(Statistics),
    /// An error.
    Refusal(format::ExpectedError),
}

#[derive(Debug, Clone)]
pub(crate) struct CaseRun {
    /// Steps of all spikes of each object, by neuron.
    pub(crate) spikes: IndexMap<String, Vec<Vec<u32>>>,
    /// By how many steps a spike may differ.
    pub(crate) spike_steps: u32,
    pub(crate) traces: Vec<SampledTrace>,
    pub(crate) finals: Vec<Final>,
}

/// Samples of one channel.
#[derive(Debug, Clone)]
pub(crate) struct SampledTrace {
    /// `n.v[3]`
    pub(crate) label: String,
    pub(crate) object: String,
    pub(crate) index: usize,
    /// Step and value, in a unit that is `factor` inner ones.
    pub(crate) samples: Vec<(u32, f64)>,
    pub(crate) factor: f64,
    pub(crate) tolerance: format::StateTolerance,
}

/// Values of a variable at the end.
#[derive(Debug, Clone)]
pub(crate) struct Final {
    /// `plast.w`
    pub(crate) label: String,
    pub(crate) values: Vec<f64>,
    pub(crate) factor: f64,
    pub(crate) within: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct Statistics {
    pub(crate) measure: format::Measure,
    /// Name, expected mean, tolerance.
    pub(crate) metrics: Vec<(String, f64, format::MetricTolerance)>,
}

impl Case {
    /// Reads a case.
    ///
    /// # Errors
    /// The text is no JSON, a key is missing or has a value of the wrong kind, or what is expected is said of something that is
    /// not there. A network that is wrong in itself is no error here: [`verify()`](crate::verify()) judges that.
    pub fn from_json(text: &str) -> Result<Case, CaseFormatError> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let file: File = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            CaseFormatError::new(if path == "." { "the case".to_owned() } else { path }, error.inner().to_string())
        })?;
        reader.end().map_err(|error| CaseFormatError::new("the case", error.to_string()))?;
        Case::new(file)
    }

    fn new(file: File) -> Result<Case, CaseFormatError> {
        let mut network = Network {
            name: file.name.clone(),
            description: file.what_it_tests,
            dt_ms: file.dt_ms,
            duration_ms: file.duration_ms,
            populations: file.populations,
            sources: file.sources.into_iter().map(|source| source.0).collect(),
            projections: file.projections,
            recordings: file.recordings,
            functions: file.functions,
            changes: file.changes,
            ..Network::default()
        };
        network.name_projections();
        for value in &file.finals {
            let (object, var, unit) = (value.object.clone(), value.var.clone(), value.unit.clone());
            network.recordings.push(Recording { object, var, indices: Indices::All, unit, ..Recording::default() });
        }
        let expectation = match (file.expected_error, file.expected, file.tolerance) {
            (Some(error), ..) => Expectation::Refusal(error),
            (None, Some(expected), Some(tolerance)) => match file.measure {
                Some(measure) => Expectation::Statistics(statistics(&network, measure, &expected, tolerance)?),
                None => Expectation::Run(run(&network, expected, &tolerance)?),
            },
            (None, expected, _) => {
                let key = if expected.is_none() { "expected" } else { "tolerance" };
                let message = format!("the key `{key}` is missing; a case needs an expected result, or an `expected_error`");
                return Err(CaseFormatError::new("the case", message));
            }
        };
        Ok(Case { name: file.name, family: file.family, network, expectation })
    }

    /// The network, with all that must be recorded to judge it.
    ///
    /// It is as the file says, unchecked, since in some cases something is wrong with it.
    pub fn network(&self) -> Network {
        self.network.clone()
    }

    /// Whether it is judged by means over seeds.
    pub fn is_statistical(&self) -> bool {
        matches!(self.expectation, Expectation::Statistics(_))
    }

    /// Steps of neurons in one run: what it costs, roughly.
    pub(crate) fn cost(&self) -> f64 {
        match self.expectation {
            Expectation::Refusal(_) => 0.0,
            _ => self.network.neurons() as f64 * self.network.duration_ms / self.network.dt_ms,
        }
    }

    /// Steps up to the end of the case.
    pub(crate) fn steps(&self) -> u32 {
        self.network.steps() as u32
    }

    /// The steps whose samples are judged. The one after the last step shows the state at the end of the run, when the last events
    /// and resets are done.
    pub(crate) fn wanted(&self) -> BTreeSet<u32> {
        match &self.expectation {
            Expectation::Run(run) => {
                let samples = run.traces.iter().flat_map(|trace| &trace.samples);
                samples.map(|(step, _)| *step).chain([self.steps()]).collect()
            }
            Expectation::Statistics(statistics) => statistics::wanted(&statistics.measure, &self.network, self.steps()),
            Expectation::Refusal(_) => BTreeSet::new(),
        }
    }
}

/// The step that a time of the file means; they lie on the grid.
pub(crate) fn step(time_ms: f64, dt_ms: f64) -> u32 {
    (time_ms / dt_ms).round() as u32
}

/// How many inner units a unit has.
fn factor(path: &str, unit: &str) -> Result<f64, CaseFormatError> {
    parse_unit(unit).map(|unit| unit.factor).map_err(|diagnostic| CaseFormatError::new(path, diagnostic.to_string()))
}

/// How many neurons an object has that fires.
fn size(network: &Network, object: &str) -> Option<u32> {
    let population = network.population(object).map(|population| population.size);
    population.or_else(|| network.source(object).map(spikelet::Source::size))
}

fn run(network: &Network, expected: format::Expected, tolerance: &format::Tolerance) -> Result<CaseRun, CaseFormatError> {
    let dt = network.dt_ms;
    let mut spikes = IndexMap::new();
    // A population that could fire and is not mentioned is silent.
    for population in network.populations.iter().filter(|population| population.threshold.is_some()) {
        spikes.insert(population.name.clone(), vec![Vec::new(); population.size as usize]);
    }
    for (object, list) in expected.spikes {
        let path = format!("expected.spikes.{object}");
        let size =
            size(network, &object).ok_or_else(|| CaseFormatError::new(&path, "there is no population or source of that name"))?;
        let mut neurons = vec![Vec::new(); size as usize];
        for (neuron, time) in list {
            let neuron = neurons.get_mut(neuron as usize).ok_or_else(|| {
                let message = format!("neuron {neuron} of a spike at {time} ms is not among the {size} of `{object}`");
                CaseFormatError::new(&path, message)
            })?;
            neuron.push(step(time, dt));
        }
        neurons.iter_mut().for_each(|steps| steps.sort_unstable());
        spikes.insert(object, neurons);
    }

    let mut traces = Vec::new();
    for (label, trace) in expected.state {
        let path = format!("expected.state.{label}");
        let wrong = |message: &str| CaseFormatError::new(&path, message);
        let (object, index) = channel(&label).ok_or_else(|| wrong("a channel has the form `n.v[3]`"))?;
        let (object, index) = (object.to_owned(), index);
        if trace.t_ms.len() != trace.values.len() {
            return Err(wrong("`t_ms` and `values` differ in length"));
        }
        let tolerance = tolerance.state.get(&label).ok_or_else(|| wrong("it has no entry in `tolerance.state`"))?.clone();
        let samples = trace.t_ms.iter().map(|time| step(*time, dt)).zip(trace.values).collect();
        traces.push(SampledTrace { factor: factor(&path, &trace.unit)?, label, object, index, samples, tolerance });
    }

    let mut finals = Vec::new();
    for (label, values) in expected.weights {
        let path = format!("expected.weights.{label}");
        let within = tolerance.weights.get(&label).map(|tolerance| tolerance.abs);
        let within = within.ok_or_else(|| CaseFormatError::new(&path, "it has no entry in `tolerance.weights`"))?;
        finals.push(Final { factor: factor(&path, &values.unit)?, label, values: values.values, within });
    }
    let spike_steps =
        tolerance.spike_steps.ok_or_else(|| CaseFormatError::new("tolerance", "the key `spike_steps` is missing"))?;
    Ok(CaseRun { spikes, spike_steps, traces, finals })
}

/// `n.v[3]` → n, 3.
fn channel(label: &str) -> Option<(&str, usize)> {
    let (object, rest) = label.split_once('.')?;
    let (_, index) = rest.strip_suffix(']')?.split_once('[')?;
    Some((object, index.parse().ok()?))
}

fn statistics(
    network: &Network,
    measure: format::Measure,
    expected: &format::Expected,
    tolerance: format::Tolerance,
) -> Result<Statistics, CaseFormatError> {
    for (name, (object, first, end)) in &measure.groups {
        let path = format!("measure.groups.{name}");
        let size = size(network, object);
        let size = size.ok_or_else(|| CaseFormatError::new(&path, format!("there is no population or source `{object}`")))?;
        if first >= end || *end > size {
            return Err(CaseFormatError::new(path, format!("`{object}` has neurons 0 to {}", size.saturating_sub(1))));
        }
    }
    let mut metrics = Vec::new();
    for (name, tolerance) in tolerance.metrics {
        let summary = expected.summary.get(&name);
        let missing = || CaseFormatError::new(format!("tolerance.metrics.{name}"), "it has no entry in `expected.summary`");
        let mean = summary.ok_or_else(missing)?.mean;
        metrics.push((name, mean, tolerance));
    }
    if metrics.is_empty() {
        return Err(CaseFormatError::new("tolerance.metrics", "it is empty or missing, so that nothing would be compared"));
    }
    Ok(Statistics { measure, metrics })
}
