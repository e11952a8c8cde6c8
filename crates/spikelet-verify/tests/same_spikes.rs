//! The spikes of the catalogue on this processor. It needs few crates, so that it is built for other processors too.

use std::collections::BTreeMap;

use spikelet::{Cpu, catalogue};
use spikelet_verify::{THREADS, first_spikes, run_first_spikes};

#[test]
fn spikes_are_those_of_every_other_machine() {
    let expected = first_spikes().unwrap();
    for threads in THREADS {
        let hash = |entry: &catalogue::CatalogueEntry| {
            let hash = pollster::block_on(run_first_spikes(entry.name, Box::new(Cpu::new(threads)))).unwrap();
            (entry.name.to_owned(), hash)
        };
        let found: BTreeMap<_, _> = catalogue::entries().iter().map(hash).collect();
        assert_eq!(found, expected, "{threads} threads: tests/hashes.json holds other spikes; if that is meant, put these there");
    }
}
