//! The memory of a plan: estimated before, exact after drawing.

use spikelet_network::connectors::Draw;
use spikelet_network::{Delays, Error, Network, Positions, Projection, Quantity, Storage, Weights, human};

use crate::neurons::sources::{Generated, LoweredNetwork};
use crate::options::BuildOptions;
use crate::pairs::connectivity;
use crate::{EdgePlan, Plan, ProjectionPlan};

/// The kind of the error [`Error::kind`] of a network that does not fit.
pub(crate) const OUT_OF_MEMORY: &str = "out_of_memory";

/// The estimated memory of a network, from its sizes and rules alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Estimate {
    /// Neurons, sources included.
    pub neurons: u64,
    /// Each projection, in the network's order.
    pub projections: Vec<ProjectionEstimate>,
    /// Total bytes for one trial.
    pub bytes: u64,
    /// Bytes of them for each trial: the dynamic arrays.
    pub trial_bytes: u64,
    /// The projections that are procedural because the network would not fit otherwise, by name, the largest first.
    pub became_procedural: Vec<String>,
    /// Bytes before that.
    pub bytes_if_stored: u64,
}

/// The estimated memory of a projection.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectionEstimate {
    /// Its name.
    pub name: String,
    /// Expected number of synapses; the mean if the rule is random.
    pub synapses: f64,
    /// Whether they are stored.
    pub stored: bool,
    /// Bytes.
    pub bytes: u64,
    /// Number of pre- and postsynaptic neurons.
    pub ends: [u32; 2],
    /// Whether it could be procedural, as far as known from its rule.
    pub drawable: bool,
    /// Whether its synapses are a list.
    pub listed: bool,
    /// Whether a procedural row has a number from which it is drawn.
    pub counts_rows: bool,
    /// Bytes that weights in two bytes would save.
    pub saved_by_halving: u64,
}

/// Approximate bytes per neuron: variables, last spike, delay buffers.
const NEURON: u64 = 64;

/// Maximum memory in bytes: 4 GiB in wasm.
const LARGEST_MEMORY: u64 = usize::MAX as u64;

/// Maximum bytes of one list: half of the address space, 2 GiB in wasm.
const LARGEST_LIST: u64 = isize::MAX as u64;

/// Maximum number of stored synapses of a projection: each is a word of a list, and has a number of 32 bits.
pub(crate) const MAX_KEPT: u64 = if LARGEST_LIST / 4 < u32::MAX as u64 { LARGEST_LIST / 4 } else { u32::MAX as u64 };

impl Estimate {
    /// Estimates the size of a [valid](Network::validate) network.
    ///
    /// # Errors
    /// A length of a rule is invalid.
    pub fn of(network: &Network) -> Result<Estimate, Error> {
        Estimate::of_lowered(&LoweredNetwork::new(network)?, None)
    }

    /// The same with options: projections that these make procedural are not stored.
    ///
    /// # Errors
    /// A length of a rule is invalid, or the network does not fit into the memory.
    pub fn of_options(network: &Network, options: BuildOptions) -> Result<Estimate, Error> {
        Estimate::check_neurons(network, options.memory)?;
        let whole = LoweredNetwork::new(network)?;
        let mut estimate = Estimate::of_lowered(&whole, options.weights)?;
        estimate.fit(&whole, options)?;
        Ok(estimate)
    }

    /// The same, with known positions; `weights` is the default weight format.
    pub(crate) fn of_lowered(network: &LoweredNetwork<'_>, weights: Option<Weights>) -> Result<Estimate, Error> {
        let neurons = network.neurons();
        let projections = 0..network.projections.len();
        let projections: Vec<_> =
            projections.map(|index| ProjectionEstimate::of(network, index, weights)).collect::<Result<_, _>>()?;
        let of_synapses = projections.iter().fold(0_u64, |sum, projection| sum.saturating_add(projection.bytes));
        let bytes = of_synapses.saturating_add(neurons * NEURON);
        let (trial_bytes, became_procedural) = (neurons * NEURON, Vec::new());
        Ok(Estimate { neurons, projections, bytes, trial_bytes, became_procedural, bytes_if_stored: bytes })
    }

