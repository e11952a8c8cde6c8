//! Inputs: currents that are functions of time, and spikes.

use indexmap::IndexMap;
use spikelet_network::{Error, Quantity, Source};

use super::core_synapses::{INPUTS, InputType};
use super::document::Element;
use super::expression::translate;
use super::network::{Builder, Cells, Edge, index, renamed, shared};
use super::quantity::number_or;
use super::scope::Scope;
use super::spikes;
use super::texts::CURRENT;
use super::types::{self, ComponentType};

/// The targets of an input: cells with their weights.
type Targets = Vec<(u32, f64)>;

/// Adds all inputs of a network.
pub(super) fn add<'a>(builder: &mut Builder<'a>, network: &'a Element) -> Result<(), Error> {
    let mut groups: IndexMap<[String; 2], (&Element, &Element, Targets)> = IndexMap::new();
    let mut put = |population: &str, list: &'a Element, component: &'a Element, target: (u32, f64)| {
        let id = component.get("id").unwrap_or_default();
        groups.entry([population.to_owned(), id.to_owned()]).or_insert((list, component, Vec::new())).2.push(target);
    };
    let of_kind = |kind: &'static str| network.children.iter().filter(move |of| of.kind() == kind);
    for of in of_kind("explicitInput") {
        let [population, cell] = builder.end(of, "target")?;
        let cell = index(of, &cell)?;
        put(&population, of, builder.document.need(of, "input")?, (cell, 1.0));
    }
    for list in of_kind("inputList") {
        let (population, component) = (list.need("population")?, builder.document.need(list, "component")?);
        for of in &list.children {
            let [_, cell] = builder.end(of, "target")?;
            let weight = number_or(of, "weight", 1.0)?;
            put(population, list, component, (index(of, &cell)?, weight));
        }
    }
    for ([population, _], (of, component, targets)) in groups {
        add_one(builder, of, component, &population, &targets)?;
    }
    Ok(())
}

fn add_one(
    builder: &mut Builder<'_>,
    of: &Element,
    component: &Element,
    population: &str,
    targets: &[(u32, f64)],
) -> Result<(), Error> {
    let size = builder.size(population).ok_or_else(|| {
        of.wrong(
            "",
            format_args!("`{population}`"),
            "there is no population of cells with this name",
            "add it, or name another one",
        )
    })?;
    if let Some((cell, _)) = targets.iter().find(|(cell, _)| *cell >= size) {
        return Err(of.wrong("target", cell, format_args!("{population} has cells 0 to {}", size - 1), "name one of these"));
    }
    let kind = builder.document.kind(component);
    if kind == "compoundInput" || kind == "compoundInputDL" {
        return component.children.iter().try_for_each(|child| add_one(builder, of, child, population, targets));
    }
    if let Some(input) = INPUTS.iter().find(|input| input.name == kind) {
        return add_current(builder, input, of, component, (population, size), targets);
    }
    if let Some(of_file) = types::component_type(builder.document, kind) {
        return add_own(builder, &of_file?, (of, component), (population, size), targets);
    }
    // Spikes onto a synapse of each target.
    let Some(spikes) = spikes::spiking(builder.document, component, targets.len() as u32, builder.duration_ms)? else {
        let known: Vec<&str> = INPUTS.iter().map(|input| input.name).collect();
        let expected =
            format!("{}, compoundInput, timedSynapticInput, poissonFiringSynapse and spikes are known", known.join(", "));
        return Err(component.wrong("", format_args!("<{kind}>"), expected, "use one of these"));
    };
    let name = format!("{}_{population}", component.need("id")?);
    builder.sources.push(Source { name: name.clone(), kind: spikes });
    let edge =
        |(place, (cell, weight)): (usize, &(u32, f64))| Edge { pair: [place as u32, *cell], weight: *weight, delay_ms: 0.0 };
    let edges: Vec<Edge> = targets.iter().enumerate().map(edge).collect();
    let synapse = builder.document.need(component, "synapse")?;
    builder.connect(synapse, &format!("{name}_synapse"), [&name, population], &edges)
}

