//! Which neurons may sleep: a neuron that a step without input leaves as it was, to the last bit, is as it was after any number of them, if
//! its code reads nothing else that changes. It is not stepped again until something arrives.

use spikelet_lang::Program;
use spikelet_lang::ir::{Code, LONG_AGO, Op};
use spikelet_lang::syntax::BinaryOp;

use crate::{EdgePlan, Plan, SampleSource};

/// When a neuron of a population may sleep.
#[derive(Debug, Clone, PartialEq)]
pub struct SleepRule {
    /// The arrays that a step stores to.
    pub stored: Vec<usize>,
    /// With what the steps since the last spike are compared; `None` if they are used otherwise.
    bounds: Option<Vec<SpikeAge>>,
}

/// A number with which the steps since a spike are compared, less what is added to them before.
#[derive(Debug, Clone, Copy, PartialEq)]
enum SpikeAge {
    Number(f32),
    Constant(usize, f32),
}

impl SleepRule {
    /// The rule of a population whose neurons run ahead.
    ///
    /// # Errors
    /// Why its neurons never sleep.
    pub fn of(plan: &Plan, population: usize) -> Result<SleepRule, &'static str> {
        let of = &plan.populations[population];
        let program = &of.program;
        let ops = || program.codes().flat_map(|code| &code.ops);
        if !program.regular.is_empty() {
            return Err("statements run regularly");
        }
        if !program.after_events.is_empty() || ops().any(|op| matches!(op, Op::Now | Op::Elapsed(_))) {
            return Err("it has events besides spikes");
        }
        if ops().any(|op| matches!(op, Op::Random(..) | Op::NormalBetween { .. })) {
            return Err("its equations draw random numbers");
        }
        if ops().any(|op| matches!(op, Op::Clock(_) | Op::Lookup { .. })) || program.columns.is_some() {
            return Err("its equations depend on the time");
        }
        if of.winners.is_some() || program.score.is_some() {
            return Err("only winners fire");
        }
        let is_summed = |sampled: &SampleSource| matches!(sampled, SampleSource::Sum { population: of, .. } if *of == population);
        if plan.sampling.columns.iter().any(is_summed) {
            return Err("a sum over its neurons is recorded");
        }
        let is_drawn = |edges: &EdgePlan| matches!(edges, EdgePlan::Procedural(_));
        if plan.projections.iter().any(|projection| projection.post == population && is_drawn(&projection.edges)) {
            return Err("its synapses are drawn at each spike");
        }
        let stored = (0..program.variables.len()).filter(|array| program.codes().any(|code| code.stores_to(*array)));
        Ok(SleepRule { stored: stored.collect(), bounds: bounds(program) })
    }

    /// After more steps than these since its last spike, a neuron does what it does after any more.
    pub fn steps_after_spike(&self, constants: &[f32]) -> i32 {
        let Some(bounds) = &self.bounds else { return LONG_AGO };
        let bound = |bound: &SpikeAge| match *bound {
            SpikeAge::Number(number) => number,
            SpikeAge::Constant(index, added) => constants[index] - added,
        };
        // A step fires, and the next one resets.
        let most = bounds.iter().map(bound).fold(2.0, |most: f32, bound| if bound <= most { most } else { bound });
        // A bound that is no number is beyond any.
        if most < LONG_AGO as f32 { most.ceil() as i32 } else { LONG_AGO }
    }
}

/// With what the codes compare the steps since the last spike.
fn bounds(program: &Program) -> Option<Vec<SpikeAge>> {
    program.codes().map(bounds_of_code).collect::<Option<Vec<Vec<SpikeAge>>>>().map(|of_codes| of_codes.concat())
}