    /// Adds the values of synapses with state: `words` of each, which cannot be procedural.
    pub(crate) fn add_state(&mut self, projection: usize, words: u64) {
        let of = &mut self.projections[projection];
        of.drawable = false;
        let bytes = (of.synapses * 4.0 * words as f64) as u64;
        of.bytes = of.bytes.saturating_add(bytes);
        self.bytes = self.bytes.saturating_add(bytes);
    }

    /// Rejects a network whose neurons alone need more than `memory` bytes, before memory is allocated per neuron.
    ///
    /// # Errors
    /// Both sizes, and suggestions, at the size of the largest population.
    pub(crate) fn check_neurons(network: &Network, memory: Option<u64>) -> Result<(), Error> {
        let bytes = network.neurons().saturating_mul(NEURON);
        let estimate = Estimate { neurons: network.neurons(), bytes, trial_bytes: bytes, ..Estimate::default() };
        let largest = (0..network.populations.len()).max_by_key(|index| network.populations[*index].size);
        estimate.check(memory.unwrap_or(LARGEST_MEMORY)).map_err(|mut error| {
            if let (Error::Invalid { path, .. }, Some(largest)) = (&mut error, largest) {
                *path = format!("populations[{largest}].size");
            }
            error
        })
    }

    /// Bytes of this many parallel trials.
    pub fn bytes_of(&self, trials: u32) -> u64 {
        self.bytes.saturating_add(self.trial_bytes.saturating_mul(u64::from(trials.saturating_sub(1))))
    }

    /// Synapses of all projections.
    pub fn synapses(&self) -> f64 {
        self.projections.iter().map(|projection| projection.synapses).sum()
    }

    /// Chooses the storage of projections such that everything fits into `memory` bytes.
    pub(crate) fn fit(
        &mut self,
        network: &LoweredNetwork<'_>,
        BuildOptions { memory, storage: wanted, weights, .. }: BuildOptions,
    ) -> Result<Vec<Option<Storage>>, Error> {
        let mut storages: Vec<Option<Storage>> = network.projections.iter().map(|projection| projection.storage).collect();
        let memory = memory.unwrap_or(LARGEST_MEMORY);
        // Procedural weights are not rounded to f16, and the available memory must not change a spike.
        let rounded = |projection: &Projection| projection.weights.or(weights) == Some(Weights::F16) && differing(projection) > 0;
        let free = |index: &usize| {
            let projection = &network.projections[*index];
            let kept = wanted.is_none() && rounded(projection);
            projection.storage.is_none() && !kept && self.projections[*index].drawable
        };
        let mut largest: Vec<usize> = (0..storages.len()).filter(free).collect();
        largest.sort_by_key(|index| std::cmp::Reverse(self.projections[*index].bytes));
        self.bytes_if_stored = self.bytes;
        for index in largest {
            let projection = &mut self.projections[index];
            let fits = self.bytes <= memory && !projection.is_too_long();
            if wanted == Some(Storage::Stored) || wanted.is_none() && fits {
                continue;
            }
            storages[index] = Some(Storage::Procedural);
            if wanted.is_none() {
                self.became_procedural.push(projection.name.clone());
            }
            self.bytes -= projection.bytes;
            (projection.stored, projection.bytes) = (false, 0);
        }
        self.check(memory).map(|()| storages)
    }

    /// Records that a projection is stored that was to be procedural.
    pub(crate) fn keep(&mut self, network: &LoweredNetwork<'_>, index: usize, options: BuildOptions) -> Result<(), Error> {
        let kept = ProjectionEstimate::of(network, index, options.weights)?;
        self.became_procedural.retain(|name| *name != kept.name);
        self.bytes += kept.bytes;
        self.projections[index] = kept;
        self.check(options.memory.unwrap_or(LARGEST_MEMORY))
    }

