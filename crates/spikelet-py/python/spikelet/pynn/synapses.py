"""Synapses of PyNN as equations of Spikelet.

As cells, they keep PyNN's names and units. A synapse is at the end of its axonal delay; Spikelet processes a presynaptic spike when it arrives at
the postsynaptic cell, a dendritic delay later. So postsynaptic spikes reach the synapse after twice the dendritic delay: all pairs have the same
intervals, and a spike transmits the weight of the time at which it was at the synapse.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from pyNN.standardmodels import synapses

from . import simulator
from .cells import WEIGHTS, identity


@dataclass
class Edges:
    """The synapses of one pair of populations.

    values: PyNN's parameters, one array per name. target: the variable that spikes add to. unit: the unit of weights.
    tau_psc: the time constant of the receptor in the postsynaptic neuron of each synapse, in ms; None if it has none.
    """

    values: dict[str, np.ndarray]
    target: str
    unit: str
    tau_psc: np.ndarray | None = None
    initial: dict[str, np.ndarray] = field(default_factory=dict)


class Synapse:
    """What a synapse is in Spikelet."""

    # Units of parameters; `weight` stands for the unit of weights.
    units: ClassVar[dict[str, Any]] = {}
    # Parameters that change during a run: PyNN's name and the variable.
    learned: ClassVar[dict[str, Any]] = {}

    def _get_minimum_delay(self) -> float:
        delay = simulator.state.min_delay_given
        return simulator.state.dt if delay == "auto" else delay

    def text(self, edges: Edges) -> dict[str, Any]:
        """The keys of the projection: equations and pathways."""
        raise NotImplementedError

    def columns(self, edges: Edges) -> dict[str, tuple[np.ndarray, str]]:
        """The values of the synapses by their names in the equations, with PyNN's unit."""
        columns = {}
        for name, array in edges.values.items():
            if name not in ("delay", "dendritic_delay_fraction"):
                unit = self.units.get(name, "1")
                columns["w" if name == "weight" else name] = (
                    array,
                    edges.unit if name == "weight" or unit == "weight" else unit,
                )
        return columns

    def dendritic(self, edges: Edges) -> np.ndarray | None:
        """The delay with which postsynaptic spikes count here, in ms."""
        return None


def declare(edges: Edges, **variables: str) -> str:
    """Lines of constant parameters; `weight` stands for the dimension of weights."""
    return "\n".join(
        f"{name} : {WEIGHTS[edges.unit] if unit == 'weight' else unit} (constant)" for name, unit in variables.items()
    )


class StaticSynapse(Synapse, synapses.StaticSynapse):
    __doc__ = synapses.StaticSynapse.__doc__
    translations = identity(synapses.StaticSynapse.default_parameters)

    def text(self, edges: Edges) -> dict[str, Any]:
        return {"equations": declare(edges, w="weight"), "on_pre": f"{edges.target}_post += w"}


class ElectricalSynapse(Synapse, synapses.ElectricalSynapse):
    __doc__ = synapses.ElectricalSynapse.__doc__
    translations = identity(synapses.ElectricalSynapse.default_parameters)

    def text(self, edges: Edges) -> dict[str, Any]:
        return {"equations": f"{edges.target}_post = w*(v_pre - v_post) : amp (summed)\nw : siemens (constant)"}


class SimpleStochasticSynapse(Synapse, synapses.SimpleStochasticSynapse):
    __doc__ = synapses.SimpleStochasticSynapse.__doc__
    translations = identity(synapses.SimpleStochasticSynapse.default_parameters)

    def text(self, edges: Edges) -> dict[str, Any]:
        return {"equations": declare(edges, w="weight", p="1"), "on_pre": f"{edges.target}_post += w*int(rand() < p)"}


def facilitation(edges: Edges) -> np.ndarray:
    """tau_facil, and where it is 0, a time after which nothing is left in a step."""
    return np.maximum(edges.values["tau_facil"], 1e-3 * simulator.state.dt)


