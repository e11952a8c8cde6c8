"""NEST. Each request builds the network anew, with its seed; connection tables are sorted, in a first step, before time is taken."""

import os
import time

# Threads that spin at barriers take up to twenty times as long where another process wants a core.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import nest
import numpy as np

from common import answer, arguments, conductances, halves, in_a_row, izhikevich_cells
from params import BRUNEL, COBA, COBAHH, CUBA, IZH, PD, PLASTIC, pd_scaled


def pairwise(neurons, parameters, inhibitory):
    """The wiring of Brette et al. 2007."""
    rule = {"rule": "pairwise_bernoulli", "p": parameters["p"]}
    n_e = parameters["n_e"]
    for pre, weight in ((neurons[:n_e], parameters["we"]), (neurons[n_e:], inhibitory)):
        nest.Connect(pre, neurons, rule, {"synapse_model": "static_synapse", "weight": weight, "delay": parameters["dt"]})
    return neurons, halves(n_e, parameters["n_i"])


def currents(number, **more):
    p = CUBA
    # With C_m = tau_m a current of 1 pA is a drive of 1 mV.
    neurons = nest.Create("iaf_psc_exp", number, params=dict(
        C_m=p["taum"], tau_m=p["taum"], E_L=p["El"], V_th=p["Vt"], V_reset=p["Vr"], t_ref=p["tref"], tau_syn_ex=p["taue"],
        tau_syn_in=p["taui"], I_e=0.0, **more))
    neurons.V_m = nest.random.uniform(p["Vr"], p["Vt"])
    return neurons


def cuba(_rng):
    return pairwise(currents(CUBA["n_e"] + CUBA["n_i"]), CUBA, CUBA["wi"])


def plastic_cuba(_rng):
    p, n_e = PLASTIC, PLASTIC["n_e"]
    neurons = currents(n_e + p["n_i"], tau_minus=p["tau"])
    excitatory, inhibitory = neurons[:n_e], neurons[n_e:]
    # Of the synapses of NEST the one with the least to keep: parameters are common, exponents of the weight are 0.
    nest.CopyModel("stdp_synapse_hom", "learning", dict(tau_plus=p["tau"], alpha=p["alpha"], mu_plus=0.0, mu_minus=0.0,
                                                        Wmax=p["wmax"], **{"lambda": p["lam"]}))
    for pre, post, inputs, model, weight in ((excitatory, excitatory, p["ke"], "learning", p["w0"]),
                                             (excitatory, inhibitory, p["ke"], "static_synapse", CUBA["we"]),
                                             (inhibitory, neurons, p["ki"], "static_synapse", CUBA["wi"])):
        nest.Connect(pre, post, {"rule": "fixed_indegree", "indegree": inputs},
                     {"synapse_model": model, "weight": weight, "delay": CUBA["dt"]})
    return neurons, halves(n_e, p["n_i"])


def coba(rng):
    p, n = COBA, COBA["n_e"] + COBA["n_i"]
    neurons = nest.Create("iaf_cond_exp", n, params=dict(
        C_m=p["Cm"], g_L=p["gl"], E_L=p["El"], V_th=p["Vt"], V_reset=p["Vr"], t_ref=p["tref"], tau_syn_ex=p["taue"],
        tau_syn_in=p["taui"], E_ex=p["Ee"], E_in=p["Ei"]))
    neurons.V_m = list(p["El"] + 5 * rng.standard_normal(n) - 5)
    neurons.set([{"g_ex": float(e), "g_in": float(i)} for e, i in zip(*conductances(rng, n))])
    return pairwise(neurons, p, -p["wi"])


def cobahh(rng):
    p, n = COBAHH, COBAHH["n_e"] + COBAHH["n_i"]
    # Its spike is a maximum of V above V_T + 30 mV, not a crossing of vspike.
    neurons = nest.Create("hh_cond_exp_traub", n, params=dict(
        C_m=p["Cm"], g_L=p["gl"], E_L=p["El"], V_T=p["VT"], E_Na=p["ENa"], E_K=p["EK"], g_Na=p["gna"], g_K=p["gkd"],
        t_ref=p["tref"], tau_syn_ex=p["taue"], tau_syn_in=p["taui"], E_ex=p["Ee"], E_in=p["Ei"]))
    neurons.V_m = list(p["El"] + 5 * rng.standard_normal(n) - 5)
    # Conductances cannot be set in this model: one spike brings them.
    kick = nest.Create("spike_generator", params={"spike_times": [0.2]})
    excitatory, inhibitory = conductances(rng, n)
    for weights in (excitatory, -inhibitory):
        nest.Connect(kick, neurons, "all_to_all", {"weight": weights.reshape(n, 1), "delay": p["dt"]})
    return pairwise(neurons, p, -p["wi"])


