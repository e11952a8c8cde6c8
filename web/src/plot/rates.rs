//! Mean firing rate of each population over time.

use super::{
    Plot, Scene,
    axis::{self, Steady},
    surface::Surface,
};
use crate::history::rate_bin_ms;

/// Draws rates.
pub(crate) struct Rates {
    surface: Surface,
    range: Steady,
}

impl Rates {
    /// Rates on a surface.
    pub(crate) fn new(surface: Surface) -> Rates {
        Rates { surface, range: Steady::default() }
    }
}

impl Plot for Rates {
    fn draw(&mut self, scene: &Scene<'_>) {
        let area = self.surface.begin();
        let range = scene.time_range();
        let populations = &scene.opened.network.populations;
        // In the middle of its bin.
        let seen = |at: usize| {
            let width_ms = rate_bin_ms(populations[at].size);
            let rates = scene.history.rates(at).filter(move |(start, _)| start + width_ms >= range.0);
            rates.map(move |(start, rate)| (start + width_ms / 2.0, rate))
        };
        let most = (0..populations.len()).flat_map(seen).fold(8.0, |most: f64, (_, rate)| most.max(rate));
        let (_, high) = self.range.hold(0.0, most);
        let pen = &self.surface.pen;
        pen.save();
        pen.begin_path();
        pen.rect(area.left, area.top, area.width, area.height);
        pen.clip();
        pen.set_line_width(1.5);
        pen.set_line_join("round");
        for (at, population) in populations.iter().enumerate() {
            pen.set_stroke_style_str(&scene.theme.population(at, &population.name).css);
            self.surface.line(seen(at).map(|(time, rate)| (area.x(time, range), area.y(rate, (0.0, high)))));
        }
        pen.restore();
        axis::marks(&self.surface, &area, scene, false);
        axis::time(&self.surface, &area, scene);
        axis::value(&self.surface, &area, (0.0, high), scene);
    }
}
