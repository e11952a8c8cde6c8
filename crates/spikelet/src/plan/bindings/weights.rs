//! Weights that all synapses of a projection share, where these have no state.

use spikelet_lang::host::{Leaf, evaluate};
use spikelet_lang::model::Target;
use spikelet_lang::term::Symbol;

use super::{Object, ParameterBinding, SynapseValues};
use crate::plan::arrays::{Arrays, Owner};
use crate::plan::drawn::{Amount, Write};
use crate::plan::scales::{finest, is_lost};
use crate::plan::{Least, LeastOf, Plan, ProjectionPlan, Sizes};
use crate::ring;

impl SynapseValues {
    /// What a name feeds where synapses have no state.
    pub(super) fn binding_of_weights(
        &self,
        plan: &ProjectionPlan,
        projection: usize,
        name: &str,
        arrays: &Arrays,
    ) -> ParameterBinding {
        let owner = Owner::Events { projection };
        let weights = arrays.iter().filter(|(_, entry)| entry.owner == owner).map(|(array, _)| array).collect();
        let is_plain = |symbol: Option<Symbol>| matches!(symbol, Some(Symbol::Variable(_) | Symbol::Constant(_) | Symbol::Dt));
        let mut statements = self.model.pathways.iter().flat_map(|pathway| &pathway.statements);
        let anew = self.is_anew(name)
            || !plan.writes().all(|(_, write)| write.weights.is_shared())
            || statements.any(|write| write.value.any(|symbol| !is_plain(symbol)));
        ParameterBinding { arrays: weights, clocks: false, initial: false, anew, of: Object::Projection(projection) }
    }

    /// The projection with the weights that follow from its values by now, in a plan that has other ones; nothing where the scales of
    /// ports may be others.
    pub(super) fn weighed(&self, index: usize, whole: &Plan) -> Option<ProjectionPlan> {
        let mut plan = ProjectionPlan::clone(&whole.projections[index]);
        let (post, model) = (&whole.populations[self.post], &whole.bindings.neurons[self.post].model);
        let mut added = Vec::new();
        for (pathway, of) in self.model.pathways.iter().zip(&mut plan.pathways) {
            of.writes.clear();
            for write in &pathway.statements {
                let Target::Add(variable) = write.target else { return None };
                let weight = evaluate(&write.value, &mut |leaf| match leaf {
                    Leaf::Symbol(Symbol::Variable(at)) => self.values.first(&self.model.variables[at].name),
                    Leaf::Symbol(Symbol::Constant(at)) => self.values.first(&self.model.constants[at].name),
                    Leaf::Symbol(Symbol::Dt) => whole.dt_ms,
                    _ => f64::NAN,
                });
                let size = weight.abs();
                let sizes = Sizes { largest: size, least: Least { size, of: LeastOf::All } };
                of.writes.extend(Write { variable, amount: Amount::Shared(weight), sizes }.in_ports(post, model));
                added.push((variable, size));
            }
        }
        let keeps_scale = |(variable, size): (usize, f64)| {
            let port = post.port(&model.variables[variable].name, false)?;
            let shift = post.ports[port].shift;
            let rest = post.ports.get(port + 1).filter(|next| next.rest).map(|next| next.shift);
            let needed = self.needed(index, &plan, whole, variable, port)?;
            (needed >= shift && !is_lost(size, rest.unwrap_or(shift))).then_some(())
        };
        added.into_iter().try_for_each(keeps_scale)?;
        Some(plan)
    }

    /// The scale that a port needs, with the projection in its place: by what each one adds, in the order in which scales are chosen.
    fn needed(&self, index: usize, plan: &ProjectionPlan, whole: &Plan, variable: usize, port: usize) -> Option<i32> {
        let mut parts = Vec::new();
        for (projection, other) in whole.projections.iter().enumerate().filter(|(_, other)| other.post == self.post) {
            let of = if projection == index { plan } else { other };
            let incoming = of.degrees.most_incoming();
            let writes = of.writes().filter(|(_, write)| write.port == port).map(|(_, write)| write.bound());
            parts.extend(writes.map(|bound| (bound, incoming.clone())));
            let Some(state) = &of.state else { continue };
            let bounds = &whole.bindings.synapses[projection].bounds;
            for (pathway, arrival) in state.arrivals.iter().enumerate() {
                let adds = arrival.adds.iter().filter(|add| add.port == port);
                // At least as large as it was.
                let before =
                    adds.map(|add| f64::from(add.limit) * f64::from(ring::unit(whole.populations[self.post].ports[port].shift)));
                let Some(bound) = bounds.get(variable, pathway) else { continue };
                let bound = before.fold(bound, f64::max);
                if bound > 0.0 {
                    parts.push((bound, incoming.clone()));
                }
            }
        }
        finest(whole.populations[self.post].size, parts.iter().map(|(bound, incoming)| (*bound, incoming))).0
    }
}
