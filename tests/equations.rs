//! Flows through the pane of equations: what is typed is checked beside the text, runs on both devices, and survives.

use std::time::Duration;

use crate::browser::{Browser, Test};
use crate::flow;

/// Opens a network on a device and lets it run.
async fn running(page: &Browser, at: &str) -> Test {
    page.open(at).await?;
    show_network(page).await?;
    inspect(page, "E").await?;
    page.click("#play").await?;
    page.wait_number("#spikes", |spikes| spikes > 100.0).await
}

/// Waits for the network, and opens its pane unless it is open.
pub(crate) async fn show_network(page: &Browser) -> Test {
    page.wait_enabled("#play").await?;
    if page.count("#network-pane.shut").await? == 1 {
        page.click("#pane-network").await?;
    }
    Ok(())
}

/// Selects a population in its list, unless it is selected.
pub(crate) async fn inspect(page: &Browser, name: &str) -> Test {
    let line = format!("#network-pane [data-object='{name}'] > .line");
    page.wait_for("the list", async || Ok(page.count(&line).await? == 1)).await?;
    if page.count(&format!("#inspector[data-object='{name}']")).await? == 0 {
        page.click(&line).await?;
    }
    let shown = format!("#inspector[data-object='{name}'] #text-equations");
    page.wait_for("its equations", async || Ok(page.count(&shown).await? == 1)).await
}

/// Types another threshold of the population `E` of `cuba`.
pub(crate) async fn edit_threshold(page: &Browser) -> Test {
    show_network(page).await?;
    inspect(page, "E").await?;
    page.fill("#text-threshold", "v > Vt + 1*mV").await
}

/// The text of a field.
async fn value(page: &Browser, css: &str) -> Test<String> {
    let value = page.script(&format!("return document.querySelector({css:?})?.value ?? ''")).await?;
    Ok(value.as_str().unwrap_or("").to_owned())
}

async fn wait_state(page: &Browser, word: &str) -> Test {
    let css = format!("[data-testid='state'][data-state='{word}']");
    page.wait_for(&format!("the state {word}"), async || Ok(page.count(&css).await? == 1)).await
}

/// No message of the page, and the console is looked at after the flow.
async fn no_error(page: &Browser) -> Test {
    let said = page.text("#error").await?;
    if said.is_empty() { Ok(()) } else { Err(said.into()) }
}

/// A library model is edited with a mistake, mended, and runs.
async fn edits(page: &Browser, backend: &str, device: &str) -> Test {
    running(page, &format!("?backend={backend}#network=cuba")).await?;
    assert_eq!(value(page, "#model").await?, "lif_exp");
    page.wait_text("#integrated", "exact").await?;
    let library = value(page, "#text-equations").await?;
    assert!(library.contains("dge/dt = -ge/taue : volt"), "{library}");

    let wrong = library.replace("dge/dt = -ge/taue", "dge/dt = -ge/tauee*2");
    page.fill("#text-equations", &wrong).await?;
    page.wait_text("#mistakes-equations", "tauee is not defined.").await?;
    assert_eq!(page.count("#mistakes-equations li[data-line='2'][data-column='14']").await?, 1);
    assert!(page.text("#mistakes-equations .help").await?.contains("Did you mean taue?"));
    assert_eq!(page.count("[data-field='equations'] .line:nth-child(2).wrong, .line:nth-child(2) .missing").await?, 1);
    // The carets stand under the word.
    let under =
        "const [line, carets] = ['pre', '.carets'].map(css => document.querySelector('#mistakes-equations ' + css).textContent);
        const shown = line.split('\\n')[0]; return shown.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)";
    assert_eq!(page.script(under).await?, "tauee");
    assert_eq!(page.count("#text-equations[aria-invalid='true']").await?, 1);
    assert_eq!(value(page, "#model").await?, "", "it is one's own now");
    wait_state(page, "wrong").await?;

    // What runs goes on, also when asked to run.
    page.press("#text-equations", "control+enter").await?;
    let before = page.number("#spikes").await?;
    page.wait_number("#spikes", |spikes| spikes > before).await?;

    page.fill("#text-equations", &library.replace("-ge/taue", "-ge/(taue + 1*ms)")).await?;
    wait_state(page, "ready").await?;
    assert_eq!(page.count("#mistakes-equations li").await?, 0);
    page.press("#text-equations", "control+enter").await?;
    wait_state(page, "running").await?;
    page.wait_text("#network", "Custom network").await?;
    page.wait_text("#backend", device).await?;
    page.wait_number("#spikes", |spikes| spikes > 500.0).await?;
    assert!(value(page, "#text-equations").await?.contains("(taue + 1*ms)"));
    assert_eq!(page.count("input[data-path='E.taum']").await?, 1, "its parameters have their sliders");
    no_error(page).await
}

#[test]
fn an_edited_model_runs_on_the_cpu() {
    flow(async |page| edits(page, "cpu", "CPU").await);
}

