use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn wiring<'a>(connector: &'a Connector, pre: u32, post: u32) -> Wiring<'a> {
    Wiring { rule: Rule::Connector(connector), projection: 0, seed: 1, pre: 0..pre, post: 0..post, recurrent: false }
}

fn all(wiring: &Wiring<'_>) -> Rows {
    wiring.rows(&wiring.post.clone(), &|_, _| true)
}

/// Every edge with its multiplicity, in a fixed order.
fn edges(wiring: &Wiring<'_>, rows: &Rows) -> Vec<[u32; 2]> {
    let pres = wiring.pre.clone().zip(0..);
    let mut edges: Vec<_> = pres.flat_map(|(i, row)| rows.row(row).iter().map(move |&j| [i, j])).collect();
    assert_eq!(edges.len(), rows.len());
    assert!(edges.is_sorted(), "posts rise within a row");
    edges.sort_unstable();
    edges
}

fn in_degrees(rows: &Rows, posts: u32) -> Vec<f64> {
    let mut degrees = vec![0.0; posts as usize];
    rows.targets.iter().for_each(|&j| degrees[j as usize] += 1.0);
    degrees
}

fn mean_and_variance(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (mean, values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64)
}

#[test]
fn bernoulli_has_the_counts_degrees_and_independence_of_its_law() {
    for p in [0.001, 0.02, 0.3, 0.6, 0.97] {
        let connector = Connector::bernoulli(p);
        let (pre, post) = (1000, 1000);
        let rows = all(&wiring(&connector, pre, post));
        let pairs = f64::from(pre * post);
        let sd = (pairs * p * (1.0 - p)).sqrt();
        assert!((rows.len() as f64 - pairs * p).abs() < 4.0 * sd, "p = {p}: {} edges", rows.len());

        // Degrees of both sides are binomial; the variance of 1000 of them has a relative error of √(2/1000).
        let out_degrees: Vec<f64> = (0..pre as usize).map(|row| rows.row(row).len() as f64).collect();
        for degrees in [out_degrees, in_degrees(&rows, post)] {
            let (mean, variance) = mean_and_variance(&degrees);
            assert!((mean - 1000.0 * p).abs() < 4.0 * sd / 1000.0, "p = {p}: mean {mean}");
            let law = 1000.0 * p * (1.0 - p);
            assert!(
                (variance / law - 1.0).abs() < 4.0 * (2.0_f64 / 1000.0).sqrt() + 4.0 / (law * 1000.0).sqrt(),
                "p = {p}: {variance}"
            );
        }

        // Two neurons share a share p of their targets, and one position of a block says nothing of the next.
        let shared = |a: &[u32], b: &[u32]| a.iter().filter(|j| b.binary_search(j).is_ok()).count() as f64;
        let overlap: f64 = (1..pre as usize).map(|row| shared(rows.row(row - 1), rows.row(row))).sum();
        let expected = 999.0 * 1000.0 * p * p;
        assert!(
            (overlap - expected).abs() < 4.0 * (expected * (1.0 - p * p) * (1.0 + 2.0 * p)).sqrt() + 4.0,
            "p = {p}: {overlap}"
        );
        let next = |row: &[u32]| row.windows(2).filter(|w| w[1] == w[0] + 1).count() as f64;
        let neighbours: f64 = (0..pre as usize).map(|row| next(rows.row(row))).sum();
        assert!((neighbours - expected).abs() < 4.0 * (expected * (1.0 + 2.0 * p)).sqrt() + 4.0, "p = {p}: {neighbours}");
    }
}

#[test]
fn every_place_of_a_block_is_as_likely_as_any_other() {
    let connector = Connector::bernoulli(0.1);
    let rows = all(&wiring(&connector, 20_000, 600));
    let (mean, sd) = (2000.0, (20_000.0 * 0.1 * 0.9_f64).sqrt());
    for (post, degree) in in_degrees(&rows, 600).into_iter().enumerate() {
        assert!((degree - mean).abs() < 5.0 * sd, "post {post}: {degree}");
    }
}

#[test]
fn the_ends_of_the_probability_are_exact() {
    assert!(all(&wiring(&Connector::bernoulli(0.0), 100, 1000)).is_empty());
    let full = Connector::bernoulli(1.0);
    assert_eq!(all(&wiring(&full, 100, 1000)), all(&wiring(&Connector::all(), 100, 1000)));
    let tiny = Connector::bernoulli(1e-6);
    let edges = all(&wiring(&tiny, 10_000, 10_000)).len();
    assert!((60..=140).contains(&edges), "{edges} of 100 expected");
}

#[test]
fn projections_and_seeds_draw_different_edges() {
    let connector = Connector::bernoulli(0.1);
    let base = wiring(&connector, 100, 500);
    let rows = all(&base);
    assert_eq!(rows, all(&base.clone()));
    assert_ne!(rows, all(&Wiring { projection: 1, ..base.clone() }));
    assert_ne!(rows, all(&Wiring { seed: 2, ..base.clone() }));
    assert_ne!(rows, all(&Wiring { seed: 1 << 40, ..base }));
}

#[test]
fn a_slice_has_the_edges_of_the_whole() {
    let connector = Connector::bernoulli(0.1);
    let whole = wiring(&connector, 300, 900);
    let slice = Wiring { pre: 100..200, post: 300..700, ..whole.clone() };
    let inside: Vec<_> =
        edges(&whole, &all(&whole)).into_iter().filter(|[i, j]| slice.pre.contains(i) && slice.post.contains(j)).collect();
    assert_eq!(edges(&slice, &all(&slice)), inside);
}

