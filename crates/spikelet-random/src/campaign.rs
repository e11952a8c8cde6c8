//! Many random networks, one after the other, and what came of them.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;

use proptest::strategy::{BoxedStrategy, Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use spikelet::Network;

use super::agree::{Agreement, Comparison, RUN};
use super::difference::{Deviation, Difference};
use super::features::features;
use super::known::known;
use super::run::{Pace, Seen, poll, run};
use super::shrink::shrink;
use super::sketch::{Options, Sketch, network};

/// How often each outcome of a comparison was found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The same.
    pub same: u64,
    /// The simulator rejects the other way to run it.
    pub rejected: u64,
    /// A rounding error changes the run.
    pub sensitive: u64,
    /// Skipped, because it can show a known difference.
    pub known: u64,
    /// Different.
    pub different: u64,
}

/// A random network, and from what it was drawn.
pub struct Draw {
    /// The network.
    pub sketch: Sketch,
    rng: TestRng,
}

/// Random networks, one after the other.
pub struct Campaign {
    runner: TestRunner,
    networks: BoxedStrategy<Sketch>,
    /// The number of networks that were made.
    pub made: u64,
    /// The number of those with spikes.
    pub firing: u64,
    /// Networks that the simulator rejects, by the sentence, with the first of them.
    pub rejected: BTreeMap<String, (u64, Value)>,
    /// By the name of the comparison.
    pub counts: BTreeMap<&'static str, Counts>,
    /// Differences by their kind, with the smallest network.
    pub differences: BTreeMap<String, Difference>,
}

/// The trials that a network may take to become smaller.
const TRIALS: usize = 3000;

impl Campaign {
    /// Networks that follow from a seed.
    pub fn new(options: Options, seed: u64) -> Campaign {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        Campaign {
            runner: TestRunner::new_with_rng(Config::default(), rng),
            networks: network(options),
            made: 0,
            firing: 0,
            rejected: BTreeMap::new(),
            counts: BTreeMap::new(),
            differences: BTreeMap::new(),
        }
    }

    /// The number of networks that the simulator rejected.
    pub fn rejections(&self) -> u64 {
        self.rejected.values().map(|(count, _)| count).sum()
    }

    /// The next network that can be run; `None` if it was rejected, which is counted.
    pub fn draw(&mut self) -> Option<(Draw, Network)> {
        let rng = self.runner.rng().clone();
        let sketch = self.networks.new_tree(&mut self.runner).ok()?.current();
        self.made += 1;
        let network = match sketch.network() {
            Ok(network) => network,
            Err(error) => {
                self.reject(&error.to_string(), &sketch.json);
                return None;
            }
        };
        let draw = Draw { sketch, rng };
        match runs(&network) {
            RunEnd::Through { fires } => {
                self.firing += u64::from(fires);
                return Some((draw, network));
            }
            RunEnd::Rejected(sentence) => self.reject(&sentence, &draw.sketch.json),
            RunEnd::Failed => drop(self.compare(&RUN, &draw, &network)),
        }
        None
    }

    fn reject(&mut self, sentence: &str, network: &Value) {
        // Numbers and names differ between networks.
        let what = Deviation::Failed(sentence.to_owned()).kind();
        self.rejected.entry(what).or_insert_with(|| (0, network.clone())).0 += 1;
    }

    /// Compares a network, and makes it smaller if it differs.
    pub fn compare(&mut self, comparison: &Comparison, draw: &Draw, network: &Network) -> bool {
        let counts = self.counts.entry(comparison.name).or_default();
        if known(comparison.name, &draw.sketch.json).is_some() {
            counts.known += 1;
            return true;
        }
        match comparison.compare(network) {
            Ok(Agreement::Same) => counts.same += 1,
            Ok(Agreement::Rejected(_)) => counts.rejected += 1,
            Ok(Agreement::Sensitive) => counts.sensitive += 1,
            // A panic that a run alone can have may come in any other.
            Err(found) if matches!(found.what, Deviation::Panicked(_)) && known(RUN.name, &draw.sketch.json).is_some() => {
                counts.known += 1;
            }
            Err(found) => {
                counts.different += 1;
                // The same numbers give the same tree, whose smaller ones are tried.
                let mut runner = TestRunner::new_with_rng(Config::default(), draw.rng.clone());
                let smallest = match self.networks.new_tree(&mut runner) {
                    Ok(mut tree) => smallest(comparison, &mut tree, *found),
                    Err(_) => *found,
                };
                self.add(smallest);
                return false;
            }
        }
        true
    }

    fn add(&mut self, found: Difference) {
        let names: BTreeSet<&str> = features(&found.network);
        let names = names.into_iter().collect::<Vec<_>>().join(", ");
        let kind = format!("{}: {} of {{{names}}}", found.comparison, found.what.kind());
        self.differences.entry(kind).or_insert(found);
    }
}

/// How a run ended.
enum RunEnd {
    /// At its time, or by a condition.
    Through { fires: bool },
    /// By an error that says what is wrong with the network.
    Rejected(String),
    /// By any other error.
    Failed,
}

fn runs(network: &Network) -> RunEnd {
    let run = || poll(run(network, Box::new(spikelet::Cpu::new(1)), Pace::default()));
    match std::panic::catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(Ok(Seen { end: (_, Some(why)), .. }))) if !why.starts_with('`') => RunEnd::Rejected(why),
        Ok(Ok(Ok(seen))) => RunEnd::Through { fires: !seen.spikes.is_empty() },
        Ok(Ok(Err(error))) if error.is_bad_input() => RunEnd::Rejected(error.to_string()),
        _ => RunEnd::Failed,
    }
}

/// Whether a network shows a difference of the same kind.
fn shows(comparison: &Comparison, network: &Value, like: &Deviation) -> Option<Difference> {
    // What is known already would hide what is new.
    if known(comparison.name, network).is_some() {
        return None;
    }
    let network = Network::from_json(&network.to_string()).ok()?;
    // Nothing that is rejected is smaller.
    if comparison.name != RUN.name && !matches!(runs(&network), RunEnd::Through { .. }) {
        return None;
    }
    let found = comparison.compare(&network).err()?;
    let same = match (&found.what, like) {
        (Deviation::Failed(_), Deviation::Failed(_)) | (Deviation::Panicked(_), Deviation::Panicked(_)) => {
            found.what.kind() == like.kind()
        }
        (one, other) => std::mem::discriminant(one) == std::mem::discriminant(other),
    };
    same.then_some(*found)
}

/// The smallest network found that shows a difference: first by the parts from which it was made, then by its keys and texts.
fn smallest(comparison: &Comparison, tree: &mut impl ValueTree<Value = Sketch>, found: Difference) -> Difference {
    let mut best = found;
    let mut trials = 400;
    let mut smaller = tree.simplify();
    while smaller && trials > 0 {
        trials -= 1;
        smaller = match shows(comparison, &tree.current().json, &best.what) {
            Some(found) => {
                best = found;
                tree.simplify()
            }
            None => tree.complicate(),
        };
    }
    let like = best.what.clone();
    let network = shrink(&best.network, TRIALS, |network| shows(comparison, network, &like).is_some());
    shows(comparison, &network, &like).map_or(best, |found| Difference { network, ..found })
}
