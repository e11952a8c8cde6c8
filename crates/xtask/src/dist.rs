//! `cargo xtask dist`: a folder for any static host: the page and both engines as they are published, and each file compressed beside it.

use crate::copy::{self, copy};
use crate::engine;
use crate::profile::Profile;
use crate::serve::{self, Build};
use crate::test::PACKAGES;
use crate::toolchain::Wasm;
use crate::tools::{self, Need};
use crate::workspace::Workspace;
use crate::{Result, offline, step};
use std::fs;
use std::path::{Path, PathBuf};

/// Where it goes unless another folder is named.
const FOLDER: &str = "target/dist";

/// Netlify, Cloudflare Pages and others read this file; docs/browser.md has the same for other hosts. Without these headers the page loads
/// isolate.js, which stands in for them.
const HEADERS: &str = "/*
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
  Cross-Origin-Resource-Policy: same-origin
  Cache-Control: no-cache
  X-Content-Type-Options: nosniff
";

/// What measures the page in Chromium, of the program of flows: each with its title.
const MEASUREMENTS: [(&str, &str); 2] = [
    ("first seconds", "first_seconds::of_the_page_and_of_the_engine"),
    ("smoothness", "smoothness::of_frames_and_of_the_pointer"),
];

/// Builds, writes the folder, prints its sizes, and with `measure` the first seconds and the smoothness in Chromium.
///
/// # Errors
/// A step fails, the folder holds something else, or the page is larger than it may be.
pub(crate) fn run(workspace: &Workspace, folder: Option<&Path>, measure: bool, yes: bool) -> Result {
    let needs = if measure { [engine::NEEDS, &[Need::Browser]].concat() } else { engine::NEEDS.to_vec() };
    tools::provide(workspace, &needs, yes)?;
    let folder = write(workspace, &Wasm::open(workspace)?, folder)?;
    println!(
        "{}: serve it with any static host; docs/browser.md, \"Hosts\", describes headers and compression",
        folder.display()
    );
    if measure {
        for (title, test) in MEASUREMENTS {
            let words = [&["test"], &PACKAGES[..], &["--test", "flows", "--", "--exact", test, "--ignored", "--nocapture"]];
            let mut measurement = workspace.cargo(&words.concat());
            measurement.env("SPIKELET_PAGE_FOLDER", &folder).envs(tools::chromedriver().map(|driver| ("CHROMEDRIVER", driver)));
            step::show(title, measurement)?;
        }
    }
    Ok(())
}

/// Builds what is published, and writes it.
///
/// # Errors
/// See [`run`].
pub(crate) fn write(workspace: &Workspace, wasm: &Wasm, folder: Option<&Path>) -> Result<PathBuf> {
    let out = folder.map_or_else(|| workspace.root.join(FOLDER), Path::to_owned);
    if folder.is_some() {
        check_empty(&out)?;
    }
    let site = serve::site(workspace, Profile::Release);
    Build { workspace, wasm, profile: Profile::Release, site: &site }.all()?;
    if out.exists() {
        fs::remove_dir_all(&out).map_err(|error| format!("cannot empty {}: {error}", out.display()))?;
    }
    copy(&site, &out, copy::loaded)?;
    offline::enable(&out)?;
    let headers = out.join("_headers");
    fs::write(&headers, HEADERS).map_err(|error| format!("cannot write {}: {error}", headers.display()))?;
    let path = out.to_string_lossy();
    step::show("dist: compress, sizes", engine::node(workspace, &["sizes.mjs", "site", &path]))?;
    Ok(out)
}

/// A folder that the user names is not emptied, unless it was written by this command.
fn check_empty(folder: &Path) -> Result {
    let is_ours = || folder.join("_headers").is_file() && folder.join("isolate.js").is_file();
    let holds_files = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    if holds_files && !is_ours() {
        let folder = folder.display();
        let problem = format!("{folder} holds files that `cargo xtask dist` did not write; name an empty or a new folder");
        return Err(problem.into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_files_is_left_alone() {
        let folder = std::env::temp_dir().join(format!("spikelet-dist-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        assert!(check_empty(&folder).is_ok(), "it does not exist");
        fs::create_dir_all(&folder).expect("a folder");
        assert!(check_empty(&folder).is_ok(), "it is empty");
        fs::write(folder.join("isolate.js"), "").expect("a file");
        let problem = check_empty(&folder).expect_err("it holds a file").to_string();
        assert!(problem.contains("did not write") && problem.contains("empty"), "{problem}");
        fs::write(folder.join("_headers"), HEADERS).expect("a file");
        assert!(check_empty(&folder).is_ok(), "it is an earlier one");
        fs::remove_dir_all(&folder).expect("it goes");
    }

    #[test]
    fn the_headers_are_those_that_the_docs_name() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/browser.md");
        let docs = fs::read_to_string(docs).expect("docs/browser.md");
        for line in HEADERS.lines().skip(1) {
            assert!(docs.contains(line.trim()), "docs/browser.md lacks {line}");
        }
    }
}
