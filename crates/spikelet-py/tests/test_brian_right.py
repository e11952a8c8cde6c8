"""What the device once did in another way than Brian 2, by scripts of users: each has the values of Brian 2's NumPy target, in f64 and f32."""

from __future__ import annotations

import pytest

pytest.importorskip("brian2")
from brian_scripts.run import Judge

#: Source and target that fire in step 0.
PAIR = """
a = NeuronGroup(2, 'v : 1', threshold='t < 0.05*ms', reset='', name='a')
b = NeuronGroup(2, 'x : 1', name='b')
"""

#: Two groups that fire at different rates, with STDP between them.
LEARNING = """
a = NeuronGroup(2, 'dv/dt = (2 - v)/(10*ms) : 1', threshold='v > 1', reset='v = 0', method='euler', name='a')
b = NeuronGroup(2, 'dv/dt = (1.5 - v)/(10*ms) : 1', threshold='v > 1', reset='v = 0', method='euler', name='b')
s = Synapses(a, b, 'w : 1\\ndapre/dt = -apre/(20*ms) : 1 (event-driven)\\ndapost/dt = -apost/(20*ms) : 1 (event-driven)',
             on_pre='apre += 1; w += apost', on_post='apost -= 1; w += apre', name='s')
s.connect()
n = Network(a, b, s)
"""

#: A cell with a refractory time.
RESTING = """
g = NeuronGroup(2, 'dv/dt = (3 - v)/(10*ms) : 1 (unless refractory)', threshold='v > 1', reset='v = 0', refractory=3*ms,
                method='euler', name='g')
"""

