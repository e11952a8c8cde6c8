//! Expected scores against the synapses that are drawn.

use spikelet_network::{Network, catalogue};
use spikelet_partition::{Axis, Method, Problem, Rates, Score};
use spikelet_plan::Plan;
use spikelet_rows::Partition;

fn unwrap<T>(result: Result<T, spikelet_network::Error>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}

/// The synapses, the cut and the spikes exchanged of a drawn network.
fn drawn(plan: &Plan, rates: &Rates, partition: &Partition) -> [f64; 3] {
    let rank = |population: usize, neuron: u32| partition.populations()[population].rank_of(neuron);
    let (mut synapses, mut cut, mut spikes) = (0.0, 0.0, 0.0);
    for (index, population) in plan.populations.iter().enumerate() {
        for neuron in 0..population.size {
            let mut reached = vec![false; partition.ranks()];
            let own = rank(index, neuron);
            for projection in plan.projections.iter().filter(|of| of.pre == index && of.pre_slice.contains(&neuron)) {
                let rows = projection.rows();
                for edge in rows.row((neuron - projection.pre_slice.start) as usize) {
                    let of_target = rank(projection.post, rows.target(edge));
                    synapses += 1.0;
                    cut += if of_target == own { 0.0 } else { 1.0 };
                    reached[of_target] |= of_target != own;
                }
            }
            spikes += reached.iter().filter(|is_reached| **is_reached).count() as f64 * rates.of(index);
        }
    }
    [synapses, cut, spikes]
}

/// Compares all methods with what is drawn.
fn compare(network: &Network, within: f64) {
    let rates = Rates::expected(network);
    let problem = unwrap(Problem::new(network, rates.clone()));
    let plan = unwrap(Plan::new(network));
    for ranks in [2, 7] {
        for method in problem.methods() {
            let partition = unwrap(problem.divide(ranks, method));
            let Score { synapses, cut, expected_spikes_exchanged, sampling_error, .. } = problem.score(&partition);
            let drawn = drawn(&plan, &rates, &partition);
            for (expected, found) in [synapses, cut, expected_spikes_exchanged].iter().zip(drawn) {
                let off = (expected - found).abs() / found.max(1.0);
                // What is drawn varies, too: by about the root of the number of synapses.
                let allowed = within + 3.0 * sampling_error + 3.0 / drawn[1].max(1.0).sqrt();
                let name = &network.name;
                assert!(off < allowed, "{name}, {method}, {ranks} ranks: {expected} expected, {found} drawn, ± {allowed}");
            }
        }
    }
}

#[test]
fn scores_of_the_catalogue_are_those_of_drawn_networks() {
    for (name, scale) in [("lattice4d", 0.4), ("waves", 0.25), ("lixirnet", 0.25), ("cuba", 0.5), ("pd14", 0.02), ("fly", 0.02)] {
        compare(&unwrap(catalogue::network(name, scale)), 0.03);
    }
}

/// A network of one population with one projection.
fn with_rule(name: &str, positions: &str, projection: &str) -> Network {
    let json = format!(
        r#"{{"name": "{name}", "dt_ms": 0.1, "duration_ms": 1,
            "populations": [{{"name": "n", "size": 1024, "model": "lif_exp"{positions}}}],
            "projections": [{{"pre": "n", "post": "n", "on_pre": "ge_post += 0.1*mV", {projection}}}]}}"#
    );
    unwrap(Network::from_json(&json))
}

const GRID: &str = r#", "positions": {"layout": "grid", "shape": [32, 32], "spacing": 1, "periodic": true}"#;
const TILED: &str = r#", "positions": {"layout": "grid", "shape": [32, 32], "spacing": 1, "tile": 8}"#;
const RANDOM: &str = r#", "positions": {"layout": "random", "box": [10, 10, 10], "periodic": true}"#;

