//! What a plan is recognised by, part by part, so that an error can name the part that differs.

use std::fmt::{self, Write};
use std::sync::Arc;

use super::bytes::Fnv;
use crate::Error;
use crate::plan::{EdgePlan, PerSynapse, Plan, PopulationPlan, ProjectionPlan};

/// A part of a plan.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    /// What it is, such as "the population `E`".
    pub(crate) name: String,
    /// How large, as a user would say it.
    pub(crate) size: String,
    /// A hash of all that a run depends on.
    pub(crate) hash: u64,
}

/// The parts of a plan.
pub(crate) fn fingerprint(plan: &Plan) -> Arc<[Part]> {
    let plain = |name: &str, size: String| Part { name: name.into(), size, hash: 0 };
    let mut parts = vec![
        plain("the time step", format!("{} ms", plan.dt_ms)),
        plain("the seed", plan.seed.to_string()),
        plain(
            "the longest delay",
            format!("{} steps", plan.ring.slots.max(plan.memory_steps.saturating_sub(plan.epoch_steps)).saturating_sub(1)),
        ),
    ];
    parts.extend(plan.populations.iter().map(of_population));
    parts.extend(plan.projections.iter().map(|projection| of_projection(projection)));
    parts.into()
}

/// Refuses a snapshot of another network, written by `program`.
pub(crate) fn check_same(snapshot: &[Part], here: &[Part], program: &str) -> Result<(), Error> {
    let differs = |(there, here): (&Part, &Part)| {
        let Part { name, size, hash } = there;
        let expected = if *name != here.name {
            format!("this network has {} in its place", here.name)
        } else if *size != here.size {
            format!("here that is of {}", here.size)
        } else if *hash != here.hash {
            format!("here that is of {size} with other equations, values or synapses")
        } else {
            return None;
        };
        Some((format!("of a network with {name} of {size}"), expected))
    };
    let longer = || match (snapshot.get(here.len()), here.get(snapshot.len())) {
        (Some(more), _) => Some((format!("of a network with {}", more.name), "here there is none".to_owned())),
        (_, Some(more)) => Some((format!("of a network without {}", more.name), "here there is one".to_owned())),
        (None, None) => None,
    };
    let Some((value, expected)) = snapshot.iter().zip(here).find_map(differs).or_else(longer) else { return Ok(()) };
    let mine = env!("CARGO_PKG_VERSION");
    let versions = if program == mine { String::new() } else { format!("; version {program} wrote it, this is {mine}") };
    let way_out = format!("restore it into the network it was taken of, built in the same way{versions}");
    Err(Error::invalid("the snapshot", value, expected, way_out))
}

fn of_population(of: &PopulationPlan) -> Part {
    let mut hash = Hash(Fnv::NEW);
    hash.debug(&(&of.program, &of.ports, &of.clocks, of.first));
    hash.floats(&of.constants);
    of.initial.iter().for_each(|values| hash.floats(values));
    Part { name: format!("the population `{}`", of.name), size: format!("{} neurons", of.size), hash: hash.0.0 }
}

fn of_projection(of: &ProjectionPlan) -> Part {
    let mut hash = Hash(Fnv::NEW);
    hash.debug(&(of.pre, &of.pre_slice, of.post));
    hash.words(&of.degrees.outgoing);
    hash.words(&of.degrees.incoming);
    let kept = match &of.edges {
        EdgePlan::Stored(rows) => {
            hash.words(&rows.words);
            "kept"
        }
        EdgePlan::Procedural(recipe) => {
            hash.debug(recipe);
            "drawn at every spike"
        }
    };
    for pathway in &of.pathways {
        hash.values(&pathway.delay, |delay| *delay);
    }
    for (_, write) in of.writes() {
        hash.values(&write.weights, |weight| *weight as u32);
    }
    if let Some(state) = &of.state {
        hash.debug(&(&state.program, &state.clocks));
        hash.floats(&state.constants);
        state.arrays.iter().for_each(|array| hash.floats(&array.initial));
        state.traces.iter().for_each(|trace| hash.floats(&[trace.initial]));
    }
    Part { name: format!("the projection `{}`", of.name), size: format!("{} synapses, {kept}", of.synapses()), hash: hash.0.0 }
}

/// Hashes what it is given, a word as one byte string and a structure as its text.
struct Hash(Fnv);

impl Hash {
    fn debug(&mut self, value: &dyn fmt::Debug) {
        // Writing to a hash cannot fail.
        _ = write!(self, "{value:?}");
    }

    fn words(&mut self, words: &[u32]) {
        words.iter().for_each(|word| self.0.add(&word.to_le_bytes()));
    }

    fn floats(&mut self, values: &[f32]) {
        values.iter().for_each(|value| self.0.add(&value.to_bits().to_le_bytes()));
    }

    fn values<T: Copy + fmt::Debug>(&mut self, values: &PerSynapse<T>, word: impl Fn(&T) -> u32) {
        match values {
            PerSynapse::Shared(_) | PerSynapse::Each(_) => {
                values.as_slice().iter().for_each(|value| self.0.add(&word(value).to_le_bytes()));
            }
            PerSynapse::Half(halves) => {
                self.debug(&"f16");
                halves.iter().for_each(|half| self.0.add(&half.to_le_bytes()));
            }
            PerSynapse::Packed(_) | PerSynapse::Drawn(_) => self.debug(values),
        }
    }
}

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.add(text.as_bytes());
        Ok(())
    }
}
