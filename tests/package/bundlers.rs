//! Each bundler, as the readme of the package describes it: from an empty folder to spikes, with isolation and without, in all browsers of this
//! machine. The table of docs/browser.md is what these tests find. They run with `SPIKELET_FULL=1`, because each installs some packages.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use crate::browser::Browser;
use crate::driver::Engine;
use crate::host::{Headers, Host};
use crate::program::Program;
use crate::readme::{Steps, nameless};
use crate::ways::{PROJECTS, Served, single_file};
use crate::{HOSTS, install};

/// What every page says, on every device.
const SPIKES: &str = "6079 spikes on ";
const HASH: &str = ", hash 5852548ab8c8d30a";

/// Without a page of this kind.
const NONE: &str = "–";

/// Whether the long tests run.
pub(crate) fn is_full() -> bool {
    let full = std::env::var_os("SPIKELET_FULL").is_some();
    if !full {
        println!("skipped: only with SPIKELET_FULL=1 (run `cargo xtask test package --full`)");
    }
    full
}

/// A page that is served, as long as this lives.
struct Page {
    row: usize,
    is_isolated: bool,
    url: String,
    /// Ends with the page.
    _server: Option<Program>,
}

/// The measured table: rows by their names, cells by row, browser and whether the page is isolated.
#[derive(Default)]
struct Table {
    rows: Vec<String>,
    cells: BTreeMap<(usize, String, bool), String>,
}

impl Table {
    fn visit(&mut self, pages: &[Page]) {
        for browser in browsers() {
            for (page, seen) in pages.iter().zip(visit(browser, pages)) {
                let cell = cell(&seen);
                println!("{}, {}, isolated {}: {cell}", self.rows[page.row], browser.name(), page.is_isolated);
                self.cells.insert((page.row, browser.name().to_owned(), page.is_isolated), cell);
            }
        }
    }

    fn row(&mut self, name: String) -> usize {
        self.rows.push(name);
        self.rows.len() - 1
    }

    /// The cells of a browser, in the order of the rows: both of a row.
    fn column(&self, browser: &str) -> Vec<[String; 2]> {
        let cell = |row, is_isolated| {
            self.cells.get(&(row, browser.to_owned(), is_isolated)).cloned().unwrap_or_else(|| NONE.to_owned())
        };
        (0..self.rows.len()).map(|row| [cell(row, true), cell(row, false)]).collect()
    }

    fn markdown(&self) -> String {
        let browsers: Vec<&str> = browsers().into_iter().map(Engine::name).collect();
        let mut lines = vec![heading(&browsers), format!("|---|{}", "---|---|".repeat(browsers.len()))];
        let columns: Vec<_> = browsers.iter().map(|browser| self.column(browser)).collect();
        for (row, name) in self.rows.iter().enumerate() {
            let cells: Vec<String> = columns.iter().map(|column| column[row].join(" | ")).collect();
            lines.push(format!("| {name} | {} |", cells.join(" | ")));
        }
        lines.join("\n") + "\n"
    }
}

/// The browsers whose columns the document has, as far as they are installed; with `SPIKELET_BROWSER`, this one alone.
fn browsers() -> Vec<Engine> {
    if std::env::var_os("SPIKELET_BROWSER").is_some() {
        return vec![Engine::chosen()];
    }
    let heading = &documented()[0];
    let is_documented = |browser: &Engine| heading.contains(&format!("{}, isolated", browser.name()));
    let is_installed = |browser: &Engine| {
        let is_installed = browser.is_installed();
        if !is_installed {
            println!("skipped: {}: its driver is not installed (run `cargo xtask test browsers package --full`)", browser.name());
        }
        is_installed
    };
    Engine::ALL.into_iter().filter(is_documented).filter(is_installed).collect()
}

impl Engine {
    const ALL: [Engine; 3] = [Engine::Chromium, Engine::Firefox, Engine::WebKit];

