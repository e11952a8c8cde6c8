//! The trainings that have a name, and the schema of all.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod presets;
#[cfg(feature = "schema")]
mod schema;
