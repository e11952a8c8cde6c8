//! A page without a face: requests, hears events, says at once that it took a batch in.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod threads;

use std::collections::{HashMap, VecDeque};

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use js_sys::{Float64Array, Uint8Array};
use spikelet_js::engine::{Threads, serve};
use spikelet_js::protocol::{
    BackendChoice, Batch, Command, Create, Event, Failure, Info, Message, NamedFile, Reply, Request, RunResult, Source, Value,
};
use wasm_bindgen::{JsCast, JsValue};

/// Both ends of a conversation with an engine of its own.
pub(crate) struct Page {
    requests: UnboundedSender<Request>,
    messages: UnboundedReceiver<Message>,
    last: u32,
    answers: HashMap<u32, Result<Reply, Failure>>,
    events: VecDeque<Event>,
    /// Whether it says that it took a batch in.
    pub(crate) takes: bool,
}

impl Page {
    pub(crate) fn start() -> Page {
        Page::with_threads(threads::available())
    }

    pub(crate) fn with_threads(threads: Threads) -> Page {
        let (requests, inbox) = unbounded();
        let (sender, messages) = unbounded();
        wasm_bindgen_futures::spawn_local(serve(inbox, threads, move |message| drop(sender.unbounded_send(message))));
        Page { requests, messages, last: 0, answers: HashMap::new(), events: VecDeque::new(), takes: true }
    }

    /// A page with a small cuba open.
    pub(crate) async fn with_cuba() -> (Page, Info) {
        let mut page = Page::start();
        let info = page.create(catalogue("cuba", 0.1)).await.unwrap();
        (page, info)
    }

    /// Asks, and gives the number of that.
    pub(crate) fn ask(&mut self, command: Command) -> u32 {
        self.last += 1;
        self.requests.unbounded_send(Request { id: Some(self.last), command }).unwrap();
        self.last
    }

    /// Says something that nobody waits for the answer of.
    pub(crate) fn say(&self, command: Command) {
        self.requests.unbounded_send(Request { id: None, command }).unwrap();
    }

    /// Hears the next message.
    async fn hear(&mut self) {
        let (id, answer) = match self.messages.recv().await.unwrap() {
            Message::Answer { id, reply } => (id, Ok(reply)),
            Message::Error { id, failure } => (id, Err(failure)),
            Message::Event(event) => {
                if let (Event::Batch(batch), true) = (&event, self.takes) {
                    self.say(Command::Ack { batch: batch.number });
                }
                return self.events.push_back(event);
            }
        };
        assert!(id <= self.last, "nobody asked {id}");
        assert!(self.answers.insert(id, answer).is_none(), "{id} was answered twice");
    }

    /// The answer to an ask; what happens before it is kept.
    pub(crate) async fn answer(&mut self, ask: u32) -> Result<Reply, Failure> {
        while !self.answers.contains_key(&ask) {
            self.hear().await;
        }
        // It stays, so that a second answer would be found.
        self.answers[&ask].clone()
    }

    /// Whether an ask is answered by now.
    pub(crate) fn is_answered(&self, ask: u32) -> bool {
        self.answers.contains_key(&ask)
    }

    /// Asks, and waits for the answer.
    pub(crate) async fn get(&mut self, command: Command) -> Result<Reply, Failure> {
        let ask = self.ask(command);
        self.answer(ask).await
    }

    /// Asks for something that is not to fail.
    pub(crate) async fn done(&mut self, command: Command) {
        let emitted = format!("{command:?}");
        let Ok(Reply::Done) = self.get(command).await else { panic!("{emitted} was refused") };
    }

    /// Asks for something that is to fail.
    pub(crate) async fn error(&mut self, command: Command) -> Failure {
        let emitted = format!("{command:?}");
        match self.get(command).await {
            Err(failure) => failure,
            Ok(reply) => panic!("{emitted} gave {reply:?}"),
        }
    }

    /// The next event.
    pub(crate) async fn event(&mut self) -> Event {
        while self.events.is_empty() {
            self.hear().await;
        }
        self.events.pop_front().unwrap()
    }

    /// The next event that says more than that it goes on.
    pub(crate) async fn notable(&mut self) -> Event {
        loop {
            match self.event().await {
                Event::Batch(_) | Event::Measured(_) | Event::Building(_) | Event::Ready => {}
                event => return event,
            }
        }
    }

