//! Assemblies of neurons: areas of which only the most excited neurons fire, and synapses that grow between those that fire in turn.

use super::parts::{assembled, population, scaled, synapses, values};
use super::{CatalogueEntry, Scaling};
use crate::network::{Change, Recording, Statistic, Winners};
use crate::{Connector, Error, Network, Population, Projection, Quantity};

pub(super) const PROJECT: CatalogueEntry = CatalogueEntry {
    name: "assemblies_project",
    title: "A stimulus makes an assembly",
    about: "In every step of 1 ms, a round, the 100 neurons of an area of 10,000 with the largest input fire. A stimulus of 100 neurons \
            fires in every round; it excites a random part of the area. Synapses whose neurons fire in turn grow by 10 %. At first \
            the winners of a round are others than those of the last, because they also excite each other; within about 20 \
            rounds nearly all of them stay. They are an assembly: a copy of the stimulus in this area, whose neurons are densely \
            connected. Every neuron has about 100 synapses from the area, and the random graph has a probability of 0.01.",
    citation: "Papadimitriou, Vempala, Mitropolsky, Collins & Maass 2020, PNAS 117:14464",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.2,
    build: project,
};

pub(super) const ASSOCIATE: CatalogueEntry = CatalogueEntry {
    name: "assemblies_associate",
    title: "Two assemblies are associated",
    about: "Two stimuli make assemblies in the areas A and B. Each of these is projected to area C, alone, where it makes an assembly: A from \
            20 ms, B from 40 ms. From 60 ms both fibres are open, and the two assemblies of C fire together and share neurons from \
            then on. The proof follows at 80 ms: A alone makes its assembly in C fire, and at 90 ms B alone, and the two overlap more \
            than before. Changes of the network open and close the fibres (gate) and the area C (open), which is silenced for one \
            step before each new input.",
    citation: "Papadimitriou, Vempala, Mitropolsky, Collins & Maass 2020, PNAS 117:14464",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.2,
    build: associate,
};

pub(super) const PARSER: CatalogueEntry = CatalogueEntry {
    name: "assemblies_parser",
    title: "Assemblies parse a sentence",
    about: "The area LEX has a block of 20 neurons for each of 20 words. The words of “cats chase mice” fire one after the \
            other, 20 ms each (word 3, 6 and 4), while the fibres are open that their kinds need: a noun makes an assembly \
            in SUBJ, the verb one in VERB, together with the subject, and the next noun one in OBJ, together with the \
            verb. Then nothing is learned any more, and the sentence is read back from the assembly of the verb: it makes \
            its word fire in LEX from 61 ms (chase), that of the subject from 69 ms (cats), and that of the object from 77 \
            ms (mice). The raster of LEX shows the three words twice. The command assemblies parse reads all sentences of \
            its grammar in this way.",
    citation: "Mitropolsky, Collins & Papadimitriou 2021, TACL 9:1374",
    expected: &[],
    figures_from: "",
    scaling: Scaling::Neurons,
    small: 0.5,
    build: parser,
};

/// Neurons of an area, winners of a round, and neurons of a stimulus.
const AREA: u32 = 10_000;
const WINNERS: u32 = 100;
/// Mean number of synapses of a neuron from an area.
const SYNAPSES: f64 = 100.0;

fn area(name: &str, scale: f64) -> Result<Population, Error> {
    let size = scaled(AREA, scale)?;
    let winners = Winners { k: Some(scaled(WINNERS, scale)?), of: "drive".to_owned(), ..Winners::default() };
    Ok(Population { winners: Some(winners), ..population(name, size, "assembly_area", &[], &[]) })
}

/// Neurons that fire in every step.
fn stimulus(name: &str, scale: f64) -> Result<Population, Error> {
    Ok(Population {
        name: name.to_owned(),
        size: scaled(WINNERS, scale)?,
        equations: Some("on : 1 (constant, shared)".to_owned()),
        threshold: Some("on > 0.5".to_owned()),
        parameters: values(&[("on", "1")]),
        ..Population::default()
    })
}

