mod loaded;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use spikelet::{Backend, Cpu, Network, Owner, Plan, Storage, Trial, Weights};
use spikelet_gpu::{Fusion, Gpu, GpuOptions, gpu_plan};
use spikelet_tests::{RecordedRun, device, devices, full, gpu, gpu_with, run};
use spikelet_verify::{library_cells, library_synapses};

use loaded::Loaded;

/// A file of the folder `networks`.
pub(crate) fn file(name: &str) -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("networks").join(name).with_extension("json");
    Network::from_json(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a network on the CPU and on the GPU, and compares every array after each step, or after `stride` of them. Before some
/// steps a value is set.
fn lockstep(network: &Network, steps: u32, stride: u32, sets: &[(u32, &str, &str)]) {
    let options = GpuOptions { fusion: Some(Fusion::None), ..GpuOptions::default() };
    lockstep_on(&|| gpu_with(options), network, steps, stride, sets);
}

/// The same on a GPU that `open` opens.
fn lockstep_on(open: &dyn Fn() -> Option<Gpu>, network: &Network, steps: u32, stride: u32, sets: &[(u32, &str, &str)]) {
    let Some(gpu) = open() else { return };
    let name = &network.name;
    let mut cpu = run(network, Box::new(Cpu::new(1)), 0.0, 1).unwrap();
    let mut gpu = run(network, Box::new(gpu), 0.0, 1).unwrap();
    if !gpu.simulation.backend().name().contains("llvmpipe") {
        return lockstep_loaded(open, network, steps, sets);
    }
    for step in (0..steps).step_by(stride as usize) {
        for (_, path, value) in sets.iter().filter(|(at, ..)| *at == step) {
            for run in [&mut cpu, &mut gpu] {
                pollster::block_on(run.simulation.set(path, value)).unwrap_or_else(|error| panic!("{name}: {error}"));
            }
        }
        let time = f64::from(stride) * network.dt_ms;
        pollster::block_on(cpu.go_on(time, stride)).unwrap();
        pollster::block_on(gpu.go_on(time, stride)).unwrap();
        assert!(gpu.spikes == cpu.spikes, "{name}, from step {step}: spikes");
        for ((array, gpu), (_, cpu)) in gpu.arrays().unwrap().iter().zip(cpu.arrays().unwrap()) {
            let differ = gpu.iter().zip(&cpu).position(|(gpu, cpu)| gpu != cpu);
            if let Some(place) = differ {
                let [on_gpu, on_cpu] = [gpu[place], cpu[place]].map(|word| (f32::from_bits(word), word as i32));
                panic!(
                    "{name}, from step {step}: {array} differs first, in place {place}: {on_gpu:?} on the GPU, {on_cpu:?} on the CPU"
                );
            }
            assert_eq!(gpu.len(), cpu.len(), "{name}: {array}");
        }
        assert!(gpu.samples == cpu.samples, "{name}, from step {step}: samples");
    }
    assert!(cpu.spikes.len() > 20, "{name}: {} spikes", cpu.spikes.len());
    // In batches it is the same.
    let mut whole = run(network, Box::new(open().unwrap()), 0.0, 1).unwrap();
    for (end, set) in sets.iter().map(|(at, path, value)| (*at, Some((path, value)))).chain([(steps, None)]) {
        let time = f64::from(end - whole.simulation.step()) * network.dt_ms;
        pollster::block_on(whole.go_on(time, u32::MAX)).unwrap();
        if let Some((path, value)) = set {
            pollster::block_on(whole.simulation.set(path, value)).unwrap();
        }
    }
    assert!((whole.spikes, whole.samples) == (gpu.spikes, gpu.samples), "{name}: in batches");
}

/// The same for adapters that round in their own way: step by step, each from the CPU's arrays.
fn lockstep_loaded(open: &dyn Fn() -> Option<Gpu>, network: &Network, steps: u32, sets: &[(u32, &str, &str)]) {
    let Some(gpu) = open() else { return };
    let mut loaded = Loaded::new(network, Box::new(gpu));
    for step in 0..steps {
        sets.iter().filter(|(at, ..)| *at == step).for_each(|(_, path, value)| loaded.set(path, value));
        loaded.step();
    }
    assert!(loaded.spikes() > 20, "{}: {} spikes", network.name, loaded.spikes());
}

/// What hardware is judged by can be passed.
#[test]
fn loaded_from_the_cpu() {
    lockstep_loaded(&gpu, &file("procedural"), 60, &SETS);
    if full() {
        lockstep_loaded(&gpu, &cells(), 40, &[]);
        lockstep_loaded(&gpu, &synapses(), 60, &[]);
    }
}

#[test]
fn summed() {
    lockstep(&file("summed"), 150, 1, &[(40, "a.C", "150 pF"), (80, "gap.g", "{\"expr\": \"0.2*rand()*nS\"}")]);
}

#[test]
fn linked() {
    lockstep(&file("linked"), 150, 1, &[(40, "A.base", "0.5"), (80, "A.tau", "{\"expr\": \"(15 - i)*ms\"}")]);
}

#[test]
fn to_pre() {
    lockstep(&file("to_pre"), 150, 1, &[(60, "drawn.w", "0.03")]);
}

/// Third neurons that synapses read, hear and sum: a population, one that is also pre- or postsynaptic, and a source.
#[test]
fn third() {
    lockstep(
        &file("third"),
        200,
        1,
        &[(60, "A.k", "{\"expr\": \"0.5 + 0.2*i\"}"), (90, "tripartite.w", "{\"expr\": \"rand()\"}")],
    );
}

#[test]
fn events() {
    lockstep(&file("events"), 200, 1, &[(60, "drawn.w", "0.03")]);
}

#[test]
fn driven() {
    lockstep(&file("driven"), 200, 1, &[(50, "ab.tau_s", "5 ms"), (101, "ab.w", "{\"expr\": \"0.5*rand()*nS\"}")]);
}

#[test]
fn short_term() {
    lockstep(
        &file("short_term"),
        200,
        1,
        &[(50, "shared.U", "0.5"), (90, "plain.w", "{\"expr\": \"2*rand()*nS\"}"), (91, "a.sigma", "8 mV")],
    );
}

/// Synapses whose state is stored per presynaptic neuron.
#[test]
fn presynaptic() {
    lockstep(&file("presynaptic"), 250, 1, &[(60, "nmda.w", "{\"expr\": \"0.006*rand()\"}"), (90, "graded.r", "0.5")]);
}

/// Synapses that learn: with one delay or one each, from events alone.
#[test]
fn plastic() {
    let sets = [
        (90, "stdp.plasticity", "0"),
        (130, "stdp.plasticity", "1"),
        (150, "named.w", "{\"expr\": \"rand()*mV\"}"),
        (160, "stdp.wmax", "1 mV"),
    ];
    lockstep(&file("plastic"), 250, 1, &sets);
}

/// Synapses that also learn in every step.
#[test]
fn plastic_clock() {
    lockstep(&file("plastic_clock"), 200, 1, &[(90, "reward.plasticity", "0"), (130, "reward.plasticity", "1")]);
}

/// Slow variables, and times beside what differs between neurons.
/// Neurons that run ahead beside some that stop in every step, all kinds of synapses between them.
#[test]
fn everything() {
    lockstep(&file("everything"), 150, 1, &[]);
}

/// Populations of which only the winners fire, by every rule, with and without plasticity; pathways in another order.
#[test]
fn winners() {
    lockstep(
        &file("winners"),
        80,
        1,
        &[(20, "area.I", "{\"expr\": \"0.4 + 0.001*floor(500*rand())\"}"), (50, "learns.plasticity", "0")],
    );
}

/// Recorded subexpressions of synapses with different delays, and recorded traces, which are stored per neuron.
#[test]
fn recorded() {
    lockstep(&file("recorded"), 150, 1, &[(60, "common.w", "0.1")]);
}

/// Means and sums over neurons in several blocks, of variables and subexpressions, at an interval.
#[test]
fn reduced() {
    lockstep(&file("reduced"), 150, 1, &[(60, "aa.w", "0.05")]);
}

/// Statements of neurons and synapses at regular times, with random numbers, beside values that are held over a step.
#[test]
fn regular() {
    let sets = [
        (40, "held.I", "{\"expr\": \"0.8 + 0.02*i\"}"),
        (60, "stdp.plasticity", "0"),
        (90, "alone.w", "{\"expr\": \"0.03*rand()\"}"),
    ];
    lockstep(&file("regular"), 140, 1, &sets);
}

/// Variables of synapses in two bytes, some of odd number, changed by all that can change them.
#[test]
fn variables_in_two_bytes() {
    let sets = [(50, "stdp.w", "{\"expr\": \"0.2*rand()\"}"), (70, "stdp.plasticity", "0"), (80, "mixed.q", "3e-6")];
    let network = file("halves");
    lockstep(&network, 140, 1, &sets);
    // In one dispatch, in which two invocations change the halves of one word.
    lockstep_on(&|| gpu_with(GpuOptions { fusion: Some(Fusion::All), ..GpuOptions::default() }), &network, 140, 10, &[]);
}

#[test]
fn variables_in_two_words() {
    lockstep(&file("two_words"), 150, 1, &[(60, "exact.tau", "{\"expr\": \"(2e6 + 1e6*i)*ms\"}")]);
}

#[test]
fn in_turn() {
    lockstep(&file("in_turn"), 200, 1, &[(77, "clipped.w", "{\"expr\": \"8*rand() - 1\"}")]);
}

#[test]
fn clocks() {
    lockstep(&file("clocks"), 150, 1, &[(30, "a.A", "6 mV")]);
}

#[test]
fn pathways() {
    lockstep(&file("pathways"), 200, 1, &[(60, "release.w", "1 mV"), (61, "split.w", "{\"expr\": \"2*rand()*mV\"}")]);
}

/// Values that are set while the network below runs: shared, of each synapse, and formulas that are drawn at every spike.
const SETS: [(u32, &str, &str); 4] = [
    (40, "bernoulli.w", "0.05 mV"),
    (60, "outdegree.w", "{\"expr\": \"0.08*mV*rand()\"}"),
    // Until now it shares a kernel with `exponential`.
    (70, "disc.w", "{\"expr\": \"(0.09 + 0.02*randn())*mV\"}"),
    // Its port has a coarser scale from here on.
    (90, "bernoulli_others.w", "2 mV"),
];

/// Every law, with values of all kinds: shared, in words of their own, drawn.
#[test]
fn procedural() {
    lockstep(&file("procedural"), 130, 1, &SETS);
}

/// The same network with its synapses kept, in pages of all sizes.
#[test]
fn paged() {
    let network = stored(&file("procedural"));
    for (bytes, pages) in [(u64::MAX, 1..=1), (1 << 20, 2..=10), (6000, 100..=1000)] {
        let open = || Some(Gpu::new(device()?.with_pages_of(bytes)));
        let Some(mut gpu) = open() else { return };
        pollster::block_on(gpu.load(vec![Trial { number: 0, plan: Arc::new(Plan::new(&network).unwrap()) }])).unwrap();
        assert!(pages.contains(&gpu.pages()), "{} pages of {bytes} bytes", gpu.pages());
        lockstep_on(&open, &network, 130, 10, &SETS);
    }
}

/// The same with weights kept as f16, two in a word, in pieces of odd lengths too.
#[test]
fn paged_halves() {
    let network = halved(&stored(&file("procedural")));
    for bytes in [u64::MAX, 6000] {
        lockstep_on(&|| Some(Gpu::new(device()?.with_pages_of(bytes))), &network, 130, 10, &SETS);
    }
    // In one dispatch.
    lockstep_on(&|| gpu_with(GpuOptions { fusion: Some(Fusion::All), ..GpuOptions::default() }), &network, 30, 10, &[]);
}

/// Weights in two words: drawn at every spike, kept in four bytes and in two, and shared.
#[test]
fn weights_in_two_words() {
    let populations = [
        json!({"name": "a", "size": 40, "equations": "dv/dt = (I - v)/(5*ms) : 1\nI : 1 (constant)", "threshold": "v > 1",
            "reset": "v = 0", "parameters": {"I": {"expr": "1.5 + 0.02*i"}}, "initial": {"v": {"expr": "rand()"}}}),
        json!({"name": "b", "size": 60, "equations": "dv/dt = -v/(5*ms) : 1", "threshold": "v > 1", "reset": "v = 0"}),
    ];
    let projection = |name: &str, kept: Value| {
        let mut of = json!({"name": name, "pre": "a", "post": "b", "connect": {"rule": "fixed_outdegree", "n": 20}, "on_pre": "v_post += w",
            "parameters": {"w": {"expr": "1e9*int(j == 0) + rand()"}}, "delay_ms": {"expr": "rand()*ms"}});
        of.as_object_mut().unwrap().extend(kept.as_object().unwrap().clone());
        of
    };
    let projections = [
        projection("drawn", json!({"storage": "procedural"})),
        projection("kept", json!({"storage": "stored"})),
        projection("halves", json!({"storage": "stored", "weights": "f16"})),
        projection("shared", json!({"storage": "stored", "parameters": {"w": 0.125}})),
    ];
    let network = network("two words", &populations, &projections);
    assert!(Plan::new(&network).unwrap().populations[1].ports[1].rest);
    lockstep(&network, 120, 10, &[(40, "shared.w", "0.25"), (80, "drawn.w", "{\"expr\": \"4e9*int(j == 0) + rand()\"}")]);
}

/// Rows of many blocks, more than workgroups share; and so many posts that some draws are repeated, because they would favour a post.
#[test]
fn wide_rows() {
    // 2³² modulo this is large: 124570 of 2³² products are unfair.
    let posts = 124611;
    let populations = [
        json!({"name": "a", "size": 400, "equations": "x : 1", "update": "x += 1", "threshold": "x + i % 3 == 2"}),
        json!({"name": "b", "size": posts, "equations": "v : 1", "update": "v = 0.5*v"}),
    ];
    let projection = |name: &str, connect: Value, weight: &str| {
        json!({"name": name, "pre": "a", "post": "b", "connect": connect, "storage": "procedural", "equations": "w : 1 (constant)",
            "on_pre": "v_post += w", "delay_ms": 0.1, "parameters": {"w": {"expr": weight}}})
    };
    let projections = [
        projection("multapses", json!({"rule": "fixed_outdegree", "n": 1000}), "1 + rand()"),
        projection("once", json!({"rule": "fixed_outdegree", "n": 500, "multapses": false}), "1 + 0.001*(i - j % 100)"),
        projection("bernoulli", json!({"rule": "bernoulli", "p": 0.3}), "1 + 0.1*randn()"),
    ];
    lockstep(&network("wide", &populations, &projections), 8, 1, &[]);
}

/// What is kept and what is drawn at every spike are the same synapses.
#[test]
fn stored_and_procedural_fire_alike() {
    let drawn = file("procedural");
    let kept = stored(&drawn);
    // Each device with itself: two may round differently inside a step.
    for ((name, one), (_, other)) in devices().into_iter().zip(devices()) {
        let drawn = run(&drawn, one, 20.0, 64).unwrap();
        let kept = run(&kept, other, 20.0, 64).unwrap();
        assert!(kept.spikes.len() > 1000, "{name}: {} spikes", kept.spikes.len());
        assert!(drawn.spikes == kept.spikes, "{name}");
        assert!(drawn.samples == kept.samples, "{name}");
    }
}

/// What lies in several pages is read and written as one array.
#[test]
fn weights_across_pages() {
    weights_are_read_alike(&stored(&file("procedural")));
    weights_are_read_alike(&halved(&stored(&file("procedural"))));
}

fn weights_are_read_alike(network: &Network) {
    let Some(device) = device() else { return };
    let gpu = Box::new(Gpu::new(device.with_pages_of(6000)));
    let mut sides = [run(network, Box::new(Cpu::new(1)), 0.0, 1).unwrap(), run(network, gpu, 0.0, 1).unwrap()];
    for set in [None, Some(("outdegree.w", "{\"expr\": \"0.08*mV*rand()\"}"))] {
        for (side, (path, value)) in sides.iter_mut().zip(set.into_iter().cycle()) {
            pollster::block_on(side.simulation.set(path, value)).unwrap();
        }
        let mut lists = [0, 0];
        for (projection, of) in sides[0].simulation.plan().projections.clone().iter().enumerate() {
            for write in 0..of.writes().count() {
                let array = sides[0].simulation.plan().arrays().of(Owner::Events { projection }, write).unwrap();
                let read = |side: &mut RecordedRun| pollster::block_on(side.simulation.read(array)).unwrap();
                let [on_cpu, on_gpu] = sides.each_mut().map(read);
                assert!(on_cpu == on_gpu, "{}, write {write}", of.name);
                // What was read can be written, and is there.
                let write = |side: &mut RecordedRun| pollster::block_on(side.simulation.write(array, &on_cpu)).unwrap();
                sides.each_mut().into_iter().for_each(write);
                assert!(sides.each_mut().map(read).iter().all(|words| *words == on_cpu), "{}", of.name);
                lists[usize::from(on_cpu.len() > 1)] += 1;
            }
        }
        // Shared weights, and weights of each synapse.
        assert!(lists[0] > 5 && lists[1] > 4, "{lists:?}");
    }
}

/// Pages and drawn rows beside synapses with a state, whose lists lie in the first page.
#[test]
fn paged_beside_states() {
    for name in ["pathways", "short_term", "in_turn", "plastic"] {
        let open = || Some(Gpu::new(device()?.with_pages_of(2000)));
        lockstep_on(&open, &file(name), 120, 8, &[]);
    }
}

#[test]
fn dispatches_are_one_for_each_page_and_each_kind_of_drawn_rows() {
    let drawn = file("procedural");
    // Three kernels of neurons, `propagate`, and ten kinds of drawn rows in fourteen projections.
    let count = |network: &Network, limit: u64| gpu_plan(&Plan::new(network).unwrap(), limit).unwrap();
    assert_eq!(count(&drawn, 1 << 27).dispatches_per_epoch, 3 + 1 + 10);
    let kept = stored(&drawn);
    assert_eq!((count(&kept, 1 << 27).dispatches_per_epoch, count(&kept, 1 << 27).pages), (3 + 1, 1));
    let cut = count(&kept, 1 << 20);
    assert!(cut.pages > 1, "{cut:?}");
    assert_eq!(cut.dispatches_per_epoch, 3 + cut.pages);
}

/// A network with its weights kept as f16.
pub(crate) fn halved(network: &Network) -> Network {
    let mut network = network.clone();
    network.projections.iter_mut().for_each(|projection| projection.weights = Some(Weights::F16));
    network
}

/// A network with all its synapses kept.
pub(crate) fn stored(network: &Network) -> Network {
    let mut network = network.clone();
    network.projections.iter_mut().for_each(|projection| projection.storage = Some(Storage::Stored));
    network
}

/// Every cell and source of the library, with each of its presets.
#[test]
fn cells_of_the_library() {
    lockstep(&cells(), 120, 8, &[]);
}

fn cells() -> Network {
    let cells = library_cells().unwrap();
    assert!(cells.populations.len() > 60, "{} populations", cells.populations.len());
    cells
}

/// Every synapse of the library, each onto cells of its own that have the lines it wants.
#[test]
fn synapses_of_the_library() {
    lockstep(&synapses(), 120, 1, &[]);
}

fn synapses() -> Network {
    let synapses = library_synapses().unwrap();
    assert!(synapses.projections.len() > 12, "{} projections", synapses.projections.len());
    synapses
}

fn network(name: &str, populations: &[Value], projections: &[Value]) -> Network {
    let network =
        json!({"name": name, "dt_ms": 0.05, "duration_ms": 100, "populations": populations, "projections": projections});
    Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Every network of the catalogue, at the size that tests take.
#[test]
fn catalogue() {
    for entry in spikelet::catalogue::entries() {
        let Some(gpu) = gpu() else { return };
        let network = entry.network(entry.small).unwrap();
        if !gpu.name().contains("llvmpipe") {
            lockstep_loaded(&spikelet_tests::gpu, &network, 200, &[]);
            continue;
        }
        let cpu = run(&network, Box::new(Cpu::new(1)), 20.0, 100).unwrap();
        let gpu = run(&network, Box::new(gpu), 20.0, 100).unwrap();
        assert!(gpu.spikes == cpu.spikes && gpu.samples == cpu.samples, "{}", entry.name);
    }
}
