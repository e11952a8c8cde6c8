//! Experiments in the page: a sweep by clicking, its heat map, a run of it that is opened, curves of a neuron, and two runs that are compared.

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::flow;

/// Words of scripts: the element and what is in its shadow tree.
const WORDS: &str = "const element = document.querySelector('spikelet-experiments'), shadow = element?.shadowRoot;
    const part = (name) => [...(shadow?.querySelectorAll(`[part~=${name}]`) ?? [])].find((found) => found.checkVisibility());
    const text = (name) => part(name)?.textContent ?? '';
    const press = (name) => part(name).click();
    const type = (name, value) => { const input = part(name); input.value = value; input.dispatchEvent(new Event('change', { bubbles: true })); };
    const ink = (name) => { const canvas = part(name).querySelector('canvas');
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((sum, value, place) => sum + (place % 4 === 3 && value > 128), 0); };
    const key = (name, key) => part(name).querySelector('canvas').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));";

async fn ask(page: &Browser, script: &str) -> Test<Value> {
    page.script(&format!("{WORDS} {script}")).await
}

async fn holds(page: &Browser, what: &str) -> Test {
    let script = format!("return Boolean({what})");
    page.wait_for(what, async || Ok(ask(page, &script).await? == json!(true))).await
}

/// Opens the pane of a network.
async fn open(page: &Browser) -> Test {
    page.open("?backend=cpu#network=cuba").await?;
    page.wait_enabled("#play").await?;
    page.click("#pane-experiments").await?;
    holds(page, "part('start') && !part('start').disabled && part('path-0').options.length > 5").await
}

/// Fills in a sweep of three by three values.
const THREE_BY_THREE: &str = "type('path-0', 'E.taum'); type('from-0', '15'); type('to-0', '25'); type('steps-0', '3');
    type('path-1', 'E.I'); type('from-1', '0'); type('to-1', '4'); type('steps-1', '3');
    type('duration', '60'); type('warm-up', '10');";

#[test]
fn a_sweep_of_two_parameters_shows_a_heat_map_and_opens_a_run() {
    flow(async |page| {
        page.emulate(1440, 1000, "light").await?;
        open(page).await?;
        ask(page, &format!("{THREE_BY_THREE} press('start')")).await?;
        holds(page, "text('report').startsWith('Complete')").await?;
        holds(page, "ink('heat') > 5000").await?;
        // By keyboard: the last value of the first parameter, the middle one of the second.
        ask(page, "for (const name of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowRight']) key('heat', name)").await?;
        holds(page, "text('value').startsWith('E.taum = 25 ms, E.I = 2 mV: Mean rate ')").await?;
        page.script("document.querySelector('spikelet-experiments').scrollIntoView()").await?;
        page.screenshot("experiments-heat.png").await?;
        // The open network was not changed.
        let tau = "return Number(document.querySelector('spikelet-experiments').simulation.info.network.populations[0].parameters.find(({path}) => path === 'E.taum').value)";
        assert_eq!(page.script(tau).await?.as_f64(), Some(20.0));
        ask(page, "key('heat', 'Enter')").await?;
        let values = "['E.taum', 'E.I'].map((path) => document.querySelector(`input[data-path='${path}']`)?.value).join()";
        holds(page, &format!("{values} === '25,2'")).await?;
        // The run of this point is shown, as long as those of the sweep.
        page.wait_number("#time", |time| (time - 60.0).abs() < 0.5).await?;
        page.wait_enabled("#play").await?;
        // Now there is a run: another point asks before it ends.
        ask(page, "key('heat', 'ArrowDown'); key('heat', 'Enter')").await?;
        page.wait_text("[data-testid='ask-run']", "E.taum = 20 ms").await?;
        page.click("[data-testid='ask-keep']").await?;
        assert_eq!((page.count("[data-testid='ask-run']").await?, page.number("#time").await?), (0, 60.0));
        ask(page, "key('heat', 'Enter')").await?;
        page.click("[data-testid='ask-open']").await?;
        holds(page, &format!("{values} === '20,2'")).await?;
        // Everything in the pane is about the network that is open now.
        ask(page, "press('tab-neuron')").await?;
        ask(page, "press('fi')").await?;
        holds(page, "text('curve-report').includes('largest rate') && text('curve-error') === ''").await
    });
}

