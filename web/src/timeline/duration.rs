//! The duration of a run, as it is typed.

use crate::number;

/// Units, the longest words first, and their length in ms.
const UNITS: [(&str, f64); 5] = [("seconds", 1000.0), ("second", 1000.0), ("min", 60_000.0), ("ms", 1.0), ("s", 1000.0)];

/// A duration in ms, rounded to steps: `1 s`, `250 ms`, `0.5 min`, or a number of ms.
///
/// # Errors
/// A sentence on what is wrong, and an example.
pub(crate) fn duration_ms(text: &str, dt_ms: f64) -> Result<f64, String> {
    let text = text.trim();
    let unit = UNITS.into_iter().find_map(|(unit, ms)| Some((text.strip_suffix(unit)?, ms)));
    let (value, ms) = unit.unwrap_or((text, 1.0));
    let expected = |what: &str| format!("“{text}” is {what}; type a duration such as 1 s or 250 ms");
    let value: f64 = value.trim().replace(',', ".").parse().map_err(|_| expected("not a duration"))?;
    if !(value.is_finite() && value > 0.0) {
        return Err(expected("not a duration above 0"));
    }
    let steps = (value * ms / dt_ms).round();
    if steps < 1.0 {
        return Err(expected(&format!("shorter than a time step, {}", number::quantity(dt_ms, "ms"))));
    }
    // Without the rounding errors of the product.
    Ok((steps * dt_ms * 1e9).round() / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_and_are_whole_steps() {
        for (text, expected) in [
            ("1 s", 1000.0),
            ("250ms", 250.0),
            (" 100 ", 100.0),
            ("0,5 s", 500.0),
            ("2 min", 120_000.0),
            ("3 seconds", 3000.0),
            ("0.3 ms", 0.3),
            ("1.04 ms", 1.0),
        ] {
            assert_eq!(duration_ms(text, 0.1), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_a_sentence() {
        for (text, part) in [
            ("", "not a duration;"),
            ("soon", "“soon” is not a duration;"),
            ("-5 ms", "above 0"),
            ("inf s", "above 0"),
            ("0.01 ms", "shorter than a time step, 0.1\u{a0}ms"),
            ("5 mV", "not a duration"),
        ] {
            let error = duration_ms(text, 0.1).unwrap_err();
            assert!(error.contains(part) && error.contains("250 ms"), "{text}: {error}");
        }
    }
}
