//! The plots of statistics in the element: each shows ink and numbers of a network, values under the pointer, and a table to save.

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::flow;

const KINDS: [&str; 5] = ["isi", "cv", "correlation", "spectrum", "counts"];

/// Words of scripts: the element and its plots.
const WORDS: &str = "const element = document.querySelector('spikelet-network'), shadow = element?.shadowRoot;
    const plot = (kind) => shadow.querySelector(`.plot.${kind}`);
    const remark = (kind) => plot(kind)?.querySelector('.remark').textContent ?? '';
    const ink = (kind) => { const canvas = plot(kind).querySelector('canvas');
        const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return data.reduce((sum, value, place) => sum + (place % 4 === 3 && value > 128), 0); };
    const cell = (row, column) => Number(plot('counts').querySelector('tbody').rows[row]?.cells[column]?.textContent.replace('−', '-').replace(/[^0-9.e-]/g, ''));
    const save = (kind, item) => { plot(kind).querySelector('.more').click();
        [...plot(kind).querySelectorAll('.plot-menu button')].find(({firstElementChild}) => firstElementChild.textContent === item).click(); };
    const under = (kind) => { const canvas = plot(kind).querySelector('canvas'), {left, top, width} = canvas.getBoundingClientRect();
        canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: left + width / 2, clientY: top + 40}));
        return plot(kind).querySelector('.under').textContent; };";

async fn ask(page: &Browser, script: &str) -> Test<Value> {
    page.script(&format!("{WORDS} {script}")).await
}

async fn holds(page: &Browser, what: &str) -> Test {
    let script = format!("return Boolean({what})");
    page.wait_for(what, async || Ok(ask(page, &script).await? == json!(true))).await
}

/// Saves a plot by an item of its menu, to `window.exported`.
async fn saved(page: &Browser, kind: &str, item: &str, format: &str) -> Test {
    page.script("window.savedAs = ''; return 0").await?;
    ask(page, &format!("save('{kind}', '{item}'); return 0")).await?;
    holds(page, &format!("window.savedAs === 'cuba-{kind}.{format}'")).await
}

