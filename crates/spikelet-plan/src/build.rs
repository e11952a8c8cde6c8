//! Building of a plan in steps.

use std::cell::OnceCell;
use std::sync::Arc;

use spikelet_lang::model::{End, NeuronRead};
use spikelet_network::{Error, Network, Storage};
use spikelet_rows::{Part, Partition};

use super::options::BuildOptions;
use super::{PartSummary, Plan, too_large};
use crate::check::changes;
use crate::check::checked::{self, CheckedProjection};
use crate::draw::drawing::{Drawing, Preparing};
use crate::draw::memory::Estimate;
use crate::draw::realized::RealizedProjection;
use crate::layout::statistics;
use crate::neurons;
use crate::neurons::population::CheckedPopulation;
use crate::neurons::sources::LoweredNetwork;
use crate::pool::Pool;

/// The progress of a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The projection that is being drawn; empty before the first and after the last.
    pub projection: String,
    /// Synapses drawn so far.
    pub synapses: u64,
    /// Expected number of synapses.
    pub expected: f64,
    /// Whether all are drawn.
    pub is_done: bool,
}

/// A plan that is being built; dropping it cancels the work.
pub struct Builder<'a> {
    whole: Arc<LoweredNetwork<'a>>,
    neurons: Vec<CheckedPopulation>,
    /// Checked projections that are not drawn yet, the next one last.
    waiting: Vec<(usize, CheckedProjection)>,
    storages: Vec<Option<Storage>>,
    preparing: Option<Preparing<'a>>,
    drawing: Option<Drawing<'a>>,
    drawn: Vec<RealizedProjection>,
    estimate: Estimate,
    options: BuildOptions,
    /// The threads that draw: given ones, else its own, started when there is work for several.
    lent: Option<&'a Pool>,
    own: OnceCell<Pool>,
    synapses: u64,
}

