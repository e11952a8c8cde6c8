//! Projections: rule, delays and weights → rows in fixed point.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use spikelet_lang::check::{Type, ValueScope, resolve};
use spikelet_lang::diagnostic::Span;
use spikelet_lang::syntax::{parse_equations, parse_expression};
use spikelet_lang::term::{Node, Symbol, Term};
use spikelet_lang::{Diagnostic, Dimension, Kind, NeuronModel, SynapseModel, SynapseText, check_synapse, host};

use super::values::{Elements, Named, Values};
use super::{PerSynapse, PopulationPlan, ProjectionPlan, WritePlan};
use crate::connect::{Rows, Wiring};
use crate::rng::{Key, Purpose};
use crate::{Error, Network, Pathways, ring};

/// Steps that a delay may be long: rings are kept for all of them.
const MAX_DELAY_STEPS: f64 = 1_000_000.0;

/// A projection with its rows drawn and its weights as real numbers.
pub(super) struct Drawn {
    name: String,
    pre: usize,
    pre_slice: std::ops::Range<u32>,
    post: usize,
    rows: Arc<Rows>,
    pub(super) delay: PerSynapse<u32>,
    /// Name of the variable that is written, and what an event adds to it.
    writes: Vec<(String, Values)>,
}

/// The variables that synapses write, for each population, in the order they are first written.
pub(super) fn ports(network: &Network, models: &[NeuronModel]) -> Result<Vec<Vec<String>>, Error> {
    let mut ports = vec![Vec::new(); network.populations.len()];
    for index in 0..network.projections.len() {
        let (_, post) = ends(network, index)?;
        let (model, _) = checked(network, index, &models[post])?;
        for write in &model.writes {
            let name = &models[post].variables[write.variable].name;
            if !ports[post].contains(name) {
                ports[post].push(name.clone());
            }
        }
    }
    Ok(ports)
}

/// The synapses of a projection as elements of values.
struct Edges<'a> {
    network: &'a Network,
    projection: usize,
    pre: Vec<u32>,
    rows: &'a Rows,
    /// How many synapses before this one in its row join the same two neurons.
    copies: HashMap<usize, u32>,
    pairs: Option<usize>,
}

impl<'a> Edges<'a> {
    fn new(network: &'a Network, projection: usize, rows: &'a Rows, first_pre: u32) -> Self {
        let mut pre = Vec::with_capacity(rows.len());
        let mut copies = HashMap::new();
        for (row, ends) in rows.offsets.windows(2).enumerate() {
            let (start, end) = (ends[0] as usize, ends[1] as usize);
            pre.resize(end, first_pre + row as u32);
            let mut copy = 0;
            for at in start + 1..end {
                copy = if rows.targets[at] == rows.targets[at - 1] { copy + 1 } else { 0 };
                if copy > 0 {
                    copies.insert(at, copy);
                }
            }
        }
        let pairs = network.projections[projection].pairs.as_ref().map(Vec::len);
        Edges { network, projection, pre, rows, copies, pairs }
    }
}

impl Elements for Edges<'_> {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn symbol(&self, symbol: Symbol, element: usize) -> f64 {
        match symbol {
            Symbol::Index => f64::from(self.pre[element]),
            Symbol::PostIndex => f64::from(self.rows.targets[element]),
            Symbol::Size => self.rows.len() as f64,
            Symbol::Dt => self.network.dt_ms,
            _ => f64::NAN,
        }
    }

    fn draw(&self, quantity: u32, site: u32, element: usize) -> [u32; 4] {
        // The pair itself is the coordinate: a weight does not depend on which other synapses there are.
        let copy = self.copies.get(&element).copied().unwrap_or(0);
        let block = copy << 16 | (quantity & 0xff) << 8 | (site & 0xff);
        let purpose = if quantity == DELAY { Purpose::Delay } else { Purpose::Weight };
        Key(self.network.seed).draw(purpose, self.projection as u32, [self.pre[element], self.rows.targets[element], block])
    }

    fn place(&self, element: usize) -> Option<usize> {
        self.rows.pairs.get(element).map(|pair| *pair as usize)
    }

    fn listed(&self) -> Result<usize, &'static str> {
        self.pairs.ok_or("a list of values goes with a list of `pairs`; a rule needs one value or an expression.")
    }
}

