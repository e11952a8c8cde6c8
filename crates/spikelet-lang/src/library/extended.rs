//! Equations of a model with a network's own lines among them.

use crate::syntax;

/// The equations of `base` with those of `extra` added. A line of `extra` that defines a name of `base` replaces its line. If one of the
/// two texts cannot be parsed, they are concatenated, so that the checker finds the error.
pub fn extended(base: &str, extra: &str) -> String {
    let (Some(mut lines), Some(others)) = (lines(base), lines(extra)) else {
        return format!("{}\n{extra}", base.trim_end());
    };
    for (name, text) in others {
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some(line) => line.1 = text,
            None => lines.push((name, text)),
        }
    }
    lines.iter().map(|(_, text)| format!("{text}\n")).collect()
}

/// Each equation's name and text, from its name to the next equation, comments included.
fn lines(text: &str) -> Option<Vec<(String, &str)>> {
    let equations = syntax::parse_equations("equations", text).ok()?;
    let starts = equations.iter().map(|equation| equation.span.start);
    let ends = starts.clone().skip(1).chain([text.len()]);
    let texts = starts.zip(ends).map(|(start, end)| text[start..end].trim_end().trim_end_matches([';', '"', '\'']).trim_end());
    Some(equations.iter().map(|equation| equation.name.clone()).zip(texts).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_and_replaced() {
        let base = "# a cell\ndv/dt = (I + I_syn\n         - v)/tau : 1; I_syn = 0 : 1 # hook\nw : 1 (constant)\n";
        assert_eq!(
            extended(base, "I_syn = g : 1\ndg/dt = -g/tau : 1"),
            "dv/dt = (I + I_syn\n         - v)/tau : 1\nI_syn = g : 1\nw : 1 (constant)\ndg/dt = -g/tau : 1\n"
        );
        assert_eq!(extended(base, ""), extended(base, "# nothing\n"));
        assert_eq!(extended("v : 1", "dv/dt = -v/tau : 1"), "dv/dt = -v/tau : 1\n");
        assert_eq!(extended("", "g : 1"), "g : 1\n");
    }

    #[test]
    fn a_broken_line_is_left_to_the_checker() {
        assert_eq!(extended("v : 1\n", "w = : 1"), "v : 1\nw = : 1");
    }
}
