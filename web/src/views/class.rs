//! A class without accounts: the form of the teacher in the dialog to share, the line of a visitor, and the picture of all results.

mod picture;
mod results;

use std::time::Duration;

use leptos::{html, prelude::*, task::spawn_local};

pub(crate) use self::results::ClassResults;
use super::{copy::copied, qr::Qr, studio};
use crate::{
    class::{Task, Vary},
    lessons::measure::{Measure, Quantity},
    number,
    session::parameters,
    studio::VisitRun,
};

/// Duration of the message of a copy button.
const SAID: Duration = Duration::from_millis(1600);

/// What a class can measure.
const MEASURES: [Quantity; 5] = [Quantity::Rate, Quantity::Cv, Quantity::Frequency, Quantity::Active, Quantity::Spikes];

/// A link to copy, with its code for phones.
#[component]
fn LinkRow(id: &'static str, label: &'static str, #[prop(into)] link: Signal<String>) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let said = RwSignal::new("Copy link");
    let copy = move |_| {
        let Some(field) = field.get_untracked() else { return };
        spawn_local(async move {
            let done = copied(&link.get_untracked(), &field).await;
            if done != "Copied" {
                field.select();
            }
            said.set(done);
            set_timeout(move || said.set("Copy link"), SAID);
        });
    };
    view! {
        <div class="link-row">
            <input
                type="text"
                readonly
                id=id
                aria-label=label
                node_ref=field
                prop:value=move || link.get()
                on:focus:target=move |focus| focus.target().select()
            />
            <button class="primary" on:click=copy>
                <span aria-live="polite">{move || said.get()}</span>
            </button>
        </div>
        <Qr text=link />
    }
}

