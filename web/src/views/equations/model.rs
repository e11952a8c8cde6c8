//! The model, and its integration method.

use leptos::prelude::*;
use spikelet_lang::{
    Method,
    library::{self, LibraryModel},
};

use super::super::studio;
use super::mistakes::Mistakes;
use crate::equations::{Equations, Texts, check::PopulationPath, models};

/// The value of the menu for custom equations; no library model has that name.
const OWN: &str = "";

/// A library model, or custom equations.
#[component]
pub(in crate::views) fn ModelChooser() -> impl IntoView {
    let studio = studio();
    let chosen = Memo::new(move |_| {
        studio.equations.with(|equations| equations.shown().and_then(|shown| shown.model.clone()).unwrap_or_else(|| OWN.into()))
    });
    let has_own = Memo::new(move |_| chosen.read().is_empty() || studio.equations.with(Equations::has_own));
    let about = Memo::new(move |_| {
        let model = library::library(&chosen.read()).ok();
        model.map(|model| (model.about.clone(), model.citation.clone()))
    });
    let choose = move |name: String| {
        studio.edit(|equations| match name.as_str() {
            OWN => equations.choose_own(),
            name => equations.choose_model(name),
        });
    };
    let option = move |model: &'static LibraryModel| {
        view! {
            <option value=model.name.as_str() prop:selected=move || *chosen.read() == model.name>
                {model.title.as_str()}
            </option>
        }
    };
    view! {
        <div class="model">
            <label class="field" for="model">
                <span>"Model"</span>
                <select id="model" data-testid="model" on:change:target=move |change| choose(change.target().value())>
                    <optgroup label="Yours">
                        <option value=OWN prop:selected=move || chosen.read().is_empty()>
                            {move || if has_own.get() { "Custom equations" } else { "Custom, starting from these" }}
                        </option>
                    </optgroup>
                    {models::groups()
                        .into_iter()
                        .map(|(title, models)| {
                            view! { <optgroup label=title>{models.into_iter().map(option).collect_view()}</optgroup> }
                        })
                        .collect_view()}
                </select>
            </label>
            {move || {
                about
                    .get()
                    .map(|(about, citation)| {
                        view! {
                            <p class="about">{about}</p>
                            <p class="citation">{citation}</p>
                        }
                    })
            }}
            <PresetChooser />
        </div>
    }
}

/// A preset of the model; empty if it has none.
#[component]
fn PresetChooser() -> impl IntoView {
    let studio = studio();
    let names = Memo::new(move |_| {
        let model = studio.equations.with(|equations| equations.shown().and_then(|shown| shown.model.clone()));
        let model = model.and_then(|name| library::library(&name).ok());
        model.map(|model| model.presets.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    });
    let chosen = Memo::new(move |_| {
        studio.equations.with(|equations| equations.shown().and_then(|shown| shown.preset.clone()).unwrap_or_default())
    });
    let about = Memo::new(move |_| {
        let model = studio.equations.with(|equations| equations.shown().and_then(|shown| shown.model.clone()))?;
        let preset = library::library(&model).ok()?.presets.get(&*chosen.read())?.clone();
        Some(preset.about + &preset.citation.map(|citation| format!(" {citation}.")).unwrap_or_default())
    });
    let option = move |name: String, text: String| {
        let value = name.clone();
        view! {
            <option value=value prop:selected=move || *chosen.read() == name>
                {text}
            </option>
        }
    };
    view! {
        <Show when=move || !names.read().is_empty()>
            <label class="field preset" for="preset">
                <span>"Preset"</span>
                <select
                    id="preset"
                    data-testid="preset"
                    aria-describedby="preset-about"
                    on:change:target=move |change| {
                        let preset = change.target().value();
                        studio.edit(|equations| equations.choose_preset(&preset));
                    }
                >
                    {option(String::new(), "none (defaults)".into())}
                    {move || {
                        names.get().into_iter().map(|name| option(name.clone(), name.replace('_', " "))).collect_view()
                    }}
                </select>
            </label>
            <p class="about" id="preset-about">
                {move || about.get()}
            </p>
        </Show>
    }
}

/// The integration method, and the automatic choice.
#[component]
pub(super) fn MethodChooser() -> impl IntoView {
    let studio = studio();
    let asked = Memo::new(move |_| {
        studio.equations.with(|equations| equations.shown().map(|shown| Texts::of(shown).method).unwrap_or_default())
    });
    let used = Memo::new(move |_| studio.checked.with(|checked| checked.method.clone()));
    let integrated = move || match used.get() {
        Some(method) => format!("integration method: {method}"),
        None => String::new(),
    };
    let option = move |value: &'static str, text: &'static str| {
        view! {
            <option value=value prop:selected=move || *asked.read() == value>
                {text}
            </option>
        }
    };
    view! {
        <div class="text method">
            <label for="method">"Method"</label>
            <div class="chosen">
                <span class="field">
                    <select
                        id="method"
                        data-testid="method"
                        aria-describedby="integrated mistakes-method"
                        on:change:target=move |change| {
                            let method = change.target().value();
                            studio.edit(|equations| equations.choose_method(&method));
                        }
                    >
                        {option("", "automatic")}
                        {Method::ALL.map(|(name, _)| option(name, name)).collect_view()}
                    </select>
                </span>
                <span class="integrated" id="integrated" data-testid="integrated">
                    {integrated}
                </span>
            </div>
            <Mistakes place=PopulationPath::Method id="mistakes-method".to_owned() />
        </div>
    }
}
