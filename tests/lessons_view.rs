//! Lessons, the gallery, the tour and the help, as users meet them.

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::flow;

const CUBA: &str = "?backend=cpu#network=cuba";

/// Opens a network and its lesson.
async fn open_lesson(page: &Browser, address: &str) -> Test {
    page.open(address).await?;
    page.wait_enabled("#play").await?;
    if page.count("#lesson.shut").await? == 1 {
        page.click("#pane-lesson").await?;
    }
    page.wait_for("the lesson", async || Ok(page.count(".step[data-step='1']").await? == 1)).await
}

async fn wait_done(page: &Browser, step: u32) -> Test {
    let css = format!(".step[data-step='{step}'][data-done='true']");
    page.wait_for(&format!("step {step} to be done"), async || Ok(page.count(&css).await? == 1)).await
}

/// Chooses a chapter of the course in the open lesson.
async fn open_chapter(page: &Browser, chapter: u32, title: &str) -> Test {
    page.click(&format!("[data-chapter='{chapter}']")).await?;
    page.wait_text("#lesson .lesson-title", title).await?;
    page.wait_enabled("#play").await
}

/// Lets the page do a step, without a guess where it waits for one.
async fn do_step(page: &Browser, step: u32) -> Test {
    if page.count(&format!(".step[data-step='{step}'] #no-guess")).await? == 1 {
        page.click("#no-guess").await?;
        return wait_done(page, step).await;
    }
    page.click(&format!("[data-act='{step}']")).await?;
    wait_done(page, step).await
}

#[test]
fn the_lesson_of_cuba_ticks_what_was_done_and_measures_its_figures() {
    flow(async |page| {
        open_lesson(page, CUBA).await?;
        assert_eq!(page.count(".step[data-done='true'], [data-figure='holds']").await?, 0, "nothing was measured");
        // Play runs the step, slowly, and it stops.
        page.click("#play").await?;
        wait_done(page, 1).await?;
        page.wait_text("#play", "Play").await?;
        let pace = "return ['speed', 'window'].map((id) => document.getElementById(id).value).join(' ')";
        assert_eq!(page.script(pace).await?, json!("0.1 250"));
        let stopped = page.number("#time").await?;
        assert!((300.0..330.0).contains(&stopped), "{stopped}");
        // The user's own speed, for the figures.
        page.choose("#speed", "inf").await?;
        page.click("#play").await?;
        page.wait_for("four figures that hold", async || Ok(page.count("[data-figure='holds']").await? == 4)).await?;
        page.wait_text(".figures", "mean rate of E").await?;
        page.wait_text(".figures", "expected 5.67 ± 1.46").await?;
        page.screenshot("lesson-cuba.png").await?;
        do_step(page, 2).await?;
        let hash = page.script("return location.hash").await?;
        assert!(hash.as_str().unwrap_or("").contains("IE.wi=-4.5"), "{hash}");
        wait_done(page, 3).await?;
        page.wait_text("#lesson", "Done.").await?;
        page.screenshot("lesson-cuba-done.png").await?;
        // Leaving the lesson gives back what it has set.
        page.click("#pane-network").await?;
        assert_eq!(page.script(pace).await?, json!("inf 1000"));
        page.click("#pane-lesson").await?;
        // A run with another value is not the published one.
        page.click("#reset").await?;
        page.wait_for("figures that are not measured", async || Ok(page.count("[data-figure='not']").await? == 4)).await?;
        page.click("#defaults").await?;
        page.click("#reset").await?;
        page.click("#play").await?;
        page.wait_for("figures again", async || Ok(page.count("[data-figure='holds']").await? == 4)).await?;
        page.click("#lesson-again").await?;
        page.wait_for("the first step", async || Ok(page.count(".step.now[data-step='1']").await? == 1)).await?;
        page.wait_number("#time", |time| time == 0.0).await
    });
}

