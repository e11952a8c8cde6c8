//! Scripts for Brian 2, which has equations, too.

mod events;
mod functions;
mod names;
mod order;
mod split;
mod steps;
mod synapses;
mod text;

use std::collections::{HashMap, HashSet};

use spikelet::lang::model::{Constant, Method};
use spikelet::lang::{Dimension, End, quantity};
use spikelet::texts::own;
use spikelet::{Endpoint, Indices, Population, Quantity, Recording, Source, SourceKind};

use crate::built::Built;
use crate::python::{VALUES, identifier, is_uniform};
use crate::{Lack, Script};
use names::fit;
use order::Orders;
use text::{Line, base_of_inner, constant, lines, product, quoted, regular, unit};

/// The script of a network.
pub(crate) fn script(built: &Built) -> Result<Script, Lack> {
    let script = Script::start(&built.network, "Brian 2")?;
    let orders = Orders::of(&built.network);
    let mut writer = Writer { built, script, names: HashMap::new(), summed: HashSet::new(), orders };
    writer.write()?;
    Ok(writer.script)
}

struct Writer<'a> {
    built: &'a Built,
    script: Script,
    /// Names in the equations of each population.
    names: HashMap<String, Vec<String>>,
    /// Variables to which synapses contribute by `(summed)`.
    summed: HashSet<String>,
    /// The order of what happens in a step.
    orders: Orders,
}

