//! Learned weights: variables of synapses, saved in a file and loaded again.
//!
//! A file is a NumPy archive. For each projection it contains `NAME.pre` and `NAME.post`, the neurons of each synapse as indices in their
//! populations, in the order of presynaptic and then of postsynaptic neurons; and `NAME.VARIABLE`, the values in inner units.

use std::io::{self, Read, Seek, Write};

use indexmap::IndexMap;

use crate::Error;
use crate::edges::{self, NamedColumns};
use crate::npz::NpzWriter;

/// The variables of the synapses of a projection, with the connectivity that identifies them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SynapseState {
    /// Name of the projection.
    pub projection: String,
    /// `[pre, post]`, one synapse each, in the order of presynaptic and then of postsynaptic neurons.
    pub pairs: Vec<[u32; 2]>,
    /// Values of each variable, in its inner unit, one for each synapse.
    pub variables: IndexMap<String, Vec<f32>>,
}

impl SynapseState {
    /// Writes the learned weights of several projections.
    ///
    /// # Errors
    /// An error of the file; or a variable is named `pre` or `post`, like the indices.
    pub fn write<W: Write + Seek>(projections: &[SynapseState], file: W) -> io::Result<W> {
        let mut archive = NpzWriter::new(file);
        for SynapseState { projection, pairs, variables } in projections {
            archive.add(&format!("{projection}.pre"), &[pairs.len()], pairs.iter().map(|[pre, _]| *pre))?;
            archive.add(&format!("{projection}.post"), &[pairs.len()], pairs.iter().map(|[_, post]| *post))?;
            for (name, values) in variables {
                archive.add(&format!("{projection}.{name}"), &[values.len()], values.iter().copied())?;
            }
        }
        archive.finish()
    }

    /// Reads the learned weights of the projections for which `wanted` is true; `name` is the name of the file in errors.
    ///
    /// # Errors
    /// The file is not an archive of such arrays, or the first invalid element, with its index.
    pub fn read(name: &str, source: impl Read + Seek, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<SynapseState>, Error> {
        let learned = |(projection, NamedColumns { pairs, columns }): (String, NamedColumns)| SynapseState {
            projection,
            pairs,
            variables: columns,
        };
        Ok(edges::read_by_projection(name, source, wanted)?.into_iter().map(learned).collect())
    }
}
