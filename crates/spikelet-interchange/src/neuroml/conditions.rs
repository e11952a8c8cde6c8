//! Conditions and regimes of component types: what happens when a test is true.

use indexmap::IndexMap;
use spikelet_network::{CustomEvent, Error};

use super::document::Element;
use super::expression::{in_step, own_name, renamed, translate};
use super::texts::Cell;

/// An `<OnCondition>`, of all regimes or of one.
#[derive(Debug)]
pub(super) struct Condition {
    /// Its test, as it is written.
    test: String,
    /// Variables and what is assigned to them.
    assignments: Vec<[String; 2]>,
    /// Whether it sends an event.
    sends: bool,
    /// The regime in which it is tested.
    regime: Option<usize>,
}

/// The regimes of a type, and the conditions of all of them.
#[derive(Debug, Default)]
pub(super) struct Conditions<'a> {
    regimes: Vec<&'a Element>,
    pub(super) all: Vec<Condition>,
}

/// The name of the variable that says which regime a neuron is in.
const REGIME: &str = "regime";

impl<'a> Conditions<'a> {
    /// Reads conditions and regimes of a type.
    pub(super) fn read(conditions: &[&'a Element], regimes: Vec<&'a Element>) -> Result<Conditions<'a>, Error> {
        let mut found = Conditions { regimes, all: Vec::new() };
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
        let mut assignments = assignments(of)?;
        for transition in of.all("Transition") {
            let to = self.index(transition)?;
            assignments.push([REGIME.into(), to.to_string()]);
            for entry in self.regimes[to].all("OnEntry") {
                assignments.extend(super::conditions::assignments(entry)?);
            }
        }
        let (test, sends) = (of.need("test")?.to_owned(), of.all("EventOut").next().is_some());
        self.all.push(Condition { test, assignments, sends, regime });
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
        let mut start = vec![[REGIME.to_owned(), initial.to_string()]];
        for of in self.regimes[initial].all("OnEntry").flat_map(|entry| entry.children.iter()) {
            let at_start = |name: &str| if name == "t" { Some("(0*second)".to_owned()) } else { renamed(name) };
            start.push([own_name(of.need("variable")?), translate(of.need("value")?, &at_start)]);
        }
        Ok(start)
    }

    /// The derivative of a variable: that of all regimes, and of each one.
    pub(super) fn derivative(&self, name: &str, everywhere: Option<&Element>) -> Result<Option<String>, Error> {
        let mut terms = Vec::new();
        if let Some(of) = everywhere {
            terms.push(translate(of.need("value")?, &in_step));
        }
        for (index, regime) in self.regimes.iter().enumerate() {
            for of in regime.all("TimeDerivative").filter(|of| of.get("variable") == Some(name)) {
                terms.push(format!("int({REGIME} == {index})*({})", translate(of.need("value")?, &in_step)));
            }
        }
        Ok((!terms.is_empty()).then(|| terms.join(" + ")))
    }

    /// Adds threshold, reset and events to a cell.
    pub(super) fn add_to(&self, cell: &mut Cell) {
        let spikes: Vec<&Condition> = self.all.iter().filter(|of| of.sends).collect();
        let tests: Vec<String> = spikes.iter().map(|of| of.test_at("(t + dt)")).collect();
        // A reset belongs to a single test: with several, events beside the spike have the statements of each.
        let single = spikes.len() == 1;
        cell.threshold = match &tests[..] {
            [] => None,
            [only] => Some(only.clone()),
            several => Some(format!("({})", several.join(") or ("))),
        };
        if let (true, Some(spike)) = (single, spikes.first()) {
            cell.reset = Some(spike.statements()).filter(|text| !text.is_empty());
        }
        let events = self.all.iter().filter(|of| !(of.assignments.is_empty() || of.sends && single)).enumerate();
        let event = |of: &Condition| CustomEvent {
            condition: of.test_at("(t + dt)"),
            statements: Some(of.statements()),
            ..CustomEvent::default()
        };
        cell.events = events.map(|(number, of)| (format!("condition_{number}"), event(of))).collect::<IndexMap<_, _>>();
    }

    /// Statements that do the same in every step, of synapses.
    pub(super) fn regularly(&self, of: &Element) -> Result<Option<String>, Error> {
        if let Some(regime) = self.regimes.first() {
            let expected = "regimes are supported in cells, and not in synapses";
            return Err(regime.wrong("", "<Regime>", expected, "write the synapse without them"));
        }
        if self.all.iter().any(|condition| condition.sends) {
            let expected = "a synapse that sends events is not supported";
            return Err(of.wrong("", "<EventOut>", expected, "write the synapse without it"));
        }
        let one = |condition: &Condition| {
            let test = condition.test_at("t");
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
    /// Its test in the regime that it belongs to, at a time.
    fn test_at(&self, time: &str) -> String {
        let rename = |name: &str| if name == "t" { Some(time.to_owned()) } else { renamed(name) };
        let test = translate(&self.test, &rename);
        match self.regime {
            Some(regime) => format!("{REGIME} == {regime} and ({test})"),
            None => test,
        }
    }

    fn statements(&self) -> String {
        self.assignments.iter().map(|[name, value]| format!("{name} = {value}")).collect::<Vec<_>>().join("; ")
    }
}

/// The assignments of an element.
pub(super) fn assignments(of: &Element) -> Result<Vec<[String; 2]>, Error> {
    let one = |of: &Element| Ok([own_name(of.need("variable")?), translate(of.need("value")?, &in_step)]);
    of.all("StateAssignment").map(one).collect()
}
