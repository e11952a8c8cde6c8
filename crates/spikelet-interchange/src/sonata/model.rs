//! Cells that SONATA names by `model_template`: those of NEST, with NEST's names, units and defaults (nest-simulator.readthedocs.io, 3.10).

/// A cell.
#[derive(Debug)]
pub(super) struct Model {
    /// Its name in NEST.
    pub(super) name: &'static str,
    pub(super) equations: &'static str,
    /// Statements of a step instead of differential equations. Spikes are then collected in `arriving` a step before the end of their delay, so that
    /// they count before the threshold is tested, as in NEST.
    pub(super) update: Option<&'static str>,
    pub(super) threshold: &'static str,
    pub(super) reset: &'static str,
    pub(super) method: Option<&'static str>,
    /// Parameters with default and unit.
    pub(super) parameters: &'static [Value],
    /// Variables with the value and unit that they have at the start.
    pub(super) initial: &'static [Value],
    /// What an excitatory and an inhibitory spike does. The weight of the latter is negative.
    pub(super) on_pre: [&'static str; 2],
    /// The unit of weights.
    pub(super) weight: &'static str,
    /// How it differs from the cell of NEST.
    pub(super) differs: Option<&'static str>,
}

/// A name, its default and its unit.
pub(super) type Value = (&'static str, f64, &'static str);

/// The steps after a spike in which the potential is held: NEST counts them from the next step on.
pub(super) const REFRACTORY: &str = "t_ref + dt";

const ADAPTIVE: &str = "NEST integrates it with an adaptive step, here it is `rk4` with the step of the network";

/// All of them.
pub(super) const MODELS: [Model; 9] = [
    Model {
        name: "iaf_psc_alpha",
        equations: "dV_m/dt = (E_L - V_m)/tau_m + (I_ex + I_in + I_e + I_stim)/C_m : volt (unless refractory)
dI_ex/dt = (exp(1)*x_ex - I_ex)/tau_syn_ex : amp
dx_ex/dt = -x_ex/tau_syn_ex : amp
dI_in/dt = (exp(1)*x_in - I_in)/tau_syn_in : amp
dx_in/dt = -x_in/tau_syn_in : amp",
        update: None,
        threshold: "V_m >= V_th",
        reset: "V_m = V_reset",
        method: None,
        parameters: &IAF_CURRENT,
        initial: &[("V_m", -70.0, "mV")],
        on_pre: ["x_ex_post += weight", "x_in_post += weight"],
        weight: "pA",
        differs: None,
    },
    Model {
        name: "iaf_psc_exp",
        equations: "dV_m/dt = (E_L - V_m)/tau_m + (I_ex + I_in + I_e + I_stim)/C_m : volt (unless refractory)
dI_ex/dt = -I_ex/tau_syn_ex : amp
dI_in/dt = -I_in/tau_syn_in : amp",
        update: None,
        threshold: "V_m >= V_th",
        reset: "V_m = V_reset",
        method: None,
        parameters: &IAF_CURRENT,
        initial: &[("V_m", -70.0, "mV")],
        on_pre: ["I_ex_post += weight", "I_in_post += weight"],
        weight: "pA",
        differs: None,
    },
    Model {
        name: "iaf_psc_delta",
        equations: "V_m : volt
arriving : volt",
        update: Some(
            "V_m += int(not_refractory)*((E_L + tau_m/C_m*(I_e + I_stim) - V_m)*(1 - exp(-dt/tau_m)) + arriving)
arriving = 0*mV",
        ),
        threshold: "V_m >= V_th",
        reset: "V_m = V_reset",
        method: None,
        parameters: &[
            ("E_L", -70.0, "mV"),
            ("C_m", 250.0, "pF"),
            ("tau_m", 10.0, "ms"),
            ("t_ref", 2.0, "ms"),
            ("V_th", -55.0, "mV"),
            ("V_reset", -70.0, "mV"),
            ("I_e", 0.0, "pA"),
        ],
        initial: &[("V_m", -70.0, "mV")],
        on_pre: ["arriving_post += weight"; 2],
        weight: "mV",
        differs: None,
    },
    Model {
        name: "iaf_cond_exp",
        equations: "dV_m/dt = (g_L*(E_L - V_m) + g_ex*(E_ex - V_m) + g_in*(E_in - V_m) + I_e + I_stim)/C_m : volt (unless refractory)
dg_ex/dt = -g_ex/tau_syn_ex : siemens
dg_in/dt = -g_in/tau_syn_in : siemens",
        update: None,
        threshold: "V_m >= V_th",
        reset: "V_m = V_reset",
        method: Some("rk4"),
        parameters: &IAF_CONDUCTANCE,
        initial: &[("V_m", -70.0, "mV")],
        on_pre: ["g_ex_post += weight", "g_in_post -= weight"],
        weight: "nS",
        differs: Some(ADAPTIVE),
    },
    Model {
        name: "iaf_cond_alpha",
        equations: "dV_m/dt = (g_L*(E_L - V_m) + g_ex*(E_ex - V_m) + g_in*(E_in - V_m) + I_e + I_stim)/C_m : volt (unless refractory)
dg_ex/dt = (exp(1)*x_ex - g_ex)/tau_syn_ex : siemens
dx_ex/dt = -x_ex/tau_syn_ex : siemens
dg_in/dt = (exp(1)*x_in - g_in)/tau_syn_in : siemens
dx_in/dt = -x_in/tau_syn_in : siemens",
        update: None,
        threshold: "V_m >= V_th",
        reset: "V_m = V_reset",
        method: Some("rk4"),
        parameters: &IAF_CONDUCTANCE,
        initial: &[("V_m", -70.0, "mV")],
        on_pre: ["x_ex_post += weight", "x_in_post -= weight"],
        weight: "nS",
        differs: Some(ADAPTIVE),
    },
    Model {
        name: "aeif_cond_exp",
        equations: "V = clip(V_m, -1*volt, V_peak) : volt
dV_m/dt = (g_L*(E_L - V + Delta_T*exp((V - V_th)/Delta_T)) + g_ex*(E_ex - V) + g_in*(E_in - V) - w + I_e + I_stim)/C_m : volt (unless refractory)
dw/dt = (a*(V - E_L) - w)/tau_w : amp
dg_ex/dt = -g_ex/tau_syn_ex : siemens
dg_in/dt = -g_in/tau_syn_in : siemens",
        update: None,
        threshold: "V_m >= V_peak",
        reset: "V_m = V_reset; w += b",
        method: Some("rk4"),
        parameters: &AEIF,
        initial: &[("V_m", -70.6, "mV"), ("w", 0.0, "pA")],
        on_pre: ["g_ex_post += weight", "g_in_post -= weight"],
        weight: "nS",
        differs: Some(ADAPTIVE),
    },
    Model {
        name: "aeif_cond_alpha",
        equations: "V = clip(V_m, -1*volt, V_peak) : volt
dV_m/dt = (g_L*(E_L - V + Delta_T*exp((V - V_th)/Delta_T)) + g_ex*(E_ex - V) + g_in*(E_in - V) - w + I_e + I_stim)/C_m : volt (unless refractory)
dw/dt = (a*(V - E_L) - w)/tau_w : amp
dg_ex/dt = (exp(1)*x_ex - g_ex)/tau_syn_ex : siemens
dx_ex/dt = -x_ex/tau_syn_ex : siemens
dg_in/dt = (exp(1)*x_in - g_in)/tau_syn_in : siemens
dx_in/dt = -x_in/tau_syn_in : siemens",
        update: None,
        threshold: "V_m >= V_peak",
        reset: "V_m = V_reset; w += b",
        method: Some("rk4"),
        parameters: &AEIF,
        initial: &[("V_m", -70.6, "mV"), ("w", 0.0, "pA")],
        on_pre: ["x_ex_post += weight", "x_in_post -= weight"],
        weight: "nS",
        differs: Some(ADAPTIVE),
    },
    Model {
        name: "izhikevich",
        // NEST has numbers without units for a to d and currents: ms, mV and mV/ms.
        equations: "V_m : volt
U_m : volt
arriving : volt",
        update: Some(
            "V_old = V_m
V_m += dt*((0.04*V_old**2/mV + 5*V_old + 140*mV - U_m)/ms + (I_e + I_stim)/pA*mV/ms) + arriving
U_m += dt*a*(b*V_old - U_m)/ms
arriving = 0*mV",
        ),
        threshold: "V_m >= V_th",
        reset: "V_m = c; U_m += d",
        method: None,
        parameters: &[
            ("a", 0.02, "1"),
            ("b", 0.2, "1"),
            ("c", -65.0, "mV"),
            ("d", 8.0, "mV"),
            ("V_th", 30.0, "mV"),
            ("I_e", 0.0, "pA"),
        ],
        initial: &[("V_m", -65.0, "mV"), ("U_m", -13.0, "mV")],
        on_pre: ["arriving_post += weight"; 2],
        weight: "mV",
        differs: None,
    },
    Model {
        // NEURON's artificial cell.
        name: "IntFire1",
        equations: "m : 1
arriving : 1",
        update: Some("m = m*exp(-dt/tau) + int(not_refractory)*arriving
arriving = 0"),
        threshold: "m > 1",
        reset: "m = 0",
        method: None,
        parameters: &[("tau", 10.0, "ms"), ("t_ref", 5.0, "ms")],
        initial: &[("m", 0.0, "1")],
        on_pre: ["arriving_post += weight"; 2],
        weight: "1",
        differs: Some("NEURON has the times of events between the steps, here they are in steps"),
    },
];

const IAF_CURRENT: [Value; 9] = [
    ("E_L", -70.0, "mV"),
    ("C_m", 250.0, "pF"),
    ("tau_m", 10.0, "ms"),
    ("t_ref", 2.0, "ms"),
    ("V_th", -55.0, "mV"),
    ("V_reset", -70.0, "mV"),
    ("tau_syn_ex", 2.0, "ms"),
    ("tau_syn_in", 2.0, "ms"),
    ("I_e", 0.0, "pA"),
];

const IAF_CONDUCTANCE: [Value; 11] = [
    ("E_L", -70.0, "mV"),
    ("C_m", 250.0, "pF"),
    ("g_L", 16.6667, "nS"),
    ("t_ref", 2.0, "ms"),
    ("V_th", -55.0, "mV"),
    ("V_reset", -60.0, "mV"),
    ("E_ex", 0.0, "mV"),
    ("E_in", -85.0, "mV"),
    ("tau_syn_ex", 0.2, "ms"),
    ("tau_syn_in", 2.0, "ms"),
    ("I_e", 0.0, "pA"),
];

const AEIF: [Value; 16] = [
    ("E_L", -70.6, "mV"),
    ("C_m", 281.0, "pF"),
    ("g_L", 30.0, "nS"),
    ("t_ref", 0.0, "ms"),
    ("V_th", -50.4, "mV"),
    ("V_peak", 0.0, "mV"),
    ("V_reset", -60.0, "mV"),
    ("Delta_T", 2.0, "mV"),
    ("a", 4.0, "nS"),
    ("b", 80.5, "pA"),
    ("tau_w", 144.0, "ms"),
    ("E_ex", 0.0, "mV"),
    ("E_in", -85.0, "mV"),
    ("tau_syn_ex", 0.2, "ms"),
    ("tau_syn_in", 2.0, "ms"),
    ("I_e", 0.0, "pA"),
];

impl Model {
    /// Its template, such as `nest:iaf_psc_alpha`.
    pub(super) fn template(&self) -> String {
        format!("{}:{}", if self.is_of_nest() { "nest" } else { "nrn" }, self.name)
    }

    /// The cell of a template; without a simulator it is NEST's.
    pub(super) fn of_template(template: &str) -> Option<&'static Model> {
        let (simulator, name) = template.split_once(':').unwrap_or(("nest", template));
        let template = format!("{}:{name}", simulator.to_ascii_lowercase());
        MODELS.iter().find(|model| model.template() == template)
    }

    /// Whether it is a cell of NEST.
    pub(super) fn is_of_nest(&self) -> bool {
        self.name != "IntFire1"
    }

    /// Whether currents can be injected.
    pub(super) fn has_current(&self) -> bool {
        self.parameters.iter().any(|(name, _, _)| *name == "I_e")
    }

    /// Whether it has this variable.
    pub(super) fn has_variable(&self, name: &str) -> bool {
        self.equations.lines().any(|line| line.starts_with(&format!("d{name}/dt")) || line.starts_with(&format!("{name} :")))
    }

    /// Whether its potential is held after a spike.
    pub(super) fn is_refractory(&self) -> bool {
        self.parameters.iter().any(|(name, _, _)| *name == "t_ref")
    }
}
