//! What each command does, heard from the page's end of the protocol.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use spikelet_js::engine::{Threads, count_threads, serve};
use spikelet_js::protocol::{BATCHES_IN_FLIGHT, BackendChoice, Batch, Command, Event, Opened, Source};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// A page without a face: sends commands, hears events, says at once that it took a batch in.
struct Page {
    commands: UnboundedSender<Command>,
    events: UnboundedReceiver<Event>,
    takes: bool,
}

impl Page {
    async fn start() -> Page {
        let (commands, inbox) = unbounded();
        let (sender, events) = unbounded();
        wasm_bindgen_futures::spawn_local(serve(inbox, Threads::available(), move |event| drop(sender.unbounded_send(event))));
        let mut page = Page { commands, events, takes: true };
        let Event::Ready { catalogue } = page.next().await else { panic!("the engine is not ready") };
        assert!(catalogue.iter().any(|entry| entry.name == "cuba" && !entry.title.is_empty()));
        page
    }

    fn send(&self, command: Command) {
        self.commands.unbounded_send(command).unwrap();
    }

    async fn next(&mut self) -> Event {
        let event = self.events.recv().await.unwrap();
        if let (Event::Batch(batch), true) = (&event, self.takes) {
            self.send(Command::Taken { id: batch.id, batch: batch.number });
        }
        event
    }

    /// The next event that is no batch and no word on how far a network is.
    async fn answer(&mut self) -> Event {
        loop {
            match self.next().await {
                Event::Batch(_) | Event::Measured(_) | Event::Building { .. } => {}
                event => return event,
            }
        }
    }

    async fn batch(&mut self) -> Batch {
        loop {
            if let Event::Batch(batch) = self.next().await {
                return batch;
            }
        }
    }

    async fn open(&mut self, id: u32, source: Source) -> Result<Opened, String> {
        self.send(Command::Open { id, source, backend: BackendChoice::Cpu, seed: None });
        match self.answer().await {
            Event::Opened(opened) => Ok(*opened),
            Event::Failed { id: Some(failed), message, path: None, fatal: false } if failed == id => Err(message),
            other => panic!("{other:?}"),
        }
    }

    /// A page with a small cuba open, as number 1.
    async fn with_cuba() -> (Page, Opened) {
        let mut page = Page::start().await;
        let opened = page.open(1, catalogue("cuba", 0.1)).await.unwrap();
        (page, opened)
    }

    /// Says whether it plays, when, and whether it was reset.
    async fn state(&mut self) -> (bool, f64, bool) {
        match self.answer().await {
            Event::State { id: 1, playing, time_ms, reset, stopped: None } => (playing, time_ms, reset),
            other => panic!("{other:?}"),
        }
    }

    /// Spikes of the steps before `end`, from a network that has just started to play.
    async fn spikes_until(&mut self, end: u32) -> Vec<(u32, u32)> {
        let mut spikes = Vec::new();
        let mut expected = 0;
        while expected < end {
            let batch = self.batch().await;
            assert_eq!(batch.first_step, expected, "steps were lost");
            expected += batch.steps;
            spikes.extend(batch.spike_steps.to_vec().into_iter().zip(batch.spike_neurons.to_vec()));
        }
        spikes.retain(|(step, _)| *step < end);
        spikes
    }
}

