//! From a rule to rows that can be drawn: in parts, so that a large rule shows its progress and can be cancelled.

use spikelet_network::connectors::Draw;
use spikelet_network::{Error, Rule};

use super::Rows;
use super::connectivity::Connectivity;
use super::edge_sorter::EdgeSorter;
use super::edge_source::EdgeSource;
use super::row_by_row::RowByRow;
use super::row_generator::RowGenerator;
use super::total::TotalCounts;

/// Edges, or pairs that are tested, in a part: about 10 ms of work.
const PART: usize = 1 << 19;

/// A projection that is being prepared.
pub struct Preparation<'a> {
    connectivity: Connectivity<'a>,
    autapses: bool,
    step: PreparationStep<'a>,
    /// The number of edges of rows whose total is given, once they are counted.
    counted: u64,
    /// Whether all rows are needed before the first one is used.
    as_whole: bool,
}

enum PreparationStep<'a> {
    /// The number of edges of each row follows from their total.
    Counts(TotalCounts, Draw),
    /// The edges are not drawn row by row.
    Edges(EdgeSorter),
    /// All rows are drawn, from the neuron `next` on, those of `pres` neurons in a part.
    Rows { of: RowGenerator<'a>, next: u32, pres: u32, rows: Rows, dropped: u64 },
    /// It is ready.
    Ready(RowGenerator<'a>),
}

impl<'a> Preparation<'a> {
    /// Begins; with `as_whole`, all rows are drawn here.
    ///
    /// # Errors
    /// A length is not a valid length, or a rule of distance lacks positions.
    pub fn new(connectivity: Connectivity<'a>, as_whole: bool) -> Result<Preparation<'a>, Error> {
        let mut new =
            Preparation { connectivity, autapses: true, counted: 0, as_whole, step: PreparationStep::Ready(RowGenerator::NONE) };
        match new.connectivity.rule.clone() {
            Rule::Pairs(pairs) => {
                let listed = new.connectivity.listed(&pairs);
                new.step = PreparationStep::Ready(new.connectivity.capped(listed, new.connectivity.most, 0));
            }
            Rule::Connector(connector) => {
                let draw = connector.draw(&format!("{}.connect", new.connectivity.path))?;
                new.autapses = connector.autapses();
                if let Draw::Total { n, multapses } = draw {
                    new.step = PreparationStep::Counts(TotalCounts::new(&new.connectivity, n, new.autapses, multapses), draw);
                } else {
                    new.draw(draw, Vec::new())?;
                }
            }
        }
        Ok(new)
    }

    /// Chooses the way to draw a kind of rows. `counts` are the numbers of edges of rows whose total is given.
    fn draw(&mut self, draw: Draw, counts: Vec<u32>) -> Result<(), Error> {
        let (connectivity, autapses) = (&self.connectivity, self.autapses);
        let recipe = connectivity.unfiltered(&draw, autapses, counts);
        let ready = match (recipe, EdgeSource::new(connectivity, &draw, autapses)) {
            (Some(recipe), _)
                if connectivity.keep.is_none() && connectivity.per_pair.is_none() && connectivity.most == [None, None] =>
            {
                RowGenerator::Recipe(recipe)
            }
            (_, Some(source)) => {
                self.step = PreparationStep::Edges(EdgeSorter::new(connectivity, source));
                return Ok(());
            }
            (recipe, None) => RowGenerator::ByPre(RowByRow::new(connectivity.clone(), draw, autapses, recipe)?),
        };
        let is_capped = connectivity.most[1].is_some();
        self.step = if is_capped || self.as_whole {
            let pres = (PART as u64 / ready.cost(connectivity.pre.start, &connectivity.post)).max(1);
            PreparationStep::Rows {
                pres: pres as u32,
                of: ready,
                next: connectivity.pre.start,
                rows: Rows::below(connectivity.post.end),
                dropped: 0,
            }
        } else {
            PreparationStep::Ready(ready)
        };
        Ok(())
    }

    /// Does a part of the work, about 10 ms; whether the rows can be drawn now.
    ///
    /// # Errors
    /// A probability is not between 0 and 1.
    pub fn advance(&mut self) -> Result<bool, Error> {
        let connectivity = &self.connectivity;
        match &mut self.step {
            PreparationStep::Counts(of, draw) => {
                if let Some(counts) = of.advance(connectivity, PART as u64) {
                    let draw = draw.clone();
                    self.counted = of.found();
                    self.draw(draw, counts)?;
                }
            }
            PreparationStep::Edges(sorter) => {
                if let Some(rows) = sorter.advance(connectivity, PART)? {
                    let rows = connectivity.repeated(rows)?;
                    self.step = PreparationStep::Ready(connectivity.capped(rows, connectivity.most, 0));
                }
            }
            PreparationStep::Rows { of, next, pres, rows, dropped } => {
                let end = connectivity.pre.end.min(next.saturating_add(*pres));
                let stretch = connectivity.own_rows(of, *next..end);
                if let Some(fault) = of.fault() {
                    return Err(fault);
                }
                rows.append(&stretch.lengths, &stretch.targets);
                rows.ids.extend(stretch.ids);
                *dropped += stretch.dropped;
                *next = end;
                if end == connectivity.pre.end {
                    let (rows, most) = (std::mem::take(rows), [None, connectivity.most[1]]);
                    self.step = PreparationStep::Ready(connectivity.capped(rows, most, *dropped));
                }
            }
            PreparationStep::Ready(_) => {}
        }
        Ok(matches!(self.step, PreparationStep::Ready(_)))
    }

    /// The number of edges that the preparation has found.
    pub fn found(&self) -> u64 {
        match &self.step {
            PreparationStep::Counts(of, _) => of.found(),
            PreparationStep::Edges(sorter) => sorter.found(),
            PreparationStep::Rows { rows, .. } | PreparationStep::Ready(RowGenerator::Whole { rows, .. }) => rows.len() as u64,
            PreparationStep::Ready(_) => self.counted,
        }
    }

    /// Completes the preparation.
    ///
    /// # Errors
    /// As [`Preparation::advance`].
    pub fn finish(mut self) -> Result<RowGenerator<'a>, Error> {
        while !self.advance()? {}
        let PreparationStep::Ready(ready) = self.step else { unreachable!("it is ready when it does not advance") };
        Ok(ready)
    }
}
