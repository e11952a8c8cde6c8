//! Connectomes: tables of neurons, edges by identifiers, neurons that are silenced, and results by type.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{code, file, folder, json, spikelet, text};

/// A brain of 40 neurons of four types, driven by a source.
fn brain(neurons: &str, edges: &str, excite: &str) -> String {
    format!(
        r#"{{"name": "brain", "dt_ms": 0.1, "duration_ms": 60,
        "populations": [{{"name": "brain", "size": 40, {neurons}, "equations": "dv/dt = (g - v)/(20*ms) : volt (unless refractory)\ndg/dt = -g/(5*ms) : volt\nsign : 1",
            "threshold": "v > 7*mV", "reset": "v = 0*mV", "refractory": "2.2*ms"}}],
        "sources": [{{"name": "drive", "type": "poisson", "size": 10, "rate": "400 Hz"}}],
        "projections": [{{"name": "edges", "pre": "brain", "post": "brain", {edges}, "equations": "w : 1 (constant)",
            "on_pre": "g_post += w*sign_pre*2*mV", "delay_ms": 1.8}},
            {{"name": "excite", "pre": "drive", {excite}, "on_pre": "v_post += 5*mV"}}],
        "recordings": [{{"object": "brain", "var": "v", "indices": [4, 14, 24, 34], "every_ms": 1}}]}}"#
    )
}

/// Its edges, with their weights.
fn edges() -> Vec<[u32; 3]> {
    (0..200).map(|k| [k * 7 % 40, k * k % 40, 1 + k % 5]).collect()
}

/// The types of the neurons, in turn.
const TYPES: [&str; 4] = ["a", "b", "c", "d, e"];

/// The same by lists.
fn listed(name: &str, edges: &[[u32; 3]]) -> String {
    let signs: Vec<i32> = (0..40).map(|neuron| if neuron % 3 == 0 { -1 } else { 1 }).collect();
    let pairs: Vec<[u32; 2]> = edges.iter().map(|[pre, post, _]| [*pre, *post]).collect();
    let weights: Vec<u32> = edges.iter().map(|[_, _, w]| *w).collect();
    let chosen: Vec<[u32; 2]> = (0..10).map(|k| [k, 4 * k + 1]).collect();
    let network = brain(
        &format!("\"parameters\": {{\"sign\": {signs:?}}}"),
        &format!("\"pairs\": {pairs:?}, \"parameters\": {{\"w\": {weights:?}}}"),
        &format!("\"post\": \"brain\", \"pairs\": {chosen:?}"),
    );
    file(name, &network)
}

/// By files with identifiers and types, beside the network.
fn named(name: &str) -> String {
    let network = brain(
        r#""neurons": {"file": "neurons.csv", "id": "root_id", "codes": {"sign": {"column": "nt", "values": {"GABA": -1}, "otherwise": 1}}}"#,
        r#""pairs": {"file": "edges.tsv", "columns": {"w": "syn_count"}}"#,
        r#""post": "brain[type == 'b']", "connect": {"rule": "one_to_one"}"#,
    );
    let named = file(name, &network.replace("[4, 14, 24, 34]", "\"type in ('a', 'c') and rank == 4\""));
    let beside = |name: &str, text: String| {
        fs::write(Path::new(&named).with_file_name(name), text).expect("the target folder is writable");
    };
    let id = |neuron: u32| 720_575_940_600_000_000 + u64::from(neuron * 7919 % 104_729);
    let row = |neuron: u32| {
        let nt = if neuron.is_multiple_of(3) { "GABA" } else { "ACH" };
        format!("{},\"{}\",{nt},{}\n", id(neuron), TYPES[neuron as usize % 4], neuron % 10)
    };
    beside("neurons.csv", format!("root_id,type,nt,rank\n{}", (0..40).map(row).collect::<String>()));
    let row = |[pre, post, w]: [u32; 3]| format!("{}\t{}\tAL\t{w}.0\n", id(pre), id(post));
    let rows: String = edges().into_iter().map(row).collect();
    beside("edges.tsv", format!("pre_root_id\tpost_root_id\tneuropil\tsyn_count\n{rows}"));
    named
}

fn run(network: &str, more: &[&str]) -> Value {
    let report = json(&[&["run", network, "--backend", "cpu", "--json"], more].concat());
    assert!(report["spikes"].as_u64() > Some(20), "{report}");
    report
}

fn hash(network: &str, more: &[&str]) -> Value {
    run(network, more)["spikes_hash"].clone()
}

