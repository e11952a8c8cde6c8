//! The referee beside the simulator in f64.

use std::fmt;
use std::sync::Arc;

use spikelet::{BuildOptions, Builder, Double, Plan, Simulation, Spike};
use spikelet_lang::of_low_word;
use spikelet_network::{Indices, Network, Recording};

use crate::{Error, Reference};

/// Values that differ by less than this part of the largest value of their variable are equal: sums in another order, matrix exponentials.
const ROUNDING: f64 = 1e-9;

/// The first value or spike that differs.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The step.
    pub step: u32,
    /// What differs: `E.v[3]`, or `neuron 3 of E` for a spike.
    pub what: String,
    /// What it is by the rules; for a spike 1 or 0.
    pub reference: f64,
    /// What it is in the simulator.
    pub simulator: f64,
}

/// How the simulator agrees with the rules.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// The number of steps.
    pub steps: u32,
    /// The number of spikes by the rules.
    pub spikes: usize,
    /// The number of values that were compared.
    pub values: usize,
    /// The largest difference of a value, as a part of the largest value of its variable.
    pub largest: f64,
    /// The first difference.
    pub difference: Option<Difference>,
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Agreement { steps, spikes, values, largest, difference } = self;
        write!(f, "{steps} steps, {spikes} spikes, {values} values: ")?;
        match difference {
            None => write!(f, "as the rules say; the largest difference is {largest:.1e} of the range of its variable"),
            Some(Difference { step, what, reference, simulator }) => {
                write!(f, "in step {step} {what} is {simulator:e}, and {reference:e} by the rules")
            }
        }
    }
}

/// Recordings of all variables of a network.
fn recordings(network: &Network, plan: &Plan) -> Vec<Recording> {
    let is_named = |name: &str| !name.starts_with("__") && of_low_word(name).is_none();
    let all = |object: &str, var: &str| Recording {
        object: object.to_owned(),
        var: var.to_owned(),
        indices: Indices::All,
        ..Recording::default()
    };
    let mut recordings = Vec::new();
    for population in &plan.populations[..network.populations.len()] {
        let names = population.program.moving().into_iter().map(|array| population.program.variables[array].as_str());
        recordings.extend(names.filter(|name| is_named(name)).map(|name| all(&population.name, name)));
    }
    for projection in &plan.projections[..network.projections.len()] {
        let Some(state) = projection.state.as_ref().filter(|_| projection.synapses() > 0) else { continue };
        let names = state.variables().filter(|(array, name)| state.changes(*array) && is_named(name));
        recordings.extend(names.map(|(_, name)| all(&projection.name, name)));
    }
    recordings
}

impl Reference {
    /// Runs a network as the rules say and in the simulator in f64, and compares all spikes and the variables of all neurons and synapses in each
    /// step, up to the first difference.
    ///
    /// # Errors
    /// An error of the network or of a run, or something that the referee does not know.
    pub fn compare(network: &Network) -> Result<Agreement, Error> {
        let mut network = Network { recordings: Vec::new(), statistics: Vec::new(), ..network.clone() };
        let options = BuildOptions { exact: true, ..BuildOptions::default() };
        let plan = Builder::new(&network, options)?.finish()?;
        network.recordings = recordings(&network, &plan);
        let plan = Arc::new(Builder::new(&network, options)?.finish()?);
        let (double, steps) = (Double::new(), network.steps() as u32);
        let exact = double.samples();
        let mut simulation = pollster::block_on(Simulation::with_plan(&network, plan.clone(), Box::new(double)))?;
        let mut reference = Reference::new(&network)?;
        let mut agreement = Agreement { steps: 0, spikes: 0, values: 0, largest: 0.0, difference: None };
        let mut ranges = vec![0.0_f64; network.recordings.len()];
        while agreement.steps < steps && agreement.difference.is_none() {
            let step = agreement.steps;
            reference.run(1)?;
            let activity = pollster::block_on(simulation.advance(1))?;
            let row = exact.rows(step..step + 1, plan.channels.len());
            let mut simulated = row.iter();
            for (index, range) in ranges.iter_mut().enumerate() {
                let Some((_, values)) = reference.recording(index).last() else { continue };
                let of = &network.recordings[index];
                *range = values.iter().fold(*range, |range, value| range.max(value.abs()));
                for (element, (value, simulated)) in values.iter().zip(&mut simulated).enumerate() {
                    agreement.values += 1;
                    let same = value == simulated || value.is_nan() && simulated.is_nan();
                    let error = if same { 0.0 } else { (value - simulated).abs() / *range };
                    if error <= ROUNDING {
                        agreement.largest = agreement.largest.max(error);
                    } else if agreement.difference.is_none() {
                        let what = format!("{}.{}[{element}]", of.object, of.var);
                        agreement.difference = Some(Difference { step, what, reference: *value, simulator: *simulated });
                    }
                }
            }
            let own: Vec<Spike> = reference.spikes()[agreement.spikes..].to_vec();
            agreement.spikes += own.len();
            let only = |of: &[Spike], others: &[Spike]| of.iter().find(|spike| !others.contains(spike)).copied();
            let (missing, added) = (only(&own, &activity.spikes), only(&activity.spikes, &own));
            if let Some(spike) = missing.or(added).filter(|_| agreement.difference.is_none()) {
                let (population, neuron) = plan.locate(spike.neuron);
                let what = format!("a spike of neuron {neuron} of {}", plan.populations[population].name);
                let is = f64::from(u8::from(missing.is_some()));
                agreement.difference = Some(Difference { step, what, reference: is, simulator: 1.0 - is });
            }
            agreement.steps += 1;
            let over = (reference.stopped().is_some(), simulation.is_over());
            if over.0 != over.1 && agreement.difference.is_none() {
                let [reference, simulator] = [over.0, over.1].map(|is| f64::from(u8::from(is)));
                agreement.difference = Some(Difference { step, what: "the end of the run".into(), reference, simulator });
            }
            if over.0 || over.1 {
                break;
            }
        }
        Ok(agreement)
    }
}
