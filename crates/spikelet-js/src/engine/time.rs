//! Time in a Worker: the clock, and giving way to messages that have arrived.

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

#[wasm_bindgen]
extern "C" {
    /// Milliseconds since the Worker started, in browsers and in Node.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    pub(super) fn now_ms() -> f64;
}

/// Lets the Worker's event loop take a turn. A promise alone would not: its continuation runs before any message, and a
/// timer would be clamped to 4 ms. A message to oneself queues up behind the messages from the page.
pub(super) struct EventLoopTurn {
    channel: MessageChannel,
}

impl EventLoopTurn {
    pub(super) fn new() -> Result<EventLoopTurn, JsValue> {
        Ok(EventLoopTurn { channel: MessageChannel::new()? })
    }

    /// Comes back after everything that has arrived by now was heard.
    pub(super) async fn give(&self) {
        let heard = Promise::new(&mut |resolve, _| {
            self.channel.port1().set_onmessage(Some(&resolve));
            if self.channel.port2().post_message(&JsValue::NULL).is_err() {
                // Never seen; going on at once beats standing still.
                resolve.call0(&JsValue::UNDEFINED).ok();
            }
        });
        JsFuture::from(heard).await.ok();
    }
}
