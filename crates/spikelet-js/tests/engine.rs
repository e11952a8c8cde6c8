//! What each command does, heard from the page's end of the protocol.

use crate::page::threads::{available, count_threads};
use crate::page::{Page, catalogue, create, file, json, run, set, sleep};
use spikelet_js::engine::Threads;
use spikelet_js::protocol::{
    BATCHES_IN_FLIGHT, BackendChoice, BackendKind, Changed, Code, Command, Create, Event, NoticeCode, Reply, Source, State,
    StopReason,
};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// The next word on whether it runs.
async fn state(page: &mut Page) -> State {
    loop {
        if let Event::State(state) = page.event().await {
            return state;
        }
    }
}

/// On a GPU, if there is one.
fn on_gpu(source: Source) -> Create {
    Create { backend: BackendChoice::Gpu, ..create(source) }
}

/// Whether a GPU is not there and need not be.
fn no_gpu(created: &Result<spikelet_js::protocol::Info, spikelet_js::protocol::Failure>) -> bool {
    let Err(failure) = created else { return false };
    assert!(option_env!("SPIKELET_REQUIRE_ADAPTER").is_none() && failure.code == Code::NoGpu, "{failure:?}");
    console_log!("skipped: no adapter ({})", failure.message);
    true
}

#[wasm_bindgen_test]
async fn create_tells_what_the_network_is() {
    let (mut page, info) = Page::with_cuba().await;
    assert!(matches!(page.event().await, Event::Ready));
    assert_eq!((info.neurons, info.dt_ms, info.duration_ms, info.trials), (400, 0.1, 1000.0, 1));
    assert_eq!(info.seed.to_string(10).unwrap(), "1");
    assert_eq!(info.synapses, 400 * (64 + 16));
    // Each target takes two bytes.
    assert!(info.memory_bytes() > 2 * info.synapses);
    assert!(info.buffers.iter().any(|buffer| buffer.name == "ring" && buffer.bytes > 0), "{:?}", info.buffers);
    assert!(info.build.plan > 0.0 && info.build.total >= info.build.plan + info.build.load, "{:?}", info.build);
    assert_eq!((info.backend.kind, info.backend.threads), (BackendKind::Cpu, 1));
    assert!(!info.backend.reason.is_empty());
    let threads = info.backend.facts.iter().find(|fact| fact.what == "Threads").unwrap();
    assert_eq!(threads.much.contains("this is the engine with one thread"), cfg!(not(target_feature = "atomics")), "{threads:?}");
    let sizes: Vec<_> = info.network.populations.iter().map(|p| (p.name.as_str(), p.first, p.size)).collect();
    assert_eq!(sizes, [("E", 0, 320), ("I", 320, 80)]);
    let taum = &info.network.populations[0].parameters[0];
    assert_eq!((taum.path.as_str(), taum.unit.as_str(), taum.value, taum.min, taum.max), ("E.taum", "ms", 20.0, 2.0, 60.0));
    assert!(!taum.about.is_empty());
    let ee = &info.network.projections[0];
    assert_eq!((ee.name.as_str(), ee.pre.as_str(), ee.synapses, ee.learns), ("EE", "E", 320 * 64, false));
    let weight = &ee.parameters[0];
    assert_eq!((weight.path.as_str(), weight.unit.as_str(), weight.value), ("EE.we", "mV", 1.62));
    let channels: Vec<_> = info.channels.iter().map(|c| (c.label.as_str(), c.unit.as_str(), c.neuron)).collect();
    assert_eq!(channels, [("E.v[0]", "mV", Some(0)), ("E.v[1]", "mV", Some(1)), ("I.v[0]", "mV", Some(320))]);
}

#[wasm_bindgen_test]
async fn a_workgroup_has_the_size_that_was_asked_for() {
    let with_size = |size: u32| Create { workgroup_size: Some(size), ..on_gpu(catalogue("cuba", 0.1)) };
    let created = Page::start().create_as(with_size(128)).await;
    if no_gpu(&created) {
        return;
    }
    assert_eq!(created.unwrap().backend.kind, BackendKind::Gpu);
    let failure = Page::start().create_as(with_size(100)).await.unwrap_err();
    assert!(
        failure.message.contains("the workgroup size is 100") && failure.message.contains("powers of two from 64 to"),
        "{failure:?}"
    );
}

