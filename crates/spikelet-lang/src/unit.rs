//! Physical dimensions and units.
//!
//! Inside, every quantity is a plain number in one coherent system: mV, ms, pA, nS, pF, GΩ, kHz, µm, amol, K
//! (nS·mV = pA, pF·mV/ms = pA). Its base units are those of [`INNER_BASE`]; the unit of mass that makes the millivolt
//! coherent is 1e-12 kg.

use std::fmt;

/// Exponents of metre, kilogram, second, ampere, kelvin, mole, candela, in twelfths (so that square and cube roots stay exact).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Dimension([i32; 7]);

/// Size of the inner base units in SI, as powers of ten: µm, 1e-12 kg, ms, pA, K, amol, cd.
pub const INNER_BASE: [i32; 7] = [-6, -12, -3, -12, 0, -18, 0];

const TWELFTHS: i32 = 12;

/// Units that measure what models are made of, and how values of them are shown: in inner units.
const INNER: [(&str, &str); 13] = [
    ("1", "1"),
    ("volt", "mV"),
    ("second", "ms"),
    ("amp", "pA"),
    ("siemens", "nS"),
    ("farad", "pF"),
    ("ohm", "GΩ"),
    ("hertz", "kHz"),
    ("metre", "µm"),
    ("metre2", "µm**2"),
    ("kelvin", "K"),
    ("mole", "amol"),
    ("coulomb", "fC"),
];

/// What named units measure, with an example.
const MEASURES: [(&str, &str, &str); 10] = [
    ("volt", "a voltage", "-65 mV"),
    ("second", "a time", "5 ms"),
    ("amp", "a current", "200 pA"),
    ("siemens", "a conductance", "10 nS"),
    ("farad", "a capacitance", "200 pF"),
    ("ohm", "a resistance", "100 Mohm"),
    ("hertz", "a frequency", "20 Hz"),
    ("metre", "a length", "10 um"),
    ("kelvin", "a temperature", "300 kelvin"),
    ("coulomb", "a charge", "1 pcoulomb"),
];

/// The dimension of a unit's name, areas among them.
fn of_area(name: &str, of: &dyn Fn(&str) -> Dimension) -> Dimension {
    if name == "metre2" { of("metre").times(of("metre")) } else { of(name) }
}

impl Dimension {
    /// A pure number.
    pub const NONE: Dimension = Dimension([0; 7]);
    /// Second.
    pub const TIME: Dimension = Dimension::base([0, 0, 1, 0, 0, 0, 0]);
    /// Length.
    pub const LENGTH: Dimension = Dimension::base([1, 0, 0, 0, 0, 0, 0]);
    /// Volt.
    pub const VOLTAGE: Dimension = Dimension::base([2, 1, -3, -1, 0, 0, 0]);

    const fn base(exponents: [i32; 7]) -> Dimension {
        let mut twelfths = [0; 7];
        let mut k = 0;
        while k < 7 {
            twelfths[k] = exponents[k] * TWELFTHS;
            k += 1;
        }
        Dimension(twelfths)
    }

    /// Dimension of a product.
    #[must_use]
    pub fn times(self, other: Dimension) -> Dimension {
        Dimension(std::array::from_fn(|k| self.0[k].saturating_add(other.0[k])))
    }

    /// Dimension of a quotient.
    #[must_use]
    pub fn over(self, other: Dimension) -> Dimension {
        Dimension(std::array::from_fn(|k| self.0[k].saturating_sub(other.0[k])))
    }

    /// Dimension of a power; `None` where an exponent is no multiple of 1/12 or is out of any reasonable range.
    pub fn power(self, exponent: f64) -> Option<Dimension> {
        let mut result = [0; 7];
        for (to, from) in result.iter_mut().zip(self.0) {
            let exact = f64::from(from) * exponent;
            if exact != exact.round() || exact.abs() > 1e6 {
                return None;
            }
            *to = exact as i32;
        }
        Some(Dimension(result))
    }

    /// Whether this is a pure number.
    pub fn is_none(self) -> bool {
        self == Dimension::NONE
    }

