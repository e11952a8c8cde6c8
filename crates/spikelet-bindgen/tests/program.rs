//! The program as xtask starts it. With these tests cargo builds it beside the other programs of tests.

use std::fs;
use std::process::{Command, Output};

fn bind(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spikelet-bindgen")).args(words).output().expect("the program starts")
}

#[test]
fn what_it_cannot_do_is_said() {
    let few = bind(&["module.wasm"]);
    assert_eq!(few.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&few.stderr).contains("split-names"));
    let absent = bind(&["no-such-module.wasm", "folder", "name"]);
    assert!(!absent.status.success() && String::from_utf8_lossy(&absent.stderr).contains("no-such-module.wasm"));
}

/// The smallest module there is.
#[test]
fn a_module_gets_its_javascript() {
    let folder = std::env::temp_dir().join(format!("spikelet-bindgen-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let module = folder.join("empty.wasm");
    fs::write(&module, b"\0asm\x01\0\0\0").expect("a file");
    let made = bind(&[&module.to_string_lossy(), &folder.to_string_lossy(), "small"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    assert!(folder.join("small.js").is_file() && folder.join("small_bg.wasm").is_file());
    fs::remove_dir_all(&folder).expect("it is there");
}
