//! A partition as a picture: neurons at their positions, coloured by rank.

use std::fmt::Write;

use spikelet_rows::Partition;

use crate::groups::Group;
use crate::method::Axis;
use crate::problem::Problem;
use crate::score::Score;

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 24.0;
/// Space between panels, with their titles.
const GAP: f64 = 20.0;
/// Height of the title, of a strip, and of a row of the legend.
const TITLE: f64 = 62.0;
const STRIP: f64 = 20.0;
const LEGEND: f64 = 20.0;
/// Maximum numbers of neurons, strips, entries of the legend, and slices along an axis.
const NEURONS: usize = 20_000;
const STRIPS: usize = 40;
const ENTRIES: usize = 64;
const SLICES: usize = 4;
/// Columns of a strip.
const COLUMNS: u32 = 400;

const STYLE: &str = "text{fill:#222}.frame{fill:none;stroke:#bbb}.back{fill:#fff}\
    @media (prefers-color-scheme:dark){text{fill:#ddd}.frame{stroke:#555}.back{fill:#16181d}}";

/// A picture of a partition. `title` names what it shows. Neurons without positions are strips in the order of their numbers.
pub fn svg(problem: &Problem<'_>, partition: &Partition, score: &Score, title: &str) -> String {
    let rank_of = problem.ranks_of(partition);
    let ranks = partition.ranks();
    let mut body = String::new();
    let mut top = TITLE;
    let group = problem.groups.iter().max_by_key(|group| group.neurons.len());
    if let Some(group) = group {
        top = scatter(&mut body, group, &rank_of, ranks, top) + GAP;
    }
    top = strips(&mut body, problem, group, &rank_of, top);
    top = legend(&mut body, ranks, top);
    let height = top + MARGIN;
    let part = if score.synapses > 0.0 { 100.0 * score.cut / score.synapses } else { 0.0 };
    let line = format!(
        "{:.3e} of {:.3e} synapses between ranks ({part:.1} %), {:.3e} spikes/s exchanged, largest load {:.3} × mean",
        score.cut, score.synapses, score.expected_spikes_exchanged, score.imbalance
    );
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<style>{STYLE}</style>\n\
         <rect class=\"back\" width=\"{WIDTH}\" height=\"{height:.0}\"/>\n\
         <text x=\"{MARGIN}\" y=\"26\" font-size=\"16\">{}</text>\n<text x=\"{MARGIN}\" y=\"46\">{line}</text>\n{body}</svg>\n",
        escaped(title)
    )
}

