use std::sync::Arc;

use pollster::block_on;

use super::*;
use crate::{Activity, ArrayId, Backend, Cpu, Epoch, Plan, Spike, Task, Trial, catalogue};

/// A CPU that is lost after some epochs.
struct FailingCpu {
    cpu: Cpu,
    epochs: u32,
}

impl Backend for FailingCpu {
    fn name(&self) -> String {
        "a mortal device".into()
    }

    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()> {
        self.cpu.load(trials)
    }

    fn advance(&mut self, epoch: Epoch) -> Task<'_, Vec<Activity>> {
        match self.epochs.checked_sub(1) {
            Some(left) => {
                self.epochs = left;
                self.cpu.advance(epoch)
            }
            None => Box::pin(async { Err(Error::DeviceLost { device: "a mortal device".into(), why: "old age".into() }) }),
        }
    }

    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        self.cpu.revise(plans)
    }

    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>> {
        self.cpu.read(trial, array)
    }

    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()> {
        self.cpu.write(trial, array, words)
    }

    fn complete_step(&mut self, step: u32) -> Task<'_, ()> {
        self.cpu.complete_step(step)
    }

    fn refill<'a>(&'a mut self, trial: usize, spikes: &'a [Spike], step: u32) -> Task<'a, ()> {
        self.cpu.refill(trial, spikes, step)
    }
}

/// A host whose clock passes `pace_ms` before each batch.
struct FakeHost {
    now_ms: f64,
    pace_ms: f64,
    checkpoints: Checkpoints,
    /// Epochs that each further device lives, in their order; then there is none of its kind.
    mortal: Vec<u32>,
    look_ahead: u32,
    device_until: u32,
    /// It pauses at this call of `next`.
    pauses_at: Option<usize>,
    proposed: Vec<u32>,
    opened: Vec<Replacement>,
    losses: Vec<DeviceLoss>,
}

impl FakeHost {
    fn new() -> FakeHost {
        FakeHost {
            now_ms: 0.0,
            pace_ms: 1.0,
            checkpoints: Checkpoints::Needed,
            mortal: Vec::new(),
            look_ahead: 0,
            device_until: u32::MAX,
            pauses_at: None,
            proposed: Vec::new(),
            opened: Vec::new(),
            losses: Vec::new(),
        }
    }
}

impl Host for FakeHost {
    type Error = Error;

    fn now_ms(&self) -> f64 {
        self.now_ms
    }

    fn next(&mut self, _: &Simulation, proposed: u32) -> Result<Next, Error> {
        self.now_ms += self.pace_ms;
        self.proposed.push(proposed);
        Ok(if self.pauses_at == Some(self.proposed.len()) { Next::Pause } else { Next::Run(proposed) })
    }

    fn batches_ahead(&self) -> u32 {
        self.look_ahead
    }

    fn device_until(&self) -> u32 {
        self.device_until
    }

    fn checkpoints(&self) -> Checkpoints {
        self.checkpoints
    }

    async fn open(&mut self, successor: Replacement, plan: &Plan) -> Result<Box<dyn Backend>, Error> {
        assert!(plan.neurons() > 0);
        self.opened.push(successor);
        if successor == Replacement::Cpu {
            return Ok(Box::new(Cpu::new(1)));
        }
        if self.mortal.is_empty() { Err(Error::Backend("none is left".into())) } else { Ok(mortal(self.mortal.remove(0))) }
    }

    fn replaced(&mut self, simulation: &Simulation, loss: DeviceLoss) {
        assert_eq!(simulation.backend().name(), loss.successor);
        self.losses.push(loss);
    }
}

fn mortal(epochs: u32) -> Box<dyn Backend> {
    Box::new(FailingCpu { cpu: Cpu::new(1), epochs })
}

fn driver_on(backend: Box<dyn Backend>) -> Driver {
    let network = catalogue::network("cuba", 0.02).unwrap();
    Driver::new(block_on(Simulation::new(&network, backend)).unwrap(), Pacing::new(50.0).beginning_with(100))
}

/// Steps and neurons.
type Spikes = Vec<(u32, u32)>;

fn listed(spikes: &[Spike]) -> Spikes {
    spikes.iter().map(|spike| (spike.step, spike.neuron)).collect()
}

/// Runs to the end, or to a pause; the spikes and the reason.
fn run(driver: &mut Driver, host: &mut FakeHost) -> (Spikes, Option<RunEnd>) {
    let (mut spikes, mut end) = (Vec::new(), None);
    while let Some(batch) = block_on(driver.batch(host)).unwrap() {
        spikes.extend(listed(&batch.activities[0].spikes));
        end = batch.end;
    }
    (spikes, end)
}

