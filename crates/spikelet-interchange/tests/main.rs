//! Files of other tools, read and written.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod hdf5;
mod nir;
mod sonata_write;
