//! How smoothly the page moves: intervals between its frames while networks run at full speed, and how long it takes from an event of the pointer to
//! the frame after it, also while a large network is being built. `cargo xtask dist --measure` runs it on what is published; times are
//! printed, not judged.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::host::{Headers, Host};

/// Time to measure frames after a start, in s.
const WARM_UP: Duration = Duration::from_secs(3);
const MEASURED: Duration = Duration::from_secs(10);

/// Moves of the pointer; every fifth is also a click.
const MOVES: usize = 100;

/// Notes the times of frames and of long tasks from now on, in ms.
const FRAMES: &str = "window.frames_ms = []; window.long_ms = [];
    window.seen = new PerformanceObserver(list => window.long_ms.push(...list.getEntries().map(({duration}) => duration)));
    window.seen.observe({entryTypes: ['longtask']});
    const frame = now => { window.frames_ms.push(now); window.noting = requestAnimationFrame(frame) };
    window.noting = requestAnimationFrame(frame)";

/// Ends [`FRAMES`]: the intervals and the long tasks.
const INTERVALS: &str = "cancelAnimationFrame(window.noting); window.seen.disconnect();
    return [window.frames_ms.slice(1).map((now, k) => now - window.frames_ms[k]), window.long_ms]";

/// Notes how long each event of the pointer took until the frame after its handlers was drawn, in ms: the message comes after it.
const POINTER: &str = "window.pointer_ms = [];
    for (const name of ['pointermove', 'pointerdown']) addEventListener(name, ({timeStamp}) => requestAnimationFrame(() => {
        const {port1, port2} = new MessageChannel();
        port1.onmessage = () => window.pointer_ms.push(performance.now() - timeStamp);
        port2.postMessage(0);
    }), {capture: true})";

/// The part of sorted times below which a share of them lies.
fn quantile(times: &[f64], share: f64) -> f64 {
    times.get((share * times.len() as f64) as usize).copied().unwrap_or(f64::NAN)
}

/// Median, 95th percentile and maximum of times in ms.
fn figures(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    format!("{:.1} | {:.1} | {:.1}", quantile(&times, 0.5), quantile(&times, 0.95), times.last().copied().unwrap_or(f64::NAN))
}

/// The time in ms that the page's thread has worked so far.
async fn worked(page: &Browser) -> Test<f64> {
    let metrics = page.command("Performance.getMetrics", json!({})).await?;
    let task = metrics["metrics"].as_array().into_iter().flatten().find(|metric| metric["name"] == "TaskDuration");
    Ok(1000.0 * task.and_then(|metric| metric["value"].as_f64()).ok_or(format!("no TaskDuration in {metrics}"))?)
}

/// Opens a network and lets it run at full speed.
async fn running(page: &Browser, backend: &str, network: &str) -> Test {
    page.open(&format!("?backend={backend}#network={network}")).await?;
    page.wait_enabled("#play").await?;
    page.click("#play").await?;
    page.wait_number("#time", |time| time > 0.0).await?;
    tokio::time::sleep(WARM_UP).await;
    Ok(())
}

/// Intervals between frames: a line of a table.
async fn frames(page: &Browser, what: &str) -> Test {
    page.script(FRAMES).await?;
    let before = worked(page).await?;
    tokio::time::sleep(MEASURED).await;
    let work = worked(page).await? - before;
    let (intervals, long): (Vec<f64>, Vec<f64>) = serde_json::from_value(page.script(INTERVALS).await?)?;
    let per_frame = work / intervals.len() as f64;
    let longest = long.iter().copied().fold(0.0, f64::max);
    println!("| {what} | {} | {per_frame:.1} | {} | {longest:.0} |", figures(intervals), long.len());
    Ok(())
}

/// Moves the pointer over the page until it is done, and clicks on the title.
async fn pointer(page: &Browser, what: &str, mut is_done: impl AsyncFnMut(usize) -> Test<bool>) -> Test {
    let title = page.point("#title", 0.5).await?;
    page.script(POINTER).await?;
    let send = async |kind: &str, (x, y): (i64, i64)| {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({"type": kind, "x": x, "y": y, "button": button, "clickCount": 1});
        page.command("Input.dispatchMouseEvent", event).await
    };
    let mut sent = 0;
    while !is_done(sent).await? {
        send("mouseMoved", (300 + 7 * (sent as i64 % 100), 250 + 3 * (sent as i64 % 100))).await?;
        if sent % 5 == 4 {
            send("mousePressed", title).await?;
            send("mouseReleased", title).await?;
        }
        sent += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let times: Vec<f64> = serde_json::from_value(page.script("return window.pointer_ms").await?)?;
    println!("| {what} | {} | {} |", times.len(), figures(times));
    Ok(())
}

/// The pointer while a network of 100 million synapses is being built.
async fn pointer_while_building(page: &Browser) -> Test {
    let network = json!({
        "name": "large", "dt_ms": 0.1, "duration_ms": 100,
        "populations": [{"name": "cells", "size": 20_000, "model": "lif_exp"}],
        "projections": [{"pre": "cells", "post": "cells", "connect": {"rule": "bernoulli", "p": 0.25}, "on_pre": "ge_post += 0.01*mV"}]
    });
    page.open("?backend=cpu#network=izhikevich").await?;
    page.wait_enabled("#play").await?;
    page.fill("#json", &network.to_string()).await?;
    page.script("document.querySelector('#apply').click()").await?;
    let began = Instant::now();
    let stage = "return document.querySelector('[data-testid=stage]')?.textContent ?? ''";
    page.wait_for("the build", async || Ok(page.script(stage).await? != "")).await?;
    pointer(page, "10⁸ synapses are being built", async |_| Ok(page.script(stage).await? == "")).await?;
    println!("\nbuilt in {:.1?}", began.elapsed());
    assert!(page.text("#error").await?.is_empty(), "{}", page.text("#error").await?);
    Ok(())
}

#[test]
#[ignore = "measures what `cargo xtask dist --measure` has built"]
fn of_frames_and_of_the_pointer() {
    let folder = std::env::var_os("SPIKELET_PAGE_FOLDER").map(PathBuf::from).expect("SPIKELET_PAGE_FOLDER, a published page");
    // Without headers, isolate.js would load the page twice.
    let host = Host::start(folder, vec![("isolate.js", String::new())], Headers::Isolating).expect("a free port");
    let runs = [("cpu", "cuba"), ("cpu", "brunel_ai"), ("cpu", "waves"), ("gpu", "cuba")];
    let with = async |page: &Browser| -> Test {
        page.emulate(1440, 900, "light").await?;
        page.command("Performance.enable", json!({})).await?;
        println!(
            "\n| ms between frames | median | p95 | longest | work of the thread per frame | tasks above 50 ms | longest task |"
        );
        println!("|---|---|---|---|---|---|---|");
        for (backend, network) in runs {
            running(page, backend, network).await?;
            frames(page, &format!("{network}, {backend}")).await?;
        }
        println!(
            "\n| ms from an event of the pointer to the frame after it | events | median | p95 | longest |\n|---|---|---|---|---|"
        );
        for (backend, network) in runs {
            running(page, backend, network).await?;
            pointer(page, &format!("{network}, {backend}, runs"), async |sent| Ok(sent >= MOVES)).await?;
        }
        pointer_while_building(page).await
    };
    Browser::run(host.url, with);
}