    /// Rejects a network larger than `memory` bytes, and lists that are larger than the maximum.
    fn check(&self, memory: u64) -> Result<(), Error> {
        if self.bytes <= memory {
            let mut projections = self.projections.iter().enumerate();
            let too_long = projections.find(|(_, projection)| projection.is_too_long());
            return too_long.map_or(Ok(()), |(index, projection)| Err(projection.too_long(index)));
        }
        let of_largest = self.projections.iter().max_by_key(|projection| projection.bytes);
        let part = of_largest.filter(|largest| largest.bytes > 0).map(|largest| {
            format!(", {} of them for the {:.3e} synapses of `{}`", human(largest.bytes), largest.synapses, largest.name)
        });
        let found = format!("about {}{}", human(self.bytes), part.unwrap_or_default());
        let expected = format!("{} of memory are available for it", human(memory));
        let halved: u64 = self.projections.iter().map(|projection| projection.saved_by_halving).sum();
        let way_out = match self.projections.iter().any(|projection| projection.bytes > 0) {
            true if halved > 0 => format!(
                "make it smaller, set the storage of its largest projections to \"procedural\" if their rules and values allow it, or \
                 their weights to \"f16\", which rounds them and saves about {}",
                human(halved)
            ),
            true => "make it smaller, or set the storage of its largest projections to \"procedural\" if their rules and values \
                     allow it"
                .to_owned(),
            false => "use fewer neurons".to_owned(),
        };
        Err(Error::invalid("", found, expected, &way_out).of_kind(OUT_OF_MEMORY))
    }
}

impl ProjectionEstimate {
    /// Mean out-degree.
    pub fn outdegree(&self) -> f64 {
        self.synapses / f64::from(self.ends[0].max(1))
    }

    /// Mean in-degree.
    pub fn indegree(&self) -> f64 {
        self.synapses / f64::from(self.ends[1].max(1))
    }

    /// Whether it would be stored, but cannot be.
    fn is_too_long(&self) -> bool {
        self.stored && self.synapses > MAX_KEPT as f64
    }

    fn too_long(&self, index: usize) -> Error {
        let found =
            format!("about {:.3e} synapses in `{}`, a list of {}", self.synapses, self.name, human(4 * self.synapses as u64));
        too_many_kept(index, found)
    }

    fn of(network: &LoweredNetwork<'_>, index: usize, weights: Option<Weights>) -> Result<ProjectionEstimate, Error> {
        if let Some(Generated::ToPre(of)) = network.generated(index) {
            // The same synapses, as a list.
            let ProjectionEstimate { synapses, ends: [pre, post], .. } = ProjectionEstimate::of(network, *of, weights)?;
            let (name, bytes) = (network.projections[index].name.clone(), (12.0 * synapses) as u64 + 8 * u64::from(post));
            let (listed, counts_rows, saved_by_halving) = (false, false, 0);
            let (stored, ends, drawable) = (true, [post, pre], false);
            return Ok(ProjectionEstimate {
                name,
                synapses,
                stored,
                bytes,
                ends,
                drawable,
                listed,
                counts_rows,
                saved_by_halving,
            });
        }
        let projection = &network.projections[index];
        let size = |name: &str| network.find(name).map_or(0, |population| network.populations[population].size);
        let (pre, post) =
            (projection.pre.range(size(&projection.pre.population)), projection.post.range(size(&projection.post.population)));
        let mut synapses = match &projection.connect {
            None => projection.pairs.as_ref().map_or(0, |pairs| pairs.len()) as f64,
            Some(connector) => match connector.expected(&pre, &post) {
                Some(expected) if projection.synapses_per_pair.is_none() => expected,
                Some(expected) => expected * connectivity(network, index)?.mean_per_pair(),
                None => crate::pairs::sample::synapses(network, index)?,
            },
        };
        for (most, neurons) in [(projection.max_outdegree, pre.len()), (projection.max_indegree, post.len())] {
            synapses = most.map_or(synapses, |most| synapses.min(f64::from(most) * neurons as f64));
        }
        let stored = projection.storage != Some(Storage::Procedural);
        let each = bytes_of_each(projection, post.end, weights);
        let bytes = if stored { synapses * each + 8.0 * pre.len() as f64 } else { 0.0 };
        let ends = [pre.len() as u32, post.len() as u32];
        let (name, drawable) = (projection.name.clone(), can_be_procedural(network.network(), projection));
        let draw = projection.connect.as_ref().and_then(|connector| connector.draw("").ok());
        let counts_rows = matches!(draw, Some(Draw::Total { .. }));
        let halves = stored && projection.weights.or(weights) != Some(Weights::F16);
        let saved_by_halving = if halves { (2.0 * synapses * differing(projection) as f64) as u64 } else { 0 };
        let (bytes, listed) = (bytes as u64, projection.pairs.is_some());
        Ok(ProjectionEstimate { name, synapses, stored, bytes, ends, drawable, listed, counts_rows, saved_by_halving })
    }
}

