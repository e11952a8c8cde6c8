//! Every kernel is valid WGSL of the portable core, and its bindings are those that the Rust side makes. No device is needed.

use std::collections::BTreeSet;
use std::path::Path;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use spikelet::lang::term::Function;
use spikelet::lang::wgsl::Arithmetic;
use spikelet::{Network, Plan, catalogue};
use spikelet_gpu::Fusion;
use spikelet_gpu::kernels::{self, KernelText};

/// Parses and validates; empty capabilities are the portable subset.
fn valid(text: &str) -> naga::Module {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    checked.unwrap_or_else(|error| panic!("{}\n{text}", error.emit_to_string(text)));
    module
}

/// The networks of `tests/networks`, which use every kind of code between them.
fn small_networks() -> Vec<Network> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/networks");
    let files = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let network = |path: &Path| {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Network::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    files.flatten().map(|file| network(&file.path())).collect()
}

fn all_kernels() -> Vec<(String, KernelText)> {
    let catalogue = catalogue::entries().iter().map(|entry| entry.network(entry.small));
    let mut kernels: Vec<(String, KernelText)> = Vec::new();
    for network in catalogue.chain(small_networks().into_iter().map(Ok)) {
        let network = network.unwrap_or_else(|error| panic!("{error}"));
        let plan = Plan::new(&network).unwrap_or_else(|error| panic!("{}: {error}", network.name));
        let texts = kernels::of_epoch(&plan, Arithmetic::Exact).unwrap_or_else(|error| panic!("{}: {error}", network.name));
        let fused = [Fusion::Steps, Fusion::All].map(|fusion| {
            kernels::of_submission(&plan, Some(fusion), Arithmetic::Exact)
                .unwrap_or_else(|error| panic!("{}: {error}", network.name))
        });
        let fast =
            kernels::of_submission(&plan, None, Arithmetic::Fast).unwrap_or_else(|error| panic!("{}: {error}", network.name));
        let all = texts.into_iter().chain(fused.into_iter().flatten()).chain(fast);
        kernels.extend(all.map(|text| (format!("{}, {}", network.name, text.entry_point), text)));
    }
    kernels
}

/// Every function of the language is printed as one of the kernel's.
#[test]
fn every_function_is_there() {
    let written =
        Function::written().map(Function::row).map(|row| format!("{}({})", row.name, vec!["x"; row.arguments].join(", ")));
    let update: Vec<String> = written.chain(["x**x".to_owned()]).map(|call| format!("x = x + {call}")).collect();
    let json = format!(
        r#"{{"name": "functions", "dt_ms": 1, "duration_ms": 1, "populations": [{{"name": "n", "size": 10,
            "equations": "x : 1", "update": "{}"}}]}}"#,
        update.join("\\n")
    );
    let network = Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan::new(&network).unwrap_or_else(|error| panic!("{error}"));
    for arithmetic in [Arithmetic::Exact, Arithmetic::Fast] {
        let kernels = kernels::of_epoch(&plan, arithmetic).unwrap_or_else(|error| panic!("{error}"));
        valid(&kernels[0].wgsl);
    }
}

#[test]
fn every_kernel_is_valid() {
    let mut met = BTreeSet::new();
    for (name, text) in all_kernels() {
        println!("{name}");
        let module = valid(&text.wgsl);
        assert_eq!(module.entry_points.len(), 1, "{name}");
        assert_eq!(module.entry_points[0].name, text.entry_point, "{name}");
        let wide = matches!(text.entry_point, "single" | "steps") || text.entry_point.starts_with("select_");
        let size = if wide { 256 } else { 64 };
        assert_eq!(module.entry_points[0].workgroup_size, [size, 1, 1], "{name}");
        met.insert(text.entry_point);
    }
    let all = [
        "begin_step",
        "copy",
        "integrate_traces",
        "neurons",
        "on_spike_by_post",
        "on_spike_by_spike",
        "on_spike_serial",
        "procedural",
        "propagate",
        "sample",
        "select_count",
        "select_digit",
        "select_emit",
        "select_fire",
        "select_sum",
        "single",
        "start",
        "steps",
        "sum_inputs",
        "synapse_step",
        "update",
        "update_traces",
    ];
    assert_eq!(met.into_iter().collect::<Vec<_>>(), all, "these kernels were seen");
}

