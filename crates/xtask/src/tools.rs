//! What a machine needs: found, else installed, and each thing said in one line.

use crate::installed::{TRUNK, program};
use crate::toolchain::{self, DEBIAN_PACKAGES, TARGET, Wasm};
use crate::workspace::{Workspace, release, version_line, which};
use crate::{Problem, Result};
use crate::{interpreter, step};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

/// What `test browsers` installs; another version that is there will do.
const GECKODRIVER: &str = "0.37.1";

/// What `test --full` installs; another version that is there will do.
const DENY: &str = "0.20.2";

/// What `fuzz` installs; another version that is there will do.
const FUZZ: &str = "0.13.2";

/// The oldest Node that the package runs on.
const NODE: u32 = 20;

/// What rustup downloads here is a few seconds' work; a machine that is cut off from it may wait for long.
const RUSTUP_LIMIT: Duration = Duration::from_secs(90);

/// What has rustup download the sources of `std`.
const SOURCES: &[&str] = &["component", "add", "rust-src"];

/// One thing that a command needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Need {
    /// A compiler for wasm32.
    Compiler,
    /// The sources of its `std`, for the engine with threads.
    Sources,
    /// wasm-bindgen's test runner, and `wasm-bindgen` itself for trunk, of the version in Cargo.lock.
    Bindgen,
    /// Node and npm, which compile the scripts of the package and run its tests.
    Node,
    Trunk,
    /// Chromium and its driver.
    Browser,
    /// Firefox and WebKitGTK with its driver, on Linux, and a display for it.
    Browsers,
    /// The driver of Firefox.
    Geckodriver,
    /// A Vulkan device without a GPU, on Linux; other systems bring theirs.
    Vulkan,
    /// Open MPI, on Linux, and what makes bindings of its headers; other systems do without ranks of MPI.
    Mpi,
    /// What counts instructions, on Linux; other systems do not count them.
    Valgrind,
    /// Python, with what makes environments of it.
    Python,
    /// cargo-fuzz, on systems that have libFuzzer.
    Fuzz,
    /// cargo-deny, for `test --full`; a shorter run uses it where it is.
    Deny,
}

