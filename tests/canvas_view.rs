//! Flows through the diagram of the network: drawn by mouse, drawn by keys, arranged, looked at.

use std::time::Duration;

use thirtyfour::Key;

use super::browser::{Browser, Test};
use super::equations::show_network;
use super::flow;

/// The outline of a node, which lies around its middle.
fn node(name: &str) -> String {
    format!("#diagram [data-node='{name}'] > .outline")
}

/// The handle of a node that is selected.
fn handle(name: &str) -> String {
    format!("#diagram [data-node='{name}'] .handle circle")
}

async fn wait_count(page: &Browser, css: &str, count: u64) -> Test {
    page.wait_for(&format!("{count} of {css}"), async || Ok(page.count(css).await? == count)).await
}

/// Opens a network with its pane.
async fn open(page: &Browser, at: &str) -> Test {
    page.open(at).await?;
    show_network(page).await?;
    page.wait_for("the diagram", async || Ok(page.count("#diagram .node").await? > 0)).await
}

async fn wait_state(page: &Browser, state: &str) -> Test {
    wait_count(page, &format!("[data-testid='state'][data-state='{state}']"), 1).await
}

/// Presses the tabulator key, or goes back with it, until an element has the focus.
async fn tab_to(page: &Browser, css: &str, back: bool) -> Test {
    for _ in 0..120 {
        if page.script(&format!("return !!document.activeElement?.matches({css:?})")).await? == true {
            return Ok(());
        }
        page.press_focused(if back { "shift+tab" } else { "tab" }).await?;
    }
    Err(format!("the tabulator key does not reach {css}").into())
}

async fn focused_node(page: &Browser) -> Test<String> {
    let name = page.script("return document.activeElement?.dataset?.node ?? ''").await?;
    Ok(name.as_str().unwrap_or("").to_owned())
}

async fn wait_focus(page: &Browser, name: &str) -> Test {
    page.wait_for(&format!("{name} to have the focus"), async || Ok(focused_node(page).await? == name)).await
}

#[test]
fn two_populations_are_drawn_by_mouse_and_spike() {
    flow(async |page| {
        page.emulate(1440, 900, "light").await?;
        open(page, "?backend=cpu#network=cuba").await?;
        page.click("#new").await?;
        page.wait_text("#title", "New network").await?;
        wait_count(page, "#diagram .node", 1).await?;
        page.click_beside(&node("cells"), (0, 0), None).await?;
        wait_focus(page, "cells").await?;
        page.press_focused("delete").await?;
        wait_count(page, "#diagram .node", 0).await?;
        page.wait_text(".canvas-empty", "No neurons yet").await?;
        page.press_focused("control+z").await?;
        wait_count(page, "#diagram [data-node='cells']", 1).await?;
        page.click_beside(&node("cells"), (0, 0), None).await?;
        wait_focus(page, "cells").await?;
        page.press_focused("delete").await?;
        wait_count(page, "#diagram .node", 0).await?;

        // One is dragged there, one is put there by two clicks.
        page.drag_onto("[data-testid='add-excitatory']", "#diagram", (-110, -10)).await?;
        wait_count(page, "#diagram [data-node='E'][data-shape='excitatory']", 1).await?;
        page.click("[data-testid='add-inhibitory']").await?;
        page.click_beside("#diagram", (70, -10), None).await?;
        wait_count(page, "#diagram [data-node='I'][data-shape='inhibitory']", 1).await?;

        // A recorder belongs to a population.
        page.click("#initials [data-record='v']").await?;
        wait_count(page, "#diagram [data-node='I'] + .label .recorder", 0).await?;
        page.drag_onto("[data-testid='add-recorder']", &node("I"), (0, 0)).await?;
        wait_count(page, "#diagram [data-node='I'] + .label .recorder", 1).await?;

        for (from, to, sign) in [("E", "I", "excitatory"), ("I", "E", "inhibitory"), ("E", "E", "excitatory")] {
            page.click_beside(&node(from), (0, 0), None).await?;
            wait_count(page, &format!("#inspector[data-object='{from}']"), 1).await?;
            page.drag_onto(&handle(from), &node(to), (0, 0)).await?;
            wait_count(page, &format!("#diagram [data-edge='{from}_{to}'][data-sign='{sign}'].dashed"), 1).await?;
            wait_count(page, &format!("#inspector[data-object='{from}_{to}'] [data-field='connect.p']"), 1).await?;
        }
        // Dropped on the ground: nothing.
        page.click_beside(&node("I"), (0, 0), None).await?;
        page.drag_onto(&handle("I"), "#diagram", (150, 60)).await?;
        assert_eq!(page.count("#diagram .edge").await?, 3);

        page.click_beside(&node("E"), (0, 0), None).await?;
        page.wait_for(
            "its model",
            async || Ok(page.script("return document.querySelector('#model')?.value").await? == "lif_exp"),
        )
        .await?;
        page.fill("#value-El", "-49 mV").await?;
        page.fill("#text-threshold", "v > Vt + 0.1*mV").await?;
        wait_state(page, "ready").await?;
        page.screenshot("canvas-drawn.png").await?;
        page.click("#run").await?;
        wait_state(page, "running").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await?;
        page.wait_text("#status", "1").await?;
        assert_eq!(page.text("#error").await?, "");
        assert_eq!(page.count("#diagram .node").await?, 2, "what runs is what was drawn");
        Ok(())
    });
}

