//! Mean firing rate of each population over time.

use super::{
    Plot, Scene,
    axis::{self, Steady},
    surface::Surface,
};
use crate::history::RATE_BIN_MS;

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
        let seen = |&(start, _): &(f64, f64)| start + RATE_BIN_MS >= range.0;
        let most = (0..populations.len())
            .flat_map(|at| scene.history.rates(at).filter(seen))
            .fold(8.0, |most: f64, (_, rate)| most.max(rate));
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
            let points = scene
                .history
                .rates(at)
                .filter(seen)
                .map(|(start, rate)| (area.x(start + RATE_BIN_MS / 2.0, range), area.y(rate, (0.0, high))));
            self.surface.line(points);
        }
        pen.restore();
        axis::marks(&self.surface, &area, scene, false);
        axis::time(&self.surface, &area, scene);
        axis::value(&self.surface, &area, (0.0, high), scene);
    }
}
