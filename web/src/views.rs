//! The visible parts of the page.

pub(crate) mod about;
pub(crate) mod assemblies;
pub(crate) mod building;
mod canvas;
pub(crate) mod chooser;
pub(crate) mod class;
pub(crate) mod continue_run;
pub(crate) mod copy;
pub(crate) mod editor;
pub(crate) mod embed;
mod equations;
pub(crate) mod experiments;
mod foreign;
mod gallery;
pub(crate) mod gpu_report;
pub(crate) mod hardware;
pub(crate) mod help;
pub(crate) mod keys;
pub(crate) mod labbook;
pub(crate) mod lesson;
pub(crate) mod network;
pub(crate) mod pane;
pub(crate) mod parameters;
pub(crate) mod plots;
mod profile;
pub(crate) mod projects;
mod qr;
mod script;
pub(crate) mod senses;
pub(crate) mod share;
pub(crate) mod status;
pub(crate) mod timeline;
pub(crate) mod tour;
pub(crate) mod training;
pub(crate) mod transport;
pub(crate) mod trouble;
mod weights;

use leptos::prelude::*;

use crate::{session::Current, studio::Studio};

/// The handle provided to the views.
fn studio() -> Studio {
    expect_context()
}

/// An example value for an empty field, with the dimension of its previous value if there is no other information.
fn placeholder(example: impl Fn() -> Option<String> + Send + Sync + 'static) -> Signal<String> {
    let lasting = Memo::new(move |before: Option<&Option<String>>| example().or_else(|| before.cloned().flatten()));
    Signal::derive(move || lasting.get().unwrap_or_else(|| "a value".into()))
}

/// A part of the open network for views; it changes only when that part does.
fn of_current<T>(look: impl Fn(&Current) -> T + Send + Sync + 'static) -> Memo<Option<T>>
where
    T: PartialEq + Send + Sync + 'static,
{
    let studio = studio();
    Memo::new(move |_| studio.session.with(|session| session.current.as_ref().map(&look)))
}
