//! Kernels over synapses that have a state: what is printed for a code becomes the function `run`, which the kernel calls.

use std::fmt::Write;

use spikelet::lang::ir::Code;
use spikelet::lang::wgsl;
use spikelet::{ArrivalPlan, Origin, Plan, ProjectionPlan, StatePlan};

use super::{Source, shader};
use crate::passes::Way;

/// What is done with the lanes after the code.
enum End<'a> {
    /// The synapse's own are stored; nothing else.
    Store,
    /// One is returned.
    Return(usize),
    /// They reach the postsynaptic neuron.
    Arrive(&'a ArrivalPlan),
}

/// Recorded subexpressions, or a step of the clock-driven equations: an invocation for each synapse.
pub(super) fn each(plan: &Plan, index: usize, code: fn(&StatePlan) -> &Code) -> Source {
    let body = function(plan, index, |state| (code(state), End::Store));
    Source::new("each", &[shader!("synapses"), &body, shader!("each")])
}

/// A summed variable.
pub(super) fn couple(plan: &Plan, index: usize, summed: usize) -> Source {
    let body = function(plan, index, |state| {
        let (lane, code) = &state.program.summed[summed];
        (code, End::Return(*lane))
    });
    Source::new("couple", &[shader!("synapses"), &body, shader!("couple")])
}

/// A pathway.
pub(super) fn arrive(plan: &Plan, index: usize, pathway: usize, way: Way) -> Source {
    let body = function(plan, index, |state| (&state.program.pathways[pathway].code, End::Arrive(&state.arrivals[pathway])));
    let (name, finds) = match way {
        Way::Fired => ("arrive_fired", shader!("arrive_fired")),
        Way::Turn => ("arrive_turn", shader!("arrive_turn")),
        Way::Alone => ("arrive_alone", shader!("arrive_alone")),
    };
    Source::new(name, &[shader!("synapses"), shader!("arrive"), &body, finds])
}

/// The function `run` of a code of a projection.
fn function<'a>(plan: &'a Plan, index: usize, code: impl FnOnce(&'a StatePlan) -> (&'a Code, End<'a>)) -> String {
    let projection = &plan.projections[index];
    let Some(state) = &projection.state else { return String::new() };
    let (code, end) = code(state);
    let mut text = String::new();
    let is_output = |lane: usize| match &end {
        End::Store => false,
        End::Return(output) => *output == lane,
        End::Arrive(arrival) => {
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
        if let Origin::Own(array) = state.lanes[*lane] {
            let _ = writeln!(text, "state[own({array}u)] = bitcast<u32>(lane{lane});");
        }
    }
    let result = match end {
        End::Store => "",
        End::Return(lane) => {
            let _ = writeln!(text, "return lane{lane};");
            " -> f32"
        }
        End::Arrive(arrival) => {
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

/// What fills a lane before the code runs.
fn source(plan: &Plan, projection: &ProjectionPlan, origin: Origin) -> String {
    match origin {
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
