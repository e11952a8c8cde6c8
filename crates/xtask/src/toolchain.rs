//! A compiler for wasm32, from one of two worlds.
//!
//! * Where rustup can download, its wasm32 target: nothing else is needed.
//! * Where it cannot, Debian's compiler (package rustc-web), called by its path so that no rustup toolchain changes. It
//!   has no wasm32 target either, but its sources: cargo builds `std` along (`build-std`), which a stable compiler does
//!   when `RUSTC_BOOTSTRAP` is set.
//!
//! The engine with threads ([`Threads::Many`]) needs a `std` with atomics, which no rustup has ready: both worlds build it, the first
//! one from rustup's component rust-src.

use crate::profile::Profile;
use crate::workspace::{Workspace, release, version_line, which};
use crate::{Result, installed};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_CLIPPY: &str = "/usr/bin/cargo-clippy";
const DEBIAN_STD: &str = "/usr/lib/rustlib/src/rust/library/std/Cargo.toml";
/// Older compilers cannot build the workspace (its `rust-version`).
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Debian packages of the second world.
pub(crate) const DEBIAN_PACKAGES: &[&str] = &["rustc-web", "cargo-web", "rust-web-src", "rust-web-clippy", "lld-22"];

/// What makes a module of wasm threads: atomics, and one memory for all Workers, which the first of them brings along. Relaxed SIMD
/// stays off, since its results differ between machines.
const THREADS: &str = "-Ctarget-feature=+atomics,+bulk-memory,+mutable-globals -Clink-arg=--shared-memory \
    -Clink-arg=--import-memory -Clink-arg=--max-memory=4294967296 -Clink-arg=--export=__wasm_init_tls \
    -Clink-arg=--export=__tls_size -Clink-arg=--export=__tls_align -Clink-arg=--export=__tls_base";

/// How many threads a module may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Threads {
    /// One: runs in every browser and on every host.
    One,
    /// Several: for pages that are cross-origin isolated.
    Many,
}

impl Threads {
    pub(crate) const ALL: [Threads; 2] = [Threads::One, Threads::Many];

    /// What the engine and its folder are called.
    pub(crate) fn short(self) -> &'static str {
        match self {
            Threads::One => "st",
            Threads::Many => "mt",
        }
    }
}

/// A way to compile for wasm32 that this machine has.
pub(crate) struct Wasm {
    world: World,
    threads: Threads,
    /// Two compiler versions, or two sets of flags, in one folder would rebuild everything in turns, so each has one of its own.
    target: PathBuf,
    /// The clone's own target folder.
    native_target: PathBuf,
    /// Folders of wasm-bindgen and trunk.
    tools: Vec<PathBuf>,
}

#[derive(Clone)]
enum World {
    /// The compiler that runs this xtask has the target.
    Target,
    /// Debian's compiler, which builds `std` from source.
    Debian { linker: PathBuf },
}

impl Wasm {
    /// What is there now; installs nothing.
    pub(crate) fn find(workspace: &Workspace) -> Option<Wasm> {
        let world = if has_target() { World::Target } else { World::Debian { linker: debian_linker()? } };
        let (target, tools) = (workspace.target.clone(), installed::folders(workspace));
        let wasm = Wasm { world, threads: Threads::One, target: target.clone(), native_target: target, tools };
        Some(wasm.with(Threads::One))
    }

    /// After `tools::provide`.
    ///
    /// # Errors
    /// There is no compiler for wasm32.
    pub(crate) fn open(workspace: &Workspace) -> Result<Wasm> {
        Wasm::find(workspace).ok_or_else(|| format!("this machine has no compiler for {TARGET}").into())
    }

    /// The same, for modules with these threads.
    pub(crate) fn with(&self, threads: Threads) -> Wasm {
        let (native_target, tools) = (self.native_target.clone(), self.tools.clone());
        let target = match (threads, &self.world) {
            // The user's own compiler, with the user's own flags: where plain cargo and trunk build too.
            (Threads::One, World::Target) => native_target.clone(),
            (Threads::One, World::Debian { .. }) => native_target.join("wasm"),
            (Threads::Many, _) => native_target.join("wasm-mt"),
        };
        Wasm { world: self.world.clone(), threads, target, native_target, tools }
    }

    /// In words, for `doctor`.
    pub(crate) fn describe(&self) -> String {
        match &self.world {
            World::Target => format!("the active toolchain has the target {TARGET}"),
            World::Debian { linker } => {
                let rustc = version_line(Path::new(DEBIAN_RUSTC)).unwrap_or_default();
                format!("Debian's {rustc}, builds std from source, links with {}", linker.display())
            }
        }
    }

    /// A cargo command for wasm code.
    pub(crate) fn cargo(&self, workspace: &Workspace, arguments: &[&str]) -> Command {
        let mut command = match self.world {
            World::Target => workspace.cargo(arguments),
            World::Debian { .. } => with_arguments(DEBIAN_CARGO, arguments),
        };
        self.configure(workspace, &mut command);
        command
    }

    /// `cargo clippy` for wasm code, if this compiler has one.
    pub(crate) fn clippy(&self, workspace: &Workspace, arguments: &[&str]) -> Option<Command> {
        let mut command = match self.world {
            World::Target => {
                which("cargo-clippy")?;
                workspace.cargo(&["clippy"])
            }
            // By its path: `cargo clippy` would look into ~/.cargo/bin first and find rustup's.
            World::Debian { .. } if Path::new(DEBIAN_CLIPPY).is_file() => with_arguments(DEBIAN_CLIPPY, &["clippy"]),
            World::Debian { .. } => return None,
        };
        command.args(arguments);
        self.configure(workspace, &mut command);
        Some(command)
    }

