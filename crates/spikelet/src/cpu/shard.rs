//! One thread's share: a contiguous range of blocks, their rings, and the rows onto them.

use std::ops::Range;

use spikelet_lang::block::{self, Block, LANES, Lanes, Registers};

use super::Live;
use crate::backend::{Epoch, Probe, Spike};
use crate::plan::{PerSynapse, Plan};
use crate::ring;
use crate::rng::{Key, Purpose};

/// Steps since a spike count up to here; beyond it f32 would skip numbers.
const LONG_AGO: i32 = 1 << 24;

/// 256 neurons of a population.
struct Neurons {
    population: usize,
    /// Index in the population of the first one.
    first: u32,
    /// How many lanes hold neurons.
    count: usize,
    variables: Vec<Lanes>,
    last_spike: Box<[i32; LANES]>,
    /// First lane in the shard's ring, for each port.
    lanes: Vec<usize>,
    /// Channel, variable and lane of what is sampled here.
    channels: Vec<(usize, usize, usize)>,
}

/// A thread's share of the network.
pub(super) struct Shard {
    trial: u32,
    blocks: Vec<Neurons>,
    /// For each population the neurons in this shard, and the first lane of each port.
    parts: Vec<(Range<u32>, Vec<usize>)>,
    /// For each population the projections that start there.
    outgoing: Vec<Vec<usize>>,
    /// For each projection where the synapses onto this shard start and end in each row.
    ends: Vec<Vec<[u64; 2]>>,
    /// Sums under way: a slot after the other, a lane for each neuron of each port.
    ring: Vec<i32>,
    lanes: usize,
    registers: Registers,
    ports: Vec<Lanes>,
}

/// Cuts a plan into at most `count` shards of about equal numbers of blocks.
pub(super) fn cut(plan: &Plan, count: usize, trial: u32) -> Vec<Shard> {
    let blocks: Vec<(usize, u32)> = plan
        .populations
        .iter()
        .enumerate()
        .flat_map(|(index, population)| (0..population.size).step_by(LANES).map(move |first| (index, first)))
        .collect();
    let count = count.min(blocks.len()).max(1);
    (0..count).map(|k| Shard::new(plan, &blocks[blocks.len() * k / count..blocks.len() * (k + 1) / count], trial)).collect()
}

impl Shard {
    fn new(plan: &Plan, blocks: &[(usize, u32)], trial: u32) -> Shard {
        let mut lanes = 0;
        let mut parts: Vec<(Range<u32>, Vec<usize>)> = vec![(0..0, Vec::new()); plan.populations.len()];
        for (index, population) in plan.populations.iter().enumerate() {
            let mine = || blocks.iter().filter(|(of, _)| *of == index).map(|(_, first)| *first);
            let (Some(first), Some(last)) = (mine().min(), mine().max()) else { continue };
            // Rounded up to whole blocks, so that a block always finds 256 lanes.
            let room = (last - first) as usize + LANES;
            let starts = population.ports.iter().enumerate().map(|(port, _)| lanes + port * room).collect();
            parts[index] = (first..(last + LANES as u32).min(population.size), starts);
            lanes += room * population.ports.len();
        }
        let neurons =
            blocks.iter().map(|(population, first)| Neurons::new(plan, *population, *first, &parts[*population])).collect();
        let outgoing = (0..plan.populations.len())
            .map(|population| (0..plan.projections.len()).filter(|index| plan.projections[*index].pre == population).collect())
            .collect();
        let ends = plan
            .projections
            .iter()
            .map(|projection| {
                let posts = &parts[projection.post].0;
                let rows = projection.rows.offsets.windows(2);
                rows.map(|row| {
                    let targets = &projection.rows.targets[row[0] as usize..row[1] as usize];
                    let at = |bound: u32| row[0] + targets.partition_point(|target| *target < bound) as u64;
                    [at(posts.start), at(posts.end)]
                })
                .collect()
            })
            .collect();
        let codes = plan.populations.iter().flat_map(|population| {
            let program = &population.program;
            [&program.take, &program.reset, &program.update]
        });
        let most_ports = plan.populations.iter().map(|population| population.ports.len()).max().unwrap_or(0);
        Shard {
            trial,
            blocks: neurons,
            parts,
            outgoing,
            ends,
            ring: vec![0; lanes * plan.ring.slots as usize],
            lanes,
            registers: Registers::for_codes(codes),
            ports: vec![[0.0; LANES]; most_ports],
        }
    }

