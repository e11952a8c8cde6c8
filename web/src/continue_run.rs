//! Runs that are saved while they go, to continue after the tab has ended: bindings of `crates/spikelet-js/ts/keep/continue`, and what the
//! page says of them.
//!
//! `web/src/studio/continue_run.rs` saves and continues them.

use std::collections::BTreeMap;

use js_sys::{Function, Object, Promise, Reflect, Uint8Array};
use serde::{Deserialize, Serialize};
use spikelet_js::protocol::{BackendChoice, BackendSummary, from_js};
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use crate::{number, package::Simulation, projects::Content, timeline::History};

#[wasm_bindgen(raw_module = "./engine/js/keep.js")]
extern "C" {
    #[wasm_bindgen(js_name = RunStore)]
    #[derive(Clone)]
    type Store;
    #[wasm_bindgen(static_method_of = Store, js_class = "RunStore", js_name = open)]
    fn open_store() -> Promise;
    #[wasm_bindgen(method)]
    fn list(this: &Store) -> Promise;
    #[wasm_bindgen(method)]
    fn take(this: &Store, id: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn adopt(this: &Store);
    #[wasm_bindgen(method, js_name = putBack)]
    fn put_back(this: &Store);
    #[wasm_bindgen(method)]
    fn discard(this: &Store, id: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn leave(this: &Store);

    #[wasm_bindgen(js_name = Keeper)]
    type RunKeeper;
    #[wasm_bindgen(constructor, js_class = "Keeper")]
    fn new(store: &Store, simulation: &JsValue, history: &JsValue, options: &KeeperOptions) -> RunKeeper;
    #[wasm_bindgen(method)]
    fn touch(this: &RunKeeper);
    #[wasm_bindgen(method, setter)]
    fn set_weights(this: &RunKeeper, weights: &Uint8Array);
    #[wasm_bindgen(method)]
    fn dispose(this: &RunKeeper);
}

#[wasm_bindgen]
extern "C" {
    type KeeperOptions;
    #[wasm_bindgen(method, setter)]
    fn set_describe(this: &KeeperOptions, describe: &Function);
    #[wasm_bindgen(method, setter)]
    fn set_saved(this: &KeeperOptions, saved: &Function);

    type Taken;
    #[wasm_bindgen(method, getter)]
    fn manifest(this: &Taken) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn snapshot(this: &Taken) -> Option<Uint8Array>;
    #[wasm_bindgen(method, getter)]
    fn weights(this: &Taken) -> Uint8Array;
    #[wasm_bindgen(method, getter)]
    fn damaged(this: &Taken) -> u32;
}

/// A saved run that can be continued.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SavedRun {
    /// Its key in the storage.
    pub(crate) id: String,
    /// The name of the network.
    pub(crate) title: String,
    /// The network: [`crate::link::name_of`].
    pub(crate) source: String,
    /// Biological time in ms.
    pub(crate) time_ms: f64,
    /// When it was saved, in ms since 1970.
    pub(crate) saved_ms: f64,
}

/// The runs that no tab has open, the one of this tab first, then the newest.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub(crate) struct SavedRuns {
    pub(crate) runs: Vec<SavedRun>,
    /// Number of those that cannot be read.
    pub(crate) damaged: u32,
}

/// What the page saves of a run, beside its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LeftOff {
    /// The network with its values, edits and notes.
    pub(crate) content: Content,
    /// Its project.
    pub(crate) project: Option<String>,
    /// The requested device.
    pub(crate) backend: BackendChoice,
    /// The device.
    pub(crate) device: BackendSummary,
    /// Parameters that the network has changed, with their values before.
    pub(crate) scheduled: BTreeMap<String, f64>,
}

/// What is saved, for the storage.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct DescribedRun {
    pub(crate) title: String,
    pub(crate) source: String,
    /// JSON of [`LeftOff`].
    pub(crate) content: String,
}

