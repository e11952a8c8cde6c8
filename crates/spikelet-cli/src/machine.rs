//! `spikelet machine`: measures what predictions for many ranks need to know of a machine.

use std::fmt::Write as _;
use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use pollster::block_on;
use spikelet::cost::{MachineCosts, reference};
use spikelet::{
    Backend, BuildOptions, Builder, Cpu, Epoch, Error, Exchange, Message, Network, Played, Purpose, Storage, Tag, Trial, human,
};
use spikelet_native::memory;

use crate::args::MachineArguments;
use crate::bench::Conditions;
use crate::failure::Failure;
use crate::text::short;
use crate::{device, files, output, terminal};

/// Rate of the senders.
const RATE_HZ: f64 = 50.0;
/// Synapses of a sender in short and in long rows.
const DEGREES: [u32; 2] = [10, 1000];
/// Messages, and words of each long one, by which the exchange between two ranks is measured.
const MESSAGES: u32 = 2000;
const WORDS: usize = 1 << 20;

/// The classes of machines that are known by name: files of machines, whose sources and assumptions are in them.
pub(crate) fn classes() -> Vec<MachineCosts> {
    [include_str!("machine/hdr.json")].into_iter().filter_map(|text| MachineCosts::from_json(text).ok()).collect()
}

pub(crate) fn run(args: &MachineArguments) -> Result<(), Failure> {
    device::check_threads(args.threads)?;
    args.out.iter().try_for_each(|path| output::check_writable(path, "--out"))?;
    let machine = measure(args)?;
    if let Some(path) = &args.out {
        let text = machine.to_json();
        let written = files::write(path, |file| writeln!(file, "{text}"));
        written.map_err(|error| Failure::Run(format!("{} cannot be written: {error}", path.display())))?;
    }
    if args.json { terminal::print(&machine.to_json()) } else { terminal::print(&table(&machine)) }
}

fn measure(args: &MachineArguments) -> Result<MachineCosts, Failure> {
    let threads = device::threads(args.threads);
    let (neurons, epochs) = if args.quick { (10_000, 20) } else { (20_000, 200) };
    let time = |network: &Network| time(network, threads, epochs);
    let updates = time(&reference::updates(neurons)?)?;
    let update_ns = updates.step_ns / f64::from(neurons);
    let of = |storage| -> Result<[f64; 2], Failure> {
        // Each spike costs a row, and an event for each of its synapses, which threads share.
        let silent = time(&reference::events(neurons, DEGREES[0], 0.0, storage)?)?.step_ns;
        let each = |degree| Ok::<_, Failure>(time(&reference::events(neurons, degree, RATE_HZ, storage)?)?.step_ns - silent);
        let [short, long] = [each(DEGREES[0])?, each(DEGREES[1])?];
        let spikes = f64::from(reference::SENDERS) * RATE_HZ * 1e-4;
        let event = ((long - short) / spikes / f64::from(DEGREES[1] - DEGREES[0])).max(0.0);
        let row = (short / spikes - event * f64::from(DEGREES[0])).max(0.0);
        Ok([event * threads as f64, row])
    };
    let ([event_ns, row_ns], [drawn_event_ns, drawn_row_ns]) = (of(Storage::Stored)?, of(Storage::Procedural)?);
    let [latency_us, bandwidth_gb_s] = exchange()?;
    let Conditions { date, system, vectors, cores, .. } = Conditions::now(None, None);
    Ok(MachineCosts {
        name: "this machine".to_owned(),
        source: format!(
            "measured on {date} with {threads} of {cores} threads ({system}, {vectors}); the network is the memory of this process"
        ),
        assumed: Vec::new(),
        update_ns: update_ns * threads as f64,
        event_ns,
        row_ns,
        drawn_event_ns,
        drawn_row_ns,
        noise_us: updates.noise_us,
        threads_per_rank: threads as u32,
        ranks_per_node: 1,
        memory_per_rank: memory::free().unwrap_or(1 << 30),
        latency_us,
        bandwidth_gb_s,
    })
}

