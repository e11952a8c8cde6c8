//! Convolutions among matrices: weights that are shared along one or two dimensions.

use std::collections::{BTreeSet, HashMap, hash_map::Entry};

use super::graph::{Convolution, Node, Padding};
use super::tensor::Tensor;

/// A synapse: indices of its neurons before and behind it, and its weight.
pub(super) type Synapse = ([u32; 2], f64);

/// Channels, height and width of a signal; the height is 1 where there is one dimension.
type Extents = [usize; 3];

/// A convolution that has the weights of a matrix, with the shapes of its input and output.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) input: Vec<usize>,
    pub(super) output: Vec<usize>,
    convolution: Convolution,
}

impl Found {
    /// The node, with constant inputs of neurons that are the same in each channel.
    pub(super) fn node(&self, bias: Option<Vec<f64>>) -> Node {
        let (channels, each) = (self.output[0], self.output[1..].iter().product());
        let of_channels = bias.map(|bias| bias.into_iter().step_by(each).collect());
        let bias = Tensor::new([channels], of_channels.unwrap_or_else(|| vec![0.0; channels]));
        let convolution = Convolution { bias, ..self.convolution.clone() };
        if self.input.len() == 2 { Node::Conv1d(convolution) } else { Node::Conv2d(convolution) }
    }
}

/// The convolution with exactly these synapses from `inputs` to `outputs` neurons, of all possible shapes the one with the fewest weights; `None`
/// if there is none in which each weight stands for two synapses on average, with windows that fit into the input and are not single elements. The
/// shape of the input may be known; otherwise an output of a single column is not found.
pub(super) fn find(synapses: &[Synapse], inputs: usize, known: Option<&[usize]>, outputs: usize) -> Option<Found> {
    let mut sorted: Vec<Synapse> = synapses.iter().filter(|(_, weight)| *weight != 0.0).copied().collect();
    sorted.sort_unstable_by_key(|([pre, post], _)| [*post, *pre]);
    if sorted.is_empty() || sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let is_line = known.is_some_and(|shape| shape.len() == 2);
    let known =
        known.map(|shape| if let [channels, width] = *shape { [channels, 1, width] } else { [shape[0], shape[1], shape[2]] });
    let search = Search { sorted: &sorted, inputs, outputs, known };
    let mut best = None;
    let mut most = sorted.len() / 2;
    for widths in search.widths() {
        for heights in search.heights(widths).filter(|[_, height]| *height == 1 || !is_line) {
            let [input, output] = [0, 1].map(|end| {
                let (width, height) = (widths[end], heights[end]);
                [[inputs, outputs][end] / width / height, height, width]
            });
            let found = Shared::of(&sorted, input, output, most).and_then(|shared| shared.convolution(input, output));
            if let Some(convolution) = found.filter(|found| found.weight.values.len() <= most) {
                most = convolution.weight.values.len() - 1;
                best = Some(Found::new(convolution, input, output, known.is_some() && !is_line));
            }
        }
    }
    best
}

/// The shapes in question: pairs of extents, of the input and of the output. Long rows and channels of outputs are first, since parts of them share
/// weights, too; of inputs the short ones, since several are one with dilated windows.
struct Search<'a> {
    sorted: &'a [Synapse],
    inputs: usize,
    outputs: usize,
    known: Option<Extents>,
}