#[wasm_bindgen_test]
async fn a_run_takes_exactly_as_long_as_was_asked() {
    let (mut page, info) = Page::with_cuba().await;
    page.settle().await;
    let ran = page.run(100.0).await;
    assert_eq!((ran.steps, ran.time_ms, ran.because, ran.condition), (1000, 100.0, StopReason::Time, None));
    let first = page.events();
    let Event::State(State { running: true, time_ms: 0.0, moved: false, rewound: false, stopped: None }) = first[0] else {
        panic!("{:?}", first[0])
    };
    let last = first.last().unwrap();
    let Event::State(State { running: false, time_ms: 100.0, moved: false, .. }) = last else { panic!("{last:?}") };
    let batches = first.iter().filter_map(|event| if let Event::Batch(batch) = event { Some(batch) } else { None });
    let (mut next, mut whole) = (0, Vec::new());
    for batch in batches {
        assert_eq!((batch.first_step, batch.trial), (next, 0));
        next += batch.steps;
        assert_eq!(batch.samples.length() as usize, batch.steps as usize * info.channels.len());
        whole.extend(batch.spike_steps.to_vec().into_iter().zip(batch.spike_neurons.to_vec()));
    }
    assert_eq!(next, 1000);
    assert!(whole.len() > 50, "{} spikes", whole.len());

    // In two pieces from the start again, the same.
    page.done(Command::Reset).await;
    assert!(matches!(state(&mut page).await, State { running: false, time_ms: 0.0, moved: true, .. }));
    assert_eq!(page.run(33.3).await.steps, 333);
    assert_eq!(page.run(66.7).await.time_ms, 100.0);
    assert_eq!(page.spikes(0), whole);
    // For no time.
    let ran = page.run(0.0).await;
    assert_eq!((ran.steps, ran.because), (0, StopReason::Time));
}

#[wasm_bindgen_test]
async fn a_run_without_an_end_goes_on_until_it_is_paused_or_reset() {
    let (mut page, _) = Page::with_cuba().await;
    let ask = page.ask(run(None, None));
    while page.batch().await.first_step < 100 {}
    assert_eq!(page.error(run(None, None)).await.code, Code::Running);
    page.done(Command::Pause).await;
    let ran = page.ran(ask).await;
    assert!(ran.because == StopReason::Paused && ran.steps > 100, "{ran:?}");
    page.events();
    page.done(Command::Pause).await;
    assert!(page.events().is_empty(), "it paused before");

    let ask = page.ask(run(None, None));
    assert_eq!(page.batch().await.first_step, ran.steps);
    page.done(Command::Reset).await;
    assert_eq!(page.ran(ask).await.because, StopReason::Moved);
    assert_eq!(page.run(1.0).await.time_ms, 1.0);
}

#[wasm_bindgen_test]
async fn set_changes_a_network_that_runs() {
    let (mut page, _) = Page::with_cuba().await;
    page.run(200.0).await;
    let plain = page.spikes(0).len();
    let ask = page.ask(run(None, None));
    // A resting potential far below threshold: what is under way dies out.
    assert_eq!(page.set("E.El", "-70 mV").await, (vec![-70.0], "mV".into()));
    let changed = loop {
        if let Event::Changed(changed) = page.event().await {
            break changed;
        }
    };
    let Changed { path, value: -70.0, step: 2000.., scheduled: false, .. } = changed else { panic!("{changed:?}") };
    assert_eq!(path, "E.El");
    page.done(Command::Reset).await;
    assert_eq!(page.ran(ask).await.because, StopReason::Moved);
    page.events();
    page.run(200.0).await;
    let changed = page.spikes(0).len();
    assert!(changed < plain / 2, "{changed} spikes after, {plain} before: the change survives a reset");

    let ask = page.ask(run(None, None));
    for (path, text) in [("E.taum", "20 mV"), ("E.tam", "20 ms"), ("F.taum", "20 ms"), ("E.taum", "much")] {
        let failure = page.error(set(path, text)).await;
        assert!(failure.message.len() > 20, "{failure:?}");
        assert_eq!(failure.path.as_deref(), Some(path));
    }
    assert!(!page.is_answered(ask), "it runs on");
}

