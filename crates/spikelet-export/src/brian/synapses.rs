//! Projections as `Synapses`.

use spikelet::lang::library::library;
use spikelet::lang::model::Method;
use spikelet::lang::{Dimension, End};
use spikelet::{Delays, Projection, Quantity};

use super::names::fit;
use super::text::{Line, constant, lines, quoted, regular};
use super::{Writer, call, end, events, of_brian, of_constant, steps};
use crate::Lack;
use crate::python::identifier;

impl Writer<'_> {
    /// The synapses of a projection, with all their values.
    pub(super) fn projection(&mut self, of: &Projection) -> Result<(), Lack> {
        let (name, object) = (&of.name, identifier(&of.name));
        let has = [
            ("a third neuron", of.third.is_some(), "leave out `third`"),
            ("events as presynaptic spikes", of.pre.population.contains('.'), "let a population fire by their condition"),
        ];
        if let Some((what, _, way_out)) = has.iter().find(|(_, has, _)| *has) {
            return Err(format!("{what}, which {name} has; {way_out}"));
        }
        let model = of.model.as_deref().and_then(|name| library(name).ok());
        let own_text = of.equations.clone().unwrap_or_default();
        let equations = model
            .as_ref()
            .map_or_else(|| own_text.clone(), |model| spikelet::lang::library::extended(model.equations(), &own_text));
        let mut equations = lines(&equations)?;
        equations.iter_mut().for_each(|line| line.with_dt(self.built.network.dt_ms));
        let place = self.built.plan.projections.iter().position(|plan| plan.name == *name);
        let dimension = |variable: &str| -> Dimension {
            let model = place.map(|place| self.built.plan.synapse_model(place));
            let found = model
                .and_then(|model| model.dimensions().get(variable).copied().or_else(|| of_constant(&model.constants, variable)));
            found.unwrap_or(Dimension::NONE)
        };
        let of_post = &of.post.population;
        for line in &equations {
            if self.names.get(of_post).is_some_and(|names| names.contains(&line.name)) {
                return Err(format!(
                    "synapses with a variable of the name of one of their neurons, `{}`, which {name} has; rename it",
                    line.name
                ));
            }
            if line.flags.iter().any(|flag| flag == "summed") && !self.summed.insert(format!("{of_post}.{}", line.name)) {
                return Err(format!(
                    "several projections that are summed to `{}` of {of_post}; give each a variable of its own",
                    line.name
                ));
            }
        }
        let statements = |end: End| -> Vec<(String, String)> {
            let own: Vec<_> = of.pathways(end).map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
            let of_model = model.as_ref().and_then(|model| if end == End::Pre { model.on_pre() } else { model.on_post() });
            let of_model = || of_model.map(|text| (end.name().to_owned(), text.to_owned()));
            if own.is_empty() { of_model().into_iter().collect() } else { own }
        };
        let table = self.built.edges(of)?;
        let all = table.all().map_err(|error| format!("synapses as {name} has them ({error})"))?;
        let (mut assigned, mut namespace) = (Vec::new(), Vec::new());
        for (column, values) in table.columns().iter().zip(all.values) {
            let values = column.shared.map_or(values, |value| vec![value]);
            let inner = if column.name == "delay_ms" { "ms" } else { &column.unit };
            let python = self.numbers(format!("{name}.{}", column.name), values, inner)?;
            let local = if column.name == "delay_ms" { "delay".to_owned() } else { fit(&column.name) };
            assigned.push(format!("{object}.{local} = {python}"));
            if column.name != "delay_ms" && !equations.iter().any(|line| line.given == column.name) {
                equations.push(Line::parameter(&column.name, &column.unit));
            }
        }
        let of_model = model
            .iter()
            .flat_map(|model| &model.parameters)
            .map(|(name, of)| (name.clone(), Quantity::from(of.default.as_str())));
        let preset = model.as_ref().and_then(|model| model.presets.get(of.preset.as_ref()?));
        let of_preset =
            preset.iter().flat_map(|preset| &preset.parameters).map(|(name, text)| (name.clone(), Quantity::from(text.as_str())));
        let mut parameters: indexmap::IndexMap<String, Quantity> = of_model.chain(of_preset).collect();
        parameters.extend(of.parameters.clone());
        for (parameter, value) in &parameters {
            let is_assigned = table.columns().iter().any(|column| column.name == *parameter);
            let fitted = fit(parameter);
            match constant(value, dimension(parameter)) {
                _ if is_assigned => {}
                Some(constant) if equations.iter().any(|line| line.given == *parameter) => {
                    assigned.push(format!("{object}.{fitted} = {constant}"));
                }
                Some(constant) => namespace.push(format!("'{fitted}': {constant}")),
                None => return Err(format!("the value {value} of `{parameter}`, which {name} has")),
            }
        }
        // Variables that neurons store for their synapses are in no column.
        let of_model = model.iter().flat_map(|model| &model.initial);
        let of_preset = preset.iter().flat_map(|preset| &preset.initial);
        let written = of_model.chain(of_preset).map(|(name, text)| (name.clone(), Quantity::from(text.as_str())));
        let mut initial: indexmap::IndexMap<String, Quantity> = written.collect();
        initial.extend(of.initial.clone());
        for (variable, value) in &initial {
            let is_declared = equations.iter().any(|line| line.given == *variable);
            if is_declared && !table.columns().iter().any(|column| column.name == *variable) {
                let value = constant(value, dimension(variable))
                    .ok_or_else(|| format!("the initial value {value} of `{variable}`, which neurons of {name} store"))?;
                assigned.push(format!("{object}.{} = {value}", fit(variable)));
            }
        }
        let differ = assigned.iter().any(|line| line.contains(".delay = values["));
        if differ {
            self.check_order(of, End::Pre, "pre")?;
        }
        let mut arguments = Vec::new();
        for (key, end) in [("on_pre", End::Pre), ("on_post", End::Post)] {
            let text = match &statements(end)[..] {
                [] => continue,
                [(name, only)] if name == end.name() => quoted(only)?,
                several => {
                    let texts: Result<Vec<String>, Lack> =
                        several.iter().map(|(name, text)| Ok(format!("'{name}': {}", quoted(text)?))).collect();
                    format!("{{{}}}", texts?.join(", "))
                }
            };
            arguments.push((key, text));
        }
        // Brian 2 would choose another one.
        let plan = place.map(|place| &self.built.plan.projections[place]);
        let method = plan.and_then(|plan| plan.state.as_ref()?.program.method).map(Method::name);
        let step = if method == Some("exponential_euler") { steps::exponential(&equations)? } else { None };
        let method = match step {
            Some(code) => Some(self.own_step(&object, &code)),
            None => method.map(of_brian),
        };
        let start = format!("{object} = Synapses(\n    {}, {}", end(&of.pre), end(&of.post));
        self.line(call(&start, &equations, &object, arguments, method, &namespace));
        let (pre, post) = (of.pre.start.unwrap_or(0), of.post.start.unwrap_or(0));
        self.script.arrays.whole(format!("{name}.i"), all.pre.into_iter().map(|i| i - pre).collect());
        self.script.arrays.whole(format!("{name}.j"), all.post.into_iter().map(|j| j - post).collect());
        self.line(format!("{object}.connect(i=values['{name}.i'].astype(int), j=values['{name}.j'].astype(int))"));
        for line in assigned {
            self.line(line);
        }
        let each = if let Delays::Each(each) = &of.delay_ms { Some(each) } else { None };
        let of_post = of.delay_post_ms.as_ref().map(|delays| match delays {
            Delays::Same(delay) => {
                of.pathways(End::Post).map(|(pathway, _)| (End::Post, pathway.to_owned(), delay.clone())).collect()
            }
            Delays::Each(each) => {
                each.iter().map(|(pathway, delay)| (End::Post, pathway.clone(), delay.clone())).collect::<Vec<_>>()
            }
        });
        let of_pre = each.into_iter().flatten().map(|(pathway, delay)| (End::Pre, pathway.clone(), delay.clone()));
        for (end, pathway, delay) in of_pre.chain(of_post.into_iter().flatten()) {
            let delay = match &delay {
                Quantity::Number(ms) => format!("{ms:?}*ms"),
                other => match constant(other, Dimension::TIME) {
                    Some(delay) => delay,
                    None => {
                        self.check_order(of, end, &pathway)?;
                        let delays = self.built.delays(of, end, &pathway)?;
                        self.numbers(format!("{name}.{pathway}.delay"), delays, "ms")?
                    }
                },
            };
            self.line(format!("{object}.{pathway}.delay = {delay}"));
        }
        if equations.iter().any(Line::is_clock_driven) {
            self.line("# After the neurons and their statements: synapses read their new values.");
            self.line(format!("{object}.state_updater.order = 2"));
        }
        for line in self.orders.pathways(name).iter().chain(self.orders.sums(name)) {
            self.script.line(line);
        }
        for (place, of) in of.run_regularly.iter().enumerate() {
            let line = regular(&object, of, self.orders.regular(name, place))?;
            self.line(line);
        }
        self.line("");
        Ok(())
    }

    /// Rejects assignments to neurons by events with delays that differ.
    fn check_order(&self, of: &Projection, end: End, pathway: &str) -> Result<(), Lack> {
        let Some(variable) = events::assigning(&self.built.network, of, end, pathway) else { return Ok(()) };
        Err(format!(
            "the order of the events of a step (rule 6.6), which matters for `{variable}`, to which the pathway `{pathway}` of {} assigns: \
             there events come in the order in which their spikes were sent, and the delays differ; give all synapses the same delay, or add by `+=`",
            of.name
        ))
    }
}