/// A saved run that this tab continues.
pub(crate) struct TakenRun {
    pub(crate) left_off: LeftOff,
    /// For [`History::resume`]; none if only the start of the network is saved.
    pub(crate) record: Option<JsValue>,
    /// Learned weights at its start.
    pub(crate) weights: Vec<u8>,
    /// Number of its states that are damaged.
    pub(crate) damaged: u32,
    /// Biological time in ms.
    pub(crate) time_ms: f64,
}

/// The storage of runs.
#[derive(Clone)]
pub(crate) struct RunStore(Store);

impl RunStore {
    /// Opens the storage; none if the browser has none.
    pub(crate) async fn open() -> Option<RunStore> {
        let store = JsFuture::from(Store::open_store()).await.ok()?;
        (!store.is_null()).then(|| RunStore(store.unchecked_into()))
    }

    /// The runs that can be continued.
    pub(crate) async fn list(&self) -> SavedRuns {
        let list = JsFuture::from(self.0.list()).await.ok();
        list.and_then(|list| from_js(list).ok()).unwrap_or_default()
    }

    /// Reads a run to continue, which is saved again only after [`RunStore::adopt`]. None if another tab has it.
    ///
    /// # Errors
    /// A sentence: what the page saved cannot be read.
    pub(crate) async fn take(&self, id: &str) -> Result<Option<TakenRun>, String> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Manifest {
            content: String,
            time_ms: f64,
        }
        let unreadable = |problem: String| format!("The saved run cannot be read by this version of the page: {problem}.");
        let taken = JsFuture::from(self.0.take(id)).await.map_err(|_| unreadable("its files cannot be opened".into()))?;
        if taken.is_null() {
            return Ok(None);
        }
        let taken: Taken = taken.unchecked_into();
        let read = from_js(taken.manifest()).map_err(unreadable).and_then(|Manifest { content, time_ms }| {
            let left_off = serde_json::from_str::<LeftOff>(&content).map_err(|problem| unreadable(problem.to_string()))?;
            Ok((left_off, time_ms))
        });
        let (left_off, time_ms) = read.inspect_err(|_| self.put_back())?;
        let record = taken.snapshot().and_then(|snapshot| {
            let run: Object = Reflect::get(&taken.manifest(), &"run".into()).ok()?.dyn_into().ok()?;
            Reflect::set(&run, &"snapshot".into(), &snapshot).ok()?;
            Some(run.into())
        });
        Ok(Some(TakenRun { left_off, record, weights: taken.weights().to_vec(), damaged: taken.damaged(), time_ms }))
    }

    /// The network of the run that was taken is open: what is saved next is that run.
    pub(crate) fn adopt(&self) {
        self.0.adopt();
    }

    /// The run that was taken is not continued; it stays as it was saved.
    pub(crate) fn put_back(&self) {
        self.0.put_back();
    }

    /// Removes a saved run.
    pub(crate) async fn discard(&self, id: &str) {
        JsFuture::from(self.0.discard(id)).await.ok();
    }

    /// What is saved next is another run.
    pub(crate) fn leave(&self) {
        self.0.leave();
    }
}

/// Saves the run of a simulation. It ends when it is dropped.
pub(crate) struct Keeper {
    keeper: RunKeeper,
    _describe: Closure<dyn FnMut(u32) -> Option<String>>,
    _saved: Closure<dyn FnMut(String)>,
}

impl Keeper {
    /// `describe` returns what is saved beside the state at a step, none if nothing is to be saved.
    pub(crate) fn new(
        store: &RunStore,
        simulation: &Simulation,
        history: &History,
        describe: impl Fn(u32) -> Option<DescribedRun> + 'static,
        saved: impl Fn(Saving) + 'static,
    ) -> Keeper {
        let describe = Closure::<dyn FnMut(u32) -> Option<String>>::new(move |step| serde_json::to_string(&describe(step)?).ok());
        let saved = Closure::<dyn FnMut(String)>::new(move |what: String| {
            if let Ok(what) = serde_json::from_str(&what) {
                saved(what);
            }
        });
        let options: KeeperOptions = Object::new().unchecked_into();
        options.set_describe(describe.as_ref().unchecked_ref());
        options.set_saved(saved.as_ref().unchecked_ref());
        let keeper = RunKeeper::new(&store.0, simulation.handle(), history.handle(), &options);
        Keeper { keeper, _describe: describe, _saved: saved }
    }

