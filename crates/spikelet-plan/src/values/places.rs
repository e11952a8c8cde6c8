//! Coordinates and distance of a pair of neurons.

use std::sync::Arc;

use spikelet_lang::term::Symbol;
use spikelet_rows::connect::Space;

/// Names of coordinates, those of the presynaptic neuron first, and of the distance; [`Symbol::Read`] is an index into them.
pub(crate) const PLACES: [&str; 9] = ["x_pre", "y_pre", "z_pre", "w_pre", "x_post", "y_post", "z_post", "w_post", "d"];

/// Positions of the neurons of both sides, if there are any.
pub(crate) type Spaces = Option<[Arc<Space>; 2]>;

/// The symbol of a coordinate or of the distance, if neurons have positions.
pub(crate) fn place_symbol(spaces: &Spaces, name: &str) -> Option<Symbol> {
    let [pre, _] = spaces.as_ref()?;
    let place = PLACES.iter().position(|known| *known == name)?;
    (place == PLACES.len() - 1 || place % 4 < pre.dimensions).then_some(Symbol::Read(place))
}

/// The value of such a symbol for a pair of neurons, in µm.
pub(crate) fn place_value(spaces: &Spaces, read: usize, pre: u32, post: u32) -> f64 {
    let Some([from, to]) = spaces else { return f64::NAN };
    match read {
        0..4 => from.place(pre)[read],
        4..8 => to.place(post)[read - 4],
        _ => to.distance(from.place(pre), to.place(post)),
    }
}
