// The step of the neurons. The lines `//# …` are replaced by the code that Spikelet generates for the model.

struct At {
    step: u32,
    heard_offset: u32,
    fired_offset: u32,
    neurons: u32,
    synapses: u32,
    first: u32,
    zero: u32,
}

@group(0) @binding(0) var<uniform> at: At;
// For each of the two populations the units of its PORTS sums, then its constants.
@group(0) @binding(1) var<storage, read> constants: array<f32>;
@group(0) @binding(2) var<storage, read_write> fired: array<u32>;
@group(0) @binding(3) var<storage, read_write> sums: array<i32>;
// Array by array, then the step of the last spike.
@group(0) @binding(4) var<storage, read_write> state: array<u32>;
// The number of spikes, then step and neuron of each.
@group(0) @binding(5) var<storage, read_write> spikes: array<atomic<u32>>;

var<private> neuron: u32;
var<private> constants_offset: u32;

fn constant(k: u32) -> f32 {
    return constants[constants_offset + PORTSu + k];
}

// `ring_value` of shaders/ring.wgsl.
fn arrived(port: u32) -> f32 {
    let sum = sums[neuron * PORTSu + port];
    sums[neuron * PORTSu + port] = 0i;
    return (f32(sum >> 16u) * 65536.0f + f32(sum & 0xffffi)) * constants[constants_offset + port];
}

var<workgroup> bits: array<atomic<u32>, 2>;

@compute @workgroup_size(64)
fn update(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if (lane < 2u) {
        atomicStore(&bits[lane], 0u);
    }
    workgroupBarrier();
    neuron = group.x * 64u + lane;
    if (neuron < at.neurons) {
        zero = at.zero;
        let size = at.neurons;
        let step = at.step;
        constants_offset = select(CONSTANTSu, 0u, neuron < at.first);
        //# load
        let since_spike = f32(min(i32(step) - last_spike, 16777216i));
        {
            //# take
        }
        if (last_spike == i32(step) - 1i) {
            //# reset
        }
        {
            //# hold
        }
        //# update
        if (fires) {
            last_spike = i32(step);
            atomicOr(&bits[lane >> 5u], 1u << (lane & 31u));
            let place = 1u + 2u * atomicAdd(&spikes[0], 1u);
            if (place + 1u < arrayLength(&spikes)) {
                atomicStore(&spikes[place], step);
                atomicStore(&spikes[place + 1u], neuron);
            }
        }
        //# store
    }
    workgroupBarrier();
    if (lane < 2u) {
        fired[at.fired_offset + group.x * 2u + lane] = atomicLoad(&bits[lane]);
    }
}
