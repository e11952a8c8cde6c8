//! Every kernel is valid WGSL of the portable core, and its bindings are those that the Rust side makes. No device is needed.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use spikelet::lang::term::Function;
use spikelet::{Network, Plan, catalogue};
use spikelet_gpu::kernels;

/// Parses and validates; empty capabilities are the portable subset.
fn valid(text: &str) -> naga::Module {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let checked = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    checked.unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    module
}

fn all_kernels() -> Vec<(String, String)> {
    let mut kernels = vec![("propagate".to_owned(), kernels::propagate())];
    for entry in catalogue::entries() {
        let network = catalogue::network(entry.name, 0.1).unwrap_or_else(|error| panic!("{error}"));
        let plan = Plan::new(&network).unwrap_or_else(|error| panic!("{error}"));
        kernels.extend(plan.populations.iter().map(|p| (format!("{}.{}", entry.name, p.name), kernels::neurons(&p.program))));
    }
    kernels
}

/// Every function of the language is printed as one of the kernel's.
#[test]
fn every_function_is_there() {
    let written = Function::ALL.map(|(name, _, count)| format!("{name}({})", vec!["x"; count].join(", ")));
    let update: Vec<String> = written.iter().map(String::as_str).chain(["x**x"]).map(|call| format!("x = x + {call}")).collect();
    let json = format!(
        r#"{{"name": "functions", "dt_ms": 1, "duration_ms": 1, "populations": [{{"name": "n", "size": 10,
            "equations": "x : 1", "update": "{}"}}]}}"#,
        update.join("\\n")
    );
    let network = Network::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
    let plan = Plan::new(&network).unwrap_or_else(|error| panic!("{error}"));
    valid(&kernels::neurons(&plan.populations[0].program));
}

#[test]
fn every_kernel_is_valid() {
    for (name, text) in all_kernels() {
        println!("{name}");
        let module = valid(&text);
        assert_eq!(module.entry_points.len(), 1, "{name}");
        assert_eq!(module.entry_points[0].workgroup_size, [64, 1, 1], "{name}");
    }
}

#[test]
fn kernels_use_no_more_than_eight_storage_buffers_under_known_names() {
    let names = ["header", "tables", "constants", "state", "ring", "rows", "spikes", "samples"];
    for (kernel, text) in all_kernels() {
        let module = valid(&text);
        let mut bound: Vec<(u32, String, bool)> = module
            .global_variables
            .iter()
            .filter_map(|(_, variable)| {
                let naga::AddressSpace::Storage { access } = variable.space else { return None };
                let binding = variable.binding?.binding;
                Some((binding, variable.name.clone()?, access.contains(naga::StorageAccess::STORE)))
            })
            .collect();
        bound.sort();
        for (binding, name, writable) in bound {
            assert_eq!(names[binding as usize], name, "{kernel}");
            assert_eq!(kernels::WRITABLE[binding as usize], writable, "{kernel}: {name}");
        }
    }
}

#[test]
fn the_header_has_the_fields_of_the_rust_side() {
    let module = valid(&kernels::propagate());
    let header = module.types.iter().find(|(_, of)| of.name.as_deref() == Some("Header"));
    let Some((_, naga::Type { inner: naga::TypeInner::Struct { members, .. }, .. })) = header else {
        panic!("there is no Header")
    };
    let fields: Vec<&str> = members.iter().filter_map(|member| member.name.as_deref()).collect();
    assert_eq!(fields, kernels::HEADER_FIELDS);
    assert!(members.iter().zip(0..).all(|(member, k)| member.offset == 4 * k), "the fields are words, one after the other");
}