impl Search<'_> {
    /// Widths with which the neurons of the first row of outputs share weights. Most fail with the first two of them. Inputs with columns of a single
    /// element are lines, which are found as rows.
    fn widths(&self) -> impl Iterator<Item = [usize; 2]> {
        let may_be = |width: &usize| self.known.map_or(*width > 1, |[_, _, known]| known == *width);
        let all = divisors(self.outputs).into_iter().rev().filter(|width| *width > 1 || self.known.is_some());
        let all = all.flat_map(move |width| divisors(self.inputs).into_iter().filter(may_be).map(move |before| [before, width]));
        all.filter(|[before, width]| {
            let input = [self.inputs / before, 1, *before];
            self.shares(input, 1, *width.min(&2)) && self.shares(input, 1, *width)
        })
    }

    /// Heights with which the rows of the first channel of outputs share weights.
    fn heights(&self, [before, width]: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
        let may_be = |height: &usize| self.known.is_none_or(|[_, known, _]| known == *height);
        let all = divisors(self.outputs / width).into_iter().rev().filter(move |height| height * width > 1);
        let inputs = move || divisors(self.inputs / before).into_iter().filter(may_be);
        let all = all.flat_map(move |height| inputs().map(move |above| [above, height]));
        all.filter(move |[above, height]| {
            let input = [self.inputs / before / above, *above, before];
            self.shares(input, *height.min(&2), width) && self.shares(input, *height, width)
        })
    }

    fn shares(&self, input: Extents, rows: usize, columns: usize) -> bool {
        let count = self.sorted.partition_point(|([_, post], _)| (*post as usize) < rows * columns);
        Shared::of(&self.sorted[..count], input, [1, rows, columns], count).is_some()
    }
}

impl Found {
    /// With one dimension if there is no second one, unless the input is known to have two.
    fn new(mut convolution: Convolution, input: Extents, output: Extents, is_plane: bool) -> Found {
        let (mut input, mut output) = (input.to_vec(), output.to_vec());
        if input[1] == 1 && output[1] == 1 && !is_plane {
            input.remove(1);
            output.remove(1);
            convolution.weight.shape.remove(2);
            convolution.stride.remove(0);
            convolution.dilation.remove(0);
            if let Padding::Each(padding) = &mut convolution.padding {
                padding.remove(0);
            }
        }
        Found { input, output, convolution }
    }
}

/// Its divisors, the small ones first.
fn divisors(of: usize) -> Vec<usize> {
    let small: Vec<usize> = (1..=of.isqrt()).filter(|divisor| of.is_multiple_of(*divisor)).collect();
    let large = small.iter().rev().map(|divisor| of / divisor).filter(|divisor| divisor * divisor != of);
    small.iter().copied().chain(large).collect()
}

/// Weights that depend on the channels and on how far the input is from the window of the output.
struct Shared {
    stride: [usize; 2],
    /// By the channels of output and input, and by the distances along both axes.
    weights: HashMap<(usize, usize, [i64; 2]), f64>,
}

impl Shared {
    /// The weights, if all synapses of these shapes share them; there are none besides, and at most a number of them.
    fn of(synapses: &[Synapse], input: Extents, output: Extents, most: usize) -> Option<Shared> {
        let at = |place: u32, [_, height, width]: Extents| {
            let place = place as usize;
            (place / (height * width), [place / width % height, place % width])
        };
        let along = |axis: usize| {
            let ends = synapses.iter().map(move |([pre, post], _)| (at(*post, output).1[axis], at(*pre, input).1[axis]));
            stride(ends, output[axis + 1])
        };
        let stride = [along(0)?, along(1)?];
        let mut weights = HashMap::new();
        for ([pre, post], weight) in synapses {
            let ((channel, window), (from, place)) = (at(*post, output), at(*pre, input));
            let distance = [0, 1].map(|axis| place[axis] as i64 - (stride[axis] * window[axis]) as i64);
            match weights.entry((channel, from, distance)) {
                Entry::Vacant(vacant) => {
                    vacant.insert(*weight);
                }
                Entry::Occupied(of) if of.get() == weight => {}
                Entry::Occupied(_) => return None,
            }
            if weights.len() > most {
                return None;
            }
        }
        let windows = |distance: &[i64; 2], axis: usize| {
            let (stride, distance) = (stride[axis] as i64, distance[axis]);
            let first = (stride - 1 - distance).div_euclid(stride).max(0);
            let last = (input[axis + 1] as i64 - 1 - distance).div_euclid(stride).min(output[axis + 1] as i64 - 1);
            (last + 1 - first).max(0) as usize
        };
        let expected: usize = weights.keys().map(|(_, _, distance)| windows(distance, 0) * windows(distance, 1)).sum();
        (expected == synapses.len()).then_some(Shared { stride, weights })
    }

