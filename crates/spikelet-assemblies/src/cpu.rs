//! Rounds on CPU threads.

mod area;
mod fibre;
mod gaps;
mod newcomers;
mod row;
mod rows;
mod rule;
mod stimulus;

use std::collections::HashMap;
use std::sync::Arc;

use spikelet::Pool;

use area::{Area, Buffers, Input};
use fibre::{Fibre, FibreSynapses};
use gaps::Gaps;

use crate::{AreaId, AreaOptions, BrainOptions, Engine, Error, MemoryItem, Mode, Round, Source, Target};

/// The engine on CPU threads, in all modes.
pub struct Cpu {
    p: f64,
    seed: u64,
    mode: Mode,
    gaps: Arc<Gaps>,
    w_max: f64,
    memory: u64,
    pool: Pool,
    stimuli: Vec<u32>,
    areas: Vec<Area>,
    /// Buffers of a round, for each area.
    buffers: Vec<Buffers>,
    fibres: Vec<Fibre>,
    /// The fibre of each pair, in the order of their first use.
    numbers: HashMap<(Source, AreaId), usize>,
    /// β of fibres without rounds so far.
    betas: HashMap<(Source, AreaId), f64>,
    /// The number of rounds so far.
    round: u64,
}

impl Cpu {
    /// An engine without areas.
    pub fn new(options: &BrainOptions) -> Cpu {
        let BrainOptions { p, seed, mode, w_max, memory, threads } = *options;
        Cpu {
            p,
            seed,
            mode,
            gaps: Arc::new(Gaps::new(p)),
            w_max,
            memory,
            pool: Pool::new(threads),
            stimuli: Vec::new(),
            areas: Vec::new(),
            buffers: Vec::new(),
            fibres: Vec::new(),
            numbers: HashMap::new(),
            betas: HashMap::new(),
            round: 0,
        }
    }

    /// The fibre between a source and an area, which is made if it is new.
    fn fibre(&mut self, source: Source, area: AreaId) -> Result<usize, Error> {
        if let Some(number) = self.numbers.get(&(source, area)) {
            return Ok(*number);
        }
        let number = self.fibres.len();
        let beta = self.betas.get(&(source, area)).copied().unwrap_or(self.areas[area.0].options.beta);
        let fibre = Fibre::new(self, number as u32, source, area, beta)?;
        self.fibres.push(fibre);
        self.numbers.insert((source, area), number);
        Ok(number)
    }

    fn is_active(&self, source: Source) -> bool {
        match source {
            Source::Stimulus(_) => true,
            Source::Area(area) => !self.areas[area.0].winners.is_empty(),
        }
    }

    /// Computes the new winners of a target, with newcomers.
    fn new_winners(&mut self, target: &Target, fibres: &[usize]) -> Result<Vec<u32>, Error> {
        let Cpu { areas, buffers, fibres: all, pool, stimuli, seed, p, .. } = self;
        let (round, used) = (self.round, self.round as u32);
        for index in fibres {
            let fibre = &mut all[*index];
            let known = areas[target.area.0].known;
            match fibre.source {
                Source::Area(source) => fibre.rows_ready(&areas[source.0].winners, known, used, pool),
                Source::Stimulus(_) => fibre.stimulus_ready(known),
            }
        }
        if target.is_fixed {
            buffers[target.area.0].forget_sums();
            return Ok(areas[target.area.0].winners.clone());
        }
        let inputs: Vec<Input<'_>> = fibres
            .iter()
            .map(|index| {
                let fibre = &all[*index];
                Input { number: *index, fibre, firing: firing(areas, fibre.source) }
            })
            .collect();
        let lines: u32 = inputs
            .iter()
            .map(|input| match input.fibre.source {
                Source::Stimulus(stimulus) => stimuli[stimulus.0],
                Source::Area(_) => input.firing.len() as u32,
            })
            .sum();
        let (area, buffers) = (&areas[target.area.0], &mut buffers[target.area.0]);
        area.sum(buffers, &inputs, round, pool)?;
        let newcomers = (area.known < area.options.n).then(|| {
            let unknown = newcomers::Unknown { neurons: area.options.n - area.known, k: area.options.k };
            newcomers::inputs(*seed, target.area.0 as u32, round, unknown, lines, *p)
        });
        Ok(area.choose(buffers, newcomers.as_deref().unwrap_or(&[])))
    }

