//! Positions of nodes that the user has not put anywhere. They depend on the network alone, so that it looks the same every time.
//!
//! Nodes that act on each other form a block: populations of one layer (`L4E`, `L4I`) share a row, others a row or a circle. Blocks
//! are placed from left to right in the order in which spikes pass through them. A source with a single target lies beside it.

use std::collections::BTreeMap;

use super::arrangement::Arrangement;
use super::geometry::{Point, Rect};
use super::graph::Graph;
use super::notation::Shape;
use crate::role::{Role, role};

/// Distances of neighbours.
const STEP: Point = Point::new(140.0, 86.0);

/// After this many columns a diagram continues below.
const COLUMNS: f64 = 5.0;

/// The position of each node: where it was put, else automatic.
pub(crate) fn positions(graph: &Graph, arrangement: &Arrangement) -> Vec<Point> {
    if arrangement.is_automatic() {
        return automatic(graph);
    }
    let mut placed: Vec<Option<Point>> = graph.nodes.iter().map(|node| arrangement.position(&node.name)).collect();
    for at in 0..placed.len() {
        if placed[at].is_none() {
            let taken: Vec<Point> = placed.iter().flatten().copied().collect();
            placed[at] = Some(free(&taken));
        }
    }
    placed.into_iter().flatten().collect()
}

/// A position near others that keeps its distance from all of them.
pub(crate) fn free(taken: &[Point]) -> Point {
    let Some(around) = Rect::around(taken.iter().copied()) else { return Point::default() };
    let start = Point::new(around.max.x, around.min.y);
    let is_free = |point: &Point| taken.iter().all(|other| point.distance(*other) >= 0.85 * STEP.y);
    // Below the last column, then in columns to the right.
    let rows = (around.height() / STEP.y).ceil() as u32 + 1;
    let column = |column: u32| (0..=rows).map(move |row| start + Point::new(STEP.x * f64::from(column), STEP.y * f64::from(row)));
    (0..).flat_map(column).find(is_free).unwrap_or_default()
}

fn automatic(graph: &Graph) -> Vec<Point> {
    let count = graph.nodes.len();
    let targets = targets(graph);
    // Sources with a single target that is no such source.
    let beside: Vec<Option<usize>> = (0..count)
        .map(|node| match targets[node].as_slice() {
            [target] if graph.nodes[node].shape == Shape::Stimulator => Some(*target),
            _ => None,
        })
        .collect();
    let blocks = blocks(&targets, &beside);
    let layers = layers(&blocks, &targets);
    let mut points = vec![Point::default(); count];
    let mut extents = Vec::new();
    for block in &blocks {
        let inside = inside(graph, block);
        for (node, at) in block.iter().zip(&inside) {
            points[*node] = *at;
        }
        let mut all = inside.clone();
        for (at, node) in beside_block(&beside, block, &points, &inside) {
            points[node] = at;
            all.push(at);
        }
        extents.push(Rect::around(all).unwrap_or(Rect { min: Point::default(), max: Point::default() }));
    }
    let mut top = 0.0;
    let mut left = 0.0;
    let mut bottom: f64 = 0.0;
    let last = layers.iter().copied().max().unwrap_or(0);
    let mut moves = vec![Point::default(); blocks.len()];
    for layer in 0..=last {
        let here: Vec<usize> = (0..blocks.len()).filter(|block| layers[*block] == layer).collect();
        let width = here.iter().map(|block| extents[*block].width()).fold(0.0, f64::max);
        if left > 0.0 && left + width > (COLUMNS - 1.0) * STEP.x {
            (top, left) = (bottom + 1.2 * STEP.y, 0.0);
        }
        let height: f64 = here.iter().map(|block| extents[*block].height() + STEP.y).sum::<f64>() - STEP.y;
        let mut y = top - height / 2.0;
        for block in here {
            let extent = extents[block];
            moves[block] = Point::new(left + (width - extent.width()) / 2.0, y) - extent.min;
            y += extent.height() + STEP.y;
        }
        bottom = bottom.max(top + height / 2.0);
        left += width + STEP.x;
    }
    for (block, by) in blocks.iter().zip(&moves) {
        let members =
            (0..count).filter(|node| block.contains(node) || beside[*node].is_some_and(|target| block.contains(&target)));
        for node in members {
            points[node] = points[node] + *by;
        }
    }
    keep_apart(&mut points);
    points
}

