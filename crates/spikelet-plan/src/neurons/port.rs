//! Where synaptic input to variables is added up: the ports of populations in the delay buffers.

use spikelet_rows::ring;

/// The synaptic input to one variable of a population.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Port {
    /// Its offset in a slot of the delay buffer: one lane per neuron from here on.
    pub column: u32,
    /// Sums are in units of 2^-shift.
    pub shift: i32,
    /// Whether events are computed when spikes arrive, so that their size is not known before: each is then stored as whole units and, in
    /// as many additional lanes, a remainder.
    pub split_precision: bool,
    /// Remainders are in units of 2^-this.
    pub fine_shift: i32,
    /// Maximum number of whole units of an event.
    pub limit: i32,
    /// Whether it takes the remainders of the previous port, for weights of very different magnitudes.
    pub rest: bool,
}

impl Port {
    /// Lanes per neuron.
    pub fn width(&self) -> u32 {
        1 + u32::from(self.split_precision)
    }

    /// The value of one unit of the delay buffer, and of one unit of the remainder.
    pub fn units(&self) -> [f32; 2] {
        [ring::unit(self.shift), if self.split_precision { ring::unit(self.fine_shift) } else { 0.0 }]
    }
}

/// The delay buffers of all ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ring {
    /// Number of slots: the longest delay + 1.
    pub slots: u32,
    /// Neurons of all ports.
    pub columns: u32,
}
