"""Parameters of the models, one place for all peers. Units: ms, mV, nS, pF, pA, Hz.

The same networks are in the catalogue of Spikelet; `src/model.rs` says what is changed there to make them equal.
"""

import numpy as np

# Vogels & Abbott 2005; Brette et al. 2007, benchmark 2.
# taum dv/dt = ge + gi - (v - El), v held at Vr while refractory; taue dge/dt = -ge; taui dgi/dt = -gi
# a spike: ge += we or gi += wi (mV), also while refractory. v(0) uniform in [Vr, Vt], ge(0) = gi(0) = 0.
# Each ordered pair is joined with p. Delay: one step at most (Brian 2, BrainPy: none; NEST, Spikelet: 0.1 ms).
CUBA = dict(n_e=3200, n_i=800, p=0.02, taum=20.0, taue=5.0, taui=10.0, Vt=-50.0, Vr=-60.0, El=-49.0, we=1.62, wi=-9.0,
            tref=5.0, dt=0.1)

# The cells of CUBA, ke excitatory and ki inhibitory inputs each, and synapses between excitatory cells that learn by additive pair STDP:
# a pre spike: w -= alpha lam wmax y, a post spike: w += lam wmax x, within [0, wmax]; x and y grow by 1 with the spikes of their side.
PLASTIC = dict(n_e=8000, n_i=2000, ke=64, ki=16, w0=1.62, wmax=3.24, lam=0.01, alpha=1.05, tau=20.0)

# Brette et al. 2007, benchmark 1. No input from outside: activity keeps itself alive, in most seeds.
# Cm dv/dt = gl (El - v) + ge (Ee - v) + gi (Ei - v); ge, gi decay exponentially.
# v(0) = El + (5 N(0,1) - 5) mV; ge(0) = max(0, 10 (1.5 N + 4)) nS; gi(0) = max(0, 10 (12 N + 20)) nS
COBA = dict(n_e=3200, n_i=800, p=0.02, Cm=200.0, gl=10.0, El=-60.0, Vt=-50.0, Vr=-60.0, tref=5.0, taue=5.0, taui=10.0,
            Ee=0.0, Ei=-80.0, we=6.0, wi=67.0, dt=0.1)

# Brette et al. 2007, benchmark 3: Traub & Miles.
# Cm dv/dt = gl (El-v) + ge (Ee-v) + gi (Ei-v) - gna m^3 h (v-ENa) - gkd n^4 (v-EK); with u = v - VT, in 1/ms
# alpha_m = 0.32 (13-u)/(exp((13-u)/4)-1), beta_m = 0.28 (u-40)/(exp((u-40)/5)-1),
# alpha_h = 0.128 exp((17-u)/18),          beta_h = 4/(1+exp((40-u)/5)),
# alpha_n = 0.032 (15-u)/(exp((15-u)/5)-1), beta_n = 0.5 exp((10-u)/40)
# A spike when v > vspike, then none for tref; no reset. v, ge, gi start as in COBA, m = h = n = 0 (NEST: its own, at rest).
COBAHH = dict(n_e=3200, n_i=800, p=0.02, Cm=200.0, gl=10.0, El=-60.0, EK=-90.0, ENa=50.0, gna=20000.0, gkd=6000.0,
              VT=-63.0, taue=5.0, taui=10.0, Ee=0.0, Ei=-80.0, we=6.0, wi=67.0, vspike=-20.0, tref=3.0, dt=0.1)

# Brunel 2000, model A, asynchronous irregular. taum dv/dt = -v; a spike adds J (E) or -g J (I) mV 1.5 ms later, and is lost
# on a refractory neuron. From outside c_e Poisson trains per neuron, each of eta times the rate that reaches threshold:
# 20 kHz together. Fixed in-degrees. v(0) = 0.
BRUNEL = dict(n_e=10000, n_i=2500, c_e=1000, c_i=250, taum=20.0, theta=20.0, Vr=10.0, tref=2.0, delay=1.5, J=0.1, g=5.0,
              eta=2.0, dt=0.1)
BRUNEL["rate_ext"] = BRUNEL["eta"] * BRUNEL["theta"] / (BRUNEL["J"] * BRUNEL["c_e"] * BRUNEL["taum"] * 1e-3)

