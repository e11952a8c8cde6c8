//! The form of a source.

use leptos::prelude::*;
use spikelet_network::{Endpoint, Source, SourceKind};

use super::super::studio;
use super::entry::{Choice, Entry, FieldErrors};
use super::made::MadeFields;
use crate::{
    equations::Equations,
    network::{Object, fields},
};

/// Its name, its kind, and the fields of the kind.
#[component]
pub(super) fn SourceForm(object: Object) -> impl IntoView {
    let studio = studio();
    let source = Memo::new(move |_| studio.equations.with(|equations| equations.network()?.sources.get(object.place).cloned()));
    let kind = Memo::new(move |_| source.read().as_ref().map(|source| word(&source.kind).to_owned()).unwrap_or_default());
    let choose = move |word: String| {
        studio.draw("", |equations| {
            equations.forget_unread(object, "");
            let target = equations.names().first().cloned().unwrap_or_default();
            equations.draw(|network| {
                if let Some(source) = network.sources.get_mut(object.place) {
                    source.kind = fresh(&word, target, source);
                }
            })
        });
    };
    let options = KINDS.map(|(value, text)| (value.to_owned(), text.to_owned())).to_vec();
    view! {
        <FieldErrors object=Some(object) keys=vec![String::new()] id=format!("flaws-source-{}", object.place) />
        <Entry
            object=Some(object)
            key="name"
            label="Name"
            text=Signal::derive(move || source.read().as_ref().map(|source| source.name.clone()).unwrap_or_default())
            take=move |equations, text| equations.rename(object, text)
        />
        <Choice object=Some(object) key="type" label="Kind" chosen=kind options=Signal::stored(options) choose />
        <MadeFields
            object
            fields=fields::of_source
            get=move |equations: &Equations| equations.network()?.sources.get(object.place).cloned()
            set=move |equations: &mut Equations, changed| {
                equations.draw(|network| network.sources[object.place] = changed);
            }
        />
    }
}

/// The kinds, and what they are called.
const KINDS: [(&str, &str); 3] = [
    ("poisson", "independent Poisson neurons"),
    ("spikes", "spikes at given times"),
    ("poisson_input", "Poisson input to each neuron"),
];

fn word(kind: &SourceKind) -> &'static str {
    match kind {
        SourceKind::Poisson { .. } => "poisson",
        SourceKind::Spikes { .. } => "spikes",
        SourceKind::PoissonInput { .. } => "poisson_input",
    }
}

/// A source of another kind, with common values of the previous one and defaults.
fn fresh(word: &str, target: String, before: &Source) -> SourceKind {
    let size = before.size().max(1);
    let rate = match &before.kind {
        SourceKind::Poisson { rate, .. } | SourceKind::PoissonInput { rate, .. } => rate.clone(),
        SourceKind::Spikes { .. } => "20 Hz".into(),
    };
    match word {
        "spikes" => SourceKind::Spikes { size, spike_times_ms: vec![(0, 10.0)] },
        "poisson_input" => SourceKind::PoissonInput {
            targets: vec![Endpoint::whole(target)],
            var: "v".into(),
            n: 100,
            rate,
            weight: "0.5 mV".into(),
        },
        _ => SourceKind::Poisson { size, rate },
    }
}
