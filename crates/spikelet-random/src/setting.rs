//! What the parts of a random network share: its time step, and what others can refer to.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// What all parts of a network share.
#[derive(Debug, Clone)]
pub(super) struct Setting {
    pub(super) dt_ms: f64,
    pub(super) steps: u32,
    pub(super) draws: bool,
    /// The name of a function of the network's own.
    pub(super) function: Option<String>,
}

impl Setting {
    /// A number of steps in ms.
    pub(super) fn ms(&self, steps: u32) -> f64 {
        self.rounded(f64::from(steps) * self.dt_ms)
    }

    /// A time as it is written: 0.3, not 0.30000000000000004.
    pub(super) fn rounded(&self, ms: f64) -> f64 {
        (ms * 1e9).round() / 1e9
    }

    /// Statements at regular times.
    pub(super) fn regular(&self, every: Option<u32>, start: Option<u32>, order: i32, statements: &str) -> Value {
        let mut keys = Map::new();
        if let Some(every) = every {
            let ms = self.ms(every);
            // Both forms of a time.
            keys.insert("every_ms".into(), if every % 2 == 0 { ms.into() } else { format!("{ms} ms").into() });
        }
        start.into_iter().for_each(|start| drop(keys.insert("start_ms".into(), self.ms(start).into())));
        if order != 0 {
            keys.insert("order".into(), order.into());
        }
        keys.insert("statements".into(), statements.into());
        Value::Object(keys)
    }
}

/// The form of a value, which stays the same when it is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueForm {
    /// One number.
    Number,
    /// One time.
    Time,
    /// A number for each of this many neurons.
    Numbers(u32),
    /// A time for each of this many neurons.
    Times(u32),
    /// A number for each synapse.
    Pairs,
    /// 0 or 1.
    Switch,
}

/// What the protocol can refer to.
#[derive(Debug, Default)]
pub(super) struct Objects {
    /// Paths that a change can set, with the form of their values.
    pub(super) settable: Vec<(String, ValueForm)>,
    /// Variables of populations: name, variable and size.
    pub(super) of_neurons: Vec<(String, String, u32)>,
    /// Variables of synapses: name, variable and number of pairs, if it is known.
    pub(super) of_synapses: Vec<(String, String, Option<usize>)>,
    /// What fires.
    pub(super) firing: Vec<String>,
    /// Populations onto whose variable a projection sums.
    pub(super) summed: BTreeSet<String>,
}
