//! Colours, read from the style sheet so that they are written down once.

use web_sys::Window;

/// A colour of the style sheet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Colour {
    /// As CSS text.
    pub(crate) css: String,
    /// Red, green, blue.
    pub(crate) rgb: [u8; 3],
}

/// The colours that plots use; they change with the system's light and dark.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Theme {
    /// What plots are drawn on.
    pub(crate) page: Colour,
    /// Text of axes.
    pub(crate) muted: Colour,
    /// Grid lines.
    pub(crate) line: Colour,
    /// Marks of changed parameters.
    pub(crate) mark: Colour,
    /// What synapses learn.
    pub(crate) weights: Colour,
    /// One after the other for populations that are neither.
    others: Vec<Colour>,
    excitatory: Colour,
    inhibitory: Colour,
    /// The font of axes, as canvas takes it.
    pub(crate) font: String,
}

/// What a population's name says about its neurons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// `E`, `exc_…`, `L4E`
    Excitatory,
    /// `I`, `inh_…`, `L4I`
    Inhibitory,
    /// Any other.
    Other,
}

/// Reads a population's role from its name. Only colours depend on it.
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

impl Theme {
    /// Reads the colours as they are now.
    pub(crate) fn read(window: &Window) -> Theme {
        let style = window
            .document()
            .and_then(|document| document.document_element())
            .and_then(|root| window.get_computed_style(&root).ok().flatten());
        let text = |name: &str| {
            let value = style.as_ref().and_then(|style| style.get_property_value(name).ok());
            value.unwrap_or_default().trim().to_owned()
        };
        let colour = |name: &str| {
            let css = text(name);
            Colour { rgb: rgb(&css).unwrap_or([128; 3]), css }
        };
        Theme {
            page: colour("--page"),
            muted: colour("--muted"),
            line: colour("--line"),
            mark: colour("--mark"),
            weights: colour("--weights"),
            others: OTHERS.map(colour).to_vec(),
            excitatory: colour("--excitatory"),
            inhibitory: colour("--inhibitory"),
            font: format!("11px {}", text("--sans")),
        }
    }

    /// The colour of population `at`, called `name`.
    pub(crate) fn population(&self, at: usize, name: &str) -> &Colour {
        match role(name) {
            Role::Excitatory => &self.excitatory,
            Role::Inhibitory => &self.inhibitory,
            Role::Other => &self.others[at % self.others.len()],
        }
    }
}

/// `#rrggbb` as numbers.
fn rgb(css: &str) -> Option<[u8; 3]> {
    let digits = css.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    Some([byte(0)?, byte(2)?, byte(4)?])
}

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
        assert_eq!(rgb("#0a10ff"), Some([10, 16, 255]));
        assert_eq!(rgb("teal"), None);
    }
}
