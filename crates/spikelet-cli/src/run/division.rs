//! The division of a network among ranks.

use std::fs;
use std::path::Path;
use std::time::Instant;

use pollster::block_on;
use spikelet::{Assignment, Network, Partition, Simulation, catalogue};
use spikelet_partition::{Choice, Method, choose, from_json};

use crate::args::{Balance, Division, RunArguments};
use crate::device;
use crate::failure::Failure;

/// Steps of the network by which devices are compared, after as many to warm up.
const STEPS: u32 = 500;

/// The share of each rank, if the arguments ask for shares: given, or the speeds that `measure` finds.
pub(super) fn shares(
    args: &RunArguments,
    ranks: usize,
    measure: impl FnOnce() -> Result<Vec<f64>, Failure>,
) -> Result<Option<Vec<f64>>, Failure> {
    match &args.of_ranks.balance {
        None => Ok(None),
        Some(Balance::Auto) => measure().map(Some),
        Some(Balance::Shares(shares)) if shares.len() == ranks => Ok(Some(shares.clone())),
        Some(Balance::Shares(shares)) => Err(Failure::Input(format!(
            "--balance has {} shares, but there are {ranks} ranks; give one number for each rank, or auto",
            shares.len()
        ))),
    }
}

/// The speed of the device of a rank: steps of a small network per second.
pub(super) fn speed(args: &RunArguments) -> Result<f64, Failure> {
    let network = catalogue::network("cuba", 0.25)?;
    let mut simulation = block_on(Simulation::new(&network, device::choose(args, None)?.backend))?;
    block_on(simulation.advance(STEPS))?;
    let began = Instant::now();
    block_on(simulation.advance(STEPS))?;
    Ok(f64::from(STEPS) / began.elapsed().as_secs_f64().max(1e-6))
}

/// Divides a network among ranks.
pub(super) fn divide(args: &RunArguments, network: &Network, ranks: usize, shares: Option<&[f64]>) -> Result<Partition, Failure> {
    // The number of ranks is checked before any work.
    let equal = Partition::blocks(network, ranks)?;
    match (&args.of_ranks.partition, shares) {
        (None | Some(Division::Method(Choice::Only(Method::Blocks))), Some(shares)) => blocks(network, shares),
        (Some(_), Some(_)) => {
            let sentence = "--balance divides consecutive neurons; remove it, or use --partition blocks";
            Err(Failure::Input(sentence.into()))
        }
        (Some(Division::Method(Choice::Only(Method::Blocks))), None) => Ok(equal),
        (Some(Division::File(path)), None) => of_file(network, ranks, path),
        (Some(Division::Method(choice)), None) => Ok(choose(network, ranks, *choice, None)?.0),
        (None, None) => Ok(choose(network, ranks, Choice::Auto, None)?.0),
    }
}

/// Consecutive neurons of each population, as many as the share of each rank says.
fn blocks(network: &Network, shares: &[f64]) -> Result<Partition, Failure> {
    let all: f64 = shares.iter().sum();
    let blocks = |(_, size): (String, u32)| {
        let mut before = 0.0;
        let ends = shares.iter().map(|share| {
            before += share;
            (f64::from(size) * before / all).round() as u32
        });
        Assignment::Blocks(std::iter::once(0).chain(ends).collect())
    };
    Ok(Partition::new(network, shares.len(), Partition::shape(network).into_iter().map(blocks).collect())?)
}

/// The partition of a file.
fn of_file(network: &Network, ranks: usize, path: &Path) -> Result<Partition, Failure> {
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("{name} cannot be read: {error}; name a file of `spikelet partition --out`")))?;
    let partition = from_json(network, &text).map_err(|error| Failure::of_file(path, &error))?;
    if partition.ranks() != ranks {
        let found = partition.ranks();
        return Err(Failure::Input(format!(
            "{name} divides the network among {found} ranks, but there are {ranks}; start {found}"
        )));
    }
    Ok(partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neurons_are_divided_by_shares() {
        let network = catalogue::network("cuba", 0.01).expect("a network of the catalogue");
        let neurons = |shares: &[f64]| -> Vec<u32> {
            let partition = blocks(&network, shares).expect("few ranks");
            (0..shares.len()).map(|rank| partition.part(rank).neurons()).collect()
        };
        let all: u32 = neurons(&[1.0]).iter().sum();
        assert_eq!(neurons(&[1.0, 1.0]), [all / 2, all / 2]);
        let unequal = neurons(&[2.0, 1.0, 1.0]);
        assert_eq!(unequal.iter().sum::<u32>(), all);
        assert!(unequal[0].abs_diff(all / 2) <= 2 && unequal[1].abs_diff(all / 4) <= 2, "{unequal:?}");
    }
}