impl Need {
    pub(crate) const ALL: [Need; 14] = [
        Need::Compiler,
        Need::Sources,
        Need::Bindgen,
        Need::Node,
        Need::Trunk,
        Need::Browser,
        Need::Browsers,
        Need::Geckodriver,
        Need::Vulkan,
        Need::Mpi,
        Need::Valgrind,
        Need::Python,
        Need::Fuzz,
        Need::Deny,
    ];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Need::Compiler => "wasm32 compiler",
            Need::Sources => "sources of std",
            Need::Bindgen => "wasm-bindgen",
            Need::Node => "Node, npm",
            Need::Trunk => "trunk",
            Need::Browser => "Chromium, driver",
            Need::Browsers => "Firefox, WebKit",
            Need::Geckodriver => "geckodriver",
            Need::Vulkan => "software Vulkan",
            Need::Mpi => "Open MPI, clang",
            Need::Valgrind => "valgrind",
            Need::Python => "Python, venv",
            Need::Fuzz => "cargo-fuzz",
            Need::Deny => "cargo-deny",
        }
    }

    /// What this machine has, in words.
    pub(crate) fn find(self, workspace: &Workspace) -> Option<String> {
        match self {
            Need::Compiler => Wasm::find(workspace).map(|wasm| wasm.describe()),
            Need::Sources => toolchain::std_sources().map(|file| file.display().to_string()),
            Need::Bindgen => {
                let version = workspace.locked("wasm-bindgen").ok()?;
                program(workspace, "wasm-bindgen-test-runner", version)?;
                Some(in_words(version, &program(workspace, "wasm-bindgen", version)?))
            }
            Need::Node => {
                let (node, npm) = (node(workspace)?, which("npm")?);
                Some(format!("{}, {}, {}", version_line(&node)?, node.display(), npm.display()))
            }
            Need::Trunk => Some(in_words(TRUNK, &program(workspace, "trunk", TRUNK)?)),
            Need::Browser => {
                let (driver, browser) = (chromedriver()?, browser()?);
                Some(format!("{}, {}", browser.display(), driver.display()))
            }
            Need::Browsers if cfg!(target_os = "linux") => {
                let (firefox, driver) = (firefox()?, which("WebKitWebDriver")?);
                which("xvfb-run").and(which("xauth"))?;
                Some(format!("{}, {}, {}", version_line(&firefox)?, firefox.display(), driver.display()))
            }
            Need::Browsers => Some("not needed: other browsers are tested on Linux".to_owned()),
            Need::Geckodriver if cfg!(target_os = "linux") => {
                let program = geckodriver(workspace)?;
                Some(format!("{}, {}", version_line(&program)?, program.display()))
            }
            Need::Geckodriver => Some("not needed: other browsers are tested on Linux".to_owned()),
            Need::Vulkan if cfg!(target_os = "linux") => lavapipe().map(|path| path.display().to_string()),
            Need::Vulkan => Some("not needed: the system has its own GPU interface".to_owned()),
            Need::Mpi if cfg!(target_os = "linux") => {
                let (launcher, compiler) = (which("mpirun")?, which("mpicc")?);
                which("clang")?;
                Some(format!("{}, {}, {}", version_line(&launcher)?, launcher.display(), compiler.display()))
            }
            Need::Mpi => Some("not needed: ranks of MPI are tested on Linux".to_owned()),
            Need::Valgrind if cfg!(target_os = "linux") => {
                let program = which("valgrind")?;
                Some(format!("{}, {}", version_line(&program)?, program.display()))
            }
            Need::Valgrind => Some("not needed: instructions are counted on Linux".to_owned()),
            Need::Python => {
                let program = interpreter::find()?;
                Some(format!("{}, {}", version_line(&program)?, program.display()))
            }
            Need::Fuzz if cfg!(unix) => {
                let program = cargo_fuzz(workspace)?;
                Some(format!("{}, {}", version_line(&program)?, program.display()))
            }
            Need::Fuzz => Some("not needed: libFuzzer is for Linux and macOS".to_owned()),
            Need::Deny => {
                let program = cargo_deny(workspace)?;
                Some(format!("{}, {}", version_line(&program)?, program.display()))
            }
        }
    }

    /// How xtask would get it, in words.
    pub(crate) fn remedy(self, workspace: &Workspace) -> String {
        let cargo = |arguments: Vec<String>| format!("cargo {}", arguments.join(" "));
        match self {
            Need::Compiler
            | Need::Node
            | Need::Browser
            | Need::Browsers
            | Need::Vulkan
            | Need::Mpi
            | Need::Valgrind
            | Need::Python
                if !has_apt() =>
            {
                format!("manually: {}", self.by_hand())
            }
            Need::Compiler => {
                format!("rustup target add {TARGET}; if that fails, apt: {} (builds std)", DEBIAN_PACKAGES.join(" "))
            }
            Need::Sources => format!("rustup {}", SOURCES.join(" ")),
            Need::Bindgen | Need::Trunk | Need::Geckodriver | Need::Fuzz | Need::Deny => {
                self.recipe(workspace).map_or_else(|problem| problem.to_string(), cargo)
            }
            Need::Node => format!("apt: {}; if that is older than {NODE}, npm: node@{NODE}", self.packages().join(" ")),
            Need::Browser | Need::Browsers | Need::Vulkan | Need::Mpi | Need::Valgrind | Need::Python => {
                format!("apt: {}", self.packages().join(" "))
            }
        }
    }

    /// Debian packages that give it.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Need::Compiler => DEBIAN_PACKAGES,
            Need::Node => &["nodejs", "npm"],
            Need::Browser => &["chromium", "chromium-driver"],
            Need::Browsers => &["firefox-esr", "webkit2gtk-driver", "xvfb", "xauth"],
            Need::Vulkan => &["mesa-vulkan-drivers", "libvulkan1"],
            Need::Mpi => &["libopenmpi-dev", "openmpi-bin", "libclang-dev", "clang"],
            Need::Valgrind => &["valgrind"],
            Need::Python => &["python3", "python3-venv"],
            Need::Sources | Need::Bindgen | Need::Trunk | Need::Geckodriver | Need::Fuzz | Need::Deny => &[],
        }
    }

    /// What to do on a machine without apt.
    fn by_hand(self) -> String {
        match self {
            Need::Compiler => format!("rustup (https://rustup.rs), then: rustup target add {TARGET}"),
            Need::Node => format!("Node {NODE} or newer with npm (https://nodejs.org)"),
            Need::Browser => {
                "Chromium or Chrome, and the chromedriver of the same version on the PATH (or CHROMEDRIVER=its path)".to_owned()
            }
            Need::Browsers => "Firefox, the WebKitWebDriver of WebKitGTK 4.1, and Xvfb with xauth".to_owned(),
            Need::Vulkan => "the Vulkan loader and Mesa's lavapipe (vulkan-swrast, mesa-vulkan-drivers or similar)".to_owned(),
            Need::Mpi => "Open MPI with its headers (mpirun, mpicc), and clang with libclang".to_owned(),
            Need::Valgrind => "valgrind (https://valgrind.org)".to_owned(),
            Need::Python => {
                let (major, minor) = interpreter::OLDEST;
                format!("Python {major}.{minor} or newer, with its module venv (https://www.python.org)")
            }
            Need::Sources | Need::Bindgen | Need::Trunk | Need::Geckodriver | Need::Fuzz | Need::Deny => String::new(),
        }
    }

    /// The arguments of a `cargo install`. Debug builds: they compile in a third of the time and are fast enough here.
    fn recipe(self, workspace: &Workspace) -> Result<Vec<String>> {
        let text = match self {
            // Without --locked: its lock names a crate version that is not to be had any more. Without TLS: what it talks to is on
            // this machine. As a library in the workspace it would bring 46 crates along, four of them without upkeep.
            Need::Bindgen => {
                format!("install wasm-bindgen-cli --version {} --debug --no-default-features", workspace.locked("wasm-bindgen")?)
            }
            Need::Geckodriver => format!("install geckodriver --version {GECKODRIVER} --locked --debug"),
            Need::Fuzz => format!("install cargo-fuzz --version {FUZZ} --locked --debug"),
            Need::Deny => format!("install cargo-deny --version {DENY} --locked --debug"),
            _ => format!("install trunk --version {TRUNK} --locked --debug --no-default-features --features rustls"),
        };
        Ok(text.split(' ').map(str::to_owned).collect())
    }
}

