//! Mutated texts by the million. `SPIKELET_FUZZ_INPUTS` says how many (default 1 000 000), `SPIKELET_FUZZ_SEED` which, and
//! `SPIKELET_FUZZ_FIRST` where in their row to start: a failure names its input's number, to be run alone.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use spikelet_kernel::block::{Block, InputSums, LANES, NeuronIndices, Prepared, ProgramInputs, Registers};
use spikelet_lang::ir::Code;
use spikelet_lang::program::{EvaluationContext, Propagators, Rules};
use spikelet_lang::{
    Diagnostic, Dimension, NeuronModel, NeuronText, PopulationLayout, Quantities, SynapseLayout, SynapseModel, SynapseText,
    check_neuron, check_synapse, ir_text, latex, library, wgsl,
};

use super::mutations::{Dice, mutated};
use super::points_into;
use super::texts::{CELLS, SYNAPSES, TARGET};

/// No text takes longer than this, on a machine with other things to do.
const PATIENCE: Duration = Duration::from_secs(20);

/// As small as the stack of a wasm module.
const STACK: usize = 1 << 20;

/// What the parameters of a model measure.
type Dimensions = IndexMap<String, Dimension>;

struct Seed {
    text: NeuronText,
    given: Dimensions,
}

struct Seeds {
    cells: Vec<Seed>,
    synapses: Vec<(&'static super::texts::Synapse, Dimensions)>,
    target: NeuronModel,
}

fn given<'a>(parameters: impl IntoIterator<Item = (&'a str, &'a str)>) -> Dimensions {
    Quantities::from_texts(parameters).unwrap_or_else(|found| panic!("{found}")).dimensions()
}

fn seeds() -> Seeds {
    let optional = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut cells: Vec<Seed> = CELLS
        .iter()
        .map(|cell| Seed {
            text: NeuronText {
                equations: cell.equations.into(),
                threshold: optional(cell.threshold),
                reset: optional(cell.reset),
                refractory: optional(cell.refractory),
                ..NeuronText::default()
            },
            given: given(cell.parameters.iter().copied()),
        })
        .collect();
    for name in library::names() {
        let model = library::library(name).unwrap_or_else(|_| panic!("{name} is in the library"));
        let Ok(text) = model.text() else { continue };
        let parameters = model.parameters.iter().map(|(name, parameter)| (name.as_str(), parameter.default.as_str()));
        cells.push(Seed { text: NeuronText { method: None, ..text }, given: given(parameters) });
    }
    let target = NeuronText { equations: TARGET.into(), refractory: Some("2*ms".into()), ..NeuronText::default() };
    let target = check_neuron(&target, &Dimensions::new()).unwrap_or_else(|found| panic!("{}", found[0]));
    let synapses = SYNAPSES.iter().map(|synapse| (synapse, given(synapse.parameters.iter().copied()))).collect();
    Seeds { cells, synapses, target }
}

/// One input of a series.
enum Input<'a> {
    Cell(NeuronText, &'a Dimensions),
    Synapse(SynapseText, &'a Dimensions),
}

fn input<'a>(seeds: &'a Seeds, dice: &mut Dice) -> Input<'a> {
    if dice.below(3) == 0 { synapse(seeds, dice) } else { cell(seeds, dice) }
}

/// The texts of an input, for whoever looks at a failure.
fn shown(input: &Input<'_>) -> String {
    match input {
        Input::Cell(text, _) => format!(
            "{}\n  threshold {:?}\n  reset {:?}\n  refractory {:?}\n  update {:?}",
            text.equations, text.threshold, text.reset, text.refractory, text.update
        ),
        Input::Synapse(text, _) => format!("{}\n  on_pre {:?}", text.equations, text.on_pre),
    }
}

/// How far it got.
#[derive(Default)]
struct Outcome {
    accepted: bool,
    compiled: bool,
}

