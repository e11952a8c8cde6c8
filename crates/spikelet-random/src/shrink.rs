//! Makes a network smaller as long as it shows the same difference, whatever it was generated from.

use serde_json::Value;

/// The smallest network found for which `differs` stays true, with at most `most` trials.
pub fn shrink(network: &Value, most: usize, mut differs: impl FnMut(&Value) -> bool) -> Value {
    let (mut best, mut left) = (network.clone(), most);
    loop {
        let before = best.clone();
        let mut place = 0;
        // After a success the list of candidates is another one, of which those before the place were tried.
        loop {
            let all = candidates(&best);
            let Some(smaller) = all.into_iter().nth(place) else { break };
            if left == 0 {
                return best;
            }
            left -= 1;
            if differs(&smaller) {
                best = smaller;
            } else {
                place += 1;
            }
        }
        if best == before {
            return best;
        }
    }
}

/// Networks that are a little smaller, those that lack most first.
fn candidates(network: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for step in [without_objects as fn(&Value) -> Vec<Value>, without_parts, shorter, simpler] {
        all.extend(step(network));
    }
    all
}

/// The network without a population, source or projection, and without all that refers to it; without links; with one pathway of several.
fn without_objects(network: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    for list in ["populations", "sources", "projections"] {
        for of in network[list].as_array().into_iter().flatten() {
            let Some(name) = of["name"].as_str() else { continue };
            let mut changed = network.clone();
            let refers = |text: &str| {
                text == name
                    || text.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '[']))
                    || text.contains(&format!("({name}"))
            };
            for key in ["populations", "sources", "projections", "recordings", "statistics", "changes", "stop"] {
                let Some(list) = changed.get_mut(key).and_then(Value::as_array_mut) else { continue };
                list.retain(|of| {
                    let texts = ["name", "pre", "post", "object"].iter().filter_map(|key| of[*key].as_str());
                    let inner = of["third"]["population"].as_str().into_iter().chain(of.as_str());
                    let set = of["set"].as_object().into_iter().flat_map(|set| set.keys().map(String::as_str));
                    !texts.chain(inner).chain(set).any(refers)
                });
            }
            for population in changed.get_mut("populations").and_then(Value::as_array_mut).into_iter().flatten() {
                if population["linked"]["lk"]["population"].as_str().is_some_and(refers) {
                    unlink(population);
                }
            }
            all.push(changed);
        }
    }
    for (list, count) in ["populations", "projections"].map(|key| (key, network[key].as_array().map_or(0, Vec::len))) {
        for k in 0..count {
            let mut changed = network.clone();
            let of = &mut changed[list][k];
            if of.get("linked").is_some() {
                unlink(of);
                all.push(changed);
            } else if let Some(pathways) = of["on_pre"].as_object().cloned() {
                for (name, text) in pathways {
                    let mut changed = changed.clone();
                    let of = &mut changed[list][k];
                    of["on_pre"] = text;
                    if let Some(delay) = of["delay_ms"].get(&name).cloned() {
                        of["delay_ms"] = delay;
                    }
                    all.push(changed);
                }
            }
        }
    }
    all
}

/// Removes the linked variable of a population, which then is an ordinary one.
fn unlink(population: &mut Value) {
    population.as_object_mut().into_iter().for_each(|keys| drop(keys.shift_remove("linked")));
    if let Some(text) = population["equations"].as_str() {
        population["equations"] = text.replace("lk : 1 (linked)", "lk : 1").into();
    }
}

/// All paths of a value, outer ones first.
fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
    let inner = |key: &str| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
    match value {
        Value::Array(list) => (0..list.len()).for_each(|k| found.push(inner(&k.to_string()))),
        Value::Object(keys) => keys.keys().for_each(|key| found.push(inner(key))),
        _ => {}
    }
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(k, of)| paths(of, &inner(&k.to_string()), found)),
        Value::Object(keys) => keys.iter().for_each(|(key, of)| paths(of, &inner(key), found)),
        _ => {}
    }
}

/// The network without one of its keys or entries.
fn without_parts(network: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    paths(network, "", &mut found);
    let without = |path: &String| {
        let (parent, key) = path.rsplit_once('/')?;
        let key = key.replace("~1", "/").replace("~0", "~");
        let mut changed = network.clone();
        match changed.pointer_mut(parent)? {
            Value::Array(list) => drop(list.remove(key.parse().ok()?)),
            Value::Object(keys) => drop(keys.shift_remove(&key)?),
            _ => return None,
        }
        Some(changed)
    };
    found.iter().filter_map(without).collect()
}

/// The network with a text replaced.
fn with_text(network: &Value, path: &str, text: String) -> Option<Value> {
    let mut changed = network.clone();
    *changed.pointer_mut(path)? = text.into();
    Some(changed)
}

