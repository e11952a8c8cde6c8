//! The dispatches of an epoch, in the order that the docs of [`Backend`](spikelet::Backend) give.

use spikelet::lang::End;
use spikelet::lang::ir::Code;
use spikelet::{Origin, PathwayPlan, Plan, ProjectionPlan, StatePlan};

use crate::layout::{Layout, Page, RecipeGroup, SynapsePlace, TraceList};
use crate::sizes::{ITERATIONS_SOFTWARE, TEAM_SIZE};

/// Most teams in a dispatch; kernels stride over the rest.
const MAX_TEAMS: u32 = 32_768;
/// Teams that share the spikes of an epoch.
const SPIKE_TEAMS: u32 = 256;
/// The same where rows are drawn, which takes longer, and several share a row.
const DRAWING_TEAMS: u32 = 2048;
/// The same for a software adapter, where an idle team costs as much as a busy one.
const SPIKE_TEAMS_SOFTWARE: u32 = 8;
/// Most teams of such a dispatch there.
const MAX_TEAMS_SOFTWARE: u32 = 65_535;
/// A kernel, by the part of the plan whose code it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// A whole epoch of a population.
    Neurons(usize),
    /// The start of a step of a population.
    Settle(usize),
    /// What a projection shows when it is recorded.
    Hold(usize),
    /// The channels.
    Sample,
    /// A summed variable, by projection and place in its program.
    Couple(usize, usize),
    /// Words of the state from one place to another.
    Copy,
    /// The step of a population.
    Update(usize),
    /// The step of a projection.
    Drive(usize),
    /// Rows of synapses without a state: those of a page.
    Propagate,
    /// The same where rows are drawn: a projection, and those whose kernel has the same text.
    Procedural(usize),
    /// A pathway, by projection and place in it, by the way its events are found.
    Arrive(usize, usize, Way),
    /// The traces of the neurons at one end, of all projections.
    Traces(End),
}

impl Kernel {
    /// Whether it is the first of an epoch, and takes over from the one before.
    pub(crate) fn begins_epoch(self) -> bool {
        matches!(self, Kernel::Neurons(_) | Kernel::Settle(_))
    }

    /// In which epochs it has something to do, as a condition of shaders/epoch.wgsl.
    pub(crate) fn does(self) -> &'static str {
        match self {
            Kernel::Propagate | Kernel::Procedural(_) => "doing != RESTS",
            _ => "doing == STEPS",
        }
    }
}

/// How the events of a pathway are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the synapses of the neurons that fired.
    Fired,
    /// By postsynaptic neuron, each in turn.
    Turn,
    /// All in turn.
    Alone,
}

/// A dispatch.
pub(crate) struct Pass {
    pub(crate) kernel: Kernel,
    /// `Job` of shaders/header.wgsl.
    pub(crate) job: [u32; 4],
    /// The buffer that `rows` stands for.
    pub(crate) page: usize,
    /// Teams, if it has one for each piece of work.
    teams: u32,
    /// Where teams share what has happened: the loop iterations of all of them together, if every neuron fires in every step.
    shared_iterations: Option<u64>,
}

impl Pass {
    /// A dispatch over blocks, each of them a team's.
    fn of_blocks(kernel: Kernel, job: [u32; 4]) -> Pass {
        Pass { kernel, job, page: 0, teams: job[1], shared_iterations: None }
    }

    /// A dispatch over `items`, each of them an invocation's.
    fn of_items(kernel: Kernel, job: [u32; 4], items: u32) -> Pass {
        Pass { kernel, job, page: 0, teams: items.div_ceil(TEAM_SIZE), shared_iterations: None }
    }

    /// How many workgroups of this size it gets.
    pub(crate) fn workgroups(&self, size: u32, software: bool) -> u32 {
        let teams = match self.shared_iterations {
            Some(iterations) if software => {
                let teams = iterations.div_ceil(ITERATIONS_SOFTWARE).min(u64::from(MAX_TEAMS_SOFTWARE));
                (teams as u32).max(SPIKE_TEAMS_SOFTWARE)
            }
            _ => self.teams.clamp(1, MAX_TEAMS),
        };
        teams.div_ceil(size / TEAM_SIZE)
    }

    /// Neurons, synapses and so on that it goes through in every epoch, whatever has happened.
    pub(crate) fn items(&self) -> u64 {
        if self.shared_iterations.is_some() { 0 } else { u64::from(self.teams) * u64::from(TEAM_SIZE) }
    }

    /// Loop iterations of an invocation, at most, if `teams` share the dispatch.
    pub(crate) fn iterations(&self, teams: u32, epoch_steps: u32) -> u64 {
        let whole = self.shared_iterations.unwrap_or(u64::from(self.teams) * u64::from(epoch_steps));
        whole.div_ceil(teams.into())
    }
}

