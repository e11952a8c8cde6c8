use std::rc::Rc;
use std::sync::Arc;

use spikelet::{
    Assignment, BuildOptions, Cpu, Error, Exchange, Network, Partition, Plan, Played, Ranked, Recorder, Simulation, catalogue,
};

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
    let whole = pollster::block_on(async {
        let mut simulation = Simulation::new(network, Box::new(Cpu::new(1))).await?;
        observed(&mut simulation, time_ms).await
    });
    let whole = whole.unwrap();
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

#[test]
fn ranks_exchange_all_that_the_phases_of_others_read() {
    let texts = [
        include_str!("networks/everything.json"),
        include_str!("networks/procedural.json"),
        include_str!("networks/short_term.json"),
        include_str!("networks/summed.json"),
    ];
    for text in texts {
        check(&Network::from_json(text).unwrap(), 40.0, &[2, 3]);
    }
    check(&catalogue::network("assemblies_project", 0.2).unwrap(), 20.0, &[2, 3]);
}
