//! The form of a projection.

mod effect;

use leptos::prelude::*;
use spikelet_network::{Pairs, Projection, Quantity, RULES, Storage};

use super::super::{of_current, studio};
use super::entry::{Choice, Entry, FieldErrors};
use super::lines::{Lines, NOTE_OF_TIMES, Recordings};
use super::made::MadeFields;
use crate::{
    equations::Equations,
    network::{Object, estimate::degrees, fields},
    number,
};
use effect::Effect;

/// The projection of a form.
type ShownProjection = Memo<Option<Projection>>;

fn change(equations: &mut Equations, object: Object, act: impl FnOnce(&mut Projection)) {
    equations.draw(|network| network.projections.get_mut(object.place).map(act));
}

fn at(equations: &Equations, object: Object) -> Option<&Projection> {
    equations.network()?.projections.get(object.place)
}

fn get<T: Default>(projection: ShownProjection, look: impl Fn(&Projection) -> T) -> T {
    projection.read().as_ref().map(look).unwrap_or_default()
}

/// Pre- and postsynaptic population, rule, effect, delay, and regular times.
#[component]
pub(super) fn ProjectionForm(object: Object) -> impl IntoView {
    let studio = studio();
    let projection = Memo::new(move |_| studio.equations.with(|equations| at(equations, object).cloned()));
    let set_order = move |equations: &mut Equations, order: Vec<(String, i32)>| {
        change(equations, object, |of| of.order = order.into_iter().collect());
    };
    view! {
        <FieldErrors object=Some(object) keys=vec![String::new()] id=format!("flaws-projection-{}", object.place) />
        <Entry
            object=Some(object)
            key="name"
            label="Name"
            text=Signal::derive(move || get(projection, |of| of.name.clone()))
            take=move |equations, text| equations.rename(object, text)
        />
        <End object projection pre=true />
        <End object projection pre=false />
        <Connect object projection />
        <Effect object projection />
        <Lines
            object
            key="run_regularly"
            title="At regular times"
            label="Statements"
            note=NOTE_OF_TIMES
            get=move |equations: &Equations| at(equations, object).map(|of| of.run_regularly.clone()).unwrap_or_default()
            set=move |equations: &mut Equations, list| change(equations, object, |of| of.run_regularly = list)
        />
        <Lines
            object
            key="order"
            title="Order of pathways"
            label="Order"
            note="in a step: smaller numbers first, 0 if none is given"
            get=move |equations: &Equations| {
                at(equations, object).map(|of| of.order.clone().into_iter().collect()).unwrap_or_default()
            }
            set=set_order
        />
        <Recordings object />
        <Storing object projection />
    }
}

/// One side: a population (or source), or a slice of it.
#[component]
fn End(object: Object, projection: ShownProjection, pre: bool) -> impl IntoView {
    let (key, label) = if pre { ("pre", "From") } else { ("post", "To") };
    let text = Signal::derive(move || get(projection, |of| if pre { of.pre.to_string() } else { of.post.to_string() }));
    let studio = studio();
    let list = format!("ends-{key}");
    let names = Memo::new(move |_| {
        studio.equations.with(|equations| {
            let Some(network) = equations.network() else { return Vec::new() };
            let sources = network.sources.iter().filter(|source| pre && source.size() > 0).map(|source| source.name.clone());
            equations.names().into_iter().chain(sources).collect::<Vec<_>>()
        })
    });
    let buttons = move || {
        let chosen = get(projection, |of| if pre { of.pre.population.clone() } else { of.post.population.clone() });
        let button = |name: String| {
            let pressed = (name == chosen).to_string();
            let text = name.clone();
            view! {
                <button
                    class="end"
                    data-end=format!("{key}-{name}")
                    aria-pressed=pressed
                    on:click=move |_| {
                        studio.draw("", |equations| {
                            equations.note(Some(object), key, "", Ok(()));
                            change(equations, object, |of| {
                                let end = spikelet_network::Endpoint::whole(name.clone());
                                if pre { of.pre = end } else { of.post = end }
                            });
                        });
                    }
                >
                    {text}
                </button>
            }
        };
        names.get().into_iter().map(button).collect_view()
    };
    view! {
        <Entry
            object=Some(object)
            key
            label
            note="a slice: E[0:100]"
            text
            take=move |equations, text| {
                let end = text.trim().parse().map_err(|_| format!("`{text}` is neither a name nor a slice such as E[0:100]."))?;
                change(equations, object, |of| if pre { of.pre = end } else { of.post = end });
                Ok(())
            }
        />
        <div class="ends" id=list role="group" aria-label=label>
            {buttons}
        </div>
    }
}

