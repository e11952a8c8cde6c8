//! Files of other tools in JavaScript: the module behind `spikelet/interchange`.
//!
//! It runs in a Worker of its own, like the engine, with one thread, and is loaded when a file is opened or written. The package's scripts
//! (`crates/spikelet-js/ts/interchange`) exchange messages with it in the form of the engine's ([`protocol`]). [`session`] carries the requests out.

pub mod protocol;
pub mod session;

use js_sys::Function;
use spikelet_module::Port;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use session::Session;

/// The module in its Worker.
#[wasm_bindgen]
pub struct RawInterchange {
    port: Port<Session>,
}

#[wasm_bindgen]
impl RawInterchange {
    /// A module. `post` sends a message to the page.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function) -> RawInterchange {
        RawInterchange { port: Port::open(post) }
    }

    /// Carries out a request, and sends the answer.
    pub fn handle(&mut self, request: &JsValue) {
        self.port.handle(&mut Session, request);
    }
}
