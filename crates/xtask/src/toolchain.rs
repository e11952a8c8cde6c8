//! A compiler for wasm32, from one of two worlds.
//!
//! * Where rustup can download, its wasm32 target: nothing else is needed.
//! * Where it cannot, Debian's compiler (package rustc-web), called by its path so that no rustup toolchain changes. It
//!   has no wasm32 target either, but its sources: cargo builds `std` along (`build-std`), which a stable compiler does
//!   when `RUSTC_BOOTSTRAP` is set.

use crate::workspace::{Workspace, release, version_line, which};
use crate::{Result, tools};
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

/// A way to compile for wasm32 that this machine has.
pub(crate) struct Wasm {
    world: World,
    /// Two compiler versions in one folder would rebuild everything in turns, so wasm has one of its own.
    target: PathBuf,
    /// The clone's own target folder, for an xtask that trunk calls back.
    native_target: PathBuf,
    /// Folders of wasm-bindgen and trunk.
    tools: Vec<PathBuf>,
}

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
        Some(Wasm {
            world,
            target: workspace.target.join("wasm"),
            native_target: workspace.target.clone(),
            tools: tools::folders(workspace),
        })
    }

    /// After `tools::provide`.
    ///
    /// # Errors
    /// There is no compiler for wasm32.
    pub(crate) fn open(workspace: &Workspace) -> Result<Wasm> {
        Wasm::find(workspace).ok_or_else(|| format!("this machine has no compiler for {TARGET}").into())
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
        self.settle(workspace, &mut command);
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
        self.settle(workspace, &mut command);
        Some(command)
    }

    /// Gives `command` this compiler: also for programs that call cargo themselves, as trunk does.
    pub(crate) fn settle(&self, workspace: &Workspace, command: &mut Command) {
        workspace.settle(command);
        // Whatever flags the user has set are for native code.
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS").env_remove("CARGO_BUILD_TARGET");
        command.env("CARGO_TARGET_DIR", &self.target).env("SPIKELET_TARGET_DIR", &self.native_target);
        let mut path = Vec::new();
        if let World::Debian { linker } = &self.world {
            path.push(PathBuf::from("/usr/bin"));
            command
                .env("CARGO", DEBIAN_CARGO)
                .env("RUSTC", DEBIAN_RUSTC)
                .env("RUSTDOC", "/usr/bin/rustdoc")
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        path.extend(self.tools.iter().cloned());
        path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
        command.env("PATH", env::join_paths(path).unwrap_or_default());
    }

    /// Where a profile's artifacts lie ("debug" for `dev`).
    pub(crate) fn artifacts(&self, profile: &str) -> PathBuf {
        self.target.join(TARGET).join(profile)
    }
}

fn with_arguments(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Whether the active compiler has a `std` for wasm32.
fn has_target() -> bool {
    let rustc = env::var_os("RUSTC").unwrap_or(OsString::from("rustc"));
    let output = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
    let Ok(output) = output else { return false };
    let folder = String::from_utf8_lossy(&output.stdout);
    let Ok(files) = fs::read_dir(folder.trim()) else {
        return false;
    };
    files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
}

/// The linker of a complete second world.
fn debian_linker() -> Option<PathBuf> {
    let complete = Path::new(DEBIAN_CARGO).is_file() && Path::new(DEBIAN_STD).is_file();
    let version = version_line(Path::new(DEBIAN_RUSTC)).filter(|_| complete)?;
    let new_enough = release(version.split_whitespace().nth(1)?)? >= release(OLDEST)?;
    let newest_first = (18..40).rev().map(|version| format!("wasm-ld-{version}"));
    newest_first.chain(["wasm-ld".to_owned()]).find_map(|name| which(&name)).filter(|_| new_enough)
}

/// rustup's attempt at the first world, where there is a rustup.
pub(crate) fn rustup_target() -> Option<Command> {
    let mut command = Command::new(which("rustup")?);
    command.args(["target", "add", TARGET]);
    Some(command)
}
