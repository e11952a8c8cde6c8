//! Projections with checked synapse models.

use indexmap::IndexMap;
use spikelet_lang::library::{ModelKind, extended};
use spikelet_lang::model::Method;
use spikelet_lang::program::Register;
use spikelet_lang::syntax::parse_equations;
use spikelet_lang::{
    Dimension, End, LibraryModel, PLASTICITY, SynapseLayout, SynapseModel, SynapseNeurons, SynapseText, check_synapse, library,
};
use spikelet_network::{Error, Projection, Quantity, Weights};

use crate::neurons::ends::EndValues;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::LoweredNetwork;
use crate::neurons::texts::{preset, regular};
use crate::pairs::edges::EdgelessContext;
use crate::pairs::learned;
use crate::values::computed::check_free;
use crate::values::draw_numbers::DrawNumbers;
use crate::values::{NamedValues, circle, in_order};

/// A projection with its checked model.
pub(crate) struct CheckedProjection {
    pub(crate) name: String,
    pub(crate) pre: usize,
    pub(crate) post: usize,
    /// The population of the third neurons, if there are any.
    pub(crate) third: Option<usize>,
    pub(crate) model: SynapseModel,
    /// Dimensions of the names that the equations declare, or that differ between synapses.
    pub(crate) declared: IndexMap<String, Dimension>,
    pub(crate) equations: String,
    pub(crate) parameters: IndexMap<String, Quantity>,
    pub(crate) initial: IndexMap<String, Quantity>,
    /// The numbers of its names, for what is drawn.
    pub(crate) draws: DrawNumbers,
    /// The place of each pathway among those of a step.
    pub(crate) order: Vec<i32>,
}

impl CheckedProjection {
    /// A projection that is not in the file, without a model.
    pub(crate) fn generated(name: &str, [pre, post]: [usize; 2]) -> CheckedProjection {
        let (declared, parameters, initial) = (IndexMap::new(), IndexMap::new(), IndexMap::new());
        let (model, equations, order) = (SynapseModel::default(), String::new(), Vec::new());
        let (name, third, draws) = (name.to_owned(), None, DrawNumbers::default());
        CheckedProjection { name, pre, post, third, model, declared, equations, parameters, initial, draws, order }
    }

    /// The fewest words of each synapse, if it has state: variables that differ, whatever the values are.
    pub(crate) fn words_of_state(&self, post: &CheckedPopulation) -> Option<u64> {
        if self.model.is_static() {
            return None;
        }
        // Errors are reported where synapses are drawn.
        let program = self.model.compile(&post.model, &SynapseLayout::default()).ok()?;
        Some(program.registers.iter().filter(|register| matches!(register, Register::Own(_))).count() as u64)
    }

    /// The population of one of its neurons; `None` for a third one that it does not have.
    pub(crate) fn population(&self, end: End) -> Option<usize> {
        match end {
            End::Pre => Some(self.pre),
            End::Post => Some(self.post),
            End::Third => self.third,
        }
    }
}

/// Checks the synapse model of a projection.
pub(crate) fn check(
    network: &LoweredNetwork<'_>,
    index: usize,
    neurons: &[CheckedPopulation],
) -> Result<CheckedProjection, Error> {
    let (pre, post) = ends(network, index)?;
    let third = third(network, index)?.map(|third| (third, &neurons[third]));
    check_between(network, index, [(pre, &neurons[pre]), (post, &neurons[post])], third)
}

