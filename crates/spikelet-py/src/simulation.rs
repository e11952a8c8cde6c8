//! The class behind `spikelet.Simulation`.

use std::collections::HashMap;
use std::path::PathBuf;

use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::device::DeviceRequest;
use crate::engine::Running;
use crate::failure::Failure;
use crate::opening::Source;
use crate::worker::Worker;

/// A network on a device, whose calls may come from any thread.
#[pyclass(frozen, module = "spikelet._spikelet")]
pub(crate) struct Engine {
    worker: Worker<Running>,
}

impl Engine {
    /// A call that never ends early.
    fn call<R: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut Running) -> Result<R, Failure> + Send + 'static,
    ) -> PyResult<R> {
        self.worker.call(py, |running, _| job(running))
    }
}

type Array<'py, T> = Bound<'py, PyArray1<T>>;

#[pymethods]
impl Engine {
    /// Builds a network of JSON `text`; `files` has the contents of files that it names, `folder` is that of all others.
    #[new]
    fn new(
        py: Python<'_>,
        text: String,
        files: HashMap<String, PyBackedBytes>,
        folder: PathBuf,
        device: DeviceRequest,
        trials: (u32, u32),
    ) -> PyResult<Engine> {
        let source = Source { text, files, folder };
        let worker = Worker::start(py, move || Running::open(&source, &device, trials.0..trials.1))?;
        Ok(Engine { worker })
    }

    /// Number of steps of a run of this duration in ms; by default to the end of the network's own.
    fn steps(&self, py: Python<'_>, duration_ms: Option<f64>) -> PyResult<u32> {
        self.call(py, move |running| running.steps(duration_ms))
    }

    /// Runs steps. `watch` is called with the current step, several times per second; an exception of it ends the run.
    fn run(&self, py: Python<'_>, steps: u32, until: Option<String>, watch: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        self.worker.call_watched(py, move |running, progress| running.run(steps, until.as_deref(), progress), watch.as_ref())
    }

    /// Neurons and steps of the spikes of some neurons, by their numbers in the network.
    fn spikes<'py>(&self, py: Python<'py>, trial: usize, first: u32, size: u32) -> PyResult<(Array<'py, u32>, Array<'py, u32>)> {
        let (neurons, steps) = self.call(py, move |running| {
            let own = first..first.saturating_add(size);
            let spikes = running.recorded(trial)?.spikes.iter().filter(|spike| own.contains(&spike.neuron));
            Ok(spikes.map(|spike| (spike.neuron - first, spike.step)).unzip::<u32, u32, Vec<_>, Vec<_>>())
        })?;
        Ok((neurons.into_pyarray(py), steps.into_pyarray(py)))
    }

    /// Steps and values (steps × labels) of recorded values.
    fn samples<'py>(
        &self,
        py: Python<'py>,
        trial: usize,
        labels: Vec<String>,
    ) -> PyResult<(Array<'py, u32>, Bound<'py, PyArray2<f64>>)> {
        let width = labels.len();
        let (steps, values) = self.call(py, move |running| running.recorded(trial)?.samples(&labels))?;
        let shape = [steps.len(), width];
        Ok((steps.into_pyarray(py), values.into_pyarray(py).reshape(shape)?))
    }

    /// Label, unit and interval in steps of each recorded value.
    fn channels(&self, py: Python<'_>) -> PyResult<Vec<(String, String, u32)>> {
        self.call(py, |running| Ok(running.channels()))
    }

    /// The values of a variable.
    fn values<'py>(&self, py: Python<'py>, trial: usize, path: String) -> PyResult<Array<'py, f64>> {
        Ok(self.call(py, move |running| running.values(trial, &path))?.into_pyarray(py))
    }

    /// The unit of a variable.
    fn unit(&self, py: Python<'_>, path: String) -> PyResult<String> {
        self.call(py, move |running| running.unit(&path))
    }

    /// The unit of a shared value, if there is one.
    fn parameter_unit(&self, py: Python<'_>, path: String) -> PyResult<Option<String>> {
        self.call(py, move |running| Ok(running.parameter_unit(&path)))
    }

    /// The columns of the table of a population's neurons.
    fn neurons(&self, py: Python<'_>, population: String) -> PyResult<Vec<(String, Vec<String>)>> {
        self.call(py, move |running| running.neurons(&population))
    }

    /// Sets a value as text.
    fn set(&self, py: Python<'_>, path: String, value: String) -> PyResult<()> {
        self.call(py, move |running| running.set(&path, &value))
    }

    /// Sets a variable: one value for all, or one for each.
    fn set_values(&self, py: Python<'_>, path: String, values: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let values = values.as_array().to_vec();
        self.call(py, move |running| running.set_values(&path, &values))
    }

    /// Adds recordings, a list in JSON.
    fn record(&self, py: Python<'_>, recordings: String) -> PyResult<()> {
        self.call(py, move |running| running.record(&recordings))
    }

    /// All synapses of a projection: presynaptic and postsynaptic neurons, then names, units and values.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once in Python")]
    fn synapses<'py>(
        &self,
        py: Python<'py>,
        trial: usize,
        projection: String,
    ) -> PyResult<(Array<'py, u32>, Array<'py, u32>, Vec<(String, String, Array<'py, f64>)>)> {
        let all = self.call(py, move |running| running.synapses(trial, &projection))?;
        let columns = all.columns.into_iter().map(|(name, unit, values)| (name, unit, values.into_pyarray(py)));
        Ok((all.pre.into_pyarray(py), all.post.into_pyarray(py), columns.collect()))
    }

    /// The complete state.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.call(py, Running::snapshot)?))
    }

    /// Continues from a state.
    fn restore(&self, py: Python<'_>, snapshot: PyBackedBytes) -> PyResult<()> {
        self.call(py, move |running| running.restore(&snapshot))
    }

    /// Returns to the start, with the noise of this trial; without a number, of the same trials.
    fn reset(&self, py: Python<'_>, trial: Option<u32>) -> PyResult<()> {
        self.call(py, move |running| running.reset(trial))
    }

    /// The next step.
    fn step(&self, py: Python<'_>) -> PyResult<u32> {
        self.call(py, |running| Ok(running.step()))
    }

    /// The current network, as JSON.
    fn network(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |running| Ok(running.network()))
    }

    /// Populations, projections, variables and trials, as JSON.
    fn description(&self, py: Python<'_>) -> PyResult<String> {
        self.call(py, |running| Ok(running.description().to_string()))
    }

    /// The name of the device, the reason for it, and notices.
    fn device(&self, py: Python<'_>) -> PyResult<(String, String, Vec<String>)> {
        self.call(py, |running| Ok((running.device.clone(), running.reason.clone(), running.notices.clone())))
    }

    /// Results of a trial, as JSON.
    fn report(&self, py: Python<'_>, trial: usize) -> PyResult<String> {
        self.call(py, move |running| Ok(running.report(trial)?.to_string()))
    }
}
