//! Phase planes of models whose fixed points are known in closed form or were published.

use spikelet_network::{Error, Network};

use super::FixedPointKind::{Degenerate, Saddle, StableFocus, StableNode, UnstableFocus, UnstableNode};
use super::{Clamp, PhasePlane, PlaneQuery};
use crate::Plan;

/// The plan of one population "N" of these keys.
fn plan(keys: &str) -> Plan {
    let text =
        format!(r#"{{"name": "one", "dt_ms": 0.1, "duration_ms": 10, "populations": [{{"name": "N", "size": 3, {keys}}}]}}"#);
    Plan::new(&Network::from_json(&text).unwrap()).unwrap()
}

fn plane(keys: &str) -> PhasePlane {
    plane_of(keys, &PlaneQuery::default())
}

fn plane_of(keys: &str, query: &PlaneQuery) -> PhasePlane {
    plan(keys).phase_plane("N", query).unwrap()
}

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

/// The fixed point of FitzHugh–Nagumo, where its two nullclines meet: the real root of a cubic.
fn fitzhugh_nagumo_rest(a: f64, b: f64, current: f64) -> f64 {
    let f = |v: f64| v - v.powi(3) / 3.0 - (v + a) / b + current;
    let (mut low, mut high) = (-3.0, 3.0);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    low
}

#[test]
fn fitzhugh_nagumo_has_one_fixed_point_with_known_eigenvalues() {
    for (current, is_stable) in [(0.0, true), (0.32, true), (0.34, false), (0.5, false), (1.0, false), (1.43, true)] {
        let found = plane(&format!(r#""model": "fitzhugh_nagumo", "parameters": {{"I": {current}}}"#));
        let [point] = &found.fixed_points[..] else { panic!("{:?}", found.fixed_points) };
        let v = fitzhugh_nagumo_rest(0.7, 0.8, current);
        close(point.at[0], v, 1e-9);
        close(point.at[1], (v + 0.7) / 0.8, 1e-9);
        // The Jacobian is [[1 - v², -1], [0.08, -0.064]].
        let (trace, determinant) = (1.0 - v * v - 0.064, (1.0 - v * v) * -0.064 + 0.08);
        let sum: f64 = point.eigenvalues.iter().map(|value| value[0]).sum();
        let [[a, b], [c, d]] = [point.eigenvalues[0], point.eigenvalues[1]];
        close(sum, trace, 1e-7);
        close(a * c - b * d, determinant, 1e-7);
        let discriminant = trace * trace - 4.0 * determinant;
        let kind = match (discriminant < 0.0, is_stable) {
            (true, true) => StableFocus,
            (true, false) => UnstableFocus,
            (false, true) => StableNode,
            (false, false) => UnstableNode,
        };
        assert_eq!(point.kind, kind, "I = {current}: {:?}", point.eigenvalues);
    }
}

#[test]
fn nullclines_of_fitzhugh_nagumo_are_its_cubic_and_its_line() {
    let found = plane(r#""model": "fitzhugh_nagumo", "parameters": {"I": 0.5}"#);
    assert_eq!((found.x.name.as_str(), found.y.as_ref().unwrap().name.as_str()), ("v", "w"));
    for [v, w] in found.nullclines[0].iter().flatten() {
        close(*w, v - v.powi(3) / 3.0 + 0.5, 1e-6);
    }
    for [v, w] in found.nullclines[1].iter().flatten() {
        close(*w, (v + 0.7) / 0.8, 1e-6);
    }
    // Both folds of the cubic, at v = ±1, are in the automatic range.
    let folds = [-1.0, 1.0].map(|v: f64| v - v.powi(3) / 3.0 + 0.5);
    let [low, high] = found.y.as_ref().unwrap().range;
    assert!(folds.iter().all(|w| low < *w && *w < high), "{folds:?} in {low} to {high}");
    let longest = found.nullclines[0].iter().map(Vec::len).max().unwrap();
    let range = |plane: &PhasePlane, at: usize| plane.variables[at].range;
    assert!(
        range(&found, 0).is_some_and(|[low, high]| low < -2.0 && high > 2.0),
        "the limit cycle is not in {:?}",
        range(&found, 0)
    );
    let given = PlaneQuery { x_range: Some([-1.0, 1.0]), y_range: Some([-1.0, 1.0]), ..PlaneQuery::default() };
    assert_eq!(range(&plane_of(r#""model": "fitzhugh_nagumo""#, &given), 0), None);
    assert!(longest > 60, "the cubic is in pieces: {longest}");
    // The rates are those of the equations, row by row.
    let [from, to] = found.x.range;
    let (column, row) = (17, 40);
    let v = from + (to - from) * column as f64 / 63.0;
    let w = low + (high - low) * row as f64 / 63.0;
    close(found.rates[0][row * 64 + column], v - v.powi(3) / 3.0 - w + 0.5, 1e-9);
    close(found.rates[1][row * 64 + column], 0.08 * (v + 0.7 - 0.8 * w), 1e-9);
}

/// 0.04 v² + 5 v + 140 + I = b v has two solutions below I = 4, one there, and none above (b = 0.2).
#[test]
fn fixed_points_of_izhikevich_meet_at_a_saddle_node() {
    let of = |current: f64| plane(&format!(r#""model": "izhikevich", "parameters": {{"I": {current}}}"#)).fixed_points;
    let two = of(0.0);
    assert_eq!(two.iter().map(|point| point.kind).collect::<Vec<_>>(), [StableNode, Saddle]);
    close(two[0].at[0], -70.0, 1e-6);
    close(two[1].at[0], -50.0, 1e-6);
    close(two[0].at[1], -14.0, 1e-6);
    // The Jacobian at v = −70 is [[-0.6, -1], [0.004, -0.02]].
    let [slow, fast] = [1.0, -1.0].map(|sign: f64| (-0.62 + sign * (0.62_f64.powi(2) - 4.0 * 0.016).sqrt()) / 2.0);
    close(two[0].eigenvalues[0][0], fast, 1e-6);
    close(two[0].eigenvalues[1][0], slow, 1e-6);
    let near = of(3.9999);
    assert_eq!(near.len(), 2, "{near:?}");
    close(near[1].at[0] - near[0].at[0], 2.0 * (0.0001_f64 / 0.04).sqrt(), 1e-4);
    let one = of(4.0);
    assert_eq!(one.iter().map(|point| point.kind).collect::<Vec<_>>(), [Degenerate], "{one:?}");
    close(one[0].at[0], -60.0, 1e-3);
    assert_eq!(of(4.0001), []);
}

#[test]
fn the_reset_of_izhikevich_is_a_line_and_its_threshold_too() {
    let found = plane(r#""model": "izhikevich", "preset": "regular_spiking""#);
    assert!(!found.is_map && !found.has_noise && !found.follows_time);
    assert!(found.threshold.iter().flatten().count() > 20);
    assert!(found.threshold.iter().flatten().all(|[v, _]| (v - 30.0).abs() < 1e-6));
    let [line] = &found.reset[..] else { panic!("{:?}", found.reset) };
    let [low, high] = found.y.unwrap().range;
    assert_eq!(line, &[[-65.0, low], [-65.0, high]]);
    assert!(found.jumps.len() > 2);
    for [from, to] in found.jumps {
        close(to[0], -65.0, 1e-9);
        close(to[1], from[1] + 8.0, 1e-9);
    }
    assert!(found.fixed_points.is_empty());
}

#[test]
fn adex_rests_where_leak_and_adaptation_balance() {
    let found = plane(r#""model": "adex""#);
    let [rest, saddle] = &found.fixed_points[..] else { panic!("{:?}", found.fixed_points) };
    // With w = a (v − El): (a + gl)(v − El) = gl DT exp((v − VT)/DT).
    let f = |v: f64| 34.0 * (v + 70.6) - 60.0 * ((v + 50.4) / 2.0).exp();
    for point in [rest, saddle] {
        close(f(point.at[0]), 0.0, 1e-4);
        close(point.at[1], 4.0 * (point.at[0] + 70.6), 1e-6);
    }
    close(rest.at[0], -70.6, 0.01);
    assert_eq!((rest.kind, saddle.kind), (StableNode, Saddle));
    assert_eq!(found.y.as_ref().unwrap().dimension.inner_unit(), "pA");
    assert!(found.threshold.iter().flatten().all(|[v, _]| (v + 40.4).abs() < 1e-6));
    for [from, to] in &found.jumps {
        close(to[1], from[1] + 80.5, 1e-9);
    }
}

/// Rinzel & Ermentrout 1998: the resting state loses its stability at 93.9 µA/cm², and the other set has three fixed points.
#[test]
fn morris_lecar_has_its_published_bifurcations() {
    let hopf =
        |current: f64| plane(&format!(r#""model": "morris_lecar", "parameters": {{"I": "{current} uA/cm**2"}}"#)).fixed_points;
    for (current, kind) in [(93.0, StableFocus), (94.8, UnstableFocus)] {
        let found = hopf(current);
        assert_eq!(found.iter().map(|point| point.kind).collect::<Vec<_>>(), [kind], "{current}: {found:?}");
    }
    let snlc = |current: f64| {
        let keys = format!(r#""model": "morris_lecar", "preset": "snlc", "parameters": {{"I": "{current} uA/cm**2"}}"#);
        plane(&keys).fixed_points
    };
    let three = snlc(30.0);
    assert_eq!(three.len(), 3, "{three:?}");
    assert_eq!((three[0].kind, three[1].kind), (StableNode, Saddle));
    assert_eq!(snlc(39.0).len(), 3);
    assert_eq!(snlc(41.0).len(), 1);
}

#[test]
fn one_variable_gives_a_phase_line() {
    let found = plane(r#""model": "lif", "parameters": {"I": "100 pA"}"#);
    assert_eq!(found.y, None);
    let [rest] = &found.fixed_points[..] else { panic!("{:?}", found.fixed_points) };
    // El + R I = −65 mV + 10 mV, and a slope of −1/τ.
    close(rest.at[0], -55.0, 1e-6);
    close(rest.eigenvalues[0][0], -0.1, 1e-7);
    assert_eq!(rest.kind, StableNode);
    assert_eq!(found.threshold.len(), 1);
    close(found.threshold[0][0][0], -50.0, 1e-6);
    assert_eq!(found.reset, [[[-65.0, 0.0]]]);
    let quadratic =
        r#""equations": "dx/dt = (x**2 + c)/ms : 1", "threshold": "x > 3", "reset": "x = -3", "parameters": {"c": -1}"#;
    let kinds: Vec<_> = plane(quadratic).fixed_points.into_iter().map(|point| (point.at[0].round(), point.kind)).collect();
    assert_eq!(kinds, [(-1.0, StableNode), (1.0, UnstableNode)]);
    let touching = plane(&quadratic.replace("-1}", "0}")).fixed_points;
    assert_eq!(touching.iter().map(|point| point.kind).collect::<Vec<_>>(), [Degenerate], "{touching:?}");
    assert_eq!(plane(&quadratic.replace("-1}", "0.1}")).fixed_points, []);
}

#[test]
fn other_variables_are_held_or_follow_their_steady_state() {
    let keys = r#""model": "hodgkin_huxley", "preset": "repetitive""#;
    let axes = PlaneQuery { x: Some("v".into()), y: Some("n".into()), ..PlaneQuery::default() };
    let held = plane_of(keys, &axes);
    let [low, high] = held.x.range;
    assert!(low > -120.0 && low < -70.0 && high > 20.0 && high < 80.0, "{low} to {high}");
    let clamp = |plane: &PhasePlane, name: &str| plane.variables.iter().find(|of| of.name == name).unwrap().clamp;
    let Some(Clamp::Held(m)) = clamp(&held, "m") else { panic!() };
    close(m, 0.0529, 1e-3);
    assert_eq!(clamp(&held, "v"), None);
    let steady = [("m".to_owned(), Clamp::Steady), ("h".to_owned(), Clamp::Steady)];
    let found = plane_of(keys, &PlaneQuery { clamp: steady.into(), ..axes.clone() });
    // With all gates at their steady state this is the fixed point of the whole cell.
    let [point] = &found.fixed_points[..] else { panic!("{:?}", found.fixed_points) };
    let v = point.at[0];
    let rate = |half: f64, opening: f64| opening / (opening + half);
    let x = |shift: f64, width: f64| (v + shift) / width;
    let alpha = |factor: f64, x: f64| factor * x / (1.0 - (-x).exp());
    let m = rate(4.0 * (-x(65.0, 18.0)).exp(), alpha(1.0, x(40.0, 10.0)));
    let h = rate(1.0 / (1.0 + (-x(35.0, 10.0)).exp()), 0.07 * (-x(65.0, 20.0)).exp());
    let n = rate(0.125 * (-x(65.0, 80.0)).exp(), alpha(0.1, x(55.0, 10.0)));
    close(point.at[1], n, 1e-6);
    let current = 0.3 * (-54.387 - v) + 120.0 * m.powi(3) * h * (50.0 - v) + 36.0 * n.powi(4) * (-77.0 - v) + 10.0;
    close(current, 0.0, 1e-4);
    let moved = [("m".to_owned(), Clamp::Held(0.5))];
    let other = plane_of(keys, &PlaneQuery { clamp: moved.into(), ..axes });
    assert_ne!(other.rates[0], held.rates[0]);
    assert_eq!(other.rates[1], held.rates[1]);
}

#[test]
fn maps_are_compared_with_their_next_step() {
    // x → 2 x (1 − x) has the fixed points 0, with slope 2, and 1/2, with slope 0.
    let keys = r#""equations": "x : 1", "update": "x = 2*x*(1 - x)", "initial": {"x": 0.3}"#;
    let found = plane_of(keys, &PlaneQuery { x_range: Some([-0.2, 1.0]), ..PlaneQuery::default() });
    assert!(found.is_map);
    let points: Vec<_> = found.fixed_points.iter().map(|point| (point.at[0], point.kind, point.eigenvalues[0][0])).collect();
    assert_eq!(points.len(), 2, "{points:?}");
    close(points[0].0, 0.0, 1e-9);
    close(points[0].2, 2.0, 1e-6);
    close(points[1].0, 0.5, 1e-9);
    close(points[1].2, 0.0, 1e-6);
    assert_eq!([points[0].1, points[1].1], [UnstableNode, StableNode]);
}

#[test]
fn noise_is_left_out_and_functions_of_time_are_evaluated_at_the_time() {
    let keys = r#""equations": "dv/dt = (I - v)/(10*ms) + sigma*xi*(10*ms)**-0.5 : 1\nI = 2*int(t > 5*ms) : 1", "parameters": {"sigma": 0.3}"#;
    for (time_ms, rest) in [(0.0, 0.0), (10.0, 2.0)] {
        let query = PlaneQuery { time_ms, x_range: Some([-1.0, 3.0]), ..PlaneQuery::default() };
        let found = plane_of(keys, &query);
        assert!(found.has_noise && found.follows_time);
        assert_eq!(found.fixed_points.len(), 1);
        close(found.fixed_points[0].at[0], rest, 1e-9);
    }
}

#[test]
fn values_that_differ_between_neurons_are_those_of_the_neuron() {
    let keys = r#""model": "lif", "parameters": {"I": ["0 pA", "50 pA", "100 pA"]}"#;
    for (neuron, rest) in [(0, -65.0), (1, -60.0), (2, -55.0)] {
        let found = plane_of(keys, &PlaneQuery { neuron, ..PlaneQuery::default() });
        close(found.fixed_points[0].at[0], rest, 1e-6);
    }
}

/// Every neuron model of the library has a plane or a line whose ranges and rates are finite.
#[test]
fn every_library_model_has_a_phase_plane() {
    use spikelet_lang::library::{ModelKind, library, names};
    let mut shown = 0;
    for name in names() {
        let model = library(name).unwrap();
        if model.kind != ModelKind::Neuron {
            continue;
        }
        let plan = plan(&format!(r#""model": "{name}""#));
        match plan.phase_plane("N", &PlaneQuery::default()) {
            Ok(found) => {
                shown += 1;
                let finite = found.rates[0].iter().filter(|rate| rate.is_finite()).count();
                assert!(finite * 10 > found.rates[0].len() * 9, "{name}: {finite} of {}", found.rates[0].len());
            }
            Err(error) => assert!(error.to_string().contains("no equations"), "{name}: {error}"),
        }
    }
    assert!(shown > 20, "{shown}");
}

#[test]
fn errors_name_what_is_possible() {
    let plan = plan(r#""model": "adex""#);
    let error = |query: PlaneQuery| plan.phase_plane("N", &query).unwrap_err().to_string();
    let unknown = plan.phase_plane("M", &PlaneQuery::default()).unwrap_err();
    assert!(matches!(&unknown, Error::UnknownName { known, .. } if known == &["N"]), "{unknown}");
    let found = error(PlaneQuery { x: Some("u".into()), ..PlaneQuery::default() });
    assert!(found.contains("`u`") && found.contains("`v`") && found.contains("`w`"), "{found}");
    let found = error(PlaneQuery { neuron: 3, ..PlaneQuery::default() });
    assert!(found.contains("3 neurons"), "{found}");
    let found = error(PlaneQuery { x_range: Some([1.0, f64::NAN]), ..PlaneQuery::default() });
    assert!(found.contains("finite"), "{found}");
    let found = error(PlaneQuery { resolution: 1000, ..PlaneQuery::default() });
    assert!(found.contains("8 to 256"), "{found}");
    let clamp = [("v".to_owned(), Clamp::Steady)].into();
    let axes = PlaneQuery { x: Some("w".into()), y: Some("w".into()), clamp, ..PlaneQuery::default() };
    let found = error(axes);
    assert!(found.contains("not linear"), "{found}");
}
