//! NumPy's `.npz` archives: arrays by name.

use std::fmt::Display;
use std::io::{Cursor, Read, Seek, copy, sink};
use std::ops::Range;

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use indexmap::IndexMap;
use rawzip::{CompressionMethod, ErrorKind, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder};

use super::npy::{self, Numbers};
use super::{Bounds, Column, EdgeList, Meaning, NamedColumns, Reading, Side};
use crate::Error;

/// The first bytes of an archive with at least one file.
const FIRST: &[u8] = b"PK\x03\x04";

/// Arrays up to this length are read unconditionally.
const MAX_UNCHECKED: u64 = 1 << 22;
/// Maximum mean number of synapses per pair of neurons for long arrays.
const MAX_BETWEEN: u64 = 1 << 12;

/// Arrays of a sparse matrix that are not values of synapses.
const OF_MATRIX: [&str; 3] = ["shape", "format", "_is_array"];

pub(super) fn read(reading: &Reading<'_>, source: impl Read + Seek) -> Result<EdgeList, Error> {
    let mut arrays = arrays(reading, source, &|_| true)?;
    let format = match arrays.get("format") {
        Some(Numbers::Text(format)) => Some(format.clone()),
        _ => None,
    };
    let ends = if arrays.contains_key("indptr") {
        compressed(reading, &mut arrays, format.as_deref())?
    } else {
        let named =
            [("pre", "post"), ("source", "target"), ("row", "col")].into_iter().find(|(pre, _)| arrays.contains_key(*pre));
        let Some((pre, post)) = named else {
            let found: Vec<&str> = arrays.keys().map(String::as_str).collect();
            let found = if found.is_empty() { "without arrays".to_owned() } else { format!("made of {}", found.join(", ")) };
            let expected = "edges must be the arrays `row` and `col` (scipy.sparse.save_npz of a COO, CSR or CSC matrix), or `pre` and \
                 `post`";
            return Err(Error::invalid(reading.name, found, expected, "save those"));
        };
        [indices(reading, &mut arrays, pre)?, indices(reading, &mut arrays, post)?]
    };
    let names = ends.each_ref().map(|(name, _)| name.clone());
    // Rows and columns of a matrix are no identifiers.
    let ids = if names[0] == "pre" || names[0] == "source" { reading.meaning.ids } else { [None; 2] };
    let [pre, post] = ends.map(|(_, indices)| indices);
    if pre.len() != post.len() {
        let (found, expected) = (format!("{} long", post.len()), format!("`{}` has {} elements", names[0], pre.len()));
        return Err(Error::invalid(place(reading, &names[1]), found, expected, "save one value of each for every edge"));
    }
    reading.check_count(pre.len())?;
    let mut edges = EdgeList { pairs: Vec::with_capacity(pre.len()), columns: Vec::new() };
    let mut is_kept = vec![true; pre.len()];
    for (edge, (pre, post)) in pre.into_iter().zip(post).enumerate() {
        let neuron = |side: Side, number: i64| {
            let place = || element(reading, &names[side as usize], edge);
            match ids[side as usize] {
                Some(ids) => reading.of_table(side, ids.find_number(number), number, ids, place),
                None => reading.index(side, 0, Some(number), number, place).map(Some),
            }
        };
        match (neuron(Side::Pre, pre)?, neuron(Side::Post, post)?) {
            (Some(pre), Some(post)) => edges.pairs.push([pre, post]),
            _ => is_kept[edge] = false,
        }
    }
    for (name, numbers) in arrays.into_iter().filter(|(name, _)| !OF_MATRIX.contains(&name.as_str())) {
        let said = reading.meaning.columns.map(|columns| columns.iter().find(|(_, of)| **of == name).map(|(wanted, _)| wanted));
        let name = match said {
            Some(None) => continue,
            Some(Some(wanted)) => wanted.clone(),
            None => name,
        };
        let mut values = values(reading, &name, numbers, is_kept.len())?;
        let mut rows = is_kept.iter();
        values.retain(|_| rows.next().is_some_and(|row| *row));
        for (edge, value) in values.iter().enumerate() {
            reading.value(Some(*value), value, || element(reading, &name, edge))?;
        }
        // The name of the values of a matrix in scipy.
        let name = if name == "data" { "w".to_owned() } else { name };
        // As in the header of a CSV file: `w [mV]`.
        let with_unit = name.strip_suffix(']').and_then(|name| name.split_once('['));
        let (name, unit) = match with_unit {
            Some((name, unit)) => (name.trim().to_owned(), Some(unit.trim().to_owned())),
            None => (name, None),
        };
        edges.columns.push(Column { name, unit, values });
    }
    Ok(edges)
}

