//! A training and where it is, as bytes.

use std::hash::Hasher;

use fnv::FnvHasher;
use serde::{Deserialize, Serialize};
use spikelet_network::Error;

use super::TrainerState;
use crate::Training;

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"spktrain";
/// The version of the format.
const VERSION: u32 = 1;
/// Bytes before the content: the magic, the version, and the length of the content.
const HEAD: usize = 20;

/// A training and where it is.
///
/// As bytes: `spktrain`, the version of the format (u32), the length of the content (u64), the content in JSON, and its FNV-1a hash (u64);
/// all numbers are little-endian. So a file that is not complete is recognised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The training.
    pub training: Training,
    /// The [hash](crate::Dataset::hash) of its data; `None` in checkpoints of before there was one.
    #[serde(default)]
    pub data: Option<u64>,
    /// Where it is.
    pub state: TrainerState,
}

impl Checkpoint {
    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        // All types can be represented in JSON, and numbers are read back exactly.
        let content = serde_json::to_vec(self).unwrap_or_default();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(&content);
        bytes.extend(checksum(&content).to_le_bytes());
        bytes
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// Something else than a checkpoint, one of another version, or one that is not complete.
    pub fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, Error> {
        let wrong = |found: String, expected: &str| Error::invalid("the checkpoint", found, expected, "use another file");
        let Some((head, rest)) = bytes.split_at_checked(HEAD).filter(|(head, _)| head.starts_with(MAGIC)) else {
            let expected = "a file that begins with `spktrain` and that `spikelet train --out` has written";
            return Err(wrong("another file".to_owned(), expected));
        };
        let version = head[8..12].iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        if version != VERSION {
            return Err(wrong(format!("of version {version}"), "this program reads version 1"));
        }
        let length = head[12..].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let content = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        match content {
            Some((content, end)) if end == checksum(content).to_le_bytes() => {
                let text = str::from_utf8(content).map_err(|error| wrong(error.to_string(), "text in UTF-8 is expected"))?;
                spikelet_network::parse_json(text, "")
            }
            _ => Err(wrong(format!("damaged: it has {} bytes", bytes.len()), "its length and hash are in it")),
        }
    }

    /// Rejects another training, and one that ends before this state. The method's way to compute, numbers of epochs and the memory of the
    /// tape may differ: results do not depend on them.
    ///
    /// # Errors
    /// The first key that differs, or `epochs`.
    pub fn check(&self, training: &Training) -> Result<(), Error> {
        let [there, here] = [&self.training, training].map(|of| serde_json::to_value(of).unwrap_or_default());
        let (Some(there), Some(here)) = (there.as_object(), here.as_object()) else { return Ok(()) };
        let keys = here.keys().chain(there.keys()).filter(|key| !["name", "epochs", "tape"].contains(&key.as_str()));
        let mut different = keys.filter(|key| there.get(*key) != here.get(*key));
        let tape = |of: &Training| (of.tape.window, of.tape.detached_reset);
        let first = different.next().map(String::as_str).or((tape(&self.training) != tape(training)).then_some("tape"));
        let Some(key) = first else { return self.check_epochs(training) };
        let expected = format!("this training has another `{key}`");
        Err(Error::invalid(
            "the checkpoint",
            "of another training",
            expected,
            "use its own training, or one without a checkpoint",
        ))
    }

    fn check_epochs(&self, training: &Training) -> Result<(), Error> {
        let (done, wanted) = (self.state.epoch, training.epochs);
        if done <= wanted {
            return Ok(());
        }
        let expected = format!("the checkpoint is after epoch {done}, and epochs are counted from the beginning");
        Err(Error::invalid("epochs", wanted, expected, format!("use {done} or more, or begin without a checkpoint")))
    }
}

/// FNV-1a with 64 bits: <http://www.isthe.com/chongo/tech/comp/fnv/>.
fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = FnvHasher::default();
    hash.write(bytes);
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        let training = crate::PRESETS[0].training(None).expect("it is tested");
        // Numbers that differ only in their last bit, and one that is very small.
        let values = vec![0.1, f32::from_bits(0.1_f32.to_bits() + 1), -0.0, 1e-45, f32::MAX];
        let state = TrainerState { epoch: 3, batch: 7, values, ..TrainerState::default() };
        Checkpoint { training, data: Some(7), state }
    }

    #[test]
    fn bytes_are_read_back_to_the_bit() {
        let checkpoint = checkpoint();
        let read = Checkpoint::from_bytes(&checkpoint.to_bytes()).expect("it is one");
        assert_eq!(read, checkpoint);
        let bits = |of: &Checkpoint| of.state.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read), bits(&checkpoint));
    }

    #[test]
    fn what_is_not_complete_is_recognised() {
        let bytes = checkpoint().to_bytes();
        let refused = |bytes: &[u8]| Checkpoint::from_bytes(bytes).expect_err("it is none").to_string();
        for length in [0, 7, 19, 20, 21, bytes.len() / 2, bytes.len() - 1] {
            assert!(refused(&bytes[..length]).starts_with("the checkpoint is "), "{length}");
        }
        let mut other = bytes.clone();
        other[bytes.len() / 2] ^= 1;
        assert!(refused(&other).contains("damaged"), "{}", refused(&other));
        other = bytes.clone();
        other[8] = 2;
        assert!(refused(&other).contains("of version 2"), "{}", refused(&other));
        assert!(refused(b"{\"name\": \"a training\"}").contains("another file"));
    }

    #[test]
    fn another_training_is_named() {
        let checkpoint = checkpoint();
        let mut training = checkpoint.training.clone();
        training.epochs += 1;
        training.tape.segment = Some(10);
        assert_eq!(checkpoint.check(&training), Ok(()));
        training.batch += 1;
        let error = checkpoint.check(&training).expect_err("it differs").to_string();
        assert!(error.contains("another `batch`"), "{error}");
        training = checkpoint.training.clone();
        training.tape.detached_reset = true;
        let error = checkpoint.check(&training).expect_err("it differs").to_string();
        assert!(error.contains("another `tape`"), "{error}");
        // It is after epoch 3.
        training = checkpoint.training.clone();
        training.epochs = 2;
        let error = checkpoint.check(&training).expect_err("it has ended before").to_string();
        assert!(error.starts_with("epochs is 2, but the checkpoint is after epoch 3"), "{error}");
        training.epochs = 3;
        assert_eq!(checkpoint.check(&training), Ok(()));
    }
}
