use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::*;
use crate::Task;

/// A CPU that runs epochs when they are begun, tells of them later, and writes down what it is asked.
struct Ahead {
    cpu: Cpu,
    begun: VecDeque<(Epoch, Vec<Activity>)>,
    log: Rc<RefCell<Vec<String>>>,
}

impl Ahead {
    fn note(&self, what: &str, epoch: Epoch) {
        self.log.borrow_mut().push(format!("{what} {}..{}", epoch.first, epoch.end()));
    }

    fn check_idle(&self, what: &str) {
        assert!(self.begun.is_empty(), "{what} while epochs are begun");
        self.log.borrow_mut().push(what.to_owned());
    }
}

impl Backend for Ahead {
    fn name(&self) -> String {
        "ahead".into()
    }

    fn load(&mut self, trials: Vec<Trial>) -> Task<'_, ()> {
        self.check_idle("load");
        self.cpu.load(trials)
    }

    fn begin(&mut self, epoch: Epoch) -> Task<'_, ()> {
        Box::pin(async move {
            self.note("begin", epoch);
            let done = self.cpu.advance(epoch).await?;
            self.begun.push_back((epoch, done));
            Ok(())
        })
    }

    fn advance(&mut self, epoch: Epoch) -> Task<'_, Vec<Activity>> {
        Box::pin(async move {
            self.note("advance", epoch);
            match self.begun.pop_front() {
                Some((begun, done)) => {
                    assert_eq!(begun, epoch, "epochs are advanced as they were begun");
                    Ok(done)
                }
                None => self.cpu.advance(epoch).await,
            }
        })
    }

    fn revise(&mut self, plans: Vec<Arc<Plan>>) -> Task<'_, ()> {
        self.check_idle("revise");
        self.cpu.revise(plans)
    }

    fn read(&mut self, trial: usize, array: ArrayId) -> Task<'_, Vec<u32>> {
        self.check_idle("read");
        self.cpu.read(trial, array)
    }

    fn complete_step(&mut self, step: u32) -> Task<'_, ()> {
        self.check_idle("complete_step");
        self.cpu.complete_step(step)
    }

    fn refill<'a>(&'a mut self, trial: usize, spikes: &'a [Spike], step: u32) -> Task<'a, ()> {
        self.check_idle("refill");
        self.cpu.refill(trial, spikes, step)
    }

    fn write<'a>(&'a mut self, trial: usize, array: ArrayId, words: &'a [u32]) -> Task<'a, ()> {
        self.check_idle("write");
        self.cpu.write(trial, array, words)
    }
}

type Log = Rc<RefCell<Vec<String>>>;

async fn looking_ahead(network: &Network, batches: u32) -> (Simulation, Log) {
    let log = Log::default();
    let backend = Ahead { cpu: Cpu::new(1), begun: VecDeque::new(), log: log.clone() };
    let mut simulation = Simulation::new(network, Box::new(backend)).await.unwrap();
    simulation.begin_ahead(batches);
    (simulation, log)
}

/// Ends of the epochs that were begun.
fn begun(log: &Log) -> Vec<String> {
    log.borrow().iter().filter_map(|line| line.strip_prefix("begin ").map(str::to_owned)).collect()
}

#[test]
fn what_is_told_does_not_depend_on_looking_ahead() {
    let protocols = [json!({}), changes(), json!({"changes": changes()["changes"], "stop": ["spikes(E) > 400"]})];
    for protocol in protocols {
        let network = network(&protocol);
        let (plain, reference) = run(&network, 1000, 1000);
        pollster::block_on(async {
            for (batches, length) in [(0, 70), (1, 1000), (1, 30), (2, 123), (5, 41), (3, 200)] {
                let (mut simulation, log) = looking_ahead(&network, batches).await;
                for _ in 0..2 {
                    assert!(go_on(&mut simulation, 1000, length).await == plain, "{batches} batches of {length}");
                    assert_eq!(simulation.stopped(), reference.stopped());
                    // A device that is ahead may have changed what comes after the end.
                    let end = simulation.step();
                    let emitted: Vec<_> = simulation.changed().iter().filter(|changed| changed.step < end).collect();
                    assert_eq!(emitted, reference.changed().iter().collect::<Vec<_>>());
                    simulation.reset(0).await.unwrap();
                    assert_eq!((simulation.step(), simulation.device_step()), (0, 0));
                }
                assert_eq!(begun(&log).is_empty(), batches == 0);
            }
        });
    }
}

