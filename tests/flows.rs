//! Flows through the served page, in a real Chromium, as a user clicks them.
//!
//! `cargo xtask test page` builds and serves the page and sets `SPIKELET_PAGE_URL`, `SPIKELET_PAGE_FOLDER` and `CHROMEDRIVER`; without
//! them each flow says `skipped: no page`. Screenshots land in `target/screens`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accessible;
mod assemblies_view;
mod browser;
mod canvas_view;
mod class_view;
mod connectome_view;
mod continue_view;
mod driver;
mod embed;
mod engines;
mod equations;
mod experiments_view;
mod first_seconds;
mod foreign_view;
mod forms;
mod gpu_report_view;
mod host;
mod hostile;
mod isolation;
mod keep_view;
mod lessons_view;
mod offline;
mod phase_view;
mod plots_view;
mod program;
mod senses_view;
mod sheet_view;
mod smoothness;
mod statistics_view;
mod timeline_view;
mod training_view;
mod weights;

use browser::{Browser, Test};
use std::time::Duration;

/// Runs a flow in a browser of its own; afterwards the console must hold no error.
fn flow(test: impl AsyncFnOnce(&Browser) -> Test) {
    flow_at(std::env::var("SPIKELET_PAGE_URL").ok(), test);
}

/// The same, with the page at another address.
fn flow_at(page: Option<String>, test: impl AsyncFnOnce(&Browser) -> Test) {
    let Some(page) = page else {
        println!("skipped: no page (run `cargo xtask test page`)");
        return;
    };
    Browser::run(page, test);
}

/// Opens a network on a device, plays it, and sees spikes on the canvas.
async fn plays(page: &Browser, network: &str, query: &str, device: &str) -> Test {
    page.open(&format!("?backend={query}#network={network}")).await?;
    page.wait_text("#backend", device).await?;
    page.choose_network(network).await?;
    page.wait_enabled("#play").await?;
    let blank = page.ink(".raster canvas").await?;
    page.click("#play").await?;
    page.wait_number("#spikes", |spikes| spikes > 500.0).await?;
    page.wait_for("ink on the raster", async || Ok(page.ink(".raster canvas").await? > blank + 50)).await?;
    page.wait_number("#time", |time| time > 20.0).await?;
    page.wait_for("a real-time factor", async || Ok(page.text("#rtf").await?.chars().any(|c| c.is_ascii_digit()))).await?;
    assert!(page.text("#error").await?.is_empty(), "{}", page.text("#error").await?);
    page.click("#play").await?;
    page.wait_steady("#spikes").await?;
    Ok(())
}

#[test]
fn every_network_plays_on_the_cpu() {
    flow(async |page| {
        for network in ["cuba", "coba", "izhikevich"] {
            plays(page, network, "cpu", "CPU").await?;
        }
        Ok(())
    });
}

#[test]
fn every_network_plays_on_webgpu() {
    flow(async |page| {
        for network in ["cuba", "coba", "izhikevich"] {
            plays(page, network, "gpu", "GPU").await?;
        }
        Ok(())
    });
}

#[test]
fn without_webgpu_the_page_says_so_and_runs_on_the_cpu() {
    flow(async |page| {
        page.hide_webgpu().await?;
        plays(page, "cuba", "auto", "CPU").await?;
        let said = page.text("#reason").await?.to_lowercase();
        assert!(said.contains("gpu"), "no word on why there is no GPU: {said}");
        Ok(())
    });
}

/// Nothing is left half done, and what was typed before is there again.
#[test]
fn a_panic_is_told_and_the_last_state_comes_back() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        equations::edit_threshold(page).await?;
        page.wait_text("[data-testid='state']", "ready to run").await?;
        // What the page takes for granted in a browser.
        page.script("window.AbortController = class { constructor() { throw new Error('gone') } }").await?;
        page.click("#run").await?;
        page.wait_text("#panic", "panicked at").await?;
        assert!(!page.console_errors().await?.is_empty(), "the console says nothing");
        page.screenshot("panic.png").await?;
        page.press_at("#go-on", 0.5).await?;
        page.wait_for("another page", async || Ok(page.count("#panic").await? == 0)).await?;
        page.wait_enabled("#play").await?;
        equations::inspect(page, "E").await?;
        let typed = "return document.querySelector('#text-threshold')?.value";
        page.wait_for("what was typed", async || Ok(page.script(typed).await? == "v > Vt + 1*mV")).await
    });
}

