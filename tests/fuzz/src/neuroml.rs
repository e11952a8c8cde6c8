//! NeuroML and LEMS.

use super::{accepted, survives};
use spikelet_interchange::import::Imported;
use spikelet_interchange::neuroml;

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    let mut open = |_: &str| Err("there is no such file".to_owned());
    if let Some(Imported { network, .. }) = accepted(neuroml::read("net.xml", bytes, &mut open)) {
        survives(&network);
    }
}
