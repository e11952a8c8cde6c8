//! Networks of texts and of the catalogue.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Cursor, ErrorKind};
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use spikelet::{BuildOptions, Network, ReadSeek, catalogue};

use crate::failure::Failure;

/// A network as text, with the files that it names.
pub(crate) struct Source {
    /// JSON.
    pub(crate) text: String,
    /// Contents of files by their names.
    pub(crate) files: HashMap<String, PyBackedBytes>,
    /// The folder of all other files that the network names.
    pub(crate) folder: PathBuf,
}

impl Source {
    /// The network, with its files.
    pub(crate) fn network(&self) -> Result<Network, Failure> {
        let mut network = Network::from_json(&self.text)?;
        let mut open = |name: &str| -> Result<Box<dyn ReadSeek + '_>, String> {
            if let Some(bytes) = self.files.get(name) {
                return Ok(Box::new(Cursor::new(&bytes[..])));
            }
            match File::open(self.folder.join(name)) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    Err(format!("neither `files` nor {} has it", self.folder.display()))
                }
                Err(error) => Err(format!("it cannot be opened: {error}")),
            }
        };
        network.resolve(&mut open)?;
        Ok(network)
    }
}

/// A network of the catalogue, as JSON.
#[pyfunction]
pub(crate) fn catalogue_network(name: &str, scale: f64) -> Result<String, Failure> {
    Ok(catalogue::network(name, scale)?.to_json())
}

/// Names and descriptions of the networks of the catalogue.
#[pyfunction]
pub(crate) fn catalogue_names() -> Vec<(String, String)> {
    catalogue::entries().iter().map(|entry| (entry.name.to_owned(), entry.description().to_owned())).collect()
}

/// All errors of a network, as sentences; files that it names are not read.
#[pyfunction]
pub(crate) fn check_network(text: &str) -> Result<Vec<String>, Failure> {
    let network = match Network::from_json_unchecked(text) {
        Ok(network) => network,
        Err(error) => return Ok(vec![error.to_string()]),
    };
    Ok(spikelet::diagnose(&network, BuildOptions::default()).iter().map(ToString::to_string).collect())
}
