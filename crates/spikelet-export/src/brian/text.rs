//! Texts of Spikelet as those of Brian 2: units of equations are base units there, and names of units are ASCII.

use spikelet::lang::quantity;
use spikelet::lang::syntax::parse_unit;
use spikelet::{Quantity, RunRegularly};

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
    ("amol", "amole", "mole"),
    ("fC", "fcoulomb", "coulomb"),
    ("K", "kelvin", "kelvin"),
];

/// An inner unit with its names replaced.
fn renamed(inner: &str, name: impl Fn(&(&'static str, &'static str, &'static str)) -> &'static str) -> String {
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

/// An inner unit as Brian 2 has it, to multiply numbers with.
pub(super) fn unit(inner: &str) -> String {
    if inner.is_empty() { "1".to_owned() } else { renamed(inner, |(_, name, _)| name) }
}

/// A unit with each of its names replaced by the base unit of what it measures: in equations only the dimension matters.
fn base(text: &str) -> Option<String> {
    parse_unit(text).ok()?;
    let mut out = String::new();
    for part in text.split_inclusive(|c: char| !c.is_alphabetic()) {
        let word = part.trim_end_matches(|c: char| !c.is_alphabetic());
        if !word.is_empty() {
            let inner = parse_unit(word).ok()?.dimension.inner_unit();
            out += UNITS.iter().find(|(of, ..)| *of == inner).map_or(word, |(.., base)| base);
        }
        out += &part[word.len()..];
    }
    Some(out)
}

/// A line of equations, apart.
pub(super) struct Line {
    /// The name that it defines.
    pub(super) name: String,
    /// What is before the unit.
    left: String,
    unit: String,
    /// Its flags.
    pub(super) flags: Vec<String>,
    /// Whether it only declares a name.
    pub(super) is_parameter: bool,
}

impl Line {
    /// A declaration of a parameter with the dimension of an inner unit.
    pub(super) fn parameter(name: &str, inner: &str) -> Line {
        let unit = base(&unit(inner)).unwrap_or_else(|| "1".into());
        Line { name: name.into(), left: name.into(), unit, flags: vec!["constant".into()], is_parameter: true }
    }

    /// A subexpression.
    pub(super) fn subexpression(name: &str, text: &str, unit: &str) -> Line {
        let flags = Vec::new();
        Line {
            name: name.into(),
            left: format!("{name} = {}", without_comment(text)),
            unit: unit.into(),
            flags,
            is_parameter: false,
        }
    }

    /// The base unit.
    pub(super) fn unit(&self) -> &str {
        &self.unit
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
        // Here a subexpression of constants can be flagged as one.
        let is_left_out = |flag: &String| flag.is_empty() || flag == "constant" && left.contains('=');
        let flags: Vec<String> = flags.split(',').map(|flag| flag.trim().to_owned()).filter(|flag| !is_left_out(flag)).collect();
        if let Some(flag) = flags.iter().find(|flag| ["linked", "f16"].contains(&flag.as_str())) {
            return Err(format!("the flag `{flag}` of `{left}`"));
        }
        let unit = match unit {
            "integer" | "boolean" => unit.to_owned(),
            _ => base(unit).ok_or_else(|| format!("the unit of `{line}`"))?,
        };
        let left = left.trim().to_owned();
        let name = match left.split_once('=') {
            Some((name, _)) => name
                .trim()
                .trim_start_matches('d')
                .split('/')
                .next()
                .filter(|_| left.contains("/dt"))
                .unwrap_or(name.trim())
                .to_owned(),
            None => left.clone(),
        };
        lines.push(Line { is_parameter: !left.contains('='), name, left, unit, flags });
        open.clear();
    }
    Ok(lines)
}

/// A constant value as Python; `None` if it is no constant.
pub(super) fn constant(value: &Quantity) -> Option<String> {
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

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}

/// A text as a string of Python.
pub(super) fn quoted(text: &str) -> String {
    if text.trim().contains('\n') {
        // Only comments can contain what ends a string.
        let lines: Vec<String> = text.trim().lines().map(|line| format!("        {}", without_comment(line))).collect();
        return format!("'''\n{}\n    '''", lines.join("\n"));
    }
    format!("{:?}", text.trim())
}

/// The call that repeats statements.
pub(super) fn regular(object: &str, of: &RunRegularly) -> Result<String, String> {
    if of.start_ms.is_some() {
        return Err(format!("`start_ms` of `run_regularly` of {object}"));
    }
    let every = of.every_ms.as_ref().map(|every| match every {
        Quantity::Number(ms) => Ok(format!(", dt={ms:?}*ms")),
        other => constant(other).map(|every| format!(", dt={every}")).ok_or_else(|| format!("the interval {other}")),
    });
    Ok(format!("{object}.run_regularly({}{})", quoted(&of.statements), every.transpose()?.unwrap_or_default()))
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
    }

    #[test]
    fn values_are_those_of_python() {
        for (text, python) in
            [("20 ms", "20.0*ms"), ("0.1 Mohm", "0.0001*Gohm"), ("3", "3.0"), ("2*nS/ms", "2.0*(nS/ms)"), ("5 um", "5.0*um")]
        {
            assert_eq!(constant(&Quantity::from(text)).as_deref(), Some(python), "{text}");
        }
        assert_eq!(constant(&Quantity::from("rand()*mV")), None);
    }
}
