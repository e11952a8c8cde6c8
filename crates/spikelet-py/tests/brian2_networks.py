"""Networks built in Brian 2, each for something that the conversion must do right.

Each function builds a network and returns it with its duration; `EXACT` ones are deterministic once built, so both simulators must fire in the
same steps. `RANDOM` ones draw during the run: their mean rates are compared."""

from __future__ import annotations

import numpy as np
from brian2 import (
    BinomialFunction,
    EventMonitor,
    Hz,
    Mohm,
    Network,
    NeuronGroup,
    PoissonGroup,
    PoissonInput,
    PopulationRateMonitor,
    Quantity,
    SpikeGeneratorGroup,
    SpikeMonitor,
    StateMonitor,
    Synapses,
    TimedArray,
    check_units,
    cm,
    linked_var,
    mM,
    ms,
    msiemens,
    mV,
    nA,
    nS,
    pF,
    second,
    seed,
    siemens,
    ufarad,
    um,
    umolar,
    volt,
)

Built = tuple[Network, Quantity]

EXACT = []
RANDOM = []


def exact(build):
    """Marks a network without random numbers during the run."""
    EXACT.append(build)
    return build


def random(build):
    """Marks a network with random numbers during the run."""
    RANDOM.append(build)
    return build


@exact
def current_based() -> Built:
    """Decaying inputs, subgroups as sources, delays that differ, refractory periods, exact integration."""
    seed(3)
    taum, taue, taui, Vt, Vr, El = 20 * ms, 5 * ms, 10 * ms, -50 * mV, -60 * mV, -49 * mV
    model = """dv/dt = (ge + gi - (v - El))/taum : volt (unless refractory)
               dge/dt = -ge/taue : volt
               dgi/dt = -gi/taui : volt"""
    cells = NeuronGroup(300, model, threshold="v > Vt", reset="v = Vr", refractory=5 * ms, method="exact", namespace=locals())
    cells.v = "Vr + rand()*(Vt - Vr)"
    excite = Synapses(cells[:240], cells, on_pre="ge += 5*mV")
    inhibit = Synapses(cells[240:], cells, on_pre="gi -= 27*mV")
    excite.connect(p=0.05)
    inhibit.connect(p=0.05)
    excite.delay = "rand()*2*ms"
    return Network(cells, excite, inhibit, SpikeMonitor(cells)), 250 * ms


@exact
def conductance_based() -> Built:
    """Nonlinear conductances with exponential Euler, and parameters that differ between cells."""
    seed(4)
    model = """dv/dt = (gl*(El - v) + ge*(0*mV - v) + I)/C : volt
               dge/dt = -ge/(5*ms) : siemens
               I : amp
               C : farad (constant)"""
    cells = NeuronGroup(
        60, model, threshold="v > -50*mV", reset="v = -65*mV", refractory="2*ms + 0.05*i*ms", method="exponential_euler",
        namespace={"gl": 10 * nS, "El": -65 * mV},
    )  # fmt: skip
    cells.v = "-65*mV + 10*mV*rand()"
    cells.I = "200*pA + 2*pA*i"
    cells.C = "200*pF + 20*pF*rand()"
    synapses = Synapses(cells, cells, "w : siemens", on_pre="ge_post += w", delay=1.3 * ms)
    synapses.connect(condition="i != j", p=0.2)
    synapses.w = "rand()*1*nS"
    return Network(cells, synapses, SpikeMonitor(cells), StateMonitor(cells, ["v", "ge"], record=[0, 7])), 200 * ms


