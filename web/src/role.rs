//! The colour of a population, the same as in the plots of the package.

/// The type of a population's neurons, from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// `E`, `exc_…`, `L4E`
    Excitatory,
    /// `I`, `inh_…`, `L4I`
    Inhibitory,
    /// Any other.
    Other,
}

/// Reads the type from a population's name. Only colours depend on it.
pub(crate) fn role(name: &str) -> Role {
    let lower = name.to_lowercase();
    let is = |letter: char, word: &str| {
        lower == letter.to_string()
            || lower.starts_with(word)
            || lower.ends_with(&format!("_{letter}"))
            || (name.ends_with(letter.to_ascii_uppercase()) && name.chars().any(|c| c.is_ascii_digit()))
    };
    if is('e', "exc") {
        Role::Excitatory
    } else if is('i', "inh") {
        Role::Inhibitory
    } else {
        Role::Other
    }
}

/// The custom property of the style sheet with the colour of population `at`, called `name`.
pub(crate) fn variable(at: usize, name: &str) -> &'static str {
    match role(name) {
        Role::Excitatory => "--excitatory",
        Role::Inhibitory => "--inhibitory",
        Role::Other => OTHERS[at % OTHERS.len()],
    }
}

const OTHERS: [&str; 4] = ["--other-1", "--other-2", "--other-3", "--other-4"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_roles() {
        for name in ["E", "e", "exc", "Excitatory", "L23E", "pop_e"] {
            assert_eq!(role(name), Role::Excitatory, "{name}");
        }
        for name in ["I", "inh", "L4I", "cortex_i"] {
            assert_eq!(role(name), Role::Inhibitory, "{name}");
        }
        for name in ["neurons", "input", "elephant", "G"] {
            assert_eq!(role(name), Role::Other, "{name}");
        }
    }
}
