//! Each example does what it says, where a user would copy it to.

use std::process::Command;

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::bundlers::is_full;
use crate::host::{Headers, Host};
use crate::readme::Steps;
use crate::{HOSTS, example, install};

#[test]
fn plain_draws_the_same_spikes_on_every_host() {
    let mut dots = Vec::new();
    for headers in HOSTS {
        example("plain", headers, async |page| {
            page.open("").await?;
            page.wait_text("#said", "1000 ms on CPU").await?;
            dots.push(page.ink("canvas").await?);
            page.screenshot("example-plain.png").await
        });
    }
    if let [isolated, plain] = dots[..] {
        assert!(isolated > 10_000, "{isolated} dots");
        assert_eq!(isolated, plain);
    }
}

/// Simulations of a script: spikes of a network in its first 100 ms, as one number that depends on each of them.
const SPIKES: &str = "const {Spikelet} = await import('./node_modules/spikelet/js/index.js');
    const spikes = async (network, options) => {
        const simulation = await Spikelet.create(network, {backend: 'cpu', ...options});
        let [count, hash] = [0, 0n];
        simulation.on('spikes', ({neurons, spikeSteps}) => neurons.forEach((neuron, k) => {
            count += 1; hash = BigInt.asUintN(64, hash + (BigInt(neuron) * 0x9e3779b97f4a7c15n ^ BigInt(spikeSteps[k]) * 0xbf58476d1ce4e5b9n));
        }));
        await simulation.run(100);
        const {threads} = simulation.info.backend; simulation.dispose();
        return [count, String(hash), threads];
    };";

#[test]
fn spikes_are_the_same_with_headers_and_without_alone_and_together() {
    let mut emitted = Vec::new();
    for headers in HOSTS {
        example("plain", headers, async |page| {
            page.open("").await?;
            page.wait_text("#said", "1000 ms").await?;
            let script = format!(
                "return (async () => {{ {SPIKES}
                    const alone = [await spikes('cobahh', {{}}), await spikes('cuba', {{seed: 7}})];
                    const together = await Promise.all([spikes('cobahh', {{}}), spikes('cuba', {{seed: 7}})]);
                    return {{alone, together, cores: navigator.hardwareConcurrency}} }})()"
            );
            let said = page.script(&script).await?;
            assert_eq!(said["alone"], said["together"]);
            assert!(said["alone"][0][0].as_u64() > Some(1000) && said["alone"][1][0].as_u64() > Some(100), "{said}");
            // The first gains from threads.
            let several = headers == Headers::Isolating && said["cores"].as_u64() > Some(1);
            assert_eq!(said["alone"][0][2].as_u64() > Some(1), several, "{said}");
            emitted.push([&said["alone"][0][1], &said["alone"][1][1]].map(ToString::to_string));
            Ok(())
        });
    }
    assert!(emitted.windows(2).all(|pair| pair[0] == pair[1]), "{emitted:?}");
}

#[test]
fn the_element_in_a_page_of_its_own_colours_ends_by_itself() {
    example("element", Headers::Plain, async |page| {
        page.emulate(1280, 1000, "dark").await?;
        page.open("").await?;
        page.script("document.querySelector('#themed').scrollIntoView({block: 'center'})").await?;
        page.wait_text("#said", "it is paused").await?;
        page.script("document.querySelector('#themed').play()").await?;
        page.wait_text("#said", "it is ended").await?;
        page.screenshot("example-element-themed.png").await
    });
}

