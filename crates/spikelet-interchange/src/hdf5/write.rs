//! Writing of HDF5 files.

use hdf5_pure::{AttrValue, FileBuilder, GroupBuilder};
use spikelet_network::Error;

use super::{Attribute, reference};

/// Level of compression, the default of zlib and h5py.
const LEVEL: u32 = 4;
/// Maximum number of values of a chunk: readers hold whole chunks in a cache of about a megabyte.
const CHUNK_VALUES: u64 = 1 << 16;

/// A group to write, with all that it contains, in the order in which it was added.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Group {
    groups: Vec<(String, Group)>,
    datasets: Vec<(String, Array)>,
    attributes: Vec<(String, Attribute)>,
}

/// A dataset to write.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    shape: Vec<usize>,
    values: Values,
    is_deflated: bool,
    attributes: Vec<(String, Attribute)>,
}

/// The values of a dataset, in the order of C.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// Floats of 4 bytes.
    F32(Vec<f32>),
    /// Floats of 8 bytes.
    F64(Vec<f64>),
    /// Whole numbers of 8 bytes.
    I64(Vec<i64>),
    /// Whole numbers of 8 bytes without a sign.
    U64(Vec<u64>),
    /// Texts of variable length in UTF-8.
    Texts(Vec<String>),
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Values::F32(values) => values.len(),
            Values::F64(values) => values.len(),
            Values::I64(values) => values.len(),
            Values::U64(values) => values.len(),
            Values::Texts(texts) => texts.len(),
        }
    }
}

impl Array {
    /// Values with the extent of each dimension; an empty shape is a scalar.
    pub fn new(shape: Vec<usize>, values: Values) -> Array {
        Array { shape, values, is_deflated: false, attributes: Vec::new() }
    }

    /// Numbers in 4 bytes if all of them are exact in it, else in 8.
    pub fn numbers(shape: Vec<usize>, values: Vec<f64>) -> Array {
        let is_exact = values.iter().all(|value| f64::from(*value as f32) == *value || value.is_nan());
        let values =
            if is_exact { Values::F32(values.into_iter().map(|value| value as f32).collect()) } else { Values::F64(values) };
        Array::new(shape, values)
    }

    /// One text.
    pub fn text(text: impl Into<String>) -> Array {
        Array::new(Vec::new(), Values::Texts(vec![text.into()]))
    }

    /// The same, with an attribute.
    #[must_use]
    pub fn with_attribute(mut self, name: impl Into<String>, attribute: Attribute) -> Array {
        self.attributes.push((name.into(), attribute));
        self
    }

    /// The same, compressed. Scalars, texts and empty arrays stay as they are.
    #[must_use]
    pub fn deflated(mut self) -> Array {
        self.is_deflated = !self.shape.is_empty() && self.values.len() > 0 && !matches!(self.values, Values::Texts(_));
        self
    }
}

impl Group {
    /// The group of this name in this one, which is created if it is not there.
    pub fn group(&mut self, name: impl Into<String>) -> &mut Group {
        let name = name.into();
        let place = self.groups.iter().position(|(of, _)| *of == name).unwrap_or_else(|| {
            self.groups.push((name, Group::default()));
            self.groups.len() - 1
        });
        &mut self.groups[place].1
    }

    /// Adds a dataset.
    pub fn insert(&mut self, name: impl Into<String>, array: Array) {
        self.datasets.push((name.into(), array));
    }

    /// Adds an attribute.
    pub fn set_attribute(&mut self, name: impl Into<String>, attribute: Attribute) {
        self.attributes.push((name.into(), attribute));
    }

