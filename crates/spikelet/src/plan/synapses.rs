//! Projections: rule, delays and weights → rows in fixed point, or synapses with a state.

use std::collections::HashMap;
use std::sync::Arc;

use spikelet_lang::check::{Type, ValueScope, resolve};
use spikelet_lang::model::Target;
use spikelet_lang::syntax::parse_expression;
use spikelet_lang::term::{Symbol, Term, substitute, symbol};
use spikelet_lang::{Diagnostic, Dimension, Kind, host};

use super::checked::{Checked, Nobody};
use super::neurons::{Neurons, check_time_constants, without_value};
use super::sources::Unfolded;
use super::values::{Elements, Named, Values};
use super::{PathwayPlan, PerSynapse, PopulationPlan, ProjectionPlan, StatePlan, WritePlan};
use crate::connect::{Rows, Wiring};
use crate::rng::{Key, Purpose};
use crate::{Error, Network, ring};

/// Steps that a delay may be long: rings are kept for all of them.
const MAX_DELAY_STEPS: f64 = 1_000_000.0;

/// A projection with its rows drawn and its values as real numbers.
pub(super) struct Drawn {
    pub(super) checked: Checked,
    pub(super) pre_slice: std::ops::Range<u32>,
    pub(super) rows: Arc<Rows>,
    /// The delay of each pathway.
    pub(super) delays: Vec<PerSynapse<u32>>,
    /// Values of parameters and of the initial state.
    pub(super) values: Named,
    /// For each pathway of synapses without a state: the variable that is written, and what an event adds to it.
    pub(super) writes: Vec<Vec<(usize, Values)>>,
}

/// A port before it has a place: the variable it adds to, and whether what it adds is computed when spikes arrive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) variable: String,
    pub(super) wide: bool,
}

/// What synapses do to each population: the ports they add to, in the order they are first written, and the variables that they
/// write in other ways.
pub(super) fn effects<'a>(checked: impl Iterator<Item = &'a Checked>, neurons: &[Neurons]) -> Vec<(Vec<Wanted>, Vec<String>)> {
    let mut effects = vec![(Vec::new(), Vec::new()); neurons.len()];
    for projection in checked {
        let (ports, written) = &mut effects[projection.post];
        let name = |variable: usize| neurons[projection.post].model.variables[variable].name.clone();
        let wide = !projection.model.is_static();
        for pathway in &projection.model.pathways {
            let in_turn = pathway.statements.iter().any(|write| matches!(write.target, Target::Post(_)));
            for write in &pathway.statements {
                match write.target {
                    Target::Add(variable) if !in_turn => {
                        let port = Wanted { variable: name(variable), wide };
                        if !ports.contains(&port) {
                            ports.push(port);
                        }
                    }
                    Target::Add(variable) | Target::Post(variable) => written.push(name(variable)),
                    Target::Own(_) => {}
                }
            }
        }
        written.extend(projection.model.summed.iter().map(|(variable, _)| name(*variable)));
    }
    effects
}

/// The synapses of a projection as elements of values.
pub(super) struct Edges<'a> {
    network: &'a Network,
    projection: usize,
    pre: Vec<u32>,
    rows: &'a Rows,
    /// How many synapses before this one in its row join the same two neurons.
    copies: HashMap<usize, u32>,
    pairs: Option<usize>,
}

