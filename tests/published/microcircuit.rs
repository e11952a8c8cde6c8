use spikelet::catalogue;
use spikelet_tests::full;

use super::activity::Activity;

/// Rates (Hz) at a tenth of the size, of NEST 3 and Brian 2.9 (four times three seeds, 0.5 to 1 s or more): the mean of both, and three
/// standard deviations over seeds, or the distance of the two where that is more.
const TENTH: [(&str, f64, f64); 8] = [
    ("L23E", 0.49, 0.15),
    ("L23I", 2.09, 0.24),
    ("L4E", 3.98, 0.3),
    ("L4I", 5.02, 0.3),
    ("L5E", 6.42, 0.75),
    ("L5I", 7.79, 0.42),
    ("L6E", 0.84, 0.18),
    ("L6I", 6.98, 0.21),
];

#[test]
fn a_tenth_of_the_microcircuit_has_the_rates_of_other_simulators() {
    let activity = Activity::over(catalogue::network("pd14", 0.1).unwrap(), 1500.0);
    for (population, rate, within) in TENTH {
        let found = activity.rate_hz(population, 500.0..1500.0);
        println!("{population}: {found:.3} Hz, expected {rate} ± {within}");
        assert!((found - rate).abs() <= within, "{population}: {found} Hz, expected {rate} ± {within}");
    }
}

/// At full size: as published, within 15 % or 0.3 Hz.
#[test]
fn the_microcircuit_has_the_published_rates() {
    if !full() {
        return;
    }
    let entry = catalogue::entry("pd14").unwrap();
    let activity = Activity::over(entry.network(1.0).unwrap(), 1000.0);
    for figures in entry.expected {
        let found = activity.rate_hz(figures.population, 500.0..1000.0);
        println!("{}: {found:.3} Hz, expected {}", figures.population, figures.rate_hz);
        assert!((found - figures.rate_hz).abs() <= figures.rate_within_hz, "{}: {found} Hz", figures.population);
    }
}
