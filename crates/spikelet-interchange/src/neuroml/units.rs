//! The units that values of a file can have.

use indexmap::IndexMap;

/// The dimensions of NeuroML, each with its unit of SI: all expressions of LEMS have them.
const DIMENSIONS: [(&str, &str); 26] = [
    ("none", "1"),
    ("voltage", "volt"),
    ("time", "second"),
    ("per_time", "1/second"),
    ("current", "amp"),
    ("conductance", "siemens"),
    ("capacitance", "farad"),
    ("resistance", "ohm"),
    ("per_voltage", "1/volt"),
    ("conductance_per_voltage", "siemens/volt"),
    ("concentration", "mmolar"),
    ("currentDensity", "amp/metre**2"),
    ("conductanceDensity", "siemens/metre**2"),
    ("specificCapacitance", "farad/metre**2"),
    ("length", "metre"),
    ("area", "metre**2"),
    ("volume", "metre**3"),
    ("charge", "coulomb"),
    ("charge_per_mole", "coulomb/mole"),
    ("temperature", "kelvin"),
    ("substance", "mole"),
    ("permeability", "metre/second"),
    ("rho_factor", "mole/metre/amp/second"),
    ("idealGasConstantDims", "joule/kelvin/mole"),
    ("resistivity", "ohm*metre"),
    ("specificResistance", "ohm*metre**2"),
];
/// A unit: a value in it times `scale`, plus `offset`, is the value in the unit of SI.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FileUnit {
    pub(super) scale: f64,
    pub(super) offset: f64,
    pub(super) si: String,
}

/// What the files define.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Dimensions {
    pub(super) dimensions: IndexMap<String, String>,
    pub(super) units: IndexMap<String, FileUnit>,
}

impl Dimensions {
    /// The unit of SI of a dimension.
    pub(super) fn si(&self, dimension: &str) -> Option<&str> {
        let own = self.dimensions.get(dimension).map(String::as_str);
        own.or_else(|| DIMENSIONS.iter().find(|(name, _)| *name == dimension).map(|(_, unit)| *unit))
    }

    /// A unit that a file defines.
    pub(super) fn unit(&self, symbol: &str) -> Option<&FileUnit> {
        self.units.get(symbol)
    }
}
