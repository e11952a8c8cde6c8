//! One file of LEMS, which jNeuroML runs: populations and projections as component types, all neurons and connections, and the simulation.
//!
//! LEMS computes a step at once and knows sums over the synapses of a neuron, but no way to write to one. Synapses therefore expose all that their events
//! have added so far, and neurons add what is new in a step. A value of each neuron is the weight of an input, since a population has one component.

mod cell;
mod synapse;
mod text;
mod values;

use spikelet::lang::NeuronModel;
use spikelet::{Network, Population, Recording, Source, SourceKind};

use crate::built::Built;
use crate::edges::constant;
use crate::{Lack, without_counterpart};
use cell::Cells;
use synapse::Connections;
use text::{escaped, identifier};

/// The name of the file.
pub(crate) const FILE: &str = "network.xml";
/// The most neurons with spikes of their own: each is a population.
const MAX_SOURCES: u32 = 10_000;

/// A file that is being written.
struct File<'a> {
    built: &'a Built,
    network: &'a Network,
    types: String,
    populations: String,
    projections: String,
    inputs: String,
    outputs: String,
    notices: Vec<String>,
}

/// The file of a network, what it leaves out, and the number of values of neurons and synapses.
pub(crate) fn file(built: &Built) -> Result<(String, Vec<String>, u64), Lack> {
    let mut file = File {
        built,
        network: &built.network,
        types: String::new(),
        populations: String::new(),
        projections: String::new(),
        inputs: String::new(),
        outputs: String::new(),
        notices: Vec::new(),
    };
    let values = file.write()?;
    Ok((file.text(), file.notices, values))
}

