//! The passes of an epoch, and their dispatches.

use std::ops::Range;
use std::sync::Arc;

use spikelet::lang::End;
use spikelet::lang::ir::Code;
use spikelet::lang::program::RegularCode;
use spikelet::schedule::{Phase, PhaseGroup, PhaseKind, StepGroups};
use spikelet::{ArrayId, Plan, ProjectionPlan, StatePlan};

use super::pass::Pass;
use crate::layout::{BlockRange, BufferLayout, ModelGroup, ProjectionOffsets, SelectionList, TraceList, waits};
use crate::link::shader;
use crate::options::GpuConstants;
use crate::sizes::TEAM_SIZE;
use crate::spec::{EventTraversal, FixedKernel, Kernel, Model, SelectPart, SynapseCode, Writeback, reads_written};

/// Kernels that are the same for all networks.
const SAMPLE: Kernel = Kernel::Fixed(FixedKernel { name: "sample", source: shader!("sample") });
const COPY: Kernel = Kernel::Fixed(FixedKernel { name: "copy", source: shader!("copy") });

/// Phases of the schedule that the same kernels execute, for all populations or projections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelStage {
    /// All phases of neurons that run ahead, through the whole epoch.
    Ahead,
    /// The same for those that stop, through a step.
    Neurons,
    /// Input, reset, statements of regular steps, and hold of neurons.
    BeginStep,
    /// Statements of synapses at regular steps.
    RunRegularly,
    /// Recorded subexpressions of synapses.
    Observe,
    /// Channels.
    Sample,
    /// Summed variables.
    Couple,
    /// Integration of neurons, and spikes.
    Update,
    /// Integration of clock-driven synapses.
    IntegrateSynapses,
    /// Integration of the traces of presynaptic neurons.
    IntegrateTraces,
    /// Addition of the rows of neurons that fired to the delay buffers.
    Propagate,
    /// Selection of the winners, and their spikes.
    Select,
    /// Propagation of spikes of one side to synapses with state, by pathways with this order.
    OnSpike(End, i32),
    /// Update of the traces of their neurons, after those pathways.
    Trace(End, i32),
}

impl KernelStage {
    fn of(plan: &Plan, phase: &Phase) -> KernelStage {
        let moves_on = phase.kinds.iter().any(|work| matches!(work, PhaseKind::Integrate(_)));
        match phase.kinds[0] {
            PhaseKind::DeliverInput(_) if moves_on => KernelStage::Neurons,
            PhaseKind::DeliverInput(_) | PhaseKind::Reset(_) | PhaseKind::RunRegularly(_) | PhaseKind::SampleAndHold(_) => {
                KernelStage::BeginStep
            }
            PhaseKind::RunSynapsesRegularly(_) => KernelStage::RunRegularly,
            PhaseKind::Observe(_) => KernelStage::Observe,
            PhaseKind::Sample(_) | PhaseKind::SampleSynapses(_) => KernelStage::Sample,
            PhaseKind::SumInputs { .. } => KernelStage::Couple,
            PhaseKind::Select(_) => KernelStage::Select,
            PhaseKind::Fire(population) if plan.populations[population].winners.is_some() => KernelStage::Select,
            PhaseKind::Integrate(_) | PhaseKind::Fire(_) => KernelStage::Update,
            PhaseKind::IntegrateSynapses(_) => KernelStage::IntegrateSynapses,
            PhaseKind::IntegrateTraces(_) => KernelStage::IntegrateTraces,
            PhaseKind::Propagate(_) => KernelStage::Propagate,
            PhaseKind::OnSpike { projection, pathway } => {
                let of = &plan.projections[projection].pathways[pathway];
                KernelStage::OnSpike(of.end, of.order)
            }
            PhaseKind::UpdateTraces(projection, end) => KernelStage::Trace(end, plan.projections[projection].last_order(end)),
        }
    }
}