    /// The file with this group as its root.
    ///
    /// # Errors
    /// A name is empty or contains a slash, a name occurs twice, or a shape does not fit its values.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        self.check("")?;
        let mut file = FileBuilder::new();
        let mut references = Vec::new();
        for (name, array) in &self.datasets {
            fill(file.create_dataset(name), array, &mut references);
        }
        for (name, group) in &self.groups {
            let mut builder = file.create_group(name);
            group.fill(&mut builder, &mut references);
            file.add_group(builder.finish());
        }
        for (name, attribute) in &self.attributes {
            file.set_attr(name, stored(attribute, &mut references));
        }
        let unwritable = |why: String| {
            Error::invalid("the file", "not writable", format!("HDF5 must be able to store it ({why})"), "use shorter names")
        };
        let mut bytes = file.finish().map_err(|error| unwritable(error.to_string()))?;
        for (number, id) in references.iter().enumerate() {
            reference::resolve(&mut bytes, number, id).ok_or_else(|| unwritable(format!("no object is {id}")))?;
        }
        Ok(bytes)
    }

    fn check(&self, path: &str) -> Result<(), Error> {
        let mut names: Vec<&str> = self.groups.iter().map(|(name, _)| &**name).collect();
        names.extend(self.datasets.iter().map(|(name, _)| &**name));
        names.sort_unstable();
        let twice = names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let unfit = names.iter().copied().find(|name| name.is_empty() || *name == "." || name.contains(['/', '\0']));
        if let Some(name) = twice.or(unfit) {
            let place = if path.is_empty() { "/" } else { path };
            let expected = "names in a group must be unique, not empty, and without slashes";
            return Err(Error::invalid(format!("a name in {place}"), format!("{name:?}"), expected, "use another name"));
        }
        for (name, array) in &self.datasets {
            let count = array.shape.iter().product::<usize>();
            if count != array.values.len() {
                let expected = format!("there are {} values", array.values.len());
                return Err(Error::invalid(
                    format!("{path}/{name}"),
                    format!("of shape {:?}", array.shape),
                    expected,
                    "set that shape",
                ));
            }
        }
        self.groups.iter().try_for_each(|(name, group)| group.check(&format!("{path}/{name}")))
    }

    fn fill(&self, builder: &mut GroupBuilder, references: &mut Vec<String>) {
        for (name, array) in &self.datasets {
            fill(builder.create_dataset(name), array, references);
        }
        for (name, group) in &self.groups {
            let mut inner = builder.create_group(name);
            group.fill(&mut inner, references);
            builder.add_group(inner.finish());
        }
        for (name, attribute) in &self.attributes {
            builder.set_attr(name, stored(attribute, references));
        }
    }
}

fn fill(builder: &mut hdf5_pure::DatasetBuilder, array: &Array, references: &mut Vec<String>) {
    match &array.values {
        Values::F32(values) => builder.with_f32_data(values),
        Values::F64(values) => builder.with_f64_data(values),
        Values::I64(values) => builder.with_i64_data(values),
        Values::U64(values) => builder.with_u64_data(values),
        Values::Texts(texts) => builder.with_vlen_strings(&texts.iter().map(String::as_str).collect::<Vec<_>>()),
    };
    let shape: Vec<u64> = array.shape.iter().map(|extent| *extent as u64).collect();
    builder.with_shape(&shape);
    if array.is_deflated {
        builder.with_chunks(&chunks(&shape)).with_deflate(LEVEL);
    }
    for (name, attribute) in &array.attributes {
        builder.set_attr(name, stored(attribute, references));
    }
}

/// The extents of the parts in which an array is compressed.
fn chunks(shape: &[u64]) -> Vec<u64> {
    let (mut chunk, mut room) = (shape.to_vec(), CHUNK_VALUES);
    for extent in chunk.iter_mut().rev() {
        *extent = (*extent).min(room).max(1);
        room /= *extent;
    }
    chunk
}

/// An attribute as it is stored; references are placeholders, whose targets are collected.
fn stored(attribute: &Attribute, references: &mut Vec<String>) -> AttrValue {
    match attribute {
        Attribute::Numbers(numbers) if numbers.len() == 1 => AttrValue::F64(numbers[0]),
        Attribute::Numbers(numbers) => AttrValue::F64Array(numbers.clone()),
        Attribute::Texts(texts) if texts.len() == 1 => AttrValue::String(texts[0].clone()),
        Attribute::Texts(texts) => AttrValue::StringArray(texts.clone()),
        Attribute::Reference(id) => {
            references.push(id.clone());
            AttrValue::AsciiString(reference::placeholder(references.len() - 1))
        }
    }
}