#[test]
fn a_slider_holds_what_it_shows() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let apart = "return [...document.querySelectorAll('.slider')].map(e => [e.querySelector('.value').value, e.querySelector('input[type=range]').value])
            .filter(([shown, held]) => Math.abs(parseFloat(shown.replace('\u{2212}', '-')) - held) > 1e-9*Math.abs(held))";
        assert_eq!(page.script(apart).await?, serde_json::json!([]));
        page.click("#play").await?;
        for (from, to) in [(0.15, 0.3), (0.3, 0.6), (0.6, 0.45)] {
            page.drag("input[data-path='E.taum']", from, to).await?;
            page.wait_for("the dragged value in the address", async || {
                let held = page.script("return `E.taum=${document.querySelector('[data-path=\"E.taum\"]').value}+ms`").await?;
                let held = held.as_str().unwrap_or("").to_owned();
                let there = page.script(&format!("return location.hash.includes({held:?})")).await?;
                Ok(there == true && page.script(apart).await? == serde_json::json!([]))
            })
            .await?;
        }
        // By keys, a step at a time.
        let value = "return +document.querySelector('[data-path=\"E.taum\"]').value";
        let before = page.script(value).await?.as_f64().unwrap_or(0.0);
        page.press("input[data-path='E.taum']", "right").await?;
        page.wait_for("a step", async || {
            let step = page.script(value).await?.as_f64().unwrap_or(0.0) - before;
            Ok(step > 0.0 && step < 1.0 && page.script(apart).await? == serde_json::json!([]))
        })
        .await
    });
}

#[test]
fn a_parameter_changes_while_it_runs_and_reset_starts_over() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        page.slide("input[data-path='E.El']", "-45").await?;
        page.wait_number("#spikes", |spikes| spikes > 20_000.0).await?;
        assert!(page.text("#error").await?.is_empty(), "{}", page.text("#error").await?);
        page.click("#play").await?;
        page.wait_steady("#spikes").await?;
        page.click("#reset").await?;
        page.wait_number("#time", |time| time == 0.0).await?;
        page.wait_number("#spikes", |spikes| spikes == 0.0).await?;
        page.key(" ").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await
    });
}

#[test]
fn bad_input_gets_its_sentence_and_the_network_that_ran_stays() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        let selection = "return [document.activeElement].map(e => e.value.slice(e.selectionStart, e.selectionEnd))[0]";
        let covered = "const toast = document.querySelector('.trouble').getBoundingClientRect();
            return ['#play', '#time', '#run'].filter(css => { const of = document.querySelector(css)?.getBoundingClientRect();
                return of?.width && of.left < toast.right && toast.left < of.right && of.top < toast.bottom && toast.top < of.bottom })";
        for (json, said, selected) in [
            ("{\"name\": \"x\",\n  \"dt_ms\": }", "line 2", "  \"dt_ms\": }"),
            (
                r#"{"name":"x","dt_ms":0.1,"duration_ms":1,"populations":[{"name":"n","size":5,"model":"lif_ext"}]}"#,
                "did you mean `lif_exp`?",
                "\"lif_ext\"",
            ),
            (
                r#"{"name":"x","dt_ms":0.1,"duration_ms":1,"populations":[{"name":"n","size":5,"modell":"lif_exp"}]}"#,
                "did you mean `model`?",
                "\"lif_exp\"",
            ),
            (r#"{"name":"x","dt_ms":0,"duration_ms":1,"populations":[{"name":"n","size":5,"model":"lif_exp"}]}"#, "dt_ms", "0"),
            (
                r#"{"name":"x","dt_ms":0.1,"duration_ms":1,"populations":[{"name":"n","size":5,"model":"lif_exp","parameters":{"taum":"20 mV"}}]}"#,
                "`taum` must be a time, such as 5 ms",
                "20 mV",
            ),
        ] {
            let before = page.number("#spikes").await?;
            page.fill("#json", json).await?;
            page.click("#apply").await?;
            page.wait_text("#error", said).await?;
            println!("{}: {}", page.text("#error").await?, page.script(selection).await?);
            let script = format!("{selection}.includes({})", serde_json::json!(selected));
            page.wait_for(&format!("{selected} to be selected"), async || Ok(page.script(&script).await? == true)).await?;
            assert_eq!(page.script(covered).await?, serde_json::json!([]), "the sentence lies on what one needs");
            page.wait_number("#spikes", |spikes| spikes > before).await?;
        }
        let own = r#"{"name":"mine","dt_ms":0.1,"duration_ms":100,"populations":[{"name":"n","size":20,
            "equations":"dv/dt = (20*mV - v)/tau : volt","threshold":"v > 15*mV","reset":"v = 0*mV","parameters":{"tau":"10 ms"},
            "initial":{"v":{"expr":"rand()*10*mV"}}}]}"#;
        page.fill("#json", own).await?;
        page.click("#apply").await?;
        page.wait_number("#time", |time| time == 0.0).await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 20.0).await
    });
}

