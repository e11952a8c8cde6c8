//! Expressions of LEMS in the syntax of equations.

/// Operators between dots, and here.
const WORDS: [(&str, &str); 9] = [
    (".gt.", ">"),
    (".lt.", "<"),
    (".geq.", ">="),
    (".leq.", "<="),
    (".eq.", "=="),
    (".neq.", "!="),
    (".and.", " and "),
    (".or.", " or "),
    ("^", "**"),
];
/// Functions with another name here.
const FUNCTIONS: [(&str, &str); 3] = [("ln", "log"), ("random", "rand()*"), ("H", "heaviside")];

/// Names with a meaning in equations, which variables of a type cannot have.
const RESERVED: [&str; 15] = [
    "dt",
    "i",
    "j",
    "N",
    "rand",
    "randn",
    "poisson",
    "binomial",
    "not_refractory",
    "lastspike",
    "inf",
    "pi",
    "regime",
    "True",
    "False",
];

/// The name of a variable here. Names of noise, and of neurons at both ends of a synapse, are known by how they begin and end.
pub(super) fn own_name(name: &str) -> String {
    let is_noise = name == "xi" || name.starts_with("xi_") || name.starts_with('_');
    if is_noise || ["_pre", "_post"].iter().any(|end| name.ends_with(end)) {
        return format!("own_{name}_own");
    }
    if RESERVED.contains(&name) { format!("{name}_own") } else { name.to_owned() }
}

/// An expression or a test; names are changed by `rename`.
pub(super) fn translate(text: &str, rename: &dyn Fn(&str) -> Option<String>) -> String {
    let mut rest = text.trim();
    let mut out = String::new();
    while let Some(first) = rest.chars().next() {
        if let Some((word, operator)) = WORDS.iter().find(|(word, _)| rest.starts_with(word)) {
            out += operator;
            rest = &rest[word.len()..];
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let is_call = after.trim_start().starts_with('(');
            match FUNCTIONS.iter().find(|(of, _)| is_call && *of == name) {
                // Of 0 it is 0 in jLEMS.
                Some((_, "heaviside")) => out += "int(0 < ",
                Some((_, function)) => out += function,
                None => out += &rename(name).unwrap_or_else(|| name.to_owned()),
            }
            rest = after;
            if out.ends_with("int(0 < ") {
                // The opening bracket is there already.
                rest = rest.trim_start().strip_prefix('(').unwrap_or(rest);
            }
        } else if first.is_ascii_digit() || first == '.' {
            let end = number(rest);
            out += &rest[..end];
            rest = &rest[end..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    out
}

/// The length of the number at the start: a dot that begins an operator is not part of it.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') && !WORDS.iter().any(|(word, _)| text[end..].starts_with(word)) {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'-' | b'+')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    end.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_functions_and_names_are_those_of_equations() {
        let rename = |name: &str| (name == "iSyn").then(|| "I".to_owned());
        for (lems, ours) in [
            ("v .gt. thresh", "v > thresh"),
            ("t .geq. delay .and. t .lt. delay+duration", "t >= delay  and  t < delay+duration"),
            ("v^2 * 1.5e-3 + iSyn", "v**2 * 1.5e-3 + I"),
            ("x.gt.1.and.y.lt.2.5", "x>1 and y<2.5"),
            ("ln(x) + H(t - 3)", "log(x) + int(0 < t - 3)"),
            ("random(2*x)", "rand()*(2*x)"),
            ("1/(1 + exp(0 - (v - m)/s))", "1/(1 + exp(0 - (v - m)/s))"),
        ] {
            assert_eq!(translate(lems, &rename), ours);
        }
    }
}
