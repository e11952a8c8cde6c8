//! A brain: named areas and stimuli, and rounds.

use std::collections::HashMap;

use crate::{AreaId, AreaOptions, Cpu, Engine, Error, MemoryItem, Mode, Round, Source, StimulusId, Target};

/// Options of a brain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrainOptions {
    /// Probability of a synapse between any two neurons.
    pub p: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// How synapses are represented.
    pub mode: Mode,
    /// The largest weight.
    pub w_max: f64,
    /// Number of CPU threads. It does not change the winners.
    pub threads: usize,
    /// Memory that areas and synapses may use, in bytes.
    pub memory: u64,
}

impl Default for BrainOptions {
    /// p = 0.05, seed 1, lazy, weights of at most 10,000, one thread, 2 GiB.
    fn default() -> BrainOptions {
        BrainOptions { p: 0.05, seed: 1, mode: Mode::Lazy, w_max: 10_000.0, threads: 1, memory: 2 << 30 }
    }
}

/// An area as the brain knows it.
struct AreaState {
    name: String,
    options: AreaOptions,
    is_fixed: bool,
    /// Which neurons have ever won, a bit each.
    supporters: Vec<u64>,
    support: u32,
    /// Support after each round, and the winners, if they are saved.
    supports: Vec<u32>,
    saved: Vec<Vec<u32>>,
}

/// Areas, stimuli and the fibres between them.
pub struct Brain {
    options: BrainOptions,
    engine: Box<dyn Engine>,
    stimuli: Vec<(String, u32)>,
    areas: Vec<AreaState>,
    names: HashMap<String, Source>,
    learns: bool,
    saves: bool,
    rounds: u64,
    /// What was computed, for [`Brain::to_network`].
    pub(crate) history: Vec<Action>,
    /// β of each pair for which one was set.
    pub(crate) betas: HashMap<(Source, AreaId), f64>,
}

/// What changed the state of a brain.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// A round, so many times.
    Rounds(Round, u32),
    /// Other winners.
    Winners(AreaId, Vec<u32>),
    /// Weights of the synapses within an area were set back.
    Forget(AreaId),
}

impl Brain {
    /// A brain without areas, on CPU threads.
    ///
    /// # Errors
    /// An option is not valid.
    pub fn new(options: BrainOptions) -> Result<Brain, Error> {
        Brain::with_engine(options, Box::new(Cpu::new(&options)))
    }

    /// A brain without areas, on an engine without areas that was made with the same options.
    ///
    /// # Errors
    /// An option is not valid.
    pub fn with_engine(options: BrainOptions, engine: Box<dyn Engine>) -> Result<Brain, Error> {
        if !(options.p > 0.0 && options.p <= 1.0) {
            return Err(Error::Probability(options.p));
        }
        if !(options.w_max >= 1.0 && options.w_max.is_finite()) {
            return Err(Error::Value { name: "w_max".into(), value: options.w_max, least: 1.0 });
        }
        let (stimuli, areas, names) = (Vec::new(), Vec::new(), HashMap::new());
        let (history, betas) = (Vec::new(), HashMap::new());
        Ok(Brain { options, engine, stimuli, areas, names, learns: true, saves: false, rounds: 0, history, betas })
    }

    /// Adds an area.
    ///
    /// # Errors
    /// The name is taken, an option is not valid, or there is not enough memory.
    pub fn add_area(&mut self, name: &str, options: AreaOptions) -> Result<AreaId, Error> {
        self.check_name(name)?;
        options.check(name)?;
        self.engine.add_area(name, &options)?;
        let id = AreaId(self.areas.len());
        let (supporters, supports, saved) = (Vec::new(), Vec::new(), Vec::new());
        self.areas.push(AreaState { name: name.into(), options, is_fixed: false, supporters, support: 0, supports, saved });
        self.names.insert(name.into(), id.into());
        Ok(id)
    }

    /// Adds a stimulus of this many neurons, which all fire when it is projected.
    ///
    /// # Errors
    /// The name is taken, the size is 0, or there is not enough memory.
    pub fn add_stimulus(&mut self, name: &str, size: u32) -> Result<StimulusId, Error> {
        self.check_name(name)?;
        if size == 0 {
            return Err(Error::Value { name: format!("size of stimulus “{name}”"), value: 0.0, least: 1.0 });
        }
        self.engine.add_stimulus(size)?;
        let id = StimulusId(self.stimuli.len());
        self.stimuli.push((name.into(), size));
        self.names.insert(name.into(), id.into());
        Ok(id)
    }

