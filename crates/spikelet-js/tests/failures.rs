//! Everything that can fail, with its code, its sentence and its path.

use std::cell::RefCell;
use std::rc::Rc;

use crate::page::{Page, catalogue, create, file, json, run, set};
use futures_channel::mpsc::unbounded;
use js_sys::{Object, Reflect};
use spikelet_js::engine::{RawEngine, serve};
use spikelet_js::protocol::{
    BackendChoice, Code, Command, Create, Diagnostic, Event, Failure, Message, Question, Reply, Source, from_js, to_js,
};
use spikelet_verify::{broken_runs, checked_networks, network_of_cells, rejected_networks};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// A network of three cells, with what is given beside them.
fn cell(population: &str, more: &str) -> Source {
    json(&network_of_cells(population, more))
}

const LIF: &str = r#""model": "lif""#;

/// More synapses than a list can hold.
fn huge() -> Source {
    let kept = r#", "projections": [{"name": "nn", "pre": "n", "post": "n", "connect": {"rule": "all"}, "on_pre": "v_post += 0.1*mV",
        "storage": "stored"}]"#;
    json(&network_of_cells(LIF, kept).replace("\"size\": 3", "\"size\": 30000"))
}

/// A code as it is sent.
fn sent(code: Code) -> String {
    to_js(&code).unwrap().as_string().unwrap()
}

fn check(failure: &Failure, code: Code, path: Option<&str>, part: &str) {
    assert!(failure.code == code && failure.path.as_deref() == path, "expected {code:?} at {path:?}: {failure:?}");
    assert!(failure.message.contains(part), "{:?} lacks {part:?}", failure.message);
}

#[wasm_bindgen_test]
async fn networks_that_cannot_be_created() {
    for rejected in rejected_networks() {
        let failure = Page::start().create(json(&rejected.json)).await.unwrap_err();
        let path = Some(rejected.path).filter(|path| !path.is_empty());
        check(&failure, failure.code, path, rejected.message);
        assert_eq!((sent(failure.code).as_str(), failure.diagnostics[0].code.as_str()), (rejected.failure, rejected.diagnostic));
    }
    let of = create;
    for (create, code, path, part) in [
        (of(huge()), Code::OutOfMemory, Some("projections[0]"), "3.4 GiB"),
        (of(catalogue("cubba", 1.0)), Code::UnknownName, None, "did you mean `cuba`?"),
        (of(catalogue("cuba", -1.0)), Code::InvalidValue, Some("scale"), "-1"),
        (Create { trials: 0, ..of(cell(LIF, "")) }, Code::InvalidValue, Some("trials"), "at least one is needed"),
        (Create { threads: Some(0), ..of(cell(LIF, "")) }, Code::InvalidValue, Some("threads"), "at least one is needed"),
    ] {
        check(&Page::start().create_as(create).await.unwrap_err(), code, path, part);
    }
    let learned =
        r#", "projections": [{"name": "nn", "pre": "n", "post": "n", "pairs": {"file": "e.csv"}, "on_pre": "v_post += 1*mV"}]"#;
    let files = vec![file("e.csv", b"pre,post\n0,7\n")];
    let failure = Page::start().create_as(Create { files, ..create(cell(LIF, learned)) }).await.unwrap_err();
    check(&failure, failure.code, failure.path.as_deref(), "e.csv");
    assert_eq!(failure.diagnostics.len(), 1);
}

