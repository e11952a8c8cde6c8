//! Sweeps: values for which a network is run, one after the other.

use std::str::FromStr;

use spikelet_lang::quantity::constant;

use crate::Error;

/// The name of a sweep in errors.
const PLACE: &str = "the sweep";

/// Maximum number of values of a sweep, and of points of a grid.
const MOST: usize = 1_000_000;

/// A value of a network that is varied: `E.tau_m=10ms..30ms:8`, eight values from 10 to 30 ms, or `E.I=100pA,200pA,300pA`.
///
/// A range includes both ends; its values are equidistant, rounded to twelve digits, in the unit of the first end. Each value of a list has
/// the form of [`Network::set`](crate::Network::set).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// The path of the value, such as `E.tau_m`.
    pub path: String,
    /// Its values, in the form of [`Network::set`](crate::Network::set).
    pub values: Vec<String>,
}

impl Sweep {
    /// All combinations of the values of `sweeps`, each as paths and values; the first varies slowest. A single empty one if there are no
    /// sweeps.
    ///
    /// # Errors
    /// Two sweeps vary the same value, or there are more than a million combinations.
    pub fn grid(sweeps: &[Sweep]) -> Result<Vec<Vec<(String, String)>>, Error> {
        let mut grid = vec![Vec::new()];
        for (index, sweep) in sweeps.iter().enumerate() {
            if sweeps[..index].iter().any(|other| other.path == sweep.path) {
                let way_out = "list all its values in one sweep";
                return Err(Error::invalid(
                    PLACE,
                    format!("{} twice", sweep.path),
                    "each value can be varied only once in a grid",
                    way_out,
                ));
            }
            if grid.len().saturating_mul(sweep.values.len()) > MOST {
                let found = format!("{} points and more", grid.len().saturating_mul(sweep.values.len()));
                return Err(Error::invalid(PLACE, found, format!("a grid has at most {MOST}"), "use fewer values"));
            }
            let with = |point: Vec<(String, String)>| {
                sweep.values.iter().map(move |value| [&point[..], &[(sweep.path.clone(), value.clone())]].concat())
            };
            grid = grid.into_iter().flat_map(with).collect();
        }
        Ok(grid)
    }
}

impl FromStr for Sweep {
    type Err = Error;

    fn from_str(text: &str) -> Result<Sweep, Error> {
        let wrong = |expected: &str, way_out: &str| Err(Error::invalid(PLACE, format!("{text:?}"), expected, way_out));
        const SUCH: &str = "for example E.tau_m=10ms..30ms:8 or E.I=100pA,200pA";
        let Some((path, values)) = text.split_once('=').map(|(path, values)| (path.trim(), values.trim())) else {
            return wrong("a sweep has the form path, `=`, values", SUCH);
        };
        if path.is_empty() {
            return wrong("a path is expected before the `=`", SUCH);
        }
        let is_range = !values.starts_with(['{', '[', '"']) && values.contains("..");
        let values = if is_range { range(text, values)? } else { list(text, values)? };
        Ok(Sweep { path: path.to_owned(), values })
    }
}

fn wrong(text: &str, expected: impl Into<String>, way_out: &str) -> Error {
    Error::invalid(PLACE, format!("{text:?}"), expected.into(), way_out)
}

/// `10ms..30ms:8`
fn range(text: &str, values: &str) -> Result<Vec<String>, Error> {
    let (first, rest) = values.split_once("..").unwrap_or((values, ""));
    let Some((last, count)) = rest.rsplit_once(':') else {
        return Err(wrong(text, "a range needs `:` and the number of values", "for example 10ms..30ms:8"));
    };
    let count = match count.trim().parse::<usize>() {
        Ok(count @ 2..=MOST) => count,
        Ok(0) => return Err(wrong(text, "at least one value is needed", "write 2 or more after the `:`")),
        Ok(1) => {
            let way_out = "write 2 or more after the `:`, or only the value";
            return Err(wrong(text, "a range includes both ends, which are two values", way_out));
        }
        _ => {
            let expected = format!("a whole number from 2 to {MOST} is expected after the `:`");
            return Err(wrong(text, expected, "for example 10ms..30ms:8"));
        }
    };
    let (first, last) = (End::parse(text, first)?, End::parse(text, last)?);
    if first.dimension != last.dimension {
        let expected = format!("one end is {}, the other {}", first.dimension, last.dimension);
        return Err(wrong(text, expected, "use units of the same dimension for both ends"));
    }
    let to = if first.unit == last.unit { last.number } else { last.number * last.factor / first.factor };
    if first.number == to {
        return Err(wrong(text, "both ends are the same", "use different ends, or only the value"));
    }
    let value = |index: usize| match index {
        0 => first.number,
        _ if index + 1 == count => to,
        // Each end is weighted, so that large values do not overflow.
        _ => rounded(first.number * ((count - 1 - index) as f64 / (count - 1) as f64) + to * (index as f64 / (count - 1) as f64)),
    };
    Ok((0..count).map(|index| first.with(value(index))).collect())
}

