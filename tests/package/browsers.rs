//! The browsers of this machine, each of which visits pages in a process of its own.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::install;

/// A browser, by its name in the table.
pub(crate) struct Visitor {
    pub(crate) name: &'static str,
    chosen: &'static str,
    driver: (&'static str, &'static str),
}

const VISITORS: [Visitor; 3] = [
    Visitor { name: "Chromium", chosen: "chromium", driver: ("CHROMEDRIVER", "chromedriver") },
    Visitor { name: "Firefox", chosen: "firefox", driver: ("GECKODRIVER", "geckodriver") },
    Visitor { name: "WebKitGTK", chosen: "webkit", driver: ("WEBKITDRIVER", "WebKitWebDriver") },
];

/// Those of these names whose drivers are installed; with `SPIKELET_BROWSER`, this one alone.
pub(crate) fn installed(names: &[String]) -> Vec<&'static Visitor> {
    let chosen = std::env::var("SPIKELET_BROWSER").ok();
    let is_wanted = |visitor: &Visitor| match &chosen {
        Some(chosen) => chosen == visitor.chosen,
        None => names.iter().any(|name| name == visitor.name),
    };
    let is_found = |visitor: &&Visitor| {
        let found = visitor.program().is_some();
        if !found {
            println!("skipped: {}: there is no {}", visitor.name, visitor.driver.1);
        }
        found
    };
    VISITORS.iter().filter(|visitor| is_wanted(visitor)).filter(is_found).collect()
}

/// What a page says in the end, and whether it is isolated.
pub(crate) struct Seen {
    pub(crate) said: String,
    pub(crate) is_isolated: bool,
}

impl Visitor {
    /// Its driver: that of the environment, one on the path, or the one that `cargo xtask` has installed.
    fn program(&self) -> Option<PathBuf> {
        let (variable, name) = self.driver;
        let named = std::env::var_os(variable).map(PathBuf::from);
        let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).collect();
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let tools = home.map(|home| home.join(".cache/spikelet/tools/bin"));
        named.into_iter().chain(folders.into_iter().chain(tools).map(|folder| folder.join(name))).find(|file| file.is_file())
    }

    /// Visits pages in turn.
    pub(crate) fn visit(&self, pages: &[String]) -> Vec<Seen> {
        let this = std::env::current_exe().unwrap();
        let mut program = if self.chosen == "webkit" {
            let mut display = Command::new("xvfb-run");
            display.args(["--auto-servernum", "--"]).arg(this);
            display
        } else {
            Command::new(this)
        };
        program.args(["--exact", "browsers::pages_of_another_process_are_visited", "--nocapture"]);
        program.env("SPIKELET_BROWSER", self.chosen).env("SPIKELET_PAGES", json!(pages).to_string());
        program.env(self.driver.0, self.program().unwrap());
        let said = install::succeeds(&mut program);
        let seen = said.lines().find_map(|line| line.split_once(SEEN)).unwrap_or_else(|| panic!("{}: {said}", self.name)).1;
        let seen: Vec<Value> = serde_json::from_str(seen).unwrap();
        let seen = seen.iter().map(|seen| Seen { said: seen[0].as_str().unwrap_or("").to_owned(), is_isolated: seen[1] == true });
        seen.collect()
    }
}

/// Begins the line with what was seen.
const SEEN: &str = "seen: ";

/// The process of [`Visitor::visit`]; else there is nothing to visit.
#[test]
fn pages_of_another_process_are_visited() {
    let Ok(pages) = std::env::var("SPIKELET_PAGES") else { return };
    let pages: Vec<String> = serde_json::from_str(&pages).unwrap();
    Browser::run(String::new(), async |browser| {
        let mut seen = Vec::new();
        for page in &pages {
            browser.open(page).await?;
            let text = "return document.body?.innerText ?? ''";
            let ends = async || Ok(browser.script(text).await?.as_str().is_some_and(|text| text.contains(", hash ")));
            let waited = browser.wait_for(page, ends).await;
            let said = browser.script(text).await?;
            let said = waited.map_or_else(|error| json!(format!("{error}; {said}")), |()| said.clone());
            seen.push(json!([said, browser.script("return crossOriginIsolated === true").await?]));
        }
        println!("{SEEN}{}", json!(seen));
        Ok(())
    });
}
