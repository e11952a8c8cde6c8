//! The kernel that benches compare with, which goes through all synapses in every step, computes what the product computes.
//!
//! In a browser it is the bench itself; BENCHMARKS.md says how to run it.

#[cfg(target_family = "wasm")]
#[path = "../benches/gather/compare.rs"]
mod compare;
#[path = "../benches/gather/gather.rs"]
mod gather;
#[path = "../benches/gather/graph.rs"]
mod graph;

use std::sync::Arc;

use spikelet::{Plan, catalogue};

fn plan(name: &str) -> Arc<Plan> {
    let case = catalogue::cases().into_iter().find(|case| case.name() == name).expect("the case is there");
    Arc::new(Plan::new(&case.network().expect("the catalogue is right")).expect("the network can be built"))
}

/// In every way to go through the synapses.
#[cfg(not(target_family = "wasm"))]
#[test]
fn every_way_to_gather_gives_the_spikes_of_the_cpu() {
    use spikelet::{Backend, Cpu, Epoch, Trial};

    let plan = plan("fly/2hz_small");
    let mut cpu = Cpu::new(2);
    pollster::block_on(async {
        cpu.load(vec![Trial { number: 0, plan: plan.clone() }]).await.expect("the CPU takes any plan");
        let activity = cpu.advance(Epoch::new(0, 1000)).await.expect("the CPU runs").remove(0);
        let rate = activity.spikes.len() as f64 / f64::from(plan.neurons()) / 0.1;
        assert!((1.0..4.0).contains(&rate), "{rate} Hz");
        let Some(mut gather) = gather::Gather::load(&plan).await else {
            assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "there is no adapter");
            return println!("skipped: no adapter");
        };
        let device = spikelet_gpu::Device::open().await.expect("there is an adapter");
        if !device.report().software {
            return println!("skipped: no software adapter, so it may round otherwise");
        }
        for way in gather::ways().into_iter().filter(|way| way.size == 64 && way.max_groups != 512) {
            gather.start(way);
            gather.advance(1000).await;
            assert!(gather.spikes().await == activity.spikes, "{way:?}");
        }
    });
}

#[cfg(target_family = "wasm")]
mod browser {
    use super::{compare, plan};
    use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

    wasm_bindgen_test_configure!(run_in_dedicated_worker);

    #[wasm_bindgen_test]
    #[ignore = "a bench that takes minutes"]
    async fn beside_a_gather() {
        let now = || js_sys::Date::now() / 1000.0;
        let plan = plan("fly/2hz");
        let found = compare::compare(&plan, 200, 3, 4.0, &now, &|line| console_log!("{line}")).await;
        console_log!("{}", found.expect("there is an adapter").summary());
    }
}