/// Ordinal of the delay among the quantities of a projection.
const DELAY: u32 = 0xff;

/// The synapse model of a projection onto neurons of the model `post`, and the dimensions of the names that differ between synapses.
fn checked(network: &Network, index: usize, post: &NeuronModel) -> Result<(SynapseModel, IndexMap<String, Dimension>), Error> {
    let projection = &network.projections[index];
    let path = format!("projections[{index}]");
    let equations = projection.equations.clone().unwrap_or_default();
    let declared: IndexMap<String, Dimension> = parse_equations("equations", &equations)
        .map(|equations| equations.iter().map(|equation| (equation.name.clone(), equation.unit.dimension)).collect())
        .map_err(|found| Error::model(&path, found))?;
    // Which values differ between synapses shows once they are evaluated; here an expression is taken to differ.
    let (mut constants, mut each) = (IndexMap::new(), IndexMap::new());
    let mut known = Named::default();
    let nobody = Nobody { dt: network.dt_ms };
    for (name, quantity) in projection.parameters.iter().filter(|(name, _)| !declared.contains_key(*name)) {
        let differs = matches!(quantity, crate::Quantity::Expr(_) | crate::Quantity::Values { .. });
        known
            .set(name, quantity, None, &nobody, 0)
            .map_err(|diagnostic| Error::model(&format!("{path}.parameters"), vec![diagnostic]))?;
        let dimension = known.0[name].0;
        if differs {
            each.insert(name.clone(), dimension)
        } else {
            constants.insert(name.clone(), dimension)
        };
    }
    let mut names = declared;
    names.extend(each.iter().map(|(name, dimension)| (name.clone(), *dimension)));
    let on_pre = projection.on_pre.as_ref().and_then(|pathways| pathways.single());
    let text = SynapseText { equations, on_pre: on_pre.unwrap_or_default().to_owned(), each };
    let model = check_synapse(&text, post, &constants).map_err(|diagnostics| Error::model(&path, diagnostics))?;
    Ok((model, names))
}

/// No synapse at all: enough to learn dimensions.
struct Nobody {
    dt: f64,
}

impl Elements for Nobody {
    fn count(&self) -> usize {
        0
    }
    fn symbol(&self, symbol: Symbol, _: usize) -> f64 {
        if symbol == Symbol::Dt { self.dt } else { 1.0 }
    }
    fn draw(&self, _: u32, _: u32, _: usize) -> [u32; 4] {
        [0; 4]
    }
    fn place(&self, _: usize) -> Option<usize> {
        None
    }
    fn listed(&self) -> Result<usize, &'static str> {
        Ok(0)
    }
}

/// Draws the rows of a projection, then its values.
pub(super) fn draw(network: &Network, index: usize, models: &[NeuronModel]) -> Result<Drawn, Error> {
    let projection = &network.projections[index];
    let path = format!("projections[{index}]");
    let (pre, post) = ends(network, index)?;
    let (pre_size, post_size) = (network.populations[pre].size, network.populations[post].size);
    let condition = projection.connect.as_ref().and_then(|connect| connect.condition());
    let condition = condition
        .map(|text| pair_condition(network, index, text))
        .transpose()
        .map_err(|diagnostic| Error::model(&format!("{path}.connect"), vec![diagnostic]))?;
    let keep = |i: u32, j: u32| {
        condition.as_ref().is_none_or(|(term, named)| {
            let value = host::evaluate(term, &mut |leaf| match leaf {
                host::Leaf::Symbol(Symbol::Index) => f64::from(i),
                host::Leaf::Symbol(Symbol::PostIndex) => f64::from(j),
                host::Leaf::Symbol(Symbol::Constant(constant)) => named.0[constant].1.at(0),
                host::Leaf::Symbol(Symbol::Size) => f64::from(pre_size),
                _ => f64::NAN,
            });
            value != 0.0
        })
    };
    let wiring = Wiring {
        rule: projection.rule(),
        projection: index as u32,
        seed: network.seed,
        pre: projection.pre.range(pre_size),
        post: projection.post.range(post_size),
        recurrent: pre == post,
    };
    let rows = wiring.rows(&(0..post_size), &keep);
    valued(network, index, models, Arc::new(rows))
}