/// To twelve digits: 0.3, not 0.30000000000000004.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

/// An end of a range: a number, and its unit as written.
struct End<'a> {
    number: f64,
    unit: &'a str,
    /// The unit in inner units.
    factor: f64,
    dimension: spikelet_lang::Dimension,
}

impl<'a> End<'a> {
    fn parse(whole: &str, text: &'a str) -> Result<End<'a>, Error> {
        let text = text.trim();
        let expected =
            || wrong(whole, format!("an end of a range is a number with its unit, and {text:?} is not"), "for example 10ms");
        let (number, unit) = text.split_at(number_length(text));
        let number: f64 = number.parse().map_err(|_| expected())?;
        let of = |text: &str| constant(PLACE, text).map_err(|diagnostic| Error::model(PLACE, vec![diagnostic]));
        let (value, dimension) = of(text)?;
        let (factor, _) = of(&format!("1{unit}"))?;
        // Text other than a unit follows the number.
        let is_unit = factor > 0.0 && (number * factor - value).abs() <= 1e-9 * value.abs();
        if number.is_finite() && is_unit { Ok(End { number, unit, factor, dimension }) } else { Err(expected()) }
    }

    /// A number in the unit of this end.
    fn with(&self, number: f64) -> String {
        let blank = if self.unit.starts_with(char::is_alphabetic) { " " } else { "" };
        format!("{number}{blank}{}", self.unit)
    }
}

/// Length of the number at the start of a text: a sign, digits, a point, an exponent.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let skip = |at: usize, is: fn(&u8) -> bool| at + bytes[at.min(bytes.len())..].iter().take_while(|byte| is(byte)).count();
    let mut end = skip(usize::from(text.starts_with(['+', '-'])), u8::is_ascii_digit);
    if bytes.get(end) == Some(&b'.') {
        end = skip(end + 1, u8::is_ascii_digit);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = skip(end + 1 + sign, u8::is_ascii_digit);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

/// `100pA,200pA,300pA`: commas in brackets or quotes do not separate.
fn list(text: &str, values: &str) -> Result<Vec<String>, Error> {
    let (mut depth, mut quoted, mut escaped, mut start) = (0_i32, false, false, 0);
    let mut found = Vec::new();
    for (at, letter) in values.char_indices().chain([(values.len(), ',')]) {
        match letter {
            _ if std::mem::take(&mut escaped) => {}
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth -= 1,
            ',' if at == values.len() || !quoted && depth == 0 => {
                found.push(values[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if values.is_empty() {
        return Err(wrong(text, "there are no values after the `=`", "for example E.I=100pA,200pA"));
    }
    if found.len() > MOST {
        return Err(wrong("…", format!("{} values; a sweep has at most {MOST}", found.len()), "take fewer"));
    }
    if let Some(place) = found.iter().position(|value| value.is_empty()) {
        return Err(wrong(text, format!("value {} of the list is empty", place + 1), "remove a comma, or add the value"));
    }
    // The dimension of draws and of other values is known only after the build.
    let mut known = found.iter().filter_map(|value| Some((*value, constant(PLACE, value).ok()?.1)));
    if let Some((first, dimension)) = known.next()
        && let Some((other, found)) = known.find(|(_, other)| *other != dimension)
    {
        let expected = format!("{first} is {dimension}, and {other} is {found}");
        return Err(wrong(text, expected, "use units of the same dimension for all values"));
    }
    Ok(found.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests;
