//! Linked variables: `v_in : volt (linked)` has the value of a variable of another neuron.

use std::cell::RefCell;

use super::Type;
use super::ends::Ends;
use crate::diagnostic::{Diagnostic, Kind, Span, suggestion};
use crate::model::{End, NeuronModel, SummedVariable, SynapseModel};
use crate::term::{self, Function};

/// The synapses of a linked variable, one onto each neuron: in every step they copy the value `source` of a neuron of the model `pre` to the
/// variable `target` of a neuron of the model `post`. A source can be a variable, a parameter or a subexpression.
///
/// # Errors
/// `target` is not declared as linked; there is no such source, or it has another dimension; or it is a subexpression that synapses cannot read.
pub fn check_link(pre: &NeuronModel, source: &str, post: &NeuronModel, target: &str) -> Result<SynapseModel, Diagnostic> {
    let whole = |text: &str| Span { start: 0, end: text.len() };
    let Some(variable) = post.variable(target).filter(|variable| post.variables[*variable].linked) else {
        let message = format!("`{target}` is not declared as linked.");
        let help = format!("Write `{target} : unit (linked)` in the equations of the population.");
        return Err(Diagnostic::new(Kind::UnknownAssignmentTarget, "linked", target, whole(target), message).help(help));
    };
    let error = |kind, message: String| Diagnostic::new(kind, "var", source, whole(source), message);
    let ends = Ends { neurons: (pre, post).into(), reads: RefCell::new(Vec::new()) };
    let Some((term, kind)) = ends.value(End::Pre, source, true, ("var", source, whole(source)))? else {
        let diagnostic = error(Kind::UndefinedName, format!("the linked neurons have no variable `{source}`."));
        return Err(match suggestion(source, pre.names()) {
            Some(near) => diagnostic.help(format!("Did you mean `{near}`?")),
            None => diagnostic.help(format!("They have {}.", pre.names().collect::<Vec<_>>().join(", "))),
        });
    };
    let declared = &post.variables[variable];
    let term = match kind {
        Type::Number(dimension) if !declared.boolean && dimension == declared.dimension => term,
        Type::Boolean if declared.boolean => term::call(Function::Int, term),
        _ => {
            let is = if declared.boolean { "true or false".to_owned() } else { declared.dimension.to_string() };
            return Err(error(Kind::DimensionMismatch, format!("`{source}` is {kind}; `{target}` is declared {is}.")));
        }
    };
    let summed = vec![SummedVariable { end: End::Post, name: target.to_owned(), value: term }];
    Ok(SynapseModel { reads: ends.reads.into_inner(), summed, ..SynapseModel::default() })
}
