//! The fixed-point scales of ports, and which of them have two.

use std::borrow::Cow;
use std::ops::Range;

use indexmap::IndexMap;
use spikelet_lang::Kind;
use spikelet_lang::model::{NeuronModel, Pathway, SynapseModel, Target};
use spikelet_network::Error;
use spikelet_rows::ring;

use super::bounds::{EventBounds, usual_bound};
use super::synapses::PortRequest;
use crate::draw::projection::{MinWeight, MinWeightOf};
use crate::draw::realized::RealizedProjection;
use crate::values::NamedValues;
use crate::{Degrees, Plan, Port, WeightSizes};

/// Number of units of the [`MinWeight`] weight, so that rounding changes it by at most one part in 4096.
const MIN_UNITS: f64 = 2048.0;

/// Chooses ports and their scales. All synapses of the neuron with the largest input at once, each as large as the largest of its
/// projection, must fit an i32; and the smallest weights must be preserved by rounding. If one scale is not sufficient, a second port
/// follows for the remainders. Scales depend on degrees and sizes alone, never on the order of weights.
pub(crate) struct Scales<'a> {
    pub(crate) inputs: &'a [ProjectionInput<'a>],
    /// The bounds of each of the inputs.
    pub(crate) bounds: &'a [EventBounds],
    pub(crate) models: &'a [&'a NeuronModel],
    /// For each population the scales of variables whose input is summed in a given unit.
    pub(crate) shifts: &'a [&'a IndexMap<String, i32>],
    /// A running plan, whose ports are kept.
    pub(crate) old: Option<&'a Plan>,
}

/// The increments of a projection.
pub(crate) struct ProjectionInput<'a> {
    /// Index of the projection.
    pub(crate) projection: usize,
    pub(crate) name: &'a str,
    pub(crate) post: usize,
    pub(crate) degrees: &'a Degrees,
    pub(crate) model: &'a SynapseModel,
    pub(crate) values: &'a NamedValues,
    /// For synapses without state, each write: its variable, maximum, and minimum.
    pub(crate) writes: Vec<(usize, f64, MinWeight)>,
    pub(crate) first_events: &'a FirstEvents,
}

impl<'a> ProjectionInput<'a> {
    /// The increments of a projection after drawing, with its values in the whole network.
    pub(crate) fn new(
        projection: usize,
        drawn: &'a RealizedProjection,
        (first_events, values): (&'a FirstEvents, &'a NamedValues),
    ) -> ProjectionInput<'a> {
        let RealizedProjection { checked, degrees, .. } = drawn;
        let writes = drawn.writes.iter().flatten().map(|write| (write.variable, write.bound(), write.sizes.least)).collect();
        let (name, post, model) = (checked.name.as_str(), checked.post, &checked.model);
        ProjectionInput { projection, name, post, degrees, model, values, writes, first_events }
    }

    /// The size of events for a variable, as far as known before the run; `None` if there are none.
    fn usual(&self, variable: usize) -> Option<WeightSizes> {
        let first = self.first_events.0.get(&variable)?;
        // Ports have a reserve of a factor of a thousand.
        let usual = usual_bound(self.model, self.values, &|target: &Target| *target == Target::Add(variable)) / 100.0;
        Some(WeightSizes { largest: usual.max(first.largest), ..*first })
    }
}

/// The first events of synapses with state, by their target variable.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FirstEvents(IndexMap<usize, WeightSizes>);

impl FirstEvents {
    /// The size of the first events for each variable.
    pub(crate) fn new(sizes: impl Iterator<Item = (usize, WeightSizes)>) -> FirstEvents {
        FirstEvents(sizes.collect())
    }

    /// The variables to which events add.
    pub(crate) fn variables(&self) -> impl Iterator<Item = usize> {
        self.0.keys().copied()
    }

    /// From now on, increments of a variable are the same in all synapses.
    pub(crate) fn set_all(&mut self, size: impl Fn(usize) -> f64) {
        for (variable, sizes) in &mut self.0 {
            let size = size(*variable);
            *sizes = WeightSizes { largest: size, least: MinWeight { size, ..sizes.least } };
        }
    }
}

/// Weights of a projection for a variable.
struct PortWeights<'a> {
    input: &'a ProjectionInput<'a>,
    /// Upper bound of an event.
    bound: f64,
    least: MinWeight,
}

