//! Arrays of numbers with a shape.

use std::fmt;

/// Numbers in the order of C: the last index changes fastest. A scalar has an empty shape.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tensor {
    /// The extent of each dimension; their product is the number of values.
    pub shape: Vec<usize>,
    /// The values.
    pub values: Vec<f64>,
}

impl Tensor {
    /// Numbers with a shape.
    pub fn new(shape: impl Into<Vec<usize>>, values: impl Into<Vec<f64>>) -> Tensor {
        Tensor { shape: shape.into(), values: values.into() }
    }

    /// One number.
    pub fn scalar(value: f64) -> Tensor {
        Tensor::new([], [value])
    }

    /// The same number in every place.
    pub fn full(shape: &[usize], value: f64) -> Tensor {
        Tensor::new(shape, vec![value; shape.iter().product()])
    }

    /// Whether it is a single number without a dimension, which stands for any number of neurons.
    pub fn is_scalar(&self) -> bool {
        self.shape.is_empty()
    }

    /// The value at a place; a scalar has it in every place.
    pub(super) fn at(&self, place: usize) -> f64 {
        if self.is_scalar() { self.values[0] } else { self.values[place] }
    }
}

/// A shape in messages: `16 x 34 x 34`, or `a single number`.
pub(super) struct Extents<'a>(pub(super) &'a [usize]);

impl fmt::Display for Extents<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("a single number");
        }
        f.write_str(&self.0.iter().map(usize::to_string).collect::<Vec<_>>().join(" x "))
    }
}
