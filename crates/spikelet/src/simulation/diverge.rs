//! States that leave the numbers: which variable of which neuron did first, and in which step.

use super::Simulation;
use crate::Error;
use crate::backend::Probe;

impl Simulation {
    /// As [`Simulation::hear`]; trials whose state has left the numbers break off where it did.
    pub(super) async fn hear_or_break_off(&mut self, steps: u32, end: u32) -> Result<(), Error> {
        match self.hear(steps, end).await {
            Ok(()) if self.suspicious => self.break_off(self.device_step()).await,
            // Of several trials it is not known whose event it was.
            Err(Error::EventTooLarge { .. }) if self.runs.len() == 1 => self.break_off(self.device_step().max(end)).await,
            heard => heard,
        }
    }

    /// Finds the first step that led out of the numbers, between what was told last and `bad`, where the device found it: by going back, and
    /// halving the steps between. The device then stands after that step.
    pub(super) async fn break_off(&mut self, mut bad: u32) -> Result<(), Error> {
        self.repeat().await?;
        while bad > self.heard + 1 && self.is_going_on() {
            self.checkpoint().await?;
            let middle = self.heard + (bad - self.heard) / 2;
            if !self.is_sound_until(middle).await? {
                bad = middle;
                self.repeat().await?;
            }
        }
        let step = self.heard;
        match self.hear_alone(step + 1).await {
            Ok(()) => {
                for trial in 0..self.runs.len() {
                    if let Some(error) = self.not_finite(trial, step).await? {
                        self.runs[trial].break_off(step, error);
                    }
                }
            }
            Err(error @ Error::EventTooLarge { .. }) if self.runs.len() == 1 => self.runs[0].break_off(step, error),
            Err(error) => return Err(error),
        }
        self.suspicious = false;
        // The next one to break off goes back to here at most.
        if self.is_going_on() { self.checkpoint().await } else { Ok(()) }
    }

    /// Whether any trial has not ended.
    pub(super) fn is_going_on(&self) -> bool {
        self.runs.iter().any(|run| !run.has_ended())
    }

    /// Runs up to a step; whether nothing has left the numbers there.
    async fn is_sound_until(&mut self, step: u32) -> Result<bool, Error> {
        match self.hear_alone(step).await {
            Ok(()) => Ok(!std::mem::take(&mut self.suspicious)),
            Err(Error::EventTooLarge { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Runs up to a step, and begins nothing beyond.
    async fn hear_alone(&mut self, step: u32) -> Result<(), Error> {
        let look_ahead = std::mem::take(&mut self.look_ahead);
        let mut heard = Ok(());
        while heard.is_ok() && self.heard < step && self.is_going_on() {
            heard = self.hear(step - self.heard, step).await;
        }
        self.look_ahead = look_ahead;
        heard
    }

    /// What has left the numbers in a trial that has not ended, in the step that the device has just made.
    async fn not_finite(&mut self, trial: usize, step: u32) -> Result<Option<Error>, Error> {
        if self.runs[trial].has_ended() {
            return Ok(None);
        }
        let plan = self.runs[trial].plan.clone();
        for (index, population) in plan.populations.iter().enumerate() {
            for variable in population.program.moving() {
                let words = self.backend.read(trial, Probe::Variable { population: index, variable }).await?;
                let is_wrong = |word: &u32| !f32::from_bits(*word).is_finite();
                if !words.iter().any(is_wrong) {
                    continue;
                }
                let last_spikes = self.backend.read(trial, Probe::LastSpike { population: index }).await?;
                // A neuron that has just fired is still to be reset.
                let mut waiting = words.iter().zip(&last_spikes).map(|(word, last)| is_wrong(word) && *last != step);
                if let Some(neuron) = waiting.position(|is_wrong| is_wrong) {
                    return Ok(Some(Error::Diverged {
                        population: population.name.clone(),
                        variable: population.program.variables[variable].clone(),
                        neuron,
                        value: f32::from_bits(words[neuron]),
                        step,
                        time_ms: libm::round(f64::from(step) * plan.dt_ms * 1e9) / 1e9,
                        dt_ms: plan.dt_ms,
                    }));
                }
            }
        }
        Ok(None)
    }
}
