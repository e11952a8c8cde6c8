//! Flows through the card of weights: watched, held still, saved, loaded.

use super::browser::{Browser, Test};
use super::flow;
use std::time::Duration;

/// Cells whose synapses learn, with a statistic of it.
const LEARNING: &str = r#"{"name": "learning", "dt_ms": 0.1, "duration_ms": 1000, "seed": 3,
    "populations": [{"name": "E", "size": 200, "equations": "dv/dt = (1.2 - v)/(5*ms) : 1", "threshold": "v > 1", "reset": "v = 0",
        "initial": {"v": {"expr": "rand()"}}}],
    "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.2},
        "equations": "dx/dt = -x/(20*ms) : 1 (event-driven)\nw : 1 (plastic)\nage : 1", "on_pre": "v_post += 0.0002*w\nx += 1\nage += 1",
        "on_post": "w = clip(w + 0.0005*(0.2 + i/200)*x, 0, 1)", "initial": {"w": 0.2}}],
    "statistics": [{"object": "EE", "var": "w", "every_ms": 10, "range": [0, 1], "bins": 25},
        {"object": "EE", "var": "age", "every_ms": 20}]}"#;

/// The mean of the statistic that is shown.
async fn mean(page: &Browser) -> Test<f64> {
    let text = page.text(".plot.weights .remark").await?;
    Ok(text.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(f64::NAN))
}

async fn wait_mean(page: &Browser, what: &str, holds: impl Fn(f64) -> bool) -> Test {
    page.wait_for(what, async || Ok(holds(mean(page).await?))).await
}

async fn learning(page: &Browser, query: &str) -> Test {
    page.open(&format!("?backend={query}#network=cuba")).await?;
    page.wait_enabled("#play").await?;
    assert_eq!(page.count(".plot.weights").await?, 0, "a network that learns nothing has no card");
    page.fill("#json", LEARNING).await?;
    page.click("#apply").await?;
    page.wait_for("the card", async || Ok(page.count(".plot.weights").await? == 1)).await?;
    page.wait_enabled("#play").await
}

#[test]
fn weights_are_watched_held_still_saved_and_loaded() {
    flow(async |page| {
        learning(page, "cpu").await?;
        let blank = page.ink(".weights canvas").await?;
        page.click("#play").await?;
        wait_mean(page, "the weights to grow", |mean| mean > 0.3).await?;
        page.wait_for("ink on the card", async || Ok(page.ink(".weights canvas").await? > blank + 200)).await?;

        // Switched off, they stay as they are while the network runs on.
        page.click("[id='EE.plasticity']").await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let (held, time) = (mean(page).await?, page.number("#time").await?);
        page.wait_number("#time", |now| now > time + 100.0).await?;
        assert_eq!(mean(page).await?, held, "they go on learning");

        page.click("#play").await?;
        page.wait_steady("#spikes").await?;
        page.script(
            "URL.createObjectURL = blob => { window.exported = blob; return 'blob:saved' };
             HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }; return 0",
        )
        .await?;
        page.click("#save-weights").await?;
        page.wait_for("a file", async || Ok(page.script("return window.savedAs ?? ''").await? == "learning-weights.npz")).await?;

        // A reset forgets what was learnt, and the file brings it back. The switch is still off.
        page.click("#reset").await?;
        page.click("#play").await?;
        wait_mean(page, "the first weights", |mean| mean == 0.2).await?;
        let load = |bytes: &str| {
            format!(
                "const data = new DataTransfer(); data.items.add(new File([{bytes}], 'w.npz'));
                 const e = document.querySelector('#weights-file'); e.files = data.files;
                 e.dispatchEvent(new Event('change', {{bubbles: true}})); return 0"
            )
        };
        page.script(&load("'no weights'")).await?;
        page.wait_text("#error", "w.npz is not a readable file").await?;
        assert_eq!(mean(page).await?, 0.2, "a file that was refused has changed them");
        page.script(&load("window.exported")).await?;
        wait_mean(page, "the weights of the file", |mean| mean == held).await?;
        assert!(page.text("#error").await?.is_empty(), "{}", page.text("#error").await?);

        page.choose(".weights select", "1").await?;
        wait_mean(page, "the other statistic", |mean| mean > 1.0).await
    });
}

#[test]
fn the_published_networks_that_learn_show_their_weights() {
    flow(async |page| {
        for (network, scale) in [
            ("stdp_window", 1.0),
            ("stdp_song", 1.0),
            ("plastic_cuba", 0.02),
            ("istdp_balance", 0.1),
            ("bcm_selectivity", 1.0),
            ("rstdp_reward", 1.0),
            ("spike_pattern", 0.1),
        ] {
            page.open(&format!("?backend=cpu#network={network}&scale={scale}")).await?;
            page.wait_for(&format!("the card of {network}"), async || {
                Ok(page.count(".plot.weights:not(.bare) [role=switch]").await? > 0)
            })
            .await?;
        }
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_for("a measurement", async || Ok(!mean(page).await?.is_nan())).await
    });
}

#[test]
fn weights_are_watched_on_webgpu() {
    flow(async |page| {
        learning(page, "gpu").await?;
        page.wait_text("#backend", "GPU").await?;
        page.click("#play").await?;
        wait_mean(page, "the weights to grow", |mean| mean > 0.22).await?;
        assert!(page.text("#error").await?.is_empty(), "{}", page.text("#error").await?);
        page.click("#play").await
    });
}

/// Pictures to look at: desktop and phone, light and dark.
#[test]
fn the_card_fits_a_desk_and_a_phone() {
    flow(async |page| {
        learning(page, "cpu").await?;
        page.click("#play").await?;
        wait_mean(page, "the weights to grow", |mean| mean > 0.4).await?;
        page.click("#play").await?;
        for (width, height) in [(1440, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                page.script("document.querySelector('.plot.weights').scrollIntoView(); return 0").await?;
                tokio::time::sleep(Duration::from_millis(300)).await;
                let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}×{height}: the page is {overflow} pixels too wide");
                page.screenshot(&format!("weights-{width}x{height}-{scheme}.png")).await?;
            }
        }
        Ok(())
    });
}
