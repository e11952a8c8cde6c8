//! `cargo xtask serve`: the page and what it needs first are built in parallel and served; then the rest is built in the background. Whatever is
//! edited is rebuilt, and the page reloads itself.

use crate::engine::{self, Task, Types};
use crate::fresh::{self, Files};
use crate::profile::Profile;
use crate::toolchain::{Threads, Wasm};
use crate::tools;
use crate::workspace::Workspace;
use crate::{Result, board, page, step};
use spikelet_host::{Content, Headers, Request};
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What a change of means a new build.
const SOURCES: [&str; 6] = ["index.html", "web", "crates", "shaders", "docs", "Cargo.lock"];

/// How often the sources are looked at.
const LOOK: Duration = Duration::from_millis(500);

/// How long a page waits for a change before it asks again.
const WAIT: Duration = Duration::from_secs(25);

/// Requested by the open page, with the number of its build.
const CHANGED: &str = "changed-since/";

/// The script that requests it.
const RELOAD: &str = "reload.js";

/// Serves the page until it is ended; edits to the sources rebuild it.
///
/// # Errors
/// The port is taken, or something cannot be installed or built.
pub(crate) fn serve(workspace: &Workspace, port: u16, profile: Profile, yes: bool) -> Result {
    let started = Instant::now();
    let listener = listen(port)?;
    tools::provide(workspace, engine::NEEDS, yes)?;
    let wasm = Wasm::open(workspace)?;
    let site = site(workspace, profile);
    let build = Build { workspace, wasm: &wasm, profile, site: &site };

    if !site.join("index.html").exists() {
        println!(
            "The first build takes some minutes: about a hundred crates are compiled, some of them twice. Later builds take \
             seconds."
        );
    }
    let mut seen = sources(workspace);
    build.first()?;
    let state = Arc::new(State::default());
    host(listener, site.clone(), state.clone());
    step::print_times();
    println!("\nSpikelet: {}   (built in {}; Ctrl-C ends it)\n", address(port), board::seconds(started.elapsed()));

    loop {
        if let Err(problem) = build.rest() {
            eprintln!("✗ {problem}");
        }
        state.rest_is_there();
        seen = wait_for_change(workspace, &seen);
        match build.first() {
            Ok(()) => state.next(),
            Err(problem) => eprintln!("✗ {problem}; the previous page is served until this is fixed"),
        }
    }
}

/// Where the page is put together.
pub(crate) fn site(workspace: &Workspace, profile: Profile) -> PathBuf {
    workspace.root.join("target").join(format!("site-{}", profile.of_page()))
}

/// Holds the port from the beginning.
fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| {
        let why =
            if error.kind() == io::ErrorKind::AddrInUse { "another page is served there".to_owned() } else { error.to_string() };
        format!("port {port} cannot be used ({why}): end the program that uses it, or choose another port with --port").into()
    })
}

/// What is built, and where it goes.
#[derive(Clone, Copy)]
pub(crate) struct Build<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) wasm: &'a Wasm,
    pub(crate) profile: Profile,
    pub(crate) site: &'a Path,
}

impl Build<'_> {
    /// What an isolated page runs on: itself, the engine with threads, the scripts.
    ///
    /// # Errors
    /// A step fails.
    pub(crate) fn first(self) -> Result {
        self.run(vec![
            Box::new(move || page::compile(self.workspace, self.wasm, self.profile, self.site)),
            Box::new(move || engine::compile(self.workspace, self.wasm, self.profile, Threads::Many)),
            Box::new(move || {
                engine::install_tools(self.workspace)?;
                engine::scripts(self.workspace, Types::Believed)
            }),
            Box::new(move || engine::binder(self.workspace).map(drop)),
        ])
    }

    /// The modules beside the engines, the engine for pages that are not isolated, and the help, which needs the types of all.
    fn rest(self) -> Result {
        self.run(vec![
            Box::new(move || engine::compile_modules(self.workspace, self.wasm, self.profile)),
            Box::new(move || engine::compile(self.workspace, self.wasm, self.profile, Threads::One)),
        ])?;
        self.run(vec![Box::new(move || engine::help(self.workspace))])
    }

    /// All of it.
    ///
    /// # Errors
    /// A step fails.
    pub(crate) fn all(self) -> Result {
        self.first()?;
        self.rest()
    }

    fn run(self, tasks: Vec<Task<'_>>) -> Result {
        fs::create_dir_all(self.site).map_err(|error| format!("cannot make {}: {error}", self.site.display()))?;
        engine::side_by_side(tasks)?;
        page::assemble(self.workspace, self.site)
    }
}

/// What the open pages wait for.
#[derive(Default)]
struct State {
    /// Number of rebuilds, and whether the rest is built.
    now: Mutex<(u64, bool)>,
    changed: Condvar,
}

impl State {
    fn lock(&self) -> MutexGuard<'_, (u64, bool)> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new build is served.
    fn next(&self) {
        self.lock().0 += 1;
        self.changed.notify_all();
    }

    fn rest_is_there(&self) {
        self.lock().1 = true;
        self.changed.notify_all();
    }

