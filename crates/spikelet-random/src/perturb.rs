//! The same network with numbers that differ a little: what a run makes of it shows how much rounding errors matter.

use serde_json::Value;

/// Keys whose texts have numbers of values.
const TEXTS: [&str; 12] = [
    "equations",
    "update",
    "threshold",
    "reset",
    "statements",
    "condition",
    "of",
    "on_pre",
    "on_post",
    "on_third",
    "value",
    "expr",
];

/// The network with each decimal number of its equations and values multiplied by about 1 ± `part`, in one of several patterns.
pub(super) fn perturbed(network: &Value, part: f64, pattern: u64) -> Value {
    let mut count = pattern.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut changed = network.clone();
    for key in ["populations", "projections", "functions", "changes"] {
        if let Some(of) = changed.get_mut(key) {
            walk(of, "", false, part, &mut count);
        }
    }
    changed
}

/// A factor near 1, another one at each call.
fn factor(part: f64, count: &mut u64) -> f64 {
    *count = count.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    1.0 + part * if *count >> 63 == 0 { 1.0 } else { -1.0 }
}

fn walk(value: &mut Value, key: &str, inside: bool, part: f64, count: &mut u64) {
    let inside = inside || ["parameters", "initial", "set"].contains(&key);
    match value {
        // Times between steps decide about steps, and indices about neurons.
        Value::Object(keys) => keys
            .iter_mut()
            .filter(|(key, _)| !["connect", "linked", "third", "arguments", "dt", "plasticity", "k", "n"].contains(&key.as_str()))
            .for_each(|(key, of)| walk(of, key, inside || key.starts_with("on_"), part, count)),
        Value::Array(list) => list.iter_mut().for_each(|of| walk(of, key, inside, part, count)),
        Value::String(text) if inside || TEXTS.contains(&key) => *text = texts(text, part, count),
        Value::Number(number) if inside => {
            if let Some(value) = number.as_f64().filter(|value| value.fract() != 0.0) {
                *number = serde_json::Number::from_f64(value * factor(part, count)).unwrap_or(number.clone());
            }
        }
        _ => {}
    }
}

/// A text with all numbers with a decimal point changed, except times that are compared.
fn texts(text: &str, part: f64, count: &mut u64) -> String {
    let mut changed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        // Neither parts of names nor powers, which decide about dimensions.
        let is_name = rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') || rest[..at].ends_with("**");
        let end = rest[at..].find(|c: char| !(c.is_ascii_digit() || c == '.')).map_or(rest.len(), |length| at + length);
        let (number, after) = (&rest[at..end], &rest[end..]);
        let is_compared = rest[..at].trim_end_matches([' ', '(']).ends_with(['>', '<', '=', '%']);
        let is_time = is_compared && after.trim_start_matches(['*', ' ']).starts_with("ms");
        changed.push_str(&rest[..at]);
        match number.parse::<f64>() {
            Ok(value) if !is_name && number.contains('.') && !is_time => {
                changed.push_str(&(value * factor(part, count)).to_string());
            }
            _ => changed.push_str(number),
        }
        rest = after;
    }
    changed + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_of_values_change() {
        let mut count = 1;
        let changed = texts("dv2/dt = (1.5*i - v2)/tau : 1\nq = int(t > 0.7*ms) + 2", 0.5, &mut count);
        assert!(changed.contains("dv2/dt") && changed.contains("0.7*ms") && changed.ends_with("+ 2"), "{changed}");
        assert!(changed.contains("2.25*i") || changed.contains("0.75*i"), "{changed}");
    }
}
