//! How a device rounds single operations: `shaders/probe.wgsl`, compared with the CPU bit by bit.
//!
//! Spikes are the same on all devices only if sums and products are rounded as IEEE 754 says. Where they differ, the reports say which
//! operation is to blame.

mod cases;
mod operation;

use serde::{Serialize, Serializer};
use spikelet::Error;

use crate::Device;
use crate::allocate::Allocator;
use crate::link::shader;
use crate::readback::BufferRange;
use operation::{OPERATIONS, Operation, fused};

/// Words of a request before its cases.
const HEAD: usize = 4;
/// Invocations of a workgroup.
const GROUP: u32 = 64;

/// How a device computes an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperationReport {
    /// The operation, as in `a*b+c`; with the kind of its operands if they are not normal numbers.
    pub operation: &'static str,
    /// Number of cases.
    pub cases: usize,
    /// Number of cases whose results differ from those of the CPU.
    pub different: usize,
    /// How many of them are those of `fma`: a product and a sum that are rounded together.
    #[serde(skip_serializing_if = "is_zero")]
    pub fused: usize,
    /// The first that differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<OperationDifference>,
}

/// A case whose result is not that of the CPU, as the bits of numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OperationDifference {
    /// The operands.
    #[serde(serialize_with = "hexadecimals")]
    pub inputs: Vec<u32>,
    /// The result of the CPU.
    #[serde(serialize_with = "hexadecimal")]
    pub expected: u32,
    /// The result of the device.
    #[serde(serialize_with = "hexadecimal")]
    pub found: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn hexadecimal<S: Serializer>(word: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("0x{word:08x}"))
}

fn hexadecimals<S: Serializer>(words: &[u32], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(words.iter().map(|word| format!("0x{word:08x}")))
}

/// Compares single operations of a device with those of this CPU: sums, products, quotients, roots, conversions, comparisons, with
/// thousands of operands for each, among them subnormal numbers, infinities and NaN.
///
/// # Errors
/// The device rejects the kernel or its buffers, or is lost.
pub async fn probe(device: &Device) -> Result<Vec<OperationReport>, Error> {
    let most = OPERATIONS.iter().map(|operation| cases::of(operation).len()).max().unwrap_or(0);
    let words = [("request", HEAD + 3 * most), ("results", most)].map(|(label, words)| (label, words as u64));
    let allocator = Allocator::beside(device, words.iter().map(|(_, words)| words).sum(), "close other programs");
    let [request, results] = words.map(|(label, words)| allocator.make(label, words));
    let (request, results) = (request.await?, results.await?);
    let scope = device.device.push_error_scope(wgpu::ErrorFilter::Validation);
    let source = wgpu::ShaderSource::Wgsl(shader!("probe").into());
    let module = device.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some("probe"), source });
    let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("probe"),
        layout: None,
        module: &module,
        entry_point: Some("probe"),
        compilation_options: Default::default(),
        cache: None,
    });
    let buffers = [(0, &request), (1, &results)];
    let entries = buffers.map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() });
    let layout = pipeline.get_bind_group_layout(0);
    let bindings =
        device.device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some("probe"), layout: &layout, entries: &entries });
    if let Some(error) = scope.pop().await {
        return Err(Error::Backend(format!("{} rejected a kernel: {error}", device.report().name)));
    }
    let mut reports = Vec::with_capacity(OPERATIONS.len());
    for operation in &OPERATIONS {
        let cases = cases::of(operation);
        let head = [operation.number, cases.len() as u32, 0, 0];
        let words: Vec<u32> = head.into_iter().chain(cases.iter().flatten().copied()).collect();
        device.queue.write_buffer(&request, 0, bytemuck::cast_slice(&words));
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &bindings, &[]);
        pass.dispatch_workgroups((cases.len() as u32).div_ceil(GROUP), 1, 1);
        drop(pass);
        let piece = BufferRange { buffer: &results, at: 0, words: cases.len() };
        let found = device.read_after(encoder, &[piece]).await?;
        reports.push(judge(operation, &cases, &found));
    }
    device.check()?;
    Ok(reports)
}

