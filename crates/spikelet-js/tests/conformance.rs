//! The conformance corpus in wasm, on the CPU and on WebGPU. The statistical cases are left to native tests: the spikes are the same.

use spikelet::{Backend, Cpu, Task};
use spikelet_gpu::{Device, Gpu};
use spikelet_js::engine::WasmCompiler;
use spikelet_verify::{MakeBackend, Options, Outcome, corpus, verify};
use wasm_bindgen_test::{console_log, wasm_bindgen_test};

/// Judges every case, a line each, and fails with the list of those that fail.
async fn judge(device: &str, make_backend: &mut MakeBackend<'_>) {
    let cases = corpus().unwrap_or_else(|malformed| panic!("{malformed}"));
    assert!(cases.len() >= 80, "{} cases", cases.len());
    let (mut passed, mut failures) = (0, Vec::new());
    for case in cases.iter().filter(|case| !case.is_statistical()) {
        let verdict = verify(case, make_backend, &Options::default()).await;
        match verdict.outcome {
            Outcome::Passed => passed += 1,
            Outcome::Skipped => console_log!("{device}: {verdict}"),
            Outcome::Failed => failures.push(verdict.to_string()),
        }
    }
    console_log!("{device}: {passed} passed, {} failed", failures.len());
    assert!(failures.is_empty(), "{} cases fail on {device}:\n{}", failures.len(), failures.join("\n"));
}

#[wasm_bindgen_test]
async fn cases_pass_on_the_cpu() {
    let mut cpu = || -> Task<'static, Box<dyn Backend>> { Box::pin(async { Ok(Box::new(Cpu::new(1)) as _) }) };
    judge("wasm", &mut cpu).await;
}

#[wasm_bindgen_test]
async fn cases_pass_compiled() {
    let compiler = WasmCompiler::start().unwrap();
    let mut cpu = || -> Task<'static, Box<dyn Backend>> {
        let cpu = Cpu::new(1).with_compiler(compiler.clone());
        Box::pin(async { Ok(Box::new(cpu) as _) })
    };
    judge("compiled", &mut cpu).await;
}

/// Without an adapter the test says so and passes, unless `SPIKELET_REQUIRE_ADAPTER` was set when it was compiled.
#[wasm_bindgen_test]
async fn cases_pass_on_webgpu() {
    let device = match Device::open().await {
        Ok(device) => device,
        Err(error) => {
            assert!(option_env!("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
            console_log!("skipped: no adapter ({error})");
            return;
        }
    };
    let mut gpu = || -> Task<'static, Box<dyn Backend>> {
        let gpu: Box<dyn Backend> = Box::new(Gpu::new(device.clone()));
        Box::pin(async { Ok(gpu) })
    };
    judge(&device.report().name, &mut gpu).await;
}
