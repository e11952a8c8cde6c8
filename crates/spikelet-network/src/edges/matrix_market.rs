//! Matrix Market files: a sparse matrix, entry by entry.

use std::io::Read;

use super::text::Lines;
use super::{Column, EdgeList, Reading, Side};
use crate::Error;

/// The content of the file.
#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    /// The other half has the opposite sign.
    Skew,
}

pub(super) fn read(reading: &Reading<'_>, source: impl Read) -> Result<EdgeList, Error> {
    let mut lines = Lines::new(reading, source);
    let banner = lines.next('#')?.map(|(_, text)| text.to_lowercase()).unwrap_or_default();
    let (has_values, symmetry) = kind(reading, &banner)?;
    let (line, sizes) = lines.next('%')?.ok_or_else(|| reading.cut_off("before the sizes"))?;
    let numbers: Vec<Option<u64>> = sizes.split_whitespace().map(|text| text.parse().ok()).collect();
    let [Some(rows), Some(columns), Some(entries)] = numbers[..] else {
        let expected = "the numbers of rows, columns and entries are expected";
        return Err(Error::invalid(reading.line(line, None), format!("{sizes:?}"), expected, "for example 800 800 1000"));
    };
    for (column, found, side) in [(1, rows, Side::Pre), (2, columns, Side::Post)] {
        let (range, what) = reading.range(side);
        if found > u64::from(range.end) {
            let expected = format!("the {what} neurons are 1 to {}", range.end);
            let way_out = "rows are presynaptic, columns postsynaptic: transpose the matrix if they are the other way round";
            return Err(Error::invalid(reading.line(line, Some(column)), found, expected, way_out));
        }
    }
    let mut edges = EdgeList::default();
    let mut values = Vec::new();
    for entry in 0..entries {
        let missing = || reading.cut_off(&format!("after {entry} of {entries} entries"));
        let (line, text) = lines.next('%')?.ok_or_else(missing)?;
        let mut pieces = text.split_whitespace();
        let mut pair = [0; 2];
        let width = || {
            let expected = format!("an entry has {} numbers", 2 + usize::from(has_values));
            let found = format!("a line of {}", text.split_whitespace().count());
            Error::invalid(reading.line(line, None), found, expected, "correct it, and check that the file is complete")
        };
        for side in [Side::Pre, Side::Post] {
            let written = pieces.next().ok_or_else(width)?;
            let place = || reading.line(line, Some(side as usize + 1));
            pair[side as usize] = reading.index(side, 1, written.parse().ok(), format_args!("{written:?}"), place)?;
        }
        if has_values {
            let written = pieces.next().ok_or_else(width)?;
            let place = || reading.line(line, Some(3));
            values.push(reading.value(written.parse().ok(), format_args!("{written:?}"), place)?);
        }
        if pieces.next().is_some() {
            return Err(width());
        }
        edges.pairs.push(pair);
        if symmetry != Symmetry::General && pair[0] != pair[1] {
            let mut mirrored = [0; 2];
            for side in [Side::Pre, Side::Post] {
                let index = pair[1 - side as usize];
                let place = || reading.line(line, Some(2 - side as usize));
                let number = i64::from(index) + 1;
                mirrored[side as usize] = reading.index(side, 1, Some(number), number, place)?;
            }
            edges.pairs.push(mirrored);
            if let Some(value) = values.last().copied() {
                values.push(if symmetry == Symmetry::Skew { -value } else { value });
            }
        }
        reading.check_count(edges.pairs.len())?;
    }
    if let Some((line, more)) = lines.next('%')? {
        let expected = format!("all {entries} entries were read");
        return Err(Error::invalid(reading.line(line, None), format!("{more:?}"), expected, "correct the sizes"));
    }
    if has_values {
        edges.columns.push(Column { name: "w".into(), unit: None, values });
    }
    Ok(edges)
}

/// Whether entries have values, and which half of the matrix there is.
fn kind(reading: &Reading<'_>, banner: &str) -> Result<(bool, Symmetry), Error> {
    let words: Vec<&str> = banner.split_whitespace().collect();
    let wrong = |found: &str, expected: &str| {
        let way_out = "begin with, for example, %%MatrixMarket matrix coordinate real general";
        Err(Error::invalid(reading.line(1, None), format!("{found:?}"), expected, way_out))
    };
    let ["%%matrixmarket", object, format, field, symmetry] = words[..] else {
        return wrong(banner, "a Matrix Market file begins with five words that describe its content");
    };
    if (object, format) != ("matrix", "coordinate") {
        return wrong(&format!("{object} {format}"), "edges must be the entries of a matrix in coordinate format");
    }
    let has_values = match field {
        "real" | "integer" => true,
        "pattern" => false,
        other => return wrong(other, "values must be real, integer, or absent (pattern)"),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        other => return wrong(other, "a matrix must be general, symmetric or skew-symmetric"),
    };
    Ok((has_values, symmetry))
}
