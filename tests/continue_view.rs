//! Flows through "Continue": a run is saved while it goes, and continues with the same spikes after its tab has ended.

use std::time::Duration;

use serde_json::{Value, json};

use crate::accessible::findings;
use crate::browser::{Browser, Test};
use crate::{equations, flow};

const CUBA: &str = "?backend=cpu#network=cuba&scale=0.5&seed=3";

/// No network in the address.
const PLAIN: &str = "?backend=cpu";

/// Notes all spikes that the engine of a page sends, as pairs of step and neuron.
const NOTE_SPIKES: &str = "window.spikes = []; const Plain = Worker;
    window.Worker = class extends Plain { constructor(...of) { super(...of); this.addEventListener('message', ({data}) => {
        if (data?.body?.type !== 'batch') return;
        const {spikeSteps, spikeNeurons} = data.body.body;
        spikeSteps.forEach((step, place) => window.spikes.push(step, spikeNeurons[place]));
    }) } };";

/// The folder of a saved run as `run`, and its files; for scripts that change them.
const FILES: &str = "const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('spikelet runs');
    const runs = []; for await (const run of root.values()) runs.push(run);
    const read = async (run, name) => new Uint8Array(await (await (await run.getFileHandle(name)).getFile()).arrayBuffer());
    const write = async (run, name, content) => {
        const file = await (await run.getFileHandle(name)).createWritable(); await file.write(content); await file.close() };
    const {readManifest, writeManifest, sha256} = await import(new URL('engine/js/keep/continue/manifest.js', location));
    const manifest = async (run, name) => readManifest(new TextDecoder().decode(await read(run, name)));";

async fn play(page: &Browser) -> Test {
    page.wait_enabled("#play").await?;
    page.click("#play").await?;
    page.wait_text("#play", "Pause").await
}

/// Pauses, and waits until the state at this time is saved. Returns the time in ms.
async fn pause_saved(page: &Browser) -> Test<f64> {
    page.click("#play").await?;
    page.wait_text("#play", "Play").await?;
    page.wait_steady("#spikes").await?;
    let time = page.number("#time").await?;
    page.wait_number("#saved", |saved| (saved - time).abs() < 0.05).await?;
    Ok(time)
}

async fn run_on(page: &Browser, ms: f64) -> Test<f64> {
    page.wait_enabled("#play").await?;
    let end = page.number("#time").await? + ms;
    play(page).await?;
    page.wait_number("#time", |time| time > end).await?;
    pause_saved(page).await
}

async fn go_on(page: &Browser) -> Test {
    page.wait_text("[data-testid=continue]", "Continue where you were: ").await?;
    page.click("[data-testid=continue-run]").await
}

/// The spikes from a step on, as a hash, and their number.
async fn spikes_since(page: &Browser, step: f64) -> Test<Value> {
    let script = format!(
        "const pairs = []; for (let k = 0; k < spikes.length; k += 2) if (spikes[k] >= {step}) pairs.push(spikes[k], spikes[k + 1]);
        const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', Uint32Array.from(pairs)));
        return [pairs.length / 2, Array.from(hash, byte => byte.toString(16)).join('')]"
    );
    page.script(&script).await
}

