//! The nodes and edges of a network.

use indexmap::IndexSet;
use spikelet_network::{Connector, Network, Projection, SourceKind};

use super::notation::{Shape, Sign};
use super::strength::Strength;
use crate::network::{Kind, Object, fields};
use crate::number;
use crate::role::{self, Role, role};

/// A diagram without positions.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Graph {
    /// Populations first, then sources.
    pub(crate) nodes: Vec<Node>,
    /// Projections first, then the targets of sources without neurons.
    pub(crate) edges: Vec<Edge>,
}

/// A population or a source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    /// The population or source.
    pub(crate) object: Object,
    pub(crate) name: String,
    pub(crate) shape: Shape,
    /// Number of neurons; of processes per neuron for a source without neurons.
    pub(crate) size: u32,
    /// Whether it has neurons, which spike.
    pub(crate) has_neurons: bool,
    /// Whether it is a population of units, which has a double frame.
    pub(crate) is_many: bool,
    /// The custom property of the style sheet with its colour.
    pub(crate) colour: &'static str,
    /// The recorded variables.
    pub(crate) recorded: Vec<String>,
}

/// A projection, or a target of a source.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edge {
    /// The projection or source.
    pub(crate) object: Object,
    /// The index of the node where it begins.
    pub(crate) from: usize,
    /// The index of the node where it ends.
    pub(crate) to: usize,
    pub(crate) sign: Sign,
    /// The weight relative to the largest one; `None` if it is unknown.
    pub(crate) relative: Option<f64>,
    /// Whether its synapses are drawn at random.
    pub(crate) is_probabilistic: bool,
    /// The rule of its synapses: `bernoulli, p 0.02`.
    pub(crate) rule: String,
}

/// The most nodes and edges of a diagram: more cannot be read, and placing them takes time with the square of their number.
const MOST: [usize; 2] = [300, 3000];

/// Why a network has no diagram; `None` if it has one.
pub(crate) fn too_large(network: &Network) -> Option<String> {
    let nodes = network.populations.len() + network.sources.len();
    let edges = network.projections.len();
    (nodes > MOST[0] || edges > MOST[1]).then(|| {
        format!(
            "{} populations and sources and {} projections are too many for a diagram, which shows up to {} and {}. The lists below have all of them.",
            number::grouped(nodes as u64),
            number::grouped(edges as u64),
            number::grouped(MOST[0] as u64),
            number::grouped(MOST[1] as u64),
        )
    })
}

impl Graph {
    /// That of a network; without nodes if it is [`too_large`]. Projections without both ends, which a network that is being edited can have, are left out.
    pub(crate) fn of(network: &Network) -> Graph {
        let mut graph = Graph::default();
        if too_large(network).is_some() {
            return graph;
        }
        for (place, population) in network.populations.iter().enumerate() {
            let recorded = network.recordings.iter().filter(|recording| recording.object == population.name);
            let mut variables: Vec<String> = Vec::new();
            for recording in recorded {
                if !variables.contains(&recording.var) {
                    variables.push(recording.var.clone());
                }
            }
            graph.nodes.push(Node {
                object: Object::new(Kind::Population, place),
                name: population.name.clone(),
                shape: Shape::Generic,
                size: population.size,
                has_neurons: true,
                is_many: population.size != 1,
                colour: role::variable(place, &population.name),
                recorded: variables,
            });
        }
        for (place, source) in network.sources.iter().enumerate() {
            let size = match &source.kind {
                SourceKind::PoissonInput { n, .. } => *n,
                _ => source.size(),
            };
            graph.nodes.push(Node {
                object: Object::new(Kind::Source, place),
                name: source.name.clone(),
                shape: Shape::Stimulator,
                size,
                has_neurons: source.size() > 0,
                is_many: size != 1,
                colour: "--muted",
                recorded: Vec::new(),
            });
        }
        let mut sizes = Vec::new();
        for (place, projection) in network.projections.iter().enumerate() {
            let ends = [&projection.pre, &projection.post].map(|end| graph.node(&end.population));
            if let [Some(from), Some(to)] = ends {
                let Strength { sign, size } = Strength::of(projection);
                let object = Object::new(Kind::Projection, place);
                sizes.push(size);
                let rule = fields::rule_in_short(projection);
                graph.edges.push(Edge {
                    object,
                    from,
                    to,
                    sign,
                    relative: None,
                    is_probabilistic: is_probabilistic(projection),
                    rule,
                });
            }
        }
        for (place, source) in network.sources.iter().enumerate() {
            let SourceKind::PoissonInput { targets, weight, n, .. } = &source.kind else { continue };
            let Some(from) = graph.node(&source.name) else { continue };
            // Slices of one population are one connection.
            let targets: IndexSet<usize> = targets.iter().filter_map(|target| graph.node(&target.population)).collect();
            for to in targets {
                let Strength { sign, size } = Strength::of_weight(weight);
                let object = Object::new(Kind::Source, place);
                sizes.push(size);
                let rule = format!("{} for each neuron", number::count((*n).into(), "input"));
                graph.edges.push(Edge { object, from, to, sign, relative: None, is_probabilistic: false, rule });
            }
        }
        let largest = sizes.iter().flatten().copied().fold(0.0, f64::max);
        for (edge, size) in graph.edges.iter_mut().zip(sizes) {
            edge.relative = size.filter(|_| largest > 0.0).map(|size| size / largest);
        }
        for place in 0..network.populations.len() {
            graph.nodes[place].shape = graph.shape(place);
        }
        graph
    }

