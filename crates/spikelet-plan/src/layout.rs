//! What devices store and record: arrays, channels, statistics.

pub(super) mod arrays;
pub(super) mod edge_table;
pub(super) mod recordings;
pub(super) mod sampling;
pub(super) mod stateful;
pub(super) mod statistics;
