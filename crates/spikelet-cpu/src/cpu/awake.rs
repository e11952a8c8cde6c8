//! Populations most of whose neurons sleep: those that are awake are packed into blocks of their own, and only these are stepped.
//!
//! The blocks of a shard keep the state of all neurons, and its delay buffers what is going to arrive. While a population is packed, its
//! blocks are right for neurons that sleep, and between two runs for all. The events of stored synapses are listed by the step in which
//! they arrive, so that each wakes its neuron.

use std::ops::Range;

use spikelet_kernel::block::{Aligned, LANES};
use spikelet_plan::schedule::PhaseKind;
use spikelet_plan::{PerSynapse, ProjectionPlan, SleepRule, Spike};
use spikelet_rows::connect::Rows;

use super::neuron_block::{NeuronBlock, NeuronOutput, Scratch};
use super::step_context::StepContext;

/// The lane of a neuron that sleeps.
const ASLEEP: u32 = u32::MAX;

/// When neurons that may sleep do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sleep {
    /// When most neurons of a large population would.
    #[default]
    Usual,
    /// Whenever one can: to test it, with networks of any size.
    Eager,
    /// Never: each neuron is stepped in each step.
    Never,
}

impl Sleep {
    /// The fewest neurons that are packed.
    fn fewest(self) -> usize {
        if self == Sleep::Eager { 1 } else { 4 * LANES }
    }

    /// The part of the neurons that may be awake at the beginning, and later.
    fn awake(self) -> [usize; 2] {
        if self == Sleep::Eager { [1, 1] } else { [4, 2] }
    }

    /// The steps between two looks for neurons that could sleep while all are stepped: the fewest, and the most.
    fn between_looks(self) -> [u32; 2] {
        if self == Sleep::Eager { [1, 1] } else { [16, 4096] }
    }

    /// The steps between two looks for awake neurons that could sleep.
    fn between_checks(self) -> u32 {
        if self == Sleep::Eager { 1 } else { 16 }
    }
}

/// A population of a shard as its blocks, its delay buffers and their lanes have it.
pub(super) struct Home<'a> {
    pub(super) blocks: &'a mut [NeuronBlock],
    pub(super) ring: &'a mut [i32],
    /// Lanes of a slot, and the first lane of each port of the population.
    pub(super) columns: usize,
    pub(super) ports: &'a [(usize, Option<usize>)],
    /// The slot of this step.
    pub(super) slot: usize,
}

impl Home<'_> {
    /// The first lane of each port, whole units and remainders, in a slot.
    fn lanes(&self, slot: usize) -> impl Iterator<Item = usize> {
        lanes(self.ports).map(move |start| slot * self.columns + start)
    }
}

/// The first lane of each port: whole units, and remainders.
fn lanes(ports: &[(usize, Option<usize>)]) -> impl Iterator<Item = usize> {
    ports.iter().flat_map(|(coarse, fine)| [Some(*coarse), *fine]).flatten()
}

/// A population of a shard whose neurons may sleep.
pub(super) struct Awake {
    population: usize,
    rule: SleepRule,
    sleep: Sleep,
    /// The next step at which to look for neurons that could sleep, and the steps until the one after it.
    next_look: u32,
    between: u32,
    /// Which neurons could sleep after the last look.
    could_sleep: Vec<bool>,
    /// The arrays of a block before a step, and whether nothing has arrived in a lane.
    before: Aligned<f32>,
    silent: [bool; LANES],
    packed: Option<Packed>,
    /// Steps of neurons that were not computed.
    slept: u64,
}

/// The neurons that are awake.
struct Packed {
    blocks: Vec<NeuronBlock>,
    /// The place of the neuron in each lane, counted from the first of the shard. The first ones are recorded, and stay.
    places: Vec<u32>,
    recorded: usize,
    /// The lane of each neuron, or [`ASLEEP`].
    lane_of: Vec<u32>,
    /// What arrives in this step: for each block its ports.
    sums: Aligned<i32>,
    /// Lanes of a block in it, for whole units and remainders.
    width: usize,
    /// The places for which something arrives, by slot.
    arrivals: Vec<Vec<u32>>,
}

impl Awake {
    /// A population with this number of neurons in the shard.
    pub(super) fn new(population: usize, rule: SleepRule, sleep: Sleep, neurons: usize) -> Awake {
        let [between, _] = sleep.between_looks();
        let before = Aligned::new(rule.stored.len());
        let could_sleep = vec![false; if neurons < sleep.fewest() { 0 } else { neurons }];
        let (silent, packed) = ([false; LANES], None);
        Awake { population, rule, sleep, next_look: 0, between, could_sleep, before, silent, packed, slept: 0 }
    }

    /// Whether only the neurons that are awake are stepped.
    pub(super) fn is_packed(&self) -> bool {
        self.packed.is_some()
    }

    /// Steps of neurons that were not computed since this was last called.
    pub(super) fn take_slept(&mut self) -> u64 {
        std::mem::take(&mut self.slept)
    }

    /// Whether to look, in a step of all neurons, which could sleep.
    pub(super) fn looks(&self, step: u32) -> bool {
        self.packed.is_none() && !self.could_sleep.is_empty() && step >= self.next_look
    }

