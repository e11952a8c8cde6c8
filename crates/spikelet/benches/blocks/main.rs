//! What the CPU's block programs cost beside loops written by hand.
//!
//! Each model runs twice: its text on the [`Cpu`] backend with one thread, a step at a time, and as the loop that a good
//! programmer would write for it, over plain arrays, with the same arithmetic. Both must end in the same bits before anything is
//! timed. `cargo bench -p spikelet` prints the times, and the ratio of the two, measured in turns.

mod hodgkin_huxley;
mod lif_exp;

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use spikelet::{Backend, Cpu, Epoch, Network, Owner, Plan, Spike, Trial};
use spikelet_kernel::simd::Level;

/// Steps between two looks at the clock, and slots of the ring.
const STEPS: u32 = 16;
/// About the size of a benchmark network, and a size that no cache near the core holds.
const SIZES: [u32; 2] = [4000, 100_000];
/// Batches that are compared for equality, and batches in which the ratio is measured.
const CHECKED: u32 = 100;
const ROUNDS: usize = 100;
/// Different inputs, used in turn.
const INPUTS: u32 = 3;

/// A loop written by hand.
trait Hand {
    /// Input for the next [`STEPS`] steps, one ring for each port, slot by slot.
    fn fill(&mut self, port: usize, ring: &[i32]);
    /// One step, in the order of [`Backend`].
    fn step(&mut self, step: u32, spikes: &mut Vec<Spike>);
    /// State and last spikes as words, in the order of the backend's variables.
    fn arrays(&self) -> Vec<Vec<u32>>;
}

/// What arrives at a port, most neurons hearing nothing in a step: excitation at the first port, inhibition at the second.
fn input(words: u32, seed: u32, port: usize) -> Vec<i32> {
    let mut random = 0x9e37_79b9_u32.wrapping_mul(2 * seed + port as u32 + 1);
    let mut next = || {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        let sign = if port == 0 { 1 } else { -1 };
        if random.is_multiple_of(8) { sign * ((random >> 8) as i32 % 4) } else { 0 }
    };
    (0..words).map(|_| next()).collect()
}

/// Lists the neurons whose last spike is of this step.
fn collect(step: u32, last_spike: &[i32], spikes: &mut Vec<Spike>) {
    const CHUNK: usize = 32;
    let mut list = |first: usize, lasts: &[i32]| {
        let fired = (first as u32..).zip(lasts).filter(|(_, last)| **last == step as i32);
        spikes.extend(fired.map(|(neuron, _)| Spike { step, neuron }));
    };
    let (chunks, rest) = last_spike.as_chunks::<CHUNK>();
    for (chunk, lasts) in chunks.iter().enumerate() {
        // Almost no chunk has any; asking all of it at once is a vector loop.
        if lasts.iter().fold(false, |any, last| any | (*last == step as i32)) {
            list(chunk * CHUNK, lasts);
        }
    }
    list(last_spike.len() - rest.len(), rest);
}

/// The same model on the backend, and by hand.
struct Pair {
    plan: Arc<Plan>,
    cpu: Cpu,
    hand: Box<dyn Hand>,
    /// A ring's content for each input and port.
    inputs: Vec<Vec<Vec<i32>>>,
    /// Steps done by the backend, and by hand.
    done: [u32; 2],
}

impl Pair {
    fn new(json: &str, hand: impl FnOnce(&Plan) -> Box<dyn Hand>) -> Pair {
        let network = Network::from_json(json).expect("the network of the benchmark is right");
        let plan = Arc::new(Plan::new(&network).expect("the network of the benchmark can be planned"));
        let mut cpu = Cpu::new(1);
        pollster::block_on(cpu.load(vec![Trial { number: 0, plan: plan.clone() }])).expect("the CPU takes any plan");
        let hand = hand(&plan);
        let of = &plan.populations[0];
        let input = |k| (0..of.ports.len()).map(|port| input(of.size * STEPS, k, port)).collect();
        let mut pair = Pair { inputs: (0..INPUTS).map(input).collect(), plan, cpu, hand, done: [0; 2] };
        pair.check();
        pair
    }

