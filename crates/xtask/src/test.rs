//! `cargo xtask test`: every check. A part that fails does not hide the next one; the last line tells which did.
//!
//! What the tests are told by their environment:
//!
//! | variable | for | meaning |
//! |---|---|---|
//! | `SPIKELET_REQUIRE_ADAPTER=1` | all | a test that finds no GPU adapter fails instead of saying `skipped: no adapter` |
//! | `SPIKELET_CASE=lif_,stdp` | native | only the conformance cases with one of these in their names |
//! | `SPIKELET_FULL=1` | native | long conformance cases on a software GPU too |
//! | `SPIKELET_PACKAGE` | package | the npm package, packed; unset: the examples say `skipped: no package` |
//! | `SPIKELET_PAGE_URL` | flows | where the page is served, `http://127.0.0.1:<port>/`; unset: the flows say `skipped: no page` |
//! | `SPIKELET_PAGE_FOLDER` | flows | what is served there, for flows that bring a host of their own |
//! | `CHROMEDRIVER` | flows, wasm | the driver program; each test starts its own, and passes on the capabilities in webdriver.json |

use crate::engine::{self, Profile};
use crate::options::Part;
use crate::serve::{self, Build};
use crate::toolchain::{TARGET, Threads, Wasm};
use crate::tools::{self, Need};
use crate::trunk::Trunk;
use crate::workspace::{Workspace, which};
use crate::{Result, step};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

/// The packages that run on this machine itself. Each native step names them alike, so that cargo compiles nothing twice.
const NATIVE: [&str; 3] = ["--workspace", "--exclude", "spikelet-js"];

/// Where the page under test lies, so that a page served at the same time keeps its own.
const SITE: &str = "target/site-test";

/// Where the page that trunk makes lies, for the same reason.
const DIST: &str = "target/dist-test";

/// What threads change in the engine; all else of it is tested on the engine of one thread, from the same sources.
const OF_THREADS: [&str; 8] = ["--test", "threads", "--test", "same_spikes", "--test", "engine", "--test", "memory"];

/// # Errors
/// Something cannot be installed, or a check fails.
pub(crate) fn run(workspace: &Workspace, part: Part, yes: bool) -> Result {
    let started = Instant::now();
    let (in_native, in_wasm) = (part.contains(Part::Native), part.contains(Part::Wasm));
    let (in_package, in_page) = (part.contains(Part::Package), part.contains(Part::Page));
    let needs = Need::ALL.into_iter().filter(|need| match need {
        Need::Vulkan => in_native,
        Need::Compiler | Need::Sources | Need::Browser => in_wasm || in_package || in_page,
        Need::Bindgen => in_wasm || in_page,
        Need::Node => in_package || in_page,
        Need::Trunk => in_page,
    });
    tools::provide(workspace, &needs.collect::<Vec<_>>(), yes)?;
    println!("✓ set up  {}\n", step::seconds(started.elapsed()));

    let started = Instant::now();
    let mut failures = Vec::new();
    let mut note = |result: Result| failures.extend(result.err());
    if in_native {
        native(workspace, &mut note);
    }
    if in_wasm {
        wasm(workspace, &mut note);
    }
    if in_page {
        page(workspace, &mut note);
    }
    // Last: it leaves the package in target/engine as it is published.
    if in_package {
        package(workspace, &mut note);
    }

    step::print_times();
    let time = step::seconds(started.elapsed());
    println!("  total, after the set-up  {time}");
    if failures.is_empty() {
        println!("✓ all checks passed  {time}");
        return Ok(());
    }
    let list: String = failures.iter().map(|failure| format!("\n    {failure}")).collect();
    Err(format!("failed, after {time}:{list}").into())
}

/// Format, lints, docs, and all tests that run on this machine itself, GPU included.
fn native(workspace: &Workspace, note: &mut impl FnMut(Result)) {
    let cargo = |start: &[&str], end: &[&str]| workspace.cargo(&[start, end].concat());
    if which("rustfmt").is_some() {
        note(step::run("native: format", workspace.cargo(&["fmt", "--all", "--check"])));
    } else {
        step::note("native: format", "skipped: rustfmt is not installed (rustup component add rustfmt)");
    }
    if which("cargo-clippy").is_some() {
        let lint = [&["clippy"], &NATIVE[..], &["--all-targets"]].concat();
        note(step::run("native: clippy", cargo(&lint, &["--", "-D", "warnings"])));
    } else {
        step::note("native: clippy", "skipped: clippy is not installed (rustup component add clippy)");
    }
    let mut docs = cargo(&["doc", "--no-deps"], &NATIVE);
    docs.env("RUSTDOCFLAGS", "-D warnings");
    note(step::run("native: docs", docs));
    note(step::show("native: tests", with_adapter(cargo(&["test", "--no-fail-fast"], &NATIVE))));
}

