//! Scripts for PyNN: any simulator that it has a module for.

use spikelet::{Indices, Network, Recording, Source, SourceKind};

use crate::built::Built;
use crate::cell::tidy;
use crate::edges::{AddedSynapses, PoissonInput, constant};
use crate::neurons::{CellNetwork, Neurons, Receptor, ReceptorKind, spike_times};
use crate::python::{VALUES, identifier};
use crate::{Lack, Script};

/// Its cells by NEST's names, and what its names are of NEST's values in its units: a factor is multiplied.
const CELLS: [(&str, &str); 8] = [
    ("iaf_psc_exp", "IF_curr_exp"),
    ("iaf_psc_alpha", "IF_curr_alpha"),
    ("iaf_psc_delta", "IF_curr_delta"),
    ("iaf_cond_exp", "IF_cond_exp"),
    ("iaf_cond_alpha", "IF_cond_alpha"),
    ("aeif_cond_exp", "EIF_cond_exp_isfa_ista"),
    ("aeif_cond_alpha", "EIF_cond_alpha_isfa_ista"),
    ("izhikevich", "Izhikevich"),
];

/// Parameters: NEST's name, PyNN's, and the factor of units (pF to nF, pA to nA).
const PARAMETERS: [(&str, &str, f64); 17] = [
    ("C_m", "cm", 1e-3),
    ("E_L", "v_rest", 1.0),
    ("V_reset", "v_reset", 1.0),
    ("V_th", "v_thresh", 1.0),
    ("V_peak", "v_spike", 1.0),
    ("t_ref", "tau_refrac", 1.0),
    ("tau_m", "tau_m", 1.0),
    ("tau_syn_ex", "tau_syn_E", 1.0),
    ("tau_syn_in", "tau_syn_I", 1.0),
    ("E_ex", "e_rev_E", 1.0),
    ("E_in", "e_rev_I", 1.0),
    ("I_e", "i_offset", 1e-3),
    ("Delta_T", "delta_T", 1.0),
    ("tau_w", "tau_w", 1.0),
    ("a", "a", 1.0),
    ("b", "b", 1.0),
    ("c", "c", 1.0),
];

/// PyNN 0.13.0 does not set the potential of IF_curr_delta in NEST, and conductances there without the factor of their unit.
const INITIALIZE: &str = "
def initialize(population, nest, **values):
    \"\"\"Sets values at the start: in NEST by its own names and units, which PyNN's module does not do for all of them.\"\"\"
    if sim.__name__ == 'pyNN.nest':
        population.node_collection.set(**nest)
    else:
        population.initialize(**values)

";

/// The script of a network.
pub(crate) fn script(built: &Built) -> Result<Script, Lack> {
    let network = &*built.network;
    let parts = CellNetwork::new(built)?;
    let script = Script::start(network, "PyNN. Name a simulator as the argument: nest is the default")?;
    let mut writer = Writer { network, parts: &parts, script };
    writer.write()?;
    writer.script.notices.extend(parts.notices.iter().cloned());
    Ok(writer.script)
}

struct Writer<'a> {
    network: &'a Network,
    parts: &'a CellNetwork,
    script: Script,
}

