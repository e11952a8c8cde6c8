mod distributions;

use std::collections::HashSet;
use std::sync::Arc;

use proptest::prelude::*;
use spikelet_network::connectors::{
    All, Bernoulli, Blockwise, Cuboid, Disc, Exponential, FixedIndegree, FixedOutdegree, FixedTotal, Gaussian, PowerLaw,
    ScaleFree, SmallWorld,
};
use spikelet_network::{Connector, Positions, RULES, Rule};

use super::*;
use crate::OwnNeurons;

/// A projection between two populations of these sizes.
fn connectivity(connector: &Connector, pre: u32, post: u32) -> Connectivity<'_> {
    Connectivity {
        rule: Rule::Connector(connector),
        path: "projections[0]".into(),
        projection: 0,
        seed: 1,
        pre: 0..pre,
        post: 0..post,
        recurrent: false,
        spaces: None,
        keep: None,
        probability: None,
        per_pair: None,
        generator: None,
        own: OwnNeurons::range(0..post, post),
        most: [None; 2],
    }
}

/// The same among the neurons of one population.
fn recurrent(connector: &Connector, size: u32) -> Connectivity<'_> {
    Connectivity { recurrent: true, ..connectivity(connector, size, size) }
}

/// The same, lying in space.
fn placed<'a>(connector: &'a Connector, positions: &Positions, size: u32) -> Connectivity<'a> {
    let space = Arc::new(Space::new(positions, "positions", 3, 0, size).unwrap());
    Connectivity { spaces: Some([space.clone(), space]), ..recurrent(connector, size) }
}

fn ready<'a>(connectivity: &Connectivity<'a>) -> RowGenerator<'a> {
    Preparation::new(connectivity.clone(), false).and_then(Preparation::finish).unwrap()
}

/// Every edge with its multiplicity, by pre, then post.
fn edges_of(connectivity: &Connectivity<'_>, posts: std::ops::Range<u32>) -> Vec<[u32; 2]> {
    let stretch = ready(connectivity).stretch(connectivity.pre.clone(), &posts);
    let mut targets = stretch.targets.iter();
    let row = |(pre, length): (u32, &u32)| targets.by_ref().take(*length as usize).map(|post| [pre, *post]).collect::<Vec<_>>();
    let edges: Vec<[u32; 2]> = connectivity.pre.clone().zip(&stretch.lengths).flat_map(row).collect();
    assert!(edges.is_sorted(), "posts rise within a row");
    edges
}

fn edges(connectivity: &Connectivity<'_>) -> Vec<[u32; 2]> {
    edges_of(connectivity, connectivity.post.clone())
}

/// Degrees of one side: 0 pre, 1 post.
fn degrees(edges: &[[u32; 2]], side: usize, of: &std::ops::Range<u32>) -> Vec<f64> {
    let mut degrees = vec![0.0; of.len()];
    edges.iter().for_each(|edge| degrees[(edge[side] - of.start) as usize] += 1.0);
    degrees
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64)
}

#[test]
fn projections_and_seeds_draw_different_edges() {
    // Those that draw nothing by themselves are left out.
    for rule in RULES.iter().filter(|rule| !["all", "condition", "one_to_one", "blockwise", "generator"].contains(&rule.name)) {
        let connector = (rule.example)();
        let grid =
            Positions::Grid { shape: vec![30, 30], spacing: "20 um".into(), tile: None, periodic: false, origin: Vec::new() };
        let base = Connectivity { seed: 1, ..placed(&connector, &grid, 900) };
        let drawn = edges(&base);
        assert!(!drawn.is_empty());
        assert_eq!(drawn, edges(&base.clone()));
        if matches!(rule.name, "disc" | "box") {
            continue;
        }
        assert_ne!(drawn, edges(&Connectivity { projection: 1, ..base.clone() }), "{}", rule.name);
        assert_ne!(drawn, edges(&Connectivity { seed: 2, ..base.clone() }), "{}", rule.name);
        assert_ne!(drawn, edges(&Connectivity { seed: 1 << 40, ..base }), "{}", rule.name);
    }
}

