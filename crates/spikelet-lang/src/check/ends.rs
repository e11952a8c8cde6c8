//! The neurons of a synapse: `v_pre`, `v_post`, `v_third`.

use std::cell::RefCell;
use std::sync::Arc;

use super::Type;
use crate::diagnostic::{Diagnostic, Kind, Span};
use crate::model::{End, NeuronModel, NeuronRead, Role, SynapseNeurons};
use crate::syntax::BinaryOp;
use crate::term::{self, Node, Symbol, Term};
use crate::unit::Dimension;

/// Numbers that a projection provides to its synapses: in- and out-degrees, and the sizes of the populations.
pub const COUNTS: [&str; 5] = ["N_incoming", "N_outgoing", "N_pre", "N_post", "N_third"];

/// The neurons of a synapse.
pub(super) struct Ends<'a> {
    pub(super) neurons: SynapseNeurons<'a>,
    /// What has been read so far, in the order of its index.
    pub(super) reads: RefCell<Vec<NeuronRead>>,
}

impl Ends<'_> {
    /// The model of a neuron; `None` for the third one of synapses without.
    fn model(&self, end: End) -> Option<&NeuronModel> {
        match end {
            End::Pre => Some(self.neurons.pre),
            End::Post => Some(self.neurons.post),
            End::Third => self.neurons.third,
        }
    }

    /// The value called `name` of one of the neurons.
    pub(super) fn read(&self, end: End, name: &str) -> Term {
        let symbol = self.known_read(end, name).unwrap_or_else(|| {
            let mut reads = self.reads.borrow_mut();
            reads.push(NeuronRead { end, name: name.into() });
            Symbol::Read(reads.len() - 1)
        });
        term::symbol(symbol)
    }

    /// The same, if it has been read already.
    pub(super) fn known_read(&self, end: End, name: &str) -> Option<Symbol> {
        let reads = self.reads.borrow();
        reads.iter().position(|known| known.end == end && known.name == name).map(Symbol::Read)
    }

    /// The meaning of `v_pre`, `v_post`, `v_third`, and of `v`, which is `v_post`.
    pub(super) fn name(&self, name: &str, (place, text, span): (&str, &str, Span)) -> Result<Option<(Term, Type)>, Diagnostic> {
        let has_third = self.neurons.third.is_some();
        if COUNTS.contains(&name) && (has_third || name != "N_third") {
            return Ok(Some((self.read(End::Post, name), Type::Number(Dimension::NONE))));
        }
        if name == "i_third" && has_third {
            return Ok(Some((self.read(End::Third, "i"), Type::Number(Dimension::NONE))));
        }
        let ends = [
            (name.strip_suffix("_pre"), End::Pre),
            (name.strip_suffix("_post"), End::Post),
            (name.strip_suffix("_third"), End::Third),
            (Some(name), End::Post),
        ];
        for (inner, end) in ends.into_iter().filter_map(|(inner, end)| inner.map(|inner| (inner, end))) {
            if let Some(found) = self.value(end, inner, inner != name, (place, text, span))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The meaning of `inner` in one of the neurons: a variable, a subexpression or, if `constants` are wanted, a constant.
    pub(super) fn value(
        &self,
        end: End,
        inner: &str,
        constants: bool,
        at: (&str, &str, Span),
    ) -> Result<Option<(Term, Type)>, Diagnostic> {
        let Some(model) = self.model(end) else { return Ok(None) };
        if let Some(variable) = model.variable(inner) {
            let (declared, value) = (&model.variables[variable], self.read(end, inner));
            if declared.role == Role::Declared && declared.boolean {
                return Ok(Some((Arc::new(Node::Binary(BinaryOp::NotEqual, value, term::number(0.0))), Type::Boolean)));
            }
            return Ok(Some((value, Type::Number(declared.dimension))));
        }
        if let Some(subexpression) = model.subexpressions.get(inner) {
            return self.translated(end, &subexpression.term, at).map(|term| {
                let kind = if crate::lower::is_condition(&term) { Type::Boolean } else { Type::Number(subexpression.dimension) };
                Some((term, kind))
            });
        }
        let constant = model.constants.iter().find(|constant| constant.name == inner).filter(|_| constants);
        Ok(constant.map(|constant| (self.read(end, inner), Type::Number(constant.dimension))))
    }

    /// A term of a neuron, as its synapse sees it.
    fn translated(&self, end: End, term: &Term, (place, text, span): (&str, &str, Span)) -> Result<Term, Diagnostic> {
        let hidden = term.any(|symbol| matches!(symbol, None | Some(Symbol::NotRefractory | Symbol::SinceSpike)));
        let mut looked_up = false;
        term.walk(&mut |node| looked_up |= matches!(node, Node::Lookup(..)));
        if hidden || looked_up {
            let message = "this subexpression of the neuron uses random numbers, a timed array or its last spike, which a \
                           synapse cannot.";
            let help = "Flag it `(constant over dt)` in the equations of the neuron: its value is then stored for the step.";
            return Err(Diagnostic::new(Kind::Unsupported, place, text, span, message).help(help));
        }
        Ok(self.seen(end, term))
    }

    /// The term with the names of one of the neurons as the synapse knows them.
    pub(super) fn seen(&self, end: End, term: &Term) -> Term {
        let Some(model) = self.model(end) else { return term.clone() };
        term::substitute(term, &|symbol| match symbol {
            Symbol::Variable(variable) => self.read(end, &model.variables[variable].name),
            Symbol::Constant(constant) => self.read(end, &model.constants[constant].name),
            Symbol::Index if end == End::Post => term::symbol(Symbol::PostIndex),
            Symbol::Index if end == End::Third => self.read(end, "i"),
            Symbol::Size => self.read(End::Post, &format!("N_{}", end.name())),
            other => term::symbol(other),
        })
    }

    /// Names to suggest for a misspelt one.
    pub(super) fn known(&self) -> Vec<String> {
        let of_end = |end: End| {
            let names = self.model(end).into_iter().flat_map(NeuronModel::names);
            names.map(move |name| format!("{name}_{}", end.name()))
        };
        End::ALL.into_iter().flat_map(of_end).collect()
    }
}
