"""Brian 2 in its fastest mode: C++ standalone, double precision, -O3 -ffast-math -march=native, OpenMP for more than one thread.

The network is built and compiled once; each request runs the binary, which draws what is random anew and times its own loop."""

import shutil
import tempfile

import brian2 as b2
import numpy as np
from brian2 import Hz, Network, NeuronGroup, PoissonInput, SpikeMonitor, Synapses, device, ms, mV, nS, pA, pF, second

from common import answer, arguments, halves, in_a_row, izhikevich_cells
from params import BRUNEL, COBA, COBAHH, CUBA, IZH, PD, PLASTIC, pd_scaled

RNG = np.random.default_rng(1)
UNITS = dict(taum=ms, taue=ms, taui=ms, Vt=mV, Vr=mV, El=mV, Ee=mV, Ei=mV, Cm=pF, gl=nS, EK=mV, ENa=mV, gna=nS, gkd=nS, VT=mV,
             vspike=mV, theta=mV, J=mV)


def quantities(parameters):
    """The parameters that equations name, with their units."""
    return {name: value * UNITS[name] for name, value in parameters.items() if name in UNITS}


def balanced(parameters, equations, unit, method, initial, **spiking):
    """The wiring of Brette et al. 2007 between neurons with inputs ge and gi."""
    n_e, n = parameters["n_e"], parameters["n_e"] + parameters["n_i"]
    names = quantities(parameters) | dict(we=parameters["we"] * unit, wi=parameters["wi"] * unit)
    neurons = NeuronGroup(n, equations, refractory=parameters["tref"] * ms, method=method, namespace=names, **spiking)
    for variable, value in initial.items():
        setattr(neurons, variable, value)
    excitation = Synapses(neurons, neurons, on_pre="ge += we", namespace=names)
    inhibition = Synapses(neurons, neurons, on_pre="gi += wi", namespace=names)
    excitation.connect(f"i < {n_e}", p=parameters["p"])
    inhibition.connect(f"i >= {n_e}", p=parameters["p"])
    return [neurons, excitation, inhibition], halves(n_e, parameters["n_i"])


CONDUCTANCES = dict(v="El + (randn() * 5 - 5)*mV", ge="clip(randn() * 1.5 + 4, 0, 1000) * 10.*nS",
                    gi="clip(randn() * 12 + 20, 0, 1000) * 10.*nS")


CURRENTS = """dv/dt = (ge+gi-(v-El))/taum : volt (unless refractory)
              dge/dt = -ge/taue : volt
              dgi/dt = -gi/taui : volt"""


def cuba():
    return balanced(CUBA, CURRENTS, mV, "exact", dict(v="Vr + rand() * (Vt - Vr)"), threshold="v>Vt", reset="v = Vr")


def plastic_cuba():
    p, n_e, n_i = PLASTIC, PLASTIC["n_e"], PLASTIC["n_i"]
    names = quantities(CUBA) | dict(we=CUBA["we"] * mV, wi=CUBA["wi"] * mV, tau=p["tau"] * ms, wmax=p["wmax"] * mV,
                                    dp=p["lam"] * p["wmax"] * mV, dm=p["alpha"] * p["lam"] * p["wmax"] * mV)
    neurons = NeuronGroup(n_e + n_i, CURRENTS, threshold="v>Vt", reset="v = Vr", refractory=CUBA["tref"] * ms, method="exact",
                          namespace=names)
    neurons.v = "Vr + rand() * (Vt - Vr)"
    excitatory, inhibitory = neurons[:n_e], neurons[n_e:]
    learning = Synapses(excitatory, excitatory, """w : volt
                                                   dx/dt = -x/tau : 1 (event-driven)
                                                   dy/dt = -y/tau : 1 (event-driven)""",
                        on_pre="ge += w; x += 1; w = clip(w - dm*y, 0*volt, wmax)",
                        on_post="y += 1; w = clip(w + dp*x, 0*volt, wmax)", namespace=names)
    excitation = Synapses(excitatory, inhibitory, on_pre="ge += we", namespace=names)
    inhibition = Synapses(inhibitory, neurons, on_pre="gi += wi", namespace=names)
    connect(learning, n_e, n_e, p["ke"])
    connect(excitation, n_e, n_i, p["ke"])
    connect(inhibition, n_i, n_e + n_i, p["ki"])
    learning.w = p["w0"] * mV
    return [neurons, learning, excitation, inhibition], halves(n_e, n_i)


