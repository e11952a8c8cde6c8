//! Networks, plans and the CPU backend as a user of the crate meets them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod connect;
mod cost;
mod double;
mod language;
mod messages;
mod weights;
