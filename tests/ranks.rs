use std::rc::Rc;
use std::sync::Arc;

use spikelet::{
    Assignment, BuildOptions, Cpu, Error, Exchange, Network, Partition, Plan, Played, Ranked, Recorder, Simulation, Variant,
    catalogue,
};
use spikelet_verify::{ON_RANKS, first_spikes, run_first_spikes_on_ranks};

/// Neurons on ranks without any order.
fn scattered(network: &Network, ranks: usize) -> Partition {
    let hash = |neuron: u32| (neuron.wrapping_mul(2_654_435_761) >> 16) % ranks as u32;
    let of = |(_, size): (String, u32)| Assignment::Each(Arc::new((0..size).map(hash).collect()));
    Partition::new(network, ranks, Partition::shape(network).into_iter().map(of).collect()).unwrap()
}

/// Does the same work on each rank, in a thread with a simulation of its part, and returns what each of them found.
fn on_ranks<T: Send>(
    network: &Network,
    partition: &Partition,
    threads: usize,
    work: impl AsyncFn(&mut Simulation) -> Result<T, Error> + Sync,
) -> Vec<T> {
    let run = |exchange: Rc<dyn Exchange>| {
        pollster::block_on(async {
            let plan = Plan::for_part(network, BuildOptions::default(), partition, &*exchange).await?;
            let device = Ranked::new(Box::new(Cpu::new(threads)), exchange)?;
            work(&mut Simulation::with_plan(network, Arc::new(plan), Box::new(device)).await?).await
        })
    };
    std::thread::scope(|scope| {
        let run = &run;
        let of_ranks: Vec<_> =
            Played::ranks(partition.ranks()).into_iter().map(|rank| scope.spawn(move || run(Rc::new(rank)))).collect();
        of_ranks.into_iter().map(|thread| thread.join().unwrap().unwrap()).collect()
    })
}

/// The work on one device with the whole network.
fn alone<T>(network: &Network, work: &impl AsyncFn(&mut Simulation) -> Result<T, Error>) -> T {
    let done = pollster::block_on(async { work(&mut Simulation::new(network, Box::new(Cpu::new(1))).await?).await });
    done.unwrap()
}

/// Requires that all ranks find the same as one device.
fn same<T: Send + PartialEq + std::fmt::Debug>(
    network: &Network,
    ranks: usize,
    work: impl AsyncFn(&mut Simulation) -> Result<T, Error> + Sync,
) {
    let whole = alone(network, &work);
    for partition in [Partition::blocks(network, ranks).unwrap(), scattered(network, ranks)] {
        for found in on_ranks(network, &partition, 1, &work) {
            assert_eq!(found, whole, "{}, {ranks} ranks", network.name);
        }
    }
}

async fn hash_of(simulation: &mut Simulation, steps: u32) -> Result<String, Error> {
    let mut recorder = Recorder::new(simulation.plan());
    recorder.add(&simulation.advance(steps).await?.spikes);
    Ok(recorder.spikes_hash())
}

/// What a run shows: spikes, samples, statistics, and every array that a snapshot has.
async fn observed(simulation: &mut Simulation, time_ms: f64) -> Result<(String, u64, Vec<u32>, Vec<(String, Vec<u32>)>), Error> {
    let mut recorder = Recorder::new(simulation.plan());
    let end = (time_ms / simulation.plan().dt_ms).round() as u32;
    let mut samples = Vec::new();
    while simulation.step() < end {
        let part = simulation.advance(37.min(end - simulation.step())).await?;
        recorder.add(&part.spikes);
        samples.extend(part.samples.iter().map(|sample| sample.to_bits()));
    }
    let plan = simulation.runs()[0].plan().clone();
    let mut arrays = Vec::new();
    for (array, entry) in plan.arrays().moving() {
        arrays.push((entry.path.clone(), simulation.read(array).await?));
    }
    Ok((recorder.spikes_hash(), recorder.spikes(), samples, arrays))
}

fn check(network: &Network, time_ms: f64, ranks: &[usize]) {
    let whole = alone(network, &async |simulation: &mut Simulation| observed(simulation, time_ms).await);
    assert!(whole.1 > 0, "{}", network.name);
    for &ranks in ranks {
        for partition in [Partition::blocks(network, ranks).unwrap(), scattered(network, ranks)] {
            for threads in [1, 2] {
                let of_ranks = on_ranks(network, &partition, threads, async |simulation| observed(simulation, time_ms).await);
                for (rank, found) in of_ranks.into_iter().enumerate() {
                    let place = format!("{}, rank {rank} of {ranks}, {threads} threads", network.name);
                    assert_eq!((&found.0, found.1), (&whole.0, whole.1), "{place}");
                    assert!(found.2 == whole.2, "samples of {place}");
                    for ((path, words), (_, wanted)) in found.3.iter().zip(&whole.3) {
                        assert!(words == wanted, "{path} of {place}");
                    }
                }
            }
        }
    }
}

