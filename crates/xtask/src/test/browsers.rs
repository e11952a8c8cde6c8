//! What runs in Chromium: tests of both wasm engines, the page, and the npm package, which runs in Node too.

use super::checks::Checks;
use super::native::Program;
use super::part::{Part, Tier};
use super::python;
use crate::engine;
use crate::profile::Profile;
use crate::serve::{self, Build};
use crate::toolchain::{TARGET, Threads, Wasm};
use crate::trunk::Trunk;
use crate::workspace::Workspace;
use crate::{Result, dist, step, tools};
use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// Where the page under test lies, so that a page served at the same time keeps its own.
const SITE: &str = "target/site-test";

/// Where the page that trunk makes lies, for the same reason.
const DIST: &str = "target/dist-test";

/// The test programs that are given a page, or a package.
const FLOWS: &str = "spikelet-tests flows";
const EXAMPLES: &str = "spikelet-tests package";

/// One flow that needs all there is: the page, its headers, the engine with threads, and spikes.
const SMOKE: &str = "isolation::with_headers_the_page_has_threads";

/// Flows of the engines of browsers.
const ENGINES: [&str; 2] =
    ["engines::snapshots_of_another_machine_continue_with_its_spikes", "engines::the_catalogue_has_the_spikes_of_every_machine"];

/// These, and flows through the page that need no protocol of Chromium's.
const IN_EVERY_BROWSER: [&str; 11] = [
    ENGINES[0],
    ENGINES[1],
    "a_parameter_changes_while_it_runs_and_reset_starts_over",
    "another_network_is_chosen_while_the_first_is_being_built",
    "bad_input_gets_its_sentence_and_the_network_that_ran_stays",
    "equations::a_model_in_no_file_is_typed_and_runs_on_the_cpu",
    "equations::what_is_typed_survives_a_reload_and_the_way_back",
    "every_network_plays_on_the_cpu",
    "isolation::with_headers_the_page_has_threads",
    "keep_view::a_link_that_cannot_be_opened_says_why",
    "keep_view::links_of_all_releases_open",
];

/// Flows of Firefox beside these: WebKitGTK has no WebGPU, and no service workers while it is driven.
const IN_FIREFOX: [&str; 2] =
    ["every_network_plays_on_webgpu", "isolation::a_service_worker_gives_threads_where_the_host_sends_no_headers"];

/// The tests of an engine. Those that threads do not change are compiled for one thread alone; those of threads count the Workers of a
/// program of their own.
const OF_ONE: [&str; 3] = ["--lib", "--test", "all"];
const OF_MANY: [&str; 4] = ["--test", "all", "--test", "threads"];

/// The modules and the page, which have one thread. They are linted natively too; for wasm, where each crate below them is checked once more,
/// in `--full`.
const LINTED_NATIVELY: [&str; 6] =
    ["--package", "spikelet-assemblies-js", "--package", "spikelet-train-js", "--package", "spikelet-web"];

/// Whether a test program is run here.
pub(super) fn runs(program: &Program) -> bool {
    [FLOWS, EXAMPLES].contains(&program.title().as_str())
}

/// The checks of a part.
type Check = fn(&Checks, &Wasm, &[Program]) -> Result;

/// One after the other: each takes the machine's cores.
pub(super) fn run(checks: &Checks, programs: &[Program]) {
    let parts: [(Part, Check); 4] =
        // The package is last: with `--full` it leaves target/engine as it is published.
        [(Part::Wasm, engines), (Part::Page, page), (Part::Browsers, others), (Part::Package, package)];
    for (part, check) in parts {
        if checks.runs(part) {
            checks.keep(Wasm::open(checks.workspace).and_then(|wasm| check(checks, &wasm, programs)));
        }
    }
    // Made of the package.
    if checks.runs(Part::Python) {
        checks.keep(python::widget(checks));
    }
}

/// Lints and tests of both engines, in a Chromium with a software WebGPU.
fn engines(checks: &Checks, wasm: &Wasm, _: &[Program]) -> Result {
    for threads in Threads::ALL {
        let (wasm, name) = (wasm.with(threads), threads.short());
        // One profile for all that is tested in a browser, so that each crate is compiled once for each number of threads.
        let built = ["--profile", Profile::Quick.of_engine(), "--target", TARGET];
        let others: &[&str] = if threads == Threads::One && checks.full() { &LINTED_NATIVELY } else { &[] };
        let lint = [&["--package", "spikelet-js"], others, &["--all-targets"], &built[..], &["--", "-D", "warnings"]].concat();
        match wasm.clippy(checks.workspace, &lint) {
            // Threads are a few lines more, which the tests compile.
            _ if threads == Threads::Many && !checks.full() => step::note("wasm: mt: clippy", "skipped: only in --full"),
            Some(command) => checks.run(Part::Wasm, &format!("{name}: clippy"), command),
            None => step::note(&format!("wasm: {name}: clippy"), "skipped: this compiler has no clippy"),
        }
        // Without the examples in doc comments: rustdoc cannot hand them to a browser.
        let tests: &[&str] = match threads {
            Threads::One => &OF_ONE,
            Threads::Many => &OF_MANY,
        };
        // Threads are the CPU's; Firefox has no WebGPU on Linux.
        let firefox = env::var_os("GECKODRIVER").is_some();
        let words: &[&str] = if threads == Threads::Many || firefox { &["--", "--skip", "webgpu"] } else { &[] };
        let browser = if firefox { "Firefox" } else { "Chromium" };
        let build = [&["test", "--package", "spikelet-js"], tests, &built[..]].concat();
        let compile = [&build[..], &["--no-run"]].concat();
        step::run(&format!("wasm: {name}: compile"), wasm.cargo(checks.workspace, &compile))?;
        let mut tests = wasm.cargo(checks.workspace, &[&build[..], &["--no-fail-fast"], words].concat());
        tests
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner")
            .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", checks.workspace.root.join("webdriver.json"))
            // A software WebGPU is slow to start, and slower still beside another one.
            .env("WASM_BINDGEN_TEST_TIMEOUT", "300");
        checks.run(Part::Wasm, &format!("{name}: tests in {browser}"), tests);
    }
    Ok(())
}

