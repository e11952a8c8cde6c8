//! Files beside the page that are loaded when they are needed.

use std::sync::Arc;

use js_sys::Promise;
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch)]
    fn fetch(url: &str) -> Promise;

    type Response;
    #[wasm_bindgen(method, getter)]
    fn ok(this: &Response) -> bool;
    #[wasm_bindgen(method, getter)]
    fn status(this: &Response) -> u16;
    #[wasm_bindgen(method)]
    fn text(this: &Response) -> Promise;
}

/// A file that the page loads when it is needed.
pub(crate) type Loaded<T> = Option<Result<Arc<T>, String>>;

/// Loads a file once; after an error again.
pub(in crate::studio) fn load<T: Send + Sync + 'static>(
    into: RwSignal<Loaded<T>>,
    address: &'static str,
    read: impl FnOnce(&str) -> Result<T, String> + 'static,
    then: impl FnOnce() + 'static,
) {
    if into.with_untracked(|loaded| loaded.as_ref().is_some_and(Result::is_ok)) {
        return;
    }
    spawn_local(async move {
        let text = text(address).await.map_err(|why| format!("{address} could not be loaded: {why}"));
        into.set(Some(text.and_then(|text| read(&text).map(Arc::new))));
        then();
    });
}

pub(in crate::studio) async fn text(address: &str) -> Result<String, String> {
    let said = |error: JsValue| String::from(js_sys::JsString::from(error));
    let response: Response = JsFuture::from(fetch(address)).await.map_err(said)?.unchecked_into();
    if !response.ok() {
        return Err(format!("the server answered {}", response.status()));
    }
    JsFuture::from(response.text()).await.map_err(said)?.as_string().ok_or_else(|| "it is no text".into())
}
