//! Atomic writing of files.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes a file under another name in the same folder, and renames it when it is complete. A device or a pipe is written directly.
pub(crate) fn write(path: &Path, content: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let fill = |path: &Path| {
        let mut file = BufWriter::new(File::create(path)?);
        content(&mut file)?;
        file.into_inner().map_err(|error| error.into_error())
    };
    if is_special(path) {
        return fill(path)?.flush();
    }
    // For a link, its target is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let draft = draft(&path)?;
    let written = fill(&draft).and_then(|file| file.sync_all()).and_then(|()| fs::rename(&draft, &path));
    if written.is_err() {
        _ = fs::remove_file(&draft);
    }
    written?;
    sync(folder(&path))
}

/// Checks before the run whether a file of this name can be written.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    if path.is_dir() {
        return Err(Error::new(ErrorKind::IsADirectory, "it is a folder"));
    }
    if is_special(path) {
        return Ok(());
    }
    let draft = draft(&fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))?;
    File::create(&draft)?;
    fs::remove_file(draft)
}

/// Removes files of a folder, including incomplete ones of a terminated program.
pub(crate) fn remove(folder: &Path, names: &[&str]) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let (name, path) = entry.map(|entry| (entry.file_name(), entry.path()))?;
        let name = name.to_string_lossy();
        let is_draft = |of: &&str| name.strip_prefix('.').and_then(|rest| rest.strip_prefix(*of)).is_some_and(is_ending);
        if names.contains(&&*name) || names.iter().any(is_draft) {
            fs::remove_file(path)?;
        }
    }
    sync(folder)
}

/// The error for a file of a run that cannot be written while it runs.
pub(crate) fn unwritable(path: &Path, error: &Error) -> Failure {
    let way_out = "make room or choose another folder; what was written before is complete";
    Failure::Output(format!("{} cannot be written: {error}; {way_out}", path.display()))
}

/// The error for a file of a run that cannot be read.
pub(crate) fn unreadable(path: &Path, error: &Error) -> Failure {
    Failure::Run(format!("{} cannot be read: {error}; check its permissions, and the disk", path.display()))
}

/// Something that is neither a file nor absent cannot be replaced.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The temporary name of a file: hidden, and unique to this process.
fn draft(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| Error::new(ErrorKind::InvalidInput, "it is not a file name"))?;
    let mut draft = OsString::from(".");
    draft.push(name);
    draft.push(format!(".{}.draft", std::process::id()));
    Ok(folder(path).join(draft))
}

fn is_ending(text: &str) -> bool {
    let number = text.strip_prefix('.').and_then(|rest| rest.strip_suffix(".draft"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The directory is also synchronised to the disk.
fn sync(folder: &Path) -> Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_finished_leaves_the_old_one() {
        let folder = std::env::temp_dir().join(format!("spikelet-files-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder is writable");
        let path = folder.join("a.txt");
        write(&path, |file| file.write_all(b"old")).expect("it is written");
        let failed = write(&path, |file| file.write_all(b"new").and(Err(Error::other("no room"))));
        assert_eq!(failed.map_err(|error| error.to_string()), Err("no room".to_owned()));
        assert_eq!(fs::read(&path).expect("it is there"), b"old");
        write(&path, |file| file.write_all(b"new")).expect("it is written");
        assert_eq!(fs::read(&path).expect("it is there"), b"new");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);

        fs::write(folder.join(".a.txt.123.draft"), "").expect("the folder is writable");
        fs::write(folder.join(".a.txt.mine.draft"), "").expect("the folder is writable");
        remove(&folder, &["a.txt", "b.txt"]).expect("they can be removed");
        let left: Vec<_> = fs::read_dir(&folder).expect("a folder").filter_map(|entry| Some(entry.ok()?.file_name())).collect();
        assert_eq!(left, [".a.txt.mine.draft"]);
        fs::remove_dir_all(&folder).expect("it can be removed");
    }
}
