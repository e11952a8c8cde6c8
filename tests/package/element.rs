//! The custom element: what it draws and says, when it starts, rests and ends.

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::host::Headers;
use crate::{HOSTS, example};

/// Words of scripts: the first element of the page, and what is in its shadow tree.
const WORDS: &str = "const element = document.querySelector('spikelet-network');
    const shadow = element.shadowRoot, part = (name) => shadow.querySelector(`[part~=${name}]`);
    const slider = (path) => shadow.querySelector(`input[data-path='${path}']`);";

/// What a script gives that may use [`WORDS`].
async fn ask(page: &Browser, script: &str) -> Test<Value> {
    page.script(&format!("{WORDS} {script}")).await
}

async fn holds(page: &Browser, what: &str) -> Test {
    let script = format!("return Boolean({what})");
    page.wait_for(what, async || Ok(ask(page, &script).await? == json!(true))).await
}

/// Biological time, in ms.
async fn time(page: &Browser) -> Test<f64> {
    Ok(ask(page, "return element.simulation?.timeMs ?? 0").await?.as_f64().unwrap_or(0.0))
}

/// Has an element alone on the page, with these attributes.
async fn alone(page: &Browser, attributes: Value, content: &str) -> Test {
    // The page's own script finds its elements first.
    holds(page, "document.readyState === 'complete'").await?;
    let script = format!(
        "const element = document.createElement('spikelet-network'); window.errors = [];
         element.addEventListener('error', ({{detail}}) => window.errors.push([detail.code, detail.message]));
         for (const [name, value] of Object.entries({attributes})) element.setAttribute(name, value);
         element.innerHTML = {content:?}; document.body.replaceChildren(element); return true"
    );
    page.script(&script).await.map(drop)
}

#[test]
fn an_element_runs_and_draws_on_every_host() {
    for headers in HOSTS {
        example("element", headers, async |page| {
            page.emulate(1280, 900, "light").await?;
            page.open("").await?;
            holds(page, "element.state === 'running' && element.simulation.timeMs > 300").await?;
            let isolated = page.script("return crossOriginIsolated").await?;
            assert_eq!(isolated, json!(headers == Headers::Isolating));
            // Each canvas says what it shows; the raster has dots.
            holds(page, "[...shadow.querySelectorAll('canvas')].every((canvas) => canvas.ariaLabel)").await?;
            let said = ask(page, "return shadow.querySelector('.raster canvas').ariaLabel").await?;
            assert!(said.as_str().unwrap_or("").contains("Mean rates: E "), "{said}");
            let dots = "const canvas = shadow.querySelector('.raster canvas');
                const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                return data.filter((byte, at) => at % 4 === 3 && byte > 0).length";
            assert!(ask(page, dots).await?.as_u64().unwrap_or(0) > 2000);
            // A host without headers costs threads, which is said, and stops nothing.
            let notices = "return [...shadow.querySelectorAll('[part=notices] li')].map((item) => item.dataset.code)";
            let one_thread = ask(page, notices).await?.as_array().is_some_and(|codes| codes.contains(&json!("one_thread")));
            assert_eq!(one_thread, headers == Headers::Plain);
            assert_eq!(ask(page, "return shadow.querySelector('[role=alert]').hidden").await?, json!(true));
            page.screenshot(&format!("element-{headers:?}.png")).await
        });
    }
}

#[test]
fn it_runs_on_webgpu_where_asked_and_without_says_why_not() {
    example("element", Headers::Plain, async |page| {
        page.open("").await?;
        alone(page, json!({"src": "cuba", "backend": "gpu", "autoplay": ""}), "").await?;
        holds(page, "element.simulation?.timeMs > 20 && part('backend').textContent === 'GPU'").await?;
        page.hide_webgpu().await?;
        page.open("").await?;
        alone(page, json!({"src": "cuba", "autoplay": ""}), "").await?;
        holds(page, "element.simulation?.timeMs > 20 && part('backend').textContent.startsWith('CPU')").await?;
        holds(page, "shadow.querySelector('li[data-code=no_gpu]')").await?;
        alone(page, json!({"src": "cuba", "backend": "gpu"}), "").await?;
        holds(page, "element.state === 'failed' && part('error').textContent.includes('GPU')").await
    });
}

