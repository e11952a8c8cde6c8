use std::rc::Rc;
use std::sync::Arc;

use spikelet::{
    Assignment, Backend, BuildOptions, Cpu, Epoch, Error, Exchange, Network, Owner, Partition, Plan, Played, Ranked, Spike,
    Trial, catalogue, draws,
};
use spikelet_tests::gpu;

/// The device of a rank.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Cpu(usize),
    Gpu,
}

impl Kind {
    /// `None` if there is no GPU that rounds like the CPU.
    fn backend(self) -> Option<Box<dyn Backend>> {
        match self {
            Kind::Cpu(threads) => Some(Box::new(Cpu::new(threads))),
            Kind::Gpu => gpu().filter(|gpu| gpu.name().contains("llvmpipe")).map(|gpu| Box::new(gpu) as Box<dyn Backend>),
        }
    }
}

/// Consecutive neurons on each rank, and neurons in no order.
fn partitions(network: &Network, ranks: usize) -> [Partition; 2] {
    let hash = |neuron: u32| (neuron.wrapping_mul(2_654_435_761) >> 16) % ranks as u32;
    let of = |(_, size): (String, u32)| Assignment::Each(Arc::new((0..size).map(hash).collect()));
    let scattered = Partition::shape(network).into_iter().map(of).collect();
    [Partition::blocks(network, ranks).unwrap(), Partition::new(network, ranks, scattered).unwrap()]
}

/// What a run gives: spikes, samples, and every array.
#[derive(Debug, PartialEq)]
struct Results {
    spikes: Vec<Spike>,
    samples: Vec<f32>,
    arrays: Vec<(String, Vec<u32>)>,
}

/// Runs a plan in batches that are no whole epochs.
async fn run(backend: &mut dyn Backend, plan: &Arc<Plan>, steps: u32) -> Result<Results, Error> {
    backend.load(vec![Trial { number: 0, plan: plan.clone() }]).await?;
    let mut results = Results { spikes: Vec::new(), samples: Vec::new(), arrays: Vec::new() };
    for epoch in Epoch::new(0, steps).in_parts(37) {
        for activity in backend.advance(epoch).await? {
            assert!(!activity.diverged);
            results.spikes.extend(activity.spikes);
            // Rows in which nothing is sampled have any values.
            let rows = (epoch.first..).zip(activity.samples.chunks_exact(plan.sampling.columns.len().max(1)));
            results.samples.extend(rows.filter(|(step, _)| plan.sampling.is_due(*step)).flat_map(|(_, row)| row));
        }
    }
    // The spike history of a rank has what its synapses need.
    let kept = plan.arrays().iter().filter(|(_, entry)| !matches!(entry.owner, Owner::Memory { .. } | Owner::Statistic));
    for (array, entry) in kept {
        results.arrays.push((entry.path.clone(), backend.read(0, array).await?));
    }
    Ok(results)
}

