//! The keys of the diagram.

use super::geometry::Point;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Command {
    /// Goes to the next node in a direction; while connecting, to the next target.
    Go(Point),
    /// Goes to the next edge of the node, or to the one before.
    Edge {
        is_backward: bool,
    },
    /// Moves the selected nodes by positions.
    Shift(Point),
    /// Opens the inspector; while connecting, connects.
    Enter,
    /// Selects the node or edge also, or not.
    Toggle,
    /// Begins a connection.
    Connect,
    Cancel,
    Remove,
    Duplicate,
    SelectAll,
    Group,
    Ungroup,
    /// Enlarges the view by a factor.
    Zoom(f64),
    Fit,
}

/// Distance of a move by a key.
const MOVE: f64 = 12.0;

/// The keys held along with another one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Modifiers {
    pub(crate) shift: bool,
    /// Alt.
    pub(crate) alt: bool,
    /// Ctrl, or the command key.
    pub(crate) control: bool,
}

/// The command of a key, named as in a `KeyboardEvent`.
pub(crate) fn command(key: &str, held: Modifiers) -> Option<Command> {
    let direction = match key {
        "ArrowLeft" => Some(Point::new(-1.0, 0.0)),
        "ArrowRight" => Some(Point::new(1.0, 0.0)),
        "ArrowUp" => Some(Point::new(0.0, -1.0)),
        "ArrowDown" => Some(Point::new(0.0, 1.0)),
        _ => None,
    };
    if let Some(direction) = direction.filter(|_| !held.control) {
        return Some(if held.alt { Command::Shift(direction * MOVE) } else { Command::Go(direction) });
    }
    if held.control {
        return match key.to_lowercase().as_str() {
            "a" => Some(Command::SelectAll),
            "d" => Some(Command::Duplicate),
            _ => None,
        };
    }
    if held.alt {
        return None;
    }
    match key {
        "Enter" if held.shift => Some(Command::Toggle),
        "Enter" => Some(Command::Enter),
        "e" | "E" => Some(Command::Edge { is_backward: held.shift }),
        "c" | "C" => Some(Command::Connect),
        "Escape" => Some(Command::Cancel),
        "Delete" | "Backspace" => Some(Command::Remove),
        "g" => Some(Command::Group),
        "G" => Some(Command::Ungroup),
        "+" | "=" => Some(Command::Zoom(1.25)),
        "-" => Some(Command::Zoom(0.8)),
        "0" => Some(Command::Fit),
        _ => None,
    }
}

/// The keys of the diagram as the help lists them: those of a line mean the same.
pub(crate) const HELP: [(&[&str], &str); 14] = [
    (&["←", "→", "↑", "↓"], "Go to the next node; from a connection, back to a node"),
    (&["E", "Shift E"], "Go to the next or the previous connection of the node"),
    (&["Enter"], "Open the node or connection in the inspector"),
    (&["Shift Enter"], "Add it to the selection, or take it out"),
    (&["Ctrl A"], "Select all nodes"),
    (&["C"], "Connect the node: arrow keys choose the target, Enter connects"),
    (&["Esc"], "Cancel; deselect"),
    (&["Delete", "Backspace"], "Delete the selection, or the node or connection with the focus"),
    (&["Ctrl D"], "Duplicate the selection"),
    (&["Alt ←", "Alt →", "Alt ↑", "Alt ↓"], "Move the selected nodes"),
    (&["G"], "Group the selected nodes"),
    (&["Shift G"], "Ungroup them"),
    (&["+", "−"], "Zoom in, zoom out"),
    (&["0"], "Show the whole network"),
];

