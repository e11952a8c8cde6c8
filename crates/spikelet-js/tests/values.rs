//! Parameters and variables, recordings and snapshots, heard from the page's end of the protocol.

use crate::page::{Page, catalogue, create, json, numbers, run};
use js_sys::Uint8Array;
use spikelet_js::protocol::{BackendChoice, Changed, Code, Command, Create, Event, Info, Reply, State, StopReason};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// Cells whose synapses learn, with a statistic of it.
const LEARNING: &str = r#"{"name": "learning", "dt_ms": 0.1, "duration_ms": 1000, "seed": 3,
    "populations": [{"name": "E", "size": 50, "equations": "dv/dt = (a - v)/(5*ms) : 1\na : 1 (constant)", "threshold": "v > 1",
        "reset": "v = 0", "initial": {"v": {"expr": "rand()"}}, "parameters": {"a": {"expr": "1.1 + 0.2*rand()"}}}],
    "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.2},
        "equations": "dx/dt = -x/(20*ms) : 1 (event-driven)\nw : 1", "on_pre": "v_post += 0.001*w\nx += 1",
        "on_post": "w = clip(w + 0.01*x, 0, 1)", "initial": {"w": 0.2}}],
    "statistics": [{"object": "EE", "var": "w", "every_ms": 10, "range": [0, 1], "bins": 5}]}"#;

/// The bytes of an answer.
fn bytes(answer: Result<Reply, spikelet_js::protocol::Failure>) -> Vec<u8> {
    match answer {
        Ok(Reply::Bytes { content }) => content.to_vec(),
        other => panic!("{other:?}"),
    }
}

fn restore(content: &[u8]) -> Command {
    Command::Restore { content: Uint8Array::from(content), rewind: false }
}

/// The moments of the only statistic in the batches up to now, each with its step.
fn moments(page: &mut Page) -> Vec<(u32, [f64; 4])> {
    let mut all = Vec::new();
    for event in page.events() {
        if let Event::Measured(measured) = event {
            assert_eq!((measured.trial, measured.statistic), (0, 0));
            let rows = measured.moments.to_vec();
            all.extend(measured.steps.to_vec().into_iter().zip(rows.chunks(4).map(|row| [row[0], row[1], row[2], row[3]])));
        }
    }
    all
}

#[wasm_bindgen_test]
async fn parameters_are_in_their_units() {
    let (mut page, _) = Page::with_cuba().await;
    assert_eq!(page.value("E.taum").await, (vec![20.0], "ms".into()));
    assert_eq!(page.set("E.taum", "0.015 second").await, (vec![15.0], "ms".into()));
    assert_eq!(numbers(page.set_numbers("E.taum", &[12.5]).await), (vec![12.5], "ms".into()));
    let changed =
        page.settle().await.into_iter().filter_map(|event| if let Event::Changed(of) = event { Some(of) } else { None });
    let expected = [(15.0, "0.015 second"), (12.5, "12.5 ms")].map(|(value, text)| {
        let text = Some(text.into());
        Changed { path: "E.taum".into(), value, step: 0, scheduled: false, text }
    });
    assert_eq!(changed.collect::<Vec<_>>(), expected);
    let failure = page.set_numbers("E.taum", &[1.0, 2.0]).await.unwrap_err();
    assert!(failure.code == Code::InvalidValue && failure.message.contains("it has one value"), "{failure:?}");
    let failure = page.error(Command::Get { path: "E.taum[2]".into(), trial: 0 }).await;
    assert!(failure.message.contains("use the whole value, E.taum"), "{failure:?}");
}

#[wasm_bindgen_test]
async fn variables_are_looked_at_and_set_in_parts() {
    let mut page = Page::start();
    let info = page.create_as(Create { trials: 2, ..create(json(LEARNING)) }).await.unwrap();
    let paths = |of: &[spikelet_js::protocol::Variable]| of.iter().map(|of| of.path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&info.network.populations[0].variables), ["E.v", "E.a"]);
    assert_eq!(paths(&info.network.projections[0].variables), ["EE.w", "EE.x"]);
    page.run(20.0).await;
    let (all, unit) = page.value("E.v").await;
    assert_eq!((all.len(), unit.as_str()), (50, ""));
    assert_eq!(page.value("E.v[0:10]").await.0, all[..10]);
    assert_eq!(page.set("E.v[3]", "0.5").await.0, [0.5]);
    assert_eq!(numbers(page.set_numbers("E.v[4:6]", &[0.25, 0.75]).await).0, [0.25, 0.75]);
    for trial in 0..2 {
        let (now, _) = numbers(page.get(Command::Get { path: "E.v".into(), trial }).await);
        assert_eq!((now[3], now[4], now[5]), (0.5, 0.25, 0.75), "trial {trial}");
    }
    assert_eq!(page.value("EE.w").await.0.len() as u64, info.synapses);
    // What a neuron has for itself survives a reset, its state does not.
    page.settle().await;
    assert_eq!(numbers(page.set_numbers("E.a[:2]", &[2.0]).await).0, [2.0, 2.0]);
    assert!(matches!(page.event().await, Event::Changed(changed) if changed.path == "E.a" && changed.value.is_nan()));
    page.done(Command::Reset).await;
    assert_eq!(page.value("E.a[0:2]").await.0, [2.0, 2.0]);
    assert_ne!(page.value("E.v[3]").await.0, [0.5]);
    for (command, code, said) in [
        (Command::Get { path: "E.u".into(), trial: 0 }, Code::UnknownName, "there are `v`, `a`"),
        (Command::Get { path: "E.v".into(), trial: 2 }, Code::InvalidValue, "trial is 2, but the network has 2"),
        (crate::page::set("E.v", "3 mV"), Code::InvalidValue, "its unit is 1"),
        (crate::page::set("E.v[60]", "3"), Code::InvalidValue, "`E.v` has 50 values"),
    ] {
        let failure = page.error(command).await;
        assert!(failure.code == code && failure.message.contains(said), "{failure:?}");
    }
}

