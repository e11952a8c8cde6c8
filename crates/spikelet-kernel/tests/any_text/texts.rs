//! Texts to start from: cells and synapses of every sort that people write, in the shapes they write them in.

/// A cell: equations, threshold, reset, refractory, and the parameters it needs.
pub(crate) struct Cell {
    pub(crate) equations: &'static str,
    pub(crate) threshold: &'static str,
    pub(crate) reset: &'static str,
    pub(crate) refractory: &'static str,
    pub(crate) parameters: &'static [(&'static str, &'static str)],
}

pub(crate) const CELLS: &[Cell] = &[
    Cell {
        equations: "dv/dt = (ge + gi - (v - El))/taum : volt (unless refractory)\ndge/dt = -ge/taue : volt\n\
                    dgi/dt = -gi/taui : volt",
        threshold: "v > Vt",
        reset: "v = Vr",
        refractory: "5*ms",
        parameters: &[
            ("El", "-49 mV"),
            ("taum", "20 ms"),
            ("taue", "5 ms"),
            ("taui", "10 ms"),
            ("Vt", "-50 mV"),
            ("Vr", "-60 mV"),
        ],
    },
    // Layout as people have it in their scripts.
    Cell {
        equations: "# membrane\n\n   dv/dt = ( I   # drive\n        - v\n        )/ tau   : 1 (unless refractory)   # the unit\n\n\
                    \tI:1 (constant)\n  tau : second (constant, shared)  \n# end\n",
        threshold: "v>1",
        reset: "v = 0  # back to rest\n",
        refractory: "1*ms",
        parameters: &[],
    },
    // Exponentials, an adaptation current, time.
    Cell {
        equations: "dv/dt = (-gl*(v - El) + gl*DT*exp((v - VT)/DT) - w + I*int(t > 10.05*ms))/C : volt\n\
                    dw/dt = (a*(v - El) - w)/tauw : amp",
        threshold: "v > VT + 5*DT",
        reset: "v = Vr\nw += b",
        refractory: "",
        parameters: &[
            ("gl", "10 nS"),
            ("El", "-70 mV"),
            ("DT", "2 mV"),
            ("VT", "-50 mV"),
            ("I", "500 pA"),
            ("C", "200 pF"),
            ("a", "2 nS"),
            ("tauw", "30 ms"),
            ("Vr", "-58 mV"),
            ("b", "60 pA"),
        ],
    },
    // Channels, by way of subexpressions, per area.
    Cell {
        equations: "dv/dt = (I - gna*m**3*h*(v - ENa) - gk*n**4*(v - EK) - gl*(v - El))/C : volt\n\
                    dm/dt = am*(1 - m) - bm*m : 1\ndh/dt = ah*(1 - h) - bh*h : 1\ndn/dt = an*(1 - n) - bn*n : 1\n\
                    am = 1/exprel(-(v/mV + 40)/10)/ms : Hz\nbm = 4*exp(-(v/mV + 65)/18)/ms : Hz\n\
                    ah = 0.07*exp(-(v/mV + 65)/20)/ms : Hz\nbh = 1/(1 + exp(-(v/mV + 35)/10))/ms : Hz\n\
                    an = 0.1/exprel(-(v/mV + 55)/10)/ms : Hz\nbn = 0.125*exp(-(v/mV + 65)/80)/ms : Hz\n\
                    I : amp/meter**2 (constant)",
        threshold: "v > 0*mV",
        reset: "",
        refractory: "v > -20*mV",
        parameters: &[
            ("gna", "120 msiemens/cm**2"),
            ("gk", "36 msiemens/cm**2"),
            ("gl", "0.3 msiemens/cm**2"),
            ("ENa", "50 mV"),
            ("EK", "-77 mV"),
            ("El", "-54.4 mV"),
            ("C", "1 uF/cm**2"),
        ],
    },
    // Functions, comparisons, booleans, whole numbers.
    Cell {
        equations: "dv/dt = (1.1 + 0.2*(kind % 3) + 0.1*(kind // 2) + 0.5*int(late) - v)/(8*ms) : 1\n\
                    late = t > 50.05*ms : boolean\nkind : integer (constant)\nx = clip(abs(v), 0, max(1, min(v, 2))) : 1\n\
                    y = sqrt(x) + log(1 + x)*sign(v) + floor(v) - ceil(x) + exprel(-3*v) : 1",
        threshold: "(v > 1 and x < 0.55) or not (0 < y <= 1.2) or not_refractory",
        reset: "v = clip(v - 0.9, 0, 1); kind_2 = kind\nv *= 0.5\nv -= 0.02*i/N",
        refractory: "1*ms",
        parameters: &[],
    },
    // Noise, drawn in several ways.
    Cell {
        equations: "dv/dt = (mu - v)/tau + sigma*sqrt(2/tau)*xi : volt\ninoise = sigma*randn() : volt (constant over dt)\n\
                    u = rand()*dt/ms : 1",
        threshold: "v > inoise and rand() < u",
        reset: "v = -randn()*mV",
        refractory: "2*ms*rand()",
        parameters: &[("mu", "-55 mV"), ("tau", "10 ms"), ("sigma", "3 mV")],
    },
    // A reset of many statements, and a name of its own in it.
    Cell {
        equations: "dv/dt = (I - v - 0.2*a)/(10*ms) : 1\nda/dt = -a/(60*ms) : 1\nI : 1 (constant)\nlast_a : 1\nk : 1",
        threshold: "v > 1",
        reset: "tmp = a + 0.5\nlast_a = a\na = tmp\nv *= 0.1\nk += 1\nv -= 0.02*k",
        refractory: "(t - lastspike) < 2*ms",
        parameters: &[],
    },
    // Powers of dimensions, and units of every spelling.
    Cell {
        equations: "dv/dt = (-gL*area*(v - EL) + I)/(Cm*area) : volt\nI : amp (constant)\narea : metre2 (constant)\n\
                    r = sqrt(area/pi) : metre\nca : mmolar\nD : umeter**2/ms",
        threshold: "v > -0.05*volt and r > 2*um",
        reset: "v = -65000*uvolt\nca += 0.1*mM",
        refractory: "0.002*second",
        parameters: &[("gL", "0.05 msiemens/cm**2"), ("EL", "-65 mV"), ("Cm", "0.9 uF/cm**2")],
    },
];