class TsodyksMarkramSynapse(Synapse, synapses.TsodyksMarkramSynapse):
    __doc__ = synapses.TsodyksMarkramSynapse.__doc__
    translations = identity(synapses.TsodyksMarkramSynapse.default_parameters)
    units: ClassVar[dict[str, Any]] = {"tau_rec": "ms", "tau_facil": "ms", "tau_psc": "ms"}

    # The active part y of the resources decays with the receptor and becomes inactive; the inactive part recovers. With q = inactive - share*y both
    # decay by themselves, and x = 1 - q - (1 + share)*y are the resources that are left.
    def text(self, edges: Edges) -> dict[str, Any]:
        constants = declare(edges, w="weight", U="1", share="1", tau_psc="second", tau_rec="second", tau_facil="second")
        return {
            "equations": f"""{constants}
du/dt = -u/tau_facil : 1 (event-driven)
dy/dt = -y/tau_psc : 1 (event-driven)
dq/dt = -q/tau_rec : 1 (event-driven)""",
            "on_pre": f"""u += U*(1 - u)
released = u*(1 - q - (1 + share)*y)
y += released
q -= share*released
{edges.target}_post += w*released""",
        }

    def columns(self, edges: Edges) -> dict[str, tuple[np.ndarray, str]]:
        tau_rec = edges.values["tau_rec"]
        # Without a receptor of its own, a spike is over at once.
        tau_psc = np.full(len(tau_rec), 1e-3 * simulator.state.dt) if edges.tau_psc is None else edges.tau_psc.astype(float)
        # Equal time constants have no such q; a difference of 1e-6 is not visible.
        tau_psc = np.where(np.abs(tau_psc - tau_rec) < 1e-6 * tau_rec, tau_psc * (1 + 1e-6), tau_psc)
        share = tau_rec / (tau_psc - tau_rec)
        own = {"tau_facil": (facilitation(edges), "ms"), "tau_psc": (tau_psc, "ms"), "share": (share, "1")}
        start = {name: (array, "1") for name, array in edges.initial.items()}
        return super().columns(edges) | own | start


class MultiQuantalSynapse(Synapse, synapses.MultiQuantalSynapse):
    __doc__ = synapses.MultiQuantalSynapse.__doc__
    translations = identity(synapses.MultiQuantalSynapse.default_parameters)
    default_initial_values: ClassVar[dict[str, Any]] = {"u": 0.0, "a": 1.0}
    units: ClassVar[dict[str, Any]] = {"tau_rec": "ms", "tau_facil": "ms"}

    def text(self, edges: Edges) -> dict[str, Any]:
        constants = declare(edges, w="weight", n="1", U="1", tau_rec="second", tau_facil="second")
        return {
            "equations": f"{constants}\nu : 1\na : 1\nlast : second",
            "on_pre": f"""u = U + u*(1 - U)*exp(-(t - last)/tau_facil)
a += binomial(n - a, 1 - exp(-(t - last)/tau_rec))
released = binomial(a, u)
a -= released
last = t
{edges.target}_post += w*released""",
        }

    def sites(self, edges: Edges) -> np.ndarray:
        """The number of release sites."""
        return np.asarray(edges.values["n"], dtype=float)

    def columns(self, edges: Edges) -> dict[str, tuple[np.ndarray, str]]:
        n = self.sites(edges)
        # All sites are full at the start, and the first spike finds u = U.
        start = {"a": n, "u": np.zeros(len(n)), **edges.initial}
        own = {
            "tau_facil": (facilitation(edges), "ms"),
            "n": (n, "1"),
            **{name: (array, "1") for name, array in start.items()},
        }
        return super().columns(edges) | own


class StochasticTsodyksMarkramSynapse(MultiQuantalSynapse, synapses.StochasticTsodyksMarkramSynapse):
    __doc__ = synapses.StochasticTsodyksMarkramSynapse.__doc__
    translations = identity(synapses.StochasticTsodyksMarkramSynapse.default_parameters)
    default_parameters = synapses.StochasticTsodyksMarkramSynapse.default_parameters

    def sites(self, edges: Edges) -> np.ndarray:
        return np.ones(len(edges.values["U"]))
