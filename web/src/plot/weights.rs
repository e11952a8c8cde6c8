//! What synapses learn: a histogram of now, and mean and spread since t = 0.

use super::{
    Plot, Scene,
    axis::{self, Steady},
    surface::{Area, Surface},
};
use crate::{measured::Series, number};

/// Room between the histogram and what stands below it: its labels, and air.
const GAP: f64 = 30.0;
/// Part of the height that the histogram takes.
const SHARE: f64 = 0.5;

/// Draws a statistic.
pub(crate) struct Weights {
    surface: Surface,
    count: Steady,
    values: Steady,
    /// What is drawn: another network, or another statistic, has other ranges.
    of: Option<(u32, usize)>,
}

impl Weights {
    /// Weights on a surface.
    pub(crate) fn new(surface: Surface) -> Weights {
        Weights { surface, count: Steady::default(), values: Steady::default(), of: None }
    }

    fn histogram(&mut self, area: &Area, series: &Series, ends: &[f64], scene: &Scene<'_>) {
        let (Some(first), Some(last)) = (ends.first(), ends.last()) else { return };
        let most = series.parts().iter().copied().max().unwrap_or(0);
        let (_, high) = self.count.hold(0.0, f64::from(most.max(4)));
        let pen = &self.surface.pen;
        pen.set_fill_style_str(&scene.theme.weights.css);
        for (ends, count) in ends.windows(2).zip(series.parts()) {
            let (left, right) = (area.x(ends[0], (*first, *last)), area.x(ends[1], (*first, *last)));
            let top = area.y(f64::from(*count), (0.0, high));
            // A hair of the page between two bars, as long as they are wide enough to spare it.
            let gap = if right - left > 4.0 { 1.0 } else { 0.0 };
            pen.fill_rect(left, top, right - left - gap, area.bottom() - top);
        }
        pen.set_font(&scene.theme.font);
        pen.set_fill_style_str(&scene.theme.muted.css);
        pen.set_text_baseline("alphabetic");
        for at in axis::ticks((*first, *last), area.width / 90.0) {
            pen.set_text_align("center");
            pen.fill_text(&number::short(at, 4), area.x(at, (*first, *last)), area.bottom() + 14.0).ok();
        }
        let [not_finite, below, above] = series.outside();
        let words = [(below, "below"), (above, "above"), (not_finite, "not finite")];
        let outside: Vec<String> = words
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{} {word}", number::grouped(count.into())))
            .collect();
        pen.set_text_align("right");
        pen.set_text_baseline("top");
        pen.fill_text(&outside.join(", "), area.right(), area.top).ok();
        axis::value(&self.surface, area, (0.0, high), scene);
    }

    fn time(&mut self, area: &Area, series: &Series, scene: &Scene<'_>) {
        let extremes = series.moments().fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), of| {
            (least.min(of.mean - of.sd), most.max(of.mean + of.sd))
        });
        if extremes.0 > extremes.1 {
            return;
        }
        let values = self.values.hold(extremes.0, extremes.1);
        let range = scene.time_range();
        let pen = &self.surface.pen;
        let point = |time_ms: f64, value: f64| (area.x(time_ms, range), area.y(value, values));
        pen.begin_path();
        let upper = series.moments().map(|of| point(of.time_ms, of.mean + of.sd));
        let lower = series.moments().rev().map(|of| point(of.time_ms, of.mean - of.sd));
        upper.chain(lower).for_each(|(x, y)| pen.line_to(x, y));
        pen.save();
        pen.set_global_alpha(0.25);
        pen.set_fill_style_str(&scene.theme.weights.css);
        pen.fill();
        pen.restore();
        pen.set_stroke_style_str(&scene.theme.weights.css);
        pen.set_line_width(1.5);
        pen.set_line_join("round");
        self.surface.line(series.moments().map(|of| point(of.time_ms, of.mean)));
        axis::value(&self.surface, area, values, scene);
    }
}

impl Plot for Weights {
    fn draw(&mut self, scene: &Scene<'_>) {
        let whole = self.surface.begin();
        let Some(statistic) = scene.opened.statistics.get(scene.statistic) else { return };
        let Some(series) = scene.measured.series(scene.statistic) else { return };
        let of = Some((scene.opened.id, scene.statistic));
        if self.of != of {
            (self.of, self.count, self.values) = (of, Steady::default(), Steady::default());
        }
        // All of the run, not the window of the others: weights move slowly.
        let scene = &Scene { window_ms: scene.history.now_ms().max(scene.window_ms), ..*scene };
        let upper = if statistic.ends.is_empty() { 0.0 } else { (whole.height - GAP) * SHARE };
        if upper > 0.0 {
            self.histogram(&Area { height: upper, ..whole }, series, &statistic.ends, scene);
        }
        let top = if upper > 0.0 { whole.top + upper + GAP } else { whole.top };
        let lower = Area { top, height: whole.bottom() - top, ..whole };
        self.time(&lower, series, scene);
        axis::marks(&self.surface, &lower, scene, false);
        axis::time(&self.surface, &lower, scene);
    }
}
