use std::fs;
use std::path::Path;
use std::process::Command;

use spikelet_interchange::nir::{Graph, Import};

use super::{BRAILLE, normal, with_groups};

/// Reads a graph with `nir.read`, prints its types, and writes it again with `nir.write`, which compresses it.
const SCRIPT: &str = "
import nir, sys
graph = nir.read(sys.argv[1])
print(*sorted(type(node).__name__ for node in graph.nodes.values()))
nir.write(sys.argv[2], graph)
";

/// Runs only where Python has the package `nir`.
#[test]
fn the_python_package_reads_a_graph_and_writes_the_same() {
    if !Command::new("python3").args(["-c", "import nir"]).output().is_ok_and(|output| output.status.success()) {
        println!("left out: there is no python3 with the package `nir`");
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (ours, theirs) = (folder.join("ours.nir"), folder.join("theirs.nir"));
    let braille = Graph::of(&Graph::from_bytes(BRAILLE.to_vec()).unwrap().network(&Import::default()).unwrap().0).unwrap().0;
    // With groups of channels, the package expects an input with the channels of one group.
    for graph in [with_groups(1), braille] {
        for is_deflated in [false, true] {
            fs::write(&ours, graph.to_bytes(is_deflated).unwrap()).unwrap();
            let output = Command::new("python3").args(["-c", SCRIPT]).args([&ours, &theirs]).output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let mut types: Vec<&str> = graph.nodes.iter().map(|(_, node)| node.type_name()).collect();
            types.sort_unstable();
            assert_eq!(String::from_utf8_lossy(&output.stdout).split_whitespace().collect::<Vec<_>>(), types);
            let read = Graph::from_bytes(fs::read(&theirs).unwrap()).unwrap();
            assert_eq!(ordered(&read), ordered(&graph));
        }
    }
}

/// The same graph, with edges in their alphabetical order.
fn ordered(graph: &Graph) -> Graph {
    let mut graph = normal(graph);
    graph.edges.sort();
    graph
}
