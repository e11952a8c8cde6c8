//! Small random networks to train.

use serde_json::{Value, json};
use spikelet_rows::rng::philox;

use crate::Training;

/// Random numbers of a test.
pub(in crate::bptt) struct Random {
    seed: u64,
    count: u32,
    /// Whether neurons have noise.
    noise: bool,
    /// Whether values of neurons are trained.
    values: bool,
}

impl Random {
    pub(in crate::bptt) fn new(seed: u64) -> Random {
        Random { seed, count: 0, noise: seed.is_multiple_of(3), values: seed.is_multiple_of(2) }
    }

    pub(in crate::bptt) fn unit(&mut self) -> f64 {
        self.count += 1;
        f64::from(philox(self.seed, [self.count, 0, 0, 0])[0]) / 4_294_967_296.0
    }

    pub(in crate::bptt) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub(in crate::bptt) fn below(&mut self, count: u64) -> u64 {
        (self.unit() * count as f64) as u64
    }

    fn chance(&mut self) -> bool {
        self.unit() < 0.5
    }

    fn list(&mut self, count: u64, low: f64, high: f64) -> Vec<f64> {
        (0..count).map(|_| self.between(low, high)).collect()
    }

    /// A population, and the variable that its input is added to.
    fn population(&mut self, name: &str, size: u64) -> (Value, &'static str, f64) {
        let noise = if self.noise { " + sigma*xi/sqrt(tau)" } else { "" };
        let tau = if self.chance() { json!({"values": self.list(size, 5.0, 20.0), "unit": "ms"}) } else { json!("9 ms") };
        let mut parameters = json!({"tau": tau, "vt": self.between(0.7, 1.2)});
        if self.noise {
            parameters["sigma"] = json!(0.2);
        }
        let (equations, threshold, reset, port, weight) = match self.below(4) {
            // Exponential currents.
            0 => {
                parameters["taus"] = json!("4 ms");
                (format!("dv/dt = (I - v)/tau{noise} : 1\ndI/dt = -I/taus : 1"), "v > vt", "v = 0", "I", 1.0)
            }
            // Conductances.
            1 => {
                parameters["taus"] = json!("5 ms");
                parameters["Ee"] = json!(4);
                (format!("dv/dt = (g*(Ee - v) - v)/tau{noise} : 1\ndg/dt = -g/taus : 1"), "v > vt", "v = 0", "g", 0.5)
            }
            // An adaptive threshold (ALIF).
            2 => {
                parameters["taua"] = json!("30 ms");
                parameters["beta"] = json!(0.4);
                (format!("dv/dt = -v/tau{noise} : 1\nda/dt = -a/taua : 1"), "v > vt + beta*a", "v -= vt; a += 1", "v", 0.5)
            }
            // An adaptation current, nonlinear.
            _ => {
                parameters["taua"] = json!("25 ms");
                parameters["b"] = json!(0.15);
                (
                    format!("dv/dt = (tanh(2*v) - v - a)/tau{noise} : 1\nda/dt = (0.2*v - a)/taua : 1"),
                    "v > vt",
                    "v = 0.1; a += b",
                    "v",
                    0.5,
                )
            }
        };
        let kicked = port == "g";
        let initial = if self.chance() { json!({"v": self.list(size, 0.0, 0.4)}) } else { json!({"v": 0.2}) };
        let mut population = json!({"name": name, "size": size, "equations": equations, "threshold": threshold, "reset": reset,
                                    "parameters": parameters, "initial": initial});
        if kicked {
            population["run_regularly"] = json!([{"every_ms": 4, "start_ms": 2, "statements": "v = 0.8*v + 0.1*g + 0.1"}]);
        }
        match self.below(3) {
            0 => {
                population["refractory"] = json!("2.6 ms");
                if port != "v" {
                    let held = population["equations"].as_str().unwrap().replacen(" : 1", " : 1 (unless refractory)", 1);
                    population["equations"] = json!(held);
                }
            }
            1 => population["refractory"] = json!("1 ms"),
            _ => {}
        }
        (population, port, weight)
    }

