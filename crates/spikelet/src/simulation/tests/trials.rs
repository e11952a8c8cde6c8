use super::*;

fn variants(network: &Network, trials: &[u32]) -> Vec<Variant> {
    let (network, plan) = (Arc::new(network.clone()), Arc::new(Plan::new(network).unwrap()));
    trials.iter().map(|trial| Variant { network: network.clone(), plan: plan.clone(), trial: *trial }).collect()
}

async fn of_trials(network: &Network, trials: &[u32], threads: usize) -> Simulation {
    Simulation::of_trials(variants(network, trials), Box::new(Cpu::new(threads))).await.unwrap()
}

/// Runs all trials until `steps` are done or all have stopped.
async fn all(simulation: &mut Simulation, steps: u32, batch: u32) -> Vec<Activity> {
    let mut emitted = vec![Activity::default(); simulation.runs().len()];
    while simulation.step() < steps && simulation.stopped().is_none() {
        let parts = simulation.advance_trials(batch.min(steps - simulation.step())).await.unwrap();
        for (emitted, part) in emitted.iter_mut().zip(parts) {
            emitted.spikes.extend(part.spikes);
            emitted.samples.extend(part.samples);
        }
    }
    emitted
}

#[test]
fn each_trial_is_what_it_is_alone() {
    let network = network(&json!({"changes": changes()["changes"], "stop": ["spikes(E) > 500"]}));
    pollster::block_on(async {
        let mut alone = Vec::new();
        for trial in [0, 3, 7, 1] {
            let mut simulation = of_trials(&network, &[trial], 1).await;
            let emitted = all(&mut simulation, 1000, 1000).await.remove(0);
            alone.push((emitted, simulation.runs()[0].stopped().cloned(), simulation.changed().to_vec()));
        }
        assert!(alone.windows(2).all(|pair| pair[0].0.spikes != pair[1].0.spikes), "noise differs");
        let ends: Vec<_> = alone.iter().map(|(_, stopped, _)| stopped.as_ref().unwrap().step).collect();
        assert!(ends.iter().any(|end| *end != ends[0]), "they end at different times: {ends:?}");
        for (threads, batch, look_ahead) in [(1, 1000, 0), (2, 33, 0), (3, 200, 1), (8, 100, 0)] {
            let mut simulation = of_trials(&network, &[0, 3, 7, 1], threads).await;
            simulation.begin_ahead(look_ahead);
            for _ in 0..2 {
                let emitted = all(&mut simulation, 1000, batch).await;
                for ((run, emitted), (expected, stopped, changed)) in simulation.runs().iter().zip(&emitted).zip(&alone) {
                    assert!(emitted == expected, "trial {}, {threads} threads, batches of {batch}", run.number());
                    assert_eq!((run.stopped(), run.changed()), (stopped.as_ref(), changed.as_slice()));
                    assert_eq!(run.step(), stopped.as_ref().unwrap().step);
                }
                assert_eq!(simulation.step(), ends.iter().copied().max().unwrap());
                let error = simulation.advance_trials(1).await.expect_err("all have ended").to_string();
                assert!(error.contains("the last trial ended at"), "{error}");
                simulation.restart().await.unwrap();
            }
        }
    });
}

#[test]
fn what_is_set_is_set_in_all_trials() {
    let network = network(&json!({"changes": [{"at_ms": 10, "set": {"E.I": 1.6}}]}));
    pollster::block_on(async {
        let mut together = of_trials(&network, &[0, 1], 2).await;
        let mut emitted = all(&mut together, 200, 200).await;
        together.set("EE.w", "0.2").await.unwrap();
        assert!(Arc::ptr_eq(&together.runs()[0].plan, &together.runs()[1].plan), "what is the same is kept once");
        let more = all(&mut together, 500, 500).await;
        emitted.iter_mut().zip(more).for_each(|(emitted, more)| emitted.spikes.extend(more.spikes));
        for (trial, emitted) in [0, 1].into_iter().zip(emitted) {
            let mut alone = of_trials(&network, &[trial], 1).await;
            let mut expected = alone.advance(200).await.unwrap().spikes;
            alone.set("EE.w", "0.2").await.unwrap();
            expected.extend(alone.advance(300).await.unwrap().spikes);
            assert_eq!(emitted.spikes, expected, "trial {trial}");
            let voltage = alone.plan().array("E.v").unwrap();
            assert_eq!(together.read_trial(trial as usize, voltage).await.unwrap(), alone.read(voltage).await.unwrap());
        }
        // A wrong value changes nothing in any.
        assert!(together.set("E.I", "1 mV").await.is_err());
        assert_eq!(together.at_start().populations[0].parameters["I"], Quantity::Number(1.2));
        together.restart().await.unwrap();
        assert_eq!(together.runs()[1].network(), together.at_start());
    });
}

#[test]
fn one_is_not_several() {
    let network = network(&json!({}));
    pollster::block_on(async {
        let mut several = of_trials(&network, &[0, 1], 1).await;
        let voltage = several.plan().array("E.v").unwrap();
        let errors = [
            several.advance(1).await.map(drop),
            several.read(voltage).await.map(drop),
            several.write(voltage, &[0; 30]).await,
            several.reset(0).await,
        ];
        for (error, instead) in errors.into_iter().zip(["advance_trials", "read_trial", "write_trial", "restart"]) {
            let error = error.expect_err(instead).to_string();
            assert_eq!(error, format!("the simulation has 2 trials, not one; call `{instead}`"));
        }
        let error = several.read_trial(2, voltage).await.expect_err("there are two").to_string();
        assert_eq!(error, "there is no trial 2: the simulation has 2, counted from 0");

        // Others on the same device.
        several.load(variants(&network, &[4])).await.unwrap();
        assert_eq!((several.trial(), several.runs().len()), (4, 1));
        let emitted = several.advance(300).await.unwrap();
        assert!(emitted == of_trials(&network, &[4], 1).await.advance(300).await.unwrap());

        let mut other = network.clone();
        other.set("EE.p", "0.4").unwrap();
        let both = [variants(&network, &[0]), variants(&other, &[0])].concat();
        let error = Simulation::of_trials(both, Box::new(Cpu::new(1))).await.err().map(|error| error.to_string()).unwrap();
        assert!(error.starts_with("trial 1 of 2 has other connectivity than the first; parallel trials can differ in noise and in values shared by a whole population or projection; run it separately"), "{error}");
        assert!(Simulation::of_trials(Vec::new(), Box::new(Cpu::new(1))).await.is_err());
    });
}
