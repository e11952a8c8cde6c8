//! The folder of a project: where files that name each other are read.

use std::path::{Path, PathBuf};

/// The folder that holds all files of a model, and its first file.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectFolder {
    root: PathBuf,
    /// The path of the first file in it, with `/` between its parts.
    pub file: String,
}

impl ProjectFolder {
    /// The folder of a file: `given`; else the nearest one above the file with `.git`; else the working directory if it holds the file; else that of the file.
    ///
    /// # Errors
    /// Why there is no such folder, as a sentence.
    pub fn of(file: &Path, given: Option<&Path>) -> Result<ProjectFolder, String> {
        let whole = |path: &Path| {
            path.canonicalize().map_err(|error| format!("{} cannot be read: {error}; check the path", path.display()))
        };
        // Of a link that is the file itself, the folder in which it stands.
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = whole(folder)?;
        let working = || std::env::current_dir().ok().and_then(|working| working.canonicalize().ok());
        let root = match given {
            Some(given) => whole(given)?,
            None => {
                let project = folder.ancestors().find(|above| above.join(".git").exists()).map(Path::to_path_buf);
                project.or_else(|| working().filter(|working| folder.starts_with(working))).unwrap_or_else(|| folder.clone())
            }
        };
        let inside = folder.strip_prefix(&root).map_err(|_| {
            format!("{} is not in the folder {}; name with --root a folder that holds it", file.display(), root.display())
        })?;
        let name = file.file_name().map(PathBuf::from).unwrap_or_default();
        let parts = inside.join(name);
        let parts: Vec<String> = parts.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        Ok(ProjectFolder { root, file: parts.join("/") })
    }

    /// The path of a file by its path in the folder.
    pub fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside)
    }

    /// Reads a file by its path in the folder. Symbolic links do not lead out of it.
    ///
    /// # Errors
    /// Why it cannot be read, as the end of a sentence.
    pub fn read(&self, inside: &str) -> Result<Vec<u8>, String> {
        let path = self.path(inside).canonicalize().map_err(|error| error.to_string())?;
        if !path.starts_with(&self.root) {
            return Err(format!("it is a symbolic link that leads out of {}", self.root.display()));
        }
        std::fs::read(path).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn empty(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("spikelet-project-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("a/sim")).unwrap();
        fs::create_dir_all(folder.join("a/cells")).unwrap();
        fs::write(folder.join("a/sim/net.xml"), "net").unwrap();
        fs::write(folder.join("a/cells/c.nml"), "cell").unwrap();
        fs::write(folder.join("secret"), "secret").unwrap();
        folder.canonicalize().unwrap()
    }

    #[test]
    fn the_nearest_folder_with_git_holds_a_project() {
        let folder = empty("git");
        let file = folder.join("a/sim/net.xml");
        let alone = ProjectFolder::of(&file, None).unwrap();
        assert_eq!((alone.path(""), alone.file.as_str()), (folder.join("a/sim/"), "net.xml"));
        fs::create_dir(folder.join("a/.git")).unwrap();
        let project = ProjectFolder::of(&file, None).unwrap();
        assert_eq!(project.file, "sim/net.xml");
        assert_eq!(project.read("cells/c.nml").unwrap(), b"cell");
        assert_eq!(ProjectFolder::of(&file, Some(&folder)).unwrap().file, "a/sim/net.xml");
        let error = ProjectFolder::of(&file, Some(&folder.join("a/cells"))).unwrap_err();
        assert!(error.contains("net.xml is not in the folder") && error.contains("--root"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_do_not_lead_out_of_it() {
        let folder = empty("links");
        std::os::unix::fs::symlink(folder.join("secret"), folder.join("a/sim/out.nml")).unwrap();
        std::os::unix::fs::symlink(folder.join("a/sim/net.xml"), folder.join("a/sim/in.nml")).unwrap();
        std::os::unix::fs::symlink(&folder, folder.join("a/sim/up")).unwrap();
        let project = ProjectFolder::of(&folder.join("a/sim/net.xml"), None).unwrap();
        assert_eq!(project.read("in.nml").unwrap(), b"net");
        for out in ["out.nml", "up/secret"] {
            let error = project.read(out).unwrap_err();
            assert!(error.contains("symbolic link that leads out of"), "{error}");
        }
        fs::remove_dir_all(folder).unwrap();
    }
}