def coba():
    equations = """dv/dt = (gl*(El-v)+ge*(Ee-v)+gi*(Ei-v))/Cm : volt (unless refractory)
                   dge/dt = -ge/taue : siemens
                   dgi/dt = -gi/taui : siemens"""
    return balanced(COBA, equations, nS, "exponential_euler", CONDUCTANCES, threshold="v>Vt", reset="v = Vr")


def cobahh():
    equations = """
        dv/dt = (gl*(El-v)+ge*(Ee-v)+gi*(Ei-v)-gna*(m*m*m)*h*(v-ENa)-gkd*(n*n*n*n)*(v-EK))/Cm : volt
        dm/dt = alpha_m*(1-m)-beta_m*m : 1
        dn/dt = alpha_n*(1-n)-beta_n*n : 1
        dh/dt = alpha_h*(1-h)-beta_h*h : 1
        dge/dt = -ge/taue : siemens
        dgi/dt = -gi/taui : siemens
        alpha_m = 0.32*(mV**-1)*4*mV/exprel((13*mV-v+VT)/(4*mV))/ms : Hz
        beta_m = 0.28*(mV**-1)*5*mV/exprel((v-VT-40*mV)/(5*mV))/ms : Hz
        alpha_h = 0.128*exp((17*mV-v+VT)/(18*mV))/ms : Hz
        beta_h = 4./(1+exp((40*mV-v+VT)/(5*mV)))/ms : Hz
        alpha_n = 0.032*(mV**-1)*5*mV/exprel((15*mV-v+VT)/(5*mV))/ms : Hz
        beta_n = .5*exp((10*mV-v+VT)/(40*mV))/ms : Hz"""
    return balanced(COBAHH, equations, nS, "exponential_euler", CONDUCTANCES, threshold="v>vspike")


def brunel():
    n_e, n_i = BRUNEL["n_e"], BRUNEL["n_i"]
    names = quantities(BRUNEL) | dict(gJ=BRUNEL["g"] * BRUNEL["J"] * mV)
    neurons = NeuronGroup(n_e + n_i, "dv/dt = -v/taum : volt (unless refractory)", threshold="v>theta", reset="v = Vr",
                          refractory=BRUNEL["tref"] * ms, method="exact", namespace=names)
    outside = PoissonInput(neurons, "v", N=BRUNEL["c_e"], rate=BRUNEL["rate_ext"] * Hz, weight=BRUNEL["J"] * mV)
    # What arrives during the refractory time is lost; PoissonInput cannot do that, which makes no difference that is seen.
    excitation = Synapses(neurons, neurons, on_pre="v_post += J*int(not_refractory_post)", delay=BRUNEL["delay"] * ms, namespace=names)
    inhibition = Synapses(neurons, neurons, on_pre="v_post -= gJ*int(not_refractory_post)", delay=BRUNEL["delay"] * ms, namespace=names)
    connect(excitation, n_e, n_e + n_i, BRUNEL["c_e"])
    connect(inhibition, n_i, n_e + n_i, BRUNEL["c_i"], n_e)
    return [neurons, outside, excitation, inhibition], halves(n_e, n_i)


def izhikevich(scale=1):
    n_e, n_i = IZH["n_e"] * scale, IZH["n_i"] * scale
    n = n_e + n_i
    neurons = NeuronGroup(n, """v : 1
                                u : 1
                                I : 1
                                a : 1 (constant)
                                b : 1 (constant)
                                c : 1 (constant)
                                d : 1 (constant)
                                noise : 1 (constant)""", threshold="v>=30", reset="v = c; u += d", method="euler")
    neurons.a, neurons.b, neurons.c, neurons.d = cells = izhikevich_cells(RNG, n_e, n_i)
    neurons.noise = np.r_[np.full(n_e, IZH["noise_e"]), np.full(n_i, IZH["noise_i"])]
    neurons.v = np.full(n, -65.0)
    neurons.u = -65.0 * cells[1]
    neurons.run_regularly("""I += noise*randn()
                             v += 0.5*(0.04*v**2 + 5*v + 140 - u + I)
                             v += 0.5*(0.04*v**2 + 5*v + 140 - u + I)
                             u += a*(b*v - u)
                             I = 0""", dt=IZH["dt"] * ms, when="start")
    synapses = Synapses(neurons, neurons, "w : 1", on_pre="I_post += w")
    if scale == 1:
        synapses.connect()
    else:
        e, i = (pairs(n_e, n, IZH["k_e"]), pairs(n_i, n, IZH["k_i"], n_e))
        synapses.connect(i=np.r_[e[0], i[0]], j=np.r_[e[1], i[1]])
    synapses.w = f"(int(i < {n_e})*{IZH['w_e']} + int(i >= {n_e})*({IZH['w_i']}))*rand()"
    return [neurons, synapses], halves(n_e, n_i)


