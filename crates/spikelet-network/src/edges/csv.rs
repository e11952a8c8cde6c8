//! Values separated by commas, semicolons, tabs or blanks. The crate csv has neither runs of blanks as a separator nor a limit of the line
//! length.

use std::collections::HashSet;
use std::io::Read;

use spikelet_lang::diagnostic::suggestion;
use spikelet_lang::syntax::parse_unit;

use super::text::Lines;
use super::{Column, EdgeList, Reading, Side};
use crate::Error;

/// The names of the columns of neurons in files of the field: those of this program first; those of FlyWire, of CAVE and of neuPrint.
const PRE: [&str; 9] =
    ["pre", "source", "from", "pre_id", "pre_root_id", "pre_pt_root_id", "bodyId_pre", "body_pre", "Presynaptic_ID"];
const POST: [&str; 9] =
    ["post", "target", "to", "post_id", "post_root_id", "post_pt_root_id", "bodyId_post", "body_post", "Postsynaptic_ID"];
/// Most different identifiers that are counted.
const MAX_IDENTIFIERS: usize = 1 << 20;

/// The meaning of a column.
enum Field {
    Index(Side),
    /// Index among the columns of values.
    Value(usize),
    /// Not read.
    Other,
}

pub(super) fn read(reading: &Reading<'_>, source: impl Read) -> Result<EdgeList, Error> {
    let mut lines = Lines::new(reading, source);
    let mut edges = EdgeList::default();
    let Some((line, first)) = lines.next('#')? else { return Ok(edges) };
    let separator = [',', ';', '\t'].into_iter().find(|separator| first.contains(*separator));
    let names: Vec<&str> = split(first, separator).collect();
    let fields = if is_header(reading, &names) {
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
            return Err(found.explained(reading, error));
        }
    }
    Ok(edges)
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

/// What is no neuron: the identifiers of a data set, where there is no table of them or where it is incomplete.
struct Identifiers {
    rows: usize,
    /// In how many rows they are.
    outside: usize,
    different: HashSet<String>,
}

impl Identifiers {
    fn add(&mut self, reading: &Reading<'_>, text: &str, separator: Option<char>, fields: &[Field]) {
        self.rows += 1;
        let ends = fields.iter().zip(split(text, separator)).filter_map(|(field, written)| match field {
            Field::Index(side) => Some((*side, written)),
            Field::Value(_) | Field::Other => None,
        });
        let is_outside = |(side, written): &(Side, &str)| match reading.meaning.ids[*side as usize] {
            Some(ids) => matches!(ids.find(written), Ok(None)),
            None => written.parse().is_ok_and(|number: u64| number >= u64::from(reading.range(*side).0.end)),
        };
        let outside: Vec<String> = ends.filter(is_outside).map(|(_, written)| written.to_owned()).collect();
        self.outside += usize::from(!outside.is_empty());
        if self.different.len() < MAX_IDENTIFIERS {
            self.different.extend(outside);
        }
    }

    /// The error of the first of them, with their number if there are several.
    fn explained(self, reading: &Reading<'_>, error: Error) -> Error {
        match error {
            Error::Invalid { path, value, expected, way_out, .. }
                if self.different.len() > 1 && reading.meaning.ids.iter().any(Option::is_some) =>
            {
                let more = if self.different.len() < MAX_IDENTIFIERS { "" } else { "at least " };
                let (outside, rows, different) = (self.outside, self.rows, self.different.len());
                let expected =
                    format!("{expected}; {outside} of {rows} rows have {more}{different} different ones that it lacks");
                Error::invalid(path, value, expected, way_out)
            }
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
                    "give the population a table of its neurons, \"neurons\": {\"file\": \"neurons.csv\", \"id\": \"root_id\"}, \
                     number them from 0, or correct its size",
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
    let ends = ends(reading, line, names)?;
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
            (name, None) if ends[0] == Some(name) => fields.push(Field::Index(Side::Pre)),
            (name, None) if ends[1] == Some(name) => fields.push(Field::Index(Side::Post)),
            (name, Some(unit)) if ends.contains(&Some(name)) => return wrong(unit, "an index has no unit".into(), "remove it"),
            (name, unit) if reading.meaning.columns.is_some() => match wanted(reading, name) {
                None => fields.push(Field::Other),
                Some(wanted) => {
                    let unit = unit.map(str::to_owned);
                    fields.push(Field::Value(edges.columns.len()));
                    edges.columns.push(Column { name: wanted.to_owned(), unit, values: Vec::new() });
                }
            },
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
    Ok(fields)
}

/// The value of the synapses that a column of the file is for, as the network says.
fn wanted<'a>(reading: &Reading<'a>, column: &str) -> Option<&'a str> {
    let (wanted, _) = reading.meaning.columns?.iter().find(|(_, of)| *of == column)?;
    Some(wanted)
}

/// The names of the columns of pre- and postsynaptic neurons. All columns that the network names must be there.
fn ends<'a>(reading: &Reading<'_>, line: u64, names: &[&'a str]) -> Result<[Option<&'a str>; 2], Error> {
    let plain = || names.iter().map(|written| written.split('[').next().unwrap_or(written).trim());
    for column in reading.meaning.columns.iter().flat_map(|columns| columns.values()) {
        if !plain().any(|name| name == column) {
            return Err(Error::unknown_name(&reading.line(line, None), "column", column, plain()));
        }
    }
    let mut ends = [None; 2];
    for (end, usual) in ends.iter_mut().zip([PRE, POST]) {
        let said = reading.meaning.columns.and_then(|columns| columns.get(usual[0]));
        let mut found = plain().filter(|name| match said {
            Some(said) => name == said,
            None => usual.contains(name),
        });
        *end = found.next();
        if let Some(other) = found.next() {
            let expected = format!("`{}` and `{other}` can both be the column `{}`", end.unwrap_or_default(), usual[0]);
            let way_out = format!("rename one of them, or name it in the network: \"columns\": {{\"{}\": {other:?}}}", usual[0]);
            return Err(Error::invalid(reading.line(line, None), format!("{:?}", names.join(",")), expected, way_out));
        }
    }
    let Some(place) = ends.iter().position(Option::is_none) else { return Ok(ends) };
    let missing = [PRE, POST][place][0];
    let expected = format!("one of its columns must be named `{missing}`");
    let others = names.iter().copied().filter(|name| !PRE.contains(name) && !POST.contains(name));
    let way_out = match suggestion(missing, others) {
        Some(near) => format!("rename `{near}`"),
        None => format!(
            "for example pre,post,w, or no header at all; or name the columns in the network: \"columns\": {{\"{missing}\": …}}"
        ),
    };
    Err(Error::invalid(reading.line(line, None), format!("{:?}", names.join(",")), expected, way_out))
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
    match pair {
        [Some(pre), Some(post)] => edges.pairs.push([pre, post]),
        // A row that is left out.
        _ => edges.columns.iter_mut().for_each(|column| column.values.truncate(edges.pairs.len())),
    }
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