/// A run until a condition ends with the step at whose end it holds; what is looked at then is that step's, and what follows the same as ever.
async fn until(backend: BackendChoice) {
    let network = || Create { backend, ..create(catalogue("cuba", 0.1)) };
    let mut page = Page::start();
    let info: Info = match page.create_as(network()).await {
        Ok(info) => info,
        Err(failure) => {
            assert!(option_env!("SPIKELET_REQUIRE_ADAPTER").is_none(), "{failure:?}");
            return console_log!("skipped: no adapter ({})", failure.message);
        }
    };
    page.run(20.0).await;
    let condition = "spikes(E) > 30";
    let ask = page.ask(run(Some(500.0), Some(condition)));
    let ran = page.ran(ask).await;
    assert_eq!((ran.because, ran.condition.as_deref()), (StopReason::Condition, Some(condition)));
    assert!(ran.time_ms < 520.0 && ran.steps > 1, "{ran:?}");
    let mut spikes = page.spikes(0);
    let end = 200 + ran.steps;
    let first_neuron = info.network.populations[0].first;
    let of_e = first_neuron..first_neuron + info.network.populations[0].size;
    let counts = |step: u32, neuron: u32| step >= 200 && of_e.contains(&neuron);
    let count = |until: u32| spikes.iter().filter(|(step, neuron)| *step < until && counts(*step, *neuron)).count();
    assert!(count(end - 1) <= 30 && count(end) > 30, "{} and {}", count(end - 1), count(end));

    // The state is that of a run of so many steps.
    let (v, _) = page.value("E.v").await;
    let mut other = Page::start();
    other.create_as(network()).await.unwrap();
    other.run(ran.time_ms).await;
    assert_eq!(other.value("E.v").await.0, v);
    // It goes on from there, also with what is told by then.
    let ask = page.ask(run(Some(500.0), Some("spikes >= 1")));
    let second = page.ran(ask).await;
    page.run(30.0).await;
    other.run(second.steps as f64 * 0.1).await;
    other.run(30.0).await;
    spikes.extend(page.spikes(end));
    assert_eq!(spikes, other.spikes(0));
    // What does not hold in time, and what cannot be read.
    let ask = page.ask(run(Some(1.0), Some("rate(E, 1 ms) > 100 kHz")));
    assert_eq!(page.ran(ask).await.because, StopReason::Time);
    let failure = page.error(run(None, Some("spikes(X) > 1"))).await;
    assert!(
        failure.code == Code::Equations && failure.message.contains("`X`") && failure.path.as_deref() == Some("until"),
        "{failure:?}"
    );
}

#[wasm_bindgen_test]
async fn a_run_ends_where_a_condition_holds_on_the_cpu() {
    until(BackendChoice::Cpu).await;
}

#[wasm_bindgen_test]
async fn a_run_ends_where_a_condition_holds_on_a_gpu() {
    until(BackendChoice::Gpu).await;
}

