//! What kernels only read: the buffer `tables` of `shaders/training.wgsl`.

use spikelet::ring;
use spikelet_train::{DeviceValues, TrainingPlan};

use super::layout::BatchLayout;

/// `PROJECTION_WORDS` of `shaders/training.wgsl`.
const PROJECTION_WORDS: usize = 16;
/// `READOUT_WORDS` of `shaders/training/readout.wgsl`.
const READOUT_WORDS: usize = 4;

/// First words of what belongs to a population.
#[derive(Default)]
pub(super) struct PopulationTables {
    pub(super) constants: usize,
    pub(super) units: usize,
    pub(super) initial: usize,
    pub(super) clocks: usize,
    pub(super) entries: usize,
    /// The list of the projections from it through which adjoints pass, and their number.
    pub(super) projections: usize,
    pub(super) outgoing: usize,
    /// Its readings, in the order of the plan.
    pub(super) readouts: usize,
}

/// First words of what belongs to a projection.
struct ProjectionTables {
    rows: usize,
    targets: usize,
    delays: usize,
    weights: usize,
    sources: usize,
}

/// The words: first those that change with every batch, then those that change with the values of a device, then all others.
pub(super) struct Tables {
    pub(super) words: Vec<u32>,
    pub(super) populations: Vec<PopulationTables>,
    projections: Vec<ProjectionTables>,
    /// First word of each projection, and of each reading.
    pub(super) projection_words: Vec<usize>,
    pub(super) readout_words: Vec<usize>,
    of_values: usize,
    fixed: usize,
}

impl Tables {
    pub(super) fn new(plan: &TrainingPlan) -> Tables {
        let mut words = Vec::new();
        let place = |words: &mut Vec<u32>, count: usize| {
            let at = words.len();
            words.resize(at + count, 0);
            at
        };
        let mut populations: Vec<PopulationTables> = plan.populations.iter().map(|_| PopulationTables::default()).collect();
        let projection_words: Vec<usize> = plan.projections.iter().map(|_| place(&mut words, PROJECTION_WORDS)).collect();
        let mut readout_words = vec![0; plan.readouts.len()];
        for (index, of) in populations.iter_mut().enumerate() {
            of.readouts = words.len();
            let own = plan.readouts.iter().zip(&mut readout_words).filter(|(readout, _)| readout.population == index);
            own.for_each(|(_, at)| *at = place(&mut words, READOUT_WORDS));
        }

        let of_values = words.len();
        for (of, (population, trained)) in populations.iter_mut().zip(plan.plan.populations.iter().zip(&plan.populations)) {
            of.constants = place(&mut words, population.constants.len());
            of.units = place(&mut words, trained.layout.ports);
            of.initial = place(&mut words, trained.layout.variables * population.size as usize);
        }
        let weights: Vec<usize> = plan.projections.iter().map(|of| place(&mut words, of.targets.len())).collect();

        let fixed = words.len();
        let rows = (0..plan.steps).flat_map(|step| plan.plan.clocks(step)).map(f32::to_bits);
        words.extend(rows);
        for (index, (of, population)) in populations.iter_mut().zip(&plan.plan.populations).enumerate() {
            of.clocks = fixed + population.first_clock as usize;
            of.entries = words.len();
            words.extend(population.clocks.tables.iter().map(|entry| entry.to_bits()));
            let own = plan.projections.iter().zip(&projection_words).filter(|(of, _)| of.pre == index && of.passes_adjoints);
            of.projections = words.len();
            words.extend(own.map(|(_, at)| *at as u32));
            of.outgoing = words.len() - of.projections;
        }
        let projections = plan.projections.iter().zip(weights).map(|(of, weights)| {
            let rows = words.len();
            words.extend(&of.rows);
            let targets = words.len();
            words.extend(&of.targets);
            let delays = words.len();
            words.extend(&of.delays);
            let sources = words.len();
            words.extend((0..of.rows.len() - 1).flat_map(|pre| of.row(pre).map(move |_| pre as u32)));
            ProjectionTables { rows, targets, delays, weights, sources }
        });
        let projections = projections.collect();
        Tables { words, populations, projections, projection_words, readout_words, of_values, fixed }
    }

    /// Writes what changes with a batch. Returns the words that changed.
    pub(super) fn set_layout(&mut self, plan: &TrainingPlan, layout: &BatchLayout) -> &[u32] {
        for (index, (of, at)) in plan.projections.iter().zip(&self.projection_words).enumerate() {
            let (tables, [pre, post]) = (&self.projections[index], [of.pre, of.post].map(|end| &layout.populations[end]));
            let port = of.port as u32;
            let unit = self.words[self.populations[of.post].units + of.port];
            let words = [
                tables.rows as u32,
                tables.targets as u32,
                tables.delays as u32,
                tables.weights as u32,
                tables.sources as u32,
                u32::from(of.delays.len() > 1),
                unit,
                plan.plan.populations[of.post].size,
                post.lane_count,
                post.ring + port * layout.slots * post.lane_count,
                post.ports + port * layout.port_slots * post.lane_count,
                pre.spikes,
                pre.words,
            ];
            self.words[*at..][..words.len()].copy_from_slice(&words);
        }
        for ((readout, place), at) in plan.readouts.iter().zip(&layout.readouts).zip(&self.readout_words) {
            let words = [place.values, place.places, place.adjoints, readout.observed.unwrap_or_default() as u32];
            self.words[*at..][..words.len()].copy_from_slice(&words);
        }
        &self.words[..self.of_values]
    }

    /// Writes the values of a device. Returns the words that changed, and the place of the first one.
    pub(super) fn set_values(&mut self, plan: &TrainingPlan, values: &DeviceValues) -> (usize, &[u32]) {
        for (index, of) in self.populations.iter().enumerate() {
            let size = plan.plan.populations[index].size as usize;
            let constants = values.constants[index].1.iter().map(|constant| constant.to_bits());
            self.words[of.constants..].iter_mut().zip(constants).for_each(|(word, constant)| *word = constant);
            let units = values.shifts[index].iter().map(|shift| ring::unit(*shift).to_bits());
            self.words[of.units..].iter_mut().zip(units).for_each(|(word, unit)| *word = unit);
            for (array, initial) in values.rounded_initial[index].iter().enumerate() {
                for (neuron, word) in self.words[of.initial + array * size..][..size].iter_mut().enumerate() {
                    let value = if initial.len() == 1 { initial[0] } else { initial[neuron] };
                    *word = value.to_bits();
                }
            }
        }
        for (of, units) in self.projections.iter().zip(&values.units) {
            self.words[of.weights..].iter_mut().zip(units).for_each(|(word, units)| *word = *units as u32);
        }
        (self.of_values, &self.words[self.of_values..self.fixed])
    }
}
