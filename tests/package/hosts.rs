//! Where a page and its Workers come from: other origins, pages with few rights, Workers that somebody else starts or ends, threads that
//! do not start.

use std::fs;

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::host::{Headers, Host};
use crate::install;

/// A page without a script.
const EMPTY: &str = "<!doctype html><link rel='icon' href='data:,'>";

/// How a network runs that gains from threads: spikes of 20 ms, threads, and what was noticed; else why it did not.
const RUN: &str = "async (package, options) => {
    try {
        const {Spikelet} = await import(package + 'js/index.js');
        const simulation = await Spikelet.create('cobahh', {backend: 'cpu', ...options});
        let spikes = 0;
        simulation.on('spikes', ({neurons}) => (spikes += neurons.length));
        await simulation.run(20);
        simulation.dispose();
        return {spikes, threads: simulation.info.backend.threads, notices: simulation.notices.map(({message}) => message)};
    } catch (error) {
        return {code: error.code, message: error.message};
    }
}";

/// Opens a page, without a script unless it is said, of a host that has the package too, and perhaps other files.
fn on_a_page(headers: Headers, head: &str, other: Option<(&'static str, String)>, test: impl AsyncFnOnce(&Browser) -> Test) {
    let Some(folder) = install::example("plain") else { return };
    let files = [("page.html", format!("{EMPTY}{head}"))].into_iter().chain(other).collect();
    let host = Host::start(folder, files, headers).unwrap();
    Browser::run(format!("{}page.html", host.url), async |page| {
        page.open("").await?;
        test(page).await
    });
}

/// What [`RUN`] gives for an address of the package and options, both of them as JavaScript.
async fn run(page: &Browser, package: &str, options: &str) -> Test<Value> {
    page.script(&format!("return ({RUN})({package}, {options})")).await
}

/// The package beside the page.
const OWN: &str = "new URL('node_modules/spikelet/', location.href).href";

/// It ran, on several threads where the browser sees several cores, or with a notice that holds a part of a sentence.
async fn ran(page: &Browser, said: &Value, one_because: Option<&str>) -> Test {
    let cores = page.script("return navigator.hardwareConcurrency").await?.as_u64();
    assert!(said["spikes"].as_u64() > Some(50), "{said}");
    let notices = said["notices"].to_string();
    assert!(!notices.contains("JsValue"), "{notices}");
    match one_because {
        None => assert!(said["threads"].as_u64() > Some(1) && notices == "[]" || cores == Some(1), "{said}"),
        Some(part) => assert!(said["threads"] == json!(1) && notices.contains(part), "{said} lacks {part:?}"),
    }
    Ok(())
}

#[test]
fn a_package_of_another_origin_has_threads_too() {
    let Some(folder) = install::example("plain") else { return };
    let foreign = Host::start(folder, Vec::new(), Headers::Open).unwrap();
    on_a_page(Headers::Isolating, "", None, async |page| {
        let package = format!("'{}node_modules/spikelet/'", foreign.url);
        let said = run(page, &package, "{}").await?;
        ran(page, &said, None).await
    });
}

/// As Firefox tells of it: by an event, later.
#[test]
fn a_foreign_worker_that_fails_by_an_event_is_started_by_a_blob() {
    let Some(folder) = install::example("plain") else { return };
    let foreign = Host::start(folder, Vec::new(), Headers::Open).unwrap();
    on_a_page(Headers::Isolating, "", None, async |page| {
        let late = "const Plain = Worker; window.Worker = function (url, options) {
            if (new URL(url).origin === location.origin || String(url).startsWith('blob:')) return new Plain(url, options);
            const worker = new Plain(URL.createObjectURL(new Blob([], {type: 'text/javascript'})), options);
            setTimeout(() => worker.onerror?.(new Event('error')), 20);
            return worker;
        }; window.Worker.prototype = Plain.prototype;";
        page.script(late).await?;
        let package = format!("'{}node_modules/spikelet/'", foreign.url);
        let said = run(page, &package, "{}").await?;
        ran(page, &said, None).await
    });
}

