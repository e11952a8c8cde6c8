//! Networks without spikes that do one thing in every step, to measure what each loop of a device costs.

use super::parts::{assembled, expressions, population, projection};
use crate::{Connector, Network, Population};

/// Sixteen blocks of a CPU.
const NEURONS: u32 = 4096;

/// A loop: its name, and what each neuron does in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LoopCase {
    pub(super) name: &'static str,
    work: NeuronWork,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum NeuronWork {
    Nothing,
    /// Delivers the input of a port.
    Input,
    /// Assigns an expression of y, which is a number from −5 to 5, different for each neuron.
    Assign(&'static str),
    /// The step of a library model, from these potentials.
    Model(&'static str, &'static str),
}

/// All loops. `nothing` is what a step costs without any; subtract it from the others.
pub(super) const LOOPS: [LoopCase; 16] = [
    LoopCase { name: "nothing", work: NeuronWork::Nothing },
    LoopCase { name: "input", work: NeuronWork::Input },
    LoopCase { name: "uniform", work: NeuronWork::Assign("rand()") },
    LoopCase { name: "normal", work: NeuronWork::Assign("randn()") },
    LoopCase { name: "poisson_1.6", work: NeuronWork::Assign("poisson(1.6)") },
    LoopCase { name: "poisson_20", work: NeuronWork::Assign("poisson(20)") },
    LoopCase { name: "binomial", work: NeuronWork::Assign("binomial(2000, 0.0008)") },
    LoopCase { name: "exp", work: NeuronWork::Assign("exp(y)") },
    LoopCase { name: "exprel", work: NeuronWork::Assign("exprel(y)") },
    LoopCase { name: "lif", work: NeuronWork::Model("lif", "(-65 + 10*rand())*mV") },
    LoopCase { name: "lif_exp", work: NeuronWork::Model("lif_exp", "(-60 + 9*rand())*mV") },
    LoopCase { name: "lif_cond_exp", work: NeuronWork::Model("lif_cond_exp", "(-60 + 9*rand())*mV") },
    LoopCase { name: "izhikevich", work: NeuronWork::Model("izhikevich", "-70 + 10*rand()") },
    LoopCase { name: "adex", work: NeuronWork::Model("adex", "(-70 + 15*rand())*mV") },
    LoopCase { name: "hodgkin_huxley", work: NeuronWork::Model("hodgkin_huxley", "(-70 + 10*rand())*mV") },
    LoopCase { name: "traub_miles", work: NeuronWork::Model("traub_miles", "(-70 + 10*rand())*mV") },
];

impl LoopCase {
    /// Neurons that do this and have no synapses, except one each onto themselves where input is delivered.
    pub(super) fn network(self) -> Network {
        let plain = |equations: &str, update: Option<&str>| Population {
            name: "N".to_owned(),
            size: NEURONS,
            equations: Some(equations.to_owned()),
            update: update.map(str::to_owned),
            ..Population::default()
        };
        match self.work {
            NeuronWork::Nothing => assembled(vec![plain("x : 1", None)], Vec::new(), Vec::new()),
            NeuronWork::Input => {
                let synapse = projection("N", "N", Connector::one_to_one(), "x_post += 1");
                assembled(vec![plain("x : 1", None)], vec![synapse], Vec::new())
            }
            NeuronWork::Assign(expression) => {
                // It changes in every step: what is constant would be computed once.
                let neurons = plain("x : 1\ny : 1", Some(&format!("x = {expression}\ny = -y")));
                let neurons = Population { initial: expressions(&[("y", "-5 + 10*rand()")]), ..neurons };
                assembled(vec![neurons], Vec::new(), Vec::new())
            }
            NeuronWork::Model(model, potential) => {
                assembled(vec![population("N", NEURONS, model, &[], &[("v", potential)])], Vec::new(), Vec::new())
            }
        }
    }
}