/// The condition of a connector on `i` and `j`, and the constants it may use.
fn pair_condition(network: &Network, index: usize, text: &str) -> Result<(Term, Named), Diagnostic> {
    let mut named = Named::default();
    let nobody = Nobody { dt: network.dt_ms };
    for (name, quantity) in &network.projections[index].parameters {
        if !matches!(quantity, crate::Quantity::Expr(_) | crate::Quantity::Values { .. }) {
            named.set(name, quantity, None, &nobody, 0)?;
        }
    }
    let expression = parse_expression("condition", text)?;
    let lookup = |name: &str| named.lookup(name);
    let scope = ValueScope { names: &lookup, known: vec!["i".into(), "j".into()], sites: None };
    let (term, kind) = resolve("condition", text, &expression, &scope)?;
    if kind != Type::Boolean {
        let message = format!("`{text}` is {kind}; expected a condition such as `i < 800`.");
        return Err(Diagnostic::new(Kind::DimensionMismatch, "condition", text, expression.span, message));
    }
    Ok((term, named))
}

fn ends(network: &Network, index: usize) -> Result<(usize, usize), Error> {
    let projection = &network.projections[index];
    let find = |name: &str, key: &str| {
        network.populations.iter().position(|population| population.name == name).ok_or_else(|| {
            let known = network.populations.iter().map(|population| population.name.as_str());
            Error::unknown_name(&format!("projections[{index}].{key}"), "population", name, known)
        })
    };
    Ok((find(&projection.pre.population, "pre")?, find(&projection.post.population, "post")?))
}

/// Delays and weights of a projection whose rows are known.
pub(super) fn valued(network: &Network, index: usize, models: &[NeuronModel], rows: Arc<Rows>) -> Result<Drawn, Error> {
    let projection = &network.projections[index];
    let path = format!("projections[{index}]");
    let (pre, post) = ends(network, index)?;
    let pre_slice = projection.pre.range(network.populations[pre].size);
    let (model, declared) = checked(network, index, &models[post])?;
    let edges = Edges::new(network, index, &rows, pre_slice.start);
    let mut named = Named::default();
    let given = projection.parameters.iter().map(|entry| (entry, "parameters"));
    for (ordinal, ((name, quantity), key)) in given.chain(projection.initial.iter().map(|entry| (entry, "initial"))).enumerate() {
        let wanted = declared.get(name).copied();
        if key == "initial" && wanted.is_none() {
            let known = declared.keys().map(String::as_str);
            return Err(Error::unknown_name(&format!("{path}.initial"), "variable", name, known));
        }
        named
            .set(name, quantity, wanted, &edges, ordinal as u32)
            .map_err(|diagnostic| Error::model(&format!("{path}.{key}"), vec![diagnostic]))?;
    }
    for variable in &model.variables {
        if !named.0.contains_key(&variable.name) {
            let text = projection.equations.clone().unwrap_or_default();
            let message = format!("`{}` has no value.", variable.name);
            let diagnostic = Diagnostic::new(Kind::MissingParameterValue, "equations", &text, Span::default(), message);
            return Err(Error::model(&path, vec![diagnostic.help("Give it one in the parameters or initial values.")]));
        }
    }
    let writes = model
        .writes
        .iter()
        .map(|write| {
            // The model's own numbering of names → that of the values.
            let term = renamed(&write.value, &|symbol| match symbol {
                Symbol::Variable(variable) => named.lookup(&model.variables[variable].name).map_or(symbol, |(found, _)| found),
                Symbol::Constant(constant) => named.lookup(&model.constants[constant].name).map_or(symbol, |(found, _)| found),
                other => other,
            });
            (models[post].variables[write.variable].name.clone(), named.evaluate(&term, &edges, 0))
        })
        .collect();
    let delay = delays(network, index, &edges, named)?;
    drop(edges);
    Ok(Drawn { name: projection.name.clone(), pre, pre_slice, post, rows, delay, writes })
}

