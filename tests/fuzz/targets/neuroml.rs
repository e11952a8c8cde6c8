//! NeuroML and LEMS.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikelet_fuzz::{accepted, survives};
use spikelet_interchange::neuroml;

fuzz_target!(|bytes: &[u8]| {
    let mut open = |_: &str| Err("there is no such file".to_owned());
    if let Some((network, _)) = accepted(neuroml::read("net.xml", bytes, &mut open)) {
        survives(&network);
    }
});
