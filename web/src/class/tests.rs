use super::*;
use crate::{lessons::measure::Quantity, session::OpenRequest};

fn measure() -> Measure {
    Measure { quantity: Quantity::Rate, of: "E".into(), neurons: None, periods_ms: None }
}

fn task(vary: Vary) -> Task {
    Task::new(Shared::of(&OpenRequest::first()).unwrap(), vary, 5, measure(), [100.0, 500.0]).unwrap()
}

fn sweep() -> Task {
    task(Vary::Parameter { path: "IE.wi".into(), range: [-9.0, -1.0], unit: "mV".into() })
}

fn answer(task: &Task, point: u32, value: f64) -> Answer {
    Answer { task: task.id(), point, value: Some(value), spikes: 7 }
}

#[test]
fn each_visitor_gets_a_network_of_the_task() {
    let task = sweep();
    let read = Task::from_link(task.to_link().strip_prefix(TASK).unwrap()).unwrap();
    assert_eq!((&read, read.id()), (&task, task.id()));
    assert_eq!(task.shared(1).values.get("IE.wi").map(String::as_str), Some("-7 mV"));
    assert_eq!([task.words(0), task.words(4)], ["IE.wi = −9\u{a0}mV", "IE.wi = −1\u{a0}mV"]);
    let seeds = self::task(Vary::Seed);
    assert_eq!((seeds.shared(2).seed, seeds.words(2)), (Some(3), "seed 3".to_owned()));
    assert_ne!(seeds.id(), task.id());
}

#[test]
fn results_are_collected_once_from_any_text() {
    let task = sweep();
    let mut all = Collection::default();
    let links = |points: &[(u32, f64)]| {
        points
            .iter()
            .map(|(point, value)| format!("Ada: <https://a.example/x/{}>", answer(&task, *point, *value).to_link()))
            .collect::<Vec<_>>()
    };
    let text = links(&[(0, 1.5), (3, 2.0)]).join("\n\n");
    assert_eq!(all.add(&task, &text), Collected { new: 2, known: 0, wrong: vec![] });
    assert_eq!(all.add(&task, &format!("{text} {}", links(&[(4, 0.0)])[0])), Collected { new: 1, known: 2, wrong: vec![] });
    assert_eq!((all.len(), all.values()), (3, vec![(0, 1.5), (3, 2.0), (4, 0.0)]));
    // What is stored is read again.
    let mut again = Collection::default();
    again.add(&task, &all.to_text());
    assert_eq!(again, all);
    // One of two is forged: both are shown, and named.
    assert_eq!((all.contested(), all.add(&task, &links(&[(3, 9.0)])[0]).new, all.contested()), (vec![], 1, vec![3]));
}

#[test]
fn wrong_and_forged_links_are_sentences() {
    let task = sweep();
    let mut all = Collection::default();
    let link = answer(&task, 0, 1.0).to_link();
    let changed = format!("{}x{}", &link[..20], &link[21..]);
    let other = Answer { task: "0".into(), ..answer(&task, 0, 1.0) }.to_link();
    let beyond = answer(&task, 5, 1.0).to_link();
    let text = [&changed, &link[..link.len() - 4], &other, &beyond, "hello", &task.to_link().replace(TASK, RESULT)]
        .map(str::to_owned)
        .join("\n");
    let found = all.add(&task, &text);
    assert_eq!((found.new, all.len()), (0, 0));
    let said: Vec<_> = found.wrong.iter().map(|(line, why)| format!("{line}: {why}")).collect();
    let expected =
        ["damaged", "incomplete", "another class", "point 6, and the class has 5", "no link of a result", "no result of a class"];
    assert!(said.len() == 6 && said.iter().zip(expected).all(|(said, expected)| said.contains(expected)), "{said:#?}");
    // A task that cannot be: no page waits for ever, or for a network without an end.
    let json = task.to_json();
    for (from, to, expected) in [
        ("\"points\":5", "\"points\":0", "expected 1 to 200"),
        ("\"points\":5", "\"points\":4000000000", "expected 1 to 200"),
        ("[100.0,500.0]", "[100.0,1e300]", "expected a time span"),
        ("[100.0,500.0]", "[500.0,100.0]", "expected a time span"),
        ("\"network\":\"cuba\"", "\"network\":7", "network"),
        ("\"rate\"", "\"rates\"", "unknown variant"),
    ] {
        assert!(json.contains(from), "{json}");
        let said = Task::from_link(&code::write(VERSION, &json.replace(from, to))).unwrap_err();
        assert!(said.contains("no link of a class") && said.contains(expected), "{said}");
    }
    assert!(Task::from_link("").unwrap_err().contains("damaged"));
    assert!(Task::from_link("9abc").unwrap_err().contains("newer version"));
}