#[test]
fn ranks_give_the_spikes_and_the_state_of_the_whole() {
    for (name, scale, time_ms) in
        [("cuba", 0.3, 40.0), ("pd14", 0.02, 30.0), ("waves", 0.1, 30.0), ("plastic_cuba", 0.2, 40.0), ("lattice4d", 0.2, 30.0)]
    {
        check(&catalogue::network(name, scale).unwrap(), time_ms, &[2, 3, 7]);
    }
}

/// Values of a population of which ranks have no neurons are set, recorded and read there, too, and links to it go on.
/// Each rank and each thread samples its own neurons and synapses.
#[test]
fn what_is_recorded_keeps_the_sign_of_zero() {
    let network = Network::from_json(
        r#"{"name": "zeros", "dt_ms": 0.1, "duration_ms": 1, "populations": [{"name": "A", "size": 600,
            "equations": "dv/dt = 1/ms : 1\nx : 1\ny : 1", "threshold": "v > 0.55", "reset": "v = 0",
            "run_regularly": [{"statements": "x = -1.5*y"}]}],
            "projections": [{"name": "S", "pre": "A", "post": "A", "connect": {"rule": "one_to_one"},
            "equations": "w : 1\nh = w*y_post : 1", "on_pre": "w -= 1"}],
            "recordings": [{"object": "A", "var": "x", "indices": "all"}, {"object": "S", "var": "h", "indices": "all"}]}"#,
    )
    .unwrap();
    let samples = |threads: usize| {
        pollster::block_on(async {
            let mut simulation = Simulation::new(&network, Box::new(Cpu::new(threads))).await?;
            observed(&mut simulation, 1.0).await.map(|found| found.2)
        })
        .unwrap()
    };
    let of_one = samples(1);
    // All of x, and h after the spikes.
    assert_eq!(of_one.iter().filter(|word| **word == (-0.0_f32).to_bits()).count(), 600 * 10 + 600 * 4);
    assert!(samples(2) == of_one && samples(3) == of_one);
    check(&network, 1.0, &[2, 3]);
}

#[test]
fn ranks_without_neurons_of_a_population_follow_its_values() {
    let text = r#"{"name": "small", "dt_ms": 0.1, "duration_ms": 15, "populations": [
        {"name": "A", "size": 1, "equations": "tau : second (constant)", "parameters": {"tau": 1}},
        {"name": "B", "size": 1, "equations": "dv/dt = (I + g - v)/tau : 1\ndg/dt = -g/(5*ms) : 1", "threshold": "v > 0.6", "reset": "v = 0",
         "parameters": {"I": 1.2, "tau": {"expr": "(8 + i)*ms"}}},
        {"name": "C", "size": 2, "equations": "dv/dt = (lk + s - v)/(3*ms) : 1\nlk : 1 (linked)\ns : 1", "linked": {"lk": {"population": "B", "var": "v"}}}],
        "projections": [
            {"name": "BC", "pre": "B", "post": "C", "connect": {"rule": "all"}, "equations": "w : 1\ns_post = w*v_pre : 1 (summed)",
             "on_pre": "w += 0.1", "initial": {"w": 0.1}},
            {"name": "CC", "pre": "C", "post": "C", "pairs": [[1, 0], [0, 1], [1, 1], [0, 0]], "max_indegree": 1, "equations": "w : 1",
             "on_pre": "v_post += w; w += 0.01", "initial": {"w": [0.1, 0.2, 0.3, 0.4]}}],
        "recordings": [{"object": "B", "var": "v", "indices": "all"}, {"object": "CC", "var": "w", "indices": "all"}],
        "statistics": [{"object": "BC", "var": "w", "every_ms": 1}],
        "changes": [{"at_ms": 2.3, "set": {"B.I": 1.9}}, {"at_ms": 4.1, "set": {"B.tau": {"values": [7], "unit": "ms"}}}, {"at_ms": 7.3, "set": {"B.v": 0.1, "A.tau": 2}}]}"#;
    let network = Network::from_json(text).unwrap();
    check(&network, 15.0, &[2, 3]);
    for ranks in [2, 3] {
        same(&network, ranks, async |simulation| {
            let hash = hash_of(simulation, 150).await?;
            Ok((hash, simulation.values(0, "CC.w").await?, simulation.values(0, "C.lk").await?))
        });
    }
}

#[test]
fn ranks_exchange_all_that_the_phases_of_others_read() {
    let texts = [
        include_str!("networks/everything.json"),
        include_str!("networks/procedural.json"),
        include_str!("networks/short_term.json"),
        include_str!("networks/regular.json"),
        include_str!("networks/summed.json"),
        include_str!("networks/linked.json"),
        include_str!("networks/to_pre.json"),
        include_str!("networks/events.json"),
    ];
    for text in texts {
        check(&Network::from_json(text).unwrap(), 40.0, &[2, 3]);
    }
    check(&catalogue::network("assemblies_project", 0.2).unwrap(), 20.0, &[2, 3]);
}

