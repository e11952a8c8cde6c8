//! The statistics of connection rules, with fixed seeds.

use spikelet_network::connectors::{
    Blockwise, Cuboid, Disc, Exponential, FixedIndegree, FixedOutdegree, FixedTotal, Gaussian, PowerLaw, ScaleFree, SmallWorld,
};

use super::*;

/// How far a statistic that is about normal may be from its mean, in standard deviations: 1 in 30,000 tests fails by chance, and these
/// seeds are fixed.
const SIGMAS: f64 = 4.2;

/// Degrees of a side against Binomial(n, p): their mean, and χ² over classes of about equal probability.
fn assert_binomial(degrees: &[f64], n: f64, p: f64, what: &str) {
    let (mean, sd) = (n * p, (n * p * (1.0 - p)).sqrt());
    let count = degrees.len() as f64;
    let (found, variance) = mean_and_variance(degrees);
    assert!((found - mean).abs() < SIGMAS * sd / count.sqrt() + 1e-9, "{what}: mean {found} of {mean}");
    assert!(
        (variance / (sd * sd) - 1.0).abs() < SIGMAS * (2.0 / count).sqrt() + 0.01,
        "{what}: variance {variance} of {}",
        sd * sd
    );
    // P(X ≤ k) from the logarithms of its masses.
    let mut cumulative = Vec::new();
    let (mut log_mass, mut sum) = (n * (1.0 - p).ln(), 0.0);
    for k in 0..=n as u32 {
        sum += log_mass.exp();
        cumulative.push(sum);
        log_mass += ((n - f64::from(k)) / (f64::from(k) + 1.0) * p / (1.0 - p)).ln();
    }
    let classes = 10.0;
    let edges: Vec<f64> =
        (1..10).map(|class| cumulative.partition_point(|sum| *sum < f64::from(class) / classes) as f64).collect();
    let class = |degree: f64| edges.partition_point(|edge| *edge < degree);
    let mut observed = [0.0; 10];
    degrees.iter().for_each(|degree| observed[class(*degree)] += 1.0);
    let mut expected = [0.0; 10];
    let mut before = 0.0;
    for (k, sum) in cumulative.iter().enumerate() {
        expected[class(k as f64)] += (sum - before) * count;
        before = *sum;
    }
    let used: Vec<usize> = (0..10).filter(|class| expected[*class] > 5.0).collect();
    let chi: f64 = used.iter().map(|class| (observed[*class] - expected[*class]).powi(2) / expected[*class]).sum();
    let freedom = used.len() as f64 - 1.0;
    assert!(chi < freedom + SIGMAS * (2.0 * freedom).sqrt() + SIGMAS, "{what}: χ² {chi} at {freedom}");
}

/// The share of its targets that a neuron has in common with another, over random pairs: p for independent rows. A published hash for
/// implicit connectivity fails exactly this.
fn assert_overlap(edges: &[[u32; 2]], pres: u32, posts: u32, p: f64, what: &str) {
    let mut rows = vec![HashSet::new(); pres as usize];
    edges.iter().for_each(|[i, j]| {
        rows[*i as usize].insert(*j);
    });
    let (mut shared, mut pairs) = (0.0, 0.0);
    for n in 0..2000_u32 {
        let (a, b) = (n * 7919 % pres, (n * 104_729 + 1) % pres);
        if a != b {
            shared += rows[a as usize].intersection(&rows[b as usize]).count() as f64;
            pairs += 1.0;
        }
    }
    let expected = pairs * f64::from(posts) * p * p;
    assert!((shared - expected).abs() < SIGMAS * 1.3 * expected.sqrt() + 0.02 * expected, "{what}: {shared} of {expected}");
}

