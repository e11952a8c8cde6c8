//! All that is wrong with a network, before anything is drawn.

use spikelet_lang::{Layout, SynapseLayout};

use super::checked::{self, Checked};
use super::memory::{Estimate, OUT_OF_MEMORY};
use super::neurons::{self, Neurons};
use super::sources::Unfolded;
use super::{BuildOptions, changes, statistics};
use crate::{Error, Network};

impl Network {
    /// What is wrong with a network, as far as that shows before synapses are drawn: in each population, source, projection and so on the
    /// first thing, and of equations all. Where something is wrong apart from equations, these are not looked at. Files that it
    /// names are not read. Nothing, where a plan can be built of it with these options.
    pub fn diagnose(&self, options: BuildOptions) -> Vec<Error> {
        let flaws: Vec<Error> = self.flaws().collect();
        if !flaws.is_empty() {
            return flaws;
        }
        self.diagnose_models(options).unwrap_or_else(|error| vec![error])
    }

    fn diagnose_models(&self, options: BuildOptions) -> Result<Vec<Error>, Error> {
        // What there is no room for is not looked at neuron by neuron.
        Estimate::check_neurons(self, options.memory)?;
        let whole = Unfolded::new(self)?;
        let room =
            Estimate::of_unfolded(&whole, options.weights).and_then(|mut estimate| estimate.fit(self, options).map(|_| ()));
        if let Err(error) = &room
            && error.kind() == Some(OUT_OF_MEMORY)
        {
            return room.map(|()| Vec::new());
        }
        let mut flaws = Vec::new();
        let mut keep = |error: Error| flaws.push(error);
        let populations: Vec<Option<Neurons>> = (0..whole.populations.len())
            .map(|index| neurons::check_one(&whole, index).and_then(Neurons::compiled).map_err(&mut keep).ok())
            .collect();
        let mut projections = Vec::new();
        for index in 0..self.projections.len() {
            let (pre, post) = checked::ends(&whole, index)?;
            // What is wrong with a population is told of that.
            if let (Some(from), Some(to)) = (&populations[pre], &populations[post]) {
                let checked = checked::check_between(&whole, index, [(pre, from), (post, to)]);
                projections.push(checked.and_then(|checked| checked.compiled(index, to)).map_err(&mut keep).ok());
            }
        }
        let (populations, projections): (Option<Vec<Neurons>>, Option<Vec<Checked>>) =
            (populations.into_iter().collect(), projections.into_iter().collect());
        let (Some(populations), Some(projections)) = (populations, projections) else { return Ok(flaws) };
        let rest = [
            self.diagnose_recordings(&whole, &populations, &projections),
            statistics::check(&whole, &projections.iter()),
            changes::check(self, &populations),
            room,
        ];
        Ok(rest.into_iter().filter_map(Result::err).collect())
    }

    /// Refuses recordings of what is not there.
    fn diagnose_recordings(&self, whole: &Unfolded<'_>, populations: &[Neurons], projections: &[Checked]) -> Result<(), Error> {
        for (index, recording) in self.recordings.iter().enumerate() {
            let of_projection = projections.iter().find(|of| of.name == recording.object);
            let known: Vec<String> = match (whole.find(&recording.object), of_projection) {
                (Some(population), _) => populations[population].model.names().map(str::to_owned).collect(),
                (None, Some(of)) => of.model.dimensions().into_iter().map(|(name, _)| name).collect(),
                (None, None) => continue,
            };
            if !known.contains(&recording.var) {
                let path = format!("recordings[{index}].var");
                return Err(Error::unknown_name(&path, "variable", &recording.var, known.iter().map(String::as_str)));
            }
        }
        Ok(())
    }
}

impl Neurons {
    /// Refuses equations that no method integrates.
    fn compiled(self) -> Result<Neurons, Error> {
        match self.model.compile(&Layout::default()) {
            Ok(_) => Ok(self),
            Err(diagnostic) => Err(Error::model(&self.path, vec![diagnostic])),
        }
    }
}

impl Checked {
    /// The same of synapses.
    fn compiled(self, index: usize, post: &Neurons) -> Result<Checked, Error> {
        // Static ones have no code.
        match (!self.model.is_static()).then(|| self.model.compile(&post.model, &SynapseLayout::default())).transpose() {
            Ok(_) => Ok(self),
            Err(diagnostic) => Err(Error::model(&format!("projections[{index}]"), vec![diagnostic])),
        }
    }
}