impl Writer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.script.line(line);
    }

    fn write(&mut self) -> Result<(), Lack> {
        let network = self.network;
        self.line("import importlib\nimport sys\nfrom pathlib import Path\n\nimport numpy as np\n");
        self.line("sim = importlib.import_module(f\"pyNN.{sys.argv[1] if len(sys.argv) > 1 else 'nest'}\")");
        self.line(format!("values = np.load(Path(__file__).with_name('{VALUES}'))"));
        let later = |of: &AddedSynapses| self.parts.receptor(&of.post, &of.variable).map_or(0, |receptor| receptor.later);
        let longest =
            self.parts.edges.iter().flat_map(|of| of.delays.iter().map(move |steps| steps + later(of))).max().unwrap_or(1);
        let (dt, longest) = (network.dt_ms, f64::from(longest.max(1)) * network.dt_ms);
        self.line(format!(
            "sim.setup(timestep={dt:?}, min_delay={dt:?}, max_delay={longest:?}, spike_precision='on_grid')\npopulations = {{}}\n"
        ));
        self.line(INITIALIZE);
        for of in &self.parts.neurons {
            self.neurons(of)?;
        }
        for source in &network.sources {
            self.source(source)?;
        }
        for input in &self.parts.inputs {
            self.input(input)?;
        }
        for edges in &self.parts.edges {
            self.edges(edges)?;
        }
        self.line("for population in populations.values():\n    population.record('spikes')");
        for recording in &network.recordings {
            self.recording(recording);
        }
        self.script.note_left_out(network);
        self.line(format!("\nsim.run({:?})\n", network.duration_ms));
        self.line(
            "spikes = {name: population.get_data('spikes').segments[0].spiketrains for name, population in populations.items()}",
        );
        self.line("for name, trains in spikes.items():\n    print(f'{name}: {sum(len(train) for train in trains)} spikes')");
        self.line("sim.end()");
        Ok(())
    }

    fn neurons(&mut self, of: &Neurons) -> Result<(), Lack> {
        let Neurons { name, size, model, .. } = of;
        let Some((_, cell)) = CELLS.iter().find(|(nest, _)| nest == model) else {
            return Err(format!("a cell like `{model}` of NEST, which {name} is"));
        };
        let mut parameters = Vec::new();
        for (key, values) in &of.parameters {
            let (key, values) = match *key {
                // The time constant of a cell that NEST describes by its conductance.
                "g_L" => {
                    let capacity = of.parameters.iter().find(|(key, _)| *key == "C_m").map_or(&values[..], |(_, values)| values);
                    ("tau_m", capacity.iter().zip(values).map(|(capacity, leak)| tidy(capacity / leak)).collect())
                }
                // Its potential at which an Izhikevich cell fires is fixed.
                "V_th" if *model == "izhikevich" => {
                    if values.iter().any(|value| *value != 30.0) {
                        return Err(format!("Izhikevich cells that fire at another potential than 30 mV, which {name} has"));
                    }
                    continue;
                }
                "d" => ("d", values.clone()),
                "b" if model.starts_with("aeif") => ("b", values.iter().map(|value| value * 1e-3).collect()),
                key => match PARAMETERS.iter().find(|(nest, ..)| *nest == key) {
                    Some((_, name, factor)) => (*name, values.iter().map(|value| tidy(value * factor)).collect()),
                    None => return Err(format!("the parameter `{key}` of `{model}`, which {name} has")),
                },
            };
            let python = self.script.numbers(&format!("{name}.{key}"), &values);
            parameters.push(format!("{key}={python}"));
        }
        let object = identifier(name);
        self.line(format!("{object} = sim.Population({size}, sim.{cell}({}), label='{name}')", parameters.join(", ")));
        let (mut of_nest, mut initial) = (Vec::new(), Vec::new());
        for (nest, values) in &of.initial {
            let python = self.script.numbers(&format!("{name}.initial.{nest}"), values);
            of_nest.push(format!("'{nest}': {python}"));
            let key = match *nest {
                "V_m" => format!("v={python}"),
                "U_m" => format!("u={python}"),
                "w" => format!("w={python}*1e-3"),
                "g_ex" => format!("gsyn_exc={python}*1e-3"),
                "g_in" => format!("gsyn_inh={python}*1e-3"),
                // What drives a conductance has no name in PyNN.
                _ => continue,
            };
            initial.push(key);
        }
        self.line(format!("initialize({object}, {{{}}}, {})", of_nest.join(", "), initial.join(", ")));
        self.line(format!("populations['{name}'] = {object}\n"));
        Ok(())
    }

    fn source(&mut self, source: &Source) -> Result<(), Lack> {
        let (name, object) = (&source.name, identifier(&source.name));
        match &source.kind {
            SourceKind::Spikes { size, .. } => {
                let times = spike_times(source, self.network.dt_ms).unwrap_or_default();
                // PyNN subtracts a delay, and what is after a step by rounding would be of the next one.
                let early = 1e-6 * self.network.dt_ms;
                let (neurons, times) = times.into_iter().map(|(neuron, time)| (neuron, time - early)).unzip();
                self.script.arrays.whole(format!("{name}.i"), neurons);
                self.script.arrays.floats(format!("{name}.t"), times);
                self.line(format!("times = [values['{name}.t'][values['{name}.i'] == i].tolist() for i in range({size})]"));
                self.line(format!("{object} = sim.Population({size}, sim.SpikeSourceArray(spike_times=times), label='{name}')"));
            }
            SourceKind::Poisson { size, rate } => {
                let Some(rate) = constant(rate) else {
                    return Err(format!("rates that are no constants, which {name} has"));
                };
                let rate = rate * 1000.0;
                self.line(format!("{object} = sim.Population({size}, sim.SpikeSourcePoisson(rate={rate:?}), label='{name}')"));
            }
            SourceKind::PoissonInput { .. } => return Ok(()),
        }
        self.line(format!("populations['{name}'] = {object}\n"));
        Ok(())
    }

    fn input(&mut self, of: &PoissonInput) -> Result<(), Lack> {
        let Some(receptor) = self.parts.receptor(&of.post, &of.variable) else { return Ok(()) };
        let [start, end] = of.neurons;
        let object = identifier(&of.name);
        let weights: Vec<f64> = (start..end).map(|neuron| self.weight(&of.post, receptor, of.amount, neuron)).collect();
        let receptor = receptor_type(receptor, &weights, &of.name)?;
        let weights = self.script.numbers(&format!("{}.weight", of.name), &weights);
        self.line(format!(
            "{object} = sim.Population({}, sim.SpikeSourcePoisson(rate={:?}), label='{}')",
            end - start,
            of.rate,
            of.name
        ));
        self.line(format!(
            "sim.Projection({object}, {}[{start}:{end}], sim.OneToOneConnector(), sim.StaticSynapse(weight={weights}, delay={:?}), receptor_type='{receptor}')\n",
            identifier(&of.post),
            self.network.dt_ms
        ));
        Ok(())
    }

    fn edges(&mut self, of: &AddedSynapses) -> Result<(), Lack> {
        let Some(receptor) = self.parts.receptor(&of.post, &of.variable) else { return Ok(()) };
        let AddedSynapses { name, pre, post, .. } = of;
        let weights: Vec<f64> = of
            .amounts
            .iter()
            .zip(&of.post_neurons)
            .map(|(amount, neuron)| self.weight(post, receptor, *amount, *neuron))
            .collect();
        let delays: Vec<f64> = of.delays.iter().map(|steps| f64::from(steps + receptor.later) * self.network.dt_ms).collect();
        let signs = [weights.iter().any(|weight| *weight > 0.0), weights.iter().any(|weight| *weight < 0.0)];
        let types: &[&str] = match (receptor.kind, signs) {
            (ReceptorKind::BySign, [true, true]) => &["excitatory", "inhibitory"],
            _ => &[receptor_type(receptor, &weights, name)?],
        };
        let weights = self.script.column(&format!("{name}.weight"), &weights);
        let delays = self.script.column(&format!("{name}.delay"), &delays);
        self.script.arrays.whole(format!("{name}.i"), of.pre_neurons.clone());
        self.script.arrays.whole(format!("{name}.j"), of.post_neurons.clone());
        self.line(format!("edges = np.column_stack([values['{name}.i'], values['{name}.j'], {weights}, {delays}])"));
        for kind in types {
            let some = match (types, *kind) {
                ([_], _) => "edges",
                (_, "excitatory") => "edges[edges[:, 2] >= 0]",
                _ => "edges[edges[:, 2] < 0]",
            };
            self.line(format!(
                "sim.Projection({}, {}, sim.FromListConnector({some}, column_names=['weight', 'delay']), sim.StaticSynapse(), receptor_type='{kind}')",
                identifier(pre),
                identifier(post)
            ));
        }
        self.line("");
        Ok(())
    }

    /// The weight of a spike in nA, µS or mV: conductances are positive.
    fn weight(&self, post: &str, receptor: &Receptor, amount: f64, neuron: u32) -> f64 {
        let factor = receptor.factor.get(neuron as usize).copied().unwrap_or(1.0);
        let is_potential = self.parts.neurons(post).is_some_and(|of| ["iaf_psc_delta", "izhikevich"].contains(&of.model));
        amount * factor * if is_potential { 1.0 } else { 1e-3 } + 0.0
    }

    fn recording(&mut self, of: &Recording) {
        let neurons = self.parts.neurons(&of.object).filter(|neurons| neurons.potential == of.var && of.reduce.is_none());
        let Some(neurons) = neurons else {
            let what = if of.reduce.is_some() { "the mean or sum of " } else { "the recording of " };
            return self.script.left_out(&format!("{what}{}.{}", of.object, of.var));
        };
        if neurons.model == "iaf_psc_delta" {
            // PyNN 0.13.0 has no name of NEST for it.
            return self.script.left_out(&format!(
                "the recording of {}.{}: PyNN does not record the potential of IF_curr_delta in NEST",
                of.object, of.var
            ));
        }
        let every = of.every_ms.map_or(String::new(), |every| format!(", sampling_interval={every:?}"));
        let some = match &of.indices {
            Indices::All => String::new(),
            indices => format!("[{:?}]", indices.of(neurons.size)),
        };
        self.line(format!("populations['{}']{some}.record('v'{every})", of.object));
    }
}

/// The receptor of weights of one sign.
fn receptor_type(receptor: &Receptor, weights: &[f64], name: &str) -> Result<&'static str, Lack> {
    match receptor.kind {
        ReceptorKind::Excitatory => Ok("excitatory"),
        ReceptorKind::Inhibitory => Ok("inhibitory"),
        ReceptorKind::BySign => Ok(if weights.iter().any(|weight| *weight < 0.0) { "inhibitory" } else { "excitatory" }),
        ReceptorKind::Number(_) => Err(format!("more than two receptors, which the cells have that {name} reaches")),
    }
}