    /// Walks the rows of these spikes: their events enter the rings.
    pub(super) fn propagate(&mut self, plan: &Plan, live: &Live, spikes: &[Spike]) {
        for spike in spikes {
            let (population, neuron) = plan.locate(spike.neuron);
            for &index in &self.outgoing[population] {
                let projection = &plan.projections[index];
                if !projection.pre_slice.contains(&neuron) {
                    continue;
                }
                let [start, end] = self.ends[index][(neuron - projection.pre_slice.start) as usize].map(|at| at as usize);
                let targets = &projection.rows.targets[start..end];
                if targets.is_empty() {
                    continue;
                }
                let (posts, ports) = &self.parts[projection.post];
                let slot = |delay: u32| (spike.step + 1 + delay) as usize % plan.ring.slots as usize * self.lanes;
                for (write, plan_write) in projection.writes.iter().enumerate() {
                    let first = ports[plan_write.port];
                    match (&projection.delay, live.weights(plan, index, write)) {
                        (PerSynapse::Shared(delay), weights) => {
                            let lanes = &mut self.ring[slot(*delay) + first..][..posts.len()];
                            match weights {
                                PerSynapse::Shared(weight) => {
                                    targets.iter().for_each(|target| lanes[(target - posts.start) as usize] += weight);
                                }
                                PerSynapse::Each(weights) => {
                                    for (target, weight) in targets.iter().zip(&weights[start..end]) {
                                        lanes[(target - posts.start) as usize] += weight;
                                    }
                                }
                            }
                        }
                        (PerSynapse::Each(delays), weights) => {
                            for (synapse, target) in (start..end).zip(targets) {
                                let lane = slot(delays[synapse]) + first + (target - posts.start) as usize;
                                self.ring[lane] += weights.at(synapse);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Steps every neuron through `part`, a piece of `epoch` in which no events arrive from within.
    pub(super) fn advance(
        &mut self,
        plan: &Plan,
        live: &Live,
        epoch: Epoch,
        part: Epoch,
        spikes: &mut Vec<Spike>,
        samples: &mut [f32],
    ) {
        let Shard { trial, blocks, ring, lanes, registers, ports, .. } = self;
        for neurons in blocks {
            for step in part.first..part.end() {
                let slot = step as usize % plan.ring.slots as usize * *lanes;
                let row = (step - epoch.first) as usize * plan.channels.len();
                neurons.step(
                    plan,
                    live,
                    *trial,
                    step,
                    &mut ring[slot..slot + *lanes],
                    registers,
                    ports,
                    spikes,
                    |channel, value| {
                        samples[row + channel] = value;
                    },
                );
            }
        }
    }

    /// The words of this shard's part of an array.
    pub(super) fn read(&self, plan: &Plan, probe: Probe) -> Vec<u32> {
        let mut words = Vec::new();
        match probe {
            Probe::Variable { population, variable } => self.each(population, |neurons| {
                words.extend(neurons.variables[variable][..neurons.count].iter().map(|value| value.to_bits()));
            }),
            Probe::LastSpike { population } => self.each(population, |neurons| {
                words.extend(neurons.last_spike[..neurons.count].iter().map(|step| *step as u32));
            }),
            Probe::Ring { population, port } => {
                let (posts, ports) = &self.parts[population];
                let Some(first) = ports.get(port) else { return words };
                for slot in 0..plan.ring.slots as usize {
                    words.extend(self.ring[slot * self.lanes + first..][..posts.len()].iter().map(|sum| *sum as u32));
                }
            }
            Probe::Constants { .. } | Probe::Scales { .. } | Probe::Weights { .. } => {}
        }
        words
    }

    /// Takes this shard's part of an array from the words of the whole population.
    pub(super) fn write(&mut self, plan: &Plan, probe: Probe, words: &[u32]) {
        match probe {
            Probe::Variable { population, variable } => {
                for neurons in self.blocks.iter_mut().filter(|neurons| neurons.population == population) {
                    let mine = &words[neurons.first as usize..][..neurons.count];
                    neurons.variables[variable].iter_mut().zip(mine).for_each(|(value, word)| *value = f32::from_bits(*word));
                }
            }
            Probe::LastSpike { population } => {
                for neurons in self.blocks.iter_mut().filter(|neurons| neurons.population == population) {
                    let mine = &words[neurons.first as usize..][..neurons.count];
                    neurons.last_spike.iter_mut().zip(mine).for_each(|(step, word)| *step = *word as i32);
                }
            }
            Probe::Ring { population, port } => {
                let (posts, ports) = &self.parts[population];
                let Some(first) = ports.get(port) else { return };
                let size = plan.populations[population].size as usize;
                for slot in 0..plan.ring.slots as usize {
                    let mine = &words[slot * size + posts.start as usize..][..posts.len()];
                    let lanes = &mut self.ring[slot * self.lanes + first..][..posts.len()];
                    lanes.iter_mut().zip(mine).for_each(|(sum, word)| *sum = *word as i32);
                }
            }
            Probe::Constants { .. } | Probe::Scales { .. } | Probe::Weights { .. } => {}
        }
    }

    fn each(&self, population: usize, visit: impl FnMut(&Neurons)) {
        self.blocks.iter().filter(|neurons| neurons.population == population).for_each(visit);
    }
}

impl Neurons {
    fn new(plan: &Plan, population: usize, first: u32, (range, starts): &(Range<u32>, Vec<usize>)) -> Neurons {
        let of = &plan.populations[population];
        let count = (of.size - first).min(LANES as u32) as usize;
        // Lanes past the last neuron repeat it: they are computed, and thrown away.
        let neuron = |lane: usize| first as usize + lane.min(count - 1);
        let variables = (0..of.program.variables.len()).map(|array| std::array::from_fn(|lane| of.initial(array, neuron(lane))));
        let within = |neuron: u32| (neuron.wrapping_sub(first) as usize) < count;
        let channels =
            plan.channels.iter().enumerate().filter(|(_, channel)| channel.population == population && within(channel.neuron));
        Neurons {
            population,
            first,
            count,
            variables: variables.collect(),
            last_spike: Box::new([i32::MIN / 2; LANES]),
            lanes: starts.iter().map(|start| start + (first - range.start) as usize).collect(),
            channels: channels.map(|(k, channel)| (k, channel.variable, (channel.neuron - first) as usize)).collect(),
        }
    }

    /// One step of these neurons, in the order of [`Backend`](crate::Backend).
    #[expect(clippy::too_many_arguments, reason = "scratch memory of the shard, lent for one step")]
    fn step(
        &mut self,
        plan: &Plan,
        live: &Live,
        trial: u32,
        step: u32,
        slot: &mut [i32],
        registers: &mut Registers,
        ports: &mut [Lanes],
        spikes: &mut Vec<Spike>,
        mut sample: impl FnMut(usize, f32),
    ) {
        let population = &plan.populations[self.population];
        let program = &population.program;
        let now = step as i32;
        for ((first, unit), port) in self.lanes.iter().zip(&live.units[self.population]).zip(ports.iter_mut()) {
            for (value, sum) in port.iter_mut().zip(&mut slot[*first..*first + LANES]) {
                *value = ring::value(*sum, *unit);
                *sum = 0;
            }
        }
        let since_spike: Lanes = std::array::from_fn(|lane| (now - self.last_spike[lane]).min(LONG_AGO) as f32);
        let first_number = population.first + self.first;
        let bits = |lane: usize, site: u32| {
            Key(plan.seed).draw(Purpose::Noise, site / 4, [step, first_number + lane as u32, trial])[site as usize % 4]
        };
        let mut block = Block {
            variables: &mut self.variables,
            ports,
            since_spike: &since_spike,
            constants: &live.constants[self.population],
            first: self.first,
            bits: &bits,
        };
        block::run(&program.take, &mut block, registers, None);
        let fired: [bool; LANES] = std::array::from_fn(|lane| self.last_spike[lane] == now - 1);
        if fired.contains(&true) {
            block::run(&program.reset, &mut block, registers, Some(&fired));
        }
        for (channel, variable, lane) in &self.channels {
            sample(*channel, block.variables[*variable][*lane]);
        }
        if let Some(above) = block::run(&program.update, &mut block, registers, None) {
            let lanes = above[..self.count].iter().zip(self.last_spike.iter_mut());
            for (neuron, (above, last_spike)) in (first_number..).zip(lanes) {
                if *above != 0.0 {
                    *last_spike = now;
                    spikes.push(Spike { step, neuron });
                }
            }
        }
    }
}
