//! A network that is built, as it is before the first step.

use std::cell::RefCell;
use std::sync::Arc;

use spikelet::lang::End;
use spikelet::lang::model::Pathway;
use spikelet::lang::term::{self, Symbol};
use spikelet::{Cpu, EdgeTable, Error, Network, PerSynapse, Plan, Projection, Simulation, time};

use crate::Lack;

/// More than what f32 rounds of a value.
const ROUNDING: f64 = 1e-6;

/// A network with its plan.
pub(crate) struct Built {
    pub(crate) network: Arc<Network>,
    pub(crate) plan: Arc<Plan>,
    /// It hands out values by copying them.
    simulation: RefCell<Simulation>,
}

impl Built {
    /// Builds a network.
    pub(crate) fn new(network: &Network) -> Result<Built, Error> {
        let network = Arc::new(network.clone());
        let plan = Arc::new(Plan::new(&network)?);
        let simulation = pollster::block_on(Simulation::with_plan(&network, plan.clone(), Box::new(Cpu::new(1))))?;
        Ok(Built { network, plan, simulation: RefCell::new(simulation) })
    }

    /// The values that the neurons of a population have for a name, with their inner unit; `None` if it is not stored.
    pub(crate) fn stored(&self, path: &str) -> Option<(Vec<f64>, String)> {
        let inner = self.simulation.borrow().variable(path).ok()?.unit.clone();
        let rounded = self.values(path).ok()?;
        let exact = self.exact(path).filter(|exact| {
            let is_same = |(exact, rounded): (&f64, &f64)| (exact - rounded).abs() <= ROUNDING * rounded.abs();
            exact.len() == rounded.len() && exact.iter().zip(&rounded).all(is_same)
        });
        Some((exact.unwrap_or(rounded), inner))
    }

    /// The initial values of a variable before they are rounded to f32.
    fn exact(&self, path: &str) -> Option<Vec<f64>> {
        let (population, variable) = path.rsplit_once('.')?;
        let population = self.plan.populations.iter().position(|of| of.name == population)?;
        let symbol = term::symbol(Symbol::Variable(self.plan.model(population).variable(variable)?));
        let size = self.plan.populations[population].size as usize;
        Some((0..size).map(|neuron| self.plan.exact_term(population, &symbol, neuron)).collect())
    }

    /// The same values, without their unit.
    pub(crate) fn values(&self, path: &str) -> Result<Vec<f64>, Error> {
        pollster::block_on(self.simulation.borrow_mut().values(0, path))
    }

    /// The synapses of a projection.
    pub(crate) fn edges(&self, of: &Projection) -> Result<EdgeTable, Lack> {
        self.table(&of.name).map_err(|error| format!("synapses as {} has them ({error})", of.name))
    }

    /// The delays of a pathway in ms, in the order of the table of synapses.
    pub(crate) fn delays(&self, of: &Projection, end: End, pathway: &str) -> Result<Vec<f64>, Lack> {
        let lack = || {
            let name = &of.name;
            format!(
                "delays that are drawn at each spike, which the pathway `{pathway}` of {name} has; give its `storage` as `stored`, or give one delay"
            )
        };
        let index = self.plan.projections.iter().position(|plan| plan.name == of.name).ok_or_else(lack)?;
        let is_it = |of: &Pathway| of.end == end && of.name == pathway;
        let place = self.plan.synapse_model(index).pathways.iter().position(is_it).ok_or_else(lack)?;
        let plan = &self.plan.projections[index];
        if plan.procedural().is_some() || matches!(plan.pathways[place].delay, PerSynapse::Drawn(_)) {
            return Err(lack());
        }
        let (listed, count) = (plan.rows().places(), plan.synapses() as usize);
        let edges: Vec<usize> =
            if listed.is_empty() { (0..count).collect() } else { listed.iter().map(|edge| *edge as usize).collect() };
        Ok(edges.into_iter().map(|edge| time::of_step(plan.delay(place, edge), self.plan.dt_ms)).collect())
    }

    /// The same, with the error of the network.
    pub(crate) fn table(&self, projection: &str) -> Result<EdgeTable, Error> {
        EdgeTable::new(self.network.clone(), self.plan.clone(), projection, None)
    }
}
