//! Values after what is due of the last step.

use super::Simulation;
use crate::network::Recording;
use crate::{Error, Indices, Owner};

impl Simulation {
    /// The values of variables of populations (`E.v`, `E.v[0:100]`) after the inputs and resets of the last step, at
    /// [`Simulation::device_step`] in a trial by its index. A device adds that input, and resets neurons that have fired, at the start of the
    /// next step, so that [`Simulation::values`] shows the state before. In their [unit](crate::ArrayEntry::unit).
    ///
    /// In f32 a step is run for it, and taken back: statements at regular times that are due in that step are included.
    ///
    /// # Errors
    /// An unknown variable, or one of synapses; as [`Simulation::read_trial`], and in f32 as [`Simulation::snapshot`].
    pub async fn settled(&mut self, trial: usize, paths: &[&str]) -> Result<Vec<Vec<f64>>, Error> {
        self.collect().await?;
        self.check_in_step(trial)?;
        let mut wanted = Vec::new();
        for path in paths {
            let (_, entry, range) = self.find(path)?;
            let Owner::Neurons { population } = entry.owner else {
                let expected = "input and resets are those of neurons";
                return Err(Error::invalid(path, "a variable of synapses", expected, "read it as it is"));
            };
            wanted.push((population, entry, range));
        }
        let mut found = Vec::new();
        for (population, entry, range) in &wanted {
            let Some(variables) = self.backend.settled(trial, *population, self.received) else { break };
            let Some(values) = variables.get(entry.index) else { break };
            found.push(values[range.start as usize..range.end as usize].to_vec());
        }
        if found.len() == wanted.len() {
            return Ok(found);
        }
        let recording = |path: &&str| {
            let (object, var) = path.split('[').next().unwrap_or_default().split_once('.').unwrap_or_default();
            Recording { object: object.into(), var: var.into(), indices: Indices::All, ..Recording::default() }
        };
        let (before, recordings) = (self.snapshot().await?, self.network().recordings.clone());
        let advanced = async {
            self.record(paths.iter().map(recording).collect()).await?;
            self.begin_ahead(0);
            self.advance_trials(1).await
        };
        let advanced = advanced.await;
        self.record(recordings).await?;
        self.restore(&before).await?;
        let activities = advanced?;
        let mut values = activities[trial].samples.iter().map(|sample| f64::from(*sample));
        let mut all = Vec::new();
        for (population, _, range) in wanted {
            let whole: Vec<f64> = values.by_ref().take(self.plan().populations[population].size as usize).collect();
            all.push(whole.get(range.start as usize..range.end as usize).unwrap_or_default().to_vec());
        }
        Ok(all)
    }
}
