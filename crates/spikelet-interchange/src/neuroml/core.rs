//! The core types of NeuroML 2 as equations, after the definitions of Cannon et al. 2014, Front. Neuroinform. 8:79, version 2.3.
//!
//! `{t_ref}` and the like are parameters of the component. A cell reads the sum of its currents as `iSyn` or, if it has none in amperes, `ISyn`.

/// A cell.
#[derive(Debug)]
pub(super) struct CellType {
    pub(super) name: &'static str,
    /// Its parameters, in the units that its equations expect.
    pub(super) parameters: &'static [&'static str],
    pub(super) equations: &'static str,
    pub(super) threshold: Option<&'static str>,
    pub(super) reset: &'static str,
    /// The parameter with its refractory time, and the unit of its number if it is one; or, with `condition`, while what it does not fire.
    pub(super) refractory: Option<(&'static str, &'static str)>,
    /// Values of its variables at the start.
    pub(super) initial: &'static [(&'static str, &'static str)],
    /// The variable with the sum of its currents, and its unit.
    pub(super) current: Option<(&'static str, &'static str)>,
}

const SYNAPTIC: Option<(&str, &str)> = Some(("iSyn", "amp"));
const PURE: Option<(&str, &str)> = Some(("ISyn", "1"));

/// What the cells of PyNN have in common.
const IF_CURR: &[&str] =
    &["cm", "i_offset", "tau_syn_E", "tau_syn_I", "v_init", "tau_m", "tau_refrac", "v_reset", "v_rest", "v_thresh"];
const IF_COND: &[&str] = &[
    "cm",
    "i_offset",
    "tau_syn_E",
    "tau_syn_I",
    "v_init",
    "tau_m",
    "tau_refrac",
    "v_reset",
    "v_rest",
    "v_thresh",
    "e_rev_E",
    "e_rev_I",
];
const EIF_COND: &[&str] = &[
    "cm",
    "i_offset",
    "tau_syn_E",
    "tau_syn_I",
    "v_init",
    "tau_m",
    "tau_refrac",
    "v_reset",
    "v_rest",
    "v_thresh",
    "e_rev_E",
    "e_rev_I",
    "v_spike",
    "delta_T",
    "tau_w",
    "a",
    "b",
];
const HH_COND: &[&str] = &[
    "cm",
    "i_offset",
    "tau_syn_E",
    "tau_syn_I",
    "v_init",
    "v_offset",
    "e_rev_E",
    "e_rev_I",
    "e_rev_K",
    "e_rev_Na",
    "e_rev_leak",
    "g_leak",
    "gbar_K",
    "gbar_Na",
];
const IF_EQUATIONS: &str = "dv/dt = (v_rest*mV - v)/(tau_m*ms) + (i_offset*nA + iSyn)/(cm*nF) : volt (unless refractory)";
// Without a slope there is no exponential current, and v_thresh is the threshold.
const EIF_EQUATIONS: &str = "upswing = delta_T*mV*exp(min((v/mV - v_thresh)/max(delta_T, 1e-9), 50)) : volt
dv/dt = (v_rest*mV - v + upswing)/(tau_m*ms) + (i_offset*nA + iSyn - w)/(cm*nF) : volt (unless refractory)
dw/dt = (a*uS*(v - v_rest*mV) - w)/(tau_w*ms) : amp";

