//! Messages survive the way through JavaScript, and their arrays are not copied on it.

use js_sys::{Float32Array, Float64Array, Object, Reflect, Uint8Array, Uint32Array};
use spikelet_js::protocol::{
    BackendChoice, Batch, Building, Changed, Code, Command, Create, Event, Failure, Message, NamedFile, Reply, Request,
    RunResult, Source, State, StatisticValues, StopReason, Value, from_js, to_js,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

fn field(object: &JsValue, name: &str) -> JsValue {
    Reflect::get(object, &name.into()).unwrap()
}

fn create(source: Source, seed: Option<u64>) -> Command {
    let files = vec![NamedFile { name: "e.csv".into(), content: Uint8Array::from([1, 2].as_slice()) }];
    Command::Create(Box::new(Create {
        source,
        files,
        backend: BackendChoice::Gpu,
        threads: Some(2),
        seed,
        trials: 3,
        compile: true,
        fast_math: false,
        workgroup_size: None,
        statistics_from_ms: None,
        profile: false,
    }))
}

#[wasm_bindgen_test]
fn asks_come_back_as_they_were() {
    let catalogue = Source::Catalogue { name: "cuba".into(), scale: 0.5 };
    let json = Source::Json { text: "{\"name\": \"µ\"}".into() };
    let numbers = Float64Array::from([1.5].as_slice());
    for command in [
        create(catalogue, Some((1 << 53) - 1)),
        create(json, None),
        Command::Run { ms: Some(100.0), until: None },
        Command::Run { ms: None, until: Some("spikes > 3".into()) },
        Command::Pause,
        Command::Reset,
        Command::Set { path: "E.taum".into(), text: Some("15 ms".into()), values: JsValue::UNDEFINED },
        Command::Set { path: "E.v".into(), text: None, values: numbers.into() },
        Command::Get { path: "E.v".into(), trial: 2 },
        Command::Record { json: "[]".into() },
        Command::Restore { content: Uint8Array::from([80, 75, 255, 0].as_slice()), rewind: true },
        Command::SetSpeed { speed: Some(0.1) },
        Command::Ack { batch: 9 },
    ] {
        let request = Request { id: Some(u32::MAX), command };
        let message = to_js(&request).unwrap();
        assert!(field(&field(&message, "command"), "type").is_string(), "{request:?} has no type");
        let back: Request = from_js(message).unwrap();
        assert_eq!(format!("{back:?}"), format!("{request:?}"));
    }
}

#[wasm_bindgen_test]
fn asks_are_plain_objects_that_javascript_can_write() {
    let written = js_sys::JSON::parse(
        r#"{"id": null, "command": {"type": "create", "body": {"source": {"from": "catalogue", "name": "coba", "scale": 1},
            "files": [], "backend": "cpu", "threads": null, "seed": 7, "trials": 1, "compile": false, "fastMath": true, "workgroupSize": 64, "statisticsFromMs": 500, "profile": true}}}"#,
    );
    let Ok(Request { id: None, command: Command::Create(create) }) = from_js(written.unwrap()) else { panic!("it is no ask") };
    let Create { backend, seed, trials, compile, fast_math, workgroup_size, .. } = *create;
    assert_eq!((backend, seed, trials, compile), (BackendChoice::Cpu, Some(7), 1, false));
    assert_eq!((fast_math, workgroup_size), (true, Some(64)));
    let wrong = from_js::<Request>(js_sys::JSON::parse(r#"{"id": 1, "command": {"type": "creat", "body": {}}}"#).unwrap());
    let wrong = wrong.unwrap_err();
    assert!(wrong.contains("creat") && wrong.contains("create"), "{wrong}");
}

#[wasm_bindgen_test]
fn messages_come_back_as_they_were() {
    let failure = Failure { code: Code::UnknownName, message: "no".into(), path: Some("E.a".into()), diagnostics: Vec::new() };
    let ran = RunResult { time_ms: 0.1, steps: 1, because: StopReason::Condition, condition: Some("spikes > 3".into()) };
    for message in [
        Message::Event(Event::Ready),
        Message::Event(Event::Building(Building { stage: "drawing E_I".into(), done: 0.25, synapses: 1 << 40 })),
        Message::Event(Event::State(State {
            running: false,
            time_ms: 0.1,
            moved: true,
            rewound: false,
            stopped: Some("spikes > 3".into()),
        })),
        Message::Event(Event::Changed(Changed { path: "E.a".into(), value: -0.5, step: 3, scheduled: true, text: None })),
        Message::Event(Event::Failed(failure.clone())),
        Message::Answer { id: 1, reply: Reply::Done },
        Message::Answer { id: 2, reply: Reply::RunResult(ran) },
        Message::Answer { id: 3, reply: Reply::Text("{}".into()) },
        Message::Error { id: 4, failure },
    ] {
        assert_eq!(message.transfer().length(), 0);
        let back: Message = from_js(to_js(&message).unwrap()).unwrap();
        assert_eq!(format!("{back:?}"), format!("{message:?}"));
    }
}

#[wasm_bindgen_test]
fn a_batch_moves_its_arrays() {
    let batch = Batch {
        number: 2,
        trial: 1,
        first_step: 30,
        steps: 10,
        time_ms: 4.0,
        real_time_factor: 0.25,
        spike_neurons: Uint32Array::from([7, 8].as_slice()),
        spike_steps: Uint32Array::from([31, 32].as_slice()),
        samples: Float32Array::from([-60.5].as_slice()),
    };
    let neurons = batch.spike_neurons.clone();
    let event = Message::Event(Event::Batch(batch));
    let message = to_js(&event).unwrap();
    let body = field(&field(&message, "body"), "body");
    assert!(Object::is(&field(&body, "spikeNeurons"), &neurons), "the array was copied on its way out");

    let channel = web_sys::MessageChannel::new().unwrap();
    channel.port1().post_message_with_transferable(&message, &event.transfer()).unwrap();
    assert_eq!(neurons.length(), 0, "the array was copied on its way through");

    let there = Uint32Array::from([7, 8].as_slice());
    Reflect::set(&body, &"spikeNeurons".into(), &there).unwrap();
    let Ok(Message::Event(Event::Batch(back))) = from_js(message) else { panic!("another message came back") };
    assert!(Object::is(back.spike_neurons.unchecked_ref(), &there), "the array was copied on its way in");
    assert_eq!((back.number, back.trial, back.first_step, back.steps, back.time_ms), (2, 1, 30, 10, 4.0));
}

#[wasm_bindgen_test]
fn what_is_measured_and_asked_for_moves_its_arrays() {
    let (steps, values) = (Uint32Array::from([0, 100].as_slice()), Float64Array::from([1.0].as_slice()));
    let measured = StatisticValues {
        trial: 0,
        statistic: 0,
        steps: steps.clone(),
        moments: Float64Array::from([1.0, 0.5, 0.0, 2.0, 1.5, 0.5, 0.0, 2.0].as_slice()),
        counts: Uint32Array::from([0, 0, 1, 7, 0, 0, 1, 7].as_slice()),
    };
    let content = Uint8Array::from([80, 75, 3, 4].as_slice());
    let channel = web_sys::MessageChannel::new().unwrap();
    for message in [
        Message::Event(Event::Measured(measured)),
        Message::Answer { id: 1, reply: Reply::Bytes { content: content.clone() } },
        Message::Answer { id: 2, reply: Reply::Value(Value { unit: "mV".into(), values: values.clone() }) },
    ] {
        channel.port1().post_message_with_transferable(&to_js(&message).unwrap(), &message.transfer()).unwrap();
    }
    assert_eq!((steps.length(), content.length(), values.length()), (0, 0, 0), "arrays were copied on their way through");
}
