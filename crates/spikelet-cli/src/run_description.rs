//! How a run was started, as a file in its folder: what `spikelet resume` repeats.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spikelet::Network;

use crate::failure::Failure;
use crate::files;

/// The folder of a run that has not ended, in that of `--out`.
pub(crate) const NAME: &str = "unfinished";
/// The file in it.
pub(crate) const RUN: &str = "run.json";
/// Version of the format.
const FORMAT: u32 = 2;

/// How a run was started.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct RunDescription {
    format: u32,
    /// The version of the program.
    program: String,
    /// When the run was started, in ns since 1970, and its process: no other run has both.
    #[serde(default)]
    started: (i128, u32),
    /// The arguments of the command, without its name.
    pub(crate) arguments: Vec<String>,
    /// The folder that relative paths in them refer to.
    pub(crate) folder: PathBuf,
    /// The number of ranks.
    pub(crate) ranks: usize,
    /// The network with all settings.
    pub(crate) network: Value,
    /// That of all others (CRC-32). Checkpoints and tables are bound to it.
    #[serde(default)]
    checksum: u32,
}

impl RunDescription {
    /// The run of this command.
    pub(crate) fn of_command(network: &Network, ranks: usize) -> Result<RunDescription, Failure> {
        let folder = std::env::current_dir().map_err(|error| Failure::Run(format!("the current folder is unknown: {error}")))?;
        let arguments = std::env::args_os().skip(1).map(|text| text.to_string_lossy().into_owned()).collect();
        // It has just been written as JSON.
        let network = serde_json::from_str(&network.to_json()).unwrap_or_default();
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let started = (Timestamp::now().as_nanosecond(), std::process::id());
        let description = RunDescription { format: FORMAT, program, started, arguments, folder, ranks, network, checksum: 0 };
        let checksum = description.computed_checksum();
        Ok(RunDescription { checksum, ..description })
    }

    /// The checksum of what it says; its own is not part of it.
    fn computed_checksum(&self) -> u32 {
        let said = (self.format, &self.program, self.started, &self.arguments, &self.folder, self.ranks, &self.network);
        // Texts and finite numbers only: cannot fail.
        crc32fast::hash(&serde_json::to_vec(&said).unwrap_or_default())
    }

    /// What is in the files of this run, and of no other.
    pub(crate) fn identity(&self) -> u32 {
        self.checksum
    }

    /// Writes it into the folder of a run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Failure> {
        // Texts and finite numbers only: cannot fail.
        let text = serde_json::to_string(self).unwrap_or_default();
        let path = folder.join(RUN);
        files::write(&path, |file| writeln!(file, "{text}")).map_err(|error| files::unwritable(&path, &error))
    }

    /// That of the unfinished run in the folder of `--out`; `None` if there is none.
    pub(crate) fn read(out: &Path) -> Result<Option<RunDescription>, Failure> {
        let path = out.join(NAME).join(RUN);
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(|error| files::unreadable(&path, &error))?;
        let damaged = |why: String| {
            let way_out = "run the network again, in another folder";
            Failure::Input(format!("{} is damaged: {why}; {way_out}", path.display()))
        };
        let description: RunDescription = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if description.format != FORMAT {
            let (program, found) = (description.program, description.format);
            let sentence =
                format!("it has format {found}, and this program reads {FORMAT}; resume the run with spikelet {program}");
            return Err(Failure::Input(format!("{}: {sentence}", path.display())));
        }
        if description.checksum != description.computed_checksum() {
            return Err(damaged("its checksum is wrong, so that it does not say how the run was started".into()));
        }
        Ok(Some(description))
    }
}