#[test]
fn one_to_one_joins_slices_in_order() {
    let one_to_one = Connector::one_to_one();
    let connectivity = Connectivity { pre: 10..13, post: 20..23, ..connectivity(&one_to_one, 0, 0) };
    assert_eq!(edges(&connectivity), [[10, 20], [11, 21], [12, 22]]);
}

/// Only the neighbours of a neuron are visited on another grid; all neurons of a list are.
#[test]
fn a_grid_beside_another_has_the_edges_of_its_points() {
    let grid = |origin: [f64; 4]| Positions::Grid {
        shape: vec![4, 3, 2, 5],
        spacing: 2.0.into(),
        tile: None,
        periodic: false,
        origin: origin.to_vec(),
    };
    let space = |positions: &Positions| Arc::new(Space::new(positions, "positions", 1, 0, 120).unwrap());
    let list = |of: &Space| Positions::List { points: (0..120).map(|k| of.place(k).to_vec()).collect(), unit: None, r#box: None };
    let rule = |cutoff: f64| Exponential { p: 1.0, lambda: 3.0.into(), cutoff: Some(cutoff.into()), autapses: true }.into();
    let near: [[f64; 4]; 5] =
        [[8.0, 0.0, 0.0, 0.0], [-3.0, 1.0, 0.0, -9.5], [0.0, 0.0, 4.0, 10.0], [1.0, 1.0, 1.0, 1.0], [0.0, 40.0, 0.0, 0.0]];
    let mut counts = Vec::new();
    for (origin, cutoff) in near.into_iter().flat_map(|origin| [2.0, 6.0, 100.0].map(|cutoff| (origin, cutoff))) {
        let (rule, [from, to]) = (rule(cutoff), [[0.0; 4], origin].map(|origin| space(&grid(origin))));
        let listed = space(&list(&to));
        let drawn = |to: Arc<Space>| {
            let spaces = Some([from.clone(), to]);
            edges(&Connectivity { spaces, recurrent: false, ..connectivity(&rule, 120, 120) })
        };
        let found = drawn(to);
        assert_eq!(found, drawn(listed), "{origin:?}, {cutoff}");
        counts.push(found.len());
    }
    assert!(counts.iter().filter(|count| **count > 20).count() >= 8, "{counts:?}");
}

#[test]
fn autapses_may_be_left_out() {
    for rule in RULES {
        let Ok(connector) = (rule.example)().with("autapses", "autapses", "false") else { continue };
        let connector = connector.with("n", "n", "40").unwrap_or(connector);
        let grid =
            Positions::Grid { shape: vec![10, 5], spacing: "20 um".into(), tile: Some(5), periodic: true, origin: Vec::new() };
        let within = placed(&connector, &grid, 50);
        let drawn = edges(&within);
        assert!(!drawn.is_empty() && drawn.iter().all(|[i, j]| i != j), "{}", rule.name);
        // Between two populations equal indices are two neurons.
        let between = Connectivity { recurrent: false, seed: 4, ..within };
        assert!(edges(&between).iter().any(|[i, j]| i == j), "{}", rule.name);
    }
}

#[test]
fn multapses_may_be_left_out() {
    for connector in [
        Connector::FixedIndegree(FixedIndegree { n: 40, pre_range: None, autapses: false, multapses: false }),
        Connector::FixedOutdegree(FixedOutdegree { n: 40, autapses: false, multapses: false }),
        Connector::FixedTotal(FixedTotal { n: 2000, autapses: false, multapses: false }),
    ] {
        let drawn = edges(&recurrent(&connector, 50));
        assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), drawn.len());
        assert_eq!(drawn.len(), 2000);
        let with = connector.with("multapses", "multapses", "true").unwrap();
        let drawn = edges(&recurrent(&with, 50));
        assert_eq!(drawn.len(), 2000);
        // 40 draws among 49 leave 27.5 different ones.
        let different = drawn.iter().collect::<HashSet<_>>().len();
        assert!((1300..1450).contains(&different), "{different}");
    }
    // All pairs, each once.
    let all = Connector::FixedTotal(FixedTotal { n: 2450, autapses: false, multapses: false });
    assert_eq!(edges(&recurrent(&all, 50)), edges(&recurrent(&Connector::All(All { condition: None, autapses: false }), 50)));
}

