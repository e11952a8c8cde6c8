//! A network flattened into arrays: everything a backend allocates is sized here, and nowhere else.

mod neurons;
mod synapses;
mod values;

use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::Program;

use crate::connect::Rows;
use crate::{Error, Network, ring};

/// Longest epoch, where nothing else bounds it: spikes leave a device at least that often.
const MAX_EPOCH_STEPS: u32 = 256;

/// A population, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationPlan {
    /// Its name in the network.
    pub name: String,
    /// Number of its first neuron in the network.
    pub first: u32,
    /// How many neurons it has.
    pub size: u32,
    /// The code of a step.
    pub program: Program,
    /// Values of the program's constants.
    pub constants: Vec<f32>,
    /// Initial values of the program's arrays: one for all neurons, or one each.
    pub initial: Vec<Vec<f32>>,
    /// The program's ports.
    pub ports: Vec<Port>,
}

impl PopulationPlan {
    /// The initial value of an array in a neuron.
    pub fn initial(&self, array: usize, neuron: usize) -> f32 {
        let values = &self.initial[array];
        if values.len() == 1 { values[0] } else { values[neuron] }
    }
}

/// Where synaptic input to one variable of a population arrives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Port {
    /// Its place in a slot of the ring: one lane for each neuron from here on.
    pub lane: u32,
    /// Sums are in units of 2^-shift.
    pub shift: i32,
}

/// One value for all synapses of a projection, or one each in the order of its rows.
#[derive(Debug, Clone, PartialEq)]
pub enum PerSynapse<T> {
    /// The same for all.
    Shared(T),
    /// One each.
    Each(Vec<T>),
}

impl<T: Copy> PerSynapse<T> {
    /// The value of a synapse.
    pub fn at(&self, synapse: usize) -> T {
        match self {
            PerSynapse::Shared(value) => *value,
            PerSynapse::Each(values) => values[synapse],
        }
    }

    /// The values kept: one, or one each.
    pub fn as_slice(&self) -> &[T] {
        match self {
            PerSynapse::Shared(value) => std::slice::from_ref(value),
            PerSynapse::Each(values) => values,
        }
    }
}

/// What one event adds to a port.
#[derive(Debug, Clone, PartialEq)]
pub struct WritePlan {
    /// Index of the port in the postsynaptic program.
    pub port: usize,
    /// What is added, in units of the port.
    pub weights: PerSynapse<i32>,
}

/// A projection, ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectionPlan {
    /// Its name in the network.
    pub name: String,
    /// Index of the presynaptic population.
    pub pre: usize,
    /// The presynaptic neurons that have rows.
    pub pre_slice: Range<u32>,
    /// Index of the postsynaptic population.
    pub post: usize,
    /// Who is joined to whom.
    pub rows: Arc<Rows>,
    /// Delay in steps.
    pub delay: PerSynapse<u32>,
    /// What an event does.
    pub writes: Vec<WritePlan>,
}

/// The rings of all ports together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ring {
    /// Steps that input may be under way: the longest delay + 1.
    pub slots: u32,
    /// Neurons of all ports.
    pub lanes: u32,
}

/// A variable that is sampled at every step.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// `E.v[3]`
    pub label: String,
    /// Unit of the samples, the inner one.
    pub unit: String,
    /// Index of the population.
    pub population: usize,
    /// Index of the array in its program.
    pub variable: usize,
    /// Index of the neuron in the population.
    pub neuron: u32,
}

/// A network flattened into arrays.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The time step in ms.
    pub dt_ms: f64,
    /// Key of all random numbers.
    pub seed: u64,
    /// The populations.
    pub populations: Vec<PopulationPlan>,
    /// The projections.
    pub projections: Vec<Arc<ProjectionPlan>>,
    /// The rings of all ports.
    pub ring: Ring,
    /// How many steps neurons may run without hearing of each other: the shortest delay + 1.
    pub epoch_steps: u32,
    /// What is sampled.
    pub channels: Vec<Channel>,
}

impl Plan {
    /// Flattens a network: checks its models, draws its connectivity and initial values, chooses the fixed-point scales.
    ///
    /// # Errors
    /// Whatever is wrong with the network, with its place; see [`Error`].
    pub fn new(network: &Network) -> Result<Plan, Error> {
        network.validate()?;
        unbuilt(network)?;
        if network.neurons() > u64::from(u32::MAX) {
            return Err(too_large(network));
        }
        let (models, mut populations) = neurons::populations(network)?;
        let (mut ring, mut shortest) = (Ring { slots: 1, lanes: 0 }, MAX_EPOCH_STEPS - 1);
        for population in &mut populations {
            for port in &mut population.ports {
                port.lane = ring.lanes;
                ring.lanes = ring.lanes.checked_add(population.size).ok_or_else(|| too_large(network))?;
            }
        }
        let mut drawn = Vec::new();
        for index in 0..network.projections.len() {
            drawn.push(synapses::draw(network, index, &models)?);
        }
        for projection in &drawn {
            for &delay in projection.delay.as_slice() {
                shortest = shortest.min(delay);
                ring.slots = ring.slots.max(delay + 1);
            }
        }
        synapses::choose_shifts(&drawn, &mut populations);
        let projections = drawn.into_iter().map(|projection| Arc::new(projection.quantised(&populations))).collect();
        let channels = neurons::channels(network, &models, &populations)?;
        let (dt_ms, seed) = (network.dt_ms, network.seed);
        Ok(Plan { dt_ms, seed, populations, projections, ring, epoch_steps: shortest + 1, channels })
    }

