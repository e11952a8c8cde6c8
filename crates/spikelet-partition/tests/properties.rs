//! Properties of partitions.

use proptest::prelude::*;
use spikelet_network::{Network, catalogue};
use spikelet_partition::{Candidate, Choice, Method, Problem, Rates, best, choose, from_json, to_json};

fn unwrap<T>(result: Result<T, spikelet_network::Error>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// Each neuron has one rank, ranks are balanced, files and repetitions give the same partition.
fn check(network: &Network, ranks: &[usize], least: f64) {
    let problem = unwrap(Problem::new(network, Rates::expected(network)));
    let again = unwrap(Problem::new(network, Rates::expected(network)));
    let all = ranks.iter().flat_map(|ranks| problem.methods().into_iter().map(|method| (*ranks, method)));
    for (ranks, method) in all {
        let partition = unwrap(problem.divide(ranks, method));
        let mut counts = vec![0; ranks];
        for assignment in partition.populations() {
            (0..assignment.size()).for_each(|neuron| counts[assignment.rank_of(neuron)] += 1);
        }
        assert_eq!(counts.iter().sum::<u64>(), network.neurons(), "{method}");
        let name = &network.name;
        assert!(counts.iter().all(|count| *count > 0), "{name}, {method}, {ranks} ranks: {counts:?}");
        assert_eq!(partition, unwrap(again.divide(ranks, method)), "{name}, {method} differs");
        let score = problem.score(&partition);
        assert!(score.imbalance <= least, "{name}, {method}, {ranks} ranks: imbalance {}", score.imbalance);
        assert_eq!(from_json(network, &to_json(network, &partition)), Ok(partition));
        assert!(ranks > 1 || (score.cut, score.expected_spikes_exchanged) == (0.0, 0.0), "{score:?}");
    }
}

#[test]
fn all_methods_divide_the_catalogue() {
    for (name, scale) in [("lattice4d", 0.4), ("waves", 1.0), ("pd14", 0.05), ("cuba", 1.0)] {
        let network = unwrap(catalogue::network(name, scale));
        check(&network, &[1, 2, 3, 7, 16], 1.06);
    }
}

#[test]
fn space_and_structure_reduce_the_cut() {
    let exchanged = |name: &str, method: Method| {
        let network = unwrap(catalogue::network(name, 1.0));
        let (_, score, _) = unwrap(choose(&network, 4, Choice::Only(method), None));
        assert!(score.memory_imbalance < 1.12, "{name}, {method}: {score:?}");
        (score.cut, score.expected_spikes_exchanged)
    };
    // The index of the lattice is in the order of its coordinates: blocks are slabs along the last one.
    let [blocks, boxes, graph] =
        [Method::Blocks, Method::Bisection, Method::Graph].map(|method| exchanged("lattice4d", method).0);
    assert!(graph <= boxes && boxes <= 1.02 * blocks, "{blocks} {boxes} {graph}");
    let [blocks, graph] = [Method::Blocks, Method::Graph].map(|method| exchanged("waves", method).0);
    assert!(graph < 0.7 * blocks, "{blocks} {graph}");
    let [blocks, graph] = [Method::Blocks, Method::Graph].map(|method| exchanged("pd14", method).0);
    assert!(graph < 0.95 * blocks, "{blocks} {graph}");
}

#[test]
fn populations_with_strong_synapses_are_put_together() {
    let json = r#"{"name": "modules", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [{"name": "A", "size": 200, "model": "lif_exp"}, {"name": "B", "size": 200, "model": "lif_exp"}],
        "projections": [
            {"pre": "A", "post": "A", "connect": {"rule": "fixed_indegree", "n": 50}, "on_pre": "ge_post += 1*mV"},
            {"pre": "B", "post": "B", "connect": {"rule": "fixed_indegree", "n": 50}, "on_pre": "ge_post += 1*mV"},
            {"pre": "A", "post": "B", "connect": {"rule": "fixed_indegree", "n": 1}, "on_pre": "ge_post += 1*mV"}]}"#;
    let network = unwrap(Network::from_json(json));
    let (partition, score, reason) = unwrap(choose(&network, 2, Choice::Auto, None));
    assert_eq!(score.cut, 200.0, "{reason}");
    assert!(reason.starts_with("graph exchanges the fewest spikes"), "{reason}");
    let [a, b] = [0, 1].map(|population: usize| partition.populations()[population].rank_of(0));
    assert!(a != b && (0..200).all(|neuron| partition.populations()[0].rank_of(neuron) == a));
}

#[test]
fn sources_follow_their_targets() {
    let network = unwrap(catalogue::network("lattice4d", 0.4));
    let problem = unwrap(Problem::new(&network, Rates::expected(&network)));
    for method in problem.methods() {
        let partition = unwrap(problem.divide(7, method));
        let [lattice, sense] = [0, 1].map(|population: usize| &partition.populations()[population]);
        assert!((0..1000).all(|neuron| lattice.rank_of(neuron) == sense.rank_of(neuron)), "{method}");
    }
}