    /// Before a block executes a step of a look.
    pub(super) fn before(&mut self, block: &NeuronBlock, slot: &[i32]) {
        before(&self.rule, block, slot, &mut self.before, &mut self.silent);
    }

    /// After the block has executed it.
    pub(super) fn after(&mut self, block: &NeuronBlock, now: &StepContext<'_>, first: u32) {
        let longest = self.rule.steps_after_spike(&now.live.constants[self.population]);
        let at = (block.first - first) as usize;
        sleepy(&self.rule, block, &self.before, now.step as i32 - longest, &mut self.silent);
        self.could_sleep[at..at + block.count].copy_from_slice(&self.silent[..block.count]);
    }

    /// After all blocks have executed the step of a look: packs the neurons that are awake, if they are few.
    pub(super) fn conclude(&mut self, home: &Home<'_>, slots: usize, step: u32) {
        let [_, most] = self.sleep.between_looks();
        self.next_look = step + self.between;
        self.between = (4 * self.between).min(most);
        let neurons = self.could_sleep.len();
        let awake = self.could_sleep.iter().filter(|could| !**could).count();
        if awake == neurons || awake * self.sleep.awake()[0] > neurons {
            return;
        }
        let is_recorded = |place: &u32| home.blocks[*place as usize / LANES].records(*place as usize % LANES);
        let mut places: Vec<u32> = (0..neurons as u32).filter(is_recorded).collect();
        let recorded = places.len();
        places.extend((0..neurons as u32).filter(|place| !self.could_sleep[*place as usize] && !is_recorded(place)));
        let mut packed = Packed {
            blocks: Vec::new(),
            places: Vec::new(),
            recorded,
            lane_of: vec![ASLEEP; neurons],
            sums: Aligned::default(),
            width: lanes(home.ports).count() * LANES,
            arrivals: vec![Vec::new(); slots],
        };
        places.into_iter().for_each(|place| packed.wake(home, place));
        for (slot, arrivals) in packed.arrivals.iter_mut().enumerate() {
            for start in home.lanes(slot) {
                let sums = home.ring[start..start + neurons].iter();
                arrivals.extend((0..).zip(sums).filter(|(_, sum)| **sum != 0).map(|(place, _)| place));
            }
        }
        self.packed = Some(packed);
    }

