//! Flows through the board of plots: views of the past, the cursor, the arrangement, and saved files.

use serde_json::json;

use super::browser::{Browser, Test};
use super::flow;

/// Opens a menu and chooses an item by its text.
pub(crate) async fn choose_item(page: &Browser, button: &str, text: &str) -> Test {
    page.click(button).await?;
    let script = format!(
        "const item = [...document.querySelectorAll('.plot-menu:popover-open button')].find(e => e.firstElementChild.textContent === {text:?});
         if (!item || item.ariaDisabled === 'true') return item?.textContent ?? 'no such item'; item.click(); return ''"
    );
    page.wait_for(&format!("the item {text}"), async || Ok(page.script(&script).await? == "")).await
}

/// The kinds of plots from top to bottom.
async fn plots(page: &Browser) -> Test<String> {
    let script = "return [...document.querySelectorAll('.board .plot')].map(({classList}) => classList[1]).join(' ')";
    Ok(page.script(script).await?.as_str().unwrap_or("").to_owned())
}

async fn wait_plots(page: &Browser, expected: &str) -> Test {
    page.wait_for(&format!("the plots {expected}"), async || Ok(plots(page).await? == expected)).await
}

/// Opens `cuba` without a stored layout, and runs it for a while.
async fn after_a_run(page: &Browser, at_least_ms: f64) -> Test {
    page.open("?backend=cpu#network=cuba").await?;
    page.wait_enabled("#play").await?;
    page.click("#play").await?;
    page.wait_number("#time", |time| time > at_least_ms).await?;
    page.click("#play").await?;
    page.wait_steady("#spikes").await
}

/// The reviewed time span in ms; none while the latest data are shown.
async fn view(page: &Browser) -> Test<Option<(f64, f64)>> {
    let script = "const chip = document.querySelector('.readout [part=view]'); return chip && !chip.hidden ? chip.firstChild.textContent : ''";
    let text = page.script(script).await?.as_str().unwrap_or("").replace([' ', '\u{202f}'], "");
    let number = |text: &str| text.trim_end_matches("ms").parse().ok();
    Ok(text.split_once("to").and_then(|(from, to)| Some((number(from)?, number(to)?))))
}

async fn wait_view(page: &Browser, what: &str, holds: impl Fn(Option<(f64, f64)>) -> bool) -> Test {
    page.wait_for(what, async || Ok(holds(view(page).await?))).await
}

/// What can be pressed on the board and is too small for fingers.
async fn small_targets(page: &Browser) -> Test<serde_json::Value> {
    page.script(
        "return [...document.querySelectorAll('.board button, .board select')].filter(e => { const {width, height} = e.getBoundingClientRect();
            return e.checkVisibility() && width > 0 && (Math.round(width) < 24 || Math.round(height) < 24) }).map(e => e.outerHTML.slice(0, 160))",
    )
    .await
}

#[test]
fn the_past_is_reviewed_while_the_run_continues() {
    flow(async |page| {
        after_a_run(page, 700.0).await?;
        page.choose("#window", "250").await?;
        let end = page.number("#time").await?;
        assert_eq!(view(page).await?, None);
        // A drag to the right shows what was before.
        page.drag(".raster canvas", 0.4, 0.8).await?;
        wait_view(page, "an earlier time span", |view| {
            view.is_some_and(|(from, to)| (to - from - 250.0).abs() < 1.0 && to < end - 50.0)
        })
        .await?;
        let (from, to) = view(page).await?.unwrap_or_default();
        // The wheel scrolls, as everywhere, and with Control it zooms.
        let scrolls = "const canvas = document.querySelector('.rates canvas'), {left, top} = canvas.getBoundingClientRect();
            const event = new WheelEvent('wheel', {clientX: left + 90, clientY: top + 30, deltaY: -300, bubbles: true, cancelable: true});
            canvas.dispatchEvent(event); return event.defaultPrevented";
        assert_eq!(page.script(scrolls).await?, false);
        assert_eq!(view(page).await?, Some((from, to)));
        let wheel = "const canvas = document.querySelector('.rates canvas'), {left, top, width} = canvas.getBoundingClientRect();
            const event = new WheelEvent('wheel', {clientX: left + width / 2, clientY: top + 30, deltaY: -60, ctrlKey: true, bubbles: true, cancelable: true});
            canvas.dispatchEvent(event); return event.defaultPrevented";
        assert_eq!(page.script(wheel).await?, true);
        wait_view(page, "a shorter time span", |view| view.is_some_and(|(a, b)| a > from && b < to && b - a < 200.0)).await?;
        let closer = view(page).await?;

        // The run continues, and the picture stays.
        let label = "return document.querySelector('.raster canvas').ariaLabel";
        page.wait_for("a text of the view", async || {
            Ok(page.script(label).await?.as_str().is_some_and(|text| !text.contains(" 0 to")))
        })
        .await?;
        let ink = page.ink(".raster canvas").await?;
        page.click("#play").await?;
        page.wait_number("#time", |time| time > end + 300.0).await?;
        page.click("#play").await?;
        assert_eq!((view(page).await?, page.ink(".raster canvas").await?), (closer, ink));

        // The keys do the same.
        page.press(".raster canvas", "right").await?;
        wait_view(page, "a later time span", |view| view.zip(closer).is_some_and(|(now, before)| now.0 > before.0)).await?;
        page.press(".raster canvas", "=").await?;
        wait_view(page, "an even shorter one", |view| {
            view.zip(closer).is_some_and(|(now, before)| now.1 - now.0 < 0.8 * (before.1 - before.0))
        })
        .await?;
        page.press(".raster canvas", "enter").await?;
        page.press(".raster canvas", "shift+right").await?;
        page.press(".raster canvas", "enter").await?;
        page.wait_text(".readout [part=pins]", "1/Δt").await?;
        assert_eq!(
            page.script("return document.querySelectorAll('.plot:not(.weights) .cursor .pin:not([hidden])').length").await?,
            json!(6)
        );
        page.screenshot("plots-review.png").await?;
        page.press(".raster canvas", "escape").await?;
        page.wait_for("no pins", async || Ok(page.count(".readout [part=pins]:not([hidden])").await? == 0)).await?;
        // The strip has the only button for the latest data.
        let live = "return [...document.querySelectorAll('button')].filter(one => one.checkVisibility() && one.textContent === 'Live').map(({id}) => id)";
        assert_eq!(page.script(live).await?, json!(["live"]));
        page.click("#live").await?;
        wait_view(page, "the latest data", |view| view.is_none()).await
    });
}