def brunel(_rng):
    p, n = BRUNEL, BRUNEL["n_e"] + BRUNEL["n_i"]
    neurons = nest.Create("iaf_psc_delta", n, params=dict(
        C_m=1.0, tau_m=p["taum"], E_L=0.0, V_m=0.0, V_th=p["theta"], V_reset=p["Vr"], t_ref=p["tref"]))
    outside = nest.Create("poisson_generator", params={"rate": p["rate_ext"] * p["c_e"]})
    nest.CopyModel("static_synapse_hom_w", "excitatory", {"weight": p["J"], "delay": p["delay"]})
    nest.CopyModel("static_synapse_hom_w", "inhibitory", {"weight": -p["g"] * p["J"], "delay": p["delay"]})
    nest.Connect(outside, neurons, syn_spec="excitatory")
    nest.Connect(neurons[:p["n_e"]], neurons, {"rule": "fixed_indegree", "indegree": p["c_e"]}, "excitatory")
    nest.Connect(neurons[p["n_e"]:], neurons, {"rule": "fixed_indegree", "indegree": p["c_i"]}, "inhibitory")
    return neurons, halves(p["n_e"], p["n_i"])


def izhikevich(rng, scale=1):
    """A spike adds its weight to v at the end of a step, not to the current of both half steps; no difference is seen."""
    n_e, n_i = IZH["n_e"] * scale, IZH["n_i"] * scale
    neurons = nest.Create("izhikevich", n_e + n_i, params=dict(consistent_integration=False, V_th=30.0, V_m=-65.0))
    a, b, c, d = izhikevich_cells(rng, n_e, n_i)
    neurons.set([dict(a=a[k], b=b[k], c=c[k], d=d[k], U_m=-65 * b[k]) for k in range(n_e + n_i)])
    excitatory, inhibitory = neurons[:n_e], neurons[n_e:]
    for group, noise in ((excitatory, IZH["noise_e"]), (inhibitory, IZH["noise_i"])):
        nest.Connect(nest.Create("noise_generator", params=dict(mean=0.0, std=noise, dt=IZH["dt"])), group)
    for pre, inputs, low, high in ((excitatory, IZH["k_e"], 0.0, IZH["w_e"]), (inhibitory, IZH["k_i"], IZH["w_i"], 0.0)):
        rule = {"rule": "all_to_all", "allow_autapses": True} if scale == 1 else {"rule": "fixed_indegree", "indegree": inputs}
        nest.Connect(pre, neurons, rule, {"weight": nest.random.uniform(low, high), "delay": IZH["dt"]})
    return neurons, halves(n_e, n_i)


def izhikevich_10k(rng):
    return izhikevich(rng, 10)


def pd14(_rng):
    scaled = pd_scaled()
    populations = []
    for k in range(8):
        neurons = nest.Create("iaf_psc_exp", int(scaled["n"][k]), params=dict(
            tau_syn_ex=PD["tau_syn"], tau_syn_in=PD["tau_syn"], E_L=PD["E_L"], V_th=PD["V_th"], V_reset=PD["V_reset"],
            t_ref=PD["t_ref"], I_e=float(scaled["dc"][k]), tau_m=PD["tau_m"], C_m=PD["C_m"]))
        neurons.V_m = nest.random.normal(PD["v0_mean"][k], PD["v0_std"][k])
        outside = nest.Create("poisson_generator", params={"rate": float(scaled["k_ext"][k]) * PD["bg_rate"]})
        nest.Connect(outside, neurons, syn_spec={"weight": float(scaled["w_ext"]), "delay": PD["delay_e"]})
        populations.append(neurons)
    for target in range(8):
        for source in range(8):
            count, w = int(scaled["synapses"][target, source]), float(scaled["w"][target, source])
            if count == 0:
                continue
            delay = PD["delay_e"] if source % 2 == 0 else PD["delay_i"]
            low, high = (0.0, np.inf) if w > 0 else (-np.inf, 0.0)
            nest.Connect(populations[source], populations[target], {"rule": "fixed_total_number", "N": count}, {
                "weight": nest.math.redraw(nest.random.normal(w, abs(w) * PD["w_rel_std"]), min=low, max=high),
                # Redrawn below half a step, so that none rounds to 0.
                "delay": nest.math.redraw(nest.random.normal(delay, delay * PD["delay_rel_std"]), min=0.5 * PD["dt"], max=np.inf)})
    everyone = populations[0]
    for neurons in populations[1:]:
        everyone = everyone + neurons
    return everyone, in_a_row(PD["pops"], scaled["n"])


MODELS = {of.__name__: of for of in (cuba, plastic_cuba, coba, cobahh, brunel, izhikevich, izhikevich_10k, pd14)}


def main():
    args = arguments(MODELS)

    def run(seed):
        nest.ResetKernel()
        nest.verbosity = nest.VerbosityLevel.ERROR
        nest.resolution = IZH["dt"] if args.model.startswith("izhikevich") else CUBA["dt"]
        nest.local_num_threads = args.threads
        nest.rng_seed = seed
        neurons, populations = MODELS[args.model](np.random.default_rng(seed))
        recorder = nest.Create("spike_recorder")
        nest.Connect(neurons, recorder)
        nest.Prepare()
        nest.Run(nest.resolution)
        started = time.perf_counter()
        nest.Run(args.seconds * 1000)
        wall = time.perf_counter() - started
        nest.Cleanup()
        # Generators that were created between two populations have numbers of their own.
        numbers = np.asarray(neurons.tolist())
        return wall, np.searchsorted(numbers, recorder.get("events")["senders"]), populations

    answer(f"NEST {nest.__version__}", args.seconds, run)


if __name__ == "__main__":
    main()