async fn sleep(ms: i32) {
    let slept = js_sys::Promise::new(&mut |resolve, _| {
        let scope = js_sys::global().unchecked_into::<web_sys::WorkerGlobalScope>();
        scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms).unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(slept).await.unwrap();
}

fn catalogue(name: &str, scale: f64) -> Source {
    Source::Catalogue { name: name.into(), scale }
}

fn refusal(event: Event) -> (String, Option<String>) {
    match event {
        Event::Failed { id: Some(_), message, path, fatal: false } => (message, path),
        other => panic!("{other:?}"),
    }
}

#[wasm_bindgen_test]
async fn open_tells_what_the_network_is() {
    let (_page, opened) = Page::with_cuba().await;
    assert_eq!((opened.id, opened.neurons, opened.dt_ms, opened.seed), (1, 400, 0.1, 1));
    assert_eq!(opened.synapses, 400 * (64 + 16));
    assert!(opened.memory_bytes() > 4 * opened.synapses);
    assert!(opened.buffers.iter().any(|buffer| buffer.name == "ring" && buffer.bytes > 0), "{:?}", opened.buffers);
    assert!(opened.build.plan > 0.0 && opened.build.total >= opened.build.plan + opened.build.load, "{:?}", opened.build);
    assert_eq!((opened.backend.kind.as_str(), opened.backend.threads), ("cpu", 1));
    assert!(!opened.backend.reason.is_empty());
    let threads = opened.backend.facts.iter().find(|fact| fact.what == "Threads").unwrap();
    assert_eq!(threads.much.contains("this is the engine of one thread"), cfg!(not(target_feature = "atomics")), "{threads:?}");
    let sizes: Vec<_> = opened.network.populations.iter().map(|p| (p.name.as_str(), p.first, p.size)).collect();
    assert_eq!(sizes, [("E", 0, 320), ("I", 320, 80)]);
    let taum = &opened.network.populations[0].parameters[0];
    assert_eq!((taum.path.as_str(), taum.unit.as_str(), taum.value, taum.min, taum.max), ("E.taum", "ms", 20.0, 2.0, 60.0));
    assert!(!taum.about.is_empty());
    let weight = &opened.network.projections[0].parameters[0];
    assert_eq!((weight.path.as_str(), weight.unit.as_str(), weight.value), ("EE.we", "mV", 1.62));
    let channels: Vec<_> = opened.channels.iter().map(|c| (c.label.as_str(), c.unit.as_str(), c.neuron)).collect();
    assert_eq!(channels, [("E.v[0]", "mV", 0), ("E.v[1]", "mV", 1), ("I.v[0]", "mV", 320)]);
}

#[wasm_bindgen_test]
async fn play_pause_and_reset() {
    let (mut page, opened) = Page::with_cuba().await;
    page.send(Command::Play { id: 1 });
    assert_eq!(page.state().await, (true, 0.0, false));
    let first = page.spikes_until(1000).await;
    assert!(first.len() > 50, "{} spikes", first.len());
    page.send(Command::Pause { id: 1 });
    let (playing, time_ms, reset) = page.state().await;
    assert!(!playing && time_ms >= 100.0 && !reset);

    page.send(Command::Reset { id: 1 });
    assert_eq!(page.state().await, (false, 0.0, true));
    page.send(Command::Play { id: 1 });
    assert_eq!(page.state().await, (true, 0.0, false));
    let batch = page.batch().await;
    assert_eq!(batch.first_step, 0);
    assert_eq!(batch.samples.length() as usize, batch.steps as usize * opened.channels.len());

    page.send(Command::Reset { id: 1 });
    assert_eq!(page.state().await, (true, 0.0, true), "it plays on");
    assert_eq!(page.spikes_until(1000).await, first, "the same seed gives the same spikes");
}

#[wasm_bindgen_test]
async fn set_changes_a_network_that_runs() {
    let (mut page, _) = Page::with_cuba().await;
    page.send(Command::Play { id: 1 });
    let plain = page.spikes_until(2000).await.len();
    // A resting potential far below threshold: what is under way dies out.
    page.send(Command::Set { id: 1, path: "E.El".into(), value: "-70 mV".into() });
    let Event::Changed { id: 1, path, value, step, scheduled: false } = page.answer().await else { panic!("nothing changed") };
    assert_eq!((path.as_str(), value), ("E.El", -70.0));
    assert!(step >= 2000);
    page.send(Command::Reset { id: 1 });
    page.state().await;
    let changed = page.spikes_until(2000).await.len();
    assert!(changed < plain / 2, "{changed} spikes after, {plain} before: the change survives a reset");

    for (path, value) in [("E.taum", "20 mV"), ("E.tam", "20 ms"), ("F.taum", "20 ms"), ("E.taum", "much")] {
        page.send(Command::Set { id: 1, path: path.into(), value: value.into() });
        let (message, of) = refusal(page.answer().await);
        assert!(message.len() > 20, "{message}");
        assert_eq!(of.as_deref(), Some(path));
    }
    assert!(page.batch().await.steps > 0, "it runs on");
}

#[wasm_bindgen_test]
async fn an_open_that_fails_leaves_the_network_that_runs() {
    let (mut page, _) = Page::with_cuba().await;
    page.send(Command::Play { id: 1 });
    page.state().await;
    for (source, said) in [
        (catalogue("cubba", 1.0), "did you mean `cuba`?"),
        (catalogue("cuba", -1.0), "scale is -1"),
        (Source::Json { text: "{\n  \"name\": }".into() }, "line 2"),
        (
            Source::Json { text: r#"{"name":"x","dt_ms":0.1,"duration_ms":1,"populations":[{"name":"n","size":0}]}"#.into() },
            "size",
        ),
    ] {
        let message = page.open(2, source).await.unwrap_err();
        assert!(message.contains(said), "{message}");
        let batch = page.batch().await;
        assert_eq!(batch.id, 1, "the network that ran runs on");
    }
    page.open(3, catalogue("izhikevich", 0.1)).await.unwrap();
    page.send(Command::Play { id: 1 });
    assert!(refusal(page.answer().await).0.contains("network 1 is not open"));
    page.send(Command::Play { id: 3 });
    assert_eq!(page.batch().await.id, 3);
}

#[wasm_bindgen_test]
async fn a_run_that_breaks_off_is_built_anew_by_reset() {
    let mut page = Page::start().await;
    let text = r#"{"name": "blast", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [{"name": "n", "size": 3, "equations": "dv/dt = v/(0.1*ms) : volt", "initial": {"v": "1 mV"}}],
        "recordings": [{"object": "n", "var": "v", "indices": [0]}]}"#;
    page.open(1, Source::Json { text: text.into() }).await.unwrap();
    page.send(Command::Play { id: 1 });
    assert!(page.state().await.0);
    assert!(!page.state().await.0, "it stops by itself");
    let (message, _) = refusal(page.answer().await);
    assert!(message.contains("the run broke off") && message.contains("`n`"), "{message}");
    page.send(Command::Play { id: 1 });
    assert!(refusal(page.answer().await).0.contains("reset"));
    page.send(Command::Reset { id: 1 });
    let Event::Opened(opened) = page.answer().await else { panic!("it was not built anew") };
    assert_eq!((opened.id, opened.neurons), (1, 3));
    page.send(Command::Play { id: 1 });
    assert_eq!(page.batch().await.first_step, 0);
}

#[wasm_bindgen_test]
async fn export_gives_the_network_as_it_is_now() {
    let (mut page, _) = Page::with_cuba().await;
    page.send(Command::Set { id: 1, path: "EE.we".into(), value: "2 mV".into() });
    page.answer().await;
    page.send(Command::Export { id: 1 });
    let Event::Exported { id: 1, json } = page.answer().await else { panic!("nothing came") };
    let opened = page.open(2, Source::Json { text: json }).await.unwrap();
    assert_eq!(opened.network.projections[0].parameters[0].value, 2.0);
}

#[wasm_bindgen_test]
async fn the_engine_waits_for_a_slow_page() {
    let (mut page, _) = Page::with_cuba().await;
    page.takes = false;
    let mut heard = 0;
    page.send(Command::Play { id: 1 });
    for _ in 0..BATCHES_IN_FLIGHT {
        heard = page.batch().await.number;
    }
    // Whatever comes next answers this, since no batch can come before it.
    page.send(Command::Export { id: 1 });
    assert!(matches!(page.next().await, Event::Exported { .. }));
    page.send(Command::Taken { id: 1, batch: heard });
    assert_eq!(page.batch().await.number, BATCHES_IN_FLIGHT + 1);
}

#[wasm_bindgen_test]
async fn a_seed_is_kept_and_makes_another_network() {
    let (mut page, _) = Page::with_cuba().await;
    page.send(Command::Play { id: 1 });
    let one = page.spikes_until(500).await;
    page.send(Command::Open { id: 1, source: catalogue("cuba", 0.1), backend: BackendChoice::Cpu, seed: Some(2) });
    let Event::Opened(opened) = page.answer().await else { panic!("it did not open") };
    assert_eq!(opened.seed, 2);
    page.send(Command::Play { id: 1 });
    assert_ne!(page.spikes_until(500).await, one);
}

#[wasm_bindgen_test]
async fn a_protocol_changes_parameters_and_ends_the_run() {
    let mut page = Page::start().await;
    let text = r#"{"name": "protocol", "dt_ms": 0.1, "duration_ms": 100,
        "populations": [{"name": "n", "size": 3, "model": "lif", "parameters": {"I": "0 pA"}}],
        "changes": [{"at_ms": 10, "set": {"n.I": "500 pA"}}], "stop": ["spikes(n) >= 6"]}"#;
    page.open(1, Source::Json { text: text.into() }).await.unwrap();
    for _ in 0..2 {
        page.send(Command::Play { id: 1 });
        assert_eq!(page.state().await, (true, 0.0, false));
        let Event::Changed { id: 1, path, value, step: 100, scheduled: true } = page.answer().await else {
            panic!("nothing changed")
        };
        assert_eq!((path.as_str(), value), ("n.I", 500.0));
        let Event::State { playing: false, time_ms, stopped: Some(condition), .. } = page.answer().await else {
            panic!("it runs on")
        };
        assert_eq!(condition, "spikes(n) >= 6");
        assert!(time_ms > 10.0 && time_ms < 100.0, "{time_ms}");
        page.send(Command::Play { id: 1 });
        assert!(refusal(page.answer().await).0.contains("reset it to run it again"));

        // What changed by itself is not what the network is saved with, and is undone by a reset.
        page.send(Command::Export { id: 1 });
        let Event::Exported { json, .. } = page.answer().await else { panic!("nothing came") };
        assert!(json.contains("0 pA"), "{json}");
        page.send(Command::Reset { id: 1 });
        assert_eq!(page.state().await, (false, 0.0, true));
        let Event::Changed { path, value, step: 0, .. } = page.answer().await else { panic!("the change is not undone") };
        assert_eq!((path.as_str(), value), ("n.I", 0.0));
    }
}

