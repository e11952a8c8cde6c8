//! Rules for which the expected number of synapses of a pair is the product of a number of each neuron.

use spikelet_network::connectors::Draw;

use super::super::connectivity::Connectivity;
use super::super::edge_source;

/// Numbers of the neurons of both sides whose product is the expected number of synapses of a pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Product {
    /// Of presynaptic neurons: one for all, or one for each neuron of the slice.
    pub pre: Vec<f64>,
    /// Of postsynaptic neurons, in the same form.
    pub post: Vec<f64>,
    /// How likely a neuron has no synapse onto some others.
    pub occurrence: Occurrence,
    /// Sums over the neurons of each side.
    sums: [f64; 2],
}

/// How the probability that a neuron has no synapse onto any of some neurons follows from expected numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Occurrence {
    /// Each pair has a synapse or not, independently.
    Pairs,
    /// This number of synapses is drawn for each presynaptic neuron.
    Draws(f64),
    /// Numbers of synapses have Poisson distributions.
    Poisson,
}

impl Product {
    /// Of a rule without a condition whose rows are uniform, or drawn in proportion to numbers of the neurons.
    pub(super) fn new(connectivity: &Connectivity<'_>, draw: &Draw, autapses: bool) -> Product {
        let [pres, posts] = [connectivity.pre.len() as f64, connectivity.post.len() as f64];
        let shared = connectivity.pre.start.max(connectivity.post.start)..connectivity.pre.end.min(connectivity.post.end);
        let left_out = if connectivity.recurrent && !autapses { shared.len() as f64 } else { 0.0 };
        let by_pairs = |multapses: bool| if multapses { Occurrence::Poisson } else { Occurrence::Pairs };
        let (each, occurrence) = match *draw {
            Draw::Bernoulli { p } => (p, Occurrence::Pairs),
            Draw::Outdegree { n, .. } => {
                let n = f64::from(n);
                (n / (posts - left_out / pres.max(1.0)), Occurrence::Draws(n))
            }
            Draw::Indegree { n, pre_range, multapses } => {
                let pres = pre_range.map_or(pres, |[first, end]| f64::from(end - first));
                (f64::from(n) / (pres - left_out / posts.max(1.0)).max(1.0), by_pairs(multapses))
            }
            Draw::Total { n, multapses } => (n as f64 / (pres * posts - left_out), by_pairs(multapses)),
            Draw::Attachment { n } => return Product::of_attachment(connectivity, f64::from(n)),
            Draw::Ranked { n, gammas } => {
                let [pre, post] = edge_source::ranked_weights(connectivity, gammas);
                let total = pre.iter().sum::<f64>() * post.iter().sum::<f64>();
                let pre = pre.into_iter().map(|weight| weight * n as f64 / total).collect();
                return Product::of(connectivity, pre, post, Occurrence::Poisson);
            }
            _ => (1.0, Occurrence::Pairs),
        };
        let each = if each.is_finite() { each } else { 0.0 };
        Product::of(connectivity, vec![each], vec![1.0], occurrence)
    }

    /// This number of synapses of each neuron of a ring, moved to any of the others.
    pub(super) fn moved(connectivity: &Connectivity<'_>, number: f64) -> Product {
        let others = (connectivity.post.len() as f64 - 1.0).max(1.0);
        Product::of(connectivity, vec![number / others], vec![1.0], Occurrence::Poisson)
    }

    /// Neurons that grow by attachment: the degree of the t-th falls as 1/√t (Barabási & Albert 1999). Each of `n` pairs of a neuron is two
    /// synapses.
    fn of_attachment(connectivity: &Connectivity<'_>, n: f64) -> Product {
        let weights: Vec<f64> = (0..connectivity.pre.len()).map(|at| 1.0 / libm::sqrt((at as f64).max(n) + 0.5)).collect();
        let sum: f64 = weights.iter().sum();
        let each = 2.0 * n * connectivity.pre.len() as f64 / (sum * sum);
        let pre = weights.iter().map(|weight| weight * each).collect();
        Product::of(connectivity, pre, weights, Occurrence::Poisson)
    }

    fn of(connectivity: &Connectivity<'_>, pre: Vec<f64>, post: Vec<f64>, occurrence: Occurrence) -> Product {
        let sum = |of: &[f64], neurons: usize| if of.len() == 1 { of[0] * neurons as f64 } else { of.iter().sum() };
        let sums = [sum(&pre, connectivity.pre.len()), sum(&post, connectivity.post.len())];
        Product { pre, post, occurrence, sums }
    }

    /// The number of a presynaptic neuron, counted from the start of the slice.
    pub fn of_pre(&self, at: u32) -> f64 {
        if self.pre.len() == 1 { self.pre[0] } else { self.pre[at as usize] }
    }

    /// The number of a postsynaptic neuron, counted from the start of the slice.
    pub fn of_post(&self, at: u32) -> f64 {
        if self.post.len() == 1 { self.post[0] } else { self.post[at as usize] }
    }

    /// The expected number of synapses of a presynaptic neuron.
    pub(super) fn outgoing(&self, at: u32) -> f64 {
        self.of_pre(at) * self.sums[1]
    }

    /// The expected number of synapses onto a postsynaptic neuron.
    pub(super) fn incoming(&self, at: u32) -> f64 {
        self.of_post(at) * self.sums[0]
    }

    /// Whether the degrees of a side are random.
    pub(super) fn varies(&self, side: usize) -> bool {
        let is_certain = self.occurrence == Occurrence::Pairs && self.pre == [1.0] && self.post == [1.0];
        !(is_certain || side == 0 && matches!(self.occurrence, Occurrence::Draws(_)))
    }
}
