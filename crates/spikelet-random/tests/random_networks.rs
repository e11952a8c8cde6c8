//! Random networks, run in several ways that must agree. `cargo run --release -p spikelet-random` does the same with
//! any number of networks.

use serde_json::{Value, json};
use spikelet::{Cpu, Network};
use spikelet_random::{COMPARISONS, Campaign, KNOWN, Options, comparison};
use spikelet_verify::{RandomRun, random_runs, run_hash};

/// The seed of the networks, as for all random values of tests.
fn seed() -> u64 {
    std::env::var("PROPTEST_RNG_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1)
}

/// Compares `count` networks with and as many without random numbers.
fn agree(names: &[&str], count: u64) {
    let (mut text, mut failed) = (String::new(), false);
    for draws in [false, true] {
        let mut campaign = Campaign::new(Options { draws }, seed());
        while campaign.made < count {
            let Some((draw, network)) = campaign.draw() else { continue };
            for name in names {
                campaign.compare(comparison(name).expect("it is one of the comparisons"), &draw, &network);
            }
        }
        println!("{} networks, {} with spikes, draws: {draws}", campaign.made, campaign.firing);
        for (name, counts) in &campaign.counts {
            println!("{name}: {counts:?}");
        }
        for (sentence, (number, _)) in &campaign.rejected {
            println!("{number} rejected: {sentence}");
        }
        failed |= !campaign.differences.is_empty();
        campaign.differences.values().for_each(|difference| text += &format!("{difference}\n\n"));
        assert!(3 * campaign.firing > campaign.made, "only {} of {} networks fire", campaign.firing, campaign.made);
        assert!(campaign.rejections() * 100 <= 3 * campaign.made, "{} of {} are rejected", campaign.rejections(), campaign.made);
    }
    assert!(!failed, "{text}");
}

/// What the first tier checks: every comparison, of few networks.
#[test]
fn some_networks_agree_in_every_way() {
    agree(&COMPARISONS.map(|comparison| comparison.name), 25);
}

/// The same with more networks: `cargo xtask test --all`.
mod many {
    use super::agree;

    #[test]
    fn the_same_bits_however_the_work_is_divided() {
        agree(&["threads", "sleep", "batches", "trials", "storage"], 300);
    }

    #[test]
    fn the_same_bits_however_a_run_is_interrupted() {
        agree(&["looks", "snapshot", "reset", "set", "recordings", "recorded-bits"], 300);
    }

    #[test]
    fn the_same_bits_in_other_words() {
        agree(&["json", "names", "keys"], 400);
    }

    #[test]
    fn the_same_bits_on_ranks() {
        agree(&["ranks"], 400);
    }

    #[test]
    fn the_same_spikes_in_f64() {
        agree(&["f64", "settled", "order", "rewritten"], 300);
    }

    #[test]
    fn the_same_spikes_by_the_rules() {
        agree(&["referee"], 1000);
    }
}

#[test]
fn each_comparison_is_in_a_test() {
    let source = include_str!("random_networks.rs");
    for comparison in COMPARISONS {
        assert!(source.contains(&format!("\"{}\"", comparison.name)), "add {} to a test", comparison.name);
    }
}

/// The networks that browsers run, too, have the bits there that they have here: `UPDATE_EXPECT=1` draws them again.
#[test]
fn networks_for_browsers_have_the_bits_of_this_machine() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/random.json");
    let run = |network: &Network, threads| pollster::block_on(run_hash(network, Box::new(Cpu::new(threads)))).unwrap();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let mut entries = Vec::new();
        for draws in [false, true] {
            let mut campaign = Campaign::new(Options { draws }, 1);
            let networks = std::iter::from_fn(|| Some(campaign.draw())).flatten().map(|(_, network)| network);
            entries.extend(networks.take(20).map(|network| json!({"hash": run(&network, 1), "network": network})));
        }
        std::fs::write(path, format!("{:#}\n", Value::from(entries))).unwrap();
    }
    let runs = random_runs(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(runs.len(), 40);
    for (index, RandomRun { hash, network }) in runs.iter().enumerate() {
        for threads in [1, 3] {
            assert_eq!(run(network, threads), *hash, "network {index}, {threads} threads");
        }
    }
}

/// What is corrected must not be skipped any more.
#[test]
fn known_differences_still_differ() {
    let mut corrected = String::new();
    for known in KNOWN {
        let network = Network::from_json(known.network).unwrap_or_else(|error| panic!("{}: {error}", known.sentence));
        let json = serde_json::from_str(known.network).unwrap();
        assert!((known.matches)(&json), "{} does not match its own network", known.sentence);
        for name in known.comparisons {
            let comparison = comparison(name).expect("it is one of the comparisons");
            if let Ok(agreement) = comparison.compare(&network) {
                corrected += &format!("{name}: {agreement:?}: {}\n", known.sentence);
            }
        }
    }
    assert!(
        corrected.is_empty(),
        "these do not differ any more; remove them from crates/spikelet-random/src/known.rs:\n{corrected}"
    );
}
