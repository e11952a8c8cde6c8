//! Files of other tools, as bytes: this crate does no I/O.
//!
//! [`hdf5`] reads and writes HDF5 files, [`nir`] graphs of trained networks, which become networks and are made of them.

pub mod hdf5;
pub mod nir;
