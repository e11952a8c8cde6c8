//! Flows through what leads on from the page: the lines that embed the open network, and the help.

use std::time::Duration;

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::flow;

const CODE: &str = "[data-testid='embed-code']";

/// Unfolds the card of a network.
async fn unfold(page: &Browser, at: &str) -> Test {
    page.open(at).await?;
    page.wait_enabled("#play").await?;
    page.click("#share").await?;
    page.wait_for("the card", async || Ok(page.count("#embed").await? == 1)).await?;
    page.script("document.querySelector('#embed').open = true").await?;
    page.wait_text(CODE, "<script").await
}

#[test]
fn the_open_network_is_embedded_by_a_few_lines() {
    flow(async |page| {
        page.allow_scripts().await?;
        unfold(page, "?backend=cpu#network=cuba&scale=0.25&seed=5").await?;
        page.wait_text(CODE, "<spikelet-network\n  src=\"cuba\"\n  scale=\"0.25\"\n  seed=\"5\"\n  plots=\"raster rates v\"")
            .await?;
        page.click("[data-embed='script']").await?;
        page.wait_text(CODE, "Spikelet.create(\"cuba\", { scale: 0.25, seed: 5n })").await?;
        page.script("navigator.clipboard.writeText = async text => { window.copied = text }; return 0").await?;
        page.click("#copy").await?;
        page.wait_text("#copy", "Copied").await?;
        assert_eq!(page.script("return window.copied.trim()").await?, json!(page.text(CODE).await?));
        page.wait_text("#copy", "Copy").await?;

        // They do what they say, the package being elsewhere here.
        let script = "const text = window.copied.match(/<script[^>]*>([^]*)<.script>/)[1];
            window.spikes = 0; console.log = (neuron, ms) => { window.spikes += neuron < 1000 && ms <= 100 };
            const script = document.createElement('script'); script.type = 'module';
            script.textContent = text.replace('./node_modules/spikelet/', new URL('engine/', location).href);
            document.body.append(script); return 0";
        page.script(script).await?;
        page.wait_for("spikes", async || Ok(page.script("return window.spikes > 100").await? == json!(true))).await?;

        page.click("[data-embed='element']").await?;
        let element =
            "const [script, ...lines] = document.querySelector(\"[data-testid='embed-code']\").textContent.split('\\n');
            await import(script.match(/src=\"(.*?)\"/)[1].replace('./node_modules/spikelet/', new URL('engine/', location).href));
            document.body.insertAdjacentHTML('beforeend', lines.join('\\n'));
            document.querySelector('spikelet-network').scrollIntoView(); return 0";
        page.script(element).await?;
        page.wait_for("the element's network", async || {
            Ok(page.script("return document.querySelector('spikelet-network').simulation?.info.neurons").await? == json!(1000))
        })
        .await?;
        page.click("[data-embed='script']").await?;

        // What is changed has no name any more.
        assert_eq!(page.count("[data-testid='embed-save']").await?, 0);
        page.slide("input[data-path='E.taum']", "25").await?;
        page.wait_text(CODE, "Spikelet.create(\"cuba.json\")").await?;
        page.wait_text("[data-testid='embed-save']", "Save cuba.json").await
    });
}

#[test]
fn every_link_of_the_help_leads_somewhere() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let dead = "const links = [...document.querySelectorAll('[data-testid=help] a')];
            const answers = await Promise.all(links.map(async ({href}) => [href, (await fetch(href)).ok]));
            return answers.length > 3 ? answers.filter(([, ok]) => !ok).map(([href]) => href) : 'there are too few'";
        assert_eq!(page.script(dead).await?, json!([]));
        Ok(())
    });
}

/// Pictures to look at: desktop and phone, light and dark.
#[test]
fn the_lines_fit_a_desk_and_a_phone() {
    flow(async |page| {
        for (width, height) in [(1440, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                for (network, choice) in [("cuba", "element"), ("cuba&E.taum=25+ms", "script")] {
                    unfold(page, &format!("?backend=cpu#network={network}")).await?;
                    page.click(&format!("[data-embed='{choice}']")).await?;
                    page.script("document.querySelector('#embed').scrollIntoView(); return 0").await?;
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                    assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}×{height}: the page is {overflow} pixels too wide");
                    page.screenshot(&format!("embed-{width}x{height}-{scheme}-{choice}.png")).await?;
                }
            }
        }
        Ok(())
    });
}