#[wasm_bindgen_test]
async fn commands_that_cannot_be_done() {
    let mut page = Page::start();
    check(&page.error(set("E.I", "1")).await, Code::NoNetwork, Some("E.I"), "create one first");
    for command in [run(None, None), Command::Pause, Command::Reset, Command::Snapshot, Command::Memory] {
        check(&page.error(command).await, Code::NoNetwork, None, "create one first");
    }
    let stop = r#", "stop": ["spikes >= 1"]"#;
    page.create(cell(r#""model": "lif", "parameters": {"I": "1 nA"}"#, stop)).await.unwrap();
    check(&page.create(cell(LIF, "")).await.unwrap_err(), Code::Protocol, None, "start another engine");
    for (ms, part) in [
        (-1.0, "ms is -1, but"),
        (f64::NAN, "ms is NaN, but"),
        (f64::INFINITY, "ms is inf, but"),
        (0.25, "ms is 0.25, but a duration must be a whole number of steps, and dt_ms is 0.1; the nearest ones are 0.2 and 0.3"),
        (1e12, "ms is 1000000000000, but a run has at most 2147483647 steps"),
    ] {
        check(&page.error(run(Some(ms), None)).await, Code::InvalidValue, Some("ms"), part);
    }
    check(&page.error(run(None, Some("spikes >"))).await, Code::Equations, Some("until"), "expected a limit, found the end");
    check(&page.error(set("n.Q", "1 pA")).await, Code::UnknownName, Some("n.Q"), "`Q`");
    check(&page.error(set("n.I", "1 mV")).await, Code::Equations, Some("n.I"), "must be a current");
    check(
        &page.error(Command::SaveWeights { trial: 0 }).await,
        Code::Device,
        None,
        "no synapses of the network have values that change: their events are constant, or neurons store their state, so there is nothing to save",
    );
    let ask = page.ask(run(None, None));
    check(
        &page.error(run(None, None)).await,
        Code::Running,
        None,
        "the network is already running; wait for the end of that run, or pause it",
    );
    page.ran(ask).await;
    check(&page.error(run(None, None)).await, Code::Ended, None, "when `spikes >= 1` was true; reset it to run it again");
}

#[wasm_bindgen_test]
async fn runs_that_break_off() {
    for broken in broken_runs() {
        let mut page = Page::start();
        page.create(json(&broken.json)).await.unwrap();
        let failure = page.error(run(None, None)).await;
        check(&failure, failure.code, None, broken.message);
        assert_eq!(sent(failure.code), broken.code);
        assert!(failure.message.starts_with("the run failed: "), "{failure:?}");
        assert!(page.events().contains_failure(&failure));
        for command in [run(None, None), Command::Record { json: "[]".into() }] {
            check(&page.error(command).await, Code::Broken, None, "reset it");
        }
    }
}

/// Whether a failure is among events.
trait Contains {
    fn contains_failure(&self, failure: &Failure) -> bool;
}

impl Contains for Vec<Event> {
    fn contains_failure(&self, failure: &Failure) -> bool {
        self.iter().any(|event| matches!(event, Event::Failed(found) if found == failure))
    }
}

#[wasm_bindgen_test]
async fn a_gpu_that_is_not_there_or_goes() {
    let on_gpu = || Create { backend: BackendChoice::Gpu, ..create(cell(LIF, "")) };
    let navigator = Reflect::get(&js_sys::global(), &"navigator".into()).unwrap();
    let hidden = Object::new();
    Reflect::set(&hidden, &"configurable".into(), &JsValue::TRUE).unwrap();
    Object::define_property(navigator.unchecked_ref::<Object>(), &"gpu".into(), &hidden);
    let mut page = Page::start();
    let failure = page.create_as(on_gpu()).await.unwrap_err();
    check(&failure, Code::NoGpu, None, "does not provide WebGPU");
    assert!(failure.message.ends_with("leave `backend` at \"auto\" to use the CPU if there is no GPU"), "{failure:?}");
    Reflect::delete_property(navigator.unchecked_ref::<Object>(), &"gpu".into()).unwrap();

    let mut page = Page::start();
    let Ok(Reply::Devices(devices)) = page.get(Command::Devices).await else { panic!("no devices") };
    if let Some(why) = devices.no_gpu_because {
        assert!(option_env!("SPIKELET_REQUIRE_ADAPTER").is_none(), "{why}");
        return;
    }
    page.done(Command::LoseDevice).await;
    check(&page.create_as(on_gpu()).await.unwrap_err(), Code::DeviceLost, None, "was lost");
    // The next one is another.
    page.create_as(on_gpu()).await.unwrap();
}

#[wasm_bindgen_test]
async fn what_is_no_command() {
    let emitted = Rc::new(RefCell::new(Vec::new()));
    let received = emitted.clone();
    let post = Closure::<dyn Fn(JsValue, JsValue)>::new(move |message, _| received.borrow_mut().push(message));
    let engine =
        RawEngine::new(post.as_ref().unchecked_ref::<js_sys::Function>().clone(), js_sys::Function::default(), None, None);
    let message = |text: &str| js_sys::JSON::parse(text).unwrap();
    engine.handle(message(r#"{"id": 7, "command": {"type": "rnu"}}"#)).unwrap();
    let Ok(Message::Error { id: 7, failure }) = from_js(emitted.borrow_mut().pop().unwrap()) else { panic!("it is not refused") };
    check(&failure, Code::Protocol, None, "rnu");
    let thrown = JsValue::from(engine.handle(message(r#"{"command": 3}"#)).unwrap_err());
    let said = String::from(thrown.unchecked_into::<js_sys::Error>().message());
    assert!(said.starts_with("this is not a command of the engine"), "{said}");
    engine.handle(message(r#"{"id": 8, "command": {"type": "pause"}}"#)).unwrap();
    crate::page::sleep(20).await;
    let Ok(Message::Error { id: 8, failure }) = from_js(emitted.borrow_mut().pop().unwrap()) else { panic!("it is not refused") };
    check(&failure, Code::NoNetwork, None, "create one first");
    std::mem::forget(post);
}

#[wasm_bindgen_test]
async fn an_engine_that_cannot_start() {
    let (name, scope) = (JsValue::from("MessageChannel"), js_sys::global());
    let channel = Reflect::get(&scope, &name).unwrap();
    Reflect::set(&scope, &name, &JsValue::UNDEFINED).unwrap();
    let ((_asks, inbox), (sender, mut messages)) = (unbounded(), unbounded());
    serve(inbox, crate::page::threads::available(), move |message| drop(sender.unbounded_send(message))).await;
    Reflect::set(&scope, &name, &channel).unwrap();
    let Ok(Message::Event(Event::Stopped(failure))) = messages.recv().await else { panic!("it starts") };
    check(&failure, Code::Engine, None, "no message channels");
}

/// What a check finds in a network.
async fn found(text: &str) -> Vec<Diagnostic> {
    match Page::start().get(Command::Check { json: text.into() }).await {
        Ok(Reply::Diagnostics(found)) => found,
        other => panic!("{other:?}"),
    }
}

#[wasm_bindgen_test]
async fn a_check_finds_all_with_their_places() {
    for checked in checked_networks() {
        let found = found(&checked.json).await;
        assert_eq!(found.len(), checked.found.len(), "{found:?}");
        for (found, expected) in found.iter().zip(&checked.found) {
            let place = (found.code.as_str(), found.path.as_str(), found.line, found.column, found.width);
            assert_eq!(place, (expected.code, expected.path, expected.line, expected.column, expected.width), "{found:?}");
            assert_eq!(found.is_error, expected.code != "notice", "{found:?}");
            assert!(found.message.contains(expected.message), "{found:?}");
        }
    }
}

#[wasm_bindgen_test]
async fn what_is_edited_is_judged() {
    let judge = async |json: &str| {
        let question = Question { json: json.into(), ..Question::default() };
        match Page::start().get(Command::Judge(question)).await {
            Ok(Reply::Judgement(found)) => found,
            other => panic!("{other:?}"),
        }
    };
    let malformed = judge("{\n  \"name\": }").await;
    assert_eq!(malformed.network.iter().map(|of| of.diagnostic.code.as_str()).collect::<Vec<_>>(), ["json"]);
    assert_eq!(malformed.estimate, None);
    let sound = judge(&spikelet::catalogue::network("cuba", 1.0).unwrap().to_json()).await;
    assert_eq!((sound.network, sound.estimate.map(|of| of.projections.len())), (vec![], Some(4)));
    // Said where it is typed, before it is run.
    let huge = judge(
        r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "populations": [{"name": "n", "size": 3000000000, "model": "lif"}],
            "projections": [{"name": "nn", "pre": "n", "post": "n", "connect": {"rule": "bernoulli", "p": 0.02}, "on_pre": "v_post += 1*mV"}]}"#,
    )
    .await;
    // A number for each neuron at least.
    let bytes = huge.estimate.map_or(0, |of| of.bytes);
    assert!(bytes > 4 * 3_000_000_000, "{bytes}");
    let found: Vec<_> = huge.network.iter().map(|of| (of.diagnostic.code.as_str(), of.diagnostic.path.as_str())).collect();
    assert_eq!(found, [("out_of_memory", "populations[0].size")]);
}

#[wasm_bindgen_test]
async fn a_check_draws_nothing() {
    let large = spikelet::catalogue::network("pd14", 0.2).unwrap().to_json();
    let began = js_sys::Date::now();
    let all = found(&large).await;
    console_log!("pd14 at a fifth of its size was checked in {} ms", js_sys::Date::now() - began);
    assert_eq!(all, []);
}
