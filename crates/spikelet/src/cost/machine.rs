//! What ranks and the network between them can do.

use serde::{Deserialize, Serialize};

use crate::Error;

/// A machine: ranks of the same kind. The names of its fields are the keys of a machine file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineCosts {
    /// Its name.
    pub name: String,
    /// Where the numbers come from.
    pub source: String,
    /// The keys whose numbers are assumed and not measured.
    #[serde(default)]
    pub assumed: Vec<String>,
    /// Time of a thread for a step of a neuron of [`reference::updates`](super::reference::updates), in ns. That of other models is in
    /// proportion to the operations of their code.
    pub update_ns: f64,
    /// Time of a thread for an event of a stored synapse without state, in ns.
    pub event_ns: f64,
    /// Time of a thread to find a stored row, in ns: for each spike that arrives, and each projection of its neuron.
    pub row_ns: f64,
    /// As `event_ns`, for procedural synapses.
    pub drawn_event_ns: f64,
    /// As `row_ns`, for procedural rows.
    pub drawn_row_ns: f64,
    /// Standard deviation of the time of a rank between two exchanges, for other reasons than its load, in µs.
    #[serde(default)]
    pub noise_us: f64,
    /// Threads of a rank, on a core each.
    pub threads_per_rank: u32,
    /// Ranks that share a connection to the network.
    pub ranks_per_node: u32,
    /// Memory of a rank, in bytes.
    pub memory_per_rank: u64,
    /// Time of a message between two ranks, without its content, in µs.
    pub latency_us: f64,
    /// Bandwidth of the connection of a node, in 10⁹ bytes per second.
    pub bandwidth_gb_s: f64,
}

impl MachineCosts {
    /// The machine of a JSON file.
    ///
    /// # Errors
    /// The text is not JSON, a key is missing or unknown, or a value is not in its range.
    pub fn from_json(text: &str) -> Result<MachineCosts, Error> {
        let machine: MachineCosts = serde_json::from_str(text).map_err(|error| {
            let way_out = "write one with `spikelet machine --out FILE`, and change its values";
            Error::invalid("", error.to_string(), "a machine file is an object with the keys of docs/scaling.md", way_out)
        })?;
        machine.check()?;
        Ok(machine)
    }

    /// As the text of a file.
    pub fn to_json(&self) -> String {
        // Names and finite numbers only: cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    fn check(&self) -> Result<(), Error> {
        let times = [
            ("update_ns", self.update_ns),
            ("event_ns", self.event_ns),
            ("row_ns", self.row_ns),
            ("drawn_event_ns", self.drawn_event_ns),
            ("drawn_row_ns", self.drawn_row_ns),
            ("noise_us", self.noise_us),
            ("latency_us", self.latency_us),
        ];
        for (path, value) in times {
            if !value.is_finite() || value < 0.0 {
                return Err(Error::invalid(path, value, "a time is a number of at least 0", "use 0 if it does not matter"));
            }
        }
        if !self.bandwidth_gb_s.is_finite() || self.bandwidth_gb_s <= 0.0 {
            let expected = "a bandwidth is a number above 0";
            return Err(Error::invalid("bandwidth_gb_s", self.bandwidth_gb_s, expected, "for example 25 for 200 Gb/s"));
        }
        let counts = [
            ("threads_per_rank", u64::from(self.threads_per_rank)),
            ("ranks_per_node", u64::from(self.ranks_per_node)),
            ("memory_per_rank", self.memory_per_rank),
        ];
        match counts.into_iter().find(|(_, count)| *count == 0) {
            Some((path, _)) => {
                Err(Error::invalid(path, 0, "it is at least 1", "count the threads, ranks or bytes of the machine"))
            }
            None => Ok(()),
        }
    }
}