/// Colours that differ between neighbouring ranks, on light and on dark ground.
fn colour(rank: usize) -> String {
    let hue = (rank as f64 * 137.508 + 210.0) % 360.0;
    let lightness = [48, 62, 40][rank % 3];
    format!("hsl({hue:.0},62%,{lightness}%)")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The part of an axis of a picture: its range, and the number of slices.
struct Slices {
    least: f64,
    length: f64,
    count: usize,
}

impl Slices {
    /// `most` slices, or fewer if there are fewer different coordinates.
    fn new(group: &Group, axis: Axis, most: usize) -> Slices {
        let coordinates = || group.points.iter().map(|point| point[axis as usize]);
        let least = coordinates().fold(f64::INFINITY, f64::min);
        let length = coordinates().fold(f64::NEG_INFINITY, f64::max) - least;
        let mut different: Vec<f64> = Vec::new();
        for x in coordinates() {
            if different.len() < most && !different.contains(&x) {
                different.push(x);
            }
        }
        Slices { least, length, count: different.len().max(1) }
    }

    /// The place of a coordinate, 0 to 1.
    fn part(&self, x: f64) -> f64 {
        if self.length > 0.0 { (x - self.least) / self.length } else { 0.5 }
    }

    fn slice(&self, x: f64) -> usize {
        ((self.part(x) * self.count as f64) as usize).min(self.count - 1)
    }

    fn title(&self, axis: Axis, slice: usize) -> String {
        let bound = |slice: usize| self.least + self.length * slice as f64 / self.count as f64;
        if self.count == 1 { String::new() } else { format!("{} {:.3}–{:.3}", axis.name(), bound(slice), bound(slice + 1)) }
    }
}

/// Draws neurons at their positions, in slices along the third and fourth coordinate; returns the lower end.
fn scatter(text: &mut String, group: &Group, rank_of: &[u32], ranks: usize, top: f64) -> f64 {
    let slices =
        |axis: Axis, dimensions: usize| Slices::new(group, axis, if group.dimensions >= dimensions { SLICES } else { 1 });
    let [across, down] = [slices(Axis::Z, 3), slices(Axis::W, 4)];
    let [x, y] = [Slices::new(group, Axis::X, 1), Slices::new(group, Axis::Y, 1)];
    let columns = across.count as f64;
    let width = ((WIDTH - 2.0 * MARGIN - GAP * (columns - 1.0)) / columns).min(520.0);
    let shape = if x.length > 0.0 && group.dimensions > 1 { y.length / x.length } else { 0.25 };
    let height = width * shape.clamp(0.25, 1.6);
    let every = group.neurons.len().div_ceil(NEURONS).max(1);
    let shown = group.neurons.len().div_ceil(every);
    let panels = across.count * down.count;
    let radius = (0.42 * libm::sqrt(width * height * panels as f64 / shown as f64)).clamp(0.7, 6.0);
    let [inner_width, inner_height] = [width - 4.0 * radius, height - 4.0 * radius];
    let mut paths = vec![String::new(); ranks];
    for (at, (neuron, point)) in group.neurons.iter().zip(&group.points).enumerate().step_by(every) {
        let left = MARGIN + across.slice(point[2]) as f64 * (width + GAP);
        let upper = top + GAP + down.slice(point[3]) as f64 * (height + GAP);
        // In one dimension, neurons are spread over the height.
        let vertical = if group.dimensions > 1 { y.part(point[1]) } else { (at as f64 * 0.618_033_988_749_895).fract() };
        let place =
            [left + 2.0 * radius + x.part(point[0]) * inner_width, upper + 2.0 * radius + (1.0 - vertical) * inner_height];
        // Writing to a String cannot fail.
        _ = write!(paths[rank_of[*neuron as usize] as usize], "M{:.1} {:.1}h0", place[0], place[1]);
    }
    for (rank, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let width = 2.0 * radius;
        _ = writeln!(
            text,
            "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"{width:.1}\" stroke-linecap=\"round\"/>",
            colour(rank)
        );
    }
    for row in 0..down.count {
        for column in 0..across.count {
            let (left, upper) = (MARGIN + column as f64 * (width + GAP), top + GAP + row as f64 * (height + GAP));
            let titles = [across.title(Axis::Z, column), down.title(Axis::W, row)].into_iter().filter(|title| !title.is_empty());
            let title = titles.collect::<Vec<_>>().join(", ");
            _ = writeln!(
                text,
                "<rect class=\"frame\" x=\"{left:.1}\" y=\"{upper:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>\
                 <text x=\"{left:.1}\" y=\"{:.1}\" font-size=\"10\">{title}</text>",
                upper - 5.0
            );
        }
    }
    top + GAP + down.count as f64 * (height + GAP) - GAP
}

/// Draws the neurons of populations outside of the group in the order of their numbers; returns the lower end.
fn strips(text: &mut String, problem: &Problem<'_>, group: Option<&Group>, rank_of: &[u32], mut top: f64) -> f64 {
    let is_drawn = |first: u32| group.is_some_and(|group| group.neurons.binary_search(&first).is_ok());
    let left = MARGIN + 150.0;
    let width = (WIDTH - MARGIN - left) / f64::from(COLUMNS);
    let populations = problem.shape.iter().zip(problem.first.windows(2)).filter(|(_, ends)| !is_drawn(ends[0]));
    for ((name, size), ends) in populations.clone().take(STRIPS) {
        let short: String = name.chars().take(20).collect();
        _ = writeln!(text, "<text x=\"{MARGIN}\" y=\"{:.1}\">{} ({size})</text>", top + 12.0, escaped(&short));
        let columns = COLUMNS.min(*size);
        let rank = |column: u32| rank_of[(ends[0] + (u64::from(column) * u64::from(*size) / u64::from(columns)) as u32) as usize];
        let edge = width * f64::from(COLUMNS) / f64::from(columns);
        let mut start = 0;
        for column in 1..=columns {
            if column == columns || rank(column) != rank(start) {
                let (x, length) = (left + f64::from(start) * edge, f64::from(column - start) * edge);
                let fill = colour(rank(start) as usize);
                _ = write!(text, "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"14\" fill=\"{fill}\"/>");
                start = column;
            }
        }
        text.push('\n');
        top += STRIP;
    }
    let left_out = populations.count().saturating_sub(STRIPS);
    if left_out > 0 {
        _ = writeln!(text, "<text x=\"{MARGIN}\" y=\"{:.1}\">… and {left_out} populations more</text>", top + 12.0);
        top += STRIP;
    }
    top
}

/// Draws the colours of the ranks; returns the lower end.
fn legend(text: &mut String, ranks: usize, top: f64) -> f64 {
    let entry = 58.0;
    let per_row = ((WIDTH - 2.0 * MARGIN) / entry) as usize;
    for rank in 0..ranks.min(ENTRIES) {
        let (x, y) = (MARGIN + (rank % per_row) as f64 * entry, top + LEGEND * (rank / per_row) as f64 + 16.0);
        let label = if rank == 0 { "rank 0".to_owned() } else { rank.to_string() };
        _ = writeln!(
            text,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{y:.1}\">{label}</text>",
            x + 5.0,
            y - 4.0,
            colour(rank),
            x + 14.0
        );
    }
    if ranks > ENTRIES {
        let y = top + LEGEND * ENTRIES.div_ceil(per_row) as f64 + 16.0;
        _ = writeln!(text, "<text x=\"{MARGIN}\" y=\"{y:.1}\">… {ranks} ranks</text>");
    }
    let rows = ranks.min(ENTRIES).div_ceil(per_row) + usize::from(ranks > ENTRIES);
    top + LEGEND * rows as f64
}
