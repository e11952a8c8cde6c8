//! Flows through the network pane: networks made, changed and mended by forms; files; the catalogue.

use super::browser::{Browser, Test};
use super::equations::show_network;
use super::flow;
use std::time::Duration;

/// A field of the form that is unfolded.
fn field(key: &str) -> String {
    format!("#inspector [data-field='{key}']")
}

/// The line of an object.
fn line(name: &str) -> String {
    format!("#network-pane [data-object='{name}'] > .line")
}

async fn value(page: &Browser, css: &str) -> Test<String> {
    Ok(page.script(&format!("return document.querySelector({css:?})?.value ?? ''")).await?.as_str().unwrap_or("").to_owned())
}

/// Opens a network and turns to its pane.
async fn open(page: &Browser, at: &str) -> Test {
    page.open(at).await?;
    show_network(page).await?;
    page.wait_for("the pane", async || Ok(page.count("#network-pane .list").await? == 3)).await
}

async fn unfold(page: &Browser, name: &str) -> Test {
    page.click(&line(name)).await?;
    page.wait_for("its form", async || Ok(value(page, &field("name")).await? == name)).await
}

async fn wait_state(page: &Browser, state: &str) -> Test {
    page.wait_for(&format!("the network to be {state}"), async || {
        Ok(page.count(&format!("[data-testid='state'][data-state='{state}']")).await? == 1)
    })
    .await
}

#[test]
fn a_network_is_made_from_nothing_and_spikes() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        page.click("#new").await?;
        page.wait_text("#title", "New network").await?;
        // Its inspector is open for the equations.
        page.wait_for("its form", async || Ok(value(page, &field("name")).await? == "cells")).await?;
        page.fill(&field("size"), "200").await?;
        wait_state(page, "ready").await?;
        page.click("#inspector [data-testid='remove']").await?;
        page.wait_text("#network-pane .list[data-list='populations']", "No neurons yet").await?;
        wait_state(page, "wrong").await?;
        for _ in 0..2 {
            page.click("[data-add='population']").await?;
        }
        page.wait_for("the second's name", async || Ok(value(page, &field("name")).await? == "I")).await?;
        page.fill(&field("size"), "100").await?;
        for _ in 0..3 {
            page.click("[data-add='projection']").await?;
        }
        page.wait_for("the third's name", async || Ok(value(page, &field("name")).await? == "I_E")).await?;
        page.fill(&field("connect.p"), "0.2").await?;
        page.wait_text("[data-testid='indegree']", "20").await?;
        page.fill(&field("delay_ms"), "2 ms").await?;
        page.fill(&field("parameters.w"), "-3 mV").await?;
        wait_state(page, "ready").await?;
        page.press(&field("parameters.w"), "control+enter").await?;
        wait_state(page, "running").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await?;
        page.wait_text("#status", "900").await?;
        assert_eq!(page.text("#error").await?, "");
        Ok(())
    });
}

#[test]
fn a_rule_shows_what_it_gives_while_it_is_typed() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        page.wait_text("[data-testid='estimate']", "neurons").await?;
        let first = page.script("return document.querySelector('[data-list=projections] [data-object]').dataset.object").await?;
        unfold(page, first.as_str().unwrap_or("")).await?;
        page.wait_text("[data-testid='indegree']", "64").await?;
        page.fill(&field("connect.p"), "0.05").await?;
        page.wait_text("[data-testid='indegree']", "160").await?;
        assert_eq!(value(page, &field("connect.p")).await?, "0.05");
        page.choose(&field("connect.rule"), "fixed_outdegree").await?;
        page.fill(&field("connect.n"), "30").await?;
        page.wait_text("[data-testid='outdegree']", "30").await?;
        assert_eq!(page.count(&format!("{}:checked", field("connect.multapses"))).await?, 1);
        page.click(&field("connect.multapses")).await?;
        // More than there are to be drawn without drawing one twice.
        page.fill(&field("connect.n"), "5000").await?;
        page.wait_text("[data-testid='flaws']#flaws-field-connect\\.n", "allow multapses").await?;
        page.fill(&field("connect.n"), "many").await?;
        page.wait_text("#flaws-field-connect\\.n", "a whole number").await?;
        assert_eq!(value(page, &field("connect.n")).await?, "many", "what was typed stays");
        page.fill(&field("connect.n"), "30").await?;
        wait_state(page, "ready").await
    });
}