/// Bytes of a synapse of a projection of a network, as far as known before anything is drawn: 0 if it is procedural.
pub fn bytes_per_synapse(network: &Network, projection: &Projection) -> f64 {
    if projection.storage == Some(Storage::Procedural) {
        return 0.0;
    }
    let size = network.population(&projection.post.population).map_or(0, |population| population.size);
    bytes_of_each(projection, projection.post.range(size).end, None)
}

/// Bytes of a stored synapse onto neurons up to `end`.
fn bytes_of_each(projection: &Projection, end: u32, weights: Option<Weights>) -> f64 {
    let bytes_each = if projection.weights.or(weights) == Some(Weights::F16) { 2 } else { 4 };
    // Different delays share the words of synapses with the postsynaptic neurons.
    let is_delayed_alike = match &projection.delay_ms {
        Delays::Same(delay) => !differs(delay),
        Delays::Each(delays) => !delays.values().any(differs),
    };
    let word = if end <= 1 << u16::BITS && is_delayed_alike { 2 } else { 4 };
    let third = if projection.third.is_some() { 4 } else { 0 };
    (word + third + bytes_each * differing(projection)) as f64
}

/// A projection has more synapses than can be stored.
pub(crate) fn too_many_kept(index: usize, found: impl std::fmt::Display) -> Error {
    let expected = format!("a projection can store at most {MAX_KEPT} synapses here, a list of {}", human(4 * MAX_KEPT));
    let way_out = "split it into slices of its neurons, or set its storage to \"procedural\" if its rule and values allow it";
    Error::invalid(format!("projections[{index}]"), found, expected, way_out).of_kind(OUT_OF_MEMORY)
}

/// The number of values that differ between synapses, as far as known.
fn differing(projection: &Projection) -> usize {
    projection.parameters.values().chain(projection.initial.values()).filter(|quantity| differs(quantity)).count()
}

fn differs(quantity: &Quantity) -> bool {
    let random = ["rand", "normal", "uniform", "exponential", "gamma"];
    match quantity {
        Quantity::Number(_) => false,
        Quantity::Text(text) => random.iter().chain(&["_pre", "_post"]).any(|name| text.contains(name)),
        Quantity::Values { .. } | Quantity::Expr(_) | Quantity::Timed { .. } => true,
    }
}

/// Whether the rule can be drawn from counters alone, as far as known without its values.
fn can_be_procedural(network: &Network, projection: &Projection) -> bool {
    let positions = |name: &str| network.population(name)?.positions.as_ref();
    let on_grid = || {
        let (pre, post) = (positions(&projection.pre.population), positions(&projection.post.population));
        matches!(pre, Some(Positions::Grid { .. })) && pre == post
    };
    let by_rule = projection.connect.as_ref().is_some_and(|connector| {
        connector.condition().is_none()
            // Errors of a length are reported where rows are drawn.
            && connector.draw("").is_ok_and(|draw| match draw {
                Draw::All | Draw::Bernoulli { .. } | Draw::Outdegree { .. } | Draw::Total { .. } => true,
                Draw::Kernel(_) => on_grid(),
                _ => false,
            })
    });
    by_rule && projection.synapses_per_pair.is_none() && projection.max_indegree.is_none() && projection.max_outdegree.is_none()
}