    /// Something has changed that is to be saved.
    pub(crate) fn touch(&self) {
        self.keeper.touch();
    }

    /// Learned weights with which the network starts.
    pub(crate) fn set_weights(&self, weights: &[u8]) {
        self.keeper.set_weights(&Uint8Array::from(weights));
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.keeper.dispose();
    }
}

/// What is saved of the open run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub(crate) enum Saving {
    /// All of it, up to a time.
    Saved { time_ms: f64 },
    /// Its start, since its state is too large.
    Large { bytes: u64, most_bytes: u64 },
    /// Nothing new, because of an error of this name.
    Failed { problem: String },
}

impl Saving {
    /// A sentence.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Saving::Saved { time_ms } => format!("Saved at {}, to continue after this tab has ended.", time(*time_ms)),
            Saving::Large { bytes: 0, .. } => {
                "This network has too many synapses to save its state: it continues from its start after this tab has ended.".into()
            }
            Saving::Large { bytes, most_bytes } => format!(
                "The state of this network has {}, more than the {} that are saved: it continues from its start after this tab has ended.",
                number::bytes(*bytes),
                number::bytes(*most_bytes)
            ),
            Saving::Failed { problem } if problem == "QuotaExceededError" => {
                "The browser's storage is full: this run is not saved, to continue later, until there is space; delete projects or other data of this site.".into()
            }
            Saving::Failed { problem } => format!("The browser does not save this run, to continue later ({problem})."),
        }
    }
}

/// A biological time: `320 ms`, `3.2 s`.
pub(crate) fn time(time_ms: f64) -> String {
    if time_ms < 1000.0 {
        format!("{}\u{a0}ms", number::short(time_ms, 4))
    } else {
        format!("{}\u{a0}s", number::short(time_ms / 1000.0, 4))
    }
}

/// How long ago: `4 minutes ago`.
pub(crate) fn ago(wall_ms: f64) -> String {
    const MINUTE: f64 = 60_000.0;
    let (number, unit) = match wall_ms {
        ms if ms < MINUTE => return "a moment ago".into(),
        ms if ms < 60.0 * MINUTE => (ms / MINUTE, "minute"),
        ms if ms < 24.0 * 60.0 * MINUTE => (ms / MINUTE / 60.0, "hour"),
        ms => (ms / MINUTE / 60.0 / 24.0, "day"),
    };
    format!("{} ago", number::count(number as u64, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!([0.1, 320.0, 3210.0, 1.0e7].map(time), ["0.1\u{a0}ms", "320\u{a0}ms", "3.21\u{a0}s", "10000\u{a0}s"]);
        let minute = 60_000.0;
        let said = [-5.0, 59_999.0, minute, 4.7 * minute, 60.0 * minute, 47.0 * 60.0 * minute, 48.0 * 60.0 * minute].map(ago);
        let expected = ["a moment ago", "a moment ago", "1 minute ago", "4 minutes ago", "1 hour ago", "1 day ago", "2 days ago"];
        assert_eq!(said, expected);
    }

    #[test]
    fn what_is_saved_is_a_sentence() {
        let said = |json: &str| serde_json::from_str::<Saving>(json).unwrap().sentence();
        assert!(said(r#"{"kind":"saved","timeMs":3200,"bytes":5}"#).starts_with("Saved at 3.2\u{a0}s"));
        assert!(
            said(r#"{"kind":"large","bytes":314572800,"mostBytes":268435456}"#)
                .contains("300.0\u{a0}MiB, more than the 256.0\u{a0}MiB")
        );
        assert!(said(r#"{"kind":"large","bytes":0,"mostBytes":268435456}"#).contains("too many synapses"));
        assert!(said(r#"{"kind":"failed","problem":"QuotaExceededError"}"#).starts_with("The browser's storage is full"));
        assert!(said(r#"{"kind":"failed","problem":"TypeError"}"#).contains("(TypeError)"));
    }
}
