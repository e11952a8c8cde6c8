//! What a network demands.

use spikelet_cpu::{part_steps, step_cost, synapse_costs};
use spikelet_lang::quantity;
use spikelet_plan::judge::miniature::with_synapses;
use spikelet_plan::{PerSynapse, ProjectionEstimate};

use crate::connectors::Draw;
use crate::network::{Source, SourceKind, Storage};
use crate::{Error, Estimate, Network, Plan};

use super::reference;

/// Synapses of each projection of the sample, from which the width of values and the delays are taken.
const SAMPLE: usize = 64;

/// What a network demands of a machine, from its sizes and rules and from a plan of very few of its neurons and synapses.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Length of a step.
    pub dt_ms: f64,
    /// Steps between two exchanges of spikes.
    pub exchange_steps: u32,
    /// Populations, and after them sources that have neurons.
    pub populations: Vec<PopulationLoad>,
    /// Projections.
    pub projections: Vec<ProjectionLoad>,
    /// Slots of the delay ring.
    pub(super) ring_slots: u32,
    /// Steps of the spike history.
    pub(super) memory_steps: u32,
}

/// The demand of a population.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationLoad {
    /// Its name.
    pub name: String,
    /// Number of neurons.
    pub size: u32,
    /// Mean rate in Hz.
    pub rate_hz: f64,
    /// Work of a step of a neuron, in units of the reference neuron.
    pub update_work: f64,
    /// Words of state, and columns of the delay ring, of a neuron.
    pub(super) words: u32,
    pub(super) columns: u32,
}

/// The demand of a projection.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectionLoad {
    /// Its name.
    pub name: String,
    /// The index of the presynaptic and of the postsynaptic population.
    pub ends: [usize; 2],
    /// Number of pre- and postsynaptic neurons of its slices.
    pub neurons: [u32; 2],
    /// Expected number of synapses.
    pub synapses: f64,
    /// Whether they are stored.
    pub stored: bool,
    /// Whether they have state.
    pub has_state: bool,
    /// Work of an event, in units of an event without state, and work of a step of a synapse, in units of the update of a reference neuron.
    pub(super) event_work: f64,
    pub(super) step_work: f64,
    /// Bytes of the values of a synapse, and of the traces of a neuron of each side.
    pub(super) bytes: f64,
    pub(super) traces: [u32; 2],
    /// Whether there is a number for each row from which it is drawn.
    pub(super) counts_rows: bool,
    /// Number of different delays that share a word with the postsynaptic neuron.
    pub(super) delays: u32,
}

impl Load {
    /// The load of a [valid](Network::validate) network. Projections without a storage setting have the given one, as far as their rule
    /// allows; stored, if there is none. `rate_hz` gives the mean rates of populations; those of sources are known.
    ///
    /// # Errors
    /// An error in the network that a plan of few neurons shows.
    pub fn new(network: &Network, storage: Option<Storage>, rate_hz: impl Fn(&str) -> f64) -> Result<Load, Error> {
        let estimate = Estimate::of(network)?;
        let mut small = with_synapses(network, SAMPLE);
        small.projections.iter_mut().for_each(|projection| projection.learned = None);
        let listed = |name: &str| {
            let mut lists = network.projections.iter().filter(|projection| projection.pairs.is_some());
            lists.any(|projection| projection.pre.population == name)
        };
        for source in &mut small.sources {
            let keeps = listed(&source.name);
            if let (SourceKind::Poisson { size, .. }, false) = (&mut source.kind, keeps) {
                *size = 1;
            }
        }
        let sample = Plan::new(&small)?;
        let unit = step_cost(&Plan::new(&reference::updates(1)?)?.populations[0]);
        let sizes = crate::Partition::shape(network);
        let populations = sizes.iter().zip(&sample.populations).map(|((name, size), plan)| PopulationLoad {
            name: name.clone(),
            size: *size,
            rate_hz: network
                .sources
                .iter()
                .find(|source| source.name == *name)
                .map_or_else(|| rate_hz(name), |of| rate(of, network)),
            update_work: step_cost(plan) / unit,
            words: plan.program.variables.len() as u32 + 1,
            columns: plan.ports.iter().map(crate::Port::width).sum(),
        });
        let linked = crate::Projection { pairs: Some(Vec::new().into()), ..crate::Projection::default() };
        let projections = (0..sample.projections.len()).map(|index| {
            // Linked variables are projections of the plan, after those of the network.
            let projection = network.projections.get(index).unwrap_or(&linked);
            ProjectionLoad::new(projection, &estimate.projections[index], &sample, index, (storage, unit))
        });
        let schedule = sample.schedule();
        let stops = schedule.stepwise.iter().any(|neurons| !neurons.is_empty());
        Ok(Load {
            dt_ms: network.dt_ms,
            exchange_steps: part_steps(schedule.epoch_steps, stops).min(schedule.exchange_steps),
            populations: populations.collect(),
            projections: projections.collect(),
            ring_slots: sample.ring.slots,
            memory_steps: sample.memory_steps,
        })
    }

