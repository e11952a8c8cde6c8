use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use spikelet::{Backend, Epoch, Network, Plan, Trial};
use spikelet_gpu::{Fusion, Gpu, GpuOptions, gpu_plan};
use spikelet_tests::{device, gpu, gpu_with};

/// Cells that somebody types, with synapses that have a state.
fn typed(tau: &str, time: &str) -> String {
    json!({
        "name": "typed", "dt_ms": 0.1, "duration_ms": 100,
        "populations": [{
            "name": "cells", "size": 100, "threshold": "v > -20*mV", "refractory": "3*ms", "reset": "v = -60*mV", "initial": {"v": "-60 mV"},
            "parameters": {"tau": tau},
            "equations": format!("dv/dt = (-(v + 65*mV) + 2*mV*exp((v + 50*mV)/(2*mV)) - w + I + g)/({time}) : volt (unless refractory)
dw/dt = (0.5*(v + 65*mV) - w)/(100*ms) : volt
dg/dt = -g/(5*ms) : volt
I = 40*mV*(1 + 0.1*sin(2*pi*t/(20*ms))) : volt")
        }],
        "projections": [{
            "name": "all", "pre": "cells", "post": "cells", "connect": {"rule": "bernoulli", "p": 0.1},
            "equations": "dx/dt = (1 - x)/(200*ms) : 1 (event-driven)", "on_pre": "g_post += 2*mV*x\nx -= 0.3*x", "initial": {"x": 1}
        }],
        "recordings": [{"object": "cells", "var": "v", "indices": [0]}]
    })
    .to_string()
}

/// Loads a text and runs it until spikes come; how long that takes.
fn first_spikes(gpu: &mut Gpu, text: &str) -> Duration {
    let began = Instant::now();
    pollster::block_on(async {
        gpu.load(vec![Trial { number: 0, plan: Arc::new(Plan::new(&Network::from_json(text).unwrap()).unwrap()) }])
            .await
            .unwrap();
        let spikes = gpu.advance(Epoch::new(0, 200)).await.unwrap().pop().unwrap_or_default().spikes;
        assert!(spikes.len() > 20, "{} spikes", spikes.len());
    });
    began.elapsed()
}

/// The time is printed, not judged: it is the machine's as much as ours.
#[test]
fn typed_texts_become_spikes() {
    let times = ["10*ms", "11*ms", "12*ms"].map(|tau| gpu().map(|mut gpu| first_spikes(&mut gpu, &typed(tau, "tau"))));
    let Some(shortest) = times.into_iter().flatten().min() else { return };
    println!("from text to spikes: {shortest:?}");
}

/// What stays the same is not compiled again.
#[test]
fn kernels_are_kept() {
    let Some(mut gpu) = gpu_with(GpuOptions { fusion: Some(Fusion::None), ..GpuOptions::default() }) else { return };
    first_spikes(&mut gpu, &typed("10*ms", "tau"));
    let all = gpu.compiled();
    // And the one that begins a submission.
    let plan = Plan::new(&Network::from_json(&typed("10*ms", "tau")).unwrap()).unwrap();
    assert_eq!(all, gpu_plan(&plan, u64::MAX).unwrap().passes + 1);
    first_spikes(&mut gpu, &typed("10*ms", "tau"));
    assert_eq!(gpu.compiled(), all, "loaded again");
    first_spikes(&mut gpu, &typed("11*ms", "tau"));
    assert_eq!(gpu.compiled(), all, "another constant");
    first_spikes(&mut gpu, &typed("10*ms", "tau + 0.1*ms*int(v > -40*mV)"));
    assert_eq!(gpu.compiled(), all + 1, "another step of the cells");
}

/// Nor is it for another network on the same device.
#[test]
fn a_device_keeps_its_kernels() {
    let Some(device) = device() else { return };
    let mut gpu = Gpu::new(device.clone());
    first_spikes(&mut gpu, &typed("10*ms", "tau"));
    let mut other = Gpu::new(device);
    first_spikes(&mut other, &typed("10*ms", "tau"));
    assert!(gpu.compiled() > 0);
    assert_eq!(other.compiled(), 0, "compiled again");
}
