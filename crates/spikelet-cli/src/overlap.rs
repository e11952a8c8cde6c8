//! Files that a command both reads and writes, or writes twice: found before anything is written.

use std::fs;
use std::path::{Path, PathBuf};

use spikelet::{Network, Pairs};

use crate::failure::Failure;
use crate::source;

/// A file, and what it is to the command: what reads it, or the option that names it.
#[derive(Debug, Clone)]
pub(crate) struct FileRole {
    path: PathBuf,
    role: String,
}

impl FileRole {
    pub(crate) fn new(path: impl Into<PathBuf>, role: impl Into<String>) -> FileRole {
        FileRole { path: path.into(), role: role.into() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The place of its name, and that of its content: for a link, one of them may be replaced and the other stay.
    fn places(&self) -> [PathBuf; 2] {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let name = self.path.file_name().map_or_else(|| folder.clone(), |name| folder.join(name));
        let content = fs::canonicalize(&self.path).unwrap_or_else(|_| name.clone());
        [name, content]
    }

    /// Devices and pipes are written by several without a loss.
    fn is_special(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|metadata| !metadata.is_file())
    }
}

/// The files that a network is read from: its own, and those that it names.
pub(crate) fn of_network(name: &str, network: &Network) -> Vec<FileRole> {
    let mut files = named_by(network);
    if source::is_file(name) {
        files.push(FileRole::new(name, "the network"));
    }
    files
}

/// The files that a network names.
pub(crate) fn named_by(network: &Network) -> Vec<FileRole> {
    let mut files = Vec::new();
    for population in &network.populations {
        if let Some(neurons) = &population.neurons {
            files.push(FileRole::new(&neurons.file, format!("the neurons of {}", population.name)));
        }
    }
    for projection in &network.projections {
        if let Some(Pairs::File(edges)) = &projection.pairs {
            files.push(FileRole::new(&edges.file, format!("the edges of {}", projection.name)));
        }
        if let Some(learned) = &projection.learned {
            files.push(FileRole::new(&learned.file, format!("the weights of {}", projection.name)));
        }
    }
    files
}

/// Rejects output that would replace input, and two outputs with one name. A `removed` folder is emptied after the command.
pub(crate) fn check(read: &[FileRole], written: &[FileRole], removed: Option<&Path>) -> Result<(), Failure> {
    let read: Vec<(&FileRole, [PathBuf; 2])> =
        read.iter().filter(|file| !file.is_special()).map(|file| (file, file.places())).collect();
    let removed = removed.and_then(|folder| fs::canonicalize(folder).ok());
    if let (Some(folder), Some((input, _))) =
        (&removed, read.iter().find(|(_, places)| removed.iter().any(|folder| places.iter().any(|of| of.starts_with(folder)))))
    {
        let (input, role, folder) = (input.path.display(), &input.role, folder.display());
        return Err(Failure::Input(format!(
            "{input} is {role}, and {folder} is removed after the run; move {input}, or choose another folder with --out"
        )));
    }
    let mut before: Vec<(&FileRole, [PathBuf; 2])> = Vec::new();
    for output in written.iter().filter(|file| !file.is_special()) {
        let places = output.places();
        let is_same = |(_, others): &&(&FileRole, [PathBuf; 2])| others.iter().any(|other| places.contains(other));
        let (name, option) = (output.path.display(), &output.role);
        if let Some((input, _)) = read.iter().find(is_same) {
            let (input, role) = (input.path.display(), &input.role);
            return Err(Failure::Input(format!(
                "{option} would write {name} over {input}, which is {role}; choose another place with {option}"
            )));
        }
        if let Some((other, _)) = before.iter().find(is_same) {
            let (other, first) = (other.path.display(), &other.role);
            return Err(Failure::Input(format!(
                "{first} writes {other}, and {option} would write {name} over it; choose another place with {option}"
            )));
        }
        before.push((output, places));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_the_same_by_another_path() {
        let folder = std::env::temp_dir().join(format!("spikelet-overlap-{}", std::process::id()));
        fs::create_dir_all(folder.join("sub")).expect("the folder is writable");
        fs::write(folder.join("net.json"), "{}").expect("the folder is writable");
        let read = [FileRole::new(folder.join("sub/../net.json"), "the network")];
        let written = |name: &str| [FileRole::new(folder.join(name), "--out")];
        let failure = check(&read, &written("net.json"), None).expect_err("it is the same").to_string();
        assert!(failure.contains("which is the network; choose another place with --out"), "{failure}");
        check(&read, &written("other.json"), None).expect("it is another");
        check(&read, &written("other.json"), Some(&folder.join("sub"))).expect("it is elsewhere");
        check(&read, &written("other.json"), Some(&folder)).expect_err("it would be removed");
        let twice = [written("a.npz"), [FileRole::new(folder.join("sub/../a.npz"), "--save-weights")]].concat();
        let failure = check(&[], &twice, None).expect_err("both write it").to_string();
        assert!(failure.starts_with("--out writes ") && failure.contains("--save-weights would write"), "{failure}");
        fs::remove_dir_all(&folder).expect("it can be removed");
    }
}
