//! The time axis of a run: reviewed, forked, repeated, slowed down, and begun again.

use std::time::Instant;

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::flow;

/// Opens a network on the CPU, ready to run.
async fn open(page: &Browser, network: &str) -> Test {
    page.open(&format!("?backend=cpu#network={network}")).await?;
    page.wait_enabled("#play").await?;
    page.wait_for("the strip", async || Ok(page.count("#timeline-view").await? == 1)).await
}

async fn time(page: &Browser) -> Test<f64> {
    let time = page.script("return +document.querySelector('#time').dataset.value").await?;
    Ok(time.as_f64().unwrap_or(f64::NAN))
}

async fn spikes(page: &Browser) -> Test<f64> {
    let spikes = page.script("return +document.querySelector('#spikes').dataset.value").await?;
    Ok(spikes.as_f64().unwrap_or(f64::NAN))
}

/// Waits until it is paused at a time, with its readings.
async fn paused_at(page: &Browser, ms: f64) -> Test {
    page.wait_for(&format!("a pause at {ms} ms"), async || {
        let playing = page.text("#play").await?.contains("Pause");
        Ok(!playing && (time(page).await? - ms).abs() < 1e-6 && page.count(".timeline-replay").await? == 0)
    })
    .await
}

async fn run_for(page: &Browser, text: &str) -> Test {
    page.fill("#run-for-time", text).await?;
    page.wait_enabled("#run-for").await?;
    page.click("#run-for").await
}

/// An attribute of the window of the strip.
async fn view(page: &Browser, name: &str) -> Test<String> {
    let script = format!("return document.querySelector('#timeline-view').getAttribute('aria-value{name}')");
    Ok(page.script(&script).await?.as_str().unwrap_or_default().to_owned())
}

/// The values of a slider: of its position and of its text.
async fn slider(page: &Browser, path: &str) -> Test<Vec<f64>> {
    let script = format!(
        "const input = document.querySelector(`[data-path='{path}']`);
         return [+(+input.value).toPrecision(6), parseFloat(input.closest('.slider').querySelector('.value').value)]"
    );
    Ok(serde_json::from_value(page.script(&script).await?)?)
}

#[test]
fn a_run_has_an_end_a_step_is_a_step_and_the_speed_is_limited() {
    flow(async |page| {
        open(page, "izhikevich").await?;
        run_for(page, "100 ms").await?;
        paused_at(page, 100.0).await?;
        page.click("#step").await?;
        let dt_ms = 1.0;
        paused_at(page, 100.0 + dt_ms).await?;
        page.key(".").await?;
        paused_at(page, 100.0 + 2.0 * dt_ms).await?;
        run_for(page, "soon").await?;
        page.wait_text("#error", "“soon” is not a duration").await?;
        run_for(page, "0.1 s").await?;
        paused_at(page, 202.0).await?;
        assert!(page.text("#error").await?.is_empty());
        // A tenth of real time.
        page.choose("#speed", "0.1").await?;
        page.click("#play").await?;
        page.wait_number("#time", |time| time > 210.0).await?;
        let (began, from) = (Instant::now(), time(page).await?);
        page.wait_number("#time", |time| time > 410.0).await?;
        let speed = (time(page).await? - from) / 1000.0 / began.elapsed().as_secs_f64();
        assert!((0.02..0.13).contains(&speed), "the speed is {speed}");
        // A change takes effect at once, and so does a pause.
        page.choose("#speed", "inf").await?;
        page.wait_number("#time", |time| time > 1500.0).await?;
        page.choose("#speed", "0.001").await?;
        page.click("#play").await?;
        page.wait_for("a pause", async || Ok(page.text("#play").await?.contains("Play"))).await
    });
}

