use spikelet::{Activity, Backend, Cpu, Network, Owner, Simulation, Snapshot};
use spikelet_tests::{full, gpu};

use crate::lockstep::file;

/// Before a step, a path gets a value.
type Set = (u32, &'static str, &'static str);

/// Values of each network that are set at some steps.
const SETS: [(&str, &[Set]); 15] = [
    ("recorded", &[(60, "common.w", "0.1")]),
    ("reduced", &[(60, "aa.w", "0.05")]),
    ("regular", &[(40, "held.I", "{\"expr\": \"0.8 + 0.02*i\"}"), (60, "stdp.plasticity", "0")]),
    ("summed", &[(40, "a.C", "150 pF")]),
    ("linked", &[(40, "A.base", "0.5")]),
    ("to_pre", &[(40, "drawn.w", "0.03")]),
    ("halves", &[(50, "stdp.w", "{\"expr\": \"0.2*rand()\"}")]),
    ("third", &[(60, "A.k", "{\"expr\": \"0.5 + 0.2*i\"}")]),
    ("events", &[(40, "drawn.w", "0.03")]),
    ("driven", &[(50, "ab.tau_s", "5 ms"), (101, "ab.w", "{\"expr\": \"0.5*rand()*nS\"}")]),
    ("short_term", &[(50, "shared.U", "0.5"), (90, "plain.w", "{\"expr\": \"2*rand()*nS\"}")]),
    ("presynaptic", &[(50, "nmda.w", "{\"expr\": \"0.006*rand()\"}"), (90, "graded.r", "0.5")]),
    ("in_turn", &[(77, "clipped.w", "{\"expr\": \"8*rand() - 1\"}")]),
    ("pathways", &[(60, "release.w", "1 mV"), (61, "split.w", "{\"expr\": \"2*rand()*mV\"}")]),
    (
        "procedural",
        &[
            (40, "bernoulli.w", "0.05 mV"),
            (60, "outdegree.w", "{\"expr\": \"0.08*mV*rand()\"}"),
            (70, "disc.w", "{\"expr\": \"(0.09 + 0.02*randn())*mV\"}"),
            // Its port has a coarser scale from here on.
            (90, "bernoulli_others.w", "2 mV"),
        ],
    ),
];
const STEPS: u32 = 160;

/// The networks, each with a protocol of its own and the values that are set.
pub(crate) fn cases() -> impl Iterator<Item = (Network, &'static [(u32, &'static str, &'static str)])> {
    SETS.into_iter().map(|(name, sets)| {
        let mut network = file(name);
        // The same value earlier, and by itself: setting it afterwards changes what a reset starts from.
        let (_, path, value) = sets[0];
        let change = format!("{} ms: {path} = {value}", 33.0 * network.dt_ms);
        network.add_change(change.parse().unwrap()).unwrap();
        network.add_stop("spikes > 1000000").unwrap();
        (network, sets)
    })
}

/// Runs to a step in batches, setting what is to be set on the way.
pub(crate) async fn go_on(
    simulation: &mut Simulation,
    until: u32,
    sets: &[(u32, &str, &str)],
    emitted: &mut Activity,
) -> Result<(), spikelet::Error> {
    while simulation.step() < until && simulation.stopped().is_none() {
        let step = simulation.step();
        for (_, path, value) in sets.iter().filter(|(at, ..)| *at == step) {
            simulation.set(path, value).await?;
        }
        let next = sets.iter().map(|(at, ..)| *at).filter(|at| *at > step).min().unwrap_or(until);
        let batch = 17.min(next - step).min(until - step);
        let part = simulation.advance(batch).await?;
        emitted.spikes.extend(part.spikes);
        emitted.samples.extend(part.samples);
    }
    Ok(())
}

