//! Numbers of bytes that can be above 2⁵³, as of a network that is too large: JavaScript gets the nearest number that it has.

use serde::{Deserialize, Deserializer, Serializer};

/// The largest number up to which JavaScript has all integers.
const EXACT: u64 = 1 << 53;

pub(super) fn serialize<S: Serializer>(value: &u64, to: S) -> Result<S::Ok, S::Error> {
    if *value < EXACT { to.serialize_u64(*value) } else { to.serialize_f64(*value as f64) }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    f64::deserialize(from).map(|value| value as u64)
}

/// The same where the number can be missing.
pub(super) mod option {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::protocol) fn serialize<S: Serializer>(value: &Option<u64>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::serialize(value, to),
            None => to.serialize_none(),
        }
    }

    pub(in crate::protocol) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
        Ok(Option::<f64>::deserialize(from)?.map(|value| value as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ProjectionEstimate;

    #[test]
    fn a_number_beyond_those_of_javascript_is_the_nearest_one() {
        for (bytes, written) in [(0, "0"), ((1 << 53) - 1, "9007199254740991"), (720_000_528_000_089_600, "720000528000089600.0")]
        {
            let estimate = ProjectionEstimate { name: "EE".into(), synapses: 0.0, stored: true, bytes };
            let text = serde_json::to_string(&estimate).unwrap();
            assert!(text.ends_with(&format!("\"bytes\":{written}}}")), "{text}");
            assert_eq!(serde_json::from_str::<ProjectionEstimate>(&text).unwrap(), estimate);
        }
    }
}
