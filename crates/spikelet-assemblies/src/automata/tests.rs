use super::*;
use crate::Mode;

/// The number of binary digits of 100 that are read until the first wrong state.
fn right_states(mode: Mode, seed: u64) -> usize {
    let brain = BrainOptions { p: 0.1, seed, mode, ..BrainOptions::default() };
    let mut automaton = Automaton::new(3, 2, &AutomatonOptions { brain, ..AutomatonOptions::default() }).unwrap();
    automaton.learn(&Automaton::divisible_by_3(), 20).unwrap();
    let digits: Vec<u32> = (0..100_u32).map(|place| (place * place * 7 + place / 3) % 2).collect();
    let states = automaton.run(0, &digits).unwrap();
    let mut remainder = 0;
    let expected = digits.iter().map(|digit| {
        remainder = (2 * remainder + digit) % 3;
        Some(remainder)
    });
    expected.zip(states).take_while(|(expected, state)| expected == state).count()
}

#[test]
fn an_automaton_learns_division_by_3() {
    for mode in [Mode::Lazy, Mode::Procedural] {
        let right: Vec<usize> = (1..=10).map(|seed| right_states(mode, seed)).collect();
        println!("{mode:?}: {right:?}");
        assert!(right.iter().filter(|right| **right == 100).count() >= 9, "{mode:?}: {right:?}");
    }
}

#[test]
fn an_automaton_without_transitions_does_not_move_to_states() {
    let mut automaton = Automaton::new(3, 2, &AutomatonOptions::default()).unwrap();
    assert_eq!(automaton.run(0, &[1, 0]).unwrap(), [None, None]);
    let error = automaton.run(3, &[]).unwrap_err().to_string();
    assert!(error.starts_with("area “STATE”: neuron 399 does not exist; the area has 300 neurons"), "{error}");
    assert!(automaton.run(0, &[2]).unwrap_err().to_string().contains("area “SYMBOL”: neuron 299 does not exist"));
}

/// How often each side came up in `flips` flips, and how often none did.
fn flips(seed: u64, favours: u32, flips: u32) -> [u32; 3] {
    let options = BrainOptions { p: 0.1, seed, ..BrainOptions::default() };
    let mut coin = Coin::new(options, AreaOptions::new(10_000, 200, 0.1), 5).unwrap();
    coin.favour(0, favours).unwrap();
    let mut counts = [0; 3];
    (0..flips).for_each(|draw| counts[coin.flip(draw).unwrap().unwrap_or(2)] += 1);
    counts
}

#[test]
fn both_sides_of_a_coin_come_up() {
    let mut sums = [0; 3];
    for seed in 1..=8 {
        let counts = flips(seed, 0, 40);
        println!("seed {seed}: {counts:?}");
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    // The strengths of the sides differ from brain to brain, so that the share of a side varies more than that of a real coin.
    assert!(sums[2] <= 16, "no side came up too often: {sums:?}");
    assert!((96..=224).contains(&sums[0]), "{sums:?}");
    assert_eq!(flips(3, 0, 5), flips(3, 0, 5), "a flip is a function of the seed and the draw");
}

#[test]
fn a_side_that_is_presented_more_often_comes_up_more_often() {
    let heads: Vec<u32> = [0, 3].map(|favours| (1..=4).map(|seed| flips(seed, favours, 20)[0]).sum()).to_vec();
    assert!(heads[1] >= heads[0] + 20, "{heads:?}");
}
