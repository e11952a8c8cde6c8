//! The functions of the language: what is known of each is one row of a table. Code that checks texts, bounds values or prints goes by the
//! row. What computes a function, or its derivative, is a `match` of all functions, which the compiler keeps complete: [`crate::host`] in
//! f64, [`crate::gradient`], and in f32 `spikelet_kernel` on CPUs and `shaders/math` on GPUs.

use std::f64::consts::{FRAC_PI_2, PI};

/// What is known of a function. Its texts for printers are empty where it has none; in patterns `#` is the first argument and `@` the second.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// The number of arguments in texts; 0 where the language alone calls it.
    pub arguments: usize,
    /// Whether the language adds a last argument, which is a draw.
    pub is_random: bool,
    /// The dimensions of its arguments and of its value.
    pub dimensions: Dimensions,
    /// The least and the largest value, if both are finite for all arguments.
    pub range: Option<[f64; 2]>,
    /// For which finite arguments it is finite.
    pub finite: Finite,
    /// Whether its arguments give whole numbers alone, so that it is constant but for jumps.
    pub is_stepwise: bool,
    /// Its name in shaders.
    pub wgsl: &'static str,
    /// A pattern of the device's own functions, for fast arithmetic, which is exact without one.
    pub fast: &'static str,
    /// In LaTeX a command for the arguments in brackets, or a pattern of all of them; its upright name without one.
    pub latex: &'static str,
    /// A pattern in LEMS, which lacks the function without one.
    pub lems: &'static str,
}

/// The dimensions of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimensions {
    /// Pure numbers give a pure number.
    Pure,
    /// Arguments of one dimension give a value of it.
    Kept,
    /// An argument of any dimension gives a pure number.
    Dropped,
    /// The square root of the argument's.
    Root,
}

/// Where a function of finite numbers is finite, in f32 and in f64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finite {
    /// Everywhere, with its derivative.
    Everywhere,
    /// Within limits. Its derivative is infinite or NaN only where its value is.
    Within,
    /// Within limits, at which the value is finite and the derivative is infinite.
    SteepAtLimits,
}

/// A function of one pure number, of which nothing else is known.
const PURE: Row = Row {
    name: "",
    arguments: 1,
    is_random: false,
    dimensions: Dimensions::Pure,
    range: None,
    finite: Finite::Within,
    is_stepwise: false,
    wgsl: "",
    fast: "",
    latex: "",
    lems: "",
};
/// The same, finite for all arguments.
const FINITE: Row = Row { finite: Finite::Everywhere, ..PURE };
/// A choice among arguments of one dimension.
const CHOICE: Row = Row { arguments: 2, dimensions: Dimensions::Kept, ..FINITE };
/// A call that the language makes itself.
const INTERNAL: Row = Row { arguments: 0, ..PURE };

