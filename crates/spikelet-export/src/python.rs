//! What all scripts of Python have.

use std::collections::HashMap;

use spikelet::Network;

use crate::{Lack, Script};

/// The script, and what it reads.
pub(crate) const SCRIPT: &str = "network.py";
pub(crate) const VALUES: &str = "values.npz";

/// Words of Python, and names of scripts and of what they import.
const TAKEN: &str = "False None True and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match \
    nonlocal not or pass raise return try while with yield type print range len sum map zip list dict set int float str open sys importlib \
    values spikes traces network np Path name monitor seed run nest sim ids recorder populations population initialize edges times trains key array \
    ms mV pA nS pF Gohm kHz um amole fcoulomb kelvin defaultclock collect start";

impl Script {
    /// A script that begins with what is said of the network; `tool` ends the sentence.
    pub(crate) fn start(network: &Network, tool: &str) -> Result<Script, Lack> {
        let of_populations = network.populations.iter().map(|of| &of.name);
        let of_sources = network.sources.iter().map(|of| &of.name);
        let names = of_populations.chain(of_sources).chain(network.projections.iter().map(|of| &of.name));
        let mut taken = HashMap::new();
        for name in names {
            if name.contains(['\'', '"', '\\', '{', '}']) {
                return Err(format!("names with quotes, braces or backslashes, such as {name:?}"));
            }
            if let Some(other) = taken.insert(identifier(name), name) {
                return Err(format!("variables that tell {other:?} and {name:?} apart"));
            }
        }
        let about =
            [network.name.as_str(), network.description.as_str()].join("\n\n").replace('\\', "\\\\").replace("\"\"\"", "'''");
        let mut script = Script::default();
        script.line(format!(
            "\"\"\"{}\n\nWritten by Spikelet {}, for {tool}.\n\"\"\"\n",
            about.trim(),
            env!("CARGO_PKG_VERSION")
        ));
        Ok(script)
    }

    /// Values as Python: a number if all are the same, or the array that the script reads.
    pub(crate) fn numbers(&mut self, name: &str, values: &[f64]) -> String {
        if is_uniform(values) {
            // No −0.
            return format!("{:?}", values.first().copied().unwrap_or(0.0) + 0.0);
        }
        self.arrays.floats(name.to_owned(), values.to_vec());
        format!("values['{name}']")
    }

    /// The same, always as an array.
    pub(crate) fn column(&mut self, name: &str, values: &[f64]) -> String {
        let numbers = self.numbers(name, values);
        if is_uniform(values) { format!("np.full({}, {numbers})", values.len()) } else { numbers }
    }
}

/// A name as a variable of Python.
pub(crate) fn identifier(name: &str) -> String {
    let fit = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let name: String = name.chars().map(fit).collect();
    let starts = name.starts_with(|c: char| c.is_ascii_digit() || c == '_');
    if starts || TAKEN.split_whitespace().any(|taken| taken == name) { format!("n_{name}") } else { name }
}

/// Whether all values are the same.
pub(crate) fn is_uniform(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] == pair[1])
}
