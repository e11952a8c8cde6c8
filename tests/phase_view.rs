//! Flows through the phase plane, on a board of its own in the page.

use std::time::Duration;

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::flow;

const CANVAS: &str = "#bench .phase canvas";

/// A board with the phase plane of a population of this model, in the colours of the page.
async fn bench(page: &Browser, population: &str) -> Test {
    page.script("document.querySelector('#bench')?.remove(); window.sim?.dispose(); return 0").await?;
    let script = format!(
        "const {{ Spikelet }} = await import(new URL('engine/js/index.js', location).href);
         const {{ Board, choose }} = await import(new URL('engine/js/plots.js', location).href);
         const network = {{ name: 'bench', dt_ms: 0.1, duration_ms: 1000, populations: [{{ name: 'N', size: 2, {population} }}] }};
         window.sim = await Spikelet.create(network, {{ backend: 'cpu' }});
         const host = document.createElement('section');
         host.id = 'bench';
         host.style.cssText = 'padding: 16px; max-width: 900px; background: var(--background); color: var(--ink)';
         document.body.append(host);
         host.append(new Board(window.sim, choose('phase', window.sim.info).plots).element);
         host.scrollIntoView();
         return 0"
    );
    page.script(&script).await?;
    page.wait_for("a plane", async || Ok(page.ink(CANVAS).await? > 1000 && !said(page).await?.contains("no data"))).await
}

/// The text alternative.
async fn said(page: &Browser) -> Test<String> {
    let label = page.script(&format!("return document.querySelector({CANVAS:?}).getAttribute('aria-label')")).await?;
    Ok(label.as_str().unwrap_or("").to_owned())
}

async fn wait_said(page: &Browser, part: &str) -> Test {
    page.wait_for(part, async || Ok(said(page).await?.contains(part))).await
}

/// The current value of a variable of the first neuron.
async fn value(page: &Browser, variable: &str) -> Test<f64> {
    Ok(page.script(&format!("return (await window.sim.get('N.{variable}[0]')).values[0]")).await?.as_f64().unwrap_or(f64::NAN))
}

/// Number of points of a table of fixed points, and its text.
async fn fixed_points(page: &Browser) -> Test<(u64, String)> {
    Ok((page.count("#bench .points tbody tr").await?, page.text("#bench .points").await?))
}

#[test]
fn fixed_points_follow_parameters_and_a_click_starts_the_neuron() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        bench(page, "model: 'izhikevich', parameters: { I: 0 }").await?;
        let (count, table) = fixed_points(page).await?;
        assert_eq!(count, 2, "{table}");
        for part in ["stable node", "saddle", "v −70", "per ms"] {
            assert!(table.contains(part), "{part}: {table}");
        }
        wait_said(page, "2 fixed points: stable node at v −70").await?;
        wait_said(page, "The reset leads to v −65").await?;
        page.screenshot("phase-izhikevich.png").await?;

        // What a slider sets.
        page.script("await window.sim.set('N.I', '6'); return 0").await?;
        wait_said(page, "No fixed point in these ranges").await?;
        assert_eq!(fixed_points(page).await?.0, 0);
        page.script("await window.sim.set('N.I', '0'); return 0").await?;
        wait_said(page, "2 fixed points").await?;

        // The trajectory needs both variables.
        let blank = page.ink(CANVAS).await?;
        assert!(!said(page).await?.contains("The neuron is at"));
        page.click("#bench .beside > button").await?;
        page.wait_for("the recording", async || {
            Ok(page.script("return window.sim.info.channels.map(({ label }) => label)").await? == json!(["N.v[0]", "N.u[0]"]))
        })
        .await?;
        page.wait_for("nothing to record", async || {
            Ok(page.script("return document.querySelector('#bench .beside > button').hidden").await? == true)
        })
        .await?;
        page.script("await window.sim.set('N.v', 20); await window.sim.run(100); return 0").await?;
        wait_said(page, "The neuron is at v").await?;
        page.wait_for("the trajectory", async || Ok(page.ink(CANVAS).await? > blank + 100)).await?;

        // A click, while it is paused and while it runs.
        page.press_at(CANVAS, 0.4).await?;
        let under = page.text("#bench .under").await?;
        let clicked = number_after(&under, "v ");
        page.wait_for("the neuron at the point", async || Ok((value(page, "v").await? - clicked).abs() < 0.5)).await?;
        // The value under the pointer is that of a whole pixel.
        page.wait_for("the text of the point", async || {
            Ok((number_after(&said(page).await?, "The neuron is at v ") - clicked).abs() < 0.5)
        })
        .await?;
        page.screenshot("phase-started.png").await?;
        page.script("window.sim.run(); return 0").await?;
        page.script("window.most = -100; window.sim.on('samples', ({ values, columns }) => { for (let at = 0; at < values.length; at += columns) window.most = Math.max(window.most, values[at]) }); return 0").await?;
        tokio::time::sleep(Duration::from_millis(300)).await;
        page.script("window.most = -100; return 0").await?;
        page.press_at(CANVAS, 0.85).await?;
        page.wait_for("the start on the right", async || Ok(page.script("return window.most > -40").await? == true)).await?;
        page.script("await window.sim.pause(); return 0").await?;

        // By keyboard: a cross, and Enter.
        page.press(CANVAS, "right").await?;
        page.wait_text("#bench .under", "press Enter").await?;
        let aimed = number_after(&page.text("#bench .under").await?, "v ");
        page.press_focused("enter").await?;
        page.wait_for("the neuron at the cross", async || Ok((value(page, "v").await? - aimed).abs() < 0.5)).await
    });
}

