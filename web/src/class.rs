//! A class without accounts: a teacher's link gives each visitor one point of a task, and the results come back as short links.
//!
//! Plain data. All of it is in the part of an address after `#`, which browsers send to no server.

use std::hash::Hasher;

use fnv::FnvHasher;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::{
    lessons::measure::Measure,
    session::plain_quantity,
    share::{Shared, VERSION, code},
};

/// What addresses begin with: the task for a visitor, and the result of one.
pub(crate) const TASK: &str = "#class=";
pub(crate) const RESULT: &str = "#result=";

/// The most points of a task.
pub(crate) const MAX_POINTS: u32 = 200;

/// The longest run of a visitor, in ms.
pub(crate) const LONGEST_MS: f64 = 100_000.0;

/// What each visitor runs and measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    /// The network at t = 0.
    shared: Shared,
    /// What differs from visitor to visitor.
    pub(crate) vary: Vary,
    /// The number of points.
    pub(crate) points: u32,
    /// What is measured.
    pub(crate) measure: Measure,
    /// From t = 0, in ms.
    pub(crate) span_ms: [f64; 2],
}

/// What differs from visitor to visitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(crate) enum Vary {
    /// The seed: 1, 2, 3 …
    Seed,
    /// A parameter, in equal steps.
    Parameter {
        /// Its path.
        path: String,
        /// Its first and its last value, in the unit.
        range: [f64; 2],
        /// The unit of its slider.
        unit: String,
    },
}

/// The result of a visitor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    /// The task, by its [`Task::id`].
    pub(crate) task: String,
    /// The point, from 0.
    pub(crate) point: u32,
    /// What was measured; nothing if the spikes do not define it.
    pub(crate) value: Option<f64>,
    /// The number of spikes up to the end of the span: with the task it repeats exactly.
    pub(crate) spikes: u64,
}

impl Task {
    /// A task about a network at t = 0.
    ///
    /// # Errors
    /// A sentence: what cannot be a task.
    pub(crate) fn new(shared: Shared, vary: Vary, points: u32, measure: Measure, span_ms: [f64; 2]) -> Result<Task, String> {
        let shared = Shared { plots: None, pane: None, draft: None, ..shared.at_start() };
        Task { shared, vary, points, measure, span_ms }.checked()
    }

    fn checked(self) -> Result<Task, String> {
        if !(1..=MAX_POINTS).contains(&self.points) {
            return Err(format!("{} points; expected 1 to {MAX_POINTS}", self.points));
        }
        let [from, to] = self.span_ms;
        if !(from >= 0.0 && to > from && to <= LONGEST_MS) {
            return Err(format!("a measure from {from} to {to} ms; expected a time span from 0 on, up to {LONGEST_MS} ms"));
        }
        if let Vary::Parameter { path, range, .. } = &self.vary
            && !range.iter().all(|value| value.is_finite())
        {
            return Err(format!("{path} from {} to {}; expected two numbers", range[0], range[1]));
        }
        if self.shared.step > 0 {
            return Err("a network that has run; expected one at 0 ms".into());
        }
        Ok(Task { shared: self.shared.checked()?, ..self })
    }

    /// A short name that no other task has, by its content.
    pub(crate) fn id(&self) -> String {
        // FNV-1a: a name, and no protection.
        let mut hash = FnvHasher::default();
        hash.write(self.to_json().as_bytes());
        format!("{:010x}", hash.finish() >> 24)
    }

    /// What a point is: `IE.wi = −4.5 mV`, `seed 3`.
    pub(crate) fn words(&self, point: u32) -> String {
        match &self.vary {
            Vary::Seed => format!("seed {}", point + 1),
            Vary::Parameter { path, unit, .. } => {
                format!("{path} = {}", crate::number::quantity(self.at(point), unit))
            }
        }
    }

    /// The value of a point on the axis of the picture.
    pub(crate) fn at(&self, point: u32) -> f64 {
        match &self.vary {
            Vary::Seed => f64::from(point + 1),
            Vary::Parameter { range: [from, to], .. } => {
                from + (to - from) * f64::from(point) / f64::from(self.points.saturating_sub(1).max(1))
            }
        }
    }

    /// The network of a point.
    pub(crate) fn shared(&self, point: u32) -> Shared {
        let mut shared = self.shared.clone();
        match &self.vary {
            Vary::Seed => shared.seed = Some(u64::from(point) + 1),
            Vary::Parameter { path, unit, .. } => {
                shared.values.insert(path.clone(), plain_quantity(self.at(point), unit));
            }
        }
        shared
    }