/// Synapses that learn before they transmit, as many onto each neuron at every scale.
fn fibre(name: &str, pre: &str, post: &str, open: bool, scale: f64) -> Projection {
    // The size of an area is a whole number, the mean number of synapses is not.
    let p = (SYNAPSES / libm::round(f64::from(AREA) * scale)).min(1.0);
    Projection {
        parameters: values(&[("beta", "0.1"), ("gate", if open { "1" } else { "0" })]),
        order: [("post".to_owned(), -1)].into_iter().collect(),
        ..synapses(name, pre, post, Connector::bernoulli(p), "assembly_hebb")
    }
}

fn counts(projection: &str) -> Statistic {
    Statistic {
        object: projection.to_owned(),
        var: "c".to_owned(),
        every_ms: 10.0,
        range: Some(["0", "50"].map(Quantity::from)),
        bins: None,
        unit: None,
    }
}

fn excitation(area: &str) -> Recording {
    Recording { object: area.to_owned(), var: "excitation".to_owned(), indices: vec![0, 1].into(), ..Recording::default() }
}

fn project(scale: f64) -> Result<Network, Error> {
    let populations = vec![stimulus("stimulus", scale)?, area("A", scale)?];
    let projections = vec![fibre("SA", "stimulus", "A", true, scale), fibre("AA", "A", "A", true, scale)];
    Ok(Network {
        dt_ms: 1.0,
        duration_ms: 50.0,
        statistics: vec![counts("AA")],
        ..assembled(populations, projections, vec![excitation("A")])
    })
}

fn associate(scale: f64) -> Result<Network, Error> {
    let populations =
        vec![stimulus("first", scale)?, stimulus("second", scale)?, area("A", scale)?, area("B", scale)?, area("C", scale)?];
    let projections = vec![
        fibre("first_A", "first", "A", true, scale),
        fibre("second_B", "second", "B", true, scale),
        fibre("AA", "A", "A", true, scale),
        fibre("BB", "B", "B", true, scale),
        fibre("AC", "A", "C", false, scale),
        fibre("BC", "B", "C", false, scale),
        fibre("CC", "C", "C", true, scale),
    ];
    // The fibres to C that are open from a time on; C is silent in the step before.
    let open = |at_ms: f64, from_a: f64, from_b: f64| {
        let silent = [("C.open", 0.0), ("AC.gate", from_a), ("BC.gate", from_b)];
        let change = |at_ms: f64, set: &[(&str, f64)]| Change {
            at_ms,
            set: set.iter().map(|(path, value)| ((*path).to_owned(), Quantity::Number(*value))).collect(),
        };
        [change(at_ms, &silent), change(at_ms + 1.0, &[("C.open", 1.0)])]
    };
    let mut changes =
        [open(20.0, 1.0, 0.0), open(40.0, 0.0, 1.0), open(60.0, 1.0, 1.0), open(80.0, 1.0, 0.0), open(90.0, 0.0, 1.0)];
    // What follows is a test, in which nothing is learned.
    let frozen = ["first_A", "second_B", "AA", "BB", "AC", "BC", "CC"].map(|name| (format!("{name}.plasticity"), 0.0.into()));
    changes[3][0].set.extend(frozen);
    Ok(Network {
        dt_ms: 1.0,
        duration_ms: 100.0,
        changes: changes.concat(),
        statistics: vec![counts("CC")],
        ..assembled(populations, projections, vec![excitation("C")])
    })
}

/// Neurons and winners of the areas of the parser; neurons of a word, and words.
const PARSED_AREA: u32 = 2000;
const PARSED_WINNERS: u32 = 45;
const WORD: u32 = 20;
const WORDS: u32 = 20;
/// Probability of a synapse at scale 1.
const PARSED_P: f64 = 0.1;