@exact
def hodgkin_huxley() -> Built:
    """The squid axon by surface densities, with a threshold that also says when a cell is refractory."""
    area = 20000 * um**2
    names = {
        "Cm": 1 * ufarad * cm**-2 * area, "gl": 5e-5 * siemens * cm**-2 * area, "El": -65 * mV, "EK": -90 * mV, "ENa": 50 * mV,
        "g_na": 100 * msiemens * cm**-2 * area, "g_kd": 30 * msiemens * cm**-2 * area, "VT": -63 * mV,
    }  # fmt: skip
    model = """
    dv/dt = (gl*(El - v) - g_na*(m*m*m)*h*(v - ENa) - g_kd*(n*n*n*n)*(v - EK) + I)/Cm : volt
    dm/dt = 0.32*(mV**-1)*4*mV/exprel((13.*mV - v + VT)/(4*mV))/ms*(1 - m) - 0.28*(mV**-1)*5*mV/exprel((v - VT - 40.*mV)/(5*mV))/ms*m : 1
    dn/dt = 0.032*(mV**-1)*5*mV/exprel((15.*mV - v + VT)/(5.*mV))/ms*(1. - n) - .5*exp((10.*mV - v + VT)/(40.*mV))/ms*n : 1
    dh/dt = 0.128*exp((17.*mV - v + VT)/(18.*mV))/ms*(1. - h) - 4./(1 + exp((40.*mV - v + VT)/(5.*mV)))/ms*h : 1
    I : amp"""
    cells = NeuronGroup(20, model, threshold="v > -40*mV", refractory="v > -40*mV", method="exponential_euler", namespace=names)
    cells.v = names["El"]
    cells.I = "0.7*nA*i/N"
    return Network(cells, SpikeMonitor(cells), StateMonitor(cells, "v", record=True, dt=0.5 * ms)), 200 * ms


@exact
def stdp() -> Built:
    """Event-driven traces on both sides, clipped weights, pathways before and after spikes."""
    seed(5)
    inputs = SpikeGeneratorGroup(20, *regular_spikes(20, 17))
    cell = NeuronGroup(
        2,
        "dv/dt = (-74*mV - v + ge*(0*mV - v))/(10*ms) : volt\ndge/dt = -ge/(5*ms) : 1",
        threshold="v > -54*mV",
        reset="v = -60*mV",
        method="euler",
    )
    cell.v = -60 * mV
    taupre = taupost = 20 * ms
    gmax, dApre = 0.4, 0.01
    dApost = -dApre * taupre / taupost * 1.05 * gmax
    dApre *= gmax
    synapses = Synapses(
        inputs, cell,
        """w : 1
           dApre/dt = -Apre/taupre : 1 (event-driven)
           dApost/dt = -Apost/taupost : 1 (event-driven)""",
        on_pre="""ge += w
                  Apre += dA_pre
                  w = clip(w + Apost, 0, gmax)""",
        on_post="""Apost += dA_post
                   w = clip(w + Apre, 0, gmax)""",
        namespace={"taupre": taupre, "taupost": taupost, "gmax": gmax, "dA_pre": dApre, "dA_post": dApost},
    )  # fmt: skip
    synapses.connect()
    synapses.w = "rand()*gmax"
    return Network(
        inputs, cell, synapses, SpikeMonitor(cell), SpikeMonitor(inputs), StateMonitor(synapses, "w", record=[0, 5, 33])
    ), 500 * ms


@exact
def periodic_generator() -> Built:
    """A spike generator with a period, on a part of a group, and synapses that use indices of the part."""
    inputs = SpikeGeneratorGroup(3, [0, 1, 2, 0], [1, 3, 5.05, 7] * ms, period=10 * ms)
    cells = NeuronGroup(10, "dv/dt = -v/(10*ms) : 1", threshold="v > 1", reset="v -= 1", method="exact")
    synapses = Synapses(inputs, cells[2:8], on_pre="v_post += 0.3 + 0.05*j + 0.1*i")
    synapses.connect()
    return Network(
        inputs, cells, synapses, SpikeMonitor(cells), SpikeMonitor(inputs), StateMonitor(cells, "v", record=True)
    ), 100 * ms


@exact
def several_synapses_per_pair() -> Built:
    """Several synapses for each pair, with a delay each."""
    inputs = SpikeGeneratorGroup(2, [0, 1, 0], [1, 8, 20] * ms)
    cells = NeuronGroup(3, "dv/dt = (0.1 - v)/(20*ms) : 1", threshold="v > 0.9", reset="v = 0", method="exact")
    synapses = Synapses(inputs, cells, "w : 1", on_pre="v += w", multisynaptic_index="k")
    synapses.connect(n=3)
    synapses.delay = "2*ms*k + 0.3*ms*j"
    synapses.w = "0.2 + 0.1*k + 0.05*j"
    return Network(inputs, cells, synapses, SpikeMonitor(cells), StateMonitor(cells, "v", record=True)), 40 * ms


