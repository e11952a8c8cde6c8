//! Weights of all sizes: none that is given vanishes, and sums onto a neuron stay what they were.

use pollster::block_on;
use proptest::prelude::*;
use serde_json::{Value, json};
use spikelet::{BuildOptions, Builder, Cpu, Network, PerSynapse, Plan, Simulation, Storage, ring};

/// Two neurons that spike once every ms onto cells that add up.
fn network(projections: &Value) -> Network {
    let json = json!({
        "name": "sizes", "dt_ms": 0.1, "duration_ms": 100,
        "populations": [{"name": "E", "size": 20, "equations": "dv/dt = -v/(10*ms) : volt", "threshold": "v > 5*mV", "reset": "v = 0*mV"}],
        "sources": [{"name": "S", "size": 40, "spike_times_ms": [[1, 1], [1, 2], [1, 3], [1, 4]]}],
        "projections": projections
    });
    Network::from_json(&json.to_string()).unwrap_or_else(|error| panic!("{error}"))
}

fn listed(weights: &[f64]) -> Value {
    let pairs: Vec<[usize; 2]> = (0..weights.len()).map(|k| [k % 40, k / 40]).collect();
    json!([{"name": "SE", "pre": "S", "post": "E", "pairs": pairs, "on_pre": "v_post += w",
        "parameters": {"w": {"values": weights, "unit": "mV"}}}])
}

/// The weights of the first projection, as numbers again, in the order of its rows.
fn kept(plan: &Plan) -> Vec<f64> {
    let of = &plan.projections[0];
    let ports = &plan.populations[of.post].ports;
    let mut sums = Vec::new();
    for (_, write) in of.writes() {
        let units = write.weights.units().map(|units| libm::ldexp(f64::from(units), -ports[write.port].shift));
        if ports[write.port].rest {
            sums.iter_mut().zip(units).for_each(|(sum, units): (&mut f64, f64)| *sum += units);
        } else {
            sums = units.collect();
        }
    }
    sums
}

/// Powers of ten over so many decades, of both signs; some are 0.
fn weights(decades: f64) -> impl Strategy<Value = Vec<f64>> {
    let weight = (-decades / 2.0..decades / 2.0, -1.0..1.0_f64);
    let weight =
        weight.prop_map(|(exponent, sign)| if sign.abs() < 0.05 { 0.0 } else { sign.signum() * libm::pow(10.0, exponent) });
    prop::collection::vec(weight, 2..200)
}

