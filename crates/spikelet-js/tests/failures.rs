//! Everything that can fail, with its code, its sentence and its path.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod page;

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::unbounded;
use js_sys::{Object, Reflect};
use page::{Page, catalogue, create, file, json, run, set};
use spikelet_js::engine::{RawEngine, serve};
use spikelet_js::protocol::{
    BackendChoice, Code, Command, Create, Diagnostic, Event, Failure, Message, Question, Reply, Source, from_js,
};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// A network of one cell, with what is given beside it.
fn cell(population: &str, more: &str) -> Source {
    json(&format!(
        r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "populations": [{{"name": "n", "size": 3, {population}}}]{more}}}"#
    ))
}

const LIF: &str = r#""model": "lif""#;

/// Cells that leave the numbers, and say so.
fn blast() -> Source {
    let recorded = r#", "recordings": [{"object": "n", "var": "v", "indices": [0]}]"#;
    cell(r#""equations": "dv/dt = v/(0.1*ms) : volt", "initial": {"v": "1 mV"}"#, recorded)
}

/// Synapses whose events grow without bound.
fn growing() -> Source {
    json(
        r#"{"name": "growing", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "a", "size": 3, "equations": "x : 1", "update": "x += 1", "threshold": "i == 1 and x % 4 < 0.5"},
                        {"name": "b", "size": 70, "equations": "v : 1\nu : 1", "update": "u = 0*u"}],
        "projections": [{"name": "ab", "pre": "a", "post": "b", "pairs": [[0, 3], [1, 66]], "equations": "w : 1",
                         "on_pre": "w = 100*w + 1\nu_post += 1\nv_post += w", "delay_ms": 0.1}]}"#,
    )
}

/// More synapses than a list can hold.
fn huge() -> Source {
    let kept = r#", "projections": [{"name": "nn", "pre": "n", "post": "n", "connect": {"rule": "all"}, "on_pre": "v_post += 0.1*mV",
        "storage": "stored"}]"#;
    let Source::Json { text } = cell(LIF, kept) else { panic!("it is JSON") };
    json(&text.replace("\"size\": 3", "\"size\": 30000"))
}

fn check(failure: &Failure, code: Code, path: Option<&str>, part: &str) {
    assert!(failure.code == code && failure.path.as_deref() == path, "expected {code:?} at {path:?}: {failure:?}");
    assert!(failure.message.contains(part), "{:?} lacks {part:?}", failure.message);
}