impl Writer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.script.line(line);
    }

    fn write(&mut self) -> Result<(), Lack> {
        let network = &*self.built.network;
        if !network.functions.is_empty() {
            return Err("`functions` of a network; write them where they are called".into());
        }
        events::check(network)?;
        self.line("from pathlib import Path\n\nimport numpy as np\nfrom brian2 import *\n");
        self.line(format!(
            "values = np.load(Path(__file__).with_name('{VALUES}'))\ndefaultclock.dt = {:?}*ms\nseed({})\n",
            network.dt_ms, network.seed
        ));
        for index in 0..network.populations.len() {
            self.population(index)?;
        }
        for source in &network.sources {
            self.source(source)?;
        }
        for projection in &network.projections {
            self.projection(projection)?;
        }
        // A monitor needs spikes.
        let objects = network
            .populations
            .iter()
            .filter(|of| own(of).threshold.is_some())
            .map(|of| of.name.as_str())
            .chain(network.sources.iter().filter(|of| Source::size(of) > 0).map(|of| of.name.as_str()));
        let monitors: Vec<String> = objects.map(|name| format!("'{name}': SpikeMonitor({})", identifier(name))).collect();
        self.line(format!("spikes = {{{}}}", monitors.join(", ")));
        self.line("traces = {}");
        for (index, recording) in network.recordings.iter().enumerate() {
            self.recording(index, recording);
        }
        self.script.note_left_out(network);
        self.line("\nnetwork = Network(collect())");
        self.line("# Objects in containers are not collected.\nnetwork.add(list(spikes.values()), list(traces.values()))");
        self.line(format!(
            "network.run({:?}*ms)\n\nfor name, monitor in spikes.items():\n    print(f'{{name}}: {{monitor.num_spikes}} spikes')",
            network.duration_ms
        ));
        Ok(())
    }

    /// Values as an array that the script reads, or as one number; in Python.
    fn numbers(&mut self, name: String, values: Vec<f64>, inner: &str) -> Result<String, Lack> {
        if is_uniform(&values) {
            return Ok(product(values.first().copied().unwrap_or(0.0), inner));
        }
        let factor = unit(inner);
        let python = if factor == "1" { format!("values['{name}']") } else { format!("values['{name}']*({factor})") };
        self.script.arrays.floats(name, values);
        Ok(python)
    }

    fn population(&mut self, index: usize) -> Result<(), Lack> {
        let given = &self.built.network.populations[index];
        let of = own(given);
        let Population { name, .. } = &of;
        let has = [
            ("`winners`", of.winners.is_some(), "let each neuron fire by its threshold"),
            ("`events`", !given.events.is_empty(), "make their conditions thresholds of populations"),
            ("`linked` variables", !of.linked.is_empty(), "let synapses sum the variable to one of these neurons"),
        ];
        if let Some((what, _, way_out)) = has.iter().find(|(_, has, _)| *has) {
            return Err(format!("{what}, which {name} has; {way_out}"));
        }
        let object = identifier(name);
        let mut equations = lines(of.equations.as_deref().unwrap_or_default())?;
        let (mut namespace, mut assigned) = (Vec::new(), Vec::new());
        for (given, value) in &of.parameters {
            let parameter = &fit(given);
            let dimension = self.dimension(index, given);
            let declared = equations.iter().position(|line| line.name == *parameter);
            let timed = if let Quantity::Timed { values, dt, unit } = value {
                Some(self.timed_array(&format!("{name}.{given}"), values, dt, unit.as_deref(), dimension)?)
            } else {
                None
            };
            if let Some((array, _)) = &timed
                && executed(&of).any(|text| text::calls(text, given))
            {
                namespace.push(format!("'{parameter}': {array}"));
                continue;
            }
            let timed = timed.map(|(array, arguments)| format!("{array}({arguments})"));
            if let Some(function) = timed.as_deref().or_else(|| value.function_of_time()) {
                // The same at every step: a subexpression.
                let base = declared.map_or_else(|| base_of_inner(&dimension.inner_unit()), |at| equations[at].unit().to_owned());
                let line = Line::subexpression(given, function, &base)?;
                match declared {
                    Some(at) => equations[at] = line,
                    None => equations.push(line),
                }
                continue;
            }
            match (self.built.stored(&format!("{name}.{given}")), constant(value, dimension)) {
                (Some((values, inner)), _) => {
                    if declared.is_none() {
                        equations.push(Line::parameter(given, &inner));
                    }
                    let values = self.numbers(format!("{name}.{parameter}"), values, &inner)?;
                    assigned.push(format!("{object}.{parameter} = {values}"));
                }
                (None, Some(constant)) if declared.is_some() => assigned.push(format!("{object}.{parameter} = {constant}")),
                (None, Some(constant)) => namespace.push(format!("'{parameter}': {constant}")),
                (None, None) => return Err(format!("the value {value} of `{parameter}`, which {name} has")),
            }
        }
        let variables: Vec<(String, String)> = equations
            .iter()
            .filter(|line| !line.is_parameter || !of.parameters.contains_key(&line.given))
            .map(|line| (line.given.clone(), line.name.clone()))
            .collect();
        for (given, variable) in variables {
            if let Some((values, inner)) = self.built.stored(&format!("{name}.{given}"))
                && values.iter().any(|value| *value != 0.0)
            {
                let values = self.numbers(format!("{name}.{given}"), values, &inner)?;
                let line = format!("{object}.{variable} = {values}");
                if !assigned.contains(&line)
                    && !equations
                        .iter()
                        .any(|line| line.name == variable && line.flags.iter().any(|flag| flag == "constant over dt"))
                {
                    assigned.push(line);
                }
            }
        }
        self.names.insert(name.clone(), equations.iter().map(|line| line.name.clone()).collect());
        let texts = [("threshold", &of.threshold), ("reset", &of.reset), ("refractory", &of.refractory)];
        let mut arguments = Vec::new();
        for (key, value) in texts {
            if let Some(value) = value {
                // A time, as against a condition or an expression, has a number and a unit.
                let time = (key == "refractory").then(|| constant(&Quantity::from(value.as_str()), Dimension::TIME)).flatten();
                arguments.push((key, time.map_or_else(|| quoted(value), Ok)?));
            }
        }
        if of.refractory.is_none() {
            // Without a refractory time the flag has no effect, and Brian 2 does not know it, nor `lastspike`.
            equations.iter_mut().for_each(|line| line.flags.retain(|flag| flag != "unless refractory"));
            if self.reads_last_spike(name, &of) {
                arguments.push(("refractory", "0*ms".to_owned()));
            }
        }
        let method = self.built.plan.populations[index].program.method.map(Method::name);
        let rests = of.refractory.is_some();
        let step = match method {
            Some("exact") => steps::exact(self.built, index, &equations, rests)?,
            Some("exponential_euler") => steps::exponential(&equations)?.map(|code| steps::Exact { code, factors: Vec::new() }),
            _ => None,
        };
        let mut method = method.map(of_brian);
        if let Some(steps::Exact { code, factors }) = step {
            for (factor, values) in factors {
                let values = self.numbers(format!("{name}.{factor}"), values, "")?;
                assigned.push(format!("{object}.{factor} = {values}"));
                equations.push(Line::parameter(&factor, ""));
            }
            method = Some(self.own_step(&object, &code));
        }
        let start = format!("{object} = NeuronGroup(\n    {}", of.size);
        self.line(call(&start, &equations, &object, arguments, method, &namespace));
        for line in assigned {
            self.line(line);
        }
        if let Some(update) = &of.update {
            // After the state updater, which finds out whether a neuron is refractory.
            let update = quoted(update)?;
            self.line(format!("{object}.run_regularly({update}, when='groups', order=1)"));
        }
        for (place, of) in given.run_regularly.iter().enumerate() {
            let line = regular(&object, of, self.orders.regular(name, place))?;
            self.line(line);
        }
        self.line("");
        Ok(())
    }

    /// A function of the script that has the values of a timed array, and its arguments.
    fn timed_array(
        &mut self,
        name: &str,
        rows: &[Vec<f64>],
        dt: &str,
        unit_of: Option<&str>,
        dimension: Dimension,
    ) -> Result<(String, &'static str), Lack> {
        let lack = || format!("the timed array `{name}` with the unit {} and rows of {dt}", unit_of.unwrap_or("1"));
        let one =
            unit_of.map_or(Some(1.0), |of| Some(quantity::constant("unit", &format!("1*{of}")).ok()?.0)).ok_or_else(lack)?;
        let every = constant(&Quantity::from(dt), Dimension::TIME).ok_or_else(lack)?;
        let (object, columns) = (format!("{}_of_t", identifier(name)), rows.first().map_or(1, Vec::len));
        let (shape, arguments) = if columns == 1 { (String::new(), "t") } else { (format!(".reshape(-1, {columns})"), "t, i") };
        self.script.arrays.floats(name.to_owned(), rows.iter().flatten().map(|value| value * one).collect());
        let factor = unit(&dimension.inner_unit());
        self.line(format!("{object} = TimedArray(values['{name}']{shape}*({factor}), dt={every})"));
        Ok((object, arguments))
    }

    /// What a parameter or variable of a population measures.
    fn dimension(&self, population: usize, name: &str) -> Dimension {
        let model = self.built.plan.model(population);
        let of_table = || model.tables.get(name).map(|table| table.dimension);
        model.dimension(name).or_else(|| of_constant(&model.constants, name)).or_else(of_table).unwrap_or(Dimension::NONE)
    }

    /// A function of the script with the statements of a step, as the method of an object.
    fn own_step(&mut self, object: &str, code: &[String]) -> String {
        let code: Vec<String> = code.iter().map(|line| format!("    {line}")).collect();
        self.line(format!(
            "# Brian 2 has no such step: a rate is multiplied by how much the variable grows per rate.\n\
             def step_of_{object}(equations, variables, method_options=None):\n    return '''\n{}\n    '''\n\n",
            code.join("\n")
        ));
        format!("step_of_{object}")
    }

    /// Whether a population, or synapses of it, read the time of its last spike.
    fn reads_last_spike(&self, name: &str, of: &Population) -> bool {
        let own = executed(of);
        let joined = self.built.network.projections.iter().filter(|of| of.pre.population == *name || of.post.population == *name);
        let texts = joined.flat_map(|of| {
            let pathways = End::ALL.into_iter().flat_map(|end| of.pathways(end).map(|(_, text)| text).collect::<Vec<_>>());
            of.equations.as_deref().into_iter().chain(pathways)
        });
        own.chain(texts).any(|text| ["lastspike", "not_refractory"].iter().any(|word| text.contains(word)))
    }

    fn source(&mut self, source: &Source) -> Result<(), Lack> {
        let (name, object) = (&source.name, identifier(&source.name));
        match &source.kind {
            SourceKind::Spikes { size, spike_times_ms } => {
                let (neurons, times): (Vec<u32>, Vec<f64>) = spike_times_ms.iter().copied().unzip();
                self.script.arrays.whole(format!("{name}.i"), neurons);
                self.script.arrays.floats(format!("{name}.t"), times);
                self.line(format!(
                    "{object} = SpikeGeneratorGroup({size}, values['{name}.i'].astype(int), values['{name}.t']*ms, name='{object}')\n"
                ));
            }
            SourceKind::Poisson { size, rate } => {
                let rate = self.rate(name, rate)?;
                self.line(format!("{object} = PoissonGroup({size}, rates={rate}, name='{object}')\n"));
            }
            SourceKind::PoissonInput { targets, var, n, rate, weight } => {
                let network = &self.built.network;
                let population =
                    targets.first().and_then(|of| network.populations.iter().position(|it| it.name == of.population));
                let added = population.map_or(Dimension::NONE, |population| self.dimension(population, var));
                let (rate, weight) = (constant(rate, frequency()), constant(weight, added));
                let (Some(rate), Some(weight)) = (rate, weight) else {
                    return Err(format!(
                        "rates and weights of `poisson_input` that are no constants, which {name} has; use a `poisson` source with synapses"
                    ));
                };
                for (index, target) in targets.iter().enumerate() {
                    let target = end(target);
                    let (var, order) = (fit(var), self.orders.input());
                    self.line(format!("{object}_{index} = PoissonInput({target}, '{var}', {n}, {rate}, {weight}{order})"));
                }
                self.line("");
            }
        }
        Ok(())
    }

    fn rate(&mut self, name: &str, rate: &Quantity) -> Result<String, Lack> {
        if let Some(rate) = constant(rate, frequency()) {
            return Ok(rate);
        }
        match rate {
            Quantity::Values { values, unit: inner } => {
                self.numbers(format!("{name}.rate"), values.clone(), inner.as_deref().unwrap_or("kHz"))
            }
            Quantity::Text(text) | Quantity::Expr(text) => quoted(text),
            other => Err(format!("the rate {other}, which {name} has")),
        }
    }

    fn recording(&mut self, index: usize, of: &Recording) {
        if of.reduce.is_some() {
            self.line(format!("# Not written: the mean or sum of {}.{}.", of.object, of.var));
            self.script.notices.push(format!("recordings[{index}]: Brian 2 does not record means and sums; a comment says so"));
            return;
        }
        let network = &*self.built.network;
        let synapses =
            || self.built.plan.projections.iter().find(|plan| plan.name == of.object).map(|plan| plan.synapses() as u32);
        let size = network.population(&of.object).map(|population| population.size).or_else(synapses);
        let record = match (&of.indices, size) {
            (Indices::All, _) | (_, None) => "True".to_owned(),
            (indices, Some(size)) => format!("{:?}", indices.of(size)),
        };
        let order = self.orders.recordings(network);
        let every = of.every_ms.map_or(String::new(), |every| format!(", dt={every:?}*ms"));
        let (object, var, fitted) = (identifier(&of.object), &of.var, fit(&of.var));
        self.line(format!(
            "traces['{}.{var}, {index}'] = StateMonitor({object}, '{fitted}', record={record}{every}{order})",
            of.object
        ));
    }
}