#[test]
fn bernoulli_degrees_are_binomial_and_rows_independent() {
    for (p, pre, post) in [(0.001, 2000, 4000), (0.02, 1500, 3000), (0.3, 1000, 1000), (0.6, 800, 1000), (0.97, 800, 1000)] {
        let connector = Connector::bernoulli(p);
        let drawn = edges(&connectivity(&connector, pre, post));
        assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), drawn.len(), "no multapses");
        assert_binomial(&degrees(&drawn, 0, &(0..pre)), f64::from(post), p, &format!("out, p = {p}"));
        assert_binomial(&degrees(&drawn, 1, &(0..post)), f64::from(pre), p, &format!("in, p = {p}"));
        assert_overlap(&drawn, pre, post, p, &format!("p = {p}"));
        // One place of a row says nothing of the next.
        let next = drawn.windows(2).filter(|pair| pair[0][0] == pair[1][0] && pair[1][1] == pair[0][1] + 1).count() as f64;
        let expected = f64::from(pre) * f64::from(post - 1) * p * p;
        assert!((next - expected).abs() < SIGMAS * (expected * (1.0 + 2.0 * p)).sqrt() + 4.0, "p = {p}: {next} of {expected}");
    }
}

#[test]
fn the_ends_of_the_probability_are_exact() {
    assert!(edges(&connectivity(&Connector::bernoulli(0.0), 100, 1000)).is_empty());
    assert_eq!(edges(&connectivity(&Connector::bernoulli(1.0), 100, 1000)), edges(&connectivity(&Connector::all(), 100, 1000)));
    let tiny = edges(&connectivity(&Connector::bernoulli(1e-6), 10_000, 10_000)).len();
    assert!((60..=140).contains(&tiny), "{tiny} of 100 expected");
}

#[test]
fn every_place_of_a_block_is_as_likely_as_any_other() {
    for connector in
        [Connector::bernoulli(0.1), Connector::FixedOutdegree(FixedOutdegree { n: 60, autapses: true, multapses: false })]
    {
        let drawn = edges(&connectivity(&connector, 20_000, 600));
        let chi: f64 = degrees(&drawn, 1, &(0..600)).iter().map(|degree| (degree - 2000.0).powi(2) / 1800.0).sum();
        assert!((chi - 599.0).abs() < SIGMAS * (2.0 * 599.0_f64).sqrt(), "χ² {chi}");
    }
}

#[test]
fn fixed_degrees_are_exact_on_one_side_and_binomial_on_the_other() {
    for multapses in [true, false] {
        let outgoing = Connector::FixedOutdegree(FixedOutdegree { n: 50, autapses: true, multapses });
        let drawn = edges(&connectivity(&outgoing, 2000, 1000));
        assert!(degrees(&drawn, 0, &(0..2000)).iter().all(|degree| *degree == 50.0));
        assert_binomial(
            &degrees(&drawn, 1, &(0..1000)),
            if multapses { 100_000.0 } else { 2000.0 },
            if multapses { 0.001 } else { 0.05 },
            "in",
        );
        let incoming = Connector::FixedIndegree(FixedIndegree { n: 50, pre_range: None, autapses: true, multapses });
        let drawn = edges(&connectivity(&incoming, 1000, 2000));
        assert!(degrees(&drawn, 1, &(0..2000)).iter().all(|degree| *degree == 50.0));
        assert_binomial(
            &degrees(&drawn, 0, &(0..1000)),
            if multapses { 100_000.0 } else { 2000.0 },
            if multapses { 0.001 } else { 0.05 },
            "out",
        );
        if !multapses {
            assert_overlap(&edges(&connectivity(&outgoing, 2000, 1000)), 2000, 1000, 0.05, "fixed_outdegree");
        }
    }
    let of_some = Connector::FixedIndegree(FixedIndegree { n: 64, pre_range: Some([100, 200]), autapses: true, multapses: true });
    let drawn = edges(&connectivity(&of_some, 300, 2000));
    assert!(drawn.iter().all(|[i, _]| (100..200).contains(i)));
}

