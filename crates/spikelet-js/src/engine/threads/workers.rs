//! Threads in Workers: each takes a seat of a pool, in the shared memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use js_sys::{Function, Promise};
use spikelet::{Error, Pool, ThreadSlot};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::WorkerGlobalScope;

use crate::engine::command_error::in_words;

/// Seats that wait for their thread, by number, in the shared memory.
static SEATS: Mutex<BTreeMap<u32, ThreadSlot>> = Mutex::new(BTreeMap::new());
static LAST: AtomicU32 = AtomicU32::new(0);

/// Number of cores that the browser reports.
pub(super) fn cores() -> usize {
    let cores = js_sys::global().unchecked_into::<WorkerGlobalScope>().navigator().hardware_concurrency();
    (cores as usize).max(1)
}

/// A pool of this many running threads. It ends with its Workers when it is dropped.
///
/// # Errors
/// The browser does not start a Worker.
pub(super) async fn pool(threads: usize, start: &Function) -> Result<Pool, Error> {
    let (pool, seats) = Pool::with_seats(threads)?;
    let (module, memory) = (wasm_bindgen::module(), wasm_bindgen::memory());
    let begin = |seat: ThreadSlot| {
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        SEATS.lock().unwrap_or_else(PoisonError::into_inner).insert(number, seat);
        let started = start.call3(&JsValue::UNDEFINED, &module, &memory, &number.into());
        (number, started.map(|promise| Promise::resolve(&promise)))
    };
    // All are started before waiting for the first.
    let starting: Vec<(u32, Result<Promise, JsValue>)> = seats.into_iter().map(begin).collect();
    let mut failure = None;
    for (number, started) in starting {
        let seated = match started {
            Ok(promise) => JsFuture::from(promise).await,
            Err(error) => Err(error),
        };
        if let Err(error) = seated {
            SEATS.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
            failure.get_or_insert(error);
        }
    }
    match failure {
        None => Ok(pool),
        Some(error) => {
            let message = format!("the browser did not start {threads} threads ({}); reload the page", in_words(&error));
            Err(Error::Backend(message))
        }
    }
}

/// Runs a thread in a Worker; returns when the pool ends.
#[wasm_bindgen(js_name = serveSeat)]
#[expect(unreachable_pub, reason = "an export of the module, which must be public")]
pub fn serve_seat(number: u32) {
    let seat = SEATS.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    if let Some(seat) = seat {
        seat.serve();
    }
}