#[test]
fn nothing_is_loaded_before_it_is_seen_and_it_rests_out_of_view() {
    example("element", Headers::Isolating, async |page| {
        page.emulate(1000, 500, "light").await?;
        page.open("").await?;
        let second = "document.querySelector('#themed')";
        holds(page, "element.state === 'running'").await?;
        assert_eq!(page.script(&format!("return {second}.state")).await?, json!("idle"));
        #[cfg(target_os = "linux")]
        assert_eq!(page.workers(), 1);
        page.script(&format!("{second}.scrollIntoView()")).await?;
        holds(page, &format!("{second}.state === 'paused' && element.state === 'paused'")).await?;
        #[cfg(target_os = "linux")]
        assert_eq!(page.workers(), 2);
        let rested = time(page).await?;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        assert_eq!(time(page).await?, rested);
        page.script("scrollTo(0, 0)").await?;
        holds(page, &format!("element.simulation.timeMs > {rested}")).await?;
        page.script("document.querySelectorAll('spikelet-network').forEach((element) => element.remove())").await?;
        #[cfg(target_os = "linux")]
        page.wait_for("the Workers to end", async || Ok(page.workers() == 0)).await?;
        Ok(())
    });
}

#[test]
fn options_that_are_set_before_its_script_is_loaded_are_taken() {
    example("element", Headers::Isolating, async |page| {
        let set = "document.addEventListener('readystatechange', () => {
            const element = document.querySelector('spikelet-network');
            // The empty page before this one has none.
            if (!element) return;
            window.early = [customElements.get('spikelet-network') === undefined];
            const worker = () => (early.push('started'), new Worker('node_modules/spikelet/js/worker.js', {type: 'module'}));
            element.options = {worker};
        }, {once: true})";
        page.begin_with(set).await?;
        page.open("").await?;
        holds(page, "element.state === 'running' && element.simulation.timeMs > 0").await?;
        assert_eq!(page.script("return window.early").await?, json!([true, "started"]));
        assert_eq!(ask(page, "return Object.hasOwn(element, 'options')").await?, json!(false));
        Ok(())
    });
}

#[test]
fn sliders_change_activity_by_hand_and_by_key() {
    example("element", Headers::Plain, async |page| {
        page.open("").await?;
        alone(page, json!({"src": "cuba", "plots": "raster", "parameters": "E.El", "autoplay": ""}), "").await?;
        holds(page, "element.simulation?.timeMs > 200").await?;
        ask(page, "window.spikes = 0; element.simulation.on('spikes', ({neurons}) => (window.spikes += neurons.length))").await?;
        // Silence: the resting potential is far below threshold.
        ask(page, "slider('E.El').value = -60; slider('E.El').dispatchEvent(new Event('input'))").await?;
        holds(page, "part('value').textContent === '−60 mV' && slider('E.El').ariaValueText === '−60 mV'").await?;
        let parameter = "element.simulation.info.network.populations[0].parameters.find(({path}) => path === 'E.El').value";
        holds(page, &format!("{parameter} === -60")).await?;
        let rate = async || -> Test<f64> {
            let from = (time(page).await?, page.script("return window.spikes").await?.as_f64().unwrap_or(0.0));
            holds(page, &format!("element.simulation.timeMs > {} + 300", from.0)).await?;
            let to = (time(page).await?, page.script("return window.spikes").await?.as_f64().unwrap_or(0.0));
            Ok((to.1 - from.1) / (to.0 - from.0))
        };
        rate().await?;
        let silent = rate().await?;
        ask(page, "slider('E.El').focus(); return true").await?;
        for _ in 0..70 {
            page.press_focused("right").await?;
        }
        holds(page, &format!("{parameter} > -50")).await?;
        rate().await?;
        let active = rate().await?;
        assert!(active > 3.0 * silent, "{silent} spikes a ms, then {active}");
        // All of it can be taken back.
        ask(page, "part('restore').click()").await?;
        holds(page, &format!("{parameter} === -49 && part('restore').hidden")).await
    });
}

