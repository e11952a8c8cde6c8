//! Neurons in space and weights as pictures: waves travel over a sheet, a body in four dimensions is turned, weights are a matrix.

use std::time::Duration;

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::flow;

const SHEET: &str = ".plot.sheet canvas";

/// A number that differs between two pictures.
async fn picture(page: &Browser, css: &str) -> Test<String> {
    let script = format!(
        "const c = document.querySelector({css:?}); if (!c?.width) return '';
         const words = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
         let sum = 0; for (const word of words) sum = (Math.imul(sum, 31) + word) | 0; return String(sum)"
    );
    Ok(page.script(&script).await?.as_str().unwrap_or_default().to_owned())
}

/// Waits until a picture is another one.
async fn changes(page: &Browser, css: &str, before: &str) -> Test {
    page.wait_for("another picture", async || Ok(picture(page, css).await? != before)).await
}

/// The picture, as soon as it no longer changes.
async fn steady(page: &Browser, css: &str) -> Test<String> {
    let mut last = String::new();
    page.wait_for("a steady picture", async || {
        tokio::time::sleep(Duration::from_millis(400)).await;
        let now = picture(page, css).await?;
        Ok(std::mem::replace(&mut last, now.clone()) == now && !now.is_empty())
    })
    .await?;
    Ok(last)
}

#[test]
fn waves_travel_over_a_sheet() {
    flow(async |page| {
        page.emulate(1440, 900, "dark").await?;
        page.open("?backend=cpu#network=waves").await?;
        page.wait_enabled("#play").await?;
        page.wait_for("the cells", async || Ok(page.ink(SHEET).await? > 5000)).await?;
        let at_rest = picture(page, SHEET).await?;
        page.click("#play").await?;
        page.wait_number("#time", |time| time > 150.0).await?;
        changes(page, SHEET, &at_rest).await?;
        let one = picture(page, SHEET).await?;
        changes(page, SHEET, &one).await?;
        page.click("#play").await?;
        let stopped = steady(page, SHEET).await?;
        page.screenshot("sheet-waves.png").await?;
        let said = page.script(&format!("return document.querySelector({SHEET:?}).ariaLabel")).await?;
        assert!(
            said.as_str().unwrap_or_default().starts_with("Sheet of cells, 4096 neurons at positions in 2 dimensions"),
            "{said}"
        );
        // A variable instead of spikes, with another scale.
        page.choose(".plot.sheet select", "1").await?;
        changes(page, SHEET, &stopped).await?;
        steady(page, SHEET).await?;
        page.screenshot("sheet-waves-v.png").await?;
        page.emulate(1440, 900, "light").await?;
        steady(page, SHEET).await?;
        page.screenshot("sheet-waves-light.png").await?;
        page.emulate(390, 844, "dark").await?;
        steady(page, SHEET).await?;
        let wide = "return [...document.querySelectorAll('.plot.sheet, .plot.sheet *')].filter(e => e.getBoundingClientRect().right > 390).length";
        assert_eq!(page.script(wide).await?, json!(0));
        page.script(&format!("document.querySelector({SHEET:?}).scrollIntoView({{block: 'center'}})")).await?;
        page.screenshot("sheet-phone.png").await
    });
}

#[test]
fn a_body_in_four_dimensions_is_turned() {
    flow(async |page| {
        page.emulate(1440, 900, "dark").await?;
        page.open("?backend=cpu#network=lattice4d").await?;
        page.wait_enabled("#play").await?;
        page.wait_for("the body", async || Ok(page.ink(SHEET).await? > 2000)).await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 200.0).await?;
        page.click("#play").await?;
        page.wait_steady("#spikes").await?;
        let first = steady(page, SHEET).await?;
        page.screenshot("sheet-4d.png").await?;
        page.drag(SHEET, 0.4, 0.6).await?;
        changes(page, SHEET, &first).await?;
        let turned = steady(page, SHEET).await?;
        page.screenshot("sheet-4d-turned.png").await?;
        page.press(SHEET, "shift+right").await?;
        changes(page, SHEET, &turned).await?;
        // Back to the first view: the same picture.
        page.script(&format!(
            "document.querySelector({SHEET:?}).dispatchEvent(new KeyboardEvent('keydown', {{key: 'Home', bubbles: true}}))"
        ))
        .await?;
        page.wait_for("the first view", async || Ok(picture(page, SHEET).await? == first)).await
    });
}

/// Makes plots of a network in the page, as any other page can.
async fn plots(page: &Browser, network: &str, plots: &str, ms: u32) -> Test {
    let script = format!(
        "(async () => {{
            const [{{ Spikelet }}, {{ Board, choose }}] = await Promise.all(['index', 'plots'].map((name) => import(new URL(`engine/js/${{name}}.js`, location.href).href)));
            const simulation = await Spikelet.create({network:?}, {{ backend: 'cpu' }});
            const board = new Board(simulation, choose({plots:?}, simulation.info).plots, {{}});
            const place = document.createElement('div');
            place.id = 'bench';
            place.append(board.element);
            document.querySelector('main').replaceChildren(place);
            await simulation.run({ms});
            document.body.dataset.done = 'yes';
        }})().catch((error) => (document.body.dataset.done = String(error)))"
    );
    page.script(&script).await?;
    page.wait_for("the run", async || Ok(page.script("return document.body.dataset.done ?? ''").await? != "")).await?;
    assert_eq!(page.script("return document.body.dataset.done").await?, json!("yes"));
    Ok(())
}

#[test]
fn weights_are_a_matrix_a_cloud_and_a_history() {
    flow(async |page| {
        page.emulate(1440, 1100, "light").await?;
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        plots(page, "plastic_cuba", "matrix delays histogram", 200).await?;
        let label = |css: &str| format!("return document.querySelector('#bench .{css} canvas').ariaLabel");
        for (name, said) in
            [("matrix", "Weight matrix of "), ("delays", "Weights and delays of "), ("histogram", "Histogram of ")]
        {
            page.wait_for(said, async || {
                let text = page.script(&label(name)).await?;
                let text = text.as_str().unwrap_or_default();
                Ok(text.starts_with(said) && !text.contains("no data yet"))
            })
            .await?;
            let css = format!("#bench .{name} canvas");
            page.wait_for("ink", async || Ok(page.ink(&css).await? > 1000)).await?;
        }
        page.wait_text("#bench .delays .remark", "synapses, evenly sampled").await?;
        page.screenshot("synapses.png").await
    });
}

#[test]
fn neurons_without_positions_are_arranged_on_request() {
    flow(async |page| {
        page.emulate(1440, 900, "light").await?;
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        plots(page, "izhikevich", "sheet", 100).await?;
        page.wait_for("the question", async || Ok(page.count("#bench .arrange input").await? == 1)).await?;
        page.fill("#bench .arrange input", "50").await?;
        page.click("#bench .arrange button").await?;
        page.wait_for("a sheet", async || Ok(page.ink("#bench .sheet canvas").await? > 3000)).await?;
        page.screenshot("sheet-arranged.png").await
    });
}
