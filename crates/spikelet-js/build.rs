//! The functions of compiled models are added to the engine's table of functions, which must be allowed to grow.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg=--growable-table");
    }
}
