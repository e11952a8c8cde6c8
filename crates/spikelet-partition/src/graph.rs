//! Refinement of a partition: cells of neurons move between ranks while that reduces the cut (Fiduccia & Mattheyses 1982, "A linear-time
//! heuristic for improving network partitions").

use crate::cells::{CellGraph, Cells};
use crate::problem::{FREE, Problem};

/// Number of passes over all cells.
const PASSES: usize = 10;
/// Number of moves in a pass without a new least cut, after which it ends.
const STALLED: usize = 64;
/// The load and the memory of a rank above the mean that are allowed.
const SLACK: [f64; 2] = [1.03, 1.1];
/// A gain of a move below this part of all synapses is rounding error.
const LEAST: f64 = 1e-9;
/// A gain of all moves below this part of the cut is not worth a less even load.
const WORTH: f64 = 0.01;

/// Cells on their ranks.
struct Refinement<'a> {
    graph: &'a CellGraph,
    rank: Vec<usize>,
    /// Load and memory of each cell, and of each rank.
    costs: &'a [[f64; 2]],
    loads: Vec<[f64; 2]>,
    limits: [f64; 2],
    ranks: usize,
    /// Number of cells of each rank.
    counts: Vec<usize>,
    /// Expected synapses of each cell with those of each rank, in both directions, without those within the cell.
    between: Vec<f64>,
}

/// Moves neurons between ranks.
pub(crate) fn refine(problem: &Problem<'_>, rank_of: &mut [u32], ranks: usize) {
    let cells = Cells::new(problem, rank_of, ranks);
    let graph = CellGraph::new(problem, &cells);
    let mut refinement = Refinement::new(&graph, &cells, ranks);
    let cut = refinement.cut();
    if refinement.run() < WORTH * cut {
        return;
    }
    for (rank, cell) in rank_of.iter_mut().zip(&cells.of).filter(|(rank, _)| **rank != FREE) {
        *rank = refinement.rank[*cell as usize] as u32;
    }
}

impl<'a> Refinement<'a> {
    fn new(graph: &'a CellGraph, cells: &'a Cells, ranks: usize) -> Refinement<'a> {
        let rank: Vec<usize> = cells.rank.iter().map(|rank| *rank as usize).collect();
        let (mut loads, mut counts) = (vec![[0.0; 2]; ranks], vec![0; ranks]);
        for (rank, costs) in rank.iter().zip(&cells.costs) {
            (0..2).for_each(|kind| loads[*rank][kind] += costs[kind]);
            counts[*rank] += 1;
        }
        let mut between = vec![0.0; rank.len() * ranks];
        for (cell, edges) in graph.edges.iter().enumerate() {
            edges.iter().for_each(|(other, synapses)| between[cell * ranks + rank[*other as usize]] += synapses);
        }
        for numbers in &graph.products {
            let mut sums = vec![[0.0; 2]; ranks];
            for ([pre, post], rank) in numbers.iter().zip(&rank) {
                sums[*rank][0] += pre;
                sums[*rank][1] += post;
            }
            for (cell, [pre, post]) in numbers.iter().enumerate() {
                for (at, [pres, posts]) in sums.iter().enumerate() {
                    let own = if at == rank[cell] { 2.0 * pre * post } else { 0.0 };
                    between[cell * ranks + at] += pre * posts + post * pres - own;
                }
            }
        }
        let limits = std::array::from_fn(|kind| {
            let loads = || loads.iter().map(|of: &[f64; 2]| of[kind]);
            loads().fold(SLACK[kind] * loads().sum::<f64>() / ranks as f64, f64::max)
        });
        Refinement { graph, rank, costs: &cells.costs, loads, limits, ranks, counts, between }
    }

    /// Expected synapses between ranks.
    fn cut(&self) -> f64 {
        let of_cell = |(cell, rank): (usize, &usize)| {
            let between = &self.between[cell * self.ranks..(cell + 1) * self.ranks];
            between.iter().sum::<f64>() - between[*rank]
        };
        0.5 * self.rank.iter().enumerate().map(of_cell).sum::<f64>()
    }

    /// Moves cells until that does not help; by how much the cut is smaller.
    fn run(&mut self) -> f64 {
        let least = LEAST * self.between.iter().sum::<f64>();
        let mut gained = 0.0;
        for _ in 0..PASSES {
            let gain = self.pass(least);
            gained += gain;
            if gain <= least {
                break;
            }
        }
        gained
    }

    /// Moves each cell at most once, the best move first even if it increases the cut, and takes back those after the least cut; by how much
    /// the cut is smaller.
    fn pass(&mut self, least: f64) -> f64 {
        let mut is_locked = vec![false; self.rank.len()];
        let mut moves: Vec<(usize, usize)> = Vec::new();
        let (mut gained, mut best, mut best_len) = (0.0, 0.0, 0);
        while moves.len() < best_len + STALLED {
            let Some((gain, cell, to)) = self.best_move(&is_locked) else { break };
            moves.push((cell, self.rank[cell]));
            is_locked[cell] = true;
            self.shift(cell, to);
            gained += gain;
            if gained > best + least {
                (best, best_len) = (gained, moves.len());
            }
        }
        while moves.len() > best_len {
            if let Some((cell, from)) = moves.pop() {
                self.shift(cell, from);
            }
        }
        best
    }

    /// The move that reduces the cut most, and by how much.
    fn best_move(&self, is_locked: &[bool]) -> Option<(f64, usize, usize)> {
        let mut found: Option<(f64, usize, usize)> = None;
        for (cell, from) in self.rank.iter().enumerate().filter(|(cell, from)| !is_locked[*cell] && self.counts[**from] > 1) {
            let between = &self.between[cell * self.ranks..(cell + 1) * self.ranks];
            for (to, synapses) in between.iter().enumerate() {
                let gain = synapses - between[*from];
                let fits = to != *from && (0..2).all(|kind| self.loads[to][kind] + self.costs[cell][kind] <= self.limits[kind]);
                if fits && found.is_none_or(|(best, ..)| gain > best) {
                    found = Some((gain, cell, to));
                }
            }
        }
        found
    }

    fn shift(&mut self, cell: usize, to: usize) {
        let from = std::mem::replace(&mut self.rank[cell], to);
        for (kind, cost) in self.costs[cell].into_iter().enumerate() {
            self.loads[from][kind] -= cost;
            self.loads[to][kind] += cost;
        }
        self.counts[from] -= 1;
        self.counts[to] += 1;
        for (other, synapses) in &self.graph.edges[cell] {
            self.between[*other as usize * self.ranks + from] -= synapses;
            self.between[*other as usize * self.ranks + to] += synapses;
        }
        for numbers in &self.graph.products {
            let [pre, post] = numbers[cell];
            if pre == 0.0 && post == 0.0 {
                continue;
            }
            for (other, [other_pre, other_post]) in numbers.iter().enumerate().filter(|(other, _)| *other != cell) {
                let synapses = pre * other_post + post * other_pre;
                self.between[other * self.ranks + from] -= synapses;
                self.between[other * self.ranks + to] += synapses;
            }
        }
    }
}
