//! Threads in the page: with the headers, without them, and with the service worker that stands in for them.

use std::path::PathBuf;

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::host::Host;
use crate::{flow, flow_at};

/// The page that `SPIKELET_PAGE_URL` serves, on a host without headers.
fn plain_host(replaced: &'static [(&'static str, &'static str)]) -> Option<String> {
    let folder = PathBuf::from(std::env::var_os("SPIKELET_PAGE_FOLDER")?);
    Some(Host::start(&folder, replaced).unwrap().url)
}

async fn says_of_threads(page: &Browser, part: &str) -> Test {
    page.wait_enabled("#play").await?;
    page.wait_text("[data-testid=device-facts]", part).await
}

/// Cores that the browser sees.
async fn cores(page: &Browser) -> Test<u64> {
    Ok(page.script("return navigator.hardwareConcurrency").await?.as_u64().unwrap_or(0))
}

#[test]
fn with_headers_the_page_has_threads() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        assert_eq!(page.script("return crossOriginIsolated").await?, json!(true));
        let cores = cores(page).await?;
        says_of_threads(page, &format!("Threads{cores}")).await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await
    });
}

#[test]
fn without_headers_there_is_one_thread_and_the_page_says_why() {
    flow_at(plain_host(&[("isolate.js", "")]), async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        says_of_threads(page, "1: this page is not cross-origin isolated").await?;
        assert_eq!(page.script("return crossOriginIsolated").await?, json!(false));
        page.wait_text("#backend", "one thread").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await
    });
}

#[test]
fn a_service_worker_gives_threads_where_the_host_sends_no_headers() {
    flow_at(plain_host(&[]), async |page| {
        for visit in ["the first", "the second"] {
            page.open("?backend=cpu#network=cuba").await?;
            let isolated = async || Ok(page.script("return crossOriginIsolated").await? == json!(true));
            page.wait_for(&format!("isolation on {visit} visit"), isolated).await?;
            let cores = cores(page).await?;
            says_of_threads(page, &format!("Threads{cores}")).await?;
            page.click("#play").await?;
            page.wait_number("#spikes", |spikes| spikes > 500.0).await?;
        }
        Ok(())
    });
}
