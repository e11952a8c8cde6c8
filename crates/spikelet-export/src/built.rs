//! A network that is built, as it is before the first step.

use std::cell::RefCell;
use std::sync::Arc;

use spikelet::{Cpu, EdgeTable, Error, Network, Plan, Projection, Simulation};

use crate::Lack;

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
        Some((self.values(path).ok()?, inner))
    }

    /// The same values, without their unit.
    pub(crate) fn values(&self, path: &str) -> Result<Vec<f64>, Error> {
        pollster::block_on(self.simulation.borrow_mut().values(0, path))
    }

    /// The synapses of a projection.
    pub(crate) fn edges(&self, of: &Projection) -> Result<EdgeTable, Lack> {
        self.table(&of.name).map_err(|error| format!("synapses as {} has them ({error})", of.name))
    }

    /// The same, with the error of the network.
    pub(crate) fn table(&self, projection: &str) -> Result<EdgeTable, Error> {
        EdgeTable::new(self.network.clone(), self.plan.clone(), projection, None)
    }
}
