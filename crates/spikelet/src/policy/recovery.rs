//! Times of checkpoints, and recovery after the loss of a device.

use std::fmt;

use spikelet_plan::time;

use crate::{Backend, Error, Plan, Simulation};

/// Wall time between two checkpoints if they are cheap, in ms.
const EVERY_MS: f64 = 5000.0;

/// A checkpoint may take this fraction of the time since the previous one: 2 %.
const SHARE: f64 = 50.0;

/// If a run need not return to it, a larger checkpoint is not worth its memory.
const MAX_BYTES: u64 = 64 << 20;

/// The time of the last checkpoint, and whether the device was lost since then. Times are those of any clock, in ms.
#[derive(Debug, Clone)]
pub struct Recovery {
    last_ms: f64,
    took_ms: f64,
    /// A second device would be lost at the same step.
    lost: bool,
}

/// The replacement of a lost device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// A device chosen like the first one.
    Again,
    /// The CPU, which cannot be lost.
    Cpu,
}

/// A lost device, and its replacement. Its `Display` is a sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceLoss {
    /// The lost device.
    pub device: String,
    /// Its message.
    pub why: String,
    /// The time up to which results were returned, in ms of biological time.
    pub lost_ms: f64,
    /// The time of the checkpoint from which it continued.
    pub from_ms: f64,
    /// The replacement.
    pub successor: String,
}

impl fmt::Display for DeviceLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DeviceLoss { device, why, lost_ms, from_ms, successor } = self;
        write!(f, "{device} was lost at {lost_ms} ms ({why}); the run continued from {from_ms} ms on {successor}")
    }
}

impl Recovery {
    /// For a run that begins now.
    pub fn new(now_ms: f64) -> Recovery {
        Recovery { last_ms: now_ms, took_ms: 0.0, lost: false }
    }

    /// Whether to take a [checkpoint](Simulation::checkpoint) now. It is `needed` if the device can be lost, or may have to go back;
    /// otherwise it saves a run with an infinite or NaN state from starting again, and is taken if it is small. None is needed after the
    /// end of a run.
    pub fn is_due(&self, simulation: &Simulation, needed: bool, now_ms: f64) -> bool {
        let bytes = || simulation.plan().trial_memory().saturating_mul(simulation.runs().len() as u64);
        self.is_time(now_ms) && !simulation.is_over() && (needed || bytes() <= MAX_BYTES)
    }

    fn is_time(&self, now_ms: f64) -> bool {
        now_ms - self.last_ms >= EVERY_MS.max(SHARE * self.took_ms)
    }

    /// A checkpoint was taken, between these times.
    pub fn kept(&mut self, began_ms: f64, ended_ms: f64) {
        *self = Recovery { last_ms: ended_ms, took_ms: ended_ms - began_ms, lost: false };
    }

