//! Synapses as elements of values: drawn ones, and those that are not drawn yet.

use std::collections::HashMap;
use std::sync::Arc;

use spikelet_lang::term::Symbol;

use super::values::Elements;
use crate::connect::{Rows, Space};
use crate::rng::{Key, Purpose};
use crate::{Network, OwnNeurons, Projection};

/// Ordinal of the delay among the quantities of a projection.
pub(super) const DELAY: u32 = 0xff;
/// The same for the delay of `on_post`.
pub(super) const DELAY_POST: u32 = 0xfe;

/// Names of coordinates, those of the presynaptic neuron first, and of the distance; [`Symbol::Read`] is an index into them.
const PLACES: [&str; 9] = ["x_pre", "y_pre", "z_pre", "w_pre", "x_post", "y_post", "z_post", "w_post", "d"];

/// Positions of the neurons of both sides, if there are any.
pub(super) type Spaces = Option<[Arc<Space>; 2]>;

/// The symbol of a coordinate or of the distance, if neurons have positions.
pub(super) fn place_symbol(spaces: &Spaces, name: &str) -> Option<Symbol> {
    let [pre, _] = spaces.as_ref()?;
    let place = PLACES.iter().position(|known| *known == name)?;
    (place == PLACES.len() - 1 || place % 4 < pre.dimensions).then_some(Symbol::Read(place))
}

/// The value of such a symbol for a pair of neurons, in µm.
pub(super) fn place_value(spaces: &Spaces, read: usize, pre: u32, post: u32) -> f64 {
    let Some([from, to]) = spaces else { return f64::NAN };
    match read {
        0..4 => from.place(pre)[read],
        4..8 => to.place(post)[read - 4],
        _ => to.distance(from.place(pre), to.place(post)),
    }
}

/// The synapses of a projection with known rows.
pub(super) struct KnownEdges<'a> {
    network: &'a Network,
    projection: usize,
    pre: Vec<u32>,
    rows: &'a Rows,
    /// The neurons at the places that rows have as targets.
    own: &'a OwnNeurons,
    /// Number of earlier synapses in the row between the same two neurons.
    copies: HashMap<usize, u32>,
    pairs: Option<usize>,
    spaces: Spaces,
}

impl<'a> KnownEdges<'a> {
    pub(super) fn new(
        network: &'a Network,
        projection: usize,
        rows: &'a Rows,
        first_pre: u32,
        own: &'a OwnNeurons,
        spaces: Spaces,
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
        let pairs = network.projections[projection].pairs.as_ref().map(|pairs| pairs.len());
        KnownEdges { network, projection, pre, rows, own, copies, pairs, spaces }
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
            Symbol::Read(read) => place_value(&self.spaces, read, self.pre[element], self.post(element)),
            _ => f64::NAN,
        }
    }

    fn draw(&self, quantity: u32, site: u32, attempt: u32, element: usize) -> [u32; 4] {
        // The coordinates are the pair itself: a weight does not depend on the other synapses.
        let copy = self.copies.get(&element).copied().unwrap_or(0);
        let block = copy << 16 | (quantity & 0xff) << 8 | (site & 0xff);
        let purpose = if quantity >= DELAY_POST { Purpose::Delay } else { Purpose::Weight };
        let drawn = self.projection as u32 | attempt << 16;
        Key(self.network.seed).draw(purpose, drawn, [self.pre[element], self.post(element), block])
    }

    fn place(&self, element: usize) -> Option<usize> {
        self.rows.pairs.get(element).map(|pair| *pair as usize)
    }

    fn listed(&self) -> Result<usize, &'static str> {
        self.pairs.ok_or(NO_LIST)
    }

    fn place_symbol(&self, name: &str) -> Option<Symbol> {
        place_symbol(&self.spaces, name)
    }
}

const NO_LIST: &str = "a list of values needs a list of `pairs`; for a rule use one value or an expression.";

/// Synapses that a rule will draw.
pub(super) struct EdgelessContext<'a> {
    pub(super) dt: f64,
    pub(super) projection: &'a Projection,
    pub(super) spaces: Spaces,
}

impl Elements for EdgelessContext<'_> {
    fn count(&self) -> usize {
        0
    }

    fn symbol(&self, symbol: Symbol, _: usize) -> f64 {
        // Any number is sufficient if only dimensions are needed.
        if symbol == Symbol::Dt { self.dt } else { 1.0 }
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

    fn place_symbol(&self, name: &str) -> Option<Symbol> {
        place_symbol(&self.spaces, name)
    }
}
