//! Configurations of 4D-Neural-Cognition.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikelet::World;
use spikelet_fuzz::{accepted, survives, text};

fuzz_target!(|bytes: &[u8]| {
    let Some(text) = text(bytes) else { return };
    let Some((world, _)) = accepted(World::from_json(text)) else { return };
    let json = world.to_json();
    let (again, _) = World::from_json(&json).unwrap_or_else(|error| panic!("its own JSON is rejected: {error}\n{json}"));
    assert_eq!(again.to_json(), json, "the JSON differs after it was read");
    let network = world.network();
    if accepted(network.validate()).is_some() {
        survives(&network);
    }
});
