//! The simulator in its Worker: hears commands, runs batches of steps, tells what happened.
//!
//! The loop is driven by messages, not by frames: a hidden tab goes on simulating. Between two batches it gives the
//! Worker's event loop a turn, so that a command never waits longer than one batch.

mod build;
mod desk;
mod gpu;
mod memory;
mod pace;
mod recover;
mod summary;
mod threads;
mod turn;
mod weights;

use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use wasm_bindgen::{JsCast, JsValue, closure::Closure, prelude::wasm_bindgen};
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use crate::protocol::{CatalogueEntry, Command, Event, from_js, to_js};
use desk::Desk;
pub use threads::{Threads, count as count_threads, pool};
use turn::Turn;

/// Starts the engine in the dedicated Worker that calls this, once, with one thread where there is a reason for that, and with a
/// memory that may become so many bytes large, if not all that an address reaches. `worker.js` does.
#[wasm_bindgen]
pub fn start(one_thread_because: Option<String>, most_bytes: Option<f64>) {
    if let Some(bytes) = most_bytes {
        memory::limit(bytes as u64);
    }
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // Through whatever runs, to the script of the Worker that breaks off, which tells the page.
        wasm_bindgen::throw_str(&format!("a fault in Spikelet: {info}"));
    }));
    let (commands, inbox) = unbounded();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |message: MessageEvent| {
        match from_js::<Command>(message.data()) {
            // The loop below holds the other end for as long as the Worker lives.
            Ok(command) => drop(commands.unbounded_send(command)),
            Err(error) => post(&Event::Failed {
                id: None,
                message: format!("this is no command of the engine: {error}"),
                path: None,
                fatal: false,
            }),
        }
    });
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    let threads = one_thread_because.map_or_else(Threads::available, Threads::one);
    wasm_bindgen_futures::spawn_local(serve(inbox, threads, |event| post(&event)));
}

/// Answers commands until their sender is gone. Must run in a Worker: [`start`] does it with the Worker's own messages, an
/// embedder or a test may bring others.
pub async fn serve(inbox: UnboundedReceiver<Command>, threads: Threads, post: impl Fn(Event) + 'static) {
    let turn = match Turn::new() {
        Ok(turn) => turn,
        Err(error) => {
            let message = format!("this browser has no message channels for Workers: {error:?}; try another browser");
            return post(Event::Failed { id: None, message, path: None, fatal: true });
        }
    };
    post(Event::Ready { catalogue: catalogue() });
    let mut desk = Desk::new(inbox, turn, threads, Rc::new(post));
    loop {
        if desk.has_work() {
            desk.work().await;
        } else if !desk.hear().await {
            return;
        }
        desk.hear_all().await;
    }
}

fn catalogue() -> Vec<CatalogueEntry> {
    spikelet::catalogue::entries()
        .iter()
        .map(|entry| CatalogueEntry {
            name: entry.name.into(),
            title: entry.title.into(),
            about: entry.about.into(),
            citation: entry.citation.into(),
        })
        .collect()
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends an event to the page, its buffers moved.
fn post(event: &Event) {
    let message = to_js(event).unwrap_or_else(|error| JsValue::from_str(&error));
    // Fails only for what cannot be cloned or is transferred twice; `Event` has neither.
    scope().post_message_with_transfer(&message, &event.transfer()).expect("an event can be posted");
}
