//! Formatting of numbers.

pub(crate) use spikelet_network::grouped;
use spikelet_network::human;

/// A short count: `320`, `4 000`, `64.2 k`, `1.5 M`.
pub(crate) fn large(value: f64) -> String {
    for (unit, size) in [("G", 1e9), ("M", 1e6), ("k", 1e4)] {
        if value >= size {
            let scaled = if unit == "k" { value / 1e3 } else { value / size };
            return format!("{}\u{a0}{unit}", short(scaled, 3));
        }
    }
    grouped(value.round().max(0.0) as u64)
}

/// At most `digits` significant digits, without trailing zeros: `0.1`, `15`, `1.62`.
pub(crate) fn short(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { value.to_string() };
    }
    let decimals = (digits - 1 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.replace('-', "\u{2212}") }
}

/// A number of objects: `1 neuron`, `4 000 neurons`.
pub(crate) fn count(value: u64, one: &str) -> String {
    plural(&grouped(value), one)
}

/// The same in short form: `205 k synapses`.
pub(crate) fn large_count(value: f64, one: &str) -> String {
    plural(&large(value), one)
}

fn plural(number: &str, one: &str) -> String {
    format!("{number} {one}{}", if number == "1" { "" } else { "s" })
}

/// A value in its usual unit: resistances and rates, which are GΩ and kHz internally, mostly in MΩ and Hz.
pub(crate) fn customary(value: f64, unit: &str) -> (f64, &str) {
    match unit {
        "kHz" if value.abs() < 1.0 => (value * 1e3, "Hz"),
        "GΩ" | "Gohm" if value.abs() < 1.0 => (value * 1e3, "MΩ"),
        "Gohm" => (value, "GΩ"),
        "Mohm" => (value, "MΩ"),
        _ => (value, unit),
    }
}

/// A value in its usual unit: `15 ms`, `0.02`.
pub(crate) fn quantity(value: f64, unit: &str) -> String {
    let (value, unit) = customary(value, unit);
    let number = short(value, 4);
    if unit.is_empty() { number } else { format!("{number}\u{a0}{unit}") }
}

/// What was typed for a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Typed {
    /// A number in the unit of the parameter.
    Number(f64),
    /// A quantity with another unit, which the engine reads.
    Quantity(String),
}

/// Reads a value that was typed: `155`, `−0.5`, `1,5 ms`, `0.2 nA`. A number has the unit in which [`quantity`] shows the value `now`.
///
/// # Errors
/// A sentence on what is wrong, with an example.
pub(crate) fn typed(text: &str, unit: &str, now: f64) -> Result<Typed, String> {
    let plain = text.trim().replace('\u{2212}', "-").replace('\u{a0}', " ");
    let end = plain.find(|c: char| !(c.is_ascii_digit() || "+-.,eE".contains(c))).unwrap_or(plain.len());
    let (number, rest) = plain.split_at(end);
    let (number, rest) = (number.replace(',', "."), rest.trim());
    let (_, shown) = customary(now, unit);
    let example = if unit.is_empty() { "0.5".to_owned() } else { format!("15, or 15 {shown}") };
    let value: f64 = number.parse().map_err(|_| format!("“{}” is not a value; type one such as {example}", text.trim()))?;
    if !value.is_finite() {
        return Err(format!("“{}” is not a finite value; type one such as {example}", text.trim()));
    }
    let rest = if rest.is_empty() { shown } else { rest };
    Ok(if rest == unit { Typed::Number(value) } else { Typed::Quantity(format!("{number} {rest}")) })
}

/// Biological time in ms: whole ones, and at the start, where single steps are run, with decimals.
pub(crate) fn clock(time_ms: f64) -> String {
    if time_ms < 10.0 { short(time_ms, 3) } else { grouped(time_ms.floor() as u64) }
}

/// Bytes on one line: `4.9 MiB`.
pub(crate) fn bytes(value: u64) -> String {
    human(value).replace(' ', "\u{a0}")
}