/// Ends the process of the open page, as the system does when memory runs out.
#[cfg(target_os = "linux")]
fn kill_tab(page: &Browser) -> Test {
    let threads = |process: &u32| {
        let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        tasks
            .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok())
            .filter(|name| name.starts_with("DedicatedWorker"))
            .count()
    };
    let of_page = page.processes().into_iter().filter(|process| threads(process) > 0).max_by_key(threads).ok_or("no page")?;
    let ended = std::process::Command::new("kill").args(["-9", &of_page.to_string()]).status()?;
    assert!(ended.success());
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_continues_with_the_same_spikes_after_its_tab_was_killed() {
    flow(async |page| {
        let blank = page.tab().await?;
        page.new_tab(CUBA).await?;
        page.wait_enabled("#play").await?;
        page.slide("input[data-path='E.taum']", "18").await?;
        play(page).await?;
        page.wait_number("#time", |time| time > 200.0).await?;
        page.slide("input[data-path='I.taum']", "24").await?;
        let changed = page.number("#time").await?;
        // Shorter runs are offered only at the address of their network.
        page.wait_number("#saved", |saved| saved > (changed + 100.0).max(1000.0)).await?;
        // In the middle of the run.
        kill_tab(page)?;

        page.turn_to_tab(&blank).await?;
        page.begin_with(NOTE_SPIKES).await?;
        page.open(PLAIN).await?;
        page.wait_text("[data-testid=continue]", "cuba").await?;
        go_on(page).await?;
        page.wait_number("#time", |time| time > changed).await?;
        let saved = page.number("#time").await?;
        for (path, value) in [("E.taum", "18"), ("I.taum", "24")] {
            let script = format!("return document.querySelector(\"input[data-path='{path}']\").value");
            page.wait_for(path, async || Ok(page.script(&script).await? == json!(value))).await?;
        }
        page.wait_text("#changes", "I.taum").await?;
        page.wait_enabled("#run-for").await?;
        page.fill("#run-for-time", "700 ms").await?;
        page.click("#run-for").await?;
        page.wait_number("#time", |time| time > saved + 699.0).await?;
        page.wait_steady("#spikes").await?;
        let step = saved / 0.1;
        let (time, count) = (page.number("#time").await?, page.number("#spikes").await?);
        let continued = spikes_since(page, step.round()).await?;
        page.click("#share").await?;
        let link = "return document.querySelector('#share-link')?.value ?? ''";
        page.wait_for("a link", async || Ok(page.script(link).await?.as_str().is_some_and(|link| link.contains('#')))).await?;
        let link = page.script(link).await?.as_str().unwrap_or("").to_owned();

        // The same run without an interruption, from its start.
        page.open(&format!("{PLAIN}{}", &link[link.find('#').unwrap_or(0)..])).await?;
        page.wait_number("#time", |now| (now - time).abs() < 0.05).await?;
        page.wait_steady("#spikes").await?;
        assert_eq!(page.number("#spikes").await?, count);
        let undisturbed = spikes_since(page, step.round()).await?;
        assert!(undisturbed[0].as_u64() > Some(100), "{undisturbed}");
        assert_eq!(continued, undisturbed);
        Ok(())
    });
}

/// A run of a moment is offered only where its network is: elsewhere the line would be in the way.
#[test]
fn a_short_run_is_offered_only_with_its_network() {
    flow(async |page| {
        let blank = page.tab().await?;
        page.new_tab(CUBA).await?;
        page.wait_enabled("#run-for").await?;
        page.fill("#run-for-time", "300 ms").await?;
        page.click("#run-for").await?;
        page.wait_number("#saved", |saved| saved == 300.0).await?;
        page.turn_to_tab(&blank).await?;
        page.open(PLAIN).await?;
        page.wait_enabled("#play").await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(page.count("[data-testid=continue]").await?, 0);
        Ok(())
    });
}

#[test]
fn a_damaged_state_leaves_the_older_one_and_two_leave_the_network() {
    flow(async |page| {
        page.open(CUBA).await?;
        run_on(page, 100.0).await?;
        run_on(page, 300.0).await?;
        // Changes the newest states, this many of them, and gives the times of all, the newest first.
        let damage = format!(
            "{FILES} const [run, other] = runs; if (other) throw new Error('there are two runs');
            const all = await Promise.all(['0', '1'].map(async (name) => ({{name, ...await manifest(run, name + '.json')}})));
            all.sort((one, other) => other.number - one.number);
            for (const {{name}} of all.slice(0, COUNT)) {{
                const state = await read(run, name + '.state'); state[state.length >> 1] ^= 4; await write(run, name + '.state', state);
            }} return all.map(({{timeMs}}) => timeMs)"
        );
        let [newer, older]: [f64; 2] = serde_json::from_value(page.script(&damage.replace("COUNT", "1")).await?)?;
        assert!(newer > older, "{newer} {older}");
        page.reload().await?;
        page.wait_text("[data-testid=continue]", "cuba").await?;
        go_on(page).await?;
        page.wait_text("[data-testid=continue-notice]", "The newest state is damaged: the run continues from").await?;
        page.wait_number("#time", |time| (time - older).abs() < 0.05).await?;
        // It is saved again in place of the damaged one.
        page.wait_number("#saved", |saved| (saved - older).abs() < 0.05).await?;

        page.script(&damage.replace("COUNT", "2")).await?;
        page.reload().await?;
        go_on(page).await?;
        page.wait_text("[data-testid=continue-notice]", "is damaged; the network is at its start").await?;
        page.wait_text("#title", "current-based").await?;
        // Its run can be repeated.
        page.click("[data-testid=replay-run]").await?;
        page.wait_number("#time", |time| (time - older).abs() < 0.05).await?;

        // Nothing can be read any more.
        until_saved(page).await?;
        let torn = format!(
            "{FILES} for (const run of runs) for (const name of ['0.json', '1.json']) try {{
            const all = await read(run, name); await write(run, name, all.slice(0, all.length - 5)) }} catch {{}} return 0"
        );
        page.script(&torn).await?;
        page.reload().await?;
        page.wait_text("[data-testid=continue-notice]", "A saved run is damaged, and cannot be continued.").await?;
        run_on(page, 50.0).await?;
        assert_eq!(page.count("[data-testid=continue]").await?, 0);
        assert_eq!(page.text("#error").await?, "");
        Ok(())
    });
}