#[test]
fn it_ends_after_its_duration_and_begins_anew() {
    example("element", Headers::Plain, async |page| {
        page.open("").await?;
        alone(page, json!({"src": "cuba", "duration": "250", "speed": "max", "autoplay": ""}), "").await?;
        holds(page, "element.state === 'ended'").await?;
        assert_eq!(time(page).await?, 250.0);
        assert_eq!(ask(page, "return part('time').textContent").await?, json!("250 ms"));
        ask(page, "window.states = []; element.addEventListener('statechange', ({detail}) => window.states.push(detail.state))")
            .await?;
        ask(page, "part('play').click()").await?;
        holds(page, "window.states.at(-1) === 'ended'").await?;
        assert_eq!(page.script("return window.states").await?, json!(["running", "ended"]));
        assert_eq!(time(page).await?, 250.0);
        ask(page, "element.setAttribute('duration', '400'); element.play()").await?;
        holds(page, "element.state === 'ended' && element.simulation.timeMs === 400").await?;
        ask(page, "part('reset').click()").await?;
        holds(page, "element.state === 'paused' && element.simulation.timeMs === 0").await
    });
}

#[test]
fn what_is_wrong_is_a_sentence_with_the_way_out() {
    example("element", Headers::Plain, async |page| {
        page.open("").await?;
        for (attributes, code, said) in [
            (json!({"src": "cubba"}), "unknown_name", "did you mean `cuba`?"),
            (json!({"src": "no/such.json"}), "fetch", "the server responded with 404"),
            (json!({}), "argument", "src is undefined; expected the name of a built-in network"),
            (json!({"src": "cuba", "plots": "rastr"}), "argument", "there are raster, sheet, rates, trace, weights, "),
            (json!({"src": "cuba", "plots": "trace(lines=2)"}), "argument", "“trace” has no setting “lines”; it has lanes"),
            (json!({"src": "cuba", "plots": "weights"}), "argument", "“weights” has nothing to show"),
            (json!({"src": "cuba", "parameters": "E.tau"}), "argument", "there are E.taum, "),
            (json!({"src": "cuba", "speed": "fast"}), "argument", "speed is \"fast\"; expected a number"),
            (json!({"src": "cuba", "duration": "-5"}), "argument", "duration is -5; expected a number above 0 of ms"),
            (json!({"src": "cuba", "threads": "0"}), "argument", "threads is 0"),
            (json!({"src": "cuba", "seed": "x"}), "argument", "seed is \"x\""),
            (json!({"src": "cuba", "backend": "cuda"}), "argument", "backend is \"cuda\""),
        ] {
            alone(page, attributes, "").await?;
            holds(page, "element.state === 'failed'").await?;
            let errors = page.script("return window.errors").await?;
            assert_eq!(errors[0][0], json!(code), "{errors}");
            assert!(errors[0][1].as_str().is_some_and(|message| message.contains(said)), "{errors}");
            assert_eq!(ask(page, "return part('error').textContent").await?, errors[0][1]);
            assert_eq!(errors.as_array().map(Vec::len), Some(1));
        }
        page.screenshot("element-error.png").await?;
        // Both ways out: another value, and the button.
        ask(page, "element.setAttribute('backend', 'cpu')").await?;
        holds(page, "element.state === 'paused'").await?;
        alone(page, json!({}), "").await?;
        holds(page, "element.state === 'failed'").await?;
        let network = r#"{"name":"own","dt_ms":0.1,"duration_ms":100,"populations":[{"name":"n","size":5,"model":"lif_exp"}]}"#;
        ask(page, &format!("element.innerHTML = `<script type='application/json'>{network}</script>`; part('retry').click()"))
            .await?;
        holds(page, "element.state === 'paused' && element.simulation.info.neurons === 5").await?;
        // What the browser itself says of a file that is not there is none of ours.
        let console = page.console_errors().await?;
        assert!(console.iter().all(|line| line.contains("no/such.json")), "{console:?}");
        Ok(())
    });
}

#[test]
fn a_run_that_breaks_off_says_so_once_and_can_be_built_anew() {
    example("element", Headers::Plain, async |page| {
        page.open("").await?;
        // What an event adds grows a hundredfold with each spike.
        let growing = r#"<script type="application/json">{"name":"growing","dt_ms":0.1,"duration_ms":100,
            "populations":[{"name":"a","size":3,"equations":"x : 1","update":"x += 1","threshold":"x % 4 < 0.5"},
                           {"name":"b","size":7,"equations":"v : 1"}],
            "projections":[{"name":"ab","pre":"a","post":"b","connect":{"rule":"all"},"equations":"w : 1","on_pre":"w = 100*w + 1\nv_post += w"}]
        }</script>"#;
        alone(page, json!({"autoplay": "", "speed": "max"}), growing).await?;
        for times in 1..=2 {
            holds(page, "element.state === 'failed'").await?;
            let errors = page.script("return window.errors").await?;
            assert_eq!(errors.as_array().map(Vec::len), Some(times), "{errors}");
            assert_eq!(errors[times - 1][0], json!("event_too_large"));
            assert_eq!(ask(page, "return part('error').textContent").await?, errors[times - 1][1]);
            ask(
                page,
                "window.built = new Promise((resolve) => element.addEventListener('ready', resolve)); part('retry').click()",
            )
            .await?;
            page.script("return window.built.then(() => true)").await?;
            ask(page, "element.play()").await?;
        }
        Ok(())
    });
}

