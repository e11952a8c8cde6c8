//! Flows through what is kept and shared: links, files, projects and the lab book.

use std::time::Duration;

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::driver::Engine;
use crate::plots_view::choose_item;
use crate::{equations, flow};

/// The value of a field.
async fn value(page: &Browser, css: &str) -> Test<String> {
    let found = page.script(&format!("return document.querySelector({css:?})?.value ?? ''")).await?;
    Ok(found.as_str().unwrap_or("").to_owned())
}

/// Time and number of spikes.
async fn readings(page: &Browser) -> Test<(f64, f64)> {
    Ok((page.number("#time").await?, page.number("#spikes").await?))
}

/// Runs for some time, with a value changed on the way; returns the readings at the end.
async fn run_with_a_change(page: &Browser) -> Test<(f64, f64)> {
    page.open("?backend=cpu#network=cuba&scale=0.5&seed=3").await?;
    page.wait_enabled("#play").await?;
    page.slide("input[data-path='E.taum']", "18").await?;
    page.click("#play").await?;
    page.wait_number("#time", |time| time > 200.0).await?;
    page.slide("input[data-path='I.taum']", "24").await?;
    page.wait_number("#time", |time| time > 500.0).await?;
    pause(page).await?;
    readings(page).await
}

async fn pause(page: &Browser) -> Test {
    page.click("#play").await?;
    page.wait_text("#play", "Play").await?;
    page.wait_steady("#spikes").await
}

/// The link of the dialog, without the address of the page.
async fn link(page: &Browser) -> Test<String> {
    page.click("#share").await?;
    page.wait_for("a link", async || Ok(value(page, "#share-link").await?.contains('#'))).await?;
    let link = value(page, "#share-link").await?;
    Ok(link[link.find('#').unwrap_or(0)..].to_owned())
}

/// Waits until the run of a link or file was repeated.
async fn repeated(page: &Browser, expected: (f64, f64)) -> Test {
    page.wait_number("#time", |time| time == expected.0).await?;
    page.wait_for("the end of the repetition", async || Ok(page.count("[data-testid=replay]").await? == 0)).await?;
    page.wait_steady("#spikes").await?;
    assert_eq!(readings(page).await?, expected);
    assert_eq!(value(page, "input[data-path='E.taum']").await?, "18");
    assert_eq!(value(page, "input[data-path='I.taum']").await?, "24");
    Ok(())
}

#[test]
fn a_link_gives_the_same_spikes_in_another_browser() {
    flow(async |page| {
        let expected = run_with_a_change(page).await?;
        let link = link(page).await?;
        assert!(link.starts_with("#1") && link.len() < 400, "{link}");
        page.wait_text("[data-testid=share-contents]", "1 changed value and its run to").await?;
        page.screenshot("share.png").await?;

        let other = Browser::start(Engine::chosen(), std::env::var("SPIKELET_PAGE_URL")?).await?;
        let result = async {
            other.open(&format!("?backend=cpu{link}")).await?;
            other.wait_enabled("#play").await?;
            repeated(&other, expected).await?;
            // A reload shows the same; a change of the user makes it another network.
            assert_eq!(other.script("return location.hash").await?, json!(link));
            other.slide("input[data-path='E.taum']", "19").await?;
            other
                .wait_for("a plain address", async || {
                    Ok(other.script("return location.hash.startsWith('#network=cuba')").await? == json!(true))
                })
                .await
        };
        let result = result.await;
        let console = other.console_errors().await;
        other.quit().await;
        result?;
        assert_eq!(console?, Vec::<String>::new());

        // Without the run, the link has the last values.
        page.script("document.querySelector('#share-run').click()").await?;
        page.wait_text("[data-testid=share-contents]", "Contains the network and 2 changed values.").await
    });
}

