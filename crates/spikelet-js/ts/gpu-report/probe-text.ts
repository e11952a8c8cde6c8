// The text of shaders/probe.wgsl, because the package has no shaders beside it. A test compares them:
// UPDATE_EXPECT=1 node --test test/gpu-report.test.mjs

export const PROBE = `// Single operations of the device, to compare with those of the CPU bit by bit: an invocation computes a case. The operations and their
// numbers are those of crates/spikelet-gpu/src/probe/operation.rs. No part of a simulation.

// The operation, the number of cases, 0, and a word that is not used; then three words for each case.
@group(0) @binding(0) var<storage, read> request: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;

// As \`exact\` of math.wgsl: the identity, which no compiler sees through.
fn exact(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ request[2]);
}

fn of_operation(words: vec3<u32>) -> u32 {
    let a = bitcast<f32>(words.x);
    let b = bitcast<f32>(words.y);
    let c = bitcast<f32>(words.z);
    var result = 0.0f;
    switch request[0] {
        case 0u: { result = a + b; }
        case 1u: { result = a - b; }
        case 2u: { result = a * b; }
        case 3u: { result = a * b + c; }
        case 4u: { result = exact(exact(a * b) + c); }
        case 5u: { result = fma(a, b, c); }
        case 6u: { result = (a + b) - a; }
        case 7u: { result = a / b; }
        case 8u: { result = sqrt(a); }
        case 9u: { return bitcast<u32>(i32(a)); }
        case 10u: { return u32(a); }
        case 11u: { result = f32(bitcast<i32>(words.x)); }
        case 12u: { result = f32(words.x); }
        case 13u: { return pack2x16float(vec2<f32>(a, b)); }
        case 14u: { result = unpack2x16float(words.x).y; }
        case 15u: { result = min(a, b); }
        case 16u: { result = max(a, b); }
        case 17u: { result = select(a, b, b < a); }
        case 18u: { result = select(a, b, b > a); }
        case 19u: { result = floor(a); }
        case 20u: { result = round(a); }
        case 21u: { result = trunc(a); }
        case 22u: { return u32(a < b) + 2u * u32(a == b) + 4u * u32(a > b); }
        default: { result = exact(a); }
    }
    return bitcast<u32>(result);
}

@compute @workgroup_size(64)
fn probe(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < request[1] {
        let at = 4u + 3u * id.x;
        results[id.x] = of_operation(vec3<u32>(request[at], request[at + 1u], request[at + 2u]));
    }
}
`;
