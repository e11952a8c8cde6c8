//! The fields of a population.

use super::Field;

/// The field of a path in a population.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PopulationPath {
    /// One of its texts.
    Field(Field),
    /// The statements of a regular time, by index.
    Regular(usize),
    /// The method of integration.
    Method,
    /// Number of neurons.
    Size,
    /// The value of a parameter.
    Value(String),
    /// The value of a variable at t = 0.
    Initial(String),
    /// Anything else.
    Elsewhere,
}

/// Keys of a population that are not part of its equations.
const KEYS: [&str; 9] = ["", "name", "size", "model", "preset", "parameters", "initial", "positions", "run_regularly"];

impl PopulationPath {
    /// The field of a path, such as `populations[1].parameters.tau`.
    pub fn of_path(path: &str) -> PopulationPath {
        let of_population = path.strip_prefix("populations[").and_then(|rest| rest.split_once(']'));
        let key = of_population.map_or(path, |(_, key)| key.trim_start_matches('.'));
        let of = |list: &str| key.strip_prefix(list).map(str::to_owned);
        if let Some(name) = of("parameters.") {
            return PopulationPath::Value(name);
        }
        if let Some(name) = of("initial.") {
            return PopulationPath::Initial(name);
        }
        if let Some((index, "statements")) = of("run_regularly[").as_deref().and_then(|rest| rest.split_once("].")) {
            return index.parse().map_or(PopulationPath::Elsewhere, PopulationPath::Regular);
        }
        match Field::named(key) {
            Some(field) => PopulationPath::Field(field),
            None if key == "method" => PopulationPath::Method,
            // For names with a value of another kind, the value field.
            None if key.chars().all(|c| c.is_alphanumeric() || c == '_') && !KEYS.contains(&key) => {
                PopulationPath::Value(key.to_owned())
            }
            None => PopulationPath::Elsewhere,
        }
    }
}
