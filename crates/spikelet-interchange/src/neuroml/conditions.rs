//! Conditions and regimes of component types: what happens when a test is true.

use indexmap::IndexMap;
use spikelet_network::{CustomEvent, Error};

use super::document::Element;
use super::scope::Scope;
use super::texts::Cell;

/// An `<OnCondition>`, of all regimes or of one.
#[derive(Debug)]
struct Condition {
    /// Its test at the end of a step, and at its start.
    tests: [String; 2],
    /// Variables and what is assigned to them.
    assignments: Vec<[String; 2]>,
    /// Whether it sends an event.
    sends: bool,
}

/// The regimes of a type, and the conditions of all of them.
#[derive(Debug, Default)]
pub(super) struct Conditions<'a> {
    scope: Scope,
    regimes: Vec<&'a Element>,
    all: Vec<Condition>,
}

/// The name of the variable that says which regime a neuron is in.
const REGIME: &str = "regime";

impl<'a> Conditions<'a> {
    /// Reads conditions and regimes of a type.
    pub(super) fn read(scope: &Scope, conditions: &[&'a Element], regimes: Vec<&'a Element>) -> Result<Conditions<'a>, Error> {
        let mut found = Conditions { scope: scope.clone(), regimes, all: Vec::new() };
        for of in conditions {
            found.condition(of, None)?;
        }
        for (index, regime) in found.regimes.clone().into_iter().enumerate() {
            for item in &regime.children {
                match item.name.as_str() {
                    "OnCondition" => found.condition(item, Some(index))?,
                    "TimeDerivative" | "OnEntry" => {}
                    other => {
                        let expected = "TimeDerivative, OnEntry and OnCondition are supported in a regime";
                        return Err(item.wrong("", format_args!("<{other}>"), expected, "write the regime without it"));
                    }
                }
            }
        }
        Ok(found)
    }

    fn condition(&mut self, of: &Element, regime: Option<usize>) -> Result<(), Error> {
        let mut assigned = assignments(&self.scope, of)?;
        for transition in of.all("Transition") {
            let to = self.index(transition)?;
            assigned.push([self.scope.plain(REGIME), to.to_string()]);
            for entry in self.regimes[to].all("OnEntry") {
                assigned.extend(assignments(&self.scope, entry)?);
            }
        }
        let test = of.need("test")?;
        let at = |time: &str| {
            let test = self.scope.text_at(test, time);
            match regime {
                Some(regime) => format!("{} == {regime} and ({test})", self.scope.plain(REGIME)),
                None => test,
            }
        };
        let tests = [at("(t + dt)"), at("t")];
        self.all.push(Condition { tests, assignments: assigned, sends: of.all("EventOut").next().is_some() });
        Ok(())
    }

    /// The regime to which a transition leads.
    fn index(&self, of: &Element) -> Result<usize, Error> {
        let name = of.need("regime")?;
        let known = || self.regimes.iter().filter_map(|regime| regime.get("name")).collect::<Vec<_>>().join(", ");
        let found = self.regimes.iter().position(|regime| regime.get("name") == Some(name));
        found.ok_or_else(|| {
            let expected = format!("a regime of the type is expected; there are {}", known());
            of.wrong("regime", format_args!("`{name}`"), expected, "name one of them, or add it")
        })
    }

    /// What the initial regime assigns when it is entered at the start, and the number of the regime; empty if there are none.
    pub(super) fn start(&self) -> Result<Vec<[String; 2]>, Error> {
        let Some(first) = self.regimes.first() else { return Ok(Vec::new()) };
        let initial = self.regimes.iter().position(|regime| regime.get("initial") == Some("true"));
        let wrong = || first.wrong("", "the regimes", "none of them is the initial one", "add initial=\"true\" to one of them");
        let initial = initial.ok_or_else(wrong)?;
        let mut start = vec![[self.scope.plain(REGIME), initial.to_string()]];
        for of in self.regimes[initial].all("OnEntry").flat_map(|entry| entry.children.iter()) {
            start.push([self.scope.name(of.need("variable")?), self.scope.text_at_start(of, of.need("value")?)?]);
        }
        Ok(start)
    }

