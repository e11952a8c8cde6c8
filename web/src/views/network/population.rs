//! The form of a population.

use leptos::prelude::*;
use spikelet::{Population, Positions};
use spikelet_lang::library::{self, LibraryModel};

use super::super::studio;
use super::entry::{Choice, Entry, FieldErrors};
use super::made::MadeFields;
use super::values::{Given, Offer, Values};
use crate::{
    equations::{
        Equations,
        check::Checked,
        models,
        rows::{self, Row, State},
    },
    network::{Object, fields},
    studio::Pane,
};

/// The label of custom equations in the menu.
const OWN: &str = "";

/// Name, size, model, values, positions. The population is the selected one.
#[component]
pub(super) fn PopulationForm(object: Object) -> impl IntoView {
    let studio = studio();
    let place = object.place;
    let population = Memo::new(move |_| studio.equations.with(|equations| equations.shown_at(place).cloned()));
    let name = Memo::new(move |_| population.read().as_ref().map(|of| of.name.clone()).unwrap_or_default());
    let size = Memo::new(move |_| studio.equations.with(|equations| equations.size_at(place)));
    view! {
        <FieldErrors object=Some(object) keys=vec![String::new()] id=format!("flaws-population-{place}") />
        <Entry object=Some(object) key="name" label="Name" text=name take=move |equations, text| equations.rename(object, text) />
        <Entry
            object=Some(object)
            key="size"
            label="Size"
            note="neurons"
            text=size
            take=move |equations, text| {
                equations.select(place);
                equations.resize(text);
                Ok(())
            }
        />
        <Model object population />
        <Parameters object population />
        <Initial object population />
        <Place object population />
    }
}

fn model_of(population: Option<&Population>) -> Option<LibraryModel> {
    library::library(population?.model.as_ref()?).ok()
}

