use spikelet::{Network, catalogue};

use super::*;

fn passes(json: &str, shape: Shape) -> Passes {
    let plan = Network::from_json(json).and_then(|network| Plan::new(&network)).unwrap_or_else(|error| panic!("{error}"));
    lay_out(&plan, shape).unwrap_or_else(|error| panic!("{error}")).1
}

/// What an epoch goes through although nothing happens, of a network that learns, with so many synapses onto each neuron.
fn idle_items(synapses: u32) -> u64 {
    let json = format!(
        r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "a", "size": 500, "model": "lif_exp"}}],
            "projections": [
              {{"name": "one", "pre": "a", "post": "a", "connect": {{"rule": "fixed_indegree", "n": {synapses}}},
                "equations": "w : volt\ndx/dt = -x/ms : 1 (event-driven)", "on_pre": "ge_post += w\nx += 1", "on_post": "w += x*mV"}},
              {{"name": "each", "pre": "a", "post": "a", "connect": {{"rule": "fixed_indegree", "n": {synapses}}},
                "equations": "w : volt", "on_pre": "ge_post += w\nw *= 0.9", "on_post": "w += 1*mV",
                "delay_ms": {{"expr": "rand()*ms"}}, "delay_post_ms": {{"expr": "rand()*ms"}}}}]}}"#
    );
    passes(&json, Shape::unlimited()).all().map(Pass::items).sum()
}

#[test]
fn no_pass_goes_through_all_synapses_that_learn_from_spikes() {
    assert_eq!(idle_items(4), idle_items(40));
    // Blocks of neurons, and the words of those that may have fired, at either end.
    assert_eq!(idle_items(4), 512 + 64 + 64);
}

/// What is done in an epoch, one after the other: the place of the pass among all, and the steps that it is about.
fn done(passes: &Passes, launches: &[Launch<'_>]) -> Vec<(usize, std::ops::Range<u32>)> {
    let place =
        |pass: &Pass| passes.all().position(|other| std::ptr::eq(other, pass)).unwrap_or_else(|| panic!("it is none of them"));
    let whole = 0..passes.epoch_steps;
    let of = |launch: &Launch<'_>| match launch {
        Launch::Pass(pass, steps) => vec![(place(pass), steps.clone())],
        Launch::Loop(WorkgroupLoop { first, passes: [ahead, each_step, at_end], .. }) => {
            let numbers = |from: usize, of: &[Pass]| from..from + of.len();
            let (ahead, steps) = (numbers(*first, ahead), numbers(first + ahead.len(), each_step));
            let at_end = numbers(steps.end, at_end);
            let each = whole.clone().flat_map(|step| steps.clone().map(move |pass| (pass, step..step + 1)));
            let once = |numbers: std::ops::Range<usize>| numbers.map(|pass| (pass, whole.clone())).collect::<Vec<_>>();
            once(ahead).into_iter().chain(each).chain(once(at_end)).collect()
        }
    };
    launches.iter().flat_map(of).collect()
}

/// However many passes are one dispatch, what is done is what the list of passes says, in its order.
#[test]
fn fused_dispatches_do_the_same() {
    let everything = include_str!("../../../../tests/networks/everything.json");
    let networks = catalogue::entries().iter().map(|entry| entry.network(entry.small)).chain([Network::from_json(everything)]);
    let mut fused = 0;
    for network in networks {
        let plan = network.and_then(|network| Plan::new(&network)).unwrap_or_else(|error| panic!("{error}"));
        let of = |fusion| {
            let shape = Shape { fusion: Some(fusion), ..Shape::unlimited() };
            let (_, passes) = lay_out(&plan, shape).unwrap_or_else(|error| panic!("{error}"));
            let launches = passes.launches();
            (launches.len(), done(&passes, &launches))
        };
        let (count, expected) = of(Fusion::None);
        for fusion in [Fusion::Steps, Fusion::All] {
            let (fewer, found) = of(fusion);
            assert_eq!(found, expected, "{fusion:?}");
            assert!(fewer <= count);
            fused += usize::from(fewer < count);
        }
    }
    assert!(fused > 30, "{fused} lists were shortened");
}

/// Many neurons that no synapse meets within a step run ahead of a few that learn: one dispatch more in an epoch.
#[test]
fn synapses_that_learn_cost_those_that_do_not_hear_them_a_dispatch() {
    let network = |learning: &str| {
        format!(
            r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [
                {{"name": "many", "size": 100000, "model": "lif_exp"}}, {{"name": "few", "size": 100, "model": "lif_exp"}}],
              "projections": [
                {{"name": "static", "pre": "many", "post": "many", "connect": {{"rule": "fixed_indegree", "n": 10}}, "delay_ms": 1,
                  "on_pre": "ge_post += 0.1*mV"}},
                {{"name": "in", "pre": "many", "post": "few", "connect": {{"rule": "fixed_indegree", "n": 10}}, "delay_ms": 1,
                  "on_pre": "ge_post += 0.1*mV"}} {learning}]}}"#
        )
    };
    let learning = r#", {"name": "learning", "pre": "few", "post": "few", "connect": {"rule": "all"}, "delay_ms": 1,
        "equations": "w : volt\ndx/dt = -x/ms : 1 (event-driven)", "on_pre": "ge_post += w\nx += 1", "on_post": "w += x*mV"}"#;
    let dispatches = |json: &str, fusion| {
        let passes = passes(json, Shape { fusion, ..Shape::unlimited() });
        (passes.launches().len(), passes.epoch_steps, passes.fusion)
    };
    assert_eq!(dispatches(&network(""), None), (2, 10, Fusion::None));
    assert_eq!(dispatches(&network(learning), None), (3, 10, Fusion::Steps));
    // Neurons, two pathways, the traces of pre neurons, and the last events of post neurons in each step.
    assert_eq!(dispatches(&network(learning), Some(Fusion::None)), (2 + 10 * 5, 10, Fusion::None));
}
