//! Flows with a connectome: its network, table of neurons and edges are dropped onto the page together.

use serde_json::json;

use crate::flow;

const NETWORK: &str = r#"{"name": "brain", "dt_ms": 0.1, "duration_ms": 1000,
    "populations": [{"name": "brain", "size": 60, "neurons": {"file": "neurons.csv", "id": "root_id",
        "codes": {"sign": {"column": "nt_type", "values": {"GABA": -1}, "otherwise": 1}}},
        "equations": "dv/dt = (g - v - 52*mV)/(20*ms) : volt (unless refractory)\ndg/dt = -g/(5*ms) : volt (unless refractory)\nsign : 1",
        "threshold": "v > -45*mV", "reset": "v = -52*mV\ng = 0*mV", "refractory": "2.2*ms", "initial": {"v": "-52 mV"}}],
    "sources": [{"name": "sugar", "type": "poisson", "size": 20, "rate": "150 Hz"}],
    "projections": [
        {"name": "synapses", "pre": "brain", "post": "brain", "pairs": {"file": "data/connections.csv", "columns": {"w": "syn_count"}},
         "equations": "w : 1 (constant)", "on_pre": "g_post += w*sign_pre*0.275*mV", "delay_ms": 1.8},
        {"name": "excite", "pre": "sugar", "post": "brain[cell_type == 'GRN']", "connect": {"rule": "one_to_one"},
         "on_pre": "v_post += 68.75*mV"}],
    "recordings": [{"object": "brain", "var": "v", "indices": "cell_type == 'MN9'", "every_ms": 1}]}"#;

fn id(neuron: u32) -> u64 {
    720_575_940_600_000_000 + u64::from(neuron) * 977
}

fn neurons(rows: u32) -> String {
    let row = |neuron: u32| {
        let (kind, nt) = (["GRN", "IN", "MN9"][neuron as usize % 3], ["ACH", "GABA", "ACH", "ACH"][neuron as usize % 4]);
        format!("{},{kind},{nt}\n", id(neuron))
    };
    format!("root_id,cell_type,nt_type\n{}", (0..rows).map(row).collect::<String>())
}

fn edges() -> String {
    let row = |k: u32| format!("{},{},GNG,{},ACH\n", id(k % 60), id((k * k + 7) % 60), 5 + k % 30);
    format!("pre_root_id,post_root_id,neuropil,syn_count,nt_type\n{}", (0..900).map(row).collect::<String>())
}

#[test]
fn a_connectome_is_opened_by_its_files() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba&scale=0.5").await?;
        page.wait_enabled("#play").await?;
        let (whole, short, edges) = (neurons(60), neurons(59), edges());
        let drop = async |neurons: &str| {
            let files = [("brain.json", NETWORK), ("neurons.csv", neurons), ("connections.csv", &edges)];
            page.drop_files(&files.map(|(name, text)| (name, text.as_bytes()))).await
        };
        // What does not fit leaves the open network as it is.
        drop(&short).await?;
        page.wait_text("#error", "populations[0].size is 60, but neurons.csv has 59 rows").await?;
        page.drop_file("brain.json", NETWORK).await?;
        page.wait_text("#error", "neurons.csv").await?;
        drop(&whole).await?;
        page.wait_text("#title", "brain").await?;
        page.wait_enabled("#play").await?;
        assert_eq!(page.text("#error").await?, "");
        page.click("#play").await?;
        page.wait_number("#spikes", |spikes| spikes > 1000.0).await?;
        page.click("#play").await?;
        for (width, height, scheme) in [(1440, 900, "light"), (390, 844, "dark")] {
            page.emulate(width, height, scheme).await?;
            page.screenshot(&format!("connectome-{width}-{scheme}.png")).await?;
            let overflow = page.script("return document.documentElement.scrollWidth - window.innerWidth").await?;
            assert!(overflow.as_f64() <= Some(0.0), "the page is {overflow} pixels too wide");
        }
        // It is kept without its files.
        page.reload().await?;
        page.wait_text("#title", "brain").await?;
        assert_eq!(page.script("return crossOriginIsolated").await?, json!(true));
        Ok(())
    });
}
