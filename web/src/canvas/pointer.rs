//! What a pointer does: presses, drags and releases as actions on the diagram.

use super::geometry::{Point, Rect};
use super::scene::Hit;

/// A pointer that moves less than this many pixels has not dragged anything.
const SLACK: f64 = 4.0;

/// The state of the pointer between its events.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Pointer {
    /// Nothing is pressed.
    #[default]
    Free,
    /// Pressed, and not yet moved.
    Pressed { hit: Hit, start: Point, adds: bool, pans: bool },
    /// The view moves.
    Panning { last: Point },
    /// Nodes move.
    Moving { start: Point },
    /// A rectangle is drawn around nodes; `adds` keeps those that are selected.
    Banding { start: Point, adds: bool },
    /// A connection is drawn from a node.
    Connecting { from: usize },
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Action {
    Nothing,
    /// Moves the view by pixels.
    Pan(Point),
    /// Selects what was hit alone, or also.
    Select {
        hit: Hit,
        adds: bool,
    },
    /// Shows the selected nodes this many pixels away.
    Drag(Point),
    /// Leaves them there.
    Drop(Point),
    /// Shows a rectangle.
    Band(Rect),
    /// Selects the nodes in a rectangle.
    Pick {
        rect: Rect,
        adds: bool,
    },
    /// Shows a connection that ends at the pointer.
    Stretch {
        from: usize,
        to: Point,
    },
    /// Connects two nodes.
    Connect {
        from: usize,
        to: usize,
    },
    /// Ends what was begun.
    Cancel,
}

/// A press.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Press {
    pub(crate) hit: Hit,
    pub(crate) at: Point,
    /// With the shift key.
    pub(crate) shift: bool,
    /// With the middle button, or with one finger on the ground.
    pub(crate) pans: bool,
    /// Whether what is hit is selected.
    pub(crate) is_selected: bool,
}

impl Pointer {
    /// The pointer is pressed.
    pub(crate) fn press(&mut self, press: Press) -> Action {
        let Press { hit, at, shift, pans, is_selected } = press;
        if let Hit::Handle(from) = hit {
            *self = Pointer::Connecting { from };
            return Action::Stretch { from, to: at };
        }
        *self = Pointer::Pressed { hit, start: at, adds: shift, pans };
        // A drag moves what is under the pointer, so that it is selected at once.
        match hit {
            Hit::Node(_) if !is_selected && !shift && !pans => Action::Select { hit, adds: false },
            _ => Action::Nothing,
        }
    }

    /// The pointer moves.
    pub(crate) fn drag(&mut self, at: Point) -> Action {
        if let Pointer::Pressed { hit, start, adds, pans } = *self
            && start.distance(at) >= SLACK
        {
            *self = match hit {
                _ if pans => Pointer::Panning { last: start },
                Hit::Node(_) | Hit::Frame(_) => Pointer::Moving { start },
                _ if adds => Pointer::Banding { start, adds },
                _ => Pointer::Panning { last: start },
            };
            if let Hit::Frame(_) = hit
                && !pans
            {
                // The nodes of the group move.
                return Action::Select { hit, adds: false };
            }
        }
        match *self {
            Pointer::Free | Pointer::Pressed { .. } => Action::Nothing,
            Pointer::Panning { last } => {
                *self = Pointer::Panning { last: at };
                Action::Pan(at - last)
            }
            Pointer::Moving { start } => Action::Drag(at - start),
            Pointer::Banding { start, .. } => Action::Band(Rect::between(start, at)),
            Pointer::Connecting { from } => Action::Stretch { from, to: at },
        }
    }

    /// The pointer is released over something.
    pub(crate) fn release(&mut self, hit: Hit, at: Point) -> Action {
        match std::mem::take(self) {
            Pointer::Free | Pointer::Panning { .. } => Action::Nothing,
            Pointer::Pressed { hit: pressed, adds, pans, .. } => match pressed {
                _ if pans && pressed != Hit::Ground => Action::Nothing,
                pressed => Action::Select { hit: pressed, adds },
            },
            Pointer::Moving { start } => Action::Drop(at - start),
            Pointer::Banding { start, adds } => Action::Pick { rect: Rect::between(start, at), adds },
            Pointer::Connecting { from } => match hit {
                Hit::Node(to) | Hit::Handle(to) | Hit::Recorder(to) => Action::Connect { from, to },
                _ => Action::Cancel,
            },
        }
    }

