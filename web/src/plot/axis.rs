//! Axes: where ticks stand, how they read, and a value range that does not twitch.

use super::{
    Scene,
    surface::{Area, Surface},
};
use crate::number;

/// Multiples of a nice step in `[from, to]`, at most about `most` of them.
pub(crate) fn ticks((from, to): (f64, f64), most: f64) -> impl Iterator<Item = f64> {
    let step = number::nice_above((to - from).max(1e-12) / most.max(1.0));
    let first = (from / step).ceil() as i64;
    let last = (to / step).floor() as i64;
    (first..=last).map(move |k| k as f64 * step)
}

/// Draws the time axis below an area, its grid lines behind what is there, and marks of changed parameters.
pub(crate) fn time(surface: &Surface, area: &Area, scene: &Scene<'_>) {
    let range = scene.time_range();
    let pen = &surface.pen;
    pen.set_font(&scene.theme.font);
    pen.set_text_baseline("alphabetic");
    pen.set_text_align("center");
    pen.set_fill_style_str(&scene.theme.muted.css);
    let base = area.bottom() + 15.0;
    for at in ticks(range, area.width / 90.0) {
        let x = area.x(at, range);
        // The unit's corner stays free.
        if x < area.right() - 36.0 {
            pen.fill_text(&number::grouped(at.max(0.0).round() as u64), x, base).ok();
        }
        grid(surface, (x, area.top), (x, area.bottom()), scene);
    }
    pen.set_text_align("right");
    pen.fill_text("ms", area.right(), base).ok();
}

/// Draws the value axis at the left of an area.
pub(crate) fn value(surface: &Surface, area: &Area, range: (f64, f64), scene: &Scene<'_>) {
    let pen = &surface.pen;
    pen.set_font(&scene.theme.font);
    pen.set_text_baseline("middle");
    pen.set_text_align("right");
    pen.set_fill_style_str(&scene.theme.muted.css);
    for at in ticks(range, (area.height / 26.0).max(2.0)) {
        let y = area.y(at, range);
        pen.fill_text(&number::short(at, 4), area.left - 8.0, y).ok();
        grid(surface, (area.left, y), (area.right(), y), scene);
    }
}

/// Draws dashed lines where parameters were changed, and says what changed where there is room for it.
pub(crate) fn marks(surface: &Surface, area: &Area, scene: &Scene<'_>, with_text: bool) {
    let range = scene.time_range();
    let pen = &surface.pen;
    pen.set_font(&scene.theme.font);
    pen.set_text_baseline("top");
    pen.set_text_align("left");
    let mut free = area.left;
    for mark in scene.history.marks() {
        let x = crisp(area.x(f64::from(mark.step) * scene.history.dt_ms(), range), surface.ratio);
        if x < area.left {
            continue;
        }
        pen.set_fill_style_str(&scene.theme.mark.css);
        for dash in 0..(area.height / 6.0) as u32 {
            pen.fill_rect(x, area.top + f64::from(dash) * 6.0, 1.0, 3.0);
        }
        let width = pen.measure_text(&mark.text).map_or(0.0, |text| text.width());
        if with_text && x >= free && x + width + 10.0 < area.right() {
            pen.set_fill_style_str(&scene.theme.page.css);
            pen.fill_rect(x + 1.0, area.top, width + 9.0, 17.0);
            pen.set_fill_style_str(&scene.theme.mark.css);
            pen.fill_text(&mark.text, x + 5.0, area.top + 4.0).ok();
            free = x + width + 10.0;
        }
    }
}

/// A hairline behind what is drawn already.
fn grid(surface: &Surface, from: (f64, f64), to: (f64, f64), scene: &Scene<'_>) {
    let pen = &surface.pen;
    let thick = 1.0 / surface.ratio;
    let (x, y) = (crisp(from.0, surface.ratio), crisp(from.1, surface.ratio));
    pen.save();
    pen.set_global_composite_operation("destination-over").ok();
    pen.set_fill_style_str(&scene.theme.line.css);
    pen.fill_rect(x, y, (to.0 - from.0).max(thick), (to.1 - from.1).max(thick));
    pen.restore();
}

/// The nearest edge of a device pixel.
fn crisp(at: f64, ratio: f64) -> f64 {
    (at * ratio).round() / ratio
}

/// A range of values that grows at once and shrinks only when it is much too large.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Steady(Option<(f64, f64)>);

impl Steady {
    /// Takes in the extremes of what is to be shown; gives the range to show.
    pub(crate) fn hold(&mut self, least: f64, most: f64) -> (f64, f64) {
        let nice = || {
            let step = number::nice_above((most - least).max(least.abs() * 1e-3).max(1e-9) / 4.0);
            ((least / step).floor() * step, (most / step).ceil() * step)
        };
        let range = match self.0 {
            Some((low, high)) if low <= least && most <= high && most - least > 0.4 * (high - low) => (low, high),
            Some((low, high)) => {
                let (nice_low, nice_high) = nice();
                // Let a border that is still good stay.
                let keep = |old: f64, new: f64| (old - new).abs() < 0.2 * (nice_high - nice_low);
                let low = if low <= least && keep(low, nice_low) { low } else { nice_low };
                let high = if high >= most && keep(high, nice_high) { high } else { nice_high };
                (low, high)
            }
            None => nice(),
        };
        let range = if range.1 > range.0 { range } else { (range.0, range.0 + 1.0) };
        self.0 = Some(range);
        range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_nice_and_inside() {
        assert_eq!(ticks((0.0, 1000.0), 10.0).collect::<Vec<_>>().len(), 11);
        assert_eq!(ticks((130.0, 330.0), 4.0).collect::<Vec<_>>(), [150.0, 200.0, 250.0, 300.0]);
        assert_eq!(ticks((-60.0, -50.0), 3.0).collect::<Vec<_>>(), [-60.0, -55.0, -50.0]);
    }

    #[test]
    fn a_range_grows_at_once_and_shrinks_late() {
        let mut range = Steady::default();
        assert_eq!(range.hold(0.0, 18.0), (0.0, 20.0));
        assert_eq!(range.hold(0.0, 12.0), (0.0, 20.0));
        let (low, high) = range.hold(0.0, 31.0);
        assert!(low == 0.0 && (31.0..=40.0).contains(&high));
        assert!(range.hold(0.0, 3.0).1 < 10.0);
        let (low, high) = range.hold(-60.0, -60.0);
        assert!(low <= -60.0 && high >= -60.0 && high > low);
    }
}
