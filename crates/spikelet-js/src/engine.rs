//! The engine in its Worker: receives commands, runs batches of steps, reports events.
//!
//! The loop is driven by messages, not by frames: a hidden tab continues to simulate. Between two batches it yields to the Worker's event
//! loop, so that a command waits for one batch at most. It needs neither a page nor a browser; Node's `worker_threads` also work.

mod anatomy;
mod build;
mod built;
mod check;
mod command_error;
mod command_loop;
mod compiler;
mod devices;
mod gpu;
mod host;
mod measured;
mod memory;
mod notice;
mod phase_plane;
mod real_time;
mod request_queue;
mod run;
mod run_profile;
mod spike_statistics;
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
pub use compiler::WasmCompiler;
use devices::EngineDevices;
pub use threads::Threads;
use time::EventLoopTurn;

/// The engine, as used by the script of the Worker.
#[wasm_bindgen]
#[derive(Debug)]
pub struct RawEngine {
    requests: UnboundedSender<Request>,
    post: Function,
}

#[wasm_bindgen]
impl RawEngine {
    /// Starts the engine, once per Worker. It reports by `post(message, transfer)`. It uses one thread if a reason for that is given, else
    /// threads started by `start_thread`, see [`Threads::available`]. Its memory can grow to the given number of bytes; default: the full
    /// address space.
    #[wasm_bindgen(constructor)]
    pub fn new(post: Function, start_thread: Function, one_thread_because: Option<String>, max_bytes: Option<f64>) -> RawEngine {
        if let Some(bytes) = max_bytes {
            memory::limit(bytes as u64);
        }
        std::panic::set_hook(Box::new(|info| {
            console_error_panic_hook::hook(info);
            // Propagates to the script of the Worker, which reports it to the page.
            wasm_bindgen::throw_str(&format!("an internal error of Spikelet: {info}"));
        }));
        let (requests, inbox) = unbounded();
        let threads = one_thread_because.map_or_else(|| Threads::available(start_thread), Threads::one);
        let tell = post.clone();
        wasm_bindgen_futures::spawn_local(serve(inbox, threads, move |message| send(&tell, &message)));
        RawEngine { requests, post }
    }

    /// Receives a [`Request`].
    ///
    /// # Errors
    /// It is not a request, and has no number for an error reply.
    pub fn handle(&self, message: JsValue) -> Result<(), JsError> {
        let number = Reflect::get(&message, &"id".into()).ok().and_then(|id| id.as_f64());
        match from_js::<Request>(message) {
            // The loop below holds the other end for as long as the Worker exists.
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

/// Handles requests until their sender is dropped. Must run in a Worker: [`RawEngine`] forwards the Worker's messages; tests can use
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
        let is_open = match desk.wait_ms() {
            Some(0.0) => {
                desk.work().await;
                true
            }
            Some(ms) => desk.recv_within(ms).await,
            None => desk.recv().await,
        };
        if !is_open {
            return;
        }
        desk.take_waiting().await;
    }
}

/// Calls `post` with a message and the buffers to transfer.
fn send(post: &Function, message: &Message) {
    let emitted = match to_js(message) {
        Ok(object) => post.call2(&JsValue::UNDEFINED, &object, &message.transfer()),
        Err(error) => Err(JsValue::from_str(&error)),
    };
    if let Err(error) = emitted {
        // A message that cannot be converted ends the engine: otherwise its receiver would wait for ever.
        wasm_bindgen::throw_val(error);
    }
}