/// Of a large network only some neurons and pairs are examined.
#[test]
fn a_large_network_is_sampled() {
    let json = r#"{"name": "large", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [{"name": "n", "size": 40000, "model": "lif_exp", "positions": {"layout": "random", "box": [200, 200], "periodic": true}}],
        "projections": [{"pre": "n", "post": "n", "connect": {"rule": "disc", "radius": 10, "p": 0.5}, "on_pre": "ge_post += 1*mV"}]}"#;
    let network = unwrap(Network::from_json(json));
    check(&network, &[5], 1.04);
    let problem = unwrap(Problem::new(&network, Rates::expected(&network)));
    let score = problem.score(&unwrap(problem.divide(2, Method::Axis(None))));
    // One neuron per unit of area: half of a disc's area.
    let expected = 40_000.0 * 0.5 * std::f64::consts::PI * 100.0;
    assert!((score.synapses / expected - 1.0).abs() < 0.02, "{score:?}, {expected}");
    // Per unit of length, 2r³/3 pairs are on different sides of a line; there are two lines, and both directions.
    let cut = 4.0 * 200.0 * 0.5 * 2.0 / 3.0 * 1000.0;
    assert!((score.cut / cut - 1.0).abs() < 4.0 * score.sampling_error, "{score:?}, {cut}");
    assert!((0.01..0.2).contains(&score.sampling_error), "{score:?}");
}

/// A part of a periodic ring may extend across its end.
#[test]
fn periodic_space_is_a_ring() {
    let json = r#"{"name": "ring", "dt_ms": 0.1, "duration_ms": 1,
        "populations": [{"name": "n", "size": 900, "model": "lif_exp", "positions": {"layout": "random", "box": [100], "periodic": true}}],
        "projections": [{"pre": "n", "post": "n", "connect": {"rule": "disc", "radius": 2, "p": 1}, "on_pre": "ge_post += 1*mV"}]}"#;
    let network = unwrap(Network::from_json(json));
    check(&network, &[3], 1.03);
    let problem = unwrap(Problem::new(&network, Rates::expected(&network)));
    let cut = |method: Method| problem.score(&unwrap(problem.divide(3, method))).cut;
    assert!(cut(Method::KMeans) < 1.2 * cut(Method::Bisection), "{} {}", cut(Method::KMeans), cut(Method::Bisection));
}

#[test]
fn impossible_divisions_are_rejected() {
    let waves = unwrap(catalogue::network("waves", 0.1));
    let cuba = unwrap(catalogue::network("cuba", 0.1));
    for (network, ranks, method, part) in [
        (&waves, 0, "rcb", "ranks is 0, but a network of 400 neurons can have 1 to 400 ranks"),
        (&waves, 401, "auto", "ranks is 401"),
        (
            &waves,
            2,
            "axis:z",
            "the method is axis:z, but the positions of the network have only the coordinates x, y; use one of blocks",
        ),
        (&cuba, 2, "rcb", "the method is rcb, but no population of the network has positions; use one of blocks, graph"),
        (&cuba, 2, "axis", "no population of the network has positions"),
    ] {
        let choice: Choice = unwrap(method.parse());
        let message = choose(network, ranks, choice, None).map_err(|error| error.to_string());
        assert!(message.as_ref().is_err_and(|message| message.contains(part)), "{message:?}");
    }
}

#[test]
fn the_best_of_all_is_balanced_and_exchanges_little() {
    let network = unwrap(catalogue::network("waves", 1.0));
    let problem = unwrap(Problem::new(&network, Rates::expected(&network)));
    let score = problem.score(&unwrap(problem.divide(2, Method::Blocks)));
    let with = |method, imbalance, spikes| Candidate {
        method,
        score: spikelet_partition::Score { imbalance, expected_spikes_exchanged: spikes, ..score },
    };
    let all = [with(Method::Blocks, 1.0, 90.0), with(Method::Bisection, 1.04, 50.0), with(Method::Graph, 1.2, 10.0)];
    let (index, reason) = best(&all).unwrap_or_default();
    assert_eq!(index, 1);
    assert!(
        reason.contains("rcb exchanges") && reason.contains("graph would exchange 1.0000e1, but its load imbalance is 1.200"),
        "{reason}"
    );
    assert_eq!(best(&[]), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    /// Any sizes, positions and numbers of ranks.
    #[test]
    fn any_network_is_divided(
        sizes in prop::collection::vec(1..200_u32, 1..5),
        placed in prop::collection::vec(0..5_usize, 5),
        ranks in 1..20_usize,
    ) {
        let population = |(index, (size, dimensions)): (usize, (&u32, &usize))| {
            let positions = match dimensions {
                0 => String::new(),
                some => {
                    let sides = ["5", "7", "9", "11"][..*some].join(", ");
                    format!(", \"positions\": {{\"layout\": \"random\", \"box\": [{sides}], \"periodic\": {}}}", index % 2 == 0)
                }
            };
            format!("{{\"name\": \"p{index}\", \"size\": {size}, \"model\": \"lif_exp\"{positions}}}")
        };
        let populations: Vec<String> = sizes.iter().zip(&placed).enumerate().map(population).collect();
        let json = format!(
            "{{\"name\": \"any\", \"dt_ms\": 0.1, \"duration_ms\": 1, \"populations\": [{}], \"projections\": [{{\"pre\": \"p0\", \
             \"post\": \"p0\", \"connect\": {{\"rule\": \"bernoulli\", \"p\": 0.1}}, \"on_pre\": \"ge_post += 1*mV\"}}]}}",
            populations.join(", ")
        );
        let network = unwrap(Network::from_json(&json));
        let problem = unwrap(Problem::new(&network, Rates::expected(&network)));
        let ranks = ranks.min(network.neurons() as usize);
        for method in problem.methods() {
            let partition = unwrap(problem.divide(ranks, method));
            let total: u64 = partition.populations().iter().map(|of| u64::from(of.size())).sum();
            prop_assert_eq!(total, network.neurons());
            let score = problem.score(&partition);
            prop_assert!(score.cut <= score.synapses && score.imbalance >= 1.0 - 1e-9, "{} {:?}", method, score);
        }
    }
}