/// The scale of a port, and the in-degree of the neuron with the largest input.
#[derive(Clone, Copy)]
struct PortScale {
    shift: i32,
    synapses: u64,
}

impl PortWeights<'_> {
    /// Whether units of 2^-`shift` lose its smallest weights.
    fn is_lost(&self, shift: i32) -> bool {
        is_lost(self.least.size, shift)
    }

    /// Whether its weights are known before the run, and can be stored in two words.
    fn is_static(&self) -> bool {
        self.input.model.is_static()
    }
}

/// Whether units of 2^-`shift` lose a weight of this size.
pub(crate) fn is_lost(size: f64, shift: i32) -> bool {
    size > 0.0 && libm::ldexp(size, shift) < MIN_UNITS
}

/// The shift of the finest scale without overflow, if there is one, and the in-degree of the neuron with the largest input: from the
/// largest event of each part, and its in-degrees.
pub(crate) fn finest<'a>(parts: impl Iterator<Item = (f64, &'a (Range<u32>, Cow<'a, [u32]>))> + Clone) -> (Option<i32>, u64) {
    let size = parts.clone().map(|(_, (posts, _))| posts.end).max().unwrap_or(0);
    let mut totals = vec![(0.0_f64, 0_u64); size as usize];
    for (bound, (posts, synapses)) in parts {
        let totals = &mut totals[posts.start as usize..posts.end as usize];
        for ((total, count), synapses) in totals.iter_mut().zip(synapses.iter()) {
            *total += bound * f64::from(*synapses);
            *count += u64::from(*synapses);
        }
    }
    let synapses = totals.iter().map(|(_, count)| *count).max().unwrap_or(0);
    // `None` is less than any.
    let (mut least, mut busiest) = (None, (0.0, 0));
    for (total, count) in totals.into_iter().filter(|(total, _)| *total != 0.0) {
        // An input that is not larger than another one, by no more synapses, needs no coarser scale.
        if least.is_none() || total > busiest.0 || count > busiest.1 || total.is_nan() {
            let shift = ring::shift(total, count);
            if least.is_none_or(|least| shift < least) {
                (least, busiest) = (Some(shift), (total, count));
            }
        }
    }
    (least.unwrap_or(Some(0)), synapses)
}

