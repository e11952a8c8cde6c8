//! The texts of a population or projection, parsed and otherwise left as they are.

use std::collections::{HashMap, HashSet};

use indexmap::IndexMap;
use spikelet_lang::model::Interval;
use spikelet_lang::syntax::{
    AssignKind, BinaryOp, Declared, Equation, EquationKind, Expr, ExprKind, Statement, parse_equations, parse_expression,
    parse_quantity, parse_statements,
};
use spikelet_lang::{Dimension, End, Method, library};
use spikelet_network::{Network, Population, Projection, Quantity, RunRegularly, SourceKind, texts};

use crate::Error;
use crate::sites::{Definition, Sites};

/// A variable or parameter that the equations declare.
#[derive(Clone, Default)]
pub(crate) struct Variable {
    pub(crate) declared: Declared,
    pub(crate) is_time: bool,
    pub(crate) flags: HashSet<String>,
}

/// A timed array.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) row_ms: f64,
}

/// A `poisson_input` of a population.
pub(crate) struct PoissonInput {
    /// The name of the source.
    pub(crate) source: String,
    pub(crate) variable: String,
    pub(crate) number: Expr,
    pub(crate) rate: Expr,
    pub(crate) weight: Expr,
    pub(crate) slices: Vec<[u32; 2]>,
    pub(crate) site: u32,
}

/// An event beside the spike.
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) condition: Expr,
    pub(crate) statements: Vec<Statement>,
}

/// A pathway of a projection.
pub(crate) struct Pathway {
    pub(crate) name: String,
    pub(crate) end: End,
    pub(crate) order: i32,
    pub(crate) statements: Vec<Statement>,
}

/// What the texts of a population or projection say.
#[derive(Default)]
pub(crate) struct Model {
    pub(crate) variables: IndexMap<String, Variable>,
    pub(crate) definitions: IndexMap<String, Definition>,
    /// Differential equations that are integrated in every step.
    pub(crate) differential: Vec<(String, Expr)>,
    /// Those of synapses that are integrated when an event arrives.
    pub(crate) event_driven: Vec<(String, Expr)>,
    /// Of a projection: contributions to neurons, by `I_post`.
    pub(crate) summed: Vec<(String, Expr)>,
    pub(crate) update: Vec<Statement>,
    pub(crate) threshold: Option<Expr>,
    pub(crate) score: Option<Expr>,
    pub(crate) reset: Vec<Statement>,
    pub(crate) refractory: Option<Expr>,
    pub(crate) inputs: Vec<PoissonInput>,
    pub(crate) regular: Vec<(Interval, Vec<Statement>)>,
    pub(crate) events: Vec<Event>,
    pub(crate) pathways: Vec<Pathway>,
    pub(crate) method: Option<Method>,
    pub(crate) tables: HashMap<String, Table>,
}

fn statements(place: &str, text: Option<&str>) -> Result<Vec<Statement>, Error> {
    let mut statements = parse_statements(place, text.unwrap_or_default()).map_err(Error::texts)?;
    for of in &mut statements {
        // x += y is x = x + y.
        if let AssignKind::Change(op) = of.kind
            && !matches!(op, BinaryOp::Add | BinaryOp::Subtract)
        {
            let target = Expr { kind: ExprKind::Name(of.target.clone()), span: of.span };
            let value = ExprKind::Binary(op, Box::new(target), Box::new(of.value.clone()));
            of.value = Expr { kind: value, span: of.value.span };
            of.kind = AssignKind::Set;
        }
    }
    Ok(statements)
}

fn regular(list: &[RunRegularly], dt_ms: f64) -> Result<Vec<(Interval, Vec<Statement>)>, Error> {
    let of = |index: usize| {
        let of = &list[index];
        Ok((of.interval("run_regularly", dt_ms)?, statements("run_regularly", Some(&of.statements))?))
    };
    RunRegularly::in_order(list).into_iter().map(of).collect()
}