fn check_listed(weights: &[f64]) -> Result<(), TestCaseError> {
    let plan = match Plan::new(&network(&listed(weights))) {
        Ok(plan) => plan,
        Err(error) => {
            let text = error.to_string();
            prop_assert!(text.contains("`SE`") && text.contains("from neuron") && text.contains('%'), "{text}");
            return Ok(());
        }
    };
    // Rows are sorted by their pre neuron.
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by_key(|k| (k % 40, k / 40));
    for (k, kept) in order.into_iter().zip(kept(&plan)) {
        let off = (kept - weights[k]).abs();
        prop_assert!(off <= weights[k].abs() / 4096.0, "{} became {kept}", weights[k]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn listed_weights_are_kept_or_refused(weights in (1.0..40.0_f64).prop_flat_map(weights)) {
        check_listed(&weights)?;
    }

    /// The widest spread that two words surely hold.
    #[test]
    fn twelve_decades_are_never_refused(weights in weights(12.0)) {
        prop_assert!(Plan::new(&network(&listed(&weights))).is_ok());
    }

    /// Lognormal weights of six decades and more: the sum onto each neuron stays, stored in four bytes or drawn at every spike.
    #[test]
    fn drawn_sums_are_kept(sigma in 0.1..4.0_f64, seed in any::<u32>(), rule in 0..3_usize) {
        let rule = [json!({"rule": "all"}), json!({"rule": "bernoulli", "p": 0.3}), json!({"rule": "fixed_outdegree", "n": 7})][rule].clone();
        let projections = json!([{"name": "SE", "pre": "S", "post": "E", "connect": rule, "on_pre": "v_post += w",
            "parameters": {"w": format!("lognormal(1 mV, {sigma})")}}]);
        let network = Network { seed: seed.into(), ..network(&projections) };
        let build = |storage| Builder::new(&network, BuildOptions { storage: Some(storage), ..BuildOptions::default() });
        let stored = build(Storage::Stored).and_then(Builder::finish).unwrap();
        let procedural = build(Storage::Procedural).and_then(Builder::finish).unwrap();
        prop_assert_eq!(&stored.populations, &procedural.populations);
        prop_assert!(matches!(procedural.projections[0].writes().next().unwrap().1.weights, PerSynapse::Drawn(_)));
        // In a list, the weights themselves are known.
        let exact = {
            let scaled = Network::from_json(&network.to_json().replace("v_post += w", "v_post += 1e-9*w")).unwrap();
            kept(&Plan::new(&scaled).unwrap())
        };
        let rows = stored.projections[0].rows();
        let mut sums = [[0.0; 2]; 20];
        for (synapse, (kept, exact)) in kept(&stored).into_iter().zip(exact).enumerate() {
            let [sum, of_exact] = &mut sums[rows.target(synapse) as usize];
            *sum += kept.abs();
            *of_exact += 1e9 * exact.abs();
        }
        for [sum, exact] in sums {
            prop_assert!((sum - exact).abs() <= exact / 2048.0, "{} became {}", exact, sum);
        }
    }
}

fn spikes(network: &Network, threads: usize) -> usize {
    let mut simulation = block_on(Simulation::new(network, Box::new(Cpu::new(threads)))).unwrap();
    block_on(simulation.advance(1000)).unwrap().spikes.iter().filter(|spike| spike.neuron < 20).count()
}

#[test]
fn a_small_weight_works_beside_a_huge_one() {
    // The huge one's source never fires.
    assert_eq!(spikes(&network(&listed(&[1e10, 6.0])), 1), 4);
    assert_eq!(spikes(&network(&listed(&[0.0, 6.0])), 1), 4);
    // Also where the two are projections, and where rows are drawn.
    for storage in ["stored", "procedural"] {
        let each = |name: &str, slice: &str, weight: &str| json!({"name": name, "pre": slice, "post": "E[0:1]", "connect": {"rule": "all"}, "storage": storage, "on_pre": weight});
        let both = json!([each("huge", "S[0:1]", "v_post += 1e10*mV"), each("small", "S[1:2]", "v_post += 6*mV")]);
        assert_eq!(spikes(&network(&both), 1), 4, "{storage}");
        // Onto two neurons, of which one word would leave the second 4.66 mV.
        let computed = json!([{"name": "both", "pre": "S[1:2]", "post": "E", "connect": {"rule": "all"}, "storage": storage,
            "on_pre": "v_post += (1e10*int(j == 0) + 6*int(j == 1))*mV"}]);
        assert_eq!(spikes(&network(&computed), 1), 8, "{storage}");
    }
}

/// `N` in a weight is the number of synapses, which a rule must have drawn before; whether the weight is one for all, or each has its own.
#[test]
fn a_weight_knows_how_many_synapses_there_are() {
    let drawn = |connect: Value, weight: &str| {
        let rule = json!([{"name": "SE", "pre": "S", "post": "E", "connect": connect, "on_pre": "v_post += w",
            "parameters": {"w": weight}}]);
        Plan::new(&network(&rule)).unwrap_or_else(|error| panic!("{error}"))
    };
    for (connect, synapses) in [(json!({"rule": "all"}), 800), (json!({"rule": "fixed_total", "n": 100}), 100)] {
        assert_eq!(
            kept(&drawn(connect.clone(), "800*mV/N"))[0],
            kept(&drawn(connect.clone(), &format!("{} mV", 800 / synapses)))[0]
        );
        let own = kept(&drawn(connect, "(1 + i)*800*mV/N"));
        // The rows of the first neuron are the first.
        assert!((own[0] - 800.0 / f64::from(synapses)).abs() < 1e-4, "{}", own[0]);
    }
}

#[test]
fn what_two_words_cannot_hold_is_refused() {
    let error = Plan::new(&network(&listed(&[1e30, 6.0]))).unwrap_err().to_string();
    for part in [
        "projections[0]",
        "a weight of 6 mV in `SE`, from neuron 1 to neuron 0",
        "1e30 mV",
        "100 %",
        "use weights of more similar size, or let them add to different variables",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let drawn = |weight: &str| {
        let projections =
            json!([{"name": "SE", "pre": "S", "post": "E", "connect": {"rule": "all"}, "on_pre": format!("v_post += {weight}")}]);
        Plan::new(&network(&projections)).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(drawn("(1e10*int(j == 0) + 1*int(j == 1))*mV"), Ok(()));
    let error = drawn("(1e15*int(j == 0) + 1e-15*int(j == 1))*mV").unwrap_err();
    assert!(error.contains("a mean weight of 1e-15 mV onto neuron 1 in `SE`"), "{error}");
    assert_eq!(drawn("1e-20*mV"), Ok(()));
    assert_eq!(drawn("1e30*mV"), Ok(()));
}

/// Weights that learn between bounds far beyond what they are.
#[test]
fn weights_that_learn_are_not_lost_below_their_bounds() {
    let learning = |bound: &str| {
        network(&json!([{"name": "SE", "pre": "S", "post": "E", "pairs": [[0, 0], [1, 0]], "equations": "w : volt",
            "on_pre": format!("w = clip(w, 0*mV, {bound})\nv_post += w"), "initial": {"w": {"values": [6.0, 6.0], "unit": "mV"}}}]))
    };
    assert_eq!(spikes(&learning("10*mV"), 1), 4);
    assert_eq!(spikes(&learning("1e10*mV"), 2), 4);
}

/// A number that is cut off towards 0 is not between those that it is made of.
#[test]
fn events_of_numbers_that_are_cut_off_fit_in_their_sums() {
    let network = json!({
        "name": "cut off", "dt_ms": 0.1, "duration_ms": 2,
        "populations": [{"name": "E", "size": 1, "equations": "dv/dt = 0*volt/second : volt"}],
        "sources": [{"name": "S", "size": 40, "spike_times_ms": (0..40).map(|source| [json!(source), json!(1)]).collect::<Vec<_>>()}],
        "projections": [{"name": "SE", "pre": "S", "post": "E", "connect": {"rule": "all"}, "equations": "w : 1",
            "on_pre": "w = clip(w, 0.5, 0.7)\nv_post += (1 - int(w))*mV", "initial": {"w": 0.6}}]
    });
    let network = Network::from_json(&network.to_string()).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
    block_on(simulation.advance(20)).unwrap();
    let sum = block_on(simulation.values(0, "E.v")).unwrap()[0];
    assert!((sum - 40.0).abs() < 1e-3, "{sum}");
}

/// A value that is set while the network runs is held to the same.
#[test]
fn weights_set_under_way_do_not_vanish() {
    let mut network = network(&json!([
        {"name": "SE", "pre": "S", "post": "E", "connect": {"rule": "all"}, "on_pre": "v_post += w", "parameters": {"w": "1000 mV"}},
        {"name": "other", "pre": "S", "post": "E", "connect": {"rule": "all"}, "on_pre": "v_post += w", "parameters": {"w": "0 mV"}}]));
    network.duration_ms = 10.0;
    let mut simulation = block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
    let amount = |simulation: &Simulation| {
        let plan = simulation.plan();
        let (_, write) = plan.projections[0].writes().next().unwrap();
        f64::from(write.weights.as_slice()[0]) * f64::from(ring::unit(plan.populations[0].ports[write.port].shift))
    };
    for weight in [1e-9, 1e3, 1e-12, 0.0, 5.0] {
        block_on(simulation.set("SE.w", &format!("{weight} mV"))).unwrap();
        assert!((amount(&simulation) - weight).abs() <= weight / 4096.0, "{weight} became {}", amount(&simulation));
    }
    // Both are there, and have one port: that is what was built.
    let refused = block_on(simulation.set("other.w", "1e12 mV")).unwrap_err().to_string();
    assert!(refused.contains("a weight of 5 mV in `SE`") && refused.contains("reset it"), "{refused}");
    assert_eq!(amount(&simulation), 5.0);
    let again = block_on(simulation.snapshot()).unwrap();
    block_on(simulation.restore(&again)).unwrap();
    assert_eq!(amount(&simulation), 5.0);
}

/// Spikes that are on their way act with the weight that is set, at any scale.
#[test]
fn input_on_its_way_has_the_weight_that_is_set() {
    let mut network =
        network(&json!([{"name": "SE", "pre": "S", "post": "E", "connect": {"rule": "all"}, "on_pre": "v_post += w",
        "parameters": {"w": "1000 mV"}, "delay_ms": 5}]));
    network.recordings.clear();
    let mut simulation = block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
    block_on(simulation.advance(12)).unwrap();
    let on_its_way = |simulation: &mut Simulation| {
        let unit = f64::from(simulation.plan().populations[0].ports[0].units()[0]);
        let ring = simulation.plan().array("E, ring 0").unwrap();
        let sums = block_on(simulation.read(ring)).unwrap();
        sums.iter().map(|sum| f64::from(*sum as i32) * unit).sum::<f64>()
    };
    let before = on_its_way(&mut simulation);
    assert_eq!(before, 20_000.0);
    for weight in [1e-9, 0.1, 1e6] {
        block_on(simulation.set("SE.w", &format!("{weight} mV"))).unwrap();
        let sum = on_its_way(&mut simulation);
        assert!((sum - 20.0 * weight).abs() <= 20.0 * weight / 4096.0, "{sum} for {weight}");
    }
}

/// A snapshot after a weight has changed the scale of a port to which synapses with state add, too.
#[test]
fn a_snapshot_has_the_scales_of_its_run() {
    let mut network = network(&json!([
        {"name": "SE", "pre": "S", "post": "E", "connect": {"rule": "all"}, "on_pre": "v_post += w", "parameters": {"w": "0.05 mV"}, "delay_ms": 1},
        {"name": "bounded", "pre": "S", "post": "E", "connect": {"rule": "all"}, "on_pre": "v_post += 0.17*mV*tanh(v_post/mV)"}]));
    network.duration_ms = 10.0;
    let mut simulation = block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
    block_on(simulation.advance(5)).unwrap();
    block_on(simulation.set("SE.w", "0.83 mV")).unwrap();
    let snapshot = block_on(simulation.snapshot()).unwrap();
    let again = block_on(Simulation::from_snapshot(&snapshot, Box::new(Cpu::new(1)))).unwrap();
    assert_ne!(simulation.plan().populations[0].ports, Plan::new(&network).unwrap().populations[0].ports);
    assert_eq!(again.plan().populations[0].ports, simulation.plan().populations[0].ports);
}
