//! A network that is built, as it is before the first step.

use std::cell::RefCell;
use std::sync::Arc;

use spikelet::lang::term::{self, Symbol};
use spikelet::{Cpu, Delays, EdgeTable, Error, Network, Plan, Projection, Quantity, Simulation};

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

    /// Delays in ms that a projection would have by this expression or list, in the order of its table.
    pub(crate) fn delays(&self, of: &Projection, delays: &Quantity) -> Result<Vec<f64>, Lack> {
        let lack = || {
            format!(
                "the delays {delays} of a pathway of {}, which this export cannot write: they are drawn, or it has no `on_pre`; give one \
                 delay, or an expression of i and j",
                of.name
            )
        };
        let is_drawn = delays.text().is_none_or(|text| {
            ["rand", "uniform", "normal", "exponential", "gamma", "poisson", "binomial"].iter().any(|word| text.contains(word))
        });
        if is_drawn && delays.text().is_some() {
            return Err(lack());
        }
        let mut network = (*self.network).clone();
        for projection in network.projections.iter_mut().filter(|projection| projection.name == of.name) {
            projection.delay_ms = Delays::Same(delays.clone());
            projection.delay_post_ms = None;
        }
        let failed = |error: Error| format!("the delays {delays} of a pathway of {} ({error})", of.name);
        let plan = Arc::new(Plan::new(&network).map_err(failed)?);
        let table = EdgeTable::new(Arc::new(network), plan, &of.name, None).map_err(failed)?;
        let column = table.columns().iter().position(|column| column.name == "delay_ms").ok_or_else(lack)?;
        let all = table.all().map_err(|error| format!("synapses as {} has them ({error})", of.name))?;
        Ok(table.columns()[column].shared.map_or_else(|| all.values[column].clone(), |delay| vec![delay; all.pre.len()]))
    }

    /// The same, with the error of the network.
    pub(crate) fn table(&self, projection: &str) -> Result<EdgeTable, Error> {
        EdgeTable::new(self.network.clone(), self.plan.clone(), projection, None)
    }
}
