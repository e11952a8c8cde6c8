//! What the readme of the package says, as files and commands: a block is the file that the line above it names, `sh` blocks are commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::install;

/// How one gets to spikes in a way that the readme describes.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    pub(crate) files: Vec<(String, String)>,
    /// Those of the last section.
    pub(crate) commands: Vec<String>,
}

impl Steps {
    /// That of these sections, of which the last one says what is done.
    pub(crate) fn of(headings: &[&str]) -> Steps {
        let text = readme();
        headings.iter().fold(Steps::default(), |before, heading| before.with(section(&text, heading)))
    }

    /// Files of a section are added, or replace those of the same name.
    fn with(self, section: &str) -> Steps {
        let mut steps = Steps { commands: Vec::new(), ..self };
        for Block { language, file, code } in blocks(section) {
            match file {
                _ if language == "sh" => steps.commands.extend(code.lines().map(str::to_owned)),
                Some(file) => steps.put(file, code),
                None => {}
            }
        }
        steps
    }

    /// A block of one line of a script replaces the line of the script that assigns to the same name.
    fn put(&mut self, file: String, code: String) {
        let before = self.files.iter_mut().find(|(name, _)| *name == file);
        let assigned = code.split_once(" = ").map(|(name, _)| format!("{name} = ")).filter(|_| code.trim().lines().count() == 1);
        match (before, assigned) {
            (Some((_, script)), Some(assigned)) => {
                assert!(script.contains(&assigned), "{file} has no line {assigned}");
                let line = |line: &str| if line.starts_with(&assigned) { code.trim().to_owned() } else { line.to_owned() };
                *script = script.lines().map(line).collect::<Vec<_>>().join("\n");
            }
            (Some((_, other)), None) => *other = code,
            (None, _) => self.files.push((file, code)),
        }
    }

    /// A file of it.
    pub(crate) fn file(&self, name: &str) -> &str {
        let found = self.files.iter().find(|(file, _)| file == name);
        found.map_or_else(|| panic!("the readme has no {name}"), |(_, code)| code)
    }

    /// Writes its files to a new folder, and runs its commands there, with the packed package; nothing where there is none.
    pub(crate) fn follow(&self, name: &str) -> Option<PathBuf> {
        let tarball = install::package()?;
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("readme-{name}"));
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(&folder).unwrap();
        // npm would else install to a folder above it that has such a file.
        fs::write(folder.join("package.json"), "{}").unwrap();
        for (file, code) in &self.files {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, code).unwrap();
        }
        let install = format!("npm install --no-audit --no-fund {}", tarball.display());
        for command in &self.commands {
            shell(&folder, &command.replace("npm install spikelet", &install));
        }
        Some(folder)
    }
}

/// Runs a command in a folder, as one types it.
pub(crate) fn shell(folder: &Path, command: &str) {
    let mut shell = Command::new("sh");
    install::succeeds(shell.args(["-c", command]).env("NEXT_TELEMETRY_DISABLED", "1").current_dir(folder));
}

/// The first block of a section that has no name.
pub(crate) fn nameless(heading: &str) -> String {
    let text = readme();
    let mut blocks = blocks(section(&text, heading)).into_iter();
    blocks.find(|block| block.file.is_none() && block.language != "sh").unwrap().code
}

fn readme() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/spikelet-js/README.md")).unwrap()
}

/// The text below a heading, up to the next one.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let starts = ["## ", "### "].map(|level| text.find(&format!("\n{level}{heading}\n")));
    let start = starts.into_iter().flatten().next().unwrap_or_else(|| panic!("the readme has no section {heading}"));
    let rest = &text[start + 1..];
    let ends = ["\n## ", "\n### "].map(|level| rest.find(level).unwrap_or(rest.len()));
    &rest[..ends[0].min(ends[1])]
}

struct Block {
    language: String,
    /// What the line above names last, if that ends with a colon.
    file: Option<String>,
    code: String,
}

fn blocks(section: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut above = "";
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let file = above.strip_suffix("`:").and_then(|above| above.rsplit('`').next()).map(str::to_owned);
            found.push(Block { language: language.to_owned(), file, code: code.join("\n") + "\n" });
            above = "";
        } else if !line.is_empty() {
            above = line;
        }
    }
    found
}
