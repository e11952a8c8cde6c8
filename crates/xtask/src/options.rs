//! What was typed after `cargo xtask`.

#[path = "../../spikelet-peers/src/options.rs"]
pub(crate) mod peers;

use crate::fuzz::targets;
use crate::gpu;
use crate::release;
use crate::test::Part;
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// The project's commands. Each one first installs what this machine lacks, and says so.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", disable_help_subcommand = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Install system packages without asking; root is never asked
    #[arg(short, long, global = true)]
    pub(crate) yes: bool,
}

#[derive(Debug, PartialEq, Subcommand)]
pub(crate) enum Command {
    /// Build engine and page, serve them, and rebuild them when a source changes
    Serve {
        /// Port on 127.0.0.1
        #[arg(short, long, default_value_t = 8080, value_parser = clap::value_parser!(u16).range(1..))]
        port: u16,
        /// Build what is published: smaller and faster, but slow to build
        #[arg(long)]
        release: bool,
    },
    /// Run the checks: those that tell whether it works, with --all those of a change, with --full those of a release
    Test {
        /// Parts to run, each with all of its usual checks; those of the tier where none is named
        #[arg(value_enum)]
        parts: Vec<Part>,
        /// Run everything that a change must pass before it lands, as `.ci/run` does
        #[arg(long)]
        all: bool,
        /// Run also the long cases, what is published, other browsers, fuzzing, and the advisories on dependencies
        #[arg(long)]
        full: bool,
        /// Run what the changes since REF can have broken; REF is the merge base with `main` where it is not named
        #[arg(long, value_name = "REF", num_args = 0..=1, require_equals = true, conflicts_with = "parts")]
        changed: Option<Option<String>>,
    },
    /// Build the npm package, with both wasm engines, into target/engine
    Engine,
    /// Build the wheel of the Python package for this machine, with the engine for notebooks, into target/wheels
    Wheel,
    /// Write what a static host serves: the page and both engines, compressed
    Dist {
        /// An empty or new folder, or one of an earlier `dist`; target/dist where it is not named
        folder: Option<PathBuf>,
        /// Measure the first seconds of it in Chromium, and how smoothly it moves
        #[arg(long)]
        measure: bool,
    },
    /// Report what is on this machine, what is missing, and how it would be installed
    Doctor,
    /// Measure Spikelet beside other simulators: wall seconds of the loop alone, with all spikes recorded
    BenchPeers(peers::Options),
    /// Give any bytes to what reads files and text, and keep those that fail; see docs/reliability.md
    Fuzz {
        /// Targets to run; all where none is named
        #[arg(value_parser = PossibleValuesParser::new(targets().iter().map(|target| target.name.as_str())))]
        targets: Vec<String>,
        /// Time of each target
        #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=86_400))]
        seconds: u32,
    },
    /// Make all files of a version, with checksums and a list of components, in target/published; see docs/deploy.md
    Release {
        /// Parts to make; all where none is named
        #[arg(value_enum)]
        parts: Vec<release::Part>,
        /// Leave CHANGELOG.md as it is, and allow changes that are not committed
        #[arg(long)]
        dry_run: bool,
    },
    /// Count the instructions of some runs, and compare them with docs/instructions.toml
    Instructions {
        /// Write the counts to the file instead
        #[arg(long)]
        record: bool,
    },
    /// Measure a GPU: build the folder that does it on another machine, and write its results into the documents
    Gpu {
        #[command(subcommand)]
        command: gpu::Command,
    },
    /// Build the engine for trunk, which calls this before the page (see Trunk.toml)
    #[command(hide = true)]
    TrunkHook,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Options, clap::Error> {
        Options::try_parse_from(["cargo xtask"].into_iter().chain(line.split_whitespace()))
    }

    fn command(line: &str) -> Command {
        parse(line).expect("a good line").command
    }

    #[test]
    fn commands_and_their_defaults() {
        Options::command().debug_assert();
        assert_eq!(command("serve"), Command::Serve { port: 8080, release: false });
        assert_eq!(command("serve --port=9000 --release"), Command::Serve { port: 9000, release: true });
        assert_eq!(command("test"), Command::Test { parts: Vec::new(), all: false, full: false, changed: None });
        let pages = Command::Test { parts: vec![Part::Page, Part::Gpu], all: false, full: true, changed: None };
        assert_eq!(command("test page gpu --full"), pages);
        let since = |commit: Option<&str>| Some(commit.map(str::to_owned));
        assert_eq!(command("test --changed"), Command::Test { parts: Vec::new(), all: false, full: false, changed: since(None) });
        let changed = Command::Test { parts: Vec::new(), all: true, full: false, changed: since(Some("HEAD~1")) };
        assert_eq!(command("test --all --changed=HEAD~1"), changed);
        assert_eq!(command("dist"), Command::Dist { folder: None, measure: false });
        assert_eq!(command("dist site --measure"), Command::Dist { folder: Some("site".into()), measure: true });
        assert_eq!(command("wheel"), Command::Wheel);
        assert_eq!(command("fuzz"), Command::Fuzz { targets: Vec::new(), seconds: 600 });
        let two = Command::Fuzz { targets: vec!["csv".to_owned(), "npz".to_owned()], seconds: 30 };
        assert_eq!(command("fuzz csv npz --seconds 30"), two);
        assert_eq!(command("release --dry-run"), Command::Release { parts: Vec::new(), dry_run: true });
        let quick = gpu::Command::Kit { folder: None, quick: true };
        assert_eq!(command("gpu kit --quick"), Command::Gpu { command: quick });
        let take = gpu::Command::Take { results: "results".into(), into: None, rehearsal: false };
        assert_eq!(command("gpu take results"), Command::Gpu { command: take });
        let npm = Command::Release { parts: vec![release::Part::Npm], dry_run: false };
        assert_eq!(command("release npm"), npm);
        assert_eq!(command("instructions --record"), Command::Instructions { record: true });
        assert!(parse("test --yes").expect("a good line").yes);
        assert!(!parse("doctor").expect("a good line").yes);
    }

    #[test]
    fn the_words_for_another_program_are_checked_here() {
        let options = parse("bench-peers --yes --models cuba --peers nest --json x").expect("a good line");
        let Command::BenchPeers(peers) = options.command else { panic!("{:?}", options.command) };
        assert_eq!((peers.models, peers.peers, options.yes), (vec!["cuba".to_owned()], vec![peers::Simulator::Nest], true));
        let help = parse("bench-peers --help").expect_err("help ends it").to_string();
        assert!(help.contains("--assemblies"), "{help}");
    }

    #[test]
    fn a_wrong_word_is_named() {
        for (line, wrong) in [
            ("srve", "srve"),
            ("test gup", "gup"),
            ("fuzz cvs", "cvs"),
            ("fuzz --seconds 0", "'0'"),
            ("test page --changed", "--changed"),
            ("bench-peers --peers nset", "nset"),
            ("engine fast", "fast"),
            ("release wheels", "wheels"),
            ("serve --port eighty", "eighty"),
            ("serve --port 0", "'0'"),
            ("serve --port", "--port"),
            ("engine --port 80", "--port"),
            ("test --record", "--record"),
            ("engine --release", "--release"),
            ("gpu take results --rehearsal", "--into"),
            ("gpu kits", "kits"),
        ] {
            let problem = parse(line).expect_err(line).to_string();
            assert!(problem.contains(wrong), "{line}: {problem}");
        }
    }
}
