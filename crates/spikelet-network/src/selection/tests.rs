use std::io::Cursor;

use super::*;

const TABLE: &str = "id,type,side,n,note\n720575940600000001,KC,left,3,\n720575940600000002,KC,right,10,x y\n\
                     720575940600000003,\"LB1, a\",left,,\n720575940600000004,LB2,right,-1.5,KC\n";

fn selected(text: &str) -> Result<Vec<u32>, String> {
    let table = NeuronTable::read("n.csv", Cursor::new(TABLE), Some("id")).expect("a table");
    let selection = Selection::parse("here", text).map_err(|error| error.to_string())?;
    selection.neurons("here", &table).map_err(|error| error.to_string())
}

#[test]
fn rows_are_selected_by_texts_numbers_lists_and_patterns() {
    for (text, neurons) in [
        ("type == 'KC'", &[0, 1][..]),
        ("type != \"KC\"", &[2, 3]),
        ("type == 'KC' and side == 'left'", &[0]),
        ("type == 'LB2' or type == 'KC' and side == 'left'", &[0, 3]),
        ("(type == 'LB2' or type == 'KC') and not side == 'left'", &[1, 3]),
        ("type ~ 'LB*'", &[2, 3]),
        ("type ~ '*B?'", &[3]),
        ("type ~ 'MBON*'", &[]),
        ("id in (720575940600000002, '720575940600000004')", &[1, 3]),
        ("n > 2", &[0, 1]),
        ("n <= 3.0", &[0, 3]),
        ("n == 3.0", &[0]),
        ("`note` == 'x y'", &[1]),
        ("note == ''", &[0, 2]),
        ("not not (n>=10)", &[1]),
    ] {
        assert_eq!(selected(text).as_deref(), Ok(neurons), "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_with_the_way_out() {
    for (text, said) in [
        ("", "the name of a column is missing"),
        ("type", "`type` is to be compared"),
        ("type = 'KC'", "compared by =="),
        ("type == KC", "a text is written in quotes: 'KC'"),
        ("type == 'KC", "the text that begins with ' at character 8 does not end"),
        ("type == 'KC')", "nothing is expected before `)`"),
        ("(type == 'KC'", "a `)` is missing"),
        ("type in 'KC'", "a list in parentheses is expected"),
        ("type < 'KC'", "`<` compares with a number"),
        ("type < 3", "column \"type\" has texts such as \"KC\""),
        ("typ == 'KC'", "type"),
        ("type == 'KCs'", "no neuron of n.csv has it as \"type\"; its texts are \"KC\", \"LB1, a\", \"LB2\""),
        ("id == 720575940600000005", "is 720575940600000005, but no neuron of n.csv has it"),
    ] {
        let error = selected(text).expect_err(text);
        assert!(error.starts_with("here") || error.starts_with("n.csv"), "{error}");
        assert!(error.contains(said), "{text}: {error}");
    }
}

#[test]
fn tables_are_read_exactly_and_their_errors_counted() {
    let read =
        |text: &str, id: Option<&str>| NeuronTable::read("n.csv", Cursor::new(text), id).map_err(|error| error.to_string());
    let table = read("\u{feff};name\n29;A \n37;B\n", Some("")).expect("a column without a name");
    assert_eq!((table.rows(), table.ids().and_then(|ids| ids.find("37").ok()?)), (2, Some(1)));
    assert_eq!(table.texts("name").map(Iterator::collect::<Vec<_>>), Ok(vec!["A", "B"]));
    let table = read("id\tx\n1\t2.5\n2\tabc\n3\t\n", None).expect("tabs");
    let error = table.numbers("x").unwrap_err().to_string();
    assert!(error.starts_with("n.csv:3 is \"abc\", but a finite number is expected for each neuron; 2 of 3 rows"), "{error}");
    let values = [("2.5".to_owned(), -1.0)].into_iter().collect();
    assert_eq!(table.coded("x", &values, Some(1.0)), Ok(vec![-1.0, 1.0, 1.0]));
    let error = table.coded("x", &values, None).unwrap_err().to_string();
    assert!(error.starts_with("n.csv:3 is \"abc\", but `codes` have no number for it; so it is in 2 of 3 rows"), "{error}");
    for (text, said) in [
        ("a,b\n1,2\n3\n", "n.csv:3 is a row of 1, but the first line has 2 columns"),
        ("a,a\n", "n.csv:1: column 2 is \"a\", but each column needs a unique name"),
    ] {
        let error = read(text, None).unwrap_err();
        assert!(error.starts_with(said), "{error}");
    }
    assert!(read("a\n1\n", Some("root_id")).unwrap_err().contains("column"), "an unknown column");
}
