//! Texts of Spikelet as those of Brian 2: units of equations are base units there, and names of units are ASCII.

use spikelet::lang::syntax::parse_unit;
use spikelet::lang::{Dimension, quantity};
use spikelet::{Quantity, RunRegularly};

use super::functions::translated;
use super::names::fit;

/// Names of inner units: here, in Brian 2, and the base unit.
const UNITS: [(&str, &str, &str); 11] = [
    ("mV", "mV", "volt"),
    ("ms", "ms", "second"),
    ("pA", "pA", "amp"),
    ("nS", "nS", "siemens"),
    ("pF", "pF", "farad"),
    ("GΩ", "Gohm", "ohm"),
    ("kHz", "kHz", "hertz"),
    ("µm", "um", "metre"),
    ("amol", "(1e-18*mole)", "mole"),
    ("fC", "(1e-15*coulomb)", "coulomb"),
    ("K", "kelvin", "kelvin"),
];

/// The base units: their symbols in units without a name, one inner unit in Brian 2, and the base unit there.
const BASES: [(&str, &str, &str); 7] = [
    ("m", "um", "metre"),
    ("kg", "(1e-12*kilogram)", "kilogram"),
    ("s", "ms", "second"),
    ("A", "pA", "amp"),
    ("K", "kelvin", "kelvin"),
    ("mol", "(1e-18*mole)", "mole"),
    ("cd", "candela", "candela"),
];

type UnitNames = (&'static str, &'static str, &'static str);

/// An inner unit with its names replaced.
fn renamed(inner: &str, name: impl Fn(&UnitNames) -> &'static str) -> String {
    if let Some(unnamed) = inner.strip_suffix(" (inner units)") {
        return product_of_bases(unnamed, name);
    }
    let mut out = String::new();
    let mut rest = inner;
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        if word == 0 {
            let next = rest.find(char::is_alphabetic).unwrap_or(rest.len());
            out += &rest[..next];
            rest = &rest[next..];
            continue;
        }
        let known = UNITS.iter().find(|(inner, ..)| *inner == &rest[..word]);
        out += known.map_or(&rest[..word], |known| name(known));
        rest = &rest[word..];
    }
    out
}

/// A unit without a name, `m^-3·mol`, as a quotient of base units.
fn product_of_bases(unnamed: &str, name: impl Fn(&UnitNames) -> &'static str) -> String {
    let unnamed = match unnamed {
        "watt" => "m^2·kg·s^-3",
        "joule" => "m^2·kg·s^-2",
        other => other,
    };
    let (mut above, mut below) = (Vec::new(), String::new());
    for part in unnamed.split('·') {
        let (symbol, exponent) = part.split_once('^').unwrap_or((part, "1"));
        let unit: &str = match BASES.iter().find(|(of, ..)| *of == symbol) {
            Some(known) => name(known),
            None => symbol,
        };
        let (is_below, exponent) = exponent.strip_prefix('-').map_or((false, exponent), |exponent| (true, exponent));
        let power = if exponent == "1" { unit.to_owned() } else { format!("{unit}**{exponent}") };
        if is_below {
            below += &format!("/{power}");
        } else {
            above.push(power);
        }
    }
    let above = if above.is_empty() { "1".to_owned() } else { above.join("*") };
    above + &below
}

/// An inner unit as Brian 2 has it, to multiply numbers with.
pub(super) fn unit(inner: &str) -> String {
    if inner.is_empty() { "1".to_owned() } else { renamed(inner, |(_, name, _)| name) }
}

/// A unit with each of its names replaced by the base unit of what it measures: in equations only the dimension matters.
fn base(text: &str) -> Option<String> {
    let whole = parse_unit(text).ok()?;
    let mut out = String::new();
    for part in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = part.trim_end_matches(|c: char| !c.is_alphabetic());
        if !word.is_empty() {
            let inner = parse_unit(word).ok()?.dimension.inner_unit();
            match UNITS.iter().find(|(of, ..)| *of == inner) {
                Some((.., base)) => out += base,
                // A unit of several base units, such as mM: the whole is written with these.
                None => return Some(renamed(&whole.dimension.inner_unit(), |(.., base)| base)),
            }
        }
        out += &part[word.len()..];
    }
    Some(out)
}

/// The dimension of an inner unit in equations.
pub(super) fn base_of_inner(inner: &str) -> String {
    if inner.is_empty() { "1".to_owned() } else { renamed(inner, |(.., base)| base) }
}

/// A line of equations, apart.
pub(super) struct Line {
    /// The name that it defines, in the network.
    pub(super) given: String,
    /// The same in Brian 2.
    pub(super) name: String,
    /// What is before the unit.
    left: String,
    /// What is to the right of `=`, as in the network.
    right: String,
    unit: String,
    /// Its flags.
    pub(super) flags: Vec<String>,
    /// Whether it only declares a name.
    pub(super) is_parameter: bool,
}