impl<'a> Edges<'a> {
    pub(super) fn new(network: &'a Network, projection: usize, rows: &'a Rows, first_pre: u32) -> Self {
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
        let pairs = network.projections[projection].pairs.as_ref().map(|pairs| pairs.len());
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

/// Draws the rows of a projection, then its values.
pub(super) fn draw(network: &Unfolded<'_>, index: usize, checked: Checked) -> Result<Drawn, Error> {
    let projection = &network.projections[index];
    let path = format!("projections[{index}]");
    let (pre, post) = (checked.pre, checked.post);
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
    valued(network, index, checked, Arc::new(rows))
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

/// Delays and values of a projection whose rows are known.
pub(super) fn valued(network: &Unfolded<'_>, index: usize, checked: Checked, rows: Arc<Rows>) -> Result<Drawn, Error> {
    let projection = &network.projections[index];
    let path = format!("projections[{index}]");
    let pre_slice = projection.pre.range(network.populations[checked.pre].size);
    let (model, declared) = (&checked.model, &checked.declared);
    let edges = Edges::new(network, index, &rows, pre_slice.start);
    let mut named = Named::default();
    let given = checked.parameters.iter().map(|entry| (entry, "parameters"));
    for (ordinal, ((name, quantity), key)) in given.chain(checked.initial.iter().map(|entry| (entry, "initial"))).enumerate() {
        let wanted = declared.get(name).copied();
        if key == "initial" && wanted.is_none() {
            let known = declared.keys().map(String::as_str);
            return Err(Error::unknown_name(&format!("{path}.initial"), "variable", name, known));
        }
        named
            .set(name, quantity, wanted, &edges, ordinal as u32)
            .map_err(|diagnostic| Error::model(&format!("{path}.{key}"), vec![diagnostic]))?;
    }
    for variable in model.variables.iter().filter(|variable| variable.role != spikelet_lang::model::Role::Local) {
        if !named.0.contains_key(&variable.name) {
            if !variable.written {
                return Err(Error::model(&path, vec![without_value(&variable.name, &checked.equations)]));
            }
            named.0.insert(variable.name.clone(), (variable.dimension, Values::Uniform(0.0)));
        }
    }
    check_time_constants(&path, &model.time_constants(), &named, "synapse")?;
    let lookup = |name: &String, symbol| named.lookup(name).map_or(symbol, |(found, _)| found);
    let event = |write: &spikelet_lang::model::Write| {
        // The model's own numbering of names → that of the values.
        let term = substitute(&write.value, &|found| {
            symbol(match found {
                Symbol::Variable(variable) => lookup(&model.variables[variable].name, found),
                Symbol::Constant(constant) => lookup(&model.constants[constant].name, found),
                other => other,
            })
        });
        match write.target {
            Target::Add(variable) => Some((variable, named.evaluate(&term, &edges, 0))),
            Target::Own(_) | Target::Post(_) => None,
        }
    };
    let writes = if model.is_static() {
        model.pathways.iter().map(|pathway| pathway.statements.iter().filter_map(event).collect()).collect()
    } else {
        Vec::new()
    };
    let delays = model.pathways.iter().map(|pathway| delays(network, index, &pathway.name, &edges, named.clone()));
    let delays = delays.collect::<Result<_, _>>()?;
    drop(edges);
    Ok(Drawn { checked, pre_slice, rows, delays, values: named, writes })
}

fn delays(network: &Network, index: usize, pathway: &str, edges: &Edges<'_>, mut named: Named) -> Result<PerSynapse<u32>, Error> {
    let path = format!("projections[{index}].delay_ms");
    let quantity = network.projections[index].delay_ms.of(pathway);
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

impl Drawn {
    /// The projection in the fixed-point scales of its ports.
    pub(super) fn quantised(
        self,
        neurons: &[Neurons],
        populations: &[PopulationPlan],
        state: Option<StatePlan>,
    ) -> ProjectionPlan {
        let post = &populations[self.checked.post];
        let model = &neurons[self.checked.post].model;
        let write = |(variable, values): &(usize, Values)| {
            let port = post.port(&model.variables[*variable].name, false)?;
            let shift = post.ports[port].shift;
            let weights = match values {
                Values::Uniform(weight) => PerSynapse::Shared(ring::quantise(*weight, shift)),
                Values::Each(weights) => PerSynapse::Each(weights.iter().map(|weight| ring::quantise(*weight, shift)).collect()),
            };
            Some(WritePlan { port, weights })
        };
        let none = Vec::new();
        let pathway = |(index, delay)| {
            let writes = self.writes.get(index).unwrap_or(&none).iter().filter_map(write).collect();
            PathwayPlan { delay, writes }
        };
        let pathways = self.delays.iter().cloned().enumerate().map(pathway).collect();
        let Checked { name, pre, post, .. } = self.checked;
        ProjectionPlan { name, pre, pre_slice: self.pre_slice, post, rows: self.rows, pathways, state }
    }
}
