//! Values that can be changed as the network runs.

use leptos::prelude::*;
use spikelet_js::protocol::Parameter;
use spikelet_lang::quantity::constant;

use super::super::{of_current, parameters::Range, studio};
use crate::{
    network::Object,
    session::{parameters, same},
    studio::Studio,
};

/// The parameter of the running network with the name of a value, if the object is the one that runs.
fn live(studio: Studio, object: Object, name: &str) -> Option<Parameter> {
    let path = studio.equations.with(|equations| {
        let network = equations.network().filter(|_| equations.is_live(object))?;
        Some(format!("{}.{name}", object.name(network)?))
    })?;
    studio.session.with(|session| {
        let current = session.current.as_ref()?;
        parameters(&current.opened).find(|parameter| parameter.path == path).cloned()
    })
}

/// The slider of a value; nothing if it cannot be changed as the network runs.
#[component]
pub(in crate::views) fn LiveRange(object: Object, #[prop(into)] name: String) -> impl IntoView {
    let studio = studio();
    let id = of_current(|current| current.opened.id);
    let parameter = Memo::new(move |_| {
        id.get();
        // Its value changes without a new slider.
        live(studio, object, &name).map(|parameter| Parameter { value: parameter.min, ..parameter })
    });
    move || parameter.get().map(|parameter| view! { <Range parameter /> })
}

/// A value was typed to the end: a number is set in the running network at once, all else waits for the next run.
pub(in crate::views) fn apply(studio: Studio, object: Object, name: &str, text: &str) {
    let Some(parameter) = untrack(|| live(studio, object, name)) else { return };
    if let Some(value) = in_unit(text, &parameter.unit)
        && !same(value, parameter.value)
    {
        studio.set(&parameter.path, value);
    }
}

/// A number with a unit as a multiple of another unit of the same dimension.
fn in_unit(text: &str, unit: &str) -> Option<f64> {
    let (value, dimension) = constant("", text).ok()?;
    let (one, wanted) = if unit.is_empty() { constant("", "1").ok()? } else { constant("", &format!("1 {unit}")).ok()? };
    (dimension == wanted).then_some(value / one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_converted_and_expressions_wait() {
        assert_eq!(in_unit("15 ms", "ms"), Some(15.0));
        assert_eq!(in_unit("0.02 second", "ms"), Some(20.0));
        assert_eq!(in_unit("100 Mohm", "MΩ"), Some(100.0));
        assert_eq!(in_unit("0.5", ""), Some(0.5));
        for text in ["15 mV", "15", "", "(70 + i)*ms", "normal(1 ms, 1 ms)"] {
            assert_eq!(in_unit(text, "ms"), None, "{text}");
        }
    }
}