/// The next of some points from a place in a direction: near, and not far to the side.
pub(crate) fn next(points: &[Point], start: Point, direction: Point) -> Option<usize> {
    let cost = |point: Point| {
        let way = point - start;
        let ahead = way.x * direction.x + way.y * direction.y;
        let aside = (way.x * direction.y - way.y * direction.x).abs();
        (ahead > 1.0 && aside < 2.5 * ahead).then_some(ahead + 1.5 * aside)
    };
    let costs = points.iter().enumerate().filter_map(|(at, point)| Some((at, cost(*point)?)));
    costs.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_visit_a_grid() {
        let grid: Vec<Point> = (0..6).map(|at| Point::new(f64::from(at % 3) * 100.0, f64::from(at / 3) * 80.0)).collect();
        let go = |from: usize, key| match command(key, Modifiers::default()) {
            Some(Command::Go(direction)) => next(&grid, grid[from], direction),
            other => panic!("{key}: {other:?}"),
        };
        assert_eq!((go(0, "ArrowRight"), go(1, "ArrowRight"), go(2, "ArrowRight")), (Some(1), Some(2), None));
        assert_eq!((go(1, "ArrowDown"), go(4, "ArrowUp"), go(4, "ArrowLeft")), (Some(4), Some(1), Some(3)));
    }

    #[test]
    fn every_node_is_reached_from_the_first() {
        let points: Vec<Point> = (0..9).map(|at| Point::new(f64::from(at * 37 % 90), f64::from(at * 53 % 70))).collect();
        let mut reached = vec![0];
        for at in 0.. {
            let Some(from) = reached.get(at).copied() else { break };
            for direction in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
                let there = next(&points, points[from], Point::new(direction.0, direction.1));
                reached.extend(there.filter(|there| !reached.contains(there)));
            }
        }
        assert_eq!(reached.len(), points.len(), "{reached:?}");
    }

    /// A key as the help writes it: `Shift G`.
    fn pressed(shown: &str) -> Option<Command> {
        let parts: Vec<&str> = shown.split(' ').collect();
        let (key, held) = parts.split_last().expect("a key");
        let held = Modifiers { shift: held.contains(&"Shift"), alt: held.contains(&"Alt"), control: held.contains(&"Ctrl") };
        let named =
            [("←", "ArrowLeft"), ("→", "ArrowRight"), ("↑", "ArrowUp"), ("↓", "ArrowDown"), ("Esc", "Escape"), ("−", "-")];
        let key = named.iter().find(|(shown, _)| shown == key).map_or(*key, |(_, name)| name);
        let is_small = key.len() == 1 && !held.shift;
        command(&if is_small { key.to_lowercase() } else { key.to_owned() }, held)
    }

    #[test]
    fn the_help_lists_every_command() {
        let listed: Vec<_> = HELP
            .iter()
            .flat_map(|(keys, _)| *keys)
            .map(|key| pressed(key).unwrap_or_else(|| panic!("{key} does nothing")))
            .collect();
        let keys = (' '..='~').map(|key| key.to_string());
        let keys = keys.chain(["ArrowLeft", "Enter", "Escape", "Delete", "Backspace", "Tab", "Home", "End"].map(str::to_owned));
        for key in keys {
            for held in 0..8 {
                let held = Modifiers { shift: held & 1 > 0, alt: held & 2 > 0, control: held & 4 > 0 };
                let Some(does) = command(&key, held) else { continue };
                let is_same = |other: &Command| std::mem::discriminant(other) == std::mem::discriminant(&does);
                assert!(listed.iter().any(is_same), "{key} with {held:?} is not in the help: {does:?}");
            }
        }
    }

    #[test]
    fn keys_of_the_browser_and_of_the_page_are_left_alone() {
        let held = Modifiers { control: true, ..Modifiers::default() };
        assert_eq!(command("z", held), None, "undo is of the page");
        assert_eq!(command("c", held), None, "copy is of the browser");
        assert_eq!(command(" ", Modifiers::default()), None, "the space bar runs");
        assert_eq!(command("E", Modifiers { shift: true, ..Modifiers::default() }), Some(Command::Edge { is_backward: true }));
        assert_eq!(command("d", held), Some(Command::Duplicate));
        assert_eq!(command("G", Modifiers { shift: true, ..Modifiers::default() }), Some(Command::Ungroup));
        assert_eq!(
            command("ArrowLeft", Modifiers { alt: true, ..Modifiers::default() }),
            Some(Command::Shift(Point::new(-12.0, 0.0)))
        );
    }
}
