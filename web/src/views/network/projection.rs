//! The form of a projection.

use leptos::prelude::*;
use spikelet::{Delays, Pairs, Pathways, Projection, Quantity, RULES, Storage};
use spikelet_lang::library::{self, ModelKind};

use super::super::studio;
use super::entry::{Choice, Entry, Flaws, Tick};
use super::values::{Given, Offer, Values};
use crate::{
    equations::{self, Equations},
    network::{
        Object,
        estimate::degrees,
        fields::{self, Content, Field},
        structure,
    },
    number,
};

/// What the menu calls statements of one's own.
const OWN: &str = "";

/// The projection of a form.
type Shown = Memo<Option<Projection>>;

fn change(equations: &mut Equations, object: Object, act: impl FnOnce(&mut Projection)) {
    equations.draw(|network| network.projections.get_mut(object.place).map(act));
}

fn get<T: Default>(projection: Shown, look: impl Fn(&Projection) -> T) -> T {
    projection.read().as_ref().map(look).unwrap_or_default()
}

/// From where to where, by which rule, with which effect and delay.
#[component]
pub(super) fn ProjectionForm(object: Object) -> impl IntoView {
    let studio = studio();
    let projection =
        Memo::new(move |_| studio.equations.with(|equations| equations.network()?.projections.get(object.place).cloned()));
    view! {
        <Flaws object=Some(object) keys=vec![String::new()] id=format!("flaws-projection-{}", object.place) />
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
        <Storing object projection />
    }
}