fn delays(network: &Network, index: usize, edges: &Edges<'_>, mut named: Named) -> Result<PerSynapse<u32>, Error> {
    let path = format!("projections[{index}].delay_ms");
    let quantity = network.projections[index].delay_ms.of(Pathways::SINGLE);
    named
        .set("delay", quantity, Some(Dimension::TIME), edges, DELAY)
        .map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
    let steps = |delay: f64| {
        let steps = libm::rint(delay / network.dt_ms);
        if delay < 0.0 {
            let expected = "a spike cannot arrive before it is sent";
            let refusal = Error::invalid(&path, format!("{delay} ms"), expected, "give a delay of 0 or more");
            return Err(refusal.of_kind("negative_delay"));
        }
        if steps > MAX_DELAY_STEPS {
            let expected = format!("a delay is at most {MAX_DELAY_STEPS} steps of {} ms", network.dt_ms);
            return Err(Error::invalid(&path, format!("{delay} ms"), expected, "shorten it"));
        }
        Ok(steps as u32)
    };
    match &named.0["delay"].1 {
        Values::Uniform(delay) => steps(*delay).map(PerSynapse::Shared),
        Values::Each(delays) => delays.iter().map(|delay| steps(*delay)).collect::<Result<_, _>>().map(PerSynapse::Each),
    }
}

/// The term with its symbols replaced.
fn renamed(term: &Term, to: &dyn Fn(Symbol) -> Symbol) -> Term {
    let again = |term: &Term| renamed(term, to);
    Arc::new(match &**term {
        Node::Symbol(symbol) => Node::Symbol(to(*symbol)),
        Node::Negate(x) => Node::Negate(again(x)),
        Node::Not(x) => Node::Not(again(x)),
        Node::Binary(op, x, y) => Node::Binary(*op, again(x), again(y)),
        Node::Call(function, arguments) => Node::Call(*function, arguments.iter().map(again).collect()),
        other => other.clone(),
    })
}

/// Chooses the scale of every port: the busiest neuron's synapses, all at once, must fit an i32.
pub(super) fn choose_shifts(projections: &[Drawn], populations: &mut [PopulationPlan]) {
    for (index, population) in populations.iter_mut().enumerate() {
        for port in 0..population.ports.len() {
            let name = &population.program.variables[population.program.ports[port]];
            let mut totals = vec![(0.0_f64, 0_u64); population.size as usize];
            for projection in projections.iter().filter(|projection| projection.post == index) {
                for (_, weights) in projection.writes.iter().filter(|(written, _)| written == name) {
                    for (synapse, target) in projection.rows.targets.iter().enumerate() {
                        let (total, count) = &mut totals[*target as usize];
                        *total += weights.at(synapse).abs();
                        *count += 1;
                    }
                }
            }
            let shift = totals.iter().map(|(total, count)| (*total, *count)).filter(|(total, _)| *total > 0.0);
            population.ports[port].shift = shift.map(|(total, count)| ring::shift(total, count)).min().unwrap_or(0);
        }
    }
}

impl Drawn {
    /// The projection in the fixed-point scales of its ports.
    pub(super) fn quantised(self, populations: &[PopulationPlan]) -> ProjectionPlan {
        let post = &populations[self.post];
        let program = &post.program;
        let writes = self
            .writes
            .iter()
            .filter_map(|(name, values)| {
                let port = program.ports.iter().position(|variable| program.variables[*variable] == *name)?;
                let shift = post.ports[port].shift;
                let weights = match values {
                    Values::Uniform(weight) => PerSynapse::Shared(ring::quantise(*weight, shift)),
                    Values::Each(weights) => {
                        PerSynapse::Each(weights.iter().map(|weight| ring::quantise(*weight, shift)).collect())
                    }
                };
                Some(WritePlan { port, weights })
            })
            .collect();
        let Drawn { name, pre, pre_slice, post, rows, delay, .. } = self;
        ProjectionPlan { name, pre, pre_slice, post, rows, delay, writes }
    }
}
