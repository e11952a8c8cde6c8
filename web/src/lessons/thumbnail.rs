//! Small pictures of recorded spikes: a grid of cells that are empty or not, drawn in the colours of the page.
//!
//! The pictures are in `web/lessons/pictures.json`, which a test writes and compares with new runs.

use std::fmt::Write;
#[cfg(test)]
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Width and height of the grid.
pub(crate) const COLUMNS: u32 = 96;
pub(crate) const ROWS: u32 = 48;

/// The largest share of cells of a raster that are not empty: more would be a plain area.
#[cfg(test)]
const DENSEST: f64 = 0.25;

/// A picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Thumbnail {
    /// The populations from top to bottom: name and number of rows.
    pub(crate) bands: Vec<(String, u32)>,
    /// The cells by rows, as hexadecimal digits of four cells each.
    pub(crate) cells: String,
    /// The expected number of synapses of the network at its published size.
    pub(crate) synapses: f64,
}

impl Thumbnail {
    /// A raster: time to the right, a band for each population; of very active ones only every other neuron, or less. `spikes` are neurons
    /// with times in ms; `populations` have the numbers of their neurons.
    #[cfg(test)]
    pub(crate) fn raster(populations: &[(String, Range<u32>)], span_ms: [f64; 2], spikes: &[(u32, f64)]) -> Thumbnail {
        let bands = bands(populations);
        let mut stride = 1;
        loop {
            let grid = Grid::raster(&bands, populations, span_ms, spikes.iter().filter(|(neuron, _)| neuron % stride == 0));
            if grid.share() <= DENSEST || stride > 1 << 16 {
                return Thumbnail { bands, cells: grid.cells(), synapses: 0.0 };
            }
            stride *= 2;
        }
    }

    /// A sheet of neurons, `width` of them in a row, at two moments: those that fired in the last 4 ms of each half of the span.
    #[cfg(test)]
    pub(crate) fn sheet(population: &(String, Range<u32>), width: u32, span_ms: [f64; 2], spikes: &[(u32, f64)]) -> Thumbnail {
        let (name, neurons) = population;
        let height = neurons.len() as u32 / width;
        let mut grid = Grid::default();
        for half in [0, 1] {
            let end = span_ms[0] + (span_ms[1] - span_ms[0]) / 2.0 * f64::from(half + 1);
            for (neuron, _) in
                spikes.iter().filter(|(neuron, time)| neurons.contains(neuron) && *time >= end - 4.0 && *time < end)
            {
                let place = neuron - neurons.start;
                grid.set(half * COLUMNS / 2 + place % width * (COLUMNS / 2) / width, place / width * ROWS / height);
            }
        }
        Thumbnail { bands: vec![(name.clone(), ROWS)], cells: grid.cells(), synapses: 0.0 }
    }

    /// The cells of each band as the path of an SVG image with strokes of width 1, with the name of the population.
    pub(crate) fn paths(&self) -> Vec<(&str, String)> {
        let mut top = 0;
        let path = |(_, rows): &(String, u32)| {
            let mut path = String::new();
            for row in top..top + rows {
                let mut column = 0;
                while column < COLUMNS {
                    let length = (column..COLUMNS).take_while(|column| self.is_set(*column, row)).count() as u32;
                    if length > 0 {
                        write!(path, "M{column} {row}.5h{length}").ok();
                    }
                    column += length + 1;
                }
            }
            top += rows;
            path
        };
        let paths: Vec<String> = self.bands.iter().map(path).collect();
        self.bands.iter().map(|(name, _)| name.as_str()).zip(paths).collect()
    }

    fn is_set(&self, column: u32, row: u32) -> bool {
        let digit = self.cells.as_bytes().get(((row * COLUMNS + column) / 4) as usize);
        let digit = digit.and_then(|digit| char::from(*digit).to_digit(16)).unwrap_or(0);
        digit & (8 >> (column % 4)) != 0
    }
}

