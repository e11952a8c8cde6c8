//! Kernels of selections: the same parts for an array, and for populations in an epoch.

use crate::link::{Module, shader};
use crate::spec::SelectPart;

/// A part of a selection from an array, with bindings of its own.
pub(super) fn of_array(part: SelectPart) -> Module {
    module(part, shader!("select/array"))
}

/// A part of a selection from an area of assemblies, whose bindings are elsewhere.
pub(super) fn of_area(part: SelectPart) -> Module {
    module(part, shader!("select/assembly"))
}

/// A part of a selection from neurons.
pub(super) fn of_populations(part: SelectPart) -> Module {
    module(part, shader!("select/population"))
}

/// A part, with the file that says what is selected.
fn module(part: SelectPart, place: &str) -> Module {
    let text = match part {
        SelectPart::Digit => shader!("select/digit"),
        SelectPart::Count => shader!("select/count"),
        SelectPart::Emit => shader!("select/emit"),
        SelectPart::Sum => shader!("select/sum"),
        SelectPart::Fire => shader!("select/fire"),
    };
    Module::new(part.name(), &[shader!("select"), text, place])
}
