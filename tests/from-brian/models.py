"""The eleven models in Brian 2, with the equations and parameters of the papers that their networks name.

Each function takes a seed and returns what Brian 2 found: `spikes`, the neurons and steps of each population; `samples`, the values of a recorded
channel; and for models with noise nothing but spikes. Lists that both simulators must share (spike times, sounds) are read from the network."""

from dataclasses import dataclass, field

import numpy as np
from brian2 import (Hz, Mohm, Network, NeuronGroup, PoissonGroup, PoissonInput, SpikeGeneratorGroup, SpikeMonitor, StateMonitor, Synapses, TimedArray,
                    defaultclock, kHz, ms, mV, nF, nS, pA, pF, second, seed, start_scope, umolar)


@dataclass
class Found:
    """What a run of Brian 2 gave."""

    spikes: dict = field(default_factory=dict)
    samples: dict = field(default_factory=dict)

    def spikes_of(self, name, monitor):
        """Keeps all spikes that a monitor saw, as neurons and steps."""
        order = np.lexsort((monitor.i, np.round(monitor.t / defaultclock.dt)))
        steps = np.round(np.asarray(monitor.t / defaultclock.dt)).astype(int)
        self.spikes[name] = (np.asarray(monitor.i)[order], steps[order])

    def samples_of(self, name, monitor, variable, indices, unit=1):
        """Keeps the values at the starts of steps that a monitor of all indices saw."""
        for row, index in enumerate(indices):
            self.samples[f"{name}.{variable}[{index}]"] = np.asarray(getattr(monitor, variable)[row] / unit)


def begin(number, dt):
    """Forgets the previous model."""
    start_scope()
    seed(number)
    defaultclock.dt = dt


def source(network, name):
    """A source with the spike times of the network."""
    listed = next(source for source in network["sources"] if source["name"] == name)
    neurons, times = zip(*listed["spike_times_ms"])
    return SpikeGeneratorGroup(listed["size"], neurons, np.array(times) * ms)


def phase_locking(number, network):
    begin(number, 0.1 * ms)
    tau = 100 * ms
    cells = NeuronGroup(60, "dv/dt = (a + 2*sin(2*pi*t/tau) - v)/tau : 1\na : 1", threshold="v > 1", reset="v = 0", method="euler",
                        namespace={"tau": tau})
    cells.a = "2 + 2*i/(N - 1)"
    spikes = SpikeMonitor(cells)
    Network(cells, spikes).run(1 * second)
    found = Found()
    found.spikes_of("cells", spikes)
    return found