#[test]
fn the_run_is_reviewed_while_it_goes_on() {
    flow(async |page| {
        open(page, "cuba").await?;
        run_for(page, "2 s").await?;
        paused_at(page, 2000.0).await?;
        page.wait_for("its last second", async || Ok(view(page, "text").await?.starts_with("live, 1.000 s to 2.000 s"))).await?;
        assert!(page.ink(".timeline-track canvas").await? > 100);
        // A click shows another time, the keys move it, and the run goes on.
        page.press_at(".timeline-track", 0.25).await?;
        page.wait_for("a review", async || Ok(view(page, "text").await?.starts_with("0.0"))).await?;
        assert!(page.ink(".raster canvas").await? > 50);
        let from: f64 = view(page, "now").await?.parse()?;
        page.press_focused("right").await?;
        page.wait_for("a step to the right", async || Ok((view(page, "now").await?.parse::<f64>()? - from - 100.0).abs() < 0.01))
            .await?;
        page.type_in("+").await?;
        page.click("#play").await?;
        page.wait_number("#time", |time| time > 2300.0).await?;
        assert!(view(page, "text").await?.contains(" ms to 93"), "{}", view(page, "text").await?);
        page.screenshot("timeline-review.png").await?;
        page.click("#live").await?;
        page.wait_for("the live edge", async || Ok(view(page, "text").await?.starts_with("live"))).await?;
        page.click("#play").await?;
        page.wait_text("#kept", "Kept: spikes, rates and traces since 0 s").await?;
        page.drag(".timeline-track", 0.1, 0.3).await?;
        page.wait_for("a review", async || Ok(!view(page, "text").await?.starts_with("live"))).await?;
        page.press("#timeline-view", "l").await?;
        page.wait_for("the live edge", async || Ok(view(page, "text").await?.starts_with("live"))).await
    });
}

#[test]
fn a_slider_makes_a_flag_and_a_fork_has_the_same_spikes() {
    flow(async |page| {
        open(page, "cuba").await?;
        page.choose("#speed", "0.5").await?;
        page.click("#play").await?;
        page.wait_number("#time", |time| time > 150.0).await?;
        page.drag("input[data-path='E.taum']", 0.3, 0.6).await?;
        page.wait_for("a flag", async || Ok(page.count(".timeline-flag").await? > 0)).await?;
        page.click("#play").await?;
        page.wait_for("a pause", async || Ok(!page.text("#play").await?.contains("Pause"))).await?;
        page.wait_steady("#time").await?;
        page.choose("#speed", "inf").await?;
        let end = time(page).await?;
        // So long that the middle of the run is before what plots show, the last second.
        run_for(page, "2 s").await?;
        paused_at(page, end + 2000.0).await?;
        let (end, count, value) = (end + 2000.0, spikes(page).await?, slider(page, "E.taum").await?);
        // Usually one, but the machine may be slow.
        assert!(page.text("#changes summary").await?.starts_with("Changes ("));
        // Back to a time after the flag, and to the end again: nothing has changed.
        page.press_at(".timeline-track", 0.5).await?;
        page.wait_for("a review", async || Ok(page.count("#fork").await? == 1)).await?;
        page.press("#timeline-view", "l").await?;
        page.script(&format!(
            "document.querySelector('.timeline-track').dispatchEvent(new MouseEvent('dblclick')); return {end}"
        ))
        .await?;
        page.wait_for("the whole run", async || Ok(view(page, "text").await?.starts_with("0.0"))).await?;
        page.click("#fork").await?;
        paused_at(page, end).await?;
        page.wait_for("the same spikes", async || Ok(spikes(page).await? == count)).await?;
        page.script("document.querySelector('#changes').open = true; return 0").await?;
        page.screenshot("timeline-fork.png").await?;
        // Just before the flag the slider is where it was; the run without it is another one.
        page.click("#changes li button").await?;
        page.wait_for("no changes", async || Ok(page.count("#changes").await? == 0)).await?;
        // The run is repeated up to the removed change.
        page.wait_for("the end of the repeat", async || Ok(page.count(".timeline-replay").await? == 0)).await?;
        page.wait_steady("#time").await?;
        assert_eq!(slider(page, "E.taum").await?, [20.0, 20.0]);
        let at = time(page).await?;
        assert!(at > 100.0 && at < end, "{at}");
        page.screenshot("timeline-forked.png").await?;
        run_for(page, &format!("{} ms", end - at)).await?;
        paused_at(page, end).await?;
        assert!(spikes(page).await? != count && slider(page, "E.taum").await? != value);
        Ok(())
    });
}

