//! `spikelet compare`.

mod reference;
mod table;

use std::fmt;

use pollster::block_on;
use spikelet::compare::{Comparison, TraceError};
use spikelet::{BuildOptions, Compare, Network};
use spikelet_native::memory;

use crate::args::{CompareArguments, Weights};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::text::short;
use crate::{device, source, terminal};

/// Number of populations and variables that are printed.
const LINES: usize = 30;

pub(crate) fn run(args: &CompareArguments) -> Result<(), Failure> {
    let Some(name) = args.network.as_deref() else { return table::run(args) };
    let network = source::network(name, &args.settings)?;
    if args.reference {
        return reference::run(&network, args);
    }
    let comparison = compare(&network, args)?;
    if args.json {
        return terminal::print(&object(&comparison));
    }
    terminal::print(&ComparisonText(&comparison))
}

/// Compares a network in both precisions.
fn compare(network: &Network, args: &CompareArguments) -> Result<Comparison, Failure> {
    network.checked_steps()?;
    let threads = device::build_threads(None);
    let storage = args.storage.map(Into::into);
    let weights = match args.weights {
        None => None,
        Some(Weights::I32) => Some(spikelet::Weights::I32),
        Some(Weights::F16) => Some(spikelet::Weights::F16),
        Some(Weights::Auto) => {
            let sentence = "--weights auto depends on the free memory, and a comparison should not; use i32 or f16";
            return Err(Failure::Input(sentence.into()));
        }
    };
    let options = BuildOptions { threads, memory: memory::free(), storage, weights, exact: true };
    let progress = Progress::new(network.duration_ms, args.quiet);
    let started = std::time::Instant::now();
    let compared = Compare { elements: args.elements, options, trial: args.trial };
    let device = device::of_comparison(args)?.backend;
    let comparison = block_on(compared.run_on(device, network, |time_ms| progress.show(time_ms, started.elapsed())));
    progress.clear();
    Ok(comparison?)
}

/// A comparison as JSON.
fn object(comparison: &Comparison) -> serde_json::Value {
    let mut object = serde_json::json!(comparison);
    object["judgement"] = comparison.judgement().into();
    object
}

/// A comparison as text.
struct ComparisonText<'a>(&'a Comparison);

impl fmt::Display for ComparisonText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { network, time_ms, dt_ms, ended, populations, variables, .. } = self.0;
        writeln!(f, "{network}, {} ms in steps of {dt_ms} ms, in f32 and in f64", short(*time_ms))?;
        for (precision, ended) in ["f32", "f64"].iter().zip(ended) {
            if let Some(why) = ended {
                writeln!(f, "the run in {precision} ended: {why}")?;
            }
        }
        writeln!(f, "\n{:<24}{:>12}{:>12}{:>12}{:>12}  first difference", "population", "spikes f32", "f64", "Hz f32", "f64")?;
        for of in populations.iter().take(LINES) {
            let difference = of.first_difference.as_ref();
            let difference = difference.map_or("none".to_owned(), |difference| {
                format!("{} ms, neuron {} only in {}", short(difference.time_ms), difference.neuron, difference.only_in)
            });
            let [single, double] = of.spikes;
            let [hz, exact_hz] = of.rate_hz.map(short);
            writeln!(f, "{:<24}{single:>12}{double:>12}{hz:>12}{exact_hz:>12}  {difference}", of.name)?;
        }
        more(f, populations.len(), "populations")?;
        writeln!(f, "\nlargest error of f32 (root mean square) until a time, and after the first differing spike")?;
        for of in variables.iter().take(LINES) {
            let error = |TraceError { max, rms, .. }: &TraceError| format!("{max:.1e} ({rms:.1e})");
            let until = |of: &TraceError| format!("{} ms {}", short(of.until_ms), error(of));
            let mut errors: Vec<String> = of.times.iter().chain([&of.before]).map(until).collect();
            errors.extend(of.after.iter().map(|after| format!("after {}", error(after))));
            writeln!(f, "{} [{}], range {}: {}", of.variable, of.unit, short(of.range), errors.join(", "))?;
        }
        more(f, variables.len(), "variables")?;
        write!(f, "\n{}", self.0.judgement())
    }
}

/// The number of lines that are not printed.
fn more(f: &mut fmt::Formatter<'_>, count: usize, what: &str) -> fmt::Result {
    match count.saturating_sub(LINES) {
        0 => Ok(()),
        left => writeln!(f, "… and {left} {what} more; --json lists all"),
    }
}