    /// The derivative of a variable: that of all regimes, and of each one.
    pub(super) fn derivative(&self, name: &str, everywhere: Option<&Element>) -> Result<Option<String>, Error> {
        let mut terms = Vec::new();
        if let Some(of) = everywhere {
            terms.push(self.scope.text(of.need("value")?));
        }
        for (index, regime) in self.regimes.iter().enumerate() {
            for of in regime.all("TimeDerivative").filter(|of| of.get("variable") == Some(name)) {
                terms.push(format!("int({} == {index})*({})", self.scope.plain(REGIME), self.scope.text(of.need("value")?)));
            }
        }
        Ok((!terms.is_empty()).then(|| terms.join(" + ")))
    }

    /// Adds threshold, reset and events to a cell.
    pub(super) fn add_to(&self, cell: &mut Cell) {
        let spikes: Vec<&Condition> = self.all.iter().filter(|of| of.sends).collect();
        let tests: Vec<&str> = spikes.iter().map(|of| of.tests[0].as_str()).collect();
        // A reset belongs to a single test: with several, events beside the spike have the statements of each.
        let single = spikes.len() == 1;
        cell.threshold = match &tests[..] {
            [] => None,
            [only] => Some((*only).to_owned()),
            several => Some(format!("({})", several.join(") or ("))),
        };
        if let (true, Some(spike)) = (single, spikes.first()) {
            cell.reset = Some(spike.statements()).filter(|text| !text.is_empty());
        }
        cell.events = self.events(|of| !(of.sends && single));
    }

    /// What happens beside the spike, of a part of a cell that sends no events.
    ///
    /// # Errors
    /// It sends one.
    pub(super) fn events_without_spikes(&self, of: &Element) -> Result<IndexMap<String, CustomEvent>, Error> {
        self.check_silent(of)?;
        Ok(self.events(|_| true))
    }

    fn events(&self, is_wanted: impl Fn(&Condition) -> bool) -> IndexMap<String, CustomEvent> {
        let event = |of: &Condition| CustomEvent {
            condition: of.tests[0].clone(),
            statements: Some(of.statements()),
            ..CustomEvent::default()
        };
        let wanted = self.all.iter().filter(|of| !of.assignments.is_empty() && is_wanted(of)).enumerate();
        wanted.map(|(number, of)| (self.scope.plain(&format!("condition_{number}")), event(of))).collect()
    }

    fn check_silent(&self, of: &Element) -> Result<(), Error> {
        if self.all.iter().any(|condition| condition.sends) {
            let expected = "events of a cell are supported, and none of what belongs to it";
            return Err(of.wrong("", "<EventOut>", expected, "write the type without it"));
        }
        Ok(())
    }

    /// Statements that do the same in every step, of synapses.
    pub(super) fn regularly(&self, of: &Element) -> Result<Option<String>, Error> {
        if let Some(regime) = self.regimes.first() {
            let expected = "regimes are supported in cells, and not in synapses";
            return Err(regime.wrong("", "<Regime>", expected, "write the synapse without them"));
        }
        self.check_silent(of)?;
        let one = |condition: &Condition| {
            let test = &condition.tests[1];
            let holds: Vec<String> = condition
                .assignments
                .iter()
                .map(|[name, value]| format!("{name} = int({test})*({value}) + int(not ({test}))*{name}"))
                .collect();
            holds.join("; ")
        };
        let all: Vec<String> = self.all.iter().map(one).filter(|text| !text.is_empty()).collect();
        Ok((!all.is_empty()).then(|| all.join("; ")))
    }
}

impl Condition {
    fn statements(&self) -> String {
        self.assignments.iter().map(|[name, value]| format!("{name} = {value}")).collect::<Vec<_>>().join("; ")
    }
}

/// The assignments of an element.
pub(super) fn assignments(scope: &Scope, of: &Element) -> Result<Vec<[String; 2]>, Error> {
    let one = |of: &Element| Ok([scope.name(of.need("variable")?), scope.text(of.need("value")?)]);
    of.all("StateAssignment").map(one).collect()
}
