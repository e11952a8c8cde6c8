//! Projections as synapses with a state each, and connections with their weight and delay.

use spikelet::lang::model::{Role, SynapseModel, SynapseStatement, Target};
use spikelet::lang::term::{Symbol, Term};
use spikelet::lang::{End, NeuronModel};
use spikelet::{EdgeTable, Projection};

use super::text::{Unit, constants, expression, identifier};
use super::values::{Part, parameter, sum_part, to_part};
use crate::Lack;
use crate::built::Built;
use crate::edges;

/// Connections of one synapse.
pub(super) struct Connections {
    pub(super) name: String,
    /// The component of the synapses.
    pub(super) synapse: String,
    pub(super) pre: String,
    pub(super) post: String,
    /// Neurons, weight, and delay in steps.
    pub(super) all: Vec<(u32, u32, f64, u32)>,
}

/// What the projections of a network do to a population.
#[derive(Default)]
pub(super) struct Effects {
    /// Variables to which events add, and those that are sums.
    pub(super) received: Vec<usize>,
    pub(super) summed: Vec<usize>,
    /// Whether its spikes change synapses.
    pub(super) counts: bool,
}

/// What the projections of a network do to a population.
pub(super) fn effects(built: &Built, population: usize) -> Effects {
    let model = built.plan.model(population);
    let mut effects = Effects::default();
    for index in 0..built.network.projections.len() {
        if built.plan.projections[index].post != population {
            continue;
        }
        let synapses = built.plan.synapse_model(index);
        let targets = synapses.statements().filter_map(|statement| match statement.target {
            Target::Add(variable) => Some(variable),
            _ => None,
        });
        effects.received.extend(targets);
        effects.summed.extend(synapses.summed.iter().filter_map(|of| model.variable(&of.name)));
        effects.counts |= synapses.pathways.iter().any(|of| of.end == End::Post);
    }
    for variables in [&mut effects.received, &mut effects.summed] {
        variables.sort_unstable();
        variables.dedup();
    }
    effects
}

/// The types and components of the synapses of a projection, and their connections.
pub(super) fn write(
    built: &Built,
    index: usize,
    parts: &[Part],
    written: &mut Vec<String>,
) -> Result<(String, Vec<Connections>), Lack> {
    let of = &built.network.projections[index];
    let model = built.plan.synapse_model(index);
    if !model.is_static() {
        return with_state(built, index, parts);
    }
    // The type is the same for all projections that only add to a variable.
    let (mut text, mut all) = (String::new(), Vec::new());
    for edges in edges::of_projection(built, index, of)? {
        let part = to_part(&edges.variable);
        let synapse = format!("{part}_of_{}", identifier(&edges.post));
        if !written.contains(&synapse) {
            let add = format!("        <StateAssignment variable=\"{part}\" value=\"{part} + weight\"/>\n");
            let state = format!("      <StateVariable name=\"{part}\" dimension=\"none\" exposure=\"{part}\"/>\n");
            let rest = format!("      <OnEvent port=\"in\">\n{add}      </OnEvent>\n");
            text += &synapse_type(&synapse, "", (&state, &rest), (parts, &[part]));
            text += &format!("  <{synapse}_type id=\"{synapse}\"/>\n");
            written.push(synapse.clone());
        }
        let neurons = edges.pre_neurons.iter().zip(&edges.post_neurons);
        let values = edges.amounts.iter().zip(&edges.delays);
        all.push(Connections {
            name: identifier(&edges.name),
            synapse,
            pre: edges.pre.clone(),
            post: edges.post.clone(),
            all: neurons.zip(values).map(|((pre, post), (weight, delay))| (*pre, *post, *weight, *delay)).collect(),
        });
    }
    Ok((text, all))
}

