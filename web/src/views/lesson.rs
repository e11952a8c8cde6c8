//! The lesson of the open network: its steps, and its published figures as they are measured.

mod curve;
mod figures;
mod predict;

use leptos::{html, prelude::*};

use self::{
    figures::{PublishedFigures, measured},
    predict::PredictionView,
};
use super::{of_current, pane::PaneFrame, parameters::Slider, studio};
use crate::{
    lessons::{Lesson, Library, Role, Step, course::Course, predict::Guess},
    number,
    session::parameters,
    studio::Pane,
};

/// The lesson of the open network.
#[component]
pub(crate) fn LessonPane() -> impl IntoView {
    let studio = studio();
    let there = Memo::new(move |_| studio.pane.get() == Pane::Lesson);
    Effect::new(move |_| {
        if there.get() {
            studio.ask_lessons();
        }
    });
    let heading = move || {
        let begun = move || studio.lessons.course.with(|course| course.as_ref().is_some_and(|course| course.at > 0));
        view! {
            <button
                class="plain"
                id="lesson-again"
                disabled=move || !begun()
                title="Begins the steps again, at t = 0 with the values of the network"
                on:click=move |_| studio.start_lesson_again()
            >
                {move || studio.say("Start again")}
            </button>
        }
    };
    view! {
        <PaneFrame pane=Pane::Lesson id=Pane::Lesson.id() name="lesson" there heading>
            <div class="lesson">
                {move || match studio.lessons.library.get() {
                    None => view! { <p class="muted">"Loading the lessons …"</p> }.into_any(),
                    Some(Err(error)) => {
                        view! {
                            <p role="alert">{error}</p>
                            <button on:click=move |_| studio.ask_lessons()>"Try again"</button>
                        }
                            .into_any()
                    }
                    Some(Ok(library)) => {
                        view! {
                            <Chapters names=chapters(&library) />
                            <Content />
                        }
                            .into_any()
                    }
                }}
            </div>
        </PaneFrame>
    }
}

fn chapters(library: &Library) -> Vec<String> {
    library.chapters().map(|lesson| lesson.name.clone()).collect()
}

/// The chapters of the first lesson; folded while the lesson of another network is shown.
#[component]
fn Chapters(names: Vec<String>) -> impl IntoView {
    let studio = studio();
    let open = Memo::new(move |_| studio.lessons.course.with(|course| course.as_ref().map(|course| course.lesson.name.clone())));
    let is_chapter = {
        let names = names.clone();
        Memo::new(move |_| open.read().as_ref().is_none_or(|open| names.contains(open)))
    };
    let chapter = move |(place, name): (usize, String)| {
        let (is_open, is_done, chosen, shown) = (name.clone(), name.clone(), name.clone(), name);
        view! {
            <li>
                <button
                    class="chapter"
                    data-chapter=(place + 1).to_string()
                    aria-current=move || (open.read().as_ref() == Some(&is_open)).then_some("true")
                    on:click=move |_| studio.open_lesson(&chosen)
                >
                    <span class="number">{place + 1}</span>
                    {move || studio.say(&shown)}
                    <Show when=move || studio.lessons.done.read().contains(&is_done)>
                        <Tick />
                    </Show>
                </button>
            </li>
        }
    };
    view! {
        <details class="chapters" open=move || is_chapter.get()>
            <summary>{move || studio.say("Start here: five chapters from zero")}</summary>
            <ol>{names.into_iter().enumerate().map(chapter).collect_view()}</ol>
        </details>
    }
}