def cochlear_nucleus(number, network):
    begin(number, 0.1 * ms)
    rates = {"m": ("1/(1 + exp(-(x + 38)/7))", "10/(5*exp((x + 60)/18) + 36*exp(-(x + 60)/25)) + 0.04"),
             "h": ("1/(1 + exp((x + 65)/6))", "100/(7*exp((x + 60)/11) + 10*exp(-(x + 60)/25)) + 0.6"),
             "a": ("(1 + exp(-(x + 31)/6))**-0.25", "100/(7*exp((x + 60)/14) + 29*exp(-(x + 60)/24)) + 0.1"),
             "b": ("(1 + exp((x + 66)/7))**-0.5", "1000/(14*exp((x + 60)/27) + 29*exp(-(x + 60)/24)) + 1"),
             "c": ("(1 + exp((x + 66)/7))**-0.5", "90/(1 + exp(-(x + 66)/17)) + 10"),
             "w": ("(1 + exp(-(x + 48)/6))**-0.25", "100/(6*exp((x + 60)/6) + 16*exp(-(x + 60)/45)) + 1.5"),
             "z": ("0.5 + 0.5/(1 + exp((x + 71)/10))", "1000/(exp((x + 60)/20) + exp(-(x + 60)/8)) + 50"),
             "n": ("(1 + exp(-(x + 15)/5))**-0.5", "100/(11*exp((x + 60)/24) + 21*exp(-(x + 60)/23)) + 0.7"),
             "p": ("1/(1 + exp(-(x + 23)/6))", "100/(4*exp((x + 60)/32) + 5*exp(-(x + 60)/22)) + 5"),
             "r": ("1/(1 + exp((x + 76)/7))", "100000/(237*exp((x + 60)/12) + 17*exp(-(x + 60)/14)) + 25"),
             "q": ("1/(1 + exp((x + 66)/7))", "345*exp(0.6*k*(x + 84))/(1 + exp(k*(x + 84)))/4.5**(-1.1)")}
    gates = "".join(f"d{gate}/dt = ({end} - {gate})/(({tau})*ms) : 1\n" for gate, (end, tau) in rates.items())
    currents = ("g_leak*(E_leak - v) + g_Na*m**3*h*(E_Na - v) + g_A*a**4*b*c*(E_K - v) + g_LT*w**4*z*(E_K - v)"
                " + g_HT*(0.85*n**2 + 0.15*p)*(E_K - v) + g_h*r*(E_h - v) + g_h2*q*(E_h - v) + I_0*int(t >= 50*ms)")
    names = dict(C=12 * pF, E_leak=-65 * mV, E_K=-70 * mV, E_Na=50 * mV, E_h=-43 * mV, g_leak=2 * nS, g_Na=1000 * nS, k=0.118)
    own = dict(g_HT=[150, 80, 150, 150, 150, 150] * nS, g_LT=[0, 0, 20, 35, 200, 600] * nS, g_A=[0, 65, 0, 0, 0, 0] * nS,
               g_h=[0.5, 0.5, 2, 3.5, 20, 0] * nS, g_h2=[0, 0, 0, 0, 0, 40] * nS, I_0=[250, 250, 250, 300, 1000, 2000] * pA)
    units = "".join(f"{name} : {'amp' if name == 'I_0' else 'siemens'}\n" for name in own)
    cells = NeuronGroup(6, f"dv/dt = ({currents})/C : volt\nx = v/mV : 1\n{gates}{units}", threshold="v > -20*mV", refractory="v > -20*mV",
                        method="exponential_euler", namespace=names)
    cells.v = -65 * mV
    for name, values in own.items():
        setattr(cells, name, values)
    spikes, trace = SpikeMonitor(cells), StateMonitor(cells, "v", record=True)
    Network(cells, spikes, trace).run(150 * ms)
    found = Found()
    found.spikes_of("cells", spikes)
    found.samples_of("cells", trace, "v", range(6), mV)
    return found


def short_term_plasticity(number, network):
    begin(number, 0.1 * ms)
    cells = NeuronGroup(3, """dv/dt = (R*(I_depressing + I_facilitating) - v)/tau : volt
                              tau : second
                              R : ohm
                              I_depressing : amp
                              I_facilitating : amp""", method="exact")
    cells.tau, cells.R = [40, 60, 60] * ms, np.array([100, 1000, 1000]) * Mohm
    spikes = source(network, "spikes")
    equations = """dx/dt = (1 - x - y)/tau_rec : 1 (clock-driven)
                   dy/dt = -y/tau_in : 1 (clock-driven)
                   I_{}_post = A*y : amp (summed)
                   """
    depressing = Synapses(spikes, cells, equations.format("depressing"), on_pre="y += U*x\nx -= U*x", method="exact",
                          namespace=dict(tau_in=3 * ms, tau_rec=800 * ms, A=250 * pA, U=0.5))
    depressing.connect(i=0, j=0)
    facilitating = Synapses(spikes, cells, equations.format("facilitating") + "du/dt = -u/tau_facil : 1 (clock-driven)",
                            on_pre="u += U*(1 - u)\ny += u*x\nx -= u*x", method="exact",
                            namespace=dict(tau_in=1.5 * ms, tau_rec=130 * ms, tau_facil=530 * ms, A=1540 * pA, U=0.03))
    facilitating.connect(i=[1, 2], j=[1, 2])
    depressing.x = facilitating.x = 1
    v, x, u = StateMonitor(cells, "v", record=True), StateMonitor(depressing, "x", record=True), StateMonitor(facilitating, "u", record=True)
    Network(cells, spikes, depressing, facilitating, v, x, u).run(1200 * ms)
    found = Found()
    found.samples_of("cells", v, "v", range(3), mV)
    found.samples_of("depressing", x, "x", range(1))
    found.samples_of("facilitating", u, "u", range(2))
    return found


