//! Flows through the page without a network, with what its service worker stored.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::flow_at;
use crate::host::{Headers, Host};

/// The page that asks to be stored, on a host without headers; the flag ends the host.
fn host(mut replaced: Vec<(&'static str, String)>) -> Option<(String, Arc<AtomicBool>)> {
    let folder = PathBuf::from(std::env::var_os("SPIKELET_PAGE_FOLDER")?);
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    let page = page.replace("<script src=\"isolate.js\">", "<script src=\"isolate.js\" data-offline=\"a\">");
    assert!(page.contains("data-offline"), "index.html does not load isolate.js");
    replaced.push(("index.html", page));
    let (host, end) = Host::start_that_ends(folder, replaced, Headers::Plain).unwrap();
    Some((host.url, end))
}

async fn isolated(page: &Browser) -> Test {
    page.wait_for("isolation", async || Ok(page.script("return crossOriginIsolated").await? == json!(true))).await?;
    page.wait_enabled("#play").await
}

#[test]
fn after_the_first_visit_the_page_runs_without_a_network() {
    let hosted = host(Vec::new());
    flow_at(hosted.as_ref().map(|(url, _)| url.clone()), async |page| {
        let end = &hosted.as_ref().ok_or("no host")?.1;
        page.open("?backend=cpu#network=cuba&scale=0.5").await?;
        isolated(page).await?;
        // The list is stored last.
        let stored = "return Boolean(await caches.match('offline.json'))";
        page.wait_for("the files to be stored", async || Ok(page.script(stored).await? == json!(true))).await?;
        end.store(true, Ordering::SeqCst);
        page.open("?backend=cpu#network=izhikevich").await?;
        page.wait_text("#title", "Pulse-coupled").await?;
        page.wait_enabled("#play").await?;
        assert_eq!(page.script("return crossOriginIsolated").await?, json!(true), "it has no threads");
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await
    });
}

#[test]
fn a_page_that_cannot_be_stored_has_threads_all_the_same() {
    let hosted = host(vec![("offline.json", r#"{"files": ["./", "style.css", "missing.js"]}"#.to_owned())]);
    flow_at(hosted.map(|(url, _)| url), async |page| {
        page.open("?backend=cpu#network=cuba&scale=0.5").await?;
        isolated(page).await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await?;
        // What came before the missing file is no page.
        assert_eq!(page.script("return Boolean(await caches.match('offline.json'))").await?, json!(false));
        Ok(())
    });
}