#[test]
fn a_file_is_the_same_as_a_link() {
    flow(async |page| {
        let expected = run_with_a_change(page).await?;
        page.script(
            "URL.createObjectURL = blob => { blob.text().then(text => { window.exported = text }); return 'blob:x' };
             HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }",
        )
        .await?;
        page.click("#share").await?;
        page.click("#save-shared").await?;
        page.wait_for("a file", async || Ok(page.script("return window.exported ?? ''").await? != "")).await?;
        assert_eq!(page.script("return window.savedAs").await?, "cuba.spikelet.json");
        let text = page.script("return window.exported").await?;
        let text = text.as_str().unwrap_or("").to_owned();
        let file: Value = serde_json::from_str(&text)?;
        assert_eq!((&file["spikelet"], &file["network"]), (&json!(1), &json!("cuba")));
        page.press_focused("escape").await?;
        page.open("?backend=cpu#network=izhikevich").await?;
        page.wait_enabled("#play").await?;
        page.drop_file("cuba.spikelet.json", &text).await?;
        page.wait_text("#title", "current-based").await?;
        repeated(page, expected).await?;

        page.drop_file("later.json", "{\"spikelet\": 7}").await?;
        page.wait_text("#error", "later.json: The file was made by a newer version of Spikelet").await?;
        page.drop_file("graph.nir", "").await?;
        page.wait_text("#error", "graph.nir").await?;
        page.drop_file("w.npz", "").await?;
        page.wait_text("#error", "The open network has no learned weights").await
    });
}

async fn run_for(page: &Browser, time: &str, end_ms: f64) -> Test {
    page.fill("#run-for-time", time).await?;
    page.wait_enabled("#run-for").await?;
    page.click("#run-for").await?;
    page.wait_number("#time", |time| (time - end_ms).abs() < 1e-6).await?;
    page.wait_text("#play", "Play").await?;
    page.wait_steady("#spikes").await
}

/// The visible time span, and the speed.
const SHOWN: &str =
    "return [document.querySelector('#timeline-view').getAttribute('aria-valuetext'), document.querySelector('#speed').value]";

#[test]
fn a_link_to_a_view_shows_it_with_the_run_that_was_forked() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba&scale=0.5").await?;
        page.wait_enabled("#play").await?;
        run_for(page, "400 ms", 400.0).await?;
        page.slide("input[data-path='E.taum']", "25").await?;
        run_for(page, "1600 ms", 2000.0).await?;
        // Back to before the second change, which is dropped.
        page.slide("input[data-path='I.taum']", "40").await?;
        run_for(page, "500 ms", 2500.0).await?;
        page.press_at(".timeline-track", 0.3).await?;
        page.wait_for("a review", async || Ok(page.count("#fork").await? == 1)).await?;
        page.click("#fork").await?;
        page.wait_number("#time", |time| time < 2000.0).await?;
        page.wait_steady("#time").await?;
        let forked = page.number("#time").await?;
        run_for(page, "1 s", forked + 1000.0).await?;
        let expected = readings(page).await?;
        page.press_at(".timeline-track", 0.3).await?;
        page.wait_for("a review", async || Ok(page.count("#fork").await? == 1)).await?;
        page.choose("#speed", "10").await?;
        let shown = page.script(SHOWN).await?;

        page.script("navigator.clipboard.writeText = async text => { window.copied = text }; return 0").await?;
        choose_item(page, ".raster .more", "Copy link to this view").await?;
        page.wait_text("[data-testid=said]", "The link to this view was copied.").await?;
        let link = page.script("return new URL(window.copied).hash").await?;
        page.open(&format!("?backend=cpu{}", link.as_str().unwrap_or(""))).await?;
        page.wait_enabled("#play").await?;
        page.wait_number("#time", |time| (time - expected.0).abs() < 1e-6).await?;
        page.wait_for("the end of the repetition", async || Ok(page.count("[data-testid=replay]").await? == 0)).await?;
        page.wait_for("the view", async || Ok(page.script(SHOWN).await? == shown)).await?;
        assert_eq!(readings(page).await?.1, expected.1);
        assert_eq!(value(page, "input[data-path='E.taum']").await?, "25");
        Ok(())
    });
}

/// A link of each release opens in this one.
#[test]
fn links_of_all_releases_open() {
    let golden: Vec<Value> = serde_json::from_str(include_str!("golden-links.json")).unwrap();
    flow(async |page| {
        for golden in golden {
            let link = golden["link"].as_str().ok_or("no link")?;
            page.open(&format!("?backend=cpu#{link}")).await?;
            page.wait_enabled("#play").await?;
            let (time, spikes) = (golden["time_ms"].as_f64(), golden["spikes"].as_f64());
            page.wait_number("#time", |now| Some(now) == time).await?;
            page.wait_for("its end", async || Ok(page.count("[data-testid=replay]").await? == 0)).await?;
            page.wait_steady("#spikes").await?;
            assert_eq!(Some(page.number("#spikes").await?), spikes, "the spikes of {}", golden["release"]);
        }
        Ok(())
    });
}

