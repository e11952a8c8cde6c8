//! Messages that are being sent.
#![allow(unsafe_code)] // The safe interface sends only what a scope borrows, and an exchange ends later than the call that begins it.

use std::mem;

use mpi::ffi;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{AsRaw, Equivalence};

/// A message on its way to a rank. MPI reads the words until they are sent.
pub(crate) struct Sending {
    words: Vec<u32>,
    requests: Vec<ffi::MPI_Request>,
}

impl Sending {
    /// Begins to send, in pieces of at most this number of words; one that is not full is the last.
    pub(crate) fn begin(ranks: &SimpleCommunicator, to: usize, tag: i32, words: Vec<u32>, piece: usize) -> Sending {
        let mut requests = Vec::with_capacity(words.len() / piece + 1);
        for first in (0..=words.len()).step_by(piece) {
            let part = &words[first..words.len().min(first + piece)];
            let mut request = mem::MaybeUninit::uninit();
            // SAFETY: the words stay where they are until the request is completed: `finish` waits for it, and `drop` never frees them.
            // MPI writes the request, and ends the process at an error.
            requests.push(unsafe {
                let (start, count, of) = (part.as_ptr().cast(), part.len() as i32, u32::equivalent_datatype().as_raw());
                ffi::MPI_Isend(start, count, of, to as i32, tag, ranks.as_raw(), request.as_mut_ptr());
                request.assume_init()
            });
        }
        Sending { words, requests }
    }

    /// Whether it is sent.
    pub(crate) fn is_finished(&mut self) -> bool {
        while let Some(request) = self.requests.last_mut() {
            let mut is_done = 0;
            // SAFETY: each request was begun above, and is not used after it is completed.
            unsafe { ffi::MPI_Test(request, &mut is_done, ffi::RSMPI_STATUS_IGNORE) };
            if is_done == 0 {
                return false;
            }
            self.requests.pop();
        }
        true
    }
}

/// A message whose end was not waited for is still read by MPI: its words are never freed.
impl Drop for Sending {
    fn drop(&mut self) {
        if !self.requests.is_empty() {
            mem::forget(mem::take(&mut self.words));
        }
    }
}