    /// Gives the newcomers among the winners of a target synapses from the neurons that have just fired.
    fn connect_newcomers(&mut self, target: &Target, fibres: &[usize], winners: &[u32]) {
        let area = &mut self.areas[target.area.0];
        let first = area.known;
        let count = (winners.len() - winners.partition_point(|winner| *winner < first)) as u32;
        if count == 0 {
            return;
        }
        let inputs = self.buffers[target.area.0].newcomers();
        area.known += count;
        let mut lines = newcomers::Lines::new(self.seed, target.area.0 as u32, self.round);
        for index in fibres {
            let fibre = &self.fibres[*index];
            match fibre.source {
                Source::Stimulus(stimulus) => lines.stimulus(*index, self.stimuli[stimulus.0]),
                Source::Area(source) => lines.neurons(*index, &self.areas[source.0].winners),
            }
        }
        for (newcomer, input) in (first..first + count).zip(inputs) {
            lines.draw(newcomer, input, |fibre, neuron| match &mut self.fibres[fibre].synapses {
                FibreSynapses::Stimulus(stimulus) => stimulus.add_line(newcomer),
                FibreSynapses::Area(rows) => rows.add_line(neuron, newcomer),
            });
        }
        for index in fibres {
            let fibre = &mut self.fibres[*index];
            match (&mut fibre.synapses, fibre.source) {
                (FibreSynapses::Stimulus(stimulus), _) => stimulus.extend_to(first + count),
                (FibreSynapses::Area(rows), Source::Area(source)) => {
                    rows.decided_to(&self.areas[source.0].winners, first + count);
                }
                (FibreSynapses::Area(_), Source::Stimulus(_)) => {}
            }
        }
    }

    /// The active fibres of a target.
    fn active(&mut self, target: &Target) -> Result<Vec<usize>, Error> {
        let mut active = Vec::new();
        for source in target.sources.iter().copied() {
            if self.is_active(source) {
                active.push(self.fibre(source, target.area)?);
            }
        }
        Ok(active)
    }

    fn step(&mut self, round: &Round) -> Result<(), Error> {
        self.round += 1;
        let mut next = Vec::new();
        for target in &round.targets {
            let fibres = self.active(target)?;
            if fibres.is_empty() {
                continue;
            }
            let winners = self.new_winners(target, &fibres)?;
            next.push((target, fibres, winners));
        }
        for (target, fibres, winners) in &next {
            self.connect_newcomers(target, fibres, winners);
        }
        if round.learn {
            let Cpu { areas, buffers, fibres: all, pool, .. } = self;
            for (target, fibres, winners) in &next {
                let marks = areas[target.area.0].mark(winners);
                let buffers = &mut buffers[target.area.0];
                for index in fibres {
                    let fibre = &mut all[*index];
                    let firing = firing(areas, fibre.source);
                    buffers.learn(fibre, firing, winners, &marks, pool);
                }
                areas[target.area.0].unmark(marks, winners);
            }
        }
        for (target, _, winners) in next {
            let area = &mut self.areas[target.area.0];
            area.won(&winners, &self.buffers[target.area.0], self.round);
            area.winners = winners;
        }
        self.trim()
    }

    /// Frees rows that were not used in this round if there is not enough memory, and reports if that is not enough.
    fn trim(&mut self) -> Result<(), Error> {
        let used = |fibres: &[Fibre]| fibres.iter().map(Fibre::bytes).sum::<u64>();
        let fixed: u64 = self.areas.iter().map(Area::bytes).sum();
        if used(&self.fibres) + fixed <= self.memory {
            return Ok(());
        }
        if self.mode == Mode::Procedural {
            let round = self.round as u32;
            self.fibres.iter_mut().for_each(|fibre| fibre.drop_rows_before(round));
            // What is summed can only be changed by rows that are there.
            self.buffers.iter_mut().for_each(Buffers::forget_sums);
        }
        let needed = used(&self.fibres) + fixed;
        if needed <= self.memory {
            return Ok(());
        }
        Err(Error::Memory { what: format!("round {}", self.round), needed, available: self.memory })
    }
}

