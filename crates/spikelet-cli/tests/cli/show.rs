//! `spikelet show` as a user meets it.

use std::process::{Command, Output};

fn show(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spikelet")).arg("show").args(arguments).output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the program writes UTF-8")
}

/// What it prints when all is well.
fn shown(arguments: &[&str]) -> String {
    let output = show(arguments);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{arguments:?}");
    text(&output.stdout)
}

#[test]
fn a_model_is_shown_in_full() {
    let page = shown(&["model", "lif_exp"]);
    let lines = [
        "lif_exp: Leaky integrate-and-fire cell with exponential currents",
        "Vogels & Abbott 2005",
        "  dge/dt = -ge/taue : volt",
        "threshold\n  v > Vt",
        "reset\n  v = Vr",
        "refractory\n  tref",
        "method\n  exact (set by the model)",
        "initial values\n",
        "  name  default  range",
        "  taum  20       2 to 60     ms    membrane time constant",
    ];
    for line in lines {
        assert!(page.contains(line), "{line} in:\n{page}");
    }
    assert!(!page.contains("\npresets") && page.lines().all(|line| line == line.trim_end()), "{page}");

    let page = shown(&["model", "lif"]);
    assert!(page.contains("method\n  exact (chosen for these equations)"), "{page}");
    assert!(page.contains("presets\n") && page.contains("  tonic: ") && page.contains("      I = 200 pA"), "{page}");
    let page = shown(&["model", "izhikevich_2003"]);
    assert!(page.contains("update\n  I += noise*randn()") && !page.contains("\nmethod"), "{page}");
}

#[test]
fn a_model_has_other_forms() {
    let kernel = shown(&["model", "lif_exp", "--wgsl"]);
    // All of it: bindings, functions, the entry point, and this model's own lines.
    for piece in ["@group(0)", "fn flush(", "@compute", "var v_ge = ", "let fires = "] {
        assert!(kernel.contains(piece), "{piece} in:\n{kernel}");
    }
    let code = shown(&["model", "lif_exp", "--ir"]);
    for line in ["constants, the same for all", " = floor(tref / dt + 0.001)\n", "update\n  %0 = v\n", "  v := %", "  fires if %"]
    {
        assert!(code.contains(line), "{line} in:\n{code}");
    }
    let latex = shown(&["model", "lif_exp", "--latex"]);
    assert!(latex.starts_with("\\begin{aligned}\n\\frac{dv}{dt} &= "), "{latex}");
    assert!(latex.ends_with("\\end{aligned}\n") && latex.contains(r"\tau_{m}"), "{latex}");
}

#[test]
fn the_schema_of_networks_is_that_of_the_documents() {
    let schema = shown(&["schema"]);
    assert_eq!(schema, include_str!("../../../../docs/network.schema.json").replace("\r\n", "\n"));
}

#[test]
fn every_model_of_the_list_can_be_shown() {
    let list = Command::new(env!("CARGO_BIN_EXE_spikelet")).args(["list", "models", "--json"]).output();
    let list = list.expect("the program starts").stdout;
    let list: serde_json::Value = serde_json::from_slice(&list).expect("stdout is one JSON value");
    let names: Vec<&str> = list.as_array().expect("a list").iter().filter_map(|item| item["name"].as_str()).collect();
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        for form in [&[][..], &["--latex"], &["--ir"]] {
            let shown = shown(&[&["model", name], form].concat());
            assert!(shown.lines().count() >= 3, "{name} {form:?}: {shown}");
        }
    }
}

/// One clear sentence on stderr, nothing on stdout, and exit code 2.
#[test]
fn what_cannot_be_shown_is_refused() {
    for (arguments, sentence) in [
        (&["model", "lif_epx"][..], "there is no model `lif_epx`; did you mean `lif_exp`?"),
        (&["model", "zebra"], "there is no model `zebra`; see `spikelet list models`"),
        (&["model", "lif", "--ir", "--wgsl"], "cannot be used with"),
        (&["model"], "<NAME>"),
        (&["network", "cuba"], "unrecognized subcommand 'network'"),
    ] {
        let output = show(arguments);
        let message = text(&output.stderr);
        assert!(message.contains(sentence), "expected: {sentence}\n     got: {message}");
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), String::new()), "{sentence}");
        assert_eq!(message.matches("error:").count(), 1, "{message}");
    }
}