@exact
def pathways_in_order() -> Built:
    """Named pathways with delays of their own, and an order that is not the usual one."""
    inputs = SpikeGeneratorGroup(1, [0] * 5, [1, 4, 9, 15, 22] * ms)
    cells = NeuronGroup(2, "v : 1\nu : 1", threshold="v > 2", reset="v = 0")
    synapses = Synapses(
        inputs, cells, "w : 1",
        on_pre={"transmit": "v_post += w", "learn": "w = w*1.2 + 0.01", "late": "u_post += v_post"},
        on_post="w = w/2",
        delay={"late": 2 * ms}, name="a_synapses",
    )  # fmt: skip
    synapses.connect()
    synapses.w = [0.8, 1.1]
    synapses.learn.order = -2
    synapses.post.order = -3
    second_synapses = Synapses(inputs, cells, on_pre="v_post = v_post*1.5", name="b_synapses")
    second_synapses.connect()
    monitor = StateMonitor(synapses, "w", record=True)
    return Network(
        inputs,
        cells,
        synapses,
        second_synapses,
        SpikeMonitor(cells),
        StateMonitor(cells, ["v", "u"], record=True),
        monitor,
    ), 40 * ms


@exact
def gap_junctions() -> Built:
    """Summed variables of both sides."""
    cells = NeuronGroup(
        10, "dv/dt = (v0 - v + Igap)/(10*ms) : 1\nv0 : 1\nIgap : 1", threshold="v > 1", reset="v = 0", method="euler"
    )
    cells.v0 = "1 + 0.2*i/9"
    synapses = Synapses(cells, cells, "w : 1\nIgap_post = w*(v_pre - v_post) : 1 (summed)")
    synapses.connect(condition="abs(i - j) == 1")
    synapses.w = "0.1 + 0.01*i"
    return Network(cells, synapses, SpikeMonitor(cells), StateMonitor(cells, ["v", "Igap"], record=[0, 4])), 300 * ms


@exact
def clock_driven_synapses() -> Built:
    """Slow receptors: clock-driven equations that read the presynaptic cell, summed onto the target."""
    pre = NeuronGroup(5, "dv/dt = (1.4 + 0.1*i - v)/(15*ms) : 1", threshold="v > 1", reset="v = 0", method="euler", name="a_pre")
    post = NeuronGroup(3, "dv/dt = (s - v)/(10*ms) : 1\ns : 1", threshold="v > 0.3", reset="v = 0", method="euler", name="b_post")
    synapses = Synapses(
        pre, post,
        """dg/dt = -g/(50*ms) + 0.5/ms*x*(1 - g) : 1 (clock-driven)
           dx/dt = -x/(2*ms) : 1 (clock-driven)
           s_post = 0.3*g : 1 (summed)""",
        on_pre="x += 0.2", method="euler", name="c_syn",
    )  # fmt: skip
    synapses.connect()
    return Network(
        pre, post, synapses, SpikeMonitor(pre), SpikeMonitor(post), StateMonitor(synapses, ["g", "x"], record=[0, 7])
    ), 300 * ms


@exact
def timed_arrays() -> Built:
    """Timed arrays of one and of two dimensions, and a rate of spikes as a function of time."""
    current = TimedArray([0, 1, 2, 0.5, 3] * nA, dt=10 * ms)
    rows = TimedArray(np.array([[0, 1, 2], [3, 2, 1], [0, 5, 0]]) * mV, dt=7 * ms)
    cells = NeuronGroup(
        3, "dv/dt = (-70*mV - v + R*current(t) + rows(t, i))/(10*ms) : volt\nR : ohm",
        threshold="v > -50*mV", reset="v = -70*mV", method="euler", namespace={"current": current, "rows": rows},
    )  # fmt: skip
    cells.v, cells.R = -70 * mV, [12, 15, 20] * Mohm
    return Network(cells, SpikeMonitor(cells), StateMonitor(cells, "v", record=True)), 80 * ms