    /// Number of neurons, those of sources included.
    pub fn neurons(&self) -> f64 {
        self.populations.iter().map(|population| f64::from(population.size)).sum()
    }

    /// Expected number of synapses.
    pub fn synapses(&self) -> f64 {
        self.projections.iter().map(|projection| projection.synapses).sum()
    }

    /// Synaptic events per second of biological time.
    pub fn events(&self) -> f64 {
        self.projections.iter().map(|of| self.events_of(of)).sum()
    }

    /// Those of a projection.
    pub(super) fn events_of(&self, projection: &ProjectionLoad) -> f64 {
        projection.synapses * self.populations[projection.ends[0]].rate_hz
    }

    /// Spikes per second of biological time.
    pub fn spikes(&self) -> f64 {
        self.populations.iter().map(PopulationLoad::spikes).sum()
    }

    /// The fraction of the neurons of a population with synapses onto neurons of a rank, if its synapses are distributed at random.
    pub(super) fn reach(&self, population: usize, ranks: usize) -> f64 {
        let of = |projection: &&ProjectionLoad| projection.ends[0] == population;
        if self.projections.iter().filter(of).any(|projection| projection.has_state) {
            return 1.0;
        }
        let synapses: f64 = self.projections.iter().filter(of).map(|projection| projection.synapses).sum();
        let outdegree = synapses / f64::from(self.populations[population].size.max(1));
        if ranks == 1 { f64::from(u8::from(outdegree > 0.0)) } else { -libm::expm1(outdegree * libm::log1p(-1.0 / ranks as f64)) }
    }
}

impl PopulationLoad {
    /// Spikes per second of biological time.
    pub(super) fn spikes(&self) -> f64 {
        f64::from(self.size) * self.rate_hz
    }
}

impl ProjectionLoad {
    fn new(
        projection: &crate::Projection,
        estimate: &ProjectionEstimate,
        sample: &Plan,
        index: usize,
        (storage, unit): (Option<Storage>, f64),
    ) -> ProjectionLoad {
        let plan = &sample.projections[index];
        let values = |values: &PerSynapse<i32>| match values {
            PerSynapse::Shared(_) => 0,
            PerSynapse::Half(_) => 2,
            _ => 4,
        };
        let (has_state, drawable) = (plan.state.is_some(), estimate.drawable && plan.state.is_none());
        let stored = projection.storage.or(storage) != Some(Storage::Procedural) || !drawable;
        let arrays = plan.state.as_ref().map_or(0, |state| 4 * state.arrays.len());
        let traces = |end| plan.state.iter().flat_map(|state| &state.traces).filter(|trace| trace.end == end).count() as u32;
        let differing = plan.pathways.iter().filter(|pathway| !pathway.delay.is_shared());
        let range = |of: &crate::PathwayPlan| of.delays.end - of.delays.start + 1;
        let (each, event) = synapse_costs(plan);
        let plain = synapse_costs(&crate::ProjectionPlan { state: None, ..crate::ProjectionPlan::clone(plan) }).1;
        let draw = projection.connect.as_ref().and_then(|connector| connector.draw("").ok());
        let pairs = if projection.pairs.is_some() { 4 } else { 0 };
        ProjectionLoad {
            name: estimate.name.clone(),
            ends: [plan.pre, plan.post],
            neurons: estimate.ends,
            synapses: estimate.synapses,
            stored,
            has_state,
            event_work: event / plain,
            step_work: each * spikelet_kernel::block::LANES as f64 / unit,
            bytes: (plan.writes().map(|(_, write)| values(&write.weights)).sum::<usize>() + arrays + pairs) as f64,
            traces: [traces(crate::lang::End::Pre), traces(crate::lang::End::Post)],
            counts_rows: !stored && matches!(draw, Some(Draw::Total { .. })),
            delays: differing.map(range).max().unwrap_or(1),
        }
    }
}

/// The mean rate of a source in Hz. Rates that depend on time or on the neuron are taken as 0.
fn rate(source: &Source, network: &Network) -> f64 {
    match &source.kind {
        // The inner unit of rates is 1/ms.
        SourceKind::Poisson { rate, .. } => {
            rate.text().and_then(|text| quantity::constant("rate", &text).ok()).map_or(0.0, |(value, _)| 1000.0 * value)
        }
        SourceKind::Spikes { size, spike_times_ms } => {
            let seconds = f64::from(*size) * network.duration_ms / 1000.0;
            if seconds > 0.0 { spike_times_ms.len() as f64 / seconds } else { 0.0 }
        }
        SourceKind::PoissonInput { .. } => 0.0,
    }
}