#[test]
fn a_link_that_cannot_be_opened_says_why() {
    flow(async |page| {
        for (link, part) in [
            ("#2AAAA", "made by a newer version of Spikelet (format 2; this page reads 1)"),
            ("#1eNpljkEKwjAQ", "The link is incomplete"),
            ("#1eNpljkEKw(", "character 11 is “(”"),
            ("#1AAAAAAAA", "The link is damaged near character"),
        ] {
            page.open(&format!("?backend=cpu{link}")).await?;
            page.wait_text("#error", part).await?;
            page.wait_text("#error", "Opened the first network of the list.").await?;
            page.wait_enabled("#play").await?;
        }
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 100.0).await
    });
}

/// Shows the projects, and waits for this number of them.
async fn projects(page: &Browser, count: u64) -> Test {
    if page.count("#projects.shut").await? == 1 {
        page.click("#pane-projects").await?;
    }
    page.wait_for(&format!("{count} projects"), async || Ok(page.count(".cards .card").await? == count)).await
}

fn button(project: &str, name: &str) -> String {
    format!(".card[data-project='{project}'] [data-testid='{name}-project']")
}

#[test]
fn projects_are_saved_as_they_change_and_survive() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba&scale=0.5").await?;
        page.wait_enabled("#play").await?;
        projects(page, 0).await?;
        page.wait_text("[data-testid=unsaved]", "is not a project yet").await?;
        page.slide("input[data-path='E.taum']", "25").await?;
        projects(page, 1).await?;
        page.wait_text("[data-testid=project-name]", "cuba").await?;
        page.fill("#notes", "slower").await?;
        page.click("#play").await?;
        page.wait_number("#time", |time| time > 100.0).await?;
        pause(page).await?;
        page.wait_text(".card .facts", " ms · ").await?;
        let expected = readings(page).await?;
        page.wait_number("#saved", |time| (time - expected.0).abs() < 0.05).await?;

        page.reload().await?;
        page.wait_enabled("#play").await?;
        page.wait_text("[data-testid=project-name]", "cuba").await?;
        page.wait_for("the notes", async || Ok(value(page, "#notes").await? == "slower")).await?;
        assert_eq!(value(page, "input[data-path='E.taum']").await?, "25");
        // Its state is offered and, without that, its time.
        page.wait_text("[data-testid=continue]", "cuba").await?;
        page.click("[data-testid=continue-discard]").await?;
        page.wait_text("[data-testid=replay-run]", "Run to").await?;
        page.click("[data-testid=replay-run]").await?;
        page.wait_number("#time", |time| time == expected.0).await?;
        page.wait_steady("#spikes").await?;
        assert_eq!(readings(page).await?, expected);

        // Another network is another project, and the first can be opened again.
        page.choose_network("izhikevich").await?;
        page.wait_text("#title", "Pulse-coupled").await?;
        page.wait_text("[data-testid=unsaved]", "is not a project yet").await?;
        assert_eq!(value(page, "#notes").await?, "");
        page.click(&button("cuba", "open")).await?;
        page.wait_text("#title", "current-based").await?;
        page.wait_enabled("#play").await?;
        page.wait_for("the slider", async || Ok(value(page, "input[data-path='E.taum']").await? == "25")).await?;
        page.wait_for("the notes", async || Ok(value(page, "#notes").await? == "slower")).await?;
        page.wait_text("[data-testid=replay]", "Saved at").await?;

        // Rename, duplicate, delete, undo.
        page.click(&button("cuba", "duplicate")).await?;
        projects(page, 2).await?;
        page.choose(".card[data-project='cuba, copy'] input", "second").await?;
        page.wait_for("the new name", async || Ok(page.count(&button("second", "open")).await? == 1)).await?;
        page.click(&button("second", "delete")).await?;
        projects(page, 1).await?;
        page.wait_text("[data-testid=projects-deleted]", "“second” was deleted.").await?;
        page.click("[data-testid=restore-project]").await?;
        projects(page, 2).await?;

        // All of them as one file, and back.
        page.script(
            "URL.createObjectURL = blob => { blob.text().then(text => { window.exported = text }); return 'blob:x' };
            HTMLAnchorElement.prototype.click = function () {}; return 0",
        )
        .await?;
        page.click("[data-testid=export-projects]").await?;
        page.wait_for("a file", async || Ok(page.script("return window.exported ?? ''").await? != "")).await?;
        let file = page.script("return window.exported").await?;
        page.upload("[data-testid=projects-file]", "projects.spikelet.json", file.as_str().unwrap_or("")).await?;
        projects(page, 4).await?;
        page.wait_text("[data-testid=projects-notice]", "2 projects were imported.").await?;
        assert_eq!(page.count(&button("second 2", "open")).await?, 1);
        Ok(())
    });
}