/// Devices that give the same bits: two CPUs, and a GPU that is software.
pub(crate) fn alike() -> Vec<(&'static str, Box<dyn Backend>)> {
    let mut devices: Vec<(&'static str, Box<dyn Backend>)> =
        vec![("one CPU thread", Box::new(Cpu::new(1))), ("three CPU threads", Box::new(Cpu::new(3)))];
    if let Some(gpu) = gpu() {
        if gpu.name().contains("llvmpipe") {
            devices.push(("the GPU", Box::new(gpu)));
        } else {
            println!("skipped: {} is no software adapter", gpu.name());
        }
    }
    devices
}

/// Every array, and the weights.
pub(crate) fn arrays(simulation: &mut Simulation) -> Vec<(String, Vec<u32>)> {
    let plan = simulation.plan().clone();
    let all = plan.arrays().iter().filter(|(_, entry)| entry.owner != Owner::Statistic);
    all.map(|(array, entry)| (entry.path.clone(), pollster::block_on(simulation.read(array)).unwrap())).collect()
}

/// Both stand at the same step with the same state.
pub(crate) fn assert_same_state(one: &mut Simulation, other: &mut Simulation, place: &str) {
    assert_eq!(one.step(), other.step(), "{place}");
    assert_eq!(one.changed(), other.changed(), "{place}");
    assert_eq!(one.stopped(), other.stopped(), "{place}");
    assert!(one.network() == other.network() && one.at_start() == other.at_start(), "{place}: the networks differ");
    for ((name, one), (_, other)) in arrays(one).into_iter().zip(arrays(other)) {
        assert_eq!(one.iter().zip(&other).position(|(one, other)| one != other), None, "{place}: {name}");
        assert_eq!(one.len(), other.len(), "{place}: {name}");
    }
}

/// The snapshot of one device, as bytes, goes on on another: same spikes, samples and arrays, and after a reset too. Each network on one of
/// the two others, so that all pairs of devices occur; on every one with `--full`.
#[test]
fn a_snapshot_goes_on_as_if_nothing_had_happened() {
    for (number, (network, sets)) in cases().enumerate() {
        let mut whole = Activity::default();
        let mut reference = None;
        for (place, (from, device)) in alike().into_iter().enumerate() {
            let is_run = |to: usize| full() || to == (place + 1 + number % 2) % 3;
            pollster::block_on(async {
                let mut simulation = Simulation::new(&network, device).await.unwrap();
                let mut before = Activity::default();
                go_on(&mut simulation, 95, sets, &mut before).await.unwrap();
                let bytes = simulation.snapshot().await.unwrap().to_bytes();
                // It has not disturbed what it is of.
                let mut after = Activity::default();
                go_on(&mut simulation, STEPS, sets, &mut after).await.unwrap();
                whole.spikes = [before.spikes, after.spikes.clone()].concat();
                whole.samples = [before.samples, after.samples.clone()].concat();
                assert!(after.spikes.len() > 10, "{}: {} spikes", network.name, after.spikes.len());
                let snapshot = Snapshot::from_bytes(&bytes).unwrap();
                assert_eq!(snapshot.step(), 95);
                for (_, (to, device)) in alike().into_iter().enumerate().filter(|(to, _)| is_run(*to)) {
                    let place = format!("{}, from {from} to {to}", network.name);
                    let mut other = Simulation::from_snapshot(&snapshot, device).await.unwrap();
                    let mut emitted = Activity::default();
                    go_on(&mut other, STEPS, sets, &mut emitted).await.unwrap();
                    assert!(emitted == after, "{place}");
                    assert_same_state(&mut other, &mut simulation, &place);
                    other.reset(0).await.unwrap();
                    let mut again = Activity::default();
                    go_on(&mut other, 60, &[], &mut again).await.unwrap();
                    let mut fresh = Simulation::new(simulation.at_start(), Box::new(Cpu::new(1))).await.unwrap();
                    if fresh.plan().populations.iter().map(|p| &p.ports).eq(other.plan().populations.iter().map(|p| &p.ports)) {
                        let mut expected = Activity::default();
                        go_on(&mut fresh, 60, &[], &mut expected).await.unwrap();
                        assert!(again == expected, "{place}: after a reset");
                    }
                }
            });
            let reference = reference.get_or_insert_with(|| whole.clone());
            assert!(*reference == whole, "{}: {from}", network.name);
        }
    }
}

/// Into a simulation that is elsewhere, with other values.
#[test]
fn restoring_takes_a_simulation_back() {
    let (network, sets) = cases().last().unwrap();
    for (name, device) in alike() {
        pollster::block_on(async {
            let mut simulation = Simulation::new(&network, device).await.unwrap();
            go_on(&mut simulation, 50, sets, &mut Activity::default()).await.unwrap();
            let snapshot = simulation.snapshot().await.unwrap();
            let (mut first, mut second) = (Activity::default(), Activity::default());
            go_on(&mut simulation, STEPS, sets, &mut first).await.unwrap();
            simulation.set("outdegree.w", "{\"expr\": \"0.01*mV*rand()\"}").await.unwrap();
            simulation.restore(&snapshot).await.unwrap();
            assert!(simulation.snapshot().await.unwrap() == snapshot, "{name}");
            go_on(&mut simulation, STEPS, sets, &mut second).await.unwrap();
            assert!(first == second, "{name}");
        });
    }
}

/// What was written to an array directly follows no value of the network, and is kept all the same.
#[test]
fn arrays_that_were_written_are_in_a_snapshot() {
    let network = spikelet::catalogue::network("cuba", 0.1).unwrap();
    for (name, device) in alike() {
        pollster::block_on(async {
            let mut simulation = Simulation::new(&network, device).await.unwrap();
            let weights = simulation.plan().arrays().of(Owner::Events { projection: 0 }, 0).unwrap();
            let words = simulation.read(weights).await.unwrap();
            simulation.advance(30).await.unwrap();
            simulation.write(weights, &words.iter().map(|word| word * 3).collect::<Vec<_>>()).await.unwrap();
            let snapshot = Snapshot::from_bytes(&simulation.snapshot().await.unwrap().to_bytes()).unwrap();
            let expected = simulation.advance(200).await.unwrap();
            let mut other = Simulation::from_snapshot(&snapshot, Box::new(Cpu::new(1))).await.unwrap();
            assert!(other.advance(200).await.unwrap() == expected, "{name}");
        });
    }
}

/// The device is beyond the end of such a run: there is nothing to take a snapshot of.
#[test]
fn a_run_that_has_ended_keeps_its_end() {
    let mut network = spikelet::catalogue::network("cuba", 0.1).unwrap();
    network.add_stop("spikes > 50").unwrap();
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        simulation.advance(2000).await.unwrap();
        let stopped = simulation.stopped().cloned().unwrap();
        let error = simulation.snapshot().await.expect_err("the device is ahead").to_string();
        assert!(error.contains("` was true, and the device has continued to 200 ms"), "{error}");
        simulation.reset(0).await.unwrap();
        simulation.advance(stopped.step).await.unwrap();
        let snapshot = Snapshot::from_bytes(&simulation.snapshot().await.unwrap().to_bytes()).unwrap();
        let mut other = Simulation::from_snapshot(&snapshot, Box::new(Cpu::new(1))).await.unwrap();
        assert_eq!(other.stopped(), Some(&stopped));
        assert!(other.advance(1).await.is_err());
    });
}

