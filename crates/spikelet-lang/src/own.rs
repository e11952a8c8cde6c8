//! Functions of one's own: an expression of their arguments, and a body in WGSL that GPUs run instead.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::syntax::Expr;
use crate::unit::Dimension;

/// A function of one's own as its author writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionText {
    /// Its name in equations.
    pub name: String,
    /// The unit of each argument, by name, in their order.
    pub arguments: IndexMap<String, String>,
    /// The unit of the result.
    pub unit: String,
    /// The result: an expression of the arguments, and of functions declared before.
    pub value: Option<String>,
    /// The same in WGSL: statements that end with `return`. Arguments and result are f32, in inner units.
    pub wgsl: Option<String>,
}

/// A checked function.
#[derive(Debug, Clone)]
pub struct OwnFunction {
    pub(crate) text: FunctionText,
    pub(crate) arguments: Vec<Dimension>,
    pub(crate) dimension: Dimension,
    pub(crate) value: Option<Expr>,
}

/// Functions are equal that are written alike.
impl PartialEq for OwnFunction {
    fn eq(&self, other: &OwnFunction) -> bool {
        self.text == other.text
    }
}

impl Eq for OwnFunction {}

/// All functions of a network; terms and code call them by their number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnFunctions(pub(crate) Arc<[OwnFunction]>);

/// Arguments of a function in WGSL: an operation has room for these.
pub const MAX_WGSL_ARGUMENTS: usize = 4;

impl OwnFunctions {
    /// The function called `name`, with its number.
    pub(crate) fn find(&self, name: &str) -> Option<(usize, &OwnFunction)> {
        self.0.iter().enumerate().find(|(_, function)| function.text.name == name)
    }

    /// Names, for suggestions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|function| function.text.name.as_str())
    }

    /// The first function that only GPUs can run.
    pub fn without_value(&self) -> Option<&str> {
        self.0.iter().find(|function| function.value.is_none()).map(|function| function.text.name.as_str())
    }

    /// The functions that have WGSL, by number, as declarations.
    pub fn wgsl(&self) -> impl Iterator<Item = (usize, String)> {
        self.0.iter().enumerate().filter_map(|(number, function)| {
            let body = function.text.wgsl.as_ref()?;
            let arguments: Vec<String> = function.text.arguments.keys().map(|name| format!("{name}: f32")).collect();
            let body: String = body.lines().flat_map(|line| ["    ", line, "\n"]).collect();
            Some((number, format!("fn {}({}) -> f32 {{\n{body}}}\n", wgsl_name(number), arguments.join(", "))))
        })
    }
}

/// The name of a function in WGSL, by its number.
pub(crate) fn wgsl_name(number: usize) -> String {
    format!("own_{number}")
}

impl OwnFunction {
    /// Dimensions of its arguments.
    pub(crate) fn arguments(&self) -> &[Dimension] {
        &self.arguments
    }

    pub(crate) fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Whether GPUs have another code than the expression.
    pub(crate) fn has_wgsl(&self) -> bool {
        self.text.wgsl.is_some()
    }
}