#[test]
fn one_to_one_joins_slices_in_order() {
    let wiring = Wiring { pre: 10..13, post: 20..23, ..wiring(&Connector::OneToOne, 0, 0) };
    assert_eq!(edges(&wiring, &all(&wiring)), [[10, 20], [11, 21], [12, 22]]);
}

#[test]
fn autapses_may_be_left_out() {
    for connector in [
        Connector::Bernoulli { p: 0.5, condition: None, autapses: false },
        Connector::All { condition: None, autapses: false },
        Connector::FixedIndegree { n: 20, pre_range: None, autapses: false },
    ] {
        let within = Wiring { recurrent: true, ..wiring(&connector, 50, 50) };
        assert!(edges(&within, &all(&within)).iter().all(|[i, j]| i != j));
        // Between two populations equal indices are two neurons.
        let between = wiring(&connector, 50, 50);
        assert!(edges(&between, &all(&between)).iter().any(|[i, j]| i == j));
    }
}

#[test]
fn a_condition_takes_edges_away_and_moves_none() {
    let connector = Connector::bernoulli(0.3);
    let wiring = wiring(&connector, 100, 400);
    let kept = wiring.rows(&wiring.post.clone(), &|i, j| i < 30 || j % 2 == 0);
    let expected: Vec<_> = edges(&wiring, &all(&wiring)).into_iter().filter(|[i, j]| *i < 30 || j % 2 == 0).collect();
    assert_eq!(edges(&wiring, &kept), expected);
}

#[test]
fn fixed_indegree_gives_each_post_its_number_with_replacement() {
    let connector = Connector::FixedIndegree { n: 64, pre_range: Some([100, 200]), autapses: true };
    let wiring = wiring(&connector, 300, 2000);
    let rows = all(&wiring);
    assert!(in_degrees(&rows, 2000).iter().all(|&degree| degree == 64.0));
    let edges = edges(&wiring, &rows);
    assert!(edges.iter().all(|[i, _]| (100..200).contains(i)));
    // 64 draws from 100 leave 100·(1 − 0.99^64) = 47.45 different ones.
    let different = edges.iter().collect::<HashSet<_>>().len() as f64 / 2000.0;
    assert!((different - 47.45).abs() < 0.3, "{different}");
    let out_degrees: Vec<f64> = (100..200).map(|row| rows.row(row).len() as f64).collect();
    let (mean, variance) = mean_and_variance(&out_degrees);
    assert_eq!(mean, 1280.0);
    assert!((variance / (1280.0 * 0.99) - 1.0).abs() < 0.6, "{variance}");
}

#[test]
fn pairs_keep_their_order_and_their_copies() {
    let pairs = [[2, 1], [0, 3], [2, 0], [2, 1], [1, 1]];
    let wiring = Wiring { rule: Rule::Pairs(&pairs), ..wiring(&Connector::OneToOne, 3, 4) };
    let rows = all(&wiring);
    assert_eq!(rows.offsets, [0, 1, 2, 5]);
    assert_eq!(rows.targets, [3, 1, 0, 1, 1]);
    assert_eq!(rows.pairs, [1, 4, 2, 0, 3]);
    let part = wiring.rows(&(1..2), &|_, _| true);
    assert_eq!(part.targets, [1, 1, 1]);
    assert_eq!(part.pairs, [4, 0, 3]);
}

fn connectors() -> impl Strategy<Value = Connector> {
    prop_oneof![
        (prop_oneof![Just(0.0), Just(1.0), 0.0..1.0, 0.0..0.05], any::<bool>()).prop_map(|(p, autapses)| Connector::Bernoulli {
            p,
            condition: None,
            autapses
        }),
        any::<bool>().prop_map(|autapses| Connector::All { condition: None, autapses }),
        Just(Connector::OneToOne),
        (0..20_u32, any::<bool>()).prop_map(|(n, autapses)| Connector::FixedIndegree { n, pre_range: None, autapses }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn shards_together_hold_the_edges_of_one(
        connector in connectors(), seed: u64, projection in 0..1000_u32, recurrent: bool,
        first in 0..50_u32, pre in 2..60_u32, post_first in 0..400_u32, post in 1..700_u32, cuts: [u32; 6],
    ) {
        let post = if connector == Connector::OneToOne { pre } else { post };
        let wiring = Wiring {
            rule: Rule::Connector(&connector), projection, seed, pre: first..first + pre,
            post: post_first..post_first + post, recurrent,
        };
        // A shard is any part of the whole population; some lie outside the slice.
        let population = 1200;
        let whole = edges(&wiring, &wiring.rows(&(0..population), &|i, j| (i + j) % 3 != 0));
        for shards in [1, 2, 3, 7] {
            let mut bounds: Vec<u32> = cuts[..shards - 1].iter().map(|cut| cut % population).collect();
            bounds.extend([0, population]);
            bounds.sort_unstable();
            let mut together = Vec::new();
            for range in bounds.windows(2) {
                let rows = wiring.rows(&(range[0]..range[1]), &|i, j| (i + j) % 3 != 0);
                prop_assert!(rows.targets.iter().all(|j| (range[0]..range[1]).contains(j)));
                together.extend(edges(&wiring, &rows));
            }
            together.sort_unstable();
            prop_assert_eq!(&together, &whole);
        }
    }
}
