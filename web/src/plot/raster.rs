//! The raster: a dot for each spike, time to the right, neurons from top to bottom, a band per population.

use spikelet_js::protocol::PopulationSummary;
use wasm_bindgen::Clamped;
use web_sys::ImageData;

use super::{
    Plot, Scene, axis,
    surface::{Area, Surface},
};
use crate::number;

/// Room between two bands.
const GAP: f64 = 8.0;
/// A band is at least this high, however few neurons it has.
const LEAST_BAND: f64 = 28.0;
/// A dot is at most this high in CSS pixels, however few neurons there are.
const HIGHEST_DOT: f64 = 6.0;
/// Spikes per device pixel above which a dot is one pixel, and below which it grows again.
const DENSE: [f64; 2] = [0.35, 0.25];

/// Draws spikes.
pub(crate) struct Raster {
    surface: Surface,
    /// The picture inside the axes, four bytes a device pixel. Spikes are set here and go to the canvas at once: a
    /// million calls into the browser would not fit a frame.
    pixels: Vec<u8>,
    dense: bool,
}

/// Where a population stands in the raster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Band {
    /// Upper edge, from the top of the area.
    pub(crate) top: f64,
    /// From top to bottom.
    pub(crate) height: f64,
}

/// Shares out a height among populations by their sizes.
pub(crate) fn bands(populations: &[PopulationSummary], height: f64) -> Vec<Band> {
    let gaps = GAP * populations.len().saturating_sub(1) as f64;
    let height = (height - gaps).max(1.0);
    let least = LEAST_BAND.min(height / populations.len().max(1) as f64);
    // What is left after every band has its least is shared by size.
    let rest = height - least * populations.len() as f64;
    let all: f64 = populations.iter().map(|population| f64::from(population.size)).sum();
    let mut top = 0.0;
    populations
        .iter()
        .map(|population| {
            let height = least + rest * f64::from(population.size) / all.max(1.0);
            let band = Band { top, height };
            top += height + GAP;
            band
        })
        .collect()
}

/// The neuron and the time in ms under a point of a canvas of this size; none between the bands.
pub(crate) fn under(point: (f64, f64), size: (f64, f64), scene: &Scene<'_>) -> Option<(u32, f64)> {
    let area = Area::of(size.0, size.1);
    let (x, y) = (point.0 - area.left, point.1 - area.top);
    if !(0.0..area.width).contains(&x) {
        return None;
    }
    let (from, to) = scene.time_range();
    let populations = &scene.opened.network.populations;
    let bands = bands(populations, area.height);
    let (population, band) = populations.iter().zip(bands).find(|(_, band)| (band.top..band.top + band.height).contains(&y))?;
    let within = ((y - band.top) / band.height * f64::from(population.size)) as u32;
    Some((population.first + within.min(population.size - 1), from + x / area.width * (to - from)))
}

/// How opaque one spike makes a pixel, of 255, where there are `cover` on each: alone it is seen well, and where they lie
/// thick upon each other more of them still make it darker.
fn opacity(cover: f64) -> u8 {
    let cover = cover.max(1e-3);
    (255.0 * (0.1 / cover).sqrt()).min(120.0 / cover).clamp(8.0, 255.0) as u8
}

impl Raster {
    /// A raster on a surface.
    pub(crate) fn new(surface: Surface) -> Raster {
        Raster { surface, pixels: Vec::new(), dense: false }
    }

