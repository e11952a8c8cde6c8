//! Threads of tests.

use js_sys::{Function, JsString};
use spikelet_js::engine::Threads;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(module = "/tests/page/thread.js")]
extern "C" {
    fn starter(engine: &JsString) -> Function;
    #[wasm_bindgen(js_name = countThreads)]
    fn count() -> u32;
}

#[wasm_bindgen]
extern "C" {
    /// Where the JavaScript of the test's module comes from.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static URL: JsString;
}

/// As many threads as this engine may have here.
pub(crate) fn available() -> Threads {
    Threads::available(URL.with(starter))
}

/// How many Workers are threads now.
pub(crate) fn count_threads() -> usize {
    count() as usize
}
