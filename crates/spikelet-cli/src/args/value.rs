//! Values in arguments.

use std::num::NonZeroUsize;

/// The size of GPU workgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkgroupSize {
    /// The fastest one.
    Auto,
    Of(u32),
}

pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((path, value)) if !path.trim().is_empty() => Ok((path.trim().to_owned(), value.trim().to_owned())),
        _ => Err("a setting has the form path, `=`, value, such as E.taum=\"15 ms\"".to_owned()),
    }
}

/// A number of threads or ranks.
pub(super) fn positive(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a whole number is expected, at least 1".to_owned())
}

pub(super) fn workgroup_size(text: &str) -> Result<WorkgroupSize, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(WorkgroupSize::Auto),
        (_, Ok(size)) => Ok(WorkgroupSize::Of(size)),
        _ => Err("a workgroup size must be a power of two, such as 64, or auto".to_owned()),
    }
}

pub(super) fn edges(text: &str) -> Result<(String, String), String> {
    let sentence = "edges have the form projection, `=`, file, such as EE=edges.csv";
    file_of_projection(text).ok_or_else(|| sentence.to_owned())
}

pub(super) fn learned(text: &str) -> Result<(String, String), String> {
    let sentence = "learned weights have the form projection, `=`, file, such as EE=weights.npz";
    file_of_projection(text).ok_or_else(|| sentence.to_owned())
}

/// A projection and a file, with `=` between them.
fn file_of_projection(text: &str) -> Option<(String, String)> {
    let (projection, file) = text.split_once('=')?;
    let whole = !projection.trim().is_empty() && !file.is_empty();
    whole.then(|| (projection.trim().to_owned(), file.to_owned()))
}

/// The start of a measurement, or its length.
pub(super) fn time_ms(text: &str) -> Result<f64, String> {
    let value = text.parse().ok().filter(|value: &f64| *value >= 0.0 && value.is_finite());
    value.ok_or_else(|| "a time in ms, 0 or more, is expected".to_owned())
}

/// A wall time, with or without its unit.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.strip_suffix('s').unwrap_or(text).trim_end().parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        _ => Err("a time must be a number of seconds above 0 and up to a day, such as 3 or 0.5".to_owned()),
    }
}

/// A biological time.
pub(super) fn milliseconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(ms) if ms > 0.0 && ms <= 1e9 => Ok(ms),
        _ => Err("a time must be a number of ms above 0 and up to 1e9, such as 100".to_owned()),
    }
}

/// A number of bytes, with an optional unit: 4GiB, 500 MB, 1000000.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "kib" | "k" => 1024.0,
        "mib" | "m" => 1_048_576.0,
        "gib" | "g" => 1_073_741_824.0,
        _ => return Err("a size must be a number with a unit, such as 4GiB or 500MB".to_owned()),
    };
    match number.parse::<f64>() {
        Ok(number) if (1.0..=9e18).contains(&(number * factor)) => Ok((number * factor) as u64),
        _ => Err("a size must be a number above 0 with a unit, such as 4GiB or 500MB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(bytes("4GiB"), Ok(4 << 30));
        assert_eq!(bytes("1.5 MB"), Ok(1_500_000));
        assert_eq!(bytes("4096"), Ok(4096));
        for wrong in ["", "GiB", "4 apples", "-3GiB", "0", "1e9"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_setting_keeps_all_after_its_first_equals_sign() {
        assert_eq!(setting("E.v = {\"expr\": \"i == 0\"}"), Ok(("E.v".into(), "{\"expr\": \"i == 0\"}".into())));
        assert!(setting("E.v").is_err());
        assert!(setting("=3").is_err());
    }
}
