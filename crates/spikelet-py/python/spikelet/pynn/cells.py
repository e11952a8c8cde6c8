"""Cells of PyNN as equations of Spikelet.

Parameters keep PyNN's names and units (mV, ms, nF, nA, uS, nS, Hz), so nothing is translated: a variable of a cell has the same name in
PyNN and in the network. A dot in the name of a variable (`AMPA.gsyn` of a `PointNeuron`) becomes an underscore.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from pyNN.standardmodels import build_translations, cells

# Units of PyNN that Spikelet writes differently.
UNITS = {"/ms": "1", "mV/ms": "mV/ms", "": "1", "dimensionless": "1", "s": "second"}
# What a parameter or variable with a unit is declared as.
DIMENSIONS = {
    "mV": "volt", "ms": "second", "nF": "farad", "nA": "amp", "uS": "siemens", "nS": "siemens", "Hz": "Hz", "1": "1", "mV/ms": "volt/second",
}  # fmt: skip
# A receptor adds weights in a unit of PyNN to a variable.
WEIGHTS = {"nA": "amp", "uS": "siemens", "mV": "volt"}


def identity(names: Any) -> dict[str, dict[str, Any]]:
    """Translations that keep names and values."""
    return build_translations(*((name, name) for name in names))


def spikelet_unit(unit: str) -> str:
    """The unit of Spikelet for a unit of PyNN."""
    return UNITS.get(unit, unit)


class Cell:
    """What a cell is in Spikelet. `equations` read `i_stim`, the sum of all injected currents, which the network adds.

    receptors: for each receptor of PyNN the variable that spikes add to, and the unit of weights.
    arriving: spikes are collected a step before the end of their delay, so that they count before the threshold is tested, as in NEST.
    """

    equations = ""
    update: str | None = None
    threshold: str | None = None
    reset: str | None = None
    refractory: str | None = None
    method: str | None = None
    receptors: Mapping[str, tuple[str, str]] = {}
    arriving = False
    each_step: str | None = None
    # Parameters that the equations do not use.
    unused: tuple[str, ...] = ()

    def text(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The keys of the population that do not depend on its size. `parameters` are the values of all neurons by their names."""
        keys = {"equations": self.equations, "update": self.update, "threshold": self.threshold, "reset": self.reset}
        keys |= {"refractory": self.refractory, "method": self.method}
        keys = {key: text.strip() for key, text in keys.items() if text}
        return keys | ({"run_regularly": [{"statements": self.each_step}]} if self.each_step else {})

    def values(self, parameters: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        """The values of parameters by their names in the equations, with PyNN's unit."""
        return {self.variable(name): (array, self.units[name]) for name, array in parameters.items() if name not in self.unused}

    def starts(self, initial: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        """The initial values of variables, with PyNN's unit."""
        return {self.variable(name): (array, self.units[name]) for name, array in initial.items()}

    def receptor(self, name: str) -> tuple[str, str]:
        """The variable of a receptor and the unit of its weights."""
        return self.receptors[name]

    def variable(self, name: str) -> str:
        """The variable in the network of a variable of PyNN."""
        return name.replace(".", "_")


# NEST holds the potential for the refractory time from the step after the spike on; so do these cells.
REFRACTORY = "tau_refrac + dt"
LEAK = "dv/dt = (v_rest - v)/tau_m + ({inputs})/cm : volt (unless refractory)"


def exponential(name: str, tau: str, unit: str) -> str:
    """An input that decays exponentially."""
    return f"d{name}/dt = -{name}/{tau} : {unit}"


def alpha(name: str, tau: str, unit: str) -> str:
    """An input with the form of an alpha function that peaks at the weight."""
    return f"d{name}/dt = (exp(1)*{name}_rise - {name})/{tau} : {unit}\nd{name}_rise/dt = -{name}_rise/{tau} : {unit}"


def currents(shape: Any) -> str:
    """Two receptors of currents."""
    return f"{shape('isyn_exc', 'tau_syn_E', 'amp')}\n{shape('isyn_inh', 'tau_syn_I', 'amp')}"


def conductances(shape: Any) -> str:
    """Two receptors of conductances."""
    return f"{shape('gsyn_exc', 'tau_syn_E', 'siemens')}\n{shape('gsyn_inh', 'tau_syn_I', 'siemens')}"


SYNAPTIC = "gsyn_exc*(e_rev_E - v) + gsyn_inh*(e_rev_I - v)"


def two(prefix: str, unit: str, suffix: str = "") -> dict[str, tuple[str, str]]:
    """The receptors of most cells."""
    return {"excitatory": (f"{prefix}_exc{suffix}", unit), "inhibitory": (f"{prefix}_inh{suffix}", unit)}


class Threshold(Cell):
    """A fixed threshold, as in NEST: a potential that reaches it fires."""

    threshold = "v >= v_thresh"
    reset = "v = v_reset"
    refractory = REFRACTORY


class Conductances(Threshold):
    """Conductances are integrated by `rk4`, unless something decays faster than a step."""

    def text(self, parameters: Mapping[str, Any]) -> dict[str, str]:
        from . import simulator

        fast = min(float(parameters[name].min()) for name in ("tau_syn_E", "tau_syn_I")) < simulator.state.dt
        return super().text(parameters) | {"method": "exponential_euler" if fast else "rk4"}


def standard(cls: type) -> type:
    """A class of PyNN's standard models whose parameters are not translated."""
    cls.translations = identity(cls.default_parameters)
    recordable = [name for name in cls.default_initial_values if name not in cls.recordable]
    cls.recordable = [*cls.recordable, *recordable]
    return cls


@standard
class IF_curr_exp(Threshold, cells.IF_curr_exp):
    __doc__ = cells.IF_curr_exp.__doc__
    equations = f"{LEAK.format(inputs='isyn_exc + isyn_inh + i_stim')}\n{currents(exponential)}"
    receptors = two("isyn", "nA")


@standard
class IF_curr_alpha(Threshold, cells.IF_curr_alpha):
    __doc__ = cells.IF_curr_alpha.__doc__
    equations = f"{LEAK.format(inputs='isyn_exc + isyn_inh + i_stim')}\n{currents(alpha)}"
    receptors = two("isyn", "nA", "_rise")


@standard
class IF_curr_delta(Threshold, cells.IF_curr_delta):
    __doc__ = cells.IF_curr_delta.__doc__
    # As NEST: spikes add to the potential at the end of a step, and are lost while it is refractory.
    equations = "v : volt\narriving : volt"
    update = """
v += int(not_refractory)*((v_rest + tau_m/cm*i_stim - v)*(1 - exp(-dt/tau_m)) + arriving)
arriving = 0*mV
"""
    receptors: ClassVar[dict[str, Any]] = {"excitatory": ("arriving", "mV"), "inhibitory": ("arriving", "mV")}
    arriving = True


@standard
class IF_cond_exp(Conductances, cells.IF_cond_exp):
    __doc__ = cells.IF_cond_exp.__doc__
    equations = f"{LEAK.format(inputs=f'{SYNAPTIC} + i_stim')}\n{conductances(exponential)}"
    receptors = two("gsyn", "uS")


@standard
class IF_cond_alpha(Conductances, cells.IF_cond_alpha):
    __doc__ = cells.IF_cond_alpha.__doc__
    equations = f"{LEAK.format(inputs=f'{SYNAPTIC} + i_stim')}\n{conductances(alpha)}"
    receptors = two("gsyn", "uS", "_rise")


@standard
class IF_cond_exp_gsfa_grr(Conductances, cells.IF_cond_exp_gsfa_grr):
    __doc__ = cells.IF_cond_exp_gsfa_grr.__doc__
    equations = f"""
{LEAK.format(inputs=f"{SYNAPTIC} + g_s*(e_rev_sfa - v) + g_r*(e_rev_rr - v) + i_stim")}
{conductances(exponential)}
{exponential("g_s", "tau_sfa", "siemens")}
{exponential("g_r", "tau_rr", "siemens")}
"""
    reset = "v = v_reset; g_s += q_sfa; g_r += q_rr"
    receptors = two("gsyn", "uS")


class Exponential(Conductances):
    """A potential that rises exponentially, with adaptation. It is limited to `v_spike` in its own equation, as in NEST."""

    threshold = "v >= v_spike"
    reset = "v = v_reset; w += b"
    shape: Any = None
    inputs = SYNAPTIC

    def text(self, parameters: Mapping[str, Any]) -> dict[str, str]:
        slopes = parameters["delta_T"]
        sharp = bool((slopes == 0).all())
        if not sharp and (slopes == 0).any():
            raise NotImplementedError(
                f"delta_T is 0 in some neurons of a population of {type(self).__name__} and not in others, which is not available in "
                "Spikelet: put them into two populations"
            )
        rise = "" if sharp else " + delta_T*exp((v_up - v_thresh)/delta_T)"
        equations = f"""
v_up = clip(v, -1*volt, v_spike) : volt
dv/dt = (v_rest - v_up{rise})/tau_m + ({self.inputs.replace("- v)", "- v_up)")} - w + i_stim)/cm : volt (unless refractory)
dw/dt = (a*(v_up - v_rest) - w)/tau_w : amp
"""
        keys = super().text(parameters) if "tau_syn_E" in parameters else Cell.text(self, parameters) | {"method": "rk4"}
        synapses = conductances(self.shape) if self.shape else ""
        return keys | {"equations": f"{equations.strip()}\n{synapses}"} | ({"threshold": "v >= v_thresh"} if sharp else {})


@standard
class EIF_cond_exp_isfa_ista(Exponential, cells.EIF_cond_exp_isfa_ista):
    __doc__ = cells.EIF_cond_exp_isfa_ista.__doc__
    shape = staticmethod(exponential)
    receptors = two("gsyn", "uS")


@standard
class EIF_cond_alpha_isfa_ista(Exponential, cells.EIF_cond_alpha_isfa_ista):
    __doc__ = cells.EIF_cond_alpha_isfa_ista.__doc__
    shape = staticmethod(alpha)
    receptors = two("gsyn", "uS", "_rise")


@standard
class Izhikevich(Cell, cells.Izhikevich):
    __doc__ = cells.Izhikevich.__doc__
    # As NEST: steps of Euler's method; a current of 1 pA is 1 mV/ms.
    equations = "v : volt\nu : volt/second\narriving : volt"
    update = """
v_old = v
v += dt*((0.04*v_old**2/mV + 5*v_old + 140*mV)/ms - u + i_stim/pA*mV/ms) + arriving
u += dt*a*(b*v_old/ms - u)/ms
arriving = 0*mV
"""
    threshold = "v >= 30*mV"
    reset = "v = c; u += d"
    receptors: ClassVar[dict[str, Any]] = {"excitatory": ("arriving", "mV"), "inhibitory": ("arriving", "mV")}
    arriving = True


@standard
class HH_cond_exp(Cell, cells.HH_cond_exp):
    __doc__ = cells.HH_cond_exp.__doc__
    receptor_types = ("excitatory", "inhibitory")
    #: The rates of change, and what they are made of.
    rates: ClassVar[dict[str, str]] = {
        "v": f"(g_leak*(e_rev_leak - v) + gbar_Na*m**3*h*(e_rev_Na - v) + gbar_K*n**4*(e_rev_K - v) + {SYNAPTIC} + i_stim)/cm",
        "m": "am*(1 - m) - bm*m",
        "n": "an*(1 - n) - bn*n",
        "h": "ah*(1 - h) - bh*h",
        "gsyn_exc": "-gsyn_exc/tau_syn_E",
        "gsyn_inh": "-gsyn_inh/tau_syn_I",
    }
    inner: ClassVar[dict[str, tuple[str, str]]] = {
        "u": ("(v - v_offset)/mV", "1"),
        "am": ("0.32*4/exprel((13 - u)/4)/ms", "Hz"),
        "bm": ("0.28*5/exprel((u - 40)/5)/ms", "Hz"),
        "ah": ("0.128*exp((17 - u)/18)/ms", "Hz"),
        "bh": ("4/(1 + exp((40 - u)/5))/ms", "Hz"),
        "an": ("0.032*5/exprel((15 - u)/5)/ms", "Hz"),
        "bn": ("0.5*exp((10 - u)/40)/ms", "Hz"),
    }
    #: The longest step of `rk4`, in ms: the gates are too fast for longer ones, and a method of lower order has lower rates.
    longest = 0.05
    # As NEST: a spike is where the potential has passed its peak.
    each_step = "v_before = v"
    threshold = "v >= v_offset + 30*mV and v < v_before"
    refractory = "2*ms + dt"
    receptors = two("gsyn", "uS")

    def text(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        from . import simulator

        units = {"v": "volt"} | {gate: "1" for gate in "mnh"} | {name: "siemens" for name in ("gsyn_exc", "gsyn_inh")}
        parts = math.ceil(simulator.state.dt / self.longest - 1e-9)
        if parts <= 1:
            lines = [f"d{name}/dt = {rate} : {units[name]}" for name, rate in self.rates.items()]
            lines += [f"{name} = {text} : {unit}" for name, (text, unit) in self.inner.items()]
            keys: dict[str, Any] = {"method": "rk4"}
        else:
            lines = [f"{name} : {unit}" for name, unit in units.items()]
            keys = {"update": "\n".join(line for part in range(parts) for line in self.part(part, parts))}
        return super().text(parameters) | keys | {"equations": "\n".join([*lines, "v_before : volt"])}

    def part(self, part: int, parts: int) -> list[str]:
        """Statements of `rk4` for a part of a step."""
        lines = []
        for stage in range(4):
            end = f"_{part}_{stage}"
            # The state of the stage: that of the start, and a way along the slope of the stage before.
            way = {0: "", 1: "0.5*", 2: "0.5*", 3: ""}[stage]
            before = f"_{part}_{stage - 1}"
            state = {name: f"{name}{end}" if stage else name for name in self.rates}
            if stage:
                lines += [f"{state[name]} = {name} + {way}dt/{parts}*slope_{name}{before}" for name in self.rates]
            names = state | {name: f"{name}{end}" for name in self.inner}

            def at_stage(text: str, names: dict[str, str] = names) -> str:
                return re.sub(r"[A-Za-z_]\w*", lambda match: names.get(match[0], match[0]), text)

            lines += [f"{names[name]} = {at_stage(text)}" for name, (text, _) in self.inner.items()]
            lines += [f"slope_{name}{end} = {at_stage(rate)}" for name, rate in self.rates.items()]
        slopes = {name: [f"slope_{name}_{part}_{stage}" for stage in range(4)] for name in self.rates}
        return lines + [f"{name} += dt/{6 * parts}*({k[0]} + 2*{k[1]} + 2*{k[2]} + {k[3]})" for name, k in slopes.items()]


def elements(parameters: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Parameters that are arrays, as a parameter for each element: `tau_eta_0`, `tau_eta_1`."""
    split = {}
    for name in names:
        rows = [np.atleast_1d(getattr(value, "value", value)) for value in parameters[name]]
        if len({len(row) for row in rows}) != 1:
            raise NotImplementedError(
                f"{name} has different lengths in the neurons of a population: put them into several populations"
            )
        split |= {f"{name}_{k}": np.array([row[k] for row in rows], dtype=float) for k in range(len(rows[0]))}
    return split


@standard
class GIF_cond_exp(Conductances, cells.GIF_cond_exp):
    __doc__ = cells.GIF_cond_exp.__doc__
    arrays = ("tau_eta", "a_eta", "tau_gamma", "a_gamma")
    receptors = two("gsyn", "uS")

    def text(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        split = elements(parameters, self.arrays)
        numbers = {name: sum(key.startswith(f"{name}_") for key in split) for name in self.arrays}
        if numbers["tau_eta"] != numbers["a_eta"] or numbers["tau_gamma"] != numbers["a_gamma"]:
            raise ValueError("GIF_cond_exp: tau_eta and a_eta, and tau_gamma and a_gamma, must have the same lengths")
        eta, gamma = range(numbers["tau_eta"]), range(numbers["tau_gamma"])
        lines = [
            LEAK.format(inputs=f"{SYNAPTIC} - i_eta + i_stim"),
            conductances(exponential),
            f"i_eta = {' + '.join(f'eta_{k}' for k in eta) or '0*nA'} : amp",
            f"v_t = {' + '.join(['v_t_star', *(f'gamma_{k}' for k in gamma)])} : volt",
            *(exponential(f"eta_{k}", f"tau_eta_{k}", "amp") for k in eta),
            *(exponential(f"gamma_{k}", f"tau_gamma_{k}", "volt") for k in gamma),
        ]
        jumps = [*(f"eta_{k} += a_eta_{k}" for k in eta), *(f"gamma_{k} += a_gamma_{k}" for k in gamma)]
        return super().text(parameters) | {
            "equations": "\n".join(lines),
            "threshold": "rand() < 1 - exp(-lambda0*dt*exp(min((v - v_t)/delta_v, 50)))",
            "reset": "; ".join(["v = v_reset", *jumps]),
        }

    def values(self, parameters: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        plain = {name: (array, self.units[name]) for name, array in parameters.items() if name not in self.arrays}
        split = elements(parameters, self.arrays)
        return plain | {name: (array, self.units[name.rpartition("_")[0]]) for name, array in split.items()}

    def starts(self, initial: Mapping[str, Any], parameters: Mapping[str, Any]) -> dict[str, tuple[Any, str]]:
        # Both are sums of several variables, so they start at rest.
        at_rest = {"i_eta": 0.0, "v_t": np.asarray(parameters["v_t_star"], dtype=float)}
        for name, value in at_rest.items():
            given = np.asarray(initial.get(name, value), dtype=float)
            if not (np.allclose(given, value) or np.all(given == self.default_initial_values[name])):
                raise NotImplementedError(
                    f"GIF_cond_exp: an initial value of {name} other than at rest is not available in Spikelet; omit it"
                )
        return super().starts({name: value for name, value in initial.items() if name not in at_rest}, parameters)


@standard
class IF_facets_hardware1(Conductances, cells.IF_facets_hardware1):
    __doc__ = cells.IF_facets_hardware1.__doc__
    equations = f"""
dv/dt = (g_leak*(v_rest - v) + {SYNAPTIC.replace("e_rev_E", "0*mV")} + i_stim)/(0.2*nF) : volt (unless refractory)
{conductances(exponential)}
"""
    refractory = "1*ms + dt"
    receptors = two("gsyn", "uS")


WHILE_ON = "int(t >= start and t < start + duration)"


@standard
class SpikeSourcePoisson(Cell, cells.SpikeSourcePoisson):
    __doc__ = cells.SpikeSourcePoisson.__doc__
    threshold = f"rand() < rate*dt*{WHILE_ON}"


@standard
class SpikeSourcePoissonRefractory(Cell, cells.SpikeSourcePoissonRefractory):
    __doc__ = cells.SpikeSourcePoissonRefractory.__doc__
    # The mean rate includes the dead time.
    threshold = f"rand() < dt/(1/rate - tau_refrac)*{WHILE_ON}"
    refractory = "tau_refrac"


@standard
class SpikeSourceGamma(Cell, cells.SpikeSourceGamma):
    __doc__ = cells.SpikeSourceGamma.__doc__
    # Every alpha-th event of a Poisson process of rate beta; PyNN makes alpha a whole number.
    equations = "stage : 1"
    update = f"stage += poisson(beta*dt)*{WHILE_ON}"
    threshold = "stage >= alpha"
    reset = "stage -= alpha"


@standard
class SpikeSourceArray(Cell, cells.SpikeSourceArray):
    __doc__ = cells.SpikeSourceArray.__doc__


def not_available(name: str, instead: str) -> type:
    """A model of PyNN that Spikelet does not have: an error that says what to use."""

    def refuse(self: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"{name} is not available in spikelet.pynn: {instead}")

    return type(name, (), {"__init__": refuse})


SpikeSourceInhGamma = not_available(
    "SpikeSourceInhGamma", "draw its spikes and give them to SpikeSourceArray, or use SpikeSourceGamma"
)
MultiCompartmentNeuron = not_available("MultiCompartmentNeuron", "Spikelet has point neurons; use pyNN.neuron or pyNN.arbor")