#[test]
fn edits_belong_to_their_project() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        equations::edit_threshold(page).await?;
        tokio::time::sleep(Duration::from_millis(1500)).await;
        page.click("#pane-projects").await?;
        page.wait_text("[data-testid=project-name]", "cuba").await?;
        // The network of the list is unchanged.
        page.choose_network("coba").await?;
        page.wait_text("#title", "conductance-based").await?;
        page.choose_network("cuba").await?;
        page.wait_text("#title", "current-based").await?;
        page.click("#pane-network").await?;
        equations::inspect(page, "E").await?;
        page.wait_for("the published text", async || Ok(value(page, "#text-threshold").await? == "v > Vt")).await?;
        page.click("#pane-projects").await?;
        page.click(&button("cuba", "open")).await?;
        // With the pane in which it was saved.
        page.wait_for("the network", async || Ok(page.count("#network-pane.shut").await? == 0)).await?;
        equations::inspect(page, "E").await?;
        page.wait_for("the edit", async || Ok(value(page, "#text-threshold").await? == "v > Vt + 1*mV")).await?;
        // The way back is that of the browser's history, too.
        page.script("history.back()").await?;
        page.wait_text("[data-testid='state']", "no edits").await?;
        equations::inspect(page, "E").await?;
        page.wait_for("the published text", async || Ok(value(page, "#text-threshold").await? == "v > Vt")).await
    });
}

#[test]
fn two_tabs_do_not_overwrite_each_other() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba&scale=0.5").await?;
        page.wait_enabled("#play").await?;
        page.slide("input[data-path='E.taum']", "25").await?;
        projects(page, 1).await?;
        let first = page.tab().await?;
        page.new_tab("?backend=cpu#network=izhikevich").await?;
        page.wait_enabled("#play").await?;
        projects(page, 1).await?;
        page.click(&button("cuba", "open")).await?;
        page.wait_text(
            "[data-testid=projects-notice]",
            "“cuba” is open in another tab. This tab continues with a copy, “cuba, copy”.",
        )
        .await?;
        page.wait_text("[data-testid=project-name]", "cuba, copy").await?;
        page.slide("input[data-path='E.taum']", "30").await?;
        page.wait_for("the copy to be saved", async || Ok(value(page, "input[data-path='E.taum']").await? == "30")).await?;
        tokio::time::sleep(Duration::from_millis(1500)).await;
        page.turn_to_tab(&first).await?;
        projects(page, 2).await?;
        assert_eq!(value(page, "input[data-path='E.taum']").await?, "25");
        page.wait_text("[data-testid=project-name]", "cuba").await?;
        page.reload().await?;
        page.wait_enabled("#play").await?;
        page.wait_text("[data-testid=project-name]", "cuba").await?;
        assert_eq!(page.text("[data-testid=project-name]").await?, "cuba", "a reload is not another tab");
        assert_eq!(value(page, "input[data-path='E.taum']").await?, "25");
        Ok(())
    });
}

#[test]
fn without_storage_the_page_says_so_and_offers_the_file() {
    flow(async |page| {
        page.begin_with("IDBFactory.prototype.open = () => { throw new DOMException('no', 'SecurityError') }").await?;
        page.open("?backend=cpu#network=cuba&scale=0.5").await?;
        page.wait_enabled("#play").await?;
        projects(page, 0).await?;
        page.wait_text("[data-testid=projects-problem]", "The browser stores no projects here (SecurityError)").await?;
        page.script("HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download }; return 0").await?;
        page.click("[data-testid=projects-problem] button").await?;
        page.wait_for("a file", async || Ok(page.script("return window.savedAs ?? ''").await? == "cuba.spikelet.json")).await
    });
}

