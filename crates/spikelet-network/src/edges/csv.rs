//! Values separated by commas, semicolons, tabs or blanks. The crate csv has neither runs of blanks as a separator nor a limit of the line
//! length.

use std::io::Read;

use super::header::{Field, header};
use super::identifiers::Identifiers;
use super::text::Lines;
use super::{Column, EdgeList, Reading, Side};
use crate::Error;

pub(super) fn read(reading: &Reading<'_>, source: impl Read) -> Result<EdgeList, Error> {
    let mut lines = Lines::new(reading, source);
    let mut edges = EdgeList::default();
    let Some((line, first)) = lines.next('#')? else { return Ok(edges) };
    let separator = separator(first);
    let names: Vec<&str> = split(first, separator).collect();
    let fields = if is_header(reading, &names) {
        header(reading, Some(line), &names, &mut edges)?
    } else {
        let fields = without_header(reading, line, names.len(), &mut edges)?;
        row(reading, (line, first), separator, &fields, &mut edges)?;
        fields
    };
    while let Some((line, text)) = lines.next('#')? {
        if let Err(error) = row(reading, (line, text), separator, &fields, &mut edges) {
            let mut found = Identifiers::after(edges.pairs.len());
            found.add(reading, ends(text, separator, &fields));
            while let Some((_, text)) = lines.next('#')? {
                found.add(reading, ends(text, separator, &fields));
            }
            return Err(found.explained(reading, error));
        }
    }
    Ok(edges)
}

/// The names in the first line, unless it begins with a number.
pub(super) fn header_names(reading: &Reading<'_>, source: impl Read) -> Result<Vec<String>, Error> {
    let mut lines = Lines::new(reading, source);
    let Some((_, first)) = lines.next('#')? else { return Ok(Vec::new()) };
    let separator = separator(first);
    let names: Vec<String> = split(first, separator).map(str::to_owned).collect();
    Ok(if names.first().is_some_and(|name| name.parse::<f64>().is_ok()) { Vec::new() } else { names })
}

/// What separates the values of a line; blanks, if it is none of the others.
fn separator(line: &str) -> Option<char> {
    [',', ';', '\t'].into_iter().find(|separator| line.contains(*separator))
}

/// Whether the first line names the columns.
fn is_header(reading: &Reading<'_>, first: &[&str]) -> bool {
    let is_id = |side: usize, text: &str| reading.meaning.ids[side].is_some_and(|ids| matches!(ids.find(text), Ok(Some(_))));
    match first {
        [name, ..] if name.parse::<f64>().is_ok() => false,
        [pre, post, ..] => !is_id(0, pre) && !is_id(1, post),
        _ => true,
    }
}

/// What a line has in the columns of neurons.
fn ends<'a>(text: &'a str, separator: Option<char>, fields: &'a [Field]) -> impl Iterator<Item = (Side, &'a str)> {
    fields.iter().zip(split(text, separator)).filter_map(|(field, written)| match field {
        Field::Index(side) => Some((*side, written)),
        Field::Value(_) | Field::Other => None,
    })
}

/// The values of a line, without quotes.
fn split(line: &str, separator: Option<char>) -> impl Iterator<Item = &str> {
    let (separated, blanks) = match separator {
        Some(separator) => (Some(line.split(separator)), None),
        None => (None, Some(line.split_whitespace())),
    };
    separated.into_iter().flatten().chain(blanks.into_iter().flatten()).map(|text| {
        let text = text.trim();
        text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text).trim()
    })
}

fn without_header(reading: &Reading<'_>, line: u64, count: usize, edges: &mut EdgeList) -> Result<Vec<Field>, Error> {
    let mut fields = vec![Field::Index(Side::Pre), Field::Index(Side::Post)];
    if let Some(column) = reading.meaning.columns.and_then(|columns| columns.values().next()) {
        let expected = "its first line does not name the columns; they are pre, post and, if there is a third, w";
        return Err(Error::invalid(
            reading.line(line, None),
            format!("without a column `{column}`"),
            expected,
            "remove `columns`",
        ));
    }
    match count {
        2 => {}
        3 => {
            fields.push(Field::Value(0));
            edges.columns.push(Column { name: "w".into(), unit: None, values: Vec::new() });
        }
        _ => {
            let found = format!("a row of {count}");
            let expected = "without a header the columns are pre, post and optionally w";
            return Err(Error::invalid(reading.line(line, None), found, expected, "name them in the first line"));
        }
    }
    Ok(fields)
}

fn row(
    reading: &Reading<'_>,
    (line, text): (u64, &str),
    separator: Option<char>,
    fields: &[Field],
    edges: &mut EdgeList,
) -> Result<(), Error> {
    let mut pair = [Some(0); 2];
    let mut pieces = split(text, separator);
    for (index, field) in fields.iter().enumerate() {
        let Some(written) = pieces.next() else { return Err(width(reading, line, text, separator, fields.len())) };
        let place = || reading.line(line, Some(index + 1));
        match field {
            Field::Index(side) => pair[*side as usize] = reading.neuron(*side, written, place)?,
            Field::Value(column) => {
                let value = reading.value(written.parse().ok(), format_args!("{written:?}"), place)?;
                edges.columns[*column].values.push(value);
            }
            Field::Other => {}
        }
    }
    if pieces.next().is_some() {
        return Err(width(reading, line, text, separator, fields.len()));
    }
    edges.push(pair);
    reading.check_count(edges.pairs.len())
}

fn width(reading: &Reading<'_>, line: u64, text: &str, separator: Option<char>, wanted: usize) -> Error {
    let (found, expected) =
        (format!("a row of {}", split(text, separator).count()), format!("the first line has {wanted} columns"));
    Error::invalid(
        reading.line(line, None),
        found,
        expected,
        "give all rows the same number of columns, and check that the \
        file is complete",
    )
}