/// The lesson itself.
#[component]
fn Content() -> impl IntoView {
    let studio = studio();
    let lesson = Memo::new(move |_| studio.lessons.course.with(|course| Some(course.as_ref()?.lesson.clone())));
    let is_building = Memo::new(move |_| studio.session.with(|session| session.is_opening()));
    move || {
        match lesson.get() {
        Some(lesson) => {
            let lesson = studio.say_lesson(&lesson);
            let steps = lesson.steps.clone();
            let title = studio.say(&title(&lesson));
            view! {
                <h4 class="lesson-title">{title}</h4>
                <p class="line">{lesson.line.clone()}</p>
                <AtScale lesson=lesson.clone() />
                <ol class="steps" aria-label="Steps">
                    {steps.into_iter().enumerate().map(|(place, step)| view! { <StepView place step /> }).collect_view()}
                </ol>
                <p class="unseen" role="status">{move || spoken(studio.lessons.course.read().as_ref())}</p>
                <End lesson=lesson.name.clone() />
                <PublishedFigures />
            }
            .into_any()
        }
        None if is_building.get() => view! { <p class="muted">"Building the network …"</p> }.into_any(),
        None => view! { <p class="muted">"There is no lesson about this network. Begin with the first chapter, or choose a network of the list."</p> }.into_any(),
    }
    }
}

/// The title of a lesson: that of the catalogue, or the name of the chapter.
fn title(lesson: &Lesson) -> String {
    spikelet_network::catalogue::entry(&lesson.name).map_or_else(|_| lesson.name.clone(), |entry| entry.title.to_owned())
}

/// A button that opens the network at the scale of the lesson.
#[component]
fn AtScale(lesson: Lesson) -> impl IntoView {
    let studio = studio();
    let open = of_current(|current| current.open_request.catalogue().map(|(_, scale)| scale));
    let wanted = lesson.scale;
    let name = StoredValue::new(lesson.name);
    let differs = move || lesson.network.is_none() && open.get().flatten().is_some_and(|scale| scale != wanted);
    view! {
        <Show when=differs.clone()>
            <p class="at-scale">
                {format!("The lesson is about the network at size {wanted}×. ")}
                <button class="plain" id="lesson-scale" on:click=move |_| studio.open_lesson(&name.get_value())>
                    {format!("Open it at {wanted}×")}
                </button>
            </p>
        </Show>
    }
}