/// Each device tells what it is and what it holds, and the sum is the memory that the page names.
#[test]
fn the_device_and_its_memory_are_shown() {
    flow(async |page| {
        for (query, buffer, fact) in [("cpu", "synapses", "Network drawn in"), ("gpu", "rows 1", "API")] {
            page.open(&format!("?backend={query}#network=cuba")).await?;
            page.wait_enabled("#play").await?;
            assert_eq!(page.script("return document.querySelector('#hardware').open").await?, false, "it is unfolded");
            page.wait_text("[data-testid=device-facts]", fact).await?;
            assert!(page.number(&format!("[data-buffer='{buffer}'] [data-value]")).await? > 1e5, "{buffer}");
            let rows = "[...document.querySelectorAll('#hardware [data-value]')].map(e => +e.dataset.value)";
            assert!(page.script(&format!("return {rows}.every(bytes => bytes > 0)")).await?.as_bool().unwrap_or(false));
            for (width, height) in [(1440, 900), (390, 844)] {
                for scheme in ["light", "dark"] {
                    page.emulate(width, height, scheme).await?;
                    page.script("const e = document.querySelector('#hardware'); e.open = true; e.scrollIntoView()").await?;
                    let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                    assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}: the page is {overflow} pixels too wide");
                    page.screenshot(&format!("hardware-{query}-{width}-{scheme}.png")).await?;
                }
            }
        }
        Ok(())
    });
}

#[test]
fn the_package_has_limits_and_estimates_of_the_gpu() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let script = "const {Spikelet} = await import(new URL('engine/js/index.js', location));
            const {gpu} = await Spikelet.devices(), estimate = await Spikelet.estimate('cuba', {trials: 2, backend: 'gpu'});
            const simulation = await Spikelet.create('cuba', {trials: 2, backend: 'gpu'});
            const held = simulation.info.buffers.reduce((sum, {bytes}) => sum + bytes, 0);
            simulation.dispose();
            const limit = gpu.limits.find(({name}) => name === 'maxStorageBufferBindingSize');
            return {limit, features: gpu.features.length, estimated: estimate.gpu.bytes, held}";
        let found = page.script(script).await?;
        let number = |value: &serde_json::Value| value.as_f64().unwrap_or(0.0);
        assert!(number(&found["limit"]["available"]) >= number(&found["limit"]["requested"]), "{found}");
        assert!(number(&found["limit"]["requested"]) >= f64::from(128 << 20) && number(&found["features"]) >= 3.0, "{found}");
        let ratio = number(&found["estimated"]) / number(&found["held"]);
        assert!((0.8..1.25).contains(&ratio), "{found}");
        Ok(())
    });
}

