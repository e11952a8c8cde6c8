//! The memory of a network, before anything is drawn.

use spikelet_plan::judge::miniature::with_synapses;
use spikelet_plan::{PerSynapse, greatest_common_divisor};

use crate::{BuildOptions, Builder, Endpoint, Error, Estimate, Network, Partition, Plan, ProjectionPlan, Sampling, SourceKind};

/// Synapses of each projection of the sample.
const SAMPLE: u32 = 64;

/// Bytes of a spike in the results of a run: its step and its neuron.
const SPIKE: f64 = 8.0;

/// The expected memory of a network: the expected numbers of its neurons and synapses, times the words of each in a plan of very few of them.
///
/// It takes milliseconds, whatever the size of the network. Numbers of synapses are those of [`Estimate`], 64 synapses of each projection between
/// neurons 0 and 1 are planned, and these determine which values differ, delays, ports and variables in two words. So an array that is needed for
/// other synapses only is not known, nor are delays that are longer elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedMemory {
    /// The name and size of each population, and after them of sources that have neurons.
    pub populations: Vec<(String, u32)>,
    /// Numbers of synapses and their storage, by projection, with those that became procedural to fit.
    pub estimate: Estimate,
    /// The plan of the sample, with the same populations and projections.
    pub sample: Plan,
    /// Recorded values of a row of samples.
    pub channels: u64,
    /// Columns of a row of samples of a device: of means and sums, the sums of blocks.
    pub columns: u64,
    /// Neurons that means and sums add.
    pub reduced: u64,
    /// Interval of the rows in steps.
    pub sample_every: u32,
}

impl ExpectedMemory {
    /// The expected memory of a [valid](Network::validate) network whose files were read.
    ///
    /// # Errors
    /// An error in the network that a plan of few neurons shows; or it does not fit, with these options.
    pub fn new(network: &Network, options: BuildOptions) -> Result<ExpectedMemory, Error> {
        network.validate()?;
        network.check_files()?;
        let estimate = Estimate::of_options(network, options)?;
        let sample =
            Builder::new(&sample_of(network), BuildOptions { weights: options.weights, ..BuildOptions::default() })?.finish()?;
        let populations = Partition::shape(network);
        let size = |object: &str| {
            let of_population = populations.iter().find(|(name, _)| name == object).map(|(_, size)| u64::from(*size));
            let of_projection = || estimate.projections.iter().find(|of| of.name == object).map(|of| of.synapses as u64);
            of_population.or_else(of_projection).unwrap_or(0)
        };
        let ([mut channels, mut columns, mut reduced], mut every) = ([0; 3], None);
        for recording in &network.recordings {
            let count = recording.indices.count(size(&recording.object));
            if recording.reduce.is_some() {
                let (of_device, neurons) =
                    Sampling::default().add_sums(0, 0, recording.indices.of(size(&recording.object) as u32));
                channels += 1;
                columns += of_device.len() as u64;
                reduced += u64::from(neurons);
            } else {
                channels += count;
                columns += count;
            }
            let own = recording.every_steps(network.dt_ms).filter(|_| count > 0);
            every = [every, own].into_iter().flatten().reduce(greatest_common_divisor);
        }
        let sample_every = every.unwrap_or(1);
        Ok(ExpectedMemory { populations, estimate, sample, channels, columns, reduced, sample_every })
    }

    /// The sizes of populations, with the plan of their sample.
    fn neurons(&self) -> impl Iterator<Item = (u64, &crate::PopulationPlan)> {
        self.populations.iter().zip(&self.sample.populations).map(|((_, size), plan)| (u64::from(*size), plan))
    }

    /// Each projection: its index, the plan of its sample, and its number of synapses if they are stored.
    fn stored(&self) -> impl Iterator<Item = (usize, &ProjectionPlan, f64)> {
        let projections = self.sample.projections.iter().enumerate();
        projections
            .filter(|(index, _)| self.is_stored(*index))
            .map(|(index, of)| (index, &**of, self.estimate.projections[index].synapses))
    }

