//! `spikelet assemblies figure`: the published figures of assemblies, with several seeds.

mod measure;

use std::fmt;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::{Workplace, failure};
use crate::args::{Figure, FigureArguments};
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::plot::{Plot, PlotCurve, PlotPoint, svg};
use crate::signal::Signal;
use crate::text::short;
use crate::{files, interrupt, terminal};
use measure::Setting;

/// Values of x that differ by this factor get a logarithmic axis.
const LOGARITHMIC: f64 = 50.0;

/// A figure as it was published, with what is measured at each of its points.
struct Definition {
    name: &'static str,
    title: &'static str,
    /// What the axes show.
    axes: [&'static str; 2],
    xs: Vec<f64>,
    p: f64,
    /// β, unless it is the x of the figure.
    beta: f64,
    rounds: u32,
    curves: &'static [&'static str],
    /// The value of each curve at an x.
    measure: measure::Measure,
}

/// A figure with its values. The keys of its JSON are part of the command line interface.
#[derive(Debug, Serialize)]
struct FigureData {
    figure: &'static str,
    title: &'static str,
    x: &'static str,
    y: &'static str,
    mode: &'static str,
    n: u32,
    k: u32,
    p: f64,
    /// Null if it is the x of the figure.
    beta: Option<f64>,
    rounds: u32,
    seeds: u32,
    curves: Vec<Curve>,
}

#[derive(Debug, Serialize)]
struct Curve {
    name: &'static str,
    points: Vec<Point>,
}

/// A point: the mean of its seeds with their standard deviation.
#[derive(Debug, Serialize)]
struct Point {
    x: f64,
    mean: f64,
    sd: f64,
    /// The value of each seed.
    values: Vec<f64>,
}

pub(super) fn run(args: &FigureArguments) -> Result<(), Failure> {
    let definition = definition(args.name);
    let workplace = Workplace::new(definition.p, 10_000.0, &args.engine)?;
    interrupt::listen()?;
    let watch = InterruptGuard::begin(leave)?;
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder)
            .and_then(|()| files::check_writable(&folder.join("figure.json")))
            .map_err(|error| unwritable(folder, &error))?;
    }
    let data = measured(&definition, args, &workplace)?;
    watch.end();
    if let Some(folder) = &args.out {
        data.write(folder).map_err(|error| unwritable(folder, &error))?;
    }
    if args.json { terminal::print(&format_args!("{:#}", serde_json::json!(data))) } else { terminal::print(&data) }
}

/// What to do at a signal.
fn leave(signal: Signal) {
    terminal::fail(&Failure::Interrupted(signal, "before all points were computed; no figure was written".into()), false);
}

fn unwritable(folder: &Path, error: &std::io::Error) -> Failure {
    Failure::Run(format!("{} cannot be written: {error}; use another folder with --out", folder.display()))
}

/// The figures with their published parameters: n = 100,000, k = 317.
fn definition(figure: Figure) -> Definition {
    let tenths = |range: std::ops::RangeInclusive<u32>| range.map(|x| f64::from(x) / 10.0).collect();
    match figure {
        Figure::Project => Definition {
            name: "project",
            title: "Support of a projected assembly after 100 rounds",
            axes: ["beta", "neurons that ever won"],
            xs: vec![0.001, 0.003, 0.005, 0.007, 0.01, 0.03, 0.05, 0.075, 0.1, 0.25],
            p: 0.01,
            beta: f64::NAN,
            rounds: 100,
            curves: &["A"],
            measure: measure::project,
        },
        Figure::Merge => Definition {
            name: "merge",
            title: "Support of two merged assemblies and of the merged one after 100 rounds",
            axes: ["beta", "neurons that ever won"],
            xs: vec![0.05, 0.075, 0.1, 0.2, 0.3],
            p: 0.01,
            beta: f64::NAN,
            rounds: 100,
            curves: &["A", "B", "C"],
            measure: measure::merge,
        },
        Figure::Associate => Definition {
            name: "associate",
            title: "Overlap of two associated assemblies",
            axes: ["joint rounds", "overlap"],
            xs: (10..=20).map(f64::from).collect(),
            p: 0.01,
            beta: 0.05,
            rounds: 10,
            curves: &["overlap"],
            measure: measure::associate,
        },
        Figure::Complete => Definition {
            name: "complete",
            title: "Completed part of an assembly after 5 rounds",
            axes: ["part that is kept", "completed part"],
            xs: tenths(1..=10),
            p: 0.01,
            beta: 0.05,
            rounds: 25,
            curves: &["recovered"],
            measure: measure::complete,
        },
        Figure::Density => Definition {
            name: "density",
            title: "Density of synapses within an assembly after 20 rounds",
            axes: ["beta", "density"],
            xs: vec![0.0, 0.025, 0.05, 0.075, 0.1],
            p: 0.01,
            beta: f64::NAN,
            rounds: 20,
            curves: &["assembly", "p"],
            measure: measure::density,
        },
    }
}