/// The rule, its fields, and the expected synapses.
#[component]
fn Connect(object: Object, projection: ShownProjection) -> impl IntoView {
    let studio = studio();
    let connector = Memo::new(move |_| projection.read().as_ref().and_then(|of| of.connect.clone()));
    let pairs = Memo::new(move |_| {
        projection.read().as_ref().and_then(|of| {
            of.pairs.as_ref().map(|pairs| match pairs {
                Pairs::Listed(_) | Pairs::Selected { .. } => format!("{} listed pairs", pairs.len()),
                Pairs::File(file) => format!("pairs from the file {}", file.file),
            })
        })
    });
    let chosen = Memo::new(move |_| connector.read().as_ref().map_or("pairs", spikelet_network::Connector::name).to_owned());
    let options = Memo::new(move |_| {
        let rule = |rule: spikelet_network::RuleEntry| {
            (rule.name.to_owned(), format!("{}: {}", rule.name.replace('_', "-"), rule.about))
        };
        let listed = pairs.get().map(|pairs| ("pairs".to_owned(), pairs));
        RULES.into_iter().map(rule).chain(listed).collect::<Vec<_>>()
    });
    let choose = move |name: String| {
        let Some(rule) = RULES.into_iter().find(|rule| rule.name == name) else { return };
        studio.draw("", |equations| {
            equations.forget_unread(object, "connect");
            change(equations, object, |of| {
                of.connect = Some((rule.example)());
                of.pairs = None;
            });
        });
    };
    view! {
        <fieldset class="group" data-group="connect">
            <legend>"Connectivity"</legend>
            <Choice object=Some(object) key="connect.rule" label="Rule" chosen options choose />
            <FieldErrors object=Some(object) keys=vec!["pairs".into()] id=format!("flaws-pairs-{}", object.place) />
            <MadeFields
                object
                under="connect"
                fields=fields::of_connector
                get=move |equations: &Equations| at(equations, object)?.connect.clone()
                set=move |equations: &mut Equations, changed| {
                    change(equations, object, |of| of.connect = Some(changed));
                }
            />
            <Degrees object />
            <SaveSynapses projection />
        </fieldset>
    }
}

/// The expected synapses of the rule.
#[component]
fn Degrees(object: Object) -> impl IntoView {
    let studio = studio();
    let known = Memo::new(move |_| {
        let of = studio.checked.with(|checked| checked.estimate.as_ref()?.projections.get(object.place).cloned())?;
        let degrees = studio.equations.with(|equations| degrees(&equations.candidate()?, object.place, of.synapses))?;
        Some((of, degrees))
    });
    let fact = |id: &'static str, what: &'static str, much: String| {
        view! {
            <div>
                <dt>{what}</dt>
                <dd data-testid=id>{much}</dd>
            </div>
        }
    };
    view! {
        <dl class="degrees" data-testid="degrees">
            {move || {
                known
                    .get()
                    .map(|(of, [indegree, outdegree])| {
                        let memory = if of.stored { number::bytes(of.bytes) } else { "none: drawn at each spike".into() };
                        let degree = |degree: f64| number::short(degree, if degree < 100.0 { 3 } else { 6 });
                        [
                            fact("indegree", "In-degree", degree(indegree)),
                            fact("outdegree", "Out-degree", degree(outdegree)),
                            fact("synapses", "Synapses", number::large(of.synapses)),
                            fact("memory", "Memory", memory),
                        ]
                            .collect_view()
                    })
            }}
        </dl>
    }
}