    /// The power of ten of one inner unit in SI. Named units have whole exponents, so nothing is lost here.
    fn inner_power(self) -> i32 {
        INNER_BASE.iter().zip(self.0).map(|(base, twelfths)| base * twelfths / TWELFTHS).sum()
    }

    /// The unit a value of this dimension is shown in: `mV`, `nS`, `1` …
    pub fn inner_unit(self) -> String {
        let shown = |name: &str| INNER.iter().find(|(of, _)| *of == name).map_or("1", |(_, shown)| shown);
        match self.quotient() {
            Some((above, "1")) => shown(above).to_owned(),
            Some((above, below)) => format!("{}/{}", shown(above), shown(below)),
            None => format!("{self} (inner units)"),
        }
    }

    /// What is measured in this dimension, with its article: `a voltage`; its unit where it has no name.
    pub fn measure(self) -> String {
        self.named_measure().map_or_else(|| self.to_string(), |(measure, _)| measure.to_owned())
    }

    /// A quantity of this dimension: `20 Hz`; one inner unit where it has no name.
    pub fn example(self) -> String {
        self.named_measure().map_or_else(|| format!("1 {}", self.inner_unit()), |(_, example)| example.to_owned())
    }

    fn named_measure(self) -> Option<(&'static str, &'static str)> {
        if self.is_none() {
            return Some(("a pure number", "0.5"));
        }
        let is_of = |name: &str| lookup(name).is_some_and(|unit| unit.dimension == self);
        MEASURES.iter().find(|(name, ..)| is_of(name)).map(|(_, measure, example)| (*measure, *example))
    }

    /// Names of units whose quotient it is: the plainest.
    fn quotient(self) -> Option<(&'static str, &'static str)> {
        let of = |name: &str| lookup(name).map_or(Dimension::NONE, |unit| unit.dimension);
        let names = || INNER.iter().map(|(name, _)| *name);
        let plain = names().map(|above| (above, "1"));
        let inverse = names().map(|below| ("1", below));
        let rates =
            ["second", "volt", "metre", "metre2", "farad"].into_iter().flat_map(|below| names().map(move |above| (above, below)));
        plain.chain(inverse).chain(rates).find(|(above, below)| of_area(above, &of).over(of_area(below, &of)) == self)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("a pure number");
        }
        let named = ["volt", "second", "amp", "siemens", "farad", "ohm", "hertz", "metre", "coulomb", "watt", "joule"];
        if let Some(name) = named.iter().find(|name| lookup(name).is_some_and(|unit| unit.dimension == *self)) {
            return f.write_str(name);
        }
        if let Some((above, below)) = self.quotient().filter(|(_, below)| *below != "1") {
            return write!(f, "{above}/{}", if below == "metre2" { "metre**2" } else { below });
        }
        let mut first = true;
        for (symbol, twelfths) in ["m", "kg", "s", "A", "K", "mol", "cd"].iter().zip(self.0) {
            if twelfths != 0 {
                let exponent = f64::from(twelfths) / f64::from(TWELFTHS);
                let separator = if first { "" } else { "·" };
                first = false;
                write!(f, "{separator}{symbol}")?;
                if exponent != 1.0 {
                    write!(f, "^{exponent}")?;
                }
            }
        }
        Ok(())
    }
}

/// A unit: its dimension and its size in inner units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unit {
    /// What it measures.
    pub dimension: Dimension,
    /// One of it, in inner units (1 second is 1000).
    pub factor: f64,
}

struct NamedUnit {
    names: &'static [&'static str],
    symbol: &'static str,
    exponents: [i32; 7],
    /// Size in SI base units, as a power of ten.
    si: i32,
}

const fn named(names: &'static [&'static str], symbol: &'static str, exponents: [i32; 7], si: i32) -> NamedUnit {
    NamedUnit { names, symbol, exponents, si }
}