/// Installs those of `needs` that are missing; a few milliseconds when none is.
///
/// # Errors
/// Something cannot be installed: the sentence says what to do by hand.
pub(crate) fn provide(workspace: &Workspace, needs: &[Need], yes: bool) -> Result {
    let missing = |needs: &[Need]| -> Vec<Need> { needs.iter().copied().filter(|need| need.find(workspace).is_none()).collect() };
    let mut wanted = missing(needs);
    if wanted.contains(&Need::Compiler) && rustup(&["target", "add", TARGET], second_world())? {
        wanted.retain(|need| *need != Need::Compiler);
    }
    let packages: Vec<&str> = wanted.iter().flat_map(|need| need.packages()).copied().collect();
    if !packages.is_empty() {
        apt(&wanted, &packages, yes)?;
    }
    if wanted.contains(&Need::Node) && node(workspace).is_none() {
        // Debian's is older; npm brings others.
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"])
            .arg(workspace.tools.join("node"))
            .arg(format!("node@{NODE}"));
        step::run("npm install node", npm)?;
    }
    wanted.retain(|need| need.packages().is_empty());
    // Asked again: Debian's compiler may have come with them just now.
    if wanted.contains(&Need::Sources) && toolchain::std_sources().is_none() {
        let by_hand = format!("; manually: {}", Need::Sources.remedy(workspace));
        rustup(SOURCES, &by_hand)?;
    }
    wanted.retain(|need| *need != Need::Sources);
    for need in &wanted {
        install(workspace, *need)?;
    }
    if !wanted.is_empty() {
        let _ = fs::remove_dir_all(workspace.tools.join("build")); // all used it; one that is left over harms nothing
    }
    match missing(needs).first() {
        None => Ok(()),
        Some(need) => {
            Err(format!("{} was not found after its installation; `cargo xtask doctor` shows details", need.title()).into())
        }
    }
}

pub(crate) fn trunk(workspace: &Workspace) -> Result<PathBuf> {
    program(workspace, "trunk", TRUNK).ok_or_else(|| Problem::from(format!("there is no trunk {TRUNK}")))
}

/// xtask's own cargo-deny, else the one on the PATH.
pub(crate) fn cargo_deny(workspace: &Workspace) -> Option<PathBuf> {
    of_any_version(workspace, "cargo-deny")
}

/// The one that is named, else xtask's own, else the one on the PATH.
pub(crate) fn geckodriver(workspace: &Workspace) -> Option<PathBuf> {
    let named = env::var_os("GECKODRIVER").map(PathBuf::from).filter(|path| path.is_file());
    named.or_else(|| of_any_version(workspace, "geckodriver"))
}

/// Debian's, which is of the branch with long support, else another one.
pub(crate) fn firefox() -> Option<PathBuf> {
    which("firefox-esr").or_else(|| which("firefox"))
}

/// xtask's own cargo-fuzz, else the one on the PATH.
pub(crate) fn cargo_fuzz(workspace: &Workspace) -> Option<PathBuf> {
    of_any_version(workspace, "cargo-fuzz")
}

fn of_any_version(workspace: &Workspace, name: &str) -> Option<PathBuf> {
    let own = workspace.tools.join("bin").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    [Some(own), which(name)].into_iter().flatten().find(|program| program.is_file())
}

