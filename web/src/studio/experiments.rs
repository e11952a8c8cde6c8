//! What the experiments get of the open network, and the runs that they open.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use super::Studio;
use crate::session::OpenRequest;

impl Studio {
    /// Gives the element of experiments the simulation and its plots, whose spikes it compares.
    pub(crate) fn offer_run(self, element: &web_sys::Element) {
        let live = self.live();
        let board = live.board.borrow().as_ref().map_or(JsValue::NULL, |board| board.handle().clone());
        let simulation = self.with_simulation(|simulation| simulation.handle().clone()).unwrap_or(JsValue::NULL);
        Reflect::set(element, &"board".into(), &board).ok();
        Reflect::set(element, &"simulation".into(), &simulation).ok();
    }

    /// Opens the network again at t = 0, with other values of some parameters.
    pub(crate) fn open_with_values(self, values: Vec<(String, String)>) {
        let open_request = self.request_now();
        let mut changes = open_request.changes;
        changes.retain(|(path, _)| values.iter().all(|(other, _)| other != path));
        changes.extend(values);
        self.open(OpenRequest { changes, ..open_request });
    }
}
