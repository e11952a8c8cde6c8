//! Results of a device as Markdown.

use super::report::Device;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A number with four digits, a whole one with its own.
fn short(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !value.is_finite() => "–".to_owned(),
        10_000.0.. => grouped(value.round()),
        _ if value.fract() == 0.0 => format!("{value}"),
        1000.0.. => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        10.0.. => format!("{value:.2}"),
        1.0.. => format!("{value:.3}"),
        _ => {
            let digits = (3.0 - size.log10().floor()).clamp(0.0, 9.0) as usize;
            format!("{value:.digits$}")
        }
    }
}

/// A whole number with commas.
fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        let left = digits.len() - place;
        if place > 0 && left.is_multiple_of(3) && digit.is_ascii_digit() && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn cell(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), short)
}

/// A number of a line, if it is known.
fn number(line: Option<&Value>, key: &str) -> Option<f64> {
    line?[key].as_f64()
}

fn text<'a>(line: &'a Value, key: &str) -> Option<&'a str> {
    line[key].as_str().filter(|text| !text.is_empty())
}

/// What no table may contain: the border of cells, and line breaks.
fn plain(text: &str) -> String {
    text.replace('|', "/").replace(['\n', '\r'], " ")
}

/// The section of a device in BENCHMARKS.md.
pub(super) fn section(device: &Device) -> String {
    let mut page = String::new();
    let _ = writeln!(page, "### {}\n\n{}\n", plain(&device.name()), conditions(device));
    for part in [correctness(device), speeds(device), values(device), profiles(device), constants(device), rest(device)] {
        if !part.is_empty() {
            let _ = writeln!(page, "{part}\n");
        }
    }
    page.trim_end().to_owned()
}

/// Dates and commands, the GPU and the machine.
fn conditions(device: &Device) -> String {
    let (adapter, machine) = (&device.adapter, &device.machine);
    let mut parts = vec![device.runs.join("; ")];
    parts.extend(text(adapter, "driver").map(|driver| format!("driver {driver}")));
    parts.extend(text(&device.report, "commit").map(|commit| format!("commit {commit}")));
    let threads = machine["threads"].as_u64().map(|threads| format!("{threads} threads"));
    let cpu = [text(machine, "cpu").map(str::to_owned), threads].into_iter().flatten().collect::<Vec<_>>().join(", ");
    parts.extend((!cpu.is_empty()).then(|| format!("CPU: {cpu}")));
    parts.extend(text(machine, "system").or(text(machine, "browser")).map(str::to_owned));
    let mut sentence = plain(&parts.join("; "));
    sentence.push('.');
    if device.rehearsal || device.is_software() {
        sentence.push_str(" **This is a rehearsal, or a software GPU: none of the numbers is a figure.**");
    }
    sentence
}

/// Operations, kernels and networks.
fn correctness(device: &Device) -> String {
    let mut lines = Vec::new();
    let operations: Vec<&Value> = device.of_kind("operation").collect();
    if !operations.is_empty() {
        let differs = |line: &&&Value| line["different"].as_u64() > Some(0);
        let names = |line: &&Value| {
            let [different, cases, fused] = ["different", "cases", "fused"].map(|key| line[key].as_u64().unwrap_or(0));
            let all_fused = if fused == different { ", a product and a sum rounded together" } else { "" };
            let first = &line["first"];
            let words = |value: &Value| match value {
                Value::Array(words) => words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
                other => other.as_str().unwrap_or_default().to_owned(),
            };
            let [inputs, expected, found] = ["inputs", "expected", "found"].map(|key| words(&first[key]));
            let first = format!("; first {inputs} gives {found} instead of {expected}");
            format!("`{}` ({different} of {cases}{all_fused}{first})", text(line, "operation").unwrap_or("?"))
        };
        let different: Vec<String> = operations.iter().filter(differs).map(names).collect();
        let of = operations.len();
        lines.push(match different.is_empty() {
            true => format!("* All {of} operations are rounded as on the CPU."),
            false => format!(
                "* {} of {of} operations are rounded as on the CPU; others: {}.",
                of - different.len(),
                different.join(", ")
            ),
        });
    }
    let kernels: Vec<&Value> = device.of_kind("kernels").collect();
    if !kernels.is_empty() {
        let failed = kernels.iter().filter(|line| !line["error"].is_null());
        let failed: Vec<String> = failed
            .map(|line| format!("{}: {}", text(line, "network").unwrap_or("?"), text(line, "error").unwrap_or("?")))
            .collect();
        let compiled: u64 = kernels.iter().filter_map(|line| line["compiled"].as_u64()).sum();
        let not = if failed.is_empty() { String::new() } else { format!("; not those of {}", failed.join("; ")) };
        lines.push(format!("* {compiled} kernels of {} networks compile{not}.", kernels.len() - failed.len()));
    }
    let networks: Vec<&Value> = device.of_kind("network").collect();
    if !networks.is_empty() {
        let different: Vec<String> = networks.iter().filter(|line| line["equal"] != true).map(|line| difference(line)).collect();
        let equal = networks.len() - different.len();
        let not = if different.is_empty() { String::new() } else { format!("; others: {}", different.join("; ")) };
        lines.push(format!("* Spikes and arrays are those of the CPU in {equal} of {} networks{not}.", networks.len()));
    }
    plain(&lines.join("\u{1}")).replace('\u{1}', "\n")
}