#[test]
fn two_populations_are_drawn_by_keys_and_spike() {
    flow(async |page| {
        page.emulate(1440, 900, "light").await?;
        open(page, "?backend=cpu#network=cuba").await?;
        tab_to(page, "#new", false).await?;
        page.press_focused("enter").await?;
        page.wait_text("#title", "New network").await?;
        page.wait_for("the equations to have the focus", async || Ok(page.focused().await? == "text-equations")).await?;
        tab_to(page, "#diagram .node", true).await?;
        page.press_focused("delete").await?;
        wait_count(page, "#diagram .node", 0).await?;
        tab_to(page, "[data-testid='add-excitatory']", true).await?;
        page.press_focused("enter").await?;
        wait_focus(page, "E").await?;
        tab_to(page, "[data-testid='add-inhibitory']", true).await?;
        page.press_focused("enter").await?;
        wait_focus(page, "I").await?;
        // From I to E above it, back, and from E to itself.
        for (keys, edge) in [(&["c", "up", "enter"][..], "I_E"), (&["up", "c", "down", "enter"], "E_I"), (&["c", "enter"], "E_E")]
        {
            for key in keys {
                page.press_focused(key).await?;
                tokio::time::sleep(Duration::from_millis(60)).await;
            }
            wait_count(page, &format!("#diagram [data-edge='{edge}']"), 1).await?;
        }
        page.press_focused("c").await?;
        page.press_focused("escape").await?;
        assert_eq!(page.count("#diagram .edge").await?, 3, "Escape connects nothing");
        page.press_focused("enter").await?;
        page.wait_for("the inspector to have the focus", async || Ok(page.focused().await? == "inspector-title")).await?;
        tab_to(page, "#value-El", false).await?;
        page.press_focused("control+a").await?;
        page.type_in("-49 mV").await?;
        wait_state(page, "ready").await?;
        page.press_focused("control+enter").await?;
        wait_state(page, "running").await?;
        page.wait_number("#spikes", |spikes| spikes > 500.0).await
    });
}

#[test]
fn edges_are_reached_opened_and_deleted_by_keys() {
    flow(async |page| {
        page.emulate(1440, 900, "dark").await?;
        open(page, "?backend=cpu#network=cuba").await?;
        tab_to(page, "#diagram .node", false).await?;
        wait_focus(page, "E").await?;
        let focused = "const edge = document.activeElement?.closest('.edge');
            return edge ? [edge.dataset.edge, edge.getAttribute('aria-label'), edge.matches(':focus-visible')] : []";
        let wait_edge = async |name: &str| {
            page.wait_for(&format!("{name} to have the focus"), async || Ok(page.script(focused).await?[0] == name)).await
        };
        page.press_focused("e").await?;
        wait_edge("EE").await?;
        page.press_focused("e").await?;
        wait_edge("EI").await?;
        let [_, words, is_visible] =
            page.script(focused).await?.as_array().cloned().unwrap_or_default().try_into().expect("an edge");
        assert_eq!(words, "EI, from E to I, bernoulli, p 0.02, excitatory");
        assert_eq!(is_visible, true);
        page.wait_text("[data-testid=canvas-words]", "EI, from E to I").await?;
        page.screenshot("canvas-edge-focus.png").await?;
        let stops = "#diagram [tabindex='0']";
        assert_eq!(page.count(stops).await?, 1, "one stop of the tabulator key");
        page.press_focused("enter").await?;
        wait_count(page, "#inspector[data-object='EI']", 1).await?;
        page.wait_for("the inspector to have the focus", async || Ok(page.focused().await? == "inspector-title")).await?;
        // Back to that edge, on to the next one, which goes, though another one is selected.
        tab_to(page, "#diagram .edge", true).await?;
        page.press_focused("e").await?;
        wait_edge("IE").await?;
        page.press_focused("delete").await?;
        wait_count(page, "#diagram [data-edge='IE']", 0).await?;
        assert_eq!(page.count("#diagram .edge").await?, 3);
        page.press_focused("control+z").await?;
        wait_count(page, "#diagram .edge", 4).await?;
        // Arrow keys lead from an edge to a node.
        tab_to(page, "#diagram :is(.node, .edge)", false).await?;
        page.press_focused("shift+e").await?;
        page.press_focused("up").await?;
        page.wait_for("a node to have the focus", async || Ok(!focused_node(page).await?.is_empty())).await
    });
}