#[wasm_bindgen_test]
async fn one_engine_holds_one_network() {
    let mut page = Page::start();
    // One that fails is none.
    assert_eq!(page.create(catalogue("cubba", 1.0)).await.unwrap_err().code, Code::UnknownName);
    page.create(catalogue("cuba", 0.1)).await.unwrap();
    let failure = page.create(catalogue("cuba", 0.1)).await.unwrap_err();
    assert!(failure.code == Code::Protocol && failure.message.contains("another engine"), "{failure:?}");
    assert_eq!(page.run(1.0).await.steps, 10);
}

#[wasm_bindgen_test]
async fn a_run_that_breaks_off_starts_again_after_a_reset() {
    let mut page = Page::start();
    let text = r#"{"name": "blast", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [{"name": "n", "size": 3, "equations": "dv/dt = v/(0.1*ms) : volt", "initial": {"v": "1 mV"}}],
        "recordings": [{"object": "n", "var": "v", "indices": [0]}]}"#;
    page.create(json(text)).await.unwrap();
    page.settle().await;
    for _ in 0..2 {
        let failure = page.error(run(None, None)).await;
        assert!(failure.code == Code::Diverged && failure.message.starts_with("the run failed: v of neuron 0"), "{failure:?}");
        let events = page.events();
        let steps = events.iter().map(|event| if let Event::Batch(batch) = event { batch.steps } else { 0 }).sum::<u32>();
        assert!(failure.message.contains(&format!("v of neuron 0 in `n` became inf in step {steps},")), "{failure:?}");
        let mut emitted = events.into_iter().filter(|event| !matches!(event, Event::Batch(_)));
        assert!(matches!(emitted.next(), Some(Event::State(State { running: true, .. }))));
        assert!(matches!(emitted.next(), Some(Event::State(State { running: false, .. }))));
        let Some(Event::Failed(same)) = emitted.next() else { panic!("the failure is not told") };
        assert_eq!(same, failure);
        assert_eq!(page.error(run(None, None)).await.code, Code::Broken);
        page.done(Command::Reset).await;
        assert!(matches!(page.event().await, Event::Info(info) if info.neurons == 3));
        assert!(matches!(page.event().await, Event::State(State { moved: true, time_ms: 0.0, .. })));
    }
    assert_eq!(page.run(1.0).await.steps, 10);
}

#[wasm_bindgen_test]
async fn network_gives_the_network_as_it_is_now() {
    let (mut page, _) = Page::with_cuba().await;
    page.set("EE.we", "2 mV").await;
    let Ok(Reply::Text(text)) = page.get(Command::Network).await else { panic!("nothing came") };
    let info = Page::start().create(json(&text)).await.unwrap();
    assert_eq!(info.network.projections[0].parameters[0].value, 2.0);
}

#[wasm_bindgen_test]
async fn the_engine_waits_for_a_slow_page() {
    let (mut page, _) = Page::with_cuba().await;
    page.takes = false;
    let mut received = 0;
    let ask = page.ask(run(None, None));
    for _ in 0..BATCHES_IN_FLIGHT {
        received = page.batch().await.number;
    }
    // No batch comes before this answer.
    let Ok(Reply::Text(_)) = page.get(Command::Network).await else { panic!("nothing came") };
    assert!(page.events().is_empty());
    page.say(Command::Ack { batch: received });
    assert_eq!(page.batch().await.number, BATCHES_IN_FLIGHT + 1);
    assert!(!page.is_answered(ask));
}

