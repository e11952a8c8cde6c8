"""Cells of components: `PointNeuron` of a membrane and any number of receptors, and cells of your own equations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pyNN.models import BaseCellType
from pyNN.parameters import ParameterSpace
from pyNN.standardmodels import cells, receptors

from .cells import LEAK, Cell, Exponential, Threshold, alpha, exponential, standard


@standard
class LIF(cells.LIF):
    __doc__ = cells.LIF.__doc__


@standard
class AdExp(cells.AdExp):
    __doc__ = cells.AdExp.__doc__


def current(name: str) -> str:
    """What a receptor of conductances adds to the membrane."""
    return f"{name}_gsyn*({name}_e_syn - v)"


def beta(name: str) -> str:
    """A conductance that rises and decays, and peaks at the weight."""
    return f"""d{name}_gsyn/dt = {name}_norm*{name}_gsyn_rise - {name}_gsyn/{name}_tau_decay : siemens
d{name}_gsyn_rise/dt = -{name}_gsyn_rise/{name}_tau_rise : siemens
{name}_ratio = {name}_tau_rise*{name}_tau_decay/({name}_tau_decay - {name}_tau_rise) : second
{name}_peak = {name}_ratio*log({name}_tau_decay/{name}_tau_rise) : second
{name}_norm = 1/({name}_ratio*(exp(-{name}_peak/{name}_tau_decay) - exp(-{name}_peak/{name}_tau_rise))) : Hz"""


def response(cls: type) -> type:
    """A class of PyNN's receptors."""
    cls = standard(cls)
    cls.recordable = list(cls.default_initial_values)
    cls.scale_factors = {name: 1.0 for name in cls.recordable}
    cls.units = {**cls.units, **{"tau_syn": "ms", "tau_rise": "ms", "tau_decay": "ms", "e_syn": "mV", "locations": ""}}
    return cls


class Response:
    """The text of a receptor: its equations, the term of the membrane, and what spikes add to."""

    recordable: Any = ()
    shape: Any = None
    suffix = ""
    weight = "uS"

    def lines(self, name: str) -> str:
        """The equations of the receptor of this name."""
        return self.shape(f"{name}_gsyn", f"{name}_tau_syn", "siemens")

    def term(self, name: str) -> str:
        """Its current."""
        return current(name)

    def target(self, name: str) -> tuple[str, str]:
        """The variable that spikes add to, and the unit of weights."""
        return f"{name}_gsyn{self.suffix}", self.weight


@response
class CurrExpPostSynapticResponse(Response, receptors.CurrExpPostSynapticResponse):
    __doc__ = receptors.CurrExpPostSynapticResponse.__doc__

    def lines(self, name: str) -> str:
        return exponential(f"{name}_isyn", f"{name}_tau_syn", "amp")

    def term(self, name: str) -> str:
        return f"{name}_isyn"

    def target(self, name: str) -> tuple[str, str]:
        return f"{name}_isyn", "nA"


@response
class CondExpPostSynapticResponse(Response, receptors.CondExpPostSynapticResponse):
    __doc__ = receptors.CondExpPostSynapticResponse.__doc__
    shape = staticmethod(exponential)


@response
class CondAlphaPostSynapticResponse(Response, receptors.CondAlphaPostSynapticResponse):
    __doc__ = receptors.CondAlphaPostSynapticResponse.__doc__
    shape = staticmethod(alpha)
    suffix = "_rise"


@response
class CondBetaPostSynapticResponse(Response, receptors.CondBetaPostSynapticResponse):
    __doc__ = receptors.CondBetaPostSynapticResponse.__doc__
    suffix = "_rise"

    def lines(self, name: str) -> str:
        return beta(name)


ExpPSR = CondExpPostSynapticResponse
AlphaPSR = CondAlphaPostSynapticResponse
BetaPSR = CondBetaPostSynapticResponse