/// A synapse: equations, what a spike does, and the parameters it needs.
pub(crate) struct Synapse {
    pub(crate) equations: &'static str,
    pub(crate) on_pre: &'static str,
    pub(crate) parameters: &'static [(&'static str, &'static str)],
}

/// The cell that synapses end on.
pub(crate) const TARGET: &str = "dv/dt = (g - v)/(10*ms) : 1 (unless refractory)\ndg/dt = -g/(4*ms) : 1\ndy/dt = -y/(40*ms) : 1\n\
                          s_tot : 1\nIg : 1\nge : siemens";

pub(crate) const SYNAPSES: &[Synapse] = &[
    Synapse { equations: "w : 1 (constant)", on_pre: "g_post += w", parameters: &[] },
    Synapse {
        equations: "",
        on_pre: "g_post += 0.2\nv_post -= J*(1 + i/10.0)*exp(-abs(i - j)/5.0)",
        parameters: &[("J", "0.1")],
    },
    Synapse { equations: "w : siemens\n", on_pre: "ge_post += w # a conductance\n", parameters: &[] },
    Synapse {
        equations: "w : 1\ndapre/dt = -apre/taup : 1 (event-driven)\ndapost/dt = -apost/taum : 1 (event-driven)",
        on_pre: "g_post += w\napre += Ap\nw = clip(w + apost, 0, 3)",
        parameters: &[("taup", "20 ms"), ("taum", "20 ms"), ("Ap", "0.01")],
    },
    Synapse {
        equations: "du/dt = -u/tauf : 1 (event-driven)\ndx/dt = (1 - x)/taud : 1 (event-driven)\nU : 1 (constant)\nr : 1\nw : 1",
        on_pre: "u += U*(1 - u)\nr = u*x\nx -= r\ng_post += w*r",
        parameters: &[("tauf", "500 ms"), ("taud", "200 ms")],
    },
    Synapse {
        equations: "ds/dt = -s/(100*ms) + 0.5/ms*x*(1 - s) : 1 (clock-driven)\ndx/dt = -x/(2*ms) : 1 (clock-driven)\n\
                    s_tot_post = w*s : 1 (summed)\nw : 1 (constant)",
        on_pre: "x += 1",
        parameters: &[],
    },
    Synapse {
        equations: "Ig_post = k*(v_pre - v_post) : 1 (summed)\nk : 1 (constant)",
        on_pre: "y_post = clip(y_post + 0.04*y_post*(y_post - v_post), 0, 2)",
        parameters: &[],
    },
    Synapse {
        equations: "dr/dt = al*T*(1 - r) - be*r : 1 (clock-driven)\nT = int(t - tl < 0.97*ms) : 1\ntl : second\n\
                    gs_post = r : 1 (summed)",
        on_pre: "tl = t",
        parameters: &[("al", "1.1/ms"), ("be", "0.19/ms")],
    },
];

/// What stands where it should not.
pub(crate) const NOISE: &[&str] = &[
    "(",
    ")",
    ",",
    ":",
    ";",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\\\n",
    "#",
    "'''",
    "\"",
    "+",
    "-",
    "*",
    "/",
    "//",
    "**",
    "%",
    "^",
    "=",
    "==",
    "+=",
    "-=",
    "*=",
    "/=",
    "//=",
    "%=",
    "**=",
    "<",
    "<=",
    ">",
    ">=",
    "!=",
    "and",
    "or",
    "not",
    "if",
    "else",
    "True",
    "False",
    "0",
    "1",
    "-1",
    "0.5",
    "2",
    "3.0",
    "1e3",
    "1e308",
    "1e-308",
    "1e999",
    "4294967296",
    "t",
    "dt",
    "i",
    "j",
    "N",
    "xi",
    "xi_2",
    "pi",
    "lastspike",
    "not_refractory",
    "rand()",
    "randn()",
    "poisson(2)",
    "binomial(3, 0.5)",
    "exp",
    "log",
    "sqrt",
    "sin",
    "tanh",
    "abs",
    "sign",
    "clip",
    "min",
    "max",
    "int",
    "exprel",
    "floor",
    "v",
    "w",
    "tau",
    "I",
    "v_post",
    "v_pre",
    "g_post",
    "dv/dt",
    "dx/dt",
    "volt",
    "mV",
    "ms",
    "nS",
    "amp",
    "1/ms",
    "uF/cm**2",
    "metre2",
    "boolean",
    "integer",
    "(constant)",
    "(unless refractory)",
    "(constant over dt)",
    "(shared)",
    "(event-driven)",
    "(clock-driven)",
    "(summed)",
    "−",
    "µ",
    "Ω",
    "²",
    "é",
    "漢",
    "\u{200b}",
    "\u{feff}",
    "\0",
    "\u{1f9e0}",
];