#[test]
fn statistics_of_cuba_are_shown_in_the_element() {
    flow(async |page| {
        page.emulate(900, 1050, "light").await?;
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        // The page shows the standard plots only.
        assert_eq!(page.count(".plot.isi, .plot.counts").await?, 0);
        let element = "await import(new URL('engine/js/element.js', location).href);
            document.body.innerHTML = '<spikelet-network src=\"cuba\" backend=\"cpu\" plots=\"isi cv correlation spectrum counts\" duration=\"1000\" speed=\"max\" autoplay></spikelet-network>';
            document.body.style.cssText = 'overflow: auto; display: block'; return 0";
        page.script(element).await?;
        holds(page, "element.state === 'ended' && cell(0, 2) > 1000").await?;
        // The result is that of the whole second.
        holds(page, "remark('counts').includes('0 to 1000 ms')").await?;
        let numbers =
            ask(page, "return [0, 1].map(row => [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(column => cell(row, column)))").await?;
        for (row, size) in [(0, 3200.0), (1, 800.0)] {
            let [neurons, spikes, rate, cv, cv2, lv, fano, synchrony, correlation, peak] =
                [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|column| numbers[row][column].as_f64().unwrap());
            assert_eq!(neurons, size);
            assert!((rate - spikes / size).abs() < 0.01 * rate, "{rate} Hz of {spikes} spikes");
            assert!((2.0..40.0).contains(&rate) && (0.3..2.0).contains(&cv) && (0.2..3.0).contains(&fano), "{numbers}");
            assert!((0.01..0.9).contains(&synchrony) && (5.0..500.0).contains(&peak), "{numbers}");
            assert!((0.2..2.0).contains(&cv2) && (0.1..3.0).contains(&lv) && (-0.2..0.5).contains(&correlation), "{numbers}");
        }
        holds(page, "['isi', 'cv', 'correlation', 'spectrum'].every(kind => ink(kind) > 500)").await?;
        for (kind, says) in [("isi", "mean E "), ("cv", "left out: "), ("correlation", "largest "), ("spectrum", "peak E ")] {
            holds(page, &format!("remark('{kind}').includes('{says}')")).await?;
        }
        for (kind, says) in [("isi", " ms: E "), ("cv", "CV "), ("correlation", " at lag "), ("spectrum", "Hz²/Hz")] {
            let value = ask(page, &format!("return under('{kind}')")).await?;
            assert!(value.as_str().is_some_and(|value| value.contains(says)), "{kind}: {value}");
        }
        holds(page, "plot('isi').querySelector('canvas').ariaLabel.includes('mean')").await?;
        // Another pair of populations and a linear scale.
        ask(page, "const select = plot('correlation').querySelector('select'); select.value = '1'; select.dispatchEvent(new Event('change')); return 0").await?;
        holds(page, "plot('correlation').querySelector('select').selectedOptions[0].textContent === 'E and I'").await?;
        holds(page, "remark('correlation').startsWith('largest ') && !remark('correlation').includes('not shown')").await?;
        // Tables to save.
        let save = "URL.createObjectURL = blob => { window.exported = blob; return 'blob:saved' };
            HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }; return 0";
        page.script(save).await?;
        for kind in KINDS {
            saved(page, kind, "Save table (CSV)", "csv").await?;
            let table = page.script("return window.exported.text()").await?;
            let lines: Vec<&str> = table.as_str().unwrap_or_default().lines().collect();
            let columns = lines[0].split(',').count();
            assert!(lines.len() > 2 && lines.iter().all(|line| line.split(',').count() == columns), "{kind}: {lines:?}");
        }
        // The table of populations is a picture, too.
        saved(page, "counts", "Save picture (PNG)", "png").await?;
        let size = page.script("return createImageBitmap(window.exported).then(({width, height}) => [width, height])").await?;
        assert!(size[0].as_f64() > Some(800.0) && size[1].as_f64() > Some(150.0), "{size}");
        saved(page, "counts", "Save drawing (SVG)", "svg").await?;
        let texts = "const svg = new DOMParser().parseFromString(await window.exported.text(), 'image/svg+xml');
            return [...svg.querySelectorAll('text')].map(({textContent}) => textContent)";
        let texts: Vec<String> = serde_json::from_value(page.script(texts).await?)?;
        for text in ["Populations", "Mean rate in Hz", "E", "I"] {
            assert!(texts.iter().any(|one| one == text), "{text}: {texts:?}");
        }
        // A legend hides a population in all of them, and shows it again.
        let press = "plot('isi').querySelector('.legend button').click(); return 0";
        ask(page, press).await?;
        holds(page, "!remark('isi').includes('E ') && !remark('spectrum').includes('E ') && remark('cv').includes('mean I ')")
            .await?;
        holds(page, "plot('counts').querySelector('tbody').textContent.startsWith('I800')").await?;
        holds(page, "plot('spectrum').querySelector('.legend button').ariaPressed === 'false'").await?;
        page.screenshot("statistics-hidden.png").await?;
        ask(page, press).await?;
        holds(page, "remark('isi').includes('mean E ') && plot('counts').querySelector('tbody').rows.length === 2").await?;
        page.screenshot("statistics.png").await?;
        ask(page, "plot('counts').querySelector('summary').click(); plot('counts').scrollIntoView(); return 0").await?;
        // On a phone the table scrolls, not the page.
        page.emulate(390, 844, "dark").await?;
        holds(
            page,
            "innerWidth === 390 && document.documentElement.scrollWidth <= 390 && plot('counts').querySelector('.scroll').scrollWidth > 390",
        )
        .await?;
        page.screenshot("statistics_phone.png").await?;
        // Nor does any other plot make it wider.
        ask(page, "element.setAttribute('plots', 'raster rates v phase sheet matrix delays'); return 0").await?;
        holds(page, "plot('phase')?.querySelector('.points tbody')?.rows.length > 0").await?;
        holds(page, "document.documentElement.scrollWidth <= 390").await
    });
}