#[test]
fn a_flag_is_edited_and_removed_and_both_resets_agree_with_the_sliders() {
    flow(async |page| {
        open(page, "cuba").await?;
        run_for(page, "100 ms").await?;
        paused_at(page, 100.0).await?;
        run_for(page, "200 ms").await?;
        paused_at(page, 300.0).await?;
        let without = spikes(page).await?;
        page.click("#reset").await?;
        paused_at(page, 0.0).await?;
        run_for(page, "100 ms").await?;
        paused_at(page, 100.0).await?;
        page.slide("input[data-path='E.El']", "-45").await?;
        page.wait_for("a flag", async || Ok(page.count("#changes li").await? == 1)).await?;
        run_for(page, "200 ms").await?;
        paused_at(page, 300.0).await?;
        let with = spikes(page).await?;
        assert!(with > without + 100.0, "{with} spikes, {without} without the change");
        page.script("document.querySelector('#changes').open = true; return 0").await?;
        page.fill("#changes input", "-48 ms").await?;
        page.script("document.querySelector('#changes input').dispatchEvent(new Event('change', {bubbles: true})); return 0")
            .await?;
        page.wait_text("#changes .wrong", "-48 ms").await?;
        assert_eq!((time(page).await?, spikes(page).await?), (300.0, with));
        page.fill("#changes input", "-47 mV").await?;
        page.script("document.querySelector('#changes input').dispatchEvent(new Event('change', {bubbles: true})); return 0")
            .await?;
        page.wait_for("the edited value", async || Ok(page.count(".timeline-replay").await? == 0 && spikes(page).await? != with))
            .await?;
        paused_at(page, 300.0).await?;
        let edited = spikes(page).await?;
        assert_eq!(page.text("#changes summary").await?, "Changes (1)");
        assert!(edited < with && edited > without, "{edited} spikes, {with} before, {without} without");
        page.click("#changes li button:last-of-type").await?;
        page.wait_for("no changes", async || Ok(page.count("#changes").await? == 0)).await?;
        paused_at(page, 300.0).await?;
        page.wait_for("the spikes without the change", async || Ok(spikes(page).await? == without)).await?;
        // A reset keeps the values, a full reset does not; the sliders agree with both.
        page.slide("input[data-path='E.El']", "-45").await?;
        page.wait_for("a flag", async || Ok(page.count("#changes li").await? == 1)).await?;
        page.click("#reset").await?;
        paused_at(page, 0.0).await?;
        assert_eq!(page.count("#changes").await?, 0);
        run_for(page, "100 ms").await?;
        paused_at(page, 100.0).await?;
        let kept = spikes(page).await?;
        page.click("#full-reset").await?;
        paused_at(page, 0.0).await?;
        page.wait_for("the value of the network", async || Ok(page.script("return location.hash").await? == "#network=cuba"))
            .await?;
        run_for(page, "300 ms").await?;
        paused_at(page, 300.0).await?;
        assert!(kept > 0.0);
        page.wait_for("the first spikes", async || Ok(spikes(page).await? == without)).await
    });
}

#[test]
fn the_timeline_fits_a_phone_and_can_be_pressed() {
    flow(async |page| {
        for (width, height, scheme) in [(390, 844, "dark"), (1440, 900, "light")] {
            page.emulate(width, height, scheme).await?;
            open(page, "cuba").await?;
            run_for(page, "300 ms").await?;
            paused_at(page, 300.0).await?;
            page.slide("input[data-path='E.taum']", "15").await?;
            run_for(page, "700 ms").await?;
            paused_at(page, 1000.0).await?;
            page.wait_for("a flag", async || Ok(page.count(".timeline-flag").await? == 1)).await?;
            page.script("document.querySelector('#changes').open = true; return 0").await?;
            let beyond = format!(
                "return [...document.querySelectorAll('.timeline, .timeline *')].filter(e => e.getBoundingClientRect().right > {width}).length"
            );
            assert_eq!(page.script(&beyond).await?, json!(0));
            if width < 500 {
                assert_eq!(page.small_targets().await?, Vec::<String>::new());
            }
            page.script("scrollTo(0, 0); return 0").await?;
            page.screenshot(&format!("timeline-{width}-{scheme}.png")).await?;
        }
        Ok(())
    });
}

/// Control and Z on a slider are about sliders.
#[test]
fn a_move_of_a_slider_is_undone_and_done_again() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let slider = "input[data-path='E.taum']";
        let value = "return document.querySelector('.parameters [data-value-of=\"E.taum\"]').value";
        for moved in ["18", "16", "15"] {
            page.slide(slider, moved).await?;
        }
        page.wait_for("15 ms", async || Ok(page.script(value).await? == "15\u{a0}ms")).await?;
        page.press(slider, "control+z").await?;
        page.wait_for("the value before the drag", async || Ok(page.script(value).await? == "20\u{a0}ms")).await?;
        page.press(slider, "control+y").await?;
        page.wait_for("the drag again", async || Ok(page.script(value).await? == "15\u{a0}ms")).await
    });
}
