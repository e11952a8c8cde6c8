//! A projection on its way from a rule to rows: drawn stretch by stretch, each with its delays and weights.

use std::ops::Range;
use std::sync::Arc;

use spikelet_lang::block::LANES;
use spikelet_lang::model::{Role, Target};
use spikelet_lang::term::{Symbol, multiply, number, substitute, symbol};
use spikelet_lang::{ValueCode, ValueScratch};

use super::checked::Checked;
use super::edges::{DELAY, Edges, Spaces, Undrawn};
use super::neurons::{check_time_constants, without_value};
use super::pairs::Tests;
use super::sources::Unfolded;
use super::values::{Elements, Named, Values};
use super::{Degrees, DrawnValue, EdgePlan, PerSynapse};
use crate::Error;
use crate::connect::{Ready, Recipe, Rows, Wiring};
use crate::network::Storage;
use crate::rng::{Key, Purpose};

/// Steps that a delay may be long: rings are kept for all of them.
pub(super) const MAX_DELAY_STEPS: f64 = 1_000_000.0;

/// Synapses that a stretch should have: the work of some 10 ms.
const STRETCH: f64 = 1_000_000.0;

/// The bounds of no delays at all.
const NO_DELAY: Range<u32> = Range { start: u32::MAX, end: 0 };

/// The variable and value of each write, pathway by pathway.
type WriteValues = Vec<Vec<(usize, Values)>>;

/// What an event adds to a variable, in its inner unit.
#[derive(Debug, Clone)]
pub(super) enum Amount {
    /// The same for all synapses.
    Shared(f64),
    /// One each.
    Each(Vec<f32>),
    /// Computed whenever it is wanted.
    Code(Arc<ValueCode>),
    /// As it is in a plan that is revised, with its shift.
    Kept(PerSynapse<i32>, i32),
}

/// A write of synapses without a state.
#[derive(Debug, Clone)]
pub(super) struct Write {
    /// The variable of the postsynaptic model.
    pub(super) variable: usize,
    pub(super) amount: Amount,
    /// The largest absolute value.
    pub(super) largest: f64,
}

/// A projection with its rows drawn and its values as real numbers.
pub(super) struct Drawn {
    pub(super) checked: Checked,
    pub(super) pre_slice: Range<u32>,
    pub(super) edges: EdgePlan,
    pub(super) degrees: Arc<Degrees>,
    /// The delay of each pathway, in steps.
    pub(super) delays: Vec<PerSynapse<u32>>,
    /// Values of parameters and of the initial state, where synapses have one.
    pub(super) values: Named,
    /// What each pathway writes, where synapses have no state.
    pub(super) writes: Vec<Vec<Write>>,
}

/// What a stretch came to.
#[derive(Default)]
pub(super) struct Part {
    lengths: Vec<u32>,
    targets: Vec<u32>,
    /// Delays in steps of each pathway whose delays differ, and the largest.
    delays: Vec<Vec<u32>>,
    /// What each write adds whose values differ.
    amounts: Vec<Vec<f32>>,
    incoming: Vec<u32>,
    largest: Vec<f64>,
    longest: Vec<Range<u32>>,
    dropped: u64,
}

/// A projection whose stretches are being drawn.
pub(super) struct Drawing<'a> {
    network: Arc<Unfolded<'a>>,
    index: usize,
    checked: Checked,
    ready: Ready<'a>,
    pre: Range<u32>,
    post: Range<u32>,
    named: Named,
    /// The variable and value of each write, and the delay in ms of each pathway.
    writes: WriteValues,
    delays: Vec<Values>,
    /// Codes of the delays (in steps) and of the writes that differ between synapses, in that order.
    codes: [Vec<Arc<ValueCode>>; 2],
    /// Whether rows are drawn again at every spike.
    recipe: Option<Recipe>,
    spaces: Spaces,
    /// Pre neurons of a stretch.
    stretch: u32,
    next: u32,
    /// What is done so far.
    rows: Rows,
    kept_delays: Vec<Vec<u32>>,
    amounts: Vec<Vec<f32>>,
    degrees: Degrees,
    largest: Vec<f64>,
    longest: Vec<Range<u32>>,
    synapses: u64,
}

