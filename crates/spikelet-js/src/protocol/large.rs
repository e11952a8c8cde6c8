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
    use std::fmt;

    use serde::de::value::{Error, F64Deserializer};

    /// A number as it is serialised.
    struct AsText(u64);

    impl fmt::Display for AsText {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            super::serialize(&self.0, f)
        }
    }

    #[test]
    fn a_number_beyond_those_of_javascript_is_the_nearest_one() {
        let exact = (1 << 53) - 1;
        for (bytes, nearest) in [(0, 0), (exact, exact), (720_000_528_000_089_601, 720_000_528_000_089_600)] {
            assert_eq!(AsText(bytes).to_string(), nearest.to_string());
            let read = super::deserialize(F64Deserializer::<Error>::new(nearest as f64));
            assert_eq!(read, Ok(nearest));
        }
    }
}