    /// The index of a node by its name.
    pub(crate) fn node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.name == name)
    }

    /// The index of the node of an object.
    pub(crate) fn node_of(&self, object: Object) -> Option<usize> {
        self.nodes.iter().position(|node| node.object == object)
    }

    /// The shape of a population: by the signs of its projections, which are facts, else by its name.
    fn shape(&self, place: usize) -> Shape {
        let mut signs = self.edges.iter().filter(|edge| edge.from == place).map(|edge| edge.sign);
        match signs.next() {
            Some(first) if signs.all(|sign| sign == first) => match first {
                Sign::Excitatory => Shape::Excitatory,
                Sign::Inhibitory => Shape::Inhibitory,
            },
            Some(_) => Shape::Generic,
            None => match role(&self.nodes[place].name) {
                Role::Excitatory => Shape::Excitatory,
                Role::Inhibitory => Shape::Inhibitory,
                Role::Other => Shape::Generic,
            },
        }
    }

    /// A node in words, for readers of the screen: `E, excitatory population, 3200 neurons, onto E and I`.
    pub(crate) fn words(&self, node: usize) -> String {
        let Some(Node { name, shape, size, object, has_neurons, .. }) = self.nodes.get(node) else { return String::new() };
        let mut onto: Vec<&str> = Vec::new();
        for edge in self.edges.iter().filter(|edge| edge.from == node) {
            let target = self.nodes[edge.to].name.as_str();
            if !onto.contains(&target) {
                onto.push(target);
            }
        }
        let count = match object.kind {
            Kind::Population => number::count((*size).into(), "neuron"),
            _ if *has_neurons => number::count((*size).into(), "input"),
            _ => format!("{} for each neuron", number::count((*size).into(), "input")),
        };
        let onto = if onto.is_empty() { "no targets".to_owned() } else { format!("onto {}", onto.join(", ")) };
        format!("{name}, {}, {count}, {onto}", shape.name())
    }

    /// An edge in words, after the name of its object: `from E to I, bernoulli, p 0.02, excitatory`.
    pub(crate) fn edge_words(&self, edge: usize) -> String {
        let Some(Edge { from, to, sign, rule, .. }) = self.edges.get(edge) else { return String::new() };
        format!("from {} to {}, {rule}, {}", self.nodes[*from].name, self.nodes[*to].name, sign.word())
    }

    /// The edge after (or before) another one among those that begin or end at a node; the first (or last) after none.
    pub(crate) fn edge_beside(&self, node: usize, edge: Option<usize>, is_backward: bool) -> Option<usize> {
        let own: Vec<usize> =
            (0..self.edges.len()).filter(|edge| [self.edges[*edge].from, self.edges[*edge].to].contains(&node)).collect();
        let at = edge.and_then(|edge| own.iter().position(|other| *other == edge));
        let next = match (at, is_backward) {
            (None, false) => 0,
            (None, true) => own.len().checked_sub(1)?,
            (Some(at), false) => (at + 1) % own.len(),
            (Some(at), true) => (at + own.len() - 1) % own.len(),
        };
        own.get(next).copied()
    }
}

/// Whether a rule draws synapses at random.
fn is_probabilistic(projection: &Projection) -> bool {
    let Some(connector) = &projection.connect else { return false };
    let is_determined = matches!(connector, Connector::All(_) | Connector::Condition(_) | Connector::OneToOne(_));
    // A rule without randomness can still lose synapses to a cap, which are drawn.
    let is_certain = matches!(connector.probability(), Some("1" | "1.0"));
    !(is_determined || is_certain) || projection.max_indegree.is_some() || projection.max_outdegree.is_some()
}