    /// Whether the synapses of a projection are stored: those with state always are.
    pub fn is_stored(&self, projection: usize) -> bool {
        self.estimate.projections[projection].stored || self.sample.projections[projection].state.is_some()
    }

    /// Number of neurons, those of sources included.
    pub fn number_of_neurons(&self) -> u64 {
        self.populations.iter().map(|(_, size)| u64::from(*size)).sum()
    }

    /// Words of the traces that neurons store for the synapses of a projection.
    pub fn traces(&self, projection: usize) -> u64 {
        let of = &self.sample.projections[projection];
        let size = |trace: &crate::TracePlan| u64::from(self.populations[of.population(trace.end)].1);
        of.state.iter().flat_map(|state| &state.traces).map(size).sum()
    }

    /// Columns of the delay ring.
    pub fn columns(&self) -> u64 {
        self.neurons().map(|(size, plan)| size * plan.ports.iter().map(|port| u64::from(port.width())).sum::<u64>()).sum()
    }

    /// Words of the variables of neurons.
    pub fn state(&self) -> u64 {
        self.neurons().map(|(size, plan)| size * (plan.program.variables.len() as u64 + 1)).sum()
    }

    /// Expected bytes of each array of a CPU, by the names of [`Plan::memory`].
    pub fn memory(&self) -> Vec<(&'static str, u64)> {
        let sum = |bytes: &dyn Fn(usize, &ProjectionPlan, f64) -> f64| -> u64 {
            self.stored().map(|(index, of, synapses)| bytes(index, of, synapses)).sum::<f64>() as u64
        };
        let ends = |index: usize| self.estimate.projections[index].ends.map(f64::from);
        let all = |bytes: &dyn Fn(usize, &ProjectionPlan) -> f64| -> u64 {
            (0..).zip(&self.sample.projections).map(|(index, of)| bytes(index, of)).sum::<f64>() as u64
        };
        // The target, in two bytes if it is small and shares them with no delay; of a list also the number of the synapse in it.
        let words = |index: usize, of: &ProjectionPlan, synapses: f64| {
            let packed = of.pathways.iter().any(|pathway| matches!(pathway.delay, PerSynapse::Packed(_)));
            let target = if self.populations[of.post].1 <= 1 << u16::BITS && !packed { 2.0 } else { 4.0 };
            synapses * (target + if self.estimate.projections[index].listed { 4.0 } else { 0.0 })
        };
        let delays =
            |_: usize, of: &ProjectionPlan, synapses: f64| of.pathways.iter().map(|of| values(&of.delay, synapses)).sum();
        let weights =
            |_: usize, of: &ProjectionPlan, synapses: f64| of.writes().map(|(_, of)| values(&of.weights, synapses)).sum();
        let arrays = |index: usize, of: &ProjectionPlan, synapses: f64| {
            let arrays = of.state.as_ref().map_or(0, |state| state.arrays.len()) as f64;
            4.0 * (arrays * synapses + self.traces(index) as f64)
        };
        let degrees = |index: usize, of: &ProjectionPlan| {
            let incoming = if self.is_stored(index) { f64::from(self.populations[of.post].1) } else { 0.0 };
            4.0 * (ends(index)[0] + incoming)
        };
        let counted = |index: usize, _: &ProjectionPlan| {
            let counted = !self.is_stored(index) && self.estimate.projections[index].counts_rows;
            if counted { 4.0 * ends(index)[0] } else { 0.0 }
        };
        let slots = u64::from(self.sample.ring.slots);
        let of_sample =
            |name: &str| self.sample.memory().into_iter().find(|(item, _)| *item == name).map_or(0, |(_, bytes)| bytes);
        vec![
            ("state", 4 * self.state()),
            ("tables", of_sample("tables")),
            ("ring", 4 * slots * self.columns()),
            ("remembered spikes", 4 * u64::from(self.sample.memory_steps) * (self.number_of_neurons() + 1)),
            ("offsets", sum(&|index, _, _| 8.0 * (ends(index)[0] + 1.0))),
            ("synapses", sum(&words)),
            ("third neurons", sum(&|_, of, synapses| if of.third.is_some() { 4.0 * synapses } else { 0.0 })),
            ("delays", sum(&delays)),
            ("weights", sum(&weights)),
            ("recipes", all(&counted)),
            ("degrees", all(&degrees)),
            ("state of synapses", sum(&arrays)),
        ]
    }