    fn time_backend(&mut self) -> (Duration, Vec<Spike>) {
        for (port, input) in self.inputs[(self.done[0] / STEPS % INPUTS) as usize].iter().enumerate() {
            let words: Vec<u32> = input.iter().map(|sum| *sum as u32).collect();
            let ring = self.plan.arrays().of(Owner::RingColumns { population: 0 }, port).expect("the port is one of the plan");
            pollster::block_on(self.cpu.write(0, ring, &words)).expect("the ring has this size");
        }
        let mut spikes = Vec::new();
        let start = Instant::now();
        for step in self.done[0]..self.done[0] + STEPS {
            // One step at a time: more of them would find their state in the cache, which the loop by hand never does.
            let activity = pollster::block_on(self.cpu.advance(Epoch::new(step, 1)));
            activity.expect("the CPU can always go on").iter_mut().for_each(|trial| spikes.append(&mut trial.spikes));
        }
        let time = start.elapsed();
        self.done[0] += STEPS;
        (time, spikes)
    }

    fn time_hand(&mut self) -> (Duration, Vec<Spike>) {
        for (port, input) in self.inputs[(self.done[1] / STEPS % INPUTS) as usize].iter().enumerate() {
            self.hand.fill(port, input);
        }
        let mut spikes = Vec::new();
        let start = Instant::now();
        for step in self.done[1]..self.done[1] + STEPS {
            self.hand.step(step, &mut spikes);
        }
        let time = start.elapsed();
        self.done[1] += STEPS;
        (time, spikes)
    }

    /// Same spikes and same state, to the bit, after many steps.
    fn check(&mut self) {
        let mut count = 0;
        for _ in 0..CHECKED {
            let (_, by_backend) = self.time_backend();
            let (_, by_hand) = self.time_hand();
            assert_eq!(by_backend, by_hand, "spikes up to step {}", self.done[0]);
            count += by_hand.len();
        }
        assert!(count > 0, "nothing fired in {} steps: the benchmark would measure rest", self.done[0]);
        // Variables, then last spikes.
        let of_neurons = self.plan.arrays().iter().filter(|(_, entry)| entry.owner == Owner::Neurons { population: 0 });
        for ((array, entry), by_hand) in of_neurons.zip(self.hand.arrays()) {
            let by_backend = pollster::block_on(self.cpu.read(0, array)).expect("the array exists");
            assert!(by_backend == by_hand, "{} differs after {} steps", entry.path, self.done[0]);
        }
    }

    /// Times of a step by the backend and by hand, in ns a neuron. They are measured in turns, and of each the fastest tenth ends
    /// here: what else the machine does makes the others slower.
    fn times(&mut self) -> [f64; 2] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            times[0].push(self.time_backend().0);
            times[1].push(self.time_hand().0);
        }
        times.map(|mut times| {
            times.sort_unstable();
            times[ROUNDS / 10].as_secs_f64() * 1e9 / f64::from(STEPS * self.plan.populations[0].size)
        })
    }
}

fn compare(criterion: &mut Criterion, name: &str, make: impl Fn(u32) -> Pair) {
    let levels = Level::all();
    for (level, size) in levels.iter().flat_map(|level| SIZES.map(|size| (level.name(), size))) {
        Level::limit(level).expect("the processor has these vectors");
        // Made where the command line asks for it.
        let mut pair = None;
        let mut group = criterion.benchmark_group(format!("{name} {size} {level}"));
        group.sample_size(10).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements(u64::from(size * STEPS)));
        for (who, time) in [("blocks", Pair::time_backend as fn(&mut Pair) -> _), ("by hand", Pair::time_hand)] {
            group.bench_function(who, |bencher| {
                let pair = pair.get_or_insert_with(|| make(size));
                bencher.iter_custom(|count| (0..count).map(|_| time(pair).0).sum());
            });
        }
        group.finish();
        if let Some(mut pair) = pair {
            let [blocks, hand] = pair.times();
            let ratio = blocks / hand;
            println!(
                "{name}, {size} neurons, {level}: {blocks:.3} ns a neuron and step in blocks, {hand:.3} by hand, ratio {ratio:.2}\n"
            );
        }
    }
}

fn blocks(criterion: &mut Criterion) {
    compare(criterion, "LIF", |size| Pair::new(&lif_exp::network(size), lif_exp::Lif::boxed));
    compare(criterion, "Hodgkin-Huxley", |size| Pair::new(&hodgkin_huxley::network(size), hodgkin_huxley::Squid::boxed));
}

criterion_group!(benches, blocks);
criterion_main!(benches);