impl Line {
    /// A declaration of a parameter with the dimension of an inner unit.
    pub(super) fn parameter(name: &str, inner: &str) -> Line {
        let (unit, fitted) = (base_of_inner(inner), fit(name));
        Line {
            given: name.into(),
            left: fitted.clone(),
            right: String::new(),
            name: fitted,
            unit,
            flags: vec!["constant".into()],
            is_parameter: true,
        }
    }

    /// A subexpression.
    pub(super) fn subexpression(name: &str, text: &str, unit: &str) -> Result<Line, String> {
        let fitted = fit(name);
        Ok(Line {
            given: name.into(),
            left: format!("{fitted} = {}", translated(without_comment(text))?),
            right: without_comment(text).to_owned(),
            name: fitted,
            unit: unit.into(),
            flags: Vec::new(),
            is_parameter: false,
        })
    }

    /// The base unit.
    pub(super) fn unit(&self) -> &str {
        &self.unit
    }

    /// What is to the right of `=`, as in the network.
    pub(super) fn right(&self) -> &str {
        &self.right
    }

    fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|of| of == flag)
    }

    /// Whether it is a differential equation.
    pub(super) fn is_differential(&self) -> bool {
        self.left.contains("/dt =")
    }

    /// Whether it is a differential equation that is integrated in every step.
    pub(super) fn is_clock_driven(&self) -> bool {
        self.is_differential() && !self.has_flag("event-driven")
    }

    /// Whether it stands for its text wherever it is used.
    pub(super) fn is_subexpression(&self) -> bool {
        !self.is_parameter && !self.is_differential() && !self.has_flag("constant over dt") && !self.has_flag("summed")
    }

    /// Whether what is to the right of its name contains a word.
    pub(super) fn reads(&self, word: &str) -> bool {
        self.right.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|part| part == word)
    }

    /// An event-driven equation with a number for `dt`: Brian 2 puts the time since the last event in its place.
    pub(super) fn with_dt(&mut self, dt_ms: f64) {
        if self.has_flag("event-driven") && self.reads("dt") {
            let mut parts = self.left.splitn(2, " = ");
            if let (Some(name), Some(right)) = (parts.next(), parts.next()) {
                self.left = format!("{name} = {}", with_word(right, "dt", &format!("({dt_ms:?}*ms)")));
            }
        }
    }

    pub(super) fn text(&self) -> String {
        let flags = if self.flags.is_empty() { String::new() } else { format!(" ({})", self.flags.join(", ")) };
        format!("{} : {}{flags}", self.left, self.unit)
    }
}

/// The lines of equations, without comments.
pub(super) fn lines(equations: &str) -> Result<Vec<Line>, String> {
    let mut lines = Vec::new();
    let mut open = String::new();
    for line in equations.lines() {
        let line = without_comment(line);
        open = if open.is_empty() { line.to_owned() } else { format!("{open} {line}") };
        let Some((left, right)) = open.split_once(':') else { continue };
        let (unit, flags) = match right.split_once('(') {
            Some((unit, flags)) if flags.trim_end().ends_with(')') && !unit.trim().is_empty() => {
                (unit.trim(), flags.trim_end().trim_end_matches(')'))
            }
            _ => (right.trim(), ""),
        };
        // Here a subexpression of constants can be flagged as one. What is plastic matters where `plasticity` is 0.
        let is_left_out = |flag: &String| flag.is_empty() || flag == "plastic" || flag == "constant" && left.contains('=');
        let flags: Vec<String> = flags.split(',').map(|flag| flag.trim().to_owned()).filter(|flag| !is_left_out(flag)).collect();
        if let Some(flag) = flags.iter().find(|flag| ["linked", "f16"].contains(&flag.as_str())) {
            return Err(format!("the flag `{flag}` of `{}`; leave it out", left.trim()));
        }
        let unit = match unit {
            "integer" | "boolean" => unit.to_owned(),
            _ => base(unit).ok_or_else(|| format!("the unit of `{line}`"))?,
        };
        let (defined, right) = left.split_once('=').map_or((left, None), |(name, right)| (name, Some(right.trim())));
        let defined: String = defined.split_whitespace().collect();
        let derived = defined.strip_suffix("/dt").and_then(|of| of.strip_prefix('d'));
        let given = derived.unwrap_or(&defined);
        let name = fit(given);
        let mut left = if derived.is_some() { format!("d{name}/dt") } else { name.clone() };
        if let Some(right) = right {
            left += &format!(" = {}", translated(right)?);
        }
        let (given, is_parameter) = (given.to_owned(), right.is_none());
        lines.push(Line { given, name, left, right: right.unwrap_or_default().to_owned(), unit, flags, is_parameter });
        open.clear();
    }
    Ok(lines)
}

