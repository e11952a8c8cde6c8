//! Kernels of selections: the same parts for an array, and for populations in an epoch.

use crate::link::{Module, shader};
use crate::spec::SelectPart;

/// A part of a selection from an array, with bindings of its own.
pub(super) fn of_array(part: SelectPart) -> Module {
    module(part, shader!("select/array"))
}

/// A part, with the file that says what is selected.
fn module(part: SelectPart, place: &str) -> Module {
    let (name, text) = match part {
        SelectPart::Digit => ("select_digit", shader!("select/digit")),
        SelectPart::Count => ("select_count", shader!("select/count")),
        SelectPart::Emit => ("select_emit", shader!("select/emit")),
    };
    Module::new(name, &[shader!("select"), text, place])
}
