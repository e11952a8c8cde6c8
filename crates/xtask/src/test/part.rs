//! The parts of the product: which packages and files belong to each, from which tier on it is checked, and how long that may take.

use clap::ValueEnum;
use std::time::Duration;

/// A part of the product that is tested by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Part {
    /// Format, clippy, docs, dependencies, and the rules for sources and documents
    Lint,
    /// The language of equations, the loops of its code, and the model library
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
    /// The kit for machines with a GPU: built, rehearsed on a software GPU, and its results taken
    Kit,
    /// What reads files and text, with any bytes; only by name, and with --full
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
    /// Tests of time-outs, load and scheduling, with nine busy threads beside them; only by name, and with --full
    Stress,
}

/// How much is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    /// What tells soon that the simulator works, and a developer that nothing broke.
    Quick,
    /// What a change must pass before it lands.
    All,
    /// What a release must pass; weekly.
    Full,
}

impl Tier {
    /// The option that asks for it.
    pub(crate) fn option(self) -> &'static str {
        match self {
            Tier::Quick => "",
            Tier::All => "--all",
            Tier::Full => "--full",
        }
    }
}

impl Part {
    /// The first tier in which it runs.
    pub(crate) fn tier(self) -> Tier {
        match self {
            Part::Lint | Part::Lang | Part::Core | Part::Gpu | Part::Cli | Part::System | Part::Peers | Part::Xtask => {
                Tier::Quick
            }
            Part::Mpi | Part::Python | Part::Kit | Part::Wasm | Part::Page | Part::Package => Tier::All,
            Part::Fuzz | Part::Browsers | Part::Stress => Tier::Full,
        }
    }

    /// What runs where none is named.
    pub(crate) fn of_tier(tier: Tier) -> Vec<Part> {
        Part::value_variants().iter().copied().filter(|part| part.tier() <= tier).collect()
    }

    /// As it is typed.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().expect("no part is hidden").get_name().to_owned()
    }

    /// The time of its checks on two idle cores, with everything built. Parts in a browser run beside the native ones.
    pub(crate) fn budget(self, tier: Tier) -> Duration {
        Duration::from_secs(match self {
            Part::System if tier == Tier::Quick => 60,
            Part::Page if tier == Tier::Quick => 15,
            Part::Package if tier == Tier::Quick => 20,
            Part::Lint => 30,
            Part::Lang => 15,
            Part::Core => 60,
            Part::Gpu => 30,
            Part::Cli => 30,
            Part::Mpi => 60,
            Part::System => 240,
            Part::Python => 60,
            Part::Kit => 60,
            Part::Fuzz => 60,
            Part::Peers => 5,
            Part::Xtask => 10,
            Part::Wasm => 180,
            Part::Page => 180,
            Part::Package => 120,
            Part::Browsers => 300,
            Part::Stress => 120,
        })
    }

    /// Whether its tests run in a browser, beside those of the native parts.
    pub(super) fn in_browser(self) -> bool {
        matches!(self, Part::Wasm | Part::Page | Part::Package | Part::Browsers)
    }

    /// The parts that test a package; the first of them holds its own native tests.
    pub(super) fn of_package(package: &str) -> &'static [Part] {
        match package {
            "spikelet-lang" | "spikelet-kernel" => &[Part::Lang, Part::Fuzz],
            "spikelet"
            | "spikelet-rows"
            | "spikelet-plan"
            | "spikelet-cpu"
            | "spikelet-network"
            | "spikelet-interchange"
            | "spikelet-train" => &[Part::Core, Part::Fuzz],
            "spikelet-export"
            | "spikelet-random"
            | "spikelet-reference"
            | "spikelet-verify"
            | "spikelet-assemblies"
            | "spikelet-partition" => &[Part::Core],
            "spikelet-module" | "spikelet-assemblies-js" | "spikelet-train-js" | "spikelet-interchange-js" => {
                &[Part::Core, Part::Page, Part::Package]
            }
            "spikelet-gpu" => &[Part::Gpu],
            "spikelet-gpu-kit" => &[Part::Kit],
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

    /// The time of the checks of a tier: those in a browser run beside the native ones.
    fn budget_of(tier: Tier) -> Duration {
        let (browser, native): (Vec<Part>, Vec<Part>) =
            Part::of_tier(tier).into_iter().filter(|part| *part != Part::Lint).partition(|part| part.in_browser());
        let sum = |parts: Vec<Part>| parts.into_iter().map(|part| part.budget(tier)).sum::<Duration>();
        Part::Lint.budget(tier) + sum(native).max(sum(browser))
    }

    #[test]
    fn all_budgets_fit_in_the_goals_of_their_tiers() {
        assert!(budget_of(Tier::Quick) <= Duration::from_secs(240), "{:?}", budget_of(Tier::Quick));
        assert!(budget_of(Tier::All) <= Duration::from_secs(720), "{:?}", budget_of(Tier::All));
    }

    #[test]
    fn a_tier_has_all_of_the_one_before() {
        assert!(Part::of_tier(Tier::Quick).contains(&Part::System) && !Part::of_tier(Tier::Quick).contains(&Part::Page));
        assert!(Part::of_tier(Tier::All).contains(&Part::Page) && !Part::of_tier(Tier::All).contains(&Part::Browsers));
        assert_eq!(Part::of_tier(Tier::Full), Part::value_variants());
    }
}
