//! The folder of a run that has not ended: `unfinished` in the folder of `--out`, with what was recorded so far, checkpoints, and what
//! `spikelet resume` needs.
//!
//! `docs/runs.md` describes its files.

mod checkpoint;

use std::fs::{self, File, TryLockError};
use std::io::Error;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::files;
use crate::ranks::Ranks;
use crate::run_description::NAME;
pub(crate) use checkpoint::Checkpoint;

const LOCK: &str = "lock";

/// The folder, for one rank of a run.
pub(crate) struct Unfinished {
    /// The folder of `--out`.
    out: PathBuf,
    /// The folder of this rank.
    folder: PathBuf,
    /// Locked while the run lasts.
    _lock: File,
    /// The number of the last checkpoint.
    generation: u64,
}

impl Unfinished {
    /// Opens the folder for a run; for a new one what an earlier run left is removed.
    ///
    /// # Errors
    /// It cannot be written, or another process runs in it.
    pub(crate) fn open(out: &Path, ranks: &Ranks, is_new: bool) -> Result<Unfinished, Failure> {
        let mut folder = out.join(NAME);
        if !ranks.is_first() {
            folder.push(format!("rank-{}", ranks.rank()));
        }
        let unwritable = |error: Error| files::unwritable(&folder, &error);
        fs::create_dir_all(&folder).map_err(unwritable)?;
        let lock = lock(&folder)?;
        if is_new {
            for entry in fs::read_dir(&folder).map_err(unwritable)? {
                let path = entry.map_err(unwritable)?.path();
                // Those of other ranks are their own.
                if path.is_file() && !path.ends_with(LOCK) {
                    fs::remove_file(&path).map_err(unwritable)?;
                }
            }
        }
        Ok(Unfinished { out: out.to_owned(), folder, _lock: lock, generation: 0 })
    }

    /// The folder of its files.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The newest checkpoint that can be read, by all ranks if they share the network, and a notice about a newer one that cannot. Newer ones
    /// are removed.
    ///
    /// # Errors
    /// There are checkpoints, but none can be read.
    pub(crate) fn newest(&mut self, ranks: &Ranks) -> Result<(Option<Checkpoint>, Option<String>), Failure> {
        let (mut found, mut damaged) = (None, None);
        for generation in checkpoint::generations(&self.folder)?.into_iter().rev() {
            match self.read(generation) {
                Ok(checkpoint) => {
                    found = Some((generation, checkpoint));
                    break;
                }
                Err(failure) => damaged = damaged.or(Some(failure)),
            }
        }
        if found.is_none()
            && let Some(failure) = damaged
        {
            return Err(failure);
        }
        if ranks.share_network() {
            // The generations of ranks differ by one at most, and each keeps two.
            let common = ranks.least(found.as_ref().map_or(0, |(generation, _)| *generation))?;
            if found.as_ref().is_some_and(|(generation, _)| *generation > common) {
                found = if common > 0 { Some((common, self.read(common)?)) } else { None };
            }
        }
        self.generation = found.as_ref().map_or(0, |(generation, _)| *generation);
        self.remove_checkpoints(|generation| generation > self.generation)?;
        let notice = damaged.map(|failure| format!("{failure}; the run continues from another one"));
        Ok((found.map(|(_, checkpoint)| checkpoint), notice))
    }

    fn read(&self, generation: u64) -> Result<Checkpoint, Failure> {
        Checkpoint::read(&checkpoint::path(&self.folder, generation))
    }

    /// Writes a checkpoint. The last two stay.
    ///
    /// # Errors
    /// It cannot be written; those before it stay.
    pub(crate) fn save(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.generation += 1;
        checkpoint.write(&checkpoint::path(&self.folder, self.generation))?;
        self.remove_checkpoints(|generation| generation + 1 < self.generation)
    }

    /// Writes a checkpoint of less than those before it had, which are removed.
    pub(crate) fn replace(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.save(checkpoint)?;
        self.remove_checkpoints(|generation| generation < self.generation)
    }

    fn remove_checkpoints(&self, is_old: impl Fn(u64) -> bool) -> Result<(), Failure> {
        for generation in checkpoint::generations(&self.folder)?.into_iter().filter(|generation| is_old(*generation)) {
            let path = checkpoint::path(&self.folder, generation);
            fs::remove_file(&path).map_err(|error| files::unwritable(&path, &error))?;
        }
        Ok(())
    }

    /// Removes the folder of all ranks after the run.
    pub(crate) fn remove(self) -> Result<(), Failure> {
        let folder = self.out.join(NAME);
        fs::remove_dir_all(&folder).map_err(|error| files::unwritable(&folder, &error))
    }
}

/// Locks a folder until the file is closed, also by the end of the process.
fn lock(folder: &Path) -> Result<File, Failure> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(|error| files::unwritable(&path, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let sentence = "another process runs in this folder; wait for its end, or choose another folder with --out";
            Err(Failure::Input(format!("{}: {sentence}", folder.display())))
        }
        // File systems without locks have no other protection.
        Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Rejects the folder of a run that can be continued: a new one would replace it.
pub(crate) fn check_free(out: &Path) -> Result<(), Failure> {
    let folder = out.join(NAME);
    if !folder.is_dir() || checkpoint::generations(&folder)?.is_empty() {
        return Ok(());
    }
    let (out, folder) = (out.display(), folder.display());
    Err(Failure::Input(format!(
        "{out} has an unfinished run; `spikelet resume {out}` continues it; to start again, remove {folder}, or choose another folder with --out"
    )))
}