/// The network without one of the lines or statements of a text, or with smaller numbers.
fn shorter(network: &Value) -> Vec<Value> {
    let (mut found, mut all) = (Vec::new(), Vec::new());
    paths(network, "", &mut found);
    for path in &found {
        match network.pointer(path) {
            Some(Value::String(text)) => {
                for separator in ["\n", "; "] {
                    let parts: Vec<&str> = text.split(separator).collect();
                    let without = |k: usize| {
                        let kept: Vec<&str> = parts.iter().enumerate().filter(|(l, _)| *l != k).map(|(_, part)| *part).collect();
                        with_text(network, path, kept.join(separator))
                    };
                    all.extend((0..parts.len()).filter(|_| parts.len() > 1).filter_map(without));
                }
                // Flags of an equation.
                for (k, _) in text.match_indices(" (") {
                    let end = text[k..].find([')', '\n']).map_or(text.len(), |length| k + length + 1);
                    if text[..k].ends_with(" : 1") {
                        all.extend(with_text(network, path, format!("{}{}", &text[..k], text.get(end..).unwrap_or_default())));
                    }
                }
            }
            Some(Value::Number(number)) if path.ends_with("/size") || path == "/duration_ms" => {
                let number = number.as_f64().unwrap_or(1.0);
                let dt = network["dt_ms"].as_f64().unwrap_or(0.1);
                let smaller = match path.ends_with("/size") {
                    true => vec![Value::from(1), Value::from(2), Value::from((number as u64).saturating_sub(1).max(1))],
                    false => [0.25, 0.5, 0.8, 1.0]
                        .map(|part| ((number / dt * part).round() - f64::from(u8::from(part == 1.0))) * dt)
                        .map(|ms| Value::from((ms * 1e9).round() / 1e9))
                        .into(),
                };
                for value in smaller {
                    let mut changed = network.clone();
                    if changed.pointer(path).and_then(Value::as_f64) > value.as_f64() {
                        if let Some(of) = changed.pointer_mut(path) {
                            *of = value;
                        }
                        all.push(changed);
                    }
                }
            }
            _ => {}
        }
    }
    all
}

/// The network with a part of an expression replaced by something simpler.
fn simpler(network: &Value) -> Vec<Value> {
    let (mut found, mut all) = (Vec::new(), Vec::new());
    paths(network, "", &mut found);
    for path in &found {
        let Some(Value::String(text)) = network.pointer(path) else { continue };
        all.extend(expressions(text).into_iter().filter_map(|text| with_text(network, path, text)));
    }
    all
}

/// Texts in which a call or a pair of parentheses is replaced by one of its arguments or a number, or a summand is gone.
fn expressions(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (open, _) in text.match_indices('(') {
        let Some(close) = closing(text, open) else { continue };
        let name = text[..open].rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
        let (before, after, inside) = (&text[..name], &text[close + 1..], &text[open + 1..close]);
        for argument in arguments(inside) {
            all.push(format!("{before}{argument}{after}"));
        }
        all.push(format!("{before}1{after}"));
    }
    for operator in [" + ", " - ", " and ", " or ", "*", "/"] {
        for (at, _) in text.match_indices(operator) {
            let from = at + operator.len();
            let end = end_of_operand(text, from, operator);
            if end > from {
                all.push(format!("{}{}", &text[..at], &text[end..]));
            }
        }
    }
    // A factor before its product.
    for (at, _) in text.match_indices('*') {
        let start = text[..at].rfind(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_')).map_or(0, |place| place + 1);
        if start < at {
            all.push(format!("{}{}", &text[..start], &text[at + 1..]));
        }
    }
    all.retain(|shorter| shorter.len() < text.len());
    all
}

/// The place of the parenthesis that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in text[open..].char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return Some(open + at);
        }
    }
    None
}

/// Arguments that are separated by commas outside of parentheses.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if c == ',' && depth == 0 {
            found.push(text[start..at].trim());
            start = at + 1;
        }
    }
    found.push(text[start..].trim());
    found
}

/// Where an operand ends that begins at `from`.
fn end_of_operand(text: &str, from: usize, operator: &str) -> usize {
    let mut depth = 0_i32;
    let is_sum = operator.starts_with(' ');
    for (at, c) in text[from..].char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        let ends = match c {
            ')' => depth < 0,
            ' ' | ',' | ';' | '\n' | ':' => depth == 0,
            '*' | '/' => depth == 0 && !is_sum,
            _ => false,
        };
        if ends {
            return from + at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_matter_is_removed() {
        let network = json!({"dt_ms": 0.1, "duration_ms": 8.0, "populations": [{"name": "A", "size": 5},
            {"name": "B", "size": 7, "equations": "v : 1\ng : 1 (shared)", "reset": "v = tanh(0.37*(v + g)); g = 1"}]});
        let differs = |network: &Value| {
            network.to_string().contains("tanh(")
                && network["populations"][network["populations"].as_array().map_or(0, Vec::len) - 1]["size"].as_u64() >= Some(3)
        };
        let found = shrink(&network, 10_000, differs);
        assert_eq!(found["populations"].as_array().map(Vec::len), Some(1), "{found}");
        assert_eq!(found["populations"][0]["size"], 3, "{found}");
        assert!(found["populations"][0].get("equations").is_none(), "{found}");
    }
}
