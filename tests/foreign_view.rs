//! Flows with files of other tools: they are dropped onto the page, and the open network is written for them.

use super::browser::{Browser, Test};
use super::flow;
use serde_json::json;
use std::path::Path;

/// The files of a folder of this crate.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())).collect()
}

async fn drop_folder(page: &Browser, of: &[(String, Vec<u8>)]) -> Test {
    let files: Vec<(&str, &[u8])> = of.iter().map(|(name, content)| (name.as_str(), &content[..])).collect();
    page.drop_files(&files).await
}

#[test]
fn files_of_other_tools_are_opened() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let model: Vec<_> = files("neuroml").into_iter().filter(|(name, _)| name.starts_with("hh.")).collect();
        drop_folder(page, &model).await?;
        page.wait_text("[data-testid='notices']", "Opened hh.xml as NeuroML.").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes == 7.0).await?;

        drop_folder(page, &files("sonata/iaf_psc_exp")).await?;
        page.wait_text("[data-testid='notices']", "Opened config.json as a configuration of SONATA.").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes >= 214.0).await?;

        // By its address.
        page.open("#open=manifest.json").await?;
        page.wait_text("#error", "manifest.json, but it is of no format that can be imported").await?;
        let text = json!(include_str!("neuroml/iaf.xml"));
        page.script(&format!(
            "location.hash = '#open=' + encodeURIComponent(URL.createObjectURL(new Blob([{text}]))); return true"
        ))
        .await?;
        page.wait_text("[data-testid='notices']", " as NeuroML.").await?;
        drop_folder(page, &files("sonata/iaf_psc_exp")).await?;
        page.wait_text("[data-testid='notices']", "Opened config.json").await?;

        // What cannot be opened leaves the open network as it is.
        drop_folder(page, &[model[0].clone()]).await?;
        page.wait_text("#error", "hh.").await?;
        page.drop_file("a.nml", "<neuroml").await?;
        page.wait_text("#error", "a.nml").await?;
        page.drop_file("graph.nir", "").await?;
        page.wait_text("#error", "graph.nir").await?;
        page.wait_text("[data-testid='notices']", "Opened config.json").await
    });
}

#[test]
fn a_folder_is_dropped() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sonata/iaf_psc_exp").canonicalize()?;
        let data = json!({"items": [], "files": [folder.display().to_string()], "dragOperationsMask": 1});
        for kind in ["dragEnter", "dragOver", "drop"] {
            page.command("Input.dispatchDragEvent", json!({"type": kind, "x": 300, "y": 300, "data": data})).await?;
        }
        page.wait_text("[data-testid='notices']", "Opened iaf_psc_exp/config.json as a configuration of SONATA.").await?;
        page.wait_enabled("#play").await?;
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes >= 214.0).await
    });
}

#[test]
fn the_network_is_saved_for_other_simulators() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba&scale=0.05").await?;
        page.wait_enabled("#play").await?;
        page.script(
            "const create = URL.createObjectURL;
             URL.createObjectURL = (blob) => { blob.arrayBuffer().then((bytes) => { window.exported = [...new Uint8Array(bytes.slice(0, 4))].join(); window.size = bytes.byteLength; }); return create(blob); };
             HTMLAnchorElement.prototype.click = function () { window.savedAs = this.download; }; return true",
        )
        .await?;
        page.click("#share").await?;
        for (format, tool) in [("brian2", "Brian 2"), ("nest", "NEST"), ("pynn", "PyNN")] {
            page.click(&format!("[data-testid='export-{format}']")).await?;
            page.wait_text("[data-testid='export-said']", &format!("The script for {tool}:")).await?;
            page.wait_text("[data-testid='export-script']", "import").await?;
            if format == "brian2" {
                page.screenshot("script.png").await?;
            }
            page.click("[data-testid='save-script']").await?;
            page.wait_text("[data-testid='export-said']", &format!("Saved for {tool}.")).await?;
            assert_eq!(page.script("return window.savedAs").await?, format!("cuba-{format}.zip"));
            page.wait_for("an archive", async || Ok(page.script("return window.exported ?? ''").await? == "80,75,3,4")).await?;
            assert!(page.script("return window.size").await?.as_f64() > Some(10_000.0));
            page.script("window.exported = ''; return true").await?;
        }
        page.click("[data-testid='export-nir']").await?;
        page.wait_text("[data-testid='export-said']", "NIR lacks").await?;
        page.screenshot("other-simulators.png").await?;
        page.emulate(390, 844, "dark").await?;
        page.script("document.querySelector(\"[data-testid='export-nir']\").scrollIntoView({block: 'center'}); return true")
            .await?;
        page.screenshot("other-simulators-phone.png").await
    });
}