@exact
def statements_at_regular_times() -> Built:
    """`run_regularly` at the start and at the end of steps, in groups and synapses."""
    cells = NeuronGroup(4, "dv/dt = (I - v)/(10*ms) : 1\nI : 1\nn : 1", threshold="v > 1", reset="v = 0\nn += 1", method="exact")
    cells.I = "1.1 + 0.1*i"
    cells.run_regularly("I += 0.05", dt=10 * ms)
    cells.run_regularly("v = v*0.98", dt=3 * ms, when="end")
    synapses = Synapses(cells, cells, "w : 1", on_pre="v_post += w")
    synapses.connect(j="(i + 1) % N_post")
    synapses.w = 0.1
    synapses.run_regularly("w = w*0.9 + 0.001*n_post", dt=20 * ms)
    return Network(cells, synapses, SpikeMonitor(cells), StateMonitor(cells, ["v", "I"], record=True, dt=1 * ms)), 150 * ms


@exact
def custom_events() -> Built:
    """Events beside the spike, with statements, a monitor, and synapses that transmit them."""
    cells = NeuronGroup(
        5, "dv/dt = (0.8 + 0.15*i - v)/(10*ms) : 1\nn : integer", threshold="v > 1", reset="v = 0", method="exact",
        events={"half": "v > 0.5 and v < 0.55"},
    )  # fmt: skip
    cells.run_on_event("half", "n += 1")
    targets = NeuronGroup(5, "dv/dt = -v/(5*ms) : 1", threshold="v > 1", reset="v = 0", method="exact")
    synapses = Synapses(cells, targets, on_pre="v_post += 0.2", on_event="half", delay=1 * ms)
    synapses.connect(j="i")
    return Network(
        cells,
        targets,
        synapses,
        SpikeMonitor(targets),
        SpikeMonitor(cells),
        EventMonitor(cells, "half"),
        StateMonitor(cells, "n", record=True),
    ), 200 * ms


@exact
def linked_variables() -> Built:
    """Variables of other groups: values, a shared one, and one by indices, of groups that are updated later."""
    cells = NeuronGroup(
        6,
        "dv/dt = (drive + offset - v)/(10*ms) : 1\ndrive : 1 (linked)\noffset : 1 (linked)",
        threshold="v > 1",
        reset="v = 0",
        method="euler",
        name="a_cells",
    )
    drive = NeuronGroup(1, "x = 1 + 0.5*sin(2*pi*t*20*Hz) : 1\ndy/dt = (1.5 - y)/(30*ms) : 1", method="euler", name="b_drive")
    fixed = NeuronGroup(3, "p : 1", name="c_fixed")
    fixed.p = [0, 0.1, 0.3]
    cells.drive = linked_var(drive, "y")
    cells.offset = linked_var(fixed, "p", index=[0, 0, 1, 1, 2, 2])
    return Network(
        cells, drive, fixed, SpikeMonitor(cells), StateMonitor(cells, ["v", "drive", "offset"], record=[0, 5])
    ), 150 * ms


@exact
def adaptive_exponential() -> Built:
    """An adaptive cell whose reset has several statements, with time as a function of the current."""
    names = {
        "C": 281 * pF,
        "gL": 30 * nS,
        "EL": -70.6 * mV,
        "VT": -50.4 * mV,
        "DeltaT": 2 * mV,
        "tauw": 144 * ms,
        "a": 4 * nS,
        "b": 0.0805 * nA,
        "Vcut": -40.4 * mV,
    }
    cells = NeuronGroup(
        4,
        """dvm/dt = (gL*(EL - vm) + gL*DeltaT*exp((vm - VT)/DeltaT) + I - w)/C : volt
           dw/dt = (a*(vm - EL) - w)/tauw : amp
           I = (0.6*nA + 0.2*nA*i)*int(t > 20.05*ms) : amp""",
        threshold="vm > Vcut", reset="vm = -70.6*mV; w += b", method="rk4", namespace=names,
    )  # fmt: skip
    cells.vm = names["EL"]
    return Network(cells, SpikeMonitor(cells), StateMonitor(cells, ["vm", "w"], record=[3])), 300 * ms


