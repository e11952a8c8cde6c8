//! What the page shows is checked by axe-core: names, roles, contrast, keyboard access.

use std::path::Path;
use std::time::Instant;

use crate::browser::{Browser, Test};
use crate::flow;

const CUBA: &str = "?backend=cpu#network=cuba";

/// axe-core, as the lock file of the package names it.
fn axe() -> Test<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/spikelet-js/node_modules/axe-core/axe.min.js");
    let missing = |error| format!("{}: {error}; `npm ci` in crates/spikelet-js installs it", file.display());
    Ok(std::fs::read_to_string(&file).map_err(missing)?)
}

/// The findings of axe-core on a page as it is, of any grade.
async fn look(page: &Browser) -> Test<Vec<String>> {
    // What fades in has its contrast when it has come to rest; what moves without end is waited for no longer than this.
    let look = "const rest = document.getAnimations().map(animation => animation.finished);
        await Promise.race([Promise.allSettled(rest), new Promise(resolve => setTimeout(resolve, 1000))]);
        const {violations} = await axe.run(document, {resultTypes: ['violations']});
        return violations.flatMap(({id, impact, nodes}) => nodes.slice(0, 5).map(({target, failureSummary}) => `${id} (${impact}) at ${target.join(' ')}: ${failureSummary}`))";
    Ok(serde_json::from_value(page.script(look).await?)?)
}

/// The same, on a page that was opened without axe-core.
pub(crate) async fn findings(page: &Browser) -> Test<Vec<String>> {
    page.script(&format!("{}; return 0", axe()?)).await?;
    look(page).await
}

/// What axe-core finds in one state of the page after another.
struct Findings<'a> {
    page: &'a Browser,
    /// `1440 dark`
    setting: String,
    states: usize,
    findings: Vec<String>,
}

impl Findings<'_> {
    /// Looks at the page as it is.
    async fn check(&mut self, state: &str) -> Test {
        let found = look(self.page).await?;
        self.states += 1;
        self.findings.extend(found.into_iter().map(|finding| format!("{}, {state}: {finding}", self.setting)));
        Ok(())
    }

    /// Clicks something, waits until an element is there, and looks.
    async fn after(&mut self, click: &str, shown: &str) -> Test {
        // Not by the pointer: on a phone the button can be in a menu.
        self.page.script(&format!("document.querySelector({click:?}).click()")).await?;
        self.wait(shown).await?;
        self.check(shown).await
    }

    async fn wait(&self, css: &str) -> Test {
        let there = format!("return !!document.querySelector({css:?})?.checkVisibility()");
        self.page.wait_for(css, async || Ok(self.page.script(&there).await? == true)).await
    }

    /// The panes, each with all that it shows at first.
    async fn panes(&mut self) -> Test {
        let panes = [
            ("lesson", ".step[data-step='1']"),
            ("network", "#network-pane [data-object='E'] > .line"),
            ("experiments", "#experiments spikelet-experiments"),
            ("senses", "#senses spikelet-senses"),
            ("projects", "#projects [data-testid='cards']"),
        ];
        for (pane, content) in panes {
            if self.page.script(&format!("return document.querySelector('#pane-{pane}').ariaExpanded")).await? == "true" {
                self.page.script(&format!("document.querySelector('#pane-{pane}').click()")).await?;
            }
            self.after(&format!("#pane-{pane}"), content).await?;
            if pane == "network" {
                self.after(content, "#inspector #text-equations").await?;
            }
        }
        Ok(())
    }

    /// What lies over the page.
    async fn dialogs(&mut self) -> Test {
        self.after("#network", "#networks [data-network='cuba']").await?;
        self.page.press("#search", "escape").await?;
        self.after("#share", "#share-link").await?;
        self.after("#embed summary", "[data-testid='embed-code']").await?;
        self.after("#open-lab-book", "#labbook-title").await?;
        self.page.click("#labbook-back").await?;
        self.after("#help", "#help-dialog[open]").await?;
        self.page.press_focused("escape").await?;
        self.after("#backend", "#device-panel").await?;
        self.page.press_focused("escape").await
    }

    /// The other parts of the page.
    async fn parts(&mut self) -> Test {
        for (part, element) in [("assemblies", "spikelet-assemblies"), ("training", "spikelet-training")] {
            self.page.script(&format!("location.hash = '{part}'")).await?;
            let there =
                format!("return document.querySelector('{element}')?.shadowRoot.querySelector('select')?.options.length > 0");
            self.page.wait_for(part, async || Ok(self.page.script(&there).await? == true)).await?;
            self.check(part).await?;
        }
        Ok(())
    }

    /// A network in another page.
    async fn element(&mut self) -> Test {
        let element = "await import(new URL('engine/js/element.js', location));
            document.body.innerHTML = '<main><h1>A page</h1><spikelet-network src=\"cuba\" backend=\"cpu\" plots=\"raster rates v\" parameters=\"E.taum\"></spikelet-network></main>'";
        self.page.script(element).await?;
        let there = "return document.querySelector('spikelet-network').simulation?.info.neurons > 0";
        self.page.wait_for("the element's network", async || Ok(self.page.script(there).await? == true)).await?;
        self.check("<spikelet-network>").await
    }
}

/// All states of the page on one screen.
async fn check_all(found: &mut Findings<'_>) -> Test {
    let page = found.page;
    page.open("").await?;
    found.wait(".tour").await?;
    found.check("the tour").await?;
    page.press_focused("escape").await?;
    page.open(CUBA).await?;
    page.wait_enabled("#play").await?;
    // As above: on a phone the bar of the run can be at the end of a scroll.
    page.script("document.querySelector('#play').click()").await?;
    page.wait_number("#time", |time| time > 100.0).await?;
    page.script("document.querySelector('#play').click()").await?;
    found.check("a run").await?;
    // A sheet has no data at first.
    page.open("?backend=cpu#network=waves").await?;
    page.wait_enabled("#play").await?;
    found.wait(".plot.sheet canvas").await?;
    found.check("a sheet").await?;
    page.open(CUBA).await?;
    page.wait_enabled("#play").await?;
    found.panes().await?;
    found.dialogs().await?;
    found.parts().await?;
    found.element().await
}

/// The same in light and dark.
async fn check_schemes(page: &Browser, width: u32, height: u32) -> Test {
    page.begin_with(&axe()?).await?;
    for scheme in ["light", "dark"] {
        let began = Instant::now();
        page.emulate(width, height, scheme).await?;
        let mut found = Findings { page, setting: format!("{width} {scheme}"), states: 0, findings: Vec::new() };
        check_all(&mut found).await?;
        println!("{}: {} states in {:.0?}", found.setting, found.states, began.elapsed());
        assert!(found.findings.is_empty(), "{} findings:\n{}", found.findings.len(), found.findings.join("\n"));
        page.script("localStorage.clear()").await?;
    }
    Ok(())
}

#[test]
fn nothing_is_found_on_a_desk() {
    flow(async |page| check_schemes(page, 1440, 900).await);
}

#[test]
fn nothing_is_found_on_a_phone() {
    flow(async |page| check_schemes(page, 390, 844).await);
}
