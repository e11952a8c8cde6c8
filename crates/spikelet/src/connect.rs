//! Who is joined to whom.
//!
//! Edges are drawn from counters, per (projection, pre, block of 256 posts) or per (projection, post), so a shard draws
//! only those onto its own posts, and the result does not depend on how many shards there are.

mod connector;
mod rows;

pub use connector::{Connector, RULES, RuleEntry};
pub use rows::{Rows, Rule, Wiring};