/// The number that follows a text, with the minus of the plots.
fn number_after(text: &str, name: &str) -> f64 {
    let from = text.split(name).nth(1).unwrap_or("");
    let number: String = from.chars().take_while(|c| c.is_ascii_digit() || ['−', '.'].contains(c)).collect();
    number.replace('−', "-").parse().unwrap_or(f64::NAN)
}

#[test]
fn other_variables_are_held_or_follow_their_steady_state() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        bench(page, "model: 'hodgkin_huxley', preset: 'repetitive'").await?;
        assert_eq!(page.count("#bench .held .row").await?, 2);
        wait_said(page, "m = 0.0529, h = 0.596 held").await?;
        let held = page.ink(CANVAS).await?;
        page.click("#bench .held .row:nth-child(1) .steady").await?;
        wait_said(page, "m at steady state").await?;
        page.wait_for("another nullcline", async || Ok(page.ink(CANVAS).await? != held)).await?;
        page.slide("#bench .held .row:nth-child(2) input[type=range]", "0.4").await?;
        page.wait_for("the held value", async || Ok(said(page).await?.contains("h = 0.4"))).await?;
        page.screenshot("phase-hodgkin-huxley.png").await?;
        // Another variable on an axis.
        page.choose("#bench .fields label:nth-of-type(3) select", "h").await?;
        wait_said(page, "h from").await?;
        assert_eq!(page.count("#bench .held .row").await?, 2);

        bench(page, "model: 'lif', parameters: { I: '100 pA' }").await?;
        wait_said(page, "Phase line of neuron 0 of N").await?;
        wait_said(page, "stable at v −55 mV with eigenvalues −0.1 per ms").await?;
        page.screenshot("phase-line.png").await
    });
}

/// Pictures to look at: a desk and a phone, light and dark; all targets are large enough.
#[test]
fn the_plane_fits_a_desk_and_a_phone() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        for (width, height) in [(1440, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                for (name, population) in [
                    ("fitzhugh-nagumo", "model: 'fitzhugh_nagumo', parameters: { I: 0.5 }"),
                    ("adex", "model: 'adex', preset: 'initial_burst'"),
                    ("hodgkin-huxley", "model: 'hodgkin_huxley'"),
                ] {
                    bench(page, population).await?;
                    page.click("#bench .beside > button").await?;
                    page.script("await window.sim.run(200); document.querySelector('#bench').scrollIntoView(); return 0").await?;
                    wait_said(page, "The neuron is at").await?;
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    page.screenshot(&format!("phase-{width}x{height}-{scheme}-{name}.png")).await?;
                    let wide =
                        page.script("const e = document.querySelector('#bench'); return e.scrollWidth - e.clientWidth").await?;
                    assert!(wide.as_f64().unwrap_or(1.0) <= 0.0, "{width}×{height}: {wide} pixels too wide");
                }
            }
        }
        let small: Vec<String> = page.small_targets().await?;
        let own: Value = page.script("return document.querySelector('#bench .beside').innerHTML").await?;
        let small: Vec<_> = small.iter().filter(|target| own.as_str().unwrap_or("").contains(target.as_str())).collect();
        assert_eq!(small, Vec::<&String>::new());
        Ok(())
    });
}
