//! What the page stores and pictures, by scripts beside the package: bindings of `crates/spikelet-js/ts/keep.ts`.

use js_sys::{Function, Promise, Reflect};
use serde::Deserialize;
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

use crate::{package::Error, projects::Card};

#[wasm_bindgen(raw_module = "./engine/js/keep.js")]
extern "C" {
    #[wasm_bindgen(js_name = ProjectStore)]
    #[derive(Clone)]
    type Store;
    #[wasm_bindgen(static_method_of = Store, js_class = "ProjectStore", js_name = open)]
    fn open_store(changed: &Function) -> Promise;
    #[wasm_bindgen(method)]
    fn list(this: &Store) -> Promise;
    #[wasm_bindgen(method)]
    fn read(this: &Store, id: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn write(this: &Store, card: &str, content: Option<&str>) -> Promise;
    #[wasm_bindgen(method)]
    fn remove(this: &Store, id: &str) -> Promise;

    #[wasm_bindgen(js_name = claim)]
    fn claim_project(id: &str) -> Promise;
    #[wasm_bindgen(js_name = release)]
    pub(crate) fn release();
    #[wasm_bindgen(js_name = thumbnail)]
    fn thumbnail_of(canvas: &JsValue) -> String;
    #[wasm_bindgen(js_name = pictures)]
    fn pictures_of(board: &JsValue) -> String;
}

/// The stored projects. Errors are sentences.
#[derive(Clone)]
pub(crate) struct ProjectStore(Store);

impl ProjectStore {
    /// Opens the storage; `changed` is called when another tab has changed a project.
    pub(crate) async fn open(changed: impl FnMut() + 'static) -> Result<ProjectStore, String> {
        // The page has one storage, as long as it is open.
        let changed = Closure::<dyn FnMut()>::new(changed).into_js_value();
        let store = JsFuture::from(Store::open_store(changed.unchecked_ref())).await.map_err(sentence)?;
        Ok(ProjectStore(store.unchecked_into()))
    }

    /// All cards.
    pub(crate) async fn list(&self) -> Result<Vec<Card>, String> {
        let list = JsFuture::from(self.0.list()).await.map_err(sentence)?;
        serde_json::from_str(&list.as_string().unwrap_or_default())
            .map_err(|error| format!("The projects cannot be read: {error}."))
    }

    /// The content of a project, if it exists.
    pub(crate) async fn read(&self, id: &str) -> Result<Option<String>, String> {
        Ok(JsFuture::from(self.0.read(id)).await.map_err(sentence)?.as_string())
    }

    /// Stores a card, and the content if there is a new one.
    pub(crate) async fn write(&self, card: &Card, content: Option<&str>) -> Result<(), String> {
        let card = serde_json::to_string(card).unwrap_or_default();
        JsFuture::from(self.0.write(&card, content)).await.map_err(sentence)?;
        Ok(())
    }

    /// Removes a project.
    pub(crate) async fn remove(&self, id: &str) -> Result<(), String> {
        JsFuture::from(self.0.remove(id)).await.map_err(sentence)?;
        Ok(())
    }
}

fn sentence(thrown: JsValue) -> String {
    Error::from(thrown).message
}

/// Claims a project for this tab, and releases the previous one. Returns whether no other tab has it.
pub(crate) async fn claim(id: &str) -> bool {
    JsFuture::from(claim_project(id)).await.ok().and_then(|claimed| claimed.as_bool()).unwrap_or(true)
}

/// Copies a text. Returns whether that is possible.
pub(crate) async fn copy(text: &str) -> bool {
    // Not available on plain `http://`.
    let clipboard = Reflect::get(&leptos::prelude::window().navigator(), &"clipboard".into()).ok();
    let Some(clipboard) = clipboard.filter(|clipboard| !clipboard.is_undefined()) else { return false };
    let clipboard: web_sys::Clipboard = clipboard.unchecked_into();
    JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

/// A small picture of the first canvas of a selector, as a `data:` address; empty without one.
pub(crate) fn thumbnail(css: &str) -> String {
    let canvas = leptos::prelude::document().query_selector(css).ok().flatten();
    canvas.map(|canvas| thumbnail_of(&canvas)).unwrap_or_default()
}

/// A picture of a plot.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct PlotPicture {
    pub(crate) title: String,
    /// The plot in words.
    pub(crate) text: String,
    /// A `data:` address.
    pub(crate) address: String,
    /// Size in CSS pixels.
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// Pictures of all plots in the first element of a selector.
pub(crate) fn pictures(css: &str) -> Vec<PlotPicture> {
    let board = leptos::prelude::document().query_selector(css).ok().flatten();
    board.and_then(|board| serde_json::from_str(&pictures_of(&board)).ok()).unwrap_or_default()
}

/// A method without arguments that bindings of browsers lack here, such as `showModal` of a dialog.
pub(crate) fn call(object: &JsValue, method: &str) -> Result<JsValue, JsValue> {
    Reflect::get(object, &method.into())?.dyn_into::<Function>()?.call0(object)
}

#[wasm_bindgen]
extern "C" {
    /// A simulation.
    pub(crate) type Player;
    /// Biological time in ms.
    #[wasm_bindgen(method, getter = timeMs)]
    pub(crate) fn time_ms(this: &Player) -> f64;
}