    /// Executes a step of the neurons that are awake.
    pub(super) fn step(
        &mut self,
        work: &[PhaseKind],
        now: &StepContext<'_>,
        (home, scratch): (&mut Home<'_>, &mut Scratch),
        (spikes, samples): (&mut Vec<Spike>, &mut [f32]),
    ) {
        let Awake { population, rule, sleep, before: values, silent, packed, slept, .. } = self;
        let Some(of) = packed else { return };
        of.take_arrivals(home);
        let checks = now.step.is_multiple_of(sleep.between_checks());
        let Packed { blocks, sums, .. } = of;
        let mut asleep = Vec::new();
        let longest = if checks { rule.steps_after_spike(&now.live.constants[*population]) } else { 0 };
        for (at, block) in blocks.iter_mut().enumerate() {
            if checks {
                before(rule, block, sums.as_flattened(), values, silent);
            }
            block.run(work, now, scratch, &mut NeuronOutput { slot: sums.as_flattened_mut(), spikes, samples });
            if checks {
                sleepy(rule, block, values, now.step as i32 - longest, silent);
                asleep.extend((0..block.count).filter(|lane| silent[*lane]).map(|lane| at * LANES + lane));
            }
        }
        *slept += (of.lane_of.len() - of.places.len()) as u64;
        // From the last on, so that none of them takes the place of another.
        let stay = of.recorded;
        for lane in asleep.into_iter().rev().filter(|lane| *lane >= stay) {
            of.put_back(rule, home, lane);
            of.remove(lane);
        }
        if of.places.len() * sleep.awake()[1] > of.lane_of.len() {
            self.unpack(home, now.step);
        }
    }

    /// Lists the events of edges of a row that reach neurons in a step after this one.
    pub(super) fn list(&mut self, of: &ProjectionPlan, (step, edges): (u32, Range<usize>), first_post: u32) {
        let Some(packed) = &mut self.packed else { return };
        let (rows, slots) = (of.rows(), packed.arrivals.len() as u32);
        let mut last = None;
        for (delay, _) in of.writes() {
            match delay {
                PerSynapse::Shared(delay) if last == Some(*delay) => {}
                PerSynapse::Shared(delay) => {
                    last = Some(*delay);
                    let arrivals = &mut packed.arrivals[((step + 1 + delay) % slots) as usize];
                    arrivals.extend(edges.clone().map(|edge| rows.target(edge) - first_post));
                }
                delay => {
                    for edge in edges.clone() {
                        let slot = (step + 1 + delay_of(delay, rows, edge)) % slots;
                        packed.arrivals[slot as usize].push(rows.target(edge) - first_post);
                    }
                }
            }
        }
    }

    /// Lets the blocks of the shard have the state of all neurons.
    pub(super) fn write_back(&self, home: &mut Home<'_>) {
        let Some(packed) = &self.packed else { return };
        (0..packed.places.len()).for_each(|lane| packed.put_back(&self.rule, home, lane));
    }

    /// Lets all neurons be stepped from now on, by the blocks of the shard.
    pub(super) fn unpack(&mut self, home: &mut Home<'_>, step: u32) {
        self.write_back(home);
        if self.packed.take().is_some() {
            home.blocks.iter_mut().for_each(NeuronBlock::find_fired);
        }
        self.next_look = step + self.between;
    }

    /// Forgets what was seen: something else than a step has changed the state, or what steps depend on.
    pub(super) fn wake(&mut self, home: &mut Home<'_>) {
        [self.between, _] = self.sleep.between_looks();
        self.unpack(home, 0);
    }
}

/// Copies what a step of a block can change.
fn before(rule: &SleepRule, block: &NeuronBlock, slot: &[i32], values: &mut Aligned<f32>, silent: &mut [bool; LANES]) {
    for (copy, array) in values.iter_mut().zip(&rule.stored) {
        *copy = block.variables[*array];
    }
    silent.fill(true);
    for start in block.starts() {
        silent.iter_mut().zip(&slot[start..start + LANES]).for_each(|(silent, sum)| *silent &= *sum == 0);
    }
}

/// Leaves of the lanes in which nothing has arrived those that a step has left as they were before, and that have not fired since a step.
fn sleepy(rule: &SleepRule, block: &NeuronBlock, before: &[[f32; LANES]], since: i32, lanes: &mut [bool; LANES]) {
    for (array, before) in rule.stored.iter().zip(before) {
        let after = block.variables[*array].iter();
        lanes.iter_mut().zip(before).zip(after).for_each(|((lane, before), after)| *lane &= before.to_bits() == after.to_bits());
    }
    lanes.iter_mut().zip(block.last_spikes()).for_each(|(lane, last)| *lane &= *last < since);
}

/// The delay of an edge, in steps after the next one.
fn delay_of(delay: &PerSynapse<u32>, rows: &Rows, edge: usize) -> u32 {
    match delay {
        PerSynapse::Shared(delay) => *delay,
        PerSynapse::Each(delays) => delays[edge],
        _ => rows.words.get(edge) >> rows.target_bits,
    }
}

impl Packed {
    /// Adds a neuron.
    fn wake(&mut self, home: &Home<'_>, place: u32) {
        let from = &home.blocks[place as usize / LANES];
        let at = self.places.len();
        if at.is_multiple_of(LANES) {
            let block = at / LANES;
            self.blocks.push(from.without_neurons(block * self.width));
            let (used, wanted) = (block * self.width, (block + 1) * self.width);
            if self.sums.as_flattened().len() < wanted {
                // What has arrived for blocks before may be there.
                let mut sums = Aligned::new(wanted / LANES);
                sums.as_flattened_mut()[..used].copy_from_slice(&self.sums.as_flattened()[..used]);
                self.sums = sums;
            }
        }
        self.blocks[at / LANES].push_lane(from, place as usize % LANES);
        self.places.push(place);
        self.lane_of[place as usize] = at as u32;
    }

    /// Takes what arrives in this step, and wakes its neurons.
    fn take_arrivals(&mut self, home: &mut Home<'_>) {
        let mut arrivals = std::mem::take(&mut self.arrivals[home.slot]);
        for place in arrivals.drain(..) {
            if self.lane_of[place as usize] == ASLEEP {
                self.wake(home, place);
            }
            let lane = self.lane_of[place as usize] as usize;
            let first = lane / LANES * self.width + lane % LANES;
            for (port, start) in lanes(home.ports).enumerate() {
                let sum = &mut home.ring[home.slot * home.columns + start + place as usize];
                // Another event of this step has brought it here before.
                if *sum != 0 {
                    self.sums.as_flattened_mut()[first + port * LANES] = std::mem::take(sum);
                }
            }
        }
        self.arrivals[home.slot] = arrivals;
    }

    /// Stores the state of a neuron where it is when it sleeps.
    fn put_back(&self, rule: &SleepRule, home: &mut Home<'_>, lane: usize) {
        let place = self.places[lane] as usize;
        home.blocks[place / LANES].take_state(&rule.stored, place % LANES, &self.blocks[lane / LANES], lane % LANES);
    }

    /// Removes a neuron that sleeps; the last one takes its lane.
    fn remove(&mut self, lane: usize) {
        let last = self.places.len() - 1;
        self.lane_of[self.places[lane] as usize] = ASLEEP;
        if lane != last {
            self.lane_of[self.places[last] as usize] = lane as u32;
        }
        self.places.swap_remove(lane);
        match self.blocks.get_disjoint_mut([lane / LANES, last / LANES]) {
            Ok([to, from]) => from.pop_lane_into(to, lane % LANES),
            Err(_) if lane == last => self.blocks[last / LANES].drop_last_lane(),
            Err(_) => self.blocks[last / LANES].pop_lane_to(lane % LANES),
        }
        if last.is_multiple_of(LANES) {
            self.blocks.pop();
        }
    }
}
