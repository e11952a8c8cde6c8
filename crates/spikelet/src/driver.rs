//! The loop of a run, as every host has it: batches whose length follows their wall time, a device that works ahead and may be lost,
//! checkpoints, a condition that ends the run. What differs between hosts is a [`Host`].

mod host;
mod loss;
mod pacing;
mod recovery;
#[cfg(test)]
mod tests;

use spikelet_plan::Activity;

use crate::{Error, Simulation, TrialRun, UntilCondition};

pub use host::{Checkpoints, Host, Next};
pub use loss::{DeviceLoss, Replacement};
pub use pacing::Pacing;
use recovery::Recovery;

/// A simulation, and the run that is under way.
///
/// ```
/// use spikelet::{Backend, Checkpoints, Cpu, DeviceLoss, Driver, Error, Host, Next, Pacing, Plan, Replacement, Simulation, catalogue};
///
/// /// Runs without interruption, on the CPU, which cannot be lost.
/// struct Plain(std::time::Instant);
///
/// impl Host for Plain {
///     type Error = Error;
///
///     fn now_ms(&self) -> f64 {
///         self.0.elapsed().as_secs_f64() * 1000.0
///     }
///
///     fn next(&mut self, _: &Simulation, proposed: u32) -> Result<Next, Error> {
///         Ok(Next::Run(proposed))
///     }
///
///     fn checkpoints(&self) -> Checkpoints {
///         Checkpoints::IfSmall
///     }
///
///     async fn open(&mut self, _: Replacement, _: &Plan) -> Result<Box<dyn Backend>, Error> {
///         Ok(Box::new(Cpu::new(1)))
///     }
///
///     fn replaced(&mut self, _: &Simulation, loss: DeviceLoss) {
///         eprintln!("{loss}");
///     }
/// }
///
/// # fn main() -> Result<(), Error> { pollster::block_on(async {
/// let simulation = Simulation::new(&catalogue::network("cuba", 0.1)?, Box::new(Cpu::new(1))).await?;
/// let (mut driver, mut host) = (Driver::new(simulation, Pacing::new(50.0)), Plain(std::time::Instant::now()));
/// driver.begin(Some(1000), None)?;
/// let mut spikes = 0;
/// while let Some(batch) = driver.batch(&mut host).await? {
///     spikes += batch.activities[0].spikes.len();
/// }
/// assert_eq!((driver.simulation.step(), spikes > 0), (1000, true));
/// # Ok(()) }) }
/// ```
pub struct Driver {
    /// The simulation. Between two batches it can be used like any other.
    pub simulation: Simulation,
    pacing: Pacing,
    recovery: Recovery,
    run: Option<ActiveRun>,
}

/// A run that was begun.
struct ActiveRun {
    /// Whether it has had no batch.
    starts: bool,
    /// One past its last step, if known.
    end: Option<u32>,
    until: Option<UntilCondition>,
}

/// The results of a batch, trial by trial.
#[derive(Debug)]
pub struct Batch {
    /// What the trials did; nothing of those that have ended before.
    pub activities: Vec<Activity>,
    /// The first step of each; those that follow are up to its [`TrialRun::step`].
    pub first_steps: Vec<u32>,
    /// Wall time in ms of these steps, with the replacement of a lost device.
    pub busy_ms: f64,
    /// Why the run ended with it, if it did.
    pub end: Option<RunEnd>,
}

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnd {
    /// It has all its steps.
    Time,
    /// Its condition is true.
    Condition,
    /// All trials ended, by a stop condition of the network or by an error.
    Over,
}

impl Driver {
    /// Runs a simulation in batches of this length.
    pub fn new(simulation: Simulation, pacing: Pacing) -> Driver {
        Driver { simulation, pacing, recovery: Recovery::default(), run: None }
    }

    /// Begins a run up to a step, or without an end, and until a condition is true; one that is under way is replaced. Returns why it ends at
    /// once, if it does: no run is then under way.
    ///
    /// # Errors
    /// All trials have ended before.
    pub fn begin(&mut self, end: Option<u32>, until: Option<UntilCondition>) -> Result<Option<RunEnd>, Error> {
        self.simulation.check_continues()?;
        self.run = Some(ActiveRun { starts: true, end, until });
        Ok(self.end(false))
    }

    /// Ends the run, if there is one. The device may be ahead: see [`Driver::align`].
    pub fn finish(&mut self) {
        self.run = None;
    }

    /// Whether a run is under way.
    pub fn is_running(&self) -> bool {
        self.run.is_some()
    }

