//! Networks with trained values.

use spikelet_network::{Delays, Endpoint, Error, Network, Pairs, Pathways, Projection, Quantity, Storage};

use super::{TrainedProjection, TrainingPlan};
use crate::GroupKind;

impl TrainingPlan {
    /// The network with these numbers of [`Parameters::values`](crate::Parameters::values): trained projections have lists of synapses and
    /// weights, and sums of input have the units of the training. So its spikes are those of the training.
    ///
    /// # Errors
    /// As [`TrainingPlan::values`].
    pub fn network_with(&self, numbers: &[f32]) -> Result<Network, Error> {
        let values = self.values(numbers)?;
        let mut network = self.network.clone();
        for group in &self.parameters.groups {
            let own = &numbers[group.range.clone()];
            match &group.kind {
                GroupKind::Weights { projection } => {
                    let of = &self.projections[*projection];
                    let weights = &values.weights[*projection];
                    self.write_weights(&mut network.projections[*projection], of, weights);
                }
                GroupKind::Neurons { population, name } => {
                    let size = self.plan.populations[*population].size as usize;
                    let each = |at: usize| f64::from(own[group.tied.as_ref().map_or(at, |tied| tied[at] as usize)]);
                    let is_one = self.plan.neuron_value(*population, name).is_some_and(|values| values.len() == 1);
                    // A parameter that no equation declares has the dimension of its value.
                    let dimension = self.plan.neuron_dimension(*population, name).filter(|of| !of.is_none());
                    let unit = dimension.map(spikelet_lang::Dimension::inner_unit);
                    let quantity = match (is_one, &unit) {
                        (true, None) => Quantity::Number(each(0)),
                        (true, Some(unit)) => Quantity::Text(format!("{} {unit}", each(0))),
                        (false, _) => Quantity::Values { values: (0..size).map(each).collect(), unit },
                    };
                    let of = &mut network.populations[*population];
                    let is_initial = of.initial.contains_key(name) || self.is_state(*population, name);
                    let onto = if is_initial { &mut of.initial } else { &mut of.parameters };
                    onto.insert(name.clone(), quantity);
                }
            }
        }
        for of in self.projections.iter().filter(|of| of.group.is_some()) {
            let program = &self.plan.populations[of.post].program;
            let variable = program.variables[program.ports[of.port]].clone();
            let unit = libm::ldexp(1.0, -values.shifts[of.post][of.port]);
            network.populations[of.post].units.insert(variable, unit);
        }
        Ok(network)
    }

    /// Whether a value is that of a variable which changes.
    fn is_state(&self, population: usize, name: &str) -> bool {
        let array = self.plan.populations[population].program.variable(name);
        array.is_some_and(|array| self.populations[population].step.stores_to(array))
    }

    fn write_weights(&self, projection: &mut Projection, of: &TrainedProjection, weights: &[f64]) {
        let program = &self.plan.populations[of.post].program;
        let variable = &program.variables[program.ports[of.port]];
        let dimension = self.plan.neuron_dimension(of.post, variable).unwrap_or(spikelet_lang::Dimension::NONE);
        let unit = if dimension.is_none() { "1".to_owned() } else { dimension.to_string() };
        let ms = |delay: &u32| f64::from(*delay) * self.plan.dt_ms;
        let delays = match of.delays.as_slice() {
            [delay] => Quantity::Number(ms(delay)),
            delays => Quantity::Values { values: delays.iter().map(ms).collect(), unit: None },
        };
        let pres = (0..of.rows.len() - 1).flat_map(|pre| of.row(pre).map(move |_| pre as u32));
        *projection = Projection {
            name: projection.name.clone(),
            pre: Endpoint::whole(&projection.pre.population),
            post: Endpoint::whole(&projection.post.population),
            pairs: Some(Pairs::Listed(pres.zip(&of.targets).map(|(pre, post)| [pre, *post]).collect())),
            storage: Some(Storage::Stored),
            equations: Some(format!("w : {unit} (constant)")),
            on_pre: Some(Pathways::from(format!("{variable}_post += w").as_str())),
            parameters: [("w".to_owned(), Quantity::Values { values: weights.to_vec(), unit: None })].into_iter().collect(),
            delay_ms: Delays::Same(delays),
            ..Projection::default()
        };
    }
}