def izhikevich_10k():
    return izhikevich(10)


def pd14():
    scaled = pd_scaled()
    populations = in_a_row(PD["pops"], scaled["n"])
    first = [first for _, first, _ in populations]
    end = [end for *_, end in populations]
    names = dict(taum=PD["tau_m"] * ms, taus=PD["tau_syn"] * ms, Cm=PD["C_m"] * pF, El=PD["E_L"] * mV, Vth=PD["V_th"] * mV,
                 Vr=PD["V_reset"] * mV)
    neurons = NeuronGroup(end[-1], """dv/dt = (El-v)/taum + (I+Idc)/Cm : volt (unless refractory)
                                      dI/dt = -I/taus : amp
                                      Idc : amp (constant)""",
                          threshold="v>Vth", reset="v = Vr", refractory=PD["t_ref"] * ms, method="exact", namespace=names)
    drawn = [RNG.normal(PD["v0_mean"][k], PD["v0_std"][k], scaled["n"][k]) for k in range(8)]
    neurons.v = np.concatenate(drawn) * mV
    neurons.Idc = np.repeat(scaled["dc"], scaled["n"]) * pA
    outside = [PoissonInput(neurons[first[k]:end[k]], "I", N=int(scaled["k_ext"][k]), rate=PD["bg_rate"] * Hz,
                            weight=float(scaled["w_ext"]) * pA) for k in range(8)]
    sources, targets, weights, delays = [], [], [], []
    for a in range(8):
        for b in range(8):
            count, mean = int(scaled["synapses"][a, b]), scaled["w"][a, b]
            sources.append(RNG.integers(first[b], end[b], count, dtype=np.int32))
            targets.append(RNG.integers(first[a], end[a], count, dtype=np.int32))
            w = RNG.normal(mean, abs(mean) * PD["w_rel_std"], count)
            weights.append(w * (np.sign(w) == np.sign(mean)))
            delay = PD["delay_e"] if b % 2 == 0 else PD["delay_i"]
            delays.append(np.maximum(RNG.normal(delay, delay * PD["delay_rel_std"], count), PD["dt"]))
    synapses = Synapses(neurons, neurons, "w : amp (constant)", on_pre="I_post += w")
    synapses.connect(i=np.concatenate(sources), j=np.concatenate(targets))
    synapses.w = np.concatenate(weights) * pA
    synapses.delay = np.concatenate(delays) * ms
    return [neurons, synapses, *outside], populations


def pairs(n_pre, n_post, inputs, first_pre=0):
    """`inputs` sources of each target, drawn with replacement, as NEST's fixed_indegree does."""
    sources = RNG.integers(first_pre, first_pre + n_pre, size=n_post * inputs, dtype=np.int32)
    return sources, np.repeat(np.arange(n_post, dtype=np.int32), inputs)


def connect(synapses, n_pre, n_post, inputs, first_pre=0):
    sources, targets = pairs(n_pre, n_post, inputs, first_pre)
    synapses.connect(i=sources, j=targets)


MODELS = {of.__name__: of for of in (cuba, plastic_cuba, coba, cobahh, brunel, izhikevich, izhikevich_10k, pd14)}


def main():
    args = arguments(MODELS)
    folder = tempfile.mkdtemp(prefix="spikelet-brian2-")
    try:
        b2.set_device("cpp_standalone", directory=folder, build_on_run=False)
        b2.prefs.devices.cpp_standalone.openmp_threads = args.threads if args.threads > 1 else 0
        b2.prefs.devices.cpp_standalone.extra_make_args_unix = ["-j2"]
        b2.defaultclock.dt = (IZH["dt"] if args.model.startswith("izhikevich") else CUBA["dt"]) * ms
        objects, populations = MODELS[args.model]()
        monitor = SpikeMonitor(objects[0])
        network = Network(*objects, monitor)
        network.run(args.seconds * second, namespace={})
        device.build(directory=folder, compile=True, run=False)

        def run(_seed):
            # Without a seed of ours the binary draws one itself.
            device.run(folder, with_output=False, run_args=[])
            return device._last_run_time, np.asarray(monitor.i), populations

        answer(f"Brian 2 {b2.__version__}, C++ standalone", args.seconds, run)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
