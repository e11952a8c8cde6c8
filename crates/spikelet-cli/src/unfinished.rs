//! The folder of a run that has not ended: `unfinished` in the folder of `--out`, with what was recorded so far, checkpoints, and what
//! `spikelet resume` needs.
//!
//! `docs/runs.md` describes its files.

mod checkpoint;

use std::fs::{self, File, TryLockError};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use spikelet::Purpose;

use crate::failure::Failure;
use crate::files;
use crate::ranks::Ranks;
use crate::records;
use crate::run_description::{NAME, RUN, RunDescription};
pub(crate) use checkpoint::Checkpoint;

const LOCK: &str = "lock";
/// The name of the folder while it is removed.
const REMOVED: &str = ".unfinished.removed";

/// The folder, for one rank of a run.
pub(crate) struct Unfinished {
    /// The folder of `--out`.
    out: PathBuf,
    /// The folder of this rank.
    folder: PathBuf,
    /// Locked while the run lasts.
    lock: File,
    /// The number of the last checkpoint.
    generation: u64,
    /// That of the run, which its files have.
    identity: u32,
}

/// A run whose folder does not exist before its first step.
pub(crate) struct NewRun {
    /// The same on all ranks.
    pub(crate) identity: u32,
    /// On the first rank.
    pub(crate) description: Option<RunDescription>,
}

impl Unfinished {
    /// Opens the folder of a run that is continued.
    ///
    /// # Errors
    /// It cannot be written, or another process runs in it.
    pub(crate) fn open(out: &Path, ranks: &Ranks, identity: u32) -> Result<Unfinished, Failure> {
        let mut folder = out.join(NAME);
        if !ranks.is_first() {
            folder.push(format!("rank-{}", ranks.rank()));
        }
        let unwritable = |error: Error| files::unwritable(&folder, &error);
        fs::create_dir_all(&folder).map_err(unwritable)?;
        let lock = lock(&folder)?;
        Ok(Unfinished { out: out.to_owned(), folder, lock, generation: 0, identity })
    }

    /// Makes the folder of a new run, and removes the files that an earlier one left in it.
    ///
    /// # Errors
    /// It cannot be written, or another process runs in it.
    pub(crate) fn begin(out: &Path, ranks: &Ranks, run: &NewRun) -> Result<Unfinished, Failure> {
        let unfinished = Unfinished::open(out, ranks, run.identity)?;
        let unwritable = |error: Error| files::unwritable(&unfinished.folder, &error);
        for entry in fs::read_dir(&unfinished.folder).map_err(unwritable)? {
            let entry = entry.map_err(unwritable)?;
            // Folders are those of other ranks, which remove their own files.
            if is_own(&entry.file_name().to_string_lossy()) && entry.file_name() != LOCK && !entry.path().is_dir() {
                fs::remove_file(entry.path()).map_err(unwritable)?;
            }
        }
        match run.description.as_ref().map(|description| description.write(&unfinished.folder)) {
            Some(Err(failure)) => {
                // A folder without it cannot be continued, and the results of an earlier run beside it are complete.
                unfinished.remove()?;
                Err(failure)
            }
            _ => Ok(unfinished),
        }
    }