fn all_point_into<'a>(found: &[Diagnostic], text_at: impl Fn(&str) -> Option<&'a str>) {
    assert!(!found.is_empty());
    for found in found {
        match text_at(&found.place) {
            Some(text) => points_into(text, found),
            None => assert!(!found.to_string().is_empty()),
        }
    }
}

fn cell<'a>(seeds: &'a Seeds, dice: &mut Dice) -> Input<'a> {
    let seed = &seeds.cells[dice.below(seeds.cells.len())];
    let other = &seeds.cells[dice.below(seeds.cells.len())].text;
    let mut text = seed.text.clone();
    let donors: Vec<&str> =
        [Some(other.equations.as_str()), other.reset.as_deref(), other.threshold.as_deref()].into_iter().flatten().collect();
    // Mostly one text is touched, so that many inputs get as far as the printers.
    let touched = if dice.below(4) == 0 { dice.below(32) } else { 1 << dice.below(5) };
    if touched & 1 != 0 {
        text.equations = mutated(&text.equations, &donors, dice);
    }
    let texts = [(2, &mut text.threshold), (4, &mut text.reset), (8, &mut text.refractory), (16, &mut text.update)];
    for (bit, text) in texts {
        if touched & bit != 0 {
            *text = text.as_ref().map(|text| mutated(text, &donors, dice));
        }
    }
    Input::Cell(text, &seed.given)
}

fn synapse<'a>(seeds: &'a Seeds, dice: &mut Dice) -> Input<'a> {
    let (seed, given) = &seeds.synapses[dice.below(seeds.synapses.len())];
    let other = seeds.synapses[dice.below(seeds.synapses.len())].0;
    let donors = [other.equations, other.on_pre];
    let touched = 1 + dice.below(7);
    let change =
        |bit: usize, text: &str, dice: &mut Dice| if touched & bit != 0 { mutated(text, &donors, dice) } else { text.into() };
    let equations = change(1, seed.equations, dice);
    let on_pre = change(2, seed.on_pre, dice);
    let mut on_pre: IndexMap<String, String> = [("pre".into(), on_pre)].into();
    if dice.below(8) == 0 {
        on_pre.insert("late".into(), change(4 | 1, other.on_pre, dice));
    }
    Input::Synapse(SynapseText { equations, on_pre, ..SynapseText::default() }, given)
}

fn judge(seeds: &Seeds, input: &Input<'_>, dice: &mut Dice) -> Outcome {
    match input {
        Input::Cell(text, given) => match check_neuron(text, given) {
            Ok(model) => {
                assert!(latex::neuron(text).is_ok());
                Outcome { accepted: true, compiled: printed(&model, dice) }
            }
            Err(found) => {
                all_point_into(&found, |place| match place {
                    "equations" => Some(&text.equations),
                    "threshold" => text.threshold.as_deref(),
                    "reset" => text.reset.as_deref(),
                    "refractory" => text.refractory.as_deref(),
                    "update" => text.update.as_deref(),
                    _ => None,
                });
                Outcome::default()
            }
        },
        Input::Synapse(text, given) => match check_synapse(text, (&seeds.target, &seeds.target), given) {
            Ok(model) => Outcome { accepted: true, compiled: ran(&model, &seeds.target, dice) },
            Err(found) => {
                all_point_into(&found, |place| match place {
                    "equations" => Some(&text.equations),
                    _ => text
                        .on_pre
                        .get(place.trim_start_matches("on_pre."))
                        .or_else(|| text.on_pre.get("pre"))
                        .map(String::as_str),
                });
                Outcome::default()
            }
        },
    }
}