#[test]
fn one_cursor_reads_all_plots_and_legends_hide() {
    flow(async |page| {
        after_a_run(page, 300.0).await?;
        let hover = "const canvas = document.querySelector('.rates canvas'), {left, top} = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: left + 120, clientY: top + 30}));
            return ['raster', 'rates', 'trace'].map(name => document.querySelector(`.${name} .under`).textContent)";
        let said = page.script(hover).await?;
        let texts: Vec<String> = serde_json::from_value(said.clone())?;
        assert!(texts[0].contains(" spikes in ") && texts[1].contains(" Hz") && texts[2].contains(" mV"), "{said}");
        assert!(texts.iter().all(|text| text.ends_with(" ms")), "{said}");
        assert_eq!(page.count(".cursor .hair:not([hidden])").await?, 3);

        let before = page.ink(".raster canvas").await?;
        assert_eq!(page.script("return getComputedStyle(document.querySelector('.raster .legend')).display").await?, "none");
        page.press_at(".rates .legend button", 0.5).await?;
        page.wait_for("fewer spikes", async || Ok(page.ink(".raster canvas").await? < before * 9 / 10)).await?;
        assert_eq!(page.script("return document.querySelector('.rates .legend button').ariaPressed").await?, "false");
        page.wait_for("a text", async || {
            Ok(page
                .script("return document.querySelector('.rates canvas').ariaLabel")
                .await?
                .as_str()
                .is_some_and(|text| text.contains("is hidden")))
        })
        .await?;
        page.press_at(".rates .legend button", 0.5).await?;
        page.wait_for("all spikes", async || Ok(page.ink(".raster canvas").await? > before * 9 / 10)).await
    });
}

#[test]
fn plots_are_added_arranged_and_kept() {
    flow(async |page| {
        page.emulate(1920, 1080, "light").await?;
        after_a_run(page, 200.0).await?;
        wait_plots(page, "raster rates trace").await?;
        // A variable that is not recorded yet is recorded from now on.
        choose_item(page, ".adding .add", "ge of E").await?;
        wait_plots(page, "raster rates trace trace").await?;
        page.click("#play").await?;
        page.wait_for("a value of it", async || {
            let label = "return [...document.querySelectorAll('.trace canvas')].at(-1).ariaLabel";
            Ok(page.script(label).await?.as_str().is_some_and(|text| text.contains(" between ")))
        })
        .await?;
        page.click("#play").await?;
        choose_item(page, ".plot:nth-of-type(4) .more", "Move up").await?;
        choose_item(page, ".plot.rates .more", "Move down").await?;
        wait_plots(page, "raster trace rates trace").await?;
        let height = "return document.querySelector('.rates canvas').getBoundingClientRect().height";
        let before = page.script(height).await?.as_f64().unwrap_or(0.0);
        page.script("document.querySelector('.rates .grip').focus()").await?;
        page.script(
            "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowDown', bubbles: true, cancelable: true}))",
        )
        .await?;
        page.wait_for("a higher plot", async || Ok(page.script(height).await?.as_f64().unwrap_or(0.0) == before + 16.0)).await?;
        page.choose(".raster select[aria-label^='order']", "2").await?;
        for plot in [".plot:nth-of-type(2)", ".plot.rates"] {
            choose_item(page, &format!("{plot} .more"), "Half width").await?;
        }
        page.wait_for("two columns", async || Ok(page.count(".plot.half").await? == 2)).await?;
        assert_eq!(small_targets(page).await?, json!([]));
        page.screenshot("plots-arranged.png").await?;

        // All of it is there after a reload.
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        wait_plots(page, "raster trace rates trace").await?;
        page.wait_for("its height", async || Ok(page.script(height).await?.as_f64().unwrap_or(0.0) == before + 16.0)).await?;
        assert_eq!(page.script("return document.querySelector(\".raster select[aria-label^='order']\").value").await?, "2");
        page.click(".plot.raster .remove").await?;
        wait_plots(page, "trace rates trace").await?;
        assert_ne!(page.script("return document.activeElement.className").await?, "", "the focus is lost");
        choose_item(page, ".adding .add", "Usual plots").await?;
        wait_plots(page, "raster rates trace").await?;
        // What is stored and invalid is ignored.
        page.script("localStorage.setItem('spikelet:plots:cuba', '{\"plots\": [{\"plot\": \"gone\"}]}')").await?;
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        wait_plots(page, "raster rates trace").await
    });
}