const NAMED: &[NamedUnit] = &[
    named(&["volt", "volts"], "V", [2, 1, -3, -1, 0, 0, 0], 0),
    named(&["second", "seconds"], "s", [0, 0, 1, 0, 0, 0, 0], 0),
    named(&["amp", "ampere", "amps", "amperes"], "A", [0, 0, 0, 1, 0, 0, 0], 0),
    named(&["siemens", "siemen"], "S", [-2, -1, 3, 2, 0, 0, 0], 0),
    named(&["farad", "farads"], "F", [-2, -1, 4, 2, 0, 0, 0], 0),
    named(&["ohm", "ohms"], "ohm", [2, 1, -3, -2, 0, 0, 0], 0),
    named(&["Ω", "Ω"], "Ω", [2, 1, -3, -2, 0, 0, 0], 0),
    named(&["hertz"], "Hz", [0, 0, -1, 0, 0, 0, 0], 0),
    named(&["metre", "meter", "metres", "meters"], "m", [1, 0, 0, 0, 0, 0, 0], 0),
    named(&["gram", "grams", "gramme"], "g", [0, 1, 0, 0, 0, 0, 0], -3),
    named(&["kelvin"], "K", [0, 0, 0, 0, 1, 0, 0], 0),
    named(&["mole", "mol", "moles"], "mol", [0, 0, 0, 0, 0, 1, 0], 0),
    named(&["molar"], "M", [-3, 0, 0, 0, 0, 1, 0], 3),
    named(&["liter", "litre"], "l", [3, 0, 0, 0, 0, 0, 0], -3),
    named(&["coulomb", "coulombs"], "C", [0, 0, 1, 1, 0, 0, 0], 0),
    named(&["joule", "joules"], "J", [2, 1, -2, 0, 0, 0, 0], 0),
    named(&["watt", "watts"], "W", [2, 1, -3, 0, 0, 0, 0], 0),
    named(&["newton", "newtons"], "N", [1, 1, -2, 0, 0, 0, 0], 0),
    named(&["pascal", "pascals"], "Pa", [-1, 1, -2, 0, 0, 0, 0], 0),
    named(&["candela", "candle"], "cd", [0, 0, 0, 0, 0, 0, 1], 0),
    named(&["radian", "radians"], "rad", [0; 7], 0),
    named(&["steradian", "steradians"], "sr", [0; 7], 0),
    // Their symbols, T and H, would make `mT` and `nH` units, which models use as names.
    named(&["tesla"], "tesla", [0, 1, -2, -1, 0, 0, 0], 0),
    named(&["henry"], "henry", [2, 1, -2, -2, 0, 0, 0], 0),
    named(&["weber"], "Wb", [2, 1, -2, -1, 0, 0, 0], 0),
    named(&["lumen"], "lm", [0, 0, 0, 0, 0, 0, 1], 0),
    named(&["lux"], "lx", [-2, 0, 0, 0, 0, 0, 1], 0),
    named(&["becquerel"], "Bq", [0, 0, -1, 0, 0, 0, 0], 0),
    named(&["gray"], "Gy", [2, 0, -2, 0, 0, 0, 0], 0),
    named(&["sievert"], "Sv", [2, 0, -2, 0, 0, 0, 0], 0),
    named(&["katal"], "kat", [0, 0, -1, 0, 0, 1, 0], 0),
];

const PREFIXES: &[(&str, i32)] = &[
    ("", 0),
    ("y", -24),
    ("z", -21),
    ("a", -18),
    ("f", -15),
    ("p", -12),
    ("n", -9),
    ("u", -6),
    ("µ", -6),
    ("μ", -6), // the Greek letter; the sign for micro looks the same
    ("m", -3),
    ("c", -2),
    ("d", -1),
    ("da", 1),
    ("h", 2),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
];

/// 10^exponent, correctly rounded (repeated products would not be).
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The unit called `name`: `volt`, `mV`, `uF`, `Mohm`, `kilogram` … Symbols of one letter without a prefix (`V`, `A`, `m`) are
/// units only where nothing but a unit can stand (`allow_short`), as in Brian, since models use such letters as names.
pub fn lookup_with(name: &str, allow_short: bool) -> Option<Unit> {
    if name == "1" {
        return Some(Unit { dimension: Dimension::NONE, factor: 1.0 });
    }
    for unit in NAMED {
        let dimension = Dimension::base(unit.exponents);
        let sized = |prefix: i32| Some(Unit { dimension, factor: power_of_ten(prefix + unit.si - dimension.inner_power()) });
        for (prefix, scale) in PREFIXES {
            let Some(rest) = name.strip_prefix(prefix) else { continue };
            if unit.names.contains(&rest) || (rest == unit.symbol && (allow_short || !prefix.is_empty() || rest.len() > 1)) {
                return sized(*scale);
            }
        }
        if unit.names[0] == "gram" && (name == "kilogram" || name == "kilogramme") {
            return sized(3);
        }
    }
    raised(name, allow_short)
}