    /// The convolution with these weights; `None` if no window gives an output of this shape, or one of a single element.
    fn convolution(&self, input: Extents, output: Extents) -> Option<Convolution> {
        let axis = |axis: usize| {
            let distances = self.weights.keys().map(|(_, _, distance)| distance[axis]).collect();
            Window::of(&distances, self.stride[axis], input[axis + 1], output[axis + 1])
        };
        let axes = [axis(0)?, axis(1)?];
        if axes.iter().all(|axis| axis.size == 1) {
            return None;
        }
        let is_grouped = |groups: &usize| {
            let is_divisor = input[0].is_multiple_of(*groups) && output[0].is_multiple_of(*groups);
            is_divisor && self.weights.keys().all(|(to, from, _)| to / (output[0] / groups) == from / (input[0] / groups))
        };
        let groups = (1..=input[0]).rev().find(is_grouped)?;
        let shape = [output[0], input[0] / groups, axes[0].size, axes[1].size];
        let mut weight = Tensor::full(&shape, 0.0);
        for ((to, from, distance), value) in &self.weights {
            let [row, column] = [0, 1].map(|axis| (distance[axis] + axes[axis].padding as i64) as usize / axes[axis].dilation);
            weight.values[((to * shape[1] + from % shape[1]) * shape[2] + row) * shape[3] + column] = *value;
        }
        Some(Convolution {
            input_shape: None,
            weight,
            stride: self.stride.to_vec(),
            padding: Padding::Each(axes.iter().map(|axis| axis.padding).collect()),
            dilation: axes.iter().map(|axis| axis.dilation).collect(),
            groups,
            bias: Tensor::default(),
        })
    }
}

/// The stride along an axis, from pairs of window and place in it: how far the first or last place moves from one window to the next. Where
/// the border cuts windows off, these move less.
fn stride(ends: impl Iterator<Item = (usize, usize)>, windows: usize) -> Option<usize> {
    let mut places: Vec<Option<[usize; 2]>> = vec![None; windows];
    for (window, place) in ends {
        let [first, last] = places[window].get_or_insert([place; 2]);
        (*first, *last) = ((*first).min(place), (*last).max(place));
    }
    let pairs = places.windows(2).filter_map(|pair| pair[0].zip(pair[1]));
    let moves = pairs.flat_map(|(one, next)| [0, 1].map(|end| next[end] as i64 - one[end] as i64));
    match moves.max() {
        None => Some(1),
        Some(most) => usize::try_from(most).ok().filter(|most| *most > 0),
    }
}

/// A window along an axis.
struct Window {
    size: usize,
    dilation: usize,
    padding: usize,
}

impl Window {
    /// The smallest window with elements at these distances that is not longer than the input and gives this number of outputs.
    fn of(distances: &BTreeSet<i64>, stride: usize, input: usize, output: usize) -> Option<Window> {
        let (first, last) = (*distances.first()?, *distances.last()?);
        let dilation = distances.iter().fold(0, |divisor, distance| gcd(divisor, (distance - first) as usize)).max(1);
        let of_padding = |padding: usize| {
            let before = usize::try_from(first + padding as i64).ok().filter(|before| before.is_multiple_of(dilation))?;
            let least = (before + (last - first) as usize) / dilation + 1;
            let whole = input + 2 * padding;
            let gives = |size: &usize| (whole - dilation * (size - 1) - 1) / stride + 1 == output;
            let size = (least..).take_while(|size| dilation * (size - 1) < input).find(gives)?;
            Some(Window { size, dilation, padding })
        };
        (0..=input).filter_map(of_padding).min_by_key(|window| window.size)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