    /// What documents call it.
    fn name(self) -> &'static str {
        match self {
            Engine::Chromium => "Chromium",
            Engine::Firefox => "Firefox",
            Engine::WebKit => "WebKitGTK",
        }
    }

    /// Whether its driver can be started.
    fn is_installed(self) -> bool {
        Program::start(Command::new(self.driver()).arg("--version")).is_ok()
    }
}

/// What a page says in the end, and whether it is isolated.
struct Seen {
    said: String,
    is_isolated: bool,
}

/// Visits pages in turn.
fn visit(browser: Engine, pages: &[Page]) -> Vec<Seen> {
    let mut seen = Vec::new();
    Browser::run_in(browser, String::new(), async |browser| {
        for page in pages {
            browser.open(&page.url).await?;
            let text = "return document.body?.innerText ?? ''";
            let ends = async || Ok(browser.script(text).await?.as_str().is_some_and(|text| text.contains(", hash ")));
            let waited = browser.wait_for(&page.url, ends).await;
            let said = browser.script(text).await?;
            let said = waited.map_or_else(|error| format!("{error}; {said}"), |()| said.as_str().unwrap_or("").to_owned());
            seen.push(Seen { said, is_isolated: browser.script("return crossOriginIsolated === true").await? == true });
        }
        Ok(())
    });
    seen
}

fn heading(browsers: &[&str]) -> String {
    let cells: Vec<String> = browsers.iter().map(|browser| format!("{browser}, isolated | {browser}, not isolated")).collect();
    format!("| | {} |", cells.join(" | "))
}

/// What the table has of a page: threads, if it has the right spikes.
fn cell(seen: &Seen) -> String {
    let device = seen.said.trim().strip_prefix(SPIKES).and_then(|said| said.strip_suffix(HASH));
    match device {
        Some("CPU, 1 thread") => "one thread".to_owned(),
        Some(device) if device.starts_with("CPU, ") && device.ends_with(" threads") && seen.is_isolated => "threads".to_owned(),
        _ => format!("failed: {} (isolated: {})", seen.said, seen.is_isolated),
    }
}

/// A notebook and a single file, which are no projects of a bundler.
fn others(table: &mut Table) -> Option<Vec<Page>> {
    let mut pages = Vec::new();
    let (notebook, single) = (table.row("Notebook, package on another origin".into()), table.row("Single file".into()));
    let single_file = single_file()?;
    let package = Host::start(install::example("plain")?, Vec::new(), Headers::Open).unwrap().url;
    for headers in HOSTS {
        let is_isolated = headers == Headers::Isolating;
        let page = cells(&nameless("Notebooks").replace("https://your.host/", &format!("{package}node_modules/")));
        let empty = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme-notebook");
        fs::create_dir_all(&empty).unwrap();
        fs::write(empty.join("index.html"), page).unwrap();
        let host = |folder| Host::start(folder, Vec::new(), headers).unwrap().url;
        // The file is opened from the disk, too.
        let single_file =
            if is_isolated { host(single_file.clone()) } else { format!("file://{}/index.html", single_file.display()) };
        for (row, url) in [(notebook, host(empty)), (single, single_file)] {
            pages.push(Page { row, is_isolated, url, _server: None });
        }
    }
    Some(pages)
}

