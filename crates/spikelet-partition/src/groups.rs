//! Neurons with positions, by the space that they are in.

use spikelet_plan::NeuronPositions;

use crate::method::Axis;

/// Populations in the same space.
pub(crate) struct Group {
    pub(crate) dimensions: usize,
    /// Extent of periodic space along each axis; infinite if it is not periodic.
    extent: [f64; 4],
    /// Neurons by their numbers in the network, increasing.
    pub(crate) neurons: Vec<u32>,
    /// Their positions.
    pub(crate) points: Vec<[f64; 4]>,
}

impl Group {
    /// All groups; `first` has the number of the first neuron of each population.
    pub(crate) fn all(positions: Vec<Option<NeuronPositions>>, first: &[u32]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (positions, first) in positions.into_iter().zip(first) {
            let Some(NeuronPositions { dimensions, extent, points }) = positions else { continue };
            let neurons = *first..first + points.len() as u32;
            match groups.iter_mut().find(|group| (group.dimensions, group.extent) == (dimensions, extent)) {
                Some(group) => {
                    group.neurons.extend(neurons);
                    group.points.extend(points);
                }
                None => groups.push(Group { dimensions, extent, neurons: neurons.collect(), points }),
            }
        }
        groups
    }

    /// The way from a point of the space to another one along each axis, the shortest one if the space is periodic.
    pub(crate) fn way(&self, from: [f64; 4], to: [f64; 4]) -> [f64; 4] {
        let mut ways = [0.0; 4];
        for (axis, extent) in self.extent.into_iter().enumerate().take(self.dimensions) {
            let way = to[axis] - from[axis];
            ways[axis] = match way {
                _ if way > 0.5 * extent => way - extent,
                _ if way < -0.5 * extent => way + extent,
                _ => way,
            };
        }
        ways
    }

    /// A point of periodic space between 0 and its extent.
    pub(crate) fn wrapped(&self, point: [f64; 4]) -> [f64; 4] {
        std::array::from_fn(|axis| {
            let (x, extent) = (point[axis], self.extent[axis]);
            if extent.is_finite() && extent > 0.0 { x - extent * libm::floor(x / extent) } else { x }
        })
    }

    /// The axis along which some of the neurons, by their place in the group, extend furthest.
    pub(crate) fn longest(&self, places: &[u32]) -> Axis {
        let (mut least, mut most) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
        for place in places {
            let point = self.points[*place as usize];
            for axis in 0..4 {
                least[axis] = least[axis].min(point[axis]);
                most[axis] = most[axis].max(point[axis]);
            }
        }
        let extent = |axis: Axis| most[axis as usize] - least[axis as usize];
        Axis::ALL.into_iter().fold(Axis::X, |longest, axis| if extent(axis) > extent(longest) { axis } else { longest })
    }

    /// Sorts neurons, by their place in the group, along an axis; equal ones by their numbers.
    pub(crate) fn sort(&self, places: &mut [u32], axis: Axis) {
        let at = |place: u32| self.points[place as usize][axis as usize];
        places.sort_unstable_by(|a, b| at(*a).total_cmp(&at(*b)).then(a.cmp(b)));
    }
}
