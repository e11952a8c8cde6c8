//! For adapters that round in their own way inside a step: the GPU's arrays are those of the CPU before every step, so that nothing adds
//! up, and what one step makes of them is compared.

use std::collections::BTreeSet;

use spikelet::{ArrayEntry, ArrayId, Backend, Cpu, Dtype, Network, Owner, Spike};
use spikelet_tests::{RecordedRun, run};

/// How far a variable may be from the CPU's after a step, as a part of the range it has had.
const NEAR: f32 = 2e-6;

/// One step of the CPU, of the device, and of two CPUs that start a little above and below.
pub(super) struct Loaded {
    cpu: RecordedRun,
    device: RecordedRun,
    beside: [(RecordedRun, f32); 2],
    /// The largest value that each array has had.
    ranges: Vec<f32>,
}

impl Loaded {
    pub(super) fn new(network: &Network, device: Box<dyn Backend>) -> Loaded {
        let cpu = || run(network, Box::new(Cpu::new(1)), 0.0, 1).unwrap();
        let device = run(network, device, 0.0, 1).unwrap();
        Loaded { cpu: cpu(), device, beside: [(cpu(), NEAR), (cpu(), -NEAR)], ranges: Vec::new() }
    }

    /// Sets a value everywhere.
    pub(super) fn set(&mut self, path: &str, value: &str) {
        for run in [&mut self.cpu, &mut self.device].into_iter().chain(self.beside.iter_mut().map(|(run, _)| run)) {
            pollster::block_on(run.simulation.set(path, value)).unwrap();
        }
    }

    /// One step.
    pub(super) fn step(&mut self) {
        let network = self.cpu.simulation.network().clone();
        let arrays = self.cpu.kept();
        let before = read(&mut self.cpu, &arrays);
        self.ranges.resize(arrays.len(), 0.0);
        for (range, (words, (_, entry))) in self.ranges.iter_mut().zip(before.iter().zip(&arrays)) {
            *range = range.max(largest(entry, words));
        }
        write(&mut self.device, &arrays, &before);
        for (run, by) in &mut self.beside {
            let moved = before.iter().zip(&arrays).zip(&self.ranges).map(|((words, (_, entry)), range)| match entry.owner {
                Owner::Neurons { .. } if is_number(entry) => {
                    words.iter().map(|word| (f32::from_bits(*word) + *by * range).to_bits()).collect()
                }
                _ => words.clone(),
            });
            let moved: Vec<Vec<u32>> = moved.collect();
            write(run, &arrays, &moved);
        }
        let fired = |run: &mut RecordedRun| -> BTreeSet<Spike> {
            let known = run.spikes.len();
            pollster::block_on(run.go_on(network.dt_ms, 1)).unwrap();
            run.spikes[known..].iter().copied().collect()
        };
        let (on_cpu, on_device) = (fired(&mut self.cpu), fired(&mut self.device));
        let [above, below] = self.beside.each_mut().map(|(run, _)| fired(run));
        // A neuron may fire on one of them alone if it is so close to its threshold that a little more or less decides.
        let decided: BTreeSet<Spike> = above.symmetric_difference(&below).copied().collect();
        let differ: Vec<&Spike> = on_cpu.symmetric_difference(&on_device).collect();
        let far = differ.iter().find(|spike| !decided.contains(spike));
        assert!(far.is_none(), "{}: {far:?} on one of both, far from threshold", network.name);
        let after = read(&mut self.cpu, &arrays).into_iter().zip(read(&mut self.device, &arrays));
        for ((_, entry), ((cpu, device), range)) in arrays.iter().zip(after.zip(&self.ranges)) {
            let name = &entry.path;
            let near = NEAR * range.max(largest(entry, &cpu));
            let close =
                |(cpu, device): (&u32, &u32)| cpu == device || (f32::from_bits(*cpu) - f32::from_bits(*device)).abs() <= near;
            if is_number(entry) {
                let apart = cpu.iter().zip(&device).position(|words| !close(words));
                assert_eq!(apart, None, "{}, step {}: {name}", network.name, self.cpu.simulation.step());
            } else if differ.is_empty() {
                // What follows from spikes is the same where they are.
                assert!(cpu == device, "{}, step {}: {name}", network.name, self.cpu.simulation.step());
            }
        }
    }

    /// Spikes so far.
    pub(super) fn spikes(&self) -> usize {
        self.cpu.spikes.len()
    }
}

fn read(run: &mut RecordedRun, arrays: &[(ArrayId, ArrayEntry)]) -> Vec<Vec<u32>> {
    arrays.iter().map(|(array, _)| pollster::block_on(run.simulation.read(*array)).unwrap()).collect()
}

fn write(run: &mut RecordedRun, arrays: &[(ArrayId, ArrayEntry)], words: &[Vec<u32>]) {
    for ((array, _), words) in arrays.iter().zip(words) {
        pollster::block_on(run.simulation.write(*array, words)).unwrap();
    }
}

/// The largest number in an array, 0 where its words are none.
fn largest(entry: &ArrayEntry, words: &[u32]) -> f32 {
    match is_number(entry) {
        true => words.iter().map(|word| f32::from_bits(*word).abs()).filter(|value| value.is_finite()).fold(0.0, f32::max),
        false => 0.0,
    }
}

/// Whether its words are numbers that a device may round in its own way.
fn is_number(entry: &ArrayEntry) -> bool {
    let is_computed = matches!(entry.owner, Owner::Neurons { .. } | Owner::Synapses { .. } | Owner::Traces { .. });
    is_computed && entry.dtype == Dtype::F32
}