/// A connectome as it is published has the spikes of the same network in indices, however it is run, written and read again.
#[test]
fn tables_of_neurons_name_the_ends_of_edges() {
    let (listed, named) = (listed("brain_listed", &edges()), named("brain_named"));
    let (expected, out) = (hash(&listed, &[]), folder("brain_out").display().to_string());
    for more in [&["--threads", "2"][..], &["--ranks", "2"], &["--out", &out]] {
        assert_eq!(hash(&named, more), expected, "{more:?}");
    }
    assert_eq!(hash(&format!("{out}/network.json"), &[]), expected, "the written network finds the files");
    let double = |network: &str| hash(network, &["--precision", "f64"]);
    assert_eq!(double(&named), double(&listed));
    for format in ["npz", "csv", "parquet"] {
        let out = folder(&format!("brain_{format}")).display().to_string();
        assert_eq!(code(&spikelet(&["export", &named, "--format", format, "--out", &out])), 0);
        assert_eq!(hash(&format!("{out}/network.json"), &[]), expected, "{format}");
    }
    let set = ["--set", "brain.sign=1"];
    assert_eq!(hash(&named, &set), hash(&listed, &set), "a value that is set overrides the table");
}

/// The spikes of a run in CSV: neuron and step, without those of the source.
fn spikes(out: &str) -> Vec<(u32, u32)> {
    let text = fs::read_to_string(Path::new(out).join("spikes.csv")).expect("the run has written it");
    let column = |line: &str, place: usize| line.split(',').nth(place).and_then(|cell| cell.parse().ok()).expect("a number");
    text.lines().skip(1).filter(|line| line.contains(",brain,")).map(|line| (column(line, 2), column(line, 3))).collect()
}

/// For all other neurons it is as if the silenced ones had no synapses to them.
#[test]
fn silenced_neurons_are_as_if_they_had_no_synapses() {
    let kept: Vec<[u32; 3]> = edges().into_iter().filter(|[pre, ..]| pre % 4 != 0).collect();
    let (cut, named) = (listed("brain_cut", &kept), named("brain_silenced"));
    let of = |network: &str, name: &str, more: &[&str]| {
        let out = folder(name).display().to_string();
        run(network, &[&["--format", "csv", "--out", &out], more].concat());
        spikes(&out)
    };
    let expected: Vec<_> = of(&cut, "cut", &[]).into_iter().filter(|(neuron, _)| neuron % 4 != 0).collect();
    let silence = ["--silence", "brain[type == 'a']"];
    let ways: [&[&str]; 5] = [&[], &["--threads", "2"], &["--ranks", "2"], &["--sleep", "never"], &["--set", "brain.sign=1"]];
    for (way, more) in ways.iter().enumerate() {
        let found = of(&named, &format!("silenced_{way}"), &[&silence[..], *more].concat());
        assert_eq!(found == expected, way < 4, "{more:?}");
        assert!(found.iter().all(|(neuron, _)| neuron % 4 != 0) && found.len() > 10, "{more:?}");
    }
    // By hand, from a time on; until then it is the whole.
    let whole = of(&named, "unsilenced", &[]);
    let changes = ["--at", "20 ms: brain.silenced=type == 'b'", "--at", "40 ms: brain.silenced=0"];
    let found = of(&named, "timed", &changes);
    let until = |spikes: &[(u32, u32)], steps: std::ops::Range<u32>| {
        spikes.iter().filter(|(_, step)| steps.contains(step)).copied().collect::<Vec<_>>()
    };
    assert_eq!(until(&found, 0..200), until(&whole, 0..200));
    assert!(until(&found, 200..400).iter().all(|(neuron, _)| neuron % 4 != 1));
    assert!(until(&found, 400..600).iter().any(|(neuron, _)| neuron % 4 == 1));
    let swept = run(&named, &["--sweep", "brain.silenced=0,type == 'a'"]);
    assert_eq!(swept["results"][0]["spikes_hash"], hash(&named, &[]));
    assert_eq!(swept["results"][1]["spikes_hash"], hash(&named, &silence));
}

