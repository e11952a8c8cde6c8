//! The shapes of surrogates, with their integrals.

use std::f64::consts::PI;
use std::fmt;
use std::str::FromStr;

use crate::code_builder::CodeBuilder;
use crate::ir::{Op, Ref};
use crate::syntax::BinaryOp::{self, Add, Divide, Multiply, Subtract};
use crate::term::Function;

/// The shapes of surrogates, as functions h(x) of x, the amount by which the threshold is exceeded, with slope k.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// 1/(k |x| + 1)²: Zenke & Ganguli 2018, Neural Computation 30(6):1514.
    SuperSpike,
    /// k s(k x) (1 − s(k x)), s(x) = 1/(1 + exp(−x)): SpikingJelly.
    Sigmoid,
    /// k/(2 (1 + (π k x/2)²)): Fang et al. 2021, ICCV, eq. 7.
    Arctan,
    /// max(0, 1 − k |x|): Bellec et al. 2020, Nature Communications 11:3625, with k = 1 over the threshold and the factor 0.3 k.
    PiecewiseLinear,
    /// The density of a normal distribution with standard deviation 1/k: Yin, Corradi & Bohté 2021, Nature Machine Intelligence 3:905.
    Gaussian,
    /// 1.15 times that density less 0.15 times each of two that are 6 times as wide, at x = ±1/k: the same.
    MultiGaussian,
    /// k for k |x| < 1/2, and 0 beyond: Wu et al. 2018, Frontiers in Neuroscience 12:331, with k = 1/a.
    Rectangle,
    /// k for x > 0, and 0 below: the derivative of a rectified line, as `LeakyKReLU` of SpikingJelly without leak.
    Relu,
    /// k everywhere: Bengio, Léonard & Courville 2013, arXiv:1308.3432.
    StraightThrough,
}

/// The part of the wide densities of [`Shape::MultiGaussian`], and their width.
const SIDE: f64 = 0.15;
const WIDTH: f64 = 6.0;