/// Compiles for a layout of chance and runs both printers.
fn printed(model: &NeuronModel, dice: &mut Dice) -> bool {
    let mut layout = PopulationLayout::uniform();
    for variable in &model.variables {
        if dice.below(3) == 0 {
            layout.per_neuron.insert(variable.name.clone());
        }
        if dice.below(4) == 0 && !variable.constant && !variable.shared {
            layout.ports.push(variable.name.clone());
        }
    }
    layout.observed.extend(model.subexpressions.keys().filter(|_| dice.below(4) == 0).cloned());
    let Ok(program) = model.compile(&layout) else { return false };
    assert!(wgsl::print(&program, wgsl::Arithmetic::Exact).update.contains("let fires = "));
    assert!(program.update.condition.is_none() || ir_text::neurons(model, &program).contains("fires if %"));
    run_once(&program.rules, program.variables.len(), program.ports.len(), program.codes());
    true
}

/// Compiles synapses for a layout of chance and runs their code.
fn ran(model: &SynapseModel, target: &NeuronModel, dice: &mut Dice) -> bool {
    let mut layout = SynapseLayout::default();
    for variable in &model.variables {
        if dice.below(2) == 0 {
            layout.per_synapse.insert(variable.name.clone());
        }
    }
    layout.observed.extend(model.subexpressions.keys().filter(|_| dice.below(4) == 0).cloned());
    let Ok(program) = model.compile(target, &layout) else { return false };
    let code = ir_text::synapses(model, &program);
    assert!(program.pathways.iter().all(|pathway| pathway.adds.is_empty()) || code.contains("  added: "));
    let codes: Vec<&Code> = program.codes().collect();
    run_once(&program.rules, program.registers.len() + program.rules.derived.len(), 0, codes.iter().copied());
    true
}

/// Runs codes over a block, with the numbers that the host computes for them.
fn run_once<'a>(rules: &Rules, arrays: usize, ports: usize, codes: impl Iterator<Item = &'a Code>) {
    let given = EvaluationContext { dt: 0.1, symbol: &|_| 1.5, lookup: &|_, _| 0.25 };
    let Ok(constants) = rules.constants(&given) else { return };
    let mut known = Propagators::default();
    rules.values(&rules.derived, &given, &mut known).for_each(drop);
    let clocks: Vec<f32> = rules.clocks(7, &given).collect();
    let mut variables = vec![[0.5; LANES]; arrays];
    let inputs = ProgramInputs {
        arrivals: InputSums { sums: &[1; LANES], starts: &vec![(0, None); ports], units: &vec![[0.25, 0.0]; ports] },
        last_spike: &[-23; LANES],
        constants: &constants,
        clocks: &clocks,
        tables: &[0.5; 8],
        step: 7,
        neurons: NeuronIndices::From(0),
        bits: &|site, lanes| lanes.iter_mut().zip(0_u32..).for_each(|(bits, lane)| *bits = lane.wrapping_mul(0x9e37_79b9) ^ site),
        more_bits: &|_, _| 0,
    };
    let mut block = Block { variables: &mut variables, inputs: &inputs };
    let mut registers = Registers::default();
    for code in codes {
        Prepared::new(code).run(&mut block, &mut registers);
    }
}

#[derive(Default)]
struct Tally {
    inputs: u64,
    accepted: u64,
    compiled: u64,
    /// The longest time, and the input that took it.
    slowest: (Duration, u64),
    /// Where and what a panic was, and the first input that made it.
    panics: BTreeMap<String, String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.inputs += other.inputs;
        self.accepted += other.accepted;
        self.compiled += other.compiled;
        self.slowest = self.slowest.max(other.slowest);
        for (panic, input) in other.panics {
            self.panics.entry(panic).or_insert(input);
        }
    }
}

const WORKER: &str = "fuzz";

thread_local! {
    /// The last panic of this worker.
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A worker's panics are kept for the end instead of being printed by the thousand.
fn keep_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| match std::thread::current().name() {
            Some(WORKER) => LAST_PANIC.set(panic.to_string()),
            _ => others(panic),
        }));
    });
}

