//! The class behind `spikelet.Sweep`: all points of a grid in all trials, several in parallel.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use pollster::block_on;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use serde_json::{Value, json};
use spikelet::{Builder, Driver, Pacing, Plan, Point, Recorder, Simulation, Sweep, TrialRun};

use crate::device::DeviceRequest;
use crate::failure::Failure;
use crate::host::{BATCH_MS, RunHost};
use crate::opening::Source;
use crate::worker::{Progress, Worker};

/// Memory that parallel trials may take beside what they share, in bytes; a single one may take more.
const PARALLEL_BYTES: u64 = 1 << 30;

/// The points and trials of a sweep, and the results of those that have run.
struct Running {
    points: Vec<Point>,
    /// Trials of points that can run in parallel: index of the point, number of the trial.
    waiting: VecDeque<Vec<(usize, u32)>>,
    request: DeviceRequest,
    open: Option<(Driver, RunHost)>,
    /// What users should know of devices.
    notices: Vec<String>,
    /// A row per finished trial, not yet collected by the caller.
    rows: Vec<Value>,
    finished: u32,
}

impl Running {
    fn open(source: &Source, request: &DeviceRequest, sweeps: &[Sweep], trials: (u32, u32)) -> Result<Running, Failure> {
        let mut network = source.network()?;
        network.add_silenced_for(sweeps.iter().map(|sweep| sweep.path.as_str()))?;
        let network = Arc::new(network);
        network.checked_steps()?;
        let options = request.build_options()?;
        let plan = Arc::new(Builder::new(&network, options)?.finish()?);
        let grid = Sweep::grid(sweeps)?;
        let points: Vec<Point> =
            grid.into_iter().map(|values| Point::new(&network, &plan, values, options)).collect::<Result<_, _>>()?;
        points.iter().try_for_each(|point| point.network.checked_steps().map(drop))?;
        let of_point = Point::groups(&points);
        let group = |group| {
            let own: Vec<usize> = (0..points.len()).filter(|index| of_point[*index] == group).collect();
            let jobs: Vec<(usize, u32)> =
                own.iter().flat_map(|index| (trials.0..trials.1).map(|trial| (*index, trial))).collect();
            in_parts(&points[own[0]].plan, &jobs)
        };
        let waiting = (0..of_point.iter().max().map_or(0, |last| last + 1)).flat_map(group).collect();
        Ok(Running { points, waiting, request: request.clone(), open: None, notices: Vec::new(), rows: Vec::new(), finished: 0 })
    }

    /// Runs what has not run, or until the caller stops it; a group that is stopped runs again at the next call.
    fn run(&mut self, progress: &Progress) -> Result<(), Failure> {
        while let Some(jobs) = self.waiting.front().cloned() {
            if !self.run_group(&jobs, progress)? {
                break;
            }
            self.waiting.pop_front();
            self.finished += jobs.len() as u32;
            progress.reach(self.finished);
        }
        Ok(())
    }

    /// Whether it reached its end.
    fn run_group(&mut self, jobs: &[(usize, u32)], progress: &Progress) -> Result<bool, Failure> {
        let steps = self.points[jobs[0].0].network.checked_steps()?;
        let variants: Vec<_> = jobs.iter().map(|(point, trial)| self.points[*point].variant(*trial)).collect();
        let (mut driver, mut host) = match self.open.take() {
            Some((mut driver, mut host)) => {
                block_on(driver.attempt(&mut host, async |simulation| simulation.load(variants.clone()).await))?;
                (driver, host)
            }
            None => {
                let opened = self.request.open()?;
                let simulation = block_on(Simulation::of_trials(variants, opened.backend))?;
                (Driver::new(simulation, Pacing::new(BATCH_MS)), RunHost::new(self.request.clone(), opened.kind))
            }
        };
        host.progress = progress.clone();
        let mut recorders: Vec<Recorder> = driver.simulation.runs().iter().map(|run| Recorder::new(run.plan())).collect();
        driver.begin(Some(steps), None)?;
        let done = loop {
            match block_on(driver.batch(&mut host)) {
                Ok(Some(batch)) => {
                    recorders.iter_mut().zip(&batch.activities).for_each(|(recorder, activity)| recorder.add(&activity.spikes));
                }
                Ok(None) => break Ok(!driver.is_running()),
                Err(failure) => break Err(failure),
            }
        };
        self.notices.extend(host.losses.drain(..).map(|loss| loss.to_string()));
        let is_whole = done?;
        if is_whole {
            let rows = jobs.iter().zip(&recorders).zip(driver.simulation.runs());
            self.rows.extend(rows.map(|(((point, trial), recorder), run)| row(&self.points[*point], *trial, recorder, run)));
        }
        self.open = Some((driver, host));
        Ok(is_whole)
    }
}

