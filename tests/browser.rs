//! A browser, and what a user does in it.

mod pointer;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use crate::driver::Engine;
use crate::program::Program;

/// A flow ends well or with a sentence.
pub(crate) type Test<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Software WebGPU on a busy machine is slow; a test fails only when nothing moves for this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// A browser on the served page.
pub(crate) struct Browser {
    engine: Engine,
    driver: WebDriver,
    program: Program,
    page: String,
    /// What both programs write: tens of megabytes, which they leave behind.
    scratch: PathBuf,
}

impl Browser {
    pub(crate) async fn start(engine: Engine, page: String) -> Test<Browser> {
        let (driver, program, scratch) = engine.start().await?;
        Ok(Browser { engine, driver, program, page, scratch })
    }

    /// Runs a test in a browser of its own, on a page; afterwards the console must hold no error.
    pub(crate) fn run(page: String, test: impl AsyncFnOnce(&Browser) -> Test) {
        Browser::run_in(Engine::chosen(), page, test);
    }

    /// The same in a browser that the test chooses.
    pub(crate) fn run_in(engine: Engine, page: String, test: impl AsyncFnOnce(&Browser) -> Test) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let browser = Browser::start(engine, page).await.unwrap();
            let result = test(&browser).await;
            let console = browser.console_errors().await;
            browser.quit().await;
            result.unwrap();
            assert_eq!(console.unwrap(), Vec::<String>::new(), "the console holds errors");
        });
    }

    pub(crate) async fn quit(self) {
        // Whatever the flow gave, nothing must be left running.
        let _ = self.driver.quit().await;
        drop(self.program);
        let _ = std::fs::remove_dir_all(&self.scratch);
    }

    /// Opens the page with a query or fragment, from scratch.
    pub(crate) async fn open(&self, at: &str) -> Test {
        self.driver.goto("about:blank").await?;
        self.driver.goto(format!("{}{at}", self.page)).await?;
        Ok(())
    }

    /// The same address once more.
    pub(crate) async fn reload(&self) -> Test {
        self.driver.refresh().await?;
        Ok(())
    }

    /// Takes WebGPU away from every page and Worker to come.
    pub(crate) async fn hide_webgpu(&self) -> Test {
        // A Worker's own navigator is out of a script's reach: the Worker begins with a module that hides it. Nothing is awaited, or
        // messages would be lost that come before the Worker listens.
        let source = "Object.defineProperty(Navigator.prototype, 'gpu', {get: () => undefined});
            const Plain = Worker; window.Worker = function (url, options) {
                const script = (code) => URL.createObjectURL(new Blob([code], {type: 'text/javascript'}));
                const hide = script(`Object.defineProperty(WorkerNavigator.prototype, 'gpu', {get: () => undefined})`);
                const own = new URL(url, location.href).href;
                return new Plain(script(`import '${hide}'; import '${own}'`), {...options, type: 'module'});
            };";
        self.allow_scripts().await?;
        self.begin_with(source).await
    }

    /// Lifts the page's Content-Security-Policy, for scripts and Workers that a test makes of text.
    pub(crate) async fn allow_scripts(&self) -> Test {
        self.command("Page.setBypassCSP", json!({"enabled": true})).await?;
        Ok(())
    }

    /// Takes the private file system away from every page to come, as some private windows do.
    pub(crate) async fn hide_file_system(&self) -> Test {
        // It is part of secure pages alone; an empty one may be none.
        self.begin_with("if (self.StorageManager) delete StorageManager.prototype.getDirectory").await
    }

    /// Runs a script in every page to come, before its own.
    pub(crate) async fn begin_with(&self, script: &str) -> Test {
        self.driver.cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", json!({"source": script})).await?;
        Ok(())
    }

    /// Sends a command of the DevTools protocol.
    pub(crate) async fn command(&self, name: &str, parameters: Value) -> Test<Value> {
        Ok(self.driver.cdp().send_raw(name, parameters).await?)
    }

    pub(crate) async fn emulate(&self, width: u32, height: u32, scheme: &str) -> Test {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.driver.cdp().send_raw("Emulation.setDeviceMetricsOverride", size).await?;
        self.prefer("prefers-color-scheme", scheme).await
    }

    /// Shows the page as on a medium, such as `print`; an empty name is the screen.
    pub(crate) async fn media(&self, medium: &str) -> Test {
        self.driver.cdp().send_raw("Emulation.setEmulatedMedia", json!({"media": medium})).await?;
        Ok(())
    }

    /// The tab that is shown.
    pub(crate) async fn tab(&self) -> Test<WindowHandle> {
        Ok(self.driver.window().await?)
    }

    /// Opens the page in another tab, and turns to it.
    pub(crate) async fn new_tab(&self, at: &str) -> Test {
        let tab = self.driver.new_tab().await?;
        self.turn_to_tab(&tab).await?;
        self.open(at).await
    }

    pub(crate) async fn turn_to_tab(&self, tab: &WindowHandle) -> Test {
        self.driver.switch_to_window(tab.clone()).await?;
        Ok(())
    }

    /// Closes the tab that is shown.
    pub(crate) async fn close_tab(&self) -> Test {
        self.driver.close_window().await?;
        Ok(())
    }

    /// Closes all tabs but this one, and turns to it.
    pub(crate) async fn close_others(&self, tab: &WindowHandle) -> Test {
        for other in self.driver.windows().await? {
            if other != *tab {
                self.turn_to_tab(&other).await?;
                self.close_tab().await?;
            }
        }
        self.turn_to_tab(tab).await
    }

    /// Sets what the user prefers: a feature of media queries.
    pub(crate) async fn prefer(&self, feature: &str, value: &str) -> Test {
        let media = json!({"features": [{"name": feature, "value": value}]});
        self.driver.cdp().send_raw("Emulation.setEmulatedMedia", media).await?;
        Ok(())
    }

    pub(crate) async fn screenshot(&self, name: &str) -> Test {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/screens");
        std::fs::create_dir_all(&folder)?;
        self.driver.screenshot(&folder.join(name)).await?;
        Ok(())
    }

    /// Runs a script in the page, which may wait for promises, and gives what it returns.
    pub(crate) async fn script(&self, script: &str) -> Test<Value> {
        let script = format!("return (async () => {{ {script}\n }})()");
        Ok(self.driver.execute(script, Vec::new()).await?.json().clone())
    }

    pub(crate) async fn text(&self, css: &str) -> Test<String> {
        // textContent: a sentence may be out of view.
        let found = self.script(&format!("return document.querySelector({css:?})?.textContent ?? ''")).await?;
        Ok(found.as_str().unwrap_or("").trim().to_owned())
    }

    /// The exact number behind a formatted one.
    pub(crate) async fn number(&self, css: &str) -> Test<f64> {
        let value = self.script(&format!("return document.querySelector({css:?})?.dataset.value ?? ''")).await?;
        value.as_str().unwrap_or("").parse().map_err(|_| format!("{css} holds no number: {value}").into())
    }

    /// Pixels of a canvas that differ from its most common colour.
    pub(crate) async fn ink(&self, css: &str) -> Test<u64> {
        let script = format!(
            "const c = document.querySelector({css:?}); if (!c || !c.width || !c.height) return 0;
             const words = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
             const counts = new Map(); for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
             return words.length - Math.max(...counts.values());"
        );
        Ok(self.script(&script).await?.as_u64().unwrap_or(0))
    }

    /// Types into what has the focus.
    pub(crate) async fn type_in(&self, text: &str) -> Test {
        self.driver.active_element().await?.send_keys(text).await?;
        Ok(())
    }

    /// What has the focus.
    pub(crate) async fn focused(&self) -> Test<String> {
        Ok(self.script("return document.activeElement?.id ?? ''").await?.as_str().unwrap_or("").to_owned())
    }

    pub(crate) async fn choose(&self, css: &str, value: &str) -> Test {
        self.change(css, value, "change").await
    }

    /// Chooses a network of the catalogue.
    pub(crate) async fn choose_network(&self, name: &str) -> Test {
        self.click("#network").await?;
        let css = format!("#networks [data-network='{name}']");
        self.wait_for("the list of networks", async || Ok(self.count(&css).await? == 1)).await?;
        self.click(&css).await
    }

    /// Chooses a file with this text in a file field.
    pub(crate) async fn upload(&self, css: &str, name: &str, text: &str) -> Test {
        let script = format!(
            "const e = document.querySelector({css:?}), data = new DataTransfer();
             data.items.add(new File([{text}], {name:?})); e.files = data.files;
             e.dispatchEvent(new Event('change', {{bubbles: true}})); return true",
            text = json!(text)
        );
        self.script(&script).await.map(drop)
    }

    /// Drops a file with this text onto the page.
    pub(crate) async fn drop_file(&self, name: &str, text: &str) -> Test {
        self.drop_files(&[(name, text.as_bytes())]).await
    }

    /// Drops files of bytes onto the page.
    pub(crate) async fn drop_files(&self, files: &[(&str, &[u8])]) -> Test {
        let script = format!(
            "const data = new DataTransfer();
             for (const [name, bytes] of {files}) data.items.add(new File([new Uint8Array(bytes)], name));
             document.body.dispatchEvent(new DragEvent('drop', {{bubbles: true, cancelable: true, dataTransfer: data}})); return true",
            files = json!(files)
        );
        self.script(&script).await.map(drop)
    }

    pub(crate) async fn slide(&self, css: &str, value: &str) -> Test {
        self.change(css, value, "input").await?;
        self.change(css, value, "change").await
    }

    pub(crate) async fn fill(&self, css: &str, value: &str) -> Test {
        self.change(css, value, "input").await
    }

    async fn change(&self, css: &str, value: &str, event: &str) -> Test {
        let script = format!(
            "const e = document.querySelector({css:?}); if (!e) return false; e.closest('details')?.setAttribute('open', '');
             if (e.value === {value:?} && {event:?} === 'change') return true;
             e.value = {value:?}; e.dispatchEvent(new Event({event:?}, {{bubbles: true}})); return true"
        );
        assert_eq!(self.script(&script).await?, json!(true), "there is no {css}");
        Ok(())
    }

    pub(crate) async fn key(&self, key: &str) -> Test {
        self.script("document.activeElement?.blur()").await?;
        self.driver.find(By::Tag("body")).await?.send_keys(key).await?;
        Ok(())
    }

    /// Presses keys such as `control+enter` in an element.
    pub(crate) async fn press(&self, css: &str, keys: &str) -> Test {
        self.script(&format!("document.querySelector({css:?})?.focus()")).await?;
        self.press_focused(keys).await
    }

    /// Presses keys in the element that has the focus.
    pub(crate) async fn press_focused(&self, keys: &str) -> Test {
        let mut pressed = TypingData::from("");
        for key in keys.split('+') {
            pressed = match key {
                "control" => pressed + Key::Control,
                "enter" => pressed + Key::Enter,
                "escape" => pressed + Key::Escape,
                "right" => pressed + Key::Right,
                "left" => pressed + Key::Left,
                "up" => pressed + Key::Up,
                "down" => pressed + Key::Down,
                "delete" => pressed + Key::Delete,
                "shift" => pressed + Key::Shift,
                "tab" => pressed + Key::Tab,
                letter if letter.len() == 1 => pressed + letter,
                other => return Err(format!("there is no key {other}").into()),
            };
        }
        self.driver.active_element().await?.send_keys(pressed).await?;
        Ok(())
    }

    /// How many elements there are.
    pub(crate) async fn count(&self, css: &str) -> Test<u64> {
        let script = format!("return document.querySelectorAll({css:?}).length");
        Ok(self.script(&script).await?.as_u64().unwrap_or(0))
    }

    /// How many Workers live in the browser: each is a thread of that name in one of its processes.
    #[cfg(target_os = "linux")]
    pub(crate) fn workers(&self) -> u64 {
        let family = self.processes();
        let threads =
            family.iter().filter_map(|process| std::fs::read_dir(format!("/proc/{process}/task")).ok()).flatten().flatten();
        let names = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("comm")).ok());
        names.filter(|name| name.starts_with("DedicatedWorker")).count() as u64
    }

    /// The driver's process and all that it started.
    #[cfg(target_os = "linux")]
    pub(crate) fn processes(&self) -> Vec<u32> {
        let processes = || std::fs::read_dir("/proc").into_iter().flatten().flatten().map(|entry| entry.path());
        let parent = |process: &Path| -> Option<u32> {
            // The fields behind the name, which may hold anything, brackets too.
            let stat = std::fs::read_to_string(process.join("stat")).ok()?;
            stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
        };
        let number = |process: &Path| process.file_name()?.to_str()?.parse::<u32>().ok();
        let mut family = vec![self.program.id()];
        loop {
            let children = processes().filter_map(|process| Some((number(&process)?, parent(&process)?)));
            let new: Vec<u32> =
                children.filter(|(own, parent)| family.contains(parent) && !family.contains(own)).map(|(own, _)| own).collect();
            if new.is_empty() {
                return family;
            }
            family.extend(new);
        }
    }

    /// What can be pressed and is less than 24 pixels high or wide, which fingers miss. A box to tick is as large as its label; a word in a sentence
    /// is as high as its line.
    pub(crate) async fn small_targets(&self) -> Test<Vec<String>> {
        let script = "const all = document.querySelectorAll('button, select, input, textarea, summary, a[href], [role=option]');
            const target = e => e.matches('[type=checkbox]') ? e.closest('label') ?? e : e;
            return [...all].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest('.unseen, .hint, .hint-line'))
                .map(target).filter(e => { const {width, height} = e.getBoundingClientRect();
                    return width > 0 && (Math.round(width) < 24 || Math.round(height) < 24) }).map(e => e.outerHTML.slice(0, 160))";
        Ok(serde_json::from_value(self.script(script).await?)?)
    }

    // ---- waiting ----

    pub(crate) async fn wait_for(&self, what: &str, mut holds: impl AsyncFnMut() -> Test<bool>) -> Test {
        let started = Instant::now();
        loop {
            if holds().await.unwrap_or(false) {
                return Ok(());
            }
            if started.elapsed() > PATIENCE {
                let error = self.text("#error").await?;
                let backend = self.text("#backend").await?;
                return Err(format!("waited {PATIENCE:?} for {what}; #error: {error:?}, #backend: {backend:?}").into());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) async fn wait_text(&self, css: &str, part: &str) -> Test {
        self.wait_for(&format!("{part:?} in {css}"), async || Ok(self.text(css).await?.contains(part))).await
    }

    pub(crate) async fn wait_enabled(&self, css: &str) -> Test {
        let script = format!("const e = document.querySelector({css:?}); return !!e && !e.disabled && e.ariaDisabled !== 'true'");
        self.wait_for(&format!("{css} to be enabled"), async || Ok(self.script(&script).await? == json!(true))).await
    }

    pub(crate) async fn wait_number(&self, css: &str, holds: impl Fn(f64) -> bool) -> Test {
        let mut last = f64::NAN;
        let what = format!("the number in {css}");
        let waited = self.wait_for(&what, async || {
            last = self.number(css).await?;
            Ok(holds(last))
        });
        waited.await.map_err(|error| format!("{error}; it is {last}").into())
    }

    /// Waits until a number stands still: for a second, since on a busy machine a last batch may take longer than a glance.
    pub(crate) async fn wait_steady(&self, css: &str) -> Test {
        let (mut last, mut times) = (f64::NAN, 0);
        self.wait_for(&format!("{css} to stand still"), async || {
            let now = self.number(css).await?;
            times = if std::mem::replace(&mut last, now) == now { times + 1 } else { 0 };
            tokio::time::sleep(Duration::from_millis(250)).await;
            Ok(times == 4)
        })
        .await
    }

    /// What the page's console holds of errors, from the page and its Workers; only Chromium tells of them.
    pub(crate) async fn console_errors(&self) -> Test<Vec<String>> {
        if self.engine != Engine::Chromium {
            return Ok(Vec::new());
        }
        let log = self.driver.browser_log().await?;
        Ok(log.into_iter().filter(|entry| entry.level == "SEVERE").map(|entry| entry.message).collect())
    }
}
