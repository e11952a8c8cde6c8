//! The conformance corpus: small models with results that other simulators agree on.
//!
//! A [`Case`] is a [`Network`](spikelet::Network) with its expected result: spikes and samples, statistics over seeds, or an
//! error. Its format is described in `tests/conformance/README.md`. [`verify()`] runs a case on a backend and returns a [`Verdict`]:
//!
//! ```
//! use spikelet::Cpu;
//! use spikelet_verify::{Case, Options, Outcome, verify};
//!
//! # fn main() -> Result<(), spikelet_verify::CaseFormatError> { pollster::block_on(async {
//! let text = r#"{
//!   "name": "one", "family": "lif", "dt_ms": 0.1, "duration_ms": 5,
//!   "populations": [{"name": "n", "size": 1, "equations": "dv/dt = (2 - v)/(5*ms) : 1", "method": "exact",
//!                    "threshold": "v > 1", "reset": "v = 0"}],
//!   "expected": {"spikes": {"n": [[0, 3.4]]}, "state": {}, "weights": {}},
//!   "tolerance": {"spike_steps": 1, "state": {}, "weights": {}}
//! }"#;
//! let case = Case::from_json(text)?;
//! let verdict = verify(&case, &mut || Box::pin(async { Ok(Box::new(Cpu::new(1)) as _) }), &Options::default()).await;
//! assert_eq!(verdict.outcome, Outcome::Passed, "{:?}", verdict.reasons);
//! # Ok(()) }) }
//! ```
//!
//! The crate also contains the tables shared by native and browser tests: [`corpus()`], [`first_spikes()`], networks that are rejected
//! ([`rejected_networks()`]), whose runs fail ([`broken_runs()`]), or with errors that a check finds ([`checked_networks()`]).
//!
//! The crate does no I/O and reads no clock.

mod case;
mod corpus;
mod failures;
mod first_spikes;
mod format;
mod library;
mod random_runs;
mod record;
mod refusal;
mod spikes;
mod statistics;
mod traces;
mod verdict;
mod verify;

pub use case::{Case, CaseFormatError};
pub use corpus::corpus;
pub use failures::{
    BrokenRun, CheckedNetwork, Finding, RejectedNetwork, broken_runs, checked_networks, network_of_cells, rejected_networks,
};
pub use first_spikes::{ON_RANKS, ON_SOFTWARE_GPU, THREADS, first_spikes, run_first_spikes, run_first_spikes_on_ranks};
pub use library::{library_cells, library_synapses};
pub use random_runs::{RandomRun, random_runs, run_hash};
pub use record::Record;
pub use verdict::{Measure, Outcome, Verdict};
pub use verify::{MakeBackend, Options, verify};

#[cfg(test)]
mod tests;
