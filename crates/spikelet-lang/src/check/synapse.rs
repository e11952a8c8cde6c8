//! The texts of a synapse model, checked against its two ends.

use indexmap::IndexMap;

use super::neuron::Names;
use super::{Scope, Type, resolve_as};
use crate::diagnostic::{Diagnostic, Kind, Span, suggestion};
use crate::model::{NeuronModel, PortWrite, SynapseModel, SynapseText};
use crate::syntax::{self, AssignKind, BinaryOp, Statement};
use crate::term::{self, Symbol, Term};
use crate::unit::Dimension;

/// Checks a synapse model onto neurons of the model `post`. `constants` names the parameters given from outside.
///
/// # Errors
/// Every mistake found.
pub fn check_synapse(
    text: &SynapseText,
    post: &NeuronModel,
    constants: &IndexMap<String, Dimension>,
) -> Result<SynapseModel, Vec<Diagnostic>> {
    let equations = syntax::parse_equations("equations", &text.equations)?;
    for equation in &equations {
        if equation.kind != syntax::EquationKind::Parameter {
            let message =
                format!("`{}`: a synapse has parameters such as `w : volt (constant)`, no equations of its own.", equation.name);
            return Err(vec![Diagnostic::new(Kind::Unsupported, "equations", &text.equations, equation.span, message)]);
        }
    }
    let names = Names::new("equations", &text.equations, &equations, constants, &text.each)?;
    let statements = syntax::parse_statements("on_pre", &text.on_pre)?;
    let scope = SynapseScope { names: &names, post, text: &text.on_pre };
    let mut writes: Vec<PortWrite> = Vec::new();
    let mut found = Vec::new();
    for statement in &statements {
        match scope.write(statement) {
            Ok(write) => writes.push(write),
            Err(diagnostic) => found.push(diagnostic),
        }
    }
    if writes.is_empty() && found.is_empty() {
        let whole = Span { start: 0, end: text.on_pre.len() };
        let message = "on_pre does nothing; expected a statement such as `ge_post += w`.";
        found.push(Diagnostic::new(Kind::SyntaxError, "on_pre", &text.on_pre, whole, message));
    }
    if found.is_empty() {
        return Ok(SynapseModel { variables: names.variables, constants: names.used.into_inner(), writes });
    }
    Err(found)
}

struct SynapseScope<'a> {
    names: &'a Names<'a>,
    post: &'a NeuronModel,
    text: &'a str,
}

impl SynapseScope<'_> {
    fn write(&self, statement: &Statement) -> Result<PortWrite, Diagnostic> {
        let error = |kind, message: String| Diagnostic::new(kind, "on_pre", self.text, statement.span, message);
        let target = &statement.target;
        let name = target.strip_suffix("_post").unwrap_or(target);
        let Some(variable) = self.post.variable(name) else {
            let diagnostic = error(Kind::UnknownAssignmentTarget, format!("the postsynaptic neuron has no variable `{name}`."));
            let known = self.post.variables.iter().map(|variable| variable.name.as_str());
            return Err(match suggestion(name, known.clone()) {
                Some(near) => diagnostic.help(format!("Did you mean `{near}_post`?")),
                None => diagnostic.help(format!("It has {}.", known.collect::<Vec<_>>().join(", "))),
            });
        };
        let declared = &self.post.variables[variable];
        if declared.constant || declared.shared {
            return Err(error(
                Kind::UnknownAssignmentTarget,
                format!("`{name}` is declared constant or shared, and cannot be written."),
            ));
        }
        let negative = match statement.kind {
            AssignKind::Change(BinaryOp::Add) => false,
            AssignKind::Change(BinaryOp::Subtract) => true,
            _ => {
                let message = format!("a synapse adds to its target; `{target}` is written in another way.");
                return Err(error(Kind::Unsupported, message).help(format!("Write `{name}_post += …`.")));
            }
        };
        let value = resolve_as("on_pre", self.text, &statement.value, self, declared.dimension)?;
        Ok(PortWrite { variable, value: if negative { term::negate(&value) } else { value } })
    }
}

impl Scope for SynapseScope<'_> {
    fn name(&self, name: &str, span: Span) -> Result<Option<(Term, Type)>, Diagnostic> {
        if let Some(index) = self.names.variable(name) {
            return Ok(Some((term::symbol(Symbol::Variable(index)), Type::Number(self.names.variables[index].dimension))));
        }
        if let Some(found) = self.names.constant(name) {
            return Ok(Some(found));
        }
        match name {
            "dt" => return Ok(Some((term::symbol(Symbol::Dt), Type::Number(Dimension::TIME)))),
            "i" => return Ok(Some((term::symbol(Symbol::Index), Type::Number(Dimension::NONE)))),
            "j" => return Ok(Some((term::symbol(Symbol::PostIndex), Type::Number(Dimension::NONE)))),
            _ => {}
        }
        let of_neuron = name.strip_suffix("_post").or_else(|| name.strip_suffix("_pre")).unwrap_or(name);
        if self.post.variable(of_neuron).is_some() {
            let message = format!(
                "`{name}` belongs to a neuron; what a synapse adds may depend on its own parameters, constants, i and j."
            );
            return Err(Diagnostic::new(Kind::Unsupported, "on_pre", self.text, span, message));
        }
        Ok(None)
    }

    fn site(&self) -> Result<u32, &'static str> {
        Err("an event draws nothing; draw the weight once, in the initial values")
    }

    fn known(&self) -> Vec<String> {
        self.names.known()
    }
}
