// Steps 1 to 4 of `Backend`: take what arrived, reset, sample, update, test the threshold. One kernel for each model, over the
// populations that have it; each invocation carries its neuron through a whole epoch.
//
// The lines `//# …` are replaced by what crates/spikelet-lang/src/wgsl.rs prints for the model.

override blocks_at: u32;
override blocks: u32;

// Words of a block in `tables`: population, first neuron, first and last + 1 of the channels that are sampled in it.
const BLOCK_WORDS: u32 = 4u;
const BLOCK_SIZE: u32 = 64u;

// What the printed code reads.
var<private> constants_at: u32;
var<private> units_at: u32;
var<private> lanes_at: u32;
var<private> slot: u32;
var<private> neuron: u32;
var<private> number: u32;
var<private> step: u32;

fn constant(k: u32) -> f32 {
    return constants[constants_at + k];
}

fn arrived(port: u32) -> f32 {
    let sum = atomicExchange(&ring[slot + tables[lanes_at + port] + neuron], 0i);
    return ring_value(sum, constants[units_at + port]);
}

fn random_bits(site: u32) -> u32 {
    return noise_bits(step, number, site);
}

@compute @workgroup_size(64)
fn neurons(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    if (group.x == 0u && lane == 0u) {
        header.step_now = header.step_next;
        header.begin_now = header.begin_next;
        header.run_now = header.run_next;
    }
    if (header.run_next == 0u) {
        return;
    }
    zero = header.zero;
    let first_step = header.step_next;
    let last_step = min(first_step + header.epoch_steps, header.until);
    for (var block = group.x; block < blocks; block += groups.x) {
        let described = blocks_at + block * BLOCK_WORDS;
        let population = tables[described];
        let size = tables[population + 1u];
        neuron = tables[described + 1u] + lane;
        if (neuron >= size) {
            continue;
        }
        number = tables[population] + neuron;
        constants_at = tables[population + 3u];
        units_at = tables[population + 4u];
        lanes_at = tables[population + 5u];
        let index = f32(neuron);
        let state_at = tables[population + 2u] + neuron;
        //# load
        for (step = first_step; step < last_step; step += 1u) {
            slot = ring_slot(step);
            let since_spike = f32(min(i32(step) - last_spike, 16777216i));
            {
                //# take
            }
            if (last_spike == i32(step) - 1i) {
                //# reset
            }
            for (var channel = tables[described + 2u]; channel < tables[described + 3u]; channel += 1u) {
                if (tables[header.channels_at + 2u * channel] == number) {
                    var value = 0.0f;
                    switch tables[header.channels_at + 2u * channel + 1u] {
                        //# sample
                        default: {}
                    }
                    samples[(step - header.origin) * header.channels + channel] = value;
                }
            }
            //# update
            if (fires) {
                last_spike = i32(step);
                spikes[atomicAdd(&header.count, 1u)] = vec2<u32>(step, number);
            }
        }
        //# store
    }
}
