//! A plane through the state space of a neuron: two variables are free, the others are clamped.

use indexmap::IndexMap;
use spikelet_lang::term::Term;
use spikelet_network::Error;

use super::Clamp;
use super::dynamics::Dynamics;

/// Maximum number of repetitions if variables in their steady state depend on each other.
const REPETITIONS: usize = 50;

/// A variable in its steady state, −rest/coefficient.
struct Steady {
    place: usize,
    coefficient: Term,
    rest: Term,
}

/// The plane of two variables, or the line of one.
pub(super) struct Section<'a> {
    dynamics: &'a Dynamics,
    /// Numbers of the free variables.
    x: usize,
    y: Option<usize>,
    clamps: Vec<Clamp>,
    steady: Vec<Steady>,
    values: Vec<f64>,
}

impl<'a> Section<'a> {
    /// # Errors
    /// An unknown variable, or one that cannot be clamped in this way.
    pub(super) fn new(
        dynamics: &'a Dynamics,
        x: usize,
        y: Option<usize>,
        clamp: &IndexMap<String, Clamp>,
    ) -> Result<Section<'a>, Error> {
        let mut clamps: Vec<Clamp> = (0..dynamics.count()).map(|at| Clamp::Held(dynamics.initial(at))).collect();
        let mut values = dynamics.start();
        let mut steady = Vec::new();
        for (name, clamp) in clamp {
            let at = dynamics.named("clamp", name)?;
            // A variable may be moved to an axis without changing what is clamped.
            if at == x || Some(at) == y {
                continue;
            }
            clamps[at] = *clamp;
            match *clamp {
                Clamp::Held(value) if value.is_finite() => values[dynamics.place(at)] = value,
                Clamp::Held(value) => {
                    return Err(Error::invalid(
                        format!("clamp.{name}"),
                        value,
                        "a finite number is expected",
                        "use 0, for example",
                    ));
                }
                Clamp::Steady => {
                    let Some((coefficient, rest)) = dynamics.relaxation(at) else {
                        let expected = "its equation is not linear in it";
                        return Err(Error::invalid(format!("clamp.{name}"), "steady", expected, "hold it at a value instead"));
                    };
                    steady.push(Steady { place: dynamics.place(at), coefficient, rest });
                }
            }
        }
        Ok(Section { dynamics, x, y, clamps, steady, values })
    }

    /// How each variable is treated if it is not on an axis.
    pub(super) fn clamps(&self) -> Vec<Clamp> {
        self.clamps.clone()
    }

    /// The rates of both variables at a point; of a line, the second one is 0.
    pub(super) fn flow(&mut self, point: [f64; 2]) -> [f64; 2] {
        self.go_to(point);
        match self.y {
            Some(y) => self.dynamics.rates(&mut self.values, [self.x, y]),
            None => [self.dynamics.rate(&mut self.values, self.x), 0.0],
        }
    }

    pub(super) fn has_threshold(&self) -> bool {
        self.dynamics.has_threshold()
    }

    pub(super) fn has_reset(&self) -> bool {
        self.dynamics.has_reset()
    }

    /// Above 0 where the threshold is exceeded.
    pub(super) fn margin(&mut self, point: [f64; 2]) -> f64 {
        self.go_to(point);
        self.dynamics.margin(&mut self.values)
    }

    /// Where the reset takes a point.
    pub(super) fn reset(&mut self, point: [f64; 2]) -> [f64; 2] {
        self.go_to(point);
        let mut values = self.values.clone();
        self.dynamics.reset(&mut values);
        [values[self.dynamics.place(self.x)], self.y.map_or(0.0, |y| values[self.dynamics.place(y)])]
    }

    /// Sets the values at a point.
    fn go_to(&mut self, [x, y]: [f64; 2]) {
        self.values[self.dynamics.place(self.x)] = x;
        if let Some(at) = self.y {
            self.values[self.dynamics.place(at)] = y;
        }
        for _ in 0..REPETITIONS {
            self.dynamics.compute_held(&mut self.values);
            let mut change: f64 = 0.0;
            for Steady { place, coefficient, rest } in &self.steady {
                let of = |term: &Term| self.dynamics.evaluate(term, &self.values, 0.0);
                let value = -of(rest) / of(coefficient);
                change = change.max((value - self.values[*place]).abs() / value.abs().max(1e-9));
                self.values[*place] = value;
            }
            if change <= 1e-12 || self.steady.len() < 2 {
                break;
            }
        }
    }
}