impl<'a> Drawing<'a> {
    /// Evaluates what can be evaluated before synapses are known, and makes the rule ready.
    pub(super) fn new(
        network: Arc<Unfolded<'a>>,
        index: usize,
        checked: Checked,
        storage: Option<Storage>,
    ) -> Result<Drawing<'a>, Error> {
        let projection = &network.network().projections[index];
        let spaces = network.ends_in_space(index);
        let path = format!("projections[{index}]");
        let (pre_size, post_size) = (network.populations[checked.pre].size, network.populations[checked.post].size);
        let (pre, post) = (projection.pre.range(pre_size), projection.post.range(post_size));
        let undrawn = Undrawn { dt: network.dt_ms, projection, spaces: spaces.clone() };
        let named = named(index, &checked, &undrawn)?;
        let writes = writes(&checked, &named, &undrawn);
        let delays = delays(&network, index, &checked, &named, &undrawn)?;
        let tests = Tests::new(&network, index, &spaces)?;
        let wiring = Wiring {
            rule: projection.rule(),
            path: path.clone(),
            projection: index as u32,
            seed: network.seed,
            pre: pre.clone(),
            post: post.clone(),
            recurrent: checked.pre == checked.post,
            spaces: spaces.clone(),
            keep: tests.keep,
            probability: tests.probability,
            most: [projection.max_outdegree, projection.max_indegree],
        };
        let in_steps = |value: &Values| match value {
            Values::Formula(Some(term)) => Values::Formula(Some(multiply(term, &number(1.0 / network.dt_ms)))),
            other => other.clone(),
        };
        let is_static = checked.model.is_static();
        let codes = [codes(delays.iter().map(in_steps)), codes(writes.iter().flatten().map(|(_, value)| value.clone()))];
        // Lists of values, and what only the host can compute, wait until all synapses are known.
        let listed = projection.pairs.is_some();
        let codes = if is_static && !listed { codes } else { [None, None] };
        let of_rows = codes.iter().all(Option::is_some);
        let ready = wiring.ready()?;
        let recipe = match (&ready, storage) {
            (Ready::Recipe(recipe), Some(Storage::Procedural)) if of_rows => Some(recipe.clone()),
            (_, Some(Storage::Procedural)) if projection.storage == Some(Storage::Procedural) => {
                return Err(not_procedural(&path, projection, is_static));
            }
            _ => None,
        };
        let ready = match ready {
            // Values that wait for all synapses need them as a whole.
            Ready::Whole { .. } => ready,
            ready if of_rows => ready,
            ready => {
                let stretch = ready.stretch(pre.clone(), &post);
                let (rows, dropped) = (Rows::of_lengths(&stretch.lengths, stretch.targets), stretch.dropped);
                Ready::Whole { rows, first: pre.start, dropped }
            }
        };
        // Either all values are computed row by row, or all of them afterwards.
        let [delay_codes, write_codes] = if of_rows { codes.map(Option::unwrap_or_default) } else { Default::default() };
        let (most_writes, pathways) = (write_codes.len(), delay_codes.len());
        let per_row = expected_per_row(&ready, &pre, &post, projection).max(1.0);
        let mut drawing = Drawing {
            network,
            index,
            stretch: ((STRETCH / per_row) as u32).clamp(1, u32::MAX / 2),
            next: pre.start,
            codes: [delay_codes, write_codes],
            checked,
            named,
            writes,
            delays,
            recipe,
            spaces,
            rows: Rows::default(),
            kept_delays: vec![Vec::new(); pathways],
            amounts: vec![Vec::new(); most_writes],
            degrees: Degrees { outgoing: Vec::new(), incoming: vec![0; post_size as usize], dropped: 0 },
            largest: vec![0.0; most_writes],
            longest: vec![NO_DELAY; pathways],
            synapses: 0,
            pre,
            post,
            ready,
        };
        if !of_rows {
            drawing.take_whole();
        }
        Ok(drawing)
    }

    /// Takes rows that were drawn as a whole, for values that are computed afterwards.
    fn take_whole(&mut self) {
        let nothing = Ready::Whole { rows: Rows::default(), first: 0, dropped: 0 };
        let Ready::Whole { rows, dropped, .. } = std::mem::replace(&mut self.ready, nothing) else { return };
        self.degrees.dropped = dropped;
        self.degrees.outgoing = rows.offsets.windows(2).map(|row| (row[1] - row[0]) as u32).collect();
        rows.targets().for_each(|target| self.degrees.incoming[target as usize] += 1);
        self.synapses = rows.len() as u64;
        self.rows = rows;
        self.next = self.pre.end;
    }

    /// Pre neurons of the next stretches, at most so many stretches.
    pub(super) fn next(&mut self, most: usize) -> Vec<Range<u32>> {
        let mut stretches = Vec::new();
        while self.next < self.pre.end && stretches.len() < most {
            let end = self.pre.end.min(self.next.saturating_add(self.stretch));
            stretches.push(self.next..end);
            self.next = end;
        }
        stretches
    }

    /// The projection's name.
    pub(super) fn name(&self) -> &str {
        &self.checked.name
    }

    /// Whether all stretches are drawn.
    pub(super) fn is_done(&self) -> bool {
        self.next >= self.pre.end
    }

    /// Synapses so far.
    pub(super) fn synapses(&self) -> u64 {
        self.synapses
    }

    /// Draws a stretch; several threads may at once.
    pub(super) fn draw(&self, pres: Range<u32>) -> Result<Part, Error> {
        let mut incoming = vec![0; self.post.len()];
        if let (Some(recipe), true) = (&self.recipe, self.codes.iter().all(Vec::is_empty)) {
            // Nothing is kept and nothing differs: synapses are but counted.
            let row = |pre: u32| {
                let mut length = 0;
                recipe.for_each(pre, &self.post, |edge| {
                    incoming[(edge.post - self.post.start) as usize] += 1;
                    length += 1;
                });
                length
            };
            let lengths = pres.map(row).collect();
            return Ok(Part { lengths, incoming, ..Part::default() });
        }
        let stretch = self.ready.stretch(pres.clone(), &self.post);
        stretch.targets.iter().for_each(|target| incoming[(target - self.post.start) as usize] += 1);
        let mut part = Part {
            lengths: stretch.lengths,
            targets: stretch.targets,
            delays: vec![Vec::new(); self.codes[0].len()],
            amounts: vec![Vec::new(); self.codes[1].len()],
            incoming,
            largest: vec![0.0; self.codes[1].len()],
            longest: vec![NO_DELAY; self.codes[0].len()],
            dropped: stretch.dropped,
        };
        if self.codes.iter().any(|codes| !codes.is_empty()) {
            self.compute(pres, &stretch.ids, &mut part)?;
        }
        if self.recipe.is_some() {
            (part.targets, part.delays, part.amounts) = Default::default();
        }
        Ok(part)
    }

    /// Computes delays and weights of a stretch, in blocks.
    fn compute(&self, pres: Range<u32>, ids: &[u32], part: &mut Part) -> Result<(), Error> {
        let mut coordinates: Vec<Coordinate> = Vec::with_capacity(LANES);
        let (mut pre_of, mut post_of) = (Vec::with_capacity(LANES), Vec::with_capacity(LANES));
        let (mut scratch, mut out) = (ValueScratch::default(), [0.0; LANES]);
        let mut at = 0;
        let mut row_ends = pres.zip(part.lengths.iter().scan(0, |end, length| {
            *end += *length as usize;
            Some(*end)
        }));
        let Some((mut pre, mut end)) = row_ends.next() else { return Ok(()) };
        let mut before: Option<(u32, u32)> = None;
        while at < part.targets.len() {
            coordinates.clear();
            pre_of.clear();
            post_of.clear();
            while at < part.targets.len() && coordinates.len() < LANES {
                while at >= end {
                    let Some(next) = row_ends.next() else { break };
                    (pre, end) = next;
                    before = None;
                }
                let post = part.targets[at];
                // The pair itself is the coordinate, and which of its synapses this is.
                let copy = match before {
                    Some((same, copy)) if same == post && ids.is_empty() => copy + 1,
                    _ => 0,
                };
                before = Some((post, copy));
                coordinates.push(Coordinate { pre, id: ids.get(at).copied().unwrap_or(post), copy });
                pre_of.push(pre);
                post_of.push(post);
                at += 1;
            }
            let out = &mut out[..coordinates.len()];
            let bits = |lane: usize, site: u32| coordinates[lane].bits(self.network.seed, self.index as u32, site);
            for (pathway, code) in self.codes[0].iter().enumerate() {
                code.run(&pre_of, &post_of, &bits, &mut scratch, out);
                for delay in out.iter() {
                    let steps = whole_steps(&self.path("delay_ms"), f64::from(*delay), self.network.dt_ms)?;
                    let longest = &mut part.longest[pathway];
                    *longest = longest.start.min(steps)..longest.end.max(steps);
                    part.delays[pathway].push(steps);
                }
            }
            for (write, code) in self.codes[1].iter().enumerate() {
                code.run(&pre_of, &post_of, &bits, &mut scratch, out);
                if let Some(lane) = out.iter().position(|value| !value.is_finite()) {
                    let (found, expected) = (format!("{} in a synapse", out[lane]), "a finite number is expected");
                    return Err(Error::invalid(self.path("parameters"), found, expected, "look at its distribution"));
                }
                part.largest[write] = out.iter().fold(part.largest[write], |most, value| most.max(f64::from(value.abs())));
                part.amounts[write].extend_from_slice(out);
            }
        }
        Ok(())
    }

    fn path(&self, key: &str) -> String {
        format!("projections[{}].{key}", self.index)
    }

    /// Adds a stretch to those before it.
    pub(super) fn add(&mut self, part: Part) -> Result<(), Error> {
        let count: u64 = part.lengths.iter().map(|length| u64::from(*length)).sum();
        self.synapses += count;
        self.degrees.dropped += part.dropped;
        for (sum, of_part) in self.degrees.incoming[self.post.start as usize..].iter_mut().zip(part.incoming) {
            *sum += of_part;
        }
        for (largest, of_part) in self.largest.iter_mut().zip(part.largest) {
            *largest = largest.max(of_part);
        }
        for (longest, of_part) in self.longest.iter_mut().zip(part.longest) {
            *longest = longest.start.min(of_part.start)..longest.end.max(of_part.end);
        }
        if self.recipe.is_none() {
            if self.synapses > u64::from(u32::MAX) {
                let expected = "a projection keeps at most 4294967295 synapses";
                let way_out = "split it, or ask for \"storage\": \"procedural\"";
                return Err(Error::invalid(format!("projections[{}]", self.index), self.synapses, expected, way_out));
            }
            if self.rows.words.capacity() == 0 {
                // As many as the first stretch lets expect, and some more.
                let stretches = (self.pre.len() as f64 / part.lengths.len().max(1) as f64).max(1.0);
                let expected = (count as f64 * stretches * 1.01) as usize + 1000;
                self.rows.words.reserve_exact(if stretches > 1.0 { expected } else { count as usize });
                let of_codes = self.kept_delays.iter_mut();
                of_codes.for_each(|delays| delays.reserve_exact(if stretches > 1.0 { expected } else { count as usize }));
                let of_codes = self.amounts.iter_mut();
                of_codes.for_each(|amounts| amounts.reserve_exact(if stretches > 1.0 { expected } else { count as usize }));
            }
            let mut end = self.rows.offsets.last().copied().unwrap_or(0);
            self.rows.offsets.extend(part.lengths.iter().map(|length| {
                end += u64::from(*length);
                end
            }));
            self.rows.words.extend(part.targets);
            self.kept_delays.iter_mut().zip(part.delays).for_each(|(all, own)| all.extend(own));
            self.amounts.iter_mut().zip(part.amounts).for_each(|(all, own)| all.extend(own));
        }
        self.degrees.outgoing.extend(part.lengths);
        Ok(())
    }

    /// The projection, once all stretches are drawn.
    pub(super) fn finish(mut self) -> Result<Drawn, Error> {
        let (path, dt) = (self.path("delay_ms"), self.network.dt_ms);
        let mut of_host: Option<(Vec<Values>, WriteValues)> = None;
        if let Ready::Whole { dropped, .. } = &self.ready {
            self.degrees.dropped += dropped;
        }
        let waits = |values: &Values| matches!(values, Values::Formula(_) | Values::Each(_));
        let is_static = self.checked.model.is_static();
        let needs_rows = !is_static || self.delays.iter().any(waits) || self.writes.iter().flatten().any(|(_, v)| waits(v));
        if needs_rows && self.codes.iter().all(Vec::is_empty) {
            // What waited for all synapses is computed now.
            let edges = Edges::new(self.network.network(), self.index, &self.rows, self.pre.start, self.spaces.clone());
            self.named = named(self.index, &self.checked, &edges)?;
            let delays = delays(&self.network, self.index, &self.checked, &self.named, &edges)?;
            of_host = Some((delays, writes(&self.checked, &self.named, &edges)));
        }
        let (delay_values, write_values) = of_host.unwrap_or_else(|| (self.delays.clone(), self.writes.clone()));
        let mut packs = delay_values.len() == 1 && is_static;
        let mut delays = Vec::new();
        for (pathway, values) in delay_values.iter().enumerate() {
            delays.push(match values {
                Values::Uniform(delay) => PerSynapse::Shared(steps(&path, *delay, dt)?),
                Values::Each(delays) => {
                    let steps: Vec<u32> = delays.iter().map(|delay| steps(&path, *delay, dt)).collect::<Result<_, _>>()?;
                    PerSynapse::Each(Arc::new(steps))
                }
                Values::Formula(_) if self.recipe.is_some() => {
                    let at = code_index(&delay_values, pathway);
                    PerSynapse::Drawn(DrawnValue { code: self.codes[0][at].clone(), range: self.longest[at].clone() })
                }
                Values::Formula(_) => {
                    let own = self.kept_delays.get_mut(code_index(&delay_values, pathway)).map(std::mem::take);
                    PerSynapse::Each(Arc::new(own.unwrap_or_default()))
                }
            });
        }
        // Delays go into the words of the synapses, where there is room for them.
        packs &= self.recipe.is_none();
        let posts = self.network.populations[self.checked.post].size;
        let target_bits = (u32::BITS - (posts - 1).leading_zeros()).max(1);
        let longest = |delays: &[u32]| delays.iter().copied().max().unwrap_or(0);
        if packs
            && let Some(PerSynapse::Each(each)) = delays.first()
            && target_bits < u32::BITS
            && longest(each) < 1 << (u32::BITS - target_bits)
        {
            let range = each.iter().copied().min().unwrap_or(0)..longest(each);
            self.rows.words.iter_mut().zip(each.iter()).for_each(|(word, delay)| *word |= delay << target_bits);
            self.rows.target_bits = target_bits;
            delays[0] = PerSynapse::Packed(range);
        }
        let mut code = 0;
        let mut take = |variable: usize, values: &Values| {
            let largest = |values: &[f32]| values.iter().fold(0.0, |most: f64, value| most.max(f64::from(value.abs())));
            let (amount, largest) = match values {
                Values::Uniform(value) => (Amount::Shared(*value), value.abs()),
                Values::Each(_) => {
                    let each = values.to_f32();
                    let most = largest(&each);
                    (Amount::Each(each), most)
                }
                Values::Formula(_) => {
                    code += 1;
                    let of = &self.codes[1][code - 1];
                    let amount = if self.recipe.is_some() {
                        Amount::Code(of.clone())
                    } else {
                        Amount::Each(std::mem::take(&mut self.amounts[code - 1]))
                    };
                    (amount, self.largest[code - 1])
                }
            };
            Write { variable, amount, largest }
        };
        let writes: Vec<Vec<Write>> =
            write_values.iter().map(|writes| writes.iter().map(|(variable, values)| take(*variable, values)).collect()).collect();
        self.rows.words.shrink_to_fit();
        let edges = match self.recipe {
            Some(recipe) => EdgePlan::Procedural(Arc::new(recipe)),
            None => EdgePlan::Stored(Arc::new(self.rows)),
        };
        Ok(Drawn {
            checked: self.checked,
            pre_slice: self.pre,
            edges,
            degrees: Arc::new(self.degrees),
            delays,
            values: self.named,
            writes,
        })
    }
}

