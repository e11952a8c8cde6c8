//! Flows through the served page, in a real Chromium, as a user clicks them.
//!
//! `cargo xtask test page` builds and serves the page and sets `SPIKELET_PAGE_URL` and `CHROMEDRIVER`; without them each flow
//! says `skipped: no page`. Screenshots land in `target/screens`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod browser;
mod equations;
mod forms;

use browser::{Browser, Test};
use std::time::Duration;

/// Runs a flow in a browser of its own; afterwards the console must hold no error.
fn flow(test: impl AsyncFnOnce(&Browser) -> Test) {
    let Some(page) = std::env::var("SPIKELET_PAGE_URL").ok() else {
        println!("skipped: no page (run `cargo xtask test page`)");
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let browser = Browser::start(page).await.unwrap();
        let result = test(&browser).await;
        let console = browser.console_errors().await;
        browser.quit().await;
        result.unwrap();
        assert_eq!(console.unwrap(), Vec::<String>::new(), "the console holds errors");
    });
}

/// Opens a network on a device, plays it, and sees spikes on the canvas.
async fn plays(page: &Browser, network: &str, query: &str, device: &str) -> Test {
    page.open(&format!("?backend={query}#network={network}")).await?;
    page.wait_text("#backend", device).await?;
    page.choose_network(network).await?;
    page.wait_enabled("#play").await?;
    let blank = page.ink("#raster").await?;
    page.click("#play").await?;
    page.wait_number("#spikes", |spikes| spikes > 500.0).await?;
    page.wait_for("ink on the raster", async || Ok(page.ink("#raster").await? > blank + 50)).await?;
    page.wait_number("#time", |time| time > 20.0).await?;
    page.wait_for("a real-time factor", async || Ok(page.text("#rtf").await?.chars().any(|c| c.is_ascii_digit()))).await?;
    assert!(page.text("#error").await?.is_empty(), "{}", page.text("#error").await?);
    page.click("#play").await?;
    page.wait_steady("#spikes").await?;
    Ok(())
}

#[test]
fn every_network_plays_on_the_cpu() {
    flow(async |page| {
        for network in ["cuba", "coba", "izhikevich"] {
            plays(page, network, "cpu", "CPU").await?;
        }
        Ok(())
    });
}

#[test]
fn every_network_plays_on_webgpu() {
    flow(async |page| {
        for network in ["cuba", "coba", "izhikevich"] {
            plays(page, network, "gpu", "GPU").await?;
        }
        Ok(())
    });
}

#[test]
fn without_webgpu_the_page_says_so_and_runs_on_the_cpu() {
    flow(async |page| {
        page.hide_webgpu().await?;
        plays(page, "cuba", "auto", "CPU").await?;
        let said = page.text("#backend").await?.to_lowercase();
        assert!(said.contains("gpu"), "no word on why there is no GPU: {said}");
        Ok(())
    });
}

#[test]
fn a_parameter_changes_while_it_runs_and_reset_starts_over() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        page.slide("input[data-path='E.El']", "-45").await?;
        page.wait_number("#spikes", |spikes| spikes > 20_000.0).await?;
        assert!(page.text("#error").await?.is_empty(), "{}", page.text("#error").await?);
        page.click("#play").await?;
        page.wait_steady("#spikes").await?;
        page.click("#reset").await?;
        page.wait_number("#time", |time| time == 0.0).await?;
        page.wait_number("#spikes", |spikes| spikes == 0.0).await?;
        page.key(" ").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await
    });
}

#[test]
fn bad_input_gets_its_sentence_and_the_network_that_ran_stays() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        for (json, said) in [
            ("{\"name\": \"x\",\n  \"dt_ms\": }", "line 2"),
            (
                r#"{"name":"x","dt_ms":0.1,"duration_ms":1,"populations":[{"name":"n","size":5,"model":"lif_ext"}]}"#,
                "did you mean `lif_exp`?",
            ),
            (
                r#"{"name":"x","dt_ms":0.1,"duration_ms":1,"populations":[{"name":"n","size":5,"modell":"lif_exp"}]}"#,
                "did you mean `model`?",
            ),
            (r#"{"name":"x","dt_ms":0,"duration_ms":1,"populations":[{"name":"n","size":5,"model":"lif_exp"}]}"#, "dt_ms"),
            (
                r#"{"name":"x","dt_ms":0.1,"duration_ms":1,"populations":[{"name":"n","size":5,"model":"lif_exp","parameters":{"taum":"20 mV"}}]}"#,
                "expected second",
            ),
        ] {
            let before = page.number("#spikes").await?;
            page.fill("#json", json).await?;
            page.click("#apply").await?;
            page.wait_text("#error", said).await?;
            page.wait_number("#spikes", |spikes| spikes > before).await?;
        }
        let own = r#"{"name":"mine","dt_ms":0.1,"duration_ms":100,"populations":[{"name":"n","size":20,
            "equations":"dv/dt = (20*mV - v)/tau : volt","threshold":"v > 15*mV","reset":"v = 0*mV","parameters":{"tau":"10 ms"},
            "initial":{"v":{"expr":"rand()*10*mV"}}}]}"#;
        page.fill("#json", own).await?;
        page.click("#apply").await?;
        page.wait_number("#time", |time| time == 0.0).await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 20.0).await
    });
}

/// Pictures to look at: desktop and phone, light and dark.
#[test]
fn it_fits_a_desk_and_a_phone() {
    flow(async |page| {
        for (width, height) in [(1440, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                page.open("?backend=cpu#network=cuba").await?;
                page.wait_enabled("#play").await?;
                page.click("#play").await?;
                page.wait_number("#time", |time| time > 400.0).await?;
                page.click("#play").await?;
                tokio::time::sleep(Duration::from_millis(300)).await;
                let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}×{height}: the page is {overflow} pixels too wide");
                page.screenshot(&format!("{width}x{height}-{scheme}.png")).await?;
            }
        }
        Ok(())
    });
}
