//! Values in arguments.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use spikelet_gpu::GpuOptions;

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

/// A number of the options of a GPU, by its name.
pub(super) fn constant(text: &str) -> Result<(String, u64), String> {
    let parts = text.split_once('=').and_then(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)));
    let (name, value) =
        parts.ok_or_else(|| "a constant has the form name, `=`, whole number, such as spike_teams=512".to_owned())?;
    GpuOptions::default().set_constant(name, value).map_err(|error| error.to_string())?;
    Ok((name.to_owned(), value))
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
    interval(text, &[("s", 1.0)], f64::MIN_POSITIVE..=86_400.0)
        .ok_or_else(|| "a time must be a number of seconds above 0 and up to a day, such as 3 or 0.5".to_owned())
}

/// An interval of wall time in seconds, with or without a unit.
pub(super) fn wall_time(text: &str) -> Result<f64, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0)];
    interval(text, &units, 1e-3..=604_800.0)
        .ok_or_else(|| "a time from 1 ms to a week is expected, such as 60s, 5min or 1h; without a unit it is in s".to_owned())
}

/// An interval of biological time in ms, with or without a unit.
pub(super) fn model_time(text: &str) -> Result<f64, String> {
    interval(text, &[("ms", 1.0), ("s", 1000.0)], f64::MIN_POSITIVE..=1e9)
        .ok_or_else(|| "a time above 0 and up to 1e9 ms is expected, such as 500ms or 2s; without a unit it is in ms".to_owned())
}

/// A number with one of these units, each with its factor; without one, the factor is 1.
fn interval(text: &str, units: &[(&str, f64)], range: RangeInclusive<f64>) -> Option<f64> {
    let of_unit = units.iter().find_map(|(unit, factor)| {
        let number = text.strip_suffix(unit)?.trim_end();
        number.parse::<f64>().ok().map(|number| number * factor)
    });
    of_unit.or_else(|| text.parse().ok()).filter(|value| range.contains(value))
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
    fn constants_have_names_and_ranges() {
        assert_eq!(constant(" spike_teams = 512"), Ok(("spike_teams".to_owned(), 512)));
        for (text, wrong) in
            [("spike_teams", "form name"), ("teams=1", "`teams`"), ("in_flight=1", "from 2 to 16"), ("in_flight=x", "form name")]
        {
            assert!(constant(text).is_err_and(|problem| problem.contains(wrong)), "{text}");
        }
    }

    #[test]
    fn intervals_have_units() {
        for (text, seconds) in [("60s", 60.0), ("5min", 300.0), ("1.5 h", 5400.0), ("250ms", 0.25), ("7", 7.0)] {
            assert_eq!(wall_time(text), Ok(seconds), "{text}");
        }
        assert_eq!(model_time("500ms"), Ok(500.0));
        assert_eq!(model_time("2 s"), Ok(2000.0));
        for wrong in ["", "s", "0", "-3s", "nan", "inf", "8d", "1e9h"] {
            assert!(wall_time(wrong).is_err(), "{wrong}");
            assert!(model_time(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_setting_keeps_all_after_its_first_equals_sign() {
        assert_eq!(setting("E.v = {\"expr\": \"i == 0\"}"), Ok(("E.v".into(), "{\"expr\": \"i == 0\"}".into())));
        assert!(setting("E.v").is_err());
        assert!(setting("=3").is_err());
    }
}
