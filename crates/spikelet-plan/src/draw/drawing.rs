//! A projection on the way from a rule to rows: drawn in parts, each with its delays and weights.

mod compute;
mod finish;
mod prepare;
mod values;

pub(crate) use prepare::Preparing;
pub(crate) use values::DrawnPart;

use std::ops::Range;
use std::sync::Arc;

use spikelet_kernel::ValueCode;
use spikelet_network::{Error, Weights};
use spikelet_rows::connect::{Connectivity, ProceduralRows, RowGenerator, Rows};

use super::memory::{MAX_KEPT, too_many_kept};
use crate::Degrees;
use crate::check::checked::CheckedProjection;
use crate::check::quantities::WriteValues;
use crate::neurons::ends::EndValues;
use crate::neurons::sources::LoweredNetwork;
use crate::values::{NamedValues, Values};

/// The bounds of an empty set of delays.
const NO_DELAY: Range<u32> = Range { start: u32::MAX, end: 0 };

/// The results of a part.
#[derive(Default)]
pub(crate) struct ChunkResult {
    lengths: Vec<u32>,
    targets: Vec<u32>,
    /// Delays in steps of each pathway with differing delays, and the maximum.
    delays: Vec<Vec<u32>>,
    /// The increments of each write with differing values.
    amounts: Vec<Vec<f32>>,
    /// The same in f64, if they are requested.
    exact_amounts: Vec<Vec<f64>>,
    incoming: Vec<u32>,
    largest: Vec<f64>,
    /// Sums of the absolute weights onto each postsynaptic neuron of the slice.
    sums: Vec<Vec<f64>>,
    longest: Vec<Range<u32>>,
    dropped: u64,
}

/// A projection whose parts are being drawn.
pub(crate) struct Drawing<'a> {
    network: Arc<LoweredNetwork<'a>>,
    index: usize,
    checked: CheckedProjection,
    ready: RowGenerator<'a>,
    pre: Range<u32>,
    connectivity: Connectivity<'a>,
    /// The places of the own neurons among the postsynaptic ones.
    places: Range<u32>,
    named: NamedValues,
    /// The variable and value of each write, and the delay in ms of each pathway.
    writes: WriteValues,
    delays: Vec<Values>,
    /// Codes of the delays (in steps) and of the writes that differ between synapses, in that order.
    codes: [Vec<Arc<ValueCode>>; 2],
    /// The format of differing weights.
    weights: Option<Weights>,
    /// Whether rows are drawn again at every spike.
    procedural: Option<ProceduralRows>,
    ends: EndValues,
    /// Synapses that the preparation found.
    prepared: u64,
    /// Presynaptic neurons per part.
    stretch: u32,
    next: u32,
    /// The completed parts.
    rows: Rows,
    kept_delays: Vec<Vec<u32>>,
    amounts: Vec<Vec<f32>>,
    /// The same in f64, if they are requested.
    exact_amounts: Option<Vec<Vec<f64>>>,
    degrees: Degrees,
    largest: Vec<f64>,
    sums: Vec<Vec<f64>>,
    longest: Vec<Range<u32>>,
    synapses: u64,
}

impl<'a> Drawing<'a> {
    /// Takes rows that were drawn as a whole, for values that are computed afterwards.
    fn take_whole(&mut self) {
        let RowGenerator::Whole { mut rows, dropped, .. } = std::mem::replace(&mut self.ready, RowGenerator::NONE) else {
            return;
        };
        rows.place_targets(&self.connectivity.own);
        self.degrees.dropped = dropped;
        self.degrees.outgoing = rows.offsets.windows(2).map(|row| (row[1] - row[0]) as u32).collect();
        rows.targets().for_each(|target| self.degrees.incoming[target as usize] += 1);
        self.synapses = rows.len() as u64;
        self.rows = rows;
        self.next = self.pre.end;
    }

    /// Presynaptic neurons of the next parts, at most this many parts.
    pub(crate) fn next(&mut self, most: usize) -> Vec<Range<u32>> {
        let mut stretches = Vec::new();
        while self.next < self.pre.end && stretches.len() < most {
            let end = self.pre.end.min(self.next.saturating_add(self.stretch));
            stretches.push(self.next..end);
            self.next = end;
        }
        stretches
    }

    /// The projection's name.
    pub(crate) fn name(&self) -> &str {
        &self.checked.name
    }

    /// Whether its rows are procedural.
    pub(crate) fn is_procedural(&self) -> bool {
        self.procedural.is_some()
    }

    /// Whether all parts are drawn.
    pub(crate) fn is_done(&self) -> bool {
        self.next >= self.pre.end
    }

    /// Synapses so far.
    pub(crate) fn synapses(&self) -> u64 {
        self.synapses
    }

    /// The progress in synapses; those of rules that draw twice count by halves.
    pub(crate) fn progress(&self) -> u64 {
        if self.prepared > 0 { self.prepared.midpoint(self.synapses) } else { self.synapses }
    }

