//! Random networks on the GPU.

use spikelet::{Backend, Cpu};
use spikelet_gpu::Gpu;
use spikelet_random::{Campaign, Closeness, Options, Pace, first, run};
use spikelet_tests::device;

/// How many networks; each has kernels of its own to compile.
const NETWORKS: u64 = 16;

#[test]
fn a_gpu_runs_random_networks_like_the_cpu() {
    let Some(device) = device() else { return };
    // A GPU that rounds in another way has other bits.
    if !Gpu::new(device.clone()).name().contains("llvmpipe") {
        return;
    }
    let mut campaign = Campaign::new(Options { draws: true }, 1);
    let mut found = String::new();
    while campaign.made < NETWORKS {
        let Some((draw, network)) = campaign.draw() else { continue };
        let on_cpu = pollster::block_on(run(&network, Box::new(Cpu::new(1)), Pace::default())).unwrap();
        // Values that are read on the way complete a step, which the CPU does not do here.
        let looking = Pace { look: Some(network.steps() as u32 / 2), ..Pace::default() };
        let on_gpu = pollster::block_on(run(&network, Box::new(Gpu::new(device.clone())), looking));
        match on_gpu {
            Ok(on_gpu) => {
                if let Some(what) = first(&network, [&on_cpu, &on_gpu], Closeness::Bits) {
                    found += &format!("{what}\n{}\n", draw.sketch.json);
                }
            }
            Err(error) => found += &format!("{error}\n{}\n", draw.sketch.json),
        }
    }
    assert!(found.is_empty(), "the CPU is the first run, the GPU the second:\n{found}");
}
