//! How long a user waits: for the page, and for the first spike of an engine. `cargo xtask dist --measure` runs it on what is published;
//! times are printed, not judged.

use std::path::PathBuf;

use serde_json::Value;

use crate::browser::{Browser, Test};
use crate::host::{Headers, Host};

/// Measured once with an empty cache, then again in the same browser.
const VISITS: usize = 6;

/// Notes when the first network can be run.
const NOTE: &str = "window.interactive = null; const looks = setInterval(() => {
    const play = document.querySelector('#play'), title = document.querySelector('#title')?.textContent;
    if (title && play && !play.disabled && play.ariaDisabled !== 'true') { window.interactive = performance.now(); clearInterval(looks); }
}, 4)";

/// A page with nothing but a simulation.
const ENGINE: &str = "<!doctype html><title>engine</title><link rel=\"icon\" href=\"data:,\"><script type=\"module\">
    const began = performance.now(), told = {};
    const { Spikelet } = await import('./engine/js/index.js');
    const simulation = await Spikelet.create('cuba', { backend: 'cpu' });
    told.created = performance.now() - began;
    told.build = 1000 * simulation.info.build.total;
    simulation.on('spikes', ({ neurons }) => { if (neurons.length > 0) told.spike ??= performance.now() - began; });
    await simulation.run(100);
    simulation.dispose();
    window.told = told;
</script>";

/// A number that a page notes, in ms.
async fn noted(page: &Browser, expression: &str) -> Test<f64> {
    let script = format!("return {expression} ?? null");
    page.wait_for(expression, async || Ok(!page.script(&script).await?.is_null())).await?;
    page.script(&script).await?.as_f64().ok_or_else(|| format!("{expression} is no number").into())
}

/// A line of a table: the first visit, and the fastest and the median of the later ones.
fn print(what: &str, times: &[f64]) {
    let mut later = times[1..].to_vec();
    later.sort_by(f64::total_cmp);
    println!("| {what} | {:.0} | {:.0} | {:.0} |", times[0], later[0], later[later.len() / 2]);
}

#[test]
#[ignore = "measures what `cargo xtask dist --measure` has built"]
fn of_the_page_and_of_the_engine() {
    let folder = std::env::var_os("SPIKELET_PAGE_FOLDER").map(PathBuf::from).expect("SPIKELET_PAGE_FOLDER, a published page");
    for (headers, threads) in [(Headers::Isolating, "threads"), (Headers::Plain, "one thread")] {
        // Without headers, isolate.js would load the page twice.
        let own = vec![("engine.html", ENGINE.to_owned()), ("isolate.js", String::new())];
        let host = Host::start(folder.clone(), own, headers).expect("a free port");
        println!("\n{threads}\n\n| ms | empty cache | cached, fastest | cached, median |\n|---|---|---|---|");
        Browser::run(host.url.clone(), async |page| {
            page.begin_with(NOTE).await?;
            let (mut painted, mut interactive) = (Vec::new(), Vec::new());
            for _ in 0..VISITS {
                page.open("?backend=cpu#network=cuba").await?;
                interactive.push(noted(page, "window.interactive").await?);
                painted.push(noted(page, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime").await?);
            }
            print("first paint", &painted);
            print("page interactive", &interactive);
            Ok(())
        });
        Browser::run(host.url, async |page| {
            let (mut created, mut built, mut spike) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..VISITS {
                page.open("engine.html").await?;
                let told: Value = {
                    noted(page, "window.told?.spike").await?;
                    page.script("return window.told").await?
                };
                let number = |key: &str| told[key].as_f64().ok_or(format!("no number {key} in {told}"));
                created.push(number("created")?);
                built.push(number("build")?);
                spike.push(number("spike")?);
            }
            print("`create(\"cuba\")`", &created);
            print("of these, the build in the engine", &built);
            print("to the first spike", &spike);
            Ok(())
        });
    }
}