/// Compares the results of a device with those of the CPU.
fn judge(operation: &Operation, cases: &[[u32; 3]], found: &[u32]) -> OperationReport {
    let is_nan = |word: u32| operation.is_number && f32::from_bits(word).is_nan();
    let mut report = OperationReport { operation: operation.name, cases: 0, different: 0, fused: 0, first: None };
    for (case, found) in cases.iter().zip(found) {
        let Some(expected) = (operation.expected)(*case) else { continue };
        report.cases += 1;
        if expected == *found || (is_nan(expected) && is_nan(*found)) {
            continue;
        }
        report.different += 1;
        report.fused += usize::from(operation.arity == 3 && *found == fused(*case));
        report.first.get_or_insert_with(|| OperationDifference {
            inputs: case[..operation.arity].to_vec(),
            expected,
            found: *found,
        });
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> &'static Operation {
        OPERATIONS.iter().find(|of| of.name == name).unwrap_or_else(|| panic!("there is no {name}"))
    }

    /// What a device reports that computes like this.
    fn judged(name: &str, device: impl Fn([u32; 3]) -> u32) -> OperationReport {
        let cases = cases::of(of(name));
        judge(of(name), &cases, &cases.iter().map(|case| device(*case)).collect::<Vec<_>>())
    }

    #[test]
    fn the_cpu_agrees_with_itself_in_thousands_of_cases() {
        for operation in &OPERATIONS {
            let report = judged(operation.name, |case| (operation.expected)(case).unwrap_or(7));
            assert!(report.cases >= 400, "{}: {} cases", operation.name, report.cases);
            assert_eq!((report.different, report.first), (0, None), "{}", operation.name);
        }
        let all: usize = OPERATIONS.iter().map(|operation| cases::of(operation).len()).sum();
        assert!(all > 60_000, "{all} cases");
    }

    /// Every WebGPU has `pack2x16float`; in naga it is a capability, which native devices without it lack.
    #[test]
    fn the_kernel_is_valid_and_has_every_operation() {
        use naga::valid::{Capabilities, ValidationFlags, Validator};
        let text = shader!("probe");
        let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
        let checked = Validator::new(ValidationFlags::all(), Capabilities::SHADER_FLOAT16_IN_FLOAT32).validate(&module);
        checked.unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
        let last = OPERATIONS.iter().map(|operation| operation.number).max().unwrap_or(0);
        for number in OPERATIONS.iter().map(|operation| operation.number).filter(|number| *number < last) {
            assert!(text.contains(&format!("case {number}u:")), "there is no operation {number}");
        }
    }

    #[test]
    fn fused_products_are_recognised() {
        let report = judged("a*b+c", fused);
        assert!(report.different > 100 && report.fused == report.different, "{report:?}");
        let first = report.first.expect("one differs");
        assert_eq!((first.inputs.len(), first.found), (3, fused([first.inputs[0], first.inputs[1], first.inputs[2]])));
        let line = serde_json::to_string(&first).expect("words");
        assert!(line.contains("\"inputs\":[\"0x") && line.contains("\"expected\":\"0x"), "{line}");
    }

    #[test]
    fn subnormal_numbers_in_place_of_which_is_0_are_recognised() {
        let flush = |word: u32| if word & 0x7f80_0000 == 0 { word & 0x8000_0000 } else { word };
        let flushed = |[a, b, c]: [u32; 3]| flush((of("a+b").expected)([flush(a), flush(b), c]).unwrap_or(0));
        assert_eq!(judged("a+b", flushed).different, 0);
        assert!(judged("a+b, subnormal", flushed).different > 100);
    }

    #[test]
    fn one_nan_is_as_good_as_another_but_not_as_a_word() {
        let nan = |name: &str| {
            judged(name, |case| {
                if (of(name).expected)(case).is_some_and(|word| f32::from_bits(word).is_nan()) {
                    0x7fc1_2345
                } else {
                    (of(name).expected)(case).unwrap_or(0)
                }
            })
        };
        assert_eq!(nan("sqrt(a)").different, 0);
        assert!(nan("exact(word)").different > 0);
    }

    /// What kernels rely on: `exact` sums and products of normal numbers, words that stay as they are.
    #[test]
    fn the_device_of_this_machine_rounds_what_kernels_rely_on() {
        let device = match pollster::block_on(Device::open()) {
            Ok(device) => device,
            Err(error) => {
                assert!(std::env::var_os("SPIKELET_REQUIRE_ADAPTER").is_none(), "{error}");
                return println!("skipped: no adapter ({error})");
            }
        };
        let reports = pollster::block_on(probe(&device)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(reports.len(), OPERATIONS.len());
        for report in reports {
            println!("{report:?}");
            let relied_on = ["a+b", "a-b", "a*b", "exact(exact(a*b)+c)", "select(a,b,b<a)", "f32(i32)", "exact(word)"];
            let judged = device.report().software && relied_on.contains(&report.operation);
            assert!(!judged || report.different == 0, "{report:?}");
        }
    }
}
