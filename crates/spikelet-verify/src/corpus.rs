//! The conformance corpus.

use crate::{Case, CaseFormatError};

/// Name, without its ending, and text of each file of `tests/conformance`.
const FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// All cases of `tests/conformance`, by name.
///
/// # Errors
/// A file is no case, or its case has another name.
pub fn corpus() -> Result<Vec<Case>, CaseFormatError> {
    let read = |(file, text): &(&str, &str)| {
        let case =
            Case::from_json(text).map_err(|error| CaseFormatError::new(format!("{file}.json: {}", error.path), error.message))?;
        if case.name == *file {
            return Ok(case);
        }
        Err(CaseFormatError::new(format!("{file}.json: name"), format!("{:?}, but a case has the name of its file", case.name)))
    };
    FILES.iter().map(read).collect()
}
