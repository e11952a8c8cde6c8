//! Edges in Feather and Parquet files.

use std::io::{Read, Seek};

use super::header::{Field, header};
use super::identifiers::Identifiers;
use super::{EdgeList, Reading, Side};
use crate::Error;
use crate::columnar::{Cells, TableReader, read as read_table};

pub(super) fn read(reading: &Reading<'_>, source: impl Read + Seek) -> Result<EdgeList, Error> {
    let mut reader =
        EdgeReader { reading, names: Vec::new(), fields: Vec::new(), edges: EdgeList::default(), rows: 0, wrong: None };
    read_table(reading.name, source, &mut reader)?;
    match reader.wrong {
        Some((error, found)) => Err(found.explained(reading, error)),
        None => Ok(reader.edges),
    }
}

struct EdgeReader<'a> {
    reading: &'a Reading<'a>,
    /// The names and meanings of the columns that are read.
    names: Vec<String>,
    fields: Vec<Field>,
    edges: EdgeList,
    rows: usize,
    /// The first error in a row; from there on identifiers are only counted.
    wrong: Option<(Error, Identifiers)>,
}

impl TableReader for EdgeReader<'_> {
    fn choose(&mut self, names: &[String]) -> Result<Vec<bool>, Error> {
        let written: Vec<&str> = names.iter().map(String::as_str).collect();
        let fields = header(self.reading, None, &written, &mut self.edges)?;
        let is_read: Vec<bool> = fields.iter().map(|field| !matches!(field, Field::Other)).collect();
        self.names = names.iter().zip(&is_read).filter(|(_, is_read)| **is_read).map(|(name, _)| name.clone()).collect();
        self.fields = fields.into_iter().filter(|field| !matches!(field, Field::Other)).collect();
        Ok(is_read)
    }

    fn take(&mut self, columns: Vec<Cells>) -> Result<(), Error> {
        for row in 0..columns.first().map_or(0, Cells::len) {
            if self.wrong.is_none()
                && let Err(error) = self.row(&columns, row)
            {
                self.wrong = Some((error, Identifiers::after(self.edges.pairs.len())));
            }
            if let Some((_, found)) = &mut self.wrong {
                let ends = self.fields.iter().zip(&columns).filter_map(|(field, cells)| match field {
                    Field::Index(side) => Some((*side, cells.written(row))),
                    Field::Value(_) | Field::Other => None,
                });
                let ends: Vec<(Side, String)> = ends.collect();
                found.add(self.reading, ends.iter().map(|(side, written)| (*side, written.as_str())));
            }
            self.rows += 1;
        }
        Ok(())
    }
}

impl EdgeReader<'_> {
    fn row(&mut self, columns: &[Cells], row: usize) -> Result<(), Error> {
        let EdgeReader { reading, names, fields, edges, rows, .. } = self;
        let mut pair = [None; 2];
        for ((field, cells), name) in fields.iter().zip(columns).zip(names) {
            let place = || format!("{}: row {} of column {name:?}", reading.name, *rows + 1);
            match (field, cells) {
                (Field::Index(side), Cells::Whole(numbers)) if numbers[row].is_some() => {
                    let number = numbers[row].unwrap_or_default();
                    pair[*side as usize] = match reading.meaning.ids[*side as usize] {
                        Some(ids) => reading.of_table(*side, ids.find_number(number), number, ids, place)?,
                        None => Some(reading.index(*side, 0, Some(number), number, place)?),
                    };
                }
                (Field::Index(side), cells) => pair[*side as usize] = reading.neuron(*side, &cells.written(row), place)?,
                (Field::Value(column), cells) => {
                    let number = match cells {
                        Cells::Whole(numbers) => numbers[row].map(|number| number as f64),
                        Cells::Real(numbers) => numbers[row],
                        Cells::Text(texts) => texts[row].as_ref().and_then(|text| text.parse().ok()),
                    };
                    let written = || format!("{:?}", cells.written(row));
                    let value = match number {
                        Some(number) if number.is_finite() => number,
                        _ => reading.value(None, written(), place)?,
                    };
                    edges.columns[*column].values.push(value);
                }
                (Field::Other, _) => {}
            }
        }
        edges.push(pair);
        reading.check_count(edges.pairs.len())
    }
}

#[cfg(all(test, feature = "columnar"))]
mod tests;