/// The spikes of one call.
fn undisturbed(steps: u32) -> Spikes {
    listed(&block_on(driver_on(Box::new(Cpu::new(1))).simulation.advance(steps)).unwrap().spikes)
}

#[test]
fn a_lost_device_leaves_no_trace_in_the_spikes() {
    let expected = undisturbed(3000);
    assert!(expected.len() > 50);
    // How many epochs the first device lives, and those that follow.
    for (first, mortal) in [(0, vec![]), (2, vec![]), (3, vec![100]), (3, vec![0]), (1, vec![2, 100]), (4, vec![1, 1, 1])] {
        for (look_ahead, pace_ms) in [(0, 1.0), (2, 1.0), (1, 6000.0)] {
            let mut host = FakeHost { look_ahead, pace_ms, mortal: mortal.clone(), ..FakeHost::new() };
            let mut driver = driver_on(self::mortal(first));
            driver.begin(Some(3000), None).unwrap();
            let (spikes, end) = run(&mut driver, &mut host);
            assert_eq!((spikes, end), (expected.clone(), Some(RunEnd::Time)), "{first} {mortal:?} {look_ahead}");
            assert!(!host.losses.is_empty());
        }
    }
}

#[test]
fn the_same_sort_of_device_comes_first_and_then_the_cpu() {
    // One that cannot be opened, one that is lost earlier than the first, and one that lives.
    for (mortal, opened, successor) in [
        (vec![], vec![Replacement::Again, Replacement::Cpu], "CPU, 1 thread"),
        (vec![0], vec![Replacement::Again, Replacement::Cpu], "CPU, 1 thread"),
        (vec![100], vec![Replacement::Again], "a mortal device"),
    ] {
        let (mut driver, mut host) = (driver_on(self::mortal(1)), FakeHost { mortal, ..FakeHost::new() });
        driver.begin(Some(200), None).unwrap();
        run(&mut driver, &mut host);
        let loss = host.losses.pop().unwrap();
        assert_eq!((host.opened, loss.successor.as_str(), driver.simulation.step()), (opened, successor, 200));
        let sentence = format!("a mortal device was lost at 10 ms (old age); the run continued from 0 ms on {successor}");
        assert_eq!(loss.to_string(), sentence);
    }
    // A second loss without a checkpoint in between would be followed by a third; with one, it counts as a first again.
    for (pace_ms, opened) in
        [(1.0, vec![Replacement::Again, Replacement::Cpu]), (6000.0, vec![Replacement::Again, Replacement::Again])]
    {
        let mut host = FakeHost { mortal: vec![3, 100], pace_ms, ..FakeHost::new() };
        let mut driver = driver_on(mortal(1));
        driver.pacing = Pacing::new(50.0).beginning_with(100).at_most(100);
        driver.begin(Some(800), None).unwrap();
        run(&mut driver, &mut host);
        assert_eq!(host.opened, opened, "{:?}", host.losses);
    }
}

#[test]
fn checkpoints_come_in_their_time() {
    let simulation = driver_on(Box::new(Cpu::new(1))).simulation;
    let mut recovery = Recovery::default();
    recovery.begin(1000.0);
    recovery.begin(2000.0);
    let is_due = |recovery: &Recovery, now_ms| recovery.is_due(&simulation, true, now_ms);
    assert!(!is_due(&recovery, 5999.0) && is_due(&recovery, 6000.0));
    // It is small.
    assert!(recovery.is_due(&simulation, false, 6000.0));
    recovery.kept(6000.0, 6020.0);
    assert!(!is_due(&recovery, 11_019.0) && is_due(&recovery, 11_020.0));
    // A slow one is followed by a long interval.
    recovery.kept(11_000.0, 12_000.0);
    assert!(!is_due(&recovery, 61_999.0) && is_due(&recovery, 62_000.0));
    // Not where it is taken elsewhere.
    for (checkpoints, is_taken) in [(Checkpoints::Needed, true), (Checkpoints::IfSmall, true), (Checkpoints::Never, false)] {
        let (mut driver, mut host) = (driver_on(Box::new(Cpu::new(1))), FakeHost { checkpoints, ..FakeHost::new() });
        host.pace_ms = 6000.0;
        driver.begin(Some(1000), None).unwrap();
        run(&mut driver, &mut host);
        assert_eq!(driver.simulation.checkpoint_step() > 0, is_taken, "{checkpoints:?}");
    }
}