@exact
def short_term_plasticity() -> Built:
    """Event-driven resources, with local variables in statements and constants that end in `_pre`."""
    inputs = SpikeGeneratorGroup(2, *regular_spikes(2, 11))
    cells = NeuronGroup(2, "dv/dt = -v/(20*ms) : volt", threshold="v > 5*mV", reset="v = 0*mV", method="exact")
    synapses = Synapses(
        inputs, cells,
        """dx/dt = (1 - x)/tau_pre : 1 (event-driven)
           du/dt = (U - u)/tau_f : 1 (event-driven)
           U : 1 (constant)
           w : volt (constant)""",
        on_pre="""u += U*(1 - u)
                  used = u*x
                  v_post += w*used
                  x -= used""",
        namespace={"tau_pre": 200 * ms, "tau_f": 300 * ms},
    )  # fmt: skip
    synapses.connect()
    synapses.x = 1
    synapses.U, synapses.w = [0.1, 0.2, 0.3, 0.4], 12 * mV
    return Network(
        inputs,
        cells,
        synapses,
        SpikeMonitor(cells),
        StateMonitor(cells, "v", record=True),
        PopulationRateMonitor(cells),
    ), 300 * ms


@exact
def izhikevich() -> Built:
    """A quadratic cell with numbers instead of quantities, and a boolean and an integer variable."""
    seed(8)
    cells = NeuronGroup(
        40,
        """dv/dt = (0.04*v**2 + 5*v + 140 - u + I + g)/ms : 1
           du/dt = a*(b*v - u)/ms : 1
           dg/dt = -g/(3*ms) : 1
           a : 1
           b : 1
           c : 1
           d : 1
           I : 1
           on : boolean
           n : integer""",
        threshold="v >= 30", reset="v = c\nu += d\nn += int(on)", method="euler",
    )  # fmt: skip
    cells.a, cells.b, cells.c, cells.d = 0.02, 0.2, "-65 + 15*rand()**2", "8 - 6*rand()**2"
    cells.v, cells.I, cells.on = -65, "4 + 8*rand()", "i % 5 != 0"
    cells.u = "b*v"
    synapses = Synapses(cells, cells, "w : 1", on_pre="g += w")
    synapses.connect(p=0.3)
    synapses.w = "0.5*rand()"
    return Network(cells, synapses, SpikeMonitor(cells), StateMonitor(cells, ["v", "n"], record=[1])), 250 * ms


@exact
def functions_of_python() -> Built:
    """Functions of the script, which are one expression."""
    half = -40 * mV

    @check_units(v=volt, result=1)
    def opening(v):
        return 1 / (1 + np.exp((half - v) / (5 * mV)))

    cells = NeuronGroup(
        3, "dv/dt = (-70*mV - v + 60*mV*opening(v) + I)/(10*ms) : volt\nI : volt", threshold="v > -30*mV", reset="v = -65*mV", method="euler",
        namespace={"opening": opening},
    )  # fmt: skip
    cells.v, cells.I = -60 * mV, [15, 22, 30] * mV
    return Network(cells, SpikeMonitor(cells), StateMonitor(cells, "v", record=True)), 100 * ms


@exact
def homeostasis_at_targets() -> Built:
    """Statements that assign to neurons, write to the presynaptic side, and read sizes and counts of synapses."""
    inputs = NeuronGroup(
        6,
        "dv/dt = (1.2 + 0.05*i - v)/(9*ms) : 1\nsent : 1",
        threshold="v > 1",
        reset="v = 0",
        method="exact",
        name="inputs",
    )
    cells = NeuronGroup(
        3, "dv/dt = -v/(20*ms) : 1\nlast : second", threshold="v > 1", reset="v = 0", method="exact", name="outputs"
    )
    synapses = Synapses(inputs, cells, "w : 1", on_pre="v_post = clip(v_post + w/N_incoming, 0, 2)\nlast_post = t\nsent_pre += 1")
    synapses.connect(condition="(i + j) % 2 == 0 or j == 2")
    synapses.w = "1.1 + 0.1*j"
    return Network(
        inputs,
        cells,
        synapses,
        SpikeMonitor(cells),
        StateMonitor(cells, ["v", "last"], record=True),
        StateMonitor(inputs, "sent", record=True),
    ), 120 * ms