    /// Sets the spikes' pixels; gives the picture's size in device pixels.
    fn paint(&mut self, area: &Area, bands: &[Band], scene: &Scene<'_>) -> (usize, usize) {
        let ratio = self.surface.ratio;
        let (width, height) = ((area.width * ratio) as usize, (area.height * ratio) as usize);
        self.pixels.clear();
        self.pixels.resize(width * height * 4, 0);
        let populations = &scene.opened.network.populations;
        let colours: Vec<[u8; 3]> =
            populations.iter().enumerate().map(|(at, population)| scene.theme.population(at, &population.name).rgb).collect();
        let range = scene.time_range();
        let passed = (scene.history.now_ms() - range.0) / (range.1 - range.0);
        let spikes = scene.history.count_since(range.0) as f64;
        let density = spikes / ((width * height) as f64 * passed).max(1.0);
        self.dense = density > DENSE[usize::from(self.dense)];
        // Two device pixels or one CSS pixel wide; as high where there are many neurons, up to a row's height where few.
        let dot = if self.dense { 1.0 } else { ratio.round().max(2.0) };
        let heights = populations.iter().zip(bands).map(|(population, band)| {
            let row = band.height * ratio / f64::from(population.size);
            (row * 0.8).clamp(dot, HIGHEST_DOT * ratio) as usize
        });
        let heights: Vec<usize> = heights.collect();
        let opacity = opacity(density * dot * dot);
        let dot = dot as usize;
        let per_step = scene.history.dt_ms() / (range.1 - range.0) * width as f64;
        let offset = range.0 / (range.1 - range.0) * width as f64;
        for spike in scene.history.spikes_since(range.0) {
            let at = scene.population_of(spike.neuron);
            let (population, band) = (&populations[at], &bands[at]);
            let within = f64::from(spike.neuron - population.first) / f64::from(population.size);
            let x = (f64::from(spike.step) * per_step - offset) as usize;
            let y = ((band.top + within * band.height) * ratio) as usize;
            for y in y..(y + heights[at]).min(height) {
                for x in x..(x + dot).min(width) {
                    let pixel = &mut self.pixels[(y * width + x) * 4..][..4];
                    pixel[..3].copy_from_slice(&colours[at]);
                    pixel[3] = pixel[3].saturating_add(opacity);
                }
            }
        }
        (width, height)
    }

    fn labels(&self, area: &Area, bands: &[Band], scene: &Scene<'_>) {
        let pen = &self.surface.pen;
        pen.set_text_align("right");
        pen.set_text_baseline("top");
        for (at, (population, band)) in scene.opened.network.populations.iter().zip(bands).enumerate() {
            let top = area.top + band.top;
            let colour = &scene.theme.population(at, &population.name).css;
            pen.set_fill_style_str(colour);
            pen.fill_rect(area.left - 3.0, top, 2.0, band.height);
            pen.set_font(&format!("600 {}", scene.theme.font));
            let room = area.left - 12.0;
            pen.fill_text(&self.surface.shortened(&population.name, room), area.left - 9.0, top).ok();
            pen.set_font(&scene.theme.font);
            pen.set_fill_style_str(&scene.theme.muted.css);
            let size = number::grouped(population.size.into());
            pen.fill_text(&self.surface.shortened(&size, room), area.left - 9.0, top + 14.0).ok();
        }
    }
}

impl Plot for Raster {
    fn draw(&mut self, scene: &Scene<'_>) {
        let area = self.surface.begin();
        let bands = bands(&scene.opened.network.populations, area.height);
        let (width, height) = self.paint(&area, &bands, scene);
        let ratio = self.surface.ratio;
        if width > 0
            && height > 0
            && let Ok(image) = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&self.pixels), width as u32, height as u32)
        {
            let (x, y) = ((area.left * ratio).round(), (area.top * ratio).round());
            self.surface.pen.put_image_data(&image, x, y).ok();
        }
        axis::time(&self.surface, &area, scene);
        axis::marks(&self.surface, &area, scene, true);
        self.labels(&area, &bands, scene);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn population(size: u32) -> PopulationSummary {
        PopulationSummary { name: "P".into(), source: false, size, first: 0, parameters: Vec::new(), variables: Vec::new() }
    }

    #[test]
    fn single_spikes_are_seen_and_thick_ones_do_not_drown() {
        assert_eq!(opacity(0.0), 255);
        for cover in [0.1, 0.5, 2.0, 8.0] {
            let shade = f64::from(opacity(cover)) * cover;
            assert!((20.0..=130.0).contains(&shade), "{cover} spikes a pixel make {shade}");
        }
    }

    #[test]
    fn bands_fill_the_height_and_none_vanishes() {
        let bands = bands(&[population(100_000), population(1), population(0)], 400.0);
        assert!(bands.iter().all(|band| band.height >= LEAST_BAND));
        let last = bands[2];
        assert!((last.top + last.height - 400.0).abs() < 1e-9);
        assert!(bands[0].height > 250.0);
        let crowded = super::bands(&[population(1), population(1), population(1)], 50.0);
        assert!((crowded[2].top + crowded[2].height - 50.0).abs() < 1e-9);
    }
}