impl File<'_> {
    fn write(&mut self) -> Result<u64, Lack> {
        let network = self.network;
        self.check_names()?;
        let indices = 0..network.populations.len();
        let cells: Vec<Cells<'_>> =
            indices.map(|index| Cells::new(self.built, index, synapse::effects(self.built, index))).collect::<Result<_, _>>()?;
        let mut values = 0;
        for (of, population) in cells.iter().zip(&network.populations) {
            self.population(of, population)?;
            values += of.differing.iter().map(|of| of.values.len() as u64).sum::<u64>();
        }
        for source in &network.sources {
            self.source(source)?;
        }
        let mut written = Vec::new();
        for (index, of) in network.projections.iter().enumerate() {
            let post = self.built.plan.projections[index].post;
            let (types, all) = synapse::write(self.built, index, &cells[post].parts(), &mut written)?;
            self.types += &types;
            for connections in &all {
                values += 2 * connections.all.len() as u64;
                self.connect(connections);
            }
            if all.is_empty() {
                self.left_out(&format!("the projection {}, which has no effect", of.name));
            }
        }
        for (index, recording) in network.recordings.iter().enumerate() {
            self.recording(index, recording, &cells);
        }
        for what in without_counterpart(network) {
            self.left_out(what);
        }
        Ok(values)
    }

    /// Rejects names that would be the same.
    fn check_names(&self) -> Result<(), Lack> {
        let populations = self.network.populations.iter().map(|of| &of.name);
        let sources = self.network.sources.iter().map(|of| &of.name);
        let projections = self.network.projections.iter().map(|of| &of.name);
        let mut seen: Vec<(String, &String)> = Vec::new();
        for name in populations.chain(sources).chain(projections) {
            let own = identifier(name);
            if let Some((_, other)) = seen.iter().find(|(of, other)| *of == own && *other != name) {
                return Err(format!("names that differ in signs alone, as {name} and {other} do"));
            }
            seen.push((own, name));
        }
        Ok(())
    }

    /// Says what is left out, in the file and to its reader.
    fn left_out(&mut self, what: &str) {
        self.types += &format!("  <!-- Not written: {}. -->\n", what.replace("--", "- -"));
        self.notices.push(format!("the file does not have {what}; a comment says so"));
    }

    fn population(&mut self, of: &Cells<'_>, population: &Population) -> Result<(), Lack> {
        let name = &of.name;
        self.types += &of.write()?;
        self.populations += &format!("    <population id=\"{name}\" component=\"{name}_cell\" size=\"{}\"/>\n", population.size);
        for differing in &of.differing {
            let input = format!("{}_of_{name}", differing.part);
            self.inputs += &format!("    <inputList id=\"{input}_list\" component=\"{input}_input\" population=\"{name}\">\n");
            for (neuron, value) in differing.values.iter().enumerate() {
                self.inputs += &format!(
                    "      <inputW id=\"{neuron}\" target=\"../{name}[{neuron}]\" destination=\"synapses\" weight=\"{value:?}\"/>\n"
                );
            }
            self.inputs += "    </inputList>\n";
        }
        let method = self.built.plan.populations.iter().find(|of| of.name == population.name).and_then(|of| of.program.method);
        if let Some(method) = method.map(spikelet::lang::model::Method::name).filter(|method| *method != "euler") {
            self.notices.push(format!(
                "{}: jNeuroML integrates by forward Euler, and not by {method}; the method `euler` gives the same spikes",
                population.name
            ));
        }
        // jNeuroML stops at the port of a type that sends no event.
        if of.fires() {
            self.spikes(name, population.size);
        }
        Ok(())
    }

    /// Writes the spikes of a population to a file.
    fn spikes(&mut self, name: &str, size: u32) {
        self.outputs += &format!("    <EventOutputFile id=\"{name}_spikes\" fileName=\"{name}.spikes\" format=\"ID_TIME\">\n");
        for neuron in 0..size {
            self.outputs += &format!("      <EventSelection id=\"{neuron}\" select=\"{name}[{neuron}]\" eventPort=\"spike\"/>\n");
        }
        self.outputs += "    </EventOutputFile>\n";
    }

    fn source(&mut self, source: &Source) -> Result<(), Lack> {
        let (name, dt) = (identifier(&source.name), self.built.plan.dt_ms);
        match &source.kind {
            SourceKind::Spikes { size, spike_times_ms } => {
                if *size > MAX_SOURCES {
                    return Err(format!("{size} neurons with spikes of their own, which {} has", source.name));
                }
                let mut times: Vec<Vec<f64>> = vec![Vec::new(); *size as usize];
                for (neuron, ms) in spike_times_ms {
                    times[*neuron as usize].push(Source::step(*ms, dt));
                }
                for (neuron, steps) in times.iter_mut().enumerate() {
                    steps.sort_unstable_by(f64::total_cmp);
                    self.types += &format!("  <spikeArray id=\"{name}_{neuron}_array\">\n");
                    for (id, step) in steps.iter().enumerate() {
                        // In the middle of the step, so that no rounding moves it to another one.
                        self.types += &format!("    <spike id=\"{id}\" time=\"{}ms\"/>\n", (step + 0.5) * dt);
                    }
                    self.types += "  </spikeArray>\n";
                    self.populations +=
                        &format!("    <population id=\"{name}_{neuron}\" component=\"{name}_{neuron}_array\" size=\"1\"/>\n");
                }
            }
            SourceKind::Poisson { size, rate } => {
                let Some(rate) = constant(rate) else {
                    return Err(format!("rates of Poisson sources that differ or change, which {} has", source.name));
                };
                self.types +=
                    &format!("  <spikeGeneratorPoisson id=\"{name}_generator\" averageRate=\"{}Hz\"/>\n", rate * 1000.0);
                self.populations += &format!("    <population id=\"{name}\" component=\"{name}_generator\" size=\"{size}\"/>\n");
                self.notices.push(format!("{}: the random numbers of another simulator are others", source.name));
                self.spikes(&name, *size);
            }
            SourceKind::PoissonInput { .. } => return Err(format!("`poisson_input`, which {} has", source.name)),
        }
        Ok(())
    }

    fn connect(&mut self, of: &Connections) {
        let dt = self.built.plan.dt_ms;
        let (pre, post) = (identifier(&of.pre), identifier(&of.post));
        let is_split =
            self.network.sources.iter().any(|source| source.name == of.pre && matches!(source.kind, SourceKind::Spikes { .. }));
        let line = |id: usize, source: &str, (from, to, weight, delay): (u32, u32, f64, u32)| {
            // Within a step: LEMS delivers it at the end of this step.
            let delay = (f64::from(delay) + 0.5) * dt;
            format!(
                "      <connectionWD id=\"{id}\" preCellId=\"../{source}[{from}]\" postCellId=\"../{post}[{to}]\" weight=\"{weight:?}\" delay=\"{delay}ms\"/>\n"
            )
        };
        let mut open = |name: &str, source: &str, lines: String| {
            self.projections += &format!(
                "    <projection id=\"{name}\" presynapticPopulation=\"{source}\" postsynapticPopulation=\"{post}\" synapse=\"{}\">\n{lines}    </projection>\n",
                of.synapse
            );
        };
        if !is_split {
            let lines = of.all.iter().enumerate().map(|(id, edge)| line(id, &pre, *edge)).collect();
            return open(&of.name, &pre, lines);
        }
        let mut neurons: Vec<u32> = of.all.iter().map(|(from, ..)| *from).collect();
        neurons.sort_unstable();
        neurons.dedup();
        for neuron in neurons {
            let source = format!("{pre}_{neuron}");
            let own = of.all.iter().filter(|(from, ..)| *from == neuron).enumerate();
            let lines = own.map(|(id, (_, to, weight, delay))| line(id, &source, (0, *to, *weight, *delay))).collect();
            open(&format!("{}_{neuron}", of.name), &source, lines);
        }
    }

    fn recording(&mut self, index: usize, of: &Recording, cells: &[Cells<'_>]) {
        let name = identifier(&of.object);
        let population = self.network.population(&of.object);
        let cells = cells.iter().find(|cells| cells.name == name && cells.exposes(&of.var));
        let (Some(population), Some(_), None) = (population, cells, &of.reduce) else {
            return self.left_out(&format!("the recording of {}.{}: only variables of neurons are recorded", of.object, of.var));
        };
        if of.every_ms.is_some() {
            self.notices.push(format!("{}.{} is recorded in every step", of.object, of.var));
        }
        let var = identifier(&of.var);
        self.outputs += &format!("    <OutputFile id=\"{name}_{var}_{index}\" fileName=\"{name}.{var}.{index}.dat\">\n");
        for neuron in of.indices.of(population.size) {
            self.outputs += &format!("      <OutputColumn id=\"{var}_{neuron}\" quantity=\"{name}[{neuron}]/{var}\"/>\n");
        }
        self.outputs += "    </OutputFile>\n";
    }

    fn text(&self) -> String {
        let network = self.network;
        let about = [network.name.as_str(), network.description.as_str()].join("\n\n");
        let about = about.trim().replace("--", "- -");
        let name = escaped(&identifier(&network.name));
        let includes: String =
            ["Cells", "Networks", "Inputs", "Simulation"].map(|file| format!("  <Include file=\"{file}.xml\"/>\n")).concat();
        format!(
            "<Lems>\n  <!-- {about}\n\n  Written by Spikelet {} for steps of {} ms. -->\n  <Target component=\"simulation\"/>\n{includes}{}  \
             <network id=\"{name}_network\">\n{}{}{}  </network>\n  \
             <Simulation id=\"simulation\" length=\"{}ms\" step=\"{}ms\" target=\"{name}_network\">\n{}  </Simulation>\n</Lems>\n",
            env!("CARGO_PKG_VERSION"),
            network.dt_ms,
            self.types,
            self.populations,
            self.projections,
            self.inputs,
            network.duration_ms,
            network.dt_ms,
            self.outputs
        )
    }
}

/// Rejects what LEMS cannot say.
fn check(model: &NeuronModel, has_winners: bool) -> Result<(), Lack> {
    let has = [
        ("an `update`", !model.update.is_empty()),
        ("statements at regular times", !model.regular.is_empty()),
        ("`winners`", has_winners || model.score.is_some()),
        ("white noise", !model.noise.is_empty()),
        ("timed arrays", !model.tables.is_empty()),
        ("`poisson_input`", !model.inputs.is_empty()),
        ("`linked` variables", model.variables.iter().any(|variable| variable.linked)),
    ];
    has.iter().find(|(_, has)| *has).map_or(Ok(()), |(what, _)| Err((*what).to_owned()))
}