#[cfg(test)]
mod tests {
    use spikelet_network::catalogue;

    use super::*;

    fn graph(name: &str) -> Graph {
        let entry = catalogue::entry(name).expect(name);
        Graph::of(&entry.network(entry.small).expect(name))
    }

    #[test]
    fn a_balanced_network_has_a_triangle_and_a_circle() {
        let graph = graph("cuba");
        let shapes: Vec<_> = graph.nodes.iter().map(|node| (node.name.as_str(), node.shape, node.is_many)).collect();
        assert_eq!(shapes, [("E", Shape::Excitatory, true), ("I", Shape::Inhibitory, true)]);
        assert_eq!(graph.edges.len(), 4);
        assert!(graph.edges.iter().all(|edge| edge.is_probabilistic && edge.relative.is_some()));
        let widest = graph.edges.iter().filter_map(|edge| edge.relative).fold(0.0, f64::max);
        assert_eq!(widest, 1.0);
        assert!(graph.words(0).starts_with("E, excitatory population, "), "{}", graph.words(0));
        assert!(graph.words(0).ends_with("onto E, I"), "{}", graph.words(0));
        assert_eq!(graph.edge_words(1), "from E to I, bernoulli, p 0.02, excitatory");
    }

    #[test]
    fn the_edges_of_a_node_are_visited_in_a_ring() {
        let graph = graph("cuba");
        let ends: Vec<_> = graph.edges.iter().map(|edge| (edge.from, edge.to)).collect();
        assert_eq!(ends, [(0, 0), (0, 1), (1, 0), (1, 1)]);
        let visit = |edge, is_backward| graph.edge_beside(0, edge, is_backward);
        assert_eq!([None, Some(0), Some(1), Some(2)].map(|edge| visit(edge, false)), [0, 1, 2, 0].map(Some));
        assert_eq!([None, Some(0), Some(2)].map(|edge| visit(edge, true)), [2, 2, 1].map(Some));
        assert_eq!(Graph::default().edge_beside(0, None, true), None);
    }

    #[test]
    fn a_network_with_too_many_nodes_or_edges_has_a_sentence_instead() {
        let mut network = catalogue::network("cuba", 1.0).expect("cuba");
        assert_eq!(too_large(&network), None);
        network.populations = vec![network.populations[0].clone(); 301];
        let said = too_large(&network).expect("a sentence");
        assert!(said.starts_with("301 populations and sources and 4 projections are too many for a diagram"), "{said}");
        assert_eq!(Graph::of(&network), Graph::default());
        network.populations.truncate(2);
        network.projections = vec![network.projections[0].clone(); 3001];
        assert!(too_large(&network).is_some());
    }

    #[test]
    fn every_network_of_the_catalogue_has_a_diagram() {
        for entry in catalogue::entries() {
            let network = entry.network(entry.small).expect(entry.name);
            let graph = Graph::of(&network);
            assert_eq!(graph.nodes.len(), network.populations.len() + network.sources.len(), "{}", entry.name);
            assert!(graph.edges.len() >= network.projections.len(), "{}", entry.name);
            assert!(
                graph.edges.iter().all(|edge| edge.relative.is_none_or(|part| (0.0..=1.0).contains(&part))),
                "{}",
                entry.name
            );
        }
    }

    #[test]
    fn sources_are_hexagons_with_edges_to_their_targets() {
        let graph = graph("pd14");
        let sources: Vec<usize> = (0..graph.nodes.len()).filter(|at| graph.nodes[*at].shape == Shape::Stimulator).collect();
        assert_eq!(sources.len(), 8);
        assert!(sources.iter().all(|source| graph.edges.iter().any(|edge| edge.from == *source && !edge.is_probabilistic)));
    }

    #[test]
    fn a_projection_without_an_end_is_left_out_until_it_has_one() {
        let mut network = catalogue::network("cuba", 0.1).expect("cuba");
        network.projections[0].pre = "missing".parse().expect("a name");
        assert_eq!(Graph::of(&network).edges.len(), 3);
        network.projections[1].connect = Some(Connector::one_to_one());
        let edge = Graph::of(&network).edges.into_iter().find(|edge| edge.object.place == 1).expect("an edge");
        assert!(!edge.is_probabilistic);
    }
}
