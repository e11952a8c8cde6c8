//! Partitions, their scores, and what is drawn of them.

mod drawn;
mod properties;
