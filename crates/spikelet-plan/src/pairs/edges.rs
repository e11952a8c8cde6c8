//! Synapses as elements of values: drawn ones, and those that are not drawn yet.

use std::collections::HashMap;

use spikelet_lang::Dimension;
use spikelet_lang::term::Symbol;
use spikelet_network::{Network, Projection};
use spikelet_rows::OwnNeurons;
use spikelet_rows::connect::Rows;
use spikelet_rows::rng::synapse_draw;

use crate::neurons::ends::EndValues;
use crate::values::{Elements, site_of};

/// The synapses of a projection with known rows.
pub(crate) struct KnownEdges<'a> {
    network: &'a Network,
    projection: usize,
    pre: Vec<u32>,
    rows: &'a Rows,
    /// The neurons at the places that rows have as targets.
    own: &'a OwnNeurons,
    /// Number of earlier synapses in the row between the same two neurons.
    copies: HashMap<usize, u32>,
    pairs: Option<usize>,
    ends: EndValues,
}

impl<'a> KnownEdges<'a> {
    pub(crate) fn new(
        network: &'a Network,
        (projection, pairs): (usize, Option<usize>),
        rows: &'a Rows,
        first_pre: u32,
        own: &'a OwnNeurons,
        ends: EndValues,
    ) -> Self {
        let mut pre = Vec::with_capacity(rows.len());
        let mut copies = HashMap::new();
        for (row, ends) in rows.offsets.windows(2).enumerate() {
            let (start, end) = (ends[0] as usize, ends[1] as usize);
            pre.resize(end, first_pre + row as u32);
            let mut copy = 0;
            for at in start + 1..end {
                copy = if rows.target(at) == rows.target(at - 1) { copy + 1 } else { 0 };
                if copy > 0 {
                    copies.insert(at, copy);
                }
            }
        }
        KnownEdges { network, projection, pre, rows, own, copies, pairs, ends }
    }

    /// The pre- and postsynaptic neuron of a synapse.
    pub(crate) fn neurons(&self, element: usize) -> [u32; 2] {
        [self.pre[element], self.post(element)]
    }

    /// The postsynaptic neuron of a synapse.
    fn post(&self, element: usize) -> u32 {
        self.own.neuron(self.rows.target(element))
    }
}

impl Elements for KnownEdges<'_> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn symbol(&self, symbol: Symbol, element: usize) -> f64 {
        match symbol {
            Symbol::Index => f64::from(self.pre[element]),
            Symbol::PostIndex => f64::from(self.post(element)),
            // A part of the synapses does not know how many there are.
            Symbol::Size if self.own.len() < self.own.size() => f64::NAN,
            Symbol::Size => self.rows.len() as f64,
            Symbol::Dt => self.network.dt_ms,
            Symbol::Read(read) => {
                let uniform = self.ends.uniform(read);
                uniform.unwrap_or_else(|| self.ends.value(read, self.pre[element], self.post(element)))
            }
            _ => f64::NAN,
        }
    }

    fn draw(&self, number: u32, site: u32, attempt: u32, element: usize) -> [u32; 4] {
        // The coordinates are the pair itself: a weight does not depend on the other synapses. Where synapses of a pair cannot be distinguished
        // without the whole row, it is the number of the draw in the row.
        let (id, copy) = match self.rows.ids.get(element) {
            Some(id) => (*id, 0),
            None => (self.post(element), self.copies.get(&element).copied().unwrap_or(0)),
        };
        let drawn = self.projection as u32 | attempt << 16;
        synapse_draw(self.network.seed, drawn, [self.pre[element], id, copy], site_of(number, site))
    }

    fn place(&self, element: usize) -> Option<usize> {
        self.rows.pairs.get(element).map(|pair| *pair as usize)
    }

    fn listed(&self) -> Result<usize, &'static str> {
        self.pairs.ok_or(NO_LIST)
    }

    fn read(&self, name: &str) -> Option<(Symbol, Dimension)> {
        self.ends.symbol(name)
    }

    fn uniform_read(&self, read: usize) -> Option<f64> {
        self.ends.uniform(read)
    }

    fn elsewhere(&self, name: &str) -> Option<String> {
        self.ends.elsewhere(name)
    }
}

const NO_LIST: &str = "a list of values needs a list of `pairs`; for a rule use one value or an expression.";

/// Synapses that a rule will draw.
pub(crate) struct EdgelessContext<'a> {
    pub(crate) dt: f64,
    pub(crate) projection: &'a Projection,
    pub(crate) ends: EndValues,
}

impl Elements for EdgelessContext<'_> {
    fn count(&self) -> usize {
        0
    }

    fn symbol(&self, symbol: Symbol, _: usize) -> f64 {
        match symbol {
            Symbol::Dt => self.dt,
            // Any number is sufficient if only dimensions are needed.
            Symbol::Read(read) => self.ends.uniform(read).unwrap_or(1.0),
            _ => 1.0,
        }
    }

    fn draw(&self, _: u32, _: u32, _: u32, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn place(&self, _: usize) -> Option<usize> {
        None
    }

    fn listed(&self) -> Result<usize, &'static str> {
        self.projection.pairs.as_ref().map(|pairs| pairs.len()).ok_or(NO_LIST)
    }

    fn is_undrawn(&self) -> bool {
        true
    }

    fn read(&self, name: &str) -> Option<(Symbol, Dimension)> {
        self.ends.symbol(name)
    }

    fn uniform_read(&self, read: usize) -> Option<f64> {
        self.ends.uniform(read)
    }

    fn elsewhere(&self, name: &str) -> Option<String> {
        self.ends.elsewhere(name)
    }
}