/// Place of a pathway's code among those of the pathways whose delays are formulas.
fn code_index(values: &[Values], pathway: usize) -> usize {
    values[..pathway].iter().filter(|values| matches!(values, Values::Formula(_))).count()
}

/// The coordinate of the draws of a synapse.
struct Coordinate {
    pre: u32,
    id: u32,
    copy: u32,
}

impl Coordinate {
    fn bits(&self, seed: u64, projection: u32, site: u32) -> u32 {
        Key(seed).draw(Purpose::Weight, projection, [self.pre, self.id, self.copy << 16 | site])[0]
    }
}

/// The codes of all formulas; none if one of them takes the host.
fn codes(values: impl Iterator<Item = Values>) -> Option<Vec<Arc<ValueCode>>> {
    let formulas = values.filter_map(|values| match values {
        Values::Formula(term) => Some(term.as_ref().and_then(ValueCode::new).map(Arc::new)),
        Values::Uniform(_) => None,
        Values::Each(_) => Some(None),
    });
    formulas.collect()
}

/// About how many synapses a row has, or how much work it is.
fn expected_per_row(ready: &Ready<'_>, pre: &Range<u32>, post: &Range<u32>, projection: &crate::Projection) -> f64 {
    let expected = projection.connect.as_ref().and_then(|connector| connector.expected(pre, post)).unwrap_or(0.0);
    let per_row = expected / pre.len().max(1) as f64;
    match ready {
        Ready::Recipe(_) | Ready::Whole { .. } => per_row,
        // Each post is looked at.
        Ready::ByPre(_) => per_row.max(post.len() as f64),
    }
}

