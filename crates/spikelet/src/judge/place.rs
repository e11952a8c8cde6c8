//! Where in a population something is wrong.

use super::texts::Field;

/// What a path below a population is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PopulationPath {
    /// One of its texts.
    Field(Field),
    /// The method of integration.
    Method,
    /// How many neurons there are.
    Size,
    /// The value of a parameter.
    Value(String),
    /// The value of a variable at t = 0.
    Initial(String),
    /// Something else.
    Elsewhere,
}

/// Keys of a population that have no place among its equations.
const KEYS: [&str; 8] = ["", "name", "size", "model", "preset", "parameters", "initial", "positions"];

impl PopulationPath {
    /// The place of a path, such as `populations[1].parameters.tau`.
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
        match Field::named(key) {
            Some(field) => PopulationPath::Field(field),
            None if key == "method" => PopulationPath::Method,
            // Of names that are given a value in another way it is said with the values.
            None if key.chars().all(|c| c.is_alphanumeric() || c == '_') && !KEYS.contains(&key) => {
                PopulationPath::Value(key.to_owned())
            }
            None => PopulationPath::Elsewhere,
        }
    }
}