# Izhikevich 2003. r ~ U(0,1) per neuron. E: a=0.02, b=0.2, c=-65+15r^2, d=8-6r^2. I: a=0.02+0.08r, b=0.25-0.05r, c=-65, d=2.
# Each ms: I = 5 N(0,1) (E) or 2 N(0,1) (I); fired = v >= 30: v = c, u += d; I += the weights of those that fired;
# v += 0.5(0.04 v^2+5v+140-u+I) twice; u += a(b v - u). v(0) = -65, u(0) = b v(0). Weights: E 0.5 U(0,1), I -U(0,1).
# `izhikevich`: 800 + 200, all to all. `izhikevich_10k`: 8000 + 2000, each with 800 E and 200 I inputs.
IZH = dict(n_e=800, n_i=200, k_e=800, k_i=200, noise_e=5.0, noise_i=2.0, w_e=0.5, w_i=-1.0, dt=1.0)

# Potjans & Diesmann 2014, with a tenth of the neurons and a tenth of the synapses of each.
PD_SCALE = 0.1
PD = dict(
    pops=["L23E", "L23I", "L4E", "L4I", "L5E", "L5I", "L6E", "L6I"],
    n=[20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948],
    # p[target][source]
    p=[[0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0.0000, 0.0076, 0.0000],
       [0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0.0000, 0.0042, 0.0000],
       [0.0077, 0.0059, 0.0497, 0.1350, 0.0067, 0.0003, 0.0453, 0.0000],
       [0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0.0000, 0.1057, 0.0000],
       [0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0.0000],
       [0.0548, 0.0269, 0.0257, 0.0022, 0.0600, 0.3158, 0.0086, 0.0000],
       [0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252],
       [0.0364, 0.0010, 0.0034, 0.0005, 0.0277, 0.0080, 0.0658, 0.1443]],
    k_ext=[1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100], bg_rate=8.0,
    psp=0.15, g=-4.0, psp_23e_4e=0.30, w_rel_std=0.1,
    delay_e=1.5, delay_i=0.75, delay_rel_std=0.5,
    E_L=-65.0, V_th=-50.0, V_reset=-65.0, C_m=250.0, tau_m=10.0, tau_syn=0.5, t_ref=2.0,
    v0_mean=[-68.28, -63.16, -63.33, -63.45, -63.11, -61.66, -66.72, -61.43],
    v0_std=[5.36, 4.57, 4.74, 4.94, 4.94, 4.55, 5.46, 4.48],
    # Mean rates of the full network, for the current that makes up for the synapses left out.
    full_rates=[0.903, 2.965, 4.414, 5.876, 7.569, 8.633, 1.105, 7.829], dt=0.1)


def pd_scaled(scale=PD_SCALE):
    """Numbers of neurons and synapses, weights in pA, and the compensating current in pA."""
    n_full = np.array(PD["n"])
    p = np.array(PD["p"])
    pairs = np.outer(n_full, n_full).astype(float)
    synapses = np.log(1.0 - p) / np.log((pairs - 1.0) / pairs)      # [target][source], at full scale
    # From the peak of the potential (mV) to that of the current (pA).
    tau_m, tau_syn, c_m = PD["tau_m"], PD["tau_syn"], PD["C_m"]
    sub = 1.0 / (tau_syn - tau_m)
    fraction = (tau_m / tau_syn) ** sub
    psc_over_psp = 1.0 / (tau_m * tau_syn / c_m * sub * (fraction ** tau_m - fraction ** tau_syn))
    w = np.full((8, 8), PD["psp"]) * psc_over_psp
    w[:, 1::2] *= PD["g"]
    w[0, 2] = PD["psp_23e_4e"] * psc_over_psp
    w_ext = PD["psp"] * psc_over_psp
    k_ext = np.array(PD["k_ext"], float)
    within = (w * synapses / n_full[:, None] * np.array(PD["full_rates"])).sum(axis=1)
    outside = w_ext * k_ext * PD["bg_rate"]
    return dict(n=np.round(n_full * scale).astype(int), synapses=np.round(synapses * scale * scale).astype(np.int64),
                w=w / np.sqrt(scale), w_ext=w_ext / np.sqrt(scale), k_ext=np.round(k_ext * scale).astype(int),
                dc=0.001 * tau_syn * (1.0 - np.sqrt(scale)) * (within + outside))
