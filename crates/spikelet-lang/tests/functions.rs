//! The functions of the language: what they take, and what is said of others.

use spikelet_lang::functions::{Dimensions, Finite, Function};
use spikelet_lang::host;
use spikelet_lang::{NeuronText, PopulationLayout, Quantities, check_neuron, wgsl};

/// The kernel of a neuron that computes `value`, or what is wrong with it.
fn printed(value: &str) -> Result<String, String> {
    let text = NeuronText { equations: "v : volt\nx : 1".into(), update: Some(format!("x = {value}")), ..NeuronText::default() };
    let model = check_neuron(&text, &Quantities::default().dimensions()).map_err(|found| found[0].to_string())?;
    let program = model.compile(&PopulationLayout::uniform()).map_err(|found| found.to_string())?;
    Ok(wgsl::print(&program, wgsl::Arithmetic::Exact).update)
}

#[test]
fn pure_functions_refuse_dimensions() {
    let pure = Function::written().filter(|function| function.row().dimensions == Dimensions::Pure);
    for (name, function, count) in pure.map(|function| (function.row().name, function, function.row().arguments)) {
        let arguments = |last: &str| [vec!["x"; count - 1], vec![last]].concat().join(", ");
        printed(&format!("{name}({})", arguments("x"))).unwrap_or_else(|found| panic!("{found}"));
        let found = printed(&format!("{name}({})", arguments("v"))).err().unwrap_or_default();
        if function != Function::Int || count == 1 {
            assert!(found.contains(&format!("`{name}` takes a pure number, `v` is")), "{name}: {found}");
        }
    }
}

#[test]
fn counts_draw_a_number_of_their_own() {
    let text = printed("poisson(x) + poisson(x) + binomial(5, 0.1*x) + rand()").unwrap_or_else(|found| panic!("{found}"));
    for call in [
        "poisson32(c0, ",
        "binomial32(5.0f, ",
        "random_uniform(0u)",
        "random_uniform(1u)",
        "random_uniform(2u)",
        "random_uniform(3u)",
    ] {
        assert!(text.contains(call), "{call} in {text}");
    }
    assert_eq!(text.matches("poisson32").count(), 2, "{text}");
    let found = printed("binomial(x)").err().unwrap_or_default();
    assert!(found.contains("`binomial` takes 2 arguments, found 1."), "{found}");
}

#[test]
fn powers_are_products_roots_or_calls() {
    for (value, expected) in
        [("x**3", "exact(c0 * c0)"), ("x**0.5", "sqrt32(c0)"), ("x**(-1.5)", "power32(c0, -1.5f)"), ("2**x", "power32(2.0f, c0)")]
    {
        let text = printed(value).unwrap_or_else(|found| panic!("{found}"));
        assert!(text.contains(expected), "{value} is {text}");
    }
}

#[test]
fn names_of_other_languages_are_translated() {
    for (elsewhere, here) in Function::ELSEWHERE {
        let found = printed(&format!("{elsewhere}(x)")).err().unwrap_or_default();
        assert!(
            found.contains(&format!("there is no function `{elsewhere}`")) && found.contains(&format!("Write `{here}`.")),
            "{found}"
        );
    }
    let found = printed("x + s").err().unwrap_or_default();
    assert!(found.contains("If it is the unit, write `second`"), "{found}");
    let found = printed("arcsine(x)").err().unwrap_or_default();
    assert!(found.contains("Did you mean `arcsin`?"), "{found}");
}

/// What a row says holds for the values of its function.
#[test]
fn rows_are_true() {
    for function in Function::written() {
        let row = function.row();
        assert_eq!(Function::named(row.name), Some(function), "two functions are called `{}`", row.name);
        if row.arguments != 1 || row.is_random {
            continue;
        }
        for k in -2000..=2000 {
            let x = f64::from(k) * 0.01 * 10_f64.powi(k % 5);
            let value = host::call(function, &[x]);
            let is_inside = row.range.is_none_or(|[low, high]| value.is_nan() || (low..=high).contains(&value));
            assert!(is_inside, "{}({x}) = {value} is outside of {:?}", row.name, row.range);
            assert!(row.finite != Finite::Everywhere || value.is_finite(), "{}({x}) = {value} is not finite", row.name);
            assert!(!row.is_stepwise || value == libm::trunc(value), "{}({x}) = {value} is no step", row.name);
        }
    }
}

#[test]
fn infinite_arguments_give_the_limit_of_a_function() {
    let infinite = |value: &str| printed(value).err().unwrap_or_default();
    for (value, same) in
        [("exp(-inf) + x", "x"), ("arctan(inf)*x", "pi/2*x"), ("x/sqrt(inf)", "0"), ("expm1(-inf) + x", "-1 + x")]
    {
        assert_eq!(printed(value).err(), None, "{value}");
        assert_eq!(printed(value), printed(same), "{value}");
    }
    for value in ["sin(inf)", "sqrt(inf)", "x + log(-inf)"] {
        assert!(infinite(value).contains("is not a finite number"), "{value}: {}", infinite(value));
    }
}
