//! Asks that have arrived and wait for their turn.

use std::collections::{HashMap, VecDeque};

use crate::protocol::{Command, Request};

/// Asks in the order in which they came, but for values that are set again before anything else is asked for: of those the last one
/// counts, and all of them wait at its place.
#[derive(Default)]
pub(super) struct RequestQueue {
    /// In each place one request, or several that set the same path; none where these have moved on.
    places: VecDeque<Vec<Request>>,
    /// How many places have been left.
    left: usize,
    /// Where the paths are set that may be set once more, counted with those that have been left.
    sets: HashMap<String, usize>,
}

impl RequestQueue {
    /// Takes a request in.
    pub(super) fn push(&mut self, request: Request) {
        let end = self.left + self.places.len();
        let before = match &request.command {
            Command::Set { path, .. } => self.sets.insert(path.clone(), end),
            _ => {
                self.sets.clear();
                None
            }
        };
        let before = before.and_then(|place| self.places.get_mut(place.checked_sub(self.left)?));
        let mut requests = before.map(std::mem::take).unwrap_or_default();
        requests.push(request);
        self.places.push_back(requests);
    }

    /// What is to be done next: one request, or several that set the same path one after the other.
    pub(super) fn pop(&mut self) -> Option<Vec<Request>> {
        while let Some(requests) = self.places.pop_front() {
            self.left += 1;
            if !requests.is_empty() {
                return Some(requests);
            }
        }
        None
    }

    pub(super) fn is_empty(&self) -> bool {
        // The latest place is never left empty.
        self.places.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen::JsValue;
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::*;

    wasm_bindgen_test_configure!(run_in_dedicated_worker);

    /// What comes out of what goes in, as the numbers of the requests: `a` and `b` set a path of that name, others ask for something else.
    fn order(words: &str) -> String {
        let mut inbox = RequestQueue::default();
        for (number, word) in words.split(' ').enumerate() {
            let command = match word {
                "pop" => {
                    inbox.pop();
                    continue;
                }
                "a" | "b" => Command::Set { path: word.into(), text: None, values: JsValue::UNDEFINED },
                _ => Command::Pause,
            };
            inbox.push(Request { id: Some(number as u32), command });
        }
        let mut told = Vec::new();
        while let Some(requests) = inbox.pop() {
            told.push(
                requests.iter().filter_map(|request| request.id).map(|number| number.to_string()).collect::<Vec<_>>().join("+"),
            );
        }
        assert!(inbox.is_empty());
        told.join(" ")
    }

    #[wasm_bindgen_test(unsupported = test)]
    fn the_last_of_several_values_counts_at_its_own_place() {
        for (words, expected) in [
            ("a b pause", "0 1 2"),
            ("a a a", "0+1+2"),
            ("a b a b b a", "1+3+4 0+2+5"),
            ("a pause a", "0 1 2"),
            ("a pause a a pause a", "0 1 2+3 4 5"),
            ("a pop a a", "2+3"),
            ("a a b pop a a", "2 4+5"),
        ] {
            assert_eq!(order(words), expected, "{words}");
        }
    }
}