pub(super) fn read_by_projection(
    reading: &Reading<'_>,
    source: impl Read + Seek,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<IndexMap<String, NamedColumns>, Error> {
    let projection = |array: &str| array.split_once('.').map(|(projection, name)| (projection.to_owned(), name.to_owned()));
    let arrays = arrays(reading, source, &|array| projection(array).is_none_or(|(projection, _)| wanted(&projection)))?;
    let mut projections: IndexMap<String, IndexMap<String, Numbers>> = IndexMap::new();
    for (array, numbers) in arrays {
        let Some((projection, name)) = projection(&array) else {
            let expected = "learned weights are named after their projection, `EE.pre`, `EE.post`, `EE.w`";
            let way_out = "use a file that was saved with learned weights";
            return Err(Error::invalid(reading.name, format!("a file with an array `{array}`"), expected, way_out));
        };
        projections.entry(projection).or_default().insert(name, numbers);
    }
    let named = |(projection, arrays): (String, IndexMap<String, Numbers>)| {
        let named = named(reading, &projection, arrays)?;
        Ok((projection, named))
    };
    projections.into_iter().map(named).collect()
}

/// How many elements an archive may contain for each of its bytes: deflate compresses at most about 1030 to 1.
const LARGEST_RATIO: u64 = 1100;

/// All arrays of numbers of an archive, in its order.
pub(super) fn read_arrays(name: &str, bytes: &[u8]) -> Result<IndexMap<String, Vec<f64>>, Error> {
    let bounds = Bounds { pre: 0..u32::MAX, post: 0..u32::MAX };
    let reading = Reading { name, bounds: &bounds, meaning: &Meaning::default() };
    let most = (bytes.len() as u64).saturating_mul(LARGEST_RATIO);
    let check = |reading: &Reading<'_>, promised: &[Promised]| match promised.iter().find(|of| of.count > most) {
        Some(Promised { name, count, .. }) => {
            let expected = format!("a file of {} bytes cannot contain that many numbers", bytes.len());
            Err(Error::invalid(place(reading, name), format!("{count} long"), expected, "save it again"))
        }
        None => Ok(()),
    };
    let arrays = checked_arrays(&reading, Cursor::new(bytes), &|_| true, &check)?;
    let numbers = |(name, numbers): (String, Numbers)| match numbers {
        Numbers::Real(values) => Ok((name, values)),
        Numbers::Whole(values) => Ok((name, values.into_iter().map(|value| value as f64).collect())),
        Numbers::Text(text) => {
            let found = format!("the text {text:?}");
            Err(Error::invalid(place(&reading, &name), found, "an array of numbers is expected", "leave it out"))
        }
    };
    arrays.into_iter().map(numbers).collect()
}

/// The synapses of one projection.
fn named(reading: &Reading<'_>, projection: &str, mut arrays: IndexMap<String, Numbers>) -> Result<NamedColumns, Error> {
    let name = format!("{}: {projection}", reading.name);
    let reading = Reading { name: &name, ..*reading };
    let [(_, pre), (_, post)] = [indices(&reading, &mut arrays, "pre")?, indices(&reading, &mut arrays, "post")?];
    if pre.len() != post.len() {
        let (found, expected) = (format!("{} long", post.len()), format!("`pre` has {} elements", pre.len()));
        return Err(Error::invalid(place(&reading, "post"), found, expected, "save one value of each for every synapse"));
    }
    reading.check_count(pre.len())?;
    let mut named = NamedColumns::default();
    for (synapse, (pre, post)) in pre.into_iter().zip(post).enumerate() {
        let end = |side: Side, name: &str, number: i64| {
            reading.index(side, 0, Some(number), number, || element(&reading, name, synapse))
        };
        named.pairs.push([end(Side::Pre, "pre", pre)?, end(Side::Post, "post", post)?]);
    }
    for (name, numbers) in arrays {
        let values = values(&reading, &name, numbers, named.pairs.len())?;
        let mut column = Vec::with_capacity(values.len());
        for (synapse, value) in values.into_iter().enumerate() {
            let kept = Some(f64::from(value as f32));
            column.push(reading.value(kept, value, || element(&reading, &name, synapse))? as f32);
        }
        named.columns.insert(name, column);
    }
    Ok(named)
}

/// An array of the archive.
struct Promised {
    name: String,
    /// Number of elements according to its header.
    count: u64,
    file: PackedFile,
}

