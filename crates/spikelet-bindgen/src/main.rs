//! Makes the JavaScript of a wasm module: `spikelet-bindgen module.wasm folder name` writes `folder/name.js` and what it loads.
//!
//! Of the library behind wasm-bindgen's own program, which brings a web server and a test runner along and takes three times as long to
//! compile; and of the version that Cargo.lock has for the modules too, since the two must be the same.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder, name] = words.as_slice() else {
        eprintln!("error: expected three words: the module, the folder to write to, and the name of what is written");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    // The defaults of wasm-bindgen's own program; the library omits both.
    bindgen.typescript(true).omit_default_module_path(false);
    match bindgen.input_path(module).out_name(name).web(true).and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