/// Pushes nodes apart that lie too near to each other.
fn keep_apart(points: &mut [Point]) {
    const ROUNDS: u32 = 80;
    let nearest = 0.85 * STEP.y;
    for _ in 0..ROUNDS {
        let mut is_done = true;
        for one in 0..points.len() {
            for other in 0..one {
                let way = points[one] - points[other];
                let lacking = nearest - way.length();
                if lacking > 0.5 {
                    is_done = false;
                    let push = way.unit() * (lacking / 2.0 + 0.5);
                    (points[one], points[other]) = (points[one] + push, points[other] - push);
                }
            }
        }
        if is_done {
            return;
        }
    }
}

/// The targets of each node, each once.
fn targets(graph: &Graph) -> Vec<Vec<usize>> {
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    for edge in &graph.edges {
        if !targets[edge.from].contains(&edge.to) {
            targets[edge.from].push(edge.to);
        }
    }
    targets
}

/// Nodes that act on each other, directly or not, in the order of their first nodes; without those beside another.
fn blocks(targets: &[Vec<usize>], beside: &[Option<usize>]) -> Vec<Vec<usize>> {
    let reach: Vec<Vec<bool>> = (0..targets.len()).map(|start| reached(targets, start)).collect();
    let mut blocks: Vec<Vec<usize>> = Vec::new();
    for node in (0..targets.len()).filter(|node| beside[*node].is_none()) {
        match blocks.iter_mut().find(|block| reach[block[0]][node] && reach[node][block[0]]) {
            Some(block) => block.push(node),
            None => blocks.push(vec![node]),
        }
    }
    blocks
}

fn reached(targets: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut reached = vec![false; targets.len()];
    let mut next = vec![start];
    while let Some(node) = next.pop() {
        if !std::mem::replace(&mut reached[node], true) {
            next.extend(&targets[node]);
        }
    }
    reached
}

/// The column of each block: one more than the largest of those that act on it.
fn layers(blocks: &[Vec<usize>], targets: &[Vec<usize>]) -> Vec<usize> {
    let acts = |from: &[usize], on: &[usize]| from.iter().any(|node| targets[*node].iter().any(|target| on.contains(target)));
    let mut layers = vec![0; blocks.len()];
    // Blocks have no circles, so that no more rounds than blocks are needed.
    for _ in 0..blocks.len() {
        let before = layers.clone();
        for (at, block) in blocks.iter().enumerate() {
            let earlier = (0..blocks.len()).filter(|other| *other != at && acts(&blocks[*other], block));
            layers[at] = earlier.map(|other| layers[other] + 1).max().unwrap_or(0);
        }
        if layers == before {
            break;
        }
    }
    layers
}

/// Positions within a block.
fn inside(graph: &Graph, block: &[usize]) -> Vec<Point> {
    let mut rows: Vec<String> = Vec::new();
    let mut cells: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (at, node) in block.iter().enumerate() {
        let name = &graph.nodes[*node].name;
        let (stem, column) = stem(name);
        let row = rows.iter().position(|row| *row == stem).unwrap_or_else(|| {
            rows.push(stem);
            rows.len() - 1
        });
        cells.entry((row, column)).or_insert(at);
    }
    // Each has a cell of its own, and some share a row.
    if cells.len() == block.len() && rows.len() < block.len() {
        let mut points = vec![Point::default(); block.len()];
        for ((row, column), at) in cells {
            points[at] = Point::new(STEP.x * column as f64, STEP.y * row as f64);
        }
        return points;
    }
    match block.len() {
        0..=3 => (0..block.len()).map(|at| Point::new(STEP.x * at as f64, 0.0)).collect(),
        count @ 4..=12 => {
            let radius = (STEP.y * count as f64 / std::f64::consts::TAU).max(1.2 * STEP.y);
            let angle = |at: usize| std::f64::consts::TAU * at as f64 / count as f64 - std::f64::consts::FRAC_PI_2;
            (0..count).map(|at| Point::new(1.25 * radius * angle(at).cos(), radius * angle(at).sin())).collect()
        }
        count => {
            let columns = (count as f64).sqrt().ceil() as usize;
            (0..count).map(|at| Point::new(STEP.x * (at % columns) as f64, STEP.y * (at / columns) as f64)).collect()
        }
    }
}

