//! From a network to a plan, with progress, until Ctrl-C.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use spikelet::{BuildOptions, Builder, Network, Plan};

use crate::args::{Run, Storage};
use crate::failure::Failure;
use crate::progress::Progress;
use crate::{interrupt, memory};

/// How the command line wants plans built.
pub(crate) fn options(args: &Run) -> BuildOptions {
    let threads = args.threads.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let storage = args.storage.map(|storage| match storage {
        Storage::Stored => spikelet::Storage::Stored,
        Storage::Procedural => spikelet::Storage::Procedural,
    });
    BuildOptions { threads, memory: args.memory.or_else(memory::free), storage }
}

/// The plan of a network; none if the user broke off.
pub(crate) fn plan(network: &Network, args: &Run) -> Result<Option<Plan>, Failure> {
    let mut builder = Builder::new(network, options(args))?;
    let bar = Progress::of_building(args.quiet);
    loop {
        let progress = builder.advance()?;
        bar.show_building(&progress);
        if progress.is_done {
            drop(bar);
            return Ok(Some(builder.finish()?));
        }
        if interrupt::asked() {
            return Ok(None);
        }
    }
}