/// The time of a network.
struct Timing {
    /// Wall time of a step in ns, from the median epoch: other programs of the machine affect few of them.
    step_ns: f64,
    /// Standard deviation of the time of an epoch, estimated from the median of the deviations, in µs.
    noise_us: f64,
}

fn time(network: &Network, threads: usize, epochs: u32) -> Result<Timing, Failure> {
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    let options = BuildOptions { threads, memory: memory::free(), ..BuildOptions::default() };
    let plan = Arc::new(Builder::new(network, options)?.finish()?);
    let mut cpu = Cpu::new(threads.get());
    block_on(cpu.load(vec![Trial { number: 0, plan: plan.clone() }]))?;
    let mut first = 0;
    let mut advance = |steps: u32| -> Result<f64, Error> {
        let began = Instant::now();
        block_on(cpu.advance(Epoch::new(first, steps)))?;
        first += steps;
        Ok(began.elapsed().as_secs_f64() * 1e9)
    };
    // Caches are cold in the first ones.
    for _ in 0..epochs / 10 {
        advance(plan.epoch_steps)?;
    }
    let epochs = (0..epochs).map(|_| advance(plan.epoch_steps)).collect::<Result<Vec<f64>, Error>>()?;
    let middle = median(epochs.clone());
    let deviation = median(epochs.iter().map(|epoch| (epoch - middle).abs()).collect());
    // The standard deviation of a normal distribution is 1.4826 times the median of the absolute deviations.
    Ok(Timing { step_ns: middle / f64::from(plan.epoch_steps), noise_us: 1.4826 * deviation / 1000.0 })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// The latency in µs, and the bandwidth in 10⁹ bytes per second, of the exchange between two ranks of this process.
fn exchange() -> Result<[f64; 2], Failure> {
    let Ok([one, other]) = <[Played; 2]>::try_from(Played::ranks(2)) else { return Ok([0.0, 1.0]) };
    let trade = |rank: &Played, times: u32, words: usize| -> Result<f64, Error> {
        let to = 1 - rank.rank();
        let began = Instant::now();
        for _ in 0..times {
            block_on(rank.exchange(Tag::new(Purpose::Nothing), vec![Message { rank: to, words: vec![0; words] }], &[to]))?;
        }
        Ok(began.elapsed().as_secs_f64() / f64::from(times))
    };
    let both = |rank: &Played| Ok::<_, Error>([trade(rank, MESSAGES, 0)?, trade(rank, 20, WORDS)?]);
    let [empty, long] = thread::scope(|scope| {
        scope.spawn(|| both(&other));
        both(&one)
    })?;
    Ok([empty * 1e6, 4.0 * WORDS as f64 / (long - empty).max(1e-9) / 1e9])
}

/// The machine as a table.
fn table(machine: &MachineCosts) -> String {
    let mut text = format!("{}\n", machine.source);
    for (name, value, unit) in [
        ("neuron update", machine.update_ns, "ns"),
        ("event", machine.event_ns, "ns"),
        ("row", machine.row_ns, "ns"),
        ("procedural event", machine.drawn_event_ns, "ns"),
        ("procedural row", machine.drawn_row_ns, "ns"),
        ("noise", machine.noise_us, "µs"),
        ("latency", machine.latency_us, "µs"),
        ("bandwidth", machine.bandwidth_gb_s, "GB/s"),
    ] {
        // Writing into a text cannot fail.
        _ = write!(text, "\n{name:<18} {:>10} {unit}", short(value));
    }
    _ = write!(text, "\n{:<18} {:>10}", "memory", human(machine.memory_per_rank));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_classes_are_valid() {
        let names: Vec<String> = classes().into_iter().map(|class| class.name).collect();
        assert_eq!(names, ["hdr"]);
    }
}
