//! Checks of kernels without a device, with the positions of errors.

use spikelet::lang::wgsl::Arithmetic;
use spikelet::{Error, Plan};
use wgpu::naga;

use crate::{AdapterReport, Fusion, kernels};

/// The results for a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelReport {
    /// Its entry point, with a number if a plan has several of that name.
    pub name: String,
    /// Whether there are no errors.
    pub valid: bool,
    /// The errors.
    pub issues: Vec<KernelIssue>,
}

/// An error in a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelIssue {
    /// The error, as a sentence.
    pub message: String,
    /// 1-based, if there is a position.
    pub line: Option<u32>,
    /// 1-based, in bytes.
    pub column: Option<u32>,
    /// The line, trimmed.
    pub source: String,
}

/// The limits of kernels, and their source.
#[derive(Debug, Clone)]
struct KernelLimits {
    who: String,
    storage_buffers: u64,
    workgroup_bytes: u64,
    invocations: u64,
}

impl KernelLimits {
    /// The limits of every device with WebGPU.
    fn portable() -> KernelLimits {
        KernelLimits {
            who: "the portable core of WebGPU".into(),
            storage_buffers: 8,
            workgroup_bytes: 16 << 10,
            invocations: 256,
        }
    }

    fn of(adapter: &AdapterReport) -> KernelLimits {
        KernelLimits {
            who: adapter.name.clone(),
            storage_buffers: adapter.limit("maxStorageBuffersPerShaderStage"),
            workgroup_bytes: adapter.limit("maxComputeWorkgroupStorageSize"),
            invocations: adapter.limit("maxComputeInvocationsPerWorkgroup").min(adapter.limit("maxComputeWorkgroupSizeX")),
        }
    }
}

/// Checks every kernel of a plan against WGSL, against the portable subset, and against an adapter, if given. None is executed.
///
/// # Errors
/// The plan cannot be laid out for a GPU.
pub fn validate(plan: &Plan, adapter: Option<&AdapterReport>) -> Result<Vec<KernelReport>, Error> {
    let mut texts = kernels::of_submission(plan, Some(Fusion::None), Arithmetic::Exact)?;
    let fused = kernels::of_submission(plan, None, Arithmetic::Exact)?;
    texts.extend(fused.into_iter().filter(|text| matches!(text.entry_point, "steps" | "single")));
    if !plan.statistics.is_empty() {
        texts.push(kernels::histogram());
    }
    let count = |name: &str| texts.iter().filter(|text| text.entry_point == name).count();
    let named = |(index, text): (usize, &kernels::KernelText)| {
        let name = match count(text.entry_point) {
            1 => text.entry_point.to_owned(),
            _ => {
                let before = texts[..index].iter().filter(|other| other.entry_point == text.entry_point).count();
                format!("{} {}", text.entry_point, before + 1)
            }
        };
        validate_kernel(&name, &text.wgsl, adapter)
    };
    Ok(texts.iter().enumerate().map(named).collect())
}

/// Checks one kernel.
pub fn validate_kernel(name: &str, wgsl: &str, adapter: Option<&AdapterReport>) -> KernelReport {
    let mut issues = directives(wgsl);
    match naga::front::wgsl::parse_str(wgsl) {
        Ok(module) => {
            let flags = naga::valid::ValidationFlags::all();
            // No capability beyond the core.
            let checked = naga::valid::Validator::new(flags, naga::valid::Capabilities::empty()).validate(&module);
            if let Err(error) = checked {
                let place = error.spans().next().map(|(span, _)| span.location(wgsl));
                issues.push(issue(wgsl, causes(error.as_inner()), place));
            }
            for bounds in [Some(KernelLimits::portable()), adapter.map(KernelLimits::of)].into_iter().flatten() {
                issues.extend(beyond(wgsl, &module, &bounds));
            }
        }
        Err(error) => issues.push(issue(wgsl, error.message().to_owned(), error.location(wgsl))),
    }
    KernelReport { name: name.to_owned(), valid: issues.is_empty(), issues }
}

fn issue(wgsl: &str, message: String, place: Option<naga::SourceLocation>) -> KernelIssue {
    let line = place.map(|place| place.line_number);
    let source = line.and_then(|line| wgsl.lines().nth(line as usize - 1)).unwrap_or("").trim().to_owned();
    KernelIssue { message, line, column: place.map(|place| place.line_position), source }
}

/// An error with all its causes.
fn causes(error: &dyn std::error::Error) -> String {
    let mut sentences = vec![error.to_string()];
    let mut cause = error.source();
    while let Some(error) = cause {
        sentences.push(error.to_string());
        cause = error.source();
    }
    sentences.join(": ")
}

/// Extensions in a kernel: the subset has none.
fn directives(wgsl: &str) -> Vec<KernelIssue> {
    let asks = |line: &str| ["enable", "requires"].iter().any(|word| line.split_whitespace().next() == Some(word));
    let found = wgsl.lines().zip(1..).filter(|(line, _)| asks(line));
    found
        .map(|(line, number)| KernelIssue {
            message: "kernels must be core WGSL without extensions; rewrite it without them".to_owned(),
            line: Some(number),
            column: Some((line.len() - line.trim_start().len() + 1) as u32),
            source: line.trim().to_owned(),
        })
        .collect()
}