/// The open network is measured in a simulation of its own, and stays as it is.
#[test]
fn the_page_says_where_the_time_goes() {
    flow(async |page| {
        for (query, operation) in [("cpu", "update"), ("gpu", "neurons")] {
            page.open(&format!("?backend={query}#network=cuba")).await?;
            page.wait_enabled("#play").await?;
            page.click("#play").await?;
            page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
            page.script("const e = document.querySelector('#hardware'); e.open = true; e.scrollIntoView()").await?;
            if query == "gpu" {
                page.choose("#workgroup-size", "128").await?;
                page.wait_number("#time", |time| time == 0.0).await?;
                page.wait_enabled("#play").await?;
                page.click("#play").await?;
                page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
            }
            page.click("#measure").await?;
            page.wait_for("the profile", async || {
                Ok(page.count(&format!("[data-testid='profile'] [data-operation='{operation}']")).await? == 1)
            })
            .await?;
            page.wait_text("[data-testid='profile']", "Try ").await?;
            let before = page.number("#time").await?;
            for (width, height) in [(1440, 900), (390, 844)] {
                for scheme in ["light", "dark"] {
                    page.emulate(width, height, scheme).await?;
                    page.script("document.querySelector('.profile').scrollIntoView()").await?;
                    let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                    assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}: the page is {overflow} pixels too wide");
                    page.screenshot(&format!("profile-{query}-{width}-{scheme}.png")).await?;
                }
            }
            assert!(before > 0.0 && page.number("#time").await? == before, "the open network waits where it was");
        }
        Ok(())
    });
}

/// The time is printed, not judged: it is the machine's as much as ours.
#[test]
fn from_open_to_the_first_spike() {
    flow(async |page| {
        page.open("?backend=cpu#network=izhikevich").await?;
        page.wait_enabled("#play").await?;
        for backend in ["cpu", "gpu"] {
            // Simulations of its own, as any page has them: one starts cold, with the device being opened meanwhile.
            let script = format!(
                "window.told = null; (async () => {{
                   const {{Spikelet}} = await import(new URL('engine/js/index.js', location)), told = [];
                   for (const turn of ['cold', 'again']) {{
                     const began = performance.now(), ms = seconds => Math.round(1000 * seconds);
                     const simulation = await Spikelet.create('cuba', {{backend: '{backend}'}});
                     const spiked = new Promise(resolve => simulation.on('spikes', ({{neurons}}) => neurons.length > 0 && resolve()));
                     const run = simulation.run(100);
                     await spiked;
                     const {{device, plan, load, total}} = simulation.info.build, all = Math.round(performance.now() - began);
                     told.push(`${{turn}} ${{all}} ms (built in ${{ms(total)}}: device ${{ms(device)}}, network ${{ms(plan)}}, loading ${{ms(load)}})`);
                     await run;
                     simulation.dispose();
                   }}
                   window.told = told.join(', ');
                 }})().catch(error => window.told = String(error))"
            );
            page.script(&script).await?;
            page.wait_for("spikes", async || Ok(!page.script("return window.told").await?.is_null())).await?;
            let emitted = page.script("return window.told").await?;
            println!("from opening cuba to its first spike, {backend}: {emitted}");
            assert!(emitted.as_str().is_some_and(|emitted| emitted.contains("again")), "{emitted}");
        }
        Ok(())
    });
}

