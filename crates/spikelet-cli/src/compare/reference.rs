//! `spikelet compare NET --reference`.

use serde_json::json;
use spikelet::Network;
use spikelet_reference::{Difference, Error, Reference};

use crate::args::CompareArguments;
use crate::failure::Failure;
use crate::terminal;

/// Compares a network with the rules. A difference is a failure of the run, which the exit code shows.
pub(super) fn run(network: &Network, args: &CompareArguments) -> Result<(), Failure> {
    network.checked_steps()?;
    let agreement = Reference::compare(network).map_err(|error| match error {
        Error::Network(error) => error.into(),
        other => Failure::Input(other.to_string()),
    })?;
    if args.json {
        let difference = agreement.difference.as_ref().map(|Difference { step, what, reference, simulator }| {
            json!({"step": step, "what": what, "reference": reference, "simulator": simulator})
        });
        terminal::print(&json!({
            "steps": agreement.steps, "spikes": agreement.spikes, "values": agreement.values, "largest": agreement.largest,
            "difference": difference,
        }))?;
    } else {
        terminal::print(&format!("{}, {agreement}", network.name))?;
    }
    match agreement.difference {
        None => Ok(()),
        Some(_) => Err(Failure::Run("the simulator does not do what the rules say".into())),
    }
}
