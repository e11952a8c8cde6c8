use spikelet::catalogue;
use spikelet_tests::full;

use super::activity::Activity;

/// A hundredth of the neurons with the same 1000 synapses each: the rate stays.
#[test]
fn the_million_fires_irregularly_at_a_few_hz() {
    let mut scales = vec![0.01];
    if full() {
        scales.push(1.0);
    }
    for scale in scales {
        let activity = Activity::over(catalogue::network("million", scale).unwrap(), 400.0);
        let rate = activity.rate_hz("N", 200.0..400.0);
        println!("scale {scale}: {rate:.2} Hz");
        assert!((1.0..10.0).contains(&rate), "{rate} Hz");
    }
}

/// The stimulated neurons follow their source, and set others going, but by far not all.
#[test]
fn a_stimulus_spreads_in_the_fly_and_stays_bounded() {
    let scale = if full() { 1.0 } else { 0.1 };
    let activity = Activity::over(catalogue::network("fly", scale).unwrap(), 500.0);
    let mut counts = vec![0; activity.network.populations[0].size as usize];
    activity.of_population("E").iter().for_each(|(neuron, _)| counts[*neuron as usize] += 1);
    let stimulated = counts[100..300].iter().sum::<u32>();
    let others = counts.iter().filter(|count| **count > 0).count() - 200;
    println!("stimulated {stimulated} spikes, {others} others active");
    // 200 neurons at 150 Hz for half a second, less what falls into the refractory time.
    assert!((8000..16_000).contains(&stimulated), "{stimulated}");
    assert!(others > 30 && others < counts.len() / 10, "{others}");
}
