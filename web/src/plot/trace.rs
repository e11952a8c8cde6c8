//! Recorded variables of single neurons, a lane each, like pen recorders.

use spikelet_js::protocol::Channel;

use super::{
    Plot, Scene,
    axis::{self, Steady},
    surface::{Area, Surface},
};
use crate::session::Opened;

/// At most this many lanes: more could not be read.
const MOST_LANES: usize = 4;
/// Room between two lanes.
const GAP: f64 = 6.0;
/// How far a stroke for a spike reaches above the values.
const SPIKE: f64 = 7.0;

/// The channels that are drawn: the first few.
pub(crate) fn shown(opened: &Opened) -> &[Channel] {
    &opened.channels[..opened.channels.len().min(MOST_LANES)]
}

/// `E[3]` where all lanes show the same variable, else as recorded.
fn label(channel: &Channel, all: &[Channel]) -> String {
    if all.iter().all(|other| other.variable == channel.variable) {
        channel.label.replacen(&format!(".{}", channel.variable), "", 1)
    } else {
        channel.label.clone()
    }
}

/// Draws traces.
pub(crate) struct Trace {
    surface: Surface,
    /// Range of each variable and unit: lanes of one variable can be compared, a weight and a potential in mV cannot.
    ranges: Vec<((String, String), Steady)>,
}

impl Trace {
    /// Traces on a surface.
    pub(crate) fn new(surface: Surface) -> Trace {
        Trace { surface, ranges: Vec::new() }
    }

    /// The values that a lane spans; none before there are any.
    fn range(&mut self, of: &Channel, scene: &Scene<'_>) -> Option<(f64, f64)> {
        let (from, _) = scene.time_range();
        let kind = |channel: &Channel| (channel.variable.clone(), channel.unit.clone());
        let values = shown(scene.opened)
            .iter()
            .enumerate()
            .filter(|(_, channel)| kind(channel) == kind(of))
            .flat_map(|(at, _)| scene.history.trace(at, from).map(|(_, value)| f64::from(value)));
        let (least, most) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (least.min(value), most.max(value)));
        if least > most {
            return None;
        }
        let at = self.ranges.iter().position(|(known, _)| *known == kind(of)).unwrap_or_else(|| {
            self.ranges.push((kind(of), Steady::default()));
            self.ranges.len() - 1
        });
        Some(self.ranges[at].1.hold(least, most))
    }
}

impl Trace {
    /// Writes the name of a lane into its upper left corner: beside the axis there is no room for one.
    fn name(&self, name: &str, (left, top): (f64, f64), colour: &str, scene: &Scene<'_>) {
        let pen = &self.surface.pen;
        pen.set_font(&format!("600 {}", scene.theme.font));
        pen.set_text_align("left");
        pen.set_text_baseline("top");
        let name = &self.surface.shortened(name, 240.0);
        let width = pen.measure_text(name).map_or(0.0, |text| text.width());
        pen.save();
        pen.set_global_alpha(0.8);
        pen.set_fill_style_str(&scene.theme.page.css);
        pen.fill_rect(left + 1.0, top, width + 9.0, 15.0);
        pen.restore();
        pen.set_fill_style_str(colour);
        pen.fill_text(name, left + 5.0, top + 2.0).ok();
    }
}

impl Plot for Trace {
    fn draw(&mut self, scene: &Scene<'_>) {
        let whole = self.surface.begin();
        let channels = shown(scene.opened);
        let range = scene.time_range();
        let count = channels.len().max(1) as f64;
        let height = ((whole.height - GAP * (count - 1.0)) / count).max(1.0);
        for (at, channel) in channels.iter().enumerate() {
            let top = whole.top + at as f64 * (height + GAP);
            let lane = Area { top: top + SPIKE, height: (height - SPIKE).max(1.0), ..whole };
            let range_of_lane = self.range(channel, scene);
            let population = scene.population_of(channel.neuron);
            let name = &scene.opened.network.populations[population].name;
            let colour = &scene.theme.population(population, name).css;
            let pen = &self.surface.pen;
            if let Some(values) = range_of_lane {
                pen.save();
                pen.begin_path();
                pen.rect(lane.left, top, lane.width, height);
                pen.clip();
                pen.set_stroke_style_str(colour);
                pen.set_line_width(1.25);
                pen.set_line_join("round");
                let points = scene.history.trace(at, range.0);
                self.surface.line(points.map(|(time, value)| (lane.x(time, range), lane.y(value.into(), values))));
                // A reset shows when a cell fired, but not that it did: models without a spike's shape get a stroke.
                pen.set_fill_style_str(colour);
                for spike in scene.history.spikes_since(range.0).filter(|spike| spike.neuron == channel.neuron) {
                    if let Some(value) = scene.history.value(at, spike.step) {
                        let x = lane.x(f64::from(spike.step) * scene.history.dt_ms(), range);
                        pen.fill_rect(x - 0.625, top, 1.25, lane.y(value.into(), values) - top);
                    }
                }
                pen.restore();
                axis::value(&self.surface, &lane, values, scene);
            }
            self.name(&label(channel, channels), (lane.left, top), colour, scene);
        }
        axis::marks(&self.surface, &whole, scene, false);
        axis::time(&self.surface, &whole, scene);
    }
}