/// Runs a network on ranks with these devices, each on a thread.
fn ranked(network: &Network, partition: &Partition, kinds: &[Kind], steps: u32) -> Option<Vec<Result<Results, Error>>> {
    let rank = |exchange: Played, kind: Kind| {
        let local = kind.backend()?;
        let exchange: Rc<dyn Exchange> = Rc::new(exchange);
        Some(pollster::block_on(async {
            let plan = Plan::for_part(network, BuildOptions::default(), partition, exchange.as_ref()).await?;
            run(&mut Ranked::new(local, exchange)?, &Arc::new(plan), steps).await
        }))
    };
    std::thread::scope(|scope| {
        let rank = &rank;
        let ranks = Played::ranks(kinds.len()).into_iter().zip(kinds);
        let threads: Vec<_> = ranks.map(|(exchange, kind)| scope.spawn(move || rank(exchange, *kind))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Every rank has the spikes, samples and arrays of the whole network on the CPU.
fn check(network: &Network, steps: u32, divisions: &[&[Kind]]) {
    let plan = Arc::new(Plan::new(network).unwrap());
    let expected = pollster::block_on(run(&mut Cpu::new(1), &plan, steps)).unwrap();
    assert!(!expected.spikes.is_empty(), "{}", network.name);
    for kinds in divisions {
        for partition in partitions(network, kinds.len()) {
            let Some(results) = ranked(network, &partition, kinds, steps) else { return };
            for (rank, result) in results.into_iter().enumerate() {
                let name = format!("{}, rank {rank} of {kinds:?}", network.name);
                let result = result.unwrap_or_else(|error| panic!("{name}: {error}"));
                let differ = result.spikes.iter().zip(&expected.spikes).find(|(found, expected)| found != expected);
                assert_eq!(differ, None, "{name}");
                assert_eq!(result.spikes.len(), expected.spikes.len(), "{name}");
                // Ranks that divide a block of neurons add their parts of a sum.
                let tolerance = if plan.sampling.sums().next().is_some() { 1e-5 } else { 0.0 };
                let is_same = |(found, expected): (&f32, &f32)| (found - expected).abs() <= tolerance * expected.abs().max(1.0);
                assert_eq!(result.samples.len(), expected.samples.len(), "{name}");
                assert!(result.samples.iter().zip(&expected.samples).all(is_same), "{name}: samples");
                for ((array, found), (_, expected)) in result.arrays.iter().zip(&expected.arrays) {
                    let differ = found.iter().zip(expected).position(|(found, expected)| found != expected);
                    assert_eq!((differ, found.len()), (None, expected.len()), "{name}: {array}");
                }
            }
        }
    }
}

const GPUS: [&[Kind]; 4] =
    [&[Kind::Gpu], &[Kind::Gpu, Kind::Gpu], &[Kind::Gpu, Kind::Cpu(2), Kind::Gpu], &[Kind::Cpu(1), Kind::Gpu]];

#[test]
fn gpus_divide_networks_whose_neurons_run_ahead() {
    for (name, scale, steps) in [("cuba", 0.25, 400), ("brunel_ai", 0.05, 300), ("pd14", 0.02, 400)] {
        check(&catalogue::network(name, scale).unwrap(), steps, &GPUS);
    }
}

#[test]
fn gpus_divide_synapses_that_learn() {
    check(&catalogue::network("plastic_cuba", 0.1).unwrap(), 300, &GPUS[1..3]);
    check(&catalogue::network("lattice4d", 0.4).unwrap(), 150, &GPUS[1..2]);
}

#[test]
fn gpus_divide_synapses_that_read_neurons_of_others() {
    check(&catalogue::network("waves", 0.1).unwrap(), 300, &GPUS[1..3]);
}

#[test]
fn gpus_find_winners_together() {
    check(&catalogue::network("assemblies_project", 0.2).unwrap(), 12, &GPUS[1..3]);
}

/// Every kind of connection, on a GPU and a CPU; what CPUs cannot divide, a GPU rejects with the same sentence.
#[test]
fn a_gpu_and_a_cpu_divide_every_kind_of_connection() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("networks");
    let mut divided = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let network = Network::from_json(&std::fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
        let partition = Partition::blocks(&network, 2).unwrap();
        // A rank that waits for another one repeats its sentence, with its number: the shortest is the reason.
        let refused = |kinds: &[Kind]| {
            let errors = ranked(&network, &partition, kinds, 1)?.into_iter().filter_map(|result| Some(result.err()?.to_string()));
            Some(errors.min_by_key(String::len))
        };
        let plan = Plan::new(&network).unwrap();
        if (0..plan.projections.len()).any(|projection| draws(&plan, projection)) {
            let of_gpu = refused(&[Kind::Gpu, Kind::Cpu(1)]).map(Option::unwrap_or_default);
            assert!(of_gpu.as_ref().is_none_or(|of_gpu| of_gpu.contains("draw random numbers; use CPU ranks")), "{of_gpu:?}");
            continue;
        }
        match refused(&[Kind::Cpu(1), Kind::Cpu(1)]).unwrap() {
            None => {
                check(&network, 90, &[&[Kind::Gpu, Kind::Cpu(2)]]);
                divided += 1;
            }
            Some(why) => {
                let of_gpu = refused(&[Kind::Gpu, Kind::Cpu(1)]).map(Option::unwrap_or_default);
                assert!(of_gpu.as_ref().is_none_or(|of_gpu| of_gpu.contains(&why)), "{of_gpu:?} instead of {why}");
            }
        }
    }
    assert!(divided > 6, "{divided} networks are divided");
}