/// A step.
#[component]
fn StepView(place: usize, step: Step) -> impl IntoView {
    let studio = studio();
    let at = Memo::new(move |_| studio.lessons.course.with(|course| course.as_ref().map_or(0, |course| course.at)));
    let is_done = Memo::new(move |_| at.get() > place);
    let is_now = move || at.get() == place;
    // Before it is predicted and measured, the text would give it away.
    let predicts = step.predict.is_some();
    let is_told = move || {
        let skipped = |course: &Course| course.guess_of(place) == Some(&Guess::Skipped);
        !predicts || is_done.get() || studio.lessons.course.with(|course| course.as_ref().is_some_and(skipped))
    };
    let waits = Memo::new(move |_| {
        at.get() == place && studio.lessons.course.with(|course| course.as_ref().is_some_and(|course| course.awaited().is_some()))
    });
    let freeze = step.freeze.clone();
    let frozen = move || {
        let text = freeze.clone().filter(|_| is_now())?;
        let time_ms = studio.lessons.course.with(|course| course.as_ref()?.frozen_ms())?;
        Some(
            view! { <p class="frozen" role="status">{format!("{text} ({}) {}", number::quantity(time_ms, "ms"), studio.say("Play continues."))}</p> },
        )
    };
    let prediction = step.predict.clone();
    let card = NodeRef::<html::Li>::new();
    Effect::new(move |before: Option<bool>| {
        let now = is_now();
        if now
            && before == Some(false)
            && let Some(card) = card.get_untracked()
        {
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            card.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
        now
    });
    // The sentence at a pause is at the end of the card.
    Effect::new(move |_| {
        if is_now()
            && studio.lessons.course.with(|course| course.as_ref().is_some_and(|course| course.frozen_ms().is_some()))
            && let Some(card) = card.get_untracked()
        {
            request_animation_frame(move || {
                let end = web_sys::ScrollIntoViewOptions::new();
                end.set_block(web_sys::ScrollLogicalPosition::Nearest);
                card.scroll_into_view_with_scroll_into_view_options(&end);
            });
        }
    });
    let role = match step.role {
        Role::Watch => studio.say("Watch"),
        Role::Change => studio.say("Change"),
        Role::Expect => studio.say("Expect"),
        Role::Question => studio.say("Your turn"),
    };
    let label = match step.role {
        Role::Question if step.sets() => studio.say("Prepare and run"),
        _ if step.sets() => studio.say("Do it for me"),
        _ if step.action.reset => studio.say("Run from the start"),
        _ => studio.say("Run"),
    };
    let (goal, paths) = (step.until.clone(), step.sliders());
    let sliders = paths.clone();
    let readings = move || {
        let reading = studio.lessons.course.with(|course| course.as_ref()?.readings.get(place).cloned());
        reading.map(|reading| measured(&goal, &reading, is_done.get())).unwrap_or_default()
    };
    let missing = of_current(move |current| paths.iter().find(|path| current.shown(path).is_none()).cloned());
    view! {
        <li
            class="step"
            node_ref=card
            class:done=move || is_done.get()
            class:now=is_now
            class:fresh=move || predicts && at.get() == place + 1
            data-step=(place + 1).to_string()
            data-done=move || is_done.get().to_string()
            aria-current=move || is_now().then_some("step")
        >
            <p class="role">
                {role}
                <Show when=move || is_done.get()>
                    <Tick />
                </Show>
            </p>
            <p class:absent=move || !is_told()>{step.text}</p>
            {prediction.map(|prediction| view! { <PredictionView place prediction is_done /> })}
            {frozen}
            <Show when=move || is_now() && !waits.get()>
                <button
                    class="act"
                    data-act=(place + 1).to_string()
                    disabled=move || missing.get().flatten().is_some()
                    on:click=move |_| studio.act()
                >
                    {label.clone()}
                </button>
                {move || {
                    missing.get().flatten().map(|path| view! { <span class="muted">{format!(" The open network has no {path}.")}</span> })
                }}
                <StepSliders paths=sliders.clone() />
            </Show>
            {move || readings().into_iter().map(|text| view! { <p class="reading">{text}</p> }).collect_view()}
        </li>
    }
}

/// The sliders of a step, beside the text that names them.
#[component]
fn StepSliders(paths: Vec<String>) -> impl IntoView {
    let studio = studio();
    let id = of_current(|current| current.opened.id);
    move || {
        id.get();
        let found = studio.session.with_untracked(|session| {
            let opened = session.current.as_ref().map(|current| &current.opened)?;
            let of = |path: &String| parameters(opened).find(|parameter| parameter.path == *path).cloned();
            Some(paths.iter().filter_map(of).collect::<Vec<_>>())
        });
        let sliders = found.unwrap_or_default().into_iter().map(|parameter| view! { <Slider parameter is_second=true /> });
        view! { <div class="step-sliders">{sliders.collect_view()}</div> }
    }
}

/// What follows a finished lesson.
#[component]
fn End(lesson: String) -> impl IntoView {
    let studio = studio();
    let is_done = move || studio.lessons.course.with(|course| course.as_ref().is_some_and(Course::is_done));
    let next = {
        let library = studio.lessons.library.get_untracked().and_then(Result::ok);
        library.and_then(|library| {
            let names = chapters(&library);
            let at = names.iter().position(|name| *name == lesson)?;
            names.get(at + 1).cloned()
        })
    };
    view! {
        <Show when=is_done>
            <div class="end">
                <p>
                    <b>{move || studio.say("Done.")}</b>
                    " "
                    {move || studio.say("Continue with changes of your own: sliders are at the right, equations in the pane Network.")}
                </p>
                {next
                    .clone()
                    .map(|next| {
                        let name = next.clone();
                        view! {
                            <button class="primary" id="next-chapter" on:click=move |_| studio.open_lesson(&name)>
                                {format!("{}: {}", studio.say("Next"), studio.say(&next))}
                            </button>
                        }
                    })}
            </div>
        </Show>
    }
}

/// What a screen reader says when a step is done.
fn spoken(course: Option<&Course>) -> String {
    match course {
        Some(course) if course.is_done() => "All steps are done".into(),
        Some(course) if course.at > 0 => format!("Step {} is done", course.at),
        _ => String::new(),
    }
}

/// A tick.
#[component]
fn Tick() -> impl IntoView {
    view! {
        <svg class="tick" viewBox="0 0 16 16" role="img" aria-label="done">
            <path d="M3 8.5l3.2 3.3L13 4.5" />
        </svg>
    }
}
