//! Kernels over synapses that have a state: what is printed for a code becomes the function `run`, which the kernel calls.

use std::fmt::Write;

use spikelet::lang::End;
use spikelet::lang::ir::Code;
use spikelet::lang::wgsl;
use spikelet::{ArrivalPlan, Origin, Plan, ProjectionPlan, StatePlan};

use super::{Source, shader};
use crate::passes::Way;

/// What is done with the lanes after the code.
enum After<'a> {
    /// The synapse's own are stored; nothing else.
    Store,
    /// One is returned.
    Return(usize),
    /// They reach the postsynaptic neuron.
    Arrive(&'a ArrivalPlan),
}

/// Recorded subexpressions, or a step of the clock-driven equations: an invocation for each synapse.
pub(super) fn each(plan: &Plan, index: usize, code: fn(&StatePlan) -> &Code) -> Source {
    let body = function(plan, index, |state| (code(state), After::Store));
    Source::new("each", &[shader!("synapses"), &body, shader!("each")])
}

/// A summed variable.
pub(super) fn couple(plan: &Plan, index: usize, summed: usize) -> Source {
    let body = function(plan, index, |state| {
        let (lane, code) = &state.program.summed[summed];
        (code, After::Return(*lane))
    });
    Source::new("couple", &[shader!("synapses"), &body, shader!("couple")])
}

/// A pathway.
pub(super) fn arrive(plan: &Plan, index: usize, pathway: usize, way: Way) -> Source {
    let body = function(plan, index, |state| (&state.program.pathways[pathway].code, After::Arrive(&state.arrivals[pathway])));
    let (name, finds) = match way {
        Way::Fired => ("arrive_fired", shader!("arrive_fired")),
        Way::Turn => ("arrive_turn", shader!("arrive_turn")),
        Way::Alone => ("arrive_alone", shader!("arrive_alone")),
    };
    Source::new(name, &[shader!("synapses"), shader!("arrive"), &body, finds])
}

/// What spikes of the neurons at one end do to their traces, of all projections.
pub(super) fn traces(plan: &Plan, end: End) -> Source {
    let (mut text, mut runs) = (String::new(), String::new());
    for (number, body) in trace_codes(plan, end).1.iter().enumerate() {
        text += &body.replace("fn run()", &format!("fn run_{number}()"));
        // Writing to a String cannot fail.
        let _ = writeln!(runs, "                case {number}u: {{ run_{number}(); }}");
    }
    let work = shader!("trace").replace("                //# runs\n", &runs);
    Source::new("trace", &[shader!("synapses"), shader!("arrive"), &text, &work])
}

/// The projections whose traces the neurons at one end keep, each with the number of its code; and the codes, each once.
pub(crate) fn trace_codes(plan: &Plan, end: End) -> (Vec<(usize, u32)>, Vec<String>) {
    let (mut projections, mut codes) = (Vec::new(), Vec::new());
    for (index, projection) in plan.projections.iter().enumerate() {
        let Some(state) = projection.state.as_ref().filter(|state| !state.program.traces[end as usize].stores.is_empty()) else {
            continue;
        };
        let code = function(plan, index, |_| (&state.program.traces[end as usize], After::Store));
        let number = codes.iter().position(|known| *known == code).unwrap_or_else(|| {
            codes.push(code);
            codes.len() - 1
        });
        projections.push((index, number as u32));
    }
    (projections, codes)
}

/// The function `run` of a code of a projection.
fn function<'a>(plan: &'a Plan, index: usize, code: impl FnOnce(&'a StatePlan) -> (&'a Code, After<'a>)) -> String {
    let projection = &plan.projections[index];
    let Some(state) = &projection.state else { return String::new() };
    let (code, end) = code(state);
    let mut text = String::new();
    let is_output = |lane: usize| match &end {
        After::Store => false,
        After::Return(output) => *output == lane,
        After::Arrive(arrival) => {
            let adds = arrival.adds.iter().map(|add| add.lane);
            adds.chain(arrival.writes.iter().map(|(output, _)| *output)).any(|output| output == lane)
        }
    };
    for (lane, origin) in state.lanes.iter().enumerate().filter(|(lane, _)| code.touches(*lane) || is_output(*lane)) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "var lane{lane} = {};", source(plan, projection, *origin));
    }
    text += &wgsl::statements(code, &|lane| format!("lane{lane}"), "x");
    for (lane, _) in &code.stores {
        let place = match state.lanes[*lane] {
            Origin::Own(array) => format!("own({array}u)"),
            Origin::Trace(trace) => trace_word(state, trace),
            _ => continue,
        };
        let _ = writeln!(text, "state[{place}] = bitcast<u32>(lane{lane});");
    }
    let result = match end {
        After::Store => "",
        After::Return(lane) => {
            let _ = writeln!(text, "return lane{lane};");
            " -> f32"
        }
        After::Arrive(arrival) => {
            for (k, lane) in arrival.adds.iter().map(|add| add.lane).enumerate() {
                let _ = writeln!(text, "add({k}u, lane{lane});");
            }
            for (lane, array) in &arrival.writes {
                let _ = writeln!(text, "state[post_at + {array}u * post_size + post] = bitcast<u32>(lane{lane});");
            }
            ""
        }
    };
    let body: String = text.lines().flat_map(|line| ["    ", line, "\n"]).collect();
    format!("fn run(){result} {{\n{body}}}\n")
}

/// Where a trace is: they lie in their order, each with a word for every neuron at its end.
fn trace_word(state: &StatePlan, trace: usize) -> String {
    let before = |end: End| state.traces[..trace].iter().filter(|trace| trace.end == end).count();
    let neuron = if state.traces[trace].end == End::Pre { "pre" } else { "post" };
    format!("trace_word({}u, {}u, {neuron})", before(End::Pre), before(End::Post))
}

/// What fills a lane before the code runs.
fn source(plan: &Plan, projection: &ProjectionPlan, origin: Origin) -> String {
    match origin {
        Origin::Trace(trace) => {
            projection.state.as_ref().map_or(String::new(), |state| format!("bitcast<f32>(state[{}])", trace_word(state, trace)))
        }
        Origin::Own(array) => format!("bitcast<f32>(state[own({array}u)])"),
        Origin::Pre(array) => format!("of_pre({array}u)"),
        Origin::Post(array) => format!("of_post({array}u)"),
        Origin::PostSinceSpike => {
            let last_spike = plan.populations[projection.post].program.variables.len();
            format!("post_since_spike({last_spike}u)")
        }
        Origin::PreIndex => "f32(pre)".into(),
        Origin::PostIndex => "f32(post)".into(),
        Origin::Output => "0.0f".into(),
    }
}