impl<'a> Builder<'a> {
    /// Checks a network: its models, values and sizes.
    ///
    /// # Errors
    /// Any error of the network, with its place; or it needs more memory than available.
    pub fn new(network: &'a Network, options: BuildOptions) -> Result<Builder<'a>, Error> {
        network.validate()?;
        network.check_files()?;
        if network.neurons() > u64::from(u32::MAX) {
            return Err(too_large(network));
        }
        let sizes = Partition::shape(network).into_iter().map(|(_, size)| size);
        Builder::of_part(network, options, Part::whole(sizes))
    }

    /// The same for a part: only own neurons and synapses onto them. Memory and time to draw are those of the part for rules whose rows are
    /// drawn from counters, one by one, or by postsynaptic neuron; each rank draws all edges of `scale_free` rules, those of a total number
    /// without multapses, and rows with a cap of presynaptic neurons, a part at a time, and keeps its own.
    ///
    /// # Errors
    /// As [`Builder::new`].
    pub fn of_part(network: &'a Network, options: BuildOptions, part: Part) -> Result<Builder<'a>, Error> {
        network.validate()?;
        network.check_files()?;
        // Parts of about the same size.
        let memory = options.memory.map(|memory| memory.saturating_mul(part.ranks() as u64));
        let all_parts = BuildOptions { memory, ..options };
        Estimate::check_neurons(network, memory)?;
        let of_third = network.projections.iter().enumerate().find_map(|(index, of)| Some((index, of.third.as_ref()?)));
        if let (false, Some((index, third))) = (part.is_whole(), of_third) {
            let (path, found) = (format!("projections[{index}].third"), format!("{:?}", third.population));
            let expected = "third neurons are on the same rank as the neurons of their synapses";
            return Err(Error::invalid(path, found, expected, "use one rank"));
        }
        let whole = LoweredNetwork::of_part(network, Arc::new(part))?;
        let mut estimate = Estimate::of_lowered(&whole, options.weights)?;
        let mut neurons = neurons::check(&whole)?;
        changes::check(network, &neurons)?;
        let mut waiting = Vec::new();
        for index in 0..whole.projections.len() {
            let checked = checked::check(&whole, index, &neurons)?;
            // Synapses may read values of presynaptic neurons of other ranks before the run.
            let is_value = |read: &NeuronRead| read.end == End::Pre && neurons[checked.pre].differs(&read.name);
            if !whole.part.is_whole() && !checked.model.is_static() && checked.model.reads.iter().any(is_value) {
                let everywhere = neurons::check_one(&LoweredNetwork::new(network)?, checked.pre)?.values;
                neurons[checked.pre].everywhere = Some(Arc::new(everywhere));
            }
            waiting.push((index, checked));
        }
        for (index, checked) in waiting.iter().filter(|_| memory.is_some()) {
            if let Some(words) = checked.words_of_state(&neurons[checked.post]) {
                estimate.add_state(*index, words);
            }
        }
        let storages = estimate.fit(&whole, all_parts)?;
        statistics::check(&whole, &waiting.iter().map(|(_, checked)| checked))?;
        waiting.reverse();
        Ok(Builder {
            whole: Arc::new(whole),
            neurons,
            waiting,
            storages,
            preparing: None,
            drawing: None,
            drawn: Vec::new(),
            estimate,
            options,
            lent: None,
            own: OnceCell::new(),
            synapses: 0,
        })
    }

    /// The same, drawn by the threads of a pool.
    pub fn with_pool(self, pool: &'a Pool) -> Builder<'a> {
        Builder { lent: Some(pool), ..self }
    }

    /// The estimated memory of the plan.
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// Does a part of the work, about 10 ms; returns the progress.
    ///
    /// # Errors
    /// An invalid value in one of the synapses.
    pub fn advance(&mut self) -> Result<Progress, Error> {
        if self.drawing.is_none()
            && self.preparing.is_none()
            && let Some((index, checked)) = self.waiting.pop()
        {
            let weights = self.whole.projections[index].weights.or(self.options.weights);
            let preparing =
                Preparing::new(self.whole.clone(), index, checked, self.storages[index], (weights, self.options.exact))?;
            self.preparing = Some(preparing);
        }
        if let Some(mut preparing) = self.preparing.take() {
            if !preparing.advance()? {
                let (name, progress) = (preparing.name().to_owned(), preparing.progress());
                self.preparing = Some(preparing);
                return Ok(self.progress(name, progress));
            }
            let index = preparing.index();
            let drawing = preparing.finish()?;
            if self.storages[index] == Some(Storage::Procedural) && !drawing.is_procedural() {
                // Its values need the host: it must be stored.
                self.estimate.keep(&self.whole, index, self.options)?;
            }
            self.drawing = Some(drawing);
        }
        let Some(drawing) = &mut self.drawing else { return Ok(self.progress(String::new(), 0)) };
        let threads = self.lent.map_or(self.options.threads.get(), Pool::threads);
        let parts = match drawing.next(threads).as_slice() {
            [] => Vec::new(),
            [stretch] => vec![drawing.draw(stretch.clone())],
            stretches => {
                let pool = self.lent.unwrap_or_else(|| self.own.get_or_init(|| Pool::new(threads)));
                pool.by_turns(stretches.iter().cloned(), |stretch| drawing.draw(stretch))
            }
        };
        for part in parts {
            drawing.add(part?)?;
        }
        let (name, synapses, progress) = (drawing.name().to_owned(), drawing.synapses(), drawing.progress());
        if let Some(done) = self.drawing.take_if(|drawing| drawing.is_done()) {
            let done = done.finish()?;
            self.synapses += synapses;
            self.drawn.push(done);
            return Ok(self.progress(name, 0));
        }
        Ok(self.progress(name, progress))
    }

    fn progress(&self, projection: String, under_way: u64) -> Progress {
        let is_done = self.waiting.is_empty() && self.preparing.is_none() && self.drawing.is_none();
        let (synapses, expected) = (self.synapses + under_way, self.estimate.synapses());
        Progress { projection, synapses, expected: expected.max(synapses as f64), is_done }
    }

    /// Completes the work and returns the plan.
    ///
    /// # Errors
    /// As [`Builder::advance`]; the drawn network is inconsistent; or a device would need more memory than available.
    pub fn finish(mut self) -> Result<Plan, Error> {
        let summary = self.summary()?;
        self.finish_with(&summary)
    }

    /// Draws everything, and returns what the other ranks must know of it.
    ///
    /// # Errors
    /// As [`Builder::advance`].
    pub fn summary(&mut self) -> Result<PartSummary, Error> {
        while !self.advance()?.is_done {}
        Ok(PartSummary::of(&self.whole, &self.neurons, &self.drawn))
    }

    /// The own part of the rows with recorded synapses, as words, if there are any.
    pub(super) fn recorded_rows(&self, summary: &PartSummary) -> Option<Vec<u32>> {
        summary.recorded_rows(&self.whole, &self.drawn)
    }

    /// Returns the plan, from the summary of all ranks.
    ///
    /// # Errors
    /// As [`Builder::finish`].
    pub fn finish_with(mut self, summary: &PartSummary) -> Result<Plan, Error> {
        while !self.advance()?.is_done {}
        let plan = Plan::assemble(&self.whole, &self.neurons, (self.drawn, summary), None, self.options.exact)?;
        plan.check_memory(self.options.memory)?;
        Ok(plan)
    }
}
