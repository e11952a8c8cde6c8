//! Options of areas.

use crate::Error;

/// An area of neurons.
#[derive(Debug, Clone, PartialEq)]
pub struct AreaOptions {
    /// Number of neurons.
    pub n: u32,
    /// How many of them fire in a round.
    pub k: u32,
    /// β of the fibres into the area for which none is [set](crate::Brain::set_beta).
    pub beta: f64,
    /// Whether all neurons exist from the start also in the mode [`Lazy`](crate::Mode::Lazy), so that blocks of them can be activated.
    pub explicit: bool,
    /// What makes it harder for a neuron that has won to win again.
    pub refraction: Refraction,
}

/// What makes it harder for a neuron that has won to win again.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Refraction {
    /// Nothing.
    #[default]
    None,
    /// A penalty that decays: `strength`·(1 − (s − 1)/`period`) is subtracted from the input of a neuron that won s rounds ago, s ≤ `period`.
    Refractory {
        /// The penalty in the next round.
        strength: f32,
        /// The number of rounds with a penalty.
        period: u32,
    },
    /// A bias that never decays: it grows by `strength` × input at each win, and is subtracted from the input.
    Refracted {
        /// The fraction of the input.
        strength: f32,
    },
}

impl AreaOptions {
    /// An area with `n` neurons of which `k` fire, with plasticity `beta`.
    pub fn new(n: u32, k: u32, beta: f64) -> AreaOptions {
        AreaOptions { n, k, beta, explicit: false, refraction: Refraction::None }
    }

    /// The same with all neurons from the start.
    #[must_use]
    pub fn explicit(self) -> AreaOptions {
        AreaOptions { explicit: true, ..self }
    }

    /// The same with another refraction.
    #[must_use]
    pub fn refraction(self, refraction: Refraction) -> AreaOptions {
        AreaOptions { refraction, ..self }
    }

    pub(crate) fn check(&self, name: &str) -> Result<(), Error> {
        let AreaOptions { n, k, beta, refraction, .. } = *self;
        if k == 0 || k > n {
            return Err(Error::Winners { area: name.into(), n, k });
        }
        let positive = |parameter: &str, value: f64| {
            let is_valid = value >= 0.0 && value.is_finite();
            if is_valid {
                Ok(())
            } else {
                Err(Error::Value { name: format!("{parameter} of area “{name}”"), value, least: 0.0 })
            }
        };
        positive("beta", beta)?;
        match refraction {
            Refraction::None => Ok(()),
            Refraction::Refractory { strength, .. } | Refraction::Refracted { strength } => positive("strength", strength.into()),
        }
    }
}