    /// Gives `command` this compiler: also for programs that call cargo themselves, as trunk does.
    pub(crate) fn configure(&self, workspace: &Workspace, command: &mut Command) {
        workspace.configure(command);
        // Whatever flags the user has set are for native code.
        for flags in
            ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "CARGO_BUILD_TARGET"]
        {
            command.env_remove(flags);
        }
        command.env("CARGO_TARGET_DIR", &self.target).env("SPIKELET_TARGET_DIR", &self.native_target);
        let mut path = Vec::new();
        if let World::Debian { linker } = &self.world {
            path.push(PathBuf::from("/usr/bin"));
            command
                .env("CARGO", DEBIAN_CARGO)
                .env("RUSTC", DEBIAN_RUSTC)
                .env("RUSTDOC", "/usr/bin/rustdoc")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        if self.threads == Threads::Many || matches!(self.world, World::Debian { .. }) {
            // Tests have the crate `test` beside `std`, so everything else has, too: with another set, every crate would be compiled once more.
            command.env("RUSTC_BOOTSTRAP", "1").env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort,test");
        }
        if self.threads == Threads::Many {
            // Beside the flags of .cargo/config.toml, which a plain RUSTFLAGS would replace.
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", THREADS);
        }
        path.extend(self.tools.iter().cloned());
        path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        command.env("PATH", env::join_paths(path).unwrap_or_default());
    }

    /// A build of a module by cargo, of these words. What is published is the same in every folder.
    pub(crate) fn compile(&self, workspace: &Workspace, profile: Profile, words: &[&str]) -> Command {
        let mut command = self.cargo(workspace, words);
        command.args(["--target", TARGET]);
        if profile == Profile::Release {
            self.reproduce(&mut command);
        }
        command
    }

    /// Makes a build the same for every user and in every folder: the paths in messages of panics are those of no machine.
    fn reproduce(&self, command: &mut Command) {
        let home = env::var_os("CARGO_HOME").map(PathBuf::from).or(env::home_dir().map(|home| home.join(".cargo")));
        let std = std_sources().and_then(|file| Some(file.parent()?.parent()?.to_owned()));
        let renamed = [(home, "cargo"), (std, "library")].map(|(folder, name)| Some((folder?.to_str()?.to_owned(), name)));
        // Flags are separated by spaces.
        let renamed = renamed.iter().flatten().filter(|(folder, _)| !folder.contains(' '));
        let flags: Vec<String> = renamed.map(|(folder, name)| format!("--remap-path-prefix={folder}={name}")).collect();
        let threads = if self.threads == Threads::Many { THREADS } else { "" };
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", format!("{threads} {}", flags.join(" ")));
    }

    /// Where the modules of a cargo profile lie.
    pub(crate) fn artifacts(&self, profile: &str) -> PathBuf {
        self.target.join(TARGET).join(profile)
    }
}

fn with_arguments(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// A folder of the active compiler.
fn folder_of_rustc(arguments: &[&str]) -> Option<PathBuf> {
    let rustc = env::var_os("RUSTC").unwrap_or(OsString::from("rustc"));
    let output = Command::new(rustc).arg("--print").args(arguments).output().ok()?;
    Some(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
}

/// Whether the active compiler has a `std` for wasm32.
fn has_target() -> bool {
    let folder = folder_of_rustc(&["target-libdir", "--target", TARGET]);
    let Some(Ok(files)) = folder.map(fs::read_dir) else { return false };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

/// The sources of `std` that fit the compiler for wasm32: a `std` with atomics is built from them.
pub(crate) fn std_sources() -> Option<PathBuf> {
    let of_rustup = || folder_of_rustc(&["sysroot"]).map(|folder| folder.join("lib/rustlib/src/rust/library/std/Cargo.toml"));
    let file = if has_target() { of_rustup()? } else { PathBuf::from(DEBIAN_STD) };
    file.is_file().then_some(file)
}

/// The linker of a complete second world.
fn debian_linker() -> Option<PathBuf> {
    let complete = Path::new(DEBIAN_CARGO).is_file() && Path::new(DEBIAN_STD).is_file();
    let version = version_line(Path::new(DEBIAN_RUSTC)).filter(|_| complete)?;
    let new_enough = release(version.split_whitespace().nth(1)?)? >= release(OLDEST)?;
    let newest_first = (18..40).rev().map(|version| format!("wasm-ld-{version}"));
    newest_first.chain(["wasm-ld".to_owned()]).find_map(|name| which(&name)).filter(|_| new_enough)
}

/// rustup's attempt at the first world, or at the sources of its `std`, where there is a rustup.
pub(crate) fn rustup(arguments: &[&str]) -> Option<Command> {
    let mut command = Command::new(which("rustup")?);
    command.args(arguments);
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workflow_builds_with_the_oldest_compiler() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.github/workflows/ci.yml");
        let workflow = fs::read_to_string(file).expect("the workflow");
        let versions: Vec<&str> = workflow.split("toolchain: \"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(!versions.is_empty() && versions.iter().all(|version| *version == OLDEST), "{versions:?}, not {OLDEST}");
    }
}