impl Plan {
    /// Rejects a plan larger than `memory` bytes, before a device allocates it.
    pub(crate) fn check_memory(&self, memory: Option<u64>) -> Result<(), Error> {
        let items = self.memory();
        let bytes: u64 = items.iter().map(|(_, bytes)| bytes).sum();
        let (Some(memory), Some((largest, most))) = (memory, items.iter().max_by_key(|(_, bytes)| bytes)) else { return Ok(()) };
        if bytes <= memory {
            return Ok(());
        }
        let found = format!("{}, {} of them for the {largest}", human(bytes), human(*most));
        let way_out = match *largest {
            "ring" => "shorten the longest delay, or use a longer time step",
            _ => "make it smaller, or set the storage of its largest projections to \"procedural\"",
        };
        let expected = format!("{} of memory are available for it", human(memory));
        Err(Error::invalid("", found, expected, way_out).of_kind(OUT_OF_MEMORY))
    }

    /// Bytes of each array of a backend, by name, and of the plan.
    pub fn memory(&self) -> Vec<(&'static str, u64)> {
        let neurons = |words: fn(&crate::PopulationPlan) -> usize| -> u64 {
            let bytes = |(index, of): (usize, &crate::PopulationPlan)| 4 * u64::from(self.own(index).len()) * words(of) as u64;
            self.populations.iter().enumerate().map(bytes).sum()
        };
        let synapses = |words: &dyn Fn(&ProjectionPlan) -> usize| -> u64 {
            self.projections.iter().map(|projection| 4 * words(projection) as u64).sum()
        };
        let arrays = |projection: &ProjectionPlan| projection.state.as_ref().map_or(0, |state| state.arrays.len());
        let traces = |projection: &ProjectionPlan| -> usize {
            let ends = projection.state.iter().flat_map(|state| &state.traces).map(|trace| projection.population(trace.end));
            ends.map(|population| self.populations[population].size as usize).sum()
        };
        vec![
            ("state", neurons(|population| population.program.variables.len() + 1)),
            ("tables", self.populations.iter().map(|population| 4 * population.clocks.tables.len() as u64).sum()),
            ("ring", 4 * u64::from(self.ring.slots) * u64::from(self.ring.columns)),
            ("remembered spikes", 4 * u64::from(self.memory_steps) * u64::from(self.neurons() + 1)),
            ("offsets", synapses(&|projection| 2 * projection.rows().offsets.len())),
            (
                "synapses",
                self.projections
                    .iter()
                    .map(|p| p.rows().words.bytes() + 4 * (p.rows().pairs.len() + p.rows().ids.len()) as u64)
                    .sum(),
            ),
            ("third neurons", synapses(&|p| p.third.as_ref().map_or(0, |third| third.neurons.len()))),
            ("delays", synapses(&|p| p.pathways.iter().map(|pathway| pathway.delay.as_slice().len()).sum())),
            ("weights", self.projections.iter().flat_map(|p| p.writes()).map(|(_, write)| write.weights.bytes()).sum()),
            ("recipes", self.projections.iter().map(|projection| procedural(projection)).sum()),
            ("degrees", synapses(&|p| p.degrees.incoming.len() + p.degrees.outgoing.len())),
            ("state of synapses", synapses(&|projection| arrays(projection) * projection.rows().len() + traces(projection))),
        ]
    }

    /// Approximate bytes of this many parallel trials on the CPU.
    pub fn memory_of(&self, trials: u32) -> u64 {
        let first: u64 = self.memory().iter().map(|(_, bytes)| bytes).sum();
        first.saturating_add(self.trial_memory().saturating_mul(u64::from(trials.saturating_sub(1))))
    }

    /// Approximate bytes of each trial on the CPU: dynamic arrays, and its ranges of rows.
    pub fn trial_memory(&self) -> u64 {
        let moves = ["state", "ring", "remembered spikes", "state of synapses"];
        let own: u64 = self.memory().iter().filter(|(name, _)| moves.contains(name)).map(|(_, bytes)| bytes).sum();
        let order = |projection: &ProjectionPlan| 4 * projection.words_of_trial() * projection.rows().len() as u64;
        let rows = |projection: &ProjectionPlan| 16 * projection.rows().offsets.len() as u64;
        own + self.projections.iter().map(|projection| order(projection) + rows(projection)).sum::<u64>()
    }
}

fn procedural(projection: &ProjectionPlan) -> u64 {
    match &projection.edges {
        EdgePlan::Stored(_) => 0,
        EdgePlan::Procedural(procedural) => procedural.bytes(),
    }
}