#[test]
fn every_network_of_the_lesson_runs_at_any_width() {
    for (headers, width, scheme) in [(Headers::Plain, 390, "dark"), (Headers::Isolating, 1280, "light")] {
        example("lesson", headers, async |page| {
            page.emulate(width, 844, scheme).await?;
            page.open("").await?;
            page.screenshot(&format!("example-lesson-{width}.png")).await?;
            for place in 0..3 {
                let element = format!("document.querySelectorAll('spikelet-network')[{place}]");
                page.script(&format!("{element}.scrollIntoView({{block: 'center'}}); {element}.play()")).await?;
                let runs = format!("return {element}.simulation?.timeMs > 100 && {element}.state === 'running'");
                page.wait_for("a network of the lesson", async || Ok(page.script(&runs).await? == json!(true))).await?;
                page.screenshot(&format!("example-lesson-{width}-{place}.png")).await?;
            }
            let overflow = page.script("return document.documentElement.scrollWidth - innerWidth").await?;
            assert!(overflow.as_f64().unwrap_or(1.0) <= 0.0, "the page is {overflow} pixels too wide");
            // Citations lead somewhere.
            let dead = "return [...document.querySelectorAll('a[href^=\"#\"]')].filter(({hash}) => !document.querySelector(hash)).length";
            assert_eq!(page.script(dead).await?, json!(0));
            Ok(())
        });
    }
}

/// Runs its page: numbers come, and from a snapshot the same ones again.
async fn goes_on_from_a_snapshot(page: &Browser) -> Test {
    page.open("").await?;
    page.wait_text("#said", "spikes in 300 ms with E.taum = 20 ms").await?;
    let said = page.text("#said").await?;
    let count = said.split(' ').next().unwrap_or("").to_owned();
    assert!(count.parse::<u64>()? > 1000, "{said}");
    page.click("#again").await?;
    page.wait_text("#said", &format!("{count} spikes up to 500 ms")).await?;
    page.slide("#taum", "30").await?;
    page.wait_text("#value", "30 ms").await
}

