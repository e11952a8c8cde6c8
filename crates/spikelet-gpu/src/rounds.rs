//! What Mesa's software adapter would compute only in part.

use spikelet::lang::End;
use spikelet::{Error, Plan, ProjectionPlan, StatePlan};

use crate::spec::reads_written;

/// The rounds after which llvmpipe ends all loops of an invocation, without a word (Mesa, `LP_MAX_TGSI_LOOP_ITERATIONS`).
const MOST: u64 = 65_535;

/// Rejects a plan in which one invocation visits more synapses than llvmpipe has rounds: those of a neuron, for a sum or for events that are
/// executed one after the other.
///
/// # Errors
/// There is such a projection.
pub(crate) fn check(adapter: &str, plan: &Plan) -> Result<(), Error> {
    if !adapter.contains("llvmpipe") {
        return Ok(());
    }
    for of in &plan.projections {
        let Some(state) = &of.state else { continue };
        let rounds = rounds(plan, of, state);
        if rounds > MOST {
            let expected = format!("the software adapter {adapter} ends loops after {MOST} rounds");
            let way_out = "use the CPU (--backend cpu), or a GPU";
            return Err(Error::invalid(&of.name, format!("a loop over {rounds} synapses"), expected, way_out));
        }
    }
    Ok(())
}

/// The most synapses that an invocation visits one after the other.
fn rounds(plan: &Plan, of: &ProjectionPlan, state: &StatePlan) -> u64 {
    let onto_post = || of.degrees.incoming.iter().copied().max().unwrap_or(0).into();
    let onto_third = || {
        let third = of.third.as_ref().map(|third| third.synapses(plan.populations[third.population].size).0);
        third.iter().flat_map(|offsets| offsets.windows(2)).map(|pair| u64::from(pair[1] - pair[0])).max().unwrap_or(0)
    };
    let sums = state.summed.iter().map(|sum| if sum.end == End::Third { onto_third() } else { onto_post() });
    let pathways = state.arrivals.iter().zip(&state.program.pathways);
    let one_by_one = pathways.filter(|(arrival, _)| !arrival.writes.is_empty()).map(|(arrival, pathway)| {
        let writes = |array: usize| arrival.writes.iter().any(|(_, written)| *written == array);
        match reads_written(of, state, &pathway.code, (End::Post, &writes)) {
            true => of.synapses(),
            false => onto_post(),
        }
    });
    sums.chain(one_by_one).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use spikelet::{Network, Plan};

    use super::check;

    /// Sums, and events one by one for each neuron.
    #[test]
    fn what_has_too_many_rounds_is_rejected_on_llvmpipe_alone() {
        let of = |size: u32, synapses: &str| {
            let text = format!(
                r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "A", "size": {size}, "equations": "q : 1", "threshold": "q > 1"}},
                {{"name": "B", "size": 1, "equations": "I : 1\ndv/dt = I/ms : 1"}}],
                "projections": [{{"name": "P", "pre": "A", "post": "B", "connect": {{"rule": "all"}}, "initial": {{"w": 1}},
                "equations": {synapses}}}]}}"#
            );
            Plan::new(&Network::from_json(&text).unwrap()).unwrap()
        };
        let summed = r#""w : 1\nI_post = w : 1 (summed)""#;
        let in_turn = r#""w : 1", "on_pre": "v_post = w""#;
        for synapses in [summed, in_turn] {
            let error = check("llvmpipe (LLVM 15)", &of(70_000, synapses)).unwrap_err().to_string();
            assert!(error.contains("P") && error.contains("70000 synapses") && error.contains("65535"), "{error}");
            check("llvmpipe (LLVM 15)", &of(60_000, synapses)).unwrap();
            check("NVIDIA H200", &of(70_000, synapses)).unwrap();
        }
    }
}
