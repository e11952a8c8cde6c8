use spikelet::catalogue;

use super::activity::{Activity, autocorrelation};

#[test]
fn ping_beats_in_the_gamma_band() {
    let activity = Activity::of("ping", 1.0, 1);
    for population in ["E", "I"] {
        let bins = activity.histogram(population, 200.0..1000.0);
        let strength = |lag: usize| autocorrelation(&bins, lag);
        let period = (10..50).max_by(|a, b| strength(*a).total_cmp(&strength(*b))).unwrap();
        let frequency = 1000.0 / period as f64;
        println!("{population}: {frequency:.1} Hz, correlation {:.2}", strength(period));
        assert!((30.0..60.0).contains(&frequency), "{population}: {frequency} Hz");
        assert!(strength(period) > 0.3, "{population}: {}", strength(period));
    }
}

/// The rhythm is one of both: without inhibition the excitatory neurons fire each at its own rate.
#[test]
fn ping_needs_its_inhibition() {
    let mut network = catalogue::network("ping", 1.0).unwrap();
    network.projections.retain(|projection| projection.name != "I_E");
    let activity = Activity::over(network, 1000.0);
    let bins = activity.histogram("E", 200.0..1000.0);
    let most = (10..50).map(|lag| autocorrelation(&bins, lag)).fold(0.0, f64::max);
    assert!(most < 0.3, "{most}");
    assert!(activity.rate_hz("E", 200.0..1000.0) > 40.0);
}

/// Diesmann, Gewaltig & Aertsen 1999: a packet beyond the separatrix becomes a volley of all neurons of a pool within less
/// than a millisecond, one on this side of it dies out.
#[test]
fn a_synfire_chain_passes_on_a_strong_packet_only() {
    for seed in 1..=3 {
        let activity = Activity::of("synfire", 1.0, seed);
        let spikes = activity.of_population("chain");
        // The last pool, in the time in which a packet sent in at `start` can come there.
        let last = |start: f64| {
            let times = spikes.iter().filter(|(neuron, time)| *neuron >= 900 && (start + 45.0..start + 80.0).contains(time));
            times.map(|(_, time)| *time).collect::<Vec<f64>>()
        };
        let max_within_2_ms = |times: &[f64]| {
            times.iter().map(|first| times.iter().filter(|time| (*first..*first + 2.0).contains(*time)).count()).max()
        };
        let (weak, strong) = (max_within_2_ms(&last(30.0)), max_within_2_ms(&last(130.0)));
        println!("seed {seed}: {weak:?} and {strong:?} spikes within 2 ms");
        assert!(weak.unwrap_or(0) < 20, "{weak:?}");
        assert!(strong.unwrap_or(0) >= 90, "{strong:?}");
    }
}

#[test]
fn a_wave_arrives_later_the_farther_it_travels() {
    let activity = Activity::of("waves", 1.0, 1);
    let mut first = vec![f64::INFINITY; 64 * 64];
    for (cell, time) in activity.of_population("cells") {
        first[cell as usize] = first[cell as usize].min(time);
    }
    // Cells in rings of 4 around the middle, beyond those that are driven.
    let mut rings = vec![Vec::new(); 7];
    for (cell, time) in first.iter().enumerate() {
        let (x, y) = ((cell % 64) as f64 - 32.0, (cell / 64) as f64 - 32.0);
        let ring = (x.hypot(y) / 4.0) as usize;
        if (1..8).contains(&ring) {
            rings[ring - 1].push(*time);
        }
    }
    let arrivals: Vec<f64> = rings.iter().map(|ring| ring.iter().sum::<f64>() / ring.len() as f64).collect();
    println!("{arrivals:.1?}");
    for pair in arrivals.windows(2) {
        let speed = 4.0 / (pair[1] - pair[0]);
        assert!((0.3..0.8).contains(&speed), "{speed} cells per ms: {arrivals:?}");
    }
    // The driven cells go on, and send out the next wave.
    assert!(activity.spikes.len() > 3 * 64 * 64, "{} spikes", activity.spikes.len());
}