/// All dispatches of an epoch.
pub(crate) fn of_epoch(plan: &Plan, layout: &Layout) -> Vec<Pass> {
    let groups = layout.groups.iter();
    let of_neurons = |kernel: fn(usize) -> Kernel| {
        groups.clone().map(move |group| Pass::of_blocks(kernel(group.population), [group.blocks_at, group.blocks, 0, 0]))
    };
    if !plan.takes_turns() {
        return of_neurons(Kernel::Neurons).chain(propagate(layout)).chain(arrivals(plan, layout)).collect();
    }
    let (settle, update): (Vec<Pass>, Vec<Pass>) = (of_neurons(Kernel::Settle).collect(), of_neurons(Kernel::Update).collect());
    let states = || {
        let places = plan.projections.iter().zip(&layout.projections).enumerate();
        places.filter_map(|(index, (projection, place))| Some((index, projection, projection.state.as_ref()?, place.as_ref()?)))
    };
    let over_synapses = |kernel: fn(usize) -> Kernel, code: fn(&StatePlan) -> &Code| {
        let has_code = states().filter(move |(_, _, state, _)| !code(state).stores.is_empty());
        has_code.map(move |(index, projection, _, place)| {
            let job = [place.record as u32, 0, 0, 0];
            Pass::of_items(kernel(index), job, projection.rows().len() as u32)
        })
    };
    let mut passes = settle;
    passes.extend(over_synapses(Kernel::Hold, |state| &state.program.hold));
    if !plan.channels.is_empty() {
        passes.push(Pass::of_items(Kernel::Sample, [0; 4], plan.channels.len() as u32));
    }
    for (index, projection, state, place) in states() {
        for summed in 0..state.summed.len() {
            passes.extend(couple(plan, layout, (index, summed), projection, state, place));
        }
    }
    passes.extend(update);
    passes.extend(over_synapses(Kernel::Drive, |state| &state.program.update));
    passes.extend(propagate(layout));
    passes.extend(arrivals(plan, layout));
    passes
}

/// The pathways of synapses with a state: those for spikes of pre neurons, then those for spikes of post neurons; after either what
/// these do to traces.
fn arrivals(plan: &Plan, layout: &Layout) -> impl Iterator<Item = Pass> {
    [End::Pre, End::Post].into_iter().flat_map(move |end| {
        let places = plan.projections.iter().zip(&layout.projections).enumerate();
        let arrivals = places.flat_map(move |(index, (projection, place))| {
            let pathways = projection.pathways.iter().enumerate().filter(move |(_, pathway)| pathway.end == end);
            let of_state = projection.state.as_ref().zip(place.as_ref());
            let pass = move |(pathway, _): (usize, &PathwayPlan)| {
                of_state.map(|(state, place)| arrive(plan, (index, pathway), projection, state, place))
            };
            pathways.filter_map(pass)
        });
        let TraceList { at, projections, words } = layout.traces[end as usize];
        let traces = (projections > 0).then(|| Pass::of_items(Kernel::Traces(end), [at, projections, 0, 0], words));
        arrivals.chain(traces)
    })
}

/// Synapses without a state: each page, then those that are drawn. The first of these dispatches prepares the next epoch.
fn propagate(layout: &Layout) -> Vec<Pass> {
    let of_page = |(page, of): (usize, &Page)| {
        let job = [of.walks_at, 0, u32::from(page == 0), 0];
        let iterations = of.iterations * u64::from(layout.epoch_steps);
        Pass { kernel: Kernel::Propagate, job, page, teams: SPIKE_TEAMS, shared_iterations: Some(iterations) }
    };
    // A page of lists alone has no walks, but somebody must prepare the next epoch.
    let pages = layout.pages.iter().enumerate().map(of_page);
    let of_group = |group: &RecipeGroup| {
        let kernel = Kernel::Procedural(group.projection);
        let iterations = group.iterations * u64::from(layout.epoch_steps);
        let job = [group.at, group.parts, 0, 0];
        Pass { kernel, job, page: 0, teams: DRAWING_TEAMS, shared_iterations: Some(iterations) }
    };
    pages.chain(layout.recipe_groups.iter().map(of_group)).collect()
}

/// Words of `state` that passes need beside what it holds: the sums of a variable that others still read.
pub(crate) fn scratch_words(plan: &Plan) -> usize {
    let words = plan.projections.iter().filter_map(|projection| {
        let state = projection.state.as_ref()?;
        let sums = state.program.summed.iter().zip(&state.summed);
        let needs = sums.clone().any(|((_, code), (array, _))| reads_pre(projection, state, code, &|read| read == *array));
        needs.then_some(plan.populations[projection.post].size as usize)
    });
    words.max().unwrap_or(0)
}

