//! The protocol as TypeScript.

use std::any::TypeId;
use std::collections::BTreeMap;

use ts_rs::{Config, TS, TypeVisitor};

use super::{Message, Request};

/// The expected content of `ts/raw.ts`: every type of the messages, with its documentation.
pub fn declarations() -> String {
    let config = Config::default();
    let mut all = Declarations { config: &config, seen: Vec::new(), found: BTreeMap::new() };
    all.visit::<Request>();
    all.visit::<Message>();
    let head = "// The messages of the engine, made of crates/spikelet-js/src/protocol.rs:\n\
                // UPDATE_EXPECT=1 cargo test -p spikelet-tests --test all package_types\n";
    head.to_owned() + &all.found.into_values().collect::<String>()
}

/// The types found so far, by name: the order in which a type lists its parts may change.
struct Declarations<'a> {
    config: &'a Config,
    seen: Vec<TypeId>,
    found: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        let id = TypeId::of::<T>();
        if self.seen.contains(&id) {
            return;
        }
        self.seen.push(id);
        // Numbers and lists have no declaration.
        if T::output_path().is_some() {
            let docs = T::docs().unwrap_or_default();
            self.found.insert(T::name(self.config), format!("\n{docs}export {}\n", T::decl(self.config)));
        }
        T::visit_dependencies(self);
    }
}