#[test]
fn a_protocol_is_typed_and_ends_the_run() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        page.click("#network-pane .general > summary").await?;
        page.fill(&field_of_network("stop"), "spikes >").await?;
        wait_state(page, "wrong").await?;
        page.fill(&field_of_network("stop"), "spikes > 2000").await?;
        page.fill(&field_of_network("changes"), "at once: E.El = -55 mV").await?;
        page.wait_text("#network-pane .general", "the change").await?;
        page.fill(&field_of_network("changes"), "10 ms: E.El = -48 mV\n20 ms: E.El = -49 mV").await?;
        wait_state(page, "ready").await?;
        page.press(&field_of_network("stop"), "control+enter").await?;
        page.wait_text("body", "stopped: spikes > 2000").await
    });
}

#[test]
fn statements_at_regular_times_and_functions_are_typed_in_lines() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        unfold(page, "E").await?;
        let (regular, functions) = (field("run_regularly"), field_of_network("functions"));
        assert_eq!(page.count("#inspector details[data-group='run_regularly'][open]").await?, 0, "it is empty");
        page.fill(&functions, "half(x: volt) : volt = x/2\nthird(x) : 1 = x/3").await?;
        page.wait_text("#flaws-network-functions", "Line 2, third(x) : 1 = x/3: expected").await?;
        assert!(value(page, &functions).await?.ends_with("x/3"), "what was typed stays");
        page.fill(&functions, "half(x: volt) : volt = x/2*second").await?;
        page.wait_text("#flaws-network-functions", "entry 1").await?;
        page.fill(&functions, "half(x: volt) : volt = x/2").await?;
        page.fill(&regular, "evry 10 ms: v += half(2*mV)").await?;
        page.wait_text("#flaws-field-run_regularly", "for example every 10 ms").await?;
        wait_state(page, "wrong").await?;
        page.fill(&regular, "every step: v += half(0*mV)\nevery 10 ms: v += half(2)").await?;
        page.wait_text("#flaws-field-run_regularly", "entry 2").await?;
        assert_eq!(page.count("#inspector > [data-testid='flaws'] li").await?, 0, "it is at its field alone");
        page.fill(&regular, "every 10 ms from 1 ms, order 1: v += half(2*mV); ge = 0*mV").await?;
        wait_state(page, "ready").await?;
        let first = first_projection(page).await?;
        unfold(page, &first).await?;
        page.fill(&field("order"), "post: 1").await?;
        page.wait_text("#flaws-field-order", "pathway").await?;
        page.fill(&field("order"), "pre: 1").await?;
        wait_state(page, "ready").await?;
        let saved = saved(page).await?;
        assert_eq!(saved["functions"][0]["arguments"]["x"], "volt");
        let regular = &saved["populations"][0]["run_regularly"][0];
        assert_eq!((regular["every_ms"].as_f64(), regular["order"].as_i64()), (Some(10.0), Some(1)));
        assert_eq!(regular["statements"], "v += half(2*mV); ge = 0*mV");
        assert_eq!(saved["projections"][0]["order"]["pre"], 1);
        page.click("#run").await?;
        wait_state(page, "running").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await
    });
}

#[test]
fn linked_variables_are_typed_in_lines() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        page.upload("#file", "linked.json", include_str!("networks/linked.json")).await?;
        page.wait_text("#title", "linked").await?;
        unfold(page, "C").await?;
        let linked = field("linked");
        page.wait_for("its links", async || Ok(value(page, &linked).await? == "near = B.v_in[(3*i) % 100]\nfar = B.c[99]"))
            .await?;
        assert_eq!(page.count("#inspector details[data-group='linked'][open]").await?, 1, "it has content");
        for (wrong, said) in [
            ("near = B.v_in[0]\nfar B.c", "Line 2, far B.c: expected"),
            ("near = B.v_in[0]\nfar = D.c", "no population D"),
            ("near = B.v_in[0]", "far"),
            ("near = B.v_in[0]\nfar = B.c", "index"),
        ] {
            page.fill(&linked, wrong).await?;
            page.wait_text("#flaws-field-linked", said).await?;
            wait_state(page, "wrong").await?;
        }
        page.fill(&linked, "near = B.v_in[0]\nfar = B.c[i]").await?;
        wait_state(page, "ready").await?;
        let saved = saved(page).await?;
        assert_eq!(saved["populations"][0]["linked"]["far"], serde_json::json!({"population": "B", "var": "c", "index": "i"}));
        assert_eq!(saved["populations"][2]["linked"]["left"]["index"], "(i + N - 1) % N");
        Ok(())
    });
}

