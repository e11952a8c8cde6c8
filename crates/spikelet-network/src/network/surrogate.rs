//! The surrogate of a threshold, for training.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use spikelet_lang::gradient::{NoGradient, Shape, Surrogate};
use spikelet_lang::quantity::constant;
use spikelet_lang::{Dimension, NeuronModel};

use super::Quantity;
use crate::Error;

/// A surrogate by its name, `"superspike"`, or with its numbers, `{"shape": "superspike", "slope": "10/mV", "factor": 0.3}`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurrogateChoice {
    /// Name of a [`Shape`].
    pub shape: String,
    /// The slope in 1 over the unit of what the threshold compares; a number is in 1 over the inner unit. Default: that of the shape,
    /// if the threshold compares numbers without unit.
    pub slope: Option<Quantity>,
    /// A factor; default: that of the shape.
    pub factor: Option<f64>,
}

impl From<&str> for SurrogateChoice {
    fn from(shape: &str) -> SurrogateChoice {
        SurrogateChoice { shape: shape.to_owned(), ..SurrogateChoice::default() }
    }
}

impl SurrogateChoice {
    /// Checks everything that does not need the threshold. `path` is that of the surrogate.
    pub(super) fn check(&self, path: &str) -> Result<(), Error> {
        self.shape(path)?;
        self.factor.map_or(Ok(()), |factor| {
            let expected = "a factor must be a finite number above 0";
            let fails = || Error::invalid(format!("{path}.factor"), factor, expected, "for example 0.3");
            (factor.is_finite() && factor > 0.0).then_some(()).ok_or_else(fails)
        })
    }

    fn shape(&self, path: &str) -> Result<Shape, Error> {
        let known = || Shape::ALL.iter().map(|(name, _)| *name);
        self.shape.parse().map_err(|_: String| Error::unknown_name(path, "surrogate", &self.shape, known()))
    }

    /// The surrogate of a population with this model. `path` is that of the population.
    ///
    /// # Errors
    /// An unknown shape, a slope of another dimension or without one where the threshold has a unit, a number out of its range, a
    /// threshold that is not one comparison.
    pub fn surrogate(&self, path: &str, model: &NeuronModel) -> Result<Surrogate, Error> {
        let Some(compared) = model.compared else {
            let found = "a condition without a difference";
            return Err(Error::invalid(format!("{path}.threshold"), found, NoGradient::Threshold, "or remove the surrogate"));
        };
        let path = format!("{path}.surrogate");
        self.check(&path)?;
        let default = Surrogate::from(self.shape(&path)?);
        let slope = self.slope(&path, compared, default.slope)?;
        Ok(Surrogate { slope, factor: self.factor.unwrap_or(default.factor), ..default })
    }

    fn slope(&self, path: &str, compared: Dimension, default: f64) -> Result<f64, Error> {
        let place = || format!("{path}.slope");
        let (example, unit) = if compared.is_none() {
            ("10".to_owned(), "a number".to_owned())
        } else {
            (format!("\"1/{}\"", compared.inner_unit()), format!("1 over {}", compared.inner_unit()))
        };
        let slope = match &self.slope {
            None if compared.is_none() => return Ok(default),
            None => {
                let expected =
                    format!("the threshold compares values in {}, so that a slope is necessary", compared.inner_unit());
                let way_out = format!("add one, as in {{\"shape\": \"{}\", \"slope\": {example}}}", self.shape);
                return Err(Error::invalid(path, format!("\"{}\"", self.shape), expected, way_out));
            }
            Some(Quantity::Number(slope)) => *slope,
            Some(Quantity::Text(text)) => {
                let (slope, found) = constant("slope", text).map_err(|diagnostic| Error::model(&place(), vec![diagnostic]))?;
                if found != Dimension::NONE.over(compared) {
                    let expected = format!("the slope of this threshold is {unit}");
                    return Err(Error::invalid(place(), format!("{text:?}"), expected, format!("for example {example}")));
                }
                slope
            }
            Some(other) => return Err(Error::invalid(place(), other, "one slope is expected", format!("for example {example}"))),
        };
        if slope.is_finite() && slope > 0.0 {
            return Ok(slope);
        }
        Err(Error::invalid(place(), slope, "a slope must be finite and above 0", format!("for example {example}")))
    }
}

/// Only the name, where that is all.
impl Serialize for SurrogateChoice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SurrogateChoice { shape, slope, factor } = self.clone();
        match (slope, factor) {
            (None, None) => serializer.serialize_str(&shape),
            (slope, factor) => Object { shape, slope, factor }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SurrogateChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SurrogateChoice, D::Error> {
        struct ChoiceVisitor;

        impl<'de> Visitor<'de> for ChoiceVisitor {
            type Value = SurrogateChoice;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a surrogate, or {\"shape\": \"superspike\", \"slope\": …, \"factor\": …}, is expected")
            }

            fn visit_str<E: de::Error>(self, shape: &str) -> Result<SurrogateChoice, E> {
                Ok(SurrogateChoice::from(shape))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<SurrogateChoice, A::Error> {
                let Object { shape, slope, factor } = Object::deserialize(MapAccessDeserializer::new(map))?;
                Ok(SurrogateChoice { shape, slope, factor })
            }
        }

        deserializer.deserialize_any(ChoiceVisitor)
    }
}

/// A surrogate with its numbers.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    shape: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    slope: Option<Quantity>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    factor: Option<f64>,
}