/// A file of the archive.
#[derive(Clone, Copy)]
struct PackedFile {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
    checksum: u32,
}

/// The requested arrays. All headers are read first, and numbers only if the lengths are consistent: a small file can claim more data than
/// fits into memory.
fn arrays(
    reading: &Reading<'_>,
    source: impl Read + Seek,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<IndexMap<String, Numbers>, Error> {
    checked_arrays(reading, source, wanted, &check_lengths)
}

/// A check of the lengths that an archive claims.
type LengthCheck<'a> = dyn Fn(&Reading<'_>, &[Promised]) -> Result<(), Error> + 'a;

/// The same, with another check of the lengths.
fn checked_arrays(
    reading: &Reading<'_>,
    source: impl Read + Seek,
    wanted: &dyn Fn(&str) -> bool,
    check_lengths: &LengthCheck<'_>,
) -> Result<IndexMap<String, Numbers>, Error> {
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = open(reading, source, &mut buffer)?;
    let (mut entries, mut promised) = (archive.entries(&mut buffer), Vec::new());
    while let Some(entry) = entries.next_entry().map_err(|error| invalid_archive(reading, error))? {
        let name = str::from_utf8(entry.file_path().as_bytes());
        let name = name.map_err(|_| unreadable(reading, "the name of an array is not UTF-8"))?;
        let name = name.strip_suffix(".npy").unwrap_or(name).to_owned();
        if wanted(&name) {
            if entry.flags().is_encrypted() {
                return Err(unreadable(reading, "it is encrypted"));
            }
            let file = PackedFile { place: entry.wayfinder(), method: entry.compression_method(), checksum: entry.crc32() };
            let count = npy::header(reading, &name, &mut unpacked(reading, &archive, file)?)?.count;
            promised.push(Promised { name, count, file });
        }
    }
    check_lengths(reading, &promised)?;
    let read = |Promised { name, file, .. }: Promised| {
        let mut content = CrcReader::new(unpacked(reading, &archive, file)?);
        let numbers = npy::read(reading, &name, &mut content)?;
        copy(&mut content, &mut sink()).map_err(|error| reading.unreadable(&error))?;
        if content.crc().sum() != file.checksum {
            return Err(unreadable(reading, format!("the array `{name}` is damaged: its checksum differs")));
        }
        Ok((name, numbers))
    };
    promised.into_iter().map(read).collect()
}

fn open<R: Read + Seek>(
    reading: &Reading<'_>,
    mut source: R,
    buffer: &mut [u8],
) -> Result<ZipArchive<impl ReaderAt + use<R>>, Error> {
    let mut first = Vec::new();
    source.by_ref().take(4).read_to_end(&mut first).map_err(|error| reading.unreadable(&error))?;
    ZipArchive::from_seekable(source, buffer).map_err(|error| match error.kind() {
        ErrorKind::MissingEndOfCentralDirectory if first == FIRST => reading.cut_off("before its table of contents"),
        ErrorKind::MissingEndOfCentralDirectory => unreadable(reading, "it is not a zip archive, as an .npz file must be"),
        _ => invalid_archive(reading, error),
    })
}

/// The decompressed content of a file of the archive.
fn unpacked<'a, R: ReaderAt>(
    reading: &Reading<'_>,
    archive: &'a ZipArchive<R>,
    file: PackedFile,
) -> Result<Box<dyn Read + 'a>, Error> {
    let packed = archive.get_entry(file.place).map_err(|error| invalid_archive(reading, error))?.reader();
    match file.method {
        CompressionMethod::STORE => Ok(Box::new(packed)),
        CompressionMethod::DEFLATE => Ok(Box::new(DeflateDecoder::new(packed))),
        other => Err(unreadable(reading, format!("it is compressed by method {other}: NumPy stores or deflates"))),
    }
}

/// Converts an error of the archive.
fn invalid_archive(reading: &Reading<'_>, error: rawzip::Error) -> Error {
    match error.into_kind() {
        ErrorKind::IO(error) => reading.unreadable(&error),
        ErrorKind::Eof => reading.cut_off("in the middle"),
        other => unreadable(reading, other),
    }
}

fn unreadable(reading: &Reading<'_>, found: impl Display) -> Error {
    Error::invalid(reading.name, "not a readable file", found, "save it with numpy.savez or scipy.sparse.save_npz")
}