/// Adds an input whose type is defined in the file: what it exposes is added to the sums of cells.
fn add_own(
    builder: &mut Builder<'_>,
    kind: &ComponentType<'_>,
    (of, component): (&Element, &Element),
    (population, size): (&str, u32),
    targets: &[(u32, f64)],
) -> Result<(), Error> {
    let document = builder.document;
    let id = component.need("id")?;
    let weight = format!("n_{id}");
    spikes::check_values(component, size.into())?;
    let target = target(builder, of, population)?;
    let mut weights = vec![0.0; size as usize];
    targets.iter().for_each(|(cell, weight)| weights[*cell as usize] += weight);
    target.cell.equations.push(format!("{weight} : 1 (constant)"));
    target.cell.parameters.insert(weight.clone(), shared(weights));
    let mut scope = Scope::new(&format!("_{id}"), IndexMap::new());
    for (name, text) in [("weight", weight.as_str()), ("v", "v"), ("V", "V")] {
        scope.give(name, text);
    }
    let exposed = target.cell.add_part(document, kind, component, scope)?;
    let parts: Vec<&str> = target.cell.sums.iter().map(|sum| sum.part.as_str()).collect();
    let added: Vec<(String, String)> = exposed.into_iter().filter(|(part, _)| parts.contains(&part.as_str())).collect();
    if added.is_empty() {
        let expected = format!("it exposes nothing that the cells of {population} sum ({})", parts.join(", "));
        return Err(component.wrong("", "an input", expected, "add a variable with exposure=\"i\""));
    }
    target.added.extend(added);
    Ok(())
}

/// The cells that get an input.
fn target<'b>(builder: &'b mut Builder<'_>, of: &Element, population: &str) -> Result<&'b mut Cells, Error> {
    builder.cells.iter_mut().find(|cells| cells.name == population).ok_or_else(|| {
        of.wrong("", format_args!("`{population}`"), "a source of spikes has no input", "name a population of cells")
    })
}

/// Adds a current to cells.
fn add_current(
    builder: &mut Builder<'_>,
    input: &InputType,
    of: &Element,
    component: &Element,
    (population, size): (&str, u32),
    targets: &[(u32, f64)],
) -> Result<(), Error> {
    let id = component.need("id")?;
    let target = target(builder, of, population)?;
    let unit = if input.is_pure { "1" } else { "amp" };
    match target.cell.current() {
        Some(sum) if sum.unit == unit => {}
        Some(_) => {
            let expected = format!("the cells of {population} expect an input of the other kind");
            return Err(component.wrong(
                "",
                format_args!("<{}>", input.name),
                expected,
                "add DL to the name of the input, or remove it",
            ));
        }
        None => {
            return Err(component.wrong(
                "",
                format_args!("<{}>", input.name),
                "its targets have no input",
                "use a cell with a capacitance",
            ));
        }
    }
    // An input can be in several lists, and in a compound one.
    let mut id = id.to_owned();
    while target.added.contains(&(CURRENT.to_owned(), format!("i_{id}"))) {
        id.push('_');
    }
    let name = format!("i_{id}");
    let names = renamed(input.parameters, component, &id)?;
    // jLEMS computes inputs at the end of a step, and then the step of the cell with them.
    let at_end = |of: &str| (of == "t").then(|| "(t + dt)".to_owned());
    let rename = |text: &str| translate(text, &|of| names.get(of).map(|(name, _)| name.clone()).or_else(|| at_end(of)));
    let during = rename("int(t >= delay and t < delay + duration)");
    let mut current = format!("({})*{during}", rename(input.current));
    if !input.otherwise.is_empty() {
        current = format!("({current} + ({})*(1 - {during}))", rename(input.otherwise));
    }
    spikes::check_values(component, size.into())?;
    let mut weights = vec![0.0; size as usize];
    targets.iter().for_each(|(cell, weight)| weights[*cell as usize] += weight);
    match shared(weights) {
        Quantity::Number(1.0) => {}
        weights => {
            current = format!("n_{id}*{current}");
            target.cell.equations.push(format!("n_{id} : 1 (constant)"));
            target.cell.parameters.insert(format!("n_{id}"), weights);
        }
    }
    target.cell.equations.push(format!("{name} = {current} : {unit}"));
    target.cell.parameters.extend(names.into_values());
    target.added.push((CURRENT.to_owned(), name));
    Ok(())
}