#[test]
fn what_a_network_does_not_record_is_recorded_for_its_plot() {
    example("element", Headers::Plain, async |page| {
        page.open("").await?;
        alone(page, json!({"src": "cuba", "plots": "ge I.v[1:3]", "autoplay": ""}), "").await?;
        holds(page, "element.simulation?.timeMs > 100 && shadow.querySelectorAll('.trace canvas').length === 2").await?;
        // What the network itself records stays, in its unit.
        let labels = "return element.simulation.info.channels.map(({label, unit}) => `${label} ${unit}`)";
        let labels = ask(page, labels).await?;
        assert_eq!(
            labels,
            json!(["E.v[0] mV", "E.v[1] mV", "I.v[0] mV", "E.ge[0] mV", "E.ge[1] mV", "I.ge[0] mV", "I.v[1] mV", "I.v[2] mV"])
        );
        holds(
            page,
            "[...shadow.querySelectorAll('.trace canvas')].every(({ariaLabel}) => / between −?[\\d.]+ and /.test(ariaLabel))",
        )
        .await?;
        ask(page, "element.setAttribute('plots', 'rates E.gi')").await?;
        holds(page, "shadow.querySelectorAll('canvas').length === 2 && shadow.querySelector('.trace canvas').ariaLabel?.startsWith('gi from')").await
    });
}

/// Every plot of the table, with what it does besides being drawn.
#[test]
fn every_plot_is_drawn_hovered_and_saved() {
    example("element", Headers::Plain, async |page| {
        page.open("").await?;
        alone(page, json!({"src": "stdp_song", "plots": "raster rates(reach=50) trace(lanes=2) weights", "autoplay": ""}), "")
            .await?;
        holds(page, "element.simulation?.timeMs > 400 && /± \\d/.test(shadow.querySelector('.weights .remark').textContent)")
            .await?;
        ask(page, "element.pause(); element.simulation.set('cell.tau', '12 ms')").await?;
        assert_eq!(
            ask(page, "return [...shadow.querySelectorAll('figure')].map(({classList}) => classList[1])").await?,
            json!(["raster", "rates", "trace", "weights"])
        );
        let inked = "[...shadow.querySelectorAll('canvas')].every((canvas) => canvas.getContext('2d')
            .getImageData(0, 0, canvas.width, canvas.height).data.filter((byte, at) => at % 4 === 3 && byte > 0).length > 500)";
        holds(page, inked).await?;
        let hover = "const canvas = shadow.querySelector(`.${kind} canvas`), {left, top} = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: left + 120, clientY: top + 60}));
            return shadow.querySelector(`.${kind} .under`).textContent";
        for (kind, said) in [("raster", "input["), ("rates", "Hz at "), ("trace", " at "), ("weights", "± ")] {
            let emitted = ask(page, &format!("const kind = '{kind}'; {hover}")).await?;
            assert!(
                emitted.as_str().is_some_and(|emitted| emitted.contains(said) && emitted.ends_with(" ms")),
                "{kind}: {emitted}"
            );
        }
        page.script(
            "URL.createObjectURL = (blob) => { window.saved = blob.text(); return 'blob:saved'; };
             HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }",
        )
        .await?;
        for (kind, name, start) in [
            ("raster", "stdp-song-raster.csv", "time_ms,population,neuron\n"),
            ("rates", "stdp-song-rates.csv", "time_ms,population,rate_hz\n"),
            ("trace", "stdp-song-trace.csv", "time_ms,variable,unit,least,largest\n"),
            ("weights", "stdp-song-weights.csv", "time_ms,statistic,unit,mean,sd\n"),
        ] {
            let save = "shadow.querySelector(`.${kind} .more`).click();
                [...shadow.querySelectorAll('.plot-menu:popover-open button')].find((item) => item.textContent.includes('CSV')).click()";
            ask(page, &format!("const kind = '{kind}'; {save}")).await?;
            holds(page, &format!("window.savedAs === '{name}'")).await?;
            let text = page.script("return window.saved").await?;
            let text = text.as_str().unwrap_or("");
            assert!(text.starts_with(start) && text.lines().count() > 5, "{kind}: {}", &text[..text.len().min(200)]);
        }
        page.screenshot("element-every-plot.png").await
    });
}

