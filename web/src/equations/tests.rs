use spikelet_lang::Dimension;
use spikelet_network::catalogue;

use super::check::{Checked, EquationError, PopulationPath, tests::check};
use super::*;

fn cuba() -> Equations {
    Equations::of(catalogue::network("cuba", 1.0).expect("cuba"))
}

fn started() -> Equations {
    Equations::of(start::network())
}

fn text(equations: &Equations, field: Field) -> String {
    field.of(&Texts::of(equations.shown().expect("a population"))).to_owned()
}

/// Place, line and column of each mistake.
fn spots(checked: &Checked) -> Vec<(PopulationPath, usize, usize)> {
    let spot = |mistake: &EquationError| mistake.spot.as_ref().map_or((0, 0), |spot| (spot.line, spot.column));
    checked.mistakes.iter().map(|mistake| (mistake.place.clone(), spot(mistake).0, spot(mistake).1)).collect()
}

fn missing(checked: &Checked) -> Vec<(String, Option<String>)> {
    let text = |dimension: &Dimension| dimension.to_string();
    checked.missing.iter().map(|(name, dimension)| (name.clone(), dimension.as_ref().map(text))).collect()
}

#[test]
fn a_library_model_is_shown_and_becomes_ones_own_when_edited() {
    let mut equations = cuba();
    assert_eq!(equations.names(), ["E", "I"]);
    assert!(text(&equations, Field::Equations).contains("dge/dt = -ge/taue : volt"));
    assert_eq!(text(&equations, Field::Threshold), "v > Vt");
    let checked = check(&equations);
    assert!(checked.is_fine(), "{checked:?}");
    assert_eq!(checked.method.as_deref(), Some("exact"));

    equations.write(Field::Threshold, "v > Vt + 1*mV");
    let shown = equations.shown().expect("E");
    assert_eq!((shown.model.as_deref(), shown.size), (None, 3200));
    assert_eq!(shown.parameters["taum"], "20 ms".into());
    assert!(equations.is_edited(0) && !equations.is_edited(1));
    let candidate = equations.candidate().expect("a network");
    assert_eq!(candidate.name, "cuba, edited");
    assert_eq!(candidate.populations[1].model.as_deref(), Some("lif_exp"));
    assert_eq!(Network::from_json(&candidate.to_json()).as_ref(), Ok(&candidate));
    assert!(check(&equations).is_fine());
}

#[test]
fn undone_edits_can_be_brought_back() {
    let mut equations = cuba();
    equations.write(Field::Reset, "v = Vr - 5*mV");
    equations.undo_or_redo();
    assert_eq!(text(&equations, Field::Reset), "v = Vr");
    assert!(!equations.is_any_edited() && equations.is_undone());
    equations.undo_or_redo();
    assert_eq!(text(&equations, Field::Reset), "v = Vr - 5*mV");
    equations.undo_or_redo();
    equations.write(Field::Threshold, "v > Vt");
    assert!(!equations.is_undone(), "a new edit starts from the running population");
    assert_eq!(text(&equations, Field::Reset), "v = Vr");
}

#[test]
fn typing_back_what_runs_is_no_edit() {
    let mut equations = started();
    let before = text(&equations, Field::Equations);
    equations.write(Field::Equations, &format!("{before}\n"));
    assert!(equations.is_edited(0) && equations.to_kept().is_some());
    assert_eq!(text(&equations, Field::Equations), format!("{before}\n"), "a line begun is not taken away");
    equations.write(Field::Equations, &before);
    assert!(!equations.is_edited(0) && equations.to_kept().is_none());
}

#[test]
fn a_mistake_has_its_line_and_hides_no_other() {
    let mut equations = cuba();
    let wrong = text(&equations, Field::Equations).replace("dge/dt = -ge/taue", "dge/dt = -ge");
    equations.write(Field::Equations, &wrong);
    equations.write(Field::Threshold, "v > 1*nA");
    let checked = check(&equations);
    assert_eq!(
        spots(&checked),
        [(PopulationPath::Field(Field::Equations), 2, 10), (PopulationPath::Field(Field::Threshold), 1, 1)],
        "{:?}",
        checked.mistakes
    );
    assert!(!checked.is_fine() && checked.missing.is_empty());
}