/// Each row becomes a variant, and an entry of the table.
macro_rules! functions {
    ($($(#[$about:meta])* $variant:ident = $row:expr;)*) => {
        /// Functions of the language. Those on numbers exist in `f64` on the host ([`crate::host`]) and in `f32` on devices
        /// (`spikelet_kernel::math`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum Function {
            $($(#[$about])* $variant,)*
        }

        const TABLE: &[(Function, Row)] = &[$((Function::$variant, $row)),*];
    };
}

functions! {
    Exp = Row { name: "exp", wgsl: "exp32", fast: "exp(#)", latex: r"\exp", lems: "exp(#)", ..PURE };
    Expm1 = Row { name: "expm1", wgsl: "expm1_32", lems: "(exp(#) - 1)", ..PURE };
    /// (exp(x) − 1)/x, 1 at 0.
    Exprel = Row {
        name: "exprel",
        wgsl: "exprel32",
        // 1 + x/2 near 0, where the quotient has no digits; 1 - H(abs(x) - 1e-5) is 1 there, and 0 elsewhere.
        lems: "((1 + #/2)*(1 - H(abs(#) - 1e-5)) + (exp(#) - 1)/(# + (1 - H(abs(#) - 1e-5)))*(1 - (1 - H(abs(#) - 1e-5))))",
        ..PURE
    };
    /// 1/(1 + exp(−x))
    Sigmoid = Row {
        name: "sigmoid",
        range: Some([0.0, 1.0]),
        wgsl: "sigmoid32",
        // 1/(1 + inf) is 0, without a word about infinities: exp stays below 2^127.
        fast: "1.0f / (1.0f + exp(min(-#, 88.0f)))",
        lems: "(1/(1 + exp(0 - #)))",
        ..FINITE
    };
    Log = Row { name: "log", wgsl: "log32", fast: "log(#)", latex: r"\ln", lems: "log(#)", ..PURE };
    Log10 = Row {
        name: "log10",
        wgsl: "log10_32",
        fast: "log(#) * 0.4342944819f",
        latex: r"\log_{10}",
        lems: "(log(#)/2.302585092994046)",
        ..PURE
    };
    Log1p = Row { name: "log1p", wgsl: "log1p_32", lems: "log(1 + #)", ..PURE };
    Sqrt = Row {
        name: "sqrt",
        dimensions: Dimensions::Root,
        finite: Finite::SteepAtLimits,
        wgsl: "sqrt32",
        fast: "sqrt(#)",
        latex: r"\sqrt{#}",
        lems: "sqrt(#)",
        ..PURE
    };
    // WGSL gives `sin`, `cos` and `tan` no bound outside of −π … π, and `tanh` and the inverse functions only an absolute one; `expm1` and
    // `log1p` have no equal there. These have no `fast`.
    Sin = Row { name: "sin", range: Some([-1.0, 1.0]), wgsl: "sin32", latex: r"\sin", lems: "sin(#)", ..FINITE };
    Cos = Row { name: "cos", range: Some([-1.0, 1.0]), wgsl: "cos32", latex: r"\cos", lems: "cos(#)", ..FINITE };
    Tan = Row { name: "tan", wgsl: "tan32", latex: r"\tan", lems: "tan(#)", ..PURE };
    Arcsin = Row {
        name: "arcsin",
        range: Some([-FRAC_PI_2, FRAC_PI_2]),
        finite: Finite::SteepAtLimits,
        wgsl: "arcsin32",
        latex: r"\arcsin",
        ..PURE
    };
    Arccos = Row {
        name: "arccos",
        range: Some([0.0, PI]),
        finite: Finite::SteepAtLimits,
        wgsl: "arccos32",
        latex: r"\arccos",
        ..PURE
    };
    Arctan = Row { name: "arctan", range: Some([-FRAC_PI_2, FRAC_PI_2]), wgsl: "arctan32", latex: r"\arctan", ..FINITE };
    Sinh = Row { name: "sinh", wgsl: "sinh32", latex: r"\sinh", lems: "sinh(#)", ..PURE };
    Cosh = Row { name: "cosh", wgsl: "cosh32", latex: r"\cosh", lems: "cosh(#)", ..PURE };
    Tanh = Row { name: "tanh", range: Some([-1.0, 1.0]), wgsl: "tanh32", latex: r"\tanh", lems: "tanh(#)", ..FINITE };
    Abs = Row { name: "abs", dimensions: Dimensions::Kept, wgsl: "abs", latex: r"\left| # \right|", lems: "abs(#)", ..FINITE };
    Sign = Row {
        name: "sign",
        dimensions: Dimensions::Dropped,
        range: Some([-1.0, 1.0]),
        is_stepwise: true,
        wgsl: "sign32",
        lems: "(H(#) - H(0 - #))",
        ..FINITE
    };
    Floor = Row {
        name: "floor",
        is_stepwise: true,
        wgsl: "floor",
        latex: r"\left\lfloor # \right\rfloor",
        lems: "(0 - ceil(0 - #))",
        ..FINITE
    };
    Ceil = Row { name: "ceil", is_stepwise: true, wgsl: "ceil", latex: r"\left\lceil # \right\rceil", lems: "ceil(#)", ..FINITE };
    /// True → 1, false → 0; a number is cut off towards zero.
    Int = Row { name: "int", is_stepwise: true, wgsl: "trunc", lems: "((0 - ceil(0 - #))*H(#) + ceil(#)*H(0 - #))", ..FINITE };
    Min = Row { name: "min", latex: r"\min", lems: "(# + (@ - #)*H(# - @))", ..CHOICE };
    Max = Row { name: "max", latex: r"\max", lems: "(# + (@ - #)*H(@ - #))", ..CHOICE };
    Clip = Row { name: "clip", arguments: 3, ..CHOICE };
    /// A Poisson count with this mean; the last argument is the uniform number of its quantile.
    Poisson = Row { name: "poisson", is_random: true, wgsl: "poisson32", ..FINITE };
    /// A binomial count with these numbers of trials and this probability; likewise.
    Binomial = Row { name: "binomial", arguments: 2, is_random: true, wgsl: "binomial32", ..FINITE };
    /// x**y where it is no product. It has no name of its own: terms write [`BinaryOp::Power`](crate::syntax::BinaryOp::Power), code a call
    /// of this.
    Power = Row { name: "power", finite: Finite::SteepAtLimits, wgsl: "power32", lems: "(#^@)", ..INTERNAL };
    /// A normal number of this mean and standard deviation that lies between two bounds; the last argument is the uniform number it
    /// is a quantile for. It is written `normal(mean, sd, low, high)`.
    TruncatedNormal = Row { name: "normal", is_random: true, ..INTERNAL };
    /// A number of the gamma distribution of this shape and scale 1; the last argument says at which site it is drawn. It is written
    /// `gamma(shape, scale)`, and drawn on the host alone.
    Gamma = Row { name: "gamma", is_random: true, ..INTERNAL };
    /// The column of a table: a whole number of one that exists, else NaN. The other arguments are the numbers of the table and of its
    /// columns. It has no name: timed arrays are called with it.
    Column = Row { name: "column", ..INTERNAL };
    /// What rounding to f32 leaves of a number: x − f32(x), 0 where that is infinite. It has no name, and is computed on the host alone.
    Rest = Row { name: "rest", lems: "0", ..INTERNAL };
}

impl Function {
    /// Names that other languages have for what is written differently here.
    pub const ELSEWHERE: [(&'static str, &'static str); 13] = [
        ("asin", "arcsin"),
        ("acos", "arccos"),
        ("atan", "arctan"),
        ("ln", "log"),
        ("log2", "log(x)/log(2)"),
        ("pow", "x**y"),
        ("fabs", "abs"),
        ("ceiling", "ceil"),
        ("round", "floor(x + 0.5)"),
        ("logistic", "sigmoid"),
        ("random", "rand"),
        ("linspace", "a + (b - a)*i/(N - 1)"),
        ("arange", "a + step*i"),
    ];

    /// What is known of it.
    pub const fn row(self) -> &'static Row {
        &TABLE[self as usize].1
    }

    /// The functions that texts call. The distributions, whose values have a dimension, are in
    /// [`DISTRIBUTIONS`](crate::check::DISTRIBUTIONS).
    pub fn written() -> impl Iterator<Item = Function> {
        TABLE.iter().filter(|(_, row)| row.arguments > 0).map(|(function, _)| *function)
    }

    /// The function that texts call by this name.
    pub fn named(name: &str) -> Option<Function> {
        Function::written().find(|function| function.row().name == name)
    }
}