impl Model {
    /// Sorts equations into variables, definitions and differential equations.
    fn equations(&mut self, text: &str) -> Result<(), Error> {
        for Equation { name, kind, unit, declared, flags, .. } in parse_equations("equations", text).map_err(Error::texts)? {
            let flags: HashSet<String> = flags.into_iter().map(|(flag, _)| flag).collect();
            let variable = Variable { declared, is_time: unit.dimension == Dimension::TIME, flags };
            match kind {
                EquationKind::Subexpression(value) if variable.flags.contains("summed") => self.summed.push((name, value)),
                EquationKind::Subexpression(value) => {
                    let held = variable.flags.contains("constant over dt");
                    self.definitions.insert(name, Definition { value, held, declared, numbered: false });
                }
                EquationKind::Differential(value) => {
                    let is_event_driven = variable.flags.contains("event-driven");
                    self.variables.insert(name.clone(), variable);
                    if is_event_driven { &mut self.event_driven } else { &mut self.differential }.push((name, value));
                }
                EquationKind::Parameter => drop(self.variables.insert(name, variable)),
            }
        }
        Ok(())
    }

    /// Parameters that are functions of time, and timed arrays.
    pub(crate) fn driven(&mut self, parameters: &IndexMap<String, Quantity>) -> Result<(), Error> {
        for (name, quantity) in parameters {
            let text = match quantity {
                Quantity::Timed { values, dt, unit } => {
                    let factor = match unit {
                        Some(unit) => spikelet_lang::syntax::parse_unit(unit).map_err(Error::text)?.factor,
                        None => 1.0,
                    };
                    let rows = values.iter().map(|row| row.iter().map(|value| value * factor).collect()).collect();
                    let (row_ms, _) = spikelet_lang::quantity::constant(name, dt).map_err(Error::text)?;
                    self.tables.insert(name.clone(), Table { rows, row_ms });
                    // The name alone means the entry of the neuron.
                    if values[0].len() > 1 { format!("{name}(t, i)") } else { format!("{name}(t)") }
                }
                _ => match quantity.function_of_time() {
                    Some(text) => text.to_owned(),
                    None => continue,
                },
            };
            let value = parse_quantity(name, &text).map_err(Error::text)?;
            let declared = self.variables.shift_remove(name).unwrap_or_default().declared;
            self.definitions.insert(name.clone(), Definition { value, held: false, declared, numbered: false });
        }
        Ok(())
    }

    /// Numbers the random functions of a population, in the order in which its texts are read.
    fn number(&mut self) {
        let (mut sites, of) = (Sites::default(), &mut self.definitions);
        self.differential.iter_mut().for_each(|(_, value)| sites.expression(value, of));
        self.summed.iter_mut().for_each(|(_, value)| sites.expression(value, of));
        sites.definitions(of);
        sites.statements(&mut self.update, of);
        sites.statements(&mut self.reset, of);
        [&mut self.threshold, &mut self.score, &mut self.refractory]
            .into_iter()
            .flatten()
            .for_each(|value| sites.expression(value, of));
        for input in &mut self.inputs {
            [&mut input.number, &mut input.rate, &mut input.weight].into_iter().for_each(|value| sites.expression(value, of));
            input.site = sites.hidden();
        }
        self.pathways.iter_mut().for_each(|pathway| sites.statements(&mut pathway.statements, of));
        self.regular.iter_mut().for_each(|(_, statements)| sites.statements(statements, of));
        for event in &mut self.events {
            sites.expression(&mut event.condition, of);
            sites.statements(&mut event.statements, of);
        }
    }

