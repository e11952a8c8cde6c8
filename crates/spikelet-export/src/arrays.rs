//! The values that a script reads.

use std::io::{self, Cursor};

use spikelet::npz::NpzWriter;

/// Arrays with their names, in the order in which they are written.
#[derive(Default)]
pub(crate) struct Arrays(Vec<(String, Numbers)>);

enum Numbers {
    Whole(Vec<u32>),
    Floats(Vec<f64>),
}

impl Arrays {
    /// Adds indices.
    pub(crate) fn whole(&mut self, name: String, values: Vec<u32>) {
        self.0.push((name, Numbers::Whole(values)));
    }

    /// Adds numbers.
    pub(crate) fn floats(&mut self, name: String, values: Vec<f64>) {
        self.0.push((name, Numbers::Floats(values)));
    }

    /// The number of all values.
    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|(_, values)| values.len() as u64).sum()
    }

    /// A NumPy archive.
    pub(crate) fn into_npz(self) -> io::Result<Vec<u8>> {
        let mut archive = NpzWriter::new(Cursor::new(Vec::new()));
        for (name, values) in self.0 {
            match values {
                Numbers::Whole(values) => archive.add(&name, &[values.len()], values.into_iter())?,
                Numbers::Floats(values) => archive.add(&name, &[values.len()], values.into_iter())?,
            }
        }
        archive.finish().map(Cursor::into_inner)
    }
}

impl Numbers {
    fn len(&self) -> usize {
        match self {
            Numbers::Whole(values) => values.len(),
            Numbers::Floats(values) => values.len(),
        }
    }
}
