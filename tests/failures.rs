use spikelet::diagnostic::check;
use spikelet::{Activity, ArrayId, Backend, BuildOptions, Cpu, Error, Network, Owner, Plan, Simulation, catalogue};
use spikelet_gpu::{Device, Gpu};
use spikelet_tests::{device, devices, full, run};
use spikelet_verify::{broken_runs, checked_networks, rejected_networks};

use crate::snapshots::{alike, assert_same_state, cases, go_on};

/// Of each, in a browser too: the code, the path, the sentence.
#[test]
fn networks_that_cannot_be_built() {
    for rejected in rejected_networks() {
        let built = Network::from_json(&rejected.json).and_then(|network| Plan::new(&network));
        let error = built.err().unwrap_or_else(|| panic!("{} is built", rejected.json));
        let emitted = (error.diagnostics(None)[0].code, error.path());
        assert_eq!(emitted, (rejected.diagnostic, Some(rejected.path)), "{error}");
        assert!(error.is_bad_input() && error.to_string().contains(rejected.message), "{error}");
    }
}

/// Every device stops, with the same sentence.
#[test]
fn runs_that_break_off() {
    for broken in broken_runs() {
        let network = Network::from_json(&broken.json).unwrap();
        let mut found = Vec::new();
        for (device, backend) in devices() {
            let error = run(&network, backend, network.duration_ms, 16).err().unwrap_or_else(|| panic!("{device} goes on"));
            assert!(error.to_string().contains(broken.message), "{device}: {error}");
            assert_eq!((error.diagnostics(None)[0].code, error.is_bad_input()), (broken.code, false), "{device}: {error}");
            found.push(error);
        }
        assert!(found.iter().all(|error| *error == found[0]), "{found:?}");
    }
}

#[test]
fn a_check_finds_all_with_their_places() {
    for checked in checked_networks() {
        let found = check(&checked.json, BuildOptions::default());
        assert_eq!(found.len(), checked.found.len(), "{found:?}");
        for (found, expected) in found.iter().zip(&checked.found) {
            let span = found.span.as_ref();
            let place = [span.map(|span| span.line), span.and_then(|span| span.column), span.and_then(|span| span.width)];
            let expected_place =
                [expected.line, expected.column, expected.width].map(|number| number.map(|number| number as usize));
            assert_eq!((found.code, found.path.as_str(), place), (expected.code, expected.path, expected_place), "{found:?}");
            assert_eq!(found.is_error, expected.code != "notice", "{found:?}");
            assert!(found.message.contains(expected.message), "{found:?}");
        }
    }
}

/// A GPU, and what destroys it.
fn gpu() -> Option<(Box<dyn Backend>, Device)> {
    let device = device()?;
    Some((Box::new(Gpu::new(device.clone())), device))
}

fn assert_lost(error: &Error, place: &str) {
    assert!(matches!(error, Error::DeviceLost { why, .. } if why == "it was destroyed"), "{place}: {error:?}");
}

/// Whatever call comes first says so, and every one after it.
#[test]
fn every_call_to_a_lost_device_says_so() {
    let network = catalogue::network("cuba", 0.1).unwrap();
    for first in 0..5 {
        let Some((gpu, device)) = gpu() else { return };
        pollster::block_on(async {
            let mut simulation = Simulation::new(&network, gpu).await.unwrap();
            simulation.advance(50).await.unwrap();
            let voltage = simulation.plan().arrays().of(Owner::Neurons { population: 0 }, 0).unwrap();
            let words = simulation.read(voltage).await.unwrap();
            device.destroy();
            for call in first..first + 5 {
                let (name, error) = match call % 5 {
                    0 => ("advance", simulation.advance(50).await.err()),
                    1 => ("read", simulation.read(voltage).await.err()),
                    2 => ("write", simulation.write(voltage, &words).await.err()),
                    3 => ("set", simulation.set("EE.we", "1 mV").await.err()),
                    _ => ("reset", simulation.reset(0).await.err()),
                };
                assert_lost(&error.unwrap_or_else(|| panic!("{name}, {first}: no error")), name);
            }
        });
    }
}

/// A device that is lost before anything is loaded.
#[test]
fn loading_onto_a_lost_device() {
    let Some((gpu, device)) = gpu() else { return };
    device.destroy();
    let network = catalogue::network("cuba", 0.1).unwrap();
    assert_lost(&pollster::block_on(Simulation::new(&network, gpu)).err().unwrap(), "load");
}

