use spikelet::{Cpu, catalogue};
use spikelet_tests::{full, run};

use super::activity::{Activity, autocorrelation};
use super::statistics::{Statistics, statistics};

/// Statistics of the excitatory neurons over 1 s, and those of the population rate: a fifth of the neurons, so that the same
/// inputs overlap more and rhythms are stronger than at full size.
fn state(name: &str) -> (Statistics, Vec<f64>) {
    let activity = Activity::over(catalogue::network(name, 0.2).unwrap(), 1000.0);
    let found = statistics(&activity.spikes, 0..2000, 0.1);
    println!("{name}: {found:.3?}");
    (found, activity.histogram("E", 200.0..1000.0))
}

/// Brunel 2000, figure 8A: regular, fast, together.
#[test]
fn weak_inhibition_makes_neurons_regular_and_fast() {
    let (found, _) = state("brunel_sr");
    assert!(found.rate_hz > 250.0 && found.cv_isi < 0.1, "{found:?}");
}

/// Figure 8B: the population oscillates faster than its neurons fire, and these are irregular.
#[test]
fn strong_inhibition_and_drive_make_a_fast_rhythm() {
    let (found, bins) = state("brunel_si_fast");
    assert!((40.0..80.0).contains(&found.rate_hz) && found.cv_isi > 0.6, "{found:?}");
    // About 180 Hz: a trough half a period later, a peak after a period.
    let [trough, peak] = [autocorrelation(&bins, 3), autocorrelation(&bins, 5).max(autocorrelation(&bins, 6))];
    assert!(trough < -0.1 && peak > 0.2, "{trough} {peak}");
}

/// Figure 8C.
#[test]
fn balance_makes_neurons_irregular() {
    let (found, _) = state("brunel_ai");
    assert!((30.0..45.0).contains(&found.rate_hz) && (0.3..0.6).contains(&found.cv_isi), "{found:?}");
}

/// Figure 8D: a few spikes a second, on a rhythm of some tens of Hz.
#[test]
fn a_weak_drive_makes_a_slow_rhythm() {
    let (found, bins) = state("brunel_si_slow");
    assert!((2.0..10.0).contains(&found.rate_hz), "{found:?}");
    let strength = |lag: usize| autocorrelation(&bins, lag);
    let period = (15..80).max_by(|a, b| strength(*a).total_cmp(&strength(*b))).unwrap();
    println!("period {period} ms, correlation {:.2}", strength(period));
    assert!(strength(period) > 0.1, "{}", strength(period));
}

/// Brian 2.9 and NEST 3 at full size: 37.44 and 37.58 Hz, CV 0.416.
#[test]
fn the_balanced_state_has_the_rates_of_other_simulators() {
    if !full() {
        return;
    }
    let network = catalogue::network("brunel_ai", 1.0).unwrap();
    let done = run(&network, Box::new(Cpu::new(2)), 1000.0, 1000).unwrap();
    for (neurons, rate) in [(0..10_000, 37.44), (10_000..12_500, 37.58)] {
        let found = statistics(&done.spikes, neurons, 0.1);
        assert!((found.rate_hz - rate).abs() < 0.7 && (found.cv_isi - 0.416).abs() < 0.02, "{found:?}");
    }
}
