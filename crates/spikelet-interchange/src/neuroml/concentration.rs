//! Concentrations of calcium in cells, and what they drive.

use indexmap::IndexMap;
use spikelet_network::{CustomEvent, Error, Quantity};

use super::document::{Document, Element};
use super::quantity::{quantity, split_number, text};
use super::scope::Scope;
use super::texts::Cell;
use super::types::{self, ComponentType};

/// The gas constant in J/K/mol and the charge of a mole in C, with the digits that NeuroML gives them.
const GAS: f64 = 8.314_462_1;
const FARADAY: f64 = 96_485.3;
/// The charge of an ion of calcium.
const VALENCE: f64 = 2.0;

/// The calcium of a cell.
#[derive(Debug)]
pub(super) struct Calcium<'a> {
    species: &'a Element,
    model: &'a Element,
    /// The concentration at the start.
    pub(super) initial: String,
}

/// The calcium of a cell, if it has some.
pub(super) fn species<'a>(document: &'a Document, cell: &'a Element) -> Result<Option<Calcium<'a>>, Error> {
    let inside = cell.all("biophysicalProperties").flat_map(|of| of.all("intracellularProperties"));
    let mut found = None;
    for species in inside.flat_map(|of| of.all("species")) {
        let ion = species.get("ion").or_else(|| species.get("id"));
        if ion != Some("ca") || found.is_some() {
            let expected = "one <species> with ion=\"ca\" is expected: only the concentration of calcium is known";
            return Err(species.wrong("ion", format_args!("`{}`", ion.unwrap_or_default()), expected, "remove the others"));
        }
        let model = document.need(species, "concentrationModel")?;
        found = Some(Calcium { species, model, initial: format!("({})", text(&quantity(species, "initialConcentration")?)) });
    }
    Ok(found)
}

/// Adds the concentration to a cell, in which these currents carry calcium.
pub(super) fn add(document: &Document, of: &Calcium<'_>, currents: &[String], cell: &mut Cell) -> Result<(), Error> {
    let (model, kind) = (of.model, document.kind(of.model));
    if !cell.parameters.contains_key("area") {
        return Err(of.species.wrong("", "a concentration", "the cell has no surface", "use a <cell> with a morphology"));
    }
    let total = if currents.is_empty() { "0*amp".to_owned() } else { currents.join(" + ") };
    cell.equations.push(format!("iCa = {total} : amp"));
    if let Some(own) = types::component_type(document, kind) {
        return add_own(document, &own?, of, cell);
    }
    let mut parameter = |of: &Element, key: &str, name: &str| -> Result<(), Error> {
        cell.parameters.insert(name.into(), quantity(of, key)?);
        Ok(())
    };
    parameter(of.species, "initialExtConcentration", "caConcExt")?;
    parameter(model, "restingConc", "restingConc")?;
    // With the digits of π that the definition has.
    let inflow = match kind {
        "decayingPoolConcentrationModel" => {
            parameter(model, "decayConstant", "decayConstant")?;
            parameter(model, "shellThickness", "shellThickness")?;
            cell.equations.extend([
                "radius = sqrt(area/(4*3.14159)) : metre".to_owned(),
                "shell = 4*3.14159/3*(radius**3 - (radius - shellThickness)**3) : metre**3".to_owned(),
            ]);
            format!("iCa/({VALENCE}*({FARADAY}*coulomb/mole)*shell) - (caConc - restingConc)/decayConstant")
        }
        "fixedFactorConcentrationModel" => {
            parameter(model, "decayConstant", "decayConstant")?;
            parameter(model, "rho", "rho")?;
            "iCa/area*rho - (caConc - restingConc)/decayConstant".to_owned()
        }
        "fixedFactorConcentrationModelTraub" => {
            parameter(model, "beta", "beta")?;
            parameter(model, "phi", "phi")?;
            "iCa/area*1e-9*phi - (caConc - restingConc)*beta".to_owned()
        }
        other => {
            let expected =
                "decayingPoolConcentrationModel, fixedFactorConcentrationModel and fixedFactorConcentrationModelTraub are known";
            return Err(model.wrong("", format_args!("<{other}>"), expected, "use one of these"));
        }
    };
    cell.equations.push(format!("dcaConc/dt = {inflow} : mmolar"));
    cell.initial.insert("caConc".into(), Quantity::Expr(of.initial.clone()));
    let emptied = CustomEvent {
        condition: "caConc < 0*mmolar".into(),
        statements: Some("caConc = 0*mmolar".into()),
        ..CustomEvent::default()
    };
    cell.events.insert("calcium_empty".into(), emptied);
    Ok(())
}

