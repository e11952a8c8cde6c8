//! Assemblies in JavaScript: the module behind `spikelet/assemblies`.
//!
//! It runs in a Worker of its own, like the engine, with one thread. The package's scripts (`crates/spikelet-js/ts/assemblies`) exchange
//! messages with it in the form of the engine's: requests with a number, each answered by one message, and events ([`protocol`]).
//! [`session`] carries the requests out.

mod monitor;
pub mod protocol;
pub mod session;

use js_sys::Function;
use spikelet_module::Port;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use protocol::Event;
use session::Session;

/// The module in its Worker.
#[wasm_bindgen]
pub struct RawAssemblies {
    session: Session,
    port: Port<Session>,
}

#[wasm_bindgen]
impl RawAssemblies {
    /// A module without a brain. `post` sends a message to the page.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function) -> RawAssemblies {
        let port = Port::open(post);
        let reports = port.clone();
        RawAssemblies { session: Session::new(Box::new(move |round| reports.report(Event::Round(round)))), port }
    }

    /// Carries out a request, and sends the answer.
    pub fn handle(&mut self, request: &JsValue) {
        self.port.handle(&mut self.session, request);
    }
}
