//! Checks of edited networks as messages.

use spikelet::Network;
use spikelet::cost::ExpectedMemory;
use spikelet::diagnostic::{self, Span};
use spikelet::texts::infer::unit_text;

use crate::estimate::{approximate, estimate};
use crate::protocol::{Diagnostic, GpuEstimate, Judged, Judgement, Missing, Question};

/// Checks a network for an editor, which has `available` bytes on the CPU, if they are limited, and a GPU.
pub fn judge(question: &Question, available: Option<u64>, on_gpu: &dyn Fn(&ExpectedMemory) -> Option<GpuEstimate>) -> Judgement {
    let network = match Network::from_json_unchecked(&question.json) {
        Ok(network) => network,
        Err(error) => return Judgement { network: judged(error.diagnostics(None)), ..Judgement::default() },
    };
    let population = question.population.map(|place| place as usize);
    let judgement = spikelet::judge::judge(&network, population, &question.typed);
    let known = judgement.estimate.as_ref();
    let mut too_large = Vec::new();
    let size = known.map(|known| {
        estimate(&network, 1, available, on_gpu).unwrap_or_else(|error| {
            // Found before it is run. Other errors of a network are found by the checks above.
            if error.kind() == Some("out_of_memory") {
                too_large = error.diagnostics(None);
            }
            approximate(&network, known)
        })
    });
    let spikelet::judge::Judgement { population, network, missing, method, .. } = judgement;
    let network = network.into_iter().chain(too_large).collect();
    let missing = missing.into_iter().map(|(name, dimension)| Missing { name, unit: dimension.map(unit_text) });
    Judgement {
        population: judged(population),
        network: judged(network),
        missing: missing.collect(),
        method: method.map(str::to_owned),
        estimate: size,
    }
}

fn judged(found: Vec<diagnostic::Diagnostic>) -> Vec<Judged> {
    let judged = |found: diagnostic::Diagnostic| {
        let undefined_name = spikelet::judge::undefined(&found).is_some();
        let excerpt = found.span.as_ref().filter(|span| !span.in_json).map(|span| span.excerpt.clone());
        Judged { diagnostic: to_protocol(found), excerpt, undefined_name }
    };
    found.into_iter().map(judged).collect()
}

/// An error as a message.
pub(crate) fn to_protocol(found: diagnostic::Diagnostic) -> Diagnostic {
    let diagnostic::Diagnostic { code, is_error, path, span, message, help } = found;
    // The position in the JSON is given if the error is in the JSON text.
    let span = span.filter(|span| !span.in_json || path.is_empty());
    let number = |of: fn(&Span) -> Option<usize>| span.as_ref().and_then(of).map(|number| number as u32);
    let (line, column, width) = (number(|span| Some(span.line)), number(|span| span.column), number(|span| span.width));
    Diagnostic { code: code.to_owned(), is_error, message, help, path, line, column, width }
}
