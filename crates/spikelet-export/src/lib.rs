//! Networks for other simulators: scripts, with the values of all neurons and synapses beside them, so that they are the same network and not only drawn by
//! the same law. Bytes out: this crate does no I/O.
//!
//! [`Tool`] names the simulators, and [`Tool::export`] writes the files of a network. [`brian`] has the equations as they are; [`nest`] and [`pynn`] have no
//! equations, so that [`cell`] must find which of their cells a population is.

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

use spikelet::Network;

pub use error::ExportError;

use arrays::Arrays;
use built::Built;

/// A simulator for which scripts are written.
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
}

/// The files of a network.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Names and contents: the script is the first one.
    pub files: Vec<(String, Vec<u8>)>,
    /// What the script leaves out or approximates, each as a sentence.
    pub notices: Vec<String>,
    /// The number of values of neurons and synapses in the files.
    pub values: u64,
}

impl Tool {
    /// All of them.
    pub const ALL: [Tool; 4] = [Tool::Brian2, Tool::Nest, Tool::Pynn, Tool::NeuroMl];

    /// The word of options.
    pub fn word(self) -> &'static str {
        match self {
            Tool::Brian2 => "brian2",
            Tool::Nest => "nest",
            Tool::Pynn => "pynn",
            Tool::NeuroMl => "neuroml",
        }
    }

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Tool::Brian2 => "Brian 2",
            Tool::Nest => "NEST",
            Tool::Pynn => "PyNN",
            Tool::NeuroMl => "NeuroML",
        }
    }

    /// The files of a network.
    ///
    /// # Errors
    /// The network is not valid, or has what the simulator lacks.
    pub fn export(self, network: &Network) -> Result<Export, ExportError> {
        let built = Built::new(network)?;
        let lacks = |lack| ExportError::Lacks { network: network.name.clone(), tool: self.title(), lack };
        let written = match self {
            Tool::Brian2 => brian::script(&built),
            Tool::Nest => nest::script(&built),
            Tool::Pynn => pynn::script(&built),
            Tool::NeuroMl => {
                let (text, notices, values) = neuroml::file(&built).map_err(lacks)?;
                return Ok(Export { files: vec![(neuroml::FILE.to_owned(), text.into_bytes())], notices, values });
            }
        };
        let script = written.map_err(lacks)?;
        let values = script.arrays.count();
        let files =
            vec![(python::SCRIPT.to_owned(), script.text.into_bytes()), (python::VALUES.to_owned(), script.arrays.into_npz()?)];
        Ok(Export { files, notices: script.notices, values })
    }
}

/// What a simulator lacks, as the end of a sentence: "it does not have …".
type Lack = String;

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

    /// Says what is left out, in the script and to its reader.
    fn left_out(&mut self, what: &str) {
        self.line(format!("# Not written: {what}."));
        self.notices.push(format!("the script does not have {what}; a comment says so"));
    }
}