    /// The number of the build that is served, once it is another than `known`, or after some time.
    fn wait_for_another(&self, known: u64) -> u64 {
        let waited = self.changed.wait_timeout_while(self.lock(), WAIT, |now| now.0 == known);
        waited.unwrap_or_else(PoisonError::into_inner).0.0
    }

    fn wait_for_rest(&self) {
        drop(self.changed.wait_while(self.lock(), |now| !now.1));
    }
}

/// Serves a site, with a script in its page that loads it again after each build.
fn host(listener: TcpListener, site: PathBuf, state: Arc<State>) {
    spikelet_host::serve(listener, Headers::Isolating, move |Request { path, .. }| {
        if let Some(known) = path.strip_prefix(CHANGED) {
            return Some(Content::new("text/plain", state.wait_for_another(known.parse().ok()?).to_string()));
        }
        if path.is_empty() || path == "index.html" {
            let page = fs::read_to_string(site.join("index.html")).ok()?;
            let script = format!("  <script type=\"module\" src=\"{RELOAD}/{}\"></script>\n  </head>", state.lock().0);
            return Some(Content::new("text/html; charset=utf-8", page.replace("</head>", &script)));
        }
        if let Some(build) = path.strip_prefix(RELOAD).and_then(|rest| rest.strip_prefix('/')) {
            return Some(Content::new("text/javascript; charset=utf-8", reloading(build.parse().ok()?)));
        }
        Content::file(&site, path).or_else(|| {
            // What is not there may be on its way.
            path.starts_with("engine/").then(|| state.wait_for_rest())?;
            Content::file(&site, path)
        })
    });
}

/// A script that loads the page again when another build is served.
fn reloading(build: u64) -> String {
    format!(
        "for (;;) {{\n  try {{\n    \
         const build = await (await fetch(new URL(\"../{CHANGED}{build}\", import.meta.url))).text();\n    \
         if (build !== \"{build}\") location.reload();\n  }} catch {{\n    \
         await new Promise((resolve) => setTimeout(resolve, 1000));\n  }}\n}}\n"
    )
}

fn sources(workspace: &Workspace) -> Files {
    fresh::files(&SOURCES.map(|name| workspace.root.join(name)))
}

/// Waits until a source differs from `seen`, and until no more do: editors write several files, or one in parts.
fn wait_for_change(workspace: &Workspace, seen: &Files) -> Files {
    loop {
        let mut now = sources(workspace);
        if let Some(path) = fresh::change(seen, &now) {
            println!("\n{} has changed", path.strip_prefix(&workspace.root).unwrap_or(path).display());
            loop {
                thread::sleep(LOOK / 5);
                let later = sources(workspace);
                if later == now {
                    return now;
                }
                now = later;
            }
        }
        thread::sleep(LOOK);
    }
}

/// Serves what was built for tests, without the script, at a free port; gives the address.
///
/// # Errors
/// There is no free port.
pub(crate) fn start(site: &Path) -> Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let (port, site) = (listener.local_addr()?.port(), site.to_owned());
    spikelet_host::serve(listener, Headers::Isolating, move |request| Content::compressed_file(&site, request));
    Ok(address(port))
}

pub(crate) fn address(port: u16) -> String {
    format!("http://127.0.0.1:{port}/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    fn ask(port: u16, path: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("it listens");
        write!(stream, "GET /{path} HTTP/1.1\r\n\r\n").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    #[test]
    fn a_page_hears_of_the_next_build_and_waits_for_what_is_on_its_way() {
        let site = std::env::temp_dir().join(format!("spikelet-serve-{}", std::process::id()));
        fs::create_dir_all(site.join("engine/st")).expect("a folder");
        fs::write(site.join("index.html"), "<head></head>").expect("a page");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let state = Arc::new(State::default());
        host(listener, site.clone(), state.clone());

        let page = ask(port, "?backend=cpu");
        assert!(page.contains("src=\"reload.js/0\"") && page.contains("Cross-Origin-Opener-Policy"), "{page}");
        assert!(ask(port, "reload.js/0").contains("changed-since/0"));
        assert!(ask(port, "absent.js").starts_with("HTTP/1.1 404"));
        let waits = thread::spawn(move || ask(port, "changed-since/0"));
        let engine = thread::spawn(move || ask(port, "engine/st/e.js"));
        thread::sleep(Duration::from_millis(100));
        assert!(!waits.is_finished() && !engine.is_finished());
        fs::write(site.join("engine/st/e.js"), "built").expect("a script");
        state.next();
        state.rest_is_there();
        assert!(waits.join().expect("it ends").ends_with("\r\n\r\n1"));
        assert!(engine.join().expect("it ends").ends_with("\r\n\r\nbuilt"));
        assert!(ask(port, "engine/absent.js").starts_with("HTTP/1.1 404"));
        fs::remove_dir_all(&site).expect("it goes");
    }

    #[test]
    fn a_port_that_is_taken_gives_a_sentence() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let port = taken.local_addr().expect("bound").port();
        let problem = listen(port).expect_err("it is taken").to_string();
        assert!(problem.contains(&format!("port {port}")) && problem.contains("--port"), "{problem}");
    }
}
