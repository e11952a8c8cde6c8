//! Results in documents: between two marks, a section or some rows for each device. What stands there of other devices stays.

use super::report::{self, Device};
use super::tables;
use crate::Result;
use std::fs;
use std::path::Path;

/// The marks around what is written.
const BEGIN: &str = "<!-- gpu:begin, written by `cargo xtask gpu take` -->";
const END: &str = "<!-- gpu:end -->";

/// What stands between the marks before a GPU was measured.
const NOTHING: &str = "Not measured on hardware yet.";

/// A document with marks.
struct Document {
    path: &'static str,
    /// The new text between the marks, from the old one.
    renew: fn(&str, &Device) -> String,
}

const DOCUMENTS: [Document; 4] = [
    Document { path: "BENCHMARKS.md", renew: sections },
    Document {
        path: "docs/placement.md",
        renew: |old, device| {
            let heading = "| device | network | submissions | dispatches | busy | slowest kernel | its GB/s | GB/s of a copy |\n|---|---|---|---|---|---|---|---|";
            rows(old, heading, device, &tables::of_placement(device))
        },
    },
    Document {
        path: "docs/parity.md",
        renew: |old, device| {
            let heading = "| device | networks with the spikes and arrays of the CPU | `cuba`, first spike in ms | `pd14`, real-time factor | `million`, steps/s | 64 trials of `cuba`, times one | assemblies, rounds/s |\n|---|---|---|---|---|---|---|";
            rows(old, heading, device, &tables::of_parity(device))
        },
    },
    Document {
        path: "docs/training.md",
        renew: |old, device| {
            let heading = "| device | training | GPU, s per epoch | CPU, s per epoch | threads | times as fast |\n|---|---|---|---|---|---|";
            rows(old, heading, device, &tables::of_training(device))
        },
    },
];

/// Copies the documents to another folder, which may be that of the clone itself.
///
/// # Errors
/// One cannot be copied.
pub(super) fn copy_documents(from: &Path, to: &Path) -> Result {
    if from == to {
        return Ok(());
    }
    for Document { path, .. } in &DOCUMENTS {
        let target = to.join(path);
        let failed = |error| format!("cannot write {}: {error}", target.display());
        fs::create_dir_all(target.parent().unwrap_or(to)).map_err(failed)?;
        if !target.exists() {
            fs::copy(from.join(path), &target).map_err(failed)?;
        }
    }
    Ok(())
}

