//! Weights shared by all synapses of a projection without state.

use indexmap::IndexSet;
use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::{Pathway, Target};
use spikelet_lang::term::Symbol;

use super::{ParameterBinding, ParameterOwner, SynapseValues};
use crate::draw::realized::{EventAmount, StatelessWrite};
use crate::layout::arrays::{Arrays, Owner};
use crate::{MinWeight, MinWeightOf, PerSynapse, ProjectionPlan, WeightSizes};

impl SynapseValues {
    /// The dependants of names for synapses without state.
    pub(super) fn binding_of_weights(
        &self,
        plan: &ProjectionPlan,
        projection: usize,
        names: &IndexSet<String>,
        arrays: &Arrays,
    ) -> ParameterBinding {
        let owner = Owner::Events { projection };
        let weights = arrays.iter().filter(|(_, entry)| entry.owner == owner).map(|(array, _)| array).collect();
        let is_plain = |symbol: Option<Symbol>| matches!(symbol, Some(Symbol::Variable(_) | Symbol::Constant(_) | Symbol::Dt));
        let mut statements = self.model.pathways.iter().flat_map(|pathway| &pathway.statements);
        let anew = self.needs_new_wiring(names)
            || !plan.writes().all(|(_, write)| write.weights.is_shared())
            || statements.any(|write| write.value.any(|symbol| !is_plain(symbol)));
        ParameterBinding { arrays: weights, clocks: false, initial: false, anew, of: ParameterOwner::Projection(projection) }
    }

    /// The current writes of each pathway.
    pub(super) fn writes(&self, dt: f64) -> Option<Vec<Vec<StatelessWrite>>> {
        let of_statement = |write: &spikelet_lang::model::SynapseStatement| {
            let Target::Add(variable) = write.target else { return None };
            let weight = evaluate(&write.value, &mut |leaf| match leaf {
                Leaf::Symbol(Symbol::Variable(at)) => self.values.first(&self.model.variables[at].name),
                Leaf::Symbol(Symbol::Constant(at)) => self.values.first(&self.model.constants[at].name),
                Leaf::Symbol(Symbol::Dt) => dt,
                _ => f64::NAN,
            });
            let size = weight.abs();
            let sizes = WeightSizes { largest: size, least: MinWeight { size, of: MinWeightOf::All } };
            Some(StatelessWrite { variable, amount: EventAmount::Shared(weight), exact: Some(PerSynapse::Shared(weight)), sizes })
        };
        let of_pathway = |pathway: &Pathway| pathway.statements.iter().map(of_statement).collect();
        self.model.pathways.iter().map(of_pathway).collect()
    }
}
