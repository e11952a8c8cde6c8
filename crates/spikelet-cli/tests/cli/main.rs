//! The `spikelet` program as a user meets it.

mod assemblies;
mod bench;
mod checks;
mod compare;
mod connectome;
mod cost;
mod damage;
mod devices;
mod endings;
mod faults;
mod files;
mod growth;
mod limits;
mod neuroml;
mod nir;
mod overlaps;
mod parity;
mod partitions;
mod ranks;
mod refusals;
mod results;
mod runs;
mod scripts;
mod show;
mod sizes;
mod soak;
mod sonata;
mod train;
mod trials;
mod unfinished;
mod worlds;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn spikelet(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spikelet")).args(arguments).output().expect("the program starts")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("the program was not killed")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8")
}

fn json(arguments: &[&str]) -> Value {
    let output = spikelet(arguments);
    assert_eq!(code(&output), 0, "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("stdout is one JSON value")
}

/// The words of a command, of which those in quotes may contain spaces.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(number, part)| {
            let is_quoted = number % 2 == 1;
            let words: Vec<&str> = if is_quoted { vec![part] } else { part.split_whitespace().collect() };
            words.into_iter().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

/// A folder of this test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder is writable");
    folder
}

fn file(name: &str, content: &str) -> String {
    let path = folder(name).join("network.json");
    fs::write(&path, content).expect("the target folder is writable");
    path.display().to_string()
}

const SMALL: &str = r#"{
  "name": "small",
  "dt_ms": 0.1,
  "duration_ms": 50,
  "populations": [
    {"name": "n", "size": 10, "equations": "dv/dt = (I - v)/tau : 1\nI : 1 (constant)",
     "threshold": "v > 1", "reset": "v = 0", "refractory": "2*ms",
     "parameters": {"tau": "10 ms", "I": {"expr": "1.1 + 0.1*i"}}}
  ],
  "projections": [
    {"pre": "n", "post": "n", "connect": {"rule": "bernoulli", "p": 0.5}, "on_pre": "v_post += w",
     "equations": "w : 1", "initial": {"w": 0.01}, "delay_ms": 1}
  ],
  "recordings": [{"object": "n", "var": "v", "indices": [0, 9]}]
}"#;
