//! Where the parts of a trial lie in the tape: the constants of `shaders/eventprop.wgsl`.

use spikelet_train::eventprop::{CHUNK, Delays, Kind, Network};

/// No spike, synapse or projection.
pub(super) const NONE: u32 = u32::MAX;

/// Words of a trial before the last spikes of populations.
pub(super) const HEADER_WORDS: usize = 8;
/// The words of the header that the host reads.
pub(super) const STATUS: usize = 0;
pub(super) const SPIKES: usize = 1;
pub(super) const PENDING: usize = 3;
pub(super) const LIMITED: usize = 4;
pub(super) const TRIAL: usize = 6;

/// What the status of a trial is.
pub(super) const RUNNING: u32 = 0;
pub(super) const FULL: u32 = 2;
pub(super) const RAN_AWAY: u32 = 3;

/// Fields of a neuron that the host writes or reads.
pub(super) const U: usize = 0;
pub(super) const I: usize = 1;
pub(super) const NEXT: usize = 4;
pub(super) const LAST: usize = 5;
pub(super) const FIRST: usize = 6;
pub(super) const INTEGRAL: usize = 7;
pub(super) const MAXIMUM: usize = 8;
/// The first of the adjoints, and their number.
pub(super) const ADJOINTS: usize = 12;
pub(super) const ADJOINT_FIELDS: usize = 7;
const FIELDS: usize = 20;

pub(super) const SPIKE_WORDS: usize = 8;
pub(super) const ENTRY_WORDS: usize = 4;

/// Iterations of loops of a dispatch: with those of an event, below the maximum of a software device.
const BUDGET: u32 = 24_576;

/// `Job` of `shaders/eventprop.wgsl`.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Job {
    pub(super) trials: u32,
    pub(super) chunk: u32,
    pub(super) neurons: u32,
    pub(super) projections: u32,
    pub(super) gradients: u32,
    pub(super) region: u32,
    pub(super) heads: u32,
    pub(super) fields: u32,
    pub(super) spikes: u32,
    pub(super) entries: u32,
    pub(super) spike_room: u32,
    pub(super) entry_room: u32,
    pub(super) max_spikes: u32,
    pub(super) max_arrivals: u32,
    pub(super) budget: u32,
    pub(super) zero: u32,
    pub(super) duration: f32,
    pub(super) of_projections: u32,
    pub(super) of_neurons: u32,
    pub(super) padding: u32,
}

/// The words of a trial.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrialLayout {
    pub(super) neurons: usize,
    pub(super) heads: usize,
    pub(super) fields: usize,
    pub(super) spikes: usize,
    pub(super) entries: usize,
    pub(super) spike_room: usize,
    pub(super) entry_room: usize,
    max_arrivals: usize,
}

impl TrialLayout {
    /// With room for this many spikes.
    pub(super) fn new(network: &Network<f32>, spike_room: usize) -> TrialLayout {
        let neurons = network.populations.iter().map(|of| of.size).sum();
        let heads = HEADER_WORDS + network.populations.len();
        let fields = heads + network.projections.len();
        let spikes = fields + FIELDS * neurons;
        let entries = spikes + SPIKE_WORDS * spike_room;
        let arrivals = |index: &usize| {
            let of = &network.projections[*index];
            match of.delays {
                Delays::Shared(_) => 1,
                Delays::Each(_) => of.rows.windows(2).map(|ends| (ends[1] - ends[0]) as usize).max().unwrap_or(0),
            }
        };
        let of_population = network.populations.iter().map(|of| of.out.iter().map(arrivals).sum::<usize>());
        let max_arrivals = of_population.max().unwrap_or(0);
        let entry_room = spike_room * (1 + max_arrivals);
        TrialLayout { neurons, heads, fields, spikes, entries, spike_room, entry_room, max_arrivals }
    }

    /// Words of a trial.
    pub(super) fn words(&self) -> u64 {
        self.entries as u64 + (ENTRY_WORDS * self.entry_room) as u64
    }

    /// Where a field of the neurons begins.
    pub(super) fn field(&self, field: usize) -> usize {
        self.fields + field * self.neurons
    }

    /// The parameters of the dispatches of a batch, with where projections and the populations of neurons begin in the tables.
    pub(super) fn job(&self, network: &Network<f32>, [of_projections, of_neurons]: [usize; 2], trials: usize) -> Job {
        Job {
            trials: trials as u32,
            chunk: CHUNK as u32,
            neurons: self.neurons as u32,
            projections: network.projections.len() as u32,
            gradients: network.gradients as u32,
            region: self.words() as u32,
            heads: self.heads as u32,
            fields: self.fields as u32,
            spikes: self.spikes as u32,
            entries: self.entries as u32,
            spike_room: self.spike_room as u32,
            entry_room: self.entry_room as u32,
            max_spikes: u32::try_from(network.max_spikes).unwrap_or(u32::MAX),
            max_arrivals: self.max_arrivals as u32,
            budget: BUDGET,
            zero: 0,
            duration: network.duration,
            of_projections: of_projections as u32,
            of_neurons: of_neurons as u32,
            padding: 0,
        }
    }

    /// The words of a trial at its start without input, up to its spikes.
    pub(super) fn start(&self, network: &Network<f32>) -> Vec<u32> {
        let mut words = vec![0; self.spikes];
        words[HEADER_WORDS..self.fields].fill(NONE);
        words[self.field(LAST)..][..self.neurons].fill(NONE);
        for field in [NEXT, FIRST] {
            words[self.field(field)..][..self.neurons].fill(f32::INFINITY.to_bits());
        }
        let mut first = 0;
        for population in &network.populations {
            if let Kind::Cells(cells) = &population.kind {
                for (neuron, (u, i)) in cells.initial[0].iter().zip(&cells.initial[1]).enumerate() {
                    let mut put = |field: usize, value: f32| words[self.field(field) + first + neuron] = value.to_bits();
                    put(U, *u);
                    put(I, *i);
                    put(MAXIMUM, *u);
                    if cells.fires() {
                        put(NEXT, cells.constants.next([*u], [*i], [0.0], 0.0, network.duration)[0]);
                    }
                }
            }
            first += population.size;
        }
        words
    }
}