/// The section of the dialog to share; `close` closes the dialog.
#[component]
pub(super) fn ClassForm(close: impl Fn() + Copy + Send + Sync + 'static) -> impl IntoView {
    let studio = studio();
    let all = studio.session.with_untracked(|session| {
        let opened = session.current.as_ref().map(|current| &current.opened);
        let paths: Vec<_> =
            opened.into_iter().flat_map(parameters).map(|of| (of.path.clone(), of.unit.clone(), of.value)).collect();
        let names: Vec<_> = opened.into_iter().flat_map(|of| &of.network.populations).map(|of| of.name.clone()).collect();
        (paths, names)
    });
    let (paths, names) = all;
    let vary = RwSignal::new(None::<usize>);
    let (from, to, points) = (RwSignal::new(String::new()), RwSignal::new(String::new()), RwSignal::new("10".to_owned()));
    let (measure, of, until) = (RwSignal::new(0_usize), RwSignal::new(0_usize), RwSignal::new("1000".to_owned()));
    let made = RwSignal::new(None::<Result<Task, String>>);
    let parameters = StoredValue::new(paths);
    let populations = StoredValue::new(names);
    let make = move |_| {
        let number = |text: RwSignal<String>, what: &str| {
            let typed = text.get_untracked().trim().replace(['−', '\u{2012}', '–'], "-").replace(',', ".");
            typed.parse::<f64>().map_err(|_| format!("{what}: “{typed}” is no number."))
        };
        let task = || -> Result<Task, String> {
            let shared = studio.shared().ok_or("The network cannot be shared.")?;
            let points = number(points, "Points")?.round().clamp(0.0, f64::from(u32::MAX)) as u32;
            let vary = match vary.get_untracked().and_then(|at| parameters.with_value(|all| all.get(at).cloned())) {
                None => Vary::Seed,
                Some((path, unit, _)) => Vary::Parameter { path, range: [number(from, "From")?, number(to, "To")?], unit },
            };
            let quantity = MEASURES[measure.get_untracked().min(MEASURES.len() - 1)];
            let of =
                populations.with_value(|all| all.get(of.get_untracked()).cloned()).ok_or("The network has no population.")?;
            let measure = Measure { quantity, of, neurons: None, periods_ms: None };
            Task::new(shared, vary, points, measure, [0.0, number(until, "Duration")?])
                .map_err(|why| format!("A class cannot have {why}."))
        };
        made.set(Some(task()));
    };
    let choose = move |text: String| {
        let at = text.parse::<usize>().ok();
        vary.set(at);
        // A range around the present value.
        if let Some((_, _, value)) = at.and_then(|at| parameters.with_value(|all| all.get(at).cloned())) {
            let plain = |value: f64| number::short(value, 4).replace('\u{2212}', "-");
            let ends = if value == 0.0 { [0.0, 1.0] } else { [0.5 * value, 1.5 * value] };
            from.set(plain(ends[0].min(ends[1])));
            to.set(plain(ends[0].max(ends[1])));
        }
        made.set(None);
    };
    let unit =
        move || vary.get().and_then(|at| parameters.with_value(|all| all.get(at).map(|of| of.1.clone()))).unwrap_or_default();
    let text_field = move |id: &'static str, label: &'static str, value: RwSignal<String>| {
        view! {
            <label>
                <span>{label}</span>
                <input
                    type="text"
                    id=id
                    size="7"
                    autocomplete="off"
                    prop:value=move || value.get()
                    on:input:target=move |input| {
                        value.set(input.target().value());
                        made.set(None);
                    }
                />
            </label>
        }
    };
    let result = move || match made.get() {
        None => ().into_any(),
        Some(Err(why)) => view! { <p class="long" role="alert">{why}</p> }.into_any(),
        Some(Ok(task)) => {
            let link = studio.class_address(&task.to_link());
            let task = StoredValue::new(task);
            view! {
                <LinkRow id="class-link" label="Link of the class" link=Signal::derive(move || link.clone()) />
                <div class="actions">
                    <button
                        id="class-collect"
                        on:click=move |_| {
                            close();
                            studio.collect(task.get_value());
                        }
                    >
                        "Collect the results"
                    </button>
                </div>
            }
            .into_any()
        }
    };
    let last = studio.last_class();
    view! {
        <details class="embed class-form" id="class-form">
            <summary>
                <b>"Class"</b>
                <span>"one link, a part for each visitor, one picture of all results"</span>
            </summary>
            <div class="class-fields">
                <label class="field">
                    <span>"Differs"</span>
                    <select id="class-vary" on:change:target=move |change| choose(change.target().value())>
                        <option value="">"the seed"</option>
                        {parameters
                            .get_value()
                            .into_iter()
                            .enumerate()
                            .map(|(at, (path, ..))| view! { <option value=at.to_string()>{path}</option> })
                            .collect_view()}
                    </select>
                </label>
                <Show when=move || vary.get().is_some()>
                    {text_field("class-from", "from", from)} {text_field("class-to", "to", to)} <span>{unit}</span>
                </Show>
                {text_field("class-points", "Points", points)}
                <label class="field">
                    <span>"Measures"</span>
                    <select
                        id="class-measure"
                        on:change:target=move |change| {
                            measure.set(change.target().value().parse().unwrap_or(0));
                            made.set(None);
                        }
                    >
                        {MEASURES
                            .iter()
                            .enumerate()
                            .map(|(at, quantity)| view! { <option value=at.to_string()>{quantity.name()}</option> })
                            .collect_view()}
                    </select>
                </label>
                <label class="field">
                    <span>"of"</span>
                    <select
                        id="class-of"
                        on:change:target=move |change| {
                            of.set(change.target().value().parse().unwrap_or(0));
                            made.set(None);
                        }
                    >
                        {populations
                            .get_value()
                            .into_iter()
                            .enumerate()
                            .map(|(at, name)| view! { <option value=at.to_string()>{name}</option> })
                            .collect_view()}
                    </select>
                </label>
                {text_field("class-until", "over, in ms", until)}
            </div>
            <div class="actions">
                <button id="class-make" class="primary" on:click=make>
                    "Make the link"
                </button>
                {last
                    .map(|task| {
                        let task = StoredValue::new(task);
                        view! {
                            <button
                                id="class-last"
                                on:click=move |_| {
                                    close();
                                    studio.collect(task.get_value());
                                }
                            >
                                "Results of the last class"
                            </button>
                        }
                    })}
            </div>
            {result}
            <p>"Each visitor gets a point by chance, and can choose another one. There is no server: everything is in the links."</p>
        </details>
    }
}