const fn pynn(name: &'static str, parameters: &'static [&'static str]) -> CellType {
    CellType {
        name,
        parameters,
        equations: IF_EQUATIONS,
        threshold: Some("v > v_thresh*mV"),
        reset: "v = v_reset*mV",
        refractory: Some(("tau_refrac", "ms")),
        initial: &[("v", "v_init*mV")],
        current: SYNAPTIC,
    }
}

const fn adaptive(name: &'static str) -> CellType {
    CellType {
        equations: EIF_EQUATIONS,
        threshold: Some("v/mV > v_spike*int(delta_T > 0) + v_thresh*int(delta_T <= 0)"),
        reset: "v = v_reset*mV; w += b*nA",
        ..pynn(name, EIF_COND)
    }
}

/// The cells.
pub(super) const CELLS: [CellType; 20] = [
    CellType {
        name: "iafTauCell",
        parameters: &["leakReversal", "thresh", "reset", "tau"],
        equations: "dv/dt = (leakReversal - v)/tau : volt",
        threshold: Some("v > thresh"),
        reset: "v = reset",
        refractory: None,
        initial: &[("v", "leakReversal")],
        current: None,
    },
    CellType {
        name: "iafTauRefCell",
        parameters: &["leakReversal", "thresh", "reset", "tau", "refract"],
        equations: "dv/dt = (leakReversal - v)/tau : volt (unless refractory)",
        threshold: Some("v > thresh"),
        reset: "v = reset",
        refractory: Some(("refract", "")),
        initial: &[("v", "leakReversal")],
        current: None,
    },
    CellType {
        name: "iafCell",
        parameters: &["leakReversal", "thresh", "reset", "C", "leakConductance"],
        equations: "dv/dt = (leakConductance*(leakReversal - v) + iSyn)/C : volt",
        threshold: Some("v > thresh"),
        reset: "v = reset",
        refractory: None,
        initial: &[("v", "leakReversal")],
        current: SYNAPTIC,
    },
    CellType {
        name: "iafRefCell",
        parameters: &["leakReversal", "thresh", "reset", "C", "leakConductance", "refract"],
        equations: "dv/dt = (leakConductance*(leakReversal - v) + iSyn)/C : volt (unless refractory)",
        threshold: Some("v > thresh"),
        reset: "v = reset",
        refractory: Some(("refract", "")),
        initial: &[("v", "leakReversal")],
        current: SYNAPTIC,
    },
    CellType {
        name: "izhikevichCell",
        parameters: &["v0", "a", "b", "c", "d", "thresh"],
        equations: "dv/dt = (0.04*(v/mV)**2 + 5*(v/mV) + 140 - U + ISyn)*mV/ms : volt\ndU/dt = a*(b*(v/mV) - U)/ms : 1",
        threshold: Some("v > thresh"),
        reset: "v = c*mV; U += d",
        refractory: None,
        initial: &[("v", "v0"), ("U", "b*(v0/mV)")],
        current: PURE,
    },
    CellType {
        name: "izhikevich2007Cell",
        parameters: &["v0", "C", "k", "vr", "vt", "vpeak", "a", "b", "c", "d"],
        equations: "dv/dt = (k*(v - vr)*(v - vt) + iSyn - u)/C : volt\ndu/dt = a*(b*(v - vr) - u) : amp",
        threshold: Some("v > vpeak"),
        reset: "v = c; u += d",
        refractory: None,
        initial: &[("v", "v0")],
        current: SYNAPTIC,
    },
    CellType {
        name: "adExIaFCell",
        parameters: &["C", "gL", "EL", "VT", "delT", "tauw", "refract", "a", "b", "reset", "thresh"],
        equations: "dv/dt = (-gL*(v - EL) + gL*delT*exp((v - VT)/delT) - w + iSyn)/C : volt (unless refractory)\n\
                    dw/dt = (a*(v - EL) - w)/tauw : amp",
        threshold: Some("v > thresh"),
        reset: "v = reset; w += b",
        refractory: Some(("refract", "")),
        initial: &[("v", "EL")],
        current: SYNAPTIC,
    },
    CellType {
        name: "fitzHughNagumoCell",
        parameters: &["I"],
        equations: "dV/dt = (V - V**3/3 - W + I + ISyn)/second : 1\ndW/dt = 0.08*(V + 0.7 - 0.8*W)/second : 1",
        threshold: None,
        reset: "",
        refractory: None,
        initial: &[],
        current: PURE,
    },
    // Pinsky and Rinzel 1994. Its receptors get no events, and stay closed.
    CellType {
        name: "pinskyRinzelCA3Cell",
        parameters: &[
            "iSoma", "iDend", "gLs", "gLd", "gNa", "gKdr", "gCa", "gKahp", "gKC", "gc", "eNa", "eCa", "eK", "eL", "pp", "cm",
            "qd0",
        ],
        equations: "x = Vs/mV : 1\ny = Vd/mV : 1\nv = Vs : volt\n\
                    alpha_m = 1.28/exprel((-46.9 - x)/4) : 1\nbeta_m = 1.4/exprel((x + 19.9)/5) : 1\n\
                    alpha_h = 0.128*exp((-43 - x)/18) : 1\nbeta_h = 4/(1 + exp((-20 - x)/5)) : 1\n\
                    alpha_n = 0.08/exprel((-24.9 - x)/5) : 1\nbeta_n = 0.25*exp(-1 - 0.025*x) : 1\n\
                    alpha_s = 1.6/(1 + exp(-0.072*(y - 5))) : 1\nbeta_s = 0.1/exprel((y + 8.9)/5) : 1\n\
                    slow = 2*exp((-53.5 - y)/27) : 1\n\
                    alpha_c = int(y < -10)*exp((y + 50)/11 - (y + 53.5)/27)/18.975 + int(y >= -10)*slow : 1\n\
                    beta_c = int(y < -10)*(slow - alpha_c) : 1\nalpha_q = min(0.00002*Cad, 0.01) : 1\n\
                    ICad = gCa*sd**2*(Vd - eCa) : amp/metre**2\n\
                    dVs/dt = (gLs*(eL - Vs) + gNa*(alpha_m/(alpha_m + beta_m))**2*hs*(eNa - Vs) + gKdr*ns*(eK - Vs) + gc/pp*(Vd - Vs) \
                    + iSoma/pp)/cm : volt\n\
                    dVd/dt = ((iDend + gc*(Vs - Vd))/(1 - pp) + gLd*(eL - Vd) - ICad + gKahp*qd*(eK - Vd) \
                    + gKC*cd*min(Cad/250, 1)*(eK - Vd))/cm : volt\n\
                    dCad/dt = (-0.13*ICad/(uA/cmetre**2) - 0.075*Cad)/ms : 1\n\
                    dhs/dt = (alpha_h - (alpha_h + beta_h)*hs)/ms : 1\ndns/dt = (alpha_n - (alpha_n + beta_n)*ns)/ms : 1\n\
                    dsd/dt = (alpha_s - (alpha_s + beta_s)*sd)/ms : 1\ndcd/dt = (alpha_c - (alpha_c + beta_c)*cd)/ms : 1\n\
                    dqd/dt = (alpha_q - (alpha_q + 0.001)*qd)/ms : 1",
        threshold: None,
        reset: "",
        refractory: None,
        initial: &[("Vs", "eL"), ("Vd", "eL"), ("qd", "qd0")],
        current: None,
    },
    pynn("IF_curr_alpha", IF_CURR),
    pynn("IF_curr_exp", IF_CURR),
    pynn("IF_cond_alpha", IF_COND),
    pynn("IF_cond_exp", IF_COND),
    adaptive("EIF_cond_exp_isfa_ista"),
    adaptive("EIF_cond_alpha_isfa_ista"),
    // Traub and Miles 1991 with the offset of PyNN.
    CellType {
        name: "HH_cond_exp",
        parameters: HH_COND,
        equations: "x = v/mV - v_offset : 1\n\
                    dm/dt = (4*0.32/exprel((13 - x)/4)*(1 - m) - 5*0.28/exprel((x - 40)/5)*m)/ms : 1\n\
                    dh/dt = (0.128*exp((17 - x)/18)*(1 - h) - 4/(1 + exp((40 - x)/5))*h)/ms : 1\n\
                    dn/dt = (5*0.032/exprel((15 - x)/5)*(1 - n) - 0.5*exp((10 - x)/40)*n)/ms : 1\n\
                    dv/dt = (g_leak*uS*(e_rev_leak*mV - v) + gbar_Na*uS*m**3*h*(e_rev_Na*mV - v) + gbar_K*uS*n**4*(e_rev_K*mV - v) \
                    + i_offset*nA + iSyn)/(cm*nF) : volt",
        threshold: None,
        reset: "",
        refractory: None,
        initial: &[("v", "v_init*mV")],
        current: SYNAPTIC,
    },
    // Sources of spikes whose intervals are not those of a Poisson process.
    CellType {
        name: "spikeGeneratorRefPoisson",
        parameters: &["averageRate", "minimumISI"],
        equations: "idle : 1",
        threshold: Some("rand() < dt/(1/averageRate - minimumISI)"),
        reset: "",
        refractory: Some(("minimumISI", "")),
        initial: &[],
        current: None,
    },
    CellType {
        name: "spikeGeneratorRandom",
        parameters: &["minISI", "maxISI"],
        equations: "next : second",
        threshold: Some("t >= next"),
        reset: "next = t + minISI + rand()*(maxISI - minISI)",
        refractory: None,
        initial: &[("next", "minISI + rand()*(maxISI - minISI)")],
        current: None,
    },
    CellType {
        name: "fitzHughNagumo1969Cell",
        parameters: &["a", "b", "I", "phi", "V0", "W0"],
        equations: "dV/dt = (V - V**3/3 - W + I)/ms : 1\ndW/dt = phi*(V + a - b*W)/ms : 1",
        threshold: None,
        reset: "",
        refractory: None,
        initial: &[("V", "V0"), ("W", "W0")],
        current: None,
    },
    // Hindmarsh and Rose 1984. It fires when the potential rises above 0.
    CellType {
        name: "hindmarshRose1984Cell",
        parameters: &["C", "a", "b", "c", "d", "r", "s", "x1", "v_scaling", "x0", "y0", "z0"],
        equations: "x = v/v_scaling : 1\nphi = y - a*x**3 + b*x**2 : 1\nchi = c - d*x**2 - y : 1\nrho = s*(x - x1) - z : 1\n\
                    dv/dt = v_scaling*(phi - z)/ms + iSyn/C : volt\ndy/dt = chi/ms : 1\ndz/dt = r*rho/ms : 1",
        threshold: Some("v > 0*mV"),
        reset: "",
        refractory: Some(("v >= 0*mV", "condition")),
        initial: &[("v", "x0*v_scaling"), ("y", "y0"), ("z", "z0")],
        current: SYNAPTIC,
    },
];