/// The neurons of an area that fire; of a stimulus all do, and none is listed.
fn firing(areas: &[Area], source: Source) -> &[u32] {
    match source {
        Source::Area(area) => &areas[area.0].winners,
        Source::Stimulus(_) => &[],
    }
}

impl Engine for Cpu {
    fn add_stimulus(&mut self, size: u32) -> Result<(), Error> {
        self.stimuli.push(size);
        Ok(())
    }

    fn add_area(&mut self, name: &str, options: &AreaOptions) -> Result<(), Error> {
        let is_lazy = self.mode == Mode::Lazy && !options.explicit;
        let area = Area::new(name, options, is_lazy);
        let needed = area.bytes() + self.areas.iter().map(Area::bytes).sum::<u64>();
        if needed > self.memory {
            return Err(Error::Memory { what: format!("area “{name}”"), needed, available: self.memory });
        }
        self.areas.push(area);
        self.buffers.push(Buffers::default());
        Ok(())
    }

    fn set_beta(&mut self, source: Source, area: AreaId, beta: f64) -> Result<(), Error> {
        self.betas.insert((source, area), beta);
        let Some(number) = self.numbers.get(&(source, area)) else { return Ok(()) };
        let w_max = self.w_max;
        let fibre = &mut self.fibres[*number];
        if !fibre.set_beta(beta, w_max) {
            let from = match source {
                Source::Stimulus(stimulus) => format!("stimulus {}", stimulus.0),
                Source::Area(source) => self.areas[source.0].name.clone(),
            };
            let fibre_name = format!("from {from} to {}", self.areas[area.0].name);
            return Err(Error::BetaChanged { fibre: fibre_name, old: self.fibres[*number].beta(), new: beta });
        }
        Ok(())
    }

    fn run(&mut self, round: &Round, count: u32, after: &mut dyn FnMut(&[&[u32]])) -> Result<(), Error> {
        for _ in 0..count {
            self.step(round)?;
            let winners: Vec<&[u32]> = round.targets.iter().map(|target| self.areas[target.area.0].winners.as_slice()).collect();
            after(&winners);
        }
        Ok(())
    }

    fn winners(&self, area: AreaId) -> &[u32] {
        &self.areas[area.0].winners
    }

    fn set_winners(&mut self, area: AreaId, winners: &[u32]) -> Result<(), Error> {
        self.areas[area.0].winners = winners.to_vec();
        Ok(())
    }

    fn known(&self, area: AreaId) -> u32 {
        self.areas[area.0].known
    }

    fn forget(&mut self, area: AreaId) -> Result<(), Error> {
        self.fibres.iter_mut().filter(|fibre| fibre.target == area && fibre.source == Source::Area(area)).for_each(Fibre::forget);
        self.buffers[area.0].forget_sums();
        Ok(())
    }

    fn memory(&self) -> Vec<MemoryItem> {
        let areas = self.areas.iter().map(|area| MemoryItem { what: format!("area {}", area.name), bytes: area.bytes() });
        let fibres = self.fibres.iter().flat_map(|fibre| {
            let from = match fibre.source {
                Source::Stimulus(stimulus) => format!("stimulus {}", stimulus.0),
                Source::Area(source) => self.areas[source.0].name.clone(),
            };
            let name = format!("{from} → {}", self.areas[fibre.target.0].name);
            let [rows, learned] = fibre.parts();
            [
                MemoryItem { what: format!("synapses {name}"), bytes: rows },
                MemoryItem { what: format!("learned changes {name}"), bytes: learned },
            ]
        });
        areas.chain(fibres).collect()
    }

    fn synapses(&self, from: AreaId, to: AreaId, pres: &[u32], posts: &[u32]) -> Vec<(u32, u32, f32)> {
        let Some(number) = self.numbers.get(&(Source::Area(from), to)) else { return Vec::new() };
        self.fibres[*number].synapses_between(pres, posts)
    }
}