/// The line of a visitor above the plots.
#[component]
pub(crate) fn ClassVisit() -> impl IntoView {
    let studio = studio();
    let visit = studio.class.visit;
    let is_there = Memo::new(move |_| visit.with(Option::is_some));
    let ready = Memo::new(move |_| studio.session.with(|session| session.current.is_some() && !session.is_opening()));
    let words = move || {
        visit.with(|visit| {
            visit.as_ref().map(|visit| {
                format!(
                    "Your part of a class: point {} of {}, {}.",
                    visit.point + 1,
                    visit.task.points,
                    visit.task.words(visit.point)
                )
            })
        })
    };
    let run = Memo::new(move |_| visit.with(|visit| visit.as_ref().map(|visit| visit.run.clone())));
    let link = Memo::new(move |_| match run.get() {
        Some(VisitRun::Done(answer)) => Some(studio.class_address(&answer.to_link())),
        _ => None,
    });
    let result = move || {
        let Some(VisitRun::Done(answer)) = run.get() else { return String::new() };
        visit.with(|visit| {
            let Some(visit) = visit else { return String::new() };
            let Measure { quantity, of, .. } = &visit.task.measure;
            match answer.value {
                Some(value) => format!(
                    "{} of {of}: {}. Send this link to your teacher, or show the code.",
                    quantity.name(),
                    number::quantity(value, quantity.unit())
                ),
                None => format!("{} of {of}: too few spikes. Send this link to your teacher, or show the code.", quantity.name()),
            }
        })
    };
    let choose = move |text: String| {
        let chosen = visit.with_untracked(|visit| {
            let visit = visit.as_ref()?;
            let point = text.trim().parse::<u32>().ok()?.checked_sub(1).filter(|point| *point < visit.task.points)?;
            (point != visit.point).then(|| (visit.task.clone(), point))
        });
        if let Some((task, point)) = chosen {
            studio.visit_point(task, point);
        }
    };
    view! {
        <Show when=move || is_there.get()>
            <section class="class-visit" aria-label="Class" data-testid="class-visit">
                <p>{words}</p>
                <div class="actions">
                    <button
                        class="primary"
                        id="class-run"
                        disabled=move || !ready.get() || run.get() == Some(VisitRun::Runs)
                        on:click=move |_| studio.run_visit()
                    >
                        "Run my part"
                    </button>
                    <label>
                        "Point "
                        <input
                            type="number"
                            id="class-point"
                            min="1"
                            max=move || visit.with(|visit| visit.as_ref().map(|visit| visit.task.points.to_string()))
                            prop:value=move || visit.with(|visit| visit.as_ref().map_or(0, |visit| visit.point + 1)).to_string()
                            on:change:target=move |change| {
                                choose(change.target().value());
                                let point = visit.with_untracked(|visit| visit.as_ref().map_or(0, |visit| visit.point + 1));
                                change.target().set_value(&point.to_string());
                            }
                        />
                    </label>
                </div>
                <p role="status" data-testid="class-result">
                    {move || match run.get() {
                        Some(VisitRun::Ready(Some(why))) => why.to_owned(),
                        Some(VisitRun::Runs) => "Running …".to_owned(),
                        _ => result(),
                    }}
                </p>
                <Show when=move || link.get().is_some()>
                    <LinkRow id="class-answer" label="Link of your result" link=Signal::derive(move || link.get().unwrap_or_default()) />
                </Show>
            </section>
        </Show>
    }
}