/// A summed variable.
fn couple(
    plan: &Plan,
    layout: &Layout,
    (index, summed): (usize, usize),
    projection: &ProjectionPlan,
    state: &StatePlan,
    place: &SynapsePlace,
) -> Vec<Pass> {
    let ((array, first), (_, code)) = (state.summed[summed], &state.program.summed[summed]);
    let size = plan.populations[projection.post].size;
    let variable = layout.populations[projection.post].array(array, size) as u32;
    let before = if first { u32::MAX } else { variable };
    let sum_to = |at: u32| Pass::of_items(Kernel::Couple(index, summed), [place.record as u32, size, at, before], size);
    if reads_pre(projection, state, code, &|read| read == array) {
        // Others still read it.
        let scratch = layout.scratch as u32;
        let copy = Pass::of_items(Kernel::Copy, [0, size, scratch, variable], size);
        vec![sum_to(scratch), copy]
    } else {
        vec![sum_to(variable)]
    }
}

/// A pathway.
fn arrive(
    plan: &Plan,
    (index, pathway): (usize, usize),
    projection: &ProjectionPlan,
    state: &StatePlan,
    place: &SynapsePlace,
) -> Pass {
    let (arrival, code) = (&state.arrivals[pathway], &state.program.pathways[pathway].code);
    let writes = |array: usize| arrival.writes.iter().any(|(_, written)| *written == array);
    let kernel = |way| Kernel::Arrive(index, pathway, way);
    let job = |count: u32, second: u32| [place.record as u32, count, place.pathways[pathway] as u32, second];
    if reads_pre(projection, state, code, &writes) {
        return Pass::of_blocks(kernel(Way::Alone), job(1, 0));
    }
    if !arrival.writes.is_empty() {
        let size = plan.populations[projection.post].size;
        return Pass::of_items(kernel(Way::Turn), job(size, 0), size);
    }
    let of = &projection.pathways[pathway];
    let neurons = projection.neurons(of.end, plan);
    // Words of 32 neurons, for each step that spikes may have taken.
    let words = neurons.end.div_ceil(32) - neurons.start / 32;
    let delays = of.delay.bounds();
    let ages = u64::from(delays.end - delays.start) + 1;
    let blocks = u32::try_from(u64::from(words) * ages).unwrap_or(u32::MAX);
    let synapses = (projection.rows().len() as u64).div_ceil(TEAM_SIZE.into());
    // Where delays differ, a neuron's synapses are searched for those of an age.
    let of_neuron = if of.delay.is_shared() { 1 } else { ages * (1 + 2 * u64::from(u32::BITS)) };
    let iterations = u64::from(blocks) + neurons.len() as u64 * of_neuron + synapses;
    Pass { shared_iterations: Some(iterations), ..Pass::of_blocks(kernel(Way::Fired), job(blocks, words)) }
}

/// Whether the code reads in presynaptic neurons what `written` says is written in postsynaptic ones of the same population.
fn reads_pre(projection: &ProjectionPlan, state: &StatePlan, code: &Code, written: &dyn Fn(usize) -> bool) -> bool {
    let reads = |(lane, origin): (usize, &Origin)| matches!(origin, Origin::Pre(array) if written(*array) && code.touches(lane));
    projection.pre == projection.post && state.lanes.iter().enumerate().any(reads)
}

#[cfg(test)]
mod tests {
    use spikelet::Network;

    use super::*;
    use crate::shape::Shape;

    /// What an epoch goes through although nothing happens, of a network that learns, with so many synapses onto each neuron.
    fn idle_items(synapses: u32) -> u64 {
        let json = format!(
            r#"{{"name": "n", "dt_ms": 0.1, "duration_ms": 1, "populations": [{{"name": "a", "size": 500, "model": "lif_exp"}}],
                "projections": [
                  {{"name": "one", "pre": "a", "post": "a", "connect": {{"rule": "fixed_indegree", "n": {synapses}}},
                    "equations": "w : volt\ndx/dt = -x/ms : 1 (event-driven)", "on_pre": "ge_post += w\nx += 1", "on_post": "w += x*mV"}},
                  {{"name": "each", "pre": "a", "post": "a", "connect": {{"rule": "fixed_indegree", "n": {synapses}}},
                    "equations": "w : volt", "on_pre": "ge_post += w\nw *= 0.9", "on_post": "w += 1*mV",
                    "delay_ms": {{"expr": "rand()*ms"}}, "delay_post_ms": {{"expr": "rand()*ms"}}}}]}}"#
        );
        let plan = Network::from_json(&json).and_then(|network| Plan::new(&network)).unwrap_or_else(|error| panic!("{error}"));
        let layout = Layout::new(&plan, Shape::unlimited()).unwrap_or_else(|error| panic!("{error}"));
        layout.passes.iter().map(Pass::items).sum()
    }

    #[test]
    fn no_pass_goes_through_all_synapses_that_learn_from_spikes() {
        assert_eq!(idle_items(4), idle_items(40));
        // Blocks of neurons, and the words of those that may have fired.
        assert_eq!(idle_items(4), 512 + 64);
    }
}
