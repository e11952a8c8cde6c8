//! Learned weights of a running network, saved and loaded.

use std::collections::HashMap;

use spikelet_plan::check_same;

use super::Simulation;
use crate::{ArrayId, EdgeTable, Error, Owner, Plan, SynapseState};

impl Simulation {
    /// The variables of all synapses with state at [`Simulation::device_step`] in a trial, by its index in [`Simulation::runs`].
    /// Event-driven ones have their values after the last event of their synapse.
    ///
    /// # Errors
    /// As [`Simulation::read_trial`]; no synapses have state.
    pub async fn synapse_state(&mut self, trial: usize) -> Result<Vec<SynapseState>, Error> {
        self.collect().await?;
        self.check_in_step(trial)?;
        let plan = self.runs[trial].plan.clone();
        let mut all = Vec::new();
        for (projection, of) in plan.projections.iter().enumerate() {
            if !of.keeps_state() {
                continue;
            }
            let pairs = self.backend.synapses(&plan, projection).await?.ends;
            let mut learned = SynapseState { projection: of.name.clone(), pairs, ..SynapseState::default() };
            let owner = Owner::Synapses { projection };
            for (array, entry) in plan.arrays().named().filter(|(_, entry)| entry.owner == owner) {
                let words = self.backend.read(trial, array).await?;
                learned.variables.insert(entry.name().to_owned(), words.into_iter().map(f32::from_bits).collect());
            }
            all.push(learned);
        }
        if all.is_empty() {
            let sentence = "no synapses of the network have values that change: their events are constant, or neurons store their state, so there is nothing to save";
            return Err(Error::Backend(sentence.into()));
        }
        Ok(all)
    }

    /// All synapses of a projection with their values at [`Simulation::device_step`] in a trial, by its index in [`Simulation::runs`].
    ///
    /// # Errors
    /// As [`EdgeTable::new`] and [`Simulation::read_trial`].
    pub async fn edge_table(&mut self, trial: usize, projection: &str) -> Result<EdgeTable, Error> {
        self.collect().await?;
        self.check_in_step(trial)?;
        let (network, plan) = (self.runs[trial].network.clone(), self.runs[trial].plan.clone());
        let index = plan.projections.iter().position(|of| of.name == projection);
        let mut words = HashMap::new();
        for (array, _) in plan.arrays().named().filter(|(_, entry)| index.is_some() && entry.owner.of_synapses() == index) {
            words.insert(array, self.backend.read(trial, array).await?);
        }
        EdgeTable::new(network, plan.clone(), projection, Some(&words))
    }

    /// Loads the values of a file into the synapses of a trial: all of them or, if one does not fit, none. They stay until the next
    /// [reset](Simulation::reset). Earlier results do not change.
    ///
    /// # Errors
    /// The file is of other synapses, or of variables that this network does not have or cannot change; as [`Simulation::write_trial`].
    pub async fn load_weights(&mut self, trial: usize, file: &str, learned: &[SynapseState]) -> Result<(), Error> {
        self.collect().await?;
        self.check_in_step(trial)?;
        let plan = self.runs[trial].plan.clone();
        let mut arrays = Vec::new();
        for of in learned {
            arrays.extend(places(&plan, file, of)?);
        }
        if arrays.is_empty() {
            let expected = "a file of learned weights has arrays such as `EE.pre`, `EE.post` and `EE.w`";
            return Err(Error::invalid(file, "empty", expected, "use one that was saved from this network"));
        }
        for (array, values) in arrays {
            let words: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
            self.write_trial(trial, array, &words).await?;
        }
        Ok(())
    }
}

/// The target of the values of a projection.
fn places<'a>(plan: &Plan, file: &str, learned: &'a SynapseState) -> Result<Vec<(ArrayId, &'a [f32])>, Error> {
    let known = || plan.projections.iter().filter(|of| of.keeps_state()).map(|of| of.name.as_str());
    let find = || plan.projections.iter().position(|of| of.name == learned.projection && of.keeps_state());
    let Some(projection) = find() else {
        return Err(Error::unknown_name(file, "projection whose synapses have state", &learned.projection, known()));
    };
    let of = &plan.projections[projection];
    check_same(learned, file, of.pre_slice.start, (of.rows(), plan.own(of.post)))?;
    let Some(state) = &of.state else { return Ok(Vec::new()) };
    let mut places = Vec::new();
    let own = plan.own(of.post);
    let synapses = || (0..learned.pairs.len()).filter(|synapse| own.contains(learned.pairs[*synapse][1]));
    for (name, values) in &learned.variables {
        let path = format!("{file}: {}.{name}", of.name);
        let owner = Owner::Synapses { projection };
        let known = || plan.arrays().named().filter(|(_, entry)| entry.owner == owner);
        let Some((array, entry)) = known().find(|(_, entry)| entry.name() == name) else {
            let known = known().map(|(_, entry)| entry.name());
            return Err(Error::unknown_name(&path, "variable that differs between synapses", name, known));
        };
        let initial = |synapse: usize| state.arrays[entry.index].initial(synapse);
        if !entry.is_parameter() {
            places.push((array, values.as_slice()));
        } else if let Some((here, synapse)) = synapses().enumerate().find(|(here, synapse)| values[*synapse] != initial(*here)) {
            let expected = format!(
                "in this network it is {}, and values that spikes do not change are constant during a run",
                initial(here)
            );
            let way_out = "open the network with the file as `learned` of its projection";
            return Err(Error::invalid(format!("{path}[{synapse}]"), values[synapse], expected, way_out));
        }
    }
    Ok(places)
}
