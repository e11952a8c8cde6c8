//! The simulator in its Worker: hears commands, runs batches of steps, tells what happened.
//!
//! The loop is driven by messages, not by frames: a hidden tab goes on simulating. Between two batches it gives the
//! Worker's event loop a turn, so that a command never waits longer than one batch. Nothing here needs a page, or a browser: Node's
//! `worker_threads` do as well.

mod build;
mod built;
mod check;
mod command_error;
mod command_loop;
mod devices;
mod gpu;
mod measured;
mod memory;
mod notice;
mod real_time;
mod recover;
mod request_queue;
mod run;
mod summary;
mod tables;
mod threads;
mod time;
mod value;
mod weights;

use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use js_sys::{Function, Reflect};
use wasm_bindgen::{JsError, JsValue, prelude::wasm_bindgen};

use crate::protocol::{Code, Event, Failure, Message, Request, from_js, to_js};
use command_error::{CommandError, in_words};
use command_loop::CommandLoop;
use devices::EngineDevices;
pub use threads::Threads;
use time::EventLoopTurn;

/// The engine, as the script of a Worker holds it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawEngine {
    requests: UnboundedSender<Request>,
    post: Function,
}

#[wasm_bindgen]
impl RawEngine {
    /// Starts the engine, once in a Worker. It tells by `post(message, transfer)`. With one thread where there is a reason for that, else
    /// with those that `start_thread` starts, see [`Threads::available`]; and with a memory that may become so many bytes large, if not all
    /// that an address reaches.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function, start_thread: Function, one_thread_because: Option<String>, max_bytes: Option<f64>) -> RawEngine {
        if let Some(bytes) = max_bytes {
            memory::limit(bytes as u64);
        }
        std::panic::set_hook(Box::new(|info| {
            console_error_panic_hook::hook(info);
            // Through whatever runs, to the script of the Worker that breaks off, which tells the page.
            wasm_bindgen::throw_str(&format!("an internal error of Spikelet: {info}"));
        }));
        let (requests, inbox) = unbounded();
        let threads = one_thread_because.map_or_else(|| Threads::available(start_thread), Threads::one);
        let tell = post.clone();
        wasm_bindgen_futures::spawn_local(serve(inbox, threads, move |message| send(&tell, &message)));
        RawEngine { requests, post }
    }

    /// Takes an [`Request`].
    ///
    /// # Errors
    /// It is none, and has no number under which that could be told.
    pub fn handle(&self, message: JsValue) -> Result<(), JsError> {
        let number = Reflect::get(&message, &"id".into()).ok().and_then(|id| id.as_f64());
        match from_js::<Request>(message) {
            // The loop below holds the other end for as long as the Worker lives.
            Ok(request) => drop(self.requests.unbounded_send(request)),
            Err(error) => {
                let failure = Failure::from(CommandError::Protocol(error));
                let Some(id) = number else { return Err(JsError::new(&failure.message)) };
                send(&self.post, &Message::Error { id: id as u32, failure });
            }
        }
        Ok(())
    }
}

/// Takes requests until their sender is gone. Must run in a Worker: [`RawEngine`] does it with the Worker's own messages, a test may bring
/// others.
pub async fn serve(inbox: UnboundedReceiver<Request>, threads: Threads, post: impl Fn(Message) + 'static) {
    let turn = match EventLoopTurn::new() {
        Ok(turn) => turn,
        Err(error) => {
            let message = format!("Workers have no message channels here: {}; use another browser", in_words(&error));
            let failure = Failure { code: Code::Engine, message, path: None, diagnostics: Vec::new() };
            return post(Message::Event(Event::Stopped(failure)));
        }
    };
    post(Message::Event(Event::Ready));
    let mut desk = CommandLoop::new(inbox, EngineDevices::new(turn, threads, Rc::new(post)));
    loop {
        if desk.has_work() {
            desk.work().await;
        } else if !desk.recv().await {
            return;
        }
        desk.take_waiting().await;
    }
}

/// Calls `post` with a message, its buffers to be moved.
fn send(post: &Function, message: &Message) {
    let told = match to_js(message) {
        Ok(object) => post.call2(&JsValue::UNDEFINED, &object, &message.transfer()),
        Err(error) => Err(JsValue::from_str(&error)),
    };
    if let Err(error) = told {
        // A message that cannot be told ends the engine: whoever waits for it would wait for ever.
        wasm_bindgen::throw_val(error);
    }
}
