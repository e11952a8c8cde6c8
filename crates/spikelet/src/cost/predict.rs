//! The time and memory of a rank.

use super::{Load, MachineCosts};
use crate::Error;

/// What the model assumes.
pub const ASSUMPTIONS: [&str; 9] = [
    "neurons are divided equally, and synapses end at random neurons of a projection's targets",
    "rates are stationary, and the same for all neurons of a population",
    "the time of a neuron model is in proportion to the operations of its code",
    "each thread of a rank finds the rows of all spikes that arrive, and adds the events of its own neurons",
    "ranks exchange spikes after every part of an epoch, with one message to each rank that has targets; messages take the latency one \
     after the other, and overlap with nothing",
    "every rank receives all spikes as results, once per batch of 50 ms of wall time",
    "a rank waits for the slowest one: the expected maximum of Poisson counts of events between two exchanges, and of normal noise",
    "procedural rows cost the same for each event, whatever part of a row belongs to a rank",
    "of random delays, the shortest and longest are those of 64 samples",
];

/// Target duration of a batch on the command line.
const BATCH_SECONDS: f64 = 0.05;

/// The expected cost of a network on some ranks of a machine: seconds of wall time per second of biological time, and bytes of a rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Number of ranks.
    pub ranks: usize,
    /// Updates of neurons, and of synapses in every step.
    pub update_seconds: f64,
    /// Synaptic events.
    pub event_seconds: f64,
    /// Finding the rows of spikes that arrive.
    pub row_seconds: f64,
    /// Messages with spikes.
    pub exchange_seconds: f64,
    /// Waiting for the slowest rank.
    pub wait_seconds: f64,
    /// Spikes of all ranks as results.
    pub result_seconds: f64,
    /// Exchanges of spikes per second of biological time.
    pub exchanges: f64,
    /// Messages that a rank sends in each of them.
    pub messages: f64,
    /// Bytes of spikes that a rank sends per second of biological time.
    pub sent_bytes: f64,
    /// Expected events of the rank with the most events between two exchanges, divided by the mean.
    pub imbalance: f64,
    /// Memory of a rank by item, in bytes.
    pub memory: Vec<(&'static str, f64)>,
    /// Additional memory while the routes of spikes are found, in bytes.
    pub start_bytes: f64,
    /// Memory of the machine for a rank, in bytes.
    pub available_bytes: f64,
}

impl Prediction {
    /// Predicts the cost of a load.
    ///
    /// # Errors
    /// There are no ranks, or more ranks than neurons.
    pub fn new(load: &Load, machine: &MachineCosts, ranks: usize) -> Result<Prediction, Error> {
        let neurons = load.neurons();
        if ranks == 0 || ranks as f64 > neurons {
            let expected = format!("a network of {neurons} neurons can have 1 to {neurons} ranks");
            return Err(Error::invalid("ranks", ranks, expected, "use fewer ranks than neurons, and at least one"));
        }
        let (count, threads) = (ranks as f64, f64::from(machine.threads_per_rank));
        let steps = 1000.0 / load.dt_ms;
        let updates: f64 = load.populations.iter().map(|of| libm::ceil(f64::from(of.size) / count) * of.update_work).sum();
        let always: f64 = load.projections.iter().map(|of| of.synapses / count * of.step_work).sum();
        let [mut event_ns, mut row_ns, mut plain_ns] = [0.0; 3];
        for of in &load.projections {
            let pre = &load.populations[of.ends[0]];
            let (event, row) =
                if of.stored { (machine.event_ns, machine.row_ns) } else { (machine.drawn_event_ns, machine.drawn_row_ns) };
            event_ns += load.events_of(of) / count * event * of.event_work;
            let arriving = 1.0 / count + (1.0 - 1.0 / count) * load.reach(of.ends[0], ranks);
            row_ns += f64::from(of.neurons[0]) * pre.rate_hz * arriving * row;
            plain_ns += load.events_of(of) * event * of.event_work;
        }
        let exchanges = steps / f64::from(load.exchange_steps);
        let event_seconds = event_ns / threads / 1e9;
        let between = load.events() / count / exchanges;
        let excess = excess(between, count);
        let per_event = if load.events() > 0.0 { plain_ns / load.events() / threads / 1e9 } else { 0.0 };
        let noise = machine.noise_us / 1e6 * libm::sqrt(2.0 * libm::log(count));
        let traffic = Traffic::new(load, ranks, exchanges);
        let bandwidth = machine.bandwidth_gb_s * 1e9 / f64::from(machine.ranks_per_node);
        let latency = machine.latency_us / 1e6;
        let mut prediction = Prediction {
            ranks,
            update_seconds: steps * (updates + always) * machine.update_ns / threads / 1e9,
            event_seconds,
            row_seconds: row_ns / 1e9,
            exchange_seconds: exchanges * traffic.messages * latency + traffic.bytes / bandwidth,
            wait_seconds: exchanges * (excess * per_event + noise),
            result_seconds: 0.0,
            exchanges,
            messages: traffic.messages,
            sent_bytes: traffic.bytes,
            imbalance: if between > 0.0 { 1.0 + excess / between } else { 1.0 },
            memory: load.memory(ranks),
            start_bytes: load.start(ranks),
            available_bytes: machine.memory_per_rank as f64,
        };
        let batches = libm::ceil(prediction.seconds() / BATCH_SECONDS).max(1.0);
        prediction.result_seconds = batches * latency * (count - 1.0) + 4.0 * load.spikes() * (1.0 - 1.0 / count) / bandwidth;
        Ok(prediction)
    }

    /// Wall time per second of biological time.
    pub fn seconds(&self) -> f64 {
        self.update_seconds
            + self.event_seconds
            + self.row_seconds
            + self.exchange_seconds
            + self.wait_seconds
            + self.result_seconds
    }

    /// Memory of a rank during the run.
    pub fn bytes(&self) -> f64 {
        self.memory.iter().map(|(_, bytes)| bytes).sum()
    }

    /// Whether it fits into the memory of a rank, at the start and during the run.
    pub fn fits(&self) -> bool {
        self.bytes() + self.start_bytes <= self.available_bytes
    }
}

/// What a rank sends.
struct Traffic {
    /// Messages in each exchange.
    messages: f64,
    /// Bytes per second of biological time: a word for each spike, and two for each step with spikes.
    bytes: f64,
}

impl Traffic {
    fn new(load: &Load, ranks: usize, exchanges: f64) -> Traffic {
        let (count, others) = (ranks as f64, ranks as f64 - 1.0);
        let routes = -libm::expm1(-load.synapses() / (count * count));
        let to_each: f64 =
            load.populations.iter().enumerate().map(|(index, of)| of.spikes() / count * load.reach(index, ranks)).sum();
        let steps = exchanges * f64::from(load.exchange_steps);
        let with_spikes = -steps * libm::expm1(-to_each / steps);
        Traffic { messages: others * routes, bytes: others * (4.0 * to_each + 8.0 * with_spikes) }
    }
}

/// How much the largest of `ranks` Poisson counts with the same mean is expected to exceed it: the excess whose probability is 1 in `ranks`
/// by the bound of Chernoff.
fn excess(mean: f64, ranks: f64) -> f64 {
    let wanted = libm::log(ranks);
    if mean <= 0.0 || wanted <= 0.0 {
        return 0.0;
    }
    let exponent = |relative: f64| mean * ((1.0 + relative) * libm::log1p(relative) - relative);
    let (mut low, mut high) = (0.0, 1.0);
    while exponent(high) < wanted {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if exponent(middle) < wanted { low = middle } else { high = middle }
    }
    mean * low
}