    /// The folder of its files.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The newest checkpoint that can be read and is `sound`, on all ranks if they share the network, and a notice about a newer one that is not.
    /// Newer ones are removed.
    ///
    /// # Errors
    /// There are checkpoints, but none can be read.
    pub(crate) fn newest(
        &mut self,
        ranks: &Ranks,
        sound: impl Fn(&Checkpoint) -> Result<(), Failure>,
    ) -> Result<(Option<Checkpoint>, Option<String>), Failure> {
        let (mut found, mut damaged) = (None, None);
        for generation in checkpoint::generations(&self.folder)?.into_iter().rev() {
            match self.read(generation).and_then(|checkpoint| sound(&checkpoint).map(|()| checkpoint)) {
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
            let common = ranks.least(Purpose::Checkpoint, found.as_ref().map_or(0, |(generation, _)| *generation))?;
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
        Checkpoint::read(&checkpoint::path(&self.folder, generation), self.identity)
    }

    /// Writes a checkpoint. The last two stay.
    ///
    /// # Errors
    /// It cannot be written; those before it stay.
    pub(crate) fn save(&mut self, checkpoint: &Checkpoint) -> Result<(), Failure> {
        self.generation += 1;
        checkpoint.write(&checkpoint::path(&self.folder, self.generation), self.identity)?;
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

    /// Removes the folder of all ranks after the run. It is renamed before, so that an end by force in between leaves no part of it.
    pub(crate) fn remove(self) -> Result<(), Failure> {
        let (folder, removed) = (self.out.join(NAME), self.out.join(REMOVED));
        // Elsewhere a folder with an open file cannot be renamed.
        let _lock = if cfg!(unix) { Some(self.lock) } else { None };
        let renamed = remove_folder(&removed).and_then(|()| fs::rename(&folder, &removed));
        renamed.and_then(|()| remove_folder(&removed)).map_err(|error| files::unwritable(&folder, &error))
    }
}

/// Removes what an end by force has left of a folder that was being removed.
pub(crate) fn remove_rest(out: &Path) -> Result<(), Failure> {
    let removed = out.join(REMOVED);
    remove_folder(&removed).map_err(|error| files::unwritable(&removed, &error))
}

/// Removes a folder, if it is there.
fn remove_folder(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a run makes a file or a folder of this name in its folder, also under its temporary name.
fn is_own(name: &str) -> bool {
    let name =
        name.strip_prefix('.').and_then(|name| name.strip_suffix(".draft")?.rsplit_once('.')).map_or(name, |(name, _)| name);
    let is_numbered = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    let numbered = ["checkpoint-", "rank-"].iter().find_map(|prefix| name.strip_prefix(prefix));
    [RUN, LOCK].contains(&name) || records::NAMES.contains(&name) || numbered.is_some_and(is_numbered)
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

/// Rejects the folder of a run that can be continued or that another process runs, and one that is no run's: a new run would empty it.
pub(crate) fn check_free(out: &Path) -> Result<(), Failure> {
    let folder = out.join(NAME);
    let Ok(metadata) = fs::symlink_metadata(&folder) else { return Ok(()) };
    let foreign = |what: &str| {
        let (folder, way_out) = (folder.display(), "rename it, or choose another folder with --out");
        Failure::Input(format!("{folder} is {what}, and a run keeps its own files in a folder of this name; {way_out}"))
    };
    if !metadata.is_dir() {
        return Err(foreign(if metadata.is_symlink() { "a link" } else { "a file" }));
    }
    let entries = fs::read_dir(&folder).map_err(|error| files::unreadable(&folder, &error))?;
    let other = entries.filter_map(|entry| Some(entry.ok()?.file_name())).find(|name| !is_own(&name.to_string_lossy()));
    if let (Some(other), false) = (other, folder.join(RUN).is_file()) {
        return Err(foreign(&format!("a folder of other files, such as {}", other.display())));
    }
    if folder.join(LOCK).is_file() {
        lock(&folder)?;
    }
    if checkpoint::generations(&folder)?.is_empty() {
        return Ok(());
    }
    let (out, folder) = (out.display(), folder.display());
    Err(Failure::Input(format!(
        "{out} has an unfinished run; `spikelet resume {out}` continues it; to start again, remove {folder}, or choose another folder with --out"
    )))
}

/// Rejects links among the files of a run that is continued: it would write to where they lead.
pub(crate) fn check_links(out: &Path) -> Result<(), Failure> {
    let folder = out.join(NAME);
    let mut folders = vec![folder.clone()];
    while let Some(folder) = folders.pop() {
        let linked = |path: &Path| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
        let entries = fs::read_dir(&folder).map_err(|error| files::unreadable(&folder, &error))?;
        let paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        if let Some(link) = paths.iter().chain([&folder]).find(|path| linked(path)) {
            let (link, expected) = (link.display(), "a run has files of its own only, and would write to where the link leads");
            return Err(Failure::Input(format!("{link} is a link: {expected}; replace it by the file itself")));
        }
        folders.extend(paths.into_iter().filter(|path| path.is_dir()));
    }
    Ok(())
}