def voltage_stdp(number, network):
    begin(number, 0.1 * ms)
    names = dict(E_rest=-70 * mV, V_thresh=-50 * mV, E_ex=0 * mV, g_leak=30 * nS, C=300 * pF, tau_minus=40 * ms, tau_plus=30 * ms, tau_ex=2 * ms,
                 tau_x=15 * ms, A_LTD=1.5e-4, A_LTP=1.5e-2, theta=-70 * mV)
    cells = NeuronGroup(14, """dv/dt = (g_leak*(E_rest - v) + g*(E_ex - v))/C : volt
                               dv_minus/dt = (v - v_minus)/tau_minus : volt
                               dv_plus/dt = (v - v_plus)/tau_plus : volt
                               dg/dt = -g/tau_ex : siemens
                               dx/dt = -x/tau_x : 1""", threshold="v > V_thresh", reset="v = E_rest\nx += 1/(tau_x/ms)", method="euler",
                        namespace=names)
    cells.v = cells.v_minus = cells.v_plus = -70 * mV
    electrode = source(network, "electrode")
    kick = Synapses(electrode, cells, on_pre="v_post = -49*mV")
    kick.connect(j="i")
    synapses = Synapses(cells, cells, "w : 1", namespace=names,
                        on_pre="g_post += w*0.5*nS\nw = clip(w - A_LTD*clip((v_minus_post - theta)/mV, 0, inf), 0, 1)",
                        on_post="""v_minus_post += 10*mV
                                   v_plus_post += 10*mV
                                   w = clip(w + A_LTP*x_pre*clip((v_plus_post - theta)/mV, 0, inf), 0, 1)""")
    synapses.connect("i != j and i // 2 == j // 2")
    synapses.w = 0.5
    spikes, w = SpikeMonitor(cells), StateMonitor(synapses, "w", record=True)
    Network(cells, electrode, kick, synapses, spikes, w).run(3050 * ms)
    found = Found()
    found.spikes_of("cells", spikes)
    found.samples_of("synapses", w, "w", range(14))
    return found


def reward_stdp(number, network):
    begin(number, 0.1 * ms)
    names = dict(tau=10 * ms, E_ex=0 * mV, E_rest=-74 * mV, tau_ex=5 * ms, tau_d=200 * ms, tau_c=1 * second, tau_s=1 * ms, tau_A=20 * ms, dA=1e-4,
                 s_max=0.01)
    cells = NeuronGroup(2, """dv/dt = (g*(E_ex - v) + E_rest - v)/tau : volt
                              dg/dt = -g/tau_ex : 1
                              dd/dt = -d/tau_d : 1""", threshold="v > -54*mV", reset="v = -60*mV", method="euler", namespace=names)
    cells.v = -60 * mV
    given, reward = source(network, "input"), source(network, "reward")
    drive = Synapses(given, cells, on_pre="v_post += 100*mV")
    drive.connect(j="i")
    release = Synapses(reward, cells, on_pre="d_post += 0.005")
    release.connect()
    plastic = Synapses(cells, cells, """dc/dt = -c/tau_c : 1 (clock-driven)
                                        ds/dt = mode*c*d_post/tau_s : 1 (clock-driven)
                                        dApre/dt = -Apre/tau_A : 1 (event-driven)
                                        dApost/dt = -Apost/tau_A : 1 (event-driven)
                                        mode : 1""",
                       on_pre="""g_post += s
                                 Apre += dA
                                 c = clip(c + mode*Apost, -s_max, s_max)
                                 s = clip(s + (1 - mode)*Apost, -s_max, s_max)""",
                       on_post="""Apost -= 1.05*dA
                                  c = clip(c + mode*Apre, -s_max, s_max)
                                  s = clip(s + (1 - mode)*Apre, -s_max, s_max)""", method="euler", namespace=names)
    plastic.connect(i=0, j=1)
    plastic.s = plastic.c = 1e-10
    spikes, trace = SpikeMonitor(cells), StateMonitor(plastic, ["s", "c"], record=True)
    together = Network(cells, given, reward, drive, release, plastic, spikes, trace)
    together.run(3 * second)
    plastic.mode = 1
    together.run(3 * second)
    found = Found()
    found.spikes_of("cells", spikes)
    found.samples_of("plastic", trace, "s", range(1))
    found.samples_of("plastic", trace, "c", range(1))
    return found


