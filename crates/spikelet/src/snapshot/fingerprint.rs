//! The identity of a plan, part by part, so that an error can name the part that differs.

use std::hash::Hasher;
use std::sync::Arc;

use fnv::FnvHasher;
use serde::Serialize;
use serde_json::Value;
use spikelet_plan::{Owner, PathwayPlan, PerSynapse, Plan};

use crate::{Error, Network, Population, Projection, Source, SourceKind};

/// A part of a plan.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlanPart {
    /// Its name, such as "the population `E`".
    pub(crate) name: String,
    /// Its size as text.
    pub(crate) size: String,
    /// A hash of everything that a run depends on.
    pub(crate) hash: u64,
}

/// The network and plan whose parts are hashed: texts and numbers that do not change between versions of the program.
struct Hash<'a> {
    network: &'a Network,
    plan: &'a Plan,
}

/// The parts of a plan.
pub(crate) fn fingerprint(network: &Network, plan: &Plan) -> Arc<[PlanPart]> {
    let mut bare = network.without_columns();
    for (bare, read) in bare.populations.iter_mut().zip(&network.populations).filter(|(_, read)| read.neurons.is_some()) {
        // What it has taken from its table is part of it; the name of the file is not.
        *bare = Population { neurons: None, ..read.clone() };
    }
    let hash = Hash { network: &bare, plan };
    let plain = |name: &str, size: String| PlanPart { name: name.into(), size, hash: 0 };
    let mut parts = vec![
        plain("the time step", format!("{} ms", plan.dt_ms)),
        plain("the seed", plan.seed.to_string()),
        plain(
            "the longest delay",
            format!("{} steps", plan.ring.slots.max(plan.memory_steps.saturating_sub(plan.epoch_steps)).saturating_sub(1)),
        ),
    ];
    parts.extend((0..plan.populations.len()).map(|population| hash.of_population(population)));
    parts.extend((0..plan.projections.len()).map(|projection| hash.of_projection(projection)));
    parts.into()
}

/// Rejects a snapshot of another network, written by `program`.
pub(crate) fn check_same(snapshot: &[PlanPart], here: &[PlanPart], program: &str) -> Result<(), Error> {
    let differs = |(there, here): (&PlanPart, &PlanPart)| {
        let PlanPart { name, size, hash } = there;
        let expected = if *name != here.name {
            format!("this network has {} in its place", here.name)
        } else if *size != here.size {
            format!("in this network it is of {}", here.size)
        } else if *hash != here.hash {
            format!("in this network it is of {size} with other equations, values or synapses")
        } else {
            return None;
        };
        Some((format!("of a network with {name} of {size}"), expected))
    };
    let longer = || match (snapshot.get(here.len()), here.get(snapshot.len())) {
        (Some(more), _) => Some((format!("of a network with {}", more.name), "this network does not have it".to_owned())),
        (_, Some(more)) => Some((format!("of a network without {}", more.name), "this network has it".to_owned())),
        (None, None) => None,
    };
    let Some((value, expected)) = snapshot.iter().zip(here).find_map(differs).or_else(longer) else { return Ok(()) };
    let mine = env!("CARGO_PKG_VERSION");
    let versions = if program == mine { String::new() } else { format!("; version {program} wrote it, this is {mine}") };
    let way_out = format!("restore it into the network from which it was taken, built in the same way{versions}");
    Err(Error::invalid("the snapshot", value, expected, way_out))
}

