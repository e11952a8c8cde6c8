//! Several ranks that simulate a network together, in one thread.

use std::rc::Rc;
use std::sync::Arc;

use spikelet::{Assignment, BuildOptions, Error, Exchange, Network, Partition, Plan, Played, Ranked, Simulation, together};

use super::bits::base;
use super::sleeping;
use super::{Agreement, ComparisonResult, judge, of};
use crate::difference::{Closeness, first};
use crate::run::{Pace, Seen, poll, run_through, steps};

async fn on_ranks(network: &Network, partition: &Partition) -> Vec<Result<Seen, Error>> {
    let run = async |exchange: Rc<dyn Exchange>| {
        let plan = Plan::for_part(network, BuildOptions::default(), partition, &*exchange).await;
        let plan = plan.inspect_err(|error| exchange.abandon(error))?;
        let ranked = Ranked::new(sleeping(1), exchange)?;
        let mut simulation = Simulation::with_plan(network, Arc::new(plan), Box::new(ranked)).await?;
        run_through(&mut simulation, steps(network), Pace::default()).await
    };
    together(Played::ranks(partition.ranks()).into_iter().map(|rank| run(Rc::new(rank)))).await
}

/// Neurons on ranks without any order.
fn scattered(network: &Network, ranks: usize) -> Result<Partition, Error> {
    let hash = |neuron: u32| (neuron.wrapping_mul(2_654_435_761) >> 16) % ranks as u32;
    let of = |(_, size): (String, u32)| Assignment::Each(Arc::new((0..size).map(hash).collect()));
    Partition::new(network, ranks, Partition::shape(network).into_iter().map(of).collect())
}

/// Two and three ranks, and one of four to eight.
pub(super) fn ranks(network: &Network) -> ComparisonResult {
    let mut base = base(network)?;
    let mut rejected = None;
    for ranks in [2, 3, 4 + network.seed as usize % 5] {
        if network.neurons() < ranks as u64 {
            continue;
        }
        for (kind, partition) in [("blocks", Partition::blocks(network, ranks)), ("scattered", scattered(network, ranks))] {
            let variant = format!("{ranks} ranks, {kind}");
            let partition = of(&variant, partition)?;
            for (rank, found) in of(&variant, poll(on_ranks(network, &partition)))?.into_iter().enumerate() {
                match found {
                    Err(error) if error.is_bad_input() || error.to_string().contains("ranks") => {
                        rejected = Some(error.to_string());
                    }
                    found => {
                        let mut found = of(&variant, found)?;
                        // Parts of a sum are added in the order of ranks.
                        (base.statistics, found.statistics) = (Vec::new(), Vec::new());
                        let reduces = network.recordings.iter().any(|of| of.reduce.is_some());
                        let closeness = if reduces { Closeness::Within(1e-5) } else { Closeness::Bits };
                        let of_rank = format!("rank {rank} of {variant}");
                        judge(&of_rank, first(network, [&base, &found], closeness))?;
                    }
                }
            }
        }
    }
    Ok(rejected.map_or(Agreement::Same, Agreement::Rejected))
}

#[cfg(test)]
mod tests {
    use spikelet::{Purpose, Tag};

    use super::*;
    use crate::run::Stuck;

    #[test]
    fn ranks_that_wait_for_each_other_are_noticed() {
        let ranks = Played::ranks(2);
        assert_eq!(poll(ranks[0].exchange(Tag::new(Purpose::Nothing), Vec::new(), &[1])).err(), Some(Stuck));
    }
}