#[test]
fn a_condition_ends_the_run_and_the_device_goes_back() {
    let expected = undisturbed(3000);
    for (look_ahead, mortal) in [(0, 1000), (2, 1000), (2, 2)] {
        let (mut driver, mut host) = (driver_on(self::mortal(mortal)), FakeHost { look_ahead, ..FakeHost::new() });
        let mut spikes = Vec::new();
        // Three times on: nothing is missing or repeated.
        for _ in 0..3 {
            let until = driver.simulation.until("spikes >= 10").unwrap();
            assert_eq!(driver.begin(Some(3000), Some(until)).unwrap(), None);
            let (new, end) = run(&mut driver, &mut host);
            assert!(new.len() >= 10 && end == Some(RunEnd::Condition), "{} {end:?}", new.len());
            spikes.extend(new);
            block_on(driver.align()).unwrap();
            assert_eq!(driver.simulation.device_step(), driver.simulation.step());
        }
        driver.begin(Some(3000), None).unwrap();
        spikes.extend(run(&mut driver, &mut host).0);
        assert_eq!(spikes, expected);
    }
}

#[test]
fn a_pause_returns_what_the_device_has_begun() {
    let expected = undisturbed(3000);
    for look_ahead in [0, 1, 3] {
        let mut host = FakeHost { look_ahead, pauses_at: Some(3), ..FakeHost::new() };
        let mut driver = driver_on(Box::new(Cpu::new(1)));
        driver.begin(Some(3000), None).unwrap();
        let mut spikes = Vec::new();
        let steps = |driver: &Driver| (driver.simulation.step(), driver.simulation.device_step());
        for _ in 0..2 {
            let batch = block_on(driver.batch(&mut host)).unwrap().unwrap();
            spikes.extend(listed(&batch.activities[0].spikes));
        }
        let (step, device) = steps(&driver);
        assert_eq!(device > step, look_ahead > 0);
        // The batch of the pause has what is begun; without work ahead there is none.
        let paused = block_on(driver.batch(&mut host)).unwrap();
        assert_eq!(paused.is_some(), look_ahead > 0);
        spikes.extend(paused.iter().flat_map(|batch| listed(&batch.activities[0].spikes)));
        assert_eq!(steps(&driver), (device, device));
        spikes.extend(run(&mut driver, &mut host).0);
        assert!(!driver.is_running());
        assert_eq!(spikes, expected, "{look_ahead}");
    }
}

#[test]
fn a_host_has_the_device_stop_where_it_reads_the_state() {
    let mut host = FakeHost { look_ahead: 3, device_until: 130, ..FakeHost::new() };
    let mut driver = driver_on(Box::new(Cpu::new(1)));
    driver.begin(Some(300), None).unwrap();
    for step in [100, 130] {
        block_on(driver.batch(&mut host)).unwrap().unwrap();
        assert_eq!((driver.simulation.step(), driver.simulation.device_step()), (step, 130));
    }
    host.device_until = u32::MAX;
    run(&mut driver, &mut host);
    assert_eq!((driver.simulation.step(), driver.simulation.device_step()), (300, 300));
}

#[test]
fn a_run_of_no_steps_ends_at_once() {
    let (mut driver, mut host) = (driver_on(Box::new(Cpu::new(1))), FakeHost::new());
    assert_eq!(driver.begin(Some(0), None).unwrap(), Some(RunEnd::Time));
    assert!(!driver.is_running() && block_on(driver.batch(&mut host)).unwrap().is_none());
    assert_eq!(driver.begin(Some(10), None).unwrap(), None);
    driver.finish();
    assert!(block_on(driver.batch(&mut host)).unwrap().is_none() && host.proposed.is_empty());
}

#[test]
fn a_network_that_has_ended_does_not_run_again() {
    let network = crate::Network::from_json(&catalogue::network("cuba", 0.02).unwrap().to_json().replacen(
        '{',
        "{\"stop\": [\"spikes > 3\"],",
        1,
    ));
    let simulation = block_on(Simulation::new(&network.unwrap(), Box::new(Cpu::new(1)))).unwrap();
    let (mut driver, mut host) = (Driver::new(simulation, Pacing::new(50.0)), FakeHost::new());
    driver.begin(None, None).unwrap();
    assert_eq!(run(&mut driver, &mut host).1, Some(RunEnd::Over));
    let sentence = driver.begin(None, None).unwrap_err().to_string();
    assert!(sentence.contains("`spikes > 3` was true; reset it"), "{sentence}");
}
