//! Copies of files and folders.

use crate::Result;
use std::fs;
use std::path::Path;

/// Copies a file or a folder, but of its files only those that are wanted, which is asked with the place of the copy, too.
///
/// # Errors
/// Something cannot be read or written.
pub(crate) fn copy(from: &Path, to: &Path, is_wanted: impl Fn(&Path, &Path) -> bool + Copy) -> Result {
    let failed = |error| format!("cannot copy {} to {}: {error}", from.display(), to.display());
    if from.is_dir() {
        fs::create_dir_all(to).map_err(failed)?;
        for entry in fs::read_dir(from).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            copy(&from.join(&name), &to.join(&name), is_wanted)?;
        }
    } else if is_wanted(from, to) {
        fs::copy(from, to).map_err(failed)?;
    }
    Ok(())
}

/// Of all files.
pub(crate) fn all(_: &Path, _: &Path) -> bool {
    true
}

/// Of what is newer than its copy.
pub(crate) fn newer(from: &Path, to: &Path) -> bool {
    let changed = |old: &fs::Metadata, new: &fs::Metadata| old.len() != new.len() || old.modified().ok() < new.modified().ok();
    fs::metadata(to).is_err() || fs::metadata(to).ok().zip(fs::metadata(from).ok()).is_none_or(|(old, new)| changed(&old, &new))
}

/// Of what pages load: not of types, which stay in the package.
pub(crate) fn loaded(from: &Path, _: &Path) -> bool {
    !from.to_string_lossy().ends_with(".d.ts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wanted_files_are_copied() {
        let folder = std::env::temp_dir().join(format!("spikelet-copy-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        fs::create_dir_all(from.join("js")).expect("a folder");
        for file in ["index.html", "js/a.js", "js/a.d.ts"] {
            fs::write(from.join(file), file).expect("a file");
        }
        copy(&from, &to, loaded).expect("it copies");
        assert!(to.join("index.html").is_file() && to.join("js/a.js").is_file() && !to.join("js/a.d.ts").exists());
        assert!(newer(&from.join("js/a.d.ts"), &to.join("js/a.d.ts")) && !newer(&from.join("js/a.js"), &to.join("js/a.js")));
        fs::write(to.join("index.html"), "an older and longer page").expect("a file");
        assert!(newer(&from.join("index.html"), &to.join("index.html")));
        copy(&from, &to, all).expect("it copies");
        assert!(to.join("js/a.d.ts").is_file());
        assert_eq!(fs::read_to_string(to.join("index.html")).expect("a file"), "index.html");
        let problem = copy(&from.join("none"), &to.join("none"), all).expect_err("it is not there").to_string();
        assert!(problem.contains("cannot copy ") && problem.contains("none"), "{problem}");
        fs::remove_dir_all(&folder).expect("it goes");
    }
}
