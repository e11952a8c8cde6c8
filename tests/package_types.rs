//! The npm package's `ts/raw.ts` is what the engine's protocol says; the package's own types are compiled against it.

use std::path::Path;
use std::{env, fs};

use spikelet_js::protocol::typescript::declarations;

#[test]
fn raw_types_are_those_of_the_protocol() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/spikelet-js/ts/raw.ts");
    let now = declarations();
    if env::var_os("UPDATE_SNAPSHOTS").is_some_and(|value| value == "1") {
        fs::write(&path, &now).unwrap();
    }
    let before = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        before == now,
        "crates/spikelet-js/ts/raw.ts is not what the protocol says; \
         UPDATE_SNAPSHOTS=1 cargo test -p spikelet-tests --test all package_types writes it anew"
    );
}
