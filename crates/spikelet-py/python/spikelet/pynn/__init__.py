"""A back end of PyNN: `import spikelet.pynn as sim` in place of `import pyNN.nest as sim`. See docs/python-pynn.md."""

from __future__ import annotations

try:
    import neo  # noqa: F401
    import pyNN  # noqa: F401
except ImportError as error:
    raise ImportError(f"spikelet.pynn needs PyNN and Neo ({error}); install them by `pip install spikelet[pynn]`") from error

from pyNN import errors, morphology, random, space  # noqa: F401
from pyNN.network import Network  # noqa: F401
from pyNN.parameters import Sequence  # noqa: F401
from pyNN.random import GSLRNG, NumpyRNG, RandomDistribution  # noqa: F401
from pyNN.recording import *  # noqa: F403
from pyNN.space import Space  # noqa: F401
from pyNN.standardmodels import StandardCellType

from .cells import (  # noqa: F401
    EIF_cond_alpha_isfa_ista,
    EIF_cond_exp_isfa_ista,
    GIF_cond_exp,
    HH_cond_exp,
    IF_cond_alpha,
    IF_cond_exp,
    IF_cond_exp_gsfa_grr,
    IF_curr_alpha,
    IF_curr_delta,
    IF_curr_exp,
    IF_facets_hardware1,
    Izhikevich,
    MultiCompartmentNeuron,
    SpikeSourceArray,
    SpikeSourceGamma,
    SpikeSourceInhGamma,
    SpikeSourcePoisson,
    SpikeSourcePoissonRefractory,
)
from .components import *  # noqa: F403
from .connectors import *  # noqa: F403
from .connectors import NativeRNG  # noqa: F401
from .control import (  # noqa: F401
    connect,
    create,
    end,
    get_current_time,
    get_max_delay,
    get_min_delay,
    get_time_step,
    initialize,
    num_processes,
    rank,
    record,
    record_gsyn,
    record_v,
    reset,
    run,
    run_for,
    run_until,
    set,
    setup,
)
from .electrodes import ACSource, DCSource, NoisyCurrentSource, StepCurrentSource  # noqa: F401
from .plasticity import *  # noqa: F403
from .populations import Assembly, Population, PopulationView  # noqa: F401
from .projections import Connection, Projection  # noqa: F401
from .simulator import state  # noqa: F401
from .synapses import (  # noqa: F401
    ElectricalSynapse,
    MultiQuantalSynapse,
    SimpleStochasticSynapse,
    StaticSynapse,
    StochasticTsodyksMarkramSynapse,
    TsodyksMarkramSynapse,
)


def list_standard_models() -> list[str]:
    """The names of all standard cells that are available."""
    return [
        name
        for name, model in globals().items()
        if isinstance(model, type) and issubclass(model, StandardCellType) and model is not StandardCellType
    ]