#[wasm_bindgen_test]
async fn what_is_recorded_can_be_replaced_while_it_runs() {
    let (mut plain, mut page) = (Page::start(), Page::start());
    plain.create(json(LEARNING)).await.unwrap();
    plain.run(60.0).await;
    let whole = plain.spikes(0);
    let info = page.create(json(LEARNING)).await.unwrap();
    assert!(info.channels.is_empty());
    let ask = page.ask(run(Some(60.0), None));
    page.batch().await;
    let recordings = r#"[{"object": "E", "var": "v", "indices": [0, 7]}, {"object": "EE", "var": "w", "indices": [3]}]"#;
    let Ok(Reply::Info(info)) = page.get(Command::Record { json: recordings.into() }).await else { panic!("it is not recorded") };
    let labels: Vec<_> = info.channels.iter().map(|channel| channel.label.as_str()).collect();
    assert_eq!(labels, ["E.v[0]", "E.v[7]", "EE.w[3]"]);
    page.events();
    assert_eq!(page.ran(ask).await.because, StopReason::Time);
    for event in page.events() {
        if let Event::Batch(batch) = event {
            assert_eq!(batch.samples.length(), 3 * batch.steps);
        }
    }
    assert_eq!(page.value("E.v").await.0, plain.value("E.v").await.0);
    page.done(Command::Reset).await;
    page.events();
    page.run(60.0).await;
    assert_eq!(page.spikes(0), whole);
    let Ok(Reply::Text(text)) = page.get(Command::Network).await else { panic!("nothing came") };
    assert!(text.contains("\"recordings\"") && text.contains("7"), "{text}");
    let failure = page.error(Command::Record { json: r#"[{"object": "E", "vra": "v", "indices": [0]}]"#.into() }).await;
    assert!(failure.code == Code::UnknownKey && failure.path.as_deref() == Some("recordings[0]"), "{failure:?}");
}

#[wasm_bindgen_test]
async fn a_snapshot_is_gone_on_from() {
    let mut page = Page::start();
    page.create(json(LEARNING)).await.unwrap();
    page.run(30.0).await;
    page.set("EE.plasticity", "0").await;
    let snapshot = bytes(page.get(Command::Snapshot).await);
    page.settle().await;
    page.run(20.0).await;
    let rest = page.spikes(300);

    let mut other = Page::start();
    other.create(json(LEARNING)).await.unwrap();
    let ask = other.ask(run(None, None));
    other.batch().await;
    let Ok(Reply::Info(info)) = other.get(restore(&snapshot)).await else { panic!("it is not restored") };
    assert_eq!(info.network.projections[0].parameters.iter().find(|of| of.symbol == "plasticity").unwrap().value, 0.0);
    let ran = other.ran(ask).await;
    assert_eq!((ran.because, ran.time_ms), (StopReason::Moved, 30.0));
    let moved = other.settle().await.into_iter().rfind(|event| matches!(event, Event::State(_)));
    assert!(matches!(moved, Some(Event::State(State { running: false, time_ms: 30.0, moved: true, .. }))), "{moved:?}");
    other.run(20.0).await;
    assert_eq!(other.spikes(300), rest);
    let failure = other.error(restore(b"nothing of the kind")).await;
    assert_eq!(failure.code, Code::InvalidValue, "{failure:?}");
    let mut cuba = Page::with_cuba().await.0;
    let failure = cuba.error(restore(&snapshot)).await;
    assert!(failure.code == Code::InvalidValue && failure.message.contains("the snapshot is of a network"), "{failure:?}");
}

#[wasm_bindgen_test]
async fn weights_are_measured_saved_taken_up_and_held_still() {
    let mut page = Page::start();
    let info = page.create(json(LEARNING)).await.unwrap();
    let [of] = info.statistics.as_slice() else { panic!("{:?}", info.statistics) };
    assert_eq!((of.label.as_str(), of.unit.as_str(), of.ends.len()), ("EE.w", "", 6));
    let projection = &info.network.projections[0];
    assert!(info.has_weights && projection.learns);
    let switch = projection.parameters.iter().find(|of| of.path == "EE.plasticity").unwrap();
    assert_eq!((switch.value, switch.min, switch.max), (1.0, 0.0, 1.0));

    page.run(200.0).await;
    let measured = moments(&mut page);
    assert_eq!(measured[0].0, 0);
    assert!((measured[0].1[0] - 0.2).abs() < 1e-6 && measured[0].1[1] < 1e-6, "{measured:?}");
    assert!(measured.last().unwrap().1[0] > 0.3, "{measured:?}");
    page.set("EE.plasticity", "0").await;
    let saved = bytes(page.get(Command::SaveWeights { trial: 0 }).await);
    let learned = spikelet::SynapseState::read("w.npz", std::io::Cursor::new(&saved), &|_| true).unwrap();
    assert_eq!(learned[0].pairs.len() as u64, info.synapses);
    let mean = learned[0].variables["w"].iter().copied().map(f64::from).sum::<f64>() / info.synapses as f64;

    page.done(Command::Reset).await;
    let take =
        |file: &str, content: &[u8]| Command::LoadWeights { trial: 0, file: file.into(), content: Uint8Array::from(content) };
    let failure = page.error(take("other.npz", b"nothing of the kind")).await;
    assert!(failure.message.contains("other.npz is not a readable file"), "{failure:?}");
    page.done(take("w.npz", &saved)).await;
    page.events();
    page.run(50.0).await;
    // Plasticity is still off: they stay.
    assert!(moments(&mut page).iter().all(|(_, row)| (row[0] - mean).abs() < 1e-9), "{mean}");
}
