"""The network of brian.json in Brian 2.9.0; prints the steps of its spikes and events."""
from brian2 import *

defaultclock.dt = 0.1*ms
G = NeuronGroup(4, '''dv/dt = (I - v + w)/(10*ms) : volt (unless refractory)
dw/dt = -w/(20*ms) : volt
n : 1
I : volt (constant)''', threshold='v > 10*mV', reset='v = 0*mV', refractory=2*ms, method='euler',
                events={'low': 'v > 6*mV and w < 3*mV'})
G.I = '(13 + 2*i)*mV'
G.run_on_event('low', 'w += 0.5*mV; n += 1; v -= 0.1*mV')
H = NeuronGroup(4, 'du/dt = -u/(5*ms) : volt', threshold='u > 2*mV', reset='u = 0*mV', method='euler')
S = Synapses(G, H, on_pre='u_post += 0.4*mV', on_event={'pre': 'low'}, delay=0.7*ms)
S.connect(j='i')
monitors = {'G': SpikeMonitor(G), 'H': SpikeMonitor(H), 'G.low': EventMonitor(G, 'low')}
run(100*ms)
for name, monitor in monitors.items():
    print(name, [[int(round(t/(0.1*ms))) for t, k in zip(monitor.t, monitor.i) if k == i] for i in range(4)])
