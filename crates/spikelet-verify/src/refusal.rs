//! Networks that must be rejected.

use spikelet::lang::Diagnostic;
use spikelet::{Error, Network, Plan};

use crate::format::ExpectedError;
use crate::verdict::Findings;

/// Plans a network that must be rejected, and checks the error.
pub(crate) fn judge(expected: &ExpectedError, network: &Network, findings: &mut Findings) {
    match Plan::new(network) {
        Ok(_) => findings.reasons.push(format!("it was accepted, expected an error of the kind {}", expected.kind)),
        Err(error) => judge_error(expected, &error, findings),
    }
}

fn judge_error(expected: &ExpectedError, error: &Error, findings: &mut Findings) {
    let message = error.to_string();
    let said = || message.replace('\n', " ");
    let kind = error.kind().unwrap_or("no kind");
    if kind != expected.kind {
        findings.reasons.push(format!("it was rejected with {kind}, expected {}: {}", expected.kind, said()));
        return;
    }
    for name in &expected.must_mention {
        if !mentions(&message, name) {
            findings.reasons.push(format!("the error does not mention {name}: {}", said()));
        }
    }
    let (found, columns) = (place(error), columns(expected));
    if let Some(line) = expected.line
        && found.map(|(line, _)| line) != Some(line)
    {
        let found = found.map_or("none".to_owned(), |(line, _)| line.to_string());
        findings.reasons.push(format!("the error has line {found}, expected {line}: {}", said()));
    }
    if !columns.is_empty() && !found.is_some_and(|(_, found)| columns.iter().any(|column| column.abs_diff(found) <= 1)) {
        let found = found.map_or("none".to_owned(), |(_, column)| column.to_string());
        findings.reasons.push(format!("the error has column {found}, expected one of {columns:?} within one: {}", said()));
    }
}

/// Line and column that an error names.
fn place(error: &Error) -> Option<(usize, usize)> {
    match error {
        Error::Model { diagnostics, .. } => diagnostics.first().map(|Diagnostic { line, column, .. }| (*line, *column)),
        Error::Json { line, column, .. } => Some((*line, *column)),
        _ => None,
    }
}

/// The columns that are right: the given one, and those the note has in brackets.
fn columns(expected: &ExpectedError) -> Vec<usize> {
    let Some(column) = expected.column else { return Vec::new() };
    let in_brackets = expected.note.split('(').skip(1).filter_map(|rest| rest.split(')').next()?.trim().parse::<usize>().ok());
    let mut columns = vec![column];
    columns.extend(in_brackets.filter(|other| *other != column));
    columns
}

/// Whether a message has a name as a whole word, or any other text as it stands.
fn mentions(message: &str, name: &str) -> bool {
    let part_of_word = |c: char| c.is_alphanumeric() || c == '_';
    if !name.chars().all(part_of_word) {
        return message.contains(name);
    }
    message.match_indices(name).any(|(at, _)| {
        let before = message[..at].chars().next_back();
        let after = message[at + name.len()..].chars().next();
        !before.is_some_and(part_of_word) && !after.is_some_and(part_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_mentioned_as_a_whole_word() {
        assert!(mentions("`a` needs b", "a") && mentions("`a` needs b", "b") && !mentions("a gain of 3", "gai"));
        assert!(mentions("tau is -10 ms", "tau") && !mentions("taum is -10 ms", "tau"));
        assert!(mentions("in v > -50 a volt", "v > -50") && mentions("the ( is never closed", "("));
    }

    #[test]
    fn a_note_may_name_other_columns() {
        let note = "at the open bracket (9) or at the colon (19), 1-based (see below)".to_owned();
        let expected = |column| ExpectedError {
            kind: "syntax_error".into(),
            must_mention: Vec::new(),
            line: None,
            column,
            note: note.clone(),
        };
        assert_eq!(columns(&expected(Some(19))), [19, 9]);
        assert!(columns(&expected(None)).is_empty());
    }
}