#[test]
fn a_sandboxed_frame_runs() {
    let frame = format!("{EMPTY}<script>({RUN})({OWN}, {{}}).then((said) => parent.postMessage(said, '*'))</script>");
    let page =
        "<iframe sandbox='allow-scripts' src='frame.html'></iframe><script>onmessage = ({data}) => (window.said = data)</script>";
    // The frame's origin is none, which an open host allows.
    on_a_page(Headers::Open, page, Some(("frame.html", frame)), async |page| {
        page.wait_for("word from the frame", async || Ok(!page.script("return window.said ?? null").await?.is_null())).await?;
        let said = page.script("return window.said").await?;
        ran(page, &said, Some("not cross-origin isolated")).await
    });
}

#[test]
fn with_trusted_types_the_page_starts_the_worker_itself() {
    let policy = "<meta http-equiv='Content-Security-Policy' content=\"require-trusted-types-for 'script'\">";
    on_a_page(Headers::Isolating, policy, None, async |page| {
        let said = run(page, OWN, "{}").await?;
        assert_eq!(said["code"], json!("engine"));
        assert!(said["message"].as_str().is_some_and(|message| message.contains("worker: () => new Worker(")), "{said}");
        let worker = "{worker: () => {
            const policy = trustedTypes.createPolicy('page', {createScriptURL: (url) => url});
            return new Worker(policy.createScriptURL('node_modules/spikelet/js/worker.js'), {type: 'module'});
        }}";
        let said = run(page, OWN, worker).await?;
        ran(page, &said, None).await?;
        // The browser tells of the first one on its console.
        drop(page.console_errors().await?);
        Ok(())
    });
}

#[test]
fn a_worker_that_is_ended_from_outside_ends_the_run() {
    on_a_page(Headers::Isolating, "", None, async |page| {
        let script = format!(
            "return (async () => {{
                const {{Spikelet}} = await import({OWN} + 'js/index.js');
                let worker;
                const start = () => (worker = new Worker({OWN} + 'js/worker.js', {{type: 'module'}}));
                const simulation = await Spikelet.create('cobahh', {{backend: 'cpu', worker: start}});
                const running = simulation.run().then(() => null, ({{code, message}}) => [code, message]);
                await new Promise((resolve) => simulation.on('progress', resolve));
                worker.terminate();
                return [await running, simulation.isRunning];
            }})()"
        );
        assert_eq!(page.script(&script).await?, json!([["engine", "the engine stopped: its Worker was terminated"], false]));
        Ok(())
    });
}

/// Served without headers that isolate a page, WebKit has one of these without the other; so has this page.
#[test]
fn an_isolated_page_without_shared_memory_has_one_thread() {
    on_a_page(Headers::Isolating, "", None, async |page| {
        let worker = "{worker: () => {
            const script = `delete globalThis.SharedArrayBuffer; await import('${new URL('node_modules/spikelet/js/worker.js', location.href)}')`;
            const early = `const early = []; onmessage = ({data}) => early.push(data); ${script}; for (const data of early) onmessage({data});`;
            return new Worker(URL.createObjectURL(new Blob([early], {type: 'text/javascript'})), {type: 'module'});
        }}";
        let said = run(page, OWN, worker).await?;
        ran(page, &said, Some("does not share memory between Workers")).await
    });
}

/// A thread that fails as its Worker starts, before it sits down, or after that: there is one thread, which the notice tells of.
#[test]
fn threads_that_fail_at_once_or_later_leave_one() {
    let Some(folder) = install::example("plain") else { return };
    let script = fs::read_to_string(folder.join("node_modules/spikelet/js/thread.js")).unwrap();
    for (before, thrown, emitted) in [
        ("const worker = new Worker(", "no more Workers", "no more Workers"),
        ("const wasm = ", "no such engine", "no such engine"),
        ("serveSeat(seat);", "it fell", "a thread of the engine stopped (Error: it fell)"),
    ] {
        let fails = script.replace(before, &format!("throw new Error('{thrown}'); {before}"));
        assert_ne!(fails, script);
        on_a_page(Headers::Isolating, "", Some(("js/thread.js", fails)), async |page| {
            let said = run(page, OWN, "{}").await?;
            ran(page, &said, Some(emitted)).await
        });
    }
}
