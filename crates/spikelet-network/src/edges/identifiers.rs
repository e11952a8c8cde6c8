//! What is no neuron in a file of edges, counted for the error.

use std::collections::HashSet;

use super::{Reading, Side};
use crate::Error;

/// Most different identifiers that are counted.
const MAX_IDENTIFIERS: usize = 1 << 20;

/// What is no neuron: the identifiers of a data set, where there is no table of them or where it is incomplete.
#[derive(Default)]
pub(super) struct Identifiers {
    /// How many rows there are.
    rows: usize,
    /// In how many rows they are.
    outside: usize,
    different: HashSet<String>,
}

impl Identifiers {
    /// After rows in which there was none.
    pub(super) fn after(rows: usize) -> Identifiers {
        Identifiers { rows, ..Identifiers::default() }
    }

    /// A row, with what is written for its neurons.
    pub(super) fn add<'a>(&mut self, reading: &Reading<'_>, ends: impl Iterator<Item = (Side, &'a str)>) {
        self.rows += 1;
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
    pub(super) fn explained(self, reading: &Reading<'_>, error: Error) -> Error {
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
