use std::collections::BTreeSet;

use spikelet_network::catalogue::entries;

use crate::{Plan, PopulationPlan, StatePlan};

/// What these networks do is not so slow that an f32 would lose it, and their code has not a step more than that; but for a weight that
/// sums up a reward, which may be as small as it will, and for the age and health of the neurons of a world.
#[test]
fn none_needs_two_words() {
    for entry in entries() {
        let plan = Plan::new(&entry.network(entry.small).unwrap()).unwrap();
        let of_neurons = plan.populations.iter().flat_map(PopulationPlan::in_two_words);
        let of_synapses = plan.projections.iter().filter_map(|of| of.state.as_ref()).flat_map(StatePlan::in_two_words);
        let found: BTreeSet<&str> = of_neurons.chain(of_synapses).collect();
        let expected: &[&str] = match entry.name {
            "rstdp_reward" => &["w"],
            "world4d" => &["age", "health", "last", "scaling"],
            _ => &[],
        };
        assert_eq!(found, expected.iter().copied().collect(), "{}", entry.name);
    }
}

/// Whoever opens a network that learns sees its weights.
#[test]
fn what_learns_is_watched() {
    for entry in entries() {
        let network = entry.network(entry.small).unwrap();
        let plan = Plan::new(&network);
        let learns = plan.is_ok_and(|plan| plan.projections.iter().any(|of| of.state.as_ref().is_some_and(|of| of.learns)));
        assert_eq!(learns, !network.statistics.is_empty(), "{}", entry.name);
    }
}