/// Where a network first differs.
fn difference(line: &Value) -> String {
    let (network, first) = (text(line, "network").unwrap_or("?"), &line["first"]);
    if first.is_null() {
        return format!("{network} ({})", text(line, "note").unwrap_or("the place is not known"));
    }
    let owner = text(first, "population").or(text(first, "projection")).unwrap_or("?");
    let [variable, cpu, gpu] = ["variable", "cpu", "gpu"].map(|key| text(first, key).unwrap_or("?"));
    format!("{network} (step {}, `{owner}.{variable}` of {}: {cpu} on the CPU, {gpu} on the GPU)", first["step"], first["neuron"])
}

/// The cases of figures, in their order, each once.
fn cases<'a>(device: &'a Device, has: &'a str) -> Vec<(&'a str, u64)> {
    let mut known = BTreeSet::new();
    let case = |line: &'a Value| Some((line["case"].as_str()?, line["trials"].as_u64().unwrap_or(1)));
    device
        .of_kind("figure")
        .filter(move |line| !line[has].is_null())
        .filter_map(case)
        .filter(move |case| known.insert(*case))
        .collect()
}

/// Networks that run, beside the CPU of the machine.
fn speeds(device: &Device) -> String {
    let row = |(case, trials): (&str, u64)| {
        let [gpu, cpu] = ["gpu", "cpu"].map(|on| device.figure(case, trials, on));
        let steps = [gpu, cpu].map(|line| number(line, "steps_per_s"));
        let ratio = steps[0].zip(steps[1]).map(|(gpu, cpu)| gpu / cpu);
        let hashes = gpu.zip(cpu).map(|(gpu, cpu)| (&gpu["hash"], &cpu["hash"]));
        let same = hashes.map_or("–", |(gpu, cpu)| if gpu == cpu { "yes" } else { "**no**" });
        let [factor, first] = ["real_time_factor", "first_spike_ms"].map(|key| cell(number(gpu, key)));
        let [on_gpu, on_cpu, ratio] = [steps[0], steps[1], ratio].map(cell);
        format!("| {case} | {trials} | {on_gpu} | {on_cpu} | {ratio} | {factor} | {first} | {same} |")
    };
    let rows: Vec<String> = cases(device, "steps_per_s").into_iter().map(row).collect();
    let heading = "| case | trials | GPU, steps/s | CPU, steps/s | ratio | GPU, real-time factor | GPU, first spike in ms | the same spikes |\n|---|---|---|---|---|---|---|---|";
    table(heading, &rows)
}

/// What has no steps.
fn values(device: &Device) -> String {
    let row = |(case, _): (&str, u64)| {
        let [gpu, cpu] = ["gpu", "cpu"].map(|on| device.figure(case, 1, on));
        let [on_gpu, on_cpu] = [gpu, cpu].map(|line| number(line, "value"));
        let unit = gpu.or(cpu).and_then(|line| text(line, "unit")).unwrap_or_default();
        // Of a time, less is faster.
        let is_time = !unit.ends_with("/s");
        let ratio = on_gpu.zip(on_cpu).map(|(gpu, cpu)| if is_time { cpu / gpu } else { gpu / cpu });
        format!("| {case} | {} | {} | {unit} | {} |", cell(on_gpu), cell(on_cpu), cell(ratio))
    };
    let rows: Vec<String> = cases(device, "value").into_iter().map(row).collect();
    table("| case | GPU | CPU | unit | times as fast |\n|---|---|---|---|---|", &rows)
}

