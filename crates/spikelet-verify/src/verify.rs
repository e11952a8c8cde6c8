//! Running a case.

use std::sync::Arc;

use spikelet::{Backend, BuildOptions, Builder, Error, Owner, Precision, Simulation, Task};

use crate::case::Expectation;
use crate::record::Record;
use crate::verdict::{Findings, Outcome, Verdict};
use crate::{Case, refusal, spikes, statistics, traces};

/// Makes a backend for a run. It may take time to open a device.
pub type MakeBackend<'a> = dyn FnMut() -> Task<'static, Box<dyn Backend>> + 'a;

/// How to run cases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How many seeds a statistical case is run with: 1, 2 … With ten or more, its narrow band holds.
    pub seeds: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { seeds: 10 }
    }
}

/// Steps of neurons, over all seeds, from which on a statistical case is long.
const LONG: f64 = 2e7;

impl Options {
    /// Whether a GPU that a CPU plays would be at it for minutes.
    pub fn is_long(&self, case: &Case) -> bool {
        case.is_statistical() && case.cost() * f64::from(case.seeds(self.seeds)) > LONG
    }
}

/// Samples of all channels that are taken between two looks at them.
const BATCH_SAMPLES: usize = 1 << 20;
/// Steps between two looks at the samples, at most.
const BATCH_STEPS: usize = 1000;

/// Runs a case and judges what comes out. Whatever goes wrong on the way is a reason of the verdict.
pub async fn verify(case: &Case, make_backend: &mut MakeBackend<'_>, options: &Options) -> Verdict {
    let mut findings = Findings::default();
    match &case.expectation {
        Expectation::Refusal(expected) => refusal::judge(expected, &case.network, &mut findings),
        Expectation::Run(_) => match run(case, case.network.seed, make_backend).await {
            Ok(record) => return case.judge(&[record]),
            Err(error) => findings.reasons.push(error.to_string()),
        },
        Expectation::Statistics(_) => {
            let mut records = Vec::new();
            for seed in 1..=case.seeds(options.seeds.max(1)) {
                match run(case, seed.into(), make_backend).await {
                    Ok(record) => records.push(record),
                    Err(error) => {
                        findings.reasons.push(format!("seed {seed}: {error}"));
                        return case.verdict(findings);
                    }
                }
            }
            return case.judge(&records);
        }
    }
    case.verdict(findings)
}

/// One run, a step longer than the case: the sample of that step is the state at the end.
async fn run(case: &Case, seed: u64, make_backend: &mut MakeBackend<'_>) -> Result<Record, Error> {
    let mut network = case.network();
    network.seed = seed;
    let backend = make_backend().await?;
    let options = BuildOptions { exact: backend.precision() == Precision::Double, ..BuildOptions::default() };
    let plan = Arc::new(Builder::new(&network, options)?.finish()?);
    let end = case.steps().saturating_add(1);
    if end > i32::MAX as u32 {
        return Err(Error::Backend(format!("{} ms are more steps than a run can have", network.duration_ms)));
    }
    let mut simulation = Simulation::with_plan(&network, plan.clone(), backend).await?;
    let mut record = Record::new(case, &plan);
    let batch = (BATCH_SAMPLES / plan.channels.len().max(1)).clamp(1, BATCH_STEPS) as u32;
    while simulation.step() < end {
        let first = simulation.step();
        let activity = simulation.advance(batch.min(end - first)).await?;
        record.add(first, &activity);
    }
    if let Some(projection) = case.learning()
        && let Some(array) = plan.array(&format!("{}.w", plan.projections[projection].name))
        && plan.arrays()[array].owner == (Owner::Synapses { projection })
    {
        let words = simulation.read(array).await?;
        let weights = words.iter().map(|word| f32::from_bits(*word).into());
        record.learned = plan.projections[projection].rows().targets().zip(weights).collect();
    }
    Ok(record)
}

impl Case {
    /// The projection whose weights are measured at the end, in a case that measures what synapses learn.
    fn learning(&self) -> Option<usize> {
        let Expectation::Statistics(statistics) = &self.expectation else { return None };
        let learns = |projection: &spikelet::Projection| projection.on_post.is_some();
        statistics.measure.learning()?;
        self.network.projections.iter().position(learns)
    }

    /// How many seeds it is run with, at most `most`: each neuron of a case that measures what synapses learn counts as a run.
    fn seeds(&self, most: u32) -> u32 {
        if self.learning().is_some() { 1 } else { most }
    }

    /// Judges runs: one with any seed, or for a statistical case one for each seed.
    pub fn judge(&self, records: &[Record]) -> Verdict {
        let mut findings = Findings::default();
        let steps = self.steps();
        match (&self.expectation, records) {
            (_, []) | (Expectation::Refusal(_), _) => findings.reasons.push("there is no run to evaluate".to_owned()),
            (Expectation::Statistics(expected), records) => {
                statistics::judge(expected, &self.network, records, steps, &mut findings);
            }
            (Expectation::Run(expected), [record, ..]) => {
                let matches = spikes::judge(expected, record, steps, self.network.dt_ms, &mut findings);
                traces::judge(expected, &self.network, record, steps, &matches, &mut findings);
            }
        }
        self.verdict(findings)
    }

    /// The verdict of a case that is not run.
    pub fn skipped(&self, reason: impl Into<String>) -> Verdict {
        let findings = Findings { reasons: vec![reason.into()], ..Findings::default() };
        Verdict { outcome: Outcome::Skipped, ..self.verdict(findings) }
    }

    fn verdict(&self, findings: Findings) -> Verdict {
        let Findings { reasons, measures } = findings;
        let outcome = if reasons.is_empty() { Outcome::Passed } else { Outcome::Failed };
        Verdict { name: self.name.clone(), family: self.family.clone(), outcome, reasons, measures }
    }
}