#[test]
fn recordings_are_typed_in_lines() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        unfold(page, "E").await?;
        let recordings = field("recordings");
        assert_eq!(page.count("#inspector details[data-group='recordings'][open]").await?, 1, "its potential is recorded");
        for (wrong, said) in
            [("v[0:100", "Line 1, v[0:100: expected ]"), ("v[:]\nmean(v[:]) every 0.05 ms", "entry 2"), ("x[:]", "no variable")]
        {
            page.fill(&recordings, wrong).await?;
            page.wait_text("#flaws-field-recordings", said).await?;
            wait_state(page, "wrong").await?;
        }
        page.fill(&recordings, "v[0,1600]\nmean(v[:]) every 1 ms in mV").await?;
        wait_state(page, "ready").await?;
        page.wait_text("[data-testid='estimate']", "recorded per second").await?;
        let recorded = saved(page).await?["recordings"].as_array().cloned().unwrap_or_default();
        let recorded: Vec<_> = recorded.into_iter().filter(|of| of["object"] == "E").collect();
        assert_eq!(recorded.len(), 2);
        assert_eq!((&recorded[1]["reduce"], recorded[1]["every_ms"].as_f64()), (&"mean".into(), Some(1.0)));
        page.click("#run").await?;
        wait_state(page, "running").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await
    });
}

#[test]
fn synapses_are_saved_from_the_form_of_their_projection() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let first = first_projection(page).await?;
        unfold(page, &first).await?;
        page.wait_enabled("#inspector [data-save-synapses='csv']").await?;
        page.script(
            "window.exported = new Promise(resolve => { const make = URL.createObjectURL;
                URL.createObjectURL = blob => { blob.text().then(resolve); return make.call(URL, blob); } });
             HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }; return 0",
        )
        .await?;
        page.click("#inspector [data-save-synapses='csv']").await?;
        page.wait_for("the file", async || Ok(page.script("return window.savedAs ?? ''").await? != "")).await?;
        let name = page.script("return window.savedAs").await?;
        assert!(name.as_str().is_some_and(|name| name.contains(&first) && name.ends_with(".csv")), "{name}");
        let lines =
            page.script("const lines = (await window.exported).trim().split('\\n'); return [lines[0], lines.length - 1]").await?;
        assert!(lines[0].as_str().is_some_and(|head| head.contains("pre,post")), "{lines}");
        assert_eq!(lines[1].as_f64(), Some(204_769.0), "as many as the network has");
        Ok(())
    });
}

/// A field of the network itself.
fn field_of_network(key: &str) -> String {
    format!("#network-pane .general [data-field='{key}']")
}

#[test]
fn a_mistake_is_shown_at_its_field_and_what_runs_goes_on() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        let first = page.script("return document.querySelector('[data-list=projections] [data-object]').dataset.object").await?;
        unfold(page, first.as_str().unwrap_or("")).await?;
        for (key, wrong, said) in [
            ("connect.p", "1.5", "between 0 and 1"),
            ("post", "J", "no population `J`"),
            ("on_pre", "gee_post += we", "gee"),
            ("delay_ms", "2 mV", "ms"),
        ] {
            let before = value(page, &field(key)).await?;
            page.fill(&field(key), wrong).await?;
            let field_errors = format!("#network-pane [id='flaws-field-{key}']");
            page.wait_text(&field_errors, said.replace('`', "").as_str()).await?;
            page.wait_for("the field to be marked", async || {
                Ok(page.count(&format!("{}[aria-invalid='true']", field(key))).await? == 1)
            })
            .await?;
            wait_state(page, "wrong").await?;
            let spikes = page.number("#spikes").await?;
            page.press(&field(key), "control+enter").await?;
            page.wait_number("#spikes", |now| now > spikes).await?;
            page.fill(&field(key), &before).await?;
            page.wait_for("the mistake to go", async || Ok(page.count(&format!("{field_errors} li")).await? == 0)).await?;
        }
        assert_eq!(page.text("#error").await?, "");
        Ok(())
    });
}