class PointNeuron(Cell, cells.PointNeuron):
    __doc__ = cells.PointNeuron.__doc__

    def __init__(self, neuron: Any, **post_synaptic_receptors: Any) -> None:
        if not isinstance(neuron, (LIF, AdExp)):
            raise TypeError(f"PointNeuron: a {type(neuron).__name__} is no membrane of spikelet.pynn; use LIF or AdExp")
        for name, receptor in post_synaptic_receptors.items():
            if not isinstance(receptor, Response):
                raise TypeError(
                    f"PointNeuron: {name} is a {type(receptor).__name__}; use CurrExpPostSynapticResponse, ExpPSR, AlphaPSR or BetaPSR"
                )
        super().__init__(neuron, **post_synaptic_receptors)

    # Parameters of receptors are nested in PyNN; the dots of their names are underscores in the equations.
    @property
    def native_parameters(self) -> ParameterSpace:
        return self.parameter_space

    def get_native_names(self, *names: str) -> list[str]:
        return list(names) or list(self.parameter_space.keys())

    def get_parameter_names(self) -> list[str]:
        nested = [
            f"{name}.{key}" for name in self.receptor_types for key in self.post_synaptic_receptors[name].default_parameters
        ]
        return [*self.neuron.default_parameters, *nested]

    def has_parameter(self, name: str) -> bool:
        return name in self.get_parameter_names()

    def get_schema(self) -> dict[str, Any]:
        return {name: float for name in self.get_parameter_names()}

    def translate(self, parameters: ParameterSpace, copy: bool = True) -> ParameterSpace:
        return parameters

    def computed_parameters_include(self, parameter_names: Any) -> bool:
        return False

    @property
    def unused(self) -> tuple[str, ...]:  # type: ignore[override]
        return tuple(name for name in self.get_parameter_names() if name.endswith(".locations"))

    @property
    def units(self) -> dict[str, str]:
        nested = {f"{name}.{key}": unit for name, psr in self.post_synaptic_receptors.items() for key, unit in psr.units.items()}
        return {**self.neuron.units, **nested}

    def receptor(self, name: str) -> tuple[str, str]:
        return self.post_synaptic_receptors[name].target(name)

    def text(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        psrs = self.post_synaptic_receptors
        terms = " + ".join(psr.term(name) for name, psr in psrs.items())
        lines = "\n".join(psr.lines(name) for name, psr in psrs.items())
        if isinstance(self.neuron, LIF):
            membrane = type("Membrane", (Threshold,), {"equations": LEAK.format(inputs=f"{terms} + i_stim")})()
        else:
            membrane = type("Membrane", (Exponential,), {"inputs": terms})()
        keys = membrane.text(parameters)
        if self.conductance_based and "method" not in keys:
            keys["method"] = "rk4"
        return keys | {"equations": f"{keys['equations']}\n{lines}"}


# The units in which variables of these dimensions are recorded; those of others are Spikelet's own, and Neo has them without a unit.
RECORDED = {
    "volt": "mV", "amp": "nA", "siemens": "uS", "second": "ms", "farad": "nF", "Hz": "Hz", "1": "dimensionless",
    "mV": "mV", "ms": "ms", "nA": "nA", "pA": "nA", "nS": "uS", "uS": "uS",
}  # fmt: skip


class NativeCellType(Cell, BaseCellType):
    """A cell of equations of Spikelet, in the syntax of Brian 2. `native_cell_type` makes the classes."""

    keys: Mapping[str, Any] = {}
    default_initial_values: Mapping[str, float] = {}

    def text(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return dict(self.keys)

    def get_native_names(self, *names: str) -> list[str]:
        return list(names) or list(self.default_parameters)


def native_cell_type(
    name: str,
    equations: str,
    *,
    parameters: Mapping[str, tuple[float, str]] | None = None,
    initial: Mapping[str, tuple[float, str]] | None = None,
    receptors: Mapping[str, tuple[str, str]] | None = None,
    conductance_based: bool = False,
    **keys: Any,
) -> type[NativeCellType]:
    """A class of cells with any equations of Spikelet.

    equations: lines of equations; `i_stim` in them is the sum of injected currents. Parameters need no line of their own.
    parameters: the default and unit of each parameter, `{"tau": (20.0, "ms")}`; each neuron can have a value of its own.
    initial: the same for variables at the start. What has no value starts at 0.
    receptors: the variable that spikes of a receptor add to, and the unit of weights: `{"excitatory": ("ge", "mV")}`.
    keys: keys of a population in the network format: threshold, reset, refractory, method, update, run_regularly, events.
    """
    parameters, initial, receptors = dict(parameters or {}), dict(initial or {}), dict(receptors or {})
    allowed = ["threshold", "reset", "refractory", "method", "update", "run_regularly", "events"]
    for key in keys:
        if key not in allowed:
            raise TypeError(f"native_cell_type: the key `{key}` is not one of {', '.join(allowed)}")
    declared = {}
    for line in equations.splitlines():
        found = re.match(r"\s*(?:d(\w+)/dt\s*=.*|(\w+)\s*(?:=.*)?):\s*([^:(]+)", line.partition("#")[0])
        if found:
            declared[found[1] or found[2]] = RECORDED.get(found[3].strip(), "unknown")
    units = {key: unit for key, (_, unit) in {**parameters, **initial}.items()}
    injectable = bool(re.search(r"\bi_stim\b", equations + str(keys)))
    return type(
        name,
        (NativeCellType,),
        {
            "keys": {"equations": equations.strip(), **keys},
            "default_parameters": {key: float(value) for key, (value, _) in parameters.items()},
            "default_initial_values": {key: float(value) for key, (value, _) in initial.items()},
            "units": {**declared, **units},
            "recordable": ["spikes", *(key for key in declared if key not in parameters)],
            "receptors": receptors,
            "receptor_types": tuple(receptors),
            "conductance_based": conductance_based,
            "injectable": injectable,
        },
    )


__all__ = [
    "LIF",
    "AdExp",
    "AlphaPSR",
    "BetaPSR",
    "CondAlphaPostSynapticResponse",
    "CondBetaPostSynapticResponse",
    "CondExpPostSynapticResponse",
    "CurrExpPostSynapticResponse",
    "ExpPSR",
    "NativeCellType",
    "PointNeuron",
    "native_cell_type",
]  # fmt: skip
