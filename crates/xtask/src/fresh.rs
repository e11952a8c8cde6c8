//! Whether something that was made is newer than what it was made from.

use crate::Result;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Folders without files written by hand.
const MADE: [&str; 4] = ["target", "dist", "node_modules", ".git"];

/// Files with the time at which each was changed.
pub(crate) type Files = BTreeMap<PathBuf, SystemTime>;

/// All files in and under `paths`, which are files or folders; what is not there is left out.
pub(crate) fn files(paths: &[PathBuf]) -> Files {
    let mut found = Files::new();
    paths.iter().for_each(|path| collect(path, &mut found));
    found
}

fn collect(path: &Path, found: &mut Files) {
    let Ok(metadata) = fs::metadata(path) else { return };
    if !metadata.is_dir() {
        found.extend(metadata.modified().ok().map(|time| (path.to_owned(), time)));
    } else if !path.file_name().is_some_and(|name| MADE.iter().any(|made| name == *made)) {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            collect(&entry.path(), found);
        }
    }
}

/// The first file that came, went or changed from `before` to `after`.
pub(crate) fn change<'a>(before: &'a Files, after: &'a Files) -> Option<&'a Path> {
    let differs = |(path, time): &(&'a PathBuf, &SystemTime)| before.get(*path) != Some(time);
    let gone = before.keys().find(|path| !after.contains_key(*path));
    after.iter().find(differs).map(|(path, _)| path).or(gone).map(PathBuf::as_path)
}

/// A note on when something was made, and how.
pub(crate) struct Note {
    file: PathBuf,
}

impl Note {
    pub(crate) fn on(workspace: &Workspace, what: &str) -> Note {
        Note { file: workspace.root.join("target/made").join(what) }
    }

    /// Whether it was made this way, is still there at `output`, and nothing in `inputs` has changed since.
    pub(crate) fn holds(&self, how: &str, output: &Path, inputs: &[PathBuf]) -> bool {
        let noted = fs::read_to_string(&self.file).is_ok_and(|noted| noted == how);
        let Ok(made) = fs::metadata(&self.file).and_then(|file| file.modified()) else { return false };
        noted && output.exists() && files(inputs).values().all(|changed| *changed < made)
    }

    /// Makes it by `make`; it is noted as made when that began.
    ///
    /// # Errors
    /// Those of `make`, or nothing can be noted.
    pub(crate) fn after(&self, how: &str, make: impl FnOnce() -> Result) -> Result {
        // Whatever comes of it, what was there before is so no more.
        let _ = fs::remove_file(&self.file);
        let began = SystemTime::now();
        make()?;
        let noted = || {
            fs::create_dir_all(self.file.parent().unwrap_or(Path::new(".")))?;
            fs::write(&self.file, how)?;
            fs::File::options().write(true).open(&self.file)?.set_modified(began)
        };
        noted().map_err(|error| format!("cannot write {}: {error}", self.file.display()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_came_went_or_changed_is_named() {
        let time = SystemTime::UNIX_EPOCH;
        let at = |list: &[(&str, u64)]| -> Files {
            list.iter().map(|(path, s)| (PathBuf::from(path), time + Duration::from_secs(*s))).collect()
        };
        let before = at(&[("a", 1), ("b", 1)]);
        assert_eq!(change(&before, &before), None);
        for (after, path) in
            [(at(&[("a", 1), ("b", 2)]), "b"), (at(&[("a", 1)]), "b"), (at(&[("a", 1), ("b", 1), ("c", 0)]), "c")]
        {
            assert_eq!(change(&before, &after), Some(Path::new(path)));
        }
    }

    #[test]
    fn sources_are_seen_and_what_is_made_of_them_is_not() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let found = files(&[here.to_owned(), here.join("target"), here.join("absent")]);
        assert!(found.contains_key(&here.join("src/fresh.rs")));
        assert!(found.keys().all(|path| !path.starts_with(here.join("target"))));
    }

    #[test]
    fn a_note_holds_until_an_input_changes() {
        let folder = std::env::temp_dir().join(format!("spikelet-fresh-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let input = folder.join("input");
        let old = SystemTime::now() - Duration::from_secs(60);
        let touch = |time| fs::File::create(&input).and_then(|file| file.set_modified(time)).expect("a file");
        let note = Note { file: folder.join("note") };
        let holds = |how| note.holds(how, &folder, std::slice::from_ref(&input));
        touch(old);
        assert!(!holds("quick"));
        note.after("quick", || Ok(())).expect("it is noted");
        assert!(holds("quick") && !holds("wasm"));
        assert!(!note.holds("quick", &folder.join("gone"), &[]));
        touch(SystemTime::now() + Duration::from_secs(60));
        assert!(!holds("quick"));
        touch(old);
        assert!(note.after("quick", || Err("it failed".into())).is_err() && !holds("quick"));
        fs::remove_dir_all(&folder).expect("it goes");
    }
}
