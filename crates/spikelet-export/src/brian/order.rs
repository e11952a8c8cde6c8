//! The order of what happens in a step: rules 2.2 to 2.11 of the language, as numbers of Brian 2, which orders by number and then by name.

use std::collections::HashMap;

use spikelet::lang::End;
use spikelet::lang::library::library;
use spikelet::lang::syntax::{EquationKind, parse_equations};
use spikelet::{Network, Projection};

use crate::python::identifier;

/// Numbers and lines for the objects of a network.
#[derive(Default)]
pub(super) struct Orders {
    /// Of statements at regular times, by their object and place.
    regular: HashMap<(String, usize), i32>,
    /// Lines that order the pathways of a projection.
    pathways: HashMap<String, Vec<String>>,
    /// Lines that order its sums.
    sums: HashMap<String, Vec<String>>,
    /// Above those of all pathways.
    input: i32,
}

/// A pathway, or a sum: the place by the rules, what Brian 2 sorts by, the projection, and what is numbered.
type Sorted<K> = Vec<(K, (i32, String), String, String)>;

impl Orders {
    pub(super) fn of(network: &Network) -> Orders {
        let mut orders = Orders::default();
        orders.order_regular(network);
        orders.order_pathways(network);
        orders.order_sums(network);
        orders
    }

    fn order_regular(&mut self, network: &Network) {
        let populations = network.populations.iter().map(|of| (&of.name, &of.run_regularly));
        let projections = network.projections.iter().map(|of| (&of.name, &of.run_regularly));
        let mut all = Vec::new();
        for (is_of_synapses, object, (name, statements)) in
            populations.enumerate().map(|(k, of)| (false, k, of)).chain(projections.enumerate().map(|(k, of)| (true, k, of)))
        {
            for (place, of) in statements.iter().enumerate() {
                // Those of different populations do not read each other.
                let key = if is_of_synapses { (true, object, of.order, place) } else { (false, 0, of.order, place) };
                all.push((key, (name.clone(), place)));
            }
        }
        all.sort();
        if all.len() > 1 {
            self.regular = all.into_iter().zip(0..).map(|((_, of), order)| (of, order)).collect();
        }
    }

    fn order_pathways(&mut self, network: &Network) {
        let mut all: Sorted<_> = Vec::new();
        for (place, of) in network.projections.iter().enumerate() {
            for (end, pathway) in pathways(of) {
                let order = of.order.get(&pathway).copied();
                let (rank, default) = if end == End::Pre { (0, -1) } else { (1, 1) };
                let given = i64::from(order.unwrap_or(0));
                let theirs = (order.map_or(default, |order| order), format!("{}_{pathway}", identifier(&of.name)));
                all.push(((given, rank, place, pathway.clone()), theirs, of.name.clone(), pathway));
            }
        }
        self.input = all.iter().map(|(_, (order, _), ..)| *order).max().unwrap_or(-1) + 1;
        let is_sorted = is_sorted(&mut all);
        if !is_sorted {
            self.input = all.len() as i32;
        }
        for (order, (_, (theirs, _), name, pathway)) in (0..).zip(all) {
            let number = if is_sorted {
                network.projections.iter().find(|of| of.name == name).and_then(|of| of.order.get(&pathway)).map(|_| theirs)
            } else {
                Some(order)
            };
            if let Some(number) = number {
                self.pathways.entry(name.clone()).or_default().push(format!("{}.{pathway}.order = {number}", identifier(&name)));
            }
        }
    }

    fn order_sums(&mut self, network: &Network) {
        let mut all: Sorted<_> = Vec::new();
        let mut is_sliced = false;
        for (place, of) in network.projections.iter().enumerate() {
            is_sliced |= of.post.start.or(of.post.end).is_some() && !summed(of).is_empty();
            for (line, variable) in summed(of).into_iter().enumerate() {
                let theirs = (-1, format!("{}_summed_variable_{variable}", identifier(&of.name)));
                all.push(((place, line), theirs, of.name.clone(), variable));
            }
        }
        // Sums onto a part of a population come after its equations, unless their order is given.
        let is_sorted = is_sorted(&mut all);
        if !is_sliced && is_sorted {
            return;
        }
        let count = all.len() as i32;
        for (order, (.., name, variable)) in (0..).zip(all) {
            let line = format!("{}.summed_updaters['{variable}'].order = {}", identifier(&name), order - count);
            self.sums.entry(name).or_default().push(line);
        }
    }

    /// The number of statements at regular times.
    pub(super) fn regular(&self, object: &str, place: usize) -> i32 {
        self.regular.get(&(object.to_owned(), place)).copied().unwrap_or(0)
    }

    /// Lines that order the pathways of a projection.
    pub(super) fn pathways(&self, projection: &str) -> &[String] {
        self.pathways.get(projection).map_or(&[], Vec::as_slice)
    }

    /// Lines that order its sums.
    pub(super) fn sums(&self, projection: &str) -> &[String] {
        self.sums.get(projection).map_or(&[], Vec::as_slice)
    }

    /// Random input comes after all pathways: the argument that says so, if it has to.
    pub(super) fn input(&self) -> String {
        if self.input <= 0 { String::new() } else { format!(", order={}", self.input) }
    }

    /// Recordings come after all statements at regular times: the argument that says so, if it has to.
    pub(super) fn recordings(&self, network: &Network) -> String {
        let is_any = network.populations.iter().any(|of| !of.run_regularly.is_empty())
            || network.projections.iter().any(|of| !of.run_regularly.is_empty());
        if is_any { format!(", order={}", self.regular.len().max(1)) } else { String::new() }
    }
}

/// Sorts by the rules, and says whether Brian 2 has this order, too.
fn is_sorted<K: Ord>(all: &mut Sorted<K>) -> bool {
    all.sort_by(|x, y| x.0.cmp(&y.0));
    all.windows(2).all(|pair| pair[0].1 < pair[1].1)
}

/// The pathways of a projection, those of its model too.
fn pathways(of: &Projection) -> Vec<(End, String)> {
    let model = of.model.as_deref().and_then(|name| library(name).ok());
    let mut found = Vec::new();
    for end in [End::Pre, End::Post] {
        let own: Vec<String> = of.pathways(end).map(|(name, _)| name.to_owned()).collect();
        let of_model = model.as_ref().and_then(|model| if end == End::Pre { model.on_pre() } else { model.on_post() });
        let names = if own.is_empty() { of_model.map(|_| end.name().to_owned()).into_iter().collect() } else { own };
        found.extend(names.into_iter().map(|name| (end, name)));
    }
    found
}

/// The variables to which a projection contributes by sums, in the order of its equations.
fn summed(of: &Projection) -> Vec<String> {
    let model = of.model.as_deref().and_then(|name| library(name).ok());
    let own = of.equations.clone().unwrap_or_default();
    let text = model.map_or_else(|| own.clone(), |model| spikelet::lang::library::extended(model.equations(), &own));
    let lines = parse_equations("equations", &text).unwrap_or_default();
    let is_sum = |flags: &[(String, _)]| flags.iter().any(|(flag, _)| flag == "summed");
    lines
        .into_iter()
        .filter(|line| matches!(line.kind, EquationKind::Subexpression(_)) && is_sum(&line.flags))
        .map(|line| super::names::fit(&line.name))
        .collect()
}