/// The pane that was open is kept; what is in it follows the network, which is open only later.
#[test]
fn experiments_work_after_a_reload() {
    flow(async |page| {
        page.emulate(1440, 900, "light").await?;
        open(page).await?;
        page.reload().await?;
        holds(page, "part('start') && !part('start').disabled && part('path-0').options.length > 5").await?;
        // It scrolls by itself.
        assert_eq!(page.script("return document.documentElement.scrollHeight").await?, json!(900));
        page.choose_network("ping").await?;
        holds(page, "element.simulation?.info.network.name === 'ping'").await
    });
}

#[test]
fn a_sweep_of_one_parameter_stops_and_explains_wrong_values() {
    flow(async |page| {
        page.emulate(390, 844, "dark").await?;
        open(page).await?;
        ask(page, "type('from-0', 'some'); press('start')").await?;
        holds(page, "text('error').includes('“some”')").await?;
        ask(page, "type('from-0', '5'); type('to-0', '50'); type('steps-0', '400'); type('repeats', '60'); press('start')")
            .await?;
        holds(page, "text('error').includes('24000 runs')").await?;
        ask(page, "type('steps-0', '300'); type('repeats', '2'); type('duration', '40'); type('warm-up', '10'); press('start')")
            .await?;
        holds(page, "/^[1-9][0-9]* of 300/.test(text('report'))").await?;
        ask(page, "press('stop')").await?;
        holds(page, "text('report').startsWith('Stopped after')").await?;
        holds(page, "ink('curve') > 300 && part('csv')").await?;
        assert_eq!(page.script("return document.documentElement.scrollWidth").await?, json!(390));
        page.script("document.querySelector('spikelet-experiments').scrollIntoView()").await?;
        page.screenshot("experiments-phone.png").await
    });
}

#[test]
fn curves_of_a_neuron_are_drawn_by_a_click() {
    flow(async |page| {
        page.emulate(1440, 1000, "dark").await?;
        open(page).await?;
        ask(page, "press('tab-neuron')").await?;
        holds(page, "part('current')?.value === 'I'").await?;
        ask(page, "type('current-from', '-5'); type('current-to', '20'); press('fi')").await?;
        holds(page, "text('curve-report').includes('rheobase') || text('curve-report').includes('all of these currents')")
            .await?;
        // cuba rests at −49 mV above a threshold of −50 mV: a current of −1 mV takes it there.
        let rheobase =
            ask(page, "return Number(/rheobase ([−0-9.]+) mV/.exec(text('curve-report'))?.[1].replace('−', '-'))").await?;
        assert!((rheobase.as_f64().unwrap_or(f64::NAN) + 1.0).abs() < 0.1, "{rheobase}");
        holds(page, "ink('neuron-curve') > 500").await?;
        page.script("document.querySelector('spikelet-experiments').scrollIntoView()").await?;
        page.screenshot("experiments-fi.png").await?;
        ask(page, "press('transfer')").await?;
        holds(page, "text('neuron-curve').includes('Transfer curve')").await
    });
}

#[test]
fn a_kept_run_is_compared_with_another() {
    flow(async |page| {
        page.emulate(1440, 1000, "light").await?;
        open(page).await?;
        ask(page, "press('tab-compare'); press('keep')").await?;
        holds(page, "text('compare-error').includes('no run to keep')").await?;
        let run = "await element.simulation.run(60); return 0";
        ask(page, run).await?;
        ask(page, "press('keep')").await?;
        holds(page, "part('kept').children.length === 1 && text('compare-report').startsWith('Same spikes')").await?;
        ask(page, "await element.simulation.set('E.taum', '15 ms'); await element.simulation.reset(); return 0").await?;
        ask(page, run).await?;
        holds(
            page,
            "text('compare-report').startsWith('The first spike that differs') && text('values').includes('E.taum20 ms15 ms')",
        )
        .await?;
        holds(page, "text('measures').includes('E: Mean rate') && ink('rates') > 300").await?;
        page.script("document.querySelector('spikelet-experiments').scrollIntoView()").await?;
        page.screenshot("experiments-compare.png").await?;
        ask(page, "press('remove')").await?;
        holds(page, "!part('kept')").await
    });
}