#[test]
fn the_lab_book_describes_the_run_and_prints() {
    flow(async |page| {
        page.emulate(1440, 900, "dark").await?;
        let (time, spikes) = run_with_a_change(page).await?;
        page.click("#share").await?;
        page.click("#open-lab-book").await?;
        page.wait_text("#labbook-title", "cuba").await?;
        page.wait_text(".labbook", "Changed values").await?;
        for part in ["I.taum", "24 ms", "fixed", "Seed3", "Mean rate"] {
            page.wait_text(".labbook", part).await?;
        }
        let said = page.text(".labbook-facts").await?;
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        for number in [format!("{time:.1}").trim_end_matches(".0"), &spikes.to_string()] {
            assert!(digits(&said).contains(&digits(number)), "{said}: {time} ms, {spikes} spikes");
        }
        assert!(
            page.script("return document.querySelector('[data-testid=labbook-link]').hash")
                .await?
                .as_str()
                .is_some_and(|hash| hash.starts_with("#1"))
        );
        // The plots have ink, on white paper.
        let ink = "const [image] = document.querySelectorAll('.labbook img'); await image.decode();
            const c = document.createElement('canvas'); c.width = image.naturalWidth; c.height = image.naturalHeight;
            const pen = c.getContext('2d'); pen.drawImage(image, 0, 0);
            const {data} = pen.getImageData(0, 0, c.width, c.height); let dark = 0;
            for (let k = 0; k < data.length; k += 4) dark += data[k + 3] > 128 && data[k] + data[k + 1] + data[k + 2] < 450;
            return dark";
        assert!(page.script(ink).await?.as_u64().is_some_and(|dark| dark > 500), "no dark dots");
        let drawn = "const figure = document.querySelector('[data-testid=labbook-diagram]');
            const {width, height} = figure.querySelector('svg').getBoundingClientRect();
            return [figure.querySelectorAll('.node').length, figure.querySelectorAll('.edge').length, width > 150 && height > 80]";
        assert_eq!(page.script(drawn).await?, json!([2, 4, true]));
        page.fill("[data-testid=labbook-notes]", "Two lines\nof notes").await?;
        page.screenshot("labbook-dark.png").await?;
        page.media("print").await?;
        let shown = "return ['.labbook-bar', '.top', '.labbook-notes', '.labbook-printed', '.labbook table']
            .map(css => document.querySelector(css).checkVisibility())";
        assert_eq!(page.script(shown).await?, json!([false, false, false, true, true]));
        page.wait_text(".labbook-printed", "of notes").await?;
        page.screenshot("labbook-print.png").await?;
        page.media("").await?;
        page.click("#labbook-back").await?;
        page.wait_for("the page", async || {
            Ok(page.script("return document.querySelector('#play').checkVisibility()").await? == true)
        })
        .await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |now| now > spikes).await
    });
}

/// Pictures to look at: desktop and phone, light and dark.
#[test]
fn what_is_kept_fits_a_desk_and_a_phone() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba&scale=0.5").await?;
        page.wait_enabled("#play").await?;
        page.slide("input[data-path='E.taum']", "25").await?;
        page.click("#play").await?;
        page.wait_number("#time", |time| time > 300.0).await?;
        pause(page).await?;
        projects(page, 1).await?;
        page.click(&button("cuba", "duplicate")).await?;
        projects(page, 2).await?;
        page.wait_for("a picture", async || Ok(page.count(".card img").await? > 0)).await?;
        for (width, height) in [(1440, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                tokio::time::sleep(Duration::from_millis(300)).await;
                let name = |what: &str| format!("{what}-{width}x{height}-{scheme}.png");
                page.script("document.querySelector('#projects').scrollIntoView(); return 0").await?;
                let touch = width < 500;
                fits(page, &name("projects"), touch).await?;
                page.click("#share").await?;
                page.wait_for("a link", async || Ok(value(page, "#share-link").await?.contains('#'))).await?;
                fits(page, &name("share"), touch).await?;
                page.script("document.querySelector('#open-lab-book').click(); return 0").await?;
                page.wait_text("#labbook-title", "cuba").await?;
                fits(page, &name("labbook"), touch).await?;
                page.click("#labbook-back").await?;
            }
        }
        Ok(())
    });
}

async fn fits(page: &Browser, name: &str, touch: bool) -> Test {
    page.screenshot(name).await?;
    let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
    assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{name}: the page is {overflow} pixels too wide");
    if touch {
        assert_eq!(page.small_targets().await?, Vec::<String>::new(), "{name}");
    }
    Ok(())
}
