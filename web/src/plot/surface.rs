//! A canvas at the resolution of the screen it is on.

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

/// Room left of the plot for labels, in CSS pixels; the same for all plots, so that their times stand above each other.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 6.0;
/// Room below for the time axis.
const BOTTOM: f64 = 20.0;

/// A canvas and its pen. Lengths are CSS pixels unless a name says device.
pub(crate) struct Surface {
    canvas: HtmlCanvasElement,
    /// Draws.
    pub(crate) pen: CanvasRenderingContext2d,
    /// Device pixels per CSS pixel.
    pub(crate) ratio: f64,
    size: (f64, f64),
}

/// The part of a surface inside its axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    /// Left edge.
    pub(crate) left: f64,
    /// Upper edge.
    pub(crate) top: f64,
    /// From left to right.
    pub(crate) width: f64,
    /// From top to bottom.
    pub(crate) height: f64,
}

impl Area {
    /// The area of a canvas of this size.
    pub(crate) fn of(width: f64, height: f64) -> Area {
        Area { left: LEFT, top: TOP, width: (width - LEFT - RIGHT).max(1.0), height: (height - TOP - BOTTOM).max(1.0) }
    }

    /// Right edge.
    pub(crate) fn right(&self) -> f64 {
        self.left + self.width
    }

    /// Lower edge.
    pub(crate) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Where a time stands, given those at the left and the right edge.
    pub(crate) fn x(&self, time: f64, (from, to): (f64, f64)) -> f64 {
        self.left + (time - from) / (to - from) * self.width
    }

    /// Where a value stands, given those at the lower and the upper edge.
    pub(crate) fn y(&self, value: f64, (low, high): (f64, f64)) -> f64 {
        self.bottom() - (value - low) / (high - low) * self.height
    }
}

impl Surface {
    /// A surface on a canvas; none where the browser has no 2D canvas.
    pub(crate) fn new(canvas: HtmlCanvasElement) -> Option<Surface> {
        let pen = canvas.get_context("2d").ok().flatten()?.dyn_into().ok()?;
        Some(Surface { canvas, pen, ratio: 1.0, size: (0.0, 0.0) })
    }

    /// A text in the font of the moment, cut short where it is wider than the room for it.
    pub(crate) fn shortened(&self, text: &str, room: f64) -> String {
        let fits = |text: &str| self.pen.measure_text(text).is_ok_and(|measured| measured.width() <= room);
        if fits(text) {
            return text.to_owned();
        }
        let letters: Vec<char> = text.chars().collect();
        let cut = |kept: usize| letters[..kept].iter().chain(&['…']).collect::<String>();
        (0..letters.len()).rev().map(cut).find(|text| fits(text)).unwrap_or_default()
    }

    /// Clears it, takes over a new size or resolution, and says where to draw.
    pub(crate) fn begin(&mut self) -> Area {
        self.ratio = web_sys::window().map_or(1.0, |window| window.device_pixel_ratio());
        self.size = (f64::from(self.canvas.client_width()), f64::from(self.canvas.client_height()));
        let device = |length: f64| (length * self.ratio).round() as u32;
        let (width, height) = (device(self.size.0), device(self.size.1));
        // Setting a size, even the same, throws the picture away.
        if self.canvas.width() != width {
            self.canvas.set_width(width);
        }
        if self.canvas.height() != height {
            self.canvas.set_height(height);
        }
        self.pen.set_transform(self.ratio, 0.0, 0.0, self.ratio, 0.0, 0.0).ok();
        self.pen.clear_rect(0.0, 0.0, self.size.0, self.size.1);
        Area::of(self.size.0, self.size.1)
    }

    /// Draws a line through points ordered by x, `(x, y)`. However many there are, each column of device pixels gets at
    /// most four: where the line enters, its extremes, and where it leaves.
    pub(crate) fn line(&self, points: impl Iterator<Item = (f64, f64)>) {
        self.pen.begin_path();
        let mut column: Option<Column> = None;
        for (x, y) in points {
            let at = (x * self.ratio).floor();
            match &mut column {
                Some(column) if column.at == at => column.take(y),
                _ => {
                    if let Some(done) = column.replace(Column::new(at, x, y)) {
                        done.draw(&self.pen);
                    }
                }
            }
        }
        if let Some(done) = column {
            done.draw(&self.pen);
        }
        self.pen.stroke();
    }
}

/// The part of a line within one column of device pixels.
#[derive(Clone, Copy)]
struct Column {
    at: f64,
    x: f64,
    first: f64,
    least: f64,
    most: f64,
    last: f64,
}

impl Column {
    fn new(at: f64, x: f64, y: f64) -> Column {
        Column { at, x, first: y, least: y, most: y, last: y }
    }

    fn take(&mut self, y: f64) {
        self.least = self.least.min(y);
        self.most = self.most.max(y);
        self.last = y;
    }

    fn draw(&self, pen: &CanvasRenderingContext2d) {
        pen.line_to(self.x, self.first);
        if self.least < self.most {
            pen.line_to(self.x, self.least);
            pen.line_to(self.x, self.most);
            pen.line_to(self.x, self.last);
        }
    }
}