/// A name without the letter or word of its sign, and the column of that sign: `L4E` is in row `L4`, column 0.
fn stem(name: &str) -> (String, usize) {
    let without = |words: &[&str]| {
        let lower = name.to_lowercase();
        let cut = |word: &&str| lower.strip_suffix(*word).or_else(|| lower.strip_prefix(*word)).map(str::to_owned);
        let stem = words.iter().find_map(cut).unwrap_or(lower.clone());
        stem.trim_matches(['_', '-']).to_owned()
    };
    match role(name) {
        Role::Excitatory => (without(&["excitatory", "exc", "e"]), 0),
        Role::Inhibitory => (without(&["inhibitory", "inh", "i"]), 1),
        Role::Other => (name.to_owned(), 0),
    }
}

/// Positions of the sources beside the nodes of a block: on the outer side of their targets.
fn beside_block(beside: &[Option<usize>], block: &[usize], points: &[Point], inside: &[Point]) -> Vec<(Point, usize)> {
    let centre = Rect::around(inside.iter().copied()).map_or(Point::default(), Rect::centre);
    let mut placed = Vec::new();
    for target in block {
        let sources: Vec<usize> = (0..beside.len()).filter(|node| beside[*node] == Some(*target)).collect();
        let at = points[*target];
        // In a circle: away from its middle.
        let is_circle = inside.len() > 3 && inside.iter().all(|other| other.x != at.x || *other == at);
        let side = if at.x > centre.x + 1.0 { 1.0 } else { -1.0 };
        let away = if is_circle { (at - centre).unit() * STEP.x } else { Point::new(side * STEP.x, 0.0) };
        for (number, source) in sources.iter().enumerate() {
            let aside = number as f64 - (sources.len() - 1) as f64 / 2.0;
            placed.push((at + away + away.unit().turned() * (side * aside * 0.85 * STEP.y), *source));
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::*;

    fn named(name: &str) -> (Graph, Vec<Point>) {
        let entry = catalogue::entry(name).expect(name);
        let graph = Graph::of(&entry.network(entry.small).expect(name));
        let points = positions(&graph, &Arrangement::default());
        (graph, points)
    }

    #[test]
    fn nodes_of_the_catalogue_keep_their_distance() {
        for entry in catalogue::entries() {
            let (graph, points) = named(entry.name);
            assert_eq!(points.len(), graph.nodes.len());
            for (at, point) in points.iter().enumerate() {
                for (other, name) in points[..at].iter().zip(&graph.nodes) {
                    let (one, distance) = (&graph.nodes[at].name, point.distance(*other));
                    assert!(distance > 70.0, "{}: {one} and {} are {distance} apart", entry.name, name.name);
                }
            }
        }
    }

    #[test]
    fn layers_of_cortex_are_rows_with_their_input_outside() {
        let (graph, points) = named("pd14");
        let at = |name: &str| points[graph.node(name).expect(name)];
        for layer in ["L23", "L4", "L5", "L6"] {
            let (excitatory, inhibitory) = (at(&format!("{layer}E")), at(&format!("{layer}I")));
            assert_eq!(excitatory.y, inhibitory.y, "{layer}");
            assert!(excitatory.x < inhibitory.x);
        }
        assert!(at("L23E").y < at("L4E").y && at("L4E").y < at("L6E").y);
        let extent = Rect::around(points.iter().copied()).expect("nodes");
        assert_eq!((extent.width() / STEP.x).round(), 3.0);
        assert!(points.iter().filter(|point| point.x > at("L4I").x).count() == 4, "the input of I is on its right");
    }

    #[test]
    fn spikes_pass_from_left_to_right() {
        let mut network = catalogue::network("cuba", 0.1).expect("cuba");
        network.projections.retain(|projection| projection.pre.population == "E" && projection.post.population == "I");
        let points = automatic(&Graph::of(&network));
        assert!(points[0].x < points[1].x && points[0].y == points[1].y, "{points:?}");
    }

    #[test]
    fn what_was_put_stays_and_others_find_a_free_position() {
        let (graph, _) = named("cuba");
        let mut arrangement = Arrangement::default();
        arrangement.put("E", Point::new(7.0, 8.0));
        let points = positions(&graph, &arrangement);
        assert_eq!(points[0], Point::new(7.0, 8.0));
        assert!(points[1].distance(points[0]) > 70.0);
        let mut taken = vec![Point::default()];
        for _ in 0..30 {
            let at = free(&taken);
            assert!(taken.iter().all(|other| other.distance(at) > 70.0));
            taken.push(at);
        }
    }
}