#[test]
fn epochs_are_begun_before_their_time_and_never_across_a_change() {
    pollster::block_on(async {
        let (mut simulation, log) = looking_ahead(&network(&changes()), 2).await;
        log.borrow_mut().clear();
        for _ in 0..6 {
            simulation.advance(50).await.unwrap();
        }
        assert_eq!(
            begun(&log),
            ["0..50", "50..100", "100..123", "123..150", "150..200", "200..250", "250..300", "300..350", "350..400"]
        );
        let order: Vec<String> = log.borrow().iter().filter(|line| line.contains("..")).take(5).cloned().collect();
        assert_eq!(order, ["begin 0..50", "begin 50..100", "begin 100..123", "advance 0..50", "advance 50..100"]);
        assert_eq!((simulation.step(), simulation.device_step()), (300, 400));
        // Another length: what is begun is given in it.
        assert_eq!(simulation.advance(7).await.unwrap().samples.len(), 2 * 7);
        assert_eq!(simulation.advance(70).await.unwrap().samples.len(), 2 * 70);
        assert_eq!((simulation.step(), simulation.device_step()), (377, 400));
        simulation.begin_ahead(0);
        simulation.advance(100).await.unwrap();
        assert_eq!((simulation.step(), simulation.device_step()), (477, 477));
    });
}

#[test]
fn a_run_ends_with_the_device_whatever_the_batches_are() {
    // Batches that become shorter: what was begun for a longer one is not finished, and more is begun behind it.
    let batches = [20, 20, 20, 5, 3, 10, 1, 4, 7, 10];
    let network = network(&json!({}));
    pollster::block_on(async {
        let (mut simulation, _) = looking_ahead(&network, 1).await;
        simulation.begin_ahead_until(100);
        let voltage = simulation.plan().array("E.v").unwrap();
        for steps in batches {
            simulation.advance(steps).await.unwrap();
            assert!(simulation.device_step() <= 100);
        }
        assert_eq!((simulation.step(), simulation.device_step()), (100, 100));
        let (mut whole, _) = looking_ahead(&network, 0).await;
        whole.advance(100).await.unwrap();
        assert_eq!(simulation.read(voltage).await.unwrap(), whole.read(voltage).await.unwrap());
        // A later call takes the device along, and no further.
        simulation.advance(3).await.unwrap();
        assert_eq!((simulation.step(), simulation.device_step()), (103, 103));
    });
}

#[test]
fn what_is_set_or_read_meets_the_device_where_it_stands() {
    let network = network(&json!({}));
    pollster::block_on(async {
        let (mut simulation, _) = looking_ahead(&network, 2).await;
        let voltage = simulation.plan().array("E.v").unwrap();
        let mut all = simulation.advance(100).await.unwrap();
        assert_eq!((simulation.step(), simulation.device_step()), (100, 300));
        simulation.set("E.I", "1.9").await.unwrap();
        let state = simulation.read(voltage).await.unwrap();
        assert_eq!((simulation.step(), simulation.device_step()), (100, 300), "what was begun is kept");
        simulation.write(voltage, &state).await.unwrap();
        for _ in 0..6 {
            let part = simulation.advance(90).await.unwrap();
            all.spikes.extend(part.spikes);
            all.samples.extend(part.samples);
        }
        assert_eq!(simulation.step(), 640);

        let (mut expected, mut plain) = run(&network, 300, 300);
        plain.set("E.I", "1.9").await.unwrap();
        assert_eq!(plain.read(voltage).await.unwrap(), state);
        let rest = plain.advance(340).await.unwrap();
        expected.spikes.extend(rest.spikes);
        expected.samples.extend(rest.samples);
        assert!(all == expected);
    });
}

/// The activity before a failure is not lost.
#[test]
fn a_change_that_cannot_be_made_loses_nothing() {
    let mut changing = network(&json!({}));
    changing.add_change("30 ms: E.I = 1.5".parse().unwrap()).unwrap();
    let plan = Arc::new(Plan::new(&changing).unwrap());
    // The builder would have found this.
    changing.changes[0].set = [("E.I".to_owned(), Quantity::Text("1 mV".into()))].into_iter().collect();
    pollster::block_on(async {
        let mut simulation = Simulation::with_plan(&changing, plan, Box::new(Cpu::new(1))).await.unwrap();
        assert!(simulation.advance(400).await.is_err());
        assert_eq!((simulation.step(), simulation.device_step()), (0, 300));
        let emitted = simulation.advance(300).await.unwrap();
        assert!(emitted == run(&network(&json!({})), 300, 300).0);
    });
}
