use std::sync::OnceLock;

use proptest::prelude::*;
use serde_json::json;

use super::bytes::{Writer, checksum};
use super::*;
use crate::{Cpu, Recorder, Simulation};

/// Cells with a protocol, synapses with a state and a condition, in the middle of a run; values were set.
fn simulation() -> Simulation {
    let network = json!({
        "name": "n", "dt_ms": 0.1, "duration_ms": 100, "seed": 4,
        "populations": [{"name": "E", "size": 40, "equations": "dv/dt = (I - v)/tau : 1\nI : 1 (constant)", "threshold": "v > 1",
                         "reset": "v = 0", "parameters": {"tau": "10 ms", "I": 1.6}, "initial": {"v": {"expr": "rand()"}}}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3}, "on_pre": "v_post += w",
                         "parameters": {"w": {"expr": "0.02*rand()"}}, "delay_ms": 1, "storage": "stored"},
                        {"name": "learns", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.1},
                         "equations": "x : 1", "on_pre": "x += 0.1\nv_post += 0.01*x", "delay_ms": 0.5}],
        "changes": [{"at_ms": 2, "set": {"E.tau": "8 ms"}}], "stop": ["rate(E, 5 ms) > 900 Hz"]
    });
    let network = Network::from_json(&network.to_string()).unwrap();
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(2))).await.unwrap();
        simulation.advance(100).await.unwrap();
        simulation.set("E.I", "1.7").await.unwrap();
        simulation.set("EE.w", "{\"expr\": \"0.9*rand()\"}").await.unwrap();
        simulation.advance(3).await.unwrap();
        simulation
    })
}

fn snapshot() -> Snapshot {
    pollster::block_on(simulation().snapshot()).unwrap()
}

/// Its bytes, made once.
fn bytes() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| snapshot().to_bytes())
}

#[test]
fn bytes_are_read_back_as_they_were() {
    let snapshot = snapshot();
    assert!(snapshot.trials[0].start.is_some() && !snapshot.trials[0].now.revision.weights.is_empty());
    assert!(snapshot.trials[0].arrays.iter().any(|array| array.name == "E, remembered spikes"));
    let bytes = snapshot.to_bytes();
    assert!(Snapshot::from_bytes(&bytes).unwrap() == snapshot);
}

/// A snapshot outlives the version that wrote it: samples of all formats that are read go on as they did then.
#[test]
fn samples_of_all_formats_go_on() {
    let samples: [&[u8]; 1] = [include_bytes!("samples/format-3.snapshot")];
    for (format, bytes) in (3..).zip(samples) {
        assert_eq!(bytes[8], format);
        let snapshot = Snapshot::from_bytes(bytes).unwrap();
        let mut simulation = pollster::block_on(Simulation::from_snapshot(&snapshot, Box::new(Cpu::new(1)))).unwrap();
        let mut recorder = Recorder::new(simulation.plan());
        recorder.add(&pollster::block_on(simulation.advance(400)).unwrap().spikes);
        assert_eq!((recorder.spikes(), recorder.spikes_hash().as_str()), (838, "541c3e7f01f1c3c2"), "format {format}");

        // Another network is refused, whether hashes tell or the texts, and however often it was written since.
        let snapshot = Snapshot::from_bytes(&snapshot.to_bytes()).unwrap();
        for (path, value) in [("E.tau", "9 ms"), ("PE.w", "0.06"), ("P.rate", "310 Hz")] {
            let mut other = (**snapshot.network()).clone();
            other.set(path, value).unwrap();
            let mut simulation = pollster::block_on(Simulation::new(&other, Box::new(Cpu::new(1)))).unwrap();
            let error = pollster::block_on(simulation.restore(&snapshot)).expect_err(path).to_string();
            assert!(error.contains("of a network with the"), "format {format}: {path}: {error}");
        }
    }
}

