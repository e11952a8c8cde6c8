//! The program as a user starts it. With these tests cargo builds it beside the other programs of tests, so that a quick kit compiles nothing.

use std::process::{Command, Output};

fn run(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spikelet-gpu-kit")).args(words).output().expect("the program starts")
}

#[test]
fn help_names_the_steps_and_a_wrong_one_is_named() {
    let help = run(&["--help"]);
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.status.success() && text.contains("--rehearse") && text.contains("figures"), "{text}");
    let wrong = run(&["--only", "figrues"]);
    let text = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(!wrong.status.success() && text.contains("figrues") && text.contains("figures"), "{text}");
}