    /// What happened up to now.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        self.events.drain(..).collect()
    }

    /// The same, and with what follows the last answer.
    pub(crate) async fn settle(&mut self) -> Vec<Event> {
        let Ok(Reply::Diagnostics(_)) = self.get(Command::Check { json: String::new() }).await else { panic!("no answer") };
        self.events()
    }

    pub(crate) async fn batch(&mut self) -> Batch {
        loop {
            if let Event::Batch(batch) = self.event().await {
                return batch;
            }
        }
    }

    pub(crate) async fn create(&mut self, source: Source) -> Result<Info, Failure> {
        self.create_as(create(source)).await
    }

    pub(crate) async fn create_as(&mut self, create: Create) -> Result<Info, Failure> {
        match self.get(Command::Create(Box::new(create))).await? {
            Reply::Info(info) => Ok(*info),
            other => panic!("{other:?}"),
        }
    }

    /// Runs, and waits for the end.
    pub(crate) async fn run(&mut self, ms: f64) -> RunResult {
        let ask = self.ask(run(Some(ms), None));
        self.ran(ask).await
    }

    /// How a run has ended.
    pub(crate) async fn ran(&mut self, ask: u32) -> RunResult {
        match self.answer(ask).await {
            Ok(Reply::RunResult(ran)) => ran,
            other => panic!("{other:?}"),
        }
    }

    /// Spikes, step and neuron, in the batches up to now, which follow each other without a gap from step `first` on in one trial.
    pub(crate) fn spikes(&mut self, first: u32) -> Vec<(u32, u32)> {
        let (mut spikes, mut next) = (Vec::new(), first);
        for event in self.events() {
            let Event::Batch(batch) = event else { continue };
            assert_eq!(batch.first_step, next, "a gap, or something twice");
            next += batch.steps;
            spikes.extend(batch.spike_steps.to_vec().into_iter().zip(batch.spike_neurons.to_vec()));
        }
        spikes
    }

    /// A value, with its unit.
    pub(crate) async fn value(&mut self, path: &str) -> (Vec<f64>, String) {
        numbers(self.get(Command::Get { path: path.into(), trial: 0 }).await)
    }

    /// Sets a value by a text; what it is then.
    pub(crate) async fn set(&mut self, path: &str, text: &str) -> (Vec<f64>, String) {
        numbers(self.get(set(path, text)).await)
    }

    /// Sets a value by numbers; what it is then.
    pub(crate) async fn set_numbers(&mut self, path: &str, numbers: &[f64]) -> Result<Reply, Failure> {
        self.get(set_numbers(path, numbers)).await
    }
}

/// The numbers of an answer, with their unit.
pub(crate) fn numbers(answer: Result<Reply, Failure>) -> (Vec<f64>, String) {
    match answer {
        Ok(Reply::Value(Value { unit, values })) => (values.to_vec(), unit),
        other => panic!("{other:?}"),
    }
}

pub(crate) fn set(path: &str, text: &str) -> Command {
    Command::Set { path: path.into(), text: Some(text.into()), values: JsValue::UNDEFINED }
}

pub(crate) fn set_numbers(path: &str, numbers: &[f64]) -> Command {
    Command::Set { path: path.into(), text: None, values: Float64Array::from(numbers).into() }
}

pub(crate) fn run(ms: Option<f64>, until: Option<&str>) -> Command {
    Command::Run { ms, until: until.map(str::to_owned) }
}

pub(crate) fn catalogue(name: &str, scale: f64) -> Source {
    Source::Catalogue { name: name.into(), scale }
}

pub(crate) fn json(text: &str) -> Source {
    Source::Json { text: text.into() }
}

/// A network on one CPU thread or more.
pub(crate) fn create(source: Source) -> Create {
    Create {
        source,
        files: Vec::new(),
        backend: BackendChoice::Cpu,
        threads: None,
        seed: None,
        trials: 1,
        compile: true,
        fast_math: false,
        workgroup_size: None,
        statistics_from_ms: None,
        profile: false,
    }
}

pub(crate) fn file(name: &str, content: &[u8]) -> NamedFile {
    NamedFile { name: name.into(), content: Uint8Array::from(content) }
}

/// Lets some time pass.
pub(crate) async fn sleep(ms: i32) {
    let slept = js_sys::Promise::new(&mut |resolve, _| {
        let scope = js_sys::global().unchecked_into::<web_sys::WorkerGlobalScope>();
        scope.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms).unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(slept).await.unwrap();
}
