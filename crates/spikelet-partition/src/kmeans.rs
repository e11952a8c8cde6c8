//! Balanced k-means (von Looz, Tzovas & Meyerhenke 2018, "Balanced k-means for parallel geometric partitioning"): the influence of a centre
//! grows while its part is too light.

use crate::groups::Group;

/// Number of times that centres move.
const ROUNDS: usize = 40;
/// Number of neurons that move them.
const MOVERS: usize = 20_000;
/// The weight of a part above the mean that is allowed.
const SLACK: f64 = 1.01;

/// A centre of a part.
#[derive(Clone, Copy)]
struct Centre {
    at: [f64; 4],
    /// Squares of distances are divided by it.
    influence: f64,
}

impl Centre {
    fn distance(&self, group: &Group, point: [f64; 4]) -> f64 {
        group.way(self.at, point).iter().map(|way| way * way).sum::<f64>() / self.influence
    }
}

/// Moves the parts of a group of neurons towards equal weights and small distances within each.
pub(crate) fn balanced(group: &Group, weights: &[f64], start: &[u32], parts: u32) -> Vec<u32> {
    let movers: Vec<usize> = (0..group.points.len()).step_by(group.points.len().div_ceil(MOVERS).max(1)).collect();
    let mut centres = vec![Centre { at: [0.0; 4], influence: 1.0 }; parts as usize];
    // Of each part, any neuron: from there to the mean is the shortest way in periodic space.
    for mover in movers.iter().rev() {
        centres[start[*mover] as usize].at = group.points[*mover];
    }
    let mut part_of: Vec<u32> = movers.iter().map(|mover| start[*mover]).collect();
    for round in 0..=ROUNDS {
        let sums = moved(group, weights, &movers, &part_of, &mut centres);
        let mean = sums.iter().sum::<f64>() / sums.len() as f64;
        if round > 0 {
            for (centre, sum) in centres.iter_mut().zip(&sums) {
                let factor = libm::pow(mean / sum.max(0.01 * mean), 1.0 / group.dimensions.max(1) as f64);
                centre.influence *= factor.clamp(0.8, 1.25);
            }
        }
        if round < ROUNDS {
            part_of = movers.iter().map(|mover| nearest(group, &centres, group.points[*mover])[0].1).collect();
        }
    }
    within_limits(group, weights, &centres)
}

/// Moves each centre to the mean of its neurons; the weights of the parts.
fn moved(group: &Group, weights: &[f64], movers: &[usize], part_of: &[u32], centres: &mut [Centre]) -> Vec<f64> {
    let mut sums = vec![(0.0, [0.0; 4]); centres.len()];
    for (mover, part) in movers.iter().zip(part_of) {
        let way = group.way(centres[*part as usize].at, group.points[*mover]);
        let (sum, ways) = &mut sums[*part as usize];
        *sum += weights[*mover];
        (0..4).for_each(|axis| ways[axis] += weights[*mover] * way[axis]);
    }
    for (centre, (sum, ways)) in centres.iter_mut().zip(&sums).filter(|(_, (sum, _))| *sum > 0.0) {
        centre.at = group.wrapped(std::array::from_fn(|axis| centre.at[axis] + ways[axis] / sum));
    }
    sums.into_iter().map(|(sum, _)| sum).collect()
}

/// The nearest centre, and the second one.
fn nearest(group: &Group, centres: &[Centre], point: [f64; 4]) -> [(f64, u32); 2] {
    let mut found = [(f64::INFINITY, 0); 2];
    for (part, centre) in (0..).zip(centres) {
        let distance = centre.distance(group, point);
        if distance < found[0].0 {
            found = [(distance, part), found[0]];
        } else if distance < found[1].0 {
            found[1] = (distance, part);
        }
    }
    found
}

/// The nearest centre of each neuron whose part is not full: those come first that lose most by another centre.
fn within_limits(group: &Group, weights: &[f64], centres: &[Centre]) -> Vec<u32> {
    let loss = |point: &[f64; 4]| {
        let [(first, _), (second, _)] = nearest(group, centres, *point);
        first - second
    };
    let losses: Vec<f64> = group.points.iter().map(loss).collect();
    let mut order: Vec<u32> = (0..losses.len() as u32).collect();
    order.sort_unstable_by(|a, b| losses[*a as usize].total_cmp(&losses[*b as usize]).then(a.cmp(b)));
    let limit = SLACK * weights.iter().sum::<f64>() / centres.len() as f64;
    let (mut part_of, mut sums) = (vec![0; losses.len()], vec![0.0; centres.len()]);
    for place in order {
        let weight = weights[place as usize];
        // If none has room for a whole neuron, the lightest part gets it.
        let mut best = (f64::INFINITY, f64::INFINITY, 0);
        for (part, centre) in centres.iter().enumerate() {
            let over = (sums[part] + weight - limit).max(0.0);
            let distance = if over <= 0.0 { centre.distance(group, group.points[place as usize]) } else { f64::INFINITY };
            let found = (if distance.is_finite() { 0.0 } else { over }, distance, part);
            if (found.0, found.1) < (best.0, best.1) {
                best = found;
            }
        }
        part_of[place as usize] = best.2 as u32;
        sums[best.2] += weight;
    }
    part_of
}
