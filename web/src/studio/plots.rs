//! The plots of the open network, in their element of the page.

use leptos::prelude::*;
use web_sys::HtmlElement;

use super::Studio;
use crate::plot::{Board, CaptionExtra};

/// The element of the plots, and the additions of the page.
pub(super) struct PlotMount {
    element: HtmlElement,
    extras: Vec<CaptionExtra>,
}

impl Studio {
    /// The element exists.
    pub(crate) fn lay_plots(self, element: HtmlElement, extras: Vec<CaptionExtra>) {
        self.live().stage.replace(Some(PlotMount { element, extras }));
        self.show_plots();
    }

    /// Creates the plots of the open network.
    pub(super) fn show_plots(self) {
        let live = self.live();
        let stage = live.stage.borrow();
        let Some(stage) = stage.as_ref() else { return };
        let window_ms = self.window_ms.get_untracked();
        let Some(board) =
            self.with_simulation(|simulation| Board::new(simulation, window_ms, &stage.extras, move || self.copy_view_link()))
        else {
            return;
        };
        match board {
            Ok(mut board) => {
                stage.element.replace_children_with_node_1(&board.element());
                board.on_view(move |view| self.take_view(view));
                live.board.replace(Some(board));
                self.show_strip();
            }
            Err(error) => self.session.update(|session| session.error = Some(error.message)),
        }
    }

    /// Changes the time span.
    pub(crate) fn show_window(self, window_ms: f64) {
        self.window_ms.set(window_ms);
        if let Some(board) = &*self.live().board.borrow() {
            board.set_window(window_ms);
        }
        if let Some(strip) = &*self.live().strip.borrow() {
            strip.set_window(window_ms);
        }
    }
}
