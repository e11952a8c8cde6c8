//! The methods by their names.

use std::fmt;
use std::str::FromStr;

use spikelet_network::Error;

/// A way to divide a network among ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Consecutive neurons of each population.
    Blocks,
    /// Slabs along an axis; default: the longest one.
    Axis(Option<Axis>),
    /// Recursive coordinate bisection: the longest axis of a part is cut such that the load on both sides fits their numbers of ranks.
    Bisection,
    /// Balanced k-means: each neuron belongs to the nearest of as many centres as there are ranks.
    KMeans,
    /// Cells of neurons are moved between ranks while that reduces the cut (Fiduccia & Mattheyses 1982).
    Graph,
}

/// A coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names of the coordinates say all")]
pub enum Axis {
    X,
    Y,
    Z,
    W,
}

impl Axis {
    /// All axes, in the order of coordinates.
    pub const ALL: [Axis; 4] = [Axis::X, Axis::Y, Axis::Z, Axis::W];

    /// Its name.
    pub fn name(self) -> &'static str {
        ["x", "y", "z", "w"][self as usize]
    }
}

/// A method, or the best one of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The best one.
    Auto,
    /// This one.
    Only(Method),
}

/// All names.
const NAMES: [&str; 10] = ["auto", "blocks", "axis", "axis:x", "axis:y", "axis:z", "axis:w", "rcb", "kmeans", "graph"];

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Choice, Error> {
        if text == "auto" { Ok(Choice::Auto) } else { text.parse().map(Choice::Only) }
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Method, Error> {
        let axis = |axis: &Axis| text.strip_prefix("axis:") == Some(axis.name());
        Ok(match text {
            "blocks" => Method::Blocks,
            "axis" => Method::Axis(None),
            "rcb" => Method::Bisection,
            "kmeans" => Method::KMeans,
            "graph" => Method::Graph,
            _ => match Axis::ALL.iter().find(|of| axis(of)) {
                Some(axis) => Method::Axis(Some(*axis)),
                None => return Err(Error::unknown_name("", "method", text, NAMES)),
            },
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Blocks => f.write_str("blocks"),
            Method::Axis(None) => f.write_str("axis"),
            Method::Axis(Some(axis)) => write!(f, "axis:{}", axis.name()),
            Method::Bisection => f.write_str("rcb"),
            Method::KMeans => f.write_str("kmeans"),
            Method::Graph => f.write_str("graph"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        assert_eq!(NAMES[0].parse(), Ok(Choice::Auto));
        for name in &NAMES[1..] {
            assert_eq!(name.parse(), name.parse().map(Choice::Only));
            assert_eq!(name.parse::<Method>().map(|method| method.to_string()), Ok((*name).to_owned()));
        }
        let message = "kmean".parse::<Method>().map_err(|error| error.to_string());
        assert!(message.as_ref().is_err_and(|message| message.contains("did you mean `kmeans`?")), "{message:?}");
        assert!("axis:v".parse::<Method>().is_err() && "axis:".parse::<Method>().is_err());
    }
}
