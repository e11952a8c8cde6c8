//! A plan as a gather kernel wants it: synapses by postsynaptic neuron.

use spikelet::{PerSynapse, Plan};

/// Synapses by postsynaptic neuron, neurons by their numbers in the network.
pub(crate) struct Graph {
    /// Where the synapses of each neuron begin; one more than neurons.
    pub(crate) offsets: Vec<u32>,
    /// The postsynaptic neuron of each synapse.
    pub(crate) posts: Vec<u32>,
    /// Its presynaptic neuron.
    pub(crate) sources: Vec<u32>,
    /// What its event adds to each port of the neuron, in units of the port. A second port has what whole units of the first leave over.
    pub(crate) weights: Vec<i32>,
    /// Number of ports.
    pub(crate) ports: usize,
    /// Its delay in steps, the same for all.
    pub(crate) delay: u32,
}

impl Graph {
    /// Turns the rows of a plan over, whose projections all have kept rows, the same ports and the same delay for all synapses.
    pub(crate) fn new(plan: &Plan) -> Graph {
        let mut offsets = vec![0_u32; plan.neurons() as usize + 1];
        for projection in &plan.projections {
            let first = plan.populations[projection.post].first as usize;
            projection.rows().targets().for_each(|target| offsets[first + target as usize + 1] += 1);
        }
        for neuron in 1..offsets.len() {
            offsets[neuron] += offsets[neuron - 1];
        }
        let (mut next, count) = (offsets.clone(), plan.synapses() as usize);
        let ports = plan.populations.iter().map(|population| population.ports.len()).max().unwrap_or(1);
        let (mut posts, mut sources, mut weights) = (vec![0; count], vec![0; count], vec![0; count * ports]);
        let mut delays = Vec::new();
        for projection in &plan.projections {
            assert!(projection.state.is_none(), "{} has synapses with a state", projection.name);
            let (pre, post) = (&plan.populations[projection.pre], &plan.populations[projection.post]);
            let (rows, first) = (projection.rows(), pre.first + projection.pre_slice.start);
            for pathway in &projection.pathways {
                let PerSynapse::Shared(delay) = pathway.delay else { panic!("{} has several delays", projection.name) };
                delays.push(delay);
            }
            let writes = projection.writes().map(|(_, write)| (write.port, write.weights.units().collect::<Vec<i32>>()));
            let writes: Vec<(usize, Vec<i32>)> = writes.collect();
            for row in 0..rows.offsets.len() - 1 {
                for edge in rows.offsets[row] as usize..rows.offsets[row + 1] as usize {
                    let target = post.first + rows.target(edge);
                    let place = next[target as usize] as usize;
                    next[target as usize] += 1;
                    posts[place] = target;
                    sources[place] = first + row as u32;
                    for (port, listed) in &writes {
                        weights[place * ports + port] = if listed.len() == 1 { listed[0] } else { listed[edge] };
                    }
                }
            }
        }
        delays.dedup();
        let [delay] = delays[..] else { panic!("there are the delays {delays:?}") };
        Graph { offsets, posts, sources, weights, ports, delay }
    }
}