def astrocyte_ring(number, network):
    begin(number, 50 * ms)
    per = umolar / second
    names = dict(O_P=0.9 * per, K_P=0.05 * umolar, C_T=2 * umolar, rho_A=0.18, Omega_C=6 / second, Omega_L=0.1 / second, d_1=0.13 * umolar,
                 d_2=1.05 * umolar, d_3=0.9434 * umolar, d_5=0.08 * umolar, O_2=0.2 / umolar / second, O_delta=0.6 * per,
                 kappa_delta=1.5 * umolar, K_delta=0.1 * umolar, Omega_5P=0.05 / second, K_D=0.7 * umolar, K_3K=1 * umolar, O_3K=4.5 * per,
                 F_ex=0.09 * per, F=0.09 * per, I_Theta=0.3 * umolar, omega_I=0.05 * umolar)
    ring = NeuronGroup(50, """dI/dt = J_delta - J_3K - Omega_5P*I + J_ex + J_coupling : mmolar
                              J_delta = O_delta/(1 + I/kappa_delta)*C**2/(C**2 + K_delta**2) : mmolar/second
                              J_3K = O_3K*C**4/(C**4 + K_D**4)*I/(I + K_3K) : mmolar/second
                              bias = I - I_bias*int(t % (50*second) < 20*second) : mmolar
                              J_ex = -F_ex/2*(1 + tanh((abs(bias) - I_Theta)/omega_I))*sign(bias) : mmolar/second
                              J_coupling : mmolar/second
                              dC/dt = (Omega_C*(m_inf*h)**3 + Omega_L)*(C_T - (1 + rho_A)*C) - O_P*C**2/(C**2 + K_P**2) : mmolar
                              dh/dt = (Q_2/(Q_2 + C) - h)*O_2*(Q_2 + C) : 1
                              m_inf = I/(I + d_1)*C/(C + d_5) : 1
                              Q_2 = d_2*(I + d_1)/(I + d_3) : mmolar
                              I_bias : mmolar (constant)""", method="rk4", namespace=names)
    ring.I_bias[25] = 1 * umolar
    ring.h = 0.9
    junctions = Synapses(ring, ring, """delta = I_post - I_pre : mmolar
                                        J_coupling_post = -F/2*(1 + tanh((abs(delta) - I_Theta)/omega_I))*sign(delta) : mmolar/second (summed)""",
                         namespace=names)
    junctions.connect("j == (i + 1) % N_pre or j == (i + N_pre - 1) % N_pre")
    shown = [25, 26, 30, 40]
    trace = StateMonitor(ring, "C", record=shown)
    Network(ring, junctions, trace).run(200 * second)
    found = Found()
    found.samples_of("astrocytes", trace, "C", shown, umolar)
    return found