    /// The model of a population.
    pub(crate) fn population(network: &Network, population: &Population) -> Result<Model, Error> {
        let own = texts::own(population);
        let expression = |place: &str, text: &Option<String>| {
            text.as_ref().map(|text| parse_expression(place, text)).transpose().map_err(Error::text)
        };
        let mut model = Model {
            update: statements("update", own.update.as_deref())?,
            threshold: expression("threshold", &own.threshold)?,
            score: expression("winners.of", &own.winners.as_ref().map(|winners| winners.of.clone()))?,
            reset: statements("reset", own.reset.as_deref())?,
            refractory: own.refractory.as_ref().map(|of| parse_quantity("refractory", of)).transpose().map_err(Error::text)?,
            regular: regular(&own.run_regularly, network.dt_ms)?,
            method: own.method.as_deref().map(Method::parse).transpose().map_err(Error::text)?,
            ..Model::default()
        };
        model.equations(own.equations.as_deref().unwrap_or_default())?;
        model.driven(&own.parameters)?;
        for source in &network.sources {
            let SourceKind::PoissonInput { targets, var, n, rate, weight } = &source.kind else { continue };
            let text = |of: &Quantity| parse_quantity("source", &of.text().unwrap_or_default()).map_err(Error::text);
            let own: Vec<_> = targets.iter().filter(|target| target.population == population.name).collect();
            if own.is_empty() {
                continue;
            }
            let ranges = own.iter().map(|target| target.range(population.size)).map(|range| [range.start, range.end]);
            model.inputs.push(PoissonInput {
                source: source.name.clone(),
                variable: var.clone(),
                number: text(&Quantity::Number(f64::from(*n)))?,
                rate: text(rate)?,
                weight: text(weight)?,
                slices: ranges.collect(),
                site: 0,
            });
        }
        // In the order of their names (rule 5.8).
        let mut events: Vec<_> = population.events.iter().collect();
        events.sort_by_key(|(name, _)| name.as_str());
        for (name, event) in events {
            model.events.push(Event {
                name: name.clone(),
                condition: parse_expression("condition", &event.condition).map_err(Error::text)?,
                statements: statements("statements", event.statements.as_deref())?,
            });
            model.variables.insert(name.clone(), Variable { declared: Declared::Boolean, ..Variable::default() });
        }
        model.number();
        Ok(model)
    }

    /// The model of a projection.
    pub(crate) fn projection(network: &Network, projection: &Projection) -> Result<Model, Error> {
        let of_library = match &projection.model {
            Some(name) => Some(library(name).map_err(|_| Error::Name(name.clone()))?),
            None => None,
        };
        let own = projection.equations.clone().unwrap_or_default();
        let equations = match &of_library {
            Some(model) => library::extended(model.equations(), &own),
            None => own,
        };
        let method = projection.method.as_deref().or_else(|| of_library.as_ref().and_then(|model| model.method()));
        let mut model = Model {
            regular: regular(&projection.run_regularly, network.dt_ms)?,
            method: method.map(Method::parse).transpose().map_err(Error::text)?,
            ..Model::default()
        };
        model.equations(&equations)?;
        for end in End::ALL {
            let mut own: Vec<(String, String)> =
                projection.pathways(end).map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
            if let (Some(library), true) = (&of_library, own.is_empty()) {
                let texts = library.synapse_text().map_err(Error::text)?;
                own = match end {
                    End::Pre => texts.on_pre.into_iter().collect(),
                    End::Post => texts.on_post.into_iter().collect(),
                    End::Third => Vec::new(),
                };
            }
            for (name, text) in own {
                let order = projection.order.get(&name).copied().unwrap_or(0);
                model.pathways.push(Pathway { end, order, statements: statements(&name, Some(&text))?, name });
            }
        }
        model.number();
        Ok(model)
    }

    /// Whether a variable has a flag.
    pub(crate) fn has(&self, name: &str, flag: &str) -> bool {
        self.variables.get(name).is_some_and(|of| of.flags.contains(flag))
    }

    /// Whether statements read or write an event-driven variable.
    pub(crate) fn uses_event_driven(&self, statements: &[Statement]) -> bool {
        let uses = |of: &Statement, name: &str| of.target == name || self.inlined(&of.value).mentions(name);
        statements.iter().any(|of| self.event_driven.iter().any(|(name, _)| uses(of, name)))
    }

    /// The names that a statement of any kind may change.
    pub(crate) fn written(&self) -> HashSet<String> {
        let regular = self.regular.iter().flat_map(|(_, statements)| statements);
        let events = self.events.iter().flat_map(|event| &event.statements);
        let pathways = self.pathways.iter().flat_map(|pathway| &pathway.statements);
        let statements = self.update.iter().chain(&self.reset).chain(regular).chain(events).chain(pathways);
        let mut written: HashSet<String> = statements.map(|of| of.target.clone()).collect();
        written.extend(self.differential.iter().chain(&self.event_driven).map(|(name, _)| name.clone()));
        written.extend(self.inputs.iter().map(|input| input.variable.clone()));
        written.extend(self.events.iter().map(|event| event.name.clone()));
        written.extend(self.variables.keys().filter(|name| self.has(name, "linked")).cloned());
        written.extend(self.definitions.iter().filter(|(_, of)| of.held).map(|(name, _)| name.clone()));
        written
    }

