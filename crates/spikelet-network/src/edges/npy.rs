//! One NumPy array: a header in Python syntax, then the raw numbers.
//!
//! The format: `numpy.lib.format`, versions 1.0 to 3.0. The crate npyz reads it too, but parses the header, which is one line, with a parser
//! generator and arbitrary-precision integers: 21 more crates.

use std::io::Read;

use super::Reading;
use crate::Error;

/// A one-dimensional array.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Numbers {
    Whole(Vec<i64>),
    Real(Vec<f64>),
    /// A text, such as `format` of a sparse matrix.
    Text(String),
}

/// Maximum length of a header.
const LONGEST: usize = 1 << 16;

/// Number of bytes read at once: a multiple of every width.
const PAGE: usize = 1 << 16;

/// The header of an array.
pub(super) struct Header {
    /// The number of elements according to the header.
    pub(super) count: u64,
    /// Whether their bytes come most significant first, their sort, and their width in bytes.
    element: (bool, u8, usize),
}

/// Reads the header of the array named `name`.
pub(super) fn header(reading: &Reading<'_>, name: &str, source: &mut dyn Read) -> Result<Header, Error> {
    let mut exact = |bytes: &mut [u8]| source.read_exact(bytes).map_err(|error| reading.unreadable(&error));
    let wrong = |found: &str, expected: &str, way_out: &str| {
        Err(Error::invalid(format!("{}: {name}", reading.name), found, expected, way_out))
    };
    let mut magic = [0; 8];
    exact(&mut magic)?;
    if &magic[..6] != b"\x93NUMPY" || !(1..=3).contains(&magic[6]) {
        return wrong("no array", "an array of numpy.save, version 1 to 3, is expected", "save it with numpy.savez");
    }
    let mut length = [0; 4];
    exact(&mut length[..if magic[6] == 1 { 2 } else { 4 }])?;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return wrong(&format!("a header of {length} bytes"), "a header has at most 65536", "save it with numpy.savez");
    }
    let mut header = vec![0; length];
    exact(&mut header)?;
    let header = String::from_utf8_lossy(&header);
    let kind = entry(&header, "descr").and_then(|value| value.strip_prefix('\'')?.split('\'').next());
    let shape = entry(&header, "shape").and_then(|value| value.strip_prefix('(')?.split(')').next());
    let (Some(kind), Some(shape)) = (kind, shape) else {
        let way_out = "save each column as a separate array";
        return wrong("an array of records", "an array of plain numbers is expected", way_out);
    };
    let lengths: Option<Vec<u64>> =
        shape.split(',').map(str::trim).filter(|text| !text.is_empty()).map(|text| text.parse().ok()).collect();
    let count = match lengths.as_deref() {
        Some([]) => 1,
        Some([count]) => *count,
        _ => {
            return wrong(
                &format!("of shape ({shape})"),
                "an array of one dimension is expected",
                "save lists, not a full matrix",
            );
        }
    };
    let Some(element) = element(kind) else {
        let way_out = "save whole numbers or floats of 4 or 8 bytes";
        return wrong(&format!("of type {kind:?}"), "whole numbers or floats are expected", way_out);
    };
    Ok(Header { count, element })
}

/// Reads the array named `name`.
pub(super) fn read(reading: &Reading<'_>, name: &str, source: &mut dyn Read) -> Result<Numbers, Error> {
    let Header { count, element: (big, letter, width) } = header(reading, name, source)?;
    let mut exact = |bytes: &mut [u8]| source.read_exact(bytes).map_err(|error| reading.unreadable(&error));
    if letter == b'S' || letter == b'U' {
        let mut text = vec![0; width];
        exact(&mut text)?;
        // Letters of type U have four bytes, of which ASCII needs one.
        return Ok(Numbers::Text(text.into_iter().filter(|letter| *letter != 0).map(char::from).collect()));
    }
    let mut numbers = if letter == b'f' { Numbers::Real(Vec::new()) } else { Numbers::Whole(Vec::new()) };
    let mut left = count;
    let mut page = vec![0; PAGE];
    while left > 0 {
        let elements = left.min((PAGE / width) as u64);
        let bytes = &mut page[..elements as usize * width];
        exact(bytes)?;
        for element in bytes.chunks_exact_mut(width) {
            if big {
                element.reverse();
            }
            let mut wide = [0; 8];
            wide[..width].copy_from_slice(element);
            let word = u64::from_le_bytes(wide);
            match &mut numbers {
                Numbers::Real(numbers) if width == 4 => numbers.push(f32::from_bits(word as u32).into()),
                Numbers::Real(numbers) => numbers.push(f64::from_bits(word)),
                Numbers::Whole(numbers) => {
                    let shift = 64 - 8 * width as u32;
                    let signed = (word << shift) as i64 >> shift;
                    // Numbers beyond i64 are not valid indices; they remain too large.
                    let unsigned = i64::try_from(word).unwrap_or(i64::MAX);
                    numbers.push(if letter == b'i' { signed } else { unsigned });
                }
                Numbers::Text(_) => {}
            }
        }
        left -= elements;
    }
    Ok(numbers)
}

/// The text after a key of the header.
fn entry<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = header.split_once(&format!("'{key}':"))?;
    Some(rest.trim_start())
}

/// Whether the bytes come most significant first, the sort of number, and its width in bytes.
fn element(kind: &str) -> Option<(bool, u8, usize)> {
    let (order, rest) = kind.split_at_checked(1)?;
    let (letter, width) = rest.split_at_checked(1)?;
    let (letter, width) = (letter.bytes().next()?, width.parse().ok()?);
    let width = match (letter, width) {
        (b'i' | b'u', 1 | 2 | 4 | 8) | (b'f', 4 | 8) | (b'b', 1) => width,
        (b'S', 1..=64) => width,
        (b'U', 1..=64) => 4 * width,
        _ => return None,
    };
    matches!(order, "<" | ">" | "|" | "=").then_some((order == ">", letter, width))
}