/// Every kind of network, with a protocol and values set on the way, on a device that is lost and one that takes over.
#[test]
fn a_run_goes_on_where_its_device_was_lost() {
    const STEPS: u32 = 160;
    // From the start to another GPU, and with a checkpoint to several threads; both to both, and to one thread, with `--full`.
    let is_run = |checkpoint: Option<u32>, place: usize| full() || place == if checkpoint.is_some() { 1 } else { 2 };
    for (network, sets) in cases() {
        let mut undisturbed = Activity::default();
        let mut whole = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
        pollster::block_on(go_on(&mut whole, STEPS, sets, &mut undisturbed)).unwrap();
        // With a checkpoint, and from the start.
        for (checkpoint, lost_at) in [(None, 75), (Some(52), 120)] {
            for (_, (name, other)) in alike().into_iter().enumerate().filter(|(place, _)| is_run(checkpoint, *place)) {
                let place = format!("{}, checkpoint {checkpoint:?}, to {name}", network.name);
                let Some((gpu, device)) = gpu() else { return };
                if !gpu.name().contains("llvmpipe") {
                    println!("skipped: {} is no software adapter", gpu.name());
                    return;
                }
                pollster::block_on(async {
                    let mut simulation = Simulation::new(&network, gpu).await.unwrap();
                    let mut emitted = Activity::default();
                    if let Some(step) = checkpoint {
                        go_on(&mut simulation, step, sets, &mut emitted).await.unwrap();
                        simulation.checkpoint().await.unwrap();
                        assert_eq!(simulation.checkpoint_step(), step);
                    }
                    go_on(&mut simulation, lost_at, sets, &mut emitted).await.unwrap();
                    device.destroy();
                    let error = go_on(&mut simulation, STEPS, sets, &mut emitted).await.expect_err("it is lost");
                    assert_lost(&error, &place);
                    simulation.resume_on(other).await.unwrap();
                    assert_eq!(simulation.step(), lost_at, "{place}");
                    go_on(&mut simulation, STEPS, sets, &mut emitted).await.unwrap();
                    assert!(emitted == undisturbed, "{place}");
                    assert_same_state(&mut simulation, &mut whole, &place);
                });
            }
        }
    }
}

/// The device is lost in the middle of one call, after a change that happened in it: nothing of the call was told, and nothing is lost.
#[test]
fn a_device_lost_within_a_call() {
    let mut network = catalogue::network("cuba", 0.1).unwrap();
    network.add_change("10 ms: E.taum = 15 ms".parse().unwrap()).unwrap();
    network.add_stop("spikes > 600").unwrap();
    for steps in [150, 5000] {
        let mut whole = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
        let undisturbed = pollster::block_on(whole.advance(steps)).unwrap();
        assert_eq!(whole.stopped().is_some(), steps == 5000);
        let failing = Failing { inner: Cpu::new(1), left: 2 };
        pollster::block_on(async {
            let mut simulation = Simulation::new(&network, Box::new(failing)).await.unwrap();
            let mut emitted = simulation.advance(50).await.unwrap();
            let error = simulation.advance(steps - 50).await.expect_err("the second part fails");
            assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
            simulation.resume_on(Box::new(Cpu::new(3))).await.unwrap();
            assert_eq!(simulation.step(), 50);
            assert!(simulation.changed().is_empty());
            let rest = simulation.advance(steps - 50).await.unwrap();
            emitted.spikes.extend(rest.spikes);
            emitted.samples.extend(rest.samples);
            assert!(emitted == undisturbed);
            assert_eq!(simulation.stopped(), whole.stopped());
            assert_eq!(simulation.changed(), whole.changed());
        });
    }
}

/// The second device is lost while it catches up; the third one takes over from the same checkpoint.
#[test]
fn a_device_lost_while_it_catches_up() {
    let network = catalogue::network("cuba", 0.1).unwrap();
    pollster::block_on(async {
        let mut simulation = Simulation::new(&network, Box::new(Failing { inner: Cpu::new(1), left: 1 })).await.unwrap();
        let mut emitted = simulation.advance(300).await.unwrap();
        simulation.set("EE.we", "2 mV").await.unwrap();
        assert!(simulation.advance(100).await.is_err());
        let error = simulation.resume_on(Box::new(Failing { inner: Cpu::new(1), left: 0 })).await.expect_err("lost too");
        assert!(matches!(error, Error::DeviceLost { .. }), "{error}");
        simulation.resume_on(Box::new(Cpu::new(1))).await.unwrap();
        assert_eq!((simulation.step(), simulation.at_start() == simulation.network()), (300, true));
        emitted.spikes.extend(simulation.advance(500).await.unwrap().spikes);

        let mut whole = Simulation::new(&network, Box::new(Cpu::new(1))).await.unwrap();
        let mut undisturbed = whole.advance(300).await.unwrap();
        whole.set("EE.we", "2 mV").await.unwrap();
        undisturbed.spikes.extend(whole.advance(500).await.unwrap().spikes);
        assert!(emitted.spikes == undisturbed.spikes);
    });
}

/// A CPU that is lost after some epochs.
struct Failing {
    inner: Cpu,
    left: u32,
}

impl Backend for Failing {
    fn name(&self) -> String {
        "a device that fails".into()
    }

    fn load(&mut self, trials: Vec<spikelet::Trial>) -> spikelet::Task<'_, ()> {
        self.inner.load(trials)
    }

    fn advance(&mut self, epoch: spikelet::Epoch) -> spikelet::Task<'_, Vec<Activity>> {
        if self.left == 0 {
            let (device, why) = (self.name(), "as it was told to".to_owned());
            return Box::pin(async { Err(Error::DeviceLost { device, why }) });
        }
        self.left -= 1;
        self.inner.advance(epoch)
    }

    fn revise(&mut self, plans: Vec<std::sync::Arc<spikelet::Plan>>) -> spikelet::Task<'_, ()> {
        self.inner.revise(plans)
    }

    fn read(&mut self, trial: usize, array: ArrayId) -> spikelet::Task<'_, Vec<u32>> {
        self.inner.read(trial, array)
    }

    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> spikelet::Task<'a, ()> {
        self.inner.write(trial, array, words)
    }

    fn complete_step(&mut self, step: u32) -> spikelet::Task<'_, ()> {
        self.inner.complete_step(step)
    }

    fn refill<'a>(&'a mut self, trial: usize, spikes: &'a [spikelet::Spike], step: u32) -> spikelet::Task<'a, ()> {
        self.inner.refill(trial, spikes, step)
    }
}