def tripartite_synapses(number, network):
    begin(number, 0.1 * ms)
    inputs = source(network, "inputs")
    cells = NeuronGroup(3, "dv/dt = (g - v)/(10*ms) : 1\ndg/dt = -g/(5*ms) : 1", threshold="v > 1", reset="v = 0", method="euler")
    names = dict(G_T=0.2 * umolar, U_A=0.6, O_G=1.5 / umolar / ms, alpha=0.1, Y_T=3 * umolar)
    astrocytes = NeuronGroup(2, """dC/dt = (k_C*Y_S/umolar - C)/(10*ms) : 1
                                   dG_A/dt = -G_A/(30*ms) : mmolar
                                   dx_A/dt = (1 - x_A)/(50*ms) : 1
                                   Y_S : mmolar
                                   k_C : 1 (constant)""", threshold="C > 1", reset="C = 0; G_A += G_T*U_A*x_A; x_A -= U_A*x_A",
                             method="euler", namespace=names)
    astrocytes.k_C, astrocytes.x_A = [0.12, 0.2], 1
    # Pathways of one step run in the order of the names of their objects.
    synapses = Synapses(inputs, cells, """dY/dt = -Y/(25*ms) : mmolar (clock-driven)
                                          dGamma/dt = O_G*G*(1 - Gamma) - Gamma/(100*ms) : 1 (clock-driven)
                                          du/dt = -u/(30*ms) : 1 (event-driven)
                                          dx/dt = (1 - x)/(50*ms) : 1 (event-driven)
                                          G : mmolar
                                          r : 1
                                          w : 1""",
                        on_pre="U = (1 - Gamma)*0.6 + alpha*Gamma; u += U*(1 - u); r = u*x; x -= r; Y += Y_T*r; g_post += w*r",
                        method="euler", namespace=names, name="a_synapses")
    synapses.connect()
    synapses.x, synapses.w = 1, "2 + 0.4*i - 0.2*j"
    astrocyte = (np.asarray(synapses.i) + np.asarray(synapses.j)) % 2
    to_synapses = Synapses(astrocytes, synapses, "G_post = G_A_pre : mmolar (summed)", on_pre="w_post = 0.95*w_post + 0.1*clip(C_pre, 0, 2)",
                           delay=0.5 * ms, name="b_to_synapses")
    to_synapses.connect(i=astrocyte, j=np.arange(12))
    to_astrocytes = Synapses(synapses, astrocytes, "Y_S_post = Y_pre : mmolar (summed)", name="c_to_astrocytes")
    to_astrocytes.connect(i=np.arange(12), j=astrocyte)
    found, spikes = Found(), [SpikeMonitor(cells), SpikeMonitor(astrocytes)]
    shown = [(cells, "cells", "v", [0, 2], 1), (astrocytes, "astrocytes", "G_A", [0, 1], umolar), (astrocytes, "astrocytes", "C", [0, 1], 1),
             (astrocytes, "astrocytes", "Y_S", [0, 1], umolar), (synapses, "synapses", "Gamma", [0, 7], 1), (synapses, "synapses", "w", [0, 7], 1)]
    traces = [StateMonitor(group, variable, record=indices) for group, _, variable, indices, _ in shown]
    Network(inputs, cells, astrocytes, synapses, to_synapses, to_astrocytes, *spikes, *traces).run(200 * ms)
    for name, monitor in zip(["cells", "astrocytes"], spikes):
        found.spikes_of(name, monitor)
    for (_, name, variable, indices, unit), trace in zip(shown, traces):
        found.samples_of(name, trace, variable, indices, unit)
    return found


def synfire_chain(number, network):
    begin(number, 0.1 * ms)
    cells = NeuronGroup(1000, """dv/dt = (E_rest - v + x)/tau : volt
                                 dx/dt = (y - x)/tau_psp : volt
                                 dy/dt = -y/tau_psp + 25.27*mV/ms + 39.24*mV/ms**0.5*xi : volt""", threshold="v > -55*mV", reset="v = E_rest",
                        refractory=1 * ms, method="euler", namespace=dict(E_rest=-70 * mV, tau=10 * ms, tau_psp=0.325 * ms))
    cells.v = "-70*mV + 15*mV*rand()"
    volley = source(network, "volley")
    start = Synapses(volley, cells, on_pre="y_post += 4.86*mV")
    start.connect("j < 100")
    chain = Synapses(cells, cells, on_pre="y_post += 4.86*mV")
    chain.connect("j // 100 == i // 100 + 1")
    spikes = SpikeMonitor(cells)
    Network(cells, volley, start, chain, spikes).run(100 * ms)
    found = Found()
    found.spikes_of("cells", spikes)
    return found