    fn projection(&mut self, pre: (&str, u64), post: (&str, u64, &str, f64)) -> Value {
        let weight = post.3 * 2.0 / (pre.1 as f64).sqrt();
        let mut projection = json!({"pre": pre.0, "post": post.0, "on_pre": format!("{}_post += w", post.2)});
        if self.chance() {
            projection["connect"] = json!({"rule": "all"});
            projection["parameters"] = json!({"w": {"expr": format!("normal({}, {weight})", weight * 0.6)}});
            projection["delay_ms"] = json!(self.below(4) as f64);
        } else {
            let pairs: Vec<[u64; 2]> =
                (0..pre.1 * post.1).filter(|_| self.unit() < 0.7).map(|at| [at / post.1, at % post.1]).collect();
            let count = pairs.len() as u64;
            projection["parameters"] = json!({"w": self.list(count, -0.4 * weight, 1.6 * weight)});
            projection["delay_ms"] = json!((0..count).map(|_| self.below(5) as f64).collect::<Vec<_>>());
            projection["pairs"] = json!(pairs);
        }
        projection
    }

    /// A network of an input and two or three populations, forwards and recurrent, with every reading.
    pub(in crate::bptt) fn training(&mut self) -> Training {
        let inputs = 3 + self.below(3);
        let mut populations = Vec::new();
        for at in 0..2 + self.below(2) {
            let size = 2 + self.below(4);
            let name = ["A", "B", "C"][at as usize];
            let (json, port, weight) = self.population(name, size);
            populations.push((json, (name, size, port, weight)));
        }
        let ends: Vec<_> = populations.iter().map(|(_, ends)| *ends).collect();
        let mut sources = vec![json!({"name": "input", "size": inputs, "spike_times_ms": []})];
        let mut projections = vec![self.projection(("input", inputs), ends[0])];
        if self.chance() {
            sources.push(json!({"name": "background", "type": "poisson", "size": 3, "rate": "80 Hz"}));
            projections.push(self.projection(("background", 3), ends[0]));
        }
        for pair in ends.windows(2) {
            projections.push(self.projection((pair[0].0, pair[0].1), pair[1]));
        }
        if self.chance() {
            projections.push(self.projection((ends[0].0, ends[0].1), ends[0]));
        }
        if self.chance() {
            projections.push(self.projection((ends[1].0, ends[1].1), ends[0]));
        }
        let names: Vec<String> =
            projections.iter().map(|of| format!("{}_{}", of["pre"].as_str().unwrap(), of["post"].as_str().unwrap())).collect();
        let mut train: Vec<Value> = names.iter().map(|name| json!({"path": name})).collect();
        train[0]["tied"] = json!(self.unit() < 0.2);
        if self.values {
            let values = ends.iter().flat_map(|of| ["tau", "vt", "v"].map(|name| json!({"path": format!("{}.{name}", of.0)})));
            train.extend(values);
        }
        let last = ends[ends.len() - 1].0;
        let loss = json!([{"type": "mean_square", "population": last, "reading": "count"},
                          {"type": "mean_square", "population": "A", "reading": "spikes"},
                          {"type": "mean_square", "population": last, "reading": "mean", "variable": "v"},
                          {"type": "mean_square", "population": last, "reading": "trace", "variable": "v"},
                          {"type": "mean_square", "population": "A", "reading": "last", "variable": "v"},
                          {"type": "mean_square", "population": last, "reading": "max", "variable": "v"}]);
        let populations: Vec<Value> = populations.into_iter().map(|(json, _)| json).collect();
        let training = json!({
            "name": "random", "input": "input", "method": "bptt", "surrogate": {"shape": "sigmoid", "slope": 4.0},
            "network": {"name": "random", "dt_ms": 1, "duration_ms": 30, "seed": self.seed, "populations": populations,
                        "sources": sources, "projections": projections},
            "train": train, "loss": loss, "optimiser": {"type": "sgd", "rate": 0.1}, "batch": 4, "epochs": 1
        });
        Training::from_json(&training.to_string()).unwrap()
    }
}