/// Waits until nothing is written any more.
async fn until_saved(page: &Browser) -> Test {
    page.wait_steady("#spikes").await?;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    Ok(())
}

/// The network of the address opens after a saved state was asked for and before it can be read, as on a machine under load.
const OPENS_MEANWHILE: &str = "let go; const asked = new Promise(resolve => { go = resolve }), Plain = Worker;
    window.Worker = class extends Plain { postMessage(...of) { asked.then(() => super.postMessage(...of)) } };
    const {getFile} = FileSystemFileHandle.prototype;
    FileSystemFileHandle.prototype.getFile = async function () {
        if (this.name.endsWith('.state')) {
            go();
            while (document.querySelector('#play')?.disabled !== false) await new Promise(resolve => setTimeout(resolve, 10));
            window.openedMeanwhile = true;
        }
        return getFile.call(this);
    };";

#[test]
fn a_run_that_continues_while_the_network_of_the_address_opens_stays_one_run() {
    flow(async |page| {
        page.open(CUBA).await?;
        let time = run_on(page, 100.0).await?;
        page.begin_with(OPENS_MEANWHILE).await?;
        page.reload().await?;
        go_on(page).await?;
        page.wait_number("#time", |now| (now - time).abs() < 0.05).await?;
        assert_eq!(page.script("return window.openedMeanwhile").await?, json!(true));
        run_on(page, 100.0).await?;
        assert_eq!(page.script(&format!("{FILES} return runs.length")).await?, json!(1));
        Ok(())
    });
}

#[test]
fn a_state_of_another_version_leaves_the_network() {
    flow(async |page| {
        page.open(CUBA).await?;
        run_on(page, 100.0).await?;
        let age = format!(
            "{FILES} for (const run of runs) for (const name of ['0', '1']) try {{
                const old = await manifest(run, name + '.json'), state = await read(run, name + '.state');
                // The version of the format: see docs/snapshot.md.
                state[8] = 99; await write(run, name + '.state', state);
                const written = await writeManifest({{...old, state: {{...old.state, sha256: await sha256(state)}}}});
                await write(run, name + '.json', written);
            }} catch (error) {{ if (error.name !== 'NotFoundError') throw error }} return 0"
        );
        page.script(&age).await?;
        page.reload().await?;
        go_on(page).await?;
        page.wait_text("[data-testid=continue-notice]", "The saved state cannot be continued: ").await?;
        page.wait_text("[data-testid=continue-notice]", "The network is at its start").await?;
        assert_eq!(page.number("#time").await?, 0.0);
        page.wait_text("[data-testid=replay]", "Saved at").await?;
        run_on(page, 50.0).await?;
        Ok(())
    });
}

#[test]
fn two_tabs_have_a_run_each() {
    flow(async |page| {
        let first = page.tab().await?;
        page.open(CUBA).await?;
        let time = run_on(page, 100.0).await?;
        page.new_tab("?backend=cpu#network=izhikevich").await?;
        let second = page.tab().await?;
        let other = run_on(page, 60.0).await?;
        // Both are open.
        page.new_tab(PLAIN).await?;
        let third = page.tab().await?;
        page.wait_enabled("#play").await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(page.count("[data-testid=continue]").await?, 0);
        page.turn_to_tab(&first).await?;
        page.close_tab().await?;
        page.turn_to_tab(&third).await?;
        page.open(PLAIN).await?;
        page.wait_text("[data-testid=continue]", "cuba").await?;
        go_on(page).await?;
        page.wait_number("#time", |now| (now - time).abs() < 0.05).await?;
        // A reload offers the run of its tab.
        page.turn_to_tab(&second).await?;
        page.reload().await?;
        go_on(page).await?;
        page.wait_number("#time", |now| (now - other).abs() < 0.05).await?;
        // What is discarded is not offered again.
        page.reload().await?;
        page.wait_text("[data-testid=continue]", "Continue where you were: ").await?;
        page.click("[data-testid=continue-discard]").await?;
        page.wait_for("no offer", async || Ok(page.count("[data-testid=continue]").await? == 0)).await?;
        page.wait_for("no files", async || Ok(page.script(&format!("{FILES} return runs.length")).await? == json!(1))).await?;
        page.reload().await?;
        page.wait_enabled("#play").await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(page.count("[data-testid=continue]").await?, 0);
        Ok(())
    });
}

