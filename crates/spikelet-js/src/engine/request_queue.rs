//! The queue of requests.

use std::collections::{HashMap, VecDeque};

use crate::protocol::{Command, Request};

/// Requests in the order of their arrival, except repeated settings of a value without another request between them: only the last one is
/// applied, at the place of the first.
#[derive(Default)]
pub(super) struct RequestQueue {
    /// One request per place, or several that set the same path; none if they have moved.
    places: VecDeque<Vec<Request>>,
    /// Number of places that were removed.
    left: usize,
    /// Places of paths whose setting can be merged with later ones, including the removed places.
    sets: HashMap<String, usize>,
}

impl RequestQueue {
    /// Adds a request.
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

    /// The next request, or several that set the same path.
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
        // The last place is never empty.
        self.places.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use wasm_bindgen::JsValue;
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::*;

    wasm_bindgen_test_configure!(run_in_dedicated_worker);

    /// Output for a given input, as numbers of requests: `a` and `b` set a path of this name, the others do something else.
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
        let mut emitted = Vec::new();
        while let Some(requests) = inbox.pop() {
            emitted.push(
                requests.iter().filter_map(|request| request.id).map(|number| number.to_string()).collect::<Vec<_>>().join("+"),
            );
        }
        assert!(inbox.is_empty());
        emitted.join(" ")
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
