use spikelet::{Plan, catalogue};

use super::activity::Activity;

/// Mean and variance.
fn moments(numbers: &[u32]) -> (f64, f64) {
    let size = numbers.len() as f64;
    let mean = numbers.iter().map(|number| f64::from(*number)).sum::<f64>() / size;
    (mean, numbers.iter().map(|number| (f64::from(*number) - mean).powi(2)).sum::<f64>() / size)
}

/// 80 cells lie within a radius of 5 of a cell that is far from the edge, 76.8 of any one on a lattice of 100 x 100: with 1 % of them
/// it is joined, independently.
#[test]
fn a_cell_of_the_lattice_has_one_in_a_hundred_of_its_neighbours() {
    let network = catalogue::network("lixirnet", 1.0).unwrap();
    let plan = Plan::new(&network).unwrap();
    let (mean, variance) = moments(&plan.projections[0].degrees.incoming);
    println!("in-degree {mean:.3}, variance {variance:.3}");
    // Three standard errors of a mean of 10000 Poisson numbers.
    assert!((mean - 0.768).abs() < 0.03, "{mean}");
    assert!((variance - mean).abs() < 0.06, "{variance}");
}

#[test]
fn the_sense_of_the_four_dimensional_lattice_reaches_its_last_area() {
    let activity = Activity::of("lattice4d", 1.0, 1);
    let spikes = activity.of_population("lattice");
    let first = |area: u32| spikes.iter().find(|(neuron, _)| neuron / 1000 == area).map(|(_, time)| *time);
    let firsts: Vec<f64> = (0..10).map(|area| first(area).unwrap()).collect();
    println!("{firsts:.1?}");
    assert!(firsts[0] < firsts[4] && firsts[4] < firsts[9], "{firsts:?}");
    let rate = activity.rate_hz("lattice", 200.0..1000.0);
    assert!((20.0..50.0).contains(&rate), "{rate} Hz");
}

#[test]
fn without_its_sense_the_four_dimensional_lattice_is_silent() {
    let mut network = catalogue::network("lattice4d", 0.4).unwrap();
    network.projections.pop();
    network.sources.clear();
    let activity = Activity::over(network, 300.0);
    assert_eq!(activity.rate_hz("lattice", 100.0..300.0), 0.0);
}