/// A page that runs code as notebooks do: as a module of a blob, whose last line is shown.
fn cells(code: &str) -> String {
    let (rest, last) = code.trim_end().rsplit_once('\n').unwrap();
    let listener = "let spikes = 0; simulation.on('spikes', ({ neurons }) => (spikes += neurons.length)); await simulation.run(";
    let counted = rest.replace("await simulation.run(", listener);
    let shown = format!("`${{spikes}} spikes on ${{simulation.info.backend.name}}, hash ${{{last}}}`");
    let module = json!(format!("{counted}\nexport const shown = {shown};"));
    format!(
        "<!doctype html><link rel=\"icon\" href=\"data:,\"><body><script type=\"module\">
        const blob = URL.createObjectURL(new Blob([{module}], {{ type: \"text/javascript\" }}));
        document.body.append((await import(blob)).shown);</script>"
    )
}

#[test]
fn every_bundler_gives_the_same_spikes_with_isolation_and_without() {
    if !is_full() {
        return;
    }
    let mut table = Table::default();
    let mut pages = Vec::new();
    for project in &PROJECTS {
        let steps = project.steps();
        let Some(folder) = steps.follow(project.folder) else { return };
        for way in project.ways {
            way.build(&folder);
            let row = table.row(way.row(&folder));
            for headers in HOSTS {
                let Some((url, server)) = way.serve(&folder, &steps, headers) else { continue };
                let page = Page { row, is_isolated: headers == Headers::Isolating, url, _server: server };
                // One server of a project at a time.
                if matches!(way.served, Served::Program(..)) {
                    table.visit(&[page]);
                } else {
                    pages.push(page);
                }
            }
        }
    }
    let Some(others) = others(&mut table) else { return };
    pages.extend(others);
    table.visit(&pages);
    let markdown = table.markdown();
    fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bundlers.md"), &markdown).unwrap();
    println!("{markdown}");
    let differing = differing(&table);
    assert!(differing.is_empty(), "docs/browser.md differs from target/bundlers.md:\n{}", differing.join("\n"));
}

/// Cells of the document that differ from what was measured. A browser that is not installed is not compared, nor threads on one core.
fn differing(table: &Table) -> Vec<String> {
    let documented = documented();
    let rows: Vec<&String> = documented.iter().skip(1).map(|row| &row[0]).collect();
    if rows != table.rows.iter().collect::<Vec<_>>() {
        return vec![format!("its rows are {rows:?}")];
    }
    let has_one_core = std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1);
    let mut found = Vec::new();
    for ((row, browser, is_isolated), cell) in &table.cells {
        let heading = format!("{browser}, {}", if *is_isolated { "isolated" } else { "not isolated" });
        // A browser that was chosen may have no column.
        let Some(column) = documented[0].iter().position(|cell| *cell == heading) else { continue };
        let said = &documented[row + 1][column];
        if said != cell && !(has_one_core && cell == "one thread") {
            found.push(format!("{}, {heading}: {said:?}, measured {cell:?}", table.rows[*row]));
        }
    }
    found
}

/// The cells of the table in docs/browser.md, with its heading.
fn documented() -> Vec<Vec<String>> {
    let docs = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/browser.md")).unwrap();
    let lines = docs.lines().skip_while(|line| !line.starts_with("| | Chromium, isolated |"));
    let lines = lines.take_while(|line| line.starts_with('|')).filter(|line| !line.starts_with("|---"));
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    lines.map(cells).collect()
}

/// Without a package: the table has each way, and the readme each section.
#[test]
fn the_readme_describes_each_way_of_the_table() {
    let documented = documented();
    let mut rows = documented.iter().skip(1);
    for project in &PROJECTS {
        let steps = project.steps();
        assert!(!steps.commands.is_empty() && !steps.files.is_empty(), "{}: {steps:?}", project.folder);
        for way in project.ways {
            let row = rows.next().unwrap_or_else(|| panic!("docs/browser.md has no row of {}", way.name));
            let words: Vec<&str> = way.name.split(", ").collect();
            assert!(words.iter().all(|word| row[0].contains(word)), "{} is not {row:?}", way.name);
        }
    }
    for row in documented.iter().skip(1) {
        let are_results = row[1..].iter().all(|cell| ["threads", "one thread", NONE].contains(&cell.as_str()));
        assert!(are_results && row.len() == documented[0].len(), "{row:?}");
    }
    let isolating = Steps::of(&["Threads and isolation"]);
    assert!(["vite.config.js", "next.config.mjs"].iter().all(|file| isolating.file(file).contains("require-corp")));
    assert!(nameless("Notebooks").contains("https://your.host/spikelet/js/index.js"));
}
