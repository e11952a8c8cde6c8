//! Messages survive the way through JavaScript, and their arrays are not copied on it.
#![cfg(target_family = "wasm")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use js_sys::{Float32Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use spikelet_js::protocol::{BackendChoice, Batch, CatalogueEntry, Command, Event, Measured, Source, from_js, to_js};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

fn field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

#[wasm_bindgen_test]
fn commands_come_back_as_they_were() {
    let catalogue = Source::Catalogue { name: "cuba".into(), scale: 0.5 };
    let json = Source::Json { text: "{\"name\": \"µ\"}".into() };
    for command in [
        Command::Open { id: 1, source: catalogue, backend: BackendChoice::Gpu, seed: Some((1 << 53) - 1) },
        Command::Open { id: u32::MAX, source: json, backend: BackendChoice::Auto, seed: None },
        Command::Cancel { id: 2 },
        Command::Play { id: 2 },
        Command::Pause { id: 2 },
        Command::Reset { id: 2 },
        Command::Set { id: 2, path: "E.taum".into(), value: "15 ms".into() },
        Command::Export { id: 2 },
        Command::Taken { id: 2, batch: 9 },
    ] {
        let message = to_js(&command).unwrap();
        assert!(field(&message, "type").is_string(), "{command:?} has no type");
        assert_eq!(from_js::<Command>(message), Ok(command));
    }
}

#[wasm_bindgen_test]
fn messages_are_plain_objects_that_javascript_can_write() {
    let written = js_sys::JSON::parse(
        r#"{"type": "open", "body": {"id": 3, "source": {"from": "catalogue", "name": "coba", "scale": 1}, "backend": "cpu"}}"#,
    );
    let source = Source::Catalogue { name: "coba".into(), scale: 1.0 };
    let command = Command::Open { id: 3, source, backend: BackendChoice::Cpu, seed: None };
    assert_eq!(from_js::<Command>(written.unwrap()), Ok(command));
    let wrong = from_js::<Command>(js_sys::JSON::parse(r#"{"type": "opne", "body": {}}"#).unwrap()).unwrap_err();
    assert!(wrong.contains("opne") && wrong.contains("open"), "{wrong}");
}

#[wasm_bindgen_test]
fn events_come_back_as_they_were() {
    let entry = CatalogueEntry { name: "a".into(), title: "b".into(), about: "c".into(), citation: "d".into() };
    for event in [
        Event::Ready { catalogue: vec![entry] },
        Event::Building { id: 1, stage: "drawing E_I".into(), done: 0.25, synapses: 1 << 40 },
        Event::Cancelled { id: 1 },
        Event::State { id: 1, playing: true, time_ms: 0.1, reset: false, stopped: None },
        Event::State { id: 1, playing: false, time_ms: 0.1, reset: false, stopped: Some("spikes > 3".into()) },
        Event::Changed { id: 1, path: "E.a".into(), value: -0.5, step: 3, scheduled: true },
        Event::Exported { id: 1, json: "{}".into() },
        Event::TookWeights { id: 1, file: "w.npz".into() },
        Event::Failed { id: None, message: "no".into(), path: None, fatal: true },
        Event::Failed { id: Some(4), message: "no".into(), path: Some("E.a".into()), fatal: false },
    ] {
        assert_eq!(event.transfer().length(), 0);
        let back: Event = from_js(to_js(&event).unwrap()).unwrap();
        assert_eq!(format!("{back:?}"), format!("{event:?}"));
    }
}

#[wasm_bindgen_test]
fn a_batch_moves_its_arrays() {
    let batch = Batch {
        id: 1,
        number: 2,
        first_step: 30,
        steps: 10,
        time_ms: 4.0,
        real_time_factor: 0.25,
        spike_neurons: Uint32Array::from([7, 8].as_slice()),
        spike_steps: Uint32Array::from([31, 32].as_slice()),
        samples: Float32Array::from([-60.5].as_slice()),
        sample_every: 1,
        first_sample: 30,
    };
    let neurons = batch.spike_neurons.clone();
    let event = Event::Batch(batch);
    let message = to_js(&event).unwrap();
    let body = field(&message, "body");
    assert!(Object::is(&field(&body, "spike_neurons"), &neurons), "the array was copied on its way out");

    let channel = web_sys::MessageChannel::new().unwrap();
    channel.port1().post_message_with_transferable(&message, &event.transfer()).unwrap();
    assert_eq!(neurons.length(), 0, "the array was copied on its way through");

    let there = Uint32Array::from([7, 8].as_slice());
    Reflect::set(&body, &"spike_neurons".into(), &there).unwrap();
    let Ok(Event::Batch(back)) = from_js::<Event>(message) else { panic!("another event came back") };
    assert!(Object::is(back.spike_neurons.unchecked_ref(), &there), "the array was copied on its way in");
    assert_eq!((back.number, back.first_step, back.steps, back.time_ms), (2, 30, 10, 4.0));
}

#[wasm_bindgen_test]
fn what_is_measured_and_learnt_moves_its_arrays() {
    let steps = Uint32Array::from([0, 100].as_slice());
    let measured = Measured {
        id: 1,
        statistic: 0,
        steps: steps.clone(),
        moments: Float64Array::from([1.0, 0.5, 0.0, 2.0, 1.5, 0.5, 0.0, 2.0].as_slice()),
        counts: Uint32Array::from([0, 0, 1, 7, 0, 0, 1, 7].as_slice()),
    };
    let content = Uint8Array::from([80, 75, 3, 4].as_slice());
    let weights = Event::Weights { id: 1, content: content.clone() };
    let channel = web_sys::MessageChannel::new().unwrap();
    for event in [Event::Measured(measured), weights] {
        channel.port1().post_message_with_transferable(&to_js(&event).unwrap(), &event.transfer()).unwrap();
    }
    assert_eq!((steps.length(), content.length()), (0, 0), "arrays were copied on their way through");

    let command = Command::TakeWeights { id: 1, file: "w.npz".into(), content: vec![80, 75, 255, 0] };
    let message = to_js(&command).unwrap();
    assert!(field(&field(&message, "body"), "content").is_instance_of::<Uint8Array>(), "the bytes are no array of bytes");
    assert_eq!(from_js::<Command>(message), Ok(command));
}
