//! The division of a network among ranks.

use std::time::Instant;

use pollster::block_on;
use spikelet::{Assignment, Network, Partition, Simulation, catalogue};

use crate::args::{Balance, RunArguments};
use crate::device;
use crate::failure::Failure;

/// Steps of the network by which devices are compared, after as many to warm up.
const STEPS: u32 = 500;

/// The share of each rank as the arguments say: given, or the speed that `measure` finds; the same for all by default.
pub(super) fn shares(
    args: &RunArguments,
    ranks: usize,
    measure: impl FnOnce() -> Result<Vec<f64>, Failure>,
) -> Result<Vec<f64>, Failure> {
    match &args.of_ranks.balance {
        None => Ok(vec![1.0; ranks]),
        Some(Balance::Auto) => measure(),
        Some(Balance::Shares(shares)) if shares.len() == ranks => Ok(shares.clone()),
        Some(Balance::Shares(shares)) => Err(Failure::Input(format!(
            "--balance has {} shares, but there are {ranks} ranks; give one number for each rank, or auto",
            shares.len()
        ))),
    }
}

/// The speed of the device of a rank: steps of a small network per second.
pub(super) fn speed(args: &RunArguments) -> Result<f64, Failure> {
    let network = catalogue::network("cuba", 0.25)?;
    let mut simulation = block_on(Simulation::new(&network, device::choose(args)?.backend))?;
    block_on(simulation.advance(STEPS))?;
    let began = Instant::now();
    block_on(simulation.advance(STEPS))?;
    Ok(f64::from(STEPS) / began.elapsed().as_secs_f64().max(1e-6))
}

/// Divides a network: consecutive neurons of each population, as many as the share of each rank says.
pub(super) fn divide(network: &Network, shares: &[f64]) -> Result<Partition, Failure> {
    let all: f64 = shares.iter().sum();
    let blocks = |(_, size): (String, u32)| {
        let mut before = 0.0;
        let ends = shares.iter().map(|share| {
            before += share;
            (f64::from(size) * before / all).round() as u32
        });
        Assignment::Blocks(std::iter::once(0).chain(ends).collect())
    };
    if shares.iter().all(|share| *share == shares[0]) {
        return Ok(Partition::blocks(network, shares.len())?);
    }
    Ok(Partition::new(network, shares.len(), Partition::shape(network).into_iter().map(blocks).collect())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neurons_are_divided_by_shares() {
        let network = catalogue::network("cuba", 0.01).expect("a network of the catalogue");
        let neurons = |shares: &[f64]| -> Vec<u32> {
            let partition = divide(&network, shares).expect("few ranks");
            (0..shares.len()).map(|rank| partition.part(rank).neurons()).collect()
        };
        let all: u32 = neurons(&[1.0]).iter().sum();
        assert_eq!(neurons(&[1.0, 1.0]), [all / 2, all / 2]);
        let unequal = neurons(&[2.0, 1.0, 1.0]);
        assert_eq!(unequal.iter().sum::<u32>(), all);
        assert!(unequal[0].abs_diff(all / 2) <= 2 && unequal[1].abs_diff(all / 4) <= 2, "{unequal:?}");
        assert!(divide(&network, &vec![1.0; all as usize + 1]).is_err());
    }
}