#[wasm_bindgen_test]
async fn a_seed_is_kept_and_makes_another_network() {
    let mut hashes = Vec::new();
    for seed in [None, Some(2), Some((1 << 53) + 1)] {
        let mut page = Page::start();
        let info = page.create_as(Create { seed, ..create(catalogue("cuba", 0.1)) }).await.unwrap();
        assert_eq!(info.seed.to_string(10).unwrap(), seed.unwrap_or(1).to_string());
        page.run(50.0).await;
        hashes.push(page.spikes(0));
    }
    assert!(hashes[0] != hashes[1] && hashes[1] != hashes[2]);
}

#[wasm_bindgen_test]
async fn trials_run_side_by_side() {
    let mut page = Page::start();
    let info = page.create_as(Create { trials: 3, ..create(catalogue("brunel_ai", 0.05)) }).await.unwrap();
    assert_eq!(info.trials, 3);
    assert_eq!(page.run(20.0).await.steps, 200);
    let mut spikes = vec![Vec::new(); 3];
    let (mut next, mut trial) = ([0; 3], 0);
    for event in page.events() {
        let Event::Batch(batch) = event else { continue };
        assert_eq!(batch.trial, trial, "they come in their order");
        trial = (trial + 1) % 3;
        let of = batch.trial as usize;
        assert_eq!(batch.first_step, next[of]);
        next[of] += batch.steps;
        spikes[of].extend(batch.spike_steps.to_vec().into_iter().zip(batch.spike_neurons.to_vec()));
    }
    assert_eq!(next, [200; 3]);
    // The first is the one that runs alone.
    let mut alone = Page::start();
    alone.create(catalogue("brunel_ai", 0.05)).await.unwrap();
    alone.run(20.0).await;
    assert_eq!(alone.spikes(0), spikes[0]);
    assert!(spikes[0] != spikes[1] && spikes[1] != spikes[2] && !spikes[2].is_empty());
}

#[wasm_bindgen_test]
async fn a_network_changes_its_own_parameters_and_ends_the_run() {
    let mut page = Page::start();
    let text = r#"{"name": "protocol", "dt_ms": 0.1, "duration_ms": 100,
        "populations": [{"name": "n", "size": 3, "model": "lif", "parameters": {"I": "0 pA"}}],
        "changes": [{"at_ms": 10, "set": {"n.I": "500 pA"}}], "stop": ["spikes(n) >= 6"]}"#;
    page.create(json(text)).await.unwrap();
    for _ in 0..2 {
        let ask = page.ask(run(None, None));
        let changed = loop {
            match page.notable().await {
                Event::Changed(changed) => break changed,
                Event::State(State { running: true, .. }) | Event::Notice(_) => {}
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(changed, Changed { path: "n.I".into(), value: 500.0, step: 100, scheduled: true, text: None });
        let ran = page.ran(ask).await;
        assert_eq!((ran.because, ran.condition.as_deref()), (StopReason::Stopped, Some("spikes(n) >= 6")));
        assert!(ran.time_ms > 10.0 && ran.time_ms < 100.0, "{ran:?}");
        let ended = state(&mut page).await;
        assert_eq!((ended.running, ended.stopped.as_deref()), (false, Some("spikes(n) >= 6")));
        let failure = page.error(run(None, None)).await;
        assert!(failure.code == Code::Ended && failure.message.contains("reset it to run it again"), "{failure:?}");

        // What changed by itself is not what the network is saved with, and is undone by a reset.
        let Ok(Reply::Text(text)) = page.get(Command::Network).await else { panic!("nothing came") };
        assert!(text.contains("0 pA"), "{text}");
        page.done(Command::Reset).await;
        assert!(matches!(
            state(&mut page).await,
            State { running: false, time_ms: 0.0, moved: true, rewound: false, stopped: None }
        ));
        let Event::Changed(changed) = page.notable().await else { panic!("the change is not undone") };
        assert_eq!(changed, Changed { path: "n.I".into(), value: 0.0, step: 0, scheduled: true, text: None });
    }
}

#[wasm_bindgen_test]
async fn files_of_a_network_are_given_along() {
    let text = r#"{"name": "files", "dt_ms": 0.1, "duration_ms": 10, "populations": [{"name": "n", "size": 4, "model": "lif"}],
        "projections": [{"name": "nn", "pre": "n", "post": "n", "pairs": {"file": "edges.csv"}, "on_pre": "v_post += w",
            "parameters": {"w": "1 mV"}}]}"#;
    let files = vec![file("edges.csv", b"pre,post\n0,1\n1,2\n2,3\n")];
    let info = Page::start().create_as(Create { files, ..create(json(text)) }).await.unwrap();
    assert_eq!(info.network.projections[0].synapses, 3);
    let failure = Page::start().create(json(text)).await.unwrap_err();
    assert!(failure.message.contains("\"edges.csv\"") && failure.message.contains("no file of that name"), "{failure:?}");
}

