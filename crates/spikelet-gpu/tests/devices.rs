//! Adapters of this machine, and forced failures of what is asked of them.
//!
//! Without an adapter a test says so and passes, unless `SPIKELET_REQUIRE_ADAPTER` is set, as in CI.

use pollster::block_on;
use spikelet::{Error, Network, Simulation, Storage};
use spikelet_gpu::{Device, Gpu, Selector, adapters};

/// What was opened; none where there is no adapter.
fn opened(device: Result<Device, Error>) -> Option<Device> {
    match device {
        Ok(device) => Some(device),
        Err(error) => {
            assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
            println!("skipped: no adapter ({error})");
            None
        }
    }
}

/// A thousand neurons, each with a hundred synapses: 400 kB of them.
fn network(storage: Storage) -> Network {
    let storage = if storage == Storage::Stored { "stored" } else { "procedural" };
    let json = format!(
        r#"{{"name": "full", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "n", "size": 1000, "model": "lif_exp"}}],
            "projections": [{{"name": "nn", "pre": "n", "post": "n", "connect": {{"rule": "fixed_outdegree", "n": 100}},
                "storage": "{storage}", "on_pre": "ge_post += 0.1*mV"}}]}}"#
    );
    Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"))
}

fn loaded(network: &Network, device: Device) -> Result<(), Error> {
    block_on(Simulation::new(network, Box::new(Gpu::new(device)))).map(|_| ())
}

/// A neuron looks only through its own channels: Mesa's software adapter ends a kernel after 65,535 rounds of its loops.
#[test]
fn all_of_many_channels_are_recorded() {
    let Some(device) = opened(block_on(Device::open())) else { return };
    let (neurons, recordings) = (1100, 60);
    let all = vec![r#"{"object": "A", "var": "x", "indices": "all"}"#; recordings].join(", ");
    let json = format!(
        r#"{{"name": "channels", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "A", "size": {neurons}, "equations": "x : 1",
            "update": "x = i + 1"}}], "recordings": [{all}]}}"#
    );
    let network = Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
    let samples = block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Gpu::new(device))).await.unwrap();
        simulation.advance(3).await.unwrap().samples
    });
    let last = &samples[2 * neurons * recordings..];
    assert_eq!(last.len(), neurons * recordings);
    assert_eq!(last.iter().zip(0..).find(|(value, channel)| **value != (channel % neurons + 1) as f32), None);
}

#[test]
fn adapters_say_what_they_have_and_what_is_asked_of_them() {
    let all = block_on(adapters());
    for (number, adapter) in all.iter().enumerate() {
        assert!(!adapter.name.is_empty() && !adapter.api.is_empty(), "{adapter:?}");
        assert!(adapter.max_binding_bytes() >= 128 << 20 && adapter.limit("maxStorageBuffersPerShaderStage") == 8, "{adapter:?}");
        assert!(
            adapter.limits.iter().all(|limit| limit.available >= limit.requested || limit.name.starts_with("min")),
            "{adapter:?}"
        );
        let asked: Vec<&str> = adapter.features.iter().filter(|of| of.requested).map(|of| of.name).collect();
        assert!(asked.iter().all(|name| *name == "timestamp-query"), "{adapter:?}");
        let device = block_on(Device::open_with(&Selector::Number(number))).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(device.report(), adapter);
    }
    let none =
        block_on(Device::open_with(&Selector::Number(all.len()))).err().map(|error| (error.is_bad_input(), error.to_string()));
    assert!(none.as_ref().is_some_and(|(bad, sentence)| *bad && sentence.contains(&format!("`{}`", all.len()))), "{none:?}");
}

#[test]
fn a_device_without_room_names_the_buffer_and_the_ways_out() {
    let Some(device) = opened(block_on(Device::open_short_of_memory(300_000))) else { return };
    let Err(error) = loaded(&network(Storage::Stored), device.clone()) else { panic!("400 kB fit into 300 kB") };
    let Error::OutOfMemory { buffer, bytes, total, why, way_out, .. } = &error else { panic!("{error}") };
    // The log of spikes, two words each, is larger than the rows.
    assert!(["rows", "spikes"].contains(&buffer.as_str()) && *bytes > 300_000 && *total > *bytes, "{error}");
    assert!(why.contains("300000"), "{error}");
    assert!(way_out.contains("`nn` (394.5 KiB)") && way_out.ends_with("or use the CPU"), "{error}");
    // The device is as good as before.
    let Some(device) = opened(block_on(Device::open())) else { return };
    assert_eq!(loaded(&network(Storage::Stored), device), Ok(()));
}

#[test]
fn a_limit_is_named_before_anything_is_allocated() {
    let Some(device) = opened(block_on(Device::open())) else { return };
    let refused = |bytes: u64| match loaded(&network(Storage::Stored), device.clone().with_limits_of(bytes)) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("{bytes} bytes are enough"),
    };
    for (bytes, parts) in [
        (10_000, ["`state`", "at most 10000 (maxStorageBufferBindingSize", "use the CPU"]),
        (100, ["`state`", "at most 100 ", "smaller"]),
    ] {
        let sentence = refused(bytes);
        assert!(parts.iter().all(|part| sentence.contains(part)), "{sentence}");
    }
    // More than it has is not promised by saying so.
    assert_eq!(loaded(&network(Storage::Procedural), device.with_limits_of(u64::MAX)), Ok(()));
}