/// Adds a concentration whose type is defined in the file.
fn add_own(document: &Document, own: &ComponentType<'_>, of: &Calcium<'_>, cell: &mut Cell) -> Result<(), Error> {
    let mut scope = Scope::new(&format!("_{}", of.model.need("id")?), IndexMap::new());
    let outside = text(&quantity(of.species, "initialExtConcentration")?);
    for (name, text) in [
        ("iCa", "iCa"),
        ("surfaceArea", "area"),
        ("initialConcentration", of.initial.as_str()),
        ("initialExtConcentration", outside.as_str()),
    ] {
        scope.give(name, text);
    }
    let exposed = cell.add_part(document, own, of.model, scope)?;
    let variable = |name: &str| exposed.iter().find(|(part, _)| part == name).map(|(_, variable)| variable.clone());
    let inside = variable("concentration").ok_or_else(|| {
        of.model.wrong(
            "",
            "a concentration",
            "its type exposes no `concentration`",
            "add a variable with exposure=\"concentration\"",
        )
    })?;
    let outside = variable("extConcentration").unwrap_or(outside);
    cell.equations.extend([format!("caConc = {inside} : mmolar"), format!("caConcExt = {outside} : mmolar")]);
    Ok(())
}

/// R·T/(z·F) in V.
fn thermal(document: &Document, of: &Element) -> Result<f64, Error> {
    let celsius = document.celsius.ok_or_else(|| {
        let expected = "it depends on the temperature of the network, which is not given";
        of.wrong(
            "",
            format_args!("<{}>", of.name),
            expected,
            "give the network a temperature, with type=\"networkWithTemperature\"",
        )
    })?;
    Ok(GAS * (celsius + 273.15) / (VALENCE * FARADAY))
}

fn checked(of: &Element, calcium: Option<&Calcium<'_>>) -> Result<(), Error> {
    if calcium.is_some() {
        return Ok(());
    }
    let expected = "it depends on the concentration of calcium, which the cell does not have";
    Err(of.wrong("", format_args!("<{}>", of.name), expected, "add a <species> with ion=\"ca\" to its intracellularProperties"))
}

/// The reversal potential of Nernst.
pub(super) fn reversal(document: &Document, of: &Element, calcium: Option<&Calcium<'_>>) -> Result<String, Error> {
    checked(of, calcium)?;
    let species = calcium.map(|of| of.species);
    for (species, key) in
        species.into_iter().flat_map(|species| [(species, "initialConcentration"), (species, "initialExtConcentration")])
    {
        if split_number(species, key)? <= 0.0 {
            let expected = "a concentration above 0 is expected, since <channelDensityNernst> and the like have its logarithm";
            return Err(species.wrong(
                key,
                format_args!("`{}`", species.need(key)?),
                expected,
                "write another one, or give the channels a fixed erev",
            ));
        }
    }
    Ok(format!("{:e}*volt*log(caConcExt/caConc)", thermal(document, of)?))
}

/// The current through open channels after Goldman, Hodgkin and Katz.
pub(super) fn flux(
    document: &Document,
    of: &Element,
    calcium: Option<&Calcium<'_>>,
    permeability: &str,
) -> Result<String, Error> {
    checked(of, calcium)?;
    let x = format!("v/({:e}*volt)", thermal(document, of)?);
    // x/(1 - exp(-x)), which is 1 at 0.
    Ok(format!(
        "{permeability}*area*{VALENCE}*({FARADAY}*coulomb/mole)*(caConcExt*exp(-{x}) - caConc)*int(caConcExt > 0*mmolar)/exprel(-{x})"
    ))
}