@exact
def concentrations() -> Built:
    """Units of chemistry, subexpressions that are constant over a step, and shared variables."""
    cells = NeuronGroup(
        3,
        """dCa/dt = -Ca/tau + influx*gate : mmolar
           gate = int((t + 0.05*ms) % (20*ms) < 5*ms)*scale : 1 (constant over dt)
           scale = 0.5 + 0.5*sin(2*pi*10*Hz*t) : 1 (shared)
           influx : mmolar/second
           total : 1 (shared)
           dv/dt = (Ca/(1*umolar) - v)/(5*ms) : 1""",
        threshold="v > 0.5", reset="v = 0", method="euler", namespace={"tau": 30 * ms},
    )  # fmt: skip
    cells.Ca, cells.influx = 0.1 * umolar, [0.1, 0.2, 0.4] * mM / second
    return Network(cells, SpikeMonitor(cells), StateMonitor(cells, ["Ca", "v"], record=True)), 200 * ms


@exact
def maps_without_equations() -> Built:
    """A group without differential equations, driven by spikes and statements alone; a threshold on a parameter."""
    inputs = SpikeGeneratorGroup(4, *regular_spikes(4, 5))
    counters = NeuronGroup(4, "n : 1\ntop : 1", threshold="n >= top", reset="n = 0")
    counters.top = [2, 3, 5, 7]
    synapses = Synapses(inputs, counters, on_pre="n_post += 1")
    synapses.connect(j="i")
    return Network(inputs, counters, synapses, SpikeMonitor(counters), StateMonitor(counters, "n", record=True)), 150 * ms


@exact
def later_part_of_a_run() -> Built:
    """A network that has run before: its state and time are taken over."""
    cells = NeuronGroup(
        5,
        "dv/dt = (1.5 + 0.5*sin(2*pi*t*15*Hz) + 0.1*i - v)/(10*ms) : 1",
        threshold="v > 1",
        reset="v = 0",
        method="euler",
    )
    network = Network(cells, SpikeMonitor(cells))
    network.run(33.3 * ms)
    return network, 100 * ms


@exact
def second_order_synapses() -> Built:
    """Alpha synapses by two equations of the cell, rk2, and a refractory period that is a parameter."""
    inputs = SpikeGeneratorGroup(3, *regular_spikes(3, 9))
    cells = NeuronGroup(
        3,
        """dv/dt = (20*mV*g - v)/(10*ms) : volt (unless refractory)
           dg/dt = (x - g)/(4*ms) : 1
           dx/dt = -x/(4*ms) : 1
           ref : second""",
        threshold="v > 10*mV", reset="v = 0*mV", refractory="ref", method="rk2",
    )  # fmt: skip
    cells.ref = [1, 3, 6] * ms
    synapses = Synapses(inputs, cells, on_pre="x_post += 4", delay=0.7 * ms)
    synapses.connect()
    return Network(inputs, cells, synapses, SpikeMonitor(cells), StateMonitor(cells, ["v", "g"], record=True)), 150 * ms


@exact
def values_at_spikes() -> Built:
    """A monitor of spikes that has variables, whose values are those before the reset and before the synapses of the step."""
    cells = NeuronGroup(
        6,
        "dv/dt = (1.3 + 0.1*i - v)/(10*ms) : 1\nx = 2*v : 1\nn : integer",
        threshold="v > 1",
        reset="v = 0\nn += 1",
        method="exact",
    )
    synapses = Synapses(cells, cells, on_pre="v_post += 0.02")
    synapses.connect(condition="i != j")
    return Network(
        cells, synapses, SpikeMonitor(cells, variables=["v", "x", "n"]), SpikeMonitor(cells[2:4], variables="v")
    ), 100 * ms


