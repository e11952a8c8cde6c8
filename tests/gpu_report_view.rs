//! The report on the GPU in the page: it runs by clicking, its tables fill, its file has the lines of the format, and it can be stopped.

use serde_json::{Value, json};

use crate::accessible::findings;
use crate::browser::{Browser, Test};
use crate::flow;

/// Words of scripts: the element and what is in its shadow tree.
const WORDS: &str = "const shadow = document.querySelector('spikelet-gpu-report')?.shadowRoot;
    const part = (name) => [...(shadow?.querySelectorAll(`[part~=${name}]`) ?? [])].find((found) => found.checkVisibility());
    const said = () => part('report').textContent, rows = (name) => [...(part(name)?.querySelectorAll('tbody tr') ?? [])].map(({innerText}) => innerText);
    const saved = async () => { part('save').click(); return (await window.exported).trim().split('\\n').map(JSON.parse) };";

/// Keeps what the page would let the user save.
const SAVES: &str = "URL.createObjectURL = blob => { window.exported = blob.text(); return 'blob:saved' };
    HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download };";

async fn ask(page: &Browser, script: &str) -> Test<Value> {
    page.script(&format!("{WORDS} {script}")).await
}

async fn holds(page: &Browser, what: &str) -> Test {
    let script = format!("return Boolean({what})");
    page.wait_for(what, async || Ok(ask(page, &script).await? == json!(true))).await
}

fn of_kind<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    lines.iter().filter(|line| line["kind"] == kind).collect()
}

#[test]
fn a_report_runs_by_clicking_and_its_file_has_all_lines() {
    flow(async |page| {
        page.begin_with(SAVES).await?;
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        // Nothing of it is loaded before it is opened.
        let loaded = "return performance.getEntriesByType('resource').filter(({name}) => name.includes('gpu-report')).length";
        assert_eq!(page.script(loaded).await?, json!(0));
        page.click("#backend").await?;
        page.click("#to-gpu").await?;
        holds(page, "part('start')").await?;
        // With the sizes of a rehearsal.
        page.open("#gpu&rehearsal").await?;
        holds(page, "part('start')").await?;
        ask(page, "part('start').click()").await?;
        holds(page, "part('stop')").await?;
        holds(page, "said().startsWith('Done.')").await?;
        // SwiftShader rounds as a CPU, so that the spikes are the same.
        assert_eq!(ask(page, "return said().includes('the same spikes of 2 of 2 networks')").await?, json!(true));
        assert_eq!(ask(page, "return part('software').textContent.includes('software adapter')").await?, json!(true));
        let rows = ask(page, "return rows('figures')").await?;
        assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
        assert!(rows[1].as_str().is_some_and(|row| row.contains("lif/1e3, 2 trials") && row.contains('×')), "{rows}");

        let lines: Vec<Value> = serde_json::from_value(ask(page, "return saved()").await?)?;
        assert!(page.script("return window.savedAs").await?.as_str().is_some_and(|name| name.ends_with(".jsonl")));
        let [report] = of_kind(&lines, "report")[..] else { panic!("{lines:?}") };
        assert_eq!([&report["format"], &report["from"], &report["rehearsal"]], [&json!(1), &json!("tab"), &json!(true)]);
        let [adapter] = of_kind(&lines, "adapter")[..] else { panic!("{lines:?}") };
        assert_eq!([&adapter["backend"], &adapter["type"]], [&json!("webgpu"), &json!("software")]);
        assert!(adapter["limits"]["max_storage_buffer_binding_size"].as_u64() >= Some(128 << 20), "{adapter}");
        let operations = of_kind(&lines, "operation");
        assert!(operations.len() > 30, "{operations:?}");
        for needed in ["a+b", "a-b", "a*b", "exact(exact(a*b)+c)", "a/b", "exact(word)"] {
            let line = operations.iter().find(|line| line["operation"] == needed).ok_or(needed)?;
            assert_eq!(line["different"], json!(0), "{line}");
        }
        for network in of_kind(&lines, "network") {
            assert!(network["equal"] == json!(true) && network["cpu"] == network["gpu"], "{network}");
        }
        let figures = of_kind(&lines, "figure");
        assert_eq!(figures.len(), 4);
        for pair in figures.chunks(2) {
            assert_eq!([&pair[0]["device"], &pair[1]["device"]], [&json!("gpu"), &json!("cpu")]);
            assert!(pair[0]["hash"].is_string() && pair[0]["hash"] == pair[1]["hash"], "{pair:?}");
            assert!(
                pair.iter().all(|line| line["steps_per_s"].as_f64() > Some(0.0) && line["first_spike_ms"].as_f64() > Some(0.0))
            );
        }
        let ends: Vec<_> = of_kind(&lines, "step").iter().map(|line| (line["step"].clone(), line["end"].clone())).collect();
        assert_eq!(ends, ["adapter", "operations", "networks", "figures"].map(|step| (json!(step), json!("done"))));

        for (width, height) in [(1280, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                tokio::time::sleep(std::time::Duration::from_millis(300)).await;
                let name = format!("gpu-report-{width}-{scheme}.png");
                page.screenshot(&name).await?;
                let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{name}: the page is {overflow} pixels too wide");
                assert_eq!(findings(page).await?, Vec::<String>::new(), "{name}");
            }
        }
        Ok(())
    });
}

/// A software GPU is slow enough for it.
#[test]
fn a_report_can_be_stopped_and_begun_again() {
    flow(async |page| {
        page.begin_with(SAVES).await?;
        page.open("#gpu").await?;
        holds(page, "part('start')").await?;
        ask(page, "part('start').click()").await?;
        // The networks of the catalogue, the first of them with its result.
        holds(page, "rows('networks').some((row) => row.includes('the same spikes'))").await?;
        ask(page, "part('stop').click()").await?;
        holds(page, "said().startsWith('Stopped.')").await?;
        let lines: Vec<Value> = serde_json::from_value(ask(page, "return saved()").await?)?;
        let [.., last] = of_kind(&lines, "step")[..] else { panic!("{lines:?}") };
        assert_eq!(
            [&last["step"], &last["end"], &last["reason"]],
            [&json!("networks"), &json!("failed"), &json!("stopped by the user")]
        );
        ask(page, "part('start').click()").await?;
        holds(page, "part('stop') && !rows('networks').length && rows('operations')").await?;
        // Its end is that of the element.
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await
    });
}

#[test]
fn without_webgpu_the_report_says_how_to_get_it() {
    flow(async |page| {
        page.hide_webgpu().await?;
        page.open("#gpu").await?;
        holds(page, "part('start')").await?;
        ask(page, "part('start').click()").await?;
        holds(page, "said().includes('offers no GPU') && said().includes('chrome://flags')").await?;
        holds(page, "part('start') && part('save')").await
    });
}