/// The known answers of the authors of FNV.
#[test]
fn checksums_are_fnv_1a() {
    let known = [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)];
    for (text, hash) in known {
        assert_eq!(checksum(text.as_bytes()), hash, "{text:?}");
    }
}

#[test]
fn whatever_is_damaged_is_named() {
    let bytes = bytes().to_vec();
    let error = |bytes: &[u8]| Snapshot::from_bytes(bytes).expect_err("it is damaged").to_string();
    assert!(error(b"{}").contains("its first 8 bytes must be `spikelet`"));
    let mut other = bytes.clone();
    other[8] = 9;
    assert!(error(&other).contains("of format 9, but this version reads formats 3 and 4"), "{}", error(&other));
    let cut = error(&bytes[..bytes.len() - 7]);
    assert!(cut.contains(&format!("{} bytes long", bytes.len() - 7)) && cut.contains("were written"), "{cut}");
    let name = b"trial 0: E.v";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
    let mut flipped = bytes.clone();
    flipped[at + 40] ^= 4;
    let error = error(&flipped);
    assert!(error.contains("in `trial 0: E.v`, is damaged: its checksum is"), "{error}");
}

/// A file with one section instead of another, with checksums that hold.
fn with_section(name: &str, content: &Writer) -> Vec<u8> {
    let mut file = super::bytes::Reader::new(bytes(), "the test");
    file.take(8 + 4 + 8 + 4 + 8).unwrap();
    let (mut sections, mut count) = (Writer::default(), 0);
    while file.left() > 0 {
        let (found, mut old) = file.section().unwrap();
        let mut same = Writer(old.take(old.left()).unwrap().to_vec());
        if found == name {
            same.0.clone_from(&content.0);
        }
        sections.section(&found, &same);
        count += 1;
    }
    let mut whole = Writer(b"spikelet".to_vec());
    whole.u32(3);
    whole.u64((32 + sections.0.len()) as u64);
    whole.u32(count);
    whole.u64(checksum(&whole.0));
    whole.0.append(&mut sections.0);
    whole.0
}

#[test]
fn lengths_that_lie_are_found_out() {
    for name in ["about", "network", "trial 0", "trial 0: E.v"] {
        for words in [vec![], vec![u32::MAX; 3], vec![1, u32::MAX, u32::MAX, 0]] {
            let mut content = Writer::default();
            content.words(words.clone());
            // An array may have any length until it meets its network.
            let found = Snapshot::from_bytes(&with_section(name, &content));
            assert!(name == "trial 0: E.v" || found.is_err(), "{name}: {words:?}");
            if let Ok(snapshot) = found {
                let error = pollster::block_on(simulation().restore(&snapshot)).expect_err("another length").to_string();
                assert!(
                    error.contains("the array `E.v` of the snapshot is") && error.contains("but in this network it has 40"),
                    "{error}"
                );
            }
        }
    }
    let mut odd = Writer::default();
    odd.text("x");
    let error = Snapshot::from_bytes(&with_section("trial 0: E.v", &odd)).expect_err("5 bytes").to_string();
    assert!(error.contains("an array has words of 4 bytes"), "{error}");
}

#[test]
fn counts_of_spikes_that_cannot_have_been_are_found_out() {
    let known = snapshot();
    let step = known.step();
    let condition = |count, recent: &[(u32, u64)]| ConditionProgress { count, recent: recent.to_vec() };
    for (progress, is_possible) in [
        (condition(7, &[(step - 2, 3), (step - 1, 4)]), true),
        (condition(6, &[(step - 2, 3), (step - 1, 4)]), false),
        (condition(7, &[(step - 1, 3), (step - 2, 4)]), false),
        (condition(7, &[(step, 7)]), false),
        (condition(7, &[(u32::MAX, 7)]), false),
        (condition(u64::MAX, &[(1, 1), (2, u64::MAX)]), false),
        (condition(u64::MAX, &[]), false),
    ] {
        let mut snapshot = known.clone();
        snapshot.trials[0].conditions = vec![progress.clone()];
        let read = Snapshot::from_bytes(&snapshot.to_bytes());
        assert_eq!(read.is_ok(), is_possible, "{progress:?}");
        let error = read.err().map_or(String::new(), |error| error.to_string());
        assert!(is_possible || error.contains(&format!("they must be of spikes before step {step}")), "{error}");
    }
}

