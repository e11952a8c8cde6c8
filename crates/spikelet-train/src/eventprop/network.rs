//! A network as EventProp simulates it.

use spikelet_network::Error;

use super::Real;
use super::cell::{Cell, recognise};
use super::dynamics::Constants;
use crate::{DeviceValues, GroupKind, Reading, TrainingPlan};

/// What a population is.
#[derive(Debug, Clone)]
pub enum Kind<R> {
    /// Its spikes are the input of a sample.
    Input,
    /// Leaky integrators, with or without a threshold.
    Cells(Box<Cells<R>>),
}

/// Leaky integrators.
#[derive(Debug, Clone)]
pub struct Cells<R> {
    pub(super) cell: Cell,
    /// The constants of their closed forms.
    pub constants: Constants<R>,
    /// Initial potentials and currents.
    pub initial: [Vec<R>; 2],
    /// What losses read of the potential: the mean, the maximum.
    pub reads: Reads,
}

/// What losses read of the potentials of a population.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reads {
    /// The maximum.
    pub max: bool,
    /// The mean.
    pub mean: bool,
}

impl<R> Cells<R> {
    /// The potential at rest.
    pub fn rest(&self) -> f64 {
        self.cell.rest
    }

    /// Whether they have a threshold.
    pub fn fires(&self) -> bool {
        self.cell.firing.is_some()
    }
}

/// A population.
#[derive(Debug, Clone)]
pub struct Population<R> {
    /// Neurons.
    pub size: usize,
    /// What it is.
    pub kind: Kind<R>,
    /// The projections from it.
    pub out: Vec<usize>,
}

/// Delays in ms.
#[derive(Debug, Clone)]
pub enum Delays<R> {
    /// One for all synapses: a spike arrives at all targets at once.
    Shared(R),
    /// One per synapse.
    Each(Vec<R>),
}

/// A projection.
#[derive(Debug, Clone)]
pub struct Projection<R> {
    /// The presynaptic population.
    pub pre: usize,
    /// The postsynaptic population.
    pub post: usize,
    /// First synapse of each presynaptic neuron, and the number of all.
    pub rows: Vec<u32>,
    /// The postsynaptic neuron of each synapse.
    pub targets: Vec<u32>,
    /// Whether the targets of every row follow each other.
    pub is_dense: bool,
    /// Weights as jumps of the scaled current.
    pub weights: Vec<R>,
    /// How late spikes arrive.
    pub delays: Delays<R>,
    /// Where its gradients begin among those of all weights, if it is trained.
    pub gradient: Option<usize>,
    /// Where its delays begin among all gradients.
    pub delay_gradient: Option<usize>,
}

impl<R> Projection<R> {
    /// The synapses of a presynaptic neuron.
    #[inline(always)]
    pub fn row(&self, pre: usize) -> std::ops::Range<usize> {
        self.rows[pre] as usize..self.rows[pre + 1] as usize
    }
}

/// A network.
#[derive(Debug, Clone)]
pub struct Network<R> {
    /// In the order of the plan.
    pub populations: Vec<Population<R>>,
    /// In the order of the plan.
    pub projections: Vec<Projection<R>>,
    /// The population of the input.
    pub input: usize,
    /// Duration of a sample in ms.
    pub duration: R,
    /// Number of gradients: for each projection weights, then delays.
    pub gradients: usize,
    /// Spikes of a trial, at most.
    pub max_spikes: usize,
}

/// Spikes per neuron of a trial on average, at most: beyond, the activity has run away.
const MAX_SPIKES: usize = 1000;

