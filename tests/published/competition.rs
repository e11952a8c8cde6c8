use std::f64::consts::TAU;

use spikelet::{Quantity, catalogue};

use super::activity::Activity;

/// Where the activity of the ring is, in neurons, and how concentrated, 0 to 1.
fn bump(activity: &Activity, from_ms: f64, to_ms: f64) -> (f64, f64) {
    let spikes = activity.of_population("E");
    let angles = spikes.iter().filter(|(_, time)| (from_ms..to_ms).contains(time)).map(|(i, _)| f64::from(*i) / 512.0 * TAU);
    let (mut x, mut y, mut count) = (0.0, 0.0, 0.0);
    for angle in angles {
        x += angle.cos();
        y += angle.sin();
        count += 1.0;
    }
    (y.atan2(x).rem_euclid(TAU) / TAU * 512.0, x.hypot(y) / count)
}

/// Compte et al. 2000: the bump stays near its cue (here for 1.5 s), at rates of 20 to 40 Hz, while the others are almost silent.
#[test]
fn a_bump_stays_when_its_cue_is_gone() {
    for seed in 1..=3 {
        let activity = Activity::of("ring", 1.0, seed);
        let (_, before) = bump(&activity, 0.0, 300.0);
        let (place, strength) = bump(&activity, 1500.0, 2000.0);
        println!("seed {seed}: concentration {before:.2} before the cue, then {strength:.2} at {place:.0}");
        assert!(before < 0.3, "{before}");
        assert!(strength > 0.6, "{strength}");
        // A drift of 36 degrees.
        assert!((place - 256.0).abs() < 51.2, "{place}");
    }
}

#[test]
fn without_a_cue_the_ring_stays_at_rest() {
    let mut network = catalogue::network("ring", 1.0).unwrap();
    network.populations[0].parameters.insert("I".to_owned(), Quantity::Number(0.0));
    let activity = Activity::over(network, 1000.0);
    let rate = activity.rate_hz("E", 300.0..1000.0);
    assert!((0.1..5.0).contains(&rate), "{rate} Hz");
}

/// Wang 2002: one pool goes to some 20 to 50 Hz and stays there, the other is pushed down; with equal evidence it is this one as
/// often as that.
#[test]
fn one_pool_wins_a_decision() {
    let mut winners = [0, 0];
    for seed in 1..=8 {
        let activity = Activity::of("decision", 0.5, seed);
        let rates = ["left", "right"].map(|pool| activity.rate_hz(pool, 1500.0..2000.0));
        println!("seed {seed}: left {:.1} Hz, right {:.1} Hz", rates[0], rates[1]);
        let winner = usize::from(rates[1] > rates[0]);
        assert!(rates[winner] > 15.0 && rates[1 - winner] < 6.0, "seed {seed}: {rates:?}");
        winners[winner] += 1;
    }
    assert!(winners.iter().all(|wins| *wins > 0), "{winners:?}");
}

#[test]
fn stronger_evidence_wins() {
    let mut network = catalogue::network("decision", 0.5).unwrap();
    let left = network.sources.iter_mut().find(|source| source.name == "left_evidence").unwrap();
    if let spikelet::SourceKind::PoissonInput { rate, .. } = &mut left.kind {
        *rate = Quantity::expr("80*Hz*int(t >= 500*ms)*int(t < 1500*ms)");
    }
    for seed in 1..=3 {
        network.seed = seed;
        let activity = Activity::over(network.clone(), 1600.0);
        let rates = ["left", "right"].map(|pool| activity.rate_hz(pool, 1300.0..1600.0));
        assert!(rates[0] > 4.0 * rates[1], "seed {seed}: {rates:?}");
    }
}