#[wasm_bindgen_test]
async fn what_is_to_be_known_is_told_after_the_answer() {
    let text = r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "populations": [{"name": "n", "size": 4, "model": "lif"}],
        "changes": [{"at_ms": 100, "set": {"n.I": "500 pA"}}]}"#;
    let mut page = Page::with_threads(Threads::one("it is a test; take another"));
    let info = page.create_as(Create { backend: BackendChoice::Auto, ..create(json(text)) }).await.unwrap();
    // The software GPU of tests is none that `auto` takes.
    let mut expected =
        vec![(NoticeCode::OneThread, "it is a test; take another"), (NoticeCode::Network, "the change never happens")];
    if info.backend.kind == BackendKind::Cpu {
        expected.insert(0, (NoticeCode::NoGpu, "the network runs on the CPU"));
    }
    let emitted =
        page.settle().await.into_iter().filter_map(|event| if let Event::Notice(notice) = event { Some(notice) } else { None });
    let emitted: Vec<_> = emitted.collect();
    assert_eq!(emitted.len(), expected.len(), "{emitted:?}");
    for (notice, (code, part)) in emitted.iter().zip(expected) {
        assert!(notice.code == code && notice.message.contains(part), "{notice:?}");
    }
}

#[wasm_bindgen_test]
async fn tables_need_no_network() {
    let mut page = Page::start();
    let Ok(Reply::Networks(networks)) = page.get(Command::Networks).await else { panic!("no networks") };
    assert!(networks.iter().any(|of| of.name == "cuba" && !of.title.is_empty() && !of.scaling.is_empty() && of.small > 0.0));
    let Ok(Reply::Models(models)) = page.get(Command::Models).await else { panic!("no models") };
    let model = |name: &str| models.iter().find(|model| model.name == name).unwrap();
    let taum = &model("lif_exp").parameters.iter().find(|of| of.symbol == "taum").unwrap();
    assert_eq!((taum.value, taum.unit.as_str(), taum.text.as_str()), (Some(20.0), "ms", "20 ms"));
    assert!(taum.min < 20.0 && taum.max > 20.0 && !taum.about.is_empty());
    let moves = |name: &str| model(name).variables.iter().map(|of| (of.symbol.clone(), of.unit.clone())).collect::<Vec<_>>();
    let of = |symbol: &str, unit: &str| (symbol.to_owned(), unit.to_owned());
    assert_eq!(moves("lif_exp"), [of("v", "mV"), of("ge", "mV"), of("gi", "mV")]);
    assert!(models.iter().all(|model| model.parameters.iter().all(|of| of.min.is_finite() && of.max.is_finite())));
    let Ok(Reply::Devices(devices)) = page.get(Command::Devices).await else { panic!("no devices") };
    assert_eq!(devices.gpu.is_none(), devices.no_gpu_because.is_some(), "{devices:?}");
    assert_eq!(devices.threads as usize, available().most);
    assert_eq!(devices.one_thread_because.is_some(), devices.threads == 1);
}

