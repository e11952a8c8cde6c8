//! Scripts for NEST 3, by PyNEST.

use spikelet::{Indices, Network, Recording, Source, SourceKind};

use crate::built::Built;
use crate::edges::{AddedSynapses, PoissonInput, constant};
use crate::neurons::{CellNetwork, Neurons, Receptor, ReceptorKind, spike_times};
use crate::python::{VALUES, identifier, is_uniform};
use crate::{Lack, Script};

/// The script of a network.
pub(crate) fn script(built: &Built) -> Result<Script, Lack> {
    let network = &*built.network;
    let parts = CellNetwork::new(built)?;
    let script = Script::start(network, "NEST 3")?;
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
        self.line("from pathlib import Path\n\nimport nest\nimport numpy as np\n");
        self.line(format!("values = np.load(Path(__file__).with_name('{VALUES}'))"));
        self.line(format!("nest.ResetKernel()\nnest.resolution = {:?}", network.dt_ms));
        // From 1 to 2³² − 1.
        self.line(format!("nest.rng_seed = {}\nids = {{}}\n", network.seed % 4_294_967_295 + 1));
        for of in &self.parts.neurons {
            self.neurons(of);
        }
        for source in &network.sources {
            self.source(source)?;
        }
        for input in &self.parts.inputs {
            self.input(input);
        }
        for edges in &self.parts.edges {
            self.edges(edges);
        }
        let recorded = network
            .populations
            .iter()
            .map(|of| &of.name)
            .chain(network.sources.iter().filter(|of| matches!(of.kind, SourceKind::Poisson { .. })).map(|of| &of.name));
        let names: Vec<String> = recorded.map(|name| format!("'{name}'")).collect();
        self.line(format!("spikes = {{name: nest.Create('spike_recorder') for name in [{}]}}", names.join(", ")));
        self.line("for name, recorder in spikes.items():\n    nest.Connect(nest.NodeCollection(ids[name]), recorder)");
        self.line("traces = {}");
        for (index, recording) in network.recordings.iter().enumerate() {
            self.recording(index, recording);
        }
        self.script.note_left_out(network);
        self.line(format!("\nnest.Simulate({:?})\n", network.duration_ms));
        self.line("# NEST gives a spike the end of its step as its time.");
        self.line("for name, recorder in spikes.items():\n    print(f'{name}: {recorder.n_events} spikes')");
        Ok(())
    }

    fn neurons(&mut self, of: &Neurons) {
        let Neurons { name, size, model, .. } = of;
        let (mut common, mut each) = (Vec::new(), Vec::new());
        for (parameter, values) in of.parameters.iter().chain(&of.initial) {
            let python = self.script.numbers(&format!("{name}.{parameter}"), values);
            let list = if is_uniform(values) { &mut common } else { &mut each };
            list.push(format!("'{parameter}': {python}"));
        }
        if !of.taus.is_empty() {
            common.push(format!("'tau_syn': {:?}", of.taus));
        }
        let object = identifier(name);
        self.line(format!("{object} = nest.Create('{model}', {size}, params={{{}}})", common.join(", ")));
        if !each.is_empty() {
            self.line(format!("{object}.set({{key: array for key, array in {{{}}}.items()}})", each.join(", ")));
        }
        self.line(format!("ids['{name}'] = np.array({object}.tolist())\n"));
    }

    fn source(&mut self, source: &Source) -> Result<(), Lack> {
        let (name, object) = (&source.name, identifier(&source.name));
        match &source.kind {
            SourceKind::Spikes { size, .. } => {
                let times = spike_times(source, self.network.dt_ms).unwrap_or_default();
                let (neurons, times) = times.into_iter().unzip();
                self.script.arrays.whole(format!("{name}.i"), neurons);
                self.script.arrays.floats(format!("{name}.t"), times);
                self.line(format!("{object} = nest.Create('spike_generator', {size}, params=["));
                self.line(format!(
                    "    {{'spike_times': values['{name}.t'][values['{name}.i'] == i], 'allow_offgrid_times': True}} for i in range({size})\n])"
                ));
            }
            SourceKind::Poisson { size, rate } => {
                let Some(rate) = constant(rate) else {
                    return Err(format!("rates that are no constants, which {name} has"));
                };
                let rate = rate * 1000.0;
                self.line(format!("{object} = nest.Create('parrot_neuron', {size})"));
                self.line(format!("nest.Connect(nest.Create('poisson_generator', params={{'rate': {rate:?}}}), {object}, syn_spec={{'delay': {:?}}})", self.network.dt_ms));
            }
            SourceKind::PoissonInput { .. } => return Ok(()),
        }
        self.line(format!("ids['{name}'] = np.array({object}.tolist())\n"));
        Ok(())
    }

    fn input(&mut self, of: &PoissonInput) {
        let Some(receptor) = self.parts.receptor(&of.post, &of.variable) else { return };
        let [start, end] = of.neurons;
        let (name, dt) = (&of.name, self.network.dt_ms);
        let weights: Vec<f64> = (start..end).map(|neuron| weight(receptor, of.amount, neuron)).collect();
        let number = receptor_type(receptor);
        self.line(format!("{} = nest.Create('poisson_generator', params={{'rate': {:?}}})", identifier(name), of.rate));
        let target = format!("ids['{}'][{start}:{end}]", of.post);
        if is_uniform(&weights) {
            let weight = weights.first().copied().unwrap_or(0.0);
            self.line(format!(
                "nest.Connect({}, nest.NodeCollection({target}), syn_spec={{'weight': {weight:?}, 'delay': {dt:?}{number}}})\n",
                identifier(name)
            ));
        } else {
            let weights = self.script.numbers(&format!("{name}.weight"), &weights);
            self.line(format!(
                "nest.Connect(np.repeat({}.tolist(), {}), {target}, 'one_to_one', syn_spec={{'weight': {weights}, 'delay': np.full({}, {dt:?}){number}}})\n",
                identifier(name),
                end - start,
                end - start
            ));
        }
    }

    fn edges(&mut self, of: &AddedSynapses) {
        let Some(receptor) = self.parts.receptor(&of.post, &of.variable) else { return };
        let AddedSynapses { name, pre, post, .. } = of;
        let count = of.amounts.len();
        if count == 0 {
            return;
        }
        let weights: Vec<f64> =
            of.amounts.iter().zip(&of.post_neurons).map(|(amount, neuron)| weight(receptor, *amount, *neuron)).collect();
        let delays: Vec<f64> = of.delays.iter().map(|steps| f64::from(steps + receptor.later) * self.network.dt_ms).collect();
        let weights = self.script.column(&format!("{name}.weight"), &weights);
        let delays = self.script.column(&format!("{name}.delay"), &delays);
        self.script.arrays.whole(format!("{name}.i"), of.pre_neurons.clone());
        self.script.arrays.whole(format!("{name}.j"), of.post_neurons.clone());
        let number = match receptor.kind {
            ReceptorKind::Number(number) => format!(", 'receptor_type': np.full({count}, {number})"),
            _ => String::new(),
        };
        self.line(format!(
            "nest.Connect(\n    ids['{pre}'][values['{name}.i']], ids['{post}'][values['{name}.j']], 'one_to_one',\n    syn_spec={{'weight': {weights}, 'delay': {delays}{number}}},\n)\n"
        ));
    }

    fn recording(&mut self, index: usize, of: &Recording) {
        let potential = self.parts.neurons(&of.object).map(|neurons| (neurons.potential.as_str(), neurons.size));
        let Some((_, size)) = potential.filter(|(name, _)| *name == of.var && of.reduce.is_none()) else {
            let what = if of.reduce.is_some() { "the mean or sum of " } else { "the recording of " };
            return self.script.left_out(&format!("{what}{}.{}", of.object, of.var));
        };
        let neurons = match &of.indices {
            Indices::All => format!("ids['{}']", of.object),
            indices => format!("ids['{}'][{:?}]", of.object, indices.of(size)),
        };
        let every = of.every_ms.unwrap_or(self.network.dt_ms);
        let name = format!("traces['{}.{}, {index}']", of.object, of.var);
        self.line(format!("{name} = nest.Create('multimeter', params={{'record_from': ['V_m'], 'interval': {every:?}}})"));
        self.line(format!("nest.Connect({name}, nest.NodeCollection({neurons}))"));
    }
}

/// The weight of a spike in NEST: negative for inhibition.
fn weight(receptor: &Receptor, amount: f64, neuron: u32) -> f64 {
    let factor = receptor.factor.get(neuron as usize).copied().unwrap_or(1.0);
    // No −0.
    let sign = if receptor.kind == ReceptorKind::Inhibitory { -1.0 } else { 1.0 };
    amount * factor * sign + 0.0
}

fn receptor_type(receptor: &Receptor) -> String {
    match receptor.kind {
        ReceptorKind::Number(number) => format!(", 'receptor_type': {number}"),
        _ => String::new(),
    }
}