#[test]
fn edits_that_never_ran_come_back() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        equations::edit_threshold(page).await?;
        page.wait_text("#saved", "Saved").await?;
        page.new_tab(PLAIN).await?;
        page.wait_enabled("#play").await?;
        let second = page.tab().await?;
        // Only when its tab has ended.
        assert_eq!(page.count("[data-testid=continue]").await?, 0);
        page.close_others(&second).await?;
        page.open(PLAIN).await?;
        page.wait_text("[data-testid=continue]", "cuba, edited").await?;
        go_on(page).await?;
        equations::show_network(page).await?;
        equations::inspect(page, "E").await?;
        let text = "return document.querySelector('#text-threshold')?.value";
        page.wait_for("the edit", async || Ok(page.script(text).await? == json!("v > Vt + 1*mV"))).await
    });
}

#[test]
fn a_full_storage_is_a_sentence_and_does_not_end_the_run() {
    flow(async |page| {
        page.open(CUBA).await?;
        page.wait_enabled("#play").await?;
        let origin = page.script("return location.origin").await?;
        page.command("Storage.overrideQuotaForOrigin", json!({"origin": origin, "quotaSize": 20_000})).await?;
        play(page).await?;
        page.wait_text("#saved", "The browser's storage is full").await?;
        let time = page.number("#time").await?;
        page.wait_number("#time", |now| now > time + 200.0).await?;
        assert_eq!(page.text("#error").await?, "");
        assert_eq!(page.count("dialog[open]").await?, 0);
        // Nothing is left of what did not fit.
        let left = format!(
            "{FILES} let names = []; for (const run of runs) for await (const name of run.keys()) names.push(name); return names"
        );
        page.wait_for("no files", async || Ok(page.script(&left).await? == json!([]))).await
    });
}

#[test]
fn without_a_file_system_the_page_is_as_before() {
    flow(async |page| {
        page.hide_file_system().await?;
        page.open(CUBA).await?;
        play(page).await?;
        page.wait_number("#time", |time| time > 100.0).await?;
        page.click("#play").await?;
        page.wait_steady("#spikes").await?;
        assert_eq!(page.text("#saved").await?, "");
        page.reload().await?;
        page.wait_enabled("#play").await?;
        assert_eq!(page.count("[data-testid=continue]").await?, 0);
        Ok(())
    });
}

/// Pictures to look at: desktop and phone, light and dark; names, contrast and the size of buttons are checked.
#[test]
fn the_line_fits_a_desk_and_a_phone() {
    flow(async |page| {
        page.open(CUBA).await?;
        run_on(page, 1000.0).await?;
        page.reload().await?;
        page.wait_text("[data-testid=continue]", "cuba").await?;
        page.wait_enabled("#play").await?;
        for (width, height) in [(1440, 900), (390, 844)] {
            for scheme in ["light", "dark"] {
                page.emulate(width, height, scheme).await?;
                tokio::time::sleep(Duration::from_millis(300)).await;
                page.script("window.scrollTo(0, 0)").await?;
                let name = format!("continue-{width}x{height}-{scheme}.png");
                page.screenshot(&name).await?;
                let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
                assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "{name}: the page is {overflow} pixels too wide");
                if width < 500 {
                    assert_eq!(page.small_targets().await?, Vec::<String>::new(), "{name}");
                }
                assert_eq!(findings(page).await?, Vec::<String>::new(), "{name}");
            }
        }
        // By keys.
        page.script("document.querySelector('[data-testid=continue-run]').focus()").await?;
        page.press_focused("enter").await?;
        page.wait_number("#time", |time| time > 1000.0).await
    });
}