#: What users noticed, and the script.
SCRIPTS: dict[str, str] = {
    "weights and constants set between runs": """
a = SpikeGeneratorGroup(1, [0, 0, 0], [5, 55, 80]*ms, name='a')
b = NeuronGroup(1, 'dv/dt = -v/(5*ms) : 1', method='exact', name='b')
s = Synapses(a, b, 'w : 1', on_pre='v_post += w', delay=1*ms, name='s')
s.connect()
s.w = 1
r = Synapses(a, b, on_pre='v_post += k', namespace={'k': 0.5}, name='r')
r.connect()
m = StateMonitor(b, 'v', record=0)
run(50*ms)
s.w = 4
r.namespace['k'] = 2.0
run(25*ms)
s.w = 8
run(25*ms)
show('v', m.v)
""",
    "a weight set while a spike is on its way": PAIR
    + """
s = Synapses(a, b, 'w : 1', on_pre='x_post += w', name='s', delay=3*ms)
s.connect()
s.w = 1
run(1*ms)
s.w = 5
run(5*ms)
show('x', b.x)
""",
    "a value of synapses that is constant over dt": PAIR
    + """
a.v = [1, 2]
s = Synapses(a, b, 'q = 0.01*v_pre + 0.1 : 1 (constant over dt)', on_pre='x_post += q', name='s')
s.connect(j='i')
run(0.5*ms)
show('x', b.x)
show('q', s.q)
""",
    "values of a group that are constant over dt": """
g = NeuronGroup(2, 'r = t/ms + i : 1 (constant over dt)\\nv : 1\\nu = 2*v : 1 (constant over dt)', name='g')
g.run_regularly('v = r', dt=0.1*ms)
m = StateMonitor(g, ['r', 'v', 'u'], record=True)
run(0.5*ms)
for name in 'ruv':
    show(name, getattr(g, name))
    show('m' + name, getattr(m, name))
""",
    "event-driven variables of a network that is built once more": LEARNING
    + """
n.run(40*ms)
k = NeuronGroup(1, 'v : 1', name='k')
n.add(k)
n.run(40*ms)
show('w', s.w)
""",
    "event-driven variables after a run": LEARNING
    + """
n.run(40*ms)
for name in ('w', 'apre', 'apost', 'lastupdate'):
    show(name, getattr(s, name))
""",
    "a run ends before statements of the next step": """
g = NeuronGroup(2, 'k : 1', threshold='True', reset='', name='g')
g.k = 1
g.run_regularly('k = k*2', dt=0.5*ms)
run(1*ms)
show('k', g.k)
run(0.2*ms)
show('later', g.k)
""",
    "late statements of the last step": """
g = NeuronGroup(3, 'g : 1', name='g')
g.g = 1
g.run_regularly('g *= 1.5', dt=0.3*ms, when='end')
m = StateMonitor(g, 'g', record=True)
run(1*ms)
show('m', m.g)
show('g', g.g)
run(0.2*ms)
show('later', g.g)
""",
    "a late monitor beside statements at regular times": """
g = NeuronGroup(1, 'v : 1', name='g')
g.run_regularly('v += 1', dt=0.2*ms)
m = StateMonitor(g, 'v', record=0, when='end')
run(1*ms)
show('m', m.v)
show('v', g.v)
""",
    "a sum onto a part of a group": """
g = NeuronGroup(5, 'r : 1\\nv : 1', name='g')
g.r = [10, 0, 10, 0, 0]
o = NeuronGroup(1, 'x : 1', name='o')
o.x = 5
s = Synapses(o, g[1:2], 'r_post = x_pre : 1 (summed)', name='s')
s.connect()
run(0.3*ms)
show('r', g.r)
""",
    "a sum over clock-driven synapses": """
a = NeuronGroup(1, 'v : 1', threshold='t < 0.05*ms', reset='', name='a')
b = NeuronGroup(3, 'dv/dt = (gt - v)/(10*ms) : 1\\ngt : 1', method='euler', name='b')
s = Synapses(a, b[1:], 'ds/dt = -s/(4*ms) : 1 (clock-driven)\\ngt_post = s*(1 - v_post) : 1 (summed)', on_pre='s += 0.5',
             method='exact', name='s', delay=0.2*ms)
s.connect()
s.summed_updaters['gt_post'].order = -1
m = StateMonitor(b, ['gt', 'v'], record=[1])
n = StateMonitor(s, 's', record=[0])
run(1*ms)
show('gt', m.gt)
show('s', n.s)
show('v', m.v)
show('end', b.gt)
""",
    "operations on two groups": """
a = NeuronGroup(2, 'dv/dt = (I - v)/(10*ms) : 1\\nI : 1', threshold='v > 1', reset='v = 0', method='euler', name='a')
a.I = 1.2
q = NeuronGroup(1, 'x : 1\\ny : 1', name='q')
@network_operation(dt=2*ms)
def early(t):
    a.I[:] = 1.2 + 0.3*float(t/ms)
    q.x = q.x[0] + 1
@network_operation(dt=5*ms, when='end')
def late():
    q.y = q.y[0] + 1
    a.v[1] = 0.33
m = StateMonitor(q, ['x', 'y'], record=0)
run(20.5*ms)
show('v', a.v)
show('x', m.x)
show('y', m.y)
""",
    "an array of delays of a pathway": PAIR
    + """
s = Synapses(a, b, 'w : 1', on_pre={'p': 'x_post += w', 'q': 'x_post += 10*w'}, name='s')
s.connect()
s.w = 1
s.p.delay = '(1 + i + 2*j)*0.1*ms'
m = StateMonitor(b, 'x', record=True)
run(1*ms)
show('x', m.x)
""",
    "an array of delays of a pathway of the target": """
a = SpikeGeneratorGroup(2, [0, 1], [0.1, 0.1]*ms, name='a')
b = NeuronGroup(1, 'v : 1', threshold='v > 1', reset='v = 0', name='b')
s = Synapses(a, b, 'w : 1', on_pre='w += 1; v_post += w', on_post='w -= 0.1', name='s')
s.connect()
s.post.delay = [0.1, 0.5]*ms
m = StateMonitor(s, 'w', record=True)
run(1*ms)
show('w', m.w)
""",
    "a monitor of a constant weight": PAIR
    + """
s = Synapses(a, b, 'w : 1', on_pre='x_post += w', name='s')
s.connect(j='i')
s.w = [1, 2]
m = StateMonitor(s, 'w', record=True)
run(1*ms)
show('w', m.w)
""",
    "a monitor of lastspike": RESTING
    + """
m = StateMonitor(g, ['v', 'lastspike'], record=0)
run(10*ms)
show('last', m.lastspike)
show('v', m.v)
""",
    "synapses read not_refractory_post": RESTING
    + """
h = NeuronGroup(1, 'v : 1', threshold='t % (1*ms) < dt/2', reset='', name='h')
s = Synapses(h, g, 'w : 1', on_pre='w += int(not_refractory_post); v_post += 0.01*int(not_refractory_post)', name='s')
s.connect()
m = SpikeMonitor(g)
run(20*ms)
show('w', s.w)
show('count', m.count)
""",
    "statements at regular times that use no event-driven variable": """
a = SpikeGeneratorGroup(1, [0], [2.5]*ms, name='a')
b = NeuronGroup(1, 'v : 1', name='b')
s = Synapses(a, b, 'w : 1\\ndx/dt = -x/(10*ms) : 1 (event-driven)', on_pre='x += 0.58', name='s')
s.connect()
s.run_regularly('w = clip(w + 0.05, 0, 0.52)')
run(3.1*ms)
show('w', s.w)
show('x', s.x)
""",
    "a synapse of a neuron with itself": """
g = NeuronGroup(1, 'v : 1', threshold='t < 0.15*ms', reset='', name='g')
g.v = 0.5
s = Synapses(g, g, 'w : 1', on_pre='v_post += 0.25*(1.2 - v_post); w += 0.05*v_pre', name='s')
s.connect()
r = Synapses(g, g, 'w : 1', on_pre='w += v_pre; v_post = 0.5*v_post', name='t')
r.connect()
run(0.3*ms)
show('v', g.v)
show('w', s.w)
show('w of r', r.w)
""",
    "integers": """
g = NeuronGroup(1, 'n : integer\\nm : integer\\nx : 1', name='g')
g.m = 2
g.run_regularly('n = 7/2; m += 1; x = m//2 + m % 2')
run(0.5*ms)
show('n', g.n)
show('m', g.m)
show('x', g.x)
g.n = 4
show('written', g.n)
""",
}

