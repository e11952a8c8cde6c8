//! The division of a network among ranks.

use std::sync::Arc;

use spikelet_network::Error;
use spikelet_rows::{Assignment, Partition};

use crate::method::{Axis, Method};
use crate::problem::{FREE, Problem};
use crate::{blocks, graph, kmeans, rcb};

impl Problem<'_> {
    /// The methods that can divide the network.
    pub fn methods(&self) -> Vec<Method> {
        let dimensions = self.groups.iter().map(|group| group.dimensions).max().unwrap_or(0);
        let axes = Axis::ALL.into_iter().take(dimensions).map(|axis| Method::Axis(Some(axis)));
        let in_space: &[Method] = if dimensions > 0 { &[Method::Bisection, Method::KMeans] } else { &[] };
        [Method::Blocks].into_iter().chain(axes).chain(in_space.iter().copied()).chain([Method::Graph]).collect()
    }

    /// Divides the network among ranks.
    ///
    /// # Errors
    /// There are no ranks or more ranks than neurons, or the method needs positions that no population has.
    pub fn divide(&self, ranks: usize, method: Method) -> Result<Partition, Error> {
        // Checks the number of ranks.
        let equal = Partition::blocks(self.network, ranks)?;
        if ranks == 1 {
            return Ok(equal);
        }
        self.check(method)?;
        let parts = ranks as u32;
        let mut rank_of = vec![FREE; self.load.len()];
        for group in self.groups.iter().filter(|_| method != Method::Blocks) {
            let weights: Vec<f64> = group.neurons.iter().map(|neuron| self.weights[*neuron as usize]).collect();
            let all = || (0..weights.len() as u32).collect::<Vec<u32>>();
            let part_of = match method {
                Method::Axis(axis) => {
                    let axis = axis.unwrap_or_else(|| group.longest(&all()));
                    // Populations with fewer coordinates are spread like those without any.
                    if axis as usize >= group.dimensions {
                        continue;
                    }
                    rcb::slabs(group, &weights, axis, parts)
                }
                Method::KMeans => kmeans::balanced(group, &weights, &rcb::bisected(group, &weights, parts), parts),
                _ => rcb::bisected(group, &weights, parts),
            };
            group.neurons.iter().zip(part_of).for_each(|(neuron, part)| rank_of[*neuron as usize] = part);
        }
        blocks::spread(self, &mut rank_of, ranks);
        if method == Method::Graph {
            graph::refine(self, &mut rank_of, ranks);
        }
        self.partition(ranks, rank_of)
    }

    fn check(&self, method: Method) -> Result<(), Error> {
        let dimensions = self.groups.iter().map(|group| group.dimensions).max().unwrap_or(0);
        let missing = match method {
            Method::Axis(Some(axis)) => axis as usize >= dimensions,
            Method::Axis(None) | Method::Bisection | Method::KMeans => dimensions == 0,
            Method::Blocks | Method::Graph => false,
        };
        if !missing {
            return Ok(());
        }
        let expected = match dimensions {
            0 => "no population of the network has positions".to_owned(),
            1 => "the positions of the network have only the coordinate x".to_owned(),
            some => {
                let names: Vec<&str> = Axis::ALL.iter().take(some).map(|axis| axis.name()).collect();
                format!("the positions of the network have only the coordinates {}", names.join(", "))
            }
        };
        let methods: Vec<String> = self.methods().iter().map(ToString::to_string).collect();
        Err(Error::invalid("the method", method, expected, format!("use one of {}", methods.join(", "))))
    }

    /// The partition with these ranks of neurons; those that follow others get their ranks here.
    fn partition(&self, ranks: usize, mut rank_of: Vec<u32>) -> Result<Partition, Error> {
        for (source, target) in &self.followers {
            rank_of[*source as usize] = rank_of[*target as usize];
        }
        let assignment = |ends: &[u32]| {
            let own = &rank_of[ends[0] as usize..ends[1] as usize];
            if !own.is_sorted() {
                return Assignment::Each(Arc::new(own.to_vec()));
            }
            let bound = |rank: u32| own.partition_point(|of| *of < rank) as u32;
            Assignment::Blocks((0..=ranks as u32).map(bound).collect())
        };
        Partition::new(self.network, ranks, self.first.windows(2).map(assignment).collect())
    }
}