/// Networks whose snapshots are kept, and the step of each.
const KEPT: [(&str, u32); 5] = [("plastic", 95), ("short_term", 70), ("events", 95), ("driven", 120), ("procedural", 80)];

fn kept(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots").join(name)
}

/// The hash of all spikes from a snapshot to the last step.
async fn continued(snapshot: &Snapshot) -> String {
    let mut simulation = Simulation::from_snapshot(snapshot, Box::new(Cpu::new(2))).await.unwrap();
    let mut recorder = spikelet::Recorder::new(simulation.plan());
    recorder.add(&simulation.advance(STEPS - snapshot.step()).await.unwrap().spikes);
    assert!(recorder.spikes() > 5, "{} spikes", recorder.spikes());
    recorder.spikes_hash()
}

/// Snapshots that earlier versions wrote continue with the same spikes. A new version of the format adds files (by the test below); none is
/// ever replaced. (All were with format 3, when random numbers became others: their networks are no longer those that are drawn.)
#[test]
fn snapshots_of_all_earlier_versions_continue() {
    let expected: serde_json::Value = serde_json::from_str(include_str!("snapshots/hashes.json")).unwrap();
    let expected = expected.as_object().unwrap();
    assert!(expected.len() >= KEPT.len());
    for (name, hash) in expected {
        let snapshot = Snapshot::from_bytes(&std::fs::read(kept(name)).unwrap()).unwrap();
        assert_eq!(pollster::block_on(continued(&snapshot)), hash.as_str().unwrap(), "{name}");
    }
}

/// `cargo test --test all -- --ignored keep_snapshots_of_this_version` writes files of a new version of the format.
#[test]
#[ignore = "writes files that are kept"]
fn keep_snapshots_of_this_version() {
    let mut hashes: serde_json::Value = serde_json::from_str(include_str!("snapshots/hashes.json")).unwrap();
    for (name, step) in KEPT {
        pollster::block_on(async {
            let mut simulation = Simulation::new(&file(name), Box::new(Cpu::new(1))).await.unwrap();
            simulation.advance(step).await.unwrap();
            let snapshot = simulation.snapshot().await.unwrap();
            let bytes = snapshot.to_bytes();
            let file = format!("{name}.v{}", bytes[8]);
            hashes[&file] = continued(&snapshot).await.into();
            std::fs::write(kept(&file), bytes).unwrap();
        });
    }
    std::fs::write(kept("hashes.json"), format!("{hashes:#}\n")).unwrap();
}
