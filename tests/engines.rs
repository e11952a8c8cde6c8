//! The page's package in the browser engine of the run (`SPIKELET_BROWSER`): the spikes of the catalogue, and snapshots of other machines.

use std::path::Path;

use serde_json::{Value, json};

use crate::browser::{Browser, Test};

/// Runs a flow where a browser was named: `cargo xtask test browsers` does so for each.
fn flow(test: impl AsyncFnOnce(&Browser) -> Test) {
    if std::env::var_os("SPIKELET_BROWSER").is_none() {
        println!("skipped: no browser is named (run `cargo xtask test browsers`)");
        return;
    }
    crate::flow(test);
}

const PACKAGE: &str = "const {Spikelet} = await import(new URL('engine/js/index.js', location));";

/// Defines `hash(simulation, ms)`: continues it, and gives the hash of these spikes alone as reports have it (`spikelet::spike_hash`).
const HASH: &str = "const mask = (1n << 64n) - 1n;
    const mixed = (x) => {
        x = (x + 0x9e3779b97f4a7c15n) & mask;
        x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
        x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask;
        return x ^ (x >> 31n);
    };
    const hash = async (simulation, ms) => {
        const {populations} = simulation.info.network;
        const starts = populations.map(({size}, at) => populations.slice(0, at).reduce((sum, {size}) => sum + size, 0));
        let sum = 0n;
        simulation.on('spikes', ({neurons, spikeSteps}) => neurons.forEach((neuron, k) => {
            const population = starts.findLastIndex((start) => start <= neuron);
            sum += mixed(BigInt(population) ^ mixed(BigInt(neuron - starts[population]) ^ mixed(BigInt(spikeSteps[k]))));
        }));
        await simulation.run(ms);
        simulation.dispose();
        return (sum & mask).toString(16).padStart(16, '0');
    };";

/// The spikes of one network of the catalogue, of the first 100 ms at its small scale.
async fn first_spikes(page: &Browser, name: &str) -> Test<Value> {
    let script = format!(
        "{PACKAGE} const {{small}} = (await Spikelet.networks()).find(({{name}}) => name === '{name}');
        const simulation = await Spikelet.create('{name}', {{scale: small, seed: 1, backend: 'cpu'}});
        await simulation.run(100);
        simulation.dispose();
        return simulation.spikesHash"
    );
    page.script(&script).await
}

#[test]
fn the_catalogue_has_the_spikes_of_every_machine() {
    flow(async |page| {
        page.open("?backend=cpu#network=izhikevich&scale=0.1").await?;
        page.wait_enabled("#play").await?;
        let expected: Value = serde_json::from_str(include_str!("hashes.json"))?;
        let mut found = json!({});
        for name in expected.as_object().into_iter().flatten().map(|(name, _)| name) {
            found[name] = first_spikes(page, name).await?;
        }
        assert_eq!(found, expected);
        Ok(())
    });
}

/// Written natively, at the steps in `tests/snapshots.rs`, which says where they end.
#[test]
fn snapshots_of_another_machine_continue_with_its_spikes() {
    flow(async |page| {
        page.open("?backend=cpu#network=izhikevich&scale=0.1").await?;
        page.wait_enabled("#play").await?;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
        let expected: Value = serde_json::from_str(include_str!("snapshots/hashes.json"))?;
        let mut found = json!({});
        for name in expected.as_object().into_iter().flatten().map(|(name, _)| name) {
            let network =
                std::fs::read_to_string(folder.join(format!("../networks/{}.json", name.split('.').next().unwrap_or(""))))?;
            let snapshot = std::fs::read(folder.join(name))?;
            let script = format!(
                "{PACKAGE} {HASH} const simulation = await Spikelet.create({}, {{backend: 'cpu'}});
                await simulation.restore(Uint8Array.from({}));
                const steps = Math.round(simulation.timeMs / simulation.info.dtMs);
                return hash(simulation, (160 - steps) * simulation.info.dtMs)",
                json!(network),
                json!(snapshot)
            );
            found[name] = page.script(&script).await?;
        }
        assert_eq!(found, expected);
        Ok(())
    });
}