#[wasm_bindgen_test]
async fn a_network_that_is_given_up_leaves_the_open_one() {
    let (mut page, _) = Page::with_cuba().await;
    page.send(Command::Open { id: 2, source: catalogue("cuba", 10.0), backend: BackendChoice::Cpu, seed: None });
    let Event::Building { id: 2, done, .. } = page.next().await else { panic!("it is not built") };
    assert!((0.0..=1.0).contains(&done));
    page.send(Command::Cancel { id: 2 });
    let Event::Cancelled { id: 2 } = page.answer().await else { panic!("it was built all the same") };
    page.send(Command::Play { id: 1 });
    assert!(!page.spikes_until(500).await.is_empty());
    // Too late for that one.
    page.send(Command::Cancel { id: 1 });
    page.send(Command::Pause { id: 1 });
    while page.state().await.0 {}
    assert!(page.open(3, catalogue("cuba", 0.1)).await.is_ok());
}

#[wasm_bindgen_test]
async fn another_network_gives_up_the_one_before_it() {
    let (mut page, _) = Page::with_cuba().await;
    for id in [2, 3] {
        page.send(Command::Open { id, source: catalogue("cuba", 0.1), backend: BackendChoice::Cpu, seed: None });
    }
    let Event::Cancelled { id: 2 } = page.answer().await else { panic!("it was built all the same") };
    let Event::Opened(opened) = page.answer().await else { panic!("it did not open") };
    assert_eq!(opened.id, 3);
}

