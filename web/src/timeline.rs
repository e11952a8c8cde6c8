//! The time axis of a run: the history of the package, its strip above the plots, and what the page says about them.

mod duration;
mod flag;
mod kept;
mod speed;

use js_sys::{Function, Object, Promise};
use spikelet_js::protocol::from_js;
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlElement;

pub(crate) use duration::duration_ms;
pub(crate) use flag::{Flag, FlagKind};
pub(crate) use kept::{KeptData, Stored};
pub(crate) use speed::{SPEEDS, speed_of, speed_word};

use crate::{
    package::{Error, Simulation},
    plot::Board,
};

#[wasm_bindgen(raw_module = "./engine/js/timeline.js")]
extern "C" {
    #[wasm_bindgen(js_name = History)]
    type RunHistory;
    #[wasm_bindgen(constructor, js_class = "History")]
    fn new(simulation: &JsValue) -> RunHistory;
    #[wasm_bindgen(method, getter)]
    fn flags(this: &RunHistory) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn spikes(this: &RunHistory) -> f64;
    #[wasm_bindgen(method, getter)]
    fn replay(this: &RunHistory) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn stored(this: &RunHistory) -> JsValue;
    #[wasm_bindgen(method)]
    fn on(this: &RunHistory, event: &str, listener: &Function);
    #[wasm_bindgen(method)]
    fn fork(this: &RunHistory, time_ms: f64) -> Promise;
    #[wasm_bindgen(method)]
    fn edit(this: &RunHistory, id: u32, value: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn remove(this: &RunHistory, id: u32) -> Promise;
    #[wasm_bindgen(method)]
    fn restart(this: &RunHistory) -> Promise;
    #[wasm_bindgen(method)]
    fn resume(this: &RunHistory, record: &JsValue) -> Promise;
    #[wasm_bindgen(method)]
    fn dispose(this: &RunHistory);

    #[wasm_bindgen(js_name = Strip)]
    type RunStrip;
    #[wasm_bindgen(constructor, js_class = "Strip")]
    fn new(simulation: &JsValue, history: &RunHistory, board: &JsValue, options: &StripOptions) -> RunStrip;
    #[wasm_bindgen(method, getter)]
    fn element(this: &RunStrip) -> HtmlElement;
    #[wasm_bindgen(method, js_name = setWindow)]
    fn set_window(this: &RunStrip, window_ms: f64);
    #[wasm_bindgen(method)]
    fn dispose(this: &RunStrip);
}

#[wasm_bindgen]
extern "C" {
    type StripOptions;
    #[wasm_bindgen(method, setter = windowMs)]
    fn set_window_ms(this: &StripOptions, window_ms: f64);
    #[wasm_bindgen(method, setter = onFlags)]
    fn set_on_flags(this: &StripOptions, pressed: &Function);
}

/// A part of the run that is repeated, in ms of biological time.
#[derive(Debug, Clone, Copy, PartialEq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replay {
    /// Its start.
    pub(crate) from_ms: f64,
    /// Its end.
    pub(crate) to_ms: f64,
}

/// What the page shows of the history.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TimelineState {
    /// All changes of the run.
    pub(crate) flags: Vec<Flag>,
    /// The part of the run that is repeated.
    pub(crate) replay: Option<Replay>,
    /// The visible time span in ms; none at the live edge.
    pub(crate) view: Option<(f64, f64)>,
    /// A sentence on what is kept of the run.
    pub(crate) kept: String,
}

/// The history of a simulation. It ends when it is dropped.
pub(crate) struct History {
    history: RunHistory,
    changed: Option<Closure<dyn FnMut(JsValue)>>,
}

impl History {
    /// From now on.
    pub(crate) fn new(simulation: &Simulation) -> History {
        History { history: RunHistory::new(simulation.handle()), changed: None }
    }

    /// Adds a listener for changes of the flags, and for the repetition of a part of the run.
    pub(crate) fn listen(&mut self, changed: impl Fn() + 'static) {
        let listener = Closure::<dyn FnMut(JsValue)>::new(move |_| changed());
        self.history.on("change", listener.as_ref().unchecked_ref());
        self.changed = Some(listener);
    }

    /// All changes.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        from_js(self.history.flags()).unwrap_or_default()
    }

    /// Spikes since the start of the run.
    pub(crate) fn spikes(&self) -> u64 {
        self.history.spikes() as u64
    }

    /// The part of the run that is repeated.
    pub(crate) fn replay(&self) -> Option<Replay> {
        from_js(self.history.replay()).ok()
    }

    /// Its snapshots.
    pub(crate) fn stored(&self) -> Stored {
        from_js(self.history.stored()).unwrap_or_default()
    }

    /// Goes back to a time.
    pub(crate) fn fork(&self, time_ms: f64) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.history.fork(time_ms))
    }

    /// Gives a change another value, and repeats the run from there.
    pub(crate) fn edit(&self, id: u32, value: &str) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.history.edit(id, value))
    }

    /// Removes a change, and repeats the run from there.
    pub(crate) fn remove(&self, id: u32) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.history.remove(id))
    }

    /// The object of the package.
    pub(crate) fn handle(&self) -> &JsValue {
        &self.history
    }

    /// Continues a run that was recorded.
    pub(crate) fn resume(&self, record: &JsValue) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.history.resume(record))
    }

    /// Returns to t = 0 and the values of the network.
    pub(crate) fn restart(&self) -> impl Future<Output = Result<(), Error>> + use<> {
        done(self.history.restart())
    }
}

impl Drop for History {
    fn drop(&mut self) {
        self.history.dispose();
    }
}

/// The strip of the whole run. It ends when it is dropped.
pub(crate) struct Strip {
    strip: RunStrip,
    _pressed: Closure<dyn FnMut(JsValue)>,
}

impl Strip {
    /// The strip of a simulation, for its plots. `pressed` is called with the numbers of flags.
    pub(crate) fn new(
        simulation: &Simulation,
        history: &History,
        board: &Board,
        window_ms: f64,
        pressed: impl Fn(Vec<u32>) + 'static,
    ) -> Strip {
        let options: StripOptions = Object::new().unchecked_into();
        options.set_window_ms(window_ms);
        let pressed = Closure::<dyn FnMut(JsValue)>::new(move |flags| {
            let flags: Vec<Flag> = from_js(flags).unwrap_or_default();
            pressed(flags.into_iter().map(|flag| flag.id).collect());
        });
        options.set_on_flags(pressed.as_ref().unchecked_ref());
        let strip = RunStrip::new(simulation.handle(), &history.history, board.handle(), &options);
        Strip { strip, _pressed: pressed }
    }

    /// Its element.
    pub(crate) fn element(&self) -> HtmlElement {
        self.strip.element()
    }

    /// The time span at the live edge has changed.
    pub(crate) fn set_window(&self, window_ms: f64) {
        self.strip.set_window(window_ms);
    }
}

impl Drop for Strip {
    fn drop(&mut self) {
        self.strip.dispose();
    }
}

async fn done(promise: Promise) -> Result<(), Error> {
    JsFuture::from(promise).await?;
    Ok(())
}