/// What answers no question is not ticked, whatever the plots still hold of before; the slider is in the step.
#[test]
fn a_wrong_answer_is_not_ticked() {
    flow(async |page| {
        open_lesson(page, CUBA).await?;
        page.click(".chapters summary").await?;
        open_chapter(page, 1, "What a spike is").await?;
        for step in 1..=2 {
            do_step(page, step).await?;
        }
        // A prediction first; then the first spike, at which it pauses.
        page.click("[data-choice='1']").await?;
        page.wait_text(".frozen", "The first spike").await?;
        page.click("#play").await?;
        wait_done(page, 3).await?;
        page.wait_text(".step[data-step='3'] .verdict", "Other than you expected").await?;
        page.choose("#speed", "1").await?;
        page.click("#play").await?;
        let reading = ".step[data-step='4'] .reading";
        for (value, said) in [("130", ": 0"), ("0.3 nA", "between 4 and 20"), ("149", ": 0")] {
            page.choose(".step.now .value", value).await?;
            page.wait_for("no measure of before", async || Ok(page.count(reading).await? == 0)).await?;
            page.wait_text(reading, said).await?;
            assert_eq!(page.count(".step[data-step='4'][data-done='true']").await?, 0, "{value}");
        }
        page.choose(".step.now .value", "155").await?;
        wait_done(page, 4).await?;
        page.wait_text("#play", "Play").await?;
        // What is not a value stays, with a sentence at its field.
        page.choose(".parameters [data-value-of='cell.I']", "much").await?;
        page.wait_text(".parameters .wrong", "“much” is not a value").await?;
        page.press(".parameters [data-value-of='cell.I']", "escape").await?;
        page.wait_for("the value of before", async || Ok(page.count(".parameters .wrong").await? == 0)).await
    });
}

#[test]
fn the_first_lesson_begins_with_a_cell_and_ends_with_learning() {
    flow(async |page| {
        open_lesson(page, CUBA).await?;
        page.click(".chapters summary").await?;
        open_chapter(page, 1, "What a spike is").await?;
        do_step(page, 1).await?;
        assert_eq!(page.number("#spikes").await?, 0.0, "100 pA are not enough");
        page.screenshot("lesson-first.png").await?;
        // By hand, without the button, and the space bar runs what is next.
        page.slide("input[data-path='cell.I']", "200").await?;
        wait_done(page, 2).await?;
        page.key(" ").await?;
        let guess_has_focus = async || Ok(page.script("return document.activeElement.id").await? == json!("prediction"));
        page.wait_for("the guess to come first", guess_has_focus).await?;
        page.press("[data-choice='3']", "enter").await?;
        page.wait_text(".frozen", "Play continues").await?;
        page.wait_text("#play", "Play").await?;
        page.key(" ").await?;
        wait_done(page, 3).await?;
        page.wait_text(".step[data-step='3'] .found", "your guess").await?;
        page.slide("input[data-path='cell.I']", "155").await?;
        page.click("#play").await?;
        wait_done(page, 4).await?;
        page.click("#next-chapter").await?;
        page.wait_text("#lesson .lesson-title", "The knobs of a cell").await?;
        page.wait_for("a tick at the first chapter", async || Ok(page.count("[data-chapter='1'] .tick").await? == 1)).await?;
        page.wait_enabled("#play").await?;
        // A curve, drawn by keys; the measured one is laid over it.
        page.press(".knob:last-of-type", "up").await?;
        page.press_focused("left").await?;
        page.press_focused("up").await?;
        let drawn = "return [...document.querySelectorAll('.knob')].map((knob) => knob.ariaValueNow).slice(-2).join()";
        assert_eq!(page.script(drawn).await?, json!("3,3"));
        page.click("#run-curve").await?;
        wait_done(page, 1).await?;
        page.wait_text(".step[data-step='1'] .verdict", "The first cell that fired is at 150").await?;
        page.screenshot("lesson-curve.png").await?;
        open_chapter(page, 5, "Learning").await?;
        for step in 1..=3 {
            do_step(page, step).await?;
        }
        page.slide("input[data-path='early.A_plus']", "0.1").await?;
        do_step(page, 4).await?;
        page.screenshot("lesson-learning.png").await?;
        // Ticks are there after a reload.
        page.reload().await?;
        page.wait_for("both ticks", async || Ok(page.count("[data-chapter] .tick").await? == 2)).await
    });
}

