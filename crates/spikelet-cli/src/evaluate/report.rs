//! What `spikelet evaluate` prints. The keys of its JSON are part of the command line interface.

use std::fmt;

use serde::Serialize;
use spikelet::grouped;
use spikelet_train::{Answers, Sample, Trainer};

use crate::text::{metric, short};

/// The result of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Evaluation {
    training: String,
    /// The file of the network.
    network: String,
    /// What simulated.
    backend: String,
    /// Number of samples.
    samples: u32,
    /// The mean loss.
    loss: f64,
    /// The part that is classified correctly; null if targets are not classes.
    accuracy: Option<f64>,
    /// Each class of the data.
    classes: Vec<OfClass>,
    populations: Vec<OfPopulation>,
    /// Spikes times the synapses that they pass, per sample.
    synaptic_events: f64,
    /// Neurons that are not sources, times steps, per sample.
    neuron_updates: f64,
    /// Estimates for other machines, in J per sample.
    energies: Vec<EnergyEstimate>,
}

/// The samples of a class.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct OfClass {
    class: u32,
    samples: u32,
    /// The part of its samples that is answered with it; null without samples.
    recall: Option<f64>,
    /// The part of its answers that is right; null if it is never answered.
    precision: Option<f64>,
    /// Number of its samples that are answered with each class, and, last, with none of them.
    answers: Vec<u32>,
}

/// What a population did.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct OfPopulation {
    population: String,
    neurons: u32,
    /// Spikes of a neuron per sample.
    spikes: f64,
    rate_hz: f64,
}

/// An estimate by the energies of single operations.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct EnergyEstimate {
    name: &'static str,
    joules: f64,
    source: &'static str,
}

/// Energies in J of a synaptic event and of the update of a neuron.
const MACHINES: [(&str, f64, f64, &str); 2] = [
    ("additions and fused products of 32 bits, 45 nm", 0.9e-12, 4.6e-12, "Horowitz 2014, 10.1109/ISSCC.2014.6757323"),
    ("Loihi", 23.6e-12, 81e-12, "Davies et al. 2018, 10.1109/MM.2018.112130359"),
];

impl Evaluation {
    pub(super) fn new(network: &str, trainer: &mut Trainer, samples: &[Sample], answers: &Answers) -> Evaluation {
        let backend = trainer.device().name();
        let (plan, count) = (trainer.plan(), samples.len().max(1) as f64);
        let seconds = plan.network.duration_ms / 1000.0;
        let populations = plan.plan.populations.iter().map(|of| {
            let spikes = answers.spikes_of(of);
            OfPopulation { population: of.name.clone(), neurons: of.size, spikes, rate_hz: spikes / seconds }
        });
        let events = plan.projections.iter().map(|projection| {
            let first = plan.plan.populations[projection.pre].first as usize;
            let spikes = &answers.spikes[first..][..projection.rows.len() - 1];
            spikes.iter().enumerate().map(|(pre, spikes)| spikes * projection.row(pre).len() as u64).sum::<u64>()
        });
        let synaptic_events = events.sum::<u64>() as f64 / count;
        let neurons: u32 = plan.network.populations.iter().map(|of| of.size).sum();
        let neuron_updates = f64::from(neurons) * f64::from(plan.steps);
        let energies = MACHINES.map(|(name, event, update, source)| EnergyEstimate {
            name,
            joules: event * synaptic_events + update * neuron_updates,
            source,
        });
        Evaluation {
            training: trainer.training().name.clone(),
            network: network.to_owned(),
            backend,
            samples: answers.score.samples,
            loss: answers.score.loss(),
            accuracy: answers.score.accuracy(),
            classes: if answers.classes.is_empty() { Vec::new() } else { classes(trainer.data().classes, samples, answers) },
            populations: populations.collect(),
            synaptic_events,
            neuron_updates,
            energies: energies.into(),
        }
    }
}

/// The confusion matrix, row by row.
fn classes(count: u32, samples: &[Sample], answers: &Answers) -> Vec<OfClass> {
    let mut matrix = vec![vec![0_u32; count as usize + 1]; count as usize];
    for (sample, answer) in samples.iter().zip(&answers.classes) {
        let place = answer.filter(|answer| *answer < count).unwrap_or(count);
        if let Some(class) = sample.class() {
            matrix[class as usize][place as usize] += 1;
        }
    }
    let answered: Vec<u32> = (0..count as usize).map(|class| matrix.iter().map(|row| row[class]).sum()).collect();
    let part = |of: u32, all: u32| (all > 0).then(|| f64::from(of) / f64::from(all));
    let of_class = |(class, answers): (usize, Vec<u32>)| {
        let samples = answers.iter().sum();
        let right = answers[class];
        OfClass { class: class as u32, samples, recall: part(right, samples), precision: part(right, answered[class]), answers }
    };
    matrix.into_iter().enumerate().map(of_class).collect()
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |part: Option<f64>| part.map_or("–".to_owned(), |part| format!("{:.2} %", 100.0 * part));
        let samples = grouped(u64::from(self.samples));
        writeln!(f, "{}: {samples} samples of the training {}; {}\n", self.network, self.training, self.backend)?;
        writeln!(f, "  loss      {}", short(self.loss))?;
        if self.accuracy.is_some() {
            writeln!(f, "  accuracy  {}", percent(self.accuracy))?;
        }
        if !self.classes.is_empty() {
            let width = self.samples.to_string().len().max(4);
            let titles = self.classes.iter().map(|of| of.class.to_string()).chain(["none".to_owned()]);
            let titles: String = titles.map(|title| format!(" {title:>width$}")).collect();
            writeln!(f, "\n  class  samples     recall  precision  answers:{titles}")?;
            for OfClass { class, samples, recall, precision, answers } in &self.classes {
                let [recall, precision] = [recall, precision].map(|part| percent(*part));
                let answers: String = answers.iter().map(|count| format!(" {count:>width$}")).collect();
                writeln!(f, "  {class:>5}  {samples:>7}  {recall:>9}  {precision:>9}  {:8}{answers}", "")?;
            }
        }
        writeln!(f, "\n  population             neurons  spikes per sample   rate (Hz)")?;
        for OfPopulation { population, neurons, spikes, rate_hz } in &self.populations {
            writeln!(f, "  {population:<20}  {neurons:>8}  {:>17}  {:>10}", short(*spikes), short(*rate_hz))?;
        }
        let (events, updates) = (metric(self.synaptic_events), metric(self.neuron_updates));
        write!(f, "\n  per sample: {events} synaptic events, {updates} updates of neurons")?;
        for EnergyEstimate { name, joules, source } in &self.energies {
            write!(f, "\n  {} µJ estimated for {name} ({source})", metric(joules * 1e6))?;
        }
        Ok(())
    }
}
