//! All errors of a network, before anything is drawn.

use indexmap::IndexMap;
use spikelet_lang::{Dimension, PopulationLayout, SynapseLayout};
use spikelet_network::{Error, Network, Recording};

use super::BuildOptions;
use super::pairs::connectivity;
use crate::check::changes;
use crate::check::checked::{self, CheckedProjection};
use crate::check::quantities::{delays, named};
use crate::draw::memory::{Estimate, OUT_OF_MEMORY};
use crate::draw::third;
use crate::layout::recordings::check_unit;
use crate::layout::statistics;
use crate::neurons;
use crate::neurons::ends::EndValues;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::{Generated, LoweredNetwork};
use crate::pairs::edges::EdgelessContext;

/// The errors of a network that can be found before synapses are drawn: the first one in each population, source, projection and so on, and
/// all errors in equations. If an object has an error outside of its equations, these are not checked, nor those of synapses onto it. Files
/// are not read. Empty if a plan can be built with these options.
pub fn diagnose(network: &Network, options: BuildOptions) -> Vec<Error> {
    let mut field_errors: Vec<Error> = network.errors().collect();
    // Without a time step and names nothing can be checked.
    let paths: Vec<String> = field_errors.iter().filter_map(|field_error| field_error.path().map(str::to_owned)).collect();
    let is_of_part = |path: &String| {
        ["populations[", "sources[", "projections[", "recordings[", "statistics[", "changes[", "stop["]
            .iter()
            .any(|part| path.starts_with(part) && !path.ends_with("].name"))
    };
    if paths.len() == field_errors.len() && paths.iter().all(is_of_part) {
        field_errors.extend(diagnose_models(&network.with_placeholders(), options, &paths).unwrap_or_else(|error| vec![error]));
    }
    field_errors
}

/// Errors in the models of objects other than those at these `paths`.
fn diagnose_models(network: &Network, options: BuildOptions, paths: &[String]) -> Result<Vec<Error>, Error> {
    // A network that does not fit into memory is not checked neuron by neuron.
    Estimate::check_neurons(network, options.memory)?;
    let is_sound = |part: &str| !paths.iter().any(|path| path.starts_with(part));
    if paths.iter().any(|path| path.starts_with("sources[") || path.contains("].positions")) {
        // They cannot be evaluated.
        return Ok(Vec::new());
    }
    let whole = LoweredNetwork::new(network)?;
    let room = Estimate::of_lowered(&whole, options.weights).and_then(|mut estimate| estimate.fit(&whole, options).map(|_| ()));
    if let Err(error) = &room
        && error.kind() == Some(OUT_OF_MEMORY)
    {
        return room.map(|()| Vec::new());
    }
    let mut field_errors = Vec::new();
    let mut keep = |error: Error| field_errors.push(error);
    let populations: Vec<Option<CheckedPopulation>> = (0..whole.populations.len())
        .map(|index| {
            is_sound(&whole.paths[index]).then_some(())?;
            neurons::check_one(&whole, index).and_then(CheckedPopulation::compiled).map_err(&mut keep).ok()
        })
        .collect();
    let mut projections = Vec::new();
    for index in 0..whole.projections.len() {
        // What is added to presynaptic neurons has the synapses of the projection of the file.
        let of_file = if let Some(Generated::ToPre(of)) = whole.generated(index) { *of } else { index };
        let ends = checked::ends(&whole, index).ok().filter(|_| is_sound(&format!("projections[{of_file}]")));
        let neurons = ends.map(|(pre, post)| ((pre, &populations[pre]), (post, &populations[post])));
        // Errors of a population are reported for the population.
        let Some(((pre, Some(from)), (post, Some(to)))) = neurons else {
            projections.push(None);
            continue;
        };
        let third = checked::third(&whole, index).ok().flatten();
        let of_third = third.and_then(|third| Some((third, populations[third].as_ref()?)));
        if third.is_some() && of_third.is_none() {
            projections.push(None);
            continue;
        }
        let checked = checked::check_between(&whole, index, [(pre, from), (post, to)], of_third);
        let checked = checked.and_then(|checked| checked.compiled(index, to)).and_then(|checked| {
            connectivity(&whole, index)?;
            checked.with_values(&whole, index)
        });
        projections.push(checked.map_err(&mut keep).ok());
    }
    field_errors.extend(diagnose_recordings(network, &whole, &populations, &projections));
    let (populations, projections): (Option<Vec<CheckedPopulation>>, Option<Vec<CheckedProjection>>) =
        (populations.into_iter().collect(), projections.into_iter().collect());
    let (Some(populations), Some(projections), true) = (populations, projections, paths.is_empty()) else {
        return Ok(field_errors);
    };
    let is_whole = field_errors.is_empty();
    let rest = [statistics::check(&whole, &projections.iter()), changes::check(network, &populations)];
    field_errors.extend(rest.into_iter().filter_map(Result::err));
    if is_whole {
        field_errors.extend(room.err());
    }
    Ok(field_errors)
}

/// Recordings of unknown objects, or with a wrong unit.
fn diagnose_recordings(
    network: &Network,
    whole: &LoweredNetwork<'_>,
    populations: &[Option<CheckedPopulation>],
    projections: &[Option<CheckedProjection>],
) -> Vec<Error> {
    let check = |(index, recording): (usize, &Recording)| {
        let of_projection = projections.iter().flatten().find(|of| of.name == recording.object);
        let known: IndexMap<String, Dimension> = match (whole.find(&recording.object), of_projection) {
            (Some(population), _) => {
                let model = &populations[population].as_ref()?.model;
                model.names().filter_map(|name| Some((name.to_owned(), model.dimension(name)?))).collect()
            }
            (None, Some(of)) => of.model.dimensions(),
            (None, None) => return None,
        };
        let path = format!("recordings[{index}]");
        let Some(measured) = known.get(&recording.var) else {
            let known = known.keys().map(String::as_str);
            return Some(Error::unknown_name(&format!("{path}.var"), "variable", &recording.var, known));
        };
        check_unit(recording.unit.as_deref(), &recording.var, *measured, &path).err()
    };
    network.recordings.iter().enumerate().filter_map(check).collect()
}

impl CheckedPopulation {
    /// Rejects equations that no method integrates.
    fn compiled(self) -> Result<CheckedPopulation, Error> {
        match self.model.compile(&PopulationLayout::default()) {
            Ok(_) => Ok(self),
            Err(diagnostic) => Err(Error::model(&self.path, vec![diagnostic])),
        }
    }
}

impl CheckedProjection {
    /// The same for synapses.
    fn compiled(self, index: usize, post: &CheckedPopulation) -> Result<CheckedProjection, Error> {
        // Static synapses have no code.
        match (!self.model.is_static()).then(|| self.model.compile(&post.model, &SynapseLayout::default())).transpose() {
            Ok(_) => Ok(self),
            Err(diagnostic) => Err(Error::model(&format!("projections[{index}]"), vec![diagnostic])),
        }
    }
    /// Rejects names without a value, and values and delays of wrong dimensions. Values from files are not checked.
    fn with_values(self, network: &LoweredNetwork<'_>, index: usize) -> Result<CheckedProjection, Error> {
        let projection = &network.projections[index];
        if projection.pairs.as_ref().is_none_or(|pairs| pairs.unread().is_none()) {
            let edgeless = EdgelessContext { dt: network.dt_ms, projection, ends: EndValues::new(network, index)? };
            let named = named(index, &self, &edgeless)?;
            delays(network, index, &self, &named, &edgeless)?;
            third::check(network, index, &self, &named, &edgeless)?;
        }
        Ok(self)
    }
}