#[test]
fn a_condition_takes_edges_away_and_moves_none() {
    let connector = Connector::bernoulli(0.3);
    let connectivity = connectivity(&connector, 100, 400);
    let kept = Connectivity { keep: Some(Arc::new(|i, j| i < 30 || j % 2 == 0)), ..connectivity.clone() };
    let expected: Vec<_> = edges(&connectivity).into_iter().filter(|[i, j]| *i < 30 || j % 2 == 0).collect();
    assert_eq!(edges(&kept), expected);
}

#[test]
fn caps_leave_so_many_and_favour_none() {
    let connector = Connector::all();
    let mut counts = vec![0.0; 200];
    for seed in 0..400 {
        let capped = Connectivity { seed, most: [Some(20), None], ..connectivity(&connector, 3, 200) };
        let ready = ready(&capped);
        assert_eq!(ready.stretch(0..3, &(0..200)).dropped, 3 * 180);
        let drawn = edges(&capped);
        assert_eq!(degrees(&drawn, 0, &(0..3)), [20.0; 3]);
        drawn.iter().for_each(|[_, post]| counts[*post as usize] += 1.0);
    }
    // Each post is left in a tenth of 1200 rows.
    let chi: f64 = counts.iter().map(|count| (count - 120.0_f64).powi(2) / (120.0 * 0.9)).sum();
    assert!((chi - 199.0).abs() < 5.0 * (2.0 * 199.0_f64).sqrt(), "{chi}");

    let capped = Connectivity { most: [Some(100), Some(2)], ..connectivity(&connector, 3, 200) };
    let drawn = edges(&capped);
    assert!(degrees(&drawn, 1, &(0..200)).iter().all(|degree| *degree <= 2.0));
    let RowGenerator::Whole { dropped, .. } = ready(&capped) else { panic!("a cap on in-degrees needs all synapses") };
    assert_eq!(dropped as usize, 600 - drawn.len());
}

#[test]
fn pairs_keep_their_order_and_their_copies() {
    let pairs = [[2, 1], [0, 3], [2, 0], [2, 1], [1, 1]];
    let one_to_one = Connector::one_to_one();
    let connectivity = Connectivity { rule: Rule::Pairs(pairs.as_slice().into()), ..connectivity(&one_to_one, 3, 4) };
    let RowGenerator::Whole { rows, .. } = ready(&connectivity) else { panic!("a list is drawn as a whole") };
    assert_eq!(rows.offsets, [0, 1, 2, 5]);
    assert!(rows.targets().eq([3, 1, 0, 1, 1]));
    assert_eq!(rows.pairs, [1, 4, 2, 0, 3]);
}

#[test]
fn rows_of_a_recipe_do_not_depend_on_the_others() {
    let connector = Connector::FixedOutdegree(FixedOutdegree { n: 30, autapses: true, multapses: true });
    let connectivity = connectivity(&connector, 40, 70);
    let ready = ready(&connectivity);
    let whole = ready.stretch(0..40, &(0..70));
    let single = ready.stretch(17..18, &(0..70));
    assert_eq!(single.targets, whole.targets[17 * 30..18 * 30]);
    assert_eq!(single.ids, whole.ids[17 * 30..18 * 30]);
}

