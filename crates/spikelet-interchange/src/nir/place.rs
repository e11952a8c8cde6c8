//! Places in a graph, for messages.

/// A field of a node; the node is empty for the outermost graph.
pub(super) fn place(node: &str, field: &str) -> String {
    if node.is_empty() { format!("`{field}` of the graph") } else { format!("`{field}` of the node `{node}`") }
}