/// The rows of each population, in proportion to its neurons, and at least two.
#[cfg(test)]
fn bands(populations: &[(String, Range<u32>)]) -> Vec<(String, u32)> {
    let all: usize = populations.iter().map(|(_, neurons)| neurons.len()).sum();
    let free = ROWS - 2 * populations.len() as u32;
    let mut bands: Vec<(String, u32)> =
        populations.iter().map(|(name, of)| (name.clone(), 2 + (of.len() * free as usize / all.max(1)) as u32)).collect();
    let rest = ROWS - bands.iter().map(|(_, rows)| rows).sum::<u32>();
    if let Some((_, rows)) = bands.iter_mut().max_by_key(|(_, rows)| *rows) {
        *rows += rest;
    }
    bands
}

#[cfg(test)]
struct Grid(Vec<bool>);

#[cfg(test)]
impl Default for Grid {
    fn default() -> Grid {
        Grid(vec![false; (COLUMNS * ROWS) as usize])
    }
}

#[cfg(test)]
impl Grid {
    fn raster<'a>(
        bands: &[(String, u32)],
        populations: &[(String, Range<u32>)],
        [from, to]: [f64; 2],
        spikes: impl Iterator<Item = &'a (u32, f64)>,
    ) -> Grid {
        let mut grid = Grid::default();
        for (neuron, time) in spikes.filter(|(_, time)| *time >= from && *time < to) {
            let column = (time - from) / (to - from) * f64::from(COLUMNS);
            let mut top = 0;
            for ((_, rows), (_, neurons)) in bands.iter().zip(populations) {
                if neurons.contains(neuron) {
                    // The first neuron is at the bottom. A few neurons are bars, with an empty row between them.
                    let edge = |neuron: u32| (u64::from(neuron) * u64::from(*rows) / neurons.len() as u64) as u32;
                    let row = edge(neuron - neurons.start);
                    let end = edge(neuron - neurons.start + 1).saturating_sub(1).max(row + 1);
                    (row..end).for_each(|row| grid.set(column as u32, top + rows.saturating_sub(row + 1)));
                }
                top += rows;
            }
        }
        grid
    }

    /// The share of cells that are not empty.
    fn share(&self) -> f64 {
        self.0.iter().filter(|cell| **cell).count() as f64 / self.0.len() as f64
    }

    fn set(&mut self, column: u32, row: u32) {
        self.0[(row.min(ROWS - 1) * COLUMNS + column.min(COLUMNS - 1)) as usize] = true;
    }

    fn cells(&self) -> String {
        let digit = |cells: &[bool]| {
            let value = cells.iter().fold(0, |value, cell| 2 * value + u32::from(*cell));
            char::from_digit(value, 16).expect("four cells are a digit")
        };
        self.0.chunks(4).map(digit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spikes_are_cells_of_their_time_and_neuron() {
        let populations = [("E".to_owned(), 0..80), ("I".to_owned(), 80..100)];
        let spikes = [(0, 10.0), (0, 10.5), (79, 20.0), (99, 105.9), (99, 106.0), (99, 9.9)];
        let picture = Thumbnail::raster(&populations, [10.0, 106.0], &spikes);
        assert_eq!(picture.bands, [("E".to_owned(), 38), ("I".to_owned(), 10)]);
        assert_eq!(picture.paths(), [("E", "M10 0.5h1M0 37.5h1".to_owned()), ("I", "M95 38.5h1".to_owned())]);
        let text = serde_json::to_string(&picture).unwrap();
        assert_eq!(serde_json::from_str::<Thumbnail>(&text).unwrap(), picture);
    }

    #[test]
    fn a_few_neurons_are_bars() {
        let picture = Thumbnail::raster(&[("A".to_owned(), 0..16)], [0.0, 96.0], &[(0, 0.5), (15, 95.0)]);
        assert_eq!(picture.paths()[0].1, "M95 1.5h1M95 2.5h1M0 46.5h1M0 47.5h1");
    }

    #[test]
    fn a_sheet_has_two_moments() {
        let sheet = ("cells".to_owned(), 0..64 * 64);
        let picture = Thumbnail::sheet(&sheet, 64, [0.0, 100.0], &[(0, 47.0), (64 * 64 - 1, 99.0), (5, 20.0)]);
        assert_eq!(picture.paths(), [("cells", "M0 0.5h1M95 47.5h1".to_owned())]);
    }
}