    fn to_json(&self) -> String {
        // All fields can be represented in JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The part of an address from `#` on.
    pub(crate) fn to_link(&self) -> String {
        format!("{TASK}{}", code::write(VERSION, &self.to_json()))
    }

    /// Reads what follows [`TASK`].
    ///
    /// # Errors
    /// A sentence: the link is damaged, of a newer version, or no task.
    pub(crate) fn from_link(link: &str) -> Result<Task, String> {
        let json = code::read(VERSION, link)?;
        let task: Result<Task, String> = serde_json::from_str(&json).map_err(|error| error.to_string());
        task.and_then(Task::checked).map_err(|why| format!("This is no link of a class: {why}. Ask for it again."))
    }
}

impl Answer {
    /// The part of an address from `#` on.
    pub(crate) fn to_link(&self) -> String {
        let json = serde_json::to_string(self).unwrap_or_default();
        format!("{RESULT}{}", code::write(VERSION, &json))
    }

    /// Reads what follows [`RESULT`].
    ///
    /// # Errors
    /// A sentence: the link is damaged, of a newer version, or no result.
    pub(crate) fn from_link(link: &str) -> Result<Answer, String> {
        let json = code::read(VERSION, link)?;
        serde_json::from_str(&json).map_err(|error| format!("This is no result of a class: {error}."))
    }

    /// Whether it can be a result of a task.
    ///
    /// # Errors
    /// A sentence: why not.
    fn check(&self, task: &Task) -> Result<(), String> {
        if self.task != task.id() {
            return Err("It is the result of another class.".into());
        }
        if self.point >= task.points {
            return Err(format!("It is of point {}, and the class has {}.", self.point + 1, task.points));
        }
        if self.value.is_some_and(|value| !value.is_finite()) {
            return Err("Its value is no number.".into());
        }
        Ok(())
    }
}

/// The results of a class, by point: that of each visitor once, however often it comes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Collection {
    answers: IndexMap<u32, Vec<Answer>>,
}

/// What became of a text with links of results.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Collected {
    /// How many are new.
    pub(crate) new: usize,
    /// How many were there before.
    pub(crate) known: usize,
    /// What is wrong: the line, and why.
    pub(crate) wrong: Vec<(usize, String)>,
}

impl Collection {
    /// Adds the results of a text: links, one in a line or several in one, with anything around them.
    pub(crate) fn add(&mut self, task: &Task, text: &str) -> Collected {
        let mut collected = Collected::default();
        for (line, words) in text.lines().enumerate() {
            let mut found = false;
            for word in words.split(|letter: char| letter.is_whitespace() || matches!(letter, '<' | '>' | '"' | '(' | ')' | ','))
            {
                let Some((_, link)) = word.split_once(RESULT) else { continue };
                found = true;
                let answer = Answer::from_link(link).and_then(|answer| answer.check(task).map(|()| answer));
                match answer.map(|answer| self.take(answer)) {
                    Ok(true) => collected.new += 1,
                    Ok(false) => collected.known += 1,
                    Err(why) => collected.wrong.push((line + 1, why)),
                }
            }
            if !found && !words.trim().is_empty() {
                collected.wrong.push((line + 1, "There is no link of a result.".into()));
            }
        }
        collected
    }

    /// Returns whether it is new. The same point has the same result in every browser, so a second one of it adds nothing.
    fn take(&mut self, answer: Answer) -> bool {
        let of_point = self.answers.entry(answer.point).or_default();
        let is_new = !of_point.contains(&answer);
        if is_new {
            of_point.push(answer);
        }
        is_new
    }

    /// All results with a value, as points and values.
    pub(crate) fn values(&self) -> Vec<(u32, f64)> {
        self.all().filter_map(|answer| Some((answer.point, answer.value?))).collect()
    }

    /// Points with results that differ, of which only one can be that of its network.
    pub(crate) fn contested(&self) -> Vec<u32> {
        let mut points: Vec<u32> = self.answers.iter().filter(|(_, of)| of.len() > 1).map(|(point, _)| *point).collect();
        points.sort_unstable();
        points
    }

    fn all(&self) -> impl Iterator<Item = &Answer> {
        self.answers.values().flatten()
    }

    /// How many points have a result.
    pub(crate) fn len(&self) -> usize {
        self.answers.len()
    }

    /// A link in each line, to store or save.
    pub(crate) fn to_text(&self) -> String {
        self.all().map(|answer| format!("{}\n", answer.to_link())).collect()
    }
}

#[cfg(test)]
mod tests;
