//! The file of results: a JSON object on each line, written as soon as it is known.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Problem;

/// The name of the file in the folder of results.
pub(crate) const FILE: &str = "results.jsonl";

/// The file of results.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// The file in this folder, which is made if it is not there. Lines of an earlier run stay.
    ///
    /// # Errors
    /// The folder or the file cannot be made.
    pub(crate) fn open(folder: &Path) -> Result<Journal, Problem> {
        let path = folder.join(FILE);
        let failed = |error| Problem::Write { path: path.clone(), error };
        fs::create_dir_all(folder).map_err(failed)?;
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        // A run that was killed may have left half a line.
        let before = fs::read(&path).map_err(failed)?;
        if before.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(failed)?;
        }
        Ok(Journal { path, file })
    }

    /// Appends a result.
    ///
    /// # Errors
    /// It cannot be written.
    pub(crate) fn write(&mut self, line: &Value) -> Result<(), Problem> {
        let failed = |error| Problem::Write { path: self.path.clone(), error };
        self.file.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.file.flush()).map_err(failed)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_are_appended_and_half_a_line_is_ended() {
        let folder = std::env::temp_dir().join(format!("spikelet-kit-journal-{}", std::process::id()));
        let write = |line: Value| Journal::open(&folder).and_then(|mut journal| journal.write(&line)).expect("it is writable");
        write(json!({"kind": "report"}));
        let path = folder.join(FILE);
        let mut text = fs::read_to_string(&path).expect("it is there");
        text.push_str("{\"kind\": \"fig");
        fs::write(&path, text).expect("it is writable");
        write(json!({"kind": "step"}));
        let text = fs::read_to_string(&path).expect("it is there");
        assert_eq!(text, "{\"kind\":\"report\"}\n{\"kind\": \"fig\n{\"kind\":\"step\"}\n");
        let inside = Journal::open(&path).expect_err("a file is no folder").to_string();
        assert!(inside.contains(FILE) && inside.contains("--out"), "{inside}");
        fs::remove_dir_all(&folder).expect("it goes");
    }
}