/// Resources of a kernel beyond `bounds`.
fn beyond(wgsl: &str, module: &naga::Module, bounds: &KernelLimits) -> Vec<KernelIssue> {
    let mut issues = Vec::new();
    let mut hold = |what: &str, found: u64, most: u64, span: Option<naga::Span>| {
        if found > most {
            let message = format!("{what}: {found}; {} allows {most}", bounds.who);
            issues.push(issue(wgsl, message, span.map(|span| span.location(wgsl))));
        }
    };
    let of_space = |is: fn(naga::AddressSpace) -> bool| {
        let variables = module.global_variables.iter().filter(move |(_, of)| is(of.space));
        let bytes = |of: &naga::GlobalVariable| u64::from(module.types[of.ty].inner.size(module.to_ctx()));
        variables.map(|(handle, of)| (bytes(of), module.global_variables.get_span(handle))).collect::<Vec<_>>()
    };
    let storage = of_space(|space| matches!(space, naga::AddressSpace::Storage { .. }));
    let last = storage.last().map(|(_, span)| *span);
    hold("storage buffers", storage.len() as u64, bounds.storage_buffers, last);
    let shared = of_space(|space| space == naga::AddressSpace::WorkGroup);
    let largest = shared.iter().max_by_key(|(bytes, _)| *bytes).map(|(_, span)| *span);
    hold("bytes of workgroup memory", shared.iter().map(|(bytes, _)| bytes).sum(), bounds.workgroup_bytes, largest);
    for entry in &module.entry_points {
        let invocations = entry.workgroup_size.iter().map(|size| u64::from(*size)).product();
        hold(&format!("invocations of a workgroup of `{}`", entry.name), invocations, bounds.invocations, None);
    }
    issues
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
var<workgroup> shared_words: array<u32, 64>;
@compute @workgroup_size(64) fn main(@builtin(local_invocation_index) i: u32) { shared_words[i] = a[i]; a[i] = shared_words[i] + 1u; }
";

    fn issues(wgsl: &str) -> Vec<(String, Option<u32>, Option<u32>, String)> {
        let report = validate_kernel("main", wgsl, None);
        assert_eq!(report.valid, report.issues.is_empty());
        report.issues.into_iter().map(|of| (of.message, of.line, of.column, of.source)).collect()
    }

    #[test]
    fn a_good_kernel_has_no_issues() {
        assert_eq!(issues(GOOD), []);
    }

    #[test]
    fn a_slip_has_its_place_and_its_line() {
        let [(message, line, column, source)] = &issues(&GOOD.replace("a[i] = shared", "a[i] = ; shared"))[..] else { panic!() };
        assert!(message.contains("expected"), "{message}");
        assert_eq!((*line, column.is_some()), (Some(3), true));
        assert!(source.starts_with("@compute"), "{source}");
        // Errors of validation after parsing.
        let [(message, line, ..)] = &issues(&GOOD.replace("+ 1u", "+ 1.5f"))[..] else { panic!() };
        assert!(!message.is_empty() && *line == Some(3), "{message} {line:?}");
    }

    #[test]
    fn what_the_portable_subset_lacks_is_an_issue() {
        let one = |wgsl: &str, part: &str| {
            let found = issues(wgsl);
            assert!(found.iter().any(|(message, ..)| message.contains(part)), "{part}: {found:?}");
        };
        one(&format!("enable f16;\n{GOOD}"), "without extensions");
        one(&GOOD.replace("64>", "5000>"), "bytes of workgroup memory: 20000; the portable core of WebGPU allows 16384");
        one(&GOOD.replace("(64)", "(512)"), "invocations of a workgroup of `main`: 512; the portable core of WebGPU allows 256");
        let buffers: String = (1..9).map(|k| format!("@group(0) @binding({k}) var<storage> b{k}: array<u32>;\n")).collect();
        one(&format!("{buffers}{GOOD}"), "storage buffers: 9; the portable core of WebGPU allows 8");
    }

    #[test]
    fn an_adapter_forbids_what_it_lacks() {
        let limit = |name, requested| crate::LimitReport { name, unit: "", available: requested, requested };
        let adapter = AdapterReport {
            name: "small".into(),
            api: "Vulkan".into(),
            kind: "GPU",
            driver: String::new(),
            vendor_id: None,
            device_id: None,
            software: false,
            memory: None,
            limits: vec![
                limit("maxStorageBuffersPerShaderStage", 8),
                limit("maxComputeWorkgroupStorageSize", 16384),
                limit("maxComputeInvocationsPerWorkgroup", 32),
                limit("maxComputeWorkgroupSizeX", 32),
            ],
            features: Vec::new(),
        };
        let found = validate_kernel("main", GOOD, Some(&adapter)).issues;
        let messages: Vec<&str> = found.iter().map(|issue| issue.message.as_str()).collect();
        assert_eq!(messages, ["invocations of a workgroup of `main`: 64; small allows 32"]);
    }
}
