use super::*;

fn learner(seed: u64, beta: f64, words: u32) -> Learner {
    let brain = BrainOptions { p: 0.05, seed, ..BrainOptions::default() };
    Learner::new(&LearnerOptions { brain, beta, nouns: words, verbs: words, ..LearnerOptions::default() }).unwrap()
}

/// The number of sentences of some seeds.
fn sentences(beta: f64, words: u32, seeds: u64) -> Vec<u32> {
    let all: Vec<u32> = (1..=seeds)
        .map(|seed| {
            let mut learner = learner(seed, beta, words);
            let count = learner.learn(300).unwrap().unwrap();
            let right = (0..learner.words()).filter(|word| learner.kind_of_sound(*word).unwrap() == learner.kind(*word)).count();
            assert_eq!(right, 2 * words as usize, "the sound of each word tells whether it is a noun, seed {seed}");
            count
        })
        .collect();
    println!("β = {beta}, {words} nouns and verbs: {all:?}");
    all
}

fn mean(counts: &[u32]) -> f64 {
    f64::from(counts.iter().sum::<u32>()) / counts.len() as f64
}

#[test]
fn words_are_learned_faster_with_more_plasticity() {
    let means = [0.1, 0.06, 0.03].map(|beta| mean(&sentences(beta, 2, 4)));
    assert!(means.is_sorted(), "{means:?}");
    assert!((35.0..=75.0).contains(&means[1]), "{means:?}");
}

#[test]
fn more_words_need_more_sentences() {
    let means = [2, 3, 4].map(|words| mean(&sentences(0.06, words, 4)));
    assert!(means.is_sorted(), "{means:?}");
}

#[test]
fn a_brain_that_received_nothing_says_nothing() {
    let mut learner = learner(1, 0.06, 2);
    assert_eq!(learner.say(0).unwrap(), None);
    assert!(!learner.knows_all().unwrap());
    assert_eq!(learner.learn(3).unwrap(), None);
    assert!(
        learner.say(4).unwrap_err().to_string().contains("area “MOTOR”: neuron 299 does not exist; the area has 200 neurons")
    );
}
