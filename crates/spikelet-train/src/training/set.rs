//! Setting single values of a training by their paths.

use serde_json::{Map, Value};
use spikelet_network::Error;

use super::Training;

/// A step of a path: `.key` or `[index]`.
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl Training {
    /// Sets a key of the training, such as `optimiser.rate`, `data.train` or `train[0].rate`, or a value of its network, such as
    /// `hidden.tau_m` or `network.dt_ms`, as [`Network::set`](spikelet_network::Network::set) does. `value` is in the form of JSON, a text without
    /// its quotes.
    ///
    /// # Errors
    /// An unknown key, or a value that it cannot have; the training is not changed then.
    pub fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        // Without its network, which can be large.
        let mut keys = serde_json::to_value(self.clone().with_network(())).unwrap_or_default();
        let steps = steps(path)?;
        let first = if let Some(Step::Key(first)) = steps.first() { first } else { "" };
        let is_own = OWN.contains(&first);
        if !is_own {
            return self.network.set(path.strip_prefix("network.").unwrap_or(path), value);
        }
        *place(&mut keys, &steps, path)? = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        let changed: Training<()> = spikelet_network::parse_json(&keys.to_string(), "")?;
        *self = changed.with_network(self.network.clone());
        Ok(())
    }
}

/// The keys of a training beside its network.
const OWN: [&str; 12] =
    ["name", "input", "data", "method", "surrogate", "train", "loss", "optimiser", "batch", "epochs", "seed", "tape"];

/// `a.b[1].c` in its steps.
fn steps(path: &str) -> Result<Vec<Step<'_>>, Error> {
    let wrong = || {
        let expected = "keys separated by points, and indices in brackets, are expected";
        Error::invalid("--set", format!("the path {path:?}"), expected, "write for example optimiser.rate or train[0].rate")
    };
    let mut steps = Vec::new();
    for part in path.split('.') {
        let (key, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if key.is_empty() {
            return Err(wrong());
        }
        steps.push(Step::Key(key));
        while let Some(inner) = rest.strip_prefix('[') {
            let (index, after) = inner.split_once(']').ok_or_else(wrong)?;
            steps.push(Step::Index(index.parse().map_err(|_| wrong())?));
            rest = after;
        }
        if !rest.is_empty() {
            return Err(wrong());
        }
    }
    Ok(steps)
}

/// The place of a path; objects that are not given begin empty.
fn place<'a>(mut value: &'a mut Value, steps: &[Step<'_>], path: &str) -> Result<&'a mut Value, Error> {
    for step in steps {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        let found = match step {
            Step::Key(_) => value.as_str().map(|text| format!("{text:?}")),
            Step::Index(_) => value.as_array().map(|list| format!("a list of {}", list.len())),
        };
        let next = match (step, value) {
            (Step::Key(key), Value::Object(object)) => Some(object.entry((*key).to_owned()).or_insert(Value::Null)),
            (Step::Index(index), Value::Array(list)) => list.get_mut(*index),
            _ => None,
        };
        value = next.ok_or_else(|| {
            let found = format!("a part of {}", found.as_deref().unwrap_or("another kind of value"));
            Error::invalid(
                path,
                found,
                "each key of a path leads to an object, and each index to an element of a list",
                "set the whole value",
            )
        })?;
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use crate::preset;

    #[test]
    fn keys_and_values_of_the_network_are_set() {
        let mut training = preset("yin-yang").unwrap().training(None).unwrap();
        for (path, value) in [
            ("optimiser.rate", "0.02"),
            ("optimiser.schedule", r#"{"type": "exponential", "factor": 0.9}"#),
            ("optimiser.schedule.factor", "0.8"),
            ("data.train", "100"),
            ("train[0].rate", "2"),
            ("surrogate", "sigmoid"),
            ("batch", "7"),
            ("name", "other"),
            ("network.seed", "9"),
            ("hidden.size", "12"),
        ] {
            training.set(path, value).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
        assert_eq!((training.optimiser.rate, training.data.train, training.batch), (0.02, Some(100), 7));
        assert_eq!(training.optimiser.schedule.as_ref().and_then(|of| of.factor), Some(0.8));
        assert_eq!((training.train[0].rate, training.name.as_str(), training.network.seed), (2.0, "other", 9));
        assert_eq!(training.network.population("hidden").map(|of| of.size), Some(12));
        assert!(training.surrogate.is_some());
    }

    #[test]
    fn wrong_paths_and_values_change_nothing() {
        let mut training = preset("yin-yang").unwrap().training(None).unwrap();
        let before = training.clone();
        for (path, value, said) in [
            ("optimiser.rat", "1", "rate"),
            ("optimiser.rate", "fast", "optimiser.rate"),
            ("train[9].rate", "1", "a list of"),
            ("name.x", "1", "leads to an object"),
            ("train[x]", "1", "indices in brackets"),
            ("", "1", "keys separated by points"),
            ("optimizer.rate", "1", "optimizer"),
            ("hiden.tau_m", "1", "hidden"),
        ] {
            let error = training.set(path, value).unwrap_err().to_string();
            assert!(error.contains(said), "{path}: {error}");
        }
        assert_eq!(training, before);
    }
}
