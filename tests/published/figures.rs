use spikelet::{Cpu, catalogue};
use spikelet_tests::{full, run};

use super::statistics::{TIME_MS, statistics};

/// Rates and CV of every entry that gives them, at full size, as its own words say. Without external input coba dies out in one
/// seed of five, which the test of its own takes into account; the microcircuit has one too.
#[test]
fn entries_have_the_figures_they_give() {
    let judged = catalogue::entries().iter().filter(|entry| !entry.expected.is_empty());
    for entry in judged.filter(|entry| !["coba", "pd14"].contains(&entry.name)) {
        let network = entry.network(1.0).unwrap();
        if network.neurons() > 10_000 && !full() {
            continue;
        }
        let done = run(&network, Box::new(Cpu::new(2)), TIME_MS, 1000).unwrap();
        let mut first = 0;
        for population in &network.populations {
            let neurons = first..first + population.size;
            first = neurons.end;
            let Some(figures) = entry.expected.iter().find(|figures| figures.population == population.name) else { continue };
            let found = statistics(&done.spikes, neurons, network.dt_ms);
            println!("{}, {}: {:.2} Hz, CV {:.3}", entry.name, population.name, found.rate_hz, found.cv_isi);
            assert!((found.rate_hz - figures.rate_hz).abs() <= figures.rate_within_hz, "{}: {found:?}", entry.name);
            if let Some([cv, within]) = figures.cv_isi {
                assert!((found.cv_isi - cv).abs() <= within, "{}: {found:?}", entry.name);
            }
        }
    }
}