/// The page itself, built and served as `cargo xtask serve` does; with `--full` as plain `trunk serve` does, and as it is published.
fn page(checks: &Checks, wasm: &Wasm, programs: &[Program]) -> Result {
    let workspace = checks.workspace;
    let flows = |what: &str, url: &str, site: &Path, words: &[&str]| -> Result {
        let mut flows = find(programs, FLOWS)?.command(workspace);
        flows.args(words).env("SPIKELET_PAGE_URL", url).env("SPIKELET_PAGE_FOLDER", site);
        checks.run(Part::Page, what, flows);
        Ok(())
    };
    let site = workspace.root.join(SITE);
    let build = Build { workspace, wasm, profile: Profile::Quick, site: &site };
    if checks.tier == Tier::Quick {
        build.first()?;
        return flows("smoke", &serve::start(&site)?, &site, &["--exact", SMOKE]);
    }
    build.all()?;
    flows("flows in Chromium", &serve::start(&site)?, &site, &[])?;
    if checks.full() {
        let one = ["--exact", SMOKE];
        let dist = workspace.root.join(DIST);
        let trunk = Trunk::start(workspace, wasm, &dist)?;
        flows("plain `trunk serve`", &trunk.url, &dist, &one)?;
        // The same as it is published, with its size.
        let published = dist::write(workspace, wasm, None)?;
        flows("published page", &serve::start(&published)?, &published, &one)?;
    }
    Ok(())
}

/// The page in all browsers of this machine: the catalogue's spikes, snapshots of other machines, and the flows that need nothing of Chromium's.
fn others(checks: &Checks, wasm: &Wasm, programs: &[Program]) -> Result {
    if !cfg!(target_os = "linux") {
        step::note("browsers", "skipped: other browsers are tested on Linux");
        return Ok(());
    }
    let workspace = checks.workspace;
    let site = workspace.root.join(SITE);
    Build { workspace, wasm, profile: Profile::Quick, site: &site }.all()?;
    let url = serve::start(&site)?;
    let in_firefox = [&IN_EVERY_BROWSER[..], &IN_FIREFOX].concat();
    for (browser, words) in [("chromium", &ENGINES[..]), ("firefox", &in_firefox), ("webkit", &IN_EVERY_BROWSER)] {
        let mut flows = find(programs, FLOWS)?.command(workspace);
        flows.arg("--exact").args(words).env("SPIKELET_BROWSER", browser);
        flows.env("SPIKELET_PAGE_URL", &url).env("SPIKELET_PAGE_FOLDER", &site);
        name_firefox(workspace, &mut flows);
        checks.run(Part::Browsers, browser, flows);
    }
    Ok(())
}

/// Where Firefox and its driver are, if they are installed.
fn name_firefox(workspace: &Workspace, command: &mut Command) {
    command.envs(tools::geckodriver(workspace).map(|driver| ("GECKODRIVER", driver)));
    command.envs(tools::firefox().map(|firefox| ("FIREFOX", firefox)));
}

/// The npm package as an embedder gets it: its types, its API in Node, its examples in Node and Chromium.
fn package(checks: &Checks, wasm: &Wasm, programs: &[Program]) -> Result {
    let workspace = checks.workspace;
    // As it is published it takes whole-program optimisation, twice, and longer than all of its tests.
    let profile = if checks.full() { Profile::Release } else { Profile::Quick };
    engine::build(workspace, wasm, profile)?;
    match profile {
        Profile::Release => checks.keep(engine::check_sizes(workspace)),
        Profile::Quick => step::note("package: sizes", "skipped: only in --full, and in `cargo xtask engine`"),
    }
    checks.run(Part::Package, "types of networks", engine::node(workspace, &["check-types.mjs"]));
    let tests = node_tests(workspace)?;
    let words: Vec<&str> = ["--test", "--test-reporter=spec"].into_iter().chain(tests.iter().map(String::as_str)).collect();
    checks.run(Part::Package, "API in Node", engine::node(workspace, &words));
    if checks.tier == Tier::Quick {
        return Ok(());
    }
    let tarball = workspace.root.join("target/spikelet.tgz");
    engine::pack(workspace, &tarball)?;
    let mut examples: Command = find(programs, EXAMPLES)?.command(workspace);
    examples.env("SPIKELET_PACKAGE", tarball);
    name_firefox(workspace, &mut examples);
    checks.run(Part::Package, "API and examples in Chromium", examples);
    Ok(())
}

fn find<'a>(programs: &'a [Program], title: &str) -> Result<&'a Program> {
    programs.iter().find(|program| program.title() == title).ok_or_else(|| format!("the program {title} was not built").into())
}

/// The tests for Node. Beside them lies what they use, which Node 20 would take for tests if it were given the folder.
fn node_tests(workspace: &Workspace) -> Result<Vec<String>> {
    let folder = engine::sources(workspace).join("test");
    let names = fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<Result<_>>()?;
    Ok(names.into_iter().filter(|name| name.ends_with(".test.mjs")).map(|name| format!("test/{name}")).collect())
}