#[test]
fn names_without_a_value_are_asked_for_with_their_dimension() {
    let mut equations = started();
    equations.write(Field::Equations, "dv/dt = (El - v + Rm*J + pulse)/tau : volt\nJ = J0*exp(-k) : amp");
    equations.write(Field::Reset, "v = Vr");
    equations.write(Field::Refractory, "tref");
    equations.set("Rm", " ");
    let checked = check(&equations);
    let volt = Some("volt".to_owned());
    let mut found = missing(&checked);
    found.sort();
    assert_eq!(
        found,
        [
            ("J0".into(), Some("amp".into())),
            ("Rm".into(), Some("ohm".into())),
            ("k".into(), Some("a pure number".into())),
            ("pulse".into(), volt),
            ("tref".into(), Some("second".into())),
        ]
    );
    for (name, value) in [("Rm", "100 Mohm"), ("J0", "1 nA"), ("k", "1"), ("pulse", "1 mV"), ("tref", "2")] {
        equations.set(name, value);
    }
    let checked = check(&equations);
    assert_eq!(missing(&checked), []);
    let [mistake] = checked.mistakes.as_slice() else { panic!("{:?}", checked.mistakes) };
    assert_eq!(mistake.place, PopulationPath::Value("tref".into()));
    assert_eq!(mistake.help.as_deref(), Some("For example `2 ms`."));
    equations.set("tref", "2 ms");
    let checked = check(&equations);
    assert!(checked.is_fine(), "{:?}", checked.mistakes);
    assert!(checked.unused.contains(&"tauw".to_owned()) && !checked.unused.contains(&"tau".to_owned()));
}

#[test]
fn a_name_that_could_measure_anything_is_asked_for_without_a_dimension() {
    let mut equations = started();
    equations.write(Field::Equations, "dv/dt = alpha*beta*(El - v) : volt");
    equations.write(Field::Reset, "v = Vr");
    let checked = check(&equations);
    assert_eq!(missing(&checked), [("alpha".into(), None), ("beta".into(), None)]);
    assert_eq!(checked.mistakes, []);
    assert_eq!(
        checked.spots(Field::Equations).iter().map(|spot| (spot.column, spot.width)).collect::<Vec<_>>(),
        [(9, 5), (15, 4)]
    );
    equations.set("alpha", "1 Hz");
    assert_eq!(missing(&check(&equations)), [("beta".into(), Some("a pure number".into()))]);
}

#[test]
fn a_slip_is_a_mistake_with_a_suggestion() {
    let mut equations = started();
    equations.write(Field::Threshold, "v > Vtt");
    let checked = check(&equations);
    let mistake = &checked.at(&PopulationPath::Field(Field::Threshold))[0];
    assert!(mistake.help.as_ref().is_some_and(|help| help.contains("Vt")), "{mistake:?}");
    assert!(mistake.spot.as_ref().is_some_and(|spot| spot.missing && spot.column == 5));
}

#[test]
fn values_that_cannot_be_read_are_said_beside_them() {
    let mut equations = started();
    equations.set("tau", "20 mss");
    equations.begin("v", "El + 5");
    equations.resize("many");
    equations.write(Field::Threshold, "v > ");
    let mut places: Vec<PopulationPath> = check(&equations).mistakes.into_iter().map(|mistake| mistake.place).collect();
    places.dedup();
    for place in [
        PopulationPath::Value("tau".into()),
        PopulationPath::Initial("v".into()),
        PopulationPath::Size,
        PopulationPath::Field(Field::Threshold),
    ] {
        assert!(places.contains(&place), "{place:?} is not among {places:?}");
    }
    assert_eq!(equations.shown().map(|population| population.size), Some(50));
}

