//! Time in a Worker: the clock, and yielding to messages.

use js_sys::{Function, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the start of the Worker, in browsers and in Node.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub(super) fn now_ms() -> f64;

    /// Calls a function after a time in ms.
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(then: &Function, ms: f64);
}

/// Resumes after a time in ms.
pub(super) async fn sleep(ms: f64) {
    JsFuture::from(Promise::new(&mut |resolve, _| set_timeout(&resolve, ms))).await.ok();
}

/// Yields to the Worker's event loop. A promise is not sufficient: its continuation runs before any message, and a timer has at least 4 ms.
/// A message to the Worker itself is queued behind the messages of the page.
pub(super) struct EventLoopTurn {
    channel: MessageChannel,
}

impl EventLoopTurn {
    pub(super) fn new() -> Result<EventLoopTurn, JsValue> {
        Ok(EventLoopTurn { channel: MessageChannel::new()? })
    }

    /// Resumes after all messages that have arrived were handled.
    pub(super) async fn give(&self) {
        let received = Promise::new(&mut |resolve, _| {
            self.channel.port1().set_onmessage(Some(&resolve));
            if self.channel.port2().post_message(&JsValue::NULL).is_err() {
                // Should not happen; continuing is better than waiting for ever.
                resolve.call0(&JsValue::UNDEFINED).ok();
            }
        });
        JsFuture::from(received).await.ok();
    }
}