    /// Number of neurons.
    pub fn neurons(&self) -> u32 {
        self.populations.iter().map(|population| population.size).sum()
    }

    /// Number of synapses.
    pub fn synapses(&self) -> u64 {
        self.projections.iter().map(|projection| projection.rows.len() as u64).sum()
    }

    /// How many events a spike of each neuron makes, by the neuron's number.
    pub fn out_degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.neurons() as usize];
        for projection in &self.projections {
            let first = self.populations[projection.pre].first + projection.pre_slice.start;
            for (row, ends) in projection.rows.offsets.windows(2).enumerate() {
                degrees[first as usize + row] += (ends[1] - ends[0]) as u32;
            }
        }
        degrees
    }

    /// Bytes of each array a backend keeps, by name.
    pub fn memory(&self) -> Vec<(&'static str, u64)> {
        let neurons = |words: fn(&PopulationPlan) -> usize| -> u64 {
            self.populations.iter().map(|population| 4 * u64::from(population.size) * words(population) as u64).sum()
        };
        let synapses = |words: fn(&ProjectionPlan) -> usize| -> u64 {
            self.projections.iter().map(|projection| 4 * words(projection) as u64).sum()
        };
        vec![
            ("state", neurons(|population| population.program.variables.len() + 1)),
            ("ring", 4 * u64::from(self.ring.slots) * u64::from(self.ring.lanes)),
            ("offsets", synapses(|projection| projection.rows.offsets.len())),
            ("targets", synapses(|projection| projection.rows.targets.len())),
            ("delays", synapses(|projection| projection.delay.as_slice().len())),
            ("weights", synapses(|p| p.writes.iter().map(|write| write.weights.as_slice().len()).sum())),
        ]
    }

    /// Population and index in it of a neuron.
    pub fn locate(&self, neuron: u32) -> (usize, u32) {
        let population = self.populations.partition_point(|population| population.first <= neuron) - 1;
        (population, neuron - self.populations[population].first)
    }

    /// The plan of the same network after one of its values changed, as far as a running simulation can follow: parameters of
    /// populations and values of synapses. The wiring stays.
    ///
    /// # Errors
    /// The new value is wrong, or changes the code of a step.
    pub(crate) fn revised(&self, network: &Network, path: &str) -> Result<Plan, Error> {
        let (models, mut populations) = neurons::populations(network)?;
        for (new, old) in populations.iter_mut().zip(&self.populations) {
            if new.program != old.program || new.size != old.size {
                return Err(Error::invalid(
                    path,
                    "a value of another kind",
                    "a running network keeps its sizes and the code of its steps",
                    "reset it and build it with the new value",
                ));
            }
            new.ports.clone_from(&old.ports);
        }
        let object = path.split('.').next().unwrap_or(path);
        let mut plan = Plan { populations, ..self.clone() };
        if let Some(index) = network.projections.iter().position(|projection| projection.name == object) {
            let mut drawn: Vec<synapses::Drawn> = Vec::new();
            for other in 0..network.projections.len() {
                drawn.push(synapses::valued(network, other, &models, self.projections[other].rows.clone())?);
            }
            let kept: Vec<Vec<i32>> = self.populations.iter().map(|p| p.ports.iter().map(|port| port.shift).collect()).collect();
            synapses::choose_shifts(&drawn, &mut plan.populations);
            for (population, kept) in plan.populations.iter_mut().zip(kept) {
                for (port, kept) in population.ports.iter_mut().zip(kept) {
                    // A finer scale is not worth a change under way; a coarser one is needed.
                    port.shift = port.shift.min(kept);
                }
            }
            if drawn[index].delay != self.projections[index].delay {
                let expected = "a running network keeps its delays";
                return Err(Error::invalid(path, "another delay", expected, "reset it and build it with the new value"));
            }
            plan.projections = drawn.into_iter().map(|projection| Arc::new(projection.quantised(&plan.populations))).collect();
        }
        Ok(plan)
    }
}

/// Refuses what a network may say but a plan cannot hold yet.
fn unbuilt(network: &Network) -> Result<(), Error> {
    let refuse = |path: String, value: &str| {
        let expected = "this version has no place for it in a plan yet";
        Err(Error::invalid(path, value, expected, "remove it"))
    };
    if let Some(source) = network.sources.first() {
        return refuse("sources[0]".into(), &format!("the source `{}`", source.name));
    }
    for (index, population) in network.populations.iter().enumerate() {
        if population.model.is_some() && population.equations.is_some() {
            return refuse(format!("populations[{index}]"), "a model with equations of its own");
        }
    }
    for (index, projection) in network.projections.iter().enumerate() {
        let path = |key: &str| format!("projections[{index}].{key}");
        if projection.on_pre.as_ref().is_some_and(|pathways| pathways.single().is_none()) {
            return refuse(path("on_pre"), "several pathways");
        }
        if projection.on_post.is_some() {
            return refuse(path("on_post"), "given");
        }
        if projection.model.is_some() {
            return refuse(path("model"), "given");
        }
    }
    Ok(())
}

fn too_large(network: &Network) -> Error {
    let expected = "a network has at most 4294967295 neurons, counted once for each port";
    Error::invalid("populations", format!("{} neurons", network.neurons()), expected, "make it smaller")
}

/// Unit of a port's sums.
impl Port {
    /// What one unit of the ring is worth.
    pub fn unit(&self) -> f32 {
        ring::unit(self.shift)
    }
}
