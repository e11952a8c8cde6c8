//! Rounds as dispatches.

use spikelet_assemblies::{Error, LARGEST_INPUT, Round, Source};

use super::fibre::Fibre;
use super::job::Job;
use super::program::Dispatches;
use super::{Area, FAULT_WORDS, GpuAssemblies};
use crate::kernels::AssemblyKernel;
use crate::readback::BufferRange;

/// Maximum number of rounds in a submission.
const MAX_ROUNDS: u32 = 64;
/// Maximum number of dispatches in a submission.
const MAX_DISPATCHES: usize = 4096;
/// The first fault of `shaders/assemblies.wgsl`.
const SUM_TOO_LARGE: u32 = 1;

impl GpuAssemblies {
    /// Counts the synapses from a stimulus onto each neuron of an area.
    pub(super) fn count_lines(&mut self, number: usize) -> Result<(), Error> {
        let fibre = &self.fibres[number];
        let Source::Stimulus(stimulus) = fibre.source else { return Ok(()) };
        let job = Job { seed: self.seed(), fibre: number as u32, firing: self.stimuli[stimulus.index()], ..fibre.job() };
        let mut dispatches = Dispatches::default();
        dispatches.groups(AssemblyKernel::CountLines, job, job.firing * job.blocks);
        let encoder = self.program.encode(&self.device, &self.arenas, &dispatches);
        self.device.queue.submit([encoder.finish()]);
        Ok(self.device.check()?)
    }

    fn seed(&self) -> [u32; 2] {
        [self.options.seed as u32, (self.options.seed >> 32) as u32]
    }

    /// Runs at most `left` rounds in one submission, and returns how many.
    pub(super) fn submit(&mut self, round: &Round, left: u32, after: &mut dyn FnMut(&[&[u32]])) -> Result<u32, Error> {
        let per_round: u32 = round.targets.iter().map(|target| self.areas[target.area.index()].options.k).sum();
        self.make_fibres(round)?;
        let rounds = self.rounds_that_fit(round, left)?;
        self.arenas.log.reserve(&self.device, rounds * per_round)?;
        let mut dispatches = Dispatches::default();
        let mut logged = Vec::new();
        let mut done = 0;
        while done < rounds && dispatches.len() < MAX_DISPATCHES {
            // A fibre from an area without winners is used as soon as it has some.
            if done > 0 && self.make_fibres(round)? {
                break;
            }
            self.round += 1;
            logged.push(self.record(round, done * per_round, &mut dispatches));
            done += 1;
        }
        let encoder = self.program.encode(&self.device, &self.arenas, &dispatches);
        let in_use: Vec<u32> = self.fibres.iter().map(|fibre| fibre.job().used).collect();
        let mut ranges = vec![BufferRange { buffer: &self.arenas.lists.buffer, at: 0, words: FAULT_WORDS as usize }];
        ranges.extend(in_use.iter().map(|at| BufferRange { buffer: &self.arenas.lists.buffer, at: *at as usize, words: 1 }));
        ranges.push(BufferRange { buffer: &self.arenas.log.buffer, at: 0, words: (done * per_round) as usize });
        let words = pollster::block_on(self.device.read_after(encoder, &ranges))?;
        self.device.check()?;
        let (fault, words) = words.split_at(FAULT_WORDS as usize);
        if fault[0] != 0 {
            let fault = self.fault_of(fault);
            self.fault = Some(fault.clone());
            return Err(fault);
        }
        let (in_use, log) = words.split_at(in_use.len());
        for (fibre, used) in self.fibres.iter_mut().zip(in_use) {
            fibre.used = if fibre.per_round > 0 { *used } else { u32::from(fibre.used > 0 || round.learn) };
        }
        for parts in logged {
            for [area, first, count] in parts.iter().map(|part| part.map(|word| word as usize)) {
                self.areas[area].winners = log[first..][..count].to_vec();
            }
            let winners: Vec<&[u32]> =
                round.targets.iter().map(|target| self.areas[target.area.index()].winners.as_slice()).collect();
            after(&winners);
        }
        Ok(done)
    }

    /// Makes the fibres that the next round uses; returns whether there are new ones.
    fn make_fibres(&mut self, round: &Round) -> Result<bool, Error> {
        let before = self.fibres.len();
        for target in &round.targets {
            for source in &target.sources {
                if self.is_active(*source) {
                    self.fibre(*source, target.area)?;
                }
            }
        }
        Ok(self.fibres.len() > before)
    }

    fn is_active(&self, source: Source) -> bool {
        match source {
            Source::Stimulus(_) => true,
            Source::Area(area) => self.areas[area.index()].has_winners,
        }
    }

    /// The number of rounds for whose changes there are slots; makes larger tables if there are none.
    fn rounds_that_fit(&mut self, round: &Round, left: u32) -> Result<u32, Error> {
        let mut most = left.min(MAX_ROUNDS);
        if !round.learn {
            return Ok(most);
        }
        for number in 0..self.fibres.len() {
            if self.fibres[number].rounds_that_fit() == 0 {
                let fibre = &self.fibres[number];
                let old = self.read(&self.arenas.learned, fibre.first_slot(), fibre.slot_words())?;
                let fibre = &mut self.fibres[number];
                let used = fibre.used;
                fibre.grow(&self.device, &mut self.arenas, used)?;
                fibre.write_slots(&self.device, &self.arenas, &old);
            }
            most = most.min(self.fibres[number].rounds_that_fit());
        }
        Ok(most)
    }

