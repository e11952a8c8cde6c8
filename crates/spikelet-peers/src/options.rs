//! What is typed after `cargo xtask bench-peers`. xtask compiles this file, too: help and mistakes cost it no compiling of anything else.

use std::fmt;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The networks that can be measured.
pub(crate) const MODELS: [&str; 8] = ["cuba", "plastic_cuba", "coba", "cobahh", "brunel", "izhikevich", "izhikevich_10k", "pd14"];

/// What is measured, and how.
#[derive(Debug, PartialEq, Args)]
pub(crate) struct Options {
    /// The networks
    #[arg(long, value_delimiter = ',', value_name = "NAME,…", default_values = MODELS)]
    pub(crate) models: Vec<String>,
    /// The other simulators
    #[arg(long, value_delimiter = ',', value_enum, value_name = "NAME,…", default_values_t = Simulator::ALL)]
    pub(crate) peers: Vec<Simulator>,
    /// Leaves the other simulators out
    #[arg(long, conflicts_with = "peers")]
    pub(crate) no_peers: bool,
    /// Leaves Chromium out
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// Numbers of threads, ours and the peers'
    #[arg(long, value_delimiter = ',', value_name = "N,…", default_values_t = [1, 2])]
    pub(crate) threads: Vec<usize>,
    /// Measurements of each, in turns; the median counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// A tenth of the biological time: figures of little worth, to see that it works
    #[arg(long)]
    pub(crate) quick: bool,
    /// Measures the assembly calculus instead: the tests of its reference implementation in C++, and rounds beside NumPy
    #[arg(long, conflicts_with_all = ["models", "peers"])]
    pub(crate) assemblies: bool,
    /// Measures an epoch of training instead: beside snnTorch, Norse and Spyx
    #[arg(long, conflicts_with_all = ["models", "peers", "assemblies"])]
    pub(crate) training: bool,
    /// The repository of that reference: an address, or a folder with a copy
    #[arg(
        long,
        value_name = "REPOSITORY",
        requires = "assemblies",
        default_value = "https://github.com/dmitropolsky/assemblies"
    )]
    pub(crate) reference: String,
    /// Also writes everything that was measured to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// A simulator that can be measured beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Simulator {
    Brian2,
    Nest,
    Brainpy,
}

impl Simulator {
    /// All of them.
    pub(crate) const ALL: [Simulator; 3] = [Simulator::Brian2, Simulator::Nest, Simulator::Brainpy];
}

impl fmt::Display for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Simulator::Brian2 => "brian2",
            Simulator::Nest => "nest",
            Simulator::Brainpy => "brainpy",
        })
    }
}
