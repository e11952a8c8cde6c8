//! Examples, copied to empty folders, with the package installed there.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::program::Program;

/// The examples that are installed, by their names.
static INSTALLED: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);

/// The packed package, if there is one.
pub(crate) fn package() -> Option<PathBuf> {
    let tarball = std::env::var_os("SPIKELET_PACKAGE").map(PathBuf::from);
    if tarball.is_none() {
        println!("skipped: no package (run `cargo xtask test package`)");
    }
    tarball
}

/// The folder of an example, ready to be served or run; none where there is no package.
pub(crate) fn example(name: &str) -> Option<PathBuf> {
    let tarball = package()?;
    let mut installed = INSTALLED.lock().unwrap();
    let installed = installed.get_or_insert_default();
    if let Some(folder) = installed.get(name) {
        return Some(folder.clone());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("example-{name}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    copy(&source(name), &folder);
    let words = ["install", "--no-audit", "--no-fund"];
    succeeds(program("npm").args(words).arg(tarball).current_dir(&folder));
    installed.insert(name.to_owned(), folder.clone());
    Some(folder)
}

/// A program that installing Node gives.
pub(crate) fn program(name: &str) -> Command {
    Command::new(if cfg!(windows) { format!("{name}.cmd") } else { name.to_owned() })
}

/// Starts a server, and waits until it listens at a port.
pub(crate) fn serve(mut command: Command, port: u16) -> Program {
    let server = Program::start(&mut command).unwrap();
    let started = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(started.elapsed().as_secs() < 60, "{command:?} does not listen");
        std::thread::sleep(Duration::from_millis(100));
    }
    server
}

/// Runs a program, which must end well; gives what it printed.
pub(crate) fn succeeds(command: &mut Command) -> String {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(status.success(), "{command:?} ended with {status}:\n{stdout}\n{stderr}");
    stdout
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/spikelet-js/examples").join(name)
}

/// Copies a folder, but for what somebody has installed or built in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name());
        if ["node_modules", "dist", "out", ".next"].iter().any(|made| name == *made) {
            continue;
        }
        if path.is_dir() {
            copy(&path, &to.join(name));
        } else {
            fs::copy(path, to.join(name)).unwrap();
        }
    }
}