/// Buttons that save the synapses of the running network.
#[component]
fn SaveSynapses(projection: ShownProjection) -> impl IntoView {
    let studio = studio();
    let names = of_current(|current| current.opened.network.projections.iter().map(|of| of.name.clone()).collect::<Vec<_>>());
    let name = Memo::new(move |_| get(projection, |of| of.name.clone()));
    let runs = Memo::new(move |_| names.with(|names| names.as_ref().is_some_and(|names| names.contains(&*name.read()))));
    let button = move |extension: &'static str, text: &'static str| {
        view! {
            <button
                data-save-synapses=extension
                title="All synapses of the running network, with delays and current values, as a file for pairs of a projection"
                disabled=move || !runs.get()
                on:click=move |_| studio.save_synapses(name.get_untracked(), extension)
            >
                {text}
            </button>
        }
    };
    view! {
        <p class="save-synapses">
            "Save synapses: "
            {button("npz", "NumPy")}
            {button("csv", "CSV")}
        </p>
    }
}

/// Caps and storage.
#[component]
fn Storing(object: Object, projection: ShownProjection) -> impl IntoView {
    let studio = studio();
    let cap = |text: &str| match text.trim() {
        "" => Ok(None),
        digits => digits.parse().map(Some).map_err(|_| format!("`{digits}` is not a whole number; leave empty for no cap.")),
    };
    let text = |cap: Option<u32>| cap.map(|cap| cap.to_string()).unwrap_or_default();
    let storage = Memo::new(move |_| {
        let word =
            get(projection, |of| of.storage.map(|storage| if storage == Storage::Stored { "stored" } else { "procedural" }));
        word.unwrap_or("").to_owned()
    });
    let options = [("", "automatic"), ("stored", "stored"), ("procedural", "drawn again at each spike")];
    let options = options.map(|(value, text)| (value.to_owned(), text.to_owned())).to_vec();
    let choose = move |word: String| {
        let storage = match word.as_str() {
            "stored" => Some(Storage::Stored),
            "procedural" => Some(Storage::Procedural),
            _ => None,
        };
        studio.draw("", |equations| change(equations, object, |of| of.storage = storage));
    };
    let lowered = projection.with_untracked(|of| {
        of.as_ref().is_some_and(|of| {
            of.synapses_per_pair.is_some() || of.max_outdegree.is_some() || of.max_indegree.is_some() || of.storage.is_some()
        })
    });
    view! {
        <details class="group" data-group="storage" open=lowered>
            <summary>
                <b>"Caps and memory"</b>
            </summary>
            <Entry
                object=Some(object)
                key="synapses_per_pair"
                label="Per pair"
                note="synapses: a number, or an expression of i and j"
                placeholder="1"
                text=Signal::derive(move || get(projection, |of| of.synapses_per_pair.as_ref().and_then(Quantity::text)).unwrap_or_default())
                take=move |equations, typed| {
                    let number = match typed.trim() {
                        "" => None,
                        text => Some(text.parse().map_or_else(|_| Quantity::from(text), Quantity::Number)),
                    };
                    change(equations, object, |of| of.synapses_per_pair = number);
                    Ok(())
                }
            />
            <Entry
                object=Some(object)
                key="max_outdegree"
                label="At most"
                note="synapses from each neuron"
                placeholder="no cap"
                text=Signal::derive(move || text(get(projection, |of| of.max_outdegree)))
                take=move |equations, typed| {
                    let cap = cap(typed)?;
                    change(equations, object, |of| of.max_outdegree = cap);
                    Ok(())
                }
            />
            <Entry
                object=Some(object)
                key="max_indegree"
                label="At most"
                note="synapses onto each neuron"
                placeholder="no cap"
                text=Signal::derive(move || text(get(projection, |of| of.max_indegree)))
                take=move |equations, typed| {
                    let cap = cap(typed)?;
                    change(equations, object, |of| of.max_indegree = cap);
                    Ok(())
                }
            />
            <Choice object=Some(object) key="storage" label="Synapses" chosen=storage options=Signal::stored(options) choose />
        </details>
    }
}
