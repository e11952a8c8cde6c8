//! What a change can have broken: changed files → packages → the packages that depend on them → parts.

use super::part::{Part, Tier};
use crate::Result;
use crate::workspace::Workspace;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Files outside the packages, by the start of their paths, and the parts that use them. The first line that fits counts.
const OUTSIDE: [(&str, &[Part]); 20] = [
    ("docs/", &[Part::Lint]),
    ("README.md", &[Part::Lint]),
    ("ARCHITECTURE.md", &[Part::Lint]),
    ("BENCHMARKS.md", &[Part::Lint]),
    ("CHANGELOG.md", &[Part::Lint]),
    ("CITATION.cff", &[Part::Lint]),
    ("CONTRIBUTING.md", &[Part::Lint]),
    ("SECURITY.md", &[Part::Lint, Part::Xtask]),
    ("LICENSE", &[Part::Lint]),
    ("paper/", &[Part::Lint]),
    ("packaging/", &[Part::Lint]),
    (".ci/", &[Part::Lint]),
    (".github/", &[Part::Lint]),
    (".gitignore", &[Part::Lint]),
    ("clippy.toml", &[Part::Lint]),
    ("deny.toml", &[Part::Lint]),
    ("rustfmt.toml", &[Part::Lint]),
    ("index.html", &[Part::Page]),
    ("Trunk.toml", &[Part::Page]),
    ("webdriver.json", &[Part::Wasm, Part::Page, Part::Package]),
];

/// Files that belong to a package, but lie in another folder.
const ELSEWHERE: [(&str, &str); 2] = [("shaders/", "spikelet-gpu"), ("docs/network.schema.json", "spikelet-network")];

/// Files of `tests` that are not of the part `system`, and scripts that are not of that of their package.
const TESTS: [(&str, &[Part]); 22] = [
    ("crates/spikelet-js/ts", &[Part::Package, Part::Page]),
    ("crates/spikelet-js/js", &[Part::Package, Part::Page]),
    ("crates/spikelet-js/test/", &[Part::Package]),
    ("tests/tidy.rs", &[Part::Lint]),
    ("tests/circles", &[Part::Lint]),
    ("tests/documents.rs", &[Part::Lint]),
    ("tests/names", &[Part::Lint]),
    ("tests/prose", &[Part::Lint]),
    ("tests/fuzz", &[Part::System, Part::Fuzz]),
    ("tests/loom", &[Part::Core]),
    ("tests/package", &[Part::Package]),
    ("tests/browser.rs", &[Part::Page, Part::Package]),
    ("tests/driver.rs", &[Part::Page, Part::Package, Part::Browsers]),
    ("tests/engines.rs", &[Part::Browsers]),
    ("tests/hostile.rs", &[Part::Page]),
    ("tests/host.rs", &[Part::Page, Part::Package]),
    ("tests/flows.rs", &[Part::Page]),
    ("tests/embed.rs", &[Part::Page]),
    ("tests/equations.rs", &[Part::Page]),
    ("tests/forms.rs", &[Part::Page]),
    ("tests/isolation.rs", &[Part::Page]),
    ("tests/weights.rs", &[Part::Page]),
];

/// A package of the workspace.
struct Package {
    name: String,
    /// Relative to the root, with a slash at its end.
    folder: String,
    /// What it is compiled with, and what only its tests are compiled with.
    uses: Vec<String>,
    tests_use: Vec<String>,
}

/// Each part that the changes since `since` can have broken, with a file because of which it runs; the merge base with `main` where
/// `since` is not named. The first tier has its own parts of them, and those whose files have changed. Prints what runs, and what does not.
///
/// # Errors
/// git does not know `since`, or cargo cannot read the workspace.
pub(super) fn parts(workspace: &Workspace, since: Option<&str>, tier: Tier) -> Result<Vec<Part>> {
    let base = match since {
        Some(since) => git(workspace, &["rev-parse", "--verify", "--quiet", &format!("{since}^{{commit}}")])
            .map_err(|_| format!("--changed: git knows no commit `{since}`; name a branch, a tag or a commit"))?,
        None => ["origin/main", "main"]
            .iter()
            .find_map(|main| git(workspace, &["merge-base", "HEAD", main]).ok())
            .ok_or("--changed: there is no branch `main` to compare with; name a commit: --changed=HEAD~1")?,
    };
    let base = base.trim();
    let files =
        [git(workspace, &["diff", "--name-only", base])?, git(workspace, &["ls-files", "--others", "--exclude-standard"])?]
            .concat();
    let files: Vec<&str> = files.lines().collect();
    let packages = packages(workspace)?;
    let reached = reached(&files, &packages);
    let own: BTreeSet<Part> = files.iter().filter_map(|file| own_part(file, &packages)).collect();
    let runs = |part: Part| part.tier() <= tier || part.tier() == Tier::All && own.contains(&part);

    println!("{} files changed since {}", files.len(), &base[..base.len().min(12)]);
    for part in Part::of_tier(Tier::Full) {
        match reached.get(&part) {
            Some(file) if runs(part) => println!("  {:<8} runs: {file}", part.name()),
            Some(file) => println!("  {:<8} left to {}: {file}", part.name(), part.tier().option()),
            None => println!("  {:<8} left out: no changed file reaches it", part.name()),
        }
    }
    println!();
    Ok(reached.into_keys().filter(|part| runs(*part)).collect())
}