def inhibitory_plasticity(number, network):
    begin(number, 0.1 * ms)
    names = dict(E_rest=-60 * mV, E_in=-80 * mV, g_leak=10 * nS, C=200 * pF, I=200 * pA, tau_ex=5 * ms, tau_in=10 * ms, tau=20 * ms,
                 alpha=2 * 3 * Hz * 20 * ms)
    cells = NeuronGroup(2500, """dv/dt = (g_leak*(E_rest - v) - g_ex*v + g_in*(E_in - v) + I)/C : volt (unless refractory)
                                 dg_ex/dt = -g_ex/tau_ex : siemens
                                 dg_in/dt = -g_in/tau_in : siemens""", threshold="v > -50*mV", reset="v = E_rest", refractory=5 * ms,
                        method="euler", namespace=names)
    excitatory, inhibitory = cells[:2000], cells[2000:]
    excitation = Synapses(excitatory, cells, on_pre="g_ex_post += 0.3*nS")
    between = Synapses(inhibitory, inhibitory, on_pre="g_in_post += 3*nS")
    plastic = Synapses(inhibitory, excitatory, """w : 1
                                                  eta : 1 (shared)
                                                  dApre/dt = -Apre/tau : 1 (event-driven)
                                                  dApost/dt = -Apost/tau : 1 (event-driven)""",
                       on_pre="Apre += 1\nw = clip(w + (Apost - alpha)*eta, 0, 100)\ng_in_post += w*nS",
                       on_post="Apost += 1\nw = clip(w + Apre*eta, 0, 100)", namespace=names)
    for synapses in (excitation, between, plastic):
        synapses.connect(p=0.08)
    spikes = SpikeMonitor(cells)
    together = Network(cells, excitation, between, plastic, spikes)
    together.run(1 * second)
    plastic.eta = 0.05
    together.run(2 * second)
    found = Found()
    found.spikes_of("cells", spikes)
    return found


