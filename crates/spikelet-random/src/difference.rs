//! What differs between two runs that should be the same.

use std::fmt;

use serde_json::Value;
use spikelet::{Error, Network, Spike};

use super::run::{Seen, Stuck};

/// The first difference of two runs.
#[derive(Debug, Clone)]
pub struct Difference {
    /// The name of the comparison.
    pub comparison: &'static str,
    /// What was done in the second run, in a few words.
    pub variant: String,
    /// What differs.
    pub what: Deviation,
    /// The network, as small as it was made.
    pub network: Value,
}

/// What differs.
#[derive(Debug, Clone, PartialEq)]
pub enum Deviation {
    /// A neuron fired in one of both runs only.
    Spike {
        /// The step.
        step: u32,
        /// The name of the neuron, as in `A[2]`.
        neuron: String,
        /// Whether it fired in the first run.
        in_first: bool,
    },
    /// A value of a neuron, a synapse or a statistic.
    Value {
        /// The name of the value, as in `A.v[2]`.
        name: String,
        /// The step at whose start it has this value.
        step: u32,
        /// The values in both runs.
        values: [f64; 2],
    },
    /// Other texts: statistics, the ends of the runs, lists of names.
    Text {
        /// What it is.
        name: String,
        /// In both runs.
        texts: [String; 2],
    },
    /// One of both runs failed.
    Failed(String),
    /// One of both runs panicked.
    Panicked(String),
    /// Ranks wait for each other for ever.
    Stuck,
}

impl Deviation {
    /// The kind of the difference, without its place.
    pub fn kind(&self) -> String {
        match self {
            Deviation::Spike { .. } => "spikes".into(),
            Deviation::Value { name, .. } => {
                let name = name.split('[').next().unwrap_or_default();
                format!("values of {}", name.split_once('.').map_or(name, |(_, name)| name))
            }
            Deviation::Text { name, .. } => name.clone(),
            Deviation::Failed(error) => format!("failed: {}", general(error)),
            Deviation::Panicked(message) => format!("panicked: {}", general(message)),
            Deviation::Stuck => "stuck".into(),
        }
    }
}

/// A message without the numbers and names of a network.
fn general(message: &str) -> String {
    let mut quoted = false;
    let kept = message.lines().next().unwrap_or_default().chars().filter(|c| {
        quoted ^= *c == '`';
        !quoted && !c.is_ascii_digit() && *c != '.'
    });
    kept.collect()
}

impl From<Error> for Deviation {
    fn from(error: Error) -> Deviation {
        Deviation::Failed(error.to_string())
    }
}

impl From<Stuck> for Deviation {
    fn from(_: Stuck) -> Deviation {
        Deviation::Stuck
    }
}

/// A sentence.
impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deviation::Spike { step, neuron, in_first } => {
                let [with, without] = if *in_first { ["first", "second"] } else { ["second", "first"] };
                write!(f, "{neuron} fires in step {step} of the {with} run, and not of the {without}")
            }
            Deviation::Value { name, step, values: [first, second] } => {
                let bits =
                    |value: &f64| format!("{value:?} ({:#018x}, as f32 {:#010x})", value.to_bits(), (*value as f32).to_bits());
                write!(
                    f,
                    "{name} at the start of step {step} is {} in the first run and {} in the second",
                    bits(first),
                    bits(second)
                )
            }
            Deviation::Text { name, texts: [first, second] } => {
                write!(f, "{name}: `{first}` in the first run, `{second}` in the second")
            }
            Deviation::Failed(error) => write!(f, "a run failed: {}", error.lines().next().unwrap_or_default()),
            Deviation::Panicked(message) => write!(f, "a run panicked: {}", message.lines().next().unwrap_or_default()),
            Deviation::Stuck => f.write_str("the ranks wait for each other for ever"),
        }
    }
}

/// A sentence, and the network.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({}): {}. The network:", self.comparison, self.variant, self.what)?;
        write!(f, "{:#}", self.network)
    }
}

/// How close values must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Closeness {
    /// The same bits.
    Bits,
    /// Within this part of the larger one of their magnitude and 1.
    Within(f64),
}

impl Closeness {
    fn holds(self, [x, y]: [f64; 2]) -> bool {
        match self {
            Closeness::Bits => x.to_bits() == y.to_bits(),
            Closeness::Within(part) => {
                x.to_bits() == y.to_bits()
                    || x == y
                    || x.is_nan() && y.is_nan()
                    || (x - y).abs() <= part * x.abs().max(y.abs()).max(1.0)
            }
        }
    }
}

