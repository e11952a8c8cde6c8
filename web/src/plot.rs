//! Plots on canvas, straight from the [history](crate::history): once per animation frame, never through signals.

mod axis;
pub(crate) mod raster;
pub(crate) mod rates;
pub(crate) mod surface;
pub(crate) mod theme;
pub(crate) mod trace;
pub(crate) mod weights;

use crate::{history::History, measured::Measurements, session::Opened};
use theme::Theme;

/// Everything a plot needs to draw one frame.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// The open network.
    pub(crate) opened: &'a Opened,
    /// What it did.
    pub(crate) history: &'a History,
    /// What its statistics came to.
    pub(crate) measured: &'a Measurements,
    /// Which of them is shown.
    pub(crate) statistic: usize,
    /// Colours of the moment.
    pub(crate) theme: &'a Theme,
    /// How much time to show, in ms.
    pub(crate) window_ms: f64,
}

impl Scene<'_> {
    /// Start and end of the time axis in ms: the window fills up first, then it moves along.
    pub(crate) fn time_range(&self) -> (f64, f64) {
        let end = self.history.now_ms().max(self.window_ms);
        (end - self.window_ms, end)
    }

    /// The population that a neuron belongs to.
    pub(crate) fn population_of(&self, neuron: u32) -> usize {
        let populations = &self.opened.network.populations;
        populations.partition_point(|population| population.first <= neuron).saturating_sub(1)
    }
}

/// Something that draws a frame.
pub(crate) trait Plot {
    /// Draws the scene anew.
    fn draw(&mut self, scene: &Scene<'_>);
}
