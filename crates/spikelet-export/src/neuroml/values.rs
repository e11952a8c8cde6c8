//! What cells sum over synapses and inputs. Values that differ between neurons are sums, too: each is an input of its neuron, whose weight is the value, since cells of a population are one component.

use super::text::{Unit, identifier};

/// A name with a value for each neuron of a population.
pub(super) struct Differing {
    /// What the input exposes.
    pub(super) part: String,
    pub(super) values: Vec<f64>,
}

/// A name that has a sum over synapses and inputs: all of them must expose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
}

impl Part {
    /// The exposure of something that does not add to it.
    pub(super) fn silent(&self) -> String {
        format!("      <DerivedVariable name=\"{0}\" dimension=\"none\" exposure=\"{0}\" value=\"0\"/>\n", self.name)
    }

    /// Its declaration.
    pub(super) fn exposure(&self) -> String {
        format!("    <Exposure name=\"{}\" dimension=\"none\"/>\n", self.name)
    }
}

/// The sum in a cell, as a number in an inner unit.
pub(super) fn sum(name: &str, part: &str) -> String {
    format!("      <DerivedVariable name=\"{name}\" dimension=\"none\" select=\"synapses[*]/{part}\" reduce=\"add\"/>\n")
}

/// The type of the inputs that give a value to neurons.
pub(super) fn input_type(name: &str, part: &str, parts: &[Part]) -> String {
    let mut text = format!(
        "  <ComponentType name=\"{name}\" extends=\"basePointCurrent\" description=\"The value of a neuron: its weight\">\n"
    );
    text +=
        "    <Property name=\"weight\" dimension=\"none\" defaultValue=\"1\"/>\n    <EventPort name=\"in\" direction=\"in\"/>\n";
    text += "    <Constant name=\"NOTHING\" dimension=\"current\" value=\"0pA\"/>\n";
    parts.iter().for_each(|of| text += &of.exposure());
    text += "    <Dynamics>\n      <DerivedVariable name=\"i\" dimension=\"current\" exposure=\"i\" value=\"NOTHING\"/>\n";
    for of in parts {
        text += &if of.name == part {
            format!("      <DerivedVariable name=\"{part}\" dimension=\"none\" exposure=\"{part}\" value=\"weight\"/>\n")
        } else {
            of.silent()
        };
    }
    text + "    </Dynamics>\n  </ComponentType>\n"
}

/// A parameter of a type.
pub(super) fn parameter(name: &str, unit: Unit) -> String {
    format!("    <Parameter name=\"{name}\" dimension=\"{}\"/>\n", unit.dimension())
}

/// What events that add to a variable expose: all that they have added.
pub(super) fn to_part(variable: &str) -> String {
    format!("to_{}", identifier(variable))
}

/// What synapses that are summed expose.
pub(super) fn sum_part(variable: &str) -> String {
    format!("sum_{}", identifier(variable))
}

/// The name of a sum: those of values and of summed variables have the name of the variable.
pub(super) fn without_role(part: &str) -> &str {
    part.strip_prefix("sum_").or_else(|| part.strip_prefix("value_")).unwrap_or(part)
}
