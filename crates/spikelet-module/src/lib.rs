//! What the wasm modules beside the engine (`spikelet/assemblies`, `spikelet/training`) have in common: the form of their messages, which is
//! that of the engine's. A [`Request`] has a number; one [`Message`] with that number answers it. A module is a [`Session`] behind a [`Port`].

mod failure;
pub mod typed;

use std::marker::PhantomData;

use js_sys::Function;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use wasm_bindgen::JsValue;

pub use failure::Failure;

/// What a module does.
pub trait Session {
    /// What it can be asked.
    type Command: DeserializeOwned;
    /// What it answers.
    type Reply: Serialize;
    /// What it reports by itself, beside [`Started::Ready`].
    type Event: Serialize;
    /// Why it cannot do something.
    type Error: Into<Failure>;

    /// Carries out a request.
    ///
    /// # Errors
    /// A value is not valid, or the request cannot be carried out; nothing has changed.
    fn run(&mut self, command: Self::Command) -> Result<Self::Reply, Self::Error>;
}

/// A request.
#[derive(Debug, Clone, Deserialize)]
pub struct Request<Command> {
    /// Its number, which the answer carries.
    pub id: u32,
    /// What to do.
    pub command: Command,
}

/// A message to the page.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase")]
pub enum Message<Reply, Event> {
    /// The answer to a request.
    Answer {
        /// The number of the request.
        id: u32,
        /// The answer.
        reply: Reply,
    },
    /// A request failed; nothing has changed.
    Error {
        /// The number of the request.
        id: u32,
        /// The reason.
        failure: Failure,
    },
    /// An event.
    Event(Event),
}

/// The event of every module.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", content = "body", rename_all = "camelCase")]
pub enum Started {
    /// The module accepts requests.
    Ready,
}

/// The way to the page.
#[derive(Debug)]
pub struct Port<S> {
    post: Function,
    session: PhantomData<fn() -> S>,
}

impl<S> Clone for Port<S> {
    fn clone(&self) -> Port<S> {
        Port { post: self.post.clone(), session: PhantomData }
    }
}

impl<S: Session> Port<S> {
    /// Starts a module: panics are reported, and the page receives [`Started::Ready`]. `post` sends a message to the page.
    pub fn open(post: Function) -> Port<S> {
        console_error_panic_hook::set_once();
        let port = Port { post, session: PhantomData };
        port.send(&Message::<S::Reply, Started>::Event(Started::Ready));
        port
    }

    /// Reports an event.
    pub fn report(&self, event: S::Event) {
        self.send(&Message::<S::Reply, S::Event>::Event(event));
    }

    /// Lets a session carry out a request, and sends the answer.
    pub fn handle(&self, session: &mut S, request: &JsValue) {
        let message: Message<S::Reply, S::Event> = match serde_wasm_bindgen::from_value::<Request<S::Command>>(request.clone()) {
            Ok(Request { id, command }) => match session.run(command) {
                Ok(reply) => Message::Answer { id, reply },
                Err(error) => Message::Error { id, failure: error.into() },
            },
            Err(error) => {
                let id = js_sys::Reflect::get(request, &"id".into()).ok().and_then(|id| id.as_f64()).unwrap_or(0.0);
                Message::Error { id: id as u32, failure: Failure::protocol(&error.to_string()) }
            }
        };
        self.send(&message);
    }

    fn send(&self, message: &impl Serialize) {
        // Absent values are `null`, as in the types.
        let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
        let posted =
            message.serialize(&serializer).map_err(JsValue::from).and_then(|message| self.post.call1(&JsValue::NULL, &message));
        if let Err(error) = posted {
            wasm_bindgen::throw_val(error);
        }
    }
}
