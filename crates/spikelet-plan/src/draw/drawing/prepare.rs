//! The beginning of a projection: what does not need synapses, and the preparation of its rule.

use std::ops::Range;
use std::sync::Arc;

use spikelet_kernel::ValueCode;
use spikelet_network::{Error, Storage, Weights};
use spikelet_rows::connect::{Connectivity, Preparation, RowGenerator, Rows};

use super::{Drawing, NO_DELAY};
use crate::Degrees;
use crate::check::checked::CheckedProjection;
use crate::check::quantities::{WriteValues, codes as codes_of, delays, named, steps_in_code, values_of, writes};
use crate::draw::third;
use crate::neurons::ends::{EndValues, mentioned};
use crate::neurons::sources::LoweredNetwork;
use crate::pairs::connectivity;
use crate::pairs::edges::EdgelessContext;
use crate::values::{NamedValues, Values};

/// Target number of synapses of a part: about 10 ms of work.
const STRETCH: f64 = 1_000_000.0;

/// A projection whose rule is being prepared.
pub(crate) struct Preparing<'a> {
    network: Arc<LoweredNetwork<'a>>,
    index: usize,
    checked: CheckedProjection,
    storage: Option<Storage>,
    weights: Option<Weights>,
    exact: bool,
    path: String,
    ends: EndValues,
    pre: Range<u32>,
    connectivity: Connectivity<'a>,
    named: NamedValues,
    writes: WriteValues,
    delays: Vec<Values>,
    codes: [Option<Vec<Arc<ValueCode>>>; 2],
    rows: Preparation<'a>,
}

impl<'a> Preparing<'a> {
    /// Evaluates what does not need synapses, and begins to prepare the rule. `exact` keeps the unrounded weights too.
    pub(crate) fn new(
        network: Arc<LoweredNetwork<'a>>,
        index: usize,
        checked: CheckedProjection,
        storage: Option<Storage>,
        (weights, exact): (Option<Weights>, bool),
    ) -> Result<Preparing<'a>, Error> {
        Preparing::with(network, index, checked, (storage, weights, exact), None)
    }

    /// The same, to draw the synapses of a projection without state once more: the increments are the values of the given names instead.
    pub(crate) fn of_values(
        network: Arc<LoweredNetwork<'a>>,
        index: usize,
        checked: CheckedProjection,
        names: &[String],
    ) -> Result<Preparing<'a>, Error> {
        Preparing::with(network, index, checked, (Some(Storage::Stored), None, false), Some(names))
    }

    fn with(
        network: Arc<LoweredNetwork<'a>>,
        index: usize,
        checked: CheckedProjection,
        (storage, weights, exact): (Option<Storage>, Option<Weights>, bool),
        names: Option<&[String]>,
    ) -> Result<Preparing<'a>, Error> {
        let lowered = network.clone();
        let projection = &lowered.projections[index];
        let connectivity = connectivity(&network, index)?;
        let (ends, pre, of_drawing) = (EndValues::new(&network, index)?, connectivity.pre.clone(), connectivity.clone());
        let edgeless = EdgelessContext { dt: network.dt_ms, projection, ends: ends.clone() };
        let named = named(index, &checked, &edgeless)?;
        let writes = writes(&checked, &named, &edgeless);
        let delays = delays(&network, index, &checked, &named, &edgeless)?;
        third::check(&network, index, &checked, &named, &edgeless)?;
        let in_steps = |value: &Values| match value {
            Values::Formula(Some(term)) => Values::Formula(Some(steps_in_code(term, network.dt_ms))),
            other => other.clone(),
        };
        let codes = [codes_of(delays.iter().map(in_steps)), codes_of(writes.iter().flatten().map(|(_, value)| value.clone()))];
        // Lists of values, and values that only the host can compute, are evaluated after all synapses are drawn.
        let listed = projection.pairs.is_some();
        let mut codes = if checked.model.is_static() && !listed { codes } else { [None, None] };
        let writes = match names {
            None => writes,
            Some(names) => {
                let values = values_of(names, &named);
                // Draws by codes and by the host differ: values must be computed as the increments are.
                if codes.iter().all(Option::is_some) {
                    codes[1] = codes_of(values.iter().map(|(_, value)| value.clone()));
                }
                vec![values]
            }
        };
        let path = connectivity.path.clone();
        let rows = Preparation::new(connectivity, !codes.iter().all(Option::is_some))?;
        Ok(Preparing {
            network,
            index,
            checked,
            storage,
            weights,
            exact,
            path,
            ends,
            pre,
            connectivity: of_drawing,
            named,
            writes,
            delays,
            codes,
            rows,
        })
    }

    /// Does a part of the preparation, about 10 ms; whether it is done.
    pub(crate) fn advance(&mut self) -> Result<bool, Error> {
        self.rows.advance()
    }

    /// The index of the projection.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// The projection's name.
    pub(crate) fn name(&self) -> &str {
        &self.checked.name
    }

    /// The progress in synapses: each is found once more.
    pub(crate) fn progress(&self) -> u64 {
        self.rows.found() / 2
    }

    /// Completes the preparation.
    pub(crate) fn finish(self) -> Result<Drawing<'a>, Error> {
        let Preparing {
            network,
            index,
            checked,
            storage,
            weights,
            exact,
            path,
            ends,
            pre,
            connectivity,
            named,
            writes,
            delays,
            codes,
            rows,
        } = self;
        let (own, post) = (connectivity.own.clone(), connectivity.post.clone());
        let places = own.places_in(&post);
        let lowered = network.clone();
        let projection = &lowered.projections[index];
        let (is_static, of_rows) = (checked.model.is_static(), codes.iter().all(Option::is_some));
        let prepared = rows.found();
        let ready = rows.finish()?;
        let procedural = match (&ready, storage) {
            (RowGenerator::Recipe(procedural), Some(Storage::Procedural)) if of_rows => Some(procedural.clone()),
            (_, Some(Storage::Procedural)) if projection.storage == Some(Storage::Procedural) => {
                return Err(not_procedural(&path, projection, is_static));
            }
            _ => None,
        };
        // Scales follow from the rule if rows can be stored or procedural, so that spikes are the same.
        let at_most = match &ready {
            RowGenerator::Recipe(procedural) if of_rows => Some((post.clone(), procedural.max_incoming())),
            _ => None,
        };
        // Either all values are computed row by row, or all of them afterwards.
        let [delay_codes, write_codes] = if of_rows { codes.map(Option::unwrap_or_default) } else { Default::default() };
        let (max_writes, pathways) = (write_codes.len(), delay_codes.len());
        // Rows that are only counted are drawn in blocks of at most about 64 synapses.
        let is_counted = procedural.is_some() && max_writes + pathways == 0;
        let of_row = if is_counted { 1.0 / 64.0 } else { 1.0 };
        let per_row = (expected_per_row(&ready, &pre, &post, projection) * of_row * connectivity.mean_per_pair()).max(1.0);
        let incoming = vec![0; own.len() as usize];
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
            weights,
            procedural,
            ends,
            prepared,
            rows: Rows { drawable: at_most.is_some(), ..Rows::below(places.end) },
            kept_delays: vec![Vec::new(); pathways],
            amounts: vec![Vec::new(); max_writes],
            exact_amounts: exact.then(|| vec![Vec::new(); max_writes]),
            degrees: Degrees { incoming, at_most, ..Degrees::default() },
            largest: vec![0.0; max_writes],
            sums: vec![vec![0.0; places.len()]; max_writes],
            longest: vec![NO_DELAY; pathways],
            synapses: 0,
            pre,
            connectivity,
            places,
            ready,
        };
        if !of_rows {
            drawing.take_whole();
        }
        Ok(drawing)
    }
}

