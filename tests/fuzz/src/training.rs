//! Trainings as JSON, and checkpoints: the bytes are the content of one, in JSON, whose head and checksum are made here.

use super::{accepted, checksum, is_small, text};
use spikelet_train::{Checkpoint, Training, TrainingPlan};

/// Gives the bytes to what reads them.
pub fn check(bytes: &[u8]) {
    accepted(Checkpoint::from_bytes(bytes));
    if let Some(checkpoint) = accepted(Checkpoint::from_bytes(&sealed(bytes))) {
        let again = Checkpoint::from_bytes(&checkpoint.to_bytes());
        let again = again.unwrap_or_else(|error| panic!("its own bytes are rejected: {error}"));
        assert_eq!(again.to_bytes(), checkpoint.to_bytes(), "the bytes differ after they were read");
    }
    let Some(training) = text(bytes).and_then(|text| accepted(Training::from_json(text))) else { return };
    if is_small(&training.network) {
        accepted(TrainingPlan::new(&training));
    }
}

/// A checkpoint with this content.
fn sealed(content: &[u8]) -> Vec<u8> {
    let length = (content.len() as u64).to_le_bytes();
    [b"spktrain", &1_u32.to_le_bytes()[..], &length, content, &checksum(content).to_le_bytes()].concat()
}
