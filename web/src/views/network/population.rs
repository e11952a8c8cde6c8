//! The inspector of a population.

use leptos::prelude::*;
use spikelet_network::{Population, Positions};

use super::super::{
    equations::{EquationTexts, Initials, ModelChooser, Values, words},
    studio,
};
use super::entry::{Choice, Entry, FieldErrors};
use super::lines::{Lines, NOTE_OF_TIMES, Recordings};
use super::made::MadeFields;
use crate::{
    equations::{
        Equations,
        check::{EquationError, PopulationPath},
    },
    network::{Object, field_errors::FieldError, fields},
};

/// Name, size, model, parameters, equations, initial values, recordings, regular times, links, positions. The population is the selected
/// one.
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
        <ModelChooser />
        <Others object />
        <Values object />
        <EquationTexts />
        <Initials />
        <Recordings object />
        <Lines
            object
            key="run_regularly"
            title="At regular times"
            label="Statements"
            note=NOTE_OF_TIMES
            get=move |equations: &Equations| equations.shown_at(place).map(|of| of.run_regularly.clone()).unwrap_or_default()
            set=move |equations: &mut Equations, list| {
                equations.select(place);
                equations.run_regularly(list);
            }
        />
        <Lines
            object
            key="linked"
            title="Linked variables"
            label="Links"
            note="of variables that the equations declare, as in v_in : volt (linked)"
            get=move |equations: &Equations| {
                equations.shown_at(place).map(|of| of.linked.clone().into_iter().collect()).unwrap_or_default()
            }
            set=move |equations: &mut Equations, links| {
                equations.select(place);
                equations.link(links.into_iter().collect());
            }
        />
        <Place object population />
    }
}

/// Errors of the population that no text or value shows, such as a model that does not exist.
#[component]
fn Others(object: Object) -> impl IntoView {
    const KEYS: [&str; 10] =
        ["model", "preset", "parameters", "initial", "equations", "update", "threshold", "reset", "refractory", "method"];
    let studio = studio();
    let found = Memo::new(move |_| {
        studio.checked.with(|checked| {
            let is_shown = |field_error: &FieldError| {
                let has_text = |of: &EquationError| of.place != PopulationPath::Elsewhere && of.sentence == field_error.sentence;
                checked.mistakes.iter().any(has_text)
                    || checked.missing.keys().any(|name| field_error.key == format!("parameters.{name}"))
            };
            let is_here =
                |field_error: &&FieldError| KEYS.iter().any(|key| field_error.is_of(Some(object), key)) && !is_shown(field_error);
            checked.field_errors.iter().filter(is_here).cloned().collect::<Vec<_>>()
        })
    });
    let item = |field_error: FieldError| {
        view! {
            <li>
                <p>{words(&format!("`{}`: {}", field_error.key, field_error.sentence))}</p>
                {field_error.help.map(|help| view! { <p class="help">{words(&help)}</p> })}
            </li>
        }
    };
    view! {
        <ul class="mistakes" data-testid="flaws">
            {move || found.get().into_iter().map(item).collect_view()}
        </ul>
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
        let mut options = vec![("none", "none"), ("grid", "on a grid"), ("random", "at random in a box")];
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
