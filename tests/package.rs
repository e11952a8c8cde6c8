//! The npm package as somebody installs it: the custom element, and each of the examples, in a real Chromium and in Node.
//!
//! `cargo xtask test package` packs it and sets `SPIKELET_PACKAGE` (the tarball) and `CHROMEDRIVER`; without them each test says `skipped: no
//! package`. Screenshots land in `target/screens`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "much of it is for the flows through the page")]
mod browser;
#[path = "package/bundlers.rs"]
mod bundlers;
mod driver;
#[path = "package/element.rs"]
mod element;
#[path = "package/examples.rs"]
mod examples;
mod host;
#[path = "package/hosts.rs"]
mod hosts;
#[path = "package/install.rs"]
mod install;
mod program;
#[path = "package/readme.rs"]
mod readme;
#[cfg(target_os = "linux")]
#[path = "package/soak.rs"]
mod soak;
#[path = "package/ways.rs"]
mod ways;

use browser::{Browser, Test};
use host::{Headers, Host};

/// Both sorts of hosts, of which one makes pages cross-origin isolated.
const HOSTS: [Headers; 2] = [Headers::Isolating, Headers::Plain];

/// Opens the page of an example, installed, in a browser of its own; says so where there is no package to install.
fn example(name: &str, headers: Headers, test: impl AsyncFnOnce(&Browser) -> Test) {
    let Some(folder) = install::example(name) else { return };
    let host = Host::start(folder, Vec::new(), headers).unwrap();
    Browser::run(host.url, test);
}
