//! Infinite and NaN states, and columns of timed arrays that do not exist: the first variable, neuron and step.

use spikelet_plan::time;

use super::Simulation;
use crate::{Error, Owner};

impl Simulation {
    /// As [`Simulation::hear`]; trials with an infinite or NaN state fail at that step.
    pub(super) async fn receive_or_abort(&mut self, steps: u32, end: u32) -> Result<(), Error> {
        match self.receive_epoch(steps, end).await {
            Ok(()) if self.suspicious => self.abort_diverged(self.device_step()).await,
            // Of several trials it is unknown which one the event belongs to.
            Err(Error::EventTooLarge { .. }) if self.runs.len() == 1 => self.abort_diverged(self.device_step().max(end)).await,
            received => received,
        }
    }

    /// Finds the first step with an infinite or NaN state, between the last returned results and `bad`, where the device found it: returns
    /// to a checkpoint and bisects. The device is then after that step.
    pub(super) async fn abort_diverged(&mut self, mut bad: u32) -> Result<(), Error> {
        self.repeat().await?;
        while bad > self.received + 1 && self.is_going_on() {
            self.checkpoint().await?;
            let middle = self.received + (bad - self.received) / 2;
            if !self.is_finite_until(middle).await? {
                bad = middle;
                self.repeat().await?;
            }
        }
        let step = self.received;
        match self.receive_without_ahead(step + 1).await {
            Ok(()) => {
                for trial in 0..self.runs.len() {
                    let mut found = self.missing_column(trial).await?;
                    if found.is_none() {
                        found = self.not_finite(trial, step).await?;
                    }
                    if found.is_none() {
                        found = self.not_comparable(trial, step).await?;
                    }
                    if let Some(error) = found {
                        self.runs[trial].abort(step, error);
                    }
                }
            }
            Err(error @ Error::EventTooLarge { .. }) if self.runs.len() == 1 => self.runs[0].abort(step, error),
            Err(error) => return Err(error),
        }
        self.suspicious = false;
        // The next failure returns to this step at most.
        if self.is_going_on() { self.checkpoint().await } else { Ok(()) }
    }

    /// Whether any trial has not ended.
    pub(super) fn is_going_on(&self) -> bool {
        self.runs.iter().any(|run| !run.has_ended())
    }

