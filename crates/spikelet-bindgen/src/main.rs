//! Makes the JavaScript of a wasm module: `spikelet-bindgen module.wasm folder name` writes `folder/name.js` and what it loads. With the
//! fourth word `split-names`, the names of functions are in `folder/name_bg.names` instead of the module, which is smaller without them.
//!
//! Of the library behind wasm-bindgen's own program, which brings a web server and a test runner along and takes three times as long to
//! compile; and of the version that Cargo.lock has for the modules too, since the two must be the same.

mod names;

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

/// The word for names in a file of their own.
const SPLIT: &str = "split-names";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (module, folder, name, split) = match words.as_slice() {
        [module, folder, name] => (module, folder, name, false),
        [module, folder, name, word] if word == SPLIT => (module, folder, name, true),
        _ => {
            eprintln!(
                "error: expected the module, the folder to write to, the name of what is written, and, to split the names \
                 off, {SPLIT}"
            );
            return ExitCode::from(2);
        }
    };
    let made = bind(module, folder, name).and_then(|()| if split { split_names(Path::new(folder), name) } else { Ok(()) });
    match made {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn bind(module: &str, folder: &str, name: &str) -> Result<(), String> {
    let mut bindgen = Bindgen::new();
    // The defaults of wasm-bindgen's own program; the library omits both.
    bindgen.typescript(true).omit_default_module_path(false);
    let bound = bindgen.input_path(module).out_name(name).web(true).and_then(|bindgen| bindgen.generate(folder));
    bound.map_err(|error| format!("{error:#}"))
}

/// Moves the names of a module that was written to a file beside it.
fn split_names(folder: &Path, name: &str) -> Result<(), String> {
    let file = folder.join(format!("{name}_bg.wasm"));
    let fails = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let module = fs::read(&file).map_err(|error| fails(&error))?;
    let (without, names) = names::split(&module).map_err(|error| fails(&error))?;
    fs::write(file.with_extension("names"), names).map_err(|error| fails(&error))?;
    fs::write(&file, without).map_err(|error| fails(&error))
}
