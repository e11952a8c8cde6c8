//! Training in the page: Yin-Yang is learned by clicking, the trained network is opened, and wrong input is explained.

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::flow;

/// Words of scripts: the element and what is in its shadow tree.
const WORDS: &str = "const element = document.querySelector('spikelet-training'), shadow = element?.shadowRoot;
    const part = (name) => [...(shadow?.querySelectorAll(`[part~=${name}]`) ?? [])].find((found) => found.checkVisibility());
    const press = (name) => part(name).click();
    const choose = (css, value) => { const field = shadow.querySelector(css); field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true })); field.dispatchEvent(new Event('change', { bubbles: true })); };
    const accuracy = () => Number(/([0-9.]+) % of/.exec(part('report').textContent)?.[1]);
    const ink = (name) => { const canvas = part(name).querySelector('canvas');
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((sum, value, place) => sum + (place % 4 === 3 && value > 128), 0); };";

async fn ask(page: &Browser, script: &str) -> Test<Value> {
    page.script(&format!("{WORDS} {script}")).await
}

async fn holds(page: &Browser, what: &str) -> Test {
    let script = format!("return Boolean({what})");
    page.wait_for(what, async || Ok(ask(page, &script).await? == json!(true))).await
}

#[test]
fn yin_yang_is_learned_by_clicking_and_opened_in_the_simulator() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        // Nothing of it is loaded before it is opened.
        let loaded = "return performance.getEntriesByType('resource').filter(({name}) => name.includes('training')).length";
        assert_eq!(page.script(loaded).await?, json!(0));
        page.click("#to-training").await?;
        holds(page, "part('task')?.options.length > 1").await?;
        assert_eq!(ask(page, "return part('task').selectedOptions[0].textContent").await?, json!("Yin-Yang"));
        ask(page, "choose('#epochs', '3')").await?;
        ask(page, "press('start')").await?;
        holds(page, "part('stop')").await?;
        // The picture of decisions and a sample are there before the first epoch has ended.
        holds(page, "ink('plane') > 2000 && ink('before') > 500").await?;
        holds(page, "part('report').textContent.startsWith('After 3 epochs')").await?;
        let accuracy = ask(page, "return accuracy()").await?.as_f64().unwrap_or(0.0);
        assert!(accuracy > 75.0, "{accuracy} % are right after 3 epochs");
        holds(page, "ink('after') > 500 && ink('histogram') > 500 && ink('accuracy') > 500").await?;
        page.screenshot("training.png").await?;
        ask(page, "press('start')").await?;
        holds(page, "part('stop')").await?;
        ask(page, "press('stop')").await?;
        holds(page, "part('start')").await?;
        // The trained network is another network of the page.
        ask(page, "press('open')").await?;
        holds(page, "document.querySelector('aside')?.textContent.includes('yin-yang')").await?;
        page.wait_enabled("#play").await?;
        // Its input is that of the samples.
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 5.0).await
    });
}

#[test]
fn a_wrong_training_is_explained_and_the_open_network_is_offered() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#to-training").await?;
        holds(page, "part('task')?.options.length > 1").await?;
        ask(page, "choose('#epochs', 'many')").await?;
        ask(page, "press('start')").await?;
        holds(page, "part('error')?.textContent.includes('“many” is not a number of epochs')").await?;
        ask(page, "choose('#task', ''); choose('#epochs', '5')").await?;
        holds(page, "part('json')?.value.includes('\"cuba\"')").await?;
        ask(page, "press('start')").await?;
        holds(page, "part('error')?.textContent.includes('input')").await?;
        holds(page, "part('start')").await
    });
}

#[test]
fn it_fits_a_phone() {
    flow(async |page| {
        page.emulate(390, 844, "dark").await?;
        page.open("?backend=cpu#training").await?;
        holds(page, "part('task')?.options.length > 1").await?;
        ask(page, "choose('#epochs', '1'); press('start')").await?;
        holds(page, "part('report').textContent.startsWith('After 1 epoch')").await?;
        assert_eq!(page.script("return document.documentElement.scrollWidth").await?, json!(390));
        page.screenshot("training-phone.png").await
    });
}