/// The Workers of a network end with it: where another one takes its place, and where the engine is left. One that gains nothing from
/// them has none.
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
    let (mut page, _) = Page::with_cuba().await;
    assert_eq!(count_threads(), 0);
    for id in [2, 3, 4] {
        let opened = page.open(id, catalogue("cobahh", 1.0)).await.unwrap();
        let threads = opened.backend.threads as usize;
        assert_eq!(threads > 1, Threads::available().most > 1, "{:?}", opened.backend);
        left(threads - 1).await;
        page.send(Command::Play { id });
        assert!(page.batch().await.steps > 0);
    }
    page.open(5, catalogue("cuba", 0.1)).await.unwrap();
    left(0).await;
    page.open(6, catalogue("cobahh", 1.0)).await.unwrap();
    drop(page);
    left(0).await;
}

/// One device runs network after network; the second one does not wait for it.
#[wasm_bindgen_test]
async fn a_gpu_is_opened_once() {
    let mut page = Page::start().await;
    for id in [1, 2, 3] {
        page.send(Command::Open { id, source: catalogue("cuba", 0.1), backend: BackendChoice::Gpu, seed: None });
        let opened = match page.answer().await {
            Event::Opened(opened) => *opened,
            Event::Failed { message, .. } if option_env!("SPIKELET_REQUIRE_ADAPTER").is_none() => {
                return wasm_bindgen_test::console_log!("skipped: no adapter ({message})");
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(opened.backend.kind, "gpu");
        assert!(opened.backend.facts.iter().any(|fact| fact.what == "Largest buffer"), "{:?}", opened.backend.facts);
        assert!(opened.buffers.iter().any(|buffer| buffer.name == "rows 1" && buffer.bytes > 2 * opened.synapses));
        wasm_bindgen_test::console_log!("opened cuba on {}: {:?}", opened.backend.name, opened.build);
        assert!(opened.memory_bytes() > 4 * opened.synapses);
        page.send(Command::Play { id });
        assert!(!page.spikes_until(200).await.is_empty());
    }
}

/// A GPU that is lost in the middle of a run: it goes on on another one, nothing is missing and nothing comes twice.
#[wasm_bindgen_test]
async fn a_lost_device_leaves_no_gap() {
    let mut page = Page::start().await;
    page.send(Command::Open { id: 1, source: catalogue("cuba", 0.1), backend: BackendChoice::Gpu, seed: None });
    let opened = match page.answer().await {
        Event::Opened(opened) => opened,
        Event::Failed { message, .. } => {
            assert!(option_env!("SPIKELET_REQUIRE_ADAPTER").is_none(), "{message}");
            return;
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(opened.backend.kind, "gpu");
    page.send(Command::Play { id: 1 });
    let (mut spikes, mut next, mut moved, mut asked) = (Vec::new(), 0, 0, false);
    while next < 2000 || moved == 0 {
        match page.next().await {
            Event::Batch(batch) => {
                assert_eq!(batch.first_step, next, "a gap, or something twice");
                next += batch.steps;
                spikes.extend(batch.spike_steps.to_vec().into_iter().zip(batch.spike_neurons.to_vec()));
                if !std::mem::replace(&mut asked, true) {
                    page.send(Command::LoseDevice { id: 1 });
                }
            }
            Event::Moved(of) => {
                assert!(of.message.contains("was lost at") && !of.buffers.is_empty(), "{}", of.message);
                moved += 1;
            }
            Event::State { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    page.send(Command::Pause { id: 1 });
    assert_eq!(moved, 1);
    let network = spikelet::catalogue::network("cuba", 0.1).unwrap();
    let mut cpu = spikelet::Simulation::new(&network, Box::new(spikelet::Cpu::new(1))).await.unwrap();
    let expected: Vec<(u32, u32)> =
        cpu.advance(next).await.unwrap().spikes.iter().map(|spike| (spike.step, spike.neuron)).collect();
    assert_eq!(spikes, expected);
}

/// Cells whose synapses learn, with a statistic of it.
const LEARNING: &str = r#"{"name": "learning", "dt_ms": 0.1, "duration_ms": 1000, "seed": 3,
    "populations": [{"name": "E", "size": 50, "equations": "dv/dt = (1.2 - v)/(5*ms) : 1", "threshold": "v > 1", "reset": "v = 0",
        "initial": {"v": {"expr": "rand()"}}}],
    "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.2},
        "equations": "dx/dt = -x/(20*ms) : 1 (event-driven)\nw : 1", "on_pre": "v_post += 0.001*w\nx += 1",
        "on_post": "w = clip(w + 0.01*x, 0, 1)", "initial": {"w": 0.2}}],
    "statistics": [{"object": "EE", "var": "w", "every_ms": 10, "range": [0, 1], "bins": 5}]}"#;

/// What is measured next.
async fn measured(page: &mut Page) -> (Vec<u32>, Vec<f64>, Vec<u32>) {
    loop {
        if let Event::Measured(measured) = page.next().await {
            assert_eq!((measured.id, measured.statistic), (1, 0));
            return (measured.steps.to_vec(), measured.moments.to_vec(), measured.counts.to_vec());
        }
    }
}

#[wasm_bindgen_test]
async fn weights_are_measured_saved_taken_up_and_held_still() {
    let mut page = Page::start().await;
    let opened = page.open(1, Source::Json { text: LEARNING.into() }).await.unwrap();
    let [of] = opened.statistics.as_slice() else { panic!("{:?}", opened.statistics) };
    assert_eq!((of.label.as_str(), of.unit.as_str(), of.ends.len()), ("EE.w", "", 6));
    let projection = &opened.network.projections[0];
    assert!(opened.has_weights && projection.learns);
    let switch = projection.parameters.iter().find(|of| of.path == "EE.plasticity").unwrap();
    assert_eq!((switch.value, switch.min, switch.max), (1.0, 0.0, 1.0));

    page.send(Command::Play { id: 1 });
    assert!(page.state().await.0);
    let (steps, moments, counts) = measured(&mut page).await;
    assert_eq!(steps[0], 0);
    assert!((moments[0] - 0.2).abs() < 1e-6 && moments[1] < 1e-6, "{moments:?}");
    assert_eq!(u64::from(counts[..8].iter().sum::<u32>()), opened.synapses);
    loop {
        let (_, moments, _) = measured(&mut page).await;
        if moments[moments.len() - 4] > 0.3 {
            break;
        }
    }
    page.send(Command::Set { id: 1, path: "EE.plasticity".into(), value: "0".into() });
    let Event::Changed { value: 0.0, .. } = page.answer().await else { panic!("it was not switched off") };
    page.send(Command::Pause { id: 1 });
    assert!(!page.state().await.0);
    page.send(Command::SaveWeights { id: 1 });
    let Event::Weights { id: 1, content } = page.answer().await else { panic!("no weights came") };
    let saved = content.to_vec();
    let learned = spikelet::Learned::read("w.npz", saved.as_slice(), &|_| true).unwrap();
    assert_eq!(learned[0].pairs.len() as u64, opened.synapses);
    let mean = learned[0].variables["w"].iter().copied().map(f64::from).sum::<f64>() / opened.synapses as f64;

    page.send(Command::Reset { id: 1 });
    assert!(page.state().await.2);
    page.send(Command::TakeWeights { id: 1, file: "other.npz".into(), content: b"nothing of the kind".to_vec() });
    assert!(refusal(page.answer().await).0.contains("other.npz is no file that can be read"));
    page.send(Command::TakeWeights { id: 1, file: "w.npz".into(), content: saved });
    let Event::TookWeights { id: 1, file } = page.answer().await else { panic!("they were not taken") };
    assert_eq!(file, "w.npz");
    page.send(Command::Play { id: 1 });
    assert!(page.state().await.0);
    // Plasticity is still off: they stay.
    for _ in 0..2 {
        let (_, moments, _) = measured(&mut page).await;
        assert!(moments.chunks(4).all(|row| (row[0] - mean).abs() < 1e-9), "{mean}: {moments:?}");
    }
}
