//! Flags of equations, and what each applies to.

use crate::diagnostic::{Diagnostic, Kind, suggestion};
use crate::syntax::{Declared, Equation, EquationKind};

/// A flag, and the kinds of equations that can have it, in the words of [`kind`].
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) applies_to: &'static [&'static str],
}

const DIFFERENTIAL: &str = "differential equations";
const PARAMETER: &str = "parameters";
const SUBEXPRESSION: &str = "subexpressions";

const fn flag(name: &'static str, applies_to: &'static [&'static str]) -> Flag {
    Flag { name, applies_to }
}

/// Flags in the equations of neurons.
pub(super) const OF_NEURONS: &[Flag] = &[
    flag("constant", &[PARAMETER]),
    flag("shared", &[PARAMETER, SUBEXPRESSION]),
    flag("unless refractory", &[DIFFERENTIAL, PARAMETER]),
    flag("constant over dt", &[SUBEXPRESSION]),
    flag("linked", &[PARAMETER]),
];

/// Flags in the equations of synapses.
pub(super) const OF_SYNAPSES: &[Flag] = &[
    flag("constant", &[PARAMETER]),
    flag("shared", &[PARAMETER, SUBEXPRESSION]),
    flag("event-driven", &[DIFFERENTIAL]),
    flag("clock-driven", &[DIFFERENTIAL]),
    flag("summed", &[SUBEXPRESSION]),
    flag("constant over dt", &[SUBEXPRESSION]),
    flag("plastic", &[DIFFERENTIAL, PARAMETER]),
    flag("f16", &[DIFFERENTIAL, PARAMETER]),
];

/// Flags that contradict each other.
const EXCLUSIVE: [[&str; 2]; 3] = [["event-driven", "clock-driven"], ["constant", "plastic"], ["summed", "constant over dt"]];

fn kind(equation: &Equation) -> &'static str {
    match equation.kind {
        EquationKind::Differential(_) => DIFFERENTIAL,
        EquationKind::Parameter => PARAMETER,
        EquationKind::Subexpression(_) => SUBEXPRESSION,
    }
}

/// What is wrong with the flags and the type of an equation of `text`, if `flags` are those that exist there.
pub(super) fn check(text: &str, equation: &Equation, flags: &[Flag]) -> Vec<Diagnostic> {
    let (name, kind) = (&equation.name, kind(equation));
    let error = |span, message: String| Diagnostic::new(Kind::SyntaxError, "equations", text, span, message);
    let mut found = Vec::new();
    for (place, (flag, span)) in equation.flags.iter().enumerate() {
        let Some(known) = flags.iter().find(|known| known.name == flag) else {
            let names = flags.iter().map(|known| known.name);
            let help = match suggestion(flag, names.clone()) {
                Some(near) => format!("Did you mean `{near}`?"),
                None => format!("The known flags are {}.", names.collect::<Vec<_>>().join(", ")),
            };
            found.push(error(*span, format!("there is no flag `{flag}` here.")).help(help));
            continue;
        };
        let before = &equation.flags[..place];
        if before.iter().any(|(other, _)| other == flag) {
            found.push(error(*span, format!("`{name}` has the flag `{flag}` twice.")).help("Remove one of them."));
        } else if !known.applies_to.contains(&kind) {
            let message = format!("`{flag}` applies to {}; `{name}` is one of the {kind}.", known.applies_to.join(" and "));
            found.push(error(*span, message).help(help(name, kind, known)));
        } else if let Some((other, _)) = before.iter().find(|(other, _)| is_exclusive(other, flag)) {
            found.push(error(*span, format!("`{name}` cannot be both `{other}` and `{flag}`.")).help("Remove one of the flags."));
        }
    }
    let is_linked = equation.flags.iter().any(|(flag, _)| flag == "linked");
    if is_linked && kind == PARAMETER && equation.flags.len() > 1 {
        let message = format!("`{name}` is linked: another variable determines its value.");
        found.push(error(equation.span, message).help(format!("Write `{name} : unit (linked)`, without other flags.")));
    }
    if kind == DIFFERENTIAL && equation.declared == Declared::Integer {
        let message = format!("`{name}` is an integer, and a differential equation changes it by fractions.");
        found.push(error(equation.span, message).help(format!("Declare it as a number: `d{name}/dt = … : 1`.")));
    }
    found
}

/// The way out of a flag that an equation of this kind cannot have.
fn help(name: &str, kind: &str, flag: &Flag) -> String {
    match kind {
        PARAMETER if flag.applies_to == [SUBEXPRESSION] => {
            format!("Give it a right-hand side, `{name} = … : unit ({})`, or remove the flag.", flag.name)
        }
        PARAMETER if flag.applies_to == [DIFFERENTIAL] => {
            format!("Give it an equation, `d{name}/dt = … : unit ({})`, or remove the flag.", flag.name)
        }
        _ => "Remove the flag.".to_owned(),
    }
}

fn is_exclusive(one: &str, other: &str) -> bool {
    EXCLUSIVE.iter().any(|pair| pair.contains(&one) && pair.contains(&other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse_equations;

    /// The sentences about one line.
    fn found(line: &str, flags: &[Flag]) -> Vec<String> {
        let equations = parse_equations("equations", line).unwrap();
        equations.iter().flat_map(|equation| check(line, equation, flags)).map(|found| found.message).collect()
    }

    /// One line of each kind, with a flag.
    fn lines(flag: &str) -> [(&'static str, String); 3] {
        [
            (DIFFERENTIAL, format!("dx/dt = -x/ms : 1 ({flag})")),
            (PARAMETER, format!("x : 1 ({flag})")),
            (SUBEXPRESSION, format!("x = 2 : 1 ({flag})")),
        ]
    }

    #[test]
    fn each_flag_is_accepted_where_it_applies_and_only_there() {
        for flags in [OF_NEURONS, OF_SYNAPSES] {
            for Flag { name, applies_to } in flags {
                for (kind, line) in lines(name) {
                    let found = found(&line, flags);
                    match applies_to.contains(&kind) {
                        true => assert_eq!(found, [""; 0], "{line}"),
                        false => assert!(found[0].starts_with(&format!("`{name}` applies to ")), "{line}: {found:?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn flags_of_the_other_side_unknown_ones_and_repeated_ones_are_errors() {
        for (line, flags, message) in [
            ("x : 1 (plastic)", OF_NEURONS, "there is no flag `plastic` here."),
            ("x : 1 (linked)", OF_SYNAPSES, "there is no flag `linked` here."),
            ("x : 1 (constnat)", OF_NEURONS, "there is no flag `constnat` here."),
            ("x : 1 (constant, constant)", OF_NEURONS, "`x` has the flag `constant` twice."),
            (
                "dx/dt = -x/ms : 1 (event-driven, clock-driven)",
                OF_SYNAPSES,
                "`x` cannot be both `event-driven` and `clock-driven`.",
            ),
            ("x : 1 (constant, plastic)", OF_SYNAPSES, "`x` cannot be both `constant` and `plastic`."),
            ("x : 1 (linked, shared)", OF_NEURONS, "`x` is linked: another variable determines its value."),
            ("dx/dt = -x/ms : integer", OF_NEURONS, "`x` is an integer, and a differential equation changes it by fractions."),
        ] {
            assert_eq!(found(line, flags), [message], "{line}");
        }
    }
}
