//! The npm package's `ts/raw.ts` is what the engine's protocol says; the package's own types are compiled against it.
//! `UPDATE_EXPECT=1 cargo test -p spikelet-tests --test all package_types` writes it anew.

use expect_test::expect_file;
use spikelet_js::protocol::typescript::declarations;

#[test]
fn raw_types_are_those_of_the_protocol() {
    expect_file!["../crates/spikelet-js/ts/raw.ts"].assert_eq(&declarations());
}