    /// Appends the dispatches of a round. Returns for each area with winners: its index, where they are in the log, and how many.
    fn record(&mut self, round: &Round, first_log: u32, dispatches: &mut Dispatches) -> Vec<[u32; 3]> {
        let base = Job { seed: self.seed(), round: self.round, ..Job::default() };
        let (mut logged, mut used, mut at) = (Vec::new(), Vec::new(), first_log);
        for target in &round.targets {
            let index = target.area.index();
            let fibres = self.active(target.sources.iter().map(|source| (*source, target.area)));
            let area = &self.areas[index];
            let place = at;
            at += area.options.k;
            if fibres.is_empty() {
                continue;
            }
            // Fixed winners stay in their list.
            let next = if target.is_fixed { area.current } else { 1 - area.current };
            let of_area = Job {
                neurons: area.options.n,
                first_sum: area.first_sum,
                k: if target.is_fixed { area.winner_count } else { area.options.k },
                first_winner: area.lists[next],
                winner_marks: area.marks[next],
                first_log: place,
                area: index as u32,
                ..base
            };
            if target.is_fixed {
                dispatches.each(AssemblyKernel::LogWinners, of_area, of_area.k);
            } else {
                dispatches.each(AssemblyKernel::ClearSums, of_area, of_area.neurons);
                for number in &fibres {
                    self.add_input(*number, of_area, dispatches);
                }
                dispatches.select(of_area);
            }
            logged.push([index as u32, place, of_area.k]);
            used.push((index, fibres, of_area, target.is_fixed));
        }
        for (_, _, of_area, _) in used.iter().filter(|(.., is_fixed)| !is_fixed) {
            dispatches.each(AssemblyKernel::Mark, *of_area, of_area.k);
        }
        if round.learn {
            for (_, fibres, of_area, _) in &used {
                for number in fibres {
                    self.learn(*number, *of_area, dispatches);
                }
            }
        }
        for (index, _, of_area, is_fixed) in used {
            let area = &mut self.areas[index];
            if !is_fixed {
                let old = Job { first_winner: area.lists[area.current], winner_marks: area.marks[area.current], ..of_area };
                if area.has_winners {
                    dispatches.each(AssemblyKernel::Unmark, old, area.winner_count);
                }
                area.current = 1 - area.current;
                (area.has_winners, area.winner_count) = (true, area.options.k);
            }
        }
        logged
    }

    fn active(&self, pairs: impl Iterator<Item = (Source, spikelet_assemblies::AreaId)>) -> Vec<usize> {
        pairs.filter(|(source, _)| self.is_active(*source)).filter_map(|pair| self.numbers.get(&pair).copied()).collect()
    }

    /// The job of a fibre in a round: its rows, and the neurons that fire.
    fn of_fibre(&self, number: usize, of_area: Job) -> Job {
        let fibre: &Fibre = &self.fibres[number];
        let job = fibre.job();
        let firing: Option<&Area> = match fibre.source {
            Source::Area(source) => Some(&self.areas[source.index()]),
            Source::Stimulus(_) => None,
        };
        Job {
            fibre: number as u32,
            firing: firing.map_or(0, |area| area.winner_count),
            first_firing: firing.map_or(0, |area| area.lists[area.current]),
            firing_marks: firing.map_or(0, |area| area.marks[area.current]),
            blocks: job.blocks,
            bits: job.bits,
            least: job.least,
            first_threshold: job.first_threshold,
            thresholds: job.thresholds,
            first_weight: job.first_weight,
            most_updates: job.most_updates,
            first_slot: job.first_slot,
            slots: job.slots,
            used: job.used,
            stimulus: job.stimulus,
            ..of_area
        }
    }

    fn add_input(&self, number: usize, of_area: Job, dispatches: &mut Dispatches) {
        let job = self.of_fibre(number, of_area);
        match self.fibres[number].source {
            Source::Stimulus(_) => dispatches.each(AssemblyKernel::AddStimulus, job, job.neurons),
            Source::Area(_) => {
                dispatches.groups(AssemblyKernel::Propagate, job, job.firing * job.blocks);
                dispatches.each(AssemblyKernel::AddChanges, job, job.slots);
            }
        }
    }

    fn learn(&self, number: usize, of_area: Job, dispatches: &mut Dispatches) {
        let job = self.of_fibre(number, of_area);
        if self.fibres[number].learns() {
            match self.fibres[number].source {
                Source::Stimulus(_) => dispatches.each(AssemblyKernel::LearnStimulus, job, job.k),
                Source::Area(_) => dispatches.groups(AssemblyKernel::Learn, job, job.firing * job.blocks),
            }
        }
    }

    fn fault_of(&self, fault: &[u32]) -> Error {
        let area = &self.areas[fault[2] as usize];
        if fault[0] == SUM_TOO_LARGE {
            return Error::Overflow { area: area.name.clone(), neuron: fault[3], round: fault[1].into(), limit: LARGEST_INPUT };
        }
        Error::Device(spikelet::Error::Backend(format!(
            "round {}: more synapses onto area “{}” learned at once than there is room for; use the CPU, and report this error",
            fault[1], area.name
        )))
    }
}