#[test]
fn the_gallery_shows_pictures_and_is_used_by_keys() {
    flow(async |page| {
        page.open(CUBA).await?;
        page.wait_enabled("#play").await?;
        page.click("#network").await?;
        let drawn = "return [...document.querySelectorAll('#networks li')].filter(e => [...e.querySelectorAll('path')].reduce((sum, path) => sum + path.getTotalLength(), 0) > 20).length";
        page.wait_for("a picture on every card", async || {
            let cards = page.count("#networks li").await?;
            Ok(cards > 36 && page.script(drawn).await? == json!(cards))
        })
        .await?;
        page.screenshot("gallery.png").await?;
        let selected = "return document.querySelector('#networks [aria-selected=\"true\"]').dataset.network";
        assert_eq!(page.script(selected).await?, json!("cuba"));
        page.press("#search", "right").await?;
        page.wait_for("the next card", async || Ok(page.script(selected).await? == json!("coba"))).await?;
        page.press("#search", "up").await?;
        page.wait_for("a card above it", async || Ok(page.script(selected).await? != json!("coba"))).await?;
        // A topic, then a word.
        page.script("[...document.querySelectorAll('.chip')].find(e => e.textContent === 'waves').click()").await?;
        page.wait_for("one card", async || Ok(page.count("#networks li").await? == 1)).await?;
        page.script("document.querySelector('.chip[aria-pressed=\"true\"]').click()").await?;
        page.fill("#search", "gamma").await?;
        page.wait_for("the best of them", async || {
            Ok(page.script("return document.querySelector('#networks li')?.dataset.network").await? == "ping")
        })
        .await?;
        page.press_focused("enter").await?;
        page.wait_text("#network", "gamma").await?;
        // A chapter opens with its lesson.
        page.wait_enabled("#play").await?;
        page.click("#network").await?;
        page.fill("#search", "what a spike").await?;
        page.wait_for("the chapter", async || Ok(page.count("#networks li.chapter").await? >= 1)).await?;
        page.press_focused("enter").await?;
        page.wait_text("#lesson .lesson-title", "What a spike is").await
    });
}

#[test]
fn the_tour_is_shown_once_and_the_first_network_plays_softly() {
    flow(async |page| {
        page.open("").await?;
        page.wait_for("the tour", async || Ok(page.count(".tour").await? == 1)).await?;
        assert_eq!(page.script("return document.activeElement?.className").await?, json!("tour"));
        page.wait_number("#time", |time| time > 0.0).await?;
        assert_eq!(page.text("#play").await?.trim(), "Play");
        page.screenshot("tour.png").await?;
        page.press_focused("tab").await?;
        page.click("#tour-next").await?;
        page.wait_text(".tour", "2 of 4").await?;
        // It has stopped, and says what is next.
        page.wait_text(".soft", "full speed").await?;
        page.wait_steady("#spikes").await?;
        for step in ["3 of 4", "4 of 4"] {
            page.click("#tour-next").await?;
            page.wait_text(".tour", step).await?;
            page.wait_for("a mark around what it is about", async || Ok(page.count(".tour-ring").await? == 1)).await?;
            page.screenshot(&format!("tour-{}.png", &step[..1])).await?;
        }
        page.click("#tour-next").await?;
        page.wait_for("the end of the tour", async || Ok(page.count(".tour, .tour-ring").await? == 0)).await?;
        page.click("#play").await?;
        page.wait_text("#play", "Pause").await?;
        page.wait_for("no hint", async || Ok(page.count(".soft").await? == 0)).await?;
        // Never again, except from the help.
        page.open("").await?;
        page.wait_enabled("#play").await?;
        assert_eq!(page.count(".tour").await?, 0);
        page.key("?").await?;
        page.wait_for("the help", async || Ok(page.count("#help-dialog[open]").await? == 1)).await?;
        page.click("#tour-again").await?;
        page.wait_text(".tour", "1 of 4").await?;
        page.press_focused("escape").await?;
        page.wait_for("the end of the tour", async || Ok(page.count(".tour").await? == 0)).await
    });
}

#[test]
fn play_makes_soft_playing_full_playing() {
    flow(async |page| {
        page.prefer("prefers-reduced-motion", "reduce").await?;
        page.open("").await?;
        page.wait_enabled("#play").await?;
        page.press_focused("escape").await?;
        assert_eq!(page.number("#time").await?, 0.0, "nothing moves by itself");
        page.prefer("prefers-reduced-motion", "no-preference").await?;
        page.open("").await?;
        page.wait_number("#time", |time| time > 0.0).await?;
        page.click("#play").await?;
        page.wait_text("#play", "Pause").await?;
        page.wait_number("#time", |time| time > 300.0).await?;
        page.click("#play").await?;
        page.wait_text("#play", "Play").await?;
        page.wait_steady("#spikes").await
    });
}