#[test]
fn a_name_is_followed_undone_and_removed_with_what_hangs_on_it() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        unfold(page, "E").await?;
        page.fill(&field("name"), "I").await?;
        page.wait_text("#network-pane [id='flaws-field-name']", "already").await?;
        page.fill(&field("name"), "exc").await?;
        page.wait_for("the line", async || Ok(page.count(&line("exc")).await? == 1)).await?;
        assert!(page.text("#network-pane .list[data-list='projections']").await?.contains("exc → I"));
        wait_state(page, "ready").await?;

        page.press(&field("name"), "control+z").await?;
        page.wait_for("the old name", async || Ok(page.count(&line("E")).await? == 1)).await?;
        wait_state(page, "paused").await?;
        page.click("#redo-network").await?;
        page.wait_for("the new name", async || Ok(page.count(&line("exc")).await? == 1)).await?;

        page.click("#inspector [data-testid='remove']").await?;
        page.wait_text("#network-pane [data-testid='question']", "is used by").await?;
        page.click("#network-pane [data-testid='remove-all']").await?;
        page.wait_for("it to be gone", async || {
            Ok(page.count("#network-pane .list[data-list='populations'] .object").await? == 1)
        })
        .await?;
        assert_eq!(page.count("#network-pane .list[data-list='projections'] .object").await?, 1);
        wait_state(page, "ready").await?;
        // The form with the focus is gone.
        page.press_focused("control+z").await?;
        page.wait_for("all of it", async || Ok(page.count("#network-pane .list[data-list='projections'] .object").await? == 4))
            .await?;

        page.click("#run").await?;
        wait_state(page, "running").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        assert_eq!(page.count("input[data-path='exc.taum']").await?, 1, "its sliders have the new name");
        Ok(())
    });
}

#[test]
fn a_network_is_saved_and_opened_again() {
    flow(async |page| {
        open(page, "?backend=cpu#network=izhikevich").await?;
        let first = page.script("return document.querySelector('[data-list=populations] [data-object]').dataset.object").await?;
        unfold(page, first.as_str().unwrap_or("")).await?;
        page.fill(&field("size"), "321").await?;
        let saved = saved(page).await?;
        assert_eq!(page.script("return window.savedAs").await?, "izhikevich-edited.json");
        assert_eq!(saved["populations"][0]["size"], 321);
        let text = &saved.to_string();

        open(page, "?backend=cpu#network=cuba").await?;
        page.upload("#file", "mine.json", text).await?;
        page.wait_text("#network", "Custom network").await?;
        page.wait_text("#title", "izhikevich").await?;
        page.wait_text("#network-pane .list[data-list='populations']", "321").await?;
        // And by dropping it onto the page.
        page.upload("#file", "other.txt", "no network").await?;
        page.wait_text("#error", "other.txt is not a network").await?;
        page.drop_file("mine.json", &text.replace("321", "123")).await?;
        page.wait_text("#network-pane .list[data-list='populations']", "123").await
    });
}

#[test]
fn a_long_build_is_given_up_and_what_was_open_stays() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        let first = first_projection(page).await?;
        unfold(page, &first).await?;
        page.choose(&field("connect.rule"), "fixed_indegree").await?;
        page.fill(&field("connect.n"), "50000").await?;
        page.wait_text("[data-testid='synapses']", "160").await?;
        wait_state(page, "ready").await?;
        page.click("#run").await?;
        page.wait_text("[data-testid='stage']", "drawing").await?;
        page.wait_text("[data-testid='building']", "synapses").await?;
        page.screenshot("building.png").await?;
        page.click("#cancel").await?;
        wait_state(page, "ready").await?;
        assert_eq!(page.count("[data-testid='building'].shown").await?, 0);
        assert_eq!(page.text("#error").await?, "");
        page.wait_text("#network", "Balanced network").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await
    });
}

#[test]
fn the_catalogue_is_searched_by_keys() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        page.click("#network").await?;
        page.wait_for("the search", async || Ok(page.script("return document.activeElement?.id").await? == "search")).await?;
        assert!(page.count("#networks li").await? >= 3);
        page.wait_text("#networks", "320").await?;
        // In titles before what else is said.
        page.fill("#search", "waves").await?;
        page.wait_for("the best of them", async || {
            Ok(page.script("return document.querySelector('#networks li')?.dataset.network").await? == "waves")
        })
        .await?;
        page.fill("#search", "pulse-coupled").await?;
        page.wait_for("one of them", async || Ok(page.count("#networks li").await? == 1)).await?;
        page.press_focused("enter").await?;
        page.wait_text("#network", "Pulse-coupled").await?;
        page.wait_enabled("#play").await?;
        page.click("#network").await?;
        page.fill("#search", "no such words").await?;
        page.wait_text(".menu", "No network matches").await?;
        page.press("#search", "escape").await?;
        page.wait_for("it to shut", async || Ok(page.count(".menu").await? == 0)).await?;
        assert_eq!(page.script("return document.activeElement?.id").await?, "network");
        Ok(())
    });
}

