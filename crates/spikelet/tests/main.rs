//! Networks, plans and the CPU backend as a user of the crate meets them.
#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "a test fails by panicking, and reads best with its JSON in place"
)]

mod connect;
mod cost;
mod double;
mod draws;
mod language;
mod messages;
mod weights;