/// Runs inputs `first..first + count` of the series `series`.
fn fuzz(series: u64, first: u64, count: u64) -> Tally {
    keep_panics();
    let seeds = seeds();
    let next = AtomicU64::new(first);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let at_hand: Vec<Mutex<Option<(u64, Instant)>>> = (0..threads).map(|_| Mutex::new(None)).collect();
    let work = |at_hand: &Mutex<Option<(u64, Instant)>>| {
        let mut histogram = Tally::default();
        loop {
            let number = next.fetch_add(1, Relaxed);
            let start = Instant::now();
            let done = number >= first + count;
            *at_hand.lock().unwrap_or_else(PoisonError::into_inner) = (!done).then_some((number, start));
            if done {
                return histogram;
            }
            let mut dice = Dice::new(series, number);
            let input = input(&seeds, &mut dice);
            let outcome = catch_unwind(AssertUnwindSafe(|| judge(&seeds, &input, &mut dice))).unwrap_or_else(|_| {
                let entry = histogram.panics.entry(LAST_PANIC.take());
                entry.or_insert_with(|| format!("input {number} of series {series}: {}", shown(&input)));
                Outcome::default()
            });
            histogram.inputs += 1;
            histogram.accepted += u64::from(outcome.accepted);
            histogram.compiled += u64::from(outcome.compiled);
            histogram.slowest = histogram.slowest.max((start.elapsed(), number));
        }
    };
    let mut histogram = Tally::default();
    std::thread::scope(|scope| {
        let worker = || std::thread::Builder::new().name(WORKER.into()).stack_size(STACK);
        let work = &work;
        let start = |at_hand| worker().spawn_scoped(scope, move || work(at_hand)).unwrap_or_else(|error| panic!("{error}"));
        let workers: Vec<_> = at_hand.iter().map(start).collect();
        // A loop without an end stops no test by itself.
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            for at_hand in &at_hand {
                if let Some((number, start)) = *at_hand.lock().unwrap_or_else(PoisonError::into_inner)
                    && start.elapsed() > PATIENCE
                {
                    eprintln!("input {number} of series {series} takes longer than {PATIENCE:?}");
                    std::process::abort();
                }
            }
        }
        for worker in workers {
            histogram.add(worker.join().unwrap_or_else(|_| panic!("a worker ended early")));
        }
    });
    histogram
}

fn judged(histogram: &Tally) {
    let list: Vec<String> = histogram.panics.iter().map(|(panic, input)| format!("{panic}\n{input}")).collect();
    assert!(list.is_empty(), "{} panics in {} inputs:\n{}", list.len(), histogram.inputs, list.join("\n\n"));
    // Mutations that nothing survives would test the parser alone.
    assert!(histogram.compiled * 10 > histogram.inputs, "{} of {} inputs were compiled", histogram.compiled, histogram.inputs);
}

#[test]
fn mutated_models_never_panic() {
    judged(&fuzz(1, 0, 3000));
}

/// `cargo test --release -p spikelet-kernel --test all any_text -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn a_million_mutated_models_never_panic() {
    let number = |name: &str, default: u64| match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is {text}; expected a whole number")),
        Err(_) => default,
    };
    let [series, first, count] = [("SPIKELET_FUZZ_SEED", 1), ("SPIKELET_FUZZ_FIRST", 0), ("SPIKELET_FUZZ_INPUTS", 1_000_000)]
        .map(|(name, default)| number(name, default));
    let start = Instant::now();
    let histogram = fuzz(series, first, count);
    let Tally { inputs, accepted, compiled, slowest, panics } = &histogram;
    println!("{inputs} inputs in {:.1?}: {accepted} accepted, {compiled} compiled, {} panics", start.elapsed(), panics.len());
    println!("the slowest was input {}, with {:.1?}", slowest.1, slowest.0);
    if count == 1 {
        let (seeds, mut dice) = (seeds(), Dice::new(series, first));
        println!("{}", shown(&input(&seeds, &mut dice)));
    }
    if count >= 1000 {
        judged(&histogram);
    }
}