    /// Whether it has a condition: steps may have to be undone.
    pub fn is_conditional(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.until.is_some())
    }

    /// Steps until the end of the run.
    pub fn steps_left(&self) -> u32 {
        let end = self.run.as_ref().and_then(|run| run.end);
        end.map_or(u32::MAX, |end| end.saturating_sub(self.simulation.step()))
    }

    /// Runs a batch of the length that the host allows; no run is under way after its last one. Nothing is returned without a run, and when the
    /// host pauses: the results of steps that the device had begun are returned first, so that it then has the state of the returned step.
    ///
    /// # Errors
    /// An error of the host, or of the simulation. The run is still under way.
    pub async fn batch<H: Host>(&mut self, host: &mut H) -> Result<Option<Batch>, H::Error> {
        if self.run.is_none() {
            return Ok(None);
        }
        self.checkpoint_if_due(host).await?;
        let proposed = self.pacing.steps().min(self.steps_left());
        match host.next(&self.simulation, proposed)? {
            Next::Run(steps) => {
                let stay = host.device_until();
                let steps = steps.min(self.steps_left()).min(stay.saturating_sub(self.simulation.step()));
                // Steps beyond the end of a condition would have to be undone.
                let ahead = if self.is_conditional() { 0 } else { host.batches_ahead() };
                // The state that is read at the end is that of the last step.
                let end = self.run.as_ref().and_then(|run| run.end).unwrap_or(u32::MAX);
                self.simulation.begin_ahead_until(end.min(stay));
                if steps == 0 { Ok(None) } else { self.advance(host, steps, ahead).await.map(Some) }
            }
            Next::Pause => self.catch_up(host).await,
        }
    }

    /// Returns the results of the steps that the device has begun, so that it has the state of the returned step, if there are any; not after a
    /// condition: what is beyond it is returned when the simulation continues.
    ///
    /// # Errors
    /// As [`Driver::batch`].
    pub async fn catch_up<H: Host>(&mut self, host: &mut H) -> Result<Option<Batch>, H::Error> {
        self.simulation.begin_ahead(0);
        match self.simulation.device_step().saturating_sub(self.simulation.step()) {
            0 => Ok(None),
            _ if !self.is_running() || self.is_conditional() => Ok(None),
            steps => self.advance(host, steps, 0).await.map(Some),
        }
    }

    /// Moves the device to the returned step, before the state is read or changed: after a condition within a batch, it is ahead. During a run
    /// it may be ahead.
    ///
    /// # Errors
    /// As [`Simulation::rewind`].
    pub async fn align(&mut self) -> Result<(), Error> {
        if self.is_running() { Ok(()) } else { self.simulation.rewind().await }
    }

    /// Calls a function of the simulation, again on another device if the current one is lost.
    ///
    /// # Errors
    /// That of the function; no other device is available.
    pub async fn attempt<H: Host, T>(
        &mut self,
        host: &mut H,
        mut call: impl AsyncFnMut(&mut Simulation) -> Result<T, Error>,
    ) -> Result<T, H::Error> {
        loop {
            match call(&mut self.simulation).await {
                Err(Error::DeviceLost { device, why }) => self.replace_device(host, &device, &why).await?,
                done => return Ok(done?),
            }
        }
    }

    /// Continues on another device after a loss.
    ///
    /// # Errors
    /// No other device is available.
    pub async fn replace_device<H: Host>(&mut self, host: &mut H, device: &str, why: &str) -> Result<(), Error> {
        let loss = self.recovery.resume(&mut self.simulation, (device, why), host).await?;
        host.replaced(&self.simulation, loss);
        Ok(())
    }

    /// The step of each trial.
    fn steps(&self) -> Vec<u32> {
        self.simulation.runs().iter().map(TrialRun::step).collect()
    }

    /// Ends the run if it ends here, as it does if its condition is true (`held`); returns why.
    fn end(&mut self, held: bool) -> Option<RunEnd> {
        let end = self.run.as_ref()?.end;
        let because = if self.simulation.is_over() {
            RunEnd::Over
        } else if held {
            RunEnd::Condition
        } else if end.is_some_and(|end| self.simulation.step() >= end) {
            RunEnd::Time
        } else {
            return None;
        };
        self.run = None;
        Some(because)
    }

    async fn advance<H: Host>(&mut self, host: &mut H, steps: u32, ahead: u32) -> Result<Batch, H::Error> {
        let (first_steps, before, began_ms) = (self.steps(), self.simulation.step(), host.now_ms());
        self.simulation.begin_ahead(ahead);
        let (activities, held) = loop {
            let done = match self.run.as_mut().and_then(|run| run.until.as_mut()) {
                Some(until) => self.simulation.advance_until(steps, until).await,
                None => self.simulation.advance_trials(steps).await.map(|activities| (activities, false)),
            };
            match done {
                Err(Error::DeviceLost { device, why }) => self.replace_device(host, &device, &why).await?,
                done => break done?,
            }
        };
        let busy_ms = host.now_ms() - began_ms;
        self.pacing.record(steps, self.simulation.step() - before, busy_ms);
        Ok(Batch { activities, first_steps, busy_ms, end: self.end(held) })
    }

    /// Takes a checkpoint: on a device that can be lost, at the start of a run that can end within a batch, and from time to time.
    async fn checkpoint_if_due<H: Host>(&mut self, host: &mut H) -> Result<(), H::Error> {
        let (began_ms, conditional, checkpoints) = (host.now_ms(), self.is_conditional(), host.checkpoints());
        self.recovery.begin(began_ms);
        // A checkpoint of a device that is ahead would keep it from going back.
        let is_ahead = self.simulation.device_step() > self.simulation.step();
        if checkpoints == Checkpoints::Never || conditional && is_ahead {
            return Ok(());
        }
        let starts = self.run.as_mut().is_some_and(|run| std::mem::take(&mut run.starts));
        let starts = starts && conditional && self.simulation.checkpoint_step() != self.simulation.step();
        let needed = checkpoints == Checkpoints::Needed || conditional;
        if starts || self.recovery.is_due(&self.simulation, needed, began_ms) {
            self.attempt(host, async |simulation| simulation.checkpoint().await).await?;
            self.recovery.kept(began_ms, host.now_ms());
        }
        Ok(())
    }
}
