//! The effect of a projection's spikes: statements or a model, delays, values.

use leptos::prelude::*;
use spikelet_lang::library::{self, ModelKind};
use spikelet_network::{Delays, Pathways, Quantity};

use super::super::super::studio;
use super::super::entry::{Choice, Entry};
use super::super::values::{Given, Values};
use super::{ShownProjection, change, get};
use crate::{
    equations::{self, infer::example, rows},
    network::{Object, fields, structure},
};

/// The label of custom statements in the menu.
const OWN: &str = "";

/// The size, delay and effect of a spike.
#[component]
pub(super) fn Effect(object: Object, projection: ShownProjection) -> impl IntoView {
    let studio = studio();
    let chosen = Memo::new(move |_| get(projection, |of| of.model.clone()).unwrap_or_else(|| OWN.into()));
    let model = Signal::derive(move || library::library(&chosen.read()).ok());
    let options = Memo::new(move |_| {
        let own = (OWN.to_owned(), "Custom statement".to_owned());
        let synapses = library::models().filter(|model| model.kind == ModelKind::Synapse);
        let synapses = synapses.map(|model| (model.name.clone(), model.title.clone()));
        std::iter::once(own).chain(synapses).collect::<Vec<_>>()
    });
    let choose = move |name: String| {
        studio.draw("", |equations| {
            let candidate = equations.candidate();
            change(equations, object, |of| {
                of.preset = None;
                of.parameters.clear();
                of.initial.clear();
                if name == OWN {
                    of.model = None;
                    if let Some(candidate) = candidate {
                        structure::act_as_fits(&candidate, of);
                    }
                } else {
                    of.model = Some(name);
                    (of.equations, of.on_pre, of.on_post, of.method) = (None, None, None, None);
                }
            });
        });
    };
    let presets = Memo::new(move |_| {
        let names = model.read().as_ref().map(|model| model.presets.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
        let none = (String::new(), "none (defaults)".to_owned());
        std::iter::once(none).chain(names.into_iter().map(|name| (name.clone(), name.replace('_', " ")))).collect::<Vec<_>>()
    });
    let preset = Memo::new(move |_| get(projection, |of| of.preset.clone()).unwrap_or_default());
    let pathways = Memo::new(move |_| get(projection, |of| of.on_pre.as_ref().map(names_of).unwrap_or_default()));
    view! {
        <Parameters object projection />
        <fieldset class="group code" data-group="delay">
            <legend>"Delay"</legend>
            <Delay object projection />
        </fieldset>
        <fieldset class="group code" data-group="effect">
            <legend>"Synapse model"</legend>
            <Choice object=Some(object) key="model" label="Synapse" chosen options choose />
            <p class="hint-line">{move || model.read().as_ref().map(|model| model.about.clone())}</p>
            <Show when=move || presets.with(|presets| presets.len() > 1)>
                <Choice
                    object=Some(object)
                    key="preset"
                    label="Preset"
                    chosen=preset
                    options=presets
                    choose=move |name: String| {
                        studio.draw("", |equations| {
                            change(equations, object, |of| of.preset = Some(name).filter(|name| !name.is_empty()));
                        });
                    }
                />
            </Show>
            <Show when=move || model.read().is_none() && projection.read().as_ref().is_some_and(|of| of.equations.is_some())>
                <Entry
                    object=Some(object)
                    key="equations"
                    label="Equations"
                    lines=true
                    text=Signal::derive(move || get(projection, |of| of.equations.clone().unwrap_or_default()))
                    take=move |equations, text| {
                        change(equations, object, |of| of.equations = Some(text.to_owned()));
                        Ok(())
                    }
                />
            </Show>
            <Show when=move || model.read().is_none()>
                <For each=move || pathways.get() key=Clone::clone let(pathway)>
                    <Pathway object projection pathway />
                </For>
            </Show>
        </fieldset>
    }
}

fn names_of(pathways: &Pathways) -> Vec<String> {
    pathways.iter().map(|(name, _)| name.to_owned()).collect()
}

/// The statements of a pathway.
#[component]
fn Pathway(object: Object, projection: ShownProjection, pathway: String) -> impl IntoView {
    let name = StoredValue::new(pathway.clone());
    let is_single = pathway == Pathways::SINGLE;
    let (key, label) =
        if is_single { ("on_pre".to_owned(), "At a spike".to_owned()) } else { (format!("on_pre.{pathway}"), pathway) };
    let text = Signal::derive(move || {
        get(projection, |of| {
            let text = of.on_pre.as_ref().and_then(|on_pre| on_pre.get(&name.get_value()));
            text.unwrap_or_default().to_owned()
        })
    });
    view! {
        <Entry
            object=Some(object)
            key
            label
            lines=true
            placeholder="v_post += w"
            text
            take=move |equations, text| {
                if text.trim().is_empty() {
                    return Err("Enter a statement for spikes, such as `v_post += w`.".into());
                }
                change(equations, object, |of| {
                    let others = of.on_pre.iter().flat_map(Pathways::iter);
                    let others = others.map(|(pathway, before)| {
                        let text = if pathway == name.get_value() { text } else { before };
                        (pathway.to_owned(), text.to_owned())
                    });
                    of.on_pre = Some(others.collect());
                });
                Ok(())
            }
        />
    }
}

/// The delays.
#[component]
fn Delay(object: Object, projection: ShownProjection) -> impl IntoView {
    let text = Signal::derive(move || {
        get(projection, |of| match &of.delay_ms {
            Delays::Same(delay) => fields::delay_text(delay),
            Delays::Each(_) => None,
        })
        .unwrap_or_default()
    });
    let is_list = move || {
        projection.read().as_ref().is_some_and(|of| match &of.delay_ms {
            Delays::Same(delay) => fields::delay_text(delay).is_none(),
            Delays::Each(_) => true,
        })
    };
    view! {
        <Entry
            object=Some(object)
            key="delay_ms"
            label="Delay"
            wide=true
            note="one for all, or a distribution: normal(1.5 ms, 0.5 ms, 0.1 ms, 10 ms)"
            text
            take=move |equations, text| {
                let delay = if text.trim().is_empty() { Quantity::default() } else { fields::delay(text) };
                change(equations, object, |of| of.delay_ms = Delays::Same(delay));
                Ok(())
            }
        />
        <Show when=is_list>
            <p class="hint-line">"There are several delays, see the JSON. A value here sets the delay of all pathways."</p>
        </Show>
    }
}

/// All parameters: those that are set, and the defaults of the model.
#[component]
fn Parameters(object: Object, projection: ShownProjection) -> impl IntoView {
    let model = Signal::derive(move || get(projection, |of| of.model.clone()).and_then(|name| library::library(&name).ok()));
    let given = Memo::new(move |_| {
        let model = model.get();
        let preset = get(projection, |of| of.preset.clone());
        let preset = model.as_ref().zip(preset).and_then(|(model, name)| model.presets.get(&name).cloned());
        let of_preset = |name: &str| preset.as_ref().and_then(|preset| preset.parameters.get(name).cloned());
        let of_model = |name: &str| model.as_ref().and_then(|model| model.parameters.get(name));
        get(projection, |of| {
            // In the order of the model, so that a row stays where it is while it is typed.
            let of_all = model.iter().flat_map(|model| model.parameters.keys());
            let own = of.parameters.keys().filter(|name| of_model(name).is_none());
            let given = of_all.chain(own).map(|name| {
                let set = of.parameters.get(name);
                let default = of_preset(name).or_else(|| of_model(name).map(|of| of.default.clone()));
                Given {
                    name: name.clone(),
                    text: set.map_or(default.clone(), equations::written),
                    note: of_model(name).map(|of| of.about.clone()).unwrap_or_default(),
                    example: set.and_then(rows::measured).map(example).or(default),
                    removable: set.is_some(),
                }
            });
            given.collect::<Vec<_>>()
        })
    });
    let has_model = Signal::derive(move || model.read().is_some());
    view! {
        <Values
            object
            group="parameters"
            title="Weight and values"
            given
            closed=has_model
            set=move |equations, name, text| {
                change(equations, object, |of| drop(of.parameters.insert(name.to_owned(), equations::quantity(text))));
            }
            remove=move |equations, name| change(equations, object, |of| drop(of.parameters.shift_remove(name)))
        />
    }
}