/// The stages of an epoch of a plan, in the order of its schedule.
pub(super) struct EpochStages {
    /// Neurons that no synapse reads or writes within a step, through the whole epoch.
    pub(super) ahead: Vec<KernelStage>,
    /// All others, with the synapses with state.
    pub(super) each_step: Vec<KernelStage>,
    /// Synapses without state.
    pub(super) at_end: Vec<KernelStage>,
}

impl EpochStages {
    pub(super) fn of_epoch(plan: &Plan, layout: &BufferLayout) -> EpochStages {
        let schedule = plan.schedule().clone();
        let schedule = if layout.in_one_go { schedule.fused() } else { schedule };
        let stops = layout.stopping_neurons() > 0;
        let each_step = schedule.phases.iter().filter(|phase| stops && !matches!(phase.kinds[0], PhaseKind::Propagate(_)));
        let mut each_step: Vec<KernelStage> = each_step.map(|phase| KernelStage::of(plan, phase)).collect();
        each_step.dedup();
        let runs_ahead = layout.groups.iter().any(|group| group.ahead.count > 0);
        // Propagation also prepares the next epoch: it is present even without rows.
        EpochStages {
            ahead: runs_ahead.then_some(KernelStage::Ahead).into_iter().collect(),
            each_step,
            at_end: vec![KernelStage::Propagate],
        }
    }
}

/// A plan and its layout.
#[derive(Clone, Copy)]
pub(super) struct LaidOutPlan<'a> {
    plan: &'a Plan,
    layout: &'a BufferLayout,
    /// The only phase of a stage whose passes are wanted, if not all are.
    only: Option<PhaseKind>,
}

/// Passes of a rank between two answers of other ranks.
#[derive(Debug, Clone)]
pub(crate) struct RankGroup {
    /// The arrays published before, by their index among the published ones.
    pub(crate) publishes: Vec<usize>,
    /// The populations whose winners are found before.
    pub(crate) selects: Vec<usize>,
    /// The passes of a step.
    pub(crate) passes: Range<usize>,
}

/// The passes of a step of a rank, in the groups of [`StepGroups`].
#[derive(Debug, Clone, Default)]
pub(crate) struct RankGroups {
    pub(crate) published: Vec<ArrayId>,
    /// Those up to the spikes, and those after them.
    pub(crate) before_spikes: Vec<RankGroup>,
    pub(crate) after_spikes: Vec<RankGroup>,
}

impl RankGroups {
    /// The passes of each step, and their groups.
    pub(super) fn new(plan: &Plan, layout: &BufferLayout) -> (Vec<Pass>, RankGroups) {
        let StepGroups { published, before_spikes, after_spikes } = StepGroups::of_ranks(plan);
        let (mut passes, mut done) = (Vec::new(), Vec::new());
        let mut groups = |groups: Vec<PhaseGroup>| -> Vec<RankGroup> {
            let group = |PhaseGroup { publishes, selects, phases }| {
                let first = passes.len();
                for phase in &phases {
                    passes.extend(LaidOutPlan::new(plan, layout).passes_of_phase(phase, &mut done));
                }
                RankGroup { publishes, selects, passes: first..passes.len() }
            };
            groups.into_iter().map(group).collect()
        };
        let [before_spikes, after_spikes] = [before_spikes, after_spikes].map(&mut groups);
        (passes, RankGroups { published, before_spikes, after_spikes })
    }
}

/// A projection with synaptic state.
#[derive(Clone, Copy)]
struct StatefulProjection<'a> {
    projection: &'a ProjectionPlan,
    state: &'a StatePlan,
    place: &'a ProjectionOffsets,
}

