//! What the experiments get of the open network, and the runs that they open.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use super::Studio;
use crate::session::OpenRequest;

/// A run of a sweep.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PointRun {
    /// The paths of its parameters, with quantities.
    pub(crate) values: Vec<(String, String)>,
    /// Its duration.
    pub(crate) ms: f64,
}

impl PointRun {
    /// `E.taum = 25 ms, E.I = 2 mV`
    pub(crate) fn words(&self) -> String {
        let words: Vec<String> = self.values.iter().map(|(path, value)| format!("{path} = {value}")).collect();
        words.join(", ")
    }
}

impl Studio {
    /// Gives the element of experiments the simulation and its plots, whose spikes it compares.
    pub(crate) fn offer_run(self, element: &web_sys::Element) {
        let live = self.live();
        let board = live.board.borrow().as_ref().map_or(JsValue::NULL, |board| board.handle().clone());
        let simulation = self.with_simulation(|simulation| simulation.handle().clone()).unwrap_or(JsValue::NULL);
        Reflect::set(element, &"board".into(), &board).ok();
        Reflect::set(element, &"simulation".into(), &simulation).ok();
    }

    /// Whether a run has begun, which would be lost.
    pub(crate) fn has_run(self) -> bool {
        self.live().time_ms.get() > 0.0
    }

    /// Opens a run of a sweep: the network again with the values of the run, for as long as the sweep ran.
    pub(crate) fn open_point(self, PointRun { values, ms }: PointRun) {
        let open_request = self.request_now();
        let mut changes = open_request.changes;
        changes.retain(|(path, _)| values.iter().all(|(other, _)| other != path));
        changes.extend(values);
        let id = self.create(OpenRequest { changes, ..open_request }, false);
        self.live().run_when_open.set(Some((id, ms)));
    }

    /// The network of a run of a sweep is open, with its values: the run begins.
    pub(super) fn run_point(self, id: u32) {
        if let Some((_, ms)) = self.live().run_when_open.take().filter(|(of, ms)| *of == id && *ms > 0.0) {
            self.run_for(ms);
        }
    }
}