#[test]
fn the_rest_of_the_network_has_its_say() {
    let mut equations = cuba();
    equations.choose_model("izhikevich_2003");
    let checked = check(&equations);
    let [mistake, ..] = checked.mistakes.as_slice() else { panic!("synapses add to ge, which is not there") };
    assert_eq!(mistake.place, PopulationPath::Elsewhere);
    assert!(mistake.sentence.starts_with("Synapses ") && mistake.sentence.contains("ge"), "{}", mistake.sentence);
    assert!(mistake.spot.is_some());
}

#[test]
fn recordings_and_initial_values_follow_the_variables() {
    let mut equations = started();
    equations.record("w", true);
    assert_eq!(equations.recorded(), ["v", "w"]);
    equations.begin("w", "10 pA");
    equations.write(Field::Equations, "du/dt = (El - u)/tau : volt");
    equations.write(Field::Threshold, "u > Vt");
    equations.write(Field::Reset, "u = Vr");
    equations.record("u", true);
    let candidate = equations.candidate().expect("a network");
    assert_eq!(candidate.recordings.iter().map(|recording| recording.var.as_str()).collect::<Vec<_>>(), ["u"]);
    assert!(candidate.populations[0].initial.is_empty());
    assert!(check(&equations).is_fine(), "{:?}", check(&equations).mistakes);
    assert_eq!(equations.shown().map(|population| population.initial.len()), Some(2), "they come back with their variable");
}

#[test]
fn recordings_stay_as_they_are_when_their_population_is_edited() {
    let mut equations = started();
    let of =
        |var: &str, reduce| spikelet_network::Recording { var: var.into(), reduce, ..spikelet_network::Recording::default() };
    equations.write(Field::Equations, &format!("{}\nnear = 2*v : volt", text(&equations, Field::Equations)));
    let population = crate::network::Object::new(crate::network::Kind::Population, 0);
    let list = vec![of("near", None), of("v", Some(spikelet_network::Aggregate::Mean))];
    equations.record_as(population, list);
    equations.write(Field::Threshold, "v > Vt - 1*mV");
    let found = equations.recordings_of(population);
    let recorded: Vec<_> = found.iter().map(|of| (of.object.as_str(), of.var.as_str(), of.reduce)).collect();
    assert_eq!(recorded, [("cells", "near", None), ("cells", "v", Some(spikelet_network::Aggregate::Mean))]);
    assert_eq!(equations.candidate().expect("a network").recordings, found);
    equations.record("near", false);
    assert_eq!(equations.recordings_of(population).len(), 1);
    equations.record_as(population, Vec::new());
    assert!(equations.recorded().is_empty() && equations.recordings_of(population).is_empty());
}

#[test]
fn fewer_neurons_are_recorded_where_they_are() {
    let mut equations = started();
    equations.resize("3");
    assert!(check(&equations).is_fine(), "{:?}", check(&equations).mistakes);
    let candidate = equations.candidate().expect("a network");
    assert_eq!(candidate.populations[0].size, 3);
    assert_eq!(candidate.recordings[0].indices, vec![0, 1, 2].into());
    equations.resize("1");
    assert_eq!(equations.candidate().expect("a network").recordings[0].indices, vec![0].into());
    equations.resize("0");
    assert!(!check(&equations).is_fine());
}

#[test]
fn own_equations_are_kept_under_a_library_model() {
    let mut equations = started();
    equations.write(Field::Threshold, "v > Vt - 1*mV");
    equations.choose_model("lif_exp");
    assert_eq!(equations.shown().and_then(|population| population.model.clone()).as_deref(), Some("lif_exp"));
    assert_eq!(equations.recorded(), ["v"]);
    assert!(check(&equations).is_fine(), "{:?}", check(&equations).mistakes);
    assert!(equations.has_own());
    equations.choose_own();
    assert_eq!(text(&equations, Field::Threshold), "v > Vt - 1*mV");
}

