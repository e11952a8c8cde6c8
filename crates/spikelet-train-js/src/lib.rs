//! Training in JavaScript: the module behind `spikelet/training`.
//!
//! It runs in a Worker of its own, like the engine, with one thread. The package's scripts (`crates/spikelet-js/ts/training`) exchange
//! messages with it in the form of the engine's: requests with a number, each answered by one message ([`protocol`]). [`session`] carries
//! the requests out. A request trains for a few batches only, so that a stop is received between two of them.

pub mod protocol;
pub mod session;

use js_sys::Function;
use spikelet_module::Port;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use session::Session;

/// The module in its Worker.
#[wasm_bindgen]
pub struct RawTraining {
    session: Session,
    port: Port<Session>,
}

#[wasm_bindgen]
impl RawTraining {
    /// A module without a training. `post` sends a message to the page.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function) -> RawTraining {
        RawTraining { session: Session::default(), port: Port::open(post) }
    }

    /// Carries out a request, and sends the answer.
    pub fn handle(&mut self, request: &JsValue) {
        self.port.handle(&mut self.session, request);
    }
}