#[test]
fn nodes_are_arranged_grouped_copied_and_brought_back() {
    flow(async |page| {
        page.emulate(1440, 900, "light").await?;
        open(page, "?backend=cpu#network=cuba").await?;
        let place = "return document.querySelector(\"#diagram [data-node='E']\").getAttribute('transform')";
        let before = page.script(place).await?;
        page.drag_onto(&node("E"), &node("E"), (-30, 40)).await?;
        page.wait_for("it to move", async || Ok(page.script(place).await? != before)).await?;
        wait_state(page, "paused").await?;
        let moved = page.script(place).await?;
        // A fitted view of the same positions.
        page.click("#canvas-fit").await?;
        let fitted = page.script(place).await?;
        page.reload().await?;
        let again = place.replace(".getAttribute", "?.getAttribute");
        page.wait_for("the same position", async || Ok(page.script(&again).await? == fitted)).await?;
        assert_ne!(fitted, before, "{moved}");

        // Both by a click each, with Shift.
        page.wait_enabled("#play").await?;
        page.click_beside(&node("E"), (0, 0), None).await?;
        page.click_beside(&node("I"), (0, 0), Some(Key::Shift)).await?;
        page.wait_text("[data-testid='several']", "2 selected: E and I").await?;
        page.click("[data-testid='group']").await?;
        page.fill("#group-label", "Column").await?;
        wait_count(page, "#diagram [data-group='Column']", 1).await?;
        page.screenshot("canvas-group.png").await?;
        page.click("[data-testid='duplicate-all']").await?;
        wait_count(page, "#diagram .node", 4).await?;
        wait_count(page, "#diagram .edge", 8).await?;
        wait_state(page, "ready").await?;
        page.click("[data-testid='remove-selected']").await?;
        wait_count(page, "#diagram .node", 2).await?;
        page.press_focused("control+z").await?;
        wait_count(page, "#diagram .node", 4).await?;
        page.press_focused("control+z").await?;
        wait_count(page, "#diagram .node", 2).await?;
        wait_state(page, "paused").await?;

        // A click on an edge opens its inspector; on the ground it shuts.
        let middle = "const line = document.querySelector(\"#diagram [data-edge='EI'] .line, #diagram [data-edge='E_I'] .line\");
            const at = line.getPointAtLength(line.getTotalLength()/2), box = document.querySelector('#diagram').getBoundingClientRect();
            return [at.x - box.width/2, at.y - box.height/2].map(Math.round)";
        let (x, y): (i64, i64) = serde_json::from_value(page.script(middle).await?)?;
        page.click_beside("#diagram", (x, y), None).await?;
        page.wait_for("its inspector", async || Ok(page.count("#inspector [data-field='connect.p']").await? == 1)).await?;
        let at = "const box = document.querySelector('#diagram').getBoundingClientRect(); return [8 - Math.round(box.width/2), 8 - Math.round(box.height/2)]";
        let (x, y): (i64, i64) = serde_json::from_value(page.script(at).await?)?;
        page.click_beside("#diagram", (x, y), None).await?;
        wait_count(page, "#inspector", 0).await?;

        // A band around all, and a double click on the ground.
        let corner = (x + 6, y + 6);
        page.band("#diagram", corner, (-corner.0, -corner.1)).await?;
        page.wait_text("[data-testid='several']", "2 selected").await?;
        page.double_click_beside("#diagram", (corner.0 + 20, -corner.1 - 20)).await?;
        wait_count(page, "#diagram [data-node='P'][data-shape='generic']", 1).await?;
        wait_focus(page, "P").await?;
        page.press_focused("control+z").await?;
        wait_count(page, "#diagram .node", 2).await
    });
}

