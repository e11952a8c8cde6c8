//! Values separated by commas, semicolons, tabs or blanks. The crate csv has neither runs of blanks as a separator nor a limit of the line
//! length.

use std::collections::HashSet;
use std::io::Read;

use spikelet_lang::diagnostic::suggestion;
use spikelet_lang::syntax::parse_unit;

use super::text::Lines;
use super::{Column, EdgeList, Reading, Side};
use crate::Error;

/// The names of a column of indices.
const PRE: [&str; 2] = ["pre", "source"];
const POST: [&str; 2] = ["post", "target"];
/// Most different identifiers that are counted.
const MAX_IDENTIFIERS: usize = 1 << 20;

/// The meaning of a column.
enum Field {
    Index(Side),
    /// Index among the columns of values.
    Value(usize),
}

pub(super) fn read(reading: &Reading<'_>, source: impl Read) -> Result<EdgeList, Error> {
    let mut lines = Lines::new(reading, source);
    let mut edges = EdgeList::default();
    let Some((line, first)) = lines.next('#')? else { return Ok(edges) };
    let separator = [',', ';', '\t'].into_iter().find(|separator| first.contains(*separator));
    let names: Vec<&str> = split(first, separator).collect();
    let fields = if names.first().is_some_and(|name| name.parse::<f64>().is_err()) {
        header(reading, line, &names, &mut edges)?
    } else {
        let fields = without_header(reading, line, names.len(), &mut edges)?;
        row(reading, (line, first), separator, &fields, &mut edges)?;
        fields
    };
    while let Some((line, text)) = lines.next('#')? {
        if let Err(error) = row(reading, (line, text), separator, &fields, &mut edges) {
            let mut found = Identifiers { rows: edges.pairs.len(), outside: 0, different: HashSet::new() };
            found.add(reading, text, separator, &fields);
            while let Some((_, text)) = lines.next('#')? {
                found.add(reading, text, separator, &fields);
            }
            return Err(found.explained(error));
        }
    }
    Ok(edges)
}

/// Whole numbers that are no indices of neurons: the identifiers of a data set.
struct Identifiers {
    rows: usize,
    /// In how many rows they are.
    outside: usize,
    different: HashSet<u64>,
}

impl Identifiers {
    fn add(&mut self, reading: &Reading<'_>, text: &str, separator: Option<char>, fields: &[Field]) {
        self.rows += 1;
        let ends = fields.iter().zip(split(text, separator)).filter_map(|(field, written)| match field {
            Field::Index(side) => Some((reading.range(*side).0.end, written.parse::<u64>().ok()?)),
            Field::Value(_) => None,
        });
        let outside: Vec<u64> = ends.filter(|(end, number)| *number >= u64::from(*end)).map(|(_, number)| number).collect();
        self.outside += usize::from(!outside.is_empty());
        if self.different.len() < MAX_IDENTIFIERS {
            self.different.extend(outside);
        }
    }

    /// The error of the first of them, with their number if there are several.
    fn explained(self, error: Error) -> Error {
        match error {
            Error::Invalid { path, value, expected, .. } if self.different.len() > 1 => {
                let more = if self.different.len() < MAX_IDENTIFIERS { "" } else { "at least " };
                let expected = format!(
                    "{expected}; {} of {} rows have {more}{} different numbers beyond them, as identifiers of a data set are",
                    self.outside,
                    self.rows,
                    self.different.len()
                );
                Error::invalid(
                    path,
                    value,
                    expected,
                    "number the neurons from 0, and write these numbers; or correct the size of the population",
                )
            }
            error => error,
        }
    }
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

fn header(reading: &Reading<'_>, line: u64, names: &[&str], edges: &mut EdgeList) -> Result<Vec<Field>, Error> {
    let mut fields = Vec::new();
    for (index, written) in names.iter().enumerate() {
        let wrong = |value: &str, expected: String, way_out: &str| {
            Err(Error::invalid(reading.line(line, Some(index + 1)), format!("{value:?}"), expected, way_out))
        };
        let (name, unit) = match written.split_once('[') {
            Some((name, rest)) => (name.trim(), Some(rest.trim().strip_suffix(']').unwrap_or(rest).trim())),
            None => (*written, None),
        };
        if names[..index].iter().any(|before| before.split('[').next().map(str::trim) == Some(name)) {
            return wrong(name, "each column needs a unique name".into(), "rename one of the two");
        }
        match (name, unit) {
            (name, None) if PRE.contains(&name) => fields.push(Field::Index(Side::Pre)),
            (name, None) if POST.contains(&name) => fields.push(Field::Index(Side::Post)),
            ("pre" | "post" | "source" | "target", Some(unit)) => return wrong(unit, "an index has no unit".into(), "remove it"),
            ("", _) => return wrong(written, "each column needs a name".into(), "name it, or remove it"),
            (name, unit) => {
                if let Some(Err(found)) = unit.map(parse_unit) {
                    return wrong(unit.unwrap_or_default(), found.message, "write a unit such as [nS]");
                }
                fields.push(Field::Value(edges.columns.len()));
                edges.columns.push(Column { name: name.into(), unit: unit.map(str::to_owned), values: Vec::new() });
            }
        }
    }
    let count = |of: &[&str]| names.iter().filter(|name| of.contains(name)).count();
    if let Some(twice) = [PRE, POST].into_iter().find(|of| count(of) > 1) {
        let expected = format!("one of its columns can be named {}", twice.map(|name| format!("`{name}`")).join(" or "));
        return Err(Error::invalid(reading.line(line, None), format!("{:?}", names.join(",")), expected, "rename the others"));
    }
    if let Some([missing, _]) = [PRE, POST].into_iter().find(|of| count(of) == 0) {
        let expected = format!("one of its columns must be named `{missing}`");
        let way_out = match suggestion(missing, names.iter().copied().filter(|name| !PRE.contains(name) && !POST.contains(name)))
        {
            Some(near) => format!("rename `{near}`"),
            None => "for example pre,post,w, or no header at all".to_owned(),
        };
        return Err(Error::invalid(reading.line(line, None), format!("{:?}", names.join(",")), expected, way_out));
    }
    Ok(fields)
}

fn without_header(reading: &Reading<'_>, line: u64, count: usize, edges: &mut EdgeList) -> Result<Vec<Field>, Error> {
    let mut fields = vec![Field::Index(Side::Pre), Field::Index(Side::Post)];
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
    let mut pair = [0; 2];
    let mut pieces = split(text, separator);
    for (index, field) in fields.iter().enumerate() {
        let Some(written) = pieces.next() else { return Err(width(reading, line, text, separator, fields.len())) };
        let place = || reading.line(line, Some(index + 1));
        let quoted = format_args!("{written:?}");
        match field {
            Field::Index(side) => pair[*side as usize] = reading.index(*side, 0, written.parse().ok(), quoted, place)?,
            Field::Value(column) => {
                let value = reading.value(written.parse().ok(), quoted, place)?;
                edges.columns[*column].values.push(value);
            }
        }
    }
    if pieces.next().is_some() {
        return Err(width(reading, line, text, separator, fields.len()));
    }
    edges.pairs.push(pair);
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