/// The same, with the populations of both sides, and of the third neurons.
pub(crate) fn check_between(
    network: &LoweredNetwork<'_>,
    index: usize,
    [(pre, pre_neurons), (post, post_neurons)]: [(usize, &CheckedPopulation); 2],
    third: Option<(usize, &CheckedPopulation)>,
) -> Result<CheckedProjection, Error> {
    let projection = &network.projections[index];
    if let Some(generated) = network.generated(index) {
        return generated.checked(network, &projection.name, [(pre, pre_neurons), (post, post_neurons)], third);
    }
    let path = format!("projections[{index}]");
    let library = projection.model.as_deref().map(|name| library_model(name, &path)).transpose()?;
    let own = projection.equations.clone().unwrap_or_default();
    let equations = library.as_ref().map_or_else(|| own.clone(), |model| extended(model.equations(), &own));
    let parsed = parse_equations("equations", &equations).map_err(|found| Error::model(&path, found))?;
    check_free(&parsed, &path, "parameters", &projection.parameters)?;
    check_free(&parsed, &path, "initial", &projection.initial)?;
    let mut declared: IndexMap<String, Dimension> =
        parsed.into_iter().map(|equation| (equation.name, equation.unit.dimension)).collect();
    // Which values differ between synapses is known after their evaluation; here an expression is assumed to differ.
    let (mut constants, mut each) = (IndexMap::new(), IndexMap::new());
    let mut known = NamedValues::default();
    let edgeless = EdgelessContext { dt: network.dt_ms, projection, ends: EndValues::new(network, index)? };
    let mut parameters = parameters(projection, library, &path)?;
    let own_plasticity = parameters.contains_key(PLASTICITY) || declared.contains_key(PLASTICITY);
    if !own_plasticity {
        parameters.insert(PLASTICITY.to_owned(), Quantity::Number(1.0));
    }
    let order = in_order(parameters.iter()).map_err(|names| Error::model(&format!("{path}.parameters"), vec![circle(&names)]))?;
    for (name, quantity) in order.into_iter().filter_map(|place| parameters.get_index(place)) {
        if declared.contains_key(name) {
            continue;
        }
        known
            .set(name, quantity, None, &edgeless, 0)
            .map_err(|diagnostic| Error::model(&format!("{path}.parameters"), vec![diagnostic]))?;
        let (dimension, values) = &known.0[name];
        let differs = !values.is_uniform() || matches!(quantity, spikelet_network::Quantity::Expr(_));
        if differs {
            each.insert(name.clone(), *dimension)
        } else {
            constants.insert(name.clone(), *dimension)
        };
    }
    declared.extend(each.iter().map(|(name, dimension)| (name.clone(), *dimension)));
    let of_library = library.as_ref().map(|model| model.synapse_text()).transpose().ok().flatten().unwrap_or_default();
    let pathways = |end: End, of_library: IndexMap<String, String>| -> IndexMap<String, String> {
        let mut own = projection.pathways(end).map(|(name, text)| (name.to_owned(), text.to_owned())).peekable();
        if own.peek().is_some() { own.collect() } else { of_library }
    };
    let method = projection.method.as_deref().or_else(|| library.as_ref().and_then(|model| model.method()));
    let method = method.map(Method::parse).transpose();
    let text = SynapseText {
        equations: equations.clone(),
        on_pre: pathways(End::Pre, of_library.on_pre),
        on_post: pathways(End::Post, of_library.on_post),
        on_third: pathways(End::Third, IndexMap::new()),
        method: method.map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?,
        each,
        functions: network.functions.clone(),
        regular: regular(&projection.run_regularly, &path, network.dt_ms)?,
    };
    let of_third = third.map(|(_, neurons)| &neurons.model);
    let models = SynapseNeurons { pre: &pre_neurons.model, post: &post_neurons.model, third: of_third };
    let model = check_synapse(&text, models, &constants).map_err(|mut diagnostics| {
        if let (Some(lines), Some(first)) = (library.as_ref().and_then(|model| model.post()), diagnostics.first_mut()) {
            let help = format!("The target needs in its `equations`:\n{}", lines.trim_end());
            first.help.get_or_insert_default().push_str(&format!(" {help}"));
        }
        Error::model(&path, diagnostics)
    })?;
    if model.plasticity.is_none() && !own_plasticity {
        parameters.swap_remove(PLASTICITY);
    }
    if let (None, Some(value)) = (&model.plasticity, projection.parameters.get(PLASTICITY))
        && !model.constants.iter().any(|constant| constant.name == PLASTICITY)
    {
        let expected = "it controls plasticity, and these synapses are not plastic";
        let way_out = "remove it, or flag the plastic variable, as in `dw/dt = … : 1 (event-driven, plastic)`";
        return Err(Error::invalid(format!("{path}.parameters.{PLASTICITY}"), value, expected, way_out));
    }
    if projection.weights == Some(Weights::F16) && !model.is_static() {
        let expected = "its synapses have state, and each of its variables has a format of its own";
        let way_out = "remove it, and flag the variable in the equations, as in `w : 1 (plastic, f16)`";
        return Err(Error::invalid(format!("{path}.weights"), "\"f16\"", expected, way_out));
    }
    learned::check(projection, &model, &path)?;
    if let Some(library) = &library {
        check_used(projection, library, &model, &path)?;
    }
    let initial = initial(projection, library, &path)?;
    // It is among the initial values now.
    let of_library = |name: &String| library.as_ref().is_some_and(|model| model.parameters.contains_key(name));
    parameters.retain(|name, _| !initial.contains_key(name) || projection.initial.contains_key(name) || of_library(name));
    let order = orders(projection, &model, &path)?;
    let (name, third) = (projection.name.clone(), third.map(|(population, _)| population));
    let draws = DrawNumbers::of_projection(projection, parameters.keys().chain(initial.keys()));
    Ok(CheckedProjection { name, pre, post, third, model, declared, equations, parameters, initial, draws, order })
}