/// What the plots of the package do on the page: readout, window, marks, a table to save; and they go on with the next network.
#[test]
fn plots_are_read_and_saved() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let plots = "return [...document.querySelectorAll('.board .plot')].map(({classList}) => classList[1]).join(' ')";
        assert_eq!(page.script(plots).await?, "raster rates trace");
        page.click("#play").await?;
        page.wait_number("#time", |time| time > 300.0).await?;
        page.click("#play").await?;
        page.wait_steady("#spikes").await?;
        let hover = "const canvas = document.querySelector('.raster canvas'), {left, top} = canvas.getBoundingClientRect();
            canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: left + 80, clientY: top + 30}));
            return document.querySelector('.raster .under').textContent";
        let emitted = page.script(hover).await?;
        assert!(emitted.as_str().is_some_and(|emitted| emitted.starts_with("E[") && emitted.ends_with(" ms")), "{emitted}");
        // A shorter window shows fewer spikes.
        page.script(
            "URL.createObjectURL = blob => { window.exported = blob.text(); return 'blob:saved' };
             HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }; return 0",
        )
        .await?;
        let rows = async || -> Test<usize> {
            page.script("window.exported = undefined").await?;
            plots_view::choose_item(page, ".raster .more", "Save table (CSV)").await?;
            page.wait_for("the table", async || Ok(page.script("return window.exported ?? null").await?.is_string())).await?;
            Ok(page.script("return window.exported").await?.as_str().unwrap_or("").lines().count())
        };
        let all = rows().await?;
        assert_eq!(page.script("return window.savedAs").await?, "cuba-raster.csv");
        page.choose("#window", "100").await?;
        let some = rows().await?;
        assert!(some > 50 && some < all / 2, "{some} of {all} spikes");
        // The next network has the window that was chosen, and its own plots.
        page.choose_network("stdp_song").await?;
        page.wait_for("its plots", async || Ok(page.script(plots).await? == "raster rates trace weights")).await?;
        assert_eq!(page.script("return document.querySelector('.raster #window').value").await?, "100");
        assert_eq!(page.script("return document.querySelectorAll('.weights #save-weights').length").await?, 1);
        page.wait_for("a text", async || {
            Ok(page
                .script("return document.querySelector('.weights canvas').ariaLabel")
                .await?
                .as_str()
                .is_some_and(|said| said.starts_with("Weights")))
        })
        .await
    });
}

/// Each choice ends the one before, wherever that stands.
#[test]
fn what_was_asked_for_last_wins() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        for network in ["coba", "cobahh", "izhikevich"] {
            page.choose_network(network).await?;
        }
        page.wait_text("#title", "Pulse-coupled").await?;
        page.wait_enabled("#play").await?;
        page.wait_number("#time", |time| time == 0.0).await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        assert!(page.text("#error").await?.is_empty(), "{}", page.text("#error").await?);
        Ok(())
    });
}

/// Nobody has to wait for a network that takes long.
#[test]
fn another_network_is_chosen_while_the_first_is_being_built() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba&scale=20").await?;
        page.wait_text("[data-testid='stage']", "drawing").await?;
        page.choose_network("izhikevich").await?;
        page.wait_text("#title", "Pulse-coupled").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await
    });
}

/// The run goes on, and the page says where.
#[test]
fn a_lost_device_is_replaced_and_the_page_says_so() {
    flow(async |page| {
        page.open("?backend=gpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        // The simulations that the page creates from here on.
        let script = "const {Spikelet} = await import(new URL('engine/js/index.js', location)), {create} = Spikelet;
            Spikelet.create = async (...words) => window.simulation = await create.apply(Spikelet, words)";
        page.script(script).await?;
        page.choose_network("izhikevich").await?;
        page.wait_for("the simulation", async || Ok(page.script("return !!window.simulation").await? == true)).await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        page.script("await window.simulation.loseDevice()").await?;
        page.wait_text("#error", "was lost").await?;
        let before = page.number("#spikes").await?;
        page.wait_number("#spikes", |spikes| spikes > before).await
    });
}

/// Pictures to look at: desktop and phone, light and dark.
#[test]
fn it_fits_a_desk_and_a_phone() {
    flow(async |page| {
        for (width, height) in [(1440, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                page.open("?backend=cpu#network=cuba").await?;
                page.wait_enabled("#play").await?;
                page.click("#play").await?;
                page.wait_number("#time", |time| time > 400.0).await?;
                page.click("#play").await?;
                tokio::time::sleep(Duration::from_millis(300)).await;
                let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}×{height}: the page is {overflow} pixels too wide");
                page.screenshot(&format!("{width}x{height}-{scheme}.png")).await?;
            }
        }
        Ok(())
    });
}
