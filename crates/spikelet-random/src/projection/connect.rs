//! The ends of a projection, and which pairs of neurons it connects.

use serde_json::{Map, Value, json};

use super::{Connect, ProjectionSpec, Steps};
use crate::expression::NUMBERS;
use crate::population::PopulationNames;
use crate::setting::Setting;

/// Neurons that fire: a population, an event of it, or a source.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub(crate) name: String,
    pub(crate) size: u32,
    /// The population whose variables synapses may read.
    pub(crate) population: Option<usize>,
    /// Whether it is an event, which arrives a step later at the earliest.
    pub(crate) is_event: bool,
}

/// Both ends of a projection.
#[derive(Debug, Clone)]
pub(crate) struct Ends<'a> {
    pub(super) pre: &'a End,
    pub(super) post: &'a PopulationNames,
    /// The own neurons of each side.
    pub(super) ranges: [std::ops::Range<u32>; 2],
    /// The number of pairs of a list.
    pub(super) listed: Option<usize>,
    /// Whether some of them may be dropped.
    pub(super) is_capped: bool,
    /// Whether the rule draws.
    pub(super) is_drawn: bool,
}

/// A slice of a population, if it is not all of it.
fn slice(size: u32, slice: Option<(u32, u32)>) -> std::ops::Range<u32> {
    match slice {
        Some((first, length)) if size > 1 => {
            let first = first % size;
            first..first + 1 + length % (size - first)
        }
        _ => 0..size,
    }
}

fn written(name: &str, size: u32, range: &std::ops::Range<u32>) -> String {
    if *range == (0..size) { name.to_owned() } else { format!("{name}[{}:{}]", range.start, range.end) }
}

impl<'a> Ends<'a> {
    /// The ends, and the keys that say what is connected.
    pub(super) fn new(
        spec: &ProjectionSpec,
        firing: &'a [End],
        populations: &'a [PopulationNames],
        setting: &Setting,
        keys: &mut Map<String, Value>,
    ) -> Ends<'a> {
        let (pre, post) = (&firing[spec.pre % firing.len()], &populations[spec.post % populations.len()]);
        let ranges = [slice(pre.size, spec.slices[0]), slice(post.size, spec.slices[1])];
        keys.insert("pre".into(), written(&pre.name, pre.size, &ranges[0]).into());
        keys.insert("post".into(), written(&post.name, post.size, &ranges[1]).into());
        let mut ends = Ends { pre, post, ranges, listed: None, is_capped: false, is_drawn: false };
        ends.connect(spec, setting, keys);
        if ends.is_drawn || setting.draws {
            ends.is_capped = spec.caps.iter().any(Option::is_some);
            for (key, cap) in ["max_outdegree", "max_indegree"].into_iter().zip(spec.caps) {
                cap.into_iter().for_each(|cap| drop(keys.insert(key.into(), cap.into())));
            }
        }
        ends
    }

    fn connect(&mut self, spec: &ProjectionSpec, setting: &Setting, keys: &mut Map<String, Value>) {
        let [pre, post] = &self.ranges;
        let all = json!({"rule": "all"});
        let rule = match &spec.connect {
            Connect::Pairs(pairs) => {
                let inside = |k: u32, range: &std::ops::Range<u32>| range.start + k % (range.end - range.start);
                let pairs: Vec<[u32; 2]> = pairs.iter().map(|(i, j)| [inside(*i, pre), inside(*j, post)]).collect();
                self.listed = Some(pairs.len());
                keys.insert("pairs".into(), json!(pairs));
                return;
            }
            Connect::OneToOne if pre.len() == post.len() => json!({"rule": "one_to_one"}),
            Connect::OneToOne => all,
            Connect::All { condition, autapses, per_pair } => {
                let mut rule = all;
                if let Some(at) = condition {
                    rule["condition"] = ["(i + j) % 2 == 0", "i != j", "j >= i", "i % 3 != j % 2"][at % 4].into();
                }
                // Autapses only exist within a population.
                if *autapses && self.pre.population.is_some() && self.pre.name == self.post.name {
                    rule["autapses"] = false.into();
                }
                if let Some(at) = per_pair {
                    keys.insert("synapses_per_pair".into(), [json!(2), json!("1 + i % 2"), json!("(i + j) % 3")][at % 3].clone());
                }
                rule
            }
            Connect::Generator(at) => {
                let (first, size) = (post.start, post.len());
                let text = match at % 3 {
                    0 => format!("{first} + i % {size}"),
                    1 => format!("{first} + k for k in range(0, {size}, 2)"),
                    _ => format!("{first} + k for k in range({size}) if (i + k) % 2 == 0"),
                };
                json!({"rule": "generator", "j": text})
            }
            Connect::Drawn { .. } if !setting.draws => all,
            Connect::Drawn { rule, number, multapses } => {
                self.is_drawn = true;
                let fits = (*number).min(pre.len().min(post.len()) as u32);
                let n = if *multapses { *number } else { fits };
                match rule % 4 {
                    0 => json!({"rule": "bernoulli", "p": 0.2*f64::from(*number)}),
                    1 => json!({"rule": "fixed_indegree", "n": n, "multapses": multapses}),
                    2 => json!({"rule": "fixed_outdegree", "n": n, "multapses": multapses}),
                    _ => json!({"rule": "fixed_total", "n": n, "multapses": multapses}),
                }
            }
        };
        keys.insert("connect".into(), rule);
    }

    /// Delays as JSON, and whether they are the same for all synapses.
    pub(super) fn delay(&self, steps: &Steps, setting: &Setting) -> (Value, bool) {
        let first = u32::from(self.pre.is_event);
        match steps {
            Steps::Whole(steps) => (setting.ms(first + steps).into(), true),
            Steps::Between(steps) => (setting.rounded((f64::from(first + steps) + 0.37) * setting.dt_ms).into(), true),
            Steps::Each(most) if self.listed.is_some() => {
                let list: Vec<f64> =
                    (0..self.listed.unwrap_or(0) as u32).map(|k| setting.ms(first + (2 * k + 1) % most)).collect();
                (json!(list), list.len() == 1)
            }
            Steps::Drawn(most) if setting.draws => (json!({"expr": format!("dt*({first} + {most}*rand())")}), false),
            Steps::Each(most) | Steps::Drawn(most) => (json!({"expr": format!("dt*({first} + (i + 2*j) % {most})")}), false),
        }
    }
}

/// A value for each synapse.
pub(super) fn each(at: usize, ends: &Ends<'_>, setting: &Setting) -> Value {
    let base = NUMBERS[at % NUMBERS.len()];
    match ends.listed {
        Some(pairs) if at.is_multiple_of(2) => (0..pairs).map(|k| NUMBERS[(at + k) % NUMBERS.len()]).collect(),
        _ if setting.draws && at.is_multiple_of(3) => json!({"expr": format!("{base}*(0.4 + rand())")}),
        _ => json!({"expr": format!("{base}*(1 + 0.13*i - 0.07*j)")}),
    }
}