#[test]
fn a_snapshot_of_another_network_is_refused_with_what_differs() {
    let snapshot = snapshot();
    let network = snapshot.network();
    for (path, value, expected) in [
        ("E.size", "41", "with the population `E` of 40 neurons, but in this network it is of 41 neurons"),
        ("seed", "5", "with the seed of 4, but in this network it is of 5"),
        ("dt_ms", "0.05", "with the time step of 0.1 ms, but in this network it is of 0.05 ms"),
        (
            "E.I",
            "2",
            "the population `E` of 40 neurons, but in this network it is of 40 neurons with other equations, values or synapses",
        ),
    ] {
        let mut other = (**network).clone();
        other.set(path, value).unwrap();
        let mut simulation = pollster::block_on(Simulation::new(&other, Box::new(Cpu::new(1)))).unwrap();
        let error = pollster::block_on(simulation.restore(&snapshot)).expect_err(path).to_string();
        assert!(error.contains(expected), "{path}: {error}");
    }
    let mut other = (**network).clone();
    other.projections[0].storage = Some(crate::Storage::Procedural);
    let mut simulation = pollster::block_on(Simulation::new(&other, Box::new(Cpu::new(1)))).unwrap();
    let error = pollster::block_on(simulation.restore(&snapshot)).expect_err("kept otherwise").to_string();
    assert!(error.contains("drawn at every spike"), "{error}");
}

/// The description of the format holds the very numbers.
#[test]
fn the_document_describes_the_format() {
    let text = include_str!("../../../../docs/snapshot.md");
    let bytes = bytes();
    let named = |name: &str| bytes.windows(name.len()).any(|window| window == name.as_bytes());
    for name in ["about", "network", "trial 0", "trial 0: E.v", "trial 0: E, last spikes", "trial 0: E, ring 0"] {
        assert!(named(name), "{name} is no section");
        assert!(text.contains(&format!("`{name}`")), "docs/snapshot.md does not name {name}");
    }
    for name in ["E, remembered spikes", "learns.x"] {
        assert!(named(&format!("trial 0: {name}")), "{name} is no array");
        assert!(text.contains(&format!("`{name}`")), "docs/snapshot.md does not name {name}");
    }
    // The example of a head.
    assert!(text.contains("73 70 69 6b 65 6c 65 74  03 00 00 00") && bytes.starts_with(b"spikelet\x03\0\0\0"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_flipped_bit_is_noticed(place in any::<prop::sample::Index>(), bit in 0..8) {
        let mut bytes = bytes().to_vec();
        let place = place.index(bytes.len());
        bytes[place] ^= 1_u8 << bit;
        prop_assert!(Snapshot::from_bytes(&bytes).is_err(), "byte {}", place);
    }

    #[test]
    fn a_cut_file_is_noticed(place in any::<prop::sample::Index>()) {
        let bytes = bytes();
        prop_assert!(Snapshot::from_bytes(&bytes[..place.index(bytes.len())]).is_err());
    }

    /// Contents that nobody wrote, with checksums that hold: an error, or a snapshot that is refused, never a panic.
    #[test]
    fn any_content_is_read_without_a_panic(content in prop::collection::vec(any::<u8>(), 0..200), which in 0..4_usize) {
        let name = ["about", "network", "trial 0", "trial 0: E.v"][which];
        if let Ok(snapshot) = Snapshot::from_bytes(&with_section(name, &Writer(content))) {
            _ = pollster::block_on(simulation().restore(&snapshot));
        }
    }
}