/// Approximate number of synapses of a row, or its cost in synapses.
fn expected_per_row(
    ready: &RowGenerator<'_>,
    pre: &Range<u32>,
    post: &Range<u32>,
    projection: &spikelet_network::Projection,
) -> f64 {
    let expected = projection.connect.as_ref().and_then(|connector| connector.expected(pre, post)).unwrap_or(0.0);
    let per_row = expected / pre.len().max(1) as f64;
    match ready {
        RowGenerator::Recipe(procedural) => per_row.max(procedural.tested() as f64),
        RowGenerator::ByPre(_) => per_row.max(ready.cost(pre.start, post) as f64),
        RowGenerator::Whole { rows, .. } => per_row.max(rows.len() as f64 / pre.len().max(1) as f64),
    }
}

fn not_procedural(path: &str, projection: &spikelet_network::Projection, is_static: bool) -> Error {
    let why = if !is_static {
        "its synapses have state".to_owned()
    } else if projection.max_indegree.or(projection.max_outdegree).is_some() {
        "a cap needs all synapses of a neuron".to_owned()
    } else if projection.synapses_per_pair.is_some() {
        "no counter gives several synapses of a pair".to_owned()
    } else {
        match &projection.connect {
            Some(connector) if connector.condition().is_some() => "its rule has a condition".to_owned(),
            Some(_) if !mentioned(projection).is_empty() => {
                "its rule or values use values of the neurons, which no counter gives when a spike comes".to_owned()
            }
            Some(connector) => format!(
                "the rule \"{}\" or its values cannot be drawn from counters; all, bernoulli, fixed_outdegree, fixed_total and \
                 rules of distance on a grid can, with values that are formulas of i, j and draws",
                connector.name()
            ),
            None => "its synapses are a list".to_owned(),
        }
    };
    Error::invalid(format!("{path}.storage"), "\"procedural\"", why, "use \"stored\", or remove it")
}
