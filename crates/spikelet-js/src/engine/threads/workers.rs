//! Threads that are Workers: each takes a seat of a pool, in the one memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use js_sys::{Function, Promise};
use spikelet::{Error, Pool, Seat};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::WorkerGlobalScope;

use crate::engine::refusal::in_words;

/// Seats that wait for their thread, by number. It lies in the memory that all threads share.
static SEATS: Mutex<BTreeMap<u32, Seat>> = Mutex::new(BTreeMap::new());
static LAST: AtomicU32 = AtomicU32::new(0);

/// Cores that the machine has for the page.
pub(super) fn cores() -> usize {
    let cores = js_sys::global().unchecked_into::<WorkerGlobalScope>().navigator().hardware_concurrency();
    (cores as usize).max(1)
}

/// A pool of so many threads, all of them up. It ends with its Workers when it is dropped.
///
/// # Errors
/// The browser does not start a Worker.
pub(super) async fn pool(threads: usize, start: &Function) -> Result<Pool, Error> {
    let (pool, seats) = Pool::with_seats(threads)?;
    let (module, memory) = (wasm_bindgen::module(), wasm_bindgen::memory());
    let begin = |seat: Seat| {
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        SEATS.lock().unwrap_or_else(PoisonError::into_inner).insert(number, seat);
        let started = start.call3(&JsValue::UNDEFINED, &module, &memory, &number.into());
        (number, started.map(|promise| Promise::resolve(&promise)))
    };
    // All of them begin before the first is waited for.
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

/// What a Worker does that is a thread; returns when the pool ends.
#[wasm_bindgen(js_name = serveSeat)]
#[expect(unreachable_pub, reason = "an export of the module, which must be public")]
pub fn serve_seat(number: u32) {
    let seat = SEATS.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    if let Some(seat) = seat {
        seat.serve();
    }
}