@exact
def values_inside_a_step() -> Built:
    """A monitor after the thresholds, which sees the potential of a spike."""
    cells = NeuronGroup(
        3,
        "dv/dt = (1.3*mV + 0.1*mV*i - v)/(10*ms) : volt\nn : 1",
        threshold="v > 1*mV",
        reset="v = 0*mV\nn += 1",
        method="exact",
    )
    monitor = StateMonitor(cells, ["v", "n"], record=[0, 2], when="after_thresholds")
    return Network(cells, SpikeMonitor(cells), monitor), 70 * ms


@exact
def statements_of_a_part() -> Built:
    """`run_regularly` of a part of a group, with its index."""
    cells = NeuronGroup(
        6,
        "dv/dt = (I - v)/(10*ms) : 1\nI : 1\non : boolean",
        threshold="v > 1",
        reset="v = 0",
        method="exact",
        name="cells_in_parts",
    )
    cells.I = 1.2
    part = cells[2:5]
    part.run_regularly("more = 0.01*i\nI = 1.3 + more + 0.001*N\nv += 0.05\non = True", dt=4 * ms)
    return Network(cells, part, SpikeMonitor(cells), StateMonitor(cells, ["v", "I"], record=True)), 60 * ms


@random
def poisson_sources() -> Built:
    """A Poisson group and a Poisson input onto a part of a group."""
    seed(11)
    noise = PoissonGroup(50, rates=40 * Hz)
    rising = PoissonGroup(20, rates="(1 + t/(1*second))*30*Hz")
    cells = NeuronGroup(40, "dv/dt = -v/(10*ms) : 1", threshold="v > 1", reset="v = 0", method="exact")
    synapses, others = Synapses(noise, cells, on_pre="v += 0.1"), Synapses(rising, cells, on_pre="v += 0.05")
    synapses.connect(p=0.5)
    others.connect(p=0.5)
    extra = PoissonInput(cells[:20], "v", 100, 5 * Hz, weight=0.05)
    return Network(
        noise,
        rising,
        cells,
        synapses,
        others,
        extra,
        SpikeMonitor(cells[:20]),
        SpikeMonitor(cells[20:]),
        SpikeMonitor(noise),
        SpikeMonitor(rising),
    ), 2 * second


@random
def white_noise() -> Built:
    """Additive and multiplicative noise, and random numbers in the reset."""
    additive = NeuronGroup(
        60,
        "dv/dt = (0.9 - v)/(10*ms) + 0.3*sqrt(2/(10*ms))*xi : 1",
        threshold="v > 1",
        reset="v = 0.2*rand()",
        method="euler",
    )
    scaled = NeuronGroup(
        60,
        "dx/dt = (1 - x)/(20*ms) + 0.4*x*sqrt(1/(20*ms))*xi : 1",
        threshold="x > 1.5",
        reset="x = 0.5",
        method="heun",
    )
    return Network(additive, scaled, SpikeMonitor(additive), SpikeMonitor(scaled)), 1 * second


@random
def binomial_rates() -> Built:
    """A binomial function, rates by a timed array, and a threshold that draws."""
    draws = BinomialFunction(20, 0.02, name="draws")
    rates = TimedArray([20, 60] * Hz, dt=500 * ms)
    noise = PoissonGroup(30, rates="stimulus(t)", namespace={"stimulus": rates})
    cells = NeuronGroup(
        30, "dv/dt = -v/(10*ms) : 1", threshold="v > 1", reset="v = 0", method="exact", namespace={"draws": draws}
    )
    cells.run_regularly("v += 0.3*draws()", dt=1 * ms)
    return Network(noise, cells, SpikeMonitor(noise), SpikeMonitor(cells)), 1 * second


def regular_spikes(neurons: int, interval: int) -> tuple[np.ndarray, Quantity]:
    """Regular spikes of some neurons with slightly different intervals."""
    pairs = [
        (neuron, 1 + neuron + k * (interval + neuron)) for neuron in range(neurons) for k in range(500 // (interval + neuron))
    ]
    indices, times = zip(*pairs, strict=False)
    return np.array(indices), np.array(times) * ms