/// The Workers of a network end with it. One that gains nothing from them has none.
#[wasm_bindgen_test]
async fn threads_end_with_their_network() {
    let left = async |expected: usize| {
        for _ in 0..1000 {
            if count_threads() == expected {
                return;
            }
            sleep(10).await;
        }
        panic!("{} threads are left, not {expected}", count_threads());
    };
    // Those of the test before may still be ending.
    left(0).await;
    let (small, _) = Page::with_cuba().await;
    assert_eq!(count_threads(), 0);
    drop(small);
    for most in [None, Some(1), None] {
        let mut page = Page::start();
        let info = page.create_as(Create { threads: most, ..create(catalogue("cobahh", 1.0)) }).await.unwrap();
        let threads = info.backend.threads as usize;
        assert_eq!(threads > 1, available().most > 1 && most.is_none(), "{:?}", info.backend);
        left(threads - 1).await;
        page.run(1.0).await;
        drop(page);
        left(0).await;
    }
}

#[wasm_bindgen_test]
async fn a_gpu_runs_what_it_is_asked_to() {
    let mut page = Page::start();
    let created = page.create_as(on_gpu(catalogue("cuba", 0.1))).await;
    if no_gpu(&created) {
        return;
    }
    let info = created.unwrap();
    assert_eq!(info.backend.kind, BackendKind::Gpu);
    assert!(info.backend.facts.iter().any(|fact| fact.what == "Largest buffer"), "{:?}", info.backend.facts);
    assert!(info.buffers.iter().any(|buffer| buffer.name == "rows 1" && buffer.bytes > 2 * info.synapses));
    console_log!("opened cuba on {}: {:?}", info.backend.name, info.build);
    assert!(info.memory_bytes() > 4 * info.synapses);
    let ran = page.run(20.0).await;
    assert_eq!((ran.steps, ran.because), (200, StopReason::Time));
    assert!(!page.spikes(0).is_empty());
    // What it has begun by then is told before the pause is.
    let ask = page.ask(run(None, None));
    while page.batch().await.first_step < 400 {}
    page.done(Command::Pause).await;
    assert_eq!(page.ran(ask).await.because, StopReason::Paused);
}

/// A GPU that is lost in the middle of a run: it goes on on another one, nothing is missing and nothing comes twice.
#[wasm_bindgen_test]
async fn a_lost_device_leaves_no_gap() {
    let mut page = Page::start();
    let created = page.create_as(on_gpu(catalogue("cuba", 0.1))).await;
    if no_gpu(&created) {
        return;
    }
    let ask = page.ask(run(None, None));
    let (mut spikes, mut next, mut moved, mut asked) = (Vec::new(), 0, 0, false);
    while next < 2000 || moved < 2 {
        match page.event().await {
            Event::Batch(batch) => {
                assert_eq!(batch.first_step, next, "a gap, or something twice");
                next += batch.steps;
                spikes.extend(batch.spike_steps.to_vec().into_iter().zip(batch.spike_neurons.to_vec()));
                if !std::mem::replace(&mut asked, true) {
                    page.say(Command::LoseDevice);
                }
            }
            Event::Info(info) => {
                assert!(!info.buffers.is_empty());
                moved += 1;
            }
            Event::Notice(notice) => {
                assert!(notice.code == NoticeCode::DeviceLost && notice.message.contains("was lost at"), "{notice:?}");
                moved += 1;
            }
            Event::Ready | Event::Building(_) | Event::State(_) => {}
            other => panic!("{other:?}"),
        }
    }
    page.done(Command::Pause).await;
    let ran = page.ran(ask).await;
    assert_eq!((moved, ran.because), (2, StopReason::Paused));
    spikes.extend(page.spikes(next));
    let network = spikelet::catalogue::network("cuba", 0.1).unwrap();
    let mut cpu = spikelet::Simulation::new(&network, Box::new(spikelet::Cpu::new(1))).await.unwrap();
    let expected: Vec<(u32, u32)> =
        cpu.advance(ran.steps).await.unwrap().spikes.iter().map(|spike| (spike.step, spike.neuron)).collect();
    assert_eq!(spikes, expected);
}
