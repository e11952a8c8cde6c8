//! The page's end of the [protocol](crate::protocol): starts the Worker, sends commands, hands out events.

use std::{cell::RefCell, rc::Rc};

use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::{BroadcastChannel, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType};

use crate::protocol::{Command, Event, from_js, to_js};

/// A Worker with an engine in it. Dropping it ends both, mid-step if need be.
pub struct Client {
    worker: Worker,
    /// What threads of the engine call out when they stop: the Worker, which waits for them, cannot pass it on.
    threads: BroadcastChannel,
    /// Commands sent before the engine was up. `None` once it is.
    waiting: Rc<RefCell<Option<Vec<Command>>>>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl Client {
    /// Starts the module Worker at `url` (the engine folder's `worker.js`). `on_event` gets every event, in order, on
    /// the page's thread; also those the Worker could not send itself, such as not having been found at all.
    ///
    /// # Errors
    /// When the browser refuses to start a Worker.
    pub fn start(url: &str, on_event: impl FnMut(Event) + 'static) -> Result<Client, String> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        // A name of its own: engines of other tabs call out, too.
        let name = format!("spikelet {}", js_sys::Math::random());
        options.set_name(&name);
        let threads =
            BroadcastChannel::new(&name).map_err(|error| format!("this browser has no broadcast channels: {error:?}"))?;
        let worker = Worker::new_with_options(url, &options)
            .map_err(|error| format!("the browser did not start the engine's Worker {url}: {error:?}"))?;
        let on_event = Rc::new(RefCell::new(on_event));
        let waiting = Rc::new(RefCell::new(Some(Vec::new())));

        let on_message = {
            let (on_event, waiting, worker) = (on_event.clone(), waiting.clone(), worker.clone());
            Closure::new(move |message: MessageEvent| {
                let event = match from_js::<Event>(message.data()) {
                    Ok(event) => event,
                    Err(error) => {
                        broken(format!("the engine sent a message that this page cannot read ({error}); reload the page"))
                    }
                };
                if matches!(event, Event::Ready { .. }) {
                    for command in waiting.take().into_iter().flatten() {
                        if let Err(error) = post(&worker, &command) {
                            (on_event.borrow_mut())(broken(error));
                        }
                    }
                }
                (on_event.borrow_mut())(event);
            })
        };
        let on_error = {
            let url = url.to_owned();
            Closure::new(move |error: ErrorEvent| {
                // A script that was not found gives a plain event without a message.
                let message = js_sys::Reflect::get(&error, &JsValue::from_str("message"))
                    .ok()
                    .and_then(|message| message.as_string())
                    .unwrap_or_else(|| format!("{url} could not be loaded"));
                (on_event.borrow_mut())(broken(format!("the engine stopped: {message}")));
            })
        };
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        threads.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Client { worker, threads, waiting, _on_message: on_message, _on_error: on_error })
    }

    /// Sends a command; one sent before [`Event::Ready`] waits for it.
    ///
    /// # Errors
    /// When the command cannot be told in JavaScript.
    pub fn send(&self, command: Command) -> Result<(), String> {
        match self.waiting.borrow_mut().as_mut() {
            Some(waiting) => {
                waiting.push(command);
                Ok(())
            }
            None => post(&self.worker, &command),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
        self.threads.close();
    }
}

fn post(worker: &Worker, command: &Command) -> Result<(), String> {
    worker.post_message(&to_js(command)?).map_err(|error| format!("{error:?}"))
}

fn broken(message: String) -> Event {
    Event::Failed { id: None, message, path: None, fatal: true }
}