fn not_procedural(path: &str, projection: &crate::Projection, is_static: bool) -> Error {
    let why = if !is_static {
        "its synapses have a state".to_owned()
    } else if projection.max_indegree.or(projection.max_outdegree).is_some() {
        "a cap must see all synapses of a neuron".to_owned()
    } else {
        match &projection.connect {
            Some(connector) if connector.condition().is_some() => "its rule has a condition".to_owned(),
            Some(connector) => format!(
                "the rule \"{}\" or its values cannot be drawn from counters alone; all, bernoulli, fixed_outdegree, fixed_total and \
                 rules of distance on a grid can, with values that are formulas of i, j and draws",
                connector.name()
            ),
            None => "its synapses are a list".to_owned(),
        }
    };
    Error::invalid(format!("{path}.storage"), "\"procedural\"", why, "write \"stored\", or leave it out")
}

/// Values of all names of a projection, in order.
pub(super) fn named(index: usize, checked: &Checked, elements: &dyn Elements) -> Result<Named, Error> {
    let path = format!("projections[{index}]");
    let (model, declared) = (&checked.model, &checked.declared);
    let mut named = Named::default();
    let given = checked.parameters.iter().map(|entry| (entry, "parameters"));
    for (ordinal, ((name, quantity), key)) in given.chain(checked.initial.iter().map(|entry| (entry, "initial"))).enumerate() {
        let wanted = declared.get(name).copied();
        if key == "initial" && wanted.is_none() {
            let known = declared.keys().map(String::as_str);
            return Err(Error::unknown_name(&format!("{path}.initial"), "variable", name, known));
        }
        named
            .set(name, quantity, wanted, elements, ordinal as u32)
            .map_err(|diagnostic| Error::model(&format!("{path}.{key}"), vec![diagnostic]))?;
    }
    for variable in model.variables.iter().filter(|variable| variable.role != Role::Local) {
        if !named.0.contains_key(&variable.name) {
            if !variable.written {
                return Err(Error::model(&path, vec![without_value(&variable.name, &checked.equations)]));
            }
            named.0.insert(variable.name.clone(), (variable.dimension, Values::Uniform(0.0)));
        }
    }
    check_time_constants(&path, &model.time_constants(), &named, "synapse")?;
    Ok(named)
}