impl Shape {
    /// Every shape with its name.
    pub const ALL: [(&'static str, Shape); 9] = [
        ("superspike", Shape::SuperSpike),
        ("sigmoid", Shape::Sigmoid),
        ("arctan", Shape::Arctan),
        ("piecewise_linear", Shape::PiecewiseLinear),
        ("gaussian", Shape::Gaussian),
        ("multi_gaussian", Shape::MultiGaussian),
        ("rectangle", Shape::Rectangle),
        ("relu", Shape::Relu),
        ("straight_through", Shape::StraightThrough),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Shape::ALL.iter().find(|(_, shape)| *shape == self).map_or("", |(name, _)| name)
    }

    /// The slope k and the factor of its source, for a threshold whose comparison has no unit. That of the superspike is from SpyTorch
    /// and Norse, those of sigmoid and arctangent are from SpikingJelly; all others are from the publications.
    pub fn defaults(self) -> (f64, f64) {
        match self {
            Shape::SuperSpike => (100.0, 1.0),
            Shape::Sigmoid => (4.0, 1.0),
            Shape::Arctan => (2.0, 1.0),
            Shape::PiecewiseLinear => (1.0, 0.3),
            Shape::Gaussian => (2.0, 1.0),
            Shape::MultiGaussian => (2.0, 0.5),
            Shape::Rectangle | Shape::Relu | Shape::StraightThrough => (1.0, 1.0),
        }
    }

    /// h(x).
    pub(super) fn derivative(self, b: &mut CodeBuilder, slope: f64, x: Ref) -> Ref {
        let (one, k) = (b.op(Op::number(1.0)), b.op(Op::number(slope)));
        let scaled = b.binary(Multiply, k, x);
        match self {
            Shape::SuperSpike => {
                let size = b.op(Op::Call1(Function::Abs, scaled));
                let sum = b.binary(Add, size, one);
                let square = b.binary(Multiply, sum, sum);
                b.binary(Divide, one, square)
            }
            Shape::Sigmoid => {
                let sigmoid = b.op(Op::Call1(Function::Sigmoid, scaled));
                let other = b.binary(Subtract, one, sigmoid);
                let product = b.binary(Multiply, sigmoid, other);
                b.binary(Multiply, k, product)
            }
            Shape::Arctan => {
                let half_pi = b.op(Op::number(PI / 2.0));
                let angle = b.binary(Multiply, half_pi, scaled);
                let square = b.binary(Multiply, angle, angle);
                let sum = b.binary(Add, one, square);
                let half = b.op(Op::number(slope / 2.0));
                b.binary(Divide, half, sum)
            }
            Shape::PiecewiseLinear => {
                let size = b.op(Op::Call1(Function::Abs, scaled));
                let (rest, zero) = (b.binary(Subtract, one, size), b.op(Op::number(0.0)));
                b.op(Op::Call2(Function::Max, rest, zero))
            }
            Shape::Gaussian => bell(b, scaled, [0.0, 1.0], slope),
            Shape::MultiGaussian => {
                let middle = bell(b, scaled, [0.0, 1.0], (1.0 + SIDE) * slope);
                let sides = [-1.0, 1.0].map(|mean| bell(b, scaled, [mean, WIDTH], SIDE * slope));
                let both = b.binary(Add, sides[0], sides[1]);
                b.binary(Subtract, middle, both)
            }
            Shape::Rectangle => {
                let size = b.op(Op::Call1(Function::Abs, scaled));
                let (half, zero) = (b.op(Op::number(0.5)), b.op(Op::number(0.0)));
                let condition = b.binary(BinaryOp::Less, size, half);
                b.op(Op::Select { condition, yes: k, no: zero })
            }
            Shape::Relu => {
                let zero = b.op(Op::number(0.0));
                let condition = b.binary(BinaryOp::Greater, x, zero);
                b.op(Op::Select { condition, yes: k, no: zero })
            }
            Shape::StraightThrough => k,
        }
    }

    /// An integral of h, if it is an elementary function.
    pub(super) fn integral(self, b: &mut CodeBuilder, slope: f64, x: Ref) -> Option<Ref> {
        let (one, k) = (b.op(Op::number(1.0)), b.op(Op::number(slope)));
        let scaled = b.binary(Multiply, k, x);
        Some(match self {
            Shape::SuperSpike => {
                let size = b.op(Op::Call1(Function::Abs, scaled));
                let sum = b.binary(Add, size, one);
                b.binary(Divide, x, sum)
            }
            Shape::Sigmoid => b.op(Op::Call1(Function::Sigmoid, scaled)),
            Shape::Arctan => {
                let half_pi = b.op(Op::number(PI / 2.0));
                let angle = b.binary(Multiply, half_pi, scaled);
                let arc = b.op(Op::Call1(Function::Arctan, angle));
                let inverse = b.op(Op::number(1.0 / PI));
                b.binary(Multiply, inverse, arc)
            }
            // x − k x |x|/2 up to |x| = 1/k, and constant beyond.
            Shape::PiecewiseLinear => {
                let clipped = bounded(b, scaled, 1.0);
                let size = b.op(Op::Call1(Function::Abs, clipped));
                let half = b.op(Op::number(0.5));
                let part = b.binary(Multiply, half, size);
                let rest = b.binary(Subtract, one, part);
                let product = b.binary(Multiply, clipped, rest);
                b.binary(Divide, product, k)
            }
            Shape::Rectangle => bounded(b, scaled, 0.5),
            Shape::Relu => {
                let zero = b.op(Op::number(0.0));
                b.op(Op::Call2(Function::Max, scaled, zero))
            }
            Shape::StraightThrough => scaled,
            Shape::Gaussian | Shape::MultiGaussian => return None,
        })
    }
}

/// `weight` times the density of the normal distribution with this mean and standard deviation.
fn bell(b: &mut CodeBuilder, x: Ref, [mean, deviation]: [f64; 2], weight: f64) -> Ref {
    let centre = b.op(Op::number(mean));
    let distance = b.binary(Subtract, x, centre);
    let square = b.binary(Multiply, distance, distance);
    let scale = b.op(Op::number(-0.5 / (deviation * deviation)));
    let exponent = b.binary(Multiply, scale, square);
    let exponential = b.op(Op::Call1(Function::Exp, exponent));
    let height = b.op(Op::number(weight / (deviation * (2.0 * PI).sqrt())));
    b.binary(Multiply, height, exponential)
}

/// x, at least −bound and at most bound.
fn bounded(b: &mut CodeBuilder, x: Ref, bound: f64) -> Ref {
    let (low, high) = (b.op(Op::number(-bound)), b.op(Op::number(bound)));
    let above = b.op(Op::Call2(Function::Max, x, low));
    b.op(Op::Call2(Function::Min, above, high))
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Shape, String> {
        let found = Shape::ALL.iter().find(|(name, _)| *name == text);
        found.map(|(_, shape)| *shape).ok_or_else(|| {
            let names: Vec<_> = Shape::ALL.iter().map(|(name, _)| *name).collect();
            format!("expected one of {}", names.join(", "))
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