#: Relative differences of whole runs: f32 has 24 bits.
WITHIN = {"f64": 1e-9, "f32": 1e-5}


@pytest.fixture(scope="module", params=list(WITHIN))
def judge(request):
    """Both devices."""
    return Judge(request.param)


@pytest.mark.parametrize("name", SCRIPTS)
def test_right(judge, name):
    """A script of a user has the values of Brian 2."""
    answer = judge.compare({"body": SCRIPTS[name], "ignore": "(?!)", "within": WITHIN[judge.precision]})
    assert answer["outcome"] == "equal", answer["detail"]


@pytest.mark.parametrize("precision", WITHIN)
def test_a_variable_called_rate(precision):
    """It is no rate of a population."""
    script = """
g = NeuronGroup(3, 'rate : Hz', threshold='rand() < rate*dt', reset='', name='g')
g.rate = [0, 500, 10000]*Hz
m = SpikeMonitor(g)
run(100*ms)
show('count', m.count)
"""
    ours = Judge(precision).run(script, "spikelet")
    assert ours["error"] is None, ours["error"]
    none, some, all_steps = ours["found"]["count"]
    assert (none, all_steps) == (0, 1000)
    # Expected: 50 spikes in 1000 steps of probability 0.05, within five standard deviations.
    assert abs(some - 50) < 35


def test_writes_to_linked_variables_are_rejected():
    """They are copies: the sentence names what to write to."""
    ours = Judge("f64").run(
        """
o = NeuronGroup(2, 'x : 1', name='o')
g = NeuronGroup(2, 'l : 1 (linked)\\ny : 1', name='g')
g.l = linked_var(o, 'x')
a = NeuronGroup(2, 'v : 1', threshold='t < 0.05*ms', reset='', name='a')
s = Synapses(a, g, on_pre='l_post += 1', name='s')
s.connect(j='i')
run(1*ms)
""",
        "spikelet",
    )
    assert ours["error"]["is_ours"]
    assert "Write to the variable that it is linked to" in ours["error"]["text"]


@pytest.mark.parametrize(
    ("name", "order", "told"),
    [("s", 0, True), ("a_sum", 0, False), ("s", -1, False), ("s of constants", 0, True), ("a_sum of constants", 0, False)],
)
def test_sums_after_an_integration_have_a_notice(name, order, told):
    """Brian 2 has the values of Spikelet if the sum comes first, by its name or `order`. In step 0 there is no sum yet where it comes last."""
    script = f"""
b = NeuronGroup(2, 'dv/dt = (gt - v)/(10*ms) : 1\\ngt : 1', method='euler', name='b')
b.v = [0.1, 0.9]
s = Synapses(b, b, 'w : 1\\ngt_post = {"w" if "constants" in name else "w*(v_pre - v_post)"} : 1 (summed)', name='{name.split()[0]}')
s.connect()
s.w = 0.5
s.summed_updaters['gt_post'].order = {order}
m = StateMonitor(b, ['v', 'gt'], record=True)
run(1*ms)
show('v', m.v)
show('gt', m.gt)
"""
    judge = Judge("f64")
    assert any("its sum `gt_post`" in notice for notice in judge.run(script, "spikelet")["notices"]) == told
    outcome = judge.compare({"body": script, "ignore": "(?!)", "within": 1e-9})["outcome"]
    assert (outcome != "equal") == told, outcome
