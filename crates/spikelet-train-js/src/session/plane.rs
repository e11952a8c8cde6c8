//! Decisions over the plane of a task with two numbers as its input.

use pollster::block_on;
use spikelet_network::Error;
use spikelet_train::{Generator, Sample, Target, Trainer, Training};

/// What stands for a point for which no class is decided.
const NONE: u8 = u8::MAX;

/// The most points along a side.
const MAX_RESOLUTION: u32 = 512;

/// Whether the samples of a training are points of a plane.
pub(super) fn is_plane(training: &Training) -> bool {
    training.data.generate == Some(Generator::YinYang)
}

/// The class for each point of a grid over the unit square, row by row, from the lowest. Points outside of the disc are not simulated.
pub(super) fn plane(trainer: &mut Trainer, resolution: u32) -> Result<Vec<u8>, Error> {
    if !is_plane(trainer.training()) {
        let expected = "only points of Yin-Yang lie in a plane";
        return Err(Error::invalid("data.generate", &trainer.training().name, expected, "look at samples instead"));
    }
    if !(2..=MAX_RESOLUTION).contains(&resolution) {
        return Err(Error::invalid(
            "resolution",
            resolution,
            format!("2 to {MAX_RESOLUTION} points along a side are expected"),
            "change it",
        ));
    }
    let middle = |at: u32| (f64::from(at) + 0.5) / f64::from(resolution);
    let points = (0..resolution).flat_map(|row| (0..resolution).map(move |column| (row, column)));
    let inside =
        |(row, column): &(u32, u32)| (middle(*column) - 0.5).hypot(middle(*row) - 0.5) <= 0.5 + 1.0 / f64::from(resolution);
    let points: Vec<(u32, u32)> = points.filter(inside).collect();
    let mut classes = vec![NONE; (resolution * resolution) as usize];
    let together = trainer.training().batch as usize;
    for points in points.chunks(together) {
        let sample = |(row, column): &(u32, u32)| {
            let events = trainer.training().data.encode_point([middle(*column), middle(*row)]);
            // What it costs is not read.
            Sample { events: events.into(), target: Target::Class(0) }
        };
        let samples: Vec<Sample> = points.iter().map(sample).collect();
        let answers = block_on(trainer.answers(&samples))?;
        for ((row, column), class) in points.iter().zip(answers.classes) {
            classes[(row * resolution + column) as usize] = class.map_or(NONE, |class| class as u8);
        }
    }
    Ok(classes)
}
