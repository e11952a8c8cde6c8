//! Values that are set after the build.

pub(super) mod bindings;
pub(super) mod revise;