/// A Node that is new enough: xtask's own, else the one on the PATH.
pub(crate) fn node(workspace: &Workspace) -> Option<PathBuf> {
    let own = workspace.tools.join("node/node_modules/node/bin").join(format!("node{}", env::consts::EXE_SUFFIX));
    [Some(own), which("node")].into_iter().flatten().find(|program| {
        let version = version_line(program).unwrap_or_default();
        release(version.trim_start_matches('v')) >= Some((NODE, 0))
    })
}

pub(crate) fn chromedriver() -> Option<PathBuf> {
    let named = env::var_os("CHROMEDRIVER").map(PathBuf::from).filter(|path| path.is_file());
    named.or_else(|| which("chromedriver"))
}

pub(crate) fn browser() -> Option<PathBuf> {
    // Where ChromeDriver itself looks.
    const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    const PLACES: [&str; 4] = [
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ];
    let installed = || PLACES.iter().map(PathBuf::from).find(|path| path.is_file());
    NAMES.iter().find_map(|name| which(name)).or_else(installed)
}

/// The description file by which the Vulkan loader finds lavapipe.
fn lavapipe() -> Option<PathBuf> {
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];
    let files = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    files.map(|file| file.path()).find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("lvp_icd")))
}

fn in_words(version: &str, program: &Path) -> String {
    format!("{version}, {}", program.display())
}

/// Whether rustup could add something; where it cannot, `otherwise` is said.
fn rustup(arguments: &[&str], otherwise: &str) -> Result<bool> {
    let Some(command) = toolchain::rustup(arguments) else {
        step::note("rustup", &format!("is not there{otherwise}"));
        return Ok(false);
    };
    match step::attempt(&format!("rustup {}", arguments.join(" ")), command, RUSTUP_LIMIT)? {
        Ok(()) => Ok(true),
        Err(reason) => {
            step::note("rustup", &format!("cannot ({reason}){otherwise}"));
            Ok(false)
        }
    }
}

/// What follows a rustup that cannot help, where something does.
fn second_world() -> &'static str {
    if has_apt() { ": Debian's compiler can be used, which builds std" } else { "" }
}

fn has_apt() -> bool {
    which("apt-get").is_some()
}

/// Installs Debian packages, with consent.
fn apt(needs: &[Need], packages: &[&str], yes: bool) -> Result {
    if !has_apt() {
        let list: Vec<String> = needs
            .iter()
            .filter(|need| !need.packages().is_empty())
            .map(|need| format!("\n    {:<17} {}", need.title(), need.by_hand()))
            .collect();
        return Err(format!("please install manually (this machine has no apt):{}", list.concat()).into());
    }
    let root = is_root();
    if !root && !yes && !consent(packages)? {
        return Err(format!("not installed: {}", packages.join(" ")).into());
    }
    let command = |arguments: &[&str]| {
        let mut command = Command::new(if root { "apt-get" } else { "sudo" });
        if !root {
            command.arg("apt-get");
        }
        command.args(["-q", "-o", "DPkg::Lock::Timeout=300"]).args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    // One source of several that does not answer is no reason to stop: the install tells.
    let minutes = Duration::from_secs(300);
    if let Err(reason) = step::attempt("apt-get update", command(&["update"]), minutes)? {
        step::note("apt-get update", &reason);
    }
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    step::run(&format!("apt-get install {}", packages.join(" ")), command(&install))
}

fn consent(packages: &[&str]) -> Result<bool> {
    if !io::stdin().is_terminal() {
        return Err(format!("missing: {}. Use --yes to install them (sudo apt-get install …)", packages.join(" ")).into());
    }
    print!("Install {} with sudo apt-get? [Y/n] ", packages.join(" "));
    io::stdout().flush()?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
}

#[cfg(unix)]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    // Files in /proc/self belong to the user of the process; without /proc the user is not root.
    fs::metadata("/proc/self").is_ok_and(|folder| folder.uid() == 0)
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}

/// Installs a program from crates.io into xtask's own folder.
fn install(workspace: &Workspace, need: Need) -> Result {
    let recipe = need.recipe(workspace)?;
    let mut command = workspace.cargo(&recipe.iter().map(String::as_str).collect::<Vec<_>>());
    command.arg("--root").arg(&workspace.tools).arg("--target-dir").arg(workspace.tools.join("build"));
    command.env_remove("CARGO_TARGET_DIR").env("CARGO_PROFILE_DEV_DEBUG", "0").env("CARGO_INCREMENTAL", "0");
    step::run(&format!("cargo {} (once, some minutes)", recipe[..4].join(" ")), command)
}