def decision(number, network):
    begin(number, 0.1 * ms)
    shared = dict(E_rest=-70 * mV, E_in=-70 * mV, tau_AMPA=2 * ms, tau_GABA=5 * ms)
    membrane = """dv/dt = (g_leak*(E_rest - v) - (s_ext + s_AMPA)*v + s_GABA*(E_in - v)
                           - g_NMDA*S*v/(1 + exp(-0.062*v/mV)/3.57))/C : volt (unless refractory)
                  ds_ext/dt = -s_ext/tau_AMPA : siemens
                  ds_AMPA/dt = -s_AMPA/tau_AMPA : siemens
                  ds_GABA/dt = -s_GABA/tau_GABA : siemens
                  S : 1
                  """
    nmda = """ds/dt = -s/tau_NMDA + alpha*x*(1 - s) : 1
              dx/dt = -x/tau_rise : 1
              label : integer (constant)"""
    spiking = dict(threshold="v > -50*mV", reset="v = -55*mV", method="euler")
    E = NeuronGroup(1600, membrane + nmda, refractory=2 * ms, **spiking,
                    namespace=shared | dict(g_leak=25 * nS, C=0.5 * nF, g_NMDA=0.165 * nS, tau_NMDA=100 * ms, tau_rise=2 * ms, alpha=0.5 * kHz))
    I = NeuronGroup(400, membrane, refractory=1 * ms, **spiking, namespace=shared | dict(g_leak=20 * nS, C=0.2 * nF, g_NMDA=0.13 * nS))
    E.v = I.v = -52 * mV
    E.label = "clip(i // 240, 0, 2)"
    depressed = 1 - 0.7 * 0.15 / 0.85

    def weigh(synapses, source_label):
        synapses.w[f"{source_label} == label_post and label_post < 2"] = 1.7
        synapses.w[f"{source_label} != label_post and label_post < 2"] = depressed

    def connect(pre, post, on_pre, delay=0.5 * ms, **pairs):
        synapses = Synapses(pre, post, on_pre=on_pre, delay=delay)
        synapses.connect(**pairs)
        return synapses

    ampa = Synapses(E, E, "w : 1", on_pre="s_AMPA_post += w*0.05*nS", delay=0.5 * ms)
    ampa.connect()
    ampa.w = 1
    weigh(ampa, "label_pre")
    sums = NeuronGroup(3, "s : 1")
    gather = Synapses(E, sums, "s_post = s_pre : 1 (summed)")
    gather.connect("j == label_pre")
    spread_E = Synapses(sums, E, "S_post = w*s_pre : 1 (summed)\nw : 1 (constant)")
    spread_E.connect()
    spread_E.w = 1
    weigh(spread_E, "i")
    spread_I = Synapses(sums, I, "S_post = s_pre : 1 (summed)")
    spread_I.connect()
    motions = [PoissonGroup(240, rates=f"{1 + sign*0.512}*40*Hz*int(t >= 500*ms)") for sign in (1, -1)]
    everything = [E, I, sums, ampa, gather, spread_E, spread_I, *motions,
                  connect(E, I, "s_AMPA_post += 0.04*nS"), connect(E, E, "x_post += 1", j="i"),
                  connect(I, E, "s_GABA_post += 1.3*nS"), connect(I, I, "s_GABA_post += 1*nS"),
                  connect(motions[0], E, "s_ext_post += 2.1*nS", 0 * ms, j="i"), connect(motions[1], E, "s_ext_post += 2.1*nS", 0 * ms, j="i + 240"),
                  PoissonInput(E, "s_ext", 1000, 2.4 * Hz, 2.1 * nS), PoissonInput(I, "s_ext", 1000, 2.4 * Hz, 1.62 * nS)]
    spikes_E, spikes_I = SpikeMonitor(E), SpikeMonitor(I)
    Network(everything, spikes_E, spikes_I).run(2 * second)
    found = Found()
    found.spikes_of("E", spikes_E)
    found.spikes_of("I", spikes_I)
    return found


def prey_localization(number, network):
    begin(number, 0.1 * ms)
    listed = network["populations"][0]["parameters"]["wave"]["timed"]
    wave = TimedArray(listed, dt=0.2 * ms)
    legs = NeuronGroup(8, "dv/dt = (1 + wave(t - d) - v)/tau : 1\nd : second", threshold="v > 1", reset="v = 0", refractory=1 * ms, method="euler",
                       namespace=dict(tau=1 * ms, wave=wave))
    legs.d = "2.5*cm/(50*meter/second)*(1 - cos(144*pi/180 - (22.5 + 45*i)*pi/180))"
    cells = NeuronGroup(8, """dv/dt = (x - v)/(1*ms) : 1
                              dx/dt = (y - x)/(1.001*ms) : 1
                              dy/dt = -y/(1.001*ms) : 1""", threshold="v > 1", reset="v = 0", method="exact")
    excitation = Synapses(legs, cells, on_pre="y_post += 7")
    excitation.connect(j="i")
    inhibition = Synapses(legs, cells, on_pre="y_post -= 2", delay=0.7 * ms)
    inhibition.connect("abs((j - i) % N_post - 4) <= 1")
    felt, spikes = SpikeMonitor(legs), SpikeMonitor(cells)
    Network(legs, cells, excitation, inhibition, felt, spikes).run(300 * ms)
    found = Found()
    found.spikes_of("legs", felt)
    found.spikes_of("cells", spikes)
    return found