#[wasm_bindgen_test]
async fn networks_that_cannot_be_created() {
    let of = create;
    for (create, code, path, part) in [
        (of(json("{\n  \"name\": }")), Code::Json, None, "line 2, column 11: the JSON is malformed"),
        (
            of(cell(LIF, ", \"dt\": 1")),
            Code::UnknownKey,
            None,
            "the network (line 1) has an unknown key `dt`; the valid keys are",
        ),
        (of(cell("\"modle\": \"lif\"", "")), Code::UnknownKey, Some("populations[0]"), "did you mean `model`?"),
        (of(json("{\"name\": \"n\"}")), Code::MissingKey, None, "the network (line 1) lacks the key `dt_ms`"),
        (of(json(r#"{"name": "n", "dt_ms": 0, "duration_ms": 1}"#)), Code::InvalidValue, Some("dt_ms"), "for example 0.1"),
        (of(cell("\"size\": \"many\"", "")), Code::InvalidValue, Some("populations[0].size"), "a key must be unique"),
        (of(cell("\"model\": \"liff\"", "")), Code::UnknownName, Some("populations[0].model"), "did you mean `lif`?"),
        (of(catalogue("cubba", 1.0)), Code::UnknownName, None, "did you mean `cuba`?"),
        (of(catalogue("cuba", -1.0)), Code::InvalidValue, Some("scale"), "-1"),
        (of(cell("\"equations\": \"dv/dt = x/ms : volt\"", "")), Code::Equations, Some("populations[0]"), "`x`"),
        (of(huge()), Code::OutOfMemory, Some("projections[0]"), "3.4 GiB"),
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
    check(&page.refusal(set("E.I", "1")).await, Code::NoNetwork, Some("E.I"), "create one first");
    for command in [run(None, None), Command::Pause, Command::Reset, Command::Snapshot, Command::Memory] {
        check(&page.refusal(command).await, Code::NoNetwork, None, "create one first");
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
        check(&page.refusal(run(Some(ms), None)).await, Code::InvalidValue, Some("ms"), part);
    }
    check(&page.refusal(run(None, Some("spikes >"))).await, Code::Equations, Some("until"), "expected a limit, found the end");
    check(&page.refusal(set("n.Q", "1 pA")).await, Code::UnknownName, Some("n.Q"), "`Q`");
    check(&page.refusal(set("n.I", "1 mV")).await, Code::Equations, Some("n.I"), "expected");
    check(
        &page.refusal(Command::SaveWeights { trial: 0 }).await,
        Code::Device,
        None,
        "no synapses of the network have state: the effects of their events are constant, so there is nothing to save",
    );
    let ask = page.ask(run(None, None));
    check(
        &page.refusal(run(None, None)).await,
        Code::Running,
        None,
        "the network is already running; wait for the end of that run, or pause it",
    );
    page.ran(ask).await;
    check(&page.refusal(run(None, None)).await, Code::Ended, None, "when `spikes >= 1` held; reset it");
}

#[wasm_bindgen_test]
async fn runs_that_break_off() {
    for (source, code, part) in
        [(blast(), Code::Diverged, "of neuron 0 in `n`"), (growing(), Code::EventTooLarge, "an event of `ab` adds")]
    {
        let mut page = Page::start();
        page.create(source).await.unwrap();
        let failure = page.refusal(run(None, None)).await;
        check(&failure, code, None, part);
        assert!(failure.message.starts_with("the run failed: "), "{failure:?}");
        assert!(page.events().contains_failure(&failure));
        for command in [run(None, None), Command::Record { json: "[]".into() }] {
            check(&page.refusal(command).await, Code::Broken, None, "reset it");
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
    let told = Rc::new(RefCell::new(Vec::new()));
    let heard = told.clone();
    let post = Closure::<dyn Fn(JsValue, JsValue)>::new(move |message, _| heard.borrow_mut().push(message));
    let engine =
        RawEngine::new(post.as_ref().unchecked_ref::<js_sys::Function>().clone(), js_sys::Function::default(), None, None);
    let message = |text: &str| js_sys::JSON::parse(text).unwrap();
    engine.handle(message(r#"{"ask": 7, "command": {"type": "rnu"}}"#)).unwrap();
    let Ok(Message::Error { id: 7, failure }) = from_js(told.borrow_mut().pop().unwrap()) else { panic!("it is not refused") };
    check(&failure, Code::Protocol, None, "rnu");
    let thrown = JsValue::from(engine.handle(message(r#"{"command": 3}"#)).unwrap_err());
    let said = String::from(thrown.unchecked_into::<js_sys::Error>().message());
    assert!(said.starts_with("this is not a command of the engine"), "{said}");
    engine.handle(message(r#"{"ask": 8, "command": {"type": "pause"}}"#)).unwrap();
    page::sleep(20).await;
    let Ok(Message::Error { id: 8, failure }) = from_js(told.borrow_mut().pop().unwrap()) else { panic!("it is not refused") };
    check(&failure, Code::NoNetwork, None, "create one first");
    std::mem::forget(post);
}

#[wasm_bindgen_test]
async fn an_engine_that_cannot_start() {
    let (name, scope) = (JsValue::from("MessageChannel"), js_sys::global());
    let channel = Reflect::get(&scope, &name).unwrap();
    Reflect::set(&scope, &name, &JsValue::UNDEFINED).unwrap();
    let ((_asks, inbox), (sender, mut messages)) = (unbounded(), unbounded());
    serve(inbox, page::threads::available(), move |message| drop(sender.unbounded_send(message))).await;
    Reflect::set(&scope, &name, &channel).unwrap();
    let Ok(Message::Event(Event::Stopped(failure))) = messages.recv().await else { panic!("it starts") };
    check(&failure, Code::Engine, None, "no message channels");
}

/// What is found in a network: code, path, line and column, and a part of the sentence.
async fn found(text: &str) -> Vec<Diagnostic> {
    match Page::start().get(Command::Check { json: text.into() }).await {
        Ok(Reply::Diagnostics(found)) => found,
        other => panic!("{other:?}"),
    }
}

/// Code, path, line, column and width.
type Place = (String, String, Option<u32>, Option<u32>, Option<u32>);

fn places(found: &[Diagnostic]) -> Vec<Place> {
    found.iter().map(|of| (of.code.clone(), of.path.clone(), of.line, of.column, of.width)).collect()
}

fn at(code: &str, path: &str, place: Option<(u32, u32, u32)>) -> Place {
    let [line, column, width] = place.map_or([None; 3], |(line, column, width)| [Some(line), Some(column), Some(width)]);
    (code.to_owned(), path.to_owned(), line, column, width)
}

#[wasm_bindgen_test]
async fn a_check_finds_what_is_no_json() {
    let malformed = found("{\n  \"name\": }").await;
    assert_eq!(places(&malformed), [("json".into(), String::new(), Some(2), Some(11), None)]);
}

#[wasm_bindgen_test]
async fn a_check_finds_all_with_their_places() {
    let text = r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 10,
        "populations": [{"name": "a", "size": 3, "equations": "dv/dt = -v/tau : volt\ntau : second (constant)\ndw/dt = y/ms : 1",
                         "parameters": {"tau": "10 ms"}},
                        {"name": "b", "size": 3, "model": "lif"}, {"name": "c", "size": 3, "equations": "dv/dt = 1*mV : volt"}],
        "projections": [{"name": "bb", "pre": "b", "post": "b", "connect": {"rule": "all"}, "on_pre": "v_post += q"}]}"#;
    let all = found(text).await;
    let expected = [
        at("undefined_name", "populations[0].equations", Some((3, 9, 1))),
        at("dimension_mismatch", "populations[2].equations", Some((1, 9, 4))),
        at("undefined_name", "projections[0].on_pre", Some((1, 11, 1))),
    ];
    assert!(all.iter().all(|of| of.is_error && !of.message.is_empty()), "{all:?}");
    assert_eq!(places(&all), expected);
    let two = found(&text.replace("\"size\": 3", "\"size\": 0")).await;
    assert_eq!(
        two.iter().map(|of| of.path.as_str()).collect::<Vec<_>>(),
        ["populations[0].size", "populations[1].size", "populations[2].size"]
    );
}

#[wasm_bindgen_test]
async fn a_check_tells_what_is_hardly_meant() {
    let notices = found(
        r#"{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "populations": [{"name": "n", "size": 4, "model": "lif"}],
        "changes": [{"at_ms": 100, "set": {"n.I": "500 pA"}}]}"#,
    )
    .await;
    assert_eq!(places(&notices), [at("notice", "changes[0].at_ms", None)]);
    assert!(!notices[0].is_error && notices[0].message.contains("the change never happens"), "{notices:?}");
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
}

#[wasm_bindgen_test]
async fn a_check_draws_nothing() {
    let large = spikelet::catalogue::network("pd14", 0.2).unwrap().to_json();
    let began = js_sys::Date::now();
    let all = found(&large).await;
    console_log!("pd14 at a fifth of its size was checked in {} ms", js_sys::Date::now() - began);
    assert_eq!(all, []);
}