#[test]
fn a_fixed_total_is_exact_and_both_degrees_binomial() {
    for multapses in [true, false] {
        let connector = Connector::FixedTotal(FixedTotal { n: 60_000, autapses: true, multapses });
        let drawn = edges(&connectivity(&connector, 1500, 2000));
        assert_eq!(drawn.len(), 60_000);
        // Without replacement degrees are hypergeometric: for a fiftieth of all pairs, the variance is 2 % less.
        assert_binomial(&degrees(&drawn, 0, &(0..1500)), 60_000.0, 1.0 / 1500.0, "out");
        assert_binomial(&degrees(&drawn, 1, &(0..2000)), 60_000.0, 1.0 / 2000.0, "in");
        assert_overlap(&drawn, 1500, 2000, 0.02, "fixed_total");
    }
}

#[test]
fn probability_falls_with_distance_as_the_kernel_says() {
    let grid =
        |periodic| Positions::Grid { shape: vec![40, 40], spacing: "10 um".into(), tile: Some(5), periodic, origin: Vec::new() };
    let random = |periodic| Positions::Random { r#box: vec!["0.4 mm".into(), "0.4 mm".into()], periodic };
    type Falloff = fn(f64) -> f64;
    let kernels: [(Connector, Falloff); 3] = [
        (Connector::Gaussian(Gaussian { p: 0.8, sigma: "60 um".into(), cutoff: None, autapses: true }), |d| {
            0.8 * (-d * d / 7200.0).exp()
        }),
        (
            Connector::Exponential(Exponential { p: 0.9, lambda: "50 um".into(), cutoff: Some("120 um".into()), autapses: true }),
            |d| {
                if d <= 120.0 + 1e-9 { 0.9 * (-d / 50.0).exp() } else { 0.0 }
            },
        ),
        (
            Connector::Disc(Disc { p: 0.5, radius: "100 um".into(), autapses: true }),
            |d| if d <= 100.0 + 1e-9 { 0.5 } else { 0.0 },
        ),
    ];
    for (connector, probability) in kernels {
        for positions in [grid(false), grid(true), random(false), random(true)] {
            let connectivity = placed(&connector, &positions, 1600);
            let [space, _] = connectivity.spaces.as_ref().unwrap();
            let drawn: HashSet<[u32; 2]> = edges(&connectivity).into_iter().collect();
            // Classes of 20 µm.
            let (mut found, mut expected, mut variance) = ([0.0; 15], [0.0; 15], [0.0; 15]);
            for i in 0..1600 {
                for j in 0..1600 {
                    let d = space.distance(space.place(i), space.place(j));
                    let (class, p) = ((d / 20.0) as usize, probability(d));
                    if class < 15 {
                        found[class] += f64::from(u8::from(drawn.contains(&[i, j])));
                        expected[class] += p;
                        variance[class] += p * (1.0 - p);
                    } else if p < 1e-9 {
                        assert!(!drawn.contains(&[i, j]));
                    }
                }
            }
            for class in 0..15 {
                let (found, expected, sd) = (found[class], expected[class], variance[class].sqrt());
                assert!((found - expected).abs() <= SIGMAS * sd + 1e-6, "{connector:?} {class}: {found} of {expected} ± {sd}");
            }
        }
    }
}

#[test]
fn boxes_and_tiles_reach_as_far_as_they_say() {
    let grid =
        |periodic| Positions::Grid { shape: vec![12, 9, 6], spacing: 1.0.into(), tile: Some(3), periodic, origin: Vec::new() };
    let half = Connector::Box(Cuboid { p: 1.0, half_widths: vec![2.0.into(), 1.0.into(), 0.5.into()], autapses: false });
    for periodic in [false, true] {
        let connectivity = placed(&half, &grid(periodic), 648);
        let [space, _] = connectivity.spaces.as_ref().unwrap();
        let along = |i, j| space.along_axes(space.place(i), space.place(j));
        let inside = |[i, j]: &[u32; 2]| i != j && along(*i, *j)[0] <= 2.0 && along(*i, *j)[1] <= 1.0 && along(*i, *j)[2] <= 0.5;
        let all = (0..648).flat_map(|i| (0..648).map(move |j| [i, j]));
        assert_eq!(edges(&connectivity), all.filter(inside).collect::<Vec<_>>());
    }
    let tiles = Connector::Blockwise(Blockwise { tile: 3, reach: 1, p: 1.0, autapses: false });
    let drawn = edges(&placed(
        &tiles,
        &Positions::Grid { shape: vec![12, 12], spacing: 1.0.into(), tile: None, periodic: false, origin: Vec::new() },
        144,
    ));
    // A corner tile has 4 tiles of 9 about it, itself included; an inner one 9.
    let outgoing = degrees(&drawn, 0, &(0..144));
    assert_eq!((outgoing[0], outgoing[12 * 4 + 4]), (35.0, 80.0));
}

#[test]
fn a_small_world_is_a_ring_with_some_synapses_moved() {
    let ring = edges(&recurrent(&Connector::SmallWorld(SmallWorld { k: 6, rewire: 0.0 }), 100));
    assert!(ring.iter().all(|[i, j]| (1..=3).contains(&(i.abs_diff(*j).min(100 - i.abs_diff(*j))))));
    let connector = Connector::SmallWorld(SmallWorld { k: 10, rewire: 0.3 });
    let drawn = edges(&recurrent(&connector, 2000));
    assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), 20_000, "no multapses");
    assert!(degrees(&drawn, 0, &(0..2000)).iter().all(|degree| *degree == 10.0) && drawn.iter().all(|[i, j]| i != j));
    let moved = drawn.iter().filter(|[i, j]| i.abs_diff(*j).min(2000 - i.abs_diff(*j)) > 5).count() as f64;
    assert!((moved - 6000.0 * 0.995).abs() < SIGMAS * 65.0, "{moved}");
}

