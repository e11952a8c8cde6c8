//! The names of columns of edges: which are the neurons, and which are values of the synapses.

use spikelet_lang::diagnostic::suggestion;
use spikelet_lang::syntax::parse_unit;

use super::{Column, EdgeList, Reading, Side};
use crate::Error;

/// The names of the column of presynaptic neurons in files of the field: those of this program first; those of FlyWire, of CAVE and of
/// neuPrint.
pub const PRE: [&str; 9] =
    ["pre", "source", "from", "pre_id", "pre_root_id", "pre_pt_root_id", "bodyId_pre", "body_pre", "Presynaptic_ID"];
/// Those of the column of postsynaptic neurons.
pub const POST: [&str; 9] =
    ["post", "target", "to", "post_id", "post_root_id", "post_pt_root_id", "bodyId_post", "body_post", "Postsynaptic_ID"];
/// The meaning of a column.
pub(super) enum Field {
    Index(Side),
    /// Index among the columns of values.
    Value(usize),
    /// Not read.
    Other,
}

/// What each of the columns means, by their names. `line` is that of the names, in a text.
pub(super) fn header(
    reading: &Reading<'_>,
    line: Option<u64>,
    names: &[&str],
    edges: &mut EdgeList,
) -> Result<Vec<Field>, Error> {
    let mut fields = Vec::new();
    let ends = ends(reading, line, names)?;
    for (index, written) in names.iter().enumerate() {
        let wrong = |value: &str, expected: String, way_out: &str| {
            Err(Error::invalid(reading.place(line, Some(index + 1)), format!("{value:?}"), expected, way_out))
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
fn ends<'a>(reading: &Reading<'_>, line: Option<u64>, names: &[&'a str]) -> Result<[Option<&'a str>; 2], Error> {
    let plain = || names.iter().map(|written| written.split('[').next().unwrap_or(written).trim());
    for column in reading.meaning.columns.iter().flat_map(|columns| columns.values()) {
        if !plain().any(|name| name == column) {
            return Err(Error::unknown_name(&reading.place(line, None), "column", column, plain()));
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
            return Err(Error::invalid(reading.place(line, None), format!("{:?}", names.join(",")), expected, way_out));
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
    Err(Error::invalid(reading.place(line, None), format!("{:?}", names.join(",")), expected, way_out))
}
