//! Networks for other tools: scripts and files with the values of all neurons and synapses, so that they are the same network and not only drawn by the same law.
//! Bytes out: this crate does no I/O.
//!
//! [`Tool`] names the tools, and [`Tool::export`] writes the files of a network. `brian` and `neuroml` have equations; NEST and PyNN have none, so that `cell`
//! must find which of their cells a population is. Circuits and graphs are written by `spikelet-interchange`.

mod arrays;
mod brian;
mod built;
mod cell;
mod edges;
mod error;
mod nest;
mod neuroml;
mod neurons;
mod pynn;
mod python;
mod sonata;

use spikelet::{Network, grouped};
use spikelet_interchange::nir::Graph;

pub use error::ExportError;

use arrays::Arrays;
use built::Built;

/// A tool for which networks are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tool {
    /// Brian 2.
    Brian2,
    /// NEST 3, by PyNEST.
    Nest,
    /// Any simulator with a module of PyNN.
    Pynn,
    /// A file of LEMS with types of NeuroML, as jNeuroML runs it.
    NeuroMl,
    /// A circuit of SONATA.
    Sonata,
    /// A graph of the Neuromorphic Intermediate Representation.
    Nir,
}

/// The files of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// All of them: the one that names or reads the others is the first.
    pub files: Vec<ExportedFile>,
    /// What they leave out or approximate, each as a sentence.
    pub notices: Vec<String>,
}

/// A file of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportedFile {
    /// Its name.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
    /// What it is, or what to do with it; empty for those that another one names.
    pub about: String,
}

impl Tool {
    /// All of them.
    pub const ALL: [Tool; 6] = [Tool::Brian2, Tool::Nest, Tool::Pynn, Tool::NeuroMl, Tool::Sonata, Tool::Nir];

    /// The word of options.
    pub fn word(self) -> &'static str {
        match self {
            Tool::Brian2 => "brian2",
            Tool::Nest => "nest",
            Tool::Pynn => "pynn",
            Tool::NeuroMl => "neuroml",
            Tool::Sonata => "sonata",
            Tool::Nir => "nir",
        }
    }

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Tool::Brian2 => "Brian 2",
            Tool::Nest => "NEST",
            Tool::Pynn => "PyNN",
            Tool::NeuroMl => "NeuroML",
            Tool::Sonata => "SONATA",
            Tool::Nir => "NIR",
        }
    }

    /// The files of a network.
    ///
    /// # Errors
    /// The network is not valid, or has what the tool lacks.
    pub fn export(self, network: &Network) -> Result<Export, ExportError> {
        let lacks = |lack| ExportError::Lacks { network: network.name.clone(), tool: self.title(), lack };
        let script = match self {
            Tool::Brian2 => brian::script(&Built::new(network)?).map_err(lacks)?,
            Tool::Nest => nest::script(&Built::new(network)?).map_err(lacks)?,
            Tool::Pynn => pynn::script(&Built::new(network)?).map_err(lacks)?,
            Tool::NeuroMl => {
                let (text, notices, values) = neuroml::file(&Built::new(network)?).map_err(lacks)?;
                let about = format!("{} values of neurons and synapses", grouped(values));
                let file = ExportedFile { name: neuroml::FILE.to_owned(), content: text.into_bytes(), about };
                return Ok(Export { files: vec![file], notices });
            }
            Tool::Sonata => return sonata::circuit(network),
            Tool::Nir => return graph(network),
        };
        let about = format!("{} values", grouped(script.arrays.count()));
        let files = vec![
            ExportedFile {
                name: python::SCRIPT.to_owned(),
                content: script.text.into_bytes(),
                about: format!("run it with Python and {}", self.title()),
            },
            ExportedFile { name: python::VALUES.to_owned(), content: script.arrays.into_npz()?, about },
        ];
        Ok(Export { files, notices: script.notices })
    }
}

fn graph(network: &Network) -> Result<Export, ExportError> {
    let refused = |error| ExportError::refused(network, "a graph of NIR", error);
    let (graph, notices) = Graph::of(network).map_err(refused)?;
    let content = graph.to_bytes(true).map_err(refused)?;
    let file = ExportedFile { name: "network.nir".to_owned(), content, about: "a graph of NIR".to_owned() };
    Ok(Export { files: vec![file], notices: notices.iter().map(|notice| format!("{}: {notice}", notice.path)).collect() })
}

/// What a simulator lacks, as the end of a sentence: "it does not have …".
type Lack = String;

/// The parts of a network that no tool has: they are not of its populations, sources and projections.
fn without_counterpart(network: &Network) -> impl Iterator<Item = &'static str> {
    let parts = [
        ("`changes` during the run", !network.changes.is_empty()),
        ("conditions that stop the run", !network.stop.is_empty()),
        ("`statistics` of synapses", !network.statistics.is_empty()),
    ];
    parts.into_iter().filter_map(|(what, is_there)| is_there.then_some(what))
}

/// A script that is being written, with its arrays.
#[derive(Default)]
struct Script {
    text: String,
    arrays: Arrays,
    notices: Vec<String>,
}

impl Script {
    /// Adds a line.
    fn line(&mut self, line: impl AsRef<str>) {
        self.text += line.as_ref();
        self.text.push('\n');
    }

    /// Says which parts of a network have no counterpart in any tool.
    fn note_left_out(&mut self, network: &Network) {
        without_counterpart(network).for_each(|what| self.left_out(what));
    }

    /// Says what is left out, in the script and to its reader.
    fn left_out(&mut self, what: &str) {
        self.line(format!("# Not written: {what}."));
        self.notices.push(format!("the script does not have {what}; a comment says so"));
    }
}
