//! The names of values as coordinates of their draws.

use std::collections::BTreeMap;

use spikelet_lang::model::End;
use spikelet_network::{Delays, Projection};
use spikelet_rows::rng::splitmix64;

/// How many bits a number has: the rest of a word is the place of a draw in its text.
const BITS: u32 = 24;

/// The numbers of the names of an object. Each is a hash of the name, so that it does not depend on the other names, nor on their order. If two
/// names of an object have the same hash, the second one in the alphabet has the next number that is free.
#[derive(Debug, Clone, Default)]
pub(crate) struct DrawNumbers(BTreeMap<u32, String>);

impl DrawNumbers {
    pub(crate) fn new(names: impl IntoIterator<Item = String>) -> DrawNumbers {
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_unstable();
        names.dedup();
        let mut numbers = BTreeMap::new();
        for name in names {
            let mut number = hash(&name);
            while numbers.contains_key(&number) {
                number = (number + 1) % (1 << BITS);
            }
            numbers.insert(number, name);
        }
        DrawNumbers(numbers)
    }

    /// Those of a projection: of these names, of its delays and of its third neurons.
    pub(crate) fn of_projection<'a>(projection: &Projection, names: impl Iterator<Item = &'a String>) -> DrawNumbers {
        let delays = [End::Pre, End::Post, End::Third].map(|end| projection.delays(end));
        let of_pathways = delays.into_iter().flat_map(|(key, delays)| match delays {
            None => Vec::new(),
            Some(Delays::Same(_)) => vec![format!("{key}.")],
            Some(Delays::Each(of)) => of.keys().map(|pathway| format!("{key}.{pathway}")).collect(),
        });
        DrawNumbers::new(names.cloned().chain(of_pathways).chain([THIRD.to_owned()]))
    }

    /// The number of a name.
    pub(crate) fn of(&self, name: &str) -> u32 {
        let first = hash(name);
        let after = self.0.range(first..).chain(self.0.range(..first));
        after.take(self.0.len()).find(|(_, known)| *known == name).map_or(first, |(number, _)| *number)
    }
}

/// The name of the index of third neurons; no value of a synapse is called so.
pub(crate) const THIRD: &str = "third.index";

/// The name of the delay of a pathway: pathways that share the text of their delays have the same. `key` is that of the delays.
pub(crate) fn name_of_delay(key: &str, delays: &Delays, pathway: &str) -> String {
    match delays {
        Delays::Same(_) => format!("{key}."),
        Delays::Each(_) => format!("{key}.{pathway}"),
    }
}

fn hash(name: &str) -> u32 {
    let mixed = name.bytes().fold(0, |hash: u64, byte| splitmix64(hash ^ u64::from(byte)));
    (mixed >> (u64::BITS - BITS)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_depend_on_other_names() {
        let of = |names: &[&str]| DrawNumbers::new(names.iter().map(ToString::to_string));
        let (one, more) = (of(&["v"]), of(&["w", "v", "tau"]));
        assert_eq!(one.of("v"), more.of("v"));
        assert_ne!(more.of("v"), more.of("w"));
        assert_eq!(more.of("other"), of(&[]).of("other"));
    }

    /// The first two names of this form with the same hash, in either order.
    #[test]
    fn names_of_one_hash_have_different_numbers() {
        let mut known = std::collections::HashMap::new();
        let names = (0..100_000).map(|k| format!("v{k}"));
        let (one, other) =
            names.into_iter().find_map(|name| known.insert(hash(&name), name.clone()).map(|other| (other, name))).unwrap();
        let numbers = DrawNumbers::new([other.clone(), one.clone()]);
        assert_ne!(numbers.of(&one), numbers.of(&other));
        assert_eq!(numbers.of(one.as_str().min(&other)), hash(&one));
        let reversed = DrawNumbers::new([one.clone(), other.clone()]);
        assert_eq!([&one, &other].map(|name| numbers.of(name)), [&one, &other].map(|name| reversed.of(name)));
    }
}