/// `metre2`, `cm2`, `metre3`: Brian's names of areas and volumes, and of other squares.
fn raised(name: &str, allow_short: bool) -> Option<Unit> {
    let exponent = if name.ends_with('2') { 2.0 } else { 3.0 };
    let base = name.strip_suffix(['2', '3']).filter(|base| !base.ends_with(|sign: char| sign.is_ascii_digit()))?;
    let base = lookup_with(base, allow_short).filter(|base| !base.dimension.is_none())?;
    Some(Unit { dimension: base.dimension.power(exponent)?, factor: libm::pow(base.factor, exponent) })
}

/// The word for the symbol of a unit that is not one inside an expression: `second` for `s`.
pub fn word_of_symbol(name: &str) -> Option<&'static str> {
    NAMED.iter().find(|unit| unit.symbol == name && name.len() == 1).map(|unit| unit.names[0])
}

/// The unit called `name` inside an expression (one-letter symbols are left to the model's own names).
pub fn lookup(name: &str) -> Option<Unit> {
    lookup_with(name, false)
}

/// Unit names to suggest from.
pub fn common_names() -> impl Iterator<Item = &'static str> {
    ["mV", "ms", "pA", "nA", "uA", "nS", "uS", "mS", "pF", "nF", "uF", "Mohm", "Gohm", "Hz", "kHz", "um", "mm", "cm", "mM", "uM"]
        .into_iter()
        .chain(NAMED.iter().flat_map(|unit| unit.names.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(name: &str) -> f64 {
        lookup(name).map_or(f64::NAN, |unit| unit.factor)
    }

    #[test]
    fn examples_are_of_their_dimension() {
        let all = MEASURES.iter().map(|(name, ..)| lookup(name).expect(name).dimension);
        for dimension in all.chain([Dimension::NONE, Dimension::VOLTAGE.over(Dimension::TIME)]) {
            let (_, found) = crate::quantity::constant("example", &dimension.example()).expect("a quantity");
            assert_eq!(found, dimension, "{}", dimension.example());
        }
        assert_eq!(Dimension::VOLTAGE.measure(), "a voltage");
        assert_eq!(Dimension::VOLTAGE.over(Dimension::TIME).measure(), "volt/second");
    }

    #[test]
    fn inner_units_are_coherent() {
        for (name, inner) in [
            ("mV", 1.0),
            ("ms", 1.0),
            ("pA", 1.0),
            ("nS", 1.0),
            ("pF", 1.0),
            ("Gohm", 1.0),
            ("kHz", 1.0),
            ("um", 1.0),
            ("amol", 1.0),
            ("volt", 1e3),
            ("second", 1e3),
            ("nA", 1e3),
            ("Mohm", 1e-3),
            ("Hz", 1e-3),
            ("uF", 1e6),
            ("cm", 1e4),
            ("mM", 1.0),
        ] {
            let got = factor(name);
            assert_eq!(got, inner, "{name}");
        }
    }

    #[test]
    fn short_symbols_are_names_first() {
        assert!(lookup("V").is_none() && lookup("m").is_none() && lookup("A").is_none());
        assert!(lookup_with("V", true).is_some());
        assert!(lookup("millivolts").is_none() && lookup("Hz").is_some());
    }

    #[test]
    fn roots_and_back() {
        let root = Dimension::VOLTAGE.power(0.5);
        assert_eq!(root.and_then(|half| half.power(2.0)), Some(Dimension::VOLTAGE));
        assert_eq!(Dimension::VOLTAGE.power(0.1), None);
    }
}