/// A type of synapses, with the parts that it exposes itself.
fn synapse_type(name: &str, declared: &str, (states, dynamics): (&str, &str), (parts, own): (&[Part], &[String])) -> String {
    let mut text = format!("  <ComponentType name=\"{name}_type\" extends=\"baseSynapse\">\n");
    text +=
        "    <Property name=\"weight\" dimension=\"none\" defaultValue=\"1\"/>\n    <EventPort name=\"in\" direction=\"in\"/>\n";
    text += "    <Constant name=\"NOTHING\" dimension=\"current\" value=\"0pA\"/>\n";
    text += declared;
    parts.iter().for_each(|of| text += &of.exposure());
    text += "    <Dynamics>\n";
    text += states;
    text += "      <DerivedVariable name=\"i\" dimension=\"current\" exposure=\"i\" value=\"NOTHING\"/>\n";
    parts.iter().filter(|of| !own.contains(&of.name)).for_each(|of| text += &of.silent());
    text += dynamics;
    text + "    </Dynamics>\n  </ComponentType>\n"
}

/// A projection whose synapses have variables of their own.
struct SynapseTypes<'a> {
    built: &'a Built,
    index: usize,
    of: &'a Projection,
    model: &'a SynapseModel,
    post: &'a NeuronModel,
    table: EdgeTable,
    /// The column that the weight of a connection has.
    weight: Option<usize>,
}

fn with_state(built: &Built, index: usize, parts: &[Part]) -> Result<(String, Vec<Connections>), Lack> {
    let of = &built.network.projections[index];
    let model = built.plan.synapse_model(index);
    let name = &of.name;
    let has = [
        ("a third neuron", of.third.is_some()),
        ("events as presynaptic spikes", of.pre.population.contains('.')),
        ("delays of postsynaptic spikes", of.delay_post_ms.is_some()),
        (
            "several pathways of a neuron",
            [End::Pre, End::Post].iter().any(|end| model.pathways.iter().filter(|of| of.end == *end).count() > 1),
        ),
        ("spikes that change the presynaptic neuron", !model.to_pre.is_empty()),
        ("spikes that do not only add to a variable", model.statements().any(|of| matches!(of.target, Target::Post(_)))),
        ("statements at regular times", !model.regular.is_empty()),
        ("values that are held over a step", !model.held.is_empty()),
        ("white noise", !model.noise.is_empty()),
        ("values of presynaptic neurons", model.reads.iter().any(|of| of.end != End::Post)),
        ("sums onto other neurons than the postsynaptic one", model.summed.iter().any(|of| of.end != End::Post)),
    ];
    if let Some((what, _)) = has.iter().find(|(_, has)| *has) {
        return Err(format!("{what}, which {name} has"));
    }
    let table = built.edges(of)?;
    let all = table.all().map_err(|error| format!("synapses as {name} has them ({error})"))?;
    let differ =
        |at: &usize| table.columns()[*at].shared.is_none() && !table.columns()[*at].is_delay() && !is_same(&all.values[*at]);
    let differing: Vec<usize> = (0..table.columns().len()).filter(differ).collect();
    if let [first, second, ..] = differing[..] {
        let [first, second] = [first, second].map(|at| &table.columns()[at].name);
        return Err(format!("synapses that differ in two values, `{first}` and `{second}`, which {name} has"));
    }
    let post = built.plan.model(built.plan.projections[index].post);
    let weight = differing.first().copied();
    let synapses = SynapseTypes { built, index, of, model, post, table, weight };
    let text = synapses.text(parts, &all.values)?;
    let weights = weight.map(|at| all.values[at].clone());
    let delays = synapses.delays(&all.values)?;
    let connection = |edge: usize| (all.pre[edge], all.post[edge], weights.as_ref().map_or(1.0, |of| of[edge]), delays(edge));
    let connections = Connections {
        name: identifier(name),
        synapse: format!("{}_synapse", identifier(name)),
        pre: of.pre.population.clone(),
        post: of.post.population.clone(),
        all: (0..all.pre.len()).map(connection).collect(),
    };
    Ok((text, vec![connections]))
}

