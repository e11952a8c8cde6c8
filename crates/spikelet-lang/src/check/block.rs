//! The local names of statements.

use std::collections::HashSet;

use indexmap::IndexMap;

/// Statements that share local names.
#[derive(Default)]
pub(super) struct Block {
    pub(super) place: String,
    /// Variable of each local name.
    pub(super) locals: IndexMap<String, usize>,
    /// Those that have the same value in all neurons.
    pub(super) alike: HashSet<usize>,
    /// Whether the statements run in all neurons at once, and so may assign shared variables.
    pub(super) in_all: bool,
}
