//! Networks that a tab has no room for are refused with a sentence, before anything is drawn.

use std::cell::RefCell;
use std::rc::Rc;

use crate::page::{Page, create, json};
use spikelet::{BuildOptions, Builder, Error, Network, Storage};
use spikelet_js::protocol::{Code, Command, Create, Reply};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// Every neuron to every other, with one weight: a word for each of `neurons`² synapses, or more.
fn all_to_all(neurons: u32, projection: &str) -> String {
    format!(
        r#"{{"name": "large", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "n", "size": {neurons}, "model": "lif_exp"}}],
        "projections": [{{"name": "nn", "pre": "n", "post": "n", "connect": {{"rule": "all"}}, {projection}}}]}}"#
    )
}

const ONE_WEIGHT: &str = r#""on_pre": "ge_post += 0.1*mV""#;
const KEPT: &str = r#""on_pre": "ge_post += 0.1*mV", "storage": "stored""#;
const WEIGHTS: &str = r#""on_pre": "ge_post += w", "parameters": {"w": "uniform(0 mV, 1 mV)"}, "storage": "stored""#;

fn error(text: &str, options: BuildOptions) -> String {
    let network = Network::from_json(text).unwrap();
    Builder::new(&network, options).err().map(|error: Error| error.to_string()).expect("it is refused")
}

#[wasm_bindgen_test]
fn a_list_past_2_gib_is_refused() {
    // 9e8 synapses are 3.6 GB: less than all of memory, and more than one list.
    let said = error(&all_to_all(30_000, KEPT), BuildOptions::default());
    for part in ["projections[0]", "9.000e8 synapses in `nn`", "3.4 GiB", "at most 536870911 synapses", "procedural"] {
        assert!(said.contains(part), "{said:?} lacks {part:?}");
    }
}

#[wasm_bindgen_test]
fn a_network_past_4_gib_is_refused() {
    // 4e8 synapses of a target in two bytes and a weight in four each, twice.
    let more = format!(r#"{WEIGHTS}}}, {{"name": "more", "pre": "n", "post": "n", "connect": {{"rule": "all"}}, {WEIGHTS}"#);
    let two = all_to_all(20_000, &more);
    let said = error(&two, BuildOptions::default());
    for part in ["4.5 GiB", "2.2 GiB of them for the 4.000e8 synapses", "4.0 GiB of memory", "procedural"] {
        assert!(said.contains(part), "{said:?} lacks {part:?}");
    }
}

/// Where the rule allows it, and the network does not say, rows that have no room are drawn anew at every spike.
#[wasm_bindgen_test]
fn what_has_no_room_becomes_procedural() {
    let network = Network::from_json(&all_to_all(30_000, ONE_WEIGHT)).unwrap();
    let builder = Builder::new(&network, BuildOptions::default()).unwrap();
    assert!(!builder.estimate().projections[0].stored);
    let options = BuildOptions { storage: Some(Storage::Stored), ..BuildOptions::default() };
    assert!(error(&all_to_all(30_000, ONE_WEIGHT), options).contains("at most 536870911 synapses"));
}

/// Memory grows up to what an address reaches; past that, an error says how much was wanted.
#[wasm_bindgen_test]
fn memory_grows_to_4_gib_and_says_where_it_ends() {
    const GIB: usize = 1 << 30;
    // Held here: what is thrown drops nothing.
    let held = Rc::new(RefCell::new(Vec::new()));
    let taken = held.clone();
    let take = Closure::<dyn Fn()>::new(move || {
        loop {
            let more = Vec::<u8>::with_capacity(GIB);
            taken.borrow_mut().push(more);
        }
    });
    let thrown = take.as_ref().unchecked_ref::<js_sys::Function>().call0(&JsValue::UNDEFINED).unwrap_err();
    assert_eq!(held.take().len(), 3);
    let said = String::from(thrown.unchecked_into::<js_sys::Error>().message());
    assert!(said.contains("out of memory: 1024 MiB more are needed, and a tab has 4096 MiB in total; make"), "{said}");
}

/// The engine refuses it as any other network, and lives.
#[wasm_bindgen_test]
async fn the_engine_goes_on_after_a_network_that_is_too_large() {
    let mut page = Page::start();
    let failure = page.create(json(&all_to_all(30_000, KEPT))).await.unwrap_err();
    assert!(failure.code == Code::OutOfMemory && failure.message.contains("3.4 GiB"), "{failure:?}");
    let trials = Create { trials: 1_000_000, ..create(json(&all_to_all(1000, KEPT))) };
    let failure = page.create_as(trials).await.unwrap_err();
    assert_eq!((failure.code, failure.path.as_deref()), (Code::OutOfMemory, Some("trials")), "{failure:?}");
    assert!(failure.message.contains("run at most"), "{failure:?}");
    assert_eq!(page.create(json(&all_to_all(300, KEPT))).await.unwrap().synapses, 90_000);
}

/// However long a network runs, nothing piles up.
#[wasm_bindgen_test]
async fn a_million_steps_leave_no_trace() {
    let text = r#"{"name": "long", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [{"name": "n", "size": 4, "equations": "dv/dt = (1.2 - v)/(5*ms) : 1", "threshold": "v > 1", "reset": "v = 0"}],
        "recordings": [{"object": "n", "var": "v", "indices": [0]}], "stop": ["rate(n, 50 ms) > 10 kHz"]}"#;
    let mut page = Page::start();
    page.create(json(text)).await.unwrap();
    let mut used = Vec::new();
    for _ in 0..5 {
        let ran = page.run(20_000.0).await;
        assert_eq!(ran.steps, 200_000);
        page.settle().await;
        let Ok(Reply::Memory(memory)) = page.get(Command::Memory).await else { panic!("it is not told") };
        assert!(memory.used_bytes < memory.engine_bytes && memory.engine_bytes <= memory.max_bytes, "{memory:?}");
        used.push(memory.used_bytes);
    }
    console_log!("bytes in use after each 200,000 steps: {used:?}");
    // Answers that the test itself keeps, and a batch on its way.
    assert!(used[4] < used[1] + 100_000, "{used:?}");
}
