//! Workers as threads of the CPU: they come soon, and go with what they worked for.
#![cfg(target_feature = "atomics")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod page;

use std::sync::atomic::{AtomicUsize, Ordering};

use js_sys::{Promise, WebAssembly::Memory};
use page::threads::{available, count_threads};
use spikelet::{BuildOptions, Builder, Cpu, Network, Plan, Pool, Simulation, catalogue};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::WorkerGlobalScope;

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Goal of the time in which a pool starts, several times over: two software cores and a debug build are slow.
const SOON_MS: f64 = 1000.0;

fn scope() -> WorkerGlobalScope {
    js_sys::global().unchecked_into()
}

fn now_ms() -> f64 {
    scope().performance().unwrap().now()
}

async fn sleep(ms: i32) {
    let slept = Promise::new(&mut |resolve, _| {
        scope().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, ms).unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(slept).await.unwrap();
}

/// Waits until so many Workers are left.
async fn wait_for_threads(left: usize) {
    let began_ms = now_ms();
    while count_threads() != left {
        assert!(now_ms() - began_ms < 10_000.0, "{} threads are left, not {left}", count_threads());
        sleep(5).await;
    }
}

fn sum_of_numbers(pool: &Pool) -> usize {
    let sum = AtomicUsize::new(0);
    pool.run(pool.threads(), |number| {
        sum.fetch_add(number + 1, Ordering::Relaxed);
    });
    sum.into_inner()
}

#[wasm_bindgen_test]
async fn a_pool_is_up_soon_and_ends_when_it_is_dropped() {
    for threads in [1, 2, 2, 4, 8] {
        let began_ms = now_ms();
        let pool = available().pool(threads).await.unwrap();
        let took_ms = now_ms() - began_ms;
        console_log!("{threads} threads are up after {took_ms:.1} ms");
        assert!(took_ms < SOON_MS, "{threads} threads took {took_ms} ms");
        assert_eq!((pool.threads(), count_threads()), (threads, threads - 1));
        assert_eq!(sum_of_numbers(&pool), threads * (threads + 1) / 2);
        drop(pool);
        wait_for_threads(0).await;
    }
}

/// Two pools at once, and one of them goes.
#[wasm_bindgen_test]
async fn pools_live_side_by_side() {
    let (one, other) = (available().pool(3).await.unwrap(), available().pool(2).await.unwrap());
    assert_eq!(count_threads(), 3);
    assert_eq!((sum_of_numbers(&one), sum_of_numbers(&other)), (6, 3));
    drop(one);
    wait_for_threads(1).await;
    assert_eq!(sum_of_numbers(&other), 3);
    drop(other);
    wait_for_threads(0).await;
}

/// Stretches of rows that Workers draw are those of one thread.
#[wasm_bindgen_test]
async fn workers_draw_the_same_rows() {
    let text = r#"{"name": "rows", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "n", "size": 3000, "model": "lif_exp"}],
        "projections": [{"name": "nn", "pre": "n", "post": "n", "connect": {"rule": "bernoulli", "p": 0.5},
            "on_pre": "ge_post += w", "parameters": {"w": "uniform(0 mV, 1 mV)"}}]}"#;
    let network = Network::from_json(text).unwrap();
    let began_ms = now_ms();
    let alone = Plan::new(&network).unwrap();
    let alone_ms = now_ms() - began_ms;
    let pool = available().pool(3).await.unwrap();
    let began_ms = now_ms();
    let together = Builder::new(&network, BuildOptions::default()).unwrap().with_pool(&pool).finish().unwrap();
    console_log!("{} synapses: {alone_ms:.0} ms alone, {:.0} ms by three", alone.synapses(), now_ms() - began_ms);
    assert!(alone.synapses() > 4_000_000);
    assert!(alone.projections[0].rows() == together.projections[0].rows());
    let weights = |plan: &Plan| plan.projections[0].writes().map(|(_, write)| write.weights.clone()).collect::<Vec<_>>();
    assert!(weights(&alone) == weights(&together));
}

/// A Worker gives its stack back: a page may open network after network.
#[wasm_bindgen_test]
async fn pools_come_and_go_in_the_same_memory() {
    let network = catalogue::network("cuba", 0.1).unwrap();
    let memory: Memory = wasm_bindgen::memory().unchecked_into();
    let mut pages = Vec::new();
    for _ in 0..12 {
        let cpu = Cpu::on(available().pool(3).await.unwrap());
        let mut simulation = Simulation::new(&network, Box::new(cpu)).await.unwrap();
        simulation.advance(20).await.unwrap();
        drop(simulation);
        wait_for_threads(0).await;
        // Grows by nothing, and tells how large it is.
        pages.push(memory.grow(0));
    }
    let (first, last) = (pages[3], pages[11]);
    // Two stacks of 2 MiB are 64 pages.
    assert!(last - first < 64, "the memory grew from {first} to {last} pages: {pages:?}");
}