    /// Continues after a loss from the last checkpoint: on the device of `open`, first the same kind again, then the CPU if that cannot be
    /// opened, fails too, or was lost since that checkpoint.
    ///
    /// # Errors
    /// The error of the CPU, or of `open`.
    pub async fn resume(
        &mut self,
        simulation: &mut Simulation,
        device: &str,
        why: &str,
        mut open: impl AsyncFnMut(Replacement, &Plan) -> Result<Box<dyn Backend>, Error>,
    ) -> Result<DeviceLoss, Error> {
        let lost_ms = simulation.time_ms();
        let lost_before = std::mem::replace(&mut self.lost, true);
        let again = if lost_before { None } else { open(Replacement::Again, simulation.plan()).await.ok() };
        let goes_on = match again {
            Some(backend) => simulation.resume_on(backend).await.is_ok(),
            None => false,
        };
        if !goes_on {
            let backend = open(Replacement::Cpu, simulation.plan()).await?;
            simulation.resume_on(backend).await?;
        }
        let from_ms = time::of_step(simulation.checkpoint_step(), simulation.plan().dt_ms);
        let successor = simulation.backend().name();
        Ok(DeviceLoss { device: device.to_owned(), why: why.to_owned(), lost_ms, from_ms, successor })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pollster::block_on;

    use super::*;
    use crate::{Activity, ArrayId, Cpu, Epoch, Spike, Task, Trial, catalogue};

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

    fn mortal(epochs: u32) -> Box<dyn Backend> {
        Box::new(FailingCpu { cpu: Cpu::new(1), epochs })
    }

    fn simulation() -> Simulation {
        block_on(Simulation::new(&catalogue::network("cuba", 0.02).unwrap(), mortal(2))).unwrap()
    }

    /// Continues with devices that live for this many epochs, or cannot be opened; returns the opened ones.
    fn lose(recovery: &mut Recovery, simulation: &mut Simulation, again: Option<u32>) -> (DeviceLoss, Vec<Replacement>) {
        let mut opened = Vec::new();
        let loss = block_on(recovery.resume(simulation, "a mortal device", "old age", async |successor, plan| {
            assert!(plan.neurons() > 0);
            opened.push(successor);
            match (successor, again) {
                (Replacement::Again, Some(epochs)) => Ok(mortal(epochs)),
                (Replacement::Again, None) => Err(Error::Backend("none is left".into())),
                (Replacement::Cpu, _) => Ok(Box::new(Cpu::new(1)) as Box<dyn Backend>),
            }
        }));
        (loss.unwrap(), opened)
    }

    #[test]
    fn checkpoints_come_in_their_time() {
        let simulation = simulation();
        let mut recovery = Recovery::new(1000.0);
        let is_due = |recovery: &Recovery, now_ms| recovery.is_due(&simulation, true, now_ms);
        assert!(!is_due(&recovery, 5999.0) && is_due(&recovery, 6000.0));
        // It is small.
        assert!(recovery.is_due(&simulation, false, 6000.0));
        recovery.kept(6000.0, 6020.0);
        assert!(!is_due(&recovery, 11_019.0) && is_due(&recovery, 11_020.0));
        // A slow one is followed by a long interval.
        recovery.kept(11_000.0, 12_000.0);
        assert!(!is_due(&recovery, 61_999.0) && is_due(&recovery, 62_000.0));
    }

    #[test]
    fn a_run_goes_on_on_the_same_sort_of_device() {
        let (mut simulation, mut recovery) = (simulation(), Recovery::new(0.0));
        block_on(simulation.advance(100)).unwrap();
        let (loss, opened) = lose(&mut recovery, &mut simulation, Some(100));
        assert_eq!(opened, [Replacement::Again]);
        assert_eq!(
            loss.to_string(),
            "a mortal device was lost at 10 ms (old age); the run continued from 0 ms on a mortal device"
        );
        assert_eq!(simulation.step(), 100);
    }

    #[test]
    fn a_device_that_is_lost_again_leaves_the_cpu() {
        // One that cannot be opened, and one that is lost earlier than the first.
        for again in [None, Some(0)] {
            let (mut simulation, mut recovery) = (simulation(), Recovery::new(0.0));
            block_on(simulation.advance(100)).unwrap();
            let (loss, opened) = lose(&mut recovery, &mut simulation, again);
            assert_eq!(opened, [Replacement::Again, Replacement::Cpu]);
            assert_eq!(loss.successor, "CPU, 1 thread");
        }
        // A second loss without a checkpoint in between would be followed by a third; with one, it counts as a first again.
        let (mut simulation, mut recovery) = (simulation(), Recovery::new(0.0));
        block_on(simulation.advance(100)).unwrap();
        lose(&mut recovery, &mut simulation, Some(100));
        assert_eq!(lose(&mut recovery, &mut simulation, Some(100)).1, [Replacement::Cpu]);
        block_on(simulation.checkpoint()).unwrap();
        recovery.kept(5000.0, 5001.0);
        let (loss, opened) = lose(&mut recovery, &mut simulation, Some(100));
        assert_eq!((opened, loss.from_ms), (vec![Replacement::Again], 10.0));
    }
}