#[test]
fn the_help_lists_the_keys_and_gives_the_focus_back() {
    flow(async |page| {
        page.open(CUBA).await?;
        page.wait_enabled("#play").await?;
        page.press("#reset", "?").await?;
        page.wait_text("#help-dialog", "Play or pause").await?;
        let text = page.text("#help-dialog").await?;
        for key in ["Space", "Ctrl", "Home", "Delete", "Follow the live edge"] {
            assert!(text.contains(key), "no word of {key}");
        }
        assert!(!text.to_lowercase().contains("cargo"));
        page.screenshot("help.png").await?;
        let hash = page.script("return location.hash").await?;
        page.click("#help-dialog [data-to='help-page']").await?;
        assert_eq!(page.script("return document.activeElement?.id").await?, json!("help-page"));
        assert_eq!(page.script("return location.hash").await?, hash);
        page.screenshot("help-page.png").await?;
        // Colours are chosen here, for a projector, and stay.
        let background = "return getComputedStyle(document.body).backgroundColor";
        page.choose("#colours", "dark").await?;
        assert_eq!(page.script(background).await?, json!("rgb(14, 16, 19)"));
        page.press_focused("escape").await?;
        page.wait_for("it to close", async || Ok(page.count("#help-dialog[open]").await? == 0)).await?;
        assert_eq!(page.script("return document.activeElement?.id").await?, json!("reset"));
        // The language, too; what has no translation is English.
        page.choose("#language", "de").await?;
        page.wait_text("#pane-lesson", "Lektion").await?;
        page.reload().await?;
        page.wait_enabled("#play").await?;
        assert_eq!(page.script(background).await?, json!("rgb(14, 16, 19)"));
        page.wait_text("#play", "Start").await?;
        assert_eq!(page.script("return document.documentElement.lang").await?, json!("de"));
        page.screenshot("german.png").await?;
        page.choose("#language", "en").await?;
        page.wait_text("#play", "Play").await?;
        // In a field it is a character.
        page.click("#network").await?;
        page.fill("#search", "?").await?;
        assert_eq!(page.count("#help-dialog[open]").await?, 0);
        Ok(())
    });
}

/// On a phone the plot of the lesson is in sight while the step below it is done, with the slider in the step.
#[test]
fn a_lesson_on_a_phone_has_its_plot_above_and_its_slider_below() {
    flow(async |page| {
        page.emulate(390, 844, "light").await?;
        open_lesson(page, CUBA).await?;
        page.click(".chapters summary").await?;
        page.script("document.querySelector('[data-chapter=\"1\"]').click()").await?;
        page.wait_text("#lesson .lesson-title", "What a spike is").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        wait_done(page, 1).await?;
        let places = "return ['.plot.trace canvas', '.step.now', '.step.now input[type=range]', '.plot.raster'].map((css) => {
            const box = document.querySelector(css)?.getBoundingClientRect(); return box && box.height > 0 ? [box.top, box.bottom] : null; })";
        page.script("document.querySelector('.step.now').scrollIntoView({block: 'center'})").await?;
        let found: Vec<Option<[f64; 2]>> = serde_json::from_value(page.script(places).await?)?;
        let [Some(plot), Some(step), Some(slider), None] = found[..] else { panic!("{found:?}") };
        assert!(plot[0] >= 0.0 && plot[1] <= step[0] && slider[0] > plot[1] && slider[1] < 844.0 - 60.0, "{found:?}");
        page.screenshot("phone-lesson-step.png").await?;
        assert_eq!(page.script("return document.documentElement.scrollWidth").await?, json!(390));
        assert_eq!(page.small_targets().await?, Vec::<String>::new());
        // The desk gets its other plots back.
        page.emulate(1440, 900, "dark").await?;
        page.wait_for("the raster", async || {
            Ok(page.script("return document.querySelector('.plot.raster').getBoundingClientRect().height > 60").await?
                == json!(true))
        })
        .await?;
        page.screenshot("lesson-first-dark.png").await
    });
}

#[test]
fn all_of_it_fits_a_phone() {
    flow(async |page| {
        for scheme in ["light", "dark"] {
            page.emulate(390, 844, scheme).await?;
            open_lesson(page, CUBA).await?;
            let width = "return document.documentElement.scrollWidth";
            assert_eq!(page.script(width).await?, json!(390));
            assert_eq!(page.small_targets().await?, Vec::<String>::new());
            page.screenshot(&format!("phone-lesson-{scheme}.png")).await?;
            page.click("#network").await?;
            page.wait_for("pictures", async || Ok(page.count("#networks path").await? > 30)).await?;
            assert_eq!(page.script(width).await?, json!(390));
            page.screenshot(&format!("phone-gallery-{scheme}.png")).await?;
            page.press("#search", "escape").await?;
            page.script("document.querySelector('#help').click()").await?;
            page.wait_text("#help-dialog", "Play or pause").await?;
            assert_eq!(page.small_targets().await?, Vec::<String>::new());
            page.screenshot(&format!("phone-help-{scheme}.png")).await?;
            page.press_focused("escape").await?;
            page.script("localStorage.clear()").await?;
        }
        page.open("").await?;
        page.wait_for("the tour", async || Ok(page.count(".tour").await? == 1)).await?;
        page.screenshot("phone-tour.png").await?;
        assert_eq!(page.script("return document.documentElement.scrollWidth").await?, json!(390));
        Ok(())
    });
}
