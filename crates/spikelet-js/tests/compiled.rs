//! Compiled neuron models give the bits of interpreted ones, and leave nothing behind.

use std::sync::Arc;

use crate::page::{Page, catalogue as of_catalogue, create};
use js_sys::WebAssembly::Table;
use spikelet::{Cpu, Network, Owner, Plan, Pool, Simulation, catalogue};
use spikelet_js::engine::WasmCompiler;
use spikelet_js::protocol::{BackendSummary, Create};
use spikelet_verify::{THREADS, first_spikes, library_cells, library_synapses, run_first_spikes};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

fn functions() -> u32 {
    wasm_bindgen::function_table().unchecked_into::<Table>().length()
}

#[wasm_bindgen_test]
async fn compiled_cells_have_the_spikes_of_every_cpu() {
    let hashes = first_spikes().unwrap();
    let compiler = WasmCompiler::start().unwrap();
    for entry in catalogue::entries() {
        for threads in THREADS.into_iter().filter(|threads| *threads == 1 || cfg!(target_feature = "atomics")) {
            let cpu = Cpu::on(crate::page::threads::available().pool(threads).await.unwrap()).with_compiler(compiler.clone());
            let found = run_first_spikes(entry.name, Box::new(cpu)).await.unwrap();
            assert_eq!(found, hashes[entry.name], "{}, {threads} threads", entry.name);
        }
    }
}

/// Runs a network compiled and interpreted, and compares spikes, samples, and in the end every variable to the bit.
async fn compare(network: &Network, steps: u32) {
    let plan = Arc::new(Plan::new(network).unwrap());
    let cpu = || Cpu::on(Pool::new(1));
    let compiled = Box::new(cpu().with_compiler(WasmCompiler::start().unwrap()));
    let mut compiled = Simulation::with_plan(network, plan.clone(), compiled).await.unwrap();
    let mut interpreted = Simulation::with_plan(network, plan.clone(), Box::new(cpu())).await.unwrap();
    let mut ballast = Vec::new();
    while compiled.step() < steps {
        let (one, other) = (compiled.advance(20).await.unwrap(), interpreted.advance(20).await.unwrap());
        assert!(one.spikes == other.spikes, "{}, up to step {}: spikes", network.name, compiled.step());
        let bits = |samples: &[f32]| samples.iter().map(|sample| sample.to_bits()).collect::<Vec<_>>();
        assert!(bits(&one.samples) == bits(&other.samples), "{}, up to step {}: samples", network.name, compiled.step());
        // The memory grows under the compiled code.
        ballast.push(vec![1_u8; 4 << 20]);
    }
    for (array, entry) in plan.arrays().iter().filter(|(_, entry)| matches!(entry.owner, Owner::Neurons { .. })) {
        let (one, other) = (compiled.read(array).await.unwrap(), interpreted.read(array).await.unwrap());
        if let Some(neuron) = one.iter().zip(&other).position(|(one, other)| one != other) {
            panic!("{}[{neuron}] is {:#x} compiled, {:#x} interpreted", entry.path, one[neuron], other[neuron]);
        }
    }
}

#[wasm_bindgen_test]
async fn cells_of_the_library_are_the_same_compiled() {
    compare(&library_cells().unwrap(), 400).await;
}

#[wasm_bindgen_test]
async fn synapses_of_the_library_are_the_same_compiled() {
    compare(&library_synapses().unwrap(), 400).await;
}

/// Networks of a page come and go, and use the same entries of the function table.
#[wasm_bindgen_test]
async fn networks_that_are_gone_leave_no_functions() {
    let compiler = WasmCompiler::start().unwrap();
    let mut counts = Vec::new();
    for name in ["cobahh", "cuba", "izhikevich", "cobahh", "cuba", "izhikevich"] {
        let cpu = Cpu::on(Pool::new(1)).with_compiler(compiler.clone());
        let mut simulation = Simulation::new(&catalogue::network(name, 0.1).unwrap(), Box::new(cpu)).await.unwrap();
        simulation.advance(20).await.unwrap();
        drop(simulation);
        counts.push(functions());
    }
    assert!(counts[5] == counts[2], "{counts:?}");
}

/// How neuron models run, as the engine says.
fn neuron_models(backend: &BackendSummary) -> &str {
    let fact = backend.facts.iter().find(|fact| fact.what == "Neuron models").unwrap();
    &fact.much
}

#[wasm_bindgen_test]
async fn models_are_interpreted_on_request_and_the_engine_says_so() {
    let mut page = Page::start();
    let info = page.create(of_catalogue("cuba", 0.05)).await.unwrap();
    assert_eq!(neuron_models(&info.backend), "compiled to WebAssembly");
    let before = functions();
    let mut page = Page::start();
    let info = page.create_as(Create { compile: false, ..create(of_catalogue("coba", 0.05)) }).await.unwrap();
    assert_eq!(neuron_models(&info.backend), "interpreted, as requested");
    assert!(functions() == before, "nothing was compiled");
}