/// The part whose own files a file is one of.
fn own_part(file: &str, packages: &[Package]) -> Option<Part> {
    parts_of_own(file, packages).first().copied()
}

/// The output of a git command.
fn git(workspace: &Workspace, words: &[&str]) -> Result<String> {
    let output = Command::new("git").args(words).current_dir(&workspace.root).output();
    let output = output.map_err(|error| format!("cannot start git: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("git {}: {}", words.join(" "), String::from_utf8_lossy(&output.stderr).trim()).into())
}

fn packages(workspace: &Workspace) -> Result<Vec<Package>> {
    let output = workspace.cargo(&["metadata", "--no-deps", "--format-version", "1"]).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let package = |value: &Value| {
        let manifest = text(&value["manifest_path"]);
        let folder = Path::new(&manifest).parent()?.strip_prefix(&workspace.root).ok()?;
        let uses = |of_tests: bool| {
            let dependencies = list(&value["dependencies"]).into_iter();
            dependencies.filter(|one| (one["kind"] == "dev") == of_tests).map(|one| text(&one["name"])).collect()
        };
        let folder = format!("{}/", folder.display()).replace('\\', "/");
        Some(Package { name: text(&value["name"]), folder, uses: uses(false), tests_use: uses(true) })
    };
    Ok(list(&metadata["packages"]).iter().filter_map(package).collect())
}

/// The parts that changed files reach, each with the first of them. `lint` looks at all files.
fn reached(files: &[&str], packages: &[Package]) -> BTreeMap<Part, String> {
    let mut parts = BTreeMap::new();
    for file in files {
        for part in parts_of(file, packages) {
            parts.entry(part).or_insert_with(|| (*file).to_owned());
        }
        parts.entry(Part::Lint).or_insert_with(|| (*file).to_owned());
    }
    parts
}

/// The entry of a list that a file belongs to.
fn listed(list: &[(&str, &'static [Part])], file: &str) -> Option<&'static [Part]> {
    list.iter().find(|(start, _)| file.starts_with(start)).map(|(_, parts)| *parts)
}

/// The package that a file belongs to.
fn package_of<'a>(file: &str, packages: &'a [Package]) -> Option<&'a str> {
    let elsewhere = ELSEWHERE.iter().find(|(start, _)| file.starts_with(start)).map(|(_, name)| *name);
    elsewhere.or_else(|| packages.iter().find(|package| file.starts_with(&package.folder)).map(|package| package.name.as_str()))
}

/// The parts of a file without those that only depend on its package.
fn parts_of_own(file: &str, packages: &[Package]) -> &'static [Part] {
    listed(&TESTS, file).or_else(|| package_of(file, packages).map(Part::of_package)).unwrap_or_default()
}

fn parts_of(file: &str, packages: &[Package]) -> Vec<Part> {
    if let Some(parts) = listed(&TESTS, file) {
        return parts.to_vec();
    }
    match package_of(file, packages) {
        Some(package) => affected(package, packages).iter().flat_map(|name| Part::of_package(name)).copied().collect(),
        None => listed(&OUTSIDE, file).map_or_else(|| Part::of_tier(Tier::All), <[Part]>::to_vec),
    }
}

/// A package, those that are compiled with it, and those whose tests are.
fn affected<'a>(changed: &'a str, packages: &'a [Package]) -> BTreeSet<&'a str> {
    let mut compiled = BTreeSet::from([changed]);
    loop {
        let more = packages.iter().filter(|package| package.uses.iter().any(|name| compiled.contains(name.as_str())));
        let before = compiled.len();
        let more: Vec<&str> = more.map(|package| package.name.as_str()).collect();
        compiled.extend(more);
        if compiled.len() == before {
            break;
        }
    }
    let tested = packages.iter().filter(|package| package.tests_use.iter().any(|name| compiled.contains(name.as_str())));
    let tested: Vec<&str> = tested.map(|package| package.name.as_str()).collect();
    compiled.extend(tested);
    compiled
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts_of_change(files: &[&str]) -> Vec<Part> {
        let workspace = Workspace::open().expect("a clone");
        reached(files, &packages(&workspace).expect("cargo reads it")).into_keys().collect()
    }

    #[test]
    fn a_change_reaches_the_parts_that_depend_on_it() {
        assert_eq!(parts_of_change(&[]), []);
        assert_eq!(parts_of_change(&["README.md", "docs/language.md"]), [Part::Lint]);
        assert_eq!(parts_of_change(&["crates/spikelet-cli/src/main.rs"]), [Part::Lint, Part::Cli, Part::Mpi]);
        assert_eq!(parts_of_change(&["crates/spikelet-mpi/src/lib.rs"]), [Part::Lint, Part::Cli, Part::Mpi]);
        assert_eq!(parts_of_change(&["crates/spikelet-peers/src/main.rs"]), [Part::Lint, Part::Peers]);
        assert_eq!(parts_of_change(&["web/src/main.rs"]), [Part::Lint, Part::Page]);
        assert_eq!(parts_of_change(&["tests/package/install.rs"]), [Part::Lint, Part::Package]);
        assert_eq!(parts_of_change(&["crates/spikelet-py/python/spikelet/sweep.py"]), [Part::Lint, Part::Python]);
        assert_eq!(parts_of_change(&["tests/fuzz/targets/csv.rs"]), [Part::Lint, Part::System, Part::Fuzz]);
        assert_eq!(parts_of_change(&["crates/spikelet-js/ts/spikelet.ts"]), [Part::Lint, Part::Page, Part::Package]);
        assert_eq!(parts_of_change(&["tests/gpu.rs"]), [Part::Lint, Part::System]);
        let of_kernels = [
            Part::Lint,
            Part::Gpu,
            Part::Cli,
            Part::Mpi,
            Part::System,
            Part::Python,
            Part::Kit,
            Part::Wasm,
            Part::Page,
            Part::Package,
        ];
        assert_eq!(parts_of_change(&["shaders/neurons.wgsl"]), of_kernels);
        let language = parts_of_change(&["crates/spikelet-lang/src/lib.rs"]);
        let all = Part::of_tier(Tier::All);
        assert!(all.iter().all(|part| *part == Part::Xtask || language.contains(part)), "{language:?}");
        assert_eq!(parts_of_change(&["Cargo.lock"]), all);
    }

    #[test]
    fn a_file_has_a_part_of_its_own() {
        let workspace = Workspace::open().expect("a clone");
        let packages = packages(&workspace).expect("cargo reads it");
        for (file, part) in [
            ("crates/spikelet-cli/src/main.rs", Some(Part::Cli)),
            ("web/src/main.rs", Some(Part::Page)),
            ("crates/spikelet-js/ts/plots/rates.ts", Some(Part::Package)),
            ("crates/spikelet-js/src/main.rs", Some(Part::Wasm)),
            ("crates/spikelet-lang/src/lib.rs", Some(Part::Lang)),
            ("crates/spikelet-kernel/src/lib.rs", Some(Part::Lang)),
            ("crates/spikelet-py/python/spikelet/sweep.py", Some(Part::Python)),
            ("README.md", None),
        ] {
            assert_eq!(own_part(file, &packages), part, "{file}");
        }
    }

    #[test]
    fn each_package_and_each_listed_file_is_there() {
        let workspace = Workspace::open().expect("a clone");
        for package in packages(&workspace).expect("cargo reads it") {
            assert!(!Part::of_package(&package.name).is_empty(), "{} belongs to no part", package.name);
        }
        let listed = OUTSIDE.iter().chain(&TESTS).map(|(start, _)| start).chain(ELSEWHERE.iter().map(|(start, _)| start));
        for start in listed {
            let file = git(&workspace, &["ls-files", &format!("{start}*")]).expect("git");
            assert!(!file.is_empty(), "there is no {start}");
        }
    }
}
