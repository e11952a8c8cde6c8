//! Training in JavaScript: the module behind `spikelet/training`.
//!
//! It runs in a Worker of its own, like the engine, with one thread. The package's scripts (`crates/spikelet-js/ts/training`) exchange
//! messages with it in the form of the engine's: requests with a number, each answered by one message ([`protocol`]). [`session`] carries
//! the requests out. A request trains for a few batches only, so that a stop is received between two of them.

pub mod protocol;
pub mod session;

use js_sys::Function;
use serde::Serialize;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use protocol::{Event, Failure, Message, Request};
use session::Session;

/// The module in its Worker.
#[wasm_bindgen]
pub struct RawTraining {
    session: Session,
    post: Function,
}

#[wasm_bindgen]
impl RawTraining {
    /// A module without a training. `post` sends a message to the page.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function) -> RawTraining {
        console_error_panic_hook::set_once();
        post_message(&post, &Message::Event(Event::Ready));
        RawTraining { session: Session::default(), post }
    }

    /// Carries out a request, and sends the answer.
    pub fn handle(&mut self, request: &JsValue) {
        let message = match serde_wasm_bindgen::from_value::<Request>(request.clone()) {
            Ok(Request { id, command }) => match self.session.run(command) {
                Ok(reply) => Message::Answer { id, reply },
                Err(failure) => Message::Error { id, failure },
            },
            Err(error) => {
                let id = js_sys::Reflect::get(request, &"id".into()).ok().and_then(|id| id.as_f64()).unwrap_or(0.0);
                Message::Error { id: id as u32, failure: Failure::protocol(&error.to_string()) }
            }
        };
        post_message(&self.post, &message);
    }
}

fn post_message(post: &Function, message: &Message) {
    // Absent values are `null`, as in the types.
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
    let posted = message.serialize(&serializer).map_err(JsValue::from).and_then(|message| post.call1(&JsValue::NULL, &message));
    if let Err(error) = posted {
        wasm_bindgen::throw_val(error);
    }
}