#[test]
fn each_rule_is_expected_as_it_is_drawn() {
    let rule = |rule: &str| format!("\"connect\": {{\"rule\": {rule}}}");
    for (name, positions, projection) in [
        ("all", "", rule("\"all\", \"autapses\": false")),
        ("condition", "", rule("\"condition\", \"condition\": \"abs(i - j) < 20\"")),
        ("one_to_one", "", rule("\"one_to_one\"")),
        ("bernoulli", "", rule("\"bernoulli\", \"p\": 0.05")),
        ("of_pairs", GRID, rule("\"bernoulli\", \"p\": \"0.5*exp(-d/(3*um))\"")),
        ("with_condition", "", rule("\"bernoulli\", \"p\": 0.3, \"condition\": \"i < j\"")),
        ("fixed_indegree", "", rule("\"fixed_indegree\", \"n\": 30, \"pre_range\": [100, 300], \"autapses\": false")),
        ("indegree_once", "", rule("\"fixed_indegree\", \"n\": 3, \"multapses\": false")),
        ("fixed_outdegree", "", rule("\"fixed_outdegree\", \"n\": 2")),
        ("outdegree_once", "", rule("\"fixed_outdegree\", \"n\": 3, \"multapses\": false, \"autapses\": false")),
        ("fixed_total", "", rule("\"fixed_total\", \"n\": 20000")),
        ("gaussian", GRID, rule("\"gaussian\", \"p\": 0.8, \"sigma\": 2")),
        ("gaussian_tiled", TILED, rule("\"gaussian\", \"p\": 0.8, \"sigma\": 2")),
        ("exponential", RANDOM, rule("\"exponential\", \"p\": 0.9, \"lambda\": 1")),
        ("disc", RANDOM, rule("\"disc\", \"p\": 0.5, \"radius\": 3")),
        ("box", GRID, rule("\"box\", \"p\": 0.5, \"half_widths\": [1, 6]")),
        ("blockwise", GRID, rule("\"blockwise\", \"tile\": 4, \"reach\": 1, \"p\": 0.3")),
        ("small_world", "", rule("\"small_world\", \"k\": 20, \"rewire\": 0.2")),
        ("scale_free", "", rule("\"scale_free\", \"n\": 10")),
        ("power_law", "", rule("\"power_law\", \"n\": 30000, \"gamma_out\": 3.5, \"gamma_in\": 3")),
        (
            "capped",
            GRID,
            format!("{}, \"max_outdegree\": 18, \"max_indegree\": 17", rule("\"gaussian\", \"p\": 0.8, \"sigma\": 2")),
        ),
        ("capped_uniform", "", format!("{}, \"max_indegree\": 50", rule("\"bernoulli\", \"p\": 0.05"))),
        ("listed", "", "\"pairs\": [[0, 1000], [0, 1001], [5, 6], [1023, 0], [1023, 0]]".to_owned()),
    ] {
        compare(&with_rule(name, positions, &projection), 0.03);
    }
}

#[test]
fn a_cut_across_a_lattice_is_counted_exactly() {
    let network = unwrap(catalogue::network("waves", 1.0));
    let problem = unwrap(Problem::new(&network, Rates::expected(&network)));
    let slabs = unwrap(problem.divide(4, Method::Axis(Some(Axis::X))));
    let score = problem.score(&slabs);
    // Three lines of 64 pairs, in both directions; neurons at the edges have less work, so that lines have a step, of two synapses.
    assert!((384.0..=390.0).contains(&score.cut) && score.sampling_error == 0.0, "{score:?}");
    // A spike of a neuron at a line reaches one other rank.
    let senders = score.expected_spikes_exchanged / spikelet_partition::NOMINAL_HZ;
    assert!((senders - score.cut).abs() <= 6.0, "{score:?}");
    let boxes = problem.score(&unwrap(problem.divide(4, Method::Bisection)));
    assert!((256.0..=264.0).contains(&boxes.cut), "{boxes:?}");
}
