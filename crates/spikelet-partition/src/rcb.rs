//! Slabs along an axis, and recursive coordinate bisection (Berger & Bokhari 1987, IEEE Trans Comput 36:570).

use crate::groups::Group;
use crate::method::Axis;

/// The part of each neuron of a group, of parts with equal weights: slabs along an axis.
pub(crate) fn slabs(group: &Group, weights: &[f64], axis: Axis, parts: u32) -> Vec<u32> {
    let mut places: Vec<u32> = (0..group.neurons.len() as u32).collect();
    group.sort(&mut places, axis);
    let mut part_of = vec![0; places.len()];
    let (mut rest, mut first) = (places.as_slice(), 0);
    while first + 1 < parts {
        let (own, others) = rest.split_at(cut(rest, weights, [1, parts - first - 1]));
        own.iter().for_each(|place| part_of[*place as usize] = first);
        (rest, first) = (others, first + 1);
    }
    rest.iter().for_each(|place| part_of[*place as usize] = first);
    part_of
}

/// The part of each neuron of a group, of parts with equal weights: boxes.
pub(crate) fn bisected(group: &Group, weights: &[f64], parts: u32) -> Vec<u32> {
    let mut places: Vec<u32> = (0..group.neurons.len() as u32).collect();
    let mut part_of = vec![0; places.len()];
    bisect(group, weights, &mut places, 0..parts, &mut |place, part| part_of[place as usize] = part);
    part_of
}

/// Divides some neurons, by their place in the group, into parts.
pub(crate) fn bisect(
    group: &Group,
    weights: &[f64],
    places: &mut [u32],
    parts: std::ops::Range<u32>,
    assign: &mut impl FnMut(u32, u32),
) {
    if parts.len() <= 1 {
        places.iter().for_each(|place| assign(*place, parts.start));
        return;
    }
    group.sort(places, group.longest(places));
    let middle = parts.start + parts.len() as u32 / 2;
    let at = cut(places, weights, [middle - parts.start, parts.end - middle]);
    let (low, high) = places.split_at_mut(at);
    bisect(group, weights, low, parts.start..middle, assign);
    bisect(group, weights, high, middle..parts.end, assign);
}

/// The place at which neurons are cut for these numbers of parts: each part has a neuron if there are enough.
fn cut(places: &[u32], weights: &[f64], parts: [u32; 2]) -> usize {
    let all: f64 = places.iter().map(|place| weights[*place as usize]).sum();
    let wanted = all * f64::from(parts[0]) / f64::from(parts[0] + parts[1]);
    let mut sum = 0.0;
    let below = |place: &&u32| {
        let weight = weights[**place as usize];
        sum += weight;
        sum - 0.5 * weight < wanted
    };
    let at = places.iter().take_while(below).count();
    let most = places.len().saturating_sub(parts[1] as usize);
    at.clamp((parts[0] as usize).min(most), most)
}