/// Profiles: dispatches, gaps, bandwidth.
fn profiles(device: &Device) -> String {
    let row = |line: &Value| {
        let busy = number(Some(line), "busy").map_or("–".to_owned(), |busy| format!("{:.0} %", 100.0 * busy));
        let slowest = &line["kernels"][0];
        let share = number(Some(slowest), "share").map_or(String::new(), |share| format!(" {:.0} %", 100.0 * share));
        let kernel = text(slowest, "name").map_or("–".to_owned(), |name| format!("`{name}`{share}"));
        let giga = |value: Option<f64>| cell(value.map(|value| value / 1e9));
        let [dispatches, submissions] = ["dispatches_per_step", "submissions"].map(|key| cell(number(Some(line), key)));
        let rate = giga(number(Some(slowest), "bytes_per_second"));
        let copy = giga(number(Some(line), "copy_bytes_per_second"));
        let why = plain(text(line, "bottleneck").unwrap_or("–"));
        let case = text(line, "case").unwrap_or("?");
        format!("| {case} | {dispatches} | {submissions} | {busy} | {kernel} | {rate} | {copy} | {why} |")
    };
    let rows: Vec<String> = device.of_kind("profile").map(row).collect();
    let heading = "| profile | dispatches per step | submissions | busy | slowest kernel | its GB/s | GB/s of a copy | limit |\n|---|---|---|---|---|---|---|---|";
    table(heading, &rows)
}