/// A constant value as Python; `None` if it is no constant. A number has the inner unit of what it measures.
pub(super) fn constant(value: &Quantity, dimension: Dimension) -> Option<String> {
    if let Quantity::Number(number) = value {
        return Some(product(*number, &dimension.inner_unit()));
    }
    let text = value.text()?;
    let (number, dimension) = quantity::constant("value", &text).ok()?;
    Some(product(number, &dimension.inner_unit()))
}

/// A number with its unit.
pub(super) fn product(number: f64, inner: &str) -> String {
    match unit(inner).as_str() {
        "1" => format!("{number:?}"),
        unit if unit.contains('/') => format!("{number:?}*({unit})"),
        unit => format!("{number:?}*{unit}"),
    }
}

/// A text with something else for each occurrence of a word.
fn with_word(text: &str, word: &str, other: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let end = rest[start..].find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(rest.len(), |end| start + end);
        out += &rest[..start];
        out += if &rest[start..end] == word { other } else { &rest[start..end] };
        rest = &rest[end..];
    }
    out + rest
}

/// Whether a text calls a function.
pub(super) fn calls(text: &str, function: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(function)
        .any(|(at, _)| !text[..at].ends_with(is_part) && text[at + function.len()..].trim_start().starts_with('('))
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// A text as a string of Python.
pub(super) fn quoted(text: &str) -> Result<String, String> {
    if text.trim().contains('\n') {
        // Only comments can contain what ends a string.
        let lines: Result<Vec<String>, String> =
            text.trim().lines().map(|line| Ok(format!("        {}", translated(without_comment(line))?))).collect();
        return Ok(format!("'''\n{}\n    '''", lines?.join("\n")));
    }
    Ok(format!("{:?}", translated(text.trim())?))
}

/// The call that repeats statements.
pub(super) fn regular(object: &str, of: &RunRegularly, order: i32) -> Result<String, String> {
    if of.start_ms.is_some() {
        return Err(format!("`start_ms` of `run_regularly` of {object}; let the statements test `t`"));
    }
    let every = of.every_ms.as_ref().map(|every| match every {
        Quantity::Number(ms) => Ok(format!(", dt={ms:?}*ms")),
        other => {
            constant(other, Dimension::TIME).map(|every| format!(", dt={every}")).ok_or_else(|| format!("the interval {other}"))
        }
    });
    let order = if order == 0 { String::new() } else { format!(", order={order}") };
    Ok(format!("{object}.run_regularly({}{}{order})", quoted(&of.statements)?, every.transpose()?.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_have_base_units() {
        let text = "dv/dt = (El - v)/tau : mV (unless refractory) # comment\nI = g*(E -\n v) : amp\nw : nS/ms (constant)\nn : integer\nx : 1";
        let lines: Vec<String> = lines(text).unwrap_or_default().iter().map(Line::text).collect();
        assert_eq!(
            lines,
            [
                "dv/dt = (El - v)/tau : volt (unless refractory)",
                "I = g*(E - v) : amp",
                "w : siemens/second (constant)",
                "n : integer",
                "x : 1"
            ]
        );
        let text = "k : 1/ms/mM\nw : mM (plastic)\nP : watt";
        let lines: Vec<String> = super::lines(text).unwrap_or_default().iter().map(Line::text).collect();
        assert_eq!(lines, ["k : metre**3/second/mole", "w : mole/metre**3", "P : metre**2*kilogram/second**3"]);
        assert_eq!(unit("m^-3·mol (inner units)"), "(1e-18*mole)/um**3");
    }

    #[test]
    fn event_driven_equations_have_a_number_for_dt() {
        let mut lines = lines("dx/dt = -x/dt : 1 (event-driven)\ndy/dt = -y/dt : 1 (clock-driven)").unwrap_or_default();
        lines.iter_mut().for_each(|line| line.with_dt(0.1));
        let texts: Vec<String> = lines.iter().map(Line::text).collect();
        assert_eq!(texts, ["dx/dt = -x/(0.1*ms) : 1 (event-driven)", "dy/dt = -y/dt : 1 (clock-driven)"]);
    }

    #[test]
    fn values_are_those_of_python() {
        for (text, python) in
            [("20 ms", "20.0*ms"), ("0.1 Mohm", "0.0001*Gohm"), ("3", "3.0"), ("2*nS/ms", "2.0*(nS/ms)"), ("5 um", "5.0*um")]
        {
            assert_eq!(constant(&Quantity::from(text), Dimension::NONE).as_deref(), Some(python), "{text}");
        }
        assert_eq!(constant(&Quantity::from("rand()*mV"), Dimension::VOLTAGE), None);
        assert_eq!(constant(&Quantity::Number(300.0), Dimension::VOLTAGE).as_deref(), Some("300.0*mV"));
    }
}