#[test]
fn values_are_set_on_all_ranks() {
    let network = catalogue::network("cuba", 0.3).unwrap();
    same(&network, 3, async |simulation: &mut Simulation| {
        let mut hashes = vec![hash_of(simulation, 200).await?];
        simulation.set("E.taum", "15 ms").await?;
        simulation.set("EE.we", "0.5 mV").await?;
        hashes.push(hash_of(simulation, 100).await?);
        // Ten times the input: the scale of the port changes while events are pending.
        simulation.set("EE.we", "16 mV").await?;
        simulation.set_values("E.v[3:200]", &[-55.0]).await?;
        hashes.push(hash_of(simulation, 100).await?);
        let scales: Vec<i32> = simulation.plan().populations.iter().flat_map(|of| &of.ports).map(|port| port.shift).collect();
        let wrong = simulation.set("E.taum", "15 mV").await.map_err(|error| error.to_string());
        Ok((hashes, scales, wrong, simulation.values(0, "E.v[190:210]").await?))
    });
}

#[test]
fn changes_conditions_and_trials_are_those_of_the_whole() {
    let mut network = catalogue::network("izhikevich", 0.5).unwrap();
    network.add_change("20 ms: E.noise = 7".parse().unwrap()).unwrap();
    network.add_stop("spikes(E) > 120").unwrap();
    let run = async |simulation: &mut Simulation| {
        let run = &simulation.runs()[0];
        let (network, plan) = (run.network().clone(), run.plan().clone());
        let variant = |trial| Variant { network: Arc::new(network.clone()), plan: Arc::new(plan.clone()), trial };
        simulation.load([0, 5, 2].map(variant).into()).await?;
        let activities = simulation.advance_trials(60).await?;
        let ends = simulation.runs().iter().map(|run| (run.stopped().cloned(), run.changed().len()));
        Ok((activities, ends.collect::<Vec<_>>()))
    };
    same(&network, 2, run);
}

#[test]
fn learned_weights_are_saved_and_loaded_by_ranks() {
    let network = catalogue::network("plastic_cuba", 0.2).unwrap();
    let learned = alone(&network, &async |simulation: &mut Simulation| {
        simulation.advance(300).await?;
        simulation.synapse_state(0).await
    });
    same(&network, 3, async |simulation: &mut Simulation| {
        let statistics = simulation.advance(300).await?.statistics;
        let found = simulation.synapse_state(0).await?;
        assert_eq!(found, learned);
        simulation.reset(0).await?;
        simulation.load_weights(0, "learned.npz", &learned).await?;
        // Means are summed rank by rank.
        let counts: Vec<_> = statistics.iter().map(|of| (of.step, of.distribution.counts.clone(), of.distribution.max)).collect();
        Ok((counts, hash_of(simulation, 200).await?))
    });
}

#[test]
fn snapshots_of_ranks_continue_on_as_many_ranks() {
    for name in ["cuba", "plastic_cuba"] {
        let network = catalogue::network(name, 0.2).unwrap();
        same(&network, 2, async |simulation: &mut Simulation| {
            simulation.advance(150).await?;
            let snapshot = simulation.snapshot().await?;
            let on = hash_of(simulation, 100).await?;
            simulation.restore(&snapshot).await?;
            let again = hash_of(simulation, 100).await?;
            assert_eq!(on, again, "{name}");
            Ok(again)
        });
    }
}

#[test]
fn a_rank_that_fails_ends_the_others_with_its_reason() {
    let network = catalogue::network("cuba", 0.1).unwrap();
    let partition = Partition::blocks(&network, 2).unwrap();
    let ended: Vec<String> = std::thread::scope(|scope| {
        let run = |rank: Played| {
            // One of the ranks has another network.
            let network = catalogue::network(if rank.rank() == 1 { "coba" } else { "cuba" }, 0.1).unwrap();
            let partition = Partition::blocks(&network, 2).unwrap();
            pollster::block_on(Plan::for_part(&network, BuildOptions::default(), &partition, &rank)).map(|_| ())
        };
        let threads: Vec<_> = Played::ranks(2).into_iter().map(|rank| scope.spawn(move || run(rank))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap().unwrap_err().to_string()).collect()
    });
    assert!(ended.iter().all(|why| why.contains("the ranks build different networks")), "{ended:?}");
    let too_many = Partition::blocks(&network, 1_000_000).unwrap_err().to_string();
    assert!(too_many.contains("ranks is 1000000"), "{too_many}");
    assert_eq!(partition.ranks(), 2);
}

#[test]
fn ranks_on_one_thread_have_the_spikes_of_every_machine() {
    let hashes = first_spikes().unwrap();
    for (name, ranks) in ON_RANKS {
        let found = pollster::block_on(run_first_spikes_on_ranks(name, ranks, || Box::new(Cpu::new(1))));
        assert_eq!(found.unwrap(), hashes[name], "{name}, {ranks} ranks");
    }
}
