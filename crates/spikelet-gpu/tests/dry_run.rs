//! What a plan would take of a GPU, for limits that no machine here has. No device is needed.

use spikelet::{Network, Plan, Storage};
use spikelet_gpu::{DryRun, gpu_plan};

fn plan(json: &str) -> Plan {
    let network = Network::from_json(json).unwrap_or_else(|error| panic!("{error}"));
    Plan::new(&network).unwrap_or_else(|error| panic!("{error}"))
}

/// `n` neurons, each with 1000 synapses; a step is 0.1 ms.
fn network(n: u32, delay_ms: f64, storage: Storage) -> Plan {
    let storage = if storage == Storage::Stored { "stored" } else { "procedural" };
    plan(&format!(
        r#"{{"name": "dry", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "n", "size": {n}, "model": "lif_exp"}}],
            "projections": [{{"name": "nn", "pre": "n", "post": "n", "connect": {{"rule": "fixed_outdegree", "n": 1000}},
                "storage": "{storage}", "on_pre": "ge_post += 0.1*mV", "delay_ms": {delay_ms}}}]}}"#
    ))
}

fn bytes(dry: &DryRun, name: &str) -> u64 {
    let found = dry.buffers.iter().filter(|(of, _)| of.split(' ').next() == Some(name));
    found.map(|(_, bytes)| bytes).sum()
}

const MIB: u64 = 1 << 20;

#[test]
fn rows_are_cut_into_as_many_pages_as_the_limit_asks_for() {
    let plan = network(10_000, 1.5, Storage::Stored);
    for (limit, pages) in [(4 * MIB, 10), (16 * MIB, 3), (128 * MIB, 1), (4096 * MIB, 1)] {
        let dry = gpu_plan(&plan, limit).unwrap_or_else(|error| panic!("{limit}: {error}"));
        assert_eq!((dry.pages, dry.dispatches_per_epoch, dry.epoch_steps), (pages, 1 + pages, 16), "{limit}");
        // Synapses, offsets, and one more offset for each piece.
        assert_eq!(bytes(&dry, "rows"), 4 * (10_000_000 + 10_000 + pages as u64), "{limit}");
        assert!(dry.buffers.iter().all(|(_, bytes)| *bytes <= limit), "{dry:?}");
        assert_eq!(dry.bytes(), dry.buffers.iter().map(|(_, bytes)| bytes).sum::<u64>());
    }
}

#[test]
fn weights_of_two_bytes_take_half_a_word() {
    let of = |weights: &str, n: u32, outdegree: u32| {
        plan(&format!(
            r#"{{"name": "dry", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "n", "size": {n}, "model": "lif_exp"}}],
                "projections": [{{"name": "nn", "pre": "n", "post": "n", "connect": {{"rule": "fixed_outdegree", "n": {outdegree}}},
                    "parameters": {{"w": "uniform(0.1 mV, 0.2 mV)"}}, "weights": "{weights}", "on_pre": "ge_post += w"}}]}}"#
        ))
    };
    let rows = |weights: &str, n: u32, outdegree: u32| {
        let dry = gpu_plan(&of(weights, n, outdegree), MIB).unwrap_or_else(|error| panic!("{error}"));
        (dry.pages, bytes(&dry, "rows"))
    };
    assert_eq!(rows("i32", 9, 7), (1, 4 * (10 + 63 + 63)));
    // An odd one is alone in its word.
    assert_eq!(rows("f16", 9, 7), (1, 4 * (10 + 63 + 32)));
    // 579 rows fit a page of 262,144 words, and an odd number of synapses they have; so have the 263 of the last page.
    assert_eq!(rows("f16", 2000, 301), (4, 4 * (2000 + 4 + 602_000 + 301_000 + 2)));
}

#[test]
fn drawn_rows_take_nothing() {
    let dry = gpu_plan(&network(10_000, 1.5, Storage::Procedural), 4 * MIB).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((dry.pages, dry.dispatches_per_epoch, bytes(&dry, "rows")), (1, 3, 16));
}

#[test]
fn what_does_not_fit_is_refused_with_both_sizes_and_the_way_out() {
    let refused = |plan: &Plan, limit: u64, parts: &[&str]| {
        let error = gpu_plan(plan, limit).err().unwrap_or_else(|| panic!("{limit} bytes hold {parts:?}")).to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    let plan_of = |n: u32| network(n, 1.5, Storage::Stored);
    refused(
        &plan_of(2000),
        4000,
        &["`state`", "at most 4000 (maxStorageBufferBindingSize, 3.9 KiB)", "make the network smaller"],
    );
    assert!(gpu_plan(&plan_of(2000), MIB).is_ok());
    // Not even a limit of more bytes than a kernel can count: 1 million steps of the input of 2000 neurons.
    let delayed = network(2000, 100_000.0, Storage::Procedural);
    refused(&delayed, u64::MAX, &["`ring`", "8000008000", "4294967292", "32 bits", "shorten the longest delay"]);
    // One row.
    let row = plan(
        r#"{"name": "row", "dt_ms": 0.1, "duration_ms": 1, "populations": [
            {"name": "a", "size": 1, "equations": "x : 1", "update": "x += 1"},
            {"name": "b", "size": 1000, "equations": "v : 1", "update": "v = 0.5*v"}],
            "projections": [{"name": "ab", "pre": "a", "post": "b", "connect": {"rule": "fixed_outdegree", "n": 1000000},
                "storage": "stored", "on_pre": "v_post += 1"}]}"#,
    );
    refused(&row, 4_000_007, &["1000000 synapses of neuron 0 in `ab`", "4000008 bytes", "at most 4000004 ", "procedural"]);
    assert!(gpu_plan(&row, 4_000_008).is_ok());
    // Synapses with a state are not cut.
    let stateful = plan(
        r#"{"name": "state", "dt_ms": 0.1, "duration_ms": 1, "populations": [
            {"name": "a", "size": 600, "equations": "x : 1", "update": "x += 1"},
            {"name": "b", "size": 600, "equations": "v : 1", "update": "v = 0.5*v"}],
            "projections": [{"name": "ab", "pre": "a", "post": "b", "connect": {"rule": "all"}, "equations": "u : 1",
                "on_pre": "u += 1\nv_post += u", "delay_ms": 0.1}]}"#,
    );
    refused(&stateful, 2 * MIB, &["`rows`", "2097152", "synapses with state are stored in one buffer: use fewer of them"]);
}
