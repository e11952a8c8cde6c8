//! Threads that are Workers: each takes a seat of a pool, in the one memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use js_sys::{JsString, Promise};
use spikelet::{Error, Pool, Seat};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::WorkerGlobalScope;

#[wasm_bindgen(module = "/js/thread.js")]
extern "C" {
    #[wasm_bindgen(js_name = startThread)]
    fn start_thread(engine: &JsString, module: &JsValue, memory: &JsValue, seat: u32) -> Promise;
    #[wasm_bindgen(js_name = countThreads)]
    fn count_threads() -> u32;
}

#[wasm_bindgen]
extern "C" {
    /// Where the JavaScript of this module comes from.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static URL: JsString;
}

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
pub async fn pool(threads: usize) -> Result<Pool, Error> {
    let (pool, seats) = Pool::with_seats(threads)?;
    let (url, module, memory) = (URL.with(JsString::clone), wasm_bindgen::module(), wasm_bindgen::memory());
    let start = |seat: Seat| {
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        SEATS.lock().unwrap_or_else(PoisonError::into_inner).insert(number, seat);
        (number, start_thread(&url, &module, &memory, number))
    };
    // All of them begin before the first is waited for.
    let starting: Vec<(u32, Promise)> = seats.into_iter().map(start).collect();
    let mut failure = None;
    for (number, started) in starting {
        if let Err(error) = JsFuture::from(started).await {
            SEATS.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
            failure.get_or_insert(error);
        }
    }
    match failure {
        None => Ok(pool),
        Some(error) => {
            let error = error.as_string().unwrap_or_else(|| format!("{error:?}"));
            Err(Error::Backend(format!("the browser did not start {threads} threads ({error}); reload the page")))
        }
    }
}

/// How many Workers serve pools.
pub fn count() -> usize {
    count_threads() as usize
}

/// What a Worker does that is a thread: `thread.js` calls it.
#[wasm_bindgen(js_name = serveSeat)]
#[expect(unreachable_pub, reason = "an export of the module, which must be public")]
pub fn serve_seat(number: u32) {
    let seat = SEATS.lock().unwrap_or_else(PoisonError::into_inner).remove(&number);
    if let Some(seat) = seat {
        seat.serve();
    }
}