/// The meaning of a real-time factor (wall ÷ biological time), as text.
pub(crate) fn pace(real_time_factor: f64) -> String {
    if real_time_factor <= 0.0 {
        "wall time ÷ biological time".into()
    } else if (0.95..=1.05).contains(&real_time_factor) {
        "as fast as real time".into()
    } else if real_time_factor < 1.0 {
        format!("{}× faster than real time", short(1.0 / real_time_factor, 2))
    } else {
        // The factor is shown beside it.
        "slower than real time".into()
    }
}

/// The next number of the series 1, 2, 5, 10 … that is at least `value`, which is positive.
pub(crate) fn nice_above(value: f64) -> f64 {
    let decade = 10f64.powf(value.log10().floor());
    // With a tolerance, so that 0.1 × 10 does not become 2.
    let slack = 1.0 - 1e-9;
    [1.0, 2.0, 5.0].into_iter().map(|step| step * decade).find(|&nice| nice >= value * slack).unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_value_is_a_number_or_a_quantity() {
        for (text, unit, now, expected) in [
            ("155", "pA", 200.0, Typed::Number(155.0)),
            ("\u{2212}0,5\u{a0}mV", "mV", 1.0, Typed::Number(-0.5)),
            ("0.2 nA", "pA", 200.0, Typed::Quantity("0.2 nA".into())),
            ("1e-3", "", 0.5, Typed::Number(0.001)),
            // As it is shown: 15 Hz, which is 0.015 kHz inside.
            ("30", "kHz", 0.015, Typed::Quantity("30 Hz".into())),
            ("5 mV", "ms", 1.0, Typed::Quantity("5 mV".into())),
        ] {
            assert_eq!(typed(text, unit, now), Ok(expected), "{text}");
        }
        for text in ["", "much", "1e999", "mV 5", "--3"] {
            let error = typed(text, "mV", 1.0).unwrap_err();
            assert!(error.contains(&format!("“{text}”")) && error.contains("15 mV"), "{error}");
        }
    }

    #[test]
    fn the_first_steps_have_a_time() {
        assert_eq!(
            [0.0, 0.1, 0.30000000000000004, 9.9, 10.04, 2034.9].map(clock),
            ["0", "0.1", "0.3", "9.9", "10", &grouped(2034)]
        );
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(short(1.62, 4), "1.62");
        assert_eq!(short(0.1 + 0.2, 4), "0.3");
        assert_eq!(short(-49.0, 4), "\u{2212}49");
        assert_eq!(short(123_456.0, 4), "123456");
        assert_eq!(short(-1e-20, 4), "0");
        assert_eq!(quantity(20.0, "ms"), "20\u{a0}ms");
        assert_eq!(quantity(0.02, ""), "0.02");
        assert_eq!(quantity(0.015, "kHz"), "15\u{a0}Hz");
        assert_eq!(quantity(2.0, "kHz"), "2\u{a0}kHz");
        assert_eq!((quantity(0.1, "GΩ"), quantity(100.0, "Mohm")), ("100\u{a0}MΩ".into(), "100\u{a0}MΩ".into()));
        assert_eq!((count(1, "neuron"), count(4000, "neuron")), ("1 neuron".into(), "4\u{202f}000 neurons".into()));
        assert_eq!((large_count(1.0, "synapse"), large_count(0.0, "synapse")), ("1 synapse".into(), "0 synapses".into()));
        assert_eq!(large(320.4), "320");
        assert_eq!(large(4000.0), "4\u{202f}000");
        assert_eq!(large(64_200.0), "64.2\u{a0}k");
        assert_eq!(large(204_800.0), "205\u{a0}k");
        assert_eq!(large(3e8), "300\u{a0}M");
        assert_eq!(bytes(5_123_456), "4.9\u{a0}MiB");
        assert_eq!(pace(0.25), "4× faster than real time");
        assert_eq!(pace(3.0), "slower than real time");
        assert_eq!(pace(1.0), "as fast as real time");
    }

    #[test]
    fn nice_numbers_are_never_below() {
        for (value, nice) in [(1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (0.03, 0.05), (100.0, 100.0)] {
            assert!((nice_above(value) - nice).abs() < 1e-12 * nice, "{value}: {}", nice_above(value));
        }
    }
}