#[test]
fn a_value_of_the_inspector_changes_what_runs() {
    flow(async |page| {
        page.emulate(1440, 900, "light").await?;
        open(page, "?backend=cpu#network=cuba").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await?;
        page.click_beside(&node("E"), (0, 0), None).await?;
        wait_count(page, "#inspector input[data-live='E.taum']", 1).await?;
        page.slide("#inspector input[data-live='E.taum']", "25").await?;
        page.wait_for("the field to follow", async || {
            Ok(page.script("return document.querySelector('#value-taum').value").await? == "25 ms")
        })
        .await?;
        wait_state(page, "running").await?;
        // A number that is typed to the end is set at once, an expression waits for the next run.
        page.fill("#value-taum", "0.03 second").await?;
        wait_state(page, "ready").await?;
        page.slide("#value-taum", "0.03 second").await?;
        page.script("document.querySelector('#value-taum').dispatchEvent(new Event('change', {bubbles: true}))").await?;
        page.wait_for("the slider to follow", async || {
            Ok(page.script("return document.querySelector(\"input[data-path='E.taum']\").value").await? == "30")
        })
        .await?;
        wait_state(page, "running").await?;
        page.fill("#value-taum", "(20 + 0.001*i)*ms").await?;
        page.script("document.querySelector('#value-taum').dispatchEvent(new Event('change', {bubbles: true}))").await?;
        wait_state(page, "ready").await?;
        assert_eq!(page.text("#error").await?, "");
        Ok(())
    });
}

#[test]
fn the_device_is_a_chip_that_opens_its_panel() {
    flow(async |page| {
        page.emulate(1440, 900, "light").await?;
        open(page, "?backend=cpu#network=cuba").await?;
        let shown = "return document.querySelector('#device-panel').matches(':popover-open')";
        assert_eq!(page.script(shown).await?, false);
        page.press_at("#backend", 0.5).await?;
        page.wait_for("the panel", async || Ok(page.script(shown).await? == true)).await?;
        page.wait_text("#reason", "CPU").await?;
        page.screenshot("canvas-device.png").await?;
        page.press_focused("escape").await?;
        page.wait_for("it to shut", async || Ok(page.script(shown).await? == false)).await
    });
}

/// Pictures to look at: few and many nodes, desktop and phone, light and dark.
#[test]
fn the_diagram_fits_a_desk_and_a_phone() {
    flow(async |page| {
        for (width, height) in [(1440, 900), (1920, 1080), (390, 844)] {
            for scheme in ["light", "dark"] {
                let networks = ["cuba", "pd14&scale=0.02", "stdp_song", "decision"];
                let count = match width {
                    1440 => 4,
                    1920 => 1,
                    _ => 2,
                };
                for network in &networks[..count] {
                    page.emulate(width, height, scheme).await?;
                    open(page, &format!("?backend=cpu#network={network}")).await?;
                    let name = network.split('&').next().unwrap_or("");
                    let name = format!("canvas-{width}-{scheme}-{name}");
                    page.script("document.querySelector('#canvas').scrollIntoView({block: 'start'})").await?;
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    page.screenshot(&format!("{name}.png")).await?;
                    let first = page.script("return document.querySelector('#diagram .node').dataset.node").await?;
                    page.click_beside(&node(first.as_str().unwrap_or("")), (0, 0), None).await?;
                    wait_count(page, "#inspector", 1).await?;
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    page.screenshot(&format!("{name}-inspector.png")).await?;
                    let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                    assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{name}: the page is {overflow} pixels too wide");
                    let nameless =
                        "return [...document.querySelectorAll('#network-pane :is(input, select, textarea)')].filter(e =>
                        !e.labels?.length && !e.getAttribute('aria-label')).map(e => e.outerHTML)";
                    assert_eq!(page.script(nameless).await?, serde_json::json!([]));
                    if width == 390 {
                        assert_eq!(page.small_targets().await?, Vec::<String>::new());
                    }
                }
            }
        }
        Ok(())
    });
}
