//! Checkpoints: all that a run needs to continue, in a file.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::files;
use crate::monitor::MonitorState;
use crate::records::RecordsState;
use crate::trials::{FinishedTrial, RunningTrial};

/// The beginning of a file, followed by the version of the format (u32), the length of the content (u64), its checksum (u32, CRC-32) and the
/// identity of the run (u32), all little-endian.
const BEGINNING: &[u8; 8] = b"spkcheck";
const VERSION: u32 = 2;
const HEAD: usize = 28;

/// A run between two steps.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    /// The device: its kind and its name.
    pub(crate) device: (String, String),
    pub(crate) done: Vec<FinishedTrial>,
    /// The trials that run, if there are any.
    pub(crate) running: Vec<RunningTrial>,
    pub(crate) records: RecordsState,
    /// The number of records in each table before the trials that run.
    pub(crate) records_before: [u64; 3],
    /// Wall time of all trials so far.
    pub(crate) simulated: Duration,
    pub(crate) first_spike: Option<Duration>,
    pub(crate) monitor: Option<MonitorState>,
    /// Notices about devices.
    pub(crate) notices: Vec<String>,
    /// How often the run was continued.
    pub(crate) resumed: u32,
    /// The state of the trials that run (`docs/snapshot.md`), which is after all others in the file.
    #[serde(skip)]
    pub(crate) snapshot: Vec<u8>,
}

impl Checkpoint {
    /// Writes it, of the run of this identity; afterwards it is on the disk.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(super) fn write(&self, path: &Path, identity: u32) -> Result<(), Failure> {
        let lost = |error| Failure::Run(format!("the checkpoint cannot be written: {error}; report this error"));
        let content = postcard::to_stdvec(self).map_err(lost)?;
        let mut head = Vec::from(BEGINNING);
        head.extend(VERSION.to_le_bytes());
        head.extend(((content.len() + self.snapshot.len()) as u64).to_le_bytes());
        let mut checksum = crc32fast::Hasher::new();
        [&content, &self.snapshot].into_iter().for_each(|part| checksum.update(part));
        head.extend(checksum.finalize().to_le_bytes());
        head.extend(identity.to_le_bytes());
        let written =
            files::write(path, |file| [&head, &content, &self.snapshot].into_iter().try_for_each(|part| file.write_all(part)));
        written.map_err(|error| files::unwritable(path, &error))
    }

    /// Reads it, of the run of this identity.
    ///
    /// # Errors
    /// The file is damaged, of another version, or of another run.
    pub(super) fn read(path: &Path, identity: u32) -> Result<Checkpoint, Failure> {
        let bytes = fs::read(path).map_err(|error| files::unreadable(path, &error))?;
        let damaged = |why: &str| Failure::Run(format!("the checkpoint {} is damaged: {why}", path.display()));
        let Some((head, content)) = bytes.split_at_checked(HEAD).filter(|(head, _)| head.starts_with(BEGINNING)) else {
            return Err(damaged("it does not begin as a checkpoint"));
        };
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if word(8) != VERSION {
            let (path, found) = (path.display(), word(8));
            let sentence = format!("the checkpoint {path} has format {found}, and this program reads {VERSION}");
            return Err(Failure::Run(format!("{sentence}; resume the run with the version of spikelet in run.json beside it")));
        }
        let length = u64::from(word(12)) | u64::from(word(16)) << 32;
        if length != content.len() as u64 {
            return Err(damaged(&format!("it has {} bytes of content instead of {length}", content.len())));
        }
        if crc32fast::hash(content) != word(20) {
            return Err(damaged("its checksum is wrong"));
        }
        if word(24) != identity {
            return Err(damaged("it is of another run than run.json beside it"));
        }
        let (checkpoint, snapshot) = postcard::take_from_bytes(content).map_err(|error| damaged(&error.to_string()))?;
        Ok(Checkpoint { snapshot: snapshot.to_vec(), ..checkpoint })
    }
}

/// The numbers of the checkpoints in a folder, in their order.
pub(super) fn generations(folder: &Path) -> Result<Vec<u64>, Failure> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| files::unreadable(folder, &error))? {
        let name = entry.map_err(|error| files::unreadable(folder, &error))?.file_name();
        let number: Option<u64> =
            name.to_str().and_then(|name| name.strip_prefix("checkpoint-")).and_then(|number| number.parse().ok());
        found.extend(number);
    }
    found.sort_unstable();
    Ok(found)
}

/// The file of a checkpoint.
pub(super) fn path(folder: &Path, generation: u64) -> PathBuf {
    folder.join(format!("checkpoint-{generation}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damaged_byte_and_every_shorter_file_is_found() {
        let folder = std::env::temp_dir().join(format!("spikelet-checkpoint-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder is writable");
        let file = path(&folder, 3);
        let checkpoint =
            Checkpoint { device: ("cpu".into(), "a processor".into()), snapshot: vec![7; 20], ..Checkpoint::default() };
        checkpoint.write(&file, 5).expect("the folder is writable");
        assert_eq!(generations(&folder).expect("a folder"), [3]);
        assert!(Checkpoint::read(&file, 6).is_err(), "another run");
        assert_eq!(Checkpoint::read(&file, 5).expect("it is whole").snapshot, checkpoint.snapshot);
        let whole = fs::read(&file).expect("it is there");
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            fs::write(&file, &bytes).expect("the folder is writable");
            assert!(Checkpoint::read(&file, 5).is_err(), "byte {place}");
            fs::write(&file, &whole[..place]).expect("the folder is writable");
            assert!(Checkpoint::read(&file, 5).is_err(), "{place} bytes");
        }
        fs::remove_dir_all(&folder).expect("it can be removed");
    }
}
