//! Curves as SVG.

use std::fmt::Write;

use crate::text::short;

/// Curves over the same points.
pub(crate) struct Plot<'a> {
    pub(crate) title: &'a str,
    pub(crate) x: &'a str,
    pub(crate) y: &'a str,
    /// Whether the x axis is logarithmic.
    pub(crate) is_logarithmic: bool,
    pub(crate) curves: Vec<PlotCurve<'a>>,
}

pub(crate) struct PlotCurve<'a> {
    pub(crate) name: &'a str,
    pub(crate) points: Vec<PlotPoint>,
}

/// A mean with its standard deviation.
#[derive(Clone, Copy)]
pub(crate) struct PlotPoint {
    pub(crate) x: f64,
    pub(crate) mean: f64,
    pub(crate) sd: f64,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
/// Left, top, right and bottom.
const MARGINS: [f64; 4] = [70.0, 40.0, 20.0, 50.0];
const COLOURS: [&str; 6] = ["#1f6fb4", "#c4541b", "#3c8d40", "#8a4fa3", "#a17f00", "#5a5a5a"];

/// Maps values to positions.
struct Axes {
    x: [f64; 2],
    is_logarithmic: bool,
    top: f64,
}

impl Axes {
    fn new(plot: &Plot) -> Axes {
        let points = || plot.curves.iter().flat_map(|curve| &curve.points);
        let (least, most) =
            points().fold((f64::INFINITY, 0.0_f64), |(least, most), point| (least.min(point.x), most.max(point.x)));
        let top = points().map(|point| point.mean + point.sd).fold(0.0, f64::max);
        Axes { x: [least, most], is_logarithmic: plot.is_logarithmic, top: if top > 0.0 { 1.05 * top } else { 1.0 } }
    }

    fn x(&self, x: f64) -> f64 {
        let [least, most] = self.x;
        let part = if self.is_logarithmic {
            (x / least).ln() / (most / least).ln()
        } else {
            (x - least) / (most - least).max(f64::MIN_POSITIVE)
        };
        MARGINS[0] + part * (WIDTH - MARGINS[0] - MARGINS[2])
    }

    fn y(&self, y: f64) -> f64 {
        HEIGHT - MARGINS[3] - y / self.top * (HEIGHT - MARGINS[1] - MARGINS[3])
    }
}

/// Means with standard deviations.
pub(crate) fn svg(plot: &Plot) -> String {
    let axes = Axes::new(plot);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    label(&mut text, [WIDTH / 2.0, 22.0], "middle", plot.title);
    label(&mut text, [WIDTH / 2.0, HEIGHT - 12.0], "middle", plot.x);
    label(&mut text, [8.0, MARGINS[1] - 8.0], "start", plot.y);
    let (left, right, bottom) = (MARGINS[0], WIDTH - MARGINS[2], axes.y(0.0));
    line(&mut text, "#333", [left, bottom, right, bottom]);
    line(&mut text, "#333", [left, MARGINS[1], left, bottom]);
    for tick in 0..=4 {
        let y = axes.top * f64::from(tick) / 4.0;
        line(&mut text, "#ddd", [left, axes.y(y), right, axes.y(y)]);
        label(&mut text, [left - 6.0, axes.y(y) + 4.0], "end", &short(y));
    }
    let mut free = f64::NEG_INFINITY;
    for PlotPoint { x, .. } in &plot.curves[0].points {
        // Labels that would overlap are left out.
        if axes.x(*x) >= free {
            label(&mut text, [axes.x(*x), bottom + 16.0], "middle", &x.to_string());
            free = axes.x(*x) + 36.0;
        }
    }
    for ((curve, colour), row) in plot.curves.iter().zip(COLOURS.iter().cycle()).zip(0_u32..) {
        draw(&mut text, &axes, curve, colour);
        if plot.curves.len() > 1 {
            let y = MARGINS[1] + 14.0 * f64::from(row);
            _ = writeln!(
                text,
                "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\" fill=\"{colour}\">{}</text>",
                right - 6.0,
                curve.name
            );
        }
    }
    text + "</svg>\n"
}

fn draw(text: &mut String, axes: &Axes, curve: &PlotCurve, colour: &str) {
    let places: Vec<String> =
        curve.points.iter().map(|point| format!("{:.1},{:.1}", axes.x(point.x), axes.y(point.mean))).collect();
    _ = writeln!(text, "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\"/>", places.join(" "));
    for PlotPoint { x, mean, sd, .. } in &curve.points {
        let x = axes.x(*x);
        line(text, colour, [x, axes.y(mean - sd), x, axes.y(mean + sd)]);
        _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>", axes.y(*mean));
    }
}

fn line(text: &mut String, colour: &str, [x1, y1, x2, y2]: [f64; 4]) {
    _ = writeln!(text, "<path d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\" stroke=\"{colour}\"/>");
}

fn label(text: &mut String, [x, y]: [f64; 2], anchor: &str, label: &str) {
    _ = writeln!(text, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{label}</text>");
}
