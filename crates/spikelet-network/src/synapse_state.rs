//! What synapses have learnt: their variables at a time, kept in a file and taken up again.
//!
//! A file is a NumPy archive. Of each projection it has `NAME.pre` and `NAME.post`, for each synapse the neurons that it joins as indices
//! in their populations, in the order of pre and then of post neurons; and `NAME.VARIABLE`, its values in inner units.

use std::io::{self, Read, Seek, Write};

use indexmap::IndexMap;

use crate::Error;
use crate::edges::{self, NamedColumns};
use crate::npz::NpzWriter;

/// The variables of the synapses of a projection, with who is joined to whom: what they are recognised by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SynapseState {
    /// Name of the projection.
    pub projection: String,
    /// `[pre, post]`, one synapse each, in the order of pre and then of post neurons.
    pub pairs: Vec<[u32; 2]>,
    /// Values of each variable, in its inner unit, one for each synapse.
    pub variables: IndexMap<String, Vec<f32>>,
}

impl SynapseState {
    /// Writes what several projections have learnt.
    ///
    /// # Errors
    /// The file's; or a variable is called `pre` or `post`, as the ends of a synapse are.
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

    /// Reads what the projections for which `wanted` holds have learnt; `name` is what errors call the file.
    ///
    /// # Errors
    /// The file is no archive of such arrays, and the first element that is wrong, with its place.
    pub fn read(name: &str, source: impl Read, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<SynapseState>, Error> {
        let learned = |(projection, NamedColumns { pairs, columns }): (String, NamedColumns)| SynapseState {
            projection,
            pairs,
            variables: columns,
        };
        Ok(edges::read_by_projection(name, source, wanted)?.into_iter().map(learned).collect())
    }
}
