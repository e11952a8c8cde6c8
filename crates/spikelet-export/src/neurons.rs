//! The populations of a network as cells that NEST has, with what reaches them.

mod receptors;

use spikelet::lang::term::{self, Symbol};
use spikelet::{Network, Source, SourceKind};

use crate::Lack;
use crate::built::Built;
use crate::cell::{Cells, Course, Port, PortKind};
use crate::edges::{self, AddedSynapses, PoissonInput};
use receptors::{conductance_receptors, current_receptors};

pub(crate) use receptors::{Receptor, ReceptorKind};

/// Cells that an import of SONATA writes as an update, whose step adds spikes before the threshold is tested, as NEST does.
const UPDATES: [&str; 2] = ["iaf_psc_delta", "izhikevich"];

/// A population.
pub(crate) struct Neurons {
    pub(crate) name: String,
    pub(crate) size: u32,
    /// The name of the model in NEST.
    pub(crate) model: &'static str,
    /// Values of each neuron, in NEST's names and units.
    pub(crate) parameters: Vec<(&'static str, Vec<f64>)>,
    /// The same for what changes.
    pub(crate) initial: Vec<(&'static str, Vec<f64>)>,
    /// Time constants, where there are more than two receptors.
    pub(crate) taus: Vec<f64>,
    pub(crate) receptors: Vec<Receptor>,
    /// The name of the potential in the equations.
    pub(crate) potential: String,
    /// Whether currents of synapses have values at the start, which NEST does not take.
    lost_initial: bool,
}

/// Everything that the scripts write.
pub(crate) struct CellNetwork {
    pub(crate) neurons: Vec<Neurons>,
    pub(crate) edges: Vec<AddedSynapses>,
    pub(crate) inputs: Vec<PoissonInput>,
    pub(crate) notices: Vec<String>,
}

impl CellNetwork {
    /// The parts of a network.
    pub(crate) fn new(built: &Built) -> Result<CellNetwork, Lack> {
        let network = &built.network;
        if !network.functions.is_empty() {
            return Err("`functions` of a network".into());
        }
        let (mut edges, mut inputs, mut notices) = (Vec::new(), Vec::new(), Vec::new());
        for (index, of) in network.projections.iter().enumerate() {
            edges.extend(edges::of_projection(built, index, of)?);
        }
        for source in &network.sources {
            inputs.extend(edges::poisson_input(built, source)?);
        }
        let mut neurons = Vec::new();
        for (index, of) in network.populations.iter().enumerate() {
            let amounts = |variable: &str| {
                let of_edges = edges.iter().filter(|edges| edges.post == of.name && edges.variable == variable);
                let of_inputs = inputs.iter().filter(|input| input.post == of.name && input.variable == variable);
                of_edges
                    .flat_map(|edges| edges.amounts.iter().copied())
                    .chain(of_inputs.map(|input| input.amount))
                    .collect::<Vec<f64>>()
            };
            let found = Neurons::of(built, index, &amounts)?;
            if ["cond", "aeif"].iter().any(|word| found.model.contains(word)) {
                notices.push(format!("{} is integrated by another method there: spikes are alike, not the same", of.name));
            }
            // Where the step of a cell adds spikes itself, it adds them as NEST does.
            if found.model == "iaf_psc_delta" && found.receptors.iter().any(|of| of.variable == found.potential) {
                notices.push(format!(
                    "{}: a spike that arrives in the last step before a cell is integrated again is lost here and counts there: spikes are alike, not the same",
                    of.name
                ));
            }
            if found.lost_initial {
                notices.push(format!("{}: the currents of synapses begin at 0 there", of.name));
            }
            neurons.push(found);
        }
        let parts = CellNetwork { neurons, edges, inputs, notices };
        parts.check(network)?;
        Ok(parts)
    }

    /// A population.
    pub(crate) fn neurons(&self, name: &str) -> Option<&Neurons> {
        self.neurons.iter().find(|of| of.name == name)
    }

    /// The receptor of a variable of a population.
    pub(crate) fn receptor(&self, population: &str, variable: &str) -> Option<&Receptor> {
        self.neurons(population)?.receptors.iter().find(|of| of.variable == variable)
    }

    fn check(&self, network: &Network) -> Result<(), Lack> {
        let of_inputs = self.inputs.iter().map(|of| (&of.name, &of.post, &of.variable));
        let all = self.edges.iter().map(|of| (&of.name, &of.post, &of.variable)).chain(of_inputs);
        for (name, post, variable) in all {
            if self.receptor(post, variable).is_none() {
                return Err(format!("spikes that add to `{variable}` of {post}, which those of {name} do"));
            }
        }
        for edges in &self.edges {
            let later = self.receptor(&edges.post, &edges.variable).map_or(0, |of| of.later);
            if edges.delays.iter().any(|delay| delay + later == 0) {
                return Err(format!("delays of 0, which {} has; use at least {} ms", edges.name, network.dt_ms));
            }
        }
        Ok(())
    }
}

impl Neurons {
    fn of(built: &Built, index: usize, amounts: &dyn Fn(&str) -> Vec<f64>) -> Result<Neurons, Lack> {
        let template = spikelet_interchange::sonata::template_of(&built.network.populations[index]);
        if let Some(model) =
            UPDATES.into_iter().find(|model| template.as_ref().is_some_and(|of| of.strip_prefix("nest:") == Some(*model)))
        {
            return Neurons::named(built, index, model);
        }
        let cells = Cells::of(built, index)?;
        let name = &built.network.populations[index].name;
        Neurons::chosen(built, index, cells, amounts).map_err(|what| format!("{what}, which {name} has"))
    }

    /// A cell whose texts are those of an imported one, with the names of NEST: those that are written as an update.
    fn named(built: &Built, index: usize, model: &'static str) -> Result<Neurons, Lack> {
        let name = &built.plan.populations[index].name;
        let (model_of, size) = (built.plan.model(index), built.plan.populations[index].size);
        let values = |of: &str| {
            let constant = || model_of.constants.iter().position(|constant| constant.name == of).map(Symbol::Constant);
            let symbol = model_of.variable(of).map(Symbol::Variable).or_else(constant);
            let term = symbol.map(term::symbol).ok_or_else(|| format!("a cell without `{of}`, which {name} is"))?;
            let all = (0..size as usize).map(|neuron| built.plan.exact_term(index, &term, neuron));
            Ok::<Vec<f64>, Lack>(all.collect())
        };
        if model_of.held.iter().any(|(_, held)| held.any(|symbol| symbol == Some(Symbol::Time))) {
            return Err(format!("a current that changes with time, which {name} has"));
        }
        let (names, initial): (&[&'static str], &[&'static str]) = match model {
            "izhikevich" => (&["a", "b", "c", "d", "V_th", "I_e"], &["V_m", "U_m"]),
            _ => (&["C_m", "tau_m", "E_L", "V_reset", "V_th", "I_e", "t_ref"], &["V_m"]),
        };
        let each = |names: &[&'static str]| names.iter().map(|of| Ok((*of, values(of)?))).collect::<Result<Vec<_>, Lack>>();
        let factor = vec![1.0; size as usize];
        let receptors = vec![Receptor { variable: "arriving".into(), kind: ReceptorKind::BySign, factor, later: 1 }];
        let (parameters, initial) = (each(names)?, each(initial)?);
        Ok(Neurons {
            name: built.plan.populations[index].name.clone(),
            size,
            model,
            parameters,
            initial,
            taus: Vec::new(),
            receptors,
            potential: "V_m".into(),
            lost_initial: false,
        })
    }

    /// The model with these ports, of which only those count that spikes reach.
    fn chosen(built: &Built, index: usize, cells: Cells, amounts: &dyn Fn(&str) -> Vec<f64>) -> Result<Neurons, Lack> {
        let size = built.plan.populations[index].size;
        let mut parameters = vec![
            ("C_m", cells.capacity.clone()),
            ("E_L", cells.rest.clone()),
            ("V_reset", cells.reset.clone()),
            ("t_ref", cells.refractory.clone()),
        ];
        let used: Vec<(&Port, Vec<f64>)> =
            cells.ports.iter().map(|port| (port, amounts(&port.variable))).filter(|(_, all)| !all.is_empty()).collect();
        let unused = cells
            .ports
            .iter()
            .filter(|port| port.kind != PortKind::Potential && used.iter().all(|(of, _)| of.variable != port.variable));
        let currents: Vec<_> = used.iter().filter(|(port, _)| matches!(port.kind, PortKind::Current { .. })).collect();
        let conductances: Vec<_> = used.iter().filter(|(port, _)| matches!(port.kind, PortKind::Conductance { .. })).collect();
        let jumps: Vec<_> = used.iter().filter(|(port, _)| port.kind == PortKind::Potential).collect();
        let kinds = [!currents.is_empty(), !conductances.is_empty(), !jumps.is_empty()].iter().filter(|is| **is).count();
        if kinds > 1 {
            return Err("spikes that add to currents, conductances or the potential of the same cells".into());
        }
        // What no spike reaches decides nothing, but the kind of the cell where nothing does.
        let is_conductance = !conductances.is_empty()
            || kinds == 0 && unused.clone().any(|port| matches!(port.kind, PortKind::Conductance { .. }));
        let of_kind = if is_conductance { &conductances } else { &currents };
        let mut courses: Vec<Course> = of_kind.iter().filter_map(|(port, _)| port.course()).collect();
        courses.dedup();
        let is_alpha = match &courses[..] {
            [] => false,
            [course] => *course == Course::Alpha,
            _ => return Err("exponential and alpha-shaped synapses at the same cells".into()),
        };
        let is_adaptive = cells.adaptive.is_some();
        let mut taus = Vec::new();
        let (model, receptors) = if !jumps.is_empty() {
            if is_adaptive {
                return Err("adaptive cells whose potential jumps".into());
            }
            let receptor = |(port, _): &&(&Port, Vec<f64>)| port.receptor(ReceptorKind::BySign, 1);
            ("iaf_psc_delta", jumps.iter().map(receptor).collect())
        } else if is_conductance {
            let receptors = conductance_receptors(&conductances, &mut parameters)?;
            let model = match (is_adaptive, is_alpha) {
                (false, false) => "iaf_cond_exp",
                (false, true) => "iaf_cond_alpha",
                (true, false) => "aeif_cond_exp",
                (true, true) => "aeif_cond_alpha",
            };
            (model, receptors)
        } else {
            let (receptors, several) = current_receptors(&currents, &mut parameters)?;
            let model = match (is_adaptive, several.is_empty(), is_alpha) {
                (false, true, false) => "iaf_psc_exp",
                (false, true, true) => "iaf_psc_alpha",
                (false, false, false) => "iaf_psc_exp_multisynapse",
                (false, false, true) => "iaf_psc_alpha_multisynapse",
                (true, true, false) => "aeif_psc_exp",
                (true, true, true) => "aeif_psc_alpha",
                (true, false, _) => return Err("adaptive cells with more than two currents of synapses".into()),
            };
            taus = several;
            (model, receptors)
        };
        let mut initial = vec![("V_m", cells.potential.clone())];
        let has_initial = |port: &Port| port.initial.iter().flatten().any(|value| *value != 0.0);
        let lost_initial = !is_conductance && cells.ports.iter().any(has_initial);
        for (port, _) in conductances.iter().filter(|(port, _)| has_initial(port)) {
            let is_excitatory =
                receptors.iter().any(|of: &Receptor| of.variable == port.variable && of.kind == ReceptorKind::Excitatory);
            let names = if is_excitatory { ["g_ex", "dg_ex"] } else { ["g_in", "dg_in"] };
            initial.extend(names.into_iter().zip(port.initial.clone()).filter(|(_, values)| !values.is_empty()));
        }
        if let Some(adaptive) = cells.adaptive {
            parameters.push(("V_th", adaptive.rise));
            parameters.push(("V_peak", cells.threshold));
            parameters.extend([
                ("g_L", cells.leak),
                ("Delta_T", adaptive.delta_t),
                ("a", adaptive.a),
                ("b", adaptive.b),
                ("tau_w", adaptive.tau_w),
                ("I_e", adaptive.current),
            ]);
            initial.push(("w", adaptive.w));
        } else {
            parameters.push(("V_th", cells.threshold));
            if is_conductance {
                parameters.push(("g_L", cells.leak));
            } else {
                parameters.push(("tau_m", cells.tau));
            }
        }
        Ok(Neurons {
            name: built.plan.populations[index].name.clone(),
            size,
            model,
            parameters,
            initial,
            taus,
            receptors,
            potential: cells.name,
            lost_initial,
        })
    }
}

/// The spikes of a source, sorted by neuron: times as the end of their step, as NEST counts them, in ms.
pub(crate) fn spike_times(source: &Source, dt_ms: f64) -> Option<Vec<(u32, f64)>> {
    let SourceKind::Spikes { spike_times_ms, .. } = &source.kind else { return None };
    let time = |(neuron, ms): &(u32, f64)| (*neuron, (Source::step(*ms, dt_ms) + 1.0) * dt_ms);
    let mut all: Vec<(u32, f64)> = spike_times_ms.iter().map(time).collect();
    all.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    Some(all)
}
