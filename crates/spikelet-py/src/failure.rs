//! Errors, as Python sees them.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    spikelet,
    SpikeletError,
    PyValueError,
    "A network, a value or a device that cannot be used. The message names the value, the place, what was expected and the way out."
);

/// Why a call failed, on any thread.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) String);

impl From<spikelet::Error> for Failure {
    fn from(error: spikelet::Error) -> Failure {
        Failure(error.to_string())
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure(error.to_string())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        error(failure.0)
    }
}

/// An exception with a sentence.
pub(crate) fn error(sentence: String) -> PyErr {
    SpikeletError::new_err(sentence)
}
