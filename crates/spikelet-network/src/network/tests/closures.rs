use super::*;

#[test]
fn a_predicate_becomes_a_list_of_pairs() {
    let mut network = network();
    network.connect_where("E_I", |i, j| i == 4 * j).unwrap();
    assert_eq!(network.projections[1].rule(), Rule::Pairs([[0, 0], [4, 1], [8, 2], [12, 3], [16, 4]].as_slice().into()));
    assert_eq!(network.projections[1].connect, None);
    let mut asked = Vec::new();
    network.projections[1].post = "I[18:]".parse().unwrap();
    let ask = |i, j| {
        asked.push([i, j]);
        i == 19
    };
    network.connect_where("E_I", ask).unwrap();
    assert_eq!((asked.len(), asked[1], asked[39]), (40, [0, 19], [19, 19]));
    network.validate().unwrap();
    assert_eq!(Network::from_json(&network.to_json()), Ok(network));
}

#[test]
fn targets_keep_their_order_and_may_repeat() {
    let mut network = network();
    network.connect_to("E_I", |i| if i == 3 { vec![7, 2, 7] } else { Vec::new() }).unwrap();
    assert_eq!(network.projections[1].rule(), Rule::Pairs([[3, 7], [3, 2], [3, 7]].as_slice().into()));
}

#[test]
fn a_target_outside_of_the_slice_is_refused() {
    let mut network = network();
    let error = network.connect_to("E_I", |i| [i + 1]).unwrap_err();
    let expected = "projections[1].pairs is 20, but it is a target of neuron 19, and the postsynaptic neurons are 0 to 19; return only these";
    assert_eq!(error.to_string(), expected);
    assert!(network.projections[1].pairs.is_none(), "the network is as before");
    let error = network.connect_where("EI", |_, _| true).unwrap_err();
    assert_eq!(error.to_string(), "there is no projection `EI`; did you mean `E_I`?");
}
