//! Output that would replace input, or what belongs to the user: found before anything is written.

use std::fs;
use std::path::Path;

use super::{SMALL, code, folder, spikelet, text};

/// The text of an error of the input.
fn rejected(arguments: &[&str]) -> String {
    let output = spikelet(arguments);
    let message = text(&output.stderr);
    assert_eq!(code(&output), 2, "{arguments:?}: {message}");
    message
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

/// Networks, edges and weights named like an output stay as they are, and both files are named.
#[test]
fn output_is_not_input() {
    let folder = folder("overlaps");
    let (network, out) = (path(&folder, "network.json"), folder.display().to_string());
    let plastic = SMALL
        .replace(r#""on_pre": "v_post += w""#, r#""on_pre": "v_post += w; w += 0.001""#)
        .replace(r#"{"pre": "n","#, r#"{"name": "nn", "pre": "n","#);
    fs::write(&network, &plastic).expect("the folder is writable");
    let edges = path(&folder, "spikes.csv");
    fs::write(&edges, "pre,post\n0,1\n").expect("the folder is writable");
    let weights = path(&folder, "weights.npz");
    let run = ["run", &network, "--backend", "cpu", "--quiet"];
    let saved = spikelet(&[&run[..], &["--save-weights", &weights]].concat());
    assert_eq!(code(&saved), 0, "{}", text(&saved.stderr));
    let content = || [&network, &edges, &weights].map(|path| fs::read(path).expect("it is there"));
    let before = content();
    let (of_edges, learned) = (format!("nn={edges}"), format!("nn={weights}"));
    let other = path(&folder, "elsewhere");
    for (more, said) in [
        (
            vec!["--out", &out],
            format!("--out would write {network} over {network}, which is the network; choose another place with --out"),
        ),
        (vec!["--save-synapses", &out], format!("--save-synapses would write {network} over {network}, which is the network")),
        (vec!["--edges", &of_edges, "--save-weights", &edges], format!("over {edges}, which is the edges of nn")),
        (vec!["--learned", &learned, "--save-weights", &weights], format!("over {weights}, which is the weights of nn")),
        (vec!["--out", &other, "--save-synapses", &other], "--out writes ".to_owned()),
    ] {
        let message = rejected(&[&run[..], &more].concat());
        assert!(message.contains(&said), "{said}: {message}");
        assert_eq!(content(), before, "{more:?}");
    }
    let inner = folder.join("results/unfinished");
    fs::create_dir_all(&inner).expect("the folder is writable");
    fs::write(inner.join("run.json"), "").expect("the folder is writable");
    fs::write(inner.join("net.json"), &plastic).expect("the folder is writable");
    let message = rejected(&["run", &path(&inner, "net.json"), "--backend", "cpu", "--out", &path(&folder, "results")]);
    assert!(message.contains("net.json is the network, and") && message.contains("is removed after the run"), "{message}");
    let message = rejected(&["export", &network, "--format", "csv", "--out", &out]);
    assert!(message.contains("--out would write") && message.contains("which is the network"), "{message}");
    assert_eq!(content(), before);
    let message = rejected(&["partition", &network, "--ranks", "2", "--out", &network]);
    assert!(message.contains("--out would write") && message.contains("which is the network"), "{message}");
}

/// A folder or a link that a run did not make is never emptied.
#[test]
fn an_unfinished_folder_of_the_user_stays() {
    let folder = folder("overlaps_unfinished");
    let network = path(&folder, "net.json");
    fs::write(&network, SMALL).expect("the folder is writable");
    let out = path(&folder, "out");
    let run = ["run", &network, "--backend", "cpu", "--quiet", "--out", &out];
    let mine = folder.join("out/unfinished/mine.txt");
    fs::create_dir_all(folder.join("out/unfinished")).expect("the folder is writable");
    fs::write(&mine, "mine").expect("the folder is writable");
    let message = rejected(&run);
    assert!(
        message.contains("unfinished is a folder of other files, such as mine.txt, and a run keeps its own files"),
        "{message}"
    );
    assert_eq!(fs::read_to_string(&mine).expect("it is there"), "mine");
    #[cfg(unix)]
    {
        fs::rename(folder.join("out/unfinished"), folder.join("mine")).expect("the folder is writable");
        std::os::unix::fs::symlink(folder.join("mine"), folder.join("out/unfinished")).expect("the folder is writable");
        let message = rejected(&run);
        assert!(message.contains("unfinished is a link, and a run keeps its own files"), "{message}");
        assert!(folder.join("mine/mine.txt").exists());
    }
}

/// What a run has left stays if the next one ends before its first step.
#[test]
fn the_last_results_stay_until_the_first_step() {
    let folder = folder("overlaps_last");
    let network = path(&folder, "net.json");
    fs::write(&network, SMALL).expect("the folder is writable");
    let out = path(&folder, "out");
    let run = ["run", &network, "--quiet", "--out", &out];
    let whole = spikelet(&[&run[..], &["--backend", "cpu"]].concat());
    assert_eq!(code(&whole), 0, "{}", text(&whole.stderr));
    // As an end by force leaves it.
    let unfinished = folder.join("out/unfinished");
    fs::create_dir_all(&unfinished).expect("the folder is writable");
    for name in ["run.json", "spikes.bin"] {
        fs::write(unfinished.join(name), "of the last run").expect("the folder is writable");
    }
    let before = fs::read(folder.join("out/spikes.npz")).expect("it was written");
    assert_ne!(code(&spikelet(&[&run[..], &["--backend", "gpu", "--adapter", "no such adapter"]].concat())), 0);
    assert_eq!(fs::read(folder.join("out/spikes.npz")).expect("it is there"), before);
    assert_eq!(fs::read_to_string(unfinished.join("spikes.bin")).expect("it is there"), "of the last run");
    // The next run replaces it, and leaves neither this folder nor what an end by force in its removal left.
    fs::create_dir_all(folder.join("out/.unfinished.removed")).expect("the folder is writable");
    let again = spikelet(&[&run[..], &["--backend", "cpu"]].concat());
    assert_eq!(code(&again), 0, "{}", text(&again.stderr));
    assert!(!unfinished.exists() && !folder.join("out/.unfinished.removed").exists());
}

/// A network of the catalogue runs beside a folder of its name.
#[test]
fn a_folder_does_not_hide_a_network_of_its_name() {
    let folder = folder("overlaps_folder");
    fs::create_dir_all(folder.join("cuba")).expect("the folder is writable");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_spikelet"));
    let command =
        command.current_dir(&folder).args(["run", "cuba", "--scale", "0.01", "--time", "1", "--backend", "cpu", "--quiet"]);
    let output = command.output().expect("the program starts");
    let message = text(&output.stderr);
    assert_eq!(code(&output), 0, "{message}");
    assert!(
        message.contains("notice: cuba is the network of the catalogue; a file in the folder cuba is cuba/network.json"),
        "{message}"
    );
}