/// Every file is opened.
#[test]
fn plots_are_saved_in_every_format() {
    flow(async |page| {
        after_a_run(page, 300.0).await?;
        page.script(
            "URL.createObjectURL = blob => { window.exported = blob; return 'blob:saved' };
             HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }; return 0",
        )
        .await?;
        for plot in ["raster", "rates", "trace"] {
            for (item, format, check) in [
                (
                    "Save picture (PNG)",
                    "png",
                    "const bitmap = await createImageBitmap(blob), {width} = document.querySelector(css).getBoundingClientRect();
                     const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), pen = canvas.getContext('2d');
                     pen.drawImage(bitmap, 0, 0);
                     const {data} = pen.getImageData(0, 0, bitmap.width, bitmap.height);
                     const [red, green, blue, alpha] = data, head = new Uint8Array(await blob.slice(1, 4).arrayBuffer());
                     let ink = 0; for (let at = 0; at < data.length; at += 4) ink += data[at] !== 255;
                     return bitmap.width >= 2*width && [red, green, blue, alpha].every(byte => byte === 255) && ink > 2000
                        && String.fromCharCode(...head) === 'PNG'",
                ),
                (
                    "Save drawing (SVG)",
                    "svg",
                    "const svg = new DOMParser().parseFromString(await blob.text(), 'image/svg+xml');
                     const longest = Math.max(...[...svg.querySelectorAll('path')].map(path => path.getAttribute('d').length));
                     return !svg.querySelector('parsererror') && svg.querySelectorAll('image').length === 0 && longest > 300
                        && svg.querySelector('desc').textContent.endsWith('.') && svg.querySelectorAll('text').length > 5",
                ),
                ("Save table (CSV)", "csv", "return (await blob.text()).split('\\n').length > 20"),
                (
                    "Save arrays (NPZ)",
                    "npz",
                    "const bytes = new Uint8Array(await blob.arrayBuffer()), text = new TextDecoder('latin1').decode(bytes);
                     return text.startsWith('PK\\x03\\x04') && text.includes('NUMPY') && text.includes('network.npy') && bytes.length > 1500",
                ),
            ] {
                page.script("window.exported = undefined; window.savedAs = ''").await?;
                choose_item(page, &format!(".{plot} .more"), item).await?;
                let name = format!("cuba-{plot}.{format}");
                page.wait_for(&name, async || Ok(page.script("return window.savedAs").await? == name.as_str())).await?;
                let right = page.script(&format!("const blob = window.exported, css = '.{plot} canvas'; {check}")).await?;
                if right != true {
                    let size = page.script("return window.exported.text().then(text => text.slice(0, 1500))").await?;
                    return Err(format!("{name} is not what it should be: {size}").into());
                }
            }
        }
        Ok(())
    });
}

/// Pictures to look at.
#[test]
fn the_board_fits_a_desk_and_a_phone() {
    flow(async |page| {
        for (width, height) in [(1440, 900), (1920, 1080), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                after_a_run(page, 400.0).await?;
                page.press(".raster canvas", "=").await?;
                page.press(".raster canvas", "enter").await?;
                page.press(".raster canvas", "shift+right").await?;
                page.press(".raster canvas", "enter").await?;
                page.screenshot(&format!("plots-{width}-{scheme}.png")).await?;
                page.click(".rates .more").await?;
                page.screenshot(&format!("plots-menu-{width}-{scheme}.png")).await?;
                page.press_focused("escape").await?;
                page.wait_for("a closed menu", async || Ok(page.count(".plot-menu:popover-open").await? == 0)).await?;
                page.click(".adding .add").await?;
                page.screenshot(&format!("plots-add-{width}-{scheme}.png")).await?;
                page.press_focused("escape").await?;
                let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}×{height}: the page is {overflow} pixels too wide");
                assert_eq!(small_targets(page).await?, json!([]), "{width}×{height}");
            }
        }
        Ok(())
    });
}
