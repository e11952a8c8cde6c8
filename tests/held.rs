use spikelet::{Network, Simulation};
use spikelet_tests::devices;

/// Delays, events of both sides and sums use the value of the step, on every device.
#[test]
fn synapses_hold_the_same_values_on_every_device() {
    let text = r#"{"name": "held", "dt_ms": 0.1, "duration_ms": 20, "populations": [
        {"name": "E", "size": 20, "equations": "dv/dt = (I - v)/(5*ms) : 1\ndg/dt = -g/(3*ms) : 1\ns : 1\nI : 1",
         "threshold": "v + 0.2*g + 0.01*s > 1", "reset": "v = 0", "parameters": {"I": {"expr": "1.1 + 0.02*i"}}}],
        "projections": [{"name": "EE", "pre": "E", "post": "E", "connect": {"rule": "bernoulli", "p": 0.3},
            "equations": "w : 1\ndx/dt = -x/(4*ms) : 1 (event-driven)\nh = w*(1 + 0.1*rand())*exp(-x) : 1 (constant over dt)\ns_post = h : 1 (summed)",
            "on_pre": "g_post += h; x += 0.3", "on_post": "w = clip(w + 0.1*h, 0, 1)", "delay_ms": 0.5,
            "run_regularly": [{"statements": "w = 0.9*w + 0.05*h", "every_ms": 2}], "initial": {"w": 0.2}}]}"#;
    let network = Network::from_json(text).unwrap();
    let mut reference = None;
    for (name, device) in devices() {
        let (spikes, values) = pollster::block_on(async {
            let mut simulation = Simulation::new(&network, device).await.unwrap();
            let spikes = simulation.advance(200).await.unwrap().spikes;
            (spikes, [simulation.values(0, "EE.h").await.unwrap(), simulation.values(0, "EE.w").await.unwrap()])
        });
        assert!(spikes.len() > 20, "{name}");
        let (first, of_first) = reference.get_or_insert((spikes.clone(), values.clone()));
        assert_eq!(*first, spikes, "{name}");
        assert_eq!(*of_first, values, "{name}");
    }
}
