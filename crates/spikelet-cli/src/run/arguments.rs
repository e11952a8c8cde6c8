//! The arguments of a rank.

use crate::args::{Backend, RankDevice, RunArguments};
use crate::device;

/// The arguments of a rank of several: its device and threads; only the first one prints and writes files.
pub(super) fn of_rank(args: &RunArguments, rank: usize, on_machine: usize) -> RunArguments {
    let mut own = args.clone();
    own.threads = Some(args.threads.unwrap_or_else(|| device::threads_of_rank(on_machine)));
    match args.of_ranks.devices.get(rank) {
        // Several ranks on one GPU are slower than one.
        None if own.backend == Backend::Auto && own.adapter.is_none() => own.backend = Backend::Cpu,
        None => {}
        Some(RankDevice::Cpu) => own.backend = Backend::Cpu,
        Some(RankDevice::Gpu(selector)) => (own.backend, own.adapter) = (Backend::Gpu, Some(selector.clone())),
    }
    if rank > 0 {
        (own.quiet, own.json, own.verbose, own.profile, own.trace, own.monitor) = (true, false, false, false, None, None);
    }
    own
}
