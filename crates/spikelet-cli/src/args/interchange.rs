//! The arguments of `spikelet import` and `export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// A NeuroML or LEMS file, a configuration of SONATA, a graph of NIR, or a configuration of 4D-Neural-Cognition; files that it names are read
    /// inside the folder of --root. With --edges, the table of the neurons of a connectome
    pub(crate) file: PathBuf,
    /// The edges of a connectome, by the identifiers of the neurons: CSV, Feather, Parquet or NPZ
    #[arg(long, value_name = "FILE", conflicts_with_all = ["root", "dt", "reset", "input"])]
    pub(crate) edges: Option<PathBuf>,
    /// The column with the identifiers of the neurons; default: the first of the usual names
    #[arg(long, value_name = "COLUMN", requires = "edges")]
    pub(crate) id: Option<String>,
    /// Drives selected neurons of a connectome by a Poisson source of 150 Hz each, such as "cell_type == 'sugar'"
    #[arg(long, value_name = "CONDITION", requires = "edges")]
    pub(crate) excite: Option<String>,
    /// Leaves out edges with identifiers that the table lacks
    #[arg(long, requires = "edges")]
    pub(crate) skip_unknown: bool,
    /// The folder that holds all files of the model; default: the nearest one above the file with `.git`, else the working directory if it holds the file, else the
    /// folder of the file
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Time step of the network of a graph in ms; default: 0.1
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub(crate) dt: Option<f64>,
    /// What a spike does to the potential of the neurons of a graph; default: value
    #[arg(long, value_enum)]
    pub(crate) reset: Option<GraphReset>,
    /// Spikes of the input of a graph: a CSV file with the columns neuron and time_ms
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Writes the network to this file; default: prints it
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// A network as a JSON file, or its name in the catalogue (`spikelet list networks`)
    pub(crate) network: String,
    /// Format of the file
    #[arg(long, visible_alias = "to", value_enum)]
    pub(crate) format: ForeignFormat,
    /// Size of a catalogue network, relative to the published one
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) scale: Option<f64>,
    /// Writes to this file, or folder for npz, csv, parquet, sonata and scripts; default: prints it
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) out: Option<PathBuf>,
}

/// Resets of the neurons of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphReset {
    /// Sets it to v_reset, as NIR defines
    Value,
    /// Subtracts v_threshold
    Subtract,
}

/// Formats of exported networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForeignFormat {
    /// Configurations of 4D-Neural-Cognition
    #[value(name = "4d")]
    World,
    /// Graphs of the Neuromorphic Intermediate Representation
    Nir,
    /// A folder with a script for Brian 2, and the values of all neurons and synapses that it reads
    #[value(name = "brian2")]
    Brian2,
    /// The same for NEST, of cells that NEST has
    Nest,
    /// The same for PyNN, of cells that PyNN has
    Pynn,
    /// A folder with a circuit of SONATA and its simulation, if all neurons are cells that SONATA names
    Sonata,
    /// A folder with a file of LEMS with types of NeuroML, as jNeuroML runs it
    #[value(name = "neuroml")]
    NeuroMl,
    /// A folder with all synapses of each projection as a NumPy archive, and the network that reads them
    Npz,
    /// The same as text
    Csv,
    /// All synapses as tables of Apache Parquet, for analysis: networks do not read them
    Parquet,
}
