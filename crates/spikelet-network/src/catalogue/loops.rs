//! Networks without spikes that do one thing in every step, to measure what each loop of a device costs.

use super::parts::{assembled, expressions, population, projection};
use crate::{Connector, Network, Population};

/// Sixteen blocks of a CPU.
const NEURONS: u32 = 4096;

/// A loop: its name, and what each neuron does in a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loop {
    pub(super) name: &'static str,
    work: Work,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Work {
    Nothing,
    /// Delivers the input of a port.
    Input,
    /// Assigns an expression of y, which is a number from −5 to 5, different for each neuron.
    Assign(&'static str),
    /// The step of a library model, from these potentials.
    Model(&'static str, &'static str),
}

/// All loops. `nothing` is what a step costs without any; subtract it from the others.
pub(super) const LOOPS: [Loop; 16] = [
    Loop { name: "nothing", work: Work::Nothing },
    Loop { name: "input", work: Work::Input },
    Loop { name: "uniform", work: Work::Assign("rand()") },
    Loop { name: "normal", work: Work::Assign("randn()") },
    Loop { name: "poisson_1.6", work: Work::Assign("poisson(1.6)") },
    Loop { name: "poisson_20", work: Work::Assign("poisson(20)") },
    Loop { name: "binomial", work: Work::Assign("binomial(2000, 0.0008)") },
    Loop { name: "exp", work: Work::Assign("exp(y)") },
    Loop { name: "exprel", work: Work::Assign("exprel(y)") },
    Loop { name: "lif", work: Work::Model("lif", "(-65 + 10*rand())*mV") },
    Loop { name: "lif_exp", work: Work::Model("lif_exp", "(-60 + 9*rand())*mV") },
    Loop { name: "lif_cond_exp", work: Work::Model("lif_cond_exp", "(-60 + 9*rand())*mV") },
    Loop { name: "izhikevich", work: Work::Model("izhikevich", "-70 + 10*rand()") },
    Loop { name: "adex", work: Work::Model("adex", "(-70 + 15*rand())*mV") },
    Loop { name: "hodgkin_huxley", work: Work::Model("hodgkin_huxley", "(-70 + 10*rand())*mV") },
    Loop { name: "traub_miles", work: Work::Model("traub_miles", "(-70 + 10*rand())*mV") },
];

impl Loop {
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
            Work::Nothing => assembled(vec![plain("x : 1", None)], Vec::new(), Vec::new()),
            Work::Input => {
                let synapse = projection("N", "N", Connector::one_to_one(), "x_post += 1");
                assembled(vec![plain("x : 1", None)], vec![synapse], Vec::new())
            }
            Work::Assign(expression) => {
                // It changes in every step: what is constant would be computed once.
                let neurons = plain("x : 1\ny : 1", Some(&format!("x = {expression}\ny = -y")));
                let neurons = Population { initial: expressions(&[("y", "-5 + 10*rand()")]), ..neurons };
                assembled(vec![neurons], Vec::new(), Vec::new())
            }
            Work::Model(model, potential) => {
                assembled(vec![population("N", NEURONS, model, &[], &[("v", potential)])], Vec::new(), Vec::new())
            }
        }
    }
}
