//! Exchange between ranks: devices or processes that each have a [part](spikelet_rows::Part) of the neurons of a network.

mod deferred;
mod places;
mod played;
mod rank_link;
mod routes;

pub(crate) use places::{OwnPlaces, SynapsePlaces};
pub use played::{Played, together};
pub(crate) use rank_link::drawing_synapses;
pub use rank_link::{RankLink, RankTiming, draws, part_steps};
pub use routes::Routes;