/// One end: a population (or source), or a slice of it.
#[component]
fn End(object: Object, projection: Shown, pre: bool) -> impl IntoView {
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
                                let end = spikelet::Endpoint::whole(name.clone());
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

/// The rule, its fields, and what it will give.
#[component]
fn Connect(object: Object, projection: Shown) -> impl IntoView {
    let studio = studio();
    let connector = Memo::new(move |_| projection.read().as_ref().and_then(|of| of.connect.clone()));
    let pairs = Memo::new(move |_| {
        projection.read().as_ref().and_then(|of| {
            of.pairs.as_ref().map(|pairs| match pairs {
                Pairs::Listed(pairs) => format!("{} listed pairs", pairs.len()),
                Pairs::File(file) => format!("pairs of the file {}", file.file),
            })
        })
    });
    let chosen = Memo::new(move |_| connector.read().as_ref().map_or("pairs", spikelet::Connector::name).to_owned());
    let options = Memo::new(move |_| {
        let rule = |rule: spikelet::RuleEntry| (rule.name.to_owned(), format!("{}: {}", rule.name.replace('_', "-"), rule.about));
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
    let keys = Memo::new(move |_| {
        let fields = connector.read().as_ref().map(fields::of_connector).unwrap_or_default();
        let flag = |field: &Field| matches!(field.content, Content::Flag(_));
        let rule = chosen.get();
        fields.iter().map(|field| (rule.clone(), field.key.clone(), flag(field))).collect::<Vec<_>>()
    });
    let field = move |(_, key, flag): (String, String, bool)| {
        let content = {
            let key = key.clone();
            Memo::new(move |_| {
                let fields = connector.read().as_ref().map(fields::of_connector).unwrap_or_default();
                fields.into_iter().find(|field| field.key == key).map(|field| field.content)
            })
        };
        let (label, note, typed) = (fields::label(&key).to_owned(), fields::note(&key), StoredValue::new(key.clone()));
        let path = format!("connect.{key}");
        if flag {
            let tick = move |on: bool| {
                studio.draw("", |equations| {
                    change(equations, object, |of| {
                        of.connect = of.connect.as_ref().map(|rule| fields::ticked(rule, &typed.get_value(), on));
                    });
                });
            };
            let ticked = Signal::derive(move || content.get() == Some(Content::Flag(true)));
            return view! { <Tick key=path label ticked tick /> }.into_any();
        }
        let text = Signal::derive(move || match content.get() {
            Some(Content::Text(text)) => text,
            _ => String::new(),
        });
        view! {
            <Entry
                object=Some(object)
                key=path
                label
                note
                text
                take=move |equations, text| {
                    let network = equations.network();
                    let rule = network.and_then(|network| network.projections.get(object.place)?.connect.as_ref());
                    let Some(rule) = rule else { return Ok(()) };
                    let changed = fields::typed(rule, &typed.get_value(), text)?;
                    change(equations, object, |of| of.connect = Some(changed));
                    Ok(())
                }
            />
        }
        .into_any()
    };
    view! {
        <fieldset class="group" data-group="connect">
            <legend>"Joined"</legend>
            <Choice object=Some(object) key="connect.rule" label="Rule" chosen options choose />
            <Flaws object=Some(object) keys=vec!["pairs".into()] id=format!("flaws-pairs-{}", object.place) />
            <For each=move || keys.get() key=Clone::clone children=field />
            <Degrees object />
        </fieldset>
    }
}

/// What the rule will give.
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

/// What a spike does, how strongly and when.
#[component]
fn Effect(object: Object, projection: Shown) -> impl IntoView {
    let studio = studio();
    let chosen = Memo::new(move |_| get(projection, |of| of.model.clone()).unwrap_or_else(|| OWN.into()));
    let model = Signal::derive(move || library::library(&chosen.read()).ok());
    let options = Memo::new(move |_| {
        let own = (OWN.to_owned(), "Own statement".to_owned());
        let synapses = library::names().filter_map(|name| library::library(name).ok());
        let synapses = synapses.filter(|model| model.kind == ModelKind::Synapse).map(|model| (model.name, model.title));
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
        let none = (String::new(), "none, the defaults".to_owned());
        std::iter::once(none).chain(names.into_iter().map(|name| (name.clone(), name.replace('_', " ")))).collect::<Vec<_>>()
    });
    let preset = Memo::new(move |_| get(projection, |of| of.preset.clone()).unwrap_or_default());
    let pathways = Memo::new(move |_| get(projection, |of| of.on_pre.as_ref().map(names_of).unwrap_or_default()));
    view! {
        <fieldset class="group code" data-group="effect">
            <legend>"Effect"</legend>
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
            <Delay object projection />
        </fieldset>
        <Parameters object projection />
    }
}

fn names_of(pathways: &Pathways) -> Vec<String> {
    pathways.iter().map(|(name, _)| name.to_owned()).collect()
}

/// The statements of a pathway.
#[component]
fn Pathway(object: Object, projection: Shown, pathway: String) -> impl IntoView {
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
                    return Err("Write what a spike does, such as `v_post += w`.".into());
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

/// How long spikes travel.
#[component]
fn Delay(object: Object, projection: Shown) -> impl IntoView {
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
            note="one for all, or drawn: normal(1.5 ms, 0.5 ms, 0.1 ms, 10 ms)"
            text
            take=move |equations, text| {
                let delay = if text.trim().is_empty() { Quantity::default() } else { fields::delay(text) };
                change(equations, object, |of| of.delay_ms = Delays::Same(delay));
                Ok(())
            }
        />
        <Show when=is_list>
            <p class="hint-line">"Several delays are given: see the JSON. What is written here is the delay of all."</p>
        </Show>
    }
}

#[component]
fn Parameters(object: Object, projection: Shown) -> impl IntoView {
    let model = Signal::derive(move || get(projection, |of| of.model.clone()).and_then(|name| library::library(&name).ok()));
    let given = Memo::new(move |_| {
        let model = model.get();
        let about = |name: &str| model.as_ref().and_then(|model| model.parameters.get(name)).map(|of| of.about.clone());
        get(projection, |of| {
            let given = of.parameters.iter().map(|(name, value)| Given {
                name: name.clone(),
                text: equations::written(value),
                note: about(name).unwrap_or_default(),
                example: "0.5 mV".into(),
                removable: true,
            });
            given.collect::<Vec<_>>()
        })
    });
    let offers = Memo::new(move |_| {
        let offer = |(name, of): (String, library::Parameter)| Offer { name, default: of.default, about: of.about };
        Some(model.get()?.parameters.into_iter().map(offer).collect::<Vec<_>>())
    });
    view! {
        <Values
            object
            group="parameters"
            title="Weight and values"
            given
            offers
            set=move |equations, name, text| {
                change(equations, object, |of| drop(of.parameters.insert(name.to_owned(), equations::quantity(text))));
            }
            remove=move |equations, name| change(equations, object, |of| drop(of.parameters.shift_remove(name)))
        />
    }
}

/// Caps, and whether synapses are kept.
#[component]
fn Storing(object: Object, projection: Shown) -> impl IntoView {
    let studio = studio();
    let cap = |text: &str| match text.trim() {
        "" => Ok(None),
        digits => digits.parse().map(Some).map_err(|_| format!("`{digits}` is no whole number; nothing means no cap.")),
    };
    let text = |cap: Option<u32>| cap.map(|cap| cap.to_string()).unwrap_or_default();
    let storage = Memo::new(move |_| {
        let word =
            get(projection, |of| of.storage.map(|storage| if storage == Storage::Stored { "stored" } else { "procedural" }));
        word.unwrap_or("").to_owned()
    });
    let options = [("", "as the plan chooses"), ("stored", "in memory"), ("procedural", "drawn again at each spike")];
    let options = options.map(|(value, text)| (value.to_owned(), text.to_owned())).to_vec();
    let choose = move |word: String| {
        let storage = match word.as_str() {
            "stored" => Some(Storage::Stored),
            "procedural" => Some(Storage::Procedural),
            _ => None,
        };
        studio.draw("", |equations| change(equations, object, |of| of.storage = storage));
    };
    let unfolded = projection.with_untracked(|of| {
        of.as_ref().is_some_and(|of| of.max_outdegree.is_some() || of.max_indegree.is_some() || of.storage.is_some())
    });
    view! {
        <details class="group" data-group="storage" open=unfolded>
            <summary>
                <b>"Caps and memory"</b>
            </summary>
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