fn connectors() -> impl Strategy<Value = Connector> {
    let kernel = (0.1..1.0_f64, 1.0..9.0_f64, any::<bool>());
    prop_oneof![
        (prop_oneof![Just(0.0), Just(1.0), 0.0..1.0, 0.0..0.05], any::<bool>())
            .prop_map(|(p, autapses)| Connector::Bernoulli(Bernoulli { p: p.into(), condition: None, autapses })),
        any::<bool>().prop_map(|autapses| Connector::All(All { condition: None, autapses })),
        Just(Connector::one_to_one()),
        (0..20_u32, any::<bool>(), any::<bool>()).prop_map(|(n, autapses, multapses)| Connector::FixedIndegree(FixedIndegree {
            n,
            pre_range: None,
            autapses,
            multapses
        })),
        (0..20_u32, any::<bool>(), any::<bool>())
            .prop_map(|(n, autapses, multapses)| Connector::FixedOutdegree(FixedOutdegree { n, autapses, multapses })),
        (0..900_u64, any::<bool>(), any::<bool>()).prop_map(|(n, autapses, multapses)| Connector::FixedTotal(FixedTotal {
            n,
            autapses,
            multapses
        })),
        kernel.clone().prop_map(|(p, sigma, autapses)| Connector::Gaussian(Gaussian {
            p,
            sigma: sigma.into(),
            cutoff: None,
            autapses
        })),
        kernel.clone().prop_map(|(p, lambda, autapses)| Connector::Exponential(Exponential {
            p,
            lambda: lambda.into(),
            cutoff: None,
            autapses
        })),
        kernel.clone().prop_map(|(p, radius, autapses)| Connector::Disc(Disc { p, radius: radius.into(), autapses })),
        kernel.prop_map(|(p, width, autapses)| Connector::Box(Cuboid {
            p,
            half_widths: vec![width.into(), 2.0.into()],
            autapses
        })),
        (1..3_u32, any::<bool>()).prop_map(|(reach, autapses)| Connector::Blockwise(Blockwise {
            tile: 2,
            reach,
            p: 0.7,
            autapses
        })),
        (1..10_u32, 0.0..1.0_f64).prop_map(|(half, rewire)| Connector::SmallWorld(SmallWorld { k: 2 * half, rewire })),
        (1..9_u32).prop_map(|n| Connector::ScaleFree(ScaleFree { n })),
        (0..900_u64, 2.1..4.0_f64, any::<bool>()).prop_map(|(n, gamma, autapses)| Connector::PowerLaw(PowerLaw {
            n,
            gamma_out: gamma,
            gamma_in: 3.0,
            autapses
        })),
    ]
}

fn layouts() -> impl Strategy<Value = Positions> {
    (any::<bool>(), any::<bool>(), proptest::option::of(Just(2))).prop_map(|(grid, periodic, tile)| {
        if grid {
            Positions::Grid { shape: vec![6, 10], spacing: 1.5.into(), tile, periodic, origin: Vec::new() }
        } else {
            Positions::Random { r#box: vec![9.0.into(), 15.0.into()], periodic }
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    /// Any number of shards draws the same edges, each just its own.
    #[test]
    fn shards_together_hold_the_edges_of_one(
        connector in connectors(), positions in layouts(), seed: u64, projection in 0..1000_u32, one: bool, cuts: [u32; 6],
        most in proptest::option::of(0..30_u32),
    ) {
        let grid = matches!(positions, Positions::Grid { .. });
        prop_assume!(grid || !matches!(connector, Connector::Blockwise(_)));
        let within = matches!(connector, Connector::SmallWorld(_) | Connector::ScaleFree(_));
        let base = placed(&connector, &positions, 60);
        let connectivity = Connectivity { seed, projection, recurrent: one || within, most: [most, None], ..base };
        let whole = edges(&connectivity);
        for shards in [1, 2, 3, 7] {
            let mut bounds: Vec<u32> = cuts[..shards - 1].iter().map(|cut| cut % 61).collect();
            bounds.extend([0, 60]);
            bounds.sort_unstable();
            let mut together = Vec::new();
            for range in bounds.windows(2) {
                let part = edges_of(&connectivity, range[0]..range[1]);
                prop_assert!(part.iter().all(|[_, j]| (range[0]..range[1]).contains(j)));
                together.extend(part);
            }
            together.sort_unstable();
            prop_assert_eq!(&together, &whole);
        }
        if let Some(most) = most {
            prop_assert!(degrees(&whole, 0, &(0..60)).iter().all(|degree| *degree <= f64::from(most)));
        }
    }
}
