//! Gradients in f32: as blocks of the CPU, and as WGSL.

use spikelet_kernel::block::{Block, InputSums, LANES, NeuronIndices, Prepared, ProgramInputs, Registers};
use spikelet_lang::ir::Op;
use spikelet_lang::wgsl;

use super::models::{points, subjects};
use super::*;

/// The arrays after a code in f32, at points that become lanes. Ports are arrays behind the others here.
fn in_block(code: &Code, points: &[Point], bits: &dyn Fn(u32, &mut [u32; LANES])) -> Vec<[f32; LANES]> {
    let arrays = points[0].arrays.len();
    let lane = |array: usize| {
        std::array::from_fn(|lane| {
            let point = &points[lane % points.len()];
            if array < arrays { point.arrays[array] as f32 } else { point.ports[array - arrays] as f32 }
        })
    };
    let mut variables: Vec<[f32; LANES]> = (0..arrays + points[0].ports.len()).map(lane).collect();
    let single = |values: &[f64]| values.iter().map(|value| *value as f32).collect::<Vec<_>>();
    let (constants, clocks) = (single(&points[0].constants), single(&points[0].clocks));
    let step = points[0].step;
    let last_spike = std::array::from_fn(|lane| step as i32 - points[lane % points.len()].since_spike);
    let inputs = ProgramInputs {
        arrivals: InputSums::NONE,
        last_spike: &last_spike,
        constants: &constants,
        clocks: &clocks,
        tables: &[0.5; 8],
        step,
        neurons: NeuronIndices::Each(&[3; LANES]),
        bits,
        more_bits: &|_, _| 0,
    };
    // A port is a variable that the code reads and does not write.
    let ports = |op: &Op| if let Op::Port(port) = op { Op::Load(arrays + port) } else { *op };
    let code = Code { ops: code.ops.iter().map(ports).collect(), ..code.clone() };
    Prepared::new(&code).run(&mut Block { variables: &mut variables, inputs: &inputs }, &mut Registers::default());
    variables
}

#[test]
fn blocks_compute_the_gradient_of_every_model() {
    let surrogate = Surrogate { shape: Shape::Arctan, slope: 0.2, factor: 1.0 };
    for (subject, cell) in subjects() {
        let (layout, step) = (subject.layout(), subject.step(SpikeValue::Hard));
        let gradient = subject.gradient(&step, &surrogate);
        // All lanes are in one step.
        for mut point in points(&subject, cell) {
            point.arrays[layout.spike()] = point.arrays[layout.spike()].round();
            // The f32 that a block reads.
            let round = |value: &mut f64| *value = f64::from(*value as f32);
            [&mut point.arrays, &mut point.constants, &mut point.clocks, &mut point.ports].into_iter().flatten().for_each(round);
            let bits = |site: u32, lanes: &mut [u32; LANES]| lanes.fill(super::difference::bits(point.step, site));
            let (exact, values) = execute(&gradient, &point);
            let found = in_block(&gradient, std::slice::from_ref(&point), &bits);
            let size = values.iter().fold(0.0, |size: f64, value| if value.is_finite() { size.max(value.abs()) } else { size });
            for place in layout.adjoint(0)..layout.arrays() {
                let (exact, found) = (exact[place], f64::from(found[place][200]));
                let tolerance = 1e-3 * exact.abs() + 1e-5 * size;
                assert!((exact - found).abs() <= tolerance, "{}: {place}: {found}, expected {exact}", subject.name);
            }
        }
    }
}

/// Valid WGSL of the portable core, with the functions of the shaders.
#[test]
fn gradients_are_valid_wgsl() {
    let shaders = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/");
    let read =
        |name: &str| std::fs::read_to_string(format!("{shaders}{name}.wgsl")).unwrap_or_else(|error| panic!("{name}: {error}"));
    let rng = read("rng");
    let names = ["math", "math/exponential", "math/logarithm", "math/circular", "math/random"];
    let library = names.map(read).concat() + &rng[..rng.find("fn philox").unwrap_or(0)];
    let mut functions = String::new();
    let mut met = 0;
    for (at, (subject, _)) in subjects().into_iter().enumerate() {
        let (_, shape) = Shape::ALL[at % Shape::ALL.len()];
        let gradient = subject.gradient(&subject.step(SpikeValue::Hard), &Surrogate { shape, slope: 0.2, factor: 0.7 });
        let statements = wgsl::statements(&gradient, &|array| format!("a[{array}]"), "g", wgsl::Arithmetic::Exact);
        functions += &format!("fn gradient{at}(since_spike: f32, index: f32, step: u32) {{\n{statements}}}\n");
        met += 1;
    }
    let calls: String = (0..met).map(|at| format!("gradient{at}(1.0f, 2.0f, 3u);\n")).collect();
    let whole = format!(
        "{library}\nvar<private> a: array<f32, 999>;\nfn constant(k: u32) -> f32 {{ return a[k]; }}\nfn clock(k: u32) -> f32 {{ return a[k]; }}\n\
         fn arrived(k: u32) -> f32 {{ return a[k]; }}\nfn table_entry(k: u32) -> f32 {{ return a[k]; }}\n\
         fn random_bits(site: u32) -> u32 {{ return site; }} fn random_uniform(site: u32) -> f32 {{ return uniform32(site); }}\n{functions}@compute @workgroup_size(1) fn main() {{\n{calls}}}\n"
    );
    let module = naga::front::wgsl::parse_str(&whole).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&whole)));
    let flags = naga::valid::ValidationFlags::all();
    let checked = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty()).validate(&module);
    checked.unwrap_or_else(|error| panic!("{}", error.emit_to_string(&whole)));
}
