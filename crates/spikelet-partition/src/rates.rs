//! Mean rates of populations and sources.

use serde_json::Value;
use spikelet_lang::quantity::constant;
use spikelet_lang::syntax::parse_unit;
use spikelet_network::{Error, Network, Quantity, Source, SourceKind, catalogue};
use spikelet_rows::Partition;

/// The rate of a population of which nothing is known, in Hz.
pub const NOMINAL_HZ: f64 = 5.0;

/// The mean rate of each population and source, in Hz.
#[derive(Debug, Clone, PartialEq)]
pub struct Rates(Vec<f64>);

impl Rates {
    /// Those that the catalogue expects of its networks, those that sources are given, and else [`NOMINAL_HZ`].
    pub fn expected(network: &Network) -> Rates {
        let entry = catalogue::entries().iter().find(|entry| entry.name == network.name);
        let of_population = |name: &str| {
            let figures = entry?.expected.iter().find(|figures| figures.population == name)?;
            Some(figures.rate_hz)
        };
        let rate = |(name, _): &(String, u32)| {
            let of_source = || network.source(name).and_then(|source| of_source(source, network.duration_ms));
            of_population(name).or_else(of_source).unwrap_or(NOMINAL_HZ)
        };
        Rates(Partition::shape(network).iter().map(rate).collect())
    }

    /// Reads the report of a run (`spikelet run --json`), or an object with rates in Hz by the names of populations and sources. Those that
    /// it does not name have the [expected](Rates::expected) rate.
    ///
    /// # Errors
    /// Malformed JSON, a population that the network does not have, or a value that is not a rate.
    pub fn from_json(network: &Network, text: &str) -> Result<Rates, Error> {
        let json: Value = serde_json::from_str(text).map_err(|error| Error::Json {
            line: error.line(),
            column: error.column(),
            message: error.to_string(),
        })?;
        let wrong_form = || {
            let expected = "the report of `spikelet run --json`, or an object of rates in Hz is expected";
            Error::invalid("the file of rates", "something else", expected, "for example {\"E\": 8.5, \"I\": 20}")
        };
        let listed: Vec<(String, String, &Value)> = match (json.get("populations"), &json) {
            (Some(Value::Array(populations)), _) => {
                let named = |(index, population): (usize, &'_ Value)| {
                    let name = population.get("name")?.as_str()?.to_owned();
                    Some((index, name))
                };
                let entry = |(index, name): (usize, String)| {
                    (format!("populations[{index}].rate_hz"), name, &populations[index]["rate_hz"])
                };
                populations.iter().enumerate().filter_map(named).map(entry).collect()
            }
            (_, Value::Object(rates)) => rates.iter().map(|(name, rate)| (name.clone(), name.clone(), rate)).collect(),
            _ => return Err(wrong_form()),
        };
        if listed.is_empty() {
            return Err(wrong_form());
        }
        let shape = Partition::shape(network);
        let mut rates = Rates::expected(network);
        for (path, name, value) in listed {
            let Some(index) = shape.iter().position(|(of, _)| *of == name) else {
                let known = shape.iter().map(|(name, _)| name.as_str());
                return Err(Error::unknown_name("the file of rates", "population or source", &name, known));
            };
            rates.0[index] = match value.as_f64() {
                Some(rate) if rate >= 0.0 && rate.is_finite() => rate,
                _ => {
                    let path = format!("the file of rates: {path}");
                    return Err(Error::invalid(path, value, "a rate is a number of Hz, 0 or more", "for example 8.5"));
                }
            };
        }
        Ok(rates)
    }

    /// The rate of a population or source, by its index in the [shape](Partition::shape).
    pub fn of(&self, population: usize) -> f64 {
        self.0[population]
    }
}

/// The rate of a source, if it is a constant.
fn of_source(source: &Source, duration_ms: f64) -> Option<f64> {
    let hertz = parse_unit("Hz").ok()?.factor;
    match &source.kind {
        SourceKind::Spikes { size, spike_times_ms } => {
            Some(spike_times_ms.len() as f64 * 1000.0 / (f64::from(*size) * duration_ms).max(1e-9))
        }
        SourceKind::Poisson { rate: Quantity::Number(rate), .. } => Some(rate / hertz),
        SourceKind::Poisson { rate: Quantity::Text(text), .. } => Some(constant("rate", text).ok()?.0 / hertz),
        SourceKind::Poisson { rate: Quantity::Values { values, unit }, .. } => {
            let factor = match unit {
                Some(unit) => parse_unit(unit).ok()?.factor,
                None => 1.0,
            };
            Some(values.iter().sum::<f64>() / values.len().max(1) as f64 * factor / hertz)
        }
        SourceKind::Poisson { .. } | SourceKind::PoissonInput { .. } => None,
    }
    .filter(|rate: &f64| *rate >= 0.0 && rate.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> Network {
        let json = r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 500, "populations": [{"name": "E", "size": 4, "model": "lif_exp"}],
            "sources": [{"name": "S", "size": 2, "spike_times_ms": [[0, 1], [1, 2], [1, 3]]},
                        {"name": "P", "type": "poisson", "size": 2, "rate": "20 Hz"},
                        {"name": "Q", "type": "poisson", "size": 2, "rate": {"values": [10, 30], "unit": "Hz"}}]}"#;
        Network::from_json(json).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn sources_have_their_own_rates() {
        let rates = Rates::expected(&network());
        let expected = [NOMINAL_HZ, 3.0, 20.0, 20.0];
        for (index, rate) in expected.into_iter().enumerate() {
            assert!((rates.of(index) - rate).abs() < 1e-9, "{rates:?}");
        }
    }

    #[test]
    fn rates_are_read_from_reports_and_objects() {
        let report = r#"{"network": "n", "populations": [{"name": "P", "rate_hz": 7}, {"name": "E", "rate_hz": 1.5}]}"#;
        for text in [report, r#"{"E": 1.5, "P": 7}"#] {
            let rates = Rates::from_json(&network(), text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!([rates.of(0), rates.of(2)], [1.5, 7.0]);
        }
        for (text, part) in [
            (r#"{"F": 1}"#, "there is no population or source `F`"),
            (r#"{"E": -1}"#, "the file of rates: E is -1, but a rate is a number of Hz, 0 or more"),
            (r#"{"E": "fast"}"#, "a rate is a number of Hz"),
            (r#"{"populations": [{"name": "E", "rate_hz": null}]}"#, "populations[0].rate_hz is null"),
            ("[1]", "{\"E\": 8.5, \"I\": 20}"),
            ("{}", "{\"E\": 8.5, \"I\": 20}"),
            ("{", "malformed"),
        ] {
            let message = Rates::from_json(&network(), text).map_err(|error| error.to_string());
            assert!(message.as_ref().is_err_and(|message| message.contains(part)), "{text}: {message:?}");
        }
    }
}