/// The name of a neuron by its number.
fn neuron(network: &Network, number: u32) -> String {
    let mut rest = number;
    for (name, size) in spikelet::Partition::shape(network) {
        if rest < size {
            return format!("{name}[{rest}]");
        }
        rest -= size;
    }
    number.to_string()
}

/// The first difference of two runs; `network` names the neurons.
pub fn first(network: &Network, [one, other]: [&Seen; 2], closeness: Closeness) -> Option<Deviation> {
    let spike = first_spike([&one.spikes, &other.spikes]);
    let sample = first_sample([one, other], closeness);
    let text = |name: &str, texts: [String; 2]| (texts[0] != texts[1]).then(|| Deviation::Text { name: name.into(), texts });
    match (spike, sample) {
        (Some((spike, in_first)), sample) if sample.as_ref().is_none_or(|(step, _, _)| *step > spike.step) => {
            return Some(Deviation::Spike { step: spike.step, neuron: neuron(network, spike.neuron), in_first });
        }
        (_, Some((step, name, values))) => return Some(Deviation::Value { name, step, values }),
        _ => {}
    }
    let end = |seen: &Seen| format!("{:?}", seen.end);
    if let Some(found) = text("the end of the run", [end(one), end(other)]) {
        return Some(found);
    }
    let count = |seen: &Seen| (seen.samples.len() / seen.channels.len().max(1)).to_string();
    if let Some(found) = text("the number of samples", [count(one), count(other)]) {
        return Some(found);
    }
    if closeness == Closeness::Bits {
        let statistics = |seen: &Seen| seen.statistics.iter().map(|(step, of)| format!("{step}: {of}")).collect::<Vec<_>>();
        let (of_one, of_other) = (statistics(one), statistics(other));
        let differs = of_one.iter().zip(&of_other).find(|(one, other)| one != other);
        let texts = differs.map(|(one, other)| [one.clone(), other.clone()]);
        let texts = texts.unwrap_or_else(|| [of_one.len().to_string(), of_other.len().to_string()]);
        if let Some(found) = text("statistics", texts) {
            return Some(found);
        }
    }
    values([one, other], closeness)
}

/// The first value after the last step that differs, of those that both runs have.
fn values([one, other]: [&Seen; 2], closeness: Closeness) -> Option<Deviation> {
    for (path, of_one) in &one.values {
        let Some((_, of_other)) = other.values.iter().find(|(known, _)| known == path) else { continue };
        for (k, pair) in of_one.iter().zip(of_other).enumerate() {
            let values = [*pair.0, *pair.1];
            if !closeness.holds(values) {
                return Some(Deviation::Value { name: format!("{path}[{k}]"), step: one.end.0, values });
            }
        }
    }
    None
}

fn first_spike([one, other]: [&[Spike]; 2]) -> Option<(Spike, bool)> {
    let place = one.iter().zip(other).position(|(one, other)| one != other).unwrap_or(one.len().min(other.len()));
    match (one.get(place), other.get(place)) {
        (Some(one), Some(other)) if one < other => Some((*one, true)),
        (Some(_), Some(other)) | (None, Some(other)) => Some((*other, false)),
        (Some(one), None) => Some((*one, true)),
        (None, None) => None,
    }
}

/// Step, name and values of the first sample that differs, of columns that both runs have.
fn first_sample([one, other]: [&Seen; 2], closeness: Closeness) -> Option<(u32, String, [f64; 2])> {
    let columns: Vec<(usize, usize)> = if one.channels == other.channels {
        (0..one.channels.len()).map(|k| (k, k)).collect()
    } else {
        let of = |(k, name): (usize, &String)| Some((k, other.channels.iter().position(|known| known == name)?));
        one.channels.iter().enumerate().filter_map(of).collect()
    };
    if columns.is_empty() {
        return None;
    }
    let rows = one.samples.chunks_exact(one.channels.len()).zip(other.samples.chunks_exact(other.channels.len()));
    for (row, (of_one, of_other)) in rows.enumerate() {
        for (k, l) in &columns {
            let values = [of_one[*k], of_other[*l]];
            if !closeness.holds(values) {
                return Some((row as u32 * one.every, one.channels[*k].clone(), values));
            }
        }
    }
    None
}