fn is_same(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] == pair[1])
}

impl SynapseTypes<'_> {
    /// The delay of an edge in steps.
    fn delays<'b>(&self, values: &'b [Vec<f64>]) -> Result<Box<dyn Fn(usize) -> u32 + 'b>, Lack> {
        let dt = self.built.plan.dt_ms;
        let Some(at) = self.table.columns().iter().position(|column| column.name == "delay_ms") else {
            return Err(format!("delays of pathways, which {} has", self.of.name));
        };
        let shared = self.table.columns()[at].shared;
        Ok(Box::new(move |edge| (shared.unwrap_or_else(|| values[at][edge]) / dt).round() as u32))
    }

    /// The value that all synapses have at the start.
    fn value(&self, symbol: Symbol, name: &str, values: &[Vec<f64>]) -> Result<f64, Lack> {
        let column = self.table.columns().iter().position(|column| column.name == name);
        let of_table = column.and_then(|at| self.table.columns()[at].shared.or_else(|| values[at].first().copied()));
        let found = of_table.or_else(|| self.built.plan.common_synapse_value(self.index, symbol));
        found.ok_or_else(|| format!("a value of `{name}` that depends on neurons, which {} has", self.of.name))
    }

    fn is_weight(&self, name: &str) -> bool {
        self.weight.is_some_and(|at| self.table.columns()[at].name == name)
    }

    fn read(&self, symbol: Symbol) -> Result<String, Lack> {
        let lacks = |what: &str| Err(format!("{what} in synapses, which {} has", self.of.name));
        Ok(match symbol {
            Symbol::Variable(index) => {
                let variable = &self.model.variables[index];
                if !variable.written && self.is_weight(&variable.name) {
                    return Ok("weight".into());
                }
                Unit::of(variable.dimension).number(&identifier(&variable.name))
            }
            Symbol::Constant(index) => {
                let constant = &self.model.constants[index];
                Unit::of(constant.dimension).number(&identifier(&constant.name))
            }
            Symbol::Read(index) => {
                let name = &self.model.reads[index].name;
                let Some(variable) = self.post.variable(name).map(|at| &self.post.variables[at]) else {
                    return lacks(&format!("the constant `{name}` of the postsynaptic neurons"));
                };
                if variable.role != Role::Declared || !variable.written {
                    return lacks(&format!("the parameter `{name}` of the postsynaptic neurons"));
                }
                Unit::of(variable.dimension).number(&identifier(name))
            }
            Symbol::Dt => "(STEP/MSEC)".into(),
            Symbol::Time => "((t - 0.99999*STEP)/MSEC)".into(),
            Symbol::SinceSpike | Symbol::SinceEvent => return lacks("the time of the last event"),
            Symbol::Size | Symbol::Index | Symbol::PostIndex | Symbol::NotRefractory => {
                return lacks("indices and numbers of neurons");
            }
        })
    }

    fn number(&self, term: &Term) -> Result<String, Lack> {
        expression(term, &|symbol| self.read(symbol))
    }

    fn text(&self, parts: &[Part], values: &[Vec<f64>]) -> Result<String, Lack> {
        let model = self.model;
        let (mut declared, mut states, mut dynamics, mut starts) =
            (constants(self.built.plan.dt_ms), String::new(), String::new(), String::new());
        let (mut given, mut own) = (String::new(), Vec::new());
        for (index, constant) in model.constants.iter().enumerate() {
            let (name, unit) = (identifier(&constant.name), Unit::of(constant.dimension));
            declared += &parameter(&name, unit);
            given += &format!(" {name}=\"{}\"", unit.value(self.value(Symbol::Constant(index), &constant.name, values)?));
        }
        for (index, variable) in model.variables.iter().enumerate() {
            let (name, unit) = (identifier(&variable.name), Unit::of(variable.dimension));
            let is_weight = self.is_weight(&variable.name);
            if variable.written || variable.role == Role::Local {
                states += &format!("      <StateVariable name=\"{name}\" dimension=\"{}\"/>\n", unit.dimension());
                if variable.role == Role::Declared {
                    let value = if is_weight {
                        "weight".into()
                    } else {
                        format!("{:?}", self.value(Symbol::Variable(index), &variable.name, values)?)
                    };
                    starts += &format!("        <StateAssignment variable=\"{name}\" value=\"{}\"/>\n", unit.quantity(&value));
                }
            } else if !is_weight {
                declared += &parameter(&name, unit);
                given += &format!(" {name}=\"{}\"", unit.value(self.value(Symbol::Variable(index), &variable.name, values)?));
            }
        }
        for read in &model.reads {
            if let Some(variable) = self.post.variable(&read.name).map(|at| &self.post.variables[at]) {
                let dimension = Unit::of(variable.dimension).dimension();
                declared += &format!("    <Requirement name=\"{}\" dimension=\"{dimension}\"/>\n", identifier(&read.name));
            }
        }
        for (index, rate) in model.equations.iter().chain(&model.event_driven) {
            let variable = &model.variables[*index];
            let rate = Unit::of(variable.dimension).quantity(&self.number(rate)?);
            dynamics += &format!("      <TimeDerivative variable=\"{}\" value=\"{rate}/MSEC\"/>\n", identifier(&variable.name));
        }
        for sum in &model.summed {
            let part = sum_part(&sum.name);
            let value = self.number(&sum.value)?;
            dynamics +=
                &format!("      <DerivedVariable name=\"{part}\" dimension=\"none\" exposure=\"{part}\" value=\"{value}\"/>\n");
            own.push(part);
        }
        if !starts.is_empty() {
            dynamics += &format!("      <OnStart>\n{starts}      </OnStart>\n");
        }
        for pathway in &model.pathways {
            let assigned = self.statements(&pathway.statements, (&mut states, &mut own))?;
            dynamics += &if pathway.end == End::Pre {
                format!("      <OnEvent port=\"in\">\n{assigned}      </OnEvent>\n")
            } else {
                // No events come from the postsynaptic neuron, which is the parent: its spikes are counted.
                declared += "    <Requirement name=\"spikes\" dimension=\"none\"/>\n";
                states += "      <StateVariable name=\"seen_spikes\" dimension=\"none\"/>\n";
                format!(
                    "      <OnCondition test=\"spikes .gt. (seen_spikes + 0.5)\">\n{assigned}        \
                     <StateAssignment variable=\"seen_spikes\" value=\"spikes\"/>\n      </OnCondition>\n"
                )
            };
        }
        let synapse = format!("{}_synapse", identifier(&self.of.name));
        let text = synapse_type(&synapse, &declared, (&states, &dynamics), (parts, &own));
        Ok(text + &format!("  <{synapse}_type id=\"{synapse}\"{given}/>\n"))
    }

    /// The assignments of a pathway: adds what they expose to the states.
    fn statements(&self, of: &[SynapseStatement], (states, own): (&mut String, &mut Vec<String>)) -> Result<String, Lack> {
        let mut text = String::new();
        for statement in of {
            let value = self.number(&statement.value)?;
            text += &match statement.target {
                Target::Own(index) => {
                    let variable = &self.model.variables[index];
                    let value = Unit::of(variable.dimension).quantity(&value);
                    format!("        <StateAssignment variable=\"{}\" value=\"{value}\"/>\n", identifier(&variable.name))
                }
                Target::Add(index) | Target::Post(index) => {
                    let part = to_part(&self.post.variables[index].name);
                    if !own.contains(&part) {
                        *states += &format!("      <StateVariable name=\"{part}\" dimension=\"none\" exposure=\"{part}\"/>\n");
                        own.push(part.clone());
                    }
                    format!("        <StateAssignment variable=\"{part}\" value=\"{part} + {value}\"/>\n")
                }
            };
        }
        Ok(text)
    }
}
