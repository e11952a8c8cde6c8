//! The functions that kernels share, of which each takes what it calls: a device compiles text by its length.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::shader;

/// Everything that any kernel may call or declare.
const SHARED: &str = concat!(
    shader!("math"),
    shader!("math/exponential"),
    shader!("math/logarithm"),
    shader!("math/circular"),
    shader!("math/random"),
    shader!("trial"),
    shader!("epoch"),
    shader!("rng"),
    shader!("ring"),
    shader!("spikes"),
    shader!("permutation"),
    shader!("memory"),
    shader!("values"),
);

/// The declarations of the shared pieces, and those of their functions that `kernel` calls, or that these call.
pub(super) fn needed_by(kernel: &str) -> String {
    let (mut text, mut functions, mut inside) = (String::new(), BTreeMap::new(), None);
    for line in SHARED.lines().filter(|line| !line.trim_start().starts_with("//") && !line.trim().is_empty()) {
        inside = inside.or_else(|| line.strip_prefix("fn ")?.split('(').next());
        let to = match inside {
            Some(name) => functions.entry(name).or_insert_with(String::new),
            None => &mut text,
        };
        // Writing to a String cannot fail.
        let _ = writeln!(to, "{line}");
        if line == "}" {
            inside = None;
        }
    }
    let mut needed = BTreeSet::new();
    let mut unread = vec![kernel];
    while let Some(text) = unread.pop() {
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
            if let Some((name, body)) = functions.get_key_value(word)
                && needed.insert(*name)
            {
                unread.push(body);
            }
        }
    }
    needed.iter().for_each(|name| text += &functions[name]);
    text
}
