//! Carries out operations.

use spikelet_assemblies::operations::{self, Association, Completed, Merged, Reciprocal, Separated};
use spikelet_assemblies::{Brain, Source, StimulusId};

use crate::protocol::{Formed, Operation, Parent, Report, SessionError};

/// Carries out an operation.
pub(super) fn operate(brain: &mut Brain, operation: Operation) -> Result<Report, SessionError> {
    match operation {
        Operation::Form { source, area, rounds } => {
            let (source, area) = (brain.source(&source)?, brain.area(&area)?);
            let result = operations::project(brain, source, area, rounds)?;
            Ok(Report::Formed(formed(brain, result)))
        }
        Operation::ReciprocalProject { from, to, rounds } => {
            let (from, to) = (brain.area(&from)?, brain.area(&to)?);
            let Reciprocal { formed: result, returned, settled } = operations::reciprocal_project(brain, from, to, rounds)?;
            Ok(Report::Reciprocal { formed: formed(brain, result), returned, settled })
        }
        Operation::Associate { parents, area, rounds } => {
            let (parents, area) = (both(brain, &parents)?, brain.area(&area)?);
            let Association { images, before, joint, after, crossed, kept } =
                operations::associate(brain, parents, area, rounds)?;
            let images = images.into_iter().map(|image| formed(brain, image)).collect();
            Ok(Report::Association { images, before, joint, after, crossed, kept })
        }
        Operation::Merge { parents, area, rounds } => {
            let (parents, area) = (both(brain, &parents)?, brain.area(&area)?);
            let Merged { parents, merged } = operations::merge(brain, parents, area, rounds)?;
            Ok(Report::Merged { parents: parents.map(|parent| formed(brain, parent)), merged: formed(brain, merged) })
        }
        Operation::Recall { parent, merged, other, rounds } => {
            let (parent, merged, other) = (one(brain, &parent)?, brain.area(&merged)?, brain.area(&other)?);
            let result = operations::recall(brain, parent, merged, other, rounds)?;
            Ok(Report::Formed(formed(brain, result)))
        }
        Operation::Complete { area, fraction, rounds, draw } => {
            let area = brain.area(&area)?;
            let Completed { original, kept, formed: result, recovered } =
                operations::complete(brain, area, fraction, rounds, draw)?;
            let (original, kept) = (original.neurons, kept.neurons);
            Ok(Report::Completed { original, kept, formed: formed(brain, result), recovered })
        }
        Operation::Separate { stimuli: [first, second], area, rounds } => {
            let (stimuli, area) = ([stimulus(brain, &first)?, stimulus(brain, &second)?], brain.area(&area)?);
            let Separated { formed: both, overlap } = operations::separate(brain, stimuli, area, rounds)?;
            Ok(Report::Separated { formed: both.map(|one| formed(brain, one)), overlap })
        }
    }
}

fn one(brain: &Brain, parent: &Parent) -> Result<operations::Parent, SessionError> {
    let stimulus = parent.stimulus.as_deref().map(|name| stimulus(brain, name)).transpose()?;
    Ok(operations::Parent { stimulus, area: brain.area(&parent.area)? })
}

fn both(brain: &Brain, [a, b]: &[Parent; 2]) -> Result<[operations::Parent; 2], SessionError> {
    Ok([one(brain, a)?, one(brain, b)?])
}

fn stimulus(brain: &Brain, name: &str) -> Result<StimulusId, SessionError> {
    match brain.source(name)? {
        Source::Stimulus(stimulus) => Ok(stimulus),
        Source::Area(_) => {
            let message = format!("“{name}” is an area; expected the name of a stimulus");
            Err(SessionError::new("unknown_name", message, Some("stimulus")))
        }
    }
}

fn formed(brain: &Brain, result: operations::Formed) -> Formed {
    let operations::Formed { assembly, support, stability } = result;
    Formed { area: brain.name(assembly.area).to_owned(), neurons: assembly.neurons, support, stability }
}
