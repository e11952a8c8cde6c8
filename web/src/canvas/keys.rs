//! The keys of the diagram.

use super::geometry::Point;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Command {
    /// Goes to the next node in a direction; while connecting, to the next target.
    Go(Point),
    /// Moves the selected nodes by positions.
    Shift(Point),
    /// Opens the inspector; while connecting, connects.
    Enter,
    /// Selects the node also, or not.
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

/// The next point from one of them in a direction: near, and not far to the side.
pub(crate) fn next(points: &[Point], from: usize, direction: Point) -> Option<usize> {
    let start = *points.get(from)?;
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
        let go = |from, key| match command(key, Modifiers::default()) {
            Some(Command::Go(direction)) => next(&grid, from, direction),
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
                let there = next(&points, from, Point::new(direction.0, direction.1));
                reached.extend(there.filter(|there| !reached.contains(there)));
            }
        }
        assert_eq!(reached.len(), points.len(), "{reached:?}");
    }

    #[test]
    fn keys_of_the_browser_and_of_the_page_are_left_alone() {
        let held = Modifiers { control: true, ..Modifiers::default() };
        assert_eq!(command("z", held), None, "undo is of the page");
        assert_eq!(command("c", held), None, "copy is of the browser");
        assert_eq!(command(" ", Modifiers::default()), None, "the space bar runs");
        assert_eq!(command("d", held), Some(Command::Duplicate));
        assert_eq!(command("G", Modifiers { shift: true, ..Modifiers::default() }), Some(Command::Ungroup));
        assert_eq!(
            command("ArrowLeft", Modifiers { alt: true, ..Modifiers::default() }),
            Some(Command::Shift(Point::new(-12.0, 0.0)))
        );
    }
}