fn measured(of: &Definition, args: &FigureArguments, workplace: &Workplace) -> Result<FigureData, Failure> {
    let reduce = args.reduce.get();
    let [n, k] = [100_000 / reduce, (317.0 / f64::from(reduce).sqrt()) as u32];
    let mut curves: Vec<Curve> = of.curves.iter().map(|name| Curve { name, points: Vec::new() }).collect();
    for x in &of.xs {
        let mut values = vec![Vec::new(); of.curves.len()];
        for seed in 1..=args.seeds.get().into() {
            let setting = Setting { n, k, beta: of.beta, rounds: of.rounds, workplace, seed };
            let measured = (of.measure)(&setting, *x).map_err(|error| failure(&error, None))?;
            values.iter_mut().zip(measured).for_each(|(values, value)| values.push(value));
        }
        curves.iter_mut().zip(values).for_each(|(curve, values)| curve.points.push(Point::new(*x, values)));
    }
    Ok(FigureData {
        figure: of.name,
        title: of.title,
        x: of.axes[0],
        y: of.axes[1],
        mode: super::mode_name(workplace.options.mode),
        n,
        k,
        p: of.p,
        beta: Some(of.beta).filter(|beta| !beta.is_nan()),
        rounds: of.rounds,
        seeds: args.seeds.get(),
        curves,
    })
}

impl Point {
    fn new(x: f64, values: Vec<f64>) -> Point {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        Point { x, mean, sd: (squares / (count - 1.0).max(1.0)).sqrt(), values }
    }
}

impl FigureData {
    fn plot(&self) -> Plot<'_> {
        let point = |of: &Point| PlotPoint { x: of.x, mean: of.mean, sd: of.sd };
        let curve = |of: &Curve| PlotCurve { name: of.name, points: of.points.iter().map(point).collect() };
        let [least, most] = [f64::min, f64::max].map(|choose| {
            self.curves.iter().flat_map(|curve| &curve.points).map(|point| point.x).reduce(choose).unwrap_or_default()
        });
        let is_logarithmic = least > 0.0 && most / least >= LOGARITHMIC;
        Plot { title: self.title, x: self.x, y: self.y, is_logarithmic, curves: self.curves.iter().map(curve).collect() }
    }

    /// Writes it as CSV, JSON and SVG.
    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let file = |ending: &str| folder.join(format!("{}.{ending}", self.figure));
        files::write(&file("csv"), |file| {
            writeln!(file, "curve,x,seed,value")?;
            for curve in &self.curves {
                for Point { x, values, .. } in &curve.points {
                    for (seed, value) in (1..).zip(values) {
                        writeln!(file, "{},{x},{seed},{value}", curve.name)?;
                    }
                }
            }
            Ok(())
        })?;
        files::write(&file("json"), |file| writeln!(file, "{:#}", serde_json::json!(self)))?;
        files::write(&file("svg"), |file| file.write_all(svg(&self.plot()).as_bytes()))
    }
}

impl fmt::Display for FigureData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FigureData { title, n, k, p, mode, seeds, .. } = self;
        let beta = self.beta.map_or(String::new(), |beta| format!(", beta = {beta}"));
        let seeds = if *seeds == 1 { "1 seed".to_owned() } else { format!("{seeds} seeds, mean ± standard deviation") };
        writeln!(f, "{title}\nn = {n}, k = {k}, p = {p}{beta}, {mode}; {seeds}\n")?;
        write!(f, "{:>18}", self.x)?;
        self.curves.iter().try_for_each(|curve| write!(f, "{:>22}", curve.name))?;
        for (row, point) in self.curves[0].points.iter().enumerate() {
            write!(f, "\n{:>18}", point.x)?;
            for Point { mean, sd, .. } in self.curves.iter().map(|curve| &curve.points[row]) {
                write!(f, "{:>22}", format!("{} ± {}", short(*mean), short(*sd)))?;
            }
        }
        Ok(())
    }
}
