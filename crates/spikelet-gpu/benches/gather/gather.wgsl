// Every synapse, every step: does its neuron's spike arrive now? Three ways to go through them; SIZE invocations a workgroup.

struct At {
    step: u32,
    // Words of `fired`: the step whose spikes arrive now, and this step.
    heard_offset: u32,
    fired_offset: u32,
    neurons: u32,
    synapses: u32,
    // Neurons of the first population.
    first: u32,
    zero: u32,
}

@group(0) @binding(0) var<uniform> at: At;
// By neuron where its synapses begin; or, for `each`, the neuron of each synapse.
@group(0) @binding(1) var<storage, read> index: array<u32>;
// Presynaptic neurons and weights, PORTS for each synapse, by postsynaptic neuron.
@group(0) @binding(2) var<storage, read> sources: array<u32>;
@group(0) @binding(3) var<storage, read> weights: array<i32>;
// A bit for each neuron, step by step.
@group(0) @binding(4) var<storage, read> fired: array<u32>;
@group(0) @binding(5) var<storage, read_write> sums: array<atomic<i32>>;

fn arrives(synapse: u32) -> bool {
    let source = sources[synapse];
    return (fired[at.heard_offset + (source >> 5u)] & (1u << (source & 31u))) != 0u;
}

// An invocation takes a neuron.
@compute @workgroup_size(SIZE)
fn by_thread(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= at.neurons) {
        return;
    }
    var sum = array<i32, PORTS>();
    let end = index[id.x + 1u];
    for (var synapse = index[id.x]; synapse < end; synapse += 1u) {
        if (arrives(synapse)) {
            for (var port = 0u; port < PORTSu; port += 1u) {
                sum[port] += weights[synapse * PORTSu + port];
            }
        }
    }
    for (var port = 0u; port < PORTSu; port += 1u) {
        atomicStore(&sums[id.x * PORTSu + port], sum[port]);
    }
}

var<workgroup> total: array<atomic<i32>, PORTS>;

// A workgroup takes a neuron: neighbours read neighbours.
@compute @workgroup_size(SIZE)
fn by_group(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    for (var post = group.x; post < at.neurons; post += groups.x) {
        if (lane < PORTSu) {
            atomicStore(&total[lane], 0i);
        }
        workgroupBarrier();
        let end = index[post + 1u];
        for (var synapse = index[post] + lane; synapse < end; synapse += SIZEu) {
            if (arrives(synapse)) {
                for (var port = 0u; port < PORTSu; port += 1u) {
                    atomicAdd(&total[port], weights[synapse * PORTSu + port]);
                }
            }
        }
        workgroupBarrier();
        if (lane < PORTSu) {
            atomicStore(&sums[post * PORTSu + lane], atomicLoad(&total[lane]));
        }
        workgroupBarrier();
    }
}

// An invocation takes a synapse, whosever it is: the reads of all are in one row, and sums are touched by those that arrive.
@compute @workgroup_size(SIZE)
fn each(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var synapse = id.x; synapse < at.synapses; synapse += groups.x * SIZEu) {
        if (arrives(synapse)) {
            for (var port = 0u; port < PORTSu; port += 1u) {
                atomicAdd(&sums[index[synapse] * PORTSu + port], weights[synapse * PORTSu + port]);
            }
        }
    }
}
