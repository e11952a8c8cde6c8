//! Threads in the page: with the headers, without them, and with the service worker that stands in for them.

use std::path::PathBuf;

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::host::{Headers, Host};
use crate::{flow, flow_at};

/// A network that gains from threads.
const LARGE: &str = "?backend=cpu#network=cobahh";

/// The page that `SPIKELET_PAGE_URL` serves, on a host without headers.
fn plain_host(replaced: Vec<(&'static str, String)>) -> Option<String> {
    let folder = PathBuf::from(std::env::var_os("SPIKELET_PAGE_FOLDER")?);
    Some(Host::start(folder, replaced, Headers::Plain).unwrap().url)
}

async fn says_of_threads(page: &Browser, part: &str) -> Test {
    page.wait_enabled("#play").await?;
    page.wait_text("[data-testid=device-facts]", part).await
}

/// Threads of the open network, as the page says: several, where the browser sees several cores.
async fn threads(page: &Browser) -> Test<u64> {
    page.wait_enabled("#play").await?;
    page.wait_text("[data-testid=device-facts]", "Threads").await?;
    let script =
        "return [parseInt(document.querySelector('[data-testid=device-facts] dd').textContent), navigator.hardwareConcurrency]";
    let [threads, cores]: [u64; 2] = serde_json::from_value(page.script(script).await?)?;
    assert!(threads > 1 || cores == 1, "{threads} threads on {cores} cores");
    Ok(threads)
}

#[test]
fn with_headers_the_page_has_threads() {
    flow(async |page| {
        page.open(LARGE).await?;
        assert_eq!(page.script("return crossOriginIsolated").await?, json!(true));
        threads(page).await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await
    });
}

/// Counted as threads of the browser's processes.
#[cfg(target_os = "linux")]
#[test]
fn workers_end_with_their_engine() {
    flow(async |page| {
        // The Worker that writes saved runs would count, too.
        page.hide_file_system().await?;
        page.open(LARGE).await?;
        // The engine is one of them, and one of its threads.
        let threads = threads(page).await?;
        page.wait_for("a Worker for each thread", async || Ok(page.workers() == threads)).await?;
        page.click("#play").await?;
        page.choose_network("izhikevich").await?;
        page.wait_enabled("#play").await?;
        page.wait_for("the Worker of a small network", async || Ok(page.workers() == 1)).await?;
        page.choose_network("cobahh").await?;
        page.wait_enabled("#play").await?;
        page.wait_for("Workers again", async || Ok(page.workers() == threads)).await?;
        // A second simulation, which ends in the middle of a run.
        let script = "const {Spikelet} = await import(new URL('engine/js/index.js', location)); window.batches = 0;
            window.other = await Spikelet.create('cobahh', {backend: 'cpu'}); window.other.on('spikes', () => window.batches += 1);
            window.other.run().catch(({code}) => window.ended = code)";
        page.script(script).await?;
        page.wait_for("the other engine to run", async || Ok(page.script("return window.batches > 3").await? == json!(true)))
            .await?;
        assert_eq!(page.workers(), 2 * threads);
        page.script("window.other.dispose()").await?;
        page.wait_for("the other engine's Workers to end", async || Ok(page.workers() == threads)).await?;
        assert_eq!(page.script("return window.ended").await?, json!("disposed"));
        page.open(LARGE).await?;
        page.wait_enabled("#play").await?;
        page.wait_for("the Workers of a page that is left to end", async || Ok(page.workers() == threads)).await
    });
}

#[test]
fn without_headers_there_is_one_thread_and_the_page_says_why() {
    flow_at(plain_host(vec![("isolate.js", String::new())]), async |page| {
        page.open(LARGE).await?;
        says_of_threads(page, "1: this page is not cross-origin isolated").await?;
        assert_eq!(page.script("return crossOriginIsolated").await?, json!(false));
        page.wait_text("#backend", "one thread").await?;
        // The longest of all facts, on a phone.
        page.emulate(390, 844, "light").await?;
        page.script("const e = document.querySelector('#hardware'); e.open = true; e.scrollIntoView()").await?;
        let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
        assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "the page is {overflow} pixels too wide");
        page.screenshot("hardware-one-thread.png").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await
    });
}

#[test]
fn a_service_worker_gives_threads_where_the_host_sends_no_headers() {
    flow_at(plain_host(Vec::new()), async |page| {
        for visit in ["the first", "the second"] {
            page.open(LARGE).await?;
            let isolated = async || Ok(page.script("return crossOriginIsolated").await? == json!(true));
            page.wait_for(&format!("isolation on {visit} visit"), isolated).await?;
            threads(page).await?;
            page.click("#play").await?;
            page.wait_number("#spikes", |spikes| spikes > 500.0).await?;
        }
        Ok(())
    });
}