    /// The expression with subexpressions in place of their names, but for those that are constant over dt.
    pub(crate) fn inlined(&self, expression: &Expr) -> Expr {
        let again = |x: &Expr| Box::new(self.inlined(x));
        let kind = match &expression.kind {
            ExprKind::Name(name) => match self.definitions.get(name).filter(|of| !of.held) {
                Some(definition) if !definition.value.mentions(name) => return self.inlined(&definition.value),
                _ => ExprKind::Name(name.clone()),
            },
            ExprKind::Unary(op, x) => ExprKind::Unary(*op, again(x)),
            ExprKind::Binary(op, x, y) => ExprKind::Binary(*op, again(x), again(y)),
            ExprKind::Call(name, arguments) => ExprKind::Call(name.clone(), arguments.iter().map(|x| self.inlined(x)).collect()),
            other => other.clone(),
        };
        Expr { kind, span: expression.span }
    }

    /// Whether a name is a time that grows: it is assigned from one, or stands beside one.
    pub(crate) fn is_time(&self, name: &str) -> bool {
        match self.definitions.get(name) {
            Some(definition) => crate::expression::grows(&definition.value, &|inner| inner != name && self.is_time(inner)),
            None => {
                name == "t"
                    || name == "lastspike"
                    || self.variables.get(name).is_some_and(|of| of.is_time && self.stores_time(name))
            }
        }
    }

    fn stores_time(&self, name: &str) -> bool {
        let regular = self.regular.iter().flat_map(|(_, statements)| statements);
        let pathways = self.pathways.iter().flat_map(|pathway| &pathway.statements);
        let statements = self.update.iter().chain(&self.reset).chain(regular).chain(pathways);
        statements.into_iter().any(|of| of.target == name && of.value.mentions("t"))
    }
}

/// Calls `visit` with each name in an expression.
pub(crate) fn names(expression: &Expr, visit: &mut dyn FnMut(&str)) {
    match &expression.kind {
        ExprKind::Number(_) | ExprKind::Boolean(_) => {}
        ExprKind::Name(name) => visit(name),
        ExprKind::Unary(_, x) => names(x, visit),
        ExprKind::Binary(_, x, y) => {
            names(x, visit);
            names(y, visit);
        }
        ExprKind::Call(name, arguments) => {
            visit(name);
            arguments.iter().for_each(|x| names(x, visit));
        }
    }
}

impl Model {
    /// Whether an expression is true or false.
    pub(crate) fn is_condition(&self, expression: &Expr) -> bool {
        match &expression.kind {
            ExprKind::Boolean(_) | ExprKind::Unary(spikelet_lang::syntax::UnaryOp::Not, _) => true,
            ExprKind::Name(name) if name == "not_refractory" => true,
            ExprKind::Name(name) => match (self.definitions.get(name), self.variables.get(name)) {
                (Some(definition), _) => definition.declared == Declared::Boolean,
                (None, variable) => variable.is_some_and(|of| of.declared == Declared::Boolean),
            },
            ExprKind::Binary(op, ..) => op.is_comparison() || matches!(op, BinaryOp::And | BinaryOp::Or),
            _ => false,
        }
    }

    /// The subexpressions that are constant over dt, each after those it needs.
    pub(crate) fn held(&self) -> Vec<(&String, &Definition)> {
        let mut left: Vec<(&String, &Definition)> = self.definitions.iter().filter(|(_, of)| of.held).collect();
        let mut order: Vec<(&String, &Definition)> = Vec::new();
        while !left.is_empty() {
            let needs = |of: &Definition, name: &String| self.inlined(&of.value).mentions(name);
            let next = left.iter().position(|(_, of)| !left.iter().any(|(name, _)| needs(of, name)));
            order.push(left.remove(next.unwrap_or(0)));
        }
        order
    }
}
