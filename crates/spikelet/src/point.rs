//! A network with the values of one point of a grid.

use std::sync::Arc;

use spikelet_plan::{BuildOptions, check_meant};

use crate::{Builder, Error, Network, Plan, Variant};

/// A network with other values, ready to run.
#[derive(Debug, Clone)]
pub struct Point {
    /// The values, by their paths.
    pub values: Vec<(String, String)>,
    /// The network with these values.
    pub network: Arc<Network>,
    /// Its plan: bit by bit that of a network written with the values.
    pub plan: Arc<Plan>,
}

impl Point {
    /// The network with `values`. Drawn data are shared with `plan`, the plan of the network, wherever the values do not change them;
    /// otherwise it is built with `options`, and the two plans do not [share their rows](Plan::shares_rows_with).
    ///
    /// # Errors
    /// An invalid path or value, or any error of the network with it.
    pub fn new(
        network: &Arc<Network>,
        plan: &Arc<Plan>,
        values: Vec<(String, String)>,
        options: BuildOptions,
    ) -> Result<Point, Error> {
        if values.is_empty() {
            return Ok(Point { values, network: network.clone(), plan: plan.clone() });
        }
        let mut varied = (**network).clone();
        for (path, value) in &values {
            let before = varied.clone();
            varied.set(path, value)?;
            check_meant(&before, &varied, path)?;
        }
        let paths: Vec<&str> = values.iter().map(|(path, _)| path.as_str()).collect();
        let may_follow = paths.iter().all(|path| network.check_fixed(&varied, path).is_ok());
        let followed = if may_follow { plan.varied(&varied, &paths).ok() } else { None };
        let plan = match followed {
            Some(followed) => followed,
            // Reports errors of the values.
            None => {
                let mut built = Builder::new(&varied, options)?.finish()?;
                built.share_with(plan);
                built
            }
        };
        Ok(Point { values, network: Arc::new(varied), plan: Arc::new(plan) })
    }

    /// One of its trials.
    pub fn variant(&self, trial: u32) -> Variant {
        Variant { network: self.network.clone(), plan: self.plan.clone(), trial }
    }

    /// The number of the group of each point, counted from 0 in the order of their first points. Trials of a group can run in parallel: its
    /// points [share their rows](Plan::shares_rows_with), and have the same number of steps.
    pub fn groups(points: &[Point]) -> Vec<usize> {
        let steps = |point: &Point| point.network.steps();
        let mut firsts = Vec::<&Point>::new();
        let group = |point| {
            let is_alike = |first: &&Point| steps(first) == steps(point) && point.plan.shares_rows_with(&first.plan);
            firsts.iter().position(is_alike).unwrap_or_else(|| {
                firsts.push(point);
                firsts.len() - 1
            })
        };
        points.iter().map(group).collect()
    }
}