#[test]
fn with_vite_it_is_typed_built_and_served() {
    let Some(folder) = install::example("vite") else { return };
    // `tsc` checks what it uses, strictly; `vite build` makes the page.
    install::succeeds(install::program("npm").args(["run", "build"]).current_dir(&folder));
    for headers in HOSTS {
        let host = Host::start(folder.join("dist"), Vec::new(), headers).unwrap();
        Browser::run(host.url, goes_on_from_a_snapshot);
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    // Without npm and a shell between: ending it ends the server.
    let script = folder.join("node_modules/vite/bin/vite.js");
    let mut serve = Command::new("node");
    serve.arg(script).args(["--host", "127.0.0.1", "--strictPort", "--port", &port.to_string()]).current_dir(&folder);
    let _server = install::serve(serve, port);
    Browser::run(format!("http://127.0.0.1:{port}/"), goes_on_from_a_snapshot);
}

#[test]
fn with_webpack_it_has_threads_where_the_page_is_isolated() {
    let Some(folder) = install::example("webpack") else { return };
    install::succeeds(install::program("npm").args(["run", "build"]).current_dir(&folder));
    let mut spikes = Vec::new();
    for headers in HOSTS {
        let host = Host::start(folder.clone(), Vec::new(), headers).unwrap();
        Browser::run(host.url, async |page| {
            page.open("").await?;
            page.wait_text("#said", "spikes in 50 ms").await?;
            let said = page.text("#said").await?;
            let cores = page.script("return navigator.hardwareConcurrency").await?.as_u64().unwrap_or(1);
            let several = headers == Headers::Isolating && cores > 1;
            assert_ne!(said.contains("on 1 threads. the network has one CPU thread: "), several, "{said}");
            spikes.push(said.split(' ').next().unwrap_or("").to_owned());
            Ok(())
        });
    }
    assert!(spikes[0] == spikes[1] && spikes[0].parse::<u64>().is_ok_and(|count| count > 100), "{spikes:?}");
}

/// Those of bundlers and of React: a script builds each, and its folder is served.
#[test]
fn every_other_example_is_built_and_has_the_same_spikes() {
    if !is_full() {
        return;
    }
    for (name, served) in [("react", "dist"), ("next", "out"), ("esbuild", "dist"), ("rollup", "dist")] {
        let Some(folder) = install::example(name) else { return };
        let mut build = install::program("npm");
        install::succeeds(build.args(["run", "build"]).env("NEXT_TELEMETRY_DISABLED", "1").current_dir(&folder));
        for headers in HOSTS {
            let host = Host::start(folder.join(served), Vec::new(), headers).unwrap();
            Browser::run(host.url, async |page| {
                page.open("").await?;
                page.wait_text("#said", "6079 spikes in 50 ms on ").await?;
                let said = page.text("#said").await?;
                let cores = page.script("return navigator.hardwareConcurrency").await?.as_u64().unwrap_or(1);
                assert_eq!(said.contains(" on 1 threads."), headers == Headers::Plain || cores == 1, "{name}: {said}");
                Ok(())
            });
        }
    }
}

#[test]
fn the_pages_of_the_readme_draw() {
    let Some(folder) = install::example("plain") else { return };
    let steps = Steps::of(&["Plain HTML"]);
    let pages = ["raster.html", "element.html"].map(|name| (name, steps.file(name).to_owned()));
    let host = Host::start(folder, pages.into(), Headers::Plain).unwrap();
    Browser::run(host.url, async |page| {
        page.open("raster.html").await?;
        page.wait_for("dots", async || Ok(page.ink("canvas").await? > 10_000)).await?;
        page.open("element.html").await?;
        let state = "return document.querySelector('spikelet-network').state";
        page.wait_for("the element", async || Ok(page.script(state).await? == json!("paused"))).await?;
        // No icon is named in either page, for which the browser then looks.
        drop(page.console_errors().await?);
        Ok(())
    });
}

#[test]
fn the_script_of_the_readme_prints_the_hash_in_node() {
    let Some(folder) = install::example("node") else { return };
    std::fs::write(folder.join("readme.mjs"), Steps::of(&["Node"]).file("script.mjs")).unwrap();
    let said = install::succeeds(Command::new("node").arg("readme.mjs").current_dir(&folder));
    let (spikes, hash) = said.trim().split_once(' ').unwrap();
    assert!(spikes.parse::<u64>().is_ok_and(|spikes| spikes > 1000) && hash.len() == 16, "{said}");
}

#[test]
fn in_node_a_script_prints_rates_draws_spikes_and_ends() {
    let Some(folder) = install::example("node") else { return };
    let said = install::succeeds(Command::new("node").args(["script.mjs", "cuba", "300"]).current_dir(&folder));
    let rate = |population: &str| -> f64 {
        let line = said.lines().find(|line| line.starts_with(population)).unwrap_or("");
        line.rsplit(' ').nth(1).and_then(|number| number.parse().ok()).unwrap_or(f64::NAN)
    };
    // What the catalogue expects of this network over more seeds and a longer time.
    assert!((4.0..8.0).contains(&rate("E:")) && (4.0..8.0).contains(&rate("I:")), "{said}");
    let picture = std::fs::read_to_string(folder.join("raster.svg")).unwrap();
    // Where pages are made, the element is nothing yet; it does no harm.
    install::succeeds(
        Command::new("node").args(["--input-type=module", "--eval", "await import('spikelet/element')"]).current_dir(&folder),
    );
    assert!(picture.starts_with("<svg") && picture.matches("h1").count() > 1000, "{} bytes", picture.len());
}

#[test]
fn a_host_that_lacks_a_file_is_told_of() {
    example("plain", Headers::Isolating, async |page| {
        page.open("").await?;
        let script = "return (async () => {
            const {Spikelet} = await import('./node_modules/spikelet/js/index.js');
            const refused = (promise) => promise.then(() => null, ({name, code, message}) => [name, code, message]);
            return Promise.all([
                refused(Spikelet.create('cuba', {worker: './no-worker.js'})),
                refused(Spikelet.create('./no-network.json')),
            ]);
        })()";
        let said = page.script(script).await?;
        let [engine, network] = [&said[0], &said[1]];
        assert_eq!([&engine[0], &engine[1]], [&json!("SpikeletError"), &json!("engine")]);
        assert!(engine[2].as_str().is_some_and(|message| message.contains("no-worker.js could not be loaded")), "{said}");
        assert_eq!(network[1], json!("fetch"));
        assert!(
            network[2]
                .as_str()
                .is_some_and(|message| message.contains("no-network.json could not be loaded: the server responded with 404"))
        );
        // The browser tells of both on its console.
        drop(page.console_errors().await?);
        Ok(())
    });
}