#[test]
fn a_mistake_is_at_its_object_and_the_count_leads_there() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        page.click("[data-add='source']").await?;
        page.wait_for("its form", async || Ok(value(page, &field("name")).await? == "input")).await?;
        page.choose(&field("type"), "poisson_input").await?;
        page.fill(&field("rate"), "20 mV").await?;
        page.wait_text("#network-pane [id='flaws-field-rate']", "volt").await?;
        assert_eq!(page.count("#network-pane .flag").await?, 1);
        assert_eq!(page.count("#network-pane [data-object='input'] .flag").await?, 1);
        let rate_has_focus = async || Ok(page.script("return document.activeElement?.dataset.field ?? ''").await? == "rate");
        // Out of sight.
        page.click(&line("E")).await?;
        page.wait_for("another form", async || Ok(value(page, &field("name")).await? == "E")).await?;
        page.press_at("[data-testid='state'] button", 0.5).await?;
        page.wait_for("the field with the mistake", rate_has_focus).await?;
        page.fill(&field("rate"), "").await?;
        page.wait_text("#network-pane [id='flaws-field-rate']", "expected").await
    });
}

#[test]
fn an_edited_network_is_not_described_as_the_published_one() {
    flow(async |page| {
        open(page, "?backend=cpu#network=cuba").await?;
        unfold(page, "E").await?;
        page.fill(&field("size"), "321").await?;
        wait_state(page, "ready").await?;
        page.press_at("#run", 0.5).await?;
        wait_state(page, "running").await?;
        assert_eq!(page.focused().await?, "run", "Run has dropped the focus");
        page.wait_text("section.about", "Derived from").await?;
        assert_eq!(page.count("#network-pane input[type=file]:not([hidden])").await?, 0, "a second button for screen readers");
        Ok(())
    });
}

/// Pictures to look at: desktop and phone, light and dark.
#[test]
fn the_network_pane_fits_a_desk_and_a_phone() {
    flow(async |page| {
        for (width, height) in [(1440, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                open(page, "?backend=cpu#network=cuba").await?;
                let nameless = "return [...document.querySelectorAll('#network-pane :is(input, select, textarea)')].filter(e =>
                    !e.labels?.length && !e.getAttribute('aria-label')).map(e => e.outerHTML)";
                let name = format!("network-{width}x{height}-{scheme}");
                page.screenshot(&format!("{name}-lists.png")).await?;
                for (object, shown) in [("E", "population"), ("E_I", "projection")] {
                    let there = page.count(&line(object)).await? == 1;
                    let object = if there { object.to_owned() } else { first_projection(page).await? };
                    unfold(page, &object).await?;
                    page.script("document.querySelector('#inspector').scrollIntoView({block: 'start'})").await?;
                    tokio::time::sleep(Duration::from_millis(250)).await;
                    assert_eq!(page.script(nameless).await?, serde_json::json!([]));
                    let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                    assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{width}×{height}: the page is {overflow} pixels too wide");
                    page.screenshot(&format!("{name}-{shown}.png")).await?;
                }
                page.fill(&field("connect.p"), "1.5").await?;
                wait_state(page, "wrong").await?;
                if width == 390 {
                    assert_eq!(page.small_targets().await?, Vec::<String>::new());
                }
                page.screenshot(&format!("{name}-wrong.png")).await?;
                page.script("window.scrollTo(0, 0)").await?;
                page.click("#network").await?;
                page.wait_for("the list", async || Ok(page.count("#networks li").await? >= 3)).await?;
                page.screenshot(&format!("{name}-catalogue.png")).await?;
            }
        }
        Ok(())
    });
}

/// The network that the browser would save as a file.
async fn saved(page: &Browser) -> Test<serde_json::Value> {
    page.script(
        "window.exported = new Promise(resolve => { const make = URL.createObjectURL;
            URL.createObjectURL = blob => { blob.text().then(resolve); return make.call(URL, blob); } });
         HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }; return 0",
    )
    .await?;
    page.click("#save-file").await?;
    page.wait_for("the file", async || Ok(page.script("return window.savedAs ?? ''").await? != "")).await?;
    let text = page.script("return await window.exported").await?;
    Ok(serde_json::from_str(text.as_str().ok_or("no text")?)?)
}

async fn first_projection(page: &Browser) -> Test<String> {
    let name = page.script("return document.querySelector('[data-list=projections] [data-object]').dataset.object").await?;
    Ok(name.as_str().unwrap_or("").to_owned())
}