impl Hash<'_> {
    /// Neurons, by their definition and that of the sources that act on them.
    fn of_population(&self, population: usize) -> PlanPart {
        let of = &self.plan.populations[population];
        let mut hash = FnvHasher::default();
        if let Some(population) = self.network.population(&of.name) {
            add_json(&mut hash, population);
        }
        let acts_on = |source: &&Source| match &source.kind {
            SourceKind::PoissonInput { .. } => source.kind.acts_on(&of.name),
            SourceKind::Spikes { .. } | SourceKind::Poisson { .. } => source.name == of.name,
        };
        self.network.sources.iter().filter(acts_on).for_each(|source| add_json(&mut hash, source));
        // The length of the spike history is not part of the network.
        self.add_arrays(&mut hash, |owner| match owner {
            Owner::Neurons { population: of } | Owner::RingColumns { population: of } => of == population,
            _ => false,
        });
        PlanPart { name: format!("the population `{}`", of.name), size: format!("{} neurons", of.size), hash: hash.finish() }
    }

    /// Synapses, by their definition and by the drawn numbers.
    fn of_projection(&self, projection: usize) -> PlanPart {
        let of = &self.plan.projections[projection];
        let mut hash = FnvHasher::default();
        let said = self.network.projections.iter().find(|said| said.name == of.name);
        let is_listed = said.is_some_and(|said| said.learned.is_some() || said.pairs.is_some());
        if let Some(said) = said {
            // Lists and files of synapses are hashed below.
            add_json(&mut hash, &Projection { pairs: None, ..said.clone() });
        }
        self.add_arrays(&mut hash, |owner| owner.of_synapses() == Some(projection));
        add_words(&mut hash, [of.pre_slice.start, of.pre_slice.end]);
        add_words(&mut hash, of.degrees.outgoing.iter().copied());
        add_words(&mut hash, of.degrees.incoming.iter().copied());
        add_words(&mut hash, of.rows().targets());
        for (pathway, PathwayPlan { delay, .. }) in of.pathways.iter().enumerate() {
            match delay {
                PerSynapse::Shared(delay) => add_words(&mut hash, [*delay]),
                _ => add_words(&mut hash, (0..of.rows().len()).map(|synapse| of.delay(pathway, synapse))),
            }
        }
        for (_, write) in of.writes() {
            let kept: &[u8] = match &write.weights {
                PerSynapse::Shared(_) => b"one",
                PerSynapse::Half(_) => b"f16",
                PerSynapse::Each(_) | PerSynapse::Packed(_) => b"i32",
                PerSynapse::Drawn(_) => b"drawn",
            };
            hash.write(kept);
            // Otherwise they follow from the text and the seed.
            if is_listed {
                add_words(&mut hash, write.weights.units().map(|weight| weight as u32));
            }
        }
        for (array, _) in
            self.plan.arrays().moving().filter(|(_, entry)| is_listed && entry.owner == (Owner::Synapses { projection }))
        {
            add_words(&mut hash, self.plan.initial_words(array));
        }
        let kept = if of.procedural().is_some() { "drawn at every spike" } else { "kept" };
        PlanPart {
            name: format!("the projection `{}`", of.name),
            size: format!("{} synapses, {kept}", of.synapses()),
            hash: hash.finish(),
        }
    }

    /// Names and lengths of the dynamic arrays.
    fn add_arrays(&self, hash: &mut FnvHasher, is_of: impl Fn(Owner) -> bool) {
        for (_, entry) in self.plan.arrays().moving().filter(|(_, entry)| is_of(entry.owner)) {
            hash.write(entry.path.as_bytes());
            hash.write(&(entry.length as u64).to_le_bytes());
        }
    }
}

/// Appends the JSON of an object: keys in alphabetical order, without spaces.
/// Adds little-endian words.
fn add_words(hash: &mut FnvHasher, words: impl IntoIterator<Item = u32>) {
    words.into_iter().for_each(|word| hash.write(&word.to_le_bytes()));
}

fn add_json(hash: &mut FnvHasher, object: &impl Serialize) {
    canonical(hash, &json(object));
}

/// The JSON of an object, by way of its text, because a second serializer of all types would make the engine of a page larger.
fn json(object: &impl Serialize) -> Value {
    // All types can be represented in JSON.
    serde_json::to_string(object).and_then(|text| serde_json::from_str(&text)).unwrap_or_default()
}

fn canonical(hash: &mut FnvHasher, value: &Value) {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort();
            hash.write(b"{");
            for key in keys {
                hash.write(Value::from(key.as_str()).to_string().as_bytes());
                hash.write(b":");
                canonical(hash, &object[key]);
                hash.write(b",");
            }
            hash.write(b"}");
        }
        Value::Array(values) => {
            hash.write(b"[");
            for value in values {
                canonical(hash, value);
                hash.write(b",");
            }
            hash.write(b"]");
        }
        plain => hash.write(plain.to_string().as_bytes()),
    }
}