/// Jobs in parts that fit into memory together.
fn in_parts(plan: &Plan, jobs: &[(usize, u32)]) -> Vec<Vec<(usize, u32)>> {
    let most = (PARALLEL_BYTES / plan.trial_memory().max(1)).max(1) as usize;
    jobs.chunks(most).map(<[_]>::to_vec).collect()
}

/// The results of a trial.
fn row(point: &Point, trial: u32, recorder: &Recorder, run: &TrialRun) -> Value {
    json!({
        "values": point.values,
        "trial": trial,
        "time_ms": run.time_ms(),
        "spikes": recorder.spikes(),
        "spikes_hash": recorder.spikes_hash(),
        "synaptic_events": recorder.synaptic_events(),
        "populations": recorder.populations(run.time_ms()).iter()
            .map(|of| json!({"name": of.name, "rate_hz": of.rate_hz, "cv_isi": of.cv_isi})).collect::<Vec<_>>(),
        "stopped": run.stopped().map(|of| &of.condition),
        "failure": run.failure().map(ToString::to_string),
    })
}

/// Points of a grid on a device.
#[pyclass(frozen, module = "spikelet._spikelet")]
pub(crate) struct Points {
    worker: Worker<Running>,
}

#[pymethods]
impl Points {
    /// Builds a network of JSON `text` for each combination of values; `sweeps` has paths with their values as texts.
    #[new]
    fn new(
        py: Python<'_>,
        text: String,
        files: HashMap<String, PyBackedBytes>,
        folder: PathBuf,
        device: DeviceRequest,
        sweeps: Vec<(String, Vec<String>)>,
        trials: (u32, u32),
    ) -> PyResult<Points> {
        let source = Source { text, files, folder };
        let sweeps: Vec<Sweep> = sweeps.into_iter().map(|(path, values)| Sweep { path, values }).collect();
        Ok(Points { worker: Worker::start(py, move || Running::open(&source, &device, &sweeps, trials))? })
    }

    /// Runs what has not run. `watch` is called with the number of finished trials, several times per second.
    fn run(&self, py: Python<'_>, watch: Option<Bound<'_, PyAny>>) -> PyResult<()> {
        self.worker.call_watched(py, Running::run, watch.as_ref())
    }

    /// Results that have not been taken, a list in JSON.
    fn take(&self, py: Python<'_>) -> PyResult<String> {
        let take = |running: &mut Running, _: &Progress| Ok(Value::Array(std::mem::take(&mut running.rows)).to_string());
        self.worker.call(py, take)
    }

    /// Notices about devices that have not been taken.
    fn notices(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.worker.call(py, |running: &mut Running, _: &Progress| Ok(std::mem::take(&mut running.notices)))
    }

    /// Number of trials of all points.
    fn count(&self, py: Python<'_>) -> PyResult<u32> {
        let count = |running: &mut Running, _: &Progress| {
            Ok(running.finished + running.waiting.iter().map(|jobs| jobs.len() as u32).sum::<u32>())
        };
        self.worker.call(py, count)
    }
}