/// Lints and tests of both engines' wasm, in a Chromium with a software WebGPU.
fn wasm(workspace: &Workspace, note: &mut impl FnMut(Result)) {
    let wasm = match Wasm::open(workspace) {
        Ok(wasm) => wasm,
        Err(problem) => return note(Err(problem)),
    };
    for threads in Threads::ALL {
        let (wasm, name) = (wasm.with(threads), threads.short());
        let packages: &[&str] = match threads {
            Threads::One => &["--package", "spikelet-js", "--package", "spikelet-web"],
            // The page is never compiled with threads.
            Threads::Many => &["--package", "spikelet-js"],
        };
        // One profile for all that is tested in a browser, so that each crate is compiled once for each number of threads.
        let built = ["--profile", Profile::Quick.of_engine(), "--target", TARGET];
        let lint = [packages, &["--all-targets"], &built[..], &["--", "-D", "warnings"]].concat();
        match wasm.clippy(workspace, &lint) {
            Some(command) => note(step::run(&format!("wasm {name}: clippy"), command)),
            None => step::note(&format!("wasm {name}: clippy"), "skipped: this compiler has no clippy"),
        }
        // `--tests` leaves out the examples in doc comments: rustdoc cannot hand them to a browser.
        let tests: &[&str] = match threads {
            Threads::One => &["--tests"],
            Threads::Many => &OF_THREADS,
        };
        // Threads are the CPU's.
        let words: &[&str] = match threads {
            Threads::One => &[],
            Threads::Many => &["--", "--skip", "webgpu"],
        };
        let tests = [&["test", "--no-fail-fast", "--package", "spikelet-js"], tests, &built[..], words].concat();
        let mut tests = wasm.cargo(workspace, &tests);
        tests
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
            .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", workspace.root.join("webdriver.json"))
            // A software WebGPU is slow to start, and slower still beside another one.
            .env("WASM_BINDGEN_TEST_TIMEOUT", "300");
        note(step::show(&format!("wasm {name}: tests in Chromium"), with_adapter(tests)));
    }
}

/// The npm package as an embedder gets it: its types, its API in Node, its examples in Node and Chromium.
fn package(workspace: &Workspace, note: &mut impl FnMut(Result)) {
    let packed = Wasm::open(workspace).and_then(|wasm| {
        engine::build(workspace, &wasm, Profile::Release)?;
        engine::check_sizes(workspace)?;
        pack(workspace)
    });
    let packed = match packed {
        Ok(packed) => packed,
        Err(problem) => return note(Err(problem)),
    };
    note(step::show("package: types of networks", engine::node(workspace, &["check-types.mjs"])));
    match node_tests(workspace) {
        Ok(tests) => {
            let mut words = vec!["--test", "--test-reporter=spec"];
            words.extend(tests.iter().map(String::as_str));
            note(step::show("package: API in Node", engine::node(workspace, &words)));
        }
        Err(problem) => note(Err(problem)),
    }
    let mut examples = workspace.cargo(&[&["test"], &NATIVE[..], &["--test", "package"]].concat());
    examples.env("SPIKELET_PACKAGE", packed);
    note(step::show("package: API and examples in Chromium", with_adapter(examples)));
}

/// The tests for Node. Beside them lies what they use, which Node 20 would take for tests if it were given the folder.
fn node_tests(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = workspace.root.join("crates/spikelet-js/test");
    let names = fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<Result<_>>()?;
    Ok(names.into_iter().filter(|name| name.ends_with(".test.mjs")).map(|name| format!("test/{name}")).collect())
}

/// The tarball that npm would publish.
fn pack(workspace: &Workspace) -> Result<PathBuf> {
    let target = workspace.root.join("target");
    let tarball = target.join("spikelet.tgz");
    let words = ["pack", "--silent", "--pack-destination"];
    let mut pack = engine::npm(&engine::folder(workspace), &words);
    pack.arg(&target);
    step::run("package: npm pack", pack)?;
    fs::rename(target.join(format!("spikelet-{}.tgz", env!("CARGO_PKG_VERSION"))), &tarball)?;
    Ok(tarball)
}

/// The page itself, built and served as `cargo xtask serve` does, in a Chromium; and as plain `trunk serve` does.
fn page(workspace: &Workspace, note: &mut impl FnMut(Result)) {
    let wasm = match Wasm::open(workspace) {
        Ok(wasm) => wasm,
        Err(problem) => return note(Err(problem)),
    };
    let flows = |url: &str, site: &Path, title: &str, words: &[&str]| {
        let mut flows = workspace.cargo(&[&["test"], &NATIVE[..], &["--test", "flows", "--"], words].concat());
        flows.env("SPIKELET_PAGE_URL", url).env("SPIKELET_PAGE_FOLDER", site);
        step::show(title, with_adapter(flows))
    };
    let site = workspace.root.join(SITE);
    let build = Build { workspace, wasm: &wasm, profile: Profile::Quick, site: &site };
    let served = build.all().and_then(|()| serve::start(&site));
    note(served.and_then(|url| flows(&url, &site, "page: flows in Chromium", &[])));
    // One flow that needs all there is: the page, its headers, the engine with threads.
    let dist = workspace.root.join(DIST);
    let trunk = Trunk::start(workspace, &wasm, &dist);
    let title = "page: plain `trunk serve`";
    note(trunk.and_then(|trunk| flows(&trunk.url, &dist, title, &["--exact", "isolation::with_headers_the_page_has_threads"])));
}

fn with_adapter(mut command: Command) -> Command {
    command.env("SPIKELET_REQUIRE_ADAPTER", "1");
    // Mesa complains about its absence once per device, on machines where nobody is logged in.
    if env::var_os("XDG_RUNTIME_DIR").is_none() {
        command.env("XDG_RUNTIME_DIR", env::temp_dir());
    }
    if let Some(driver) = tools::chromedriver() {
        command.env("CHROMEDRIVER", driver);
    }
    command
}