/// What a population executes.
fn executed(of: &Population) -> impl Iterator<Item = &str> {
    let own = [&of.equations, &of.threshold, &of.reset, &of.update].into_iter().flatten().map(String::as_str);
    own.chain(of.run_regularly.iter().map(|of| of.statements.as_str()))
}

/// What a rate measures.
fn frequency() -> Dimension {
    Dimension::NONE.over(Dimension::TIME)
}

/// What a constant measures.
fn of_constant(constants: &[Constant], name: &str) -> Option<Dimension> {
    constants.iter().find(|of| of.name == name).map(|of| of.dimension)
}

/// A method as Brian 2 has it.
fn of_brian(method: &str) -> String {
    // Brian 2 solves fewer equations exactly; of one without its own variable exponential Euler is exact, too.
    if method == "exact" { "('exact', 'exponential_euler')".to_owned() } else { format!("'{method}'") }
}

/// The call that makes an object.
fn call(
    start: &str,
    equations: &[Line],
    object: &str,
    arguments: impl IntoIterator<Item = (&'static str, String)>,
    method: Option<String>,
    namespace: &[String],
) -> String {
    let equations: Vec<String> = equations.iter().map(|line| format!("    {}", line.text())).collect();
    let mut call = format!("{start}, '''\n{}\n    ''',\n    name='{object}'", equations.join("\n"));
    let method = method.map(|method| ("method", method));
    let namespace = (!namespace.is_empty()).then(|| ("namespace", format!("{{{}}}", namespace.join(", "))));
    for (key, value) in arguments.into_iter().chain(method).chain(namespace) {
        call += &format!(",\n    {key}={value}");
    }
    call + ",\n)"
}

/// A population, or a part of one.
fn end(of: &Endpoint) -> String {
    let bound = |bound: Option<u32>| bound.map_or(String::new(), |bound| bound.to_string());
    let slice = if of.start.or(of.end).is_none() { String::new() } else { format!("[{}:{}]", bound(of.start), bound(of.end)) };
    identifier(&of.population) + &slice
}
