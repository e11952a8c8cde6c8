//! The parts of the product: which packages and files belong to each, and how long its tests may take.

use clap::ValueEnum;
use std::time::Duration;

/// A part of the product that is tested by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Part {
    /// Format, clippy, docs, dependencies, and the rules for sources and documents
    Lint,
    /// The language of equations and the model library
    Lang,
    /// Networks, plans, the CPU backend, the conformance judge
    Core,
    /// The GPU backend
    Gpu,
    /// The command `spikelet`
    Cli,
    /// Ranks of MPI, on Linux
    Mpi,
    /// What holds across backends: conformance, published results, equal spikes
    System,
    /// The Python package
    Python,
    /// What reads files and text, with any bytes
    Fuzz,
    /// The comparison with other simulators
    Peers,
    /// The project's commands and their servers
    Xtask,
    /// Both wasm engines, in Chromium
    Wasm,
    /// The page, in Chromium
    Page,
    /// The npm package, in Node and Chromium
    Package,
    /// The page in Firefox and WebKitGTK too, on Linux; only by name, and with --full
    Browsers,
}

impl Part {
    /// What runs where none is named.
    pub(crate) fn of_a_run(full: bool) -> Vec<Part> {
        Part::value_variants().iter().copied().filter(|part| full || *part != Part::Browsers).collect()
    }

    /// As it is typed.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().expect("no part is hidden").get_name().to_owned()
    }

    /// The time of its checks on two idle cores, with everything built. Parts in a browser run beside the native ones.
    pub(crate) fn budget(self) -> Duration {
        Duration::from_secs(match self {
            Part::Lint => 30,
            Part::Lang => 15,
            Part::Core => 60,
            Part::Gpu => 30,
            Part::Cli => 30,
            Part::Mpi => 60,
            Part::System => 240,
            Part::Python => 60,
            Part::Fuzz => 60,
            Part::Peers => 5,
            Part::Xtask => 10,
            Part::Wasm => 180,
            Part::Page => 180,
            Part::Package => 120,
            Part::Browsers => 300,
        })
    }

    /// Whether its tests run in a browser, beside those of the native parts.
    pub(super) fn in_browser(self) -> bool {
        matches!(self, Part::Wasm | Part::Page | Part::Package | Part::Browsers)
    }

    /// The parts that test a package; the first of them holds its own native tests.
    pub(super) fn of_package(package: &str) -> &'static [Part] {
        match package {
            "spikelet-lang" => &[Part::Lang, Part::Fuzz],
            "spikelet" | "spikelet-network" | "spikelet-interchange" | "spikelet-train" => &[Part::Core, Part::Fuzz],
            "spikelet-export" | "spikelet-verify" | "spikelet-assemblies" | "spikelet-partition" => &[Part::Core],
            "spikelet-module" | "spikelet-assemblies-js" | "spikelet-train-js" | "spikelet-interchange-js" => {
                &[Part::Core, Part::Page, Part::Package]
            }
            "spikelet-gpu" => &[Part::Gpu],
            "spikelet-cli" => &[Part::Cli, Part::Mpi],
            "spikelet-native" => &[Part::Cli, Part::Python],
            "spikelet-py" => &[Part::Python],
            "spikelet-mpi" => &[Part::Mpi],
            "spikelet-tests" => &[Part::System],
            "spikelet-peers" => &[Part::Peers],
            // What builds and serves the page and the package.
            "xtask" | "spikelet-host" | "spikelet-bindgen" => &[Part::Xtask, Part::Page, Part::Package],
            "spikelet-js" => &[Part::Wasm, Part::Package],
            "spikelet-web" => &[Part::Page],
            _ => &[],
        }
    }

    /// The part that runs the test program `target` of `package`.
    pub(super) fn of_program(package: &str, target: &str) -> Option<Part> {
        match (package, target) {
            ("spikelet-tests", "flows") => Some(Part::Page),
            ("spikelet-tests", "package") => Some(Part::Package),
            ("spikelet-tests", "tidy") => Some(Part::Lint),
            _ => Part::of_package(package).first().copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_budgets_fit_in_ten_minutes() {
        let (browser, native): (Vec<Part>, Vec<Part>) =
            Part::of_a_run(false).into_iter().skip(1).partition(|part| part.in_browser());
        let sum = |parts: Vec<Part>| parts.into_iter().map(Part::budget).sum::<Duration>();
        assert!(Part::Lint.budget() + sum(native).max(sum(browser)) <= Duration::from_secs(600));
    }
}