#[test]
fn every_control_has_a_name_and_every_picture_a_text() {
    example("element", Headers::Plain, async |page| {
        for (width, scheme) in [(1280, "light"), (320, "dark")] {
            page.emulate(width, 800, scheme).await?;
            page.open("").await?;
            holds(page, "element.state === 'running' && shadow.querySelector('canvas')?.ariaLabel").await?;
            let unnamed = "return [...shadow.querySelectorAll('button, input, select, canvas, progress, [role=group]')]
                .filter((one) => !(one.ariaLabel || one.textContent.trim())).map((one) => one.outerHTML)";
            assert_eq!(ask(page, unnamed).await?, json!([]));
            assert_eq!(
                ask(page, "return [...shadow.querySelectorAll('canvas')].map((one) => one.role)").await?,
                json!(["img", "img", "img"])
            );
            assert_eq!(ask(page, "return shadow.querySelector('[role=group]').ariaLabel").await?, json!("Simulation of cuba"));
            let overflow = "return document.documentElement.scrollWidth - innerWidth";
            assert!(ask(page, overflow).await?.as_f64().unwrap_or(1.0) <= 0.0, "the page is too wide at {width} pixels");
            assert_eq!(ask(page, FAINT).await?, json!([]), "{scheme}");
            page.screenshot(&format!("element-{width}-{scheme}.png")).await?;
        }
        Ok(())
    });
}

/// Texts whose contrast with the element's background is below 4.5.
const FAINT: &str = "
    const pen = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
    const light = (css) => {
        pen.clearRect(0, 0, 1, 1); pen.fillStyle = css; pen.fillRect(0, 0, 1, 1);
        const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((byte) => byte / 255)
            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const behind = (one) => {
        for (let at = one; at; at = at.parentElement) {
            const colour = getComputedStyle(at).backgroundColor;
            if (colour !== 'rgba(0, 0, 0, 0)') return light(colour);
        }
        return light(getComputedStyle(element).backgroundColor);
    };
    const texts = [...shadow.querySelectorAll('*')].filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
    return texts.map((one) => [one.textContent, contrast(light(getComputedStyle(one).color), behind(one))]).filter(([, ratio]) => ratio < 4.5)";

/// Who asks for less motion sees a picture a second, of a network that runs all the same.
#[test]
fn less_motion_means_fewer_pictures() {
    example("element", Headers::Plain, async |page| {
        page.prefer("prefers-reduced-motion", "reduce").await?;
        page.open("").await?;
        alone(page, json!({"src": "cuba", "plots": "raster", "autoplay": ""}), "").await?;
        holds(page, "element.state === 'running'").await?;
        let pictures = "return (async () => {
            const canvas = shadow.querySelector('canvas'), pen = canvas.getContext('2d'), put = pen.putImageData;
            let [pictures, from] = [0, element.simulation.timeMs];
            pen.putImageData = (...given) => { pictures += 1; put.apply(pen, given); };
            await new Promise((resolve) => setTimeout(resolve, 3000));
            return [pictures, element.simulation.timeMs - from];
        })()";
        let [pictures, passed]: [f64; 2] = serde_json::from_value(ask(page, pictures).await?)?;
        assert!((1.0..=4.0).contains(&pictures) && passed > 100.0, "{pictures} pictures, {passed} ms");
        Ok(())
    });
}

#[test]
fn how_long_the_page_is_held_up() {
    example("element", Headers::Plain, async |page| {
        page.open("").await?;
        page.script("window.tasks = []; new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({duration}) => duration)))
            .observe({type: 'longtask', buffered: true})").await?;
        alone(page, json!({"src": "cuba", "plots": "raster rates v", "speed": "max", "autoplay": ""}), "").await?;
        holds(page, "element.simulation?.timeMs > 5000").await?;
        let longest = page.script("return [window.tasks.length, Math.max(0, ...window.tasks)]").await?;
        println!("cuba at full speed, 5 s: [tasks above 50 ms, longest in ms] {longest}");
        Ok(())
    });
}
