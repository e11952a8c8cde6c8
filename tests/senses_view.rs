//! Live input in the page: the camera of the test browser makes neurons fire, text and mouse do, and everything stops when it must.

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::flow;

/// Words of scripts: what is in the shadow tree of the element.
const WORDS: &str = "const shadow = document.querySelector('spikelet-senses')?.shadowRoot;
    const part = (name) => [...(shadow?.querySelectorAll(`[part~=${name}]`) ?? [])].find((found) => found.checkVisibility());
    const press = (name) => part(name).click();
    const state = (name) => shadow?.querySelector(`[part=${name}-state]`)?.textContent;
    const ink = () => { const canvas = part('preview'); if (!canvas) return 0;
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return new Set(data.filter((_, at) => at % 4 === 0)).size; };";

async fn ask(page: &Browser, script: &str) -> Test<Value> {
    page.script(&format!("{WORDS} {script}")).await
}

async fn holds(page: &Browser, what: &str) -> Test {
    let script = format!("return Boolean({what})");
    page.wait_for(what, async || Ok(ask(page, &script).await? == json!(true))).await
}

/// Opens the example in the pane.
async fn example(page: &Browser) -> Test {
    page.open("?backend=cpu#network=cuba").await?;
    page.wait_enabled("#play").await?;
    page.click("#pane-senses").await?;
    holds(page, "part('target')?.options.length > 0").await?;
    ask(page, "press('example')").await?;
    holds(page, "part('target')?.value === 'Input.I'").await?;
    page.wait_enabled("#play").await
}

#[test]
fn the_camera_makes_neurons_fire_until_it_is_stopped() {
    flow(async |page| {
        page.emulate(1440, 900, "dark").await?;
        // Nothing of it is loaded before it is opened.
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let loaded = "return performance.getEntriesByType('resource').filter(({name}) => /senses.*[.]js$/.test(name)).length";
        assert_eq!(page.script(loaded).await?, json!(0));
        example(page).await?;
        assert_eq!(ask(page, "return state('camera')").await?, json!(""));
        ask(page, "press('camera')").await?;
        holds(page, "state('camera') === 'Camera is on'").await?;
        // The picture of the test browser has several shades.
        holds(page, "ink() > 3").await?;
        // The camera is as fast as the world, so the network is, too.
        assert_eq!(page.script("return document.querySelector('#speed').value").await?, json!("1"));
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 1000.0).await?;
        page.screenshot("senses-camera.png").await?;
        let small = "return [...shadow.querySelectorAll('button, select, input:not([type=checkbox]), label.check')].filter(e => e.getBoundingClientRect().height < 24).length";
        assert_eq!(ask(page, small).await?, json!(0));
        ask(page, "press('camera')").await?;
        holds(page, "state('camera') === '' && !part('preview')").await?;
        // Text instead; then the pane is closed, which stops it.
        ask(page, "press('text')").await?;
        holds(page, "state('text') === 'Text is on' && ink() === 2").await?;
        page.click("#pane-senses").await?;
        holds(page, "state('text') === ''").await
    });
}

#[test]
fn the_mouse_moves_a_bump_and_wrong_input_is_explained() {
    flow(async |page| {
        page.emulate(390, 844, "light").await?;
        example(page).await?;
        ask(page, "const gain = part('gain'); gain.value = ''; gain.dispatchEvent(new Event('input'))").await?;
        holds(page, "part('error')?.textContent.includes('gain must be a number')").await?;
        ask(page, "const gain = part('gain'); gain.value = '2'; gain.dispatchEvent(new Event('input'))").await?;
        ask(page, "press('mouse')").await?;
        holds(page, "state('mouse') === 'Mouse is on' && ink() === 1").await?;
        ask(page, "part('pad').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowUp' }))").await?;
        holds(page, "ink() > 5").await?;
        let wide = "return [...shadow.querySelectorAll('*')].filter(e => e.getBoundingClientRect().right > 390).length";
        assert_eq!(ask(page, wide).await?, json!(0));
        ask(page, "part('pad').scrollIntoView({ block: 'center' })").await?;
        page.screenshot("senses-phone.png").await?;
        // Another network: the source stops, and its variables are offered.
        page.choose_network("cuba").await?;
        holds(page, "state('mouse') === '' && part('target')?.value !== 'Input.I'").await
    });
}

#[test]
fn a_blocked_camera_says_what_to_do() {
    flow(async |page| {
        page.begin_with("if (window.MediaDevices) MediaDevices.prototype.getUserMedia = () => Promise.reject(new DOMException('no', 'NotAllowedError'))")
            .await?;
        example(page).await?;
        ask(page, "press('camera')").await?;
        holds(page, "part('error')?.textContent.includes('the camera is blocked for this page; allow it')").await?;
        holds(page, "state('camera') === ''").await
    });
}
