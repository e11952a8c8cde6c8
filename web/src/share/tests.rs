use serde_json::json;

use super::*;

/// A link of each release: it opens in all later ones.
const GOLDEN: &str = include_str!("../../../tests/golden-links.json");

fn cuba() -> Shared {
    let changes = vec![("E.taum".into(), "15 ms".into()), ("EI.w".into(), "-3.5e-2 µS".into())];
    let source = Source::Catalogue { name: "cuba".into(), scale: 4.0 };
    Shared {
        changes: vec![(1200, "E.taum".into(), "12 ms".into()), (1300, "I.taum".into(), "25 ms".into())],
        step: 5000,
        view: Some((100.0, 350.5)),
        pane: Some("equations".into()),
        ..Shared::of(&OpenRequest { source, seed: Some(7), changes, ..OpenRequest::first() }).unwrap()
    }
}

#[test]
fn links_and_files_come_back_as_they_were() {
    let own =
        json!({"name": "x", "dt_ms": 0.1, "populations": [{"name": "n", "equations": "dv/dt = -v/τ : 1", "z": 1, "a": 0.1}]});
    for shared in
        [cuba(), cuba().at_start(), Shared { network: own.clone(), scale: 1.0, draft: Some(json!({"edits": []})), ..cuba() }]
    {
        let link = shared.to_link().unwrap();
        assert!(link.starts_with('1') && code::is_link(&link) && link.len() < 400, "{link}");
        assert_eq!(Shared::from_link(&link), Ok(shared.clone()));
        assert_eq!(Shared::from_file(&shared.to_file()), Some(Ok(shared)));
    }
    let open_request = Shared { network: own.clone(), ..cuba() }.open_request(BackendChoice::Cpu);
    // The order of parameters is kept.
    assert_eq!(open_request.source, Source::Json { text: own.to_string() });
    assert_eq!((open_request.seed, open_request.changes.len()), (Some(7), 2));
    assert_eq!(Shared::from_file(&own.to_string()), None, "a plain network");
    assert_eq!(Shared::from_file("no JSON"), None);
}

#[test]
fn the_values_at_the_end_are_those_of_the_last_changes() {
    let shared = cuba().at_start();
    assert_eq!(shared.values["E.taum"], "12 ms");
    assert_eq!((shared.values.len(), shared.changes.len(), shared.step, shared.view), (3, 0, 0, None));
}

#[test]
fn a_long_link_is_not_made() {
    // Random text is hardly compressed.
    let mut state = 1_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        format!("{state:08x}")
    };
    let description: String = (0..4000).map(|_| random()).collect();
    let length = Shared { network: json!({ "description": description }), ..cuba() }.to_link().unwrap_err();
    assert!(length > LONGEST);
}

#[test]
fn invalid_content_is_explained() {
    let read = |json: &str| Shared::from_link(&code::write(VERSION, json)).unwrap_err();
    for (json, part) in [
        (r#"{"network":7}"#, "`network` is 7"),
        (r#"{"step":7}"#, "missing field `network`"),
        (r#"{"network":"cuba","colour":7}"#, "unknown field `colour`"),
        (r#"{"network":"cuba","speed":-1}"#, "`speed` is -1"),
        (r#"{"network":"cuba","scale":0}"#, "`scale` is 0"),
        (r#"{"network":"cuba","view":[5,2]}"#, "from 5 to 2"),
        (r#"{"network":"cuba","step":-1}"#, "invalid value"),
        (r#"{"network":"cuba","step":9,"changes":[[8,"a.b","1"],[7,"a.b","2"]]}"#, "8 is before 7"),
        (r#"{"network":"cuba","step":9,"changes":[[10,"a.b","1"]]}"#, "sets a.b at step 10"),
        (r#"{"network":"cuba""#, "EOF"),
    ] {
        let error = read(json);
        assert!(error.contains(part) && error.contains("Reload"), "{json}: {error}");
    }
    let newer = Shared::from_file(r#"{"spikelet": 9, "network": "cuba"}"#).unwrap().unwrap_err();
    assert!(newer.contains("newer version") && newer.contains("format 9"), "{newer}");
    let odd = Shared::from_file(r#"{"spikelet": "x", "network": "cuba"}"#).unwrap().unwrap_err();
    assert!(odd.contains("its version is \"x\""), "{odd}");
}

#[test]
fn links_of_all_releases_open() {
    let golden: Vec<Value> = serde_json::from_str(GOLDEN).unwrap();
    assert!(golden.iter().any(|golden| golden["release"] == "0.1"));
    for golden in golden {
        let shared = Shared::from_link(golden["link"].as_str().unwrap()).unwrap();
        let expected = Shared::from_value(golden["content"].clone()).unwrap();
        assert_eq!(shared, expected, "the link of {}", golden["release"]);
    }
}