/// A library model with a preset, or a link to the equations.
#[component]
fn Model(object: Object, population: Memo<Option<Population>>) -> impl IntoView {
    let studio = studio();
    let place = object.place;
    let chosen = Memo::new(move |_| population.read().as_ref().and_then(|of| of.model.clone()).unwrap_or_else(|| OWN.into()));
    let model = Signal::derive(move || model_of(population.read().as_ref()));
    let options = Memo::new(move |_| {
        let own = (OWN.to_owned(), "Custom equations".to_owned());
        let library = models::groups().into_iter().flat_map(|(_, models)| models).map(|model| (model.name, model.title));
        std::iter::once(own).chain(library).collect::<Vec<_>>()
    });
    let choose = move |name: String| {
        studio.draw("", |equations| {
            equations.select(place);
            if name == OWN { equations.choose_own() } else { equations.choose_model(&name) }
        });
    };
    let presets = Memo::new(move |_| {
        let names = model.read().as_ref().map(|model| model.presets.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
        let none = (String::new(), "none (defaults)".to_owned());
        std::iter::once(none).chain(names.into_iter().map(|name| (name.clone(), name.replace('_', " ")))).collect::<Vec<_>>()
    });
    let preset = Memo::new(move |_| population.read().as_ref().and_then(|of| of.preset.clone()).unwrap_or_default());
    view! {
        <Choice object=Some(object) key="model" label="Model" chosen options choose />
        <p class="hint-line">
            {move || model.read().as_ref().map(|model| format!("{} ", model.about))}
            <button class="plain" data-testid="to-equations" on:click=move |_| studio.show_pane(Pane::Equations)>
                {move || if model.read().is_some() { "Show the equations" } else { "Edit the equations" }}
            </button>
        </p>
        <FieldErrors
            object=Some(object)
            keys=["equations", "update", "threshold", "reset", "refractory", "method"].map(str::to_owned).to_vec()
            id=format!("flaws-equations-{place}")
        />
        <Show when=move || presets.with(|presets| presets.len() > 1)>
            <Choice
                object=Some(object)
                key="preset"
                label="Preset"
                chosen=preset
                options=presets
                choose=move |name: String| {
                    studio.draw("", |equations| {
                        equations.select(place);
                        equations.choose_preset(&name);
                    });
                }
            />
        </Show>
    }
}

/// The rows of the equation pane, for this population.
fn rows_of(place: usize, rows: fn(&Equations, &Checked) -> Vec<Row>) -> Memo<Vec<Row>> {
    let studio = studio();
    Memo::new(move |_| {
        studio.checked.with(|checked| {
            studio.equations.with(|equations| if equations.selected() == place { rows(equations, checked) } else { Vec::new() })
        })
    })
}

#[component]
fn Parameters(object: Object, population: Memo<Option<Population>>) -> impl IntoView {
    let place = object.place;
    let rows = rows_of(place, rows::parameters);
    let given = Memo::new(move |_| {
        let population = population.read();
        let is_given = |name: &str| population.as_ref().is_some_and(|of| of.parameters.contains_key(name));
        let shown = rows.get().into_iter().filter(|row| is_given(&row.name) || row.state == State::Missing);
        let given = shown.map(|row| Given {
            removable: is_given(&row.name) && row.state != State::Missing,
            name: row.name,
            text: row.text,
            note: row.note,
            example: row.example,
        });
        given.collect::<Vec<_>>()
    });
    let offers = Memo::new(move |_| {
        let model = model_of(population.read().as_ref())?;
        let shown = rows.get();
        let now = |name: &str| shown.iter().find(|row| row.name == name).and_then(|row| row.text.clone());
        let offer =
            |(name, of): (String, library::Parameter)| Offer { default: now(&name).unwrap_or(of.default), name, about: of.about };
        Some(model.parameters.into_iter().map(offer).collect::<Vec<_>>())
    });
    view! {
        <Values
            object
            group="parameters"
            title="Values"
            given
            offers
            set=move |equations, name, text| {
                equations.select(place);
                equations.set(name, text);
            }
            remove=move |equations, name| {
                equations.select(place);
                equations.remove(name);
            }
        />
    }
}

#[component]
fn Initial(object: Object, population: Memo<Option<Population>>) -> impl IntoView {
    let place = object.place;
    let rows = rows_of(place, rows::variables);
    let given = Memo::new(move |_| {
        let population = population.read();
        let is_given = |name: &str| population.as_ref().is_some_and(|of| of.initial.contains_key(name));
        let given = rows.get().into_iter().map(|row| Given {
            removable: is_given(&row.name),
            name: row.name,
            text: row.text,
            note: String::new(),
            example: row.example,
        });
        given.collect::<Vec<_>>()
    });
    let nothing_more = Memo::new(|_| Some(Vec::new()));
    view! {
        <Values
            object
            group="initial"
            title="At t = 0"
            given
            offers=nothing_more
            set=move |equations, name, text| {
                equations.select(place);
                equations.begin(name, text);
            }
            remove=move |equations, name| {
                equations.select(place);
                equations.begin(name, "");
            }
        />
    }
}

/// The positions of its neurons.
#[component]
fn Place(object: Object, population: Memo<Option<Population>>) -> impl IntoView {
    let studio = studio();
    let place = object.place;
    let positions = Memo::new(move |_| population.read().as_ref().and_then(|of| of.positions.clone()));
    let chosen = Memo::new(move |_| positions.read().as_ref().map_or("none", layout).to_owned());
    let options = Memo::new(move |_| {
        let mut options = vec![("none", "nowhere"), ("grid", "on a grid"), ("random", "at random in a box")];
        if *chosen.read() == "list" {
            options.push(("list", "as listed"));
        }
        options.into_iter().map(|(value, text)| (value.to_owned(), text.to_owned())).collect::<Vec<_>>()
    });
    let choose = move |word: String| {
        let size = population.read_untracked().as_ref().map_or(1, |of| of.size);
        studio.draw("", |equations| {
            equations.select(place);
            equations.forget_unread(object, "positions");
            equations.lay_out(fresh(&word, size));
        });
    };
    let listed = move || match &*positions.read() {
        Some(Positions::List { points, .. }) => Some(format!("{} positions, in the JSON", points.len())),
        _ => None,
    };
    view! {
        <fieldset class="group" data-group="positions">
            <legend>"Positions"</legend>
            <Choice object=Some(object) key="positions.layout" label="Positions" chosen options choose />
            <MadeFields
                object
                under="positions"
                fields=fields::of_positions
                get=move |equations: &Equations| equations.shown_at(place)?.positions.clone()
                set=move |equations: &mut Equations, changed| {
                    equations.select(place);
                    equations.lay_out(Some(changed));
                }
            />
            <p class="hint-line">{listed}</p>
            <FieldErrors object=Some(object) keys=vec!["positions.points".into()] id=format!("flaws-points-{place}") />
        </fieldset>
    }
}

fn layout(positions: &Positions) -> &'static str {
    match positions {
        Positions::Grid { .. } => "grid",
        Positions::Random { .. } => "random",
        Positions::List { .. } => "list",
    }
}

/// Initial positions: a grid as square as possible for the size.
fn fresh(word: &str, size: u32) -> Option<Positions> {
    match word {
        "grid" => {
            let root = f64::from(size).sqrt() as u32;
            let edge = (1..=root.max(1)).rev().find(|edge| size.is_multiple_of(*edge)).unwrap_or(1);
            Some(Positions::Grid {
                shape: vec![size / edge, edge],
                spacing: "10 um".into(),
                tile: None,
                periodic: true,
                origin: Vec::new(),
            })
        }
        "random" => Some(Positions::Random { r#box: vec!["1 mm".into(), "1 mm".into()], periodic: true }),
        _ => None,
    }
}