/// For each pathway of synapses without a state: the variable that is written, and what an event adds to it.
pub(super) fn writes(checked: &Checked, named: &Named, elements: &dyn Elements) -> WriteValues {
    let model = &checked.model;
    if !model.is_static() {
        return Vec::new();
    }
    let lookup = |name: &String, symbol| named.lookup(name).map_or(symbol, |(found, _)| found);
    let event = |write: &spikelet_lang::model::Write| {
        // The model's own numbering of names → that of the values.
        let term = substitute(&write.value, &|found| {
            symbol(match found {
                Symbol::Variable(variable) => lookup(&model.variables[variable].name, found),
                Symbol::Constant(constant) => lookup(&model.constants[constant].name, found),
                other => other,
            })
        });
        match write.target {
            Target::Add(variable) => Some((variable, named.evaluate(&term, elements, 0))),
            Target::Own(_) | Target::Post(_) => None,
        }
    };
    model.pathways.iter().map(|pathway| pathway.statements.iter().filter_map(event).collect()).collect()
}

/// The delay of each pathway, in ms.
pub(super) fn delays(
    network: &Unfolded<'_>,
    index: usize,
    checked: &Checked,
    named: &Named,
    elements: &dyn Elements,
) -> Result<Vec<Values>, Error> {
    let path = format!("projections[{index}].delay_ms");
    let of_pathway = |pathway: &spikelet_lang::model::Pathway| {
        let quantity = network.projections[index].delay_ms.of(&pathway.name);
        let mut named = named.clone();
        named
            .set("delay", quantity, Some(spikelet_lang::Dimension::TIME), elements, DELAY)
            .map_err(|diagnostic| Error::model(&path, vec![diagnostic]))?;
        let delay = named.0.swap_remove("delay").map(|(_, values)| values);
        delay.ok_or_else(|| Error::Backend("a delay was set and is not there".into()))
    };
    checked.model.pathways.iter().map(of_pathway).collect()
}

/// A delay in ms as steps.
pub(super) fn steps(path: &str, delay: f64, dt: f64) -> Result<u32, Error> {
    whole_steps(path, delay / dt, dt)
}

/// A delay in steps, rounded to a whole number.
fn whole_steps(path: &str, steps: f64, dt: f64) -> Result<u32, Error> {
    let whole = libm::rint(steps);
    if steps < 0.0 || steps.is_nan() {
        let expected = "a spike cannot arrive before it is sent";
        let refusal = Error::invalid(path, format!("{} ms", steps * dt), expected, "give a delay of 0 or more");
        return Err(refusal.of_kind("negative_delay"));
    }
    if whole > MAX_DELAY_STEPS {
        let expected = format!("a delay is at most {MAX_DELAY_STEPS} steps of {dt} ms");
        return Err(Error::invalid(path, format!("{} ms", steps * dt), expected, "shorten it"));
    }
    Ok(whole as u32)
}