/// The best values of constants.
fn constants(device: &Device) -> String {
    let row = |line: &Value| {
        let [option, case] = ["option", "case"].map(|key| text(line, key).unwrap_or("?"));
        let own = device.of_kind("tune").filter(|of| of["option"] == line["option"] && of["case"] == line["case"]);
        let tried = own.map(|of| format!("{}: {}", of["value"], cell(number(Some(of), "steps_per_s"))));
        let gain = number(Some(line), "gain").map_or("–".to_owned(), |gain| format!("{gain:.2}"));
        format!("| `{option}` | {case} | {} | {gain} | {} |", line["value"], tried.collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<String> = device.of_kind("best").map(row).collect();
    table("| constant | case | best | gain | steps/s of each value |\n|---|---|---|---|---|", &rows)
}

/// What was not measured.
fn rest(device: &Device) -> String {
    let item = |line: &Value| {
        let [step, case, end, reason] = ["step", "case", "end", "reason"].map(|key| text(line, key).unwrap_or_default());
        let end = if end == "limit" { "out of time" } else { reason };
        let name = [step, case].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
        format!("{name} ({})", plain(end))
    };
    let left: Vec<String> = device.of_kind("step").filter(|line| line["end"] != "done").map(item).collect();
    if left.is_empty() { String::new() } else { format!("Not measured: {}.", left.join(", ")) }
}

fn table(heading: &str, rows: &[String]) -> String {
    if rows.is_empty() { String::new() } else { format!("{heading}\n{}", rows.join("\n")) }
}

/// Rows of docs/placement.md: where the time is, and the bandwidth.
pub(super) fn of_placement(device: &Device) -> Vec<String> {
    let row = |line: &Value| {
        let slowest = &line["kernels"][0];
        let giga = |line: &Value, key: &str| cell(number(Some(line), key).map(|value| value / 1e9));
        let busy = number(Some(line), "busy").map_or("–".to_owned(), |busy| format!("{:.0} %", 100.0 * busy));
        let [submissions, dispatches] = ["submissions", "dispatches"].map(|key| cell(number(Some(line), key)));
        let kernel = text(slowest, "name").map_or("–".to_owned(), |name| format!("`{name}`"));
        let rate = giga(slowest, "bytes_per_second");
        let (name, case) = (plain(&device.name()), text(line, "case").unwrap_or("?"));
        format!(
            "| {name} | {case} | {submissions} | {dispatches} | {busy} | {kernel} | {rate} | {} |",
            giga(line, "copy_bytes_per_second")
        )
    };
    device.of_kind("profile").map(row).collect()
}

/// The row of docs/parity.md: some figures of each kind.
pub(super) fn of_parity(device: &Device) -> Vec<String> {
    let networks: Vec<bool> = device.of_kind("network").map(|line| line["equal"] == true).collect();
    let equal = networks.iter().filter(|equal| **equal).count();
    let same = if networks.is_empty() { "–".to_owned() } else { format!("{equal} of {}", networks.len()) };
    let steps = |case: &str, trials: u64| number(device.figure(case, trials, "gpu"), "steps_per_s");
    let trials = steps("cuba/published", 64).zip(steps("cuba/published", 1)).map(|(many, one)| many / one);
    let factor = cell(number(device.figure("pd14/full", 1, "gpu"), "real_time_factor"));
    let first = cell(number(device.figure("cuba/published", 1, "gpu"), "first_spike_ms"));
    let (million, trials) = (cell(steps("million/published", 1)), cell(trials));
    let rounds = cell(number(device.figure("assemblies/project", 1, "gpu"), "value"));
    vec![format!("| {} | {same} | {first} | {factor} | {million} | {trials} | {rounds} |", plain(&device.name()))]
}

/// Rows of docs/training.md: an epoch of each method.
pub(super) fn of_training(device: &Device) -> Vec<String> {
    let row = |(case, _): (&str, u64)| {
        let [gpu, cpu] = ["gpu", "cpu"].map(|on| number(device.figure(case, 1, on), "value"));
        let ratio = gpu.zip(cpu).map(|(gpu, cpu)| cpu / gpu);
        let threads = device.machine["threads"].as_u64().map_or("–".to_owned(), |threads| threads.to_string());
        let (name, case) = (plain(&device.name()), case.trim_start_matches("train/"));
        format!("| {name} | {case} | {} | {} | {threads} | {} |", cell(gpu), cell(cpu), cell(ratio))
    };
    cases(device, "value").into_iter().filter(|(case, _)| case.starts_with("train/")).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::report::{read, tests::SAMPLE};

    fn devices() -> Vec<Device> {
        let path =
            std::env::temp_dir().join(format!("spikelet-gpu-tables-{}-{:?}", std::process::id(), std::thread::current().id()));
        std::fs::write(&path, SAMPLE).expect("a file");
        let results = read(&path).expect("it is read");
        std::fs::remove_file(&path).expect("it goes");
        results.devices
    }

    #[test]
    fn a_section_says_all_of_it() {
        let page = section(&devices()[0]);
        for part in [
            "### NVIDIA H200 (vulkan)",
            "2026-11-28, `./run --seconds 400`; driver NVIDIA 570.86.15; commit 18cfb4f4; CPU: AMD EPYC 9654, 16 threads; Debian",
            "* 1 of 2 operations are rounded as on the CPU; others: `a*b+c` (600 of 4000, a product and a sum rounded together; first",
            "* 6 kernels of 2 networks compile; not those of waves: the GPU rejected a kernel: out of registers.",
            "1 of 2 networks; others: coba (step 12, `E.v` of 17: 0xbd800000 on the CPU, 0xbd800001 on the GPU).",
            "| cuba/published | 1 | 41,000 | 50,000 | 0.8200 | 0.2440 | 410.5 | yes |",
            "| cuba/published | 64 | 900,000 | – | – | 0.01110 | – | – |",
            "| pd14/full | 1 | 60,000 | 5000 | 12 | 0.1670 | 2500 | **no** |",
            "| train/yin-yang/bptt | 0.9000 | 1.800 | s/epoch | 2 |",
            "| cuba | 0.9000 | 40 | 83 % | `neurons` 61 % | 812 | 3900 | `neurons` takes 61 % |",
            "| `spike_teams` | pd14/full | 512 | 1.13 | 256: 60,000, 512: 67,800 |",
            "Not measured: networks waves (out of time), tune (out of time).",
        ] {
            assert!(page.contains(part), "{part} is not in:\n{page}");
        }
        assert!(!page.contains("rehearsal"));
    }

    #[test]
    fn rows_of_other_documents() {
        let devices = devices();
        let placement = of_placement(&devices[0]);
        assert_eq!(placement, ["| NVIDIA H200 (vulkan) | cuba | 40 | 18,000 | 83 % | `neurons` | 812 | 3900 |"]);
        let parity = of_parity(&devices[0]);
        assert_eq!(parity, ["| NVIDIA H200 (vulkan) | 1 of 2 | 410.5 | 0.1670 | 310 | 21.95 | – |"]);
        assert_eq!(of_training(&devices[0]), ["| NVIDIA H200 (vulkan) | yin-yang/bptt | 0.9000 | 1.800 | 16 | 2 |"]);
        assert!(of_training(&devices[1]).is_empty() && section(&devices[1]).contains("Chrome 145"));
    }

    #[test]
    fn numbers_have_four_digits() {
        let said = [0.0, 0.000_123_45, 0.5, 3.0, 123.456, 1234.5, 12_345.6, 1e9, f64::NAN, -12_345.0].map(short);
        assert_eq!(said, ["0", "0.0001234", "0.5000", "3", "123.5", "1234", "12,346", "1,000,000,000", "–", "-12,345"]);
    }
}