#[test]
fn a_scale_free_graph_has_hubs() {
    let drawn = edges(&recurrent(&Connector::ScaleFree(ScaleFree { n: 5 }), 5000));
    let outgoing = degrees(&drawn, 0, &(0..5000));
    assert_eq!(outgoing, degrees(&drawn, 1, &(0..5000)), "joined both ways");
    assert!((mean_and_variance(&outgoing).0 - 10.0).abs() < 0.3);
    // P(degree ≥ k) of preferential attachment is n(n + 1)/(k(k + 1)): 30/(20·21) at 20, 30/(60·61) at 60.
    let beyond = |k: f64| outgoing.iter().filter(|degree| **degree >= k).count() as f64 / 5000.0;
    assert!((beyond(20.0) - 30.0 / 420.0).abs() < 0.02, "{}", beyond(20.0));
    assert!((beyond(60.0) - 30.0 / 3660.0).abs() < 0.006, "{}", beyond(60.0));
}

#[test]
fn the_smallest_scale_free_graph_is_a_tree() {
    let drawn = edges(&recurrent(&Connector::ScaleFree(ScaleFree { n: 1 }), 300));
    assert_eq!(drawn.len(), 2 * 299, "one pair for each neuron but the first");
    assert_eq!(drawn.iter().collect::<HashSet<_>>().len(), drawn.len());
}

#[test]
fn power_laws_have_the_exponents_asked_for() {
    let connector = Connector::PowerLaw(PowerLaw { n: 200_000, gamma_out: 2.5, gamma_in: 4.0, autapses: false });
    let drawn = edges(&recurrent(&connector, 10_000));
    assert_eq!(drawn.len(), 200_000);
    // The k-th largest degree falls as k^(−1/(γ − 1)); its slope between ranks 5 and 2000.
    for (side, gamma) in [(0, 2.5), (1, 4.0)] {
        let mut sorted = degrees(&drawn, side, &(0..10_000));
        sorted.sort_by(|a, b| b.total_cmp(a));
        let near = |rank: usize| sorted[rank - rank / 5..rank + rank / 5].iter().sum::<f64>() / (2 * (rank / 5)) as f64;
        let slope = (near(2000) / near(10)).ln() / (2000.0_f64 / 10.0).ln();
        assert!((slope + 1.0 / (gamma - 1.0)).abs() < 0.04, "γ = {gamma}: slope {slope}");
    }
}