impl<R: Real> Network<R> {
    /// Reads a plan. Weights are 0 until they are [set](Network::set).
    ///
    /// # Errors
    /// It has cells or readings for which EventProp is not defined.
    pub fn new(plan: &TrainingPlan, clip: f64, with_delays: bool) -> Result<Network<R>, Error> {
        let mut populations = Vec::new();
        for (index, of) in plan.plan.populations.iter().enumerate() {
            let out = plan.projections.iter().enumerate().filter(|(_, to)| to.pre == index).map(|(at, _)| at).collect();
            let kind = if index == plan.input { Kind::Input } else { Kind::Cells(Box::new(cells(plan, index, clip)?)) };
            populations.push(Population { size: of.size as usize, kind, out });
        }
        for (index, group) in plan.parameters.groups.iter().enumerate() {
            if let GroupKind::Neurons { .. } = group.kind {
                let expected = "EventProp trains weights";
                let way_out = "remove it from `train`, or write \"method\": \"bptt\"";
                return Err(Error::invalid(format!("train[{index}].path"), &group.path, expected, way_out));
            }
        }
        let mut gradients = 0;
        let mut projections = Vec::new();
        for (index, of) in plan.projections.iter().enumerate() {
            if of.post == plan.input {
                let expected = "the input of a sample is its spikes alone";
                let name = &plan.plan.projections[index].name;
                return Err(Error::invalid(format!("projections[{index}].post"), name, expected, "remove the projection"));
            }
            let gradient = of.group.is_some().then_some(gradients);
            gradients += gradient.map_or(0, |_| of.targets.len());
            let delay_gradient = with_delays.then_some(gradients);
            gradients += delay_gradient.map_or(0, |_| of.targets.len());
            let in_ms = |steps: &u32| R::of(f64::from(*steps) * plan.network.dt_ms);
            let delays = match of.delays.as_slice() {
                [shared] if with_delays => Delays::Each(vec![in_ms(shared); of.targets.len()]),
                [shared] => Delays::Shared(in_ms(shared)),
                each => Delays::Each(each.iter().map(in_ms).collect()),
            };
            let follows =
                |row: &[u32]| of.targets[row[0] as usize..row[1] as usize].windows(2).all(|pair| pair[1] == pair[0] + 1);
            projections.push(Projection {
                pre: of.pre,
                post: of.post,
                is_dense: of.rows.windows(2).all(follows),
                rows: of.rows.clone(),
                targets: of.targets.clone(),
                weights: vec![R::default(); of.targets.len()],
                delays,
                gradient,
                delay_gradient,
            });
        }
        let neurons: usize = populations.iter().map(|of| of.size).sum();
        let duration = R::of(plan.network.duration_ms);
        Ok(Network { populations, projections, input: plan.input, duration, gradients, max_spikes: MAX_SPIKES * (neurons + 1) })
    }

    /// The cells of a population that has some.
    #[inline(always)]
    pub fn cells(&self, population: usize) -> Option<&Cells<R>> {
        match &self.populations[population].kind {
            Kind::Input => None,
            Kind::Cells(cells) => Some(cells),
        }
    }

    /// What a unit of weight adds to the scaled current of its target.
    pub fn gain(&self, projection: usize) -> f64 {
        self.cells(self.projections[projection].post).map_or(0.0, |cells| cells.cell.gain)
    }

    /// The error of a trial of a batch in which there are too many spikes.
    pub fn ran_away(&self, trial: usize) -> Error {
        let found = format!("trial {trial} of the batch has more than {} spikes", self.max_spikes);
        Error::Backend(format!("{found}; use smaller weights, a longer refractory time, or longer delays"))
    }

    /// Takes over weights, before they are rounded to the units of ports.
    pub fn set(&mut self, values: &DeviceValues) {
        for index in 0..self.projections.len() {
            let gain = self.gain(index);
            let weights = values.weights[index].iter().map(|weight| R::of(weight * gain));
            self.projections[index].weights.clear();
            self.projections[index].weights.extend(weights);
        }
    }
}

/// The cells of a population, and what is read of them.
fn cells<R: Real>(plan: &TrainingPlan, population: usize, clip: f64) -> Result<Cells<R>, Error> {
    let cell = recognise(&plan.plan, population)?;
    let mut reads = Reads::default();
    for (at, readout) in plan.readouts.iter().enumerate().filter(|(_, of)| of.population == population) {
        let refuse = |found: &str, expected: &str| {
            let way_out = "read something else, or write \"method\": \"bptt\"";
            Err(Error::invalid(format!("loss[{at}].reading"), found, expected, way_out))
        };
        let of_v = readout.observed.map(|observed| plan.populations[population].layout.observed[observed] == cell.arrays[0]);
        match (readout.reading, cell.firing.is_some()) {
            (Reading::FirstSpike, true) => {}
            (Reading::FirstSpike, false) => return refuse("first_spike", "the population has no threshold"),
            (Reading::Count | Reading::Spikes, _) => {
                return refuse("the spikes", "their number has no gradient but 0: EventProp has that of `first_spike`");
            }
            (Reading::Trace, _) => return refuse("trace", "EventProp reads `max`, `mean` and `last` of a potential"),
            (Reading::Max | Reading::Mean | Reading::Last, true) => {
                return refuse("a potential", "EventProp reads potentials of leaky integrators without a threshold");
            }
            (Reading::Max | Reading::Mean | Reading::Last, false) if of_v != Some(true) => {
                return refuse("another variable", "EventProp reads the potential of leaky integrators");
            }
            (Reading::Max, false) => reads.max = true,
            (Reading::Mean, false) => reads.mean = true,
            (Reading::Last, false) => {}
        }
    }
    let initial = [0, 1].map(|at| cell.initial.iter().map(|values| R::of(values[at])).collect());
    Ok(Cells { constants: Constants::new(&cell, clip), cell, initial, reads })
}