#[test]
fn a_slider_moves_the_value_under_the_edits_too() {
    let mut equations = cuba();
    equations.write(Field::Reset, "v = Vr - 1*mV");
    equations.follow("E.taum", "15 ms");
    equations.follow("I.taum", "9 ms");
    let candidate = equations.candidate().expect("a network");
    assert_eq!(candidate.populations[0].parameters["taum"], "15 ms".into());
    assert_eq!(candidate.populations[1].parameters["taum"], "9 ms".into());
}

#[test]
fn edits_survive_as_text() {
    let mut equations = cuba();
    assert_eq!(equations.to_kept(), None);
    equations.select(1);
    equations.write(Field::Threshold, "v > ");
    equations.set("taum", "20 m");
    let kept = equations.to_kept().expect("edits");
    let mut again = cuba();
    again.take_kept(&kept);
    again.select(1);
    assert_eq!(again, equations);
    let mut other = started();
    other.take_kept(&kept);
    other.take_kept("nonsense");
    assert_eq!(other, started(), "there is no population I");
}

#[test]
fn methods_are_checked_and_named() {
    let mut equations = started();
    equations.choose_method("rk4");
    assert_eq!(check(&equations).method.as_deref(), Some("rk4"));
    equations.write(Field::Equations, "dv/dt = (El - v + (v - Vt)**2/mV)/tau : volt");
    equations.write(Field::Reset, "v = Vr");
    equations.choose_method("exact");
    let checked = check(&equations);
    assert_eq!(checked.mistakes.first().map(|mistake| &mistake.place), Some(&PopulationPath::Method), "{:?}", checked.mistakes);
    equations.choose_method("");
    let checked = check(&equations);
    assert!(checked.is_fine(), "{:?}", checked.mistakes);
    assert_eq!(checked.method.as_deref(), Some("rk4"));
}

#[test]
fn edits_that_run_are_edits_no_longer() {
    let mut equations = started();
    equations.write(Field::Equations, "dv/dt = (El - v + R*I)/tau : volt\nI : amp");
    equations.write(Field::Reset, "v = Vr");
    let ran = equations.candidate().expect("a network");
    let mut after = Equations::of(ran.clone());
    after.take_kept(&equations.to_kept().expect("edits"));
    assert!(!after.is_any_edited() && after.to_kept().is_none());
    equations.write(Field::Reset, "v = Vr # typed while it was being built");
    let mut after = Equations::of(ran);
    after.take_kept(&equations.to_kept().expect("edits"));
    assert!(after.is_edited(0));
}

#[test]
fn a_preset_sets_values_that_can_be_typed_over() {
    let mut equations = started();
    equations.choose_model("adex");
    let value = |equations: &Equations, name: &str| {
        let rows = rows::parameters(equations, &check(equations));
        rows.into_iter().find(|row| row.name == name).and_then(|row| row.text).unwrap_or_default()
    };
    assert_eq!(equations.shown().and_then(|shown| shown.preset.clone()).as_deref(), Some("tonic"), "it spikes when it is run");
    assert_eq!(value(&equations, "I"), "500 pA");
    equations.set("I", "600 pA");
    assert_eq!(value(&equations, "I"), "600 pA");
    equations.choose_preset("transient");
    assert_eq!((value(&equations, "I"), value(&equations, "gl")), ("180 pA".into(), "10 nS".into()));
    assert!(check(&equations).is_fine(), "{:?}", check(&equations).mistakes);
    equations.write(Field::Threshold, "v > VT + 4*DT");
    let shown = equations.shown().expect("cells");
    assert_eq!((shown.model.as_ref(), shown.preset.as_ref()), (None, None));
    assert_eq!(shown.parameters["I"], "180 pA".into());
    assert!(check(&equations).is_fine(), "{:?}", check(&equations).mistakes);
    equations.choose_model("adex");
    equations.choose_preset("");
    assert_eq!(value(&equations, "I"), "0 pA");
    let mut driven = cuba();
    driven.choose_model("adex");
    assert_eq!(driven.shown().and_then(|shown| shown.preset.clone()), None, "other cells drive it");
}