/// Removes bounds of events that are so much larger than the first events that one scale would lose these.
pub(crate) fn loosen(
    bounds: &mut [EventBounds],
    inputs: &[ProjectionInput<'_>],
    models: &[&NeuronModel],
    shifts: &[&IndexMap<String, i32>],
) -> Result<(), Error> {
    while let Some((input, variable)) = (Scales { inputs, bounds, models, shifts, old: None }).loose_bound()? {
        bounds[input].loosen(variable);
    }
    Ok(())
}

impl Scales<'_> {
    /// The ports of a population, each with its variable.
    ///
    /// # Errors
    /// Two scales are not sufficient: the projection, the weight, and the change.
    pub(crate) fn ports(&self, population: usize, wanted: &[PortRequest]) -> Result<Vec<(String, Port)>, Error> {
        let mut ports = Vec::new();
        for PortRequest { variable: name, split_precision: wide } in wanted {
            let variable = self.models[population].variable(name).unwrap_or(usize::MAX);
            if let Some(shift) = self.shifts[population].get(name) {
                ports.push((name.clone(), self.in_unit(population, variable, *shift, *wide)?));
                continue;
            }
            if *wide {
                ports.push((name.clone(), self.split_precision(population, variable, name)?));
                continue;
            }
            let parts = self.parts(population, variable);
            let needed = self.scale(population, variable, &parts)?;
            let lost = |shift: i32, rest: Option<i32>| {
                let finest = move |part: &PortWeights<'_>| rest.filter(|_| part.is_static()).unwrap_or(shift);
                parts.iter().find(|part| part.is_lost(finest(part))).map(|part| (part, finest(part)))
            };
            let rest_of = |shift: i32| ring::rest_shift(shift, needed.synapses);
            let (shift, rest) = match self.before(population, name) {
                None => (needed.shift, lost(needed.shift, None).map(|_| rest_of(needed.shift))),
                Some((shift, rest)) => {
                    let shift = match shift {
                        coarser if coarser < needed.shift && lost(coarser, rest).is_none() => coarser,
                        // With space for pending input, which has its previous size.
                        coarser if coarser < needed.shift => needed.shift - 1,
                        _ => needed.shift,
                    };
                    (shift, rest.map(|_| rest_of(shift)))
                }
            };
            if let Some((part, finest)) = lost(shift, rest) {
                return Err(self.too_far_apart(population, name, part, &parts, finest));
            }
            ports.push((name.clone(), Port { shift, ..Port::default() }));
            ports.extend(rest.map(|shift| (name.clone(), Port { shift, rest: true, ..Port::default() })));
        }
        Ok(ports)
    }

    /// A port with a given unit, however small weights are.
    fn in_unit(&self, population: usize, variable: usize, shift: i32, has_no_bound: bool) -> Result<Port, Error> {
        let parts = self.parts(population, variable);
        if parts.iter().all(|part| part.bound == 0.0) && !has_no_bound {
            return Ok(Port { shift, ..Port::default() });
        }
        let finest = if has_no_bound { None } else { Some(self.scale(population, variable, &parts)?.shift) };
        if finest.is_some_and(|finest| shift <= finest) {
            return Ok(Port { shift, ..Port::default() });
        }
        let name = &self.models[population].variables[variable].name;
        let (expected, way_out) = match finest {
            None => {
                let expected = format!("weights that add to `{name}` have no bound, so that their sum might not fit");
                (expected, "keep them in bounds, as in clip(w, 0, w_max), or remove the unit".to_owned())
            }
            Some(finest) => {
                let largest = parts.iter().map(|part| part.bound).fold(0.0, f64::max);
                let expected =
                    format!("the largest input of a neuron, with weights up to {}, is too many of these units", short(largest));
                (expected, format!("make the largest weight smaller (w_max), or the unit at least {}", libm::ldexp(1.0, -finest)))
            }
        };
        let path = format!("populations[{population}].units.{name}");
        Err(Error::invalid(path, libm::ldexp(1.0, -shift), expected, way_out).of_kind(Kind::OutOfRange.name()))
    }

    /// An input whose first events are lost because of their bound, and its variable.
    fn loose_bound(&self) -> Result<Option<(usize, usize)>, Error> {
        for (population, model) in self.models.iter().enumerate() {
            for variable in 0..model.variables.len() {
                if self.shifts[population].contains_key(&model.variables[variable].name) {
                    continue;
                }
                let parts = self.parts(population, variable);
                if parts.iter().any(|part| !part.is_static()) {
                    let shift = self.scale(population, variable, &parts)?.shift;
                    if let Some(lost) = parts.iter().find(|part| !part.is_static() && part.is_lost(shift)) {
                        let place = self.inputs.iter().position(|input| input.projection == lost.input.projection);
                        return Ok(place.map(|place| (place, variable)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// All increments of a variable through a port with one scale.
    fn parts(&self, population: usize, variable: usize) -> Vec<PortWeights<'_>> {
        let mut parts = Vec::new();
        for (input, bounds) in self.inputs.iter().zip(self.bounds).filter(|(input, _)| input.post == population) {
            // Without synapses nothing is lost.
            if input.degrees.max_incoming().1.iter().all(|synapses| *synapses == 0) {
                continue;
            }
            for (_, bound, least) in input.writes.iter().filter(|(of, ..)| *of == variable) {
                parts.push(PortWeights { input, bound: *bound, least: *least });
            }
            let pathways = 0..input.model.pathways.len();
            let computed = pathways.filter_map(|pathway| bounds.get(variable, pathway)).filter(|bound| *bound > 0.0);
            parts.extend(computed.map(|bound| PortWeights {
                input,
                bound,
                least: input.usual(variable).unwrap_or_default().least,
            }));
        }
        parts
    }

    /// The finest scale without overflow.
    fn scale(&self, population: usize, variable: usize, parts: &[PortWeights<'_>]) -> Result<PortScale, Error> {
        let incoming: Vec<_> = parts.iter().map(|part| (part.bound, part.input.degrees.max_incoming())).collect();
        match finest(incoming.iter().map(|(bound, incoming)| (*bound, incoming))) {
            (Some(shift), synapses) => Ok(PortScale { shift, synapses }),
            (None, _) => Err(self.too_large(population, variable, parts)),
        }
    }

    /// The scales of a variable in a running plan.
    fn before(&self, population: usize, name: &str) -> Option<(i32, Option<i32>)> {
        let old = &self.old?.populations[population];
        let port = old.port(name, false)?;
        Some((old.ports[port].shift, old.ports.get(port + 1).filter(|next| next.rest).map(|next| next.shift)))
    }

    /// A port for events of any size.
    fn split_precision(&self, population: usize, variable: usize, name: &str) -> Result<Port, Error> {
        let mut events = Vec::new();
        let (mut size, mut parts) = (0.0_f64, Vec::new());
        for (input, bounds) in self.inputs.iter().zip(self.bounds) {
            let is_onto = input.post == population && !input.model.is_static() && !bounds.contains(variable);
            if let Some(usual) = is_onto.then(|| input.usual(variable)).flatten() {
                size = size.max(usual.largest).max(bounds.loose(variable) / ring::HEADROOM);
                let (_, incoming) = input.degrees.max_incoming();
                // A synapse has one event of each pathway in a step.
                let adds = |of: &&Pathway| of.statements.iter().any(|write| write.target == Target::Add(variable));
                let pathways = input.model.pathways.iter().filter(adds).count() as u32;
                events.resize(events.len().max(incoming.len()), 0_u32);
                let most = incoming.iter().map(|synapses| synapses.saturating_mul(pathways));
                events.iter_mut().zip(most).for_each(|(sum, own)| *sum = sum.saturating_add(own));
                parts.push(PortWeights { input, bound: usual.largest, least: usual.least });
            }
        }
        let (shift, fine_shift, limit) = ring::two_scales(size, events.into_iter().max().unwrap_or(0));
        let before =
            self.old.and_then(|old| Some(old.populations[population].ports[old.populations[population].port(name, true)?]));
        let port = before.unwrap_or(Port { shift, split_precision: true, fine_shift, limit, ..Port::default() });
        match parts.iter().find(|part| part.is_lost(port.fine_shift)) {
            Some(part) => Err(self.too_far_apart(population, name, part, &parts, port.fine_shift)),
            None => Ok(port),
        }
    }

    fn too_far_apart(
        &self,
        population: usize,
        name: &str,
        lost: &PortWeights<'_>,
        parts: &[PortWeights<'_>],
        shift: i32,
    ) -> Error {
        let dimension = self.models[population].dimension(name);
        let unit = dimension.map(|dimension| dimension.inner_unit()).filter(|unit| unit != "1").unwrap_or_default();
        let said = |value: f64| format!("{} {unit}", short(value)).trim_end().to_owned();
        let of = lost.input.name;
        let found = match lost.least.of {
            MinWeightOf::All => format!("a weight of {} in `{of}`", said(lost.least.size)),
            MinWeightOf::Synapse([pre, post]) => {
                format!("a weight of {} in `{of}`, from neuron {pre} to neuron {post}", said(lost.least.size))
            }
            MinWeightOf::Neuron(post) => format!("a mean weight of {} onto neuron {post} in `{of}`", said(lost.least.size)),
        };
        let largest = parts.iter().max_by(|one, other| one.bound.total_cmp(&other.bound)).unwrap_or(lost);
        let off = (libm::ldexp(50.0, -shift) / lost.least.size).min(100.0);
        let expected = format!(
            "input to `{name}` is summed in units of {}, so that {} in `{}` fit, and it would change by {} %",
            said(libm::ldexp(1.0, -shift)),
            said(largest.bound),
            largest.input.name,
            short(off)
        );
        let way_out = match self.old {
            Some(_) => "delay buffers cannot change during a run: reset it and build it with the new value",
            None => "use weights of more similar size, or let them add to different variables",
        };
        Error::invalid(format!("projections[{}]", lost.input.projection), found, expected, way_out)
            .of_kind(Kind::OutOfRange.name())
    }

    fn too_large(&self, population: usize, variable: usize, parts: &[PortWeights<'_>]) -> Error {
        let of = parts.iter().max_by(|one, other| one.bound.total_cmp(&other.bound));
        let (projection, bound, name) = of.map_or((0, f64::NAN, ""), |part| (part.input.projection, part.bound, part.input.name));
        let variable = &self.models[population].variables[variable];
        let found = format!("a weight of {} {} in `{name}`", short(bound), variable.dimension.inner_unit());
        let expected = format!("the largest sums of `{}` are about 1e45", variable.name);
        Error::invalid(format!("projections[{projection}]"), found, expected, "make it smaller").of_kind(Kind::OutOfRange.name())
    }
}

/// A number to four digits.
fn short(value: f64) -> String {
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    if (1e-3..1e6).contains(&rounded) { rounded.to_string() } else { format!("{rounded:e}") }
}