fn parser(scale: f64) -> Result<Network, Error> {
    let word = scaled(WORD, scale)?;
    let parsed = |name: &str| -> Result<Population, Error> {
        let winners = Winners { k: Some(scaled(PARSED_WINNERS, scale)?), of: "drive".to_owned(), ..Winners::default() };
        let size = scaled(PARSED_AREA, scale)?;
        Ok(Population { winners: Some(winners), ..population(name, size, "assembly_area", &[("open", "0")], &[]) })
    };
    // The input of a word that is said is larger than any other.
    let said = format!("100*int(i >= {word}*word and i < {word}*word + {word})");
    let mut lexicon = population("LEX", word * WORDS, "assembly_area", &[("word", "-1")], &[]);
    lexicon.equations = Some("word : 1 (constant, shared)".to_owned());
    lexicon.parameters.insert("I".to_owned(), Quantity::expr(&said));
    lexicon.winners = Some(Winners { k: Some(word), of: "drive".to_owned(), ..Winners::default() });
    let p = (PARSED_P / scale).min(1.0);
    let fibre = |(pre, post, beta): (&str, &str, &str)| Projection {
        parameters: values(&[("beta", beta), ("gate", "0"), ("w_max", "30")]),
        order: [("post".to_owned(), -1)].into_iter().collect(),
        ..synapses(&format!("{pre}_{post}"), pre, post, Connector::bernoulli(p), "assembly_hebb")
    };
    let of_area = |area: &'static str| [("LEX", area, "1"), (area, "LEX", "1"), (area, area, "0.05")];
    let between = [("SUBJ", "VERB", "0.5"), ("VERB", "SUBJ", "0.5"), ("OBJ", "VERB", "0.5"), ("VERB", "OBJ", "0.5")];
    let fibres: Vec<Projection> = ["SUBJ", "VERB", "OBJ"].into_iter().flat_map(of_area).chain(between).map(fibre).collect();
    let changes = sentence(&fibres);
    Ok(Network {
        dt_ms: 1.0,
        duration_ms: 84.0,
        changes,
        statistics: vec![counts("LEX_VERB")],
        ..assembled(vec![lexicon, parsed("SUBJ")?, parsed("VERB")?, parsed("OBJ")?], fibres, vec![excitation("VERB")])
    })
}

/// From a time in ms on: the open fibres, and parameters of areas.
type SentenceStep = (f64, &'static [&'static str], &'static [(&'static str, f64)]);

/// The changes that say “cats chase mice” and read it back: open fibres, and parameters of areas, from a time on.
fn sentence(fibres: &[Projection]) -> Vec<Change> {
    const STEPS: [SentenceStep; 8] = [
        (0.0, &["LEX_SUBJ", "SUBJ_LEX", "SUBJ_SUBJ"], &[("LEX.word", 3.0), ("SUBJ.open", 1.0)]),
        (
            20.0,
            &["LEX_VERB", "VERB_LEX", "VERB_VERB", "SUBJ_VERB", "VERB_SUBJ"],
            &[("LEX.word", 6.0), ("SUBJ.hold", 1.0), ("VERB.open", 1.0)],
        ),
        (
            40.0,
            &["LEX_OBJ", "OBJ_LEX", "OBJ_OBJ", "OBJ_VERB", "VERB_OBJ"],
            &[("LEX.word", 4.0), ("VERB.hold", 1.0), ("SUBJ.open", 0.0), ("OBJ.open", 1.0)],
        ),
        (60.0, &["VERB_LEX"], &[("LEX.word", -1.0), ("OBJ.open", 0.0)]),
        (66.0, &["VERB_SUBJ"], &[("SUBJ.open", 1.0), ("SUBJ.hold", 0.0)]),
        (68.0, &["VERB_SUBJ", "SUBJ_LEX"], &[]),
        (74.0, &["VERB_OBJ"], &[("SUBJ.open", 0.0), ("OBJ.open", 1.0)]),
        (76.0, &["VERB_OBJ", "OBJ_LEX"], &[]),
    ];
    let mut before: &[&str] = &[];
    let change = |(at_ms, open, set): SentenceStep| {
        let gate = |fibre: &Projection| {
            let [was, is] = [before, open].map(|open| open.contains(&fibre.name.as_str()));
            (was != is).then(|| (format!("{}.gate", fibre.name), Quantity::Number(f64::from(is))))
        };
        let mut all: Vec<(String, Quantity)> = fibres.iter().filter_map(gate).collect();
        all.extend(set.iter().map(|(path, value)| ((*path).to_owned(), Quantity::Number(*value))));
        // What follows the sentence is read, and nothing is learned.
        if at_ms == 60.0 {
            let frozen = |fibre: &Projection| (format!("{}.plasticity", fibre.name), 0.0.into());
            all.extend(fibres.iter().map(frozen));
        }
        before = open;
        Change { at_ms, set: all.into_iter().collect() }
    };
    STEPS.into_iter().map(change).collect()
}