#[test]
fn lines_beside_a_library_model_become_part_of_ones_own() {
    let mut network = start::network();
    network.populations[0] = Population {
        name: "cells".into(),
        size: 5,
        model: Some("lif".into()),
        equations: Some("I_syn = g : amp\ndg/dt = -g/tau_s : amp".into()),
        parameters: [("tau_s".to_owned(), spikelet_network::Quantity::from("5 ms"))].into_iter().collect(),
        ..Population::default()
    };
    network.recordings.clear();
    let mut equations = Equations::of(network);
    assert!(check(&equations).is_fine(), "{:?}", check(&equations).mistakes);
    assert_eq!(text(&equations, Field::Equations).matches("I_syn =").count(), 1);
    equations.write(Field::Refractory, "1*ms");
    assert!(check(&equations).is_fine(), "{:?}", check(&equations).mistakes);
    assert!(text(&equations, Field::Equations).contains("dg/dt = -g/tau_s : amp"));
}

#[test]
fn every_cell_and_source_of_the_library_can_be_chosen_and_edited() {
    let groups = models::groups();
    assert!(groups.iter().all(|(title, models)| !title.is_empty() && !models.is_empty()));
    for model in groups.iter().flat_map(|(_, models)| models) {
        let mut equations = started();
        equations.choose_model(&model.name);
        let checked = check(&equations);
        assert!(checked.is_fine(), "{}: {:?} {:?}", model.name, checked.mistakes, checked.missing);
        let same = Texts::of(equations.shown().expect("cells"));
        equations.write(Field::Equations, &format!("{}\n# edited", same.equations));
        let edited = check(&equations);
        assert!(edited.is_fine(), "{}: {:?} {:?}", model.name, edited.mistakes, edited.missing);
        assert_eq!(edited.method, checked.method, "{}", model.name);
        assert_eq!(edited.unused, Vec::<String>::new(), "{}", model.name);
    }
}

#[test]
fn a_time_constant_below_zero_is_said_beside_it() {
    let mut equations = started();
    equations.set("tau", "-20 ms");
    let mistakes = check(&equations).mistakes;
    let [mistake] = mistakes.as_slice() else { panic!("{mistakes:?}") };
    assert_eq!(mistake.place, PopulationPath::Value("tau".into()));
}

#[test]
fn no_population_is_empty_wherever_that_is_typed() {
    let mut equations = cuba();
    equations.resize("0");
    let sentences = |equations: &Equations| {
        check(equations).field_errors.into_iter().map(|field_error| field_error.sentence).collect::<Vec<_>>()
    };
    let here = sentences(&equations);
    assert_eq!(here[0], "`0` is not a number of neurons; expected 1 or more.");
    equations.select(1);
    assert_eq!(sentences(&equations)[0], here[0]);
}

#[test]
fn what_is_said_of_a_published_network_is_not_said_of_its_edits() {
    let mut equations = cuba();
    let published = equations.candidate().expect("a network").description;
    equations.resize("320");
    let edited = equations.candidate().expect("a network");
    assert_eq!(edited.description, format!("Derived from {published}"));
    // Once, however often it is edited.
    let mut again = Equations::of(edited);
    again.resize("321");
    assert_eq!(again.candidate().expect("a network").description, format!("Derived from {published}"));
    let mut new = started();
    new.resize("7");
    assert_eq!(new.candidate().expect("a network").description, "");
    let mut own = Equations::of(Network { description: "Mine.".into(), ..start::network() });
    own.resize("7");
    assert_eq!(own.candidate().expect("a network").description, "Mine.");
}

