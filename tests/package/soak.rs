//! Many simulations on one page, one after the other: each ends whole. `SPIKELET_SOAK=1` makes 1000 of them.

use std::{env, fs};

use serde_json::Value;

use crate::browser::{Browser, Test};
use crate::{HOSTS, example};

/// Simulations of one call, which must end in the time that a driver gives scripts.
const AT_ONCE: usize = 20;

/// Makes some simulations on a device, one after the other, each of which runs for 5 ms; tells what was measured.
async fn cycles(page: &Browser, backend: &str, count: usize) -> Test<Value> {
    let script = format!(
        "return (async () => {{
            const {{Spikelet}} = await import('./node_modules/spikelet/js/index.js');
            const began = performance.now();
            for (let cycle = 0; cycle < {count}; cycle += 1) {{
                const simulation = await Spikelet.create('cuba', {{backend: '{backend}', scale: 0.025}});
                const {{timeMs}} = await simulation.run(5);
                if (timeMs !== 5) throw new Error(`it ran for ${{timeMs}} ms`);
                simulation.dispose();
            }}
            return {{heap: performance.memory.usedJSHeapSize, msEach: (performance.now() - began) / {count}}};
        }})()"
    );
    page.script(&script).await
}

/// Memory of the browser's processes that they do not share, in MiB.
fn memory_mib(page: &Browser) -> u64 {
    let own = |process: &u32| -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?.split_whitespace().next()?.parse().ok()
    };
    page.processes().iter().filter_map(own).sum::<u64>() / 1024
}

#[test]
fn simulations_leave_nothing_behind() {
    let is_long = env::var_os("SPIKELET_SOAK").is_some();
    for headers in HOSTS {
        example("plain", headers, async |page| {
            page.open("").await?;
            page.wait_text("#said", "1000 ms").await?;
            let workers = page.workers();
            for (backend, count) in [("cpu", if is_long { 1000 } else { 40 }), ("gpu", if is_long { 100 } else { 10 })] {
                let at_once = AT_ONCE.min(count / 2);
                let first = cycles(page, backend, at_once).await?;
                let before = memory_mib(page);
                let mut last = first.clone();
                for _ in 1..count / at_once {
                    last = cycles(page, backend, at_once).await?;
                }
                let after = memory_mib(page);
                println!(
                    "{count} simulations on the {backend}, {headers:?}: after the first {at_once} {first}, {before} MiB; \
                     after the last {last}, {after} MiB"
                );
                // What waits for the browser's own collection comes and goes; a simulation that stayed would hold some 10 MiB.
                assert!(after < before + 100 + count as u64, "{before} MiB became {after} MiB");
                page.wait_for("all Workers to end", async || Ok(page.workers() == workers)).await?;
            }
            Ok(())
        });
    }
}
