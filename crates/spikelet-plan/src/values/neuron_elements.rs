//! The neurons of a population as elements of values.

use std::sync::Arc;

use spikelet_lang::Dimension;
use spikelet_lang::term::Symbol;
use spikelet_rows::OwnNeurons;
use spikelet_rows::connect::Space;
use spikelet_rows::rng::{Key, Purpose};

use crate::values::Elements;

/// The neurons of a population as elements of values.
#[derive(Clone)]
pub(crate) struct NeuronElements {
    pub(crate) first: u32,
    /// Those that have values.
    pub(crate) own: OwnNeurons,
    pub(crate) dt: f64,
    pub(crate) seed: u64,
    /// What is drawn.
    pub(crate) purpose: Purpose,
    pub(crate) space: Option<Arc<Space>>,
    /// Names of subexpressions, after the model is known.
    pub(crate) computed: Vec<String>,
    /// Names of integers, likewise.
    pub(crate) integers: Vec<String>,
}

/// Names of a neuron's coordinates; [`Symbol::Read`] is an index into them.
const COORDINATES: [&str; 4] = ["x", "y", "z", "w"];

impl NeuronElements {
    /// The neuron at a place.
    fn neuron(&self, place: usize) -> u32 {
        // Values that are the same for all are evaluated even if there are no neurons.
        if place < self.own.len() as usize { self.own.neuron(place as u32) } else { 0 }
    }
}

impl Elements for NeuronElements {
    fn count(&self) -> usize {
        self.own.len() as usize
    }

    fn symbol(&self, symbol: Symbol, element: usize) -> f64 {
        match symbol {
            Symbol::Index => f64::from(self.neuron(element)),
            Symbol::Size => f64::from(self.own.size()),
            Symbol::Dt => self.dt,
            Symbol::Read(axis) => self.space.as_ref().map_or(f64::NAN, |space| space.place(self.neuron(element))[axis]),
            _ => f64::NAN,
        }
    }

    fn read(&self, name: &str) -> Option<(Symbol, Dimension)> {
        let axis = COORDINATES.iter().position(|known| *known == name)?;
        (axis < self.space.as_ref()?.dimensions).then_some((Symbol::Read(axis), Dimension::LENGTH))
    }

    fn is_integer(&self, name: &str) -> bool {
        self.integers.iter().any(|integer| integer == name)
    }

    fn draw(&self, number: u32, site: u32, attempt: u32, element: usize) -> [u32; 4] {
        Key(self.seed).draw(self.purpose, number, [site, self.first + self.neuron(element), attempt])
    }

    fn place(&self, element: usize) -> Option<usize> {
        Some(self.neuron(element) as usize)
    }

    fn are_pairs(&self) -> bool {
        false
    }

    fn is_computed(&self, name: &str) -> bool {
        self.computed.iter().any(|computed| computed == name)
    }

    fn listed(&self) -> Result<usize, &'static str> {
        Ok(self.own.size() as usize)
    }
}