/// Writes results into the documents below `root`; returns what was done, as lines. Rehearsals and software GPUs only if they are accepted.
///
/// # Errors
/// The results cannot be read, all of them are of a rehearsal or of software, or a document has no marks. Then nothing is written.
pub(super) fn take(results: &Path, root: &Path, rehearsal: bool) -> Result<Vec<String>> {
    let report::Results { devices, mut notices } = report::read(results)?;
    let (mut taken, mut rejected) = (Vec::new(), Vec::new());
    for device in devices {
        let why = if device.rehearsal { "a rehearsal" } else { "a software GPU" };
        if rehearsal || !(device.rehearsal || device.is_software()) {
            taken.push(device);
        } else {
            rejected.push(format!(
                "{} is {why}, whose numbers are no figures; see the options --rehearsal and --into",
                device.name()
            ));
        }
    }
    if taken.is_empty() {
        rejected.extend(notices);
        return Err(format!("there is nothing to take: {}", rejected.join("; ")).into());
    }
    notices.extend(rejected);
    let mut changed = Vec::new();
    for Document { path, renew } in &DOCUMENTS {
        let path = root.join(path);
        let mut page = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        for device in &taken {
            page = between_marks(&page, |old| renew(old, device)).map_err(|problem| format!("{}: {problem}", path.display()))?;
        }
        changed.push((path, page));
    }
    for (path, page) in &changed {
        fs::write(path, page).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    let names = taken.iter().map(|device| format!("{}: {}", device.name(), device.runs.join("; ")));
    let written = changed.iter().map(|(path, _)| format!("written: {}", path.display()));
    Ok(names.chain(written).chain(notices.iter().map(|notice| format!("note: {notice}"))).collect())
}

/// Replaces what stands between the marks of a document.
fn between_marks(page: &str, renew: impl Fn(&str) -> String) -> std::result::Result<String, String> {
    let missing = |mark: &str| format!("the line {mark} is missing; take it from the last version of the document");
    let (before, rest) = page.split_once(BEGIN).ok_or_else(|| missing(BEGIN))?;
    let (old, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    Ok(format!("{before}{BEGIN}\n\n{}\n\n{END}{after}", renew(old.trim())))
}

/// The sections of devices in the order in which they were first taken, with that of a device in place of its old one.
fn sections(old: &str, device: &Device) -> String {
    let heading = |section: &str| section.lines().next().unwrap_or_default().to_owned();
    let new = tables::section(device);
    let mut all: Vec<String> = Vec::new();
    for line in old.lines().filter(|line| *line != NOTHING) {
        if line.starts_with("### ") {
            all.push(String::new());
        }
        if let Some(section) = all.last_mut() {
            section.push_str(line);
            section.push('\n');
        }
    }
    let mut all: Vec<String> = all.iter().map(|section| section.trim_end().to_owned()).collect();
    match all.iter_mut().find(|section| heading(section) == heading(&new)) {
        Some(section) => *section = new,
        None => all.push(new),
    }
    all.join("\n\n")
}

/// The rows of a table, with those of a device in place of its old ones.
fn rows(old: &str, heading: &str, device: &Device, new: &[String]) -> String {
    let name = new.first().and_then(|row| row.split(" | ").next()).unwrap_or_default().to_owned();
    if name.is_empty() {
        return if old.is_empty() { NOTHING.to_owned() } else { old.to_owned() };
    }
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| device ");
    let is_own = |line: &&str| line.split(" | ").next() == Some(name.as_str());
    let mut all: Vec<String> = old.lines().filter(is_row).filter(|line| !is_own(line)).map(str::to_owned).collect();
    all.extend(new.iter().cloned());
    let note = if device.rehearsal || device.is_software() {
        "\n\nRows of a rehearsal or of a software GPU are no figures."
    } else {
        ""
    };
    format!("{heading}\n{}{note}", all.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::report::tests::SAMPLE;
    use crate::workspace::Workspace;
    use std::path::PathBuf;

    /// A folder with documents, and a file of results.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str, results: &str) -> Scratch {
            let folder = std::env::temp_dir().join(format!("spikelet-gpu-take-{name}-{}", std::process::id()));
            for Document { path, .. } in &DOCUMENTS {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(&path, format!("# Title\n\n{BEGIN}\n\n{NOTHING}\n\n{END}\n\n## Later\n")).expect("a file");
            }
            fs::write(folder.join("results.jsonl"), results).expect("a file");
            Scratch(folder)
        }

        fn take(&self, rehearsal: bool) -> Result<Vec<String>> {
            take(&self.0, &self.0, rehearsal)
        }

        fn page(&self, path: &str) -> String {
            fs::read_to_string(self.0.join(path)).expect("it is there")
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            // What is left is in the folder of temporary files.
            _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn results_are_written_between_the_marks_and_written_again_the_same() {
        let scratch = Scratch::new("twice", SAMPLE);
        let said = scratch.take(false).expect("it is taken").join("\n");
        assert!(said.contains("NVIDIA H200") && said.contains("written: ") && said.contains("note: line"), "{said}");
        let pages = || DOCUMENTS.map(|document| scratch.page(document.path));
        let first = pages();
        for page in &first {
            assert!(
                page.starts_with("# Title\n")
                    && page.ends_with("## Later\n")
                    && page.contains("| NVIDIA H200") | page.contains("### NVIDIA H200"),
                "{page}"
            );
            assert!(!page.contains(NOTHING), "{page}");
        }
        assert!(first[0].contains("### nvidia hopper (webgpu, in a browser)"), "{}", first[0]);
        scratch.take(false).expect("it is taken again");
        assert_eq!(pages(), first);
    }

    #[test]
    fn a_device_that_is_measured_again_is_replaced_and_others_stay() {
        let scratch = Scratch::new("replaced", SAMPLE);
        scratch.take(false).expect("it is taken");
        let faster = SAMPLE.replace("41000.0", "82000.0").replace("410.5", "205.25");
        fs::write(
            scratch.0.join("results.jsonl"),
            faster.split("{\"kind\":\"report\"").nth(1).map(|run| format!("{{\"kind\":\"report\"{run}")).expect("a run"),
        )
        .expect("a file");
        scratch.take(false).expect("it is taken again");
        let page = scratch.page("BENCHMARKS.md");
        assert!(page.contains("| 82,000 |") && !page.contains("| 41,000 |"), "{page}");
        assert_eq!((page.matches("### NVIDIA H200").count(), page.matches("### nvidia hopper").count()), (1, 1));
        let parity = scratch.page("docs/parity.md");
        assert!(parity.contains("| 205.2 |") && parity.contains("| nvidia hopper"), "{parity}");
        assert_eq!(parity.matches("| NVIDIA H200").count(), 1, "{parity}");
    }

    #[test]
    fn rehearsals_and_software_are_rejected_and_never_called_figures() {
        let software = SAMPLE.replace("NVIDIA H200", "llvmpipe (LLVM 15)").replace("nvidia hopper", "google swiftshader");
        let scratch = Scratch::new("software", &software);
        let problem = scratch.take(false).expect_err("it is software").to_string();
        assert!(problem.contains("is a software GPU") && problem.contains("--rehearsal"), "{problem}");
        assert!(scratch.page("BENCHMARKS.md").contains(NOTHING), "nothing is written");
        scratch.take(true).expect("it is accepted");
        assert!(scratch.page("BENCHMARKS.md").contains("none of the numbers is a figure"));
        assert!(scratch.page("docs/parity.md").contains("are no figures"));
        let rehearsal = SAMPLE.replace("\"rehearsal\":false", "\"rehearsal\":true");
        let problem = Scratch::new("rehearsal", &rehearsal).take(false).expect_err("it is a rehearsal").to_string();
        assert!(problem.contains("is a rehearsal"), "{problem}");
    }

    #[test]
    fn a_document_without_marks_is_named_and_nothing_is_written() {
        let scratch = Scratch::new("marks", SAMPLE);
        fs::write(scratch.0.join("docs/training.md"), "# Title\n").expect("a file");
        let problem = scratch.take(false).expect_err("no marks").to_string();
        assert!(problem.contains("training.md") && problem.contains("gpu:begin"), "{problem}");
        assert!(scratch.page("BENCHMARKS.md").contains(NOTHING));
    }

    #[test]
    fn the_documents_of_this_clone_have_marks() {
        let workspace = Workspace::open().expect("a clone");
        for Document { path, .. } in &DOCUMENTS {
            let page = fs::read_to_string(workspace.root.join(path)).expect("it is there");
            let same = between_marks(&page, str::to_owned).unwrap_or_else(|problem| panic!("{path}: {problem}"));
            assert_eq!(same, page, "{path}: blank lines around the marks");
        }
    }
}
