//! The folders of this clone, the versions its Cargo.lock names, and native cargo.

use crate::Result;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// This clone on this machine.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where native builds go; wasm builds go to a folder `wasm` in it.
    pub(crate) target: PathBuf,
    /// Tools that xtask installs for itself, shared by all clones of a user.
    pub(crate) tools: PathBuf,
    lock: String,
}

impl Workspace {
    /// # Errors
    /// Cargo.lock cannot be read.
    pub(crate) fn open() -> Result<Workspace> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new(".")).to_owned();
        let lock = root.join("Cargo.lock");
        let lock = fs::read_to_string(&lock).map_err(|error| format!("cannot read {}: {error}", lock.display()))?;
        // An xtask that trunk calls back finds trunk's CARGO_TARGET_DIR, not the user's.
        let target = env::var_os("SPIKELET_TARGET_DIR").or(env::var_os("CARGO_TARGET_DIR"));
        let target = root.join(target.unwrap_or(OsString::from("target")));
        let tools = cache().map_or_else(|| target.join("tools"), |cache| cache.join("spikelet/tools"));
        Ok(Workspace { root, target, tools, lock })
    }

    /// The version of a package in Cargo.lock.
    ///
    /// # Errors
    /// It is not in there.
    pub(crate) fn locked(&self, package: &str) -> Result<&str> {
        locked(&self.lock, package)
            .ok_or_else(|| format!("Cargo.lock has no version of {package}: is it still a dependency?").into())
    }

    /// The cargo that runs this xtask, for native code.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or(OsString::from("cargo")));
        command.args(arguments);
        self.configure(&mut command);
        command
    }

    /// Runs `command` in the root, without what `cargo run` has set for xtask itself (build scripts may read it and
    /// would run again each time).
    pub(crate) fn configure(&self, command: &mut Command) {
        command.current_dir(&self.root);
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") || text == "CARGO_PRIMARY_PACKAGE" {
                command.env_remove(name);
            }
        }
    }
}

/// The folder for things that can be made again.
fn cache() -> Option<PathBuf> {
    let home = || env::home_dir().map(|home| home.join(".cache"));
    let named = env::var_os(if cfg!(windows) { "LOCALAPPDATA" } else { "XDG_CACHE_HOME" });
    named.map(PathBuf::from).filter(|path| path.is_absolute()).or_else(home)
}

/// The first program of this name on the PATH.
pub(crate) fn which(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&file)).find(|path| path.is_file())
}

/// What `program --version` prints first, if it runs.
pub(crate) fn version_line(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(|line| line.trim().to_owned())
}

/// The version of `package` in the text of a Cargo.lock.
fn locked<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let value = |line: &'a str, key: &str| line.strip_prefix(key)?.trim().strip_prefix('=')?.trim().trim_matches('"').into();
    let mut lines = lock.lines();
    lines.find(|line| value(line, "name") == Some(package))?;
    lines.take_while(|line| !line.starts_with('[')).find_map(|line| value(line, "version"))
}

/// Reads "1.96.0" (and "1.96") as numbers that compare.
pub(crate) fn release(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(['.', '-', '+']).map(str::parse::<u32>);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_gives_the_version_of_just_that_package() {
        let lock = "version = 4\n\n[[package]]\nname = \"wasm-bindgen-futures\"\nversion = \"0.4.70\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\ndependencies = [\n \"cfg-if\",\n]\n\n\
                    [[package]]\nname = \"odd\"\n\n[[package]]\nname = \"last\"\nversion = \"1.0.0\"\n";
        assert_eq!(locked(lock, "wasm-bindgen"), Some("0.2.130"));
        assert_eq!(locked(lock, "wasm-bindgen-futures"), Some("0.4.70"));
        assert_eq!(locked(lock, "last"), Some("1.0.0"));
        assert_eq!(locked(lock, "odd"), None);
        assert_eq!(locked(lock, "absent"), None);
    }

    #[test]
    fn releases_compare_as_numbers() {
        assert!(release("1.96.0") > release("1.95"));
        assert!(release("1.100.0-nightly") > release("1.96.0"));
        assert_eq!(release("unknown"), None);
    }

    #[test]
    fn the_lock_of_this_clone_names_wasm_bindgen() {
        let workspace = Workspace::open().expect("a clone");
        let version = workspace.locked("wasm-bindgen").expect("a dependency");
        assert!(release(version).is_some());
        // Who runs trunk has to have just this one.
        let readme = fs::read_to_string(workspace.root.join("README.md")).expect("README.md");
        assert!(readme.contains(&format!("wasm-bindgen {version}")), "README.md names another wasm-bindgen than {version}");
    }
}