#[test]
fn an_edited_model_runs_on_webgpu() {
    flow(async |page| edits(page, "gpu", "GPU").await);
}

/// A model that is in no file: typed, asked for its values, run.
async fn types(page: &Browser, backend: &str, device: &str) -> Test {
    page.open(&format!("?backend={backend}#network=cuba")).await?;
    page.wait_enabled("#play").await?;
    page.click("#new").await?;
    page.wait_for("the equations to have the focus", async || {
        Ok(page.script("return document.activeElement?.id").await? == "text-equations")
    })
    .await?;
    page.fill("#text-equations", "dv/dt = (v - Vmin)*(v - Vcrit)*k/C - u/C + J/C : volt\ndu/dt = a*(b*(v - Vmin) - u) : amp")
        .await?;
    page.fill("#text-threshold", "v > peak").await?;
    page.fill("#text-reset", "v = c\nu += d").await?;
    page.fill("#text-refractory", "").await?;
    page.wait_text("#values", "missing").await?;
    let values = [
        ("Vmin", "-60 mV"),
        ("Vcrit", "-40 mV"),
        ("k", "0.7 nS/mV"),
        ("C", "100 pF"),
        ("J", "(70 + i)*pA"),
        ("a", "0.03/ms"),
        ("b", "-2 nS"),
        ("peak", "35 mV"),
        ("c", "-50 mV"),
        ("d", "100 pA"),
    ];
    for (name, text) in values {
        page.wait_for(name, async || Ok(page.count(&format!("input[data-value='{name}']")).await? == 1)).await?;
        page.fill(&format!("input[data-value='{name}']"), text).await?;
    }
    page.fill("input[data-initial='v']", "Vmin").await?;
    wait_state(page, "ready").await?;
    page.press("input[data-initial='v']", "control+enter").await?;
    wait_state(page, "running").await?;
    page.wait_text("#backend", device).await?;
    page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
    page.wait_for("a trace", async || Ok(page.ink(".trace canvas").await? > 50)).await?;
    no_error(page).await
}

#[test]
fn a_model_in_no_file_is_typed_and_runs_on_the_cpu() {
    flow(async |page| types(page, "cpu", "CPU").await);
}

#[test]
fn a_model_in_no_file_is_typed_and_runs_on_webgpu() {
    flow(async |page| types(page, "gpu", "GPU").await);
}

#[test]
fn a_library_model_is_chosen_and_the_typed_one_is_not_lost() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#new").await?;
        page.wait_text("#title", "New network").await?;
        page.fill("#text-threshold", "v > Vt + 1*mV").await?;
        page.choose("#model", "lif_exp").await?;
        wait_state(page, "ready").await?;
        assert_eq!(value(page, "#text-threshold").await?, "v > Vt");
        page.click("#run").await?;
        wait_state(page, "running").await?;
        page.wait_number("#spikes", |spikes| spikes > 20.0).await?;
        assert_eq!(page.count("input[data-path='cells.taue']").await?, 1, "sliders of the library's parameters");
        page.choose("#model", "").await?;
        page.wait_for("the typed text", async || Ok(value(page, "#text-threshold").await? == "v > Vt + 1*mV")).await?;
        no_error(page).await
    });
}

#[test]
fn what_is_typed_survives_a_reload_and_the_way_back() {
    flow(async |page| {
        running(page, "?backend=cpu#network=cuba").await?;
        // Not run, and wrong.
        inspect(page, "I").await?;
        page.fill("#text-reset", "v = Vr - 1*mVV").await?;
        page.wait_text("#mistakes-reset", "mVV is not defined.").await?;
        page.reload().await?;
        page.wait_enabled("#play").await?;
        inspect(page, "I").await?;
        page.wait_for("the text after a reload", async || Ok(value(page, "#text-reset").await? == "v = Vr - 1*mVV")).await?;
        page.wait_text("#mistakes-reset", "mVV is not defined.").await?;

        // Run: it is in the address.
        page.fill("#text-reset", "v = Vr - 1*mV").await?;
        page.click("#run").await?;
        wait_state(page, "running").await?;
        page.slide("input[data-path='E.taum']", "25").await?;
        page.wait_for("the slider's value in the address", async || {
            Ok(page.script("return location.hash").await?.as_str().is_some_and(|hash| hash.contains("E.taum=25+ms")))
        })
        .await?;
        page.reload().await?;
        page.wait_text("#network", "Custom network").await?;
        page.wait_enabled("#play").await?;
        inspect(page, "I").await?;
        page.wait_for("the text after a run and a reload", async || Ok(value(page, "#text-reset").await? == "v = Vr - 1*mV"))
            .await?;
        page.wait_for("the slider", async || Ok(value(page, "input[data-path='E.taum']").await? == "25")).await?;

        // Another network is another page of the history.
        page.choose_network("coba").await?;
        page.wait_text("#title", "conductance-based").await?;
        page.script("history.back()").await?;
        page.wait_text("#network", "Custom network").await?;
        page.wait_enabled("#play").await?;
        inspect(page, "I").await?;
        page.wait_for("the text after going back", async || Ok(value(page, "#text-reset").await? == "v = Vr - 1*mV")).await?;
        page.script("history.back()").await?;
        page.wait_text("#title", "current-based").await?;
        no_error(page).await
    });
}