impl<'a> LaidOutPlan<'a> {
    pub(super) fn new(plan: &'a Plan, layout: &'a BufferLayout) -> LaidOutPlan<'a> {
        LaidOutPlan { plan, layout, only: None }
    }

    /// The dispatches of a phase. Those for all populations or traces are listed once; `done` are their stages.
    fn passes_of_phase(self, phase: &Phase, done: &mut Vec<KernelStage>) -> Vec<Pass> {
        let stage = KernelStage::of(self.plan, phase);
        match stage {
            KernelStage::RunRegularly
            | KernelStage::Observe
            | KernelStage::Couple
            | KernelStage::IntegrateSynapses
            | KernelStage::IntegrateTraces
            | KernelStage::OnSpike(..) => LaidOutPlan { only: Some(phase.kinds[0]), ..self }.passes(stage),
            // The host finds the winners, together with other ranks.
            KernelStage::Select => Vec::new(),
            _ if done.contains(&stage) => Vec::new(),
            _ => {
                done.push(stage);
                self.passes(stage)
            }
        }
    }

    /// The dispatches of a stage.
    pub(super) fn passes(self, stage: KernelStage) -> Vec<Pass> {
        match stage {
            KernelStage::Ahead => self.neurons(Kernel::Neurons, |group| group.ahead),
            KernelStage::Neurons => self.neurons(Kernel::Neurons, |group| group.stopping),
            KernelStage::BeginStep => self.neurons(Kernel::BeginStep, |group| group.stopping),
            KernelStage::RunRegularly => self.run_regularly(),
            KernelStage::Observe => self.synapse_step(|state| &state.program.observe),
            KernelStage::Sample => self.sample().into_iter().collect(),
            KernelStage::Couple => self.couple(),
            KernelStage::Update => self.neurons(Kernel::Update, |group| group.stopping),
            KernelStage::IntegrateSynapses => self.synapse_step(|state| &state.program.update),
            KernelStage::IntegrateTraces => self.integrate_traces(),
            KernelStage::Propagate => self.propagate(),
            KernelStage::Select => self.select(),
            KernelStage::OnSpike(end, order) => self.on_spike(end, order),
            KernelStage::Trace(end, order) => self.trace(end, order),
        }
    }

    fn stateful(self) -> impl Iterator<Item = StatefulProjection<'a>> {
        let places = self.plan.projections.iter().zip(&self.layout.projections).enumerate();
        let is_wanted = move |index: usize| self.only.is_none_or(|only| only.projection() == Some(index));
        places.filter(move |(index, _)| is_wanted(*index)).filter_map(|(_, (projection, place))| {
            Some(StatefulProjection { projection, state: projection.state.as_ref()?, place: place.as_ref()? })
        })
    }

    fn code(self, of: StatefulProjection<'_>, code: &Code, after: Writeback) -> SynapseCode {
        SynapseCode::of(self.plan, of.projection, of.state, code, after)
    }

    fn neurons(self, kernel: fn(Arc<Model>) -> Kernel, blocks: fn(&ModelGroup) -> BlockRange) -> Vec<Pass> {
        let groups = self.layout.groups.iter().map(|group| (group, blocks(group))).filter(|(_, blocks)| blocks.count > 0);
        groups.map(|(group, BlockRange { at, count })| Pass::of_blocks(kernel(group.model.clone()), [at, count, 0, 0])).collect()
    }

    /// What completes the last step of all neurons.
    pub(super) fn complete_step(self) -> Vec<Pass> {
        let of = |blocks: fn(&ModelGroup) -> BlockRange| self.neurons(Kernel::CompleteStep, blocks);
        of(|group| group.ahead).into_iter().chain(of(|group| group.stopping)).collect()
    }

    /// A code of all synapses of each projection that has it.
    fn synapse_step(self, code: fn(&StatePlan) -> &Code) -> Vec<Pass> {
        let with_code = self.stateful().filter(|of| !code(of.state).stores.is_empty());
        let pass = |of: StatefulProjection<'_>| {
            let kernel = Kernel::SynapseStep(self.code(of, code(of.state), Writeback::Store));
            Pass::of_items(kernel, [of.place.record as u32, 0, 0, 0], of.projection.rows().len() as u32)
        };
        with_code.map(pass).collect()
    }

    /// A step of the traces of the presynaptic neurons of each projection that has such.
    fn integrate_traces(self) -> Vec<Pass> {
        let with_code = self.stateful().filter(|of| !of.state.program.integrate_traces.stores.is_empty());
        let pass = |of: StatefulProjection<'_>| {
            let kernel = Kernel::IntegrateTraces(self.code(of, &of.state.program.integrate_traces, Writeback::Store));
            Pass::of_items(kernel, [of.place.record as u32, 0, 0, 0], self.plan.populations[of.projection.pre].size)
        };
        with_code.map(pass).collect()
    }

    /// The codes of regular steps of all synapses, each in a pass that does nothing while it is not due.
    fn run_regularly(self) -> Vec<Pass> {
        let pass = |of: StatefulProjection<'_>, regular: &RegularCode| {
            let code = SynapseCode { due: Some(regular.clock), ..self.code(of, &regular.code, Writeback::Store) };
            Pass::of_items(Kernel::SynapseStep(code), [of.place.record as u32, 0, 0, 0], of.projection.rows().len() as u32)
        };
        self.stateful().flat_map(|of| of.state.program.regular.iter().map(move |regular| pass(of, regular))).collect()
    }

    fn sample(self) -> Option<Pass> {
        let columns = self.plan.sampling.columns.len() as u32;
        self.layout.samples_state.then(|| Pass::of_items(SAMPLE, [self.plan.sampling.every, 0, 0, 0], columns))
    }

    fn couple(self) -> Vec<Pass> {
        let mut passes = Vec::new();
        let sums = self.plan.schedule().phases.iter().flat_map(|phase| &phase.kinds);
        for kind in sums.filter(|kind| self.only.is_none_or(|only| only == **kind)) {
            let PhaseKind::SumInputs { summed, .. } = *kind else { continue };
            let Some(of) = (LaidOutPlan { only: Some(*kind), ..self }).stateful().next() else { continue };
            let (sum, (lane, code)) = (&of.state.summed[summed], &of.state.program.summed[summed]);
            let population = of.projection.population(sum.end);
            let own = self.plan.own(population);
            let size = own.len();
            let variable = self.layout.populations[population].array(sum.array) as u32;
            let record = if sum.end == End::Third { of.place.record_of_third } else { of.place.record } as u32;
            let kernel = || Kernel::Couple(self.code(of, code, Writeback::Return(*lane)));
            let waits = waits(of.projection, of.state, summed, own);
            let mut copies = Vec::new();
            // Each for all neurons; those that add and those that do not are copied to their places afterwards.
            for adds in [false, true] {
                let sum_offset = if waits { self.layout.scratch as u32 + u32::from(adds) * size } else { variable };
                let parts = || sum.parts.iter().filter(|part| part.adds == adds).map(|part| own.places_in(&part.neurons));
                if parts().all(|places| places.is_empty()) {
                    continue;
                }
                let before = if adds { variable } else { u32::MAX };
                passes.push(Pass::of_items(kernel(), [record, size, sum_offset, before], size));
                for places in parts().filter(|places| waits && !places.is_empty()) {
                    let (from, to, count) = (sum_offset + places.start, variable + places.start, places.len() as u32);
                    copies.push(Pass::of_items(COPY, [0, count, from, to], count));
                }
            }
            passes.append(&mut copies);
        }
        passes
    }

    /// Synapses without state: each page, then the procedural ones. The first of these dispatches prepares the next epoch.
    fn propagate(self) -> Vec<Pass> {
        let epoch_steps = u64::from(self.layout.epoch_steps);
        let GpuConstants { spike_teams, drawing_teams, .. } = self.layout.shape.constants;
        // A page with lists alone has no walks, but the next epoch must be prepared.
        let pages = self.layout.pages.iter().enumerate().map(|(page, of)| {
            let job = [of.walks_offset, 0, u32::from(page == 0), 0];
            Pass::of_spikes(Kernel::Propagate, job, spike_teams, of.iterations * epoch_steps).on_page(page)
        });
        let drawn = self.layout.recipe_groups.iter().map(|group| {
            let kernel = Kernel::Procedural(group.rows.clone());
            Pass::of_spikes(kernel, [group.at, group.parts, 0, 0], drawing_teams, group.iterations * epoch_steps)
        });
        pages.chain(drawn).collect()
    }

    /// The winners of all populations that have any.
    fn select(self) -> Vec<Pass> {
        let SelectionList { at, chunks, iterations, has_groups } = self.layout.selections;
        let pass = |(part, digit)| Pass::of_chunks(Kernel::Select(part), [at, chunks, digit, 0], iterations);
        let of_groups = SelectPart::OF_GROUPS.into_iter().filter(|_| has_groups);
        SelectPart::DISPATCHES.into_iter().chain(of_groups).map(pass).collect()
    }

    fn on_spike(self, end: End, order: i32) -> Vec<Pass> {
        let of_projection = |of: StatefulProjection<'a>| {
            let pathways = of.projection.pathways.iter().enumerate();
            let is_wanted =
                move |index: usize| !matches!(self.only, Some(PhaseKind::OnSpike { pathway, .. }) if pathway != index);
            let acts = move |index: usize| of.state.program.pathways[index].acts();
            let pathways = pathways.filter(move |(index, pathway)| {
                (pathway.end, pathway.order) == (end, order) && acts(*index) && is_wanted(*index)
            });
            pathways.map(move |(pathway, _)| self.pathway(of, pathway))
        };
        self.stateful().flat_map(of_projection).collect()
    }

    fn pathway(self, of: StatefulProjection<'_>, pathway: usize) -> Pass {
        let StatefulProjection { projection, state, place } = of;
        let (arrival, code) = (&state.arrivals[pathway], &state.program.pathways[pathway].code);
        let writes = |array: usize| arrival.writes.iter().any(|(_, written)| *written == array);
        let kernel = |way| Kernel::OnSpike(self.code(of, code, Writeback::of_arrival(arrival)), way);
        let job = |count: u32, second: u32| [place.record as u32, count, place.pathways[pathway] as u32, second];
        if reads_written(projection, state, code, (End::Post, &writes)) {
            return Pass::of_blocks(kernel(EventTraversal::Serial), job(1, 0));
        }
        if !arrival.writes.is_empty() {
            let size = self.plan.own(projection.post).len();
            return Pass::of_items(kernel(EventTraversal::ByPost), job(size, 0), size);
        }
        let of = &projection.pathways[pathway];
        let neurons = projection.neurons(of.end, self.plan);
        // Words of 32 neurons, for each possible age of spikes.
        let words = neurons.end.div_ceil(32) - neurons.start / 32;
        let delays = of.delay.bounds();
        let ages = u64::from(delays.end - delays.start) + 1;
        let blocks = u32::try_from(u64::from(words) * ages).unwrap_or(u32::MAX);
        let synapses = (projection.rows().len() as u64).div_ceil(TEAM_SIZE.into());
        // If delays differ, a neuron's synapses are searched for those of an age.
        let of_neuron = if of.delay.is_shared() { 1 } else { ages * (1 + 2 * u64::from(u32::BITS)) };
        let iterations = u64::from(blocks) + neurons.len() as u64 * of_neuron + synapses;
        Pass::of_spikes(kernel(EventTraversal::BySpike), job(blocks, words), blocks, iterations)
    }

    fn trace(self, end: End, order: i32) -> Vec<Pass> {
        let lists = self.layout.traces.iter().filter(|list| (list.end, list.order) == (end, order));
        let pass = |TraceList { at, projections, words, codes, .. }: &TraceList| {
            Pass::of_items(Kernel::UpdateTraces(codes.clone()), [*at, *projections, 0, 0], *words)
        };
        lists.map(pass).collect()
    }
}