    /// Runs up to a step; returns whether all states are finite.
    async fn is_finite_until(&mut self, step: u32) -> Result<bool, Error> {
        match self.receive_without_ahead(step).await {
            Ok(()) => Ok(!std::mem::take(&mut self.suspicious)),
            Err(Error::EventTooLarge { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Runs up to a step, and begins nothing beyond.
    async fn receive_without_ahead(&mut self, step: u32) -> Result<(), Error> {
        let look_ahead = std::mem::take(&mut self.look_ahead);
        let mut received = Ok(());
        while received.is_ok() && self.received < step && self.is_going_on() {
            received = self.receive_epoch(step - self.received, step).await;
        }
        self.look_ahead = look_ahead;
        received
    }

    /// The variable that became infinite or NaN in a trial that has not ended, in the last step of the device.
    async fn not_finite(&mut self, trial: usize, step: u32) -> Result<Option<Error>, Error> {
        if self.runs[trial].has_ended() {
            return Ok(None);
        }
        let plan = self.runs[trial].plan.clone();
        for (index, population) in plan.populations.iter().enumerate() {
            let owner = Owner::Neurons { population: index };
            // They follow the variables.
            let Some(last_spikes) = plan.arrays().of(owner, population.program.variables.len()) else { continue };
            for variable in population.program.moving() {
                let Some(values) = plan.arrays().of(owner, variable) else { continue };
                let words = self.backend.read(trial, values).await?;
                let is_wrong = |word: &u32| !f32::from_bits(*word).is_finite();
                if !words.iter().any(is_wrong) {
                    continue;
                }
                let last_spikes = self.backend.read(trial, last_spikes).await?;
                // A neuron that has just fired will be reset.
                let mut waiting = words.iter().zip(&last_spikes).map(|(word, last)| is_wrong(word) && *last != step);
                if let Some(neuron) = waiting.position(|is_wrong| is_wrong) {
                    let name = &population.program.variables[variable];
                    let model = plan.model(index);
                    let declared = model.variable(name);
                    let is_integrated = declared.is_some_and(|of| model.equations.iter().any(|(at, _)| *at == of));
                    let is_integer = declared.is_some_and(|of| model.variables[of].integer);
                    return Ok(Some(Error::Diverged {
                        population: population.name.clone(),
                        variable: name.clone(),
                        is_integrated,
                        is_integer,
                        neuron,
                        value: f32::from_bits(words[neuron]),
                        step,
                        time_ms: time::of_step(step, plan.dt_ms),
                        dt_ms: plan.dt_ms,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// The neuron that has requested a column of a timed array that does not exist, in a trial that has not ended.
    async fn missing_column(&mut self, trial: usize) -> Result<Option<Error>, Error> {
        if self.runs[trial].has_ended() {
            return Ok(None);
        }
        let plan = self.runs[trial].plan.clone();
        for (index, population) in plan.populations.iter().enumerate() {
            let Some(checks) = &population.program.columns else { continue };
            let place = |array: usize| plan.arrays().of(Owner::Neurons { population: index }, array);
            let (Some(missing), Some(step)) = (place(checks.missing), place(checks.step)) else { continue };
            let words = self.backend.read(trial, missing).await?;
            let Some(neuron) = words.iter().position(|word| f32::from_bits(*word) != 0.0) else { continue };
            let step = f32::from_bits(self.backend.read(trial, step).await?[neuron]) as u32;
            for check in &checks.tables {
                let Some(array) = place(check.array) else { continue };
                let column = f32::from_bits(self.backend.read(trial, array).await?[neuron]);
                // 0, which always exists, is that of tables without a note.
                if column != 0.0 {
                    let (population, table, last) = (population.name.clone(), check.name.clone(), check.count - 1);
                    let time_ms = time::of_step(step, plan.dt_ms);
                    return Ok(Some(Error::MissingColumn { population, table, column, last, neuron, step, time_ms }));
                }
            }
        }
        Ok(None)
    }

    /// The neuron whose value cannot be compared in a trial that has not ended, in the last step of the device.
    async fn not_comparable(&mut self, trial: usize, step: u32) -> Result<Option<Error>, Error> {
        if self.runs[trial].has_ended() {
            return Ok(None);
        }
        let plan = self.runs[trial].plan.clone();
        for (index, population) in plan.populations.iter().enumerate() {
            let score = population.program.score;
            let Some(score) = score.and_then(|array| plan.arrays().of(Owner::Neurons { population: index }, array)) else {
                continue;
            };
            let words = self.backend.read(trial, score).await?;
            if let Some(neuron) = words.iter().position(|word| f32::from_bits(*word).is_nan()) {
                let (population, time_ms) = (population.name.clone(), time::of_step(step, plan.dt_ms));
                return Ok(Some(Error::NotComparable { population, neuron, step, time_ms }));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Cpu, Network, Plan, Variant};

    /// Neurons whose v grows by a factor of 1 + g in each step, and a change without effect.
    fn growing(g: f64) -> Network {
        let network = serde_json::json!({
            "name": "n", "dt_ms": 1, "duration_ms": 1000,
            "populations": [{"name": "n", "size": 300, "equations": "dv/dt = g*v/ms : 1", "method": "euler", "parameters": {"g": g},
                             "initial": {"v": {"expr": "1e-30 + 1e-23*int(i == 257)"}}},
                            {"name": "m", "size": 1, "equations": "dv/dt = I/ms : 1", "parameters": {"I": 1}}],
            "recordings": [{"object": "n", "var": "v", "indices": [257]}],
            "changes": [{"at_ms": 150, "set": {"m.I": 2}}]
        });
        Network::from_json(&network.to_string()).unwrap()
    }

    fn found(simulation: &Simulation, trial: usize) -> Option<(&str, usize, u32)> {
        match simulation.runs()[trial].failure()? {
            Error::Diverged { variable, neuron, step, .. } => Some((variable, *neuron, *step)),
            other => panic!("{other}"),
        }
    }

    /// 1e-23 · 2²⁰⁵ exceeds the largest number: step 204 computes it.
    #[test]
    fn the_step_is_found_whatever_the_length_of_a_batch() {
        for (batch, look_ahead) in [(1, 0), (7, 0), (64, 1), (204, 0), (205, 2), (1000, 0)] {
            pollster::block_on(async {
                let mut simulation = Simulation::new(&growing(1.0), Box::new(Cpu::new(2))).await.unwrap();
                simulation.begin_ahead(look_ahead);
                let mut samples = Vec::new();
                while !simulation.is_over() {
                    samples.extend(simulation.advance(batch).await.unwrap().samples);
                }
                assert_eq!(found(&simulation, 0), Some(("v", 257, 204)), "batches of {batch}");
                assert_eq!((simulation.step(), samples.len()), (204, 204));
                assert!(samples.iter().all(|sample| sample.is_finite()));
                assert_eq!(simulation.advance(1).await.err().as_ref(), simulation.failure());
                assert!(simulation.snapshot().await.is_err());
                simulation.reset(0).await.unwrap();
                assert_eq!(simulation.advance(50).await.unwrap().samples, samples[..50]);
            });
        }
    }

    /// The third event of neuron 1, which fires in steps 3, 7 and 11, arrives in step 13.
    #[test]
    fn an_event_that_is_too_large_is_placed_whatever_the_length_of_a_batch() {
        let network = serde_json::json!({
            "name": "n", "dt_ms": 0.05, "duration_ms": 5,
            "populations": [{"name": "a", "size": 3, "equations": "x : 1", "update": "x += 1", "threshold": "i == 1 and x % 4 < 0.5"},
                            {"name": "b", "size": 70, "equations": "v : 1\nu : 1", "update": "u = 0*u"}],
            "projections": [{"name": "ab", "pre": "a", "post": "b", "pairs": [[0, 3], [1, 66]], "equations": "w : 1",
                             "on_pre": "w = 100*w + 1\nu_post += 1\nv_post += w", "delay_ms": 0.1}]
        });
        let network = Network::from_json(&network.to_string()).unwrap();
        for batch in [1, 5, 16, 100] {
            let mut simulation = pollster::block_on(Simulation::new(&network, Box::new(Cpu::new(1)))).unwrap();
            let error = (0..100).find_map(|_| pollster::block_on(simulation.advance(batch)).err()).unwrap();
            assert!(matches!(error, Error::EventTooLarge { value: 10101.0, .. }), "batches of {batch}: {error}");
            assert_eq!(simulation.step(), 13, "batches of {batch}");
        }
    }

    #[test]
    fn a_trial_that_breaks_off_leaves_the_others_alone() {
        let variant = |g: f64| {
            let network = growing(g);
            let plan = Arc::new(Plan::new(&network).unwrap());
            Variant { network: Arc::new(network), plan, trial: 0 }
        };
        pollster::block_on(async {
            let variants = [1.0, 0.1, 0.9].map(variant).into();
            let mut simulation = Simulation::of_trials(variants, Box::new(Cpu::new(2))).await.unwrap();
            let mut rows = [0; 3];
            while simulation.step() < 400 {
                let parts = simulation.advance_trials(100).await.unwrap();
                rows.iter_mut().zip(parts).for_each(|(rows, part)| *rows += part.samples.len());
            }
            let found = [0, 1, 2].map(|trial| found(&simulation, trial));
            assert_eq!(found, [Some(("v", 257, 204)), None, Some(("v", 257, 220))]);
            assert_eq!((rows, simulation.is_over()), ([204, 400, 220], false));
        });
    }
}