/// The place of each pathway of a model among those of a step.
fn orders(projection: &Projection, model: &SynapseModel, path: &str) -> Result<Vec<i32>, Error> {
    let known = || model.pathways.iter().chain(&model.to_pre).map(|pathway| pathway.name.as_str());
    if let Some(unknown) = projection.order.keys().find(|name| !known().any(|known| known == name.as_str())) {
        return Err(Error::unknown_name(&format!("{path}.order"), "pathway", unknown, known()));
    }
    Ok(model.pathways.iter().map(|of| projection.order.get(&of.name).copied().unwrap_or(0)).collect())
}

fn library_model(name: &str, path: &str) -> Result<&'static LibraryModel, Error> {
    let synapses =
        || spikelet_lang::library::models().filter(|model| model.kind == ModelKind::Synapse).map(|model| model.name.as_str());
    let unknown = |_| Error::unknown_name(&format!("{path}.model"), "synapse model", name, synapses());
    let model = library(name).map_err(unknown)?;
    model.synapse_text().map_err(|diagnostic| Error::model(path, vec![diagnostic]))?;
    Ok(model)
}

/// Rejects parameters that a library synapse does not use: misspelled ones, or those of the target.
fn check_used(projection: &Projection, library: &LibraryModel, model: &SynapseModel, path: &str) -> Result<(), Error> {
    let known = || model.variables.iter().map(|v| v.name.as_str()).chain(model.constants.iter().map(|c| c.name.as_str()));
    for (name, quantity) in &projection.parameters {
        if known().any(|used| used == name) {
            continue;
        }
        if library.parameters.contains_key(name) {
            let expected = format!("it is only used in the lines that `{}` needs in its target", library.name);
            let way_out = format!("set it in the population `{}`", projection.post.population);
            return Err(Error::invalid(format!("{path}.parameters.{name}"), quantity, expected, way_out));
        }
        return Err(Error::unknown_name(&format!("{path}.parameters"), &format!("`{}` parameter", library.name), name, known()));
    }
    Ok(())
}

/// Parameters of the library model, of its preset, then those of the projection.
fn parameters(projection: &Projection, library: Option<&LibraryModel>, path: &str) -> Result<IndexMap<String, Quantity>, Error> {
    let mut parameters: IndexMap<String, Quantity> = IndexMap::new();
    if let Some(model) = library {
        parameters.extend(model.parameters.iter().map(|(name, parameter)| (name.clone(), parameter.default.as_str().into())));
    }
    if let Some(preset) = preset(library, projection.preset.as_deref(), path)? {
        parameters.extend(preset.parameters.iter().map(|(name, text)| (name.clone(), text.as_str().into())));
    }
    parameters.extend(projection.parameters.iter().map(|(name, quantity)| (name.clone(), quantity.clone())));
    Ok(parameters)
}

/// The same for values before the first step: those of the projection, also as a parameter, override those of the model.
fn initial(projection: &Projection, library: Option<&LibraryModel>, path: &str) -> Result<IndexMap<String, Quantity>, Error> {
    let mut initial: IndexMap<String, Quantity> = IndexMap::new();
    let expression = |(name, text): (&String, &String)| (name.clone(), Quantity::expr(text.as_str()));
    if let Some(model) = library {
        initial.extend(model.initial.iter().map(expression));
    }
    if let Some(preset) = preset(library, projection.preset.as_deref(), path)? {
        initial.extend(preset.initial.iter().map(expression));
    }
    for (name, value) in &mut initial {
        if let Some(given) = projection.parameters.get(name) {
            value.clone_from(given);
        }
    }
    initial.extend(projection.initial.iter().map(|(name, quantity)| (name.clone(), quantity.clone())));
    Ok(initial)
}

/// The populations of both sides of a projection.
pub(crate) fn ends(network: &LoweredNetwork<'_>, index: usize) -> Result<(usize, usize), Error> {
    let projection = &network.projections[index];
    let find = |name: &str, key: &str| find(network, name, &format!("projections[{index}].{key}"));
    Ok((find(&projection.pre.population, "pre")?, find(&projection.post.population, "post")?))
}

/// The population of its third neurons, if it has any.
pub(crate) fn third(network: &LoweredNetwork<'_>, index: usize) -> Result<Option<usize>, Error> {
    let third = network.projections[index].third.as_ref();
    third.map(|third| find(network, &third.population, &format!("projections[{index}].third.population"))).transpose()
}

fn find(network: &LoweredNetwork<'_>, name: &str, path: &str) -> Result<usize, Error> {
    network.find(name).ok_or_else(|| {
        let known = network.populations.iter().map(|population| population.name.as_str());
        Error::unknown_name(path, "population", name, known)
    })
}
