//! Files of other tools.

use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use spikelet::judge::judge;
use spikelet_export::{ExportError, Tool};
use spikelet_interchange::import::{self, File, Imported};
use spikelet_interchange::nir::Import;
use spikelet_native::project::ProjectFolder;

use crate::failure::{Failure, error};
use crate::opening::Source;

/// Names and contents of files, and notices about them.
type Files = (Vec<(String, Vec<u8>)>, Vec<String>);

/// The format of a file of another tool, if it is one.
#[pyfunction]
pub(crate) fn format_of(name: &str, bytes: &[u8]) -> Option<&'static str> {
    import::format_of(name, bytes).map(|format| format.name())
}

/// The network of a file of another tool as JSON, and notices. Other files are read in the folder of its project, or in `root`. A graph, in which
/// time is continuous, gets the name `title` and a step.
#[pyfunction]
pub(crate) fn import_network(
    py: Python<'_>,
    path: PathBuf,
    root: Option<PathBuf>,
    bytes: Vec<u8>,
    title: String,
    dt_ms: Option<f64>,
) -> PyResult<(String, Vec<String>)> {
    let default = Import::default();
    let graph = Import { name: title, dt_ms: dt_ms.unwrap_or(default.dt_ms), ..default };
    let project = ProjectFolder::of(&path, root.as_deref()).map_err(error)?;
    let name = project.file.as_str();
    let opened = py.detach(|| {
        let mut open = |path: &str| project.read(path);
        import::open(File { name, bytes, graph, open: &mut open, check: &|network| judge(network, None, &[]).network })
    });
    let Imported { network, notices, .. } = opened.map_err(|error| Failure::from(error.within(name, "")))?;
    Ok((network.to_json(), notices.iter().map(|notice| format!("{}: {notice}", notice.path)).collect()))
}

/// The files of a network for another tool.
#[pyfunction]
pub(crate) fn export_network(
    py: Python<'_>,
    text: String,
    files: HashMap<String, PyBackedBytes>,
    folder: PathBuf,
    tool: &str,
) -> PyResult<Files> {
    let Some(tool) = Tool::ALL.into_iter().find(|known| known.word() == tool) else {
        let words: Vec<&str> = Tool::ALL.into_iter().map(Tool::word).collect();
        return Err(error(format!("there is no format {tool:?}; there are {}", words.join(", "))));
    };
    let source = Source { text, files, folder };
    let export = py.detach(|| {
        let network = source.network()?;
        tool.export(&network).map_err(|error| match error {
            ExportError::Network(error) => Failure::from(error),
            other => Failure(other.to_string()),
        })
    })?;
    Ok((export.files.into_iter().map(|file| (file.name, file.content)).collect(), export.notices))
}
