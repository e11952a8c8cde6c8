//! Files of other tools, as bytes: this crate does no I/O.
//!
//! [`import`] opens a file of any format. [`hdf5`] reads and writes HDF5 files, [`nir`] graphs of trained networks, which become networks and are made of them. [`neuroml`] reads NeuroML and LEMS,
//! [`sonata`] reads and writes circuits and simulations of SONATA. [`results`] writes what a run recorded as NWB, SONATA and Parquet.

pub mod hdf5;
pub mod import;
pub mod neuroml;
pub mod nir;
pub mod results;
pub mod sonata;

mod imported;
mod paths;

pub use paths::Open;