    /// Expected bytes of a CPU for one trial.
    pub fn bytes(&self) -> u64 {
        self.memory().iter().fold(0, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    /// Expected bytes of each trial on a CPU, as [`Plan::trial_memory`].
    pub fn trial_bytes(&self) -> u64 {
        let moves = ["state", "ring", "remembered spikes", "state of synapses"];
        let own: u64 = self.memory().iter().filter(|(name, _)| moves.contains(name)).map(|(_, bytes)| bytes).sum();
        let order = |(index, of, synapses): (usize, &ProjectionPlan, f64)| {
            4.0 * of.words_of_trial() as f64 * synapses + 16.0 * (f64::from(self.estimate.projections[index].ends[0]) + 1.0)
        };
        own.saturating_add(self.stored().map(order).sum::<f64>() as u64)
    }

    /// Expected bytes of a CPU for this many parallel trials.
    pub fn bytes_of(&self, trials: u32) -> u64 {
        self.bytes().saturating_add(self.trial_bytes().saturating_mul(u64::from(trials.saturating_sub(1))))
    }

    /// Bytes that a trial records in a second of biological time: the samples of its recordings.
    pub fn samples_per_second(&self) -> f64 {
        let every_ms = self.sample.dt_ms * f64::from(self.sample_every);
        4.0 * self.channels as f64 * 1000.0 / every_ms
    }

    /// The same of its spikes, at mean rates of populations in Hz.
    pub fn spikes_per_second(&self, rate_hz: impl Fn(&str) -> f64) -> f64 {
        SPIKE * self.populations.iter().map(|(name, size)| f64::from(*size) * rate_hz(name)).sum::<f64>()
    }
}

/// Bytes of values of synapses: nothing if they are in the rows.
fn values<T: Copy>(of: &PerSynapse<T>, synapses: f64) -> f64 {
    match of {
        PerSynapse::Shared(_) => 4.0,
        PerSynapse::Each(_) => 4.0 * synapses,
        PerSynapse::Half(_) => 2.0 * synapses,
        PerSynapse::Packed(_) | PerSynapse::Drawn(_) => 0.0,
    }
}

/// The network with very few neurons and synapses.
fn sample_of(network: &Network) -> Network {
    let mut small = with_synapses(network, SAMPLE as usize);
    for source in &mut small.sources {
        let keeps = network.projections.iter().any(|of| of.pairs.is_some() && of.pre.population == source.name);
        if let (SourceKind::Poisson { size, .. }, false) = (&mut source.kind, keeps) {
            *size = (*size).min(2);
        }
    }
    let sizes = Partition::shape(&small);
    let size = |end: &Endpoint| sizes.iter().find(|(name, _)| *name == end.population).map_or(1, |(_, size)| (*size).clamp(1, 2));
    for (projection, of) in small.projections.iter_mut().zip(&network.projections) {
        projection.learned = None;
        (projection.synapses_per_pair, projection.max_indegree, projection.max_outdegree) = (None, None, None);
        if of.connect.is_some() {
            let [pre, post] = [size(&projection.pre), size(&projection.post)];
            let pairs: Vec<[u32; 2]> = (0..SAMPLE).map(|number| [number % pre, number / 2 % post]).collect();
            projection.pairs = Some(pairs.into());
        }
    }
    small
}
