//! The argument of `--screen`.

use std::str::FromStr;

use spikelet::Endpoint;

/// Neurons that are silenced group by group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Screen {
    /// All of them.
    pub(crate) neurons: Endpoint,
    /// The column whose texts are the groups.
    pub(crate) column: String,
}

impl FromStr for Screen {
    type Err = String;

    fn from_str(text: &str) -> Result<Screen, String> {
        let wrong =
            || "a screen has the form population, `.`, column of its table, such as brain.type or \"brain[side == 'left'].type\"";
        let place = text.find("].").map(|bracket| bracket + 1).or_else(|| text.find('.')).ok_or_else(wrong)?;
        let (neurons, column) = (&text[..place], text[place + 1..].trim());
        let neurons: Endpoint = neurons.trim().parse().map_err(|_| wrong())?;
        // A slice is no condition, with which the text of a group could be combined.
        if column.is_empty() || neurons.start.or(neurons.end).is_some() {
            return Err(wrong().to_owned());
        }
        Ok(Screen { neurons, column: column.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn screens_name_neurons_and_a_column() {
        let screen: Screen = "brain[x == 'a.b' and n < 1.5].cell type".parse().unwrap();
        assert_eq!((screen.neurons.condition.as_deref(), screen.column.as_str()), (Some("x == 'a.b' and n < 1.5"), "cell type"));
        assert_eq!("brain.type".parse::<Screen>().unwrap().column, "type");
        for text in ["brain", "brain.", ".type", "brain[0:5].type", "brain[type"] {
            assert!(text.parse::<Screen>().is_err(), "{text}");
        }
    }
}