#[test]
fn a_wrong_input_is_at_its_source() {
    let mut equations = cuba();
    let input = equations.add(crate::network::Kind::Source).expect("a source");
    equations.draw(|network| {
        network.sources[input.place].kind = spikelet_network::SourceKind::PoissonInput {
            targets: vec![spikelet_network::Endpoint::whole("E")],
            var: "v".into(),
            n: 1,
            rate: "20 mV".into(),
            weight: "1 mV".into(),
        };
    });
    let field_errors = check(&equations).field_errors;
    let places: Vec<_> = field_errors.iter().map(|field_error| (field_error.object, field_error.key.as_str())).collect();
    assert_eq!(places, [(Some(input), "rate")], "{field_errors:?}");
    assert!(check(&equations).mistakes[0].sentence.starts_with("Source input, rate"), "{:?}", check(&equations).mistakes);
}

#[test]
fn each_projection_has_its_own_flaw() {
    let mut network = catalogue::network("cuba", 0.02).expect("cuba");
    assert_eq!(check(&Equations::of(network.clone())).field_errors, []);
    network.projections[0].connect = Some(spikelet_network::Connector::bernoulli(1.5));
    network.projections[1].parameters.insert("we".into(), "1.62 mS".into());
    network.projections[2].post.population = "J".into();
    network.projections[3].on_pre = Some("gi_post += wii".into());
    let checked = check(&Equations::of(network));
    let places: Vec<_> = checked
        .field_errors
        .iter()
        .map(|field_error| (field_error.object.map(|object| object.place), field_error.key.as_str()))
        .collect();
    for expected in [(Some(0), "connect.p"), (Some(2), "post"), (Some(3), "on_pre")] {
        assert!(places.contains(&expected), "{expected:?} is not among {places:?}");
    }
    assert!(places.iter().any(|(place, _)| *place == Some(1)), "{places:?}");
    assert_eq!(checked.mistakes.len(), checked.field_errors.len());
}

#[test]
fn a_name_without_a_value_in_another_population_is_a_mistake() {
    let mut equations = cuba();
    equations.write(Field::Threshold, "v > unheard_of");
    assert!(!check(&equations).is_fine());
    equations.select(1);
    let checked = check(&equations);
    assert!(
        !checked.is_fine() && checked.mistakes[0].sentence.starts_with("Population E, threshold: "),
        "{:?}",
        checked.mistakes
    );
}

#[test]
fn a_delay_that_is_no_time_is_at_its_field() {
    let mut equations = cuba();
    equations.draw(|network| network.projections[0].delay_ms = spikelet_network::Delays::Same("2 mV".into()));
    let field_errors = check(&equations).field_errors;
    let [field_error] = field_errors.as_slice() else { panic!("{field_errors:?}") };
    assert!(
        field_error.is_of(Some(crate::network::Object::new(crate::network::Kind::Projection, 0)), "delay_ms"),
        "{field_error:?}"
    );
    assert!(
        [Some(&field_error.sentence), field_error.help.as_ref()].into_iter().flatten().any(|said| said.contains("ms")),
        "{field_error:?}"
    );
}

#[test]
fn values_are_live_while_model_and_name_are_those_that_run() {
    let network = catalogue::network("cuba", 0.1).expect("cuba");
    let (population, projection) = (Object::new(Kind::Population, 0), Object::new(Kind::Projection, 0));
    let live = |equations: &Equations| (equations.is_live(population), equations.is_live(projection));
    let mut equations = Equations::of(network);
    assert_eq!(live(&equations), (true, true));
    equations.set("taum", "10 ms");
    equations.resize("7");
    assert_eq!(live(&equations), (true, true), "a value changes no name");
    equations.write(Field::Reset, "v = Vr - 1*mV");
    assert_eq!(live(&equations), (false, true));
    equations.undo_or_redo();
    equations.rename(population, "cells").expect("a name");
    assert!(!live(&equations).0, "the running one has another name");
    equations.draw(|network| network.projections[0].on_pre = Some("ge_post += 2*we".into()));
    assert_eq!(live(&equations), (false, false));
}