#[test]
fn kernels_bind_what_the_rust_side_makes() {
    let names = ["header", "tables", "clocks", "state", "ring", "rows", "spikes", "samples"];
    for (kernel, text) in all_kernels() {
        let module = valid(&text.wgsl);
        for (_, variable) in module.global_variables.iter() {
            let Some(binding) = variable.binding else { continue };
            let name = variable.name.as_deref().unwrap_or("");
            if let naga::AddressSpace::Storage { access } = variable.space {
                assert_eq!((binding.group, names[binding.binding as usize]), (0, name), "{kernel}");
                let writable = access.contains(naga::StorageAccess::STORE);
                assert_eq!(kernels::WRITABLE[binding.binding as usize], writable, "{kernel}: {name}");
            } else {
                assert_eq!((binding.group, binding.binding, name), (1, 0, "dispatched"), "{kernel}");
            }
        }
    }
}

/// What sums up an array stands beside all epochs: it binds three buffers of its own.
#[test]
fn the_kernel_of_statistics_is_valid() {
    let text = kernels::histogram();
    let module = valid(&text.wgsl);
    assert_eq!((module.entry_points.len(), module.entry_points[0].name.as_str()), (1, text.entry_point));
    let bindings = module.global_variables.iter().filter_map(|(_, variable)| {
        let naga::AddressSpace::Storage { access } = variable.space else { return None };
        Some((variable.binding?.binding, variable.name.as_deref()?, access.contains(naga::StorageAccess::STORE)))
    });
    assert_eq!(bindings.collect::<Vec<_>>(), [(0, "request", false), (1, "values", false), (2, "histogram", true)]);
    let report = spikelet_gpu::validate_kernel("histogram", &text.wgsl, None);
    assert!(report.valid, "{:?}", report.issues);
}

/// Rounds of assemblies have bindings of their own: a uniform buffer, and seven others.
#[test]
fn the_kernels_of_assemblies_are_valid() {
    for text in kernels::assemblies() {
        let module = valid(&text.wgsl);
        assert!(module.entry_points.iter().any(|entry| entry.name == text.entry_point), "{}", text.entry_point);
        let report = spikelet_gpu::validate_kernel(text.entry_point, &text.wgsl, None);
        assert!(report.valid, "{}: {:?}", text.entry_point, report.issues);
    }
}

/// What is told apart by its job alone is one kernel: it is compiled once, and kept when a network is loaded again.
#[test]
fn kernels_name_no_place() {
    let network = |sizes: [u32; 2]| {
        let [first, second] = sizes;
        let json = format!(
            r#"{{"name": "two", "dt_ms": 0.1, "duration_ms": 1, "populations": [
                {{"name": "a", "size": {first}, "model": "lif_exp"}}, {{"name": "b", "size": {second}, "model": "lif_exp"}}],
              "projections": [
                {{"name": "ab", "pre": "a", "post": "b", "connect": {{"rule": "all"}}, "equations": "x : 1",
                  "on_pre": "x += 1\nge_post += x*mV"}},
                {{"name": "ba", "pre": "b", "post": "a", "connect": {{"rule": "all"}}, "equations": "x : 1",
                  "on_pre": "x += 1\nge_post += x*mV", "delay_ms": 3}}]}}"#
        );
        let network = Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
        Plan::new(&network).and_then(|plan| kernels::of_epoch(&plan, Arithmetic::Exact)).unwrap_or_else(|error| panic!("{error}"))
    };
    let kernels = network([10, 20]);
    assert_eq!(kernels, network([130, 7]));
    let names: Vec<&str> = kernels.iter().map(|text| text.entry_point).collect();
    assert_eq!(names, ["neurons", "on_spike_by_spike", "on_spike_by_spike", "propagate"]);
    assert_eq!(kernels[1], kernels[2]);
}

#[test]
fn the_header_has_the_fields_of_the_rust_side() {
    let propagate = all_kernels().into_iter().find(|(_, text)| text.entry_point == "propagate");
    let module = valid(&propagate.unwrap_or_else(|| panic!("there is no `propagate`")).1.wgsl);
    for (name, expected) in [("Header", kernels::HEADER_FIELDS), ("Progress", kernels::PROGRESS_FIELDS)] {
        let found = module.types.iter().find(|(_, of)| of.name.as_deref() == Some(name));
        let Some((_, naga::Type { inner: naga::TypeInner::Struct { members, .. }, .. })) = found else {
            panic!("there is no {name}")
        };
        let fields: Vec<&str> = members.iter().filter_map(|member| member.name.as_deref()).collect();
        assert_eq!(fields, expected);
        assert!(members.iter().zip(0..).all(|(member, k)| member.offset == 4 * k), "the fields are words, one after the other");
    }
}