    /// The gesture was interrupted.
    pub(crate) fn cancel(&mut self) -> Action {
        *self = Pointer::Free;
        Action::Cancel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Point = Point::new(100.0, 100.0);
    const THERE: Point = Point::new(160.0, 80.0);

    fn press(hit: Hit) -> Press {
        Press { hit, at: HERE, shift: false, pans: false, is_selected: false }
    }

    #[test]
    fn a_click_selects_and_a_click_on_the_ground_selects_nothing() {
        let mut pointer = Pointer::default();
        assert_eq!(pointer.press(press(Hit::Node(1))), Action::Select { hit: Hit::Node(1), adds: false });
        assert_eq!(pointer.drag(HERE + Point::new(1.0, 1.0)), Action::Nothing, "a hand trembles");
        assert_eq!(pointer.release(Hit::Node(1), HERE), Action::Select { hit: Hit::Node(1), adds: false });
        assert_eq!(pointer.press(press(Hit::Ground)), Action::Nothing);
        assert_eq!(pointer.release(Hit::Ground, HERE), Action::Select { hit: Hit::Ground, adds: false });
        let shifted = Press { shift: true, ..press(Hit::Edge(2)) };
        assert_eq!(pointer.press(shifted), Action::Nothing);
        assert_eq!(pointer.release(Hit::Edge(2), HERE), Action::Select { hit: Hit::Edge(2), adds: true });
    }

    #[test]
    fn a_drag_moves_nodes_or_the_view() {
        let mut pointer = Pointer::default();
        pointer.press(Press { is_selected: true, ..press(Hit::Node(0)) });
        assert_eq!(pointer.drag(THERE), Action::Drag(THERE - HERE));
        assert_eq!(pointer.release(Hit::Ground, THERE), Action::Drop(THERE - HERE));
        assert_eq!(pointer, Pointer::Free);
        pointer.press(press(Hit::Ground));
        assert_eq!(pointer.drag(THERE), Action::Pan(THERE - HERE));
        assert_eq!(pointer.drag(HERE), Action::Pan(HERE - THERE));
        assert_eq!(pointer.release(Hit::Ground, HERE), Action::Nothing, "the selection stays");
        pointer.press(Press { pans: true, ..press(Hit::Node(0)) });
        assert_eq!(pointer.drag(THERE), Action::Pan(THERE - HERE), "the middle button never moves nodes");
    }

    #[test]
    fn shift_draws_a_band() {
        let mut pointer = Pointer::default();
        pointer.press(Press { shift: true, ..press(Hit::Ground) });
        let rect = Rect::between(HERE, THERE);
        assert_eq!(pointer.drag(THERE), Action::Band(rect));
        assert_eq!(pointer.release(Hit::Node(3), THERE), Action::Pick { rect, adds: true });
    }

    #[test]
    fn a_connection_ends_at_a_node_or_nowhere() {
        let mut pointer = Pointer::default();
        assert_eq!(pointer.press(press(Hit::Handle(2))), Action::Stretch { from: 2, to: HERE });
        assert_eq!(pointer.drag(THERE), Action::Stretch { from: 2, to: THERE });
        assert_eq!(pointer.release(Hit::Node(0), THERE), Action::Connect { from: 2, to: 0 });
        pointer.press(press(Hit::Handle(2)));
        assert_eq!(pointer.release(Hit::Node(2), HERE), Action::Connect { from: 2, to: 2 }, "onto itself");
        pointer.press(press(Hit::Handle(2)));
        assert_eq!(pointer.release(Hit::Ground, THERE), Action::Cancel);
        pointer.press(press(Hit::Handle(2)));
        assert_eq!(pointer.cancel(), Action::Cancel);
        assert_eq!(pointer.drag(THERE), Action::Nothing);
    }
}
