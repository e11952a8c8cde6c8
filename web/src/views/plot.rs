//! The frame that all plots have: a caption and a canvas.

use leptos::{html, prelude::*};

use super::studio;
use crate::plot::{Plot, surface::Surface};

/// Gives a plot to the studio as soon as its canvas is there.
pub(super) fn mount<P: Plot + 'static>(canvas: NodeRef<html::Canvas>, plot: fn(Surface) -> P) {
    let studio = studio();
    canvas.on_load(move |canvas| {
        if let Some(surface) = Surface::new(canvas) {
            studio.add_plot(plot(surface));
        }
    });
}
