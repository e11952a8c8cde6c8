//! Comparisons of runs that should be the same.

mod bits;
mod halves;
mod names;
mod precision;
mod ranks;
mod referee;
mod rewritten;
mod sleep;

use std::panic::{AssertUnwindSafe, catch_unwind};

use spikelet::{Cpu, Network, Sleep};

use super::difference::{Deviation, Difference};

/// A CPU on which neurons sleep whenever they can, which is compared with one on which these few never do.
fn sleeping(threads: usize) -> Box<Cpu> {
    Box::new(Cpu::new(threads).with_sleep(Sleep::Eager))
}

/// How two runs compare that do not differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Agreement {
    /// They are the same.
    Same,
    /// The network cannot be run in the other way, and the simulator says so.
    Rejected(String),
    /// A change of all numbers by a rounding error changes the run as much: no comparison is possible.
    Sensitive,
}

/// A comparison of a network with itself, run in another way.
pub type ComparisonResult = Result<Agreement, (String, Deviation)>;

/// A comparison by its name.
#[derive(Clone, Copy)]
pub struct Comparison {
    /// The name, as on the command line.
    pub name: &'static str,
    /// What is compared, in a few words.
    pub about: &'static str,
    /// The comparison.
    pub run: fn(&Network) -> ComparisonResult,
}

/// All comparisons.
pub const COMPARISONS: [Comparison; 20] = [
    Comparison { name: "threads", about: "one thread with two and three, by bits", run: bits::threads },
    Comparison { name: "sleep", about: "all neurons stepped with neurons that sleep when they can, by bits", run: sleep::sleep },
    Comparison { name: "batches", about: "all steps at once with single steps, by bits", run: bits::batches },
    Comparison { name: "storage", about: "stored synapses with those drawn at each spike, by bits", run: bits::storage },
    Comparison { name: "trials", about: "trials in parallel with each alone, by bits", run: bits::trials },
    Comparison { name: "reset", about: "a run with the same after a reset, by bits", run: bits::reset },
    Comparison { name: "recordings", about: "a run with one of which nothing is recorded, to rounding", run: bits::recordings },
    Comparison { name: "recorded-bits", about: "a run with one of which nothing is recorded, by bits", run: bits::recorded_bits },
    Comparison { name: "json", about: "a network with what it writes as JSON, by bits", run: names::json },
    Comparison { name: "looks", about: "a run with one whose values are read on the way, by bits", run: halves::looks },
    Comparison {
        name: "snapshot",
        about: "a run with one that continues from a snapshot, by bits, also in f64",
        run: halves::snapshot,
    },
    Comparison { name: "set", about: "changes in the file with the same values set at these steps, by bits", run: halves::set },
    Comparison { name: "names", about: "the same network with other names, by bits", run: names::renamed },
    Comparison { name: "keys", about: "the same network with its keys in another order, by bits", run: names::reordered },
    Comparison { name: "ranks", about: "one rank with two and three, and with one of four to eight, by bits", run: ranks::ranks },
    Comparison { name: "f64", about: "f32 with f64, to the documented error", run: precision::f64 },
    Comparison { name: "settled", about: "values after a run in f32 with those in f64", run: precision::settled },
    Comparison { name: "order", about: "the spikes of f64 with the same by step and neuron", run: precision::order },
    Comparison { name: "referee", about: "the rules of the language with f64", run: referee::referee },
    Comparison { name: "rewritten", about: "f64 with equations that say the same in other words", run: rewritten::rewritten },
];

/// A run alone, which can fail.
pub(super) static RUN: Comparison = Comparison { name: "run", about: "a run", run: bits::runs };

/// The comparison of a name.
pub fn comparison(name: &str) -> Option<&'static Comparison> {
    COMPARISONS.iter().chain([&RUN]).find(|known| known.name == name)
}

impl Comparison {
    /// Compares; a panic is a difference.
    ///
    /// # Errors
    /// What differs.
    pub fn compare(&self, network: &Network) -> Result<Agreement, Box<Difference>> {
        let done = catch_unwind(AssertUnwindSafe(|| (self.run)(network)));
        let done = done.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err((String::new(), Deviation::Panicked(text.unwrap_or_default())))
        });
        done.map_err(|(variant, what)| {
            let network = serde_json::from_str(&network.to_json()).unwrap_or_default();
            Box::new(Difference { comparison: self.name, variant, what, network })
        })
    }
}

/// A result for a variant, from an error or a difference.
fn judge(variant: &str, found: Option<Deviation>) -> ComparisonResult {
    match found {
        None => Ok(Agreement::Same),
        Some(what) => Err((variant.to_owned(), what)),
    }
}

/// Names the variant in which something failed.
fn of<T, E: Into<Deviation>>(variant: &str, result: Result<T, E>) -> Result<T, (String, Deviation)> {
    result.map_err(|error| (variant.to_owned(), error.into()))
}