#[test]
fn texts_are_entered_by_mouse() {
    flow(async |page| {
        page.emulate(1440, 900, "light").await?;
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#new").await?;
        page.wait_text("#title", "New network").await?;
        let checking = "[data-testid='state'][data-state='checking']";
        let fields = ["equations", "threshold", "reset", "refractory"];
        for id in fields.map(|field| format!("text-{field}")) {
            page.press_at(&format!("#{id}"), 0.9).await?;
            assert_eq!(page.focused().await?, id);
            page.type_in(" typed").await?;
            assert!(value(page, &format!("#{id}")).await?.contains("typed"), "{id}");
            // What is wrong moves the fields below.
            page.wait_for("it to be checked", async || Ok(page.count(checking).await? == 0)).await?;
        }
        wait_state(page, "wrong").await?;
        // Undone from wherever the focus is, all at once.
        page.script("document.activeElement.blur()").await?;
        page.press_focused("control+z").await?;
        wait_state(page, "paused").await?;

        // An empty field says what could stand there.
        for (name, example) in [("El", "-65 mV"), ("R", "100 Mohm"), ("a", "10 nS")] {
            page.fill(&format!("#value-{name}"), "").await?;
            wait_state(page, "missing").await?;
            let script = format!("return document.querySelector('#value-{name}').placeholder");
            page.wait_for(&format!("{example} for {name}"), async || Ok(page.script(&script).await? == example)).await?;
        }
        no_error(page).await
    });
}

#[test]
fn every_field_has_a_label_and_its_mistakes() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#new").await?;
        page.wait_text("#title", "New network").await?;
        let nameless = "return [...document.querySelectorAll('#inspector :is(input, select, textarea)')].filter(e =>
            !e.labels?.length && !e.getAttribute('aria-label')).map(e => e.id)";
        assert_eq!(page.script(nameless).await?, serde_json::json!([]));
        let unheard = "return [...document.querySelectorAll('#inspector :is(input[type=text], textarea, #method)')].filter(e =>
            !e.getAttribute('aria-describedby')?.split(' ').every(id => document.getElementById(id))).map(e => e.id)";
        assert_eq!(page.script(unheard).await?, serde_json::json!([]));
        // Tab goes through the texts in the order in which they are read.
        page.script("document.querySelector('#text-equations').focus()").await?;
        let mut visited = Vec::new();
        for _ in 0..5 {
            visited.push(page.script("return document.activeElement.id").await?.as_str().unwrap_or("").to_owned());
            page.press_focused("tab").await?;
        }
        assert_eq!(visited, ["text-equations", "text-threshold", "text-reset", "text-refractory", "method"]);
        // The painted text lies where the typed one does.
        let apart = "const t = document.querySelector('#text-equations'), p = t.previousElementSibling;
            return Math.abs(t.getBoundingClientRect().height - p.getBoundingClientRect().height) + Math.max(0, t.scrollHeight - t.clientHeight)";
        assert_eq!(page.script(apart).await?.as_f64(), Some(0.0));
        Ok(())
    });
}

/// Pictures to look at: desktop and phone, light and dark, with a mistake and a value to be given.
#[test]
fn the_pane_fits_a_desk_and_a_phone() {
    flow(async |page| {
        for (width, height) in [(1440, 900), (1024, 768), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                running(page, "?backend=cpu#network=cuba").await?;
                page.screenshot(&format!("equations-{width}x{height}-{scheme}-library.png")).await?;
                page.click("#new").await?;
                page.wait_text("#title", "New network").await?;
                page.wait_enabled("#run").await?;
                page.click("#run").await?;
                page.wait_number("#time", |time| time > 400.0).await?;
                page.click("#play").await?;
                page.screenshot(&format!("equations-{width}x{height}-{scheme}-new.png")).await?;
                let text = value(page, "#text-equations").await?;
                page.fill("#text-equations", &text.replace("R*(I - w)", "R*(I - w) + pulse").replace("/tauw", "/tauww")).await?;
                page.fill("#text-threshold", "v > Vt +").await?;
                wait_state(page, "wrong").await?;
                page.script("document.querySelector('#text-equations').scrollIntoView({block: 'center'})").await?;
                tokio::time::sleep(Duration::from_millis(200)).await;
                let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}×{height}: the page is {overflow} pixels too wide");
                page.screenshot(&format!("equations-{width}x{height}-{scheme}-wrong.png")).await?;
            }
        }
        Ok(())
    });
}