fn bounds_of_code(code: &Code) -> Option<Vec<SpikeAge>> {
    // What was added to the steps; `None` for other values.
    let mut added: Vec<Option<f32>> = Vec::with_capacity(code.ops.len());
    let mut bounds = Vec::new();
    for op in &code.ops {
        let number = |at: usize| if let Op::Literal(literal) = code.ops[at] { Some(literal.single) } else { None };
        added.push(match *op {
            Op::SinceSpike => Some(0.0),
            Op::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), x, y) if added[x].is_some() && added[y].is_none() => {
                let more = number(y)?;
                added[x].map(|added| if op == BinaryOp::Add { added + more } else { added - more })
            }
            Op::Binary(op, x, y) if op.is_comparison() && added[x].is_some() != added[y].is_some() => {
                let (since, other) = if added[x].is_some() { (added[x]?, y) } else { (added[y]?, x) };
                bounds.push(match code.ops[other] {
                    Op::Literal(literal) => SpikeAge::Number(literal.single - since),
                    Op::Constant(index) => SpikeAge::Constant(index, since),
                    _ => return None,
                });
                None
            }
            ref op if op.operands().any(|operand| added[operand].is_some()) => return None,
            _ => None,
        });
    }
    let is_used = |at: usize| added.get(at).is_some_and(Option::is_some);
    let stays = code.stores.iter().any(|(_, value)| is_used(*value)) || code.condition.is_some_and(is_used);
    (!stays).then_some(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikelet_network::Network;

    /// The rule of a population with these keys, and a projection onto it.
    fn rule(keys: &str, projection: &str, recordings: &str) -> Result<(SleepRule, i32), &'static str> {
        let text = format!(
            r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 10, "recordings": [{recordings}],
            "populations": [{{"name": "A", "size": 4, "threshold": "v > 1", "reset": "v = 0", {keys}}}],
            "projections": [{{"name": "P", "pre": "A", "post": "A", {projection}, "on_pre": "v_post += 0.1"}}]}}"#
        );
        let plan = Plan::new(&Network::from_json(&text).unwrap()).unwrap();
        SleepRule::of(&plan, 0).map(|rule| {
            let steps = rule.steps_after_spike(&plan.populations[0].constants);
            (rule, steps)
        })
    }

    const ALL: &str = r#""connect": {"rule": "all"}"#;

    #[test]
    fn what_reads_only_itself_sleeps_once_its_refractory_time_is_over() {
        let steps = |keys: &str| rule(keys, ALL, "").unwrap().1;
        assert_eq!(steps(r#""equations": "dv/dt = -v/ms : 1""#), 2);
        // As a number, as a constant that can be set, and as what differs between neurons.
        let refractory = |time: &str| {
            format!(
                r#""equations": "dv/dt = -v/ms : 1 (unless refractory)\ntr : second", "parameters": {{"tr": "3 ms"}}, "refractory": "{time}""#
            )
        };
        for time in ["3 ms", "tr"] {
            assert!((30..=32).contains(&steps(&refractory(time))), "{}", steps(&refractory(time)));
        }
        let differs = r#""equations": "dv/dt = -v/ms : 1 (unless refractory)\ntr : second", "parameters": {"tr": {"expr": "(1 + i)*ms"}}, "refractory": "tr""#;
        assert_eq!(steps(differs), LONG_AGO);
        // Used as a number.
        assert_eq!(steps(r#""equations": "dv/dt = (exp(-(t - lastspike)/ms) - v)/ms : 1""#), LONG_AGO);
    }

    #[test]
    fn what_changes_by_itself_never_sleeps() {
        let plain = r#""equations": "dv/dt = -v/ms : 1""#;
        let why = |keys: &str, projection: &str, recordings: &str| rule(keys, projection, recordings).unwrap_err();
        assert_eq!(why(r#""equations": "dv/dt = -v/ms + 0.1*xi/ms**0.5 : 1""#, ALL, ""), "its equations draw random numbers");
        assert_eq!(why(r#""equations": "dv/dt = (sin(t/ms) - v)/ms : 1""#, ALL, ""), "its equations depend on the time");
        assert_eq!(
            why(&format!(r#"{plain}, "run_regularly": [{{"statements": "v *= 2"}}]"#), ALL, ""),
            "statements run regularly"
        );
        let event = format!(r#"{plain}, "events": {{"up": {{"condition": "v > 0.5", "statements": "v = 0.1"}}}}"#);
        assert_eq!(why(&event, ALL, ""), "it has events besides spikes");
        assert_eq!(why(plain, &format!(r#"{ALL}, "storage": "procedural""#), ""), "its synapses are drawn at each spike");
        let mean = r#"{"object": "A", "var": "v", "indices": "all", "reduce": "mean"}"#;
        assert_eq!(why(plain, ALL, mean), "a sum over its neurons is recorded");
    }
}
