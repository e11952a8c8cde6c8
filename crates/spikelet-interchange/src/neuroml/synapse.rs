//! Synapses as texts of projections.

use indexmap::IndexMap;
use spikelet_network::{Error, Quantity};

use super::core_synapses::{CONTINUOUS, SYNAPSES, SynapseType};
use super::document::{Document, Element};
use super::lems;
use super::quantity::{number, quantities, quantity, text};
use super::scope::Scope;
use super::texts::CURRENT;
use super::types;

/// The texts of the synapses of a projection, without `weight`.
#[derive(Debug, Clone, Default)]
pub(super) struct Synapse {
    pub(super) equations: Vec<String>,
    pub(super) on_event: Option<String>,
    /// Statements in every step.
    pub(super) regularly: Option<String>,
    /// What it adds to sums of the postsynaptic neuron, by the name of it, such as `i` for a current; nothing of a silent synapse.
    pub(super) adds: Vec<(String, String)>,
    pub(super) parameters: IndexMap<String, Quantity>,
    pub(super) initial: IndexMap<String, Quantity>,
}

impl Synapse {
    /// The synapses of a component.
    pub(super) fn of(document: &Document, component: &Element) -> Result<Synapse, Error> {
        let kind = document.kind(component);
        if let Some(of) = SYNAPSES.iter().chain(&CONTINUOUS).find(|of| of.name == kind) {
            return Synapse::of_core(document, of, component);
        }
        match types::component_type(document, kind) {
            Some(of) => {
                let dynamics = lems::dynamics(document, &of?, component, Scope::default())?;
                if let Some(sum) = dynamics.sums.first() {
                    let value = format!("a sum over `{}`", sum.part);
                    return Err(component.wrong("", value, "sums are those of cells", "write the synapse without it"));
                }
                let regularly = dynamics.conditions.regularly(component)?;
                Ok(Synapse {
                    equations: dynamics.equations,
                    on_event: dynamics.on_event,
                    regularly,
                    adds: dynamics.exposed,
                    parameters: dynamics.parameters,
                    initial: dynamics.initial,
                })
            }
            None => {
                let known: Vec<&str> = SYNAPSES.iter().chain(&CONTINUOUS).map(|of| of.name).collect();
                let expected = format!("a synapse is expected: {}, or a ComponentType of the file", known.join(", "));
                Err(component.wrong("", format_args!("<{kind}>"), expected, "use one of these, or define the type"))
            }
        }
    }

    fn of_core(document: &Document, of: &SynapseType, component: &Element) -> Result<Synapse, Error> {
        let mut synapse = Synapse {
            equations: of.equations.lines().map(|line| line.trim().to_owned()).collect(),
            on_event: None,
            regularly: (!of.regularly.is_empty()).then(|| of.regularly.to_owned()),
            adds: Vec::new(),
            parameters: quantities(component, of.parameters)?,
            initial: IndexMap::new(),
        };
        let mut current = of.current.to_owned();
        let (mut factor, mut after) = ("1", String::new());
        for child in &component.children {
            let kind = document.kind(child);
            match kind {
                "voltageConcDepBlockMechanism" => {
                    synapse.block(child)?;
                    current = format!("block*{current}");
                }
                "tsodyksMarkramDepMechanism" | "tsodyksMarkramDepFacMechanism" => {
                    after = synapse.plasticity(child, kind)?;
                    factor = "R*U";
                }
                "notes" | "annotation" | "property" => {}
                other => {
                    let expected =
                        "voltageConcDepBlockMechanism, tsodyksMarkramDepMechanism and tsodyksMarkramDepFacMechanism are known";
                    return Err(child.wrong("", format_args!("<{other}>"), expected, "use one of these"));
                }
            }
        }
        if !current.is_empty() {
            synapse.adds.push((CURRENT.to_owned(), current));
        }
        if !of.on_event.is_empty() {
            synapse.on_event = Some(format!("{}{after}", of.on_event.replace("factor", factor)));
        }
        Ok(synapse)
    }

    /// The block by a concentration, as that of magnesium.
    fn block(&mut self, of: &Element) -> Result<(), Error> {
        let value = |key: &str| Ok::<String, Error>(text(&quantity(of, key)?));
        let ratio = format!("({})/({})", value("blockConcentration")?, value("scalingConc")?);
        self.equations.push(format!("block = 1/(1 + {ratio}*exp(-v/({}))) : 1", value("scalingVolt")?));
        Ok(())
    }

    /// Short-term plasticity (Tsodyks and Markram 1997): returns the statements after an event has used `R*U`.
    fn plasticity(&mut self, of: &Element, kind: &str) -> Result<String, Error> {
        let release = number(of, "initReleaseProb")?;
        self.parameters.insert("initReleaseProb".into(), Quantity::Number(release));
        self.parameters.insert("tauRec".into(), quantity(of, "tauRec")?);
        self.equations.push("dR/dt = (1 - R)/tauRec : 1".into());
        self.initial.insert("R".into(), Quantity::Number(1.0));
        if kind == "tsodyksMarkramDepMechanism" {
            self.equations.push("U = initReleaseProb : 1".into());
            return Ok("; R = R*(1 - U)".into());
        }
        self.parameters.insert("tauFac".into(), quantity(of, "tauFac")?);
        self.equations.push("dU/dt = (initReleaseProb - U)/tauFac : 1".into());
        self.initial.insert("U".into(), Quantity::Number(release));
        Ok("; R = R*(1 - U); U = U + initReleaseProb*(1 - U)".into())
    }
}
