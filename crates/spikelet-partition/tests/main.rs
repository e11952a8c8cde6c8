//! Partitions, their scores, and what is drawn of them.

mod properties;
mod realized;
