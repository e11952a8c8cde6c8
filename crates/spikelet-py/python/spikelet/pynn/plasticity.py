"""Rules of plasticity: a timing dependence and a weight dependence make a synapse."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from pyNN.standardmodels import synapses

from .cells import identity
from .synapses import Edges, Synapse, declare


class AdditiveWeightDependence(synapses.AdditiveWeightDependence):
    __doc__ = synapses.AdditiveWeightDependence.__doc__
    translations = identity(synapses.AdditiveWeightDependence.default_parameters)
    # By how much a weight changes if the amplitude is 1.
    up, down = "w_max", "w_max"


class MultiplicativeWeightDependence(synapses.MultiplicativeWeightDependence):
    __doc__ = synapses.MultiplicativeWeightDependence.__doc__
    translations = identity(synapses.MultiplicativeWeightDependence.default_parameters)
    up, down = "(w_max - w)", "(w - w_min)"


class AdditivePotentiationMultiplicativeDepression(synapses.AdditivePotentiationMultiplicativeDepression):
    __doc__ = synapses.AdditivePotentiationMultiplicativeDepression.__doc__
    translations = identity(synapses.AdditivePotentiationMultiplicativeDepression.default_parameters)
    up, down = "w_max", "(w - w_min)"


class GutigWeightDependence(synapses.GutigWeightDependence):
    __doc__ = synapses.GutigWeightDependence.__doc__
    translations = identity(synapses.GutigWeightDependence.default_parameters)
    up = "(w_max - w_min)*((w_max - w)/(w_max - w_min))**mu_plus"
    down = "(w_max - w_min)*((w - w_min)/(w_max - w_min))**mu_minus"


class SpikePairRule(synapses.SpikePairRule):
    __doc__ = synapses.SpikePairRule.__doc__
    translations = identity(synapses.SpikePairRule.default_parameters)
    units: ClassVar[dict[str, Any]] = {"tau_plus": "ms", "tau_minus": "ms"}
    constants: ClassVar[dict[str, Any]] = {"tau_plus": "second", "tau_minus": "second", "A_plus": "1", "A_minus": "1"}
    tau_pre, tau_post = "tau_plus", "tau_minus"

    def changes(self, weights: Any) -> tuple[str, str]:
        """The change of the weight at a presynaptic and at a postsynaptic spike, of the traces x and y of the other side."""
        return f"-A_minus*{weights.down}*y", f"A_plus*{weights.up}*x"


class Vogels2011Rule(synapses.Vogels2011Rule):
    __doc__ = synapses.Vogels2011Rule.__doc__
    translations = identity(synapses.Vogels2011Rule.default_parameters)
    units: ClassVar[dict[str, Any]] = {"tau": "ms", "eta": "weight", "rho": "Hz"}
    constants: ClassVar[dict[str, Any]] = {"tau": "second", "eta": "weight", "rho": "Hz"}
    tau_pre, tau_post = "tau", "tau"

    def changes(self, weights: Any) -> tuple[str, str]:
        """As `SpikePairRule.changes`; the weight dependence gives the bounds alone."""
        return "eta*(y - 2*rho*tau)", "eta*x"


class STDPMechanism(Synapse, synapses.STDPMechanism):
    __doc__ = synapses.STDPMechanism.__doc__
    base_translations = identity(["weight", "delay", "dendritic_delay_fraction"])
    learned: ClassVar[dict[str, Any]] = {"weight": "w"}

    def _build_translations(self) -> None:
        # PyNN would add the parameters of the rule to those of the class, and so to all other rules.
        parts = (self.timing_dependence, self.weight_dependence)
        self.translations = {
            **self.base_translations,
            **{key: value for part in parts if part for key, value in part.translations.items()},
        }

    def __init__(
        self,
        timing_dependence: Any = None,
        weight_dependence: Any = None,
        voltage_dependence: Any = None,
        **parameters: Any,
    ) -> None:
        if voltage_dependence is not None:
            raise NotImplementedError(
                "STDPMechanism: a voltage dependence is not available in spikelet.pynn; leave it out, or write the synapse in Spikelet's equations"
            )
        if not isinstance(timing_dependence, (SpikePairRule, Vogels2011Rule)):
            raise NotImplementedError(
                f"STDPMechanism: {timing_dependence!r} is no timing dependence of spikelet.pynn; use SpikePairRule or Vogels2011Rule"
            )
        rules = (
            AdditiveWeightDependence,
            MultiplicativeWeightDependence,
            AdditivePotentiationMultiplicativeDepression,
            GutigWeightDependence,
        )
        if not isinstance(weight_dependence, rules):
            names = ", ".join(rule.__name__ for rule in rules)
            raise NotImplementedError(
                f"STDPMechanism: {weight_dependence!r} is no weight dependence of spikelet.pynn; use one of {names}"
            )
        super().__init__(timing_dependence, weight_dependence, voltage_dependence, **parameters)

    @property
    def units(self) -> dict[str, str]:  # type: ignore[override]
        return {"w_min": "weight", "w_max": "weight", **self.timing_dependence.units}

    def text(self, edges: Edges) -> dict[str, Any]:
        rule, weights = self.timing_dependence, self.weight_dependence
        if (edges.values["weight"] < 0).any():
            raise NotImplementedError(
                "STDPMechanism: negative weights are not available in spikelet.pynn. Use cells with conductances, whose weights are positive"
            )
        constants = {**rule.constants, "w_min": "weight", "w_max": "weight"}
        constants |= {name: "1" for name in ("mu_plus", "mu_minus") if name in edges.values}
        at_pre, at_post = rule.changes(weights)
        return {
            "equations": f"""w : {declare(edges, w="weight").split(" : ")[1].removesuffix(" (constant)")} (plastic)
dx/dt = -x/{rule.tau_pre} : 1 (event-driven)
dy/dt = -y/{rule.tau_post} : 1 (event-driven)
{declare(edges, **constants)}""",
            "on_pre": {"pre": f"w = clip(w + {at_pre}, w_min, w_max)\n{edges.target}_post += w\nx += 1".replace("+ -", "- ")},
            # A spike of each side in the same step is no pair, as in NEST.
            "on_post": {"learn": f"w = clip(w + {at_post}, w_min, w_max)", "trace": "y += 1"},
            "order": {"learn": -1, "trace": 1},
        }

    def dendritic(self, edges: Edges) -> np.ndarray:
        return 2 * edges.values["delay"] * edges.values["dendritic_delay_fraction"]


__all__ = [
    "AdditivePotentiationMultiplicativeDepression", "AdditiveWeightDependence", "GutigWeightDependence", "MultiplicativeWeightDependence",
    "STDPMechanism", "SpikePairRule", "Vogels2011Rule",
]  # fmt: skip