    /// Draws a part; can run on several threads at once.
    pub(crate) fn draw(&self, pres: Range<u32>) -> Result<ChunkResult, Error> {
        if let (Some(procedural), true) = (&self.procedural, self.codes.iter().all(Vec::is_empty)) {
            // Nothing is stored and nothing differs: no synapse is drawn before a spike needs it.
            return Ok(ChunkResult {
                lengths: pres.map(|pre| self.connectivity.own_length(procedural, pre)).collect(),
                ..ChunkResult::default()
            });
        }
        let mut incoming = vec![0; self.places.len()];
        let stretch = self.connectivity.own_rows(&self.ready, pres.clone());
        if let Some(fault) = self.ready.fault() {
            return Err(fault);
        }
        // Values are drawn for neurons; everything else uses their places.
        let mut places = stretch.targets;
        self.to_places(&mut places);
        places.iter().for_each(|place| incoming[(place - self.places.start) as usize] += 1);
        let mut part = ChunkResult {
            lengths: stretch.lengths,
            targets: places,
            delays: vec![Vec::new(); self.codes[0].len()],
            amounts: vec![Vec::new(); self.codes[1].len()],
            exact_amounts: vec![Vec::new(); self.codes[1].len()],
            incoming,
            largest: vec![0.0; self.codes[1].len()],
            sums: vec![vec![0.0; self.places.len()]; self.codes[1].len()],
            longest: vec![NO_DELAY; self.codes[0].len()],
            dropped: stretch.dropped,
        };
        if self.codes.iter().any(|codes| !codes.is_empty()) {
            self.compute(pres, &stretch.ids, &mut part)?;
        }
        if self.procedural.is_some() {
            (part.targets, part.delays, part.amounts, part.exact_amounts) = Default::default();
        }
        Ok(part)
    }

    /// Replaces own neurons by their places.
    fn to_places(&self, neurons: &mut [u32]) {
        match self.connectivity.own.as_range() {
            Some(Range { start: 0, .. }) => {}
            Some(range) => neurons.iter_mut().for_each(|neuron| *neuron -= range.start),
            None => neurons.iter_mut().for_each(|neuron| *neuron = self.connectivity.own.place(*neuron).unwrap_or_default()),
        }
    }

    fn path(&self, key: &str) -> String {
        format!("projections[{}].{key}", self.index)
    }

    /// Adds a part to the previous ones.
    pub(crate) fn add(&mut self, part: ChunkResult) -> Result<(), Error> {
        let count: u64 = part.lengths.iter().map(|length| u64::from(*length)).sum();
        self.synapses += count;
        self.degrees.dropped += part.dropped;
        for (sum, of_part) in self.degrees.incoming[self.places.start as usize..].iter_mut().zip(part.incoming) {
            *sum += of_part;
        }
        for (largest, of_part) in self.largest.iter_mut().zip(part.largest) {
            *largest = largest.max(of_part);
        }
        for (sum, of_part) in self.sums.iter_mut().flatten().zip(part.sums.iter().flatten()) {
            *sum += of_part;
        }
        for (longest, of_part) in self.longest.iter_mut().zip(part.longest) {
            *longest = longest.start.min(of_part.start)..longest.end.max(of_part.end);
        }
        if self.procedural.is_none() {
            if self.synapses > MAX_KEPT {
                return Err(too_many_kept(self.index, format!("{} synapses so far", self.synapses)));
            }
            let (kept, room) = (self.rows.words.len(), self.rows.words.capacity());
            if self.synapses > room as u64 {
                // Expected from the first part with a margin; if that is insufficient, an eighth more.
                let stretches = (self.pre.len() as f64 / part.lengths.len().max(1) as f64).max(1.0);
                let wanted = match room {
                    0 if stretches > 1.0 => count as f64 * stretches * 1.01 + 1000.0,
                    _ => count as f64 + kept as f64 / 8.0,
                };
                let more = (wanted as u64).min(MAX_KEPT - kept as u64) as usize;
                self.rows.words.reserve_exact(more);
                self.kept_delays.iter_mut().for_each(|delays| delays.reserve_exact(more));
                self.amounts.iter_mut().for_each(|amounts| amounts.reserve_exact(more));
            }
            let mut end = self.rows.offsets.last().copied().unwrap_or(0);
            self.rows.offsets.extend(part.lengths.iter().map(|length| {
                end += u64::from(*length);
                end
            }));
            self.rows.words.extend(&part.targets);
            self.kept_delays.iter_mut().zip(part.delays).for_each(|(all, own)| all.extend(own));
            self.amounts.iter_mut().zip(part.amounts).for_each(|(all, own)| all.extend(own));
            self.exact_amounts.iter_mut().flatten().zip(part.exact_amounts).for_each(|(all, own)| all.extend(own));
        }
        self.degrees.outgoing.extend(part.lengths);
        Ok(())
    }
}
