//! What synapses have learnt: their variables at a time, kept in a file and taken up again.
//!
//! A file is a NumPy archive. Of each projection it has `NAME.pre` and `NAME.post`, for each synapse the neurons that it joins as indices
//! in their populations, in the order of pre and then of post neurons; and `NAME.VARIABLE`, its values in inner units.

use std::io::{self, Read, Seek, Write};

use indexmap::IndexMap;

use crate::edges::{self, Named};
use crate::npz::NpzWriter;
use crate::{Error, ProjectionPlan, Rows};

/// The variables of the synapses of a projection, with who is joined to whom: what they are recognised by.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Learned {
    /// Name of the projection.
    pub projection: String,
    /// `[pre, post]`, one synapse each, in the order of pre and then of post neurons.
    pub pairs: Vec<[u32; 2]>,
    /// Values of each variable, in its inner unit, one for each synapse.
    pub variables: IndexMap<String, Vec<f32>>,
}

impl Learned {
    /// Writes what several projections have learnt.
    ///
    /// # Errors
    /// The file's; or a variable is called `pre` or `post`, as the ends of a synapse are.
    pub fn write<W: Write + Seek>(projections: &[Learned], file: W) -> io::Result<W> {
        let mut archive = NpzWriter::new(file);
        for Learned { projection, pairs, variables } in projections {
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
    pub fn read(name: &str, source: impl Read, wanted: &dyn Fn(&str) -> bool) -> Result<Vec<Learned>, Error> {
        let learned = |(projection, Named { pairs, columns }): (String, Named)| Learned { projection, pairs, variables: columns };
        Ok(edges::read_by_projection(name, source, wanted)?.into_iter().map(learned).collect())
    }

    /// The ends of all synapses of a projection.
    pub(crate) fn pairs_of(projection: &ProjectionPlan) -> impl ExactSizeIterator<Item = [u32; 2]> + '_ {
        pairs(projection.pre_slice.start, projection.rows())
    }

    /// Refuses another network's synapses: these are to be those of `rows`, the first being that of the pre neuron `first`.
    pub(crate) fn check_same(&self, file: &str, first: u32, rows: &Rows) -> Result<(), Error> {
        let way_out = "take a file of this network, drawn from the same seed, sizes and rules";
        let here = pairs(first, rows);
        for (synapse, ([pre, post], [pre_here, post_here])) in self.pairs.iter().zip(here).enumerate() {
            if (*pre, *post) != (pre_here, post_here) {
                let (place, found) =
                    (format!("{file}: synapse {synapse} of {}", self.projection), format!("from {pre} to {post}"));
                let expected = format!("here it goes from neuron {pre_here} to {post_here}");
                return Err(Error::invalid(place, found, expected, way_out));
            }
        }
        if self.pairs.len() == rows.len() {
            return Ok(());
        }
        let (place, found) = (format!("{file}: {}", self.projection), format!("of {} synapses", self.pairs.len()));
        Err(Error::invalid(place, found, format!("here it has {}", rows.len()), way_out))
    }
}

/// The ends of the edges of rows, the first row being that of the neuron `first`.
fn pairs(first: u32, rows: &Rows) -> impl ExactSizeIterator<Item = [u32; 2]> + '_ {
    let mut row = 0;
    rows.targets().enumerate().map(move |(edge, post)| {
        while rows.offsets[row + 1] <= edge as u64 {
            row += 1;
        }
        [first + row as u32, post]
    })
}

#[cfg(test)]
mod tests;
