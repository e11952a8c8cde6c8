//! Configurations of 4D-Neural-Cognition.

use super::{accepted, survives, text};
use spikelet::World;

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let Some((world, _)) = accepted(World::from_json(text)) else { return };
    let json = world.to_json();
    let (again, _) = World::from_json(&json).unwrap_or_else(|error| panic!("its own JSON is rejected: {error}\n{json}"));
    assert_eq!(again.to_json(), json, "the JSON differs after it was read");
    let network = world.network();
    if accepted(network.validate()).is_some() {
        survives(&network);
    }
}
