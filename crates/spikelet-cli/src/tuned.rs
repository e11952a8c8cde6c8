//! Fastest workgroup sizes, stored in the user's cache folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use etcetera::base_strategy::{BaseStrategy, choose_native_strategy};

use crate::files;

/// The stored sizes, by [`spikelet_gpu::tuning_key`].
#[derive(Debug, Default)]
pub(crate) struct Tuned {
    /// `None` if the user has no home folder.
    path: Option<PathBuf>,
    sizes: BTreeMap<String, u32>,
}

impl Tuned {
    /// The content of the user's file; with a notice if it cannot be read.
    pub(crate) fn of_user() -> (Tuned, Option<String>) {
        choose_native_strategy()
            .map_or_else(|_| Default::default(), |base| Tuned::read(base.cache_dir().join("spikelet/workgroup-sizes.json")))
    }

    fn read(path: PathBuf) -> (Tuned, Option<String>) {
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return (Tuned { path: Some(path), ..Tuned::default() }, None);
            }
            Err(error) => {
                let notice = format!("{} cannot be read ({error}); workgroup sizes are measured again", path.display());
                return (Tuned { path: Some(path), ..Tuned::default() }, Some(notice));
            }
        };
        match serde_json::from_str(&text) {
            Ok(sizes) => (Tuned { path: Some(path), sizes }, None),
            Err(error) => {
                let notice = format!("{} is not a list of sizes ({error}); they are measured again", path.display());
                (Tuned { path: Some(path), ..Tuned::default() }, Some(notice))
            }
        }
    }

    pub(crate) fn size(&self, key: &str) -> Option<u32> {
        self.sizes.get(key).copied()
    }

    /// Stores a size; returns a notice if that fails.
    pub(crate) fn remember(&mut self, key: &str, size: u32) -> Option<String> {
        self.sizes.insert(key.to_owned(), size);
        let path = self.path.as_deref()?;
        let failed = self.write(path).err()?;
        Some(format!("{} cannot be written ({failed}); the size is measured again next time", path.display()))
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        // Another run may read it at the same time.
        files::write(path, |file| Ok(serde_json::to_writer_pretty(file, &self.sizes)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_remembered_and_a_broken_file_is_told() {
        let path = std::env::temp_dir().join(format!("spikelet-tuned-{}", std::process::id())).join("sizes.json");
        let (mut tuned, notice) = Tuned::read(path.clone());
        assert_eq!((tuned.size("a"), notice), (None, None));
        assert_eq!(tuned.remember("a", 128), None);
        let (tuned, notice) = Tuned::read(path.clone());
        assert_eq!((tuned.size("a"), tuned.size("b"), notice), (Some(128), None, None));
        fs::write(&path, "{\"a\": ").expect("the folder is writable");
        let (tuned, notice) = Tuned::read(path.clone());
        assert!(tuned.size("a").is_none() && notice.is_some_and(|notice| notice.contains("measured again")));
        fs::remove_dir_all(path.parent().expect("a folder")).expect("it can be removed");
    }
}