    fn check_name(&self, name: &str) -> Result<(), Error> {
        if self.names.contains_key(name) { Err(Error::NameTaken(name.into())) } else { Ok(()) }
    }

    /// The area or stimulus of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn source(&self, name: &str) -> Result<Source, Error> {
        self.names.get(name).copied().ok_or_else(|| self.unknown("area or stimulus", name))
    }

    /// The area of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn area(&self, name: &str) -> Result<AreaId, Error> {
        match self.names.get(name) {
            Some(Source::Area(area)) => Ok(*area),
            _ => Err(self.unknown("area", name)),
        }
    }

    fn unknown(&self, kind: &'static str, name: &str) -> Error {
        let areas = self.areas.iter().map(|area| area.name.as_str());
        let stimuli = self.stimuli.iter().map(|(name, _)| name.as_str()).filter(|_| kind != "area");
        let known: Vec<&str> = areas.chain(stimuli).collect();
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        Error::UnknownName { kind, name: name.into(), known }
    }

    /// The name of an area or stimulus.
    pub fn name(&self, source: impl Into<Source>) -> &str {
        match source.into() {
            Source::Area(area) => &self.areas[area.0].name,
            Source::Stimulus(stimulus) => &self.stimuli[stimulus.0].0,
        }
    }

    /// Its options.
    pub fn options(&self) -> &BrainOptions {
        &self.options
    }

    /// The options of an area.
    pub fn area_options(&self, area: AreaId) -> &AreaOptions {
        &self.areas[area.0].options
    }

    /// All areas, in the order in which they were added.
    pub fn areas(&self) -> impl Iterator<Item = AreaId> + use<> {
        (0..self.areas.len()).map(AreaId)
    }

    /// All stimuli with their sizes, in the order in which they were added.
    pub fn stimuli(&self) -> impl Iterator<Item = (StimulusId, u32)> {
        self.stimuli.iter().enumerate().map(|(index, (_, size))| (StimulusId(index), *size))
    }

    /// Sets β of the fibre between a source and an area. Without it, it is the β of the area.
    ///
    /// # Errors
    /// The value is negative or not finite, or the fibre has learned with another one.
    pub fn set_beta(&mut self, source: impl Into<Source>, area: AreaId, beta: f64) -> Result<(), Error> {
        let source = source.into();
        if !(beta >= 0.0 && beta.is_finite()) {
            let name = format!("beta from “{}” to “{}”", self.name(source), self.name(area));
            return Err(Error::Value { name, value: beta, least: 0.0 });
        }
        self.engine.set_beta(source, area, beta)?;
        self.betas.insert((source, area), beta);
        Ok(())
    }

    /// Whether synapses learn in the following rounds; at first they do.
    pub fn set_plasticity(&mut self, learns: bool) {
        self.learns = learns;
    }

    /// Whether synapses learn.
    pub fn is_plastic(&self) -> bool {
        self.learns
    }

    /// Whether winners and supports of the following rounds are [saved](Brain::saved_winners); at first they are not.
    pub fn set_saving(&mut self, saves: bool) {
        self.saves = saves;
    }

    /// Projects sources into areas, `rounds` times. Each pair is a fibre; all areas are computed from the winners of the previous round.
    ///
    /// # Errors
    /// An input grows too large, there is not enough memory, or a device failed.
    pub fn project(&mut self, fibres: &[(Source, AreaId)], rounds: u32) -> Result<(), Error> {
        let mut targets: Vec<Target> = Vec::new();
        for (source, area) in fibres {
            match targets.iter_mut().find(|target| target.area == *area) {
                Some(target) if target.sources.contains(source) => {}
                Some(target) => target.sources.push(*source),
                None => targets.push(Target { area: *area, sources: vec![*source], is_fixed: self.areas[area.0].is_fixed }),
            }
        }
        let round = Round { targets, learn: self.learns };
        let Brain { engine, areas, saves, rounds: counted, .. } = self;
        engine.run(&round, rounds, &mut |winners| {
            *counted += 1;
            for (target, winners) in round.targets.iter().zip(winners) {
                areas[target.area.0].won(winners, *saves);
            }
        })?;
        match self.history.last_mut() {
            Some(Action::Rounds(last, count)) if *last == round => *count += rounds,
            _ => self.history.push(Action::Rounds(round, rounds)),
        }
        Ok(())
    }

    /// The number of rounds so far.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The last winners of an area, in ascending order.
    pub fn winners(&self, area: AreaId) -> &[u32] {
        self.engine.winners(area)
    }

    /// Replaces the winners of an area.
    ///
    /// # Errors
    /// One is not a neuron of the area (in the mode [`Mode::Lazy`]: has never won), or is listed twice.
    pub fn set_winners(&mut self, area: AreaId, winners: &[u32]) -> Result<(), Error> {
        let mut winners = winners.to_vec();
        winners.sort_unstable();
        let (known, name) = (self.engine.known(area), &self.areas[area.0].name);
        if let Some(neuron) = winners.last().copied().filter(|neuron| *neuron >= known) {
            let hint = if known < self.areas[area.0].options.n {
                " so far, because it is lazy: only neurons that have won exist"
            } else {
                ""
            };
            return Err(Error::UnknownNeuron { area: name.clone(), neuron, known, hint });
        }
        if let Some(pair) = winners.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Error::RepeatedNeuron { area: name.clone(), neuron: pair[0] });
        }
        self.engine.set_winners(area, &winners)?;
        self.history.push(Action::Winners(area, winners));
        Ok(())
    }

    /// Keeps the winners of an area in the following rounds.
    ///
    /// # Errors
    /// It has none.
    pub fn fix(&mut self, area: AreaId) -> Result<(), Error> {
        if self.winners(area).is_empty() {
            return Err(Error::NoWinners(self.areas[area.0].name.clone()));
        }
        self.areas[area.0].is_fixed = true;
        Ok(())
    }

    /// Lets an area choose new winners again.
    pub fn unfix(&mut self, area: AreaId) {
        self.areas[area.0].is_fixed = false;
    }

    /// Whether an area keeps its winners.
    pub fn is_fixed(&self, area: AreaId) -> bool {
        self.areas[area.0].is_fixed
    }

    /// Fires the block of k neurons with this index, and fixes it.
    ///
    /// # Errors
    /// The area has no such block, or (in the mode [`Mode::Lazy`]) is not explicit.
    pub fn activate(&mut self, area: AreaId, index: u32) -> Result<(), Error> {
        let k = self.areas[area.0].options.k;
        let first = index.saturating_mul(k);
        let block: Vec<u32> = (first..first.saturating_add(k)).collect();
        self.set_winners(area, &block)?;
        self.fix(area)
    }

    /// Sets the weights of the synapses within an area back to 1.
    ///
    /// # Errors
    /// A device failed.
    pub fn forget(&mut self, area: AreaId) -> Result<(), Error> {
        self.engine.forget(area)?;
        self.history.push(Action::Forget(area));
        Ok(())
    }

    /// The number of neurons of an area that have ever won.
    pub fn support(&self, area: AreaId) -> u32 {
        self.areas[area.0].support
    }

    /// The support after each saved round in which an area received input.
    pub fn saved_supports(&self, area: AreaId) -> &[u32] {
        &self.areas[area.0].supports
    }

    /// The winners after each saved round in which an area received input.
    pub fn saved_winners(&self, area: AreaId) -> &[Vec<u32>] {
        &self.areas[area.0].saved
    }

    /// A hash of all (area, neuron, round) of saved winners, as 16 hexadecimal digits. It is made as the hash of the spikes of a run; the
    /// rounds of an area are those in which it received input.
    pub fn winners_hash(&self) -> String {
        let rounds = (0..)
            .zip(&self.areas)
            .flat_map(|(area, state)| (0..).zip(&state.saved).map(move |(round, saved)| (area, round, saved)));
        let hashes =
            rounds.flat_map(|(area, round, saved)| saved.iter().map(move |neuron| spikelet::spike_hash(area, *neuron, round)));
        format!("{:016x}", hashes.fold(0, u64::wrapping_add))
    }

    /// The parts of its memory.
    pub fn memory(&self) -> Vec<MemoryItem> {
        self.engine.memory()
    }

    /// The synapses between two sets of neurons, in ascending order, with their weights: (pre, post, weight).
    pub fn synapses(&self, from: AreaId, to: AreaId, pres: &[u32], posts: &[u32]) -> Vec<(u32, u32, f32)> {
        self.engine.synapses(from, to, pres, posts)
    }
}

impl AreaState {
    fn won(&mut self, winners: &[u32], saves: bool) {
        if let Some(last) = winners.last() {
            let words = (*last as usize / 64 + 1).max(self.supporters.len());
            self.supporters.resize(words, 0);
        }
        for winner in winners {
            let (word, bit) = (&mut self.supporters[*winner as usize / 64], 1 << (winner % 64));
            self.support += u32::from(*word & bit == 0);
            *word |= bit;
        }
        if saves {
            self.supports.push(self.support);
            self.saved.push(winners.to_vec());
        }
    }
}

#[cfg(test)]
mod tests;
