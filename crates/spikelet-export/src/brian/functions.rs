//! Functions and names that Brian 2 does not have, written with those that it has.

use spikelet::lang::check::DISTRIBUTIONS;
use spikelet::lang::functions::Function;

use super::names::fit;

/// Functions of the language that Brian 2 has.
const SAME: [&str; 23] = [
    "exp", "expm1", "exprel", "log", "log10", "log1p", "sqrt", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh",
    "tanh", "abs", "sign", "floor", "ceil", "int", "clip", "poisson",
];

/// A text with the functions and names that Brian 2 has.
pub(super) fn translated(text: &str) -> Result<String, String> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
        let end = rest[start..].find(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(rest.len(), |end| start + end);
        // What follows a digit is the exponent of a number.
        let is_name = !rest[..start].ends_with(|c: char| c.is_ascii_digit() || c == '.');
        let word = &rest[start..end];
        let after = rest[end..].trim_start();
        match inner(after).filter(|_| is_name && is_translated(word)) {
            Some(inner) => {
                out += &rest[..start];
                let parts: Result<Vec<String>, String> = arguments(inner).into_iter().map(translated).collect();
                out += &call(word, &parts?)?;
                rest = &after[inner.len() + 2..];
            }
            None => {
                out += &rest[..start];
                let is_variable = is_name && !after.starts_with('(');
                out += &if is_variable { fit(word) } else { word.to_owned() };
                rest = &rest[end..];
            }
        }
    }
    Ok(out + rest)
}

fn is_translated(word: &str) -> bool {
    let lacks = |function: Function| !SAME.contains(&function.row().name);
    Function::named(word).is_some_and(lacks) || DISTRIBUTIONS.iter().any(|(name, _)| *name == word)
}

/// A call in terms of other functions.
fn call(name: &str, arguments: &[String]) -> Result<String, String> {
    let is_drawn = |text: &String| text.contains("rand");
    match (name, arguments) {
        ("min" | "max", [_, ..]) if arguments.iter().any(is_drawn) => Err(format!("`{name}` of random numbers")),
        ("min" | "max", [first, others @ ..]) => Ok(others.iter().fold(first.clone(), |left, right| {
            let (keep, other) = if name == "min" { ("<=", ">") } else { (">=", "<") };
            // One of the factors is 1, and the other 0.
            format!("(int(({left}) {keep} ({right}))*({left}) + int(({left}) {other} ({right}))*({right}))")
        })),
        ("sigmoid", [of]) => Ok(format!("(1/(1 + exp(-({of}))))")),
        ("uniform", [low, high]) => Ok(format!("(({low}) + (({high}) - ({low}))*rand())")),
        ("normal", [mean, sd]) => Ok(format!("(({mean}) + ({sd})*randn())")),
        ("exponential", [mean]) => Ok(format!("(-({mean})*log(rand()))")),
        _ => Err(format!("the function `{name}` with {} arguments", arguments.len())),
    }
}

/// What is between the parenthesis with which a text begins and the one that closes it.
fn inner(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (index, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(&text[1..index]),
            ')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The arguments of a call.
fn arguments(inner: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (index, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(inner[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    found.push(inner[start..].trim());
    found
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn functions_that_brian_lacks_are_written_with_others() {
        for (text, expected) in [
            (
                "v = min(a, f(b, 2e3)) + maximum",
                "v = (int((a) <= (f(b, 2e3)))*(a) + int((a) > (f(b, 2e3)))*(f(b, 2e3))) + maximum",
            ),
            (
                "max(sigmoid(x), 0)",
                "(int(((1/(1 + exp(-(x))))) >= (0))*((1/(1 + exp(-(x))))) + int(((1/(1 + exp(-(x))))) < (0))*(0))",
            ),
            ("x = uniform (1, 2*y)", "x = ((1) + ((2*y) - (1))*rand())"),
            ("normal_rate = normal", "normal_rate = normal"),
            ("clip(v, 0, 1)", "clip(v, 0, 1)"),
            (
                "abs(open) + input_post/max(id, 1e3)",
                "abs(n_open) + n_input_post/(int((n_id) >= (1e3))*(n_id) + int((n_id) < (1e3))*(1e3))",
            ),
        ] {
            assert_eq!(translated(text).as_deref(), Ok(expected), "{text}");
        }
        for (text, lack) in
            [("x = binomial(3, 0.5)", "the function `binomial` with 2 arguments"), ("min(rand(), 1)", "`min` of random numbers")]
        {
            assert_eq!(translated(text).unwrap_err(), lack);
        }
    }
}