/// Rejects a long array that cannot belong to edges: no other array has its length, or there cannot be that many synapses between these
/// neurons.
fn check_lengths(reading: &Reading<'_>, promised: &[Promised]) -> Result<(), Error> {
    let neurons = |range: &Range<u32>| u64::from(range.end - range.start);
    let pairs = neurons(&reading.bounds.pre).saturating_mul(neurons(&reading.bounds.post));
    let rows = u64::from(reading.bounds.pre.end.max(reading.bounds.post.end)) + 1;
    for Promised { name, count: length, .. } in promised.iter().filter(|of| of.count > MAX_UNCHECKED) {
        let is_alone = promised.iter().filter(|of| of.count == *length).count() < 2;
        let expected = if name == "indptr" {
            (*length > rows).then(|| format!("a matrix of these neurons has at most {rows} row offsets"))
        } else if is_alone {
            Some("no other array of the file has this length, and each edge needs a pre and a post".to_owned())
        } else {
            (*length / MAX_BETWEEN > pairs)
                .then(|| format!("the neurons make {pairs} pairs, and each has at most {MAX_BETWEEN} synapses"))
        };
        if let Some(expected) = expected {
            let way_out = "save the edges again";
            return Err(Error::invalid(place(reading, name), format!("{length} long"), expected, way_out));
        }
    }
    Ok(())
}

/// The values of an array, one per edge.
fn values(reading: &Reading<'_>, name: &str, numbers: Numbers, edges: usize) -> Result<Vec<f64>, Error> {
    let values = match numbers {
        Numbers::Real(values) => values,
        Numbers::Whole(values) => values.into_iter().map(|value| value as f64).collect(),
        Numbers::Text(_) => {
            let expected = "the values of synapses must be numbers";
            return Err(Error::invalid(place(reading, name), "a text", expected, "remove it"));
        }
    };
    if values.len() != edges {
        let (found, expected) = (format!("{} long", values.len()), format!("there are {edges} edges"));
        return Err(Error::invalid(place(reading, name), found, expected, "save one value for each, or remove it"));
    }
    Ok(values)
}

fn place(reading: &Reading<'_>, array: &str) -> String {
    format!("{}: {array}", reading.name)
}

fn element(reading: &Reading<'_>, array: &str, index: usize) -> String {
    format!("{}: {array}[{index}]", reading.name)
}

/// The whole numbers of an array, with its name.
fn indices(reading: &Reading<'_>, arrays: &mut IndexMap<String, Numbers>, name: &str) -> Result<(String, Vec<i64>), Error> {
    match arrays.shift_remove(name) {
        Some(Numbers::Whole(numbers)) => Ok((name.to_owned(), numbers)),
        other => {
            let found = if other.is_some() { "not an array of whole numbers" } else { "missing" };
            let expected = "indices of neurons are expected";
            Err(Error::invalid(place(reading, name), found, expected, "save it as an array of whole numbers"))
        }
    }
}

/// Pre- and postsynaptic indices of a matrix in compressed rows or columns.
fn compressed(
    reading: &Reading<'_>,
    arrays: &mut IndexMap<String, Numbers>,
    format: Option<&str>,
) -> Result<[(String, Vec<i64>); 2], Error> {
    let by_column = match format {
        Some("csr") | None => false,
        Some("csc") => true,
        Some(other) => {
            let expected = "a matrix in the format coo, csr or csc is expected";
            return Err(Error::invalid(place(reading, "format"), format!("{other:?}"), expected, "save matrix.tocoo()"));
        }
    };
    let ((_, ends), inner) = (indices(reading, arrays, "indptr")?, indices(reading, arrays, "indices")?);
    let mut outer = Vec::with_capacity(inner.1.len());
    for (row, bounds) in ends.windows(2).enumerate() {
        let next = usize::try_from(bounds[1]).ok().filter(|end| bounds[0] <= bounds[1] && *end <= inner.1.len());
        let Some(next) = next.filter(|_| bounds[0] == outer.len() as i64) else {
            let expected = format!("it must increase from 0 to the number of edges, {}", inner.1.len());
            return Err(Error::invalid(element(reading, "indptr", row + 1), bounds[1], expected, "save the matrix again"));
        };
        outer.resize(next, row as i64);
    }
    if outer.len() != inner.1.len() {
        let expected = format!("its last element must be the number of edges, {}", inner.1.len());
        return Err(Error::invalid(
            place(reading, "indptr"),
            format!("up to {}", outer.len()),
            expected,
            "save the matrix again",
        ));
    }
    let outer = ("indptr".to_owned(), outer);
    Ok(if by_column { [inner, outer] } else { [outer, inner] })
}