/// A screen is a run for each type, with the spikes of that type silenced alone; groups have all spikes.
#[test]
fn each_type_is_silenced_in_turn() {
    let (named, out) = (named("brain_screen"), folder("screen_out").display().to_string());
    let screen = ["--screen", "brain.type", "--by", "type", "--trials", "2"];
    let report = run(&named, &[&screen[..], &["--out", &out]].concat());
    let results = report["results"].as_array().expect("a list");
    assert_eq!(results.len(), 10);
    for (variant, of_variant) in results.chunks(2).enumerate() {
        let silenced = variant.checked_sub(1).map(|group| format!("brain[type == '{}']", TYPES[group]));
        let more: Vec<&str> = silenced.iter().flat_map(|neurons| ["--silence", neurons]).chain(["--trials", "2"]).collect();
        let alone = run(&named, &more);
        for (trial, result) in of_variant.iter().enumerate() {
            assert_eq!(result["spikes_hash"], alone["results"][trial]["spikes_hash"], "{more:?}");
            let groups = result["groups"].as_array().expect("a list");
            assert_eq!(groups.len(), 4);
            let spikes: u64 = groups.iter().map(|group| group["spikes"].as_u64().expect("a number")).sum();
            let of_source = (result["rates_hz"]["drive"].as_f64().expect("a rate") * 10.0 * 0.06).round() as u64;
            assert_eq!(spikes + of_source, result["spikes"].as_u64().expect("a number"));
            if let Some(group) = variant.checked_sub(1) {
                assert_eq!((&groups[group]["active"], &groups[group]["group"]), (&0.into(), &TYPES[group].into()));
            }
        }
    }
    for more in [&["--threads", "2"][..], &["--ranks", "2"], &["--memory", "40MiB"]] {
        let other = run(&named, &[&screen[..], more].concat());
        assert_eq!(other["spikes_hash"], report["spikes_hash"], "{more:?}");
        assert_eq!(other["results"][7]["groups"], report["results"][7]["groups"], "{more:?}");
    }
    let table = |name: &str| fs::read_to_string(Path::new(&out).join(name)).expect("the run has written it");
    assert_eq!(table("groups.csv").lines().count(), 1 + 5 * 2 * 4);
    assert!(table("groups.csv").starts_with("variant,trial,population,group,neurons,active,spikes,rate_hz\n0,0,brain,a,10,"));
    assert!(
        table("neuron_ids.csv").starts_with("population,neuron,id\nbrain,0,720575940600000000\nbrain,1,720575940600007919\n")
    );
    assert!(table("variants.csv").contains("2,`type` == 'b'\n"), "{}", table("variants.csv"));
    let output = spikelet(&[&["run", &named, "--backend", "cpu"], &screen[..]].concat());
    let printed = text(&output.stdout);
    assert!(printed.contains("largest differences from brain.silenced = 0") && printed.contains("effect d"), "{printed}");
    let some = run(&named, &["--screen", "brain[rank < 5].type"]);
    assert_eq!(some["results"].as_array().map(Vec::len), Some(5));

    let refused = |more: &[&str], said: &str| {
        let output = spikelet(&[&["run", &named, "--backend", "cpu"], more].concat());
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
        assert_eq!(code(&output), 2);
    };
    refused(&["--screen", "brain.typ"], "there is no column `typ`; did you mean `type`?");
    refused(&["--screen", "brian.type"], "there is no population `brian`; did you mean `brain`?");
    refused(&["--screen", "brain"], "a screen has the form population, `.`, column");
    refused(&["--by", "kind"], "there is no column `kind`");
    refused(&["--silence", "brain[type == 'x']"], "no neuron of");
    refused(&["--silence", "drive"], "there is no population `drive`");
}

/// Two tables become a network that runs: by their usual columns, beside them or elsewhere.
#[test]
fn two_tables_are_imported() {
    let folder_of_tables = Path::new(&named("brain_import")).parent().expect("a folder").to_owned();
    let table = |name: &str| folder_of_tables.join(name).display().to_string();
    let import = |more: &[&str]| {
        let files = [table("neurons.csv"), table("edges.tsv")];
        spikelet(&[&["import", &files[0], "--edges", &files[1]], more].concat())
    };
    let excite = ["--excite", "type == 'b'"];
    let (beside, elsewhere) = (table("imported.json"), file("brain_elsewhere", ""));
    for out in [&beside, &elsewhere] {
        let output = import(&[&excite[..], &["--out", out]].concat());
        assert_eq!(code(&output), 0, "{}", text(&output.stderr));
        let said = text(&output.stderr);
        assert!(said.contains("40 neurons by their column `root_id`, 200 edges with weights from `syn_count`"), "{said}");
        assert!(said.contains("by `nt`, 14 are inhibitory (GABA)") && !said.contains("nothing drives"), "{said}");
    }
    let written = fs::read_to_string(&beside).expect("it was written");
    assert!(written.contains("\"file\": \"neurons.csv\"") && written.contains("\"excited\": \"type == 'b'\""), "{written}");
    assert_eq!(hash(&beside, &[]), hash(&elsewhere, &["--threads", "2"]));
    let rates = run(&beside, &["--by", "type"]);
    let groups = rates["results"][0]["groups"].as_array().expect("a list");
    let driven = groups.iter().find(|group| group["group"] == "b").expect("a group");
    assert!(driven["rate_hz"].as_f64() > Some(100.0), "{driven}");

    // Rows of one pair are added up; what is missing is said, with what to do.
    let edges = fs::read_to_string(table("edges.tsv")).expect("it is there");
    let last = edges.lines().last().expect("a line");
    fs::write(table("edges.tsv"), format!("{edges}{last}\n")).expect("the folder is writable");
    let output = import(&["--out", &beside]);
    let said = text(&output.stderr);
    assert!(said.contains("became") && said.contains("nothing drives the neurons; select some of them by --excite"), "{said}");
    assert!(fs::read_to_string(&beside).expect("it was written").contains("\"sum\""));
    fs::write(table("edges.tsv"), format!("{edges}1\t2\tAL\t3\n")).expect("the folder is writable");
    let output = import(&[]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("\"skip_unknown\": true"), "{}", text(&output.stderr));
    assert_eq!(code(&import(&["--skip-unknown"])), 0);
    let output = import(&["--id", "kind"]);
    assert!(code(&output) == 2 && text(&output.stderr).contains("there is no column `kind`"), "{}", text(&output.stderr));
}
