//! The synapses of a training.

use spikelet_lang::End;
use spikelet_network::Error;
use spikelet_plan::{EdgePlan, PerSynapse, Plan};

/// A projection: all its synapses, in the order of its rows.
#[derive(Debug, Clone)]
pub struct TrainedProjection {
    /// Index of the presynaptic population.
    pub pre: usize,
    /// Index of the postsynaptic population.
    pub post: usize,
    /// The port of the postsynaptic population that it adds to.
    pub port: usize,
    /// First synapse of each presynaptic neuron, and the number of all.
    pub rows: Vec<u32>,
    /// The postsynaptic neuron of each synapse.
    pub targets: Vec<u32>,
    /// Delays in steps: one for all, or one per synapse. A spike of step k is delivered in step k + 1 + delay.
    pub delays: Vec<u32>,
    /// Initial weights in the inner unit of the variable: one per synapse.
    pub weights: Vec<f64>,
    /// The synapses by postsynaptic neuron, with increasing presynaptic neurons: their places in the rows.
    pub by_post: Vec<u32>,
    /// First entry of each postsynaptic neuron in `by_post`, and the number of all.
    pub columns: Vec<u32>,
    /// Whether adjoints of spikes pass through it. With e-prop they do not, where the target has a threshold: no error is propagated from
    /// spiking neurons to others (Bellec et al. 2020, Nature Communications 11:3625, eq. 1–4).
    pub passes_adjoints: bool,
    /// Index of the group of its weights; `None` if they are not trained.
    pub group: Option<usize>,
}

impl TrainedProjection {
    /// The delay of a synapse in steps.
    pub fn delay(&self, synapse: usize) -> u32 {
        if self.delays.len() == 1 { self.delays[0] } else { self.delays[synapse] }
    }

    /// The synapses of a presynaptic neuron.
    pub fn row(&self, pre: usize) -> std::ops::Range<usize> {
        self.rows[pre] as usize..self.rows[pre + 1] as usize
    }
}

/// The one pathway of a projection without state.
pub(super) fn flatten(plan: &Plan, index: usize) -> Result<TrainedProjection, Error> {
    let of = &plan.projections[index];
    let reject = |found: &str, way_out: &str| {
        let expected = "synapses that only add a weight to a variable of the postsynaptic neuron";
        Err(Error::invalid(format!("projections[{index}]"), format!("`{}` {found}", of.name), expected, way_out))
    };
    if of.state.is_some() {
        return reject("has synapses with state", "write `x_post += w` in `on_pre`, and the dynamics into the neuron");
    }
    let [pathway] = of.pathways.as_slice() else { return reject("has several pathways", "divide it into projections") };
    // The remainders of small weights have a port of their own in a simulation; a training sums in one unit.
    let mut writes = pathway.writes.iter().filter(|write| write.exact.is_some());
    let (Some(write), None) = (writes.next(), writes.next()) else {
        return reject("adds to several variables", "divide it into projections");
    };
    if pathway.end != End::Pre {
        return reject("waits for postsynaptic spikes", "use `on_pre`");
    }
    let EdgePlan::Stored(rows) = &of.edges else { return reject("is procedural", "write \"storage\": \"stored\"") };
    let size = plan.populations[of.pre].size as usize;
    let first = of.pre_slice.start as usize;
    let end = |pre: usize| rows.offsets[pre.clamp(first, first + rows.offsets.len() - 1) - first] as u32;
    let targets: Vec<u32> = rows.targets().collect();
    let delays = match &pathway.delay {
        PerSynapse::Shared(delay) => vec![*delay],
        _ => (0..targets.len()).map(|synapse| of.delay(0, synapse)).collect(),
    };
    let weights = match &write.exact {
        Some(PerSynapse::Shared(weight)) => vec![*weight; targets.len()],
        Some(PerSynapse::Each(weights)) => weights.to_vec(),
        _ => return reject("has weights that are drawn at every spike", "write \"storage\": \"stored\""),
    };
    let mut by_post: Vec<u32> = (0..targets.len() as u32).collect();
    // Stable: the presynaptic neurons of a postsynaptic neuron keep their order.
    by_post.sort_by_key(|synapse| targets[*synapse as usize]);
    let column = |neuron: u32| by_post.partition_point(|synapse| targets[*synapse as usize] < neuron) as u32;
    let columns = (0..=plan.populations[of.post].size).map(column).collect();
    let rows = (0..=size).map(end).collect();
    Ok(TrainedProjection {
        pre: of.pre,
        post: of.post,
        port: write.port,
        rows,
        targets,
        delays,
        weights,
        by_post,
        columns,
        passes_adjoints: true,
        group: None,
    })
}
