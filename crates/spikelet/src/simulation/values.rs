//! Values that change during a run: set by the caller, or by the network's own changes.

use std::sync::Arc;

use indexmap::IndexSet;
use spikelet_lang::PLASTICITY;
use spikelet_plan::{BoundPlan, time};

use super::events::Changed;
use super::{Simulation, TrialRun};
use crate::network::DueChange;
use crate::{ArrayId, Error, Network, Owner, Plan, Precision};

/// A network and its plan.
type Planned = (Arc<Network>, Arc<Plan>);

/// The network and plan of a trial with a new value, as far as they change.
type Followed = (Arc<Network>, BoundPlan);

impl Simulation {
    /// Changes a value in all trials during a run: a parameter of a population, `E.taum` to `15 ms`, or a value of the synapses of a
    /// projection. State, pending input and connectivity do not change. Values stay after a reset, in contrast to the network's own
    /// [changes](Network::changes). The change applies from [`Simulation::device_step`] on.
    ///
    /// # Errors
    /// An invalid path or value, or one that cannot change during a run; nothing has changed then.
    pub async fn set(&mut self, path: &str, value: &str) -> Result<(), Error> {
        self.collect().await?;
        // Statistics of this step are taken before values are set (rule 2.1).
        self.measure().await?;
        let starts = self.starts_with(path, value)?;
        let (path_of, value_of) = (path.to_owned(), value.to_owned());
        let setting = DueChange { step: self.received, change: 0, place: String::new(), path: path_of, value: value_of };
        self.assign(&vec![vec![setting]; self.runs.len()]).await?;
        for (run, start) in self.runs.iter_mut().zip(starts) {
            // Before the first change both are the same.
            run.start = start.unwrap_or_else(|| (run.network.clone(), run.plan.clone()));
            run.history.set(path, value);
        }
        self.log_set(path, value);
        Ok(())
    }

    /// The start of each trial with a new value, if it differs from the current one.
    fn starts_with(&self, path: &str, value: &str) -> Result<Vec<Option<Planned>>, Error> {
        let mut starts: Vec<Option<Planned>> = Vec::new();
        for (index, run) in self.runs.iter().enumerate() {
            let same = |other: &TrialRun| {
                let same_start = Arc::ptr_eq(&other.start.0, &run.start.0) && Arc::ptr_eq(&other.start.1, &run.start.1);
                same_start && !other.changed.is_empty()
            };
            starts.push(match self.runs[..index].iter().position(same) {
                _ if run.changed.is_empty() => None,
                Some(other) => starts[other].clone(),
                None => {
                    let mut network = (*run.start.0).clone();
                    network.set(path, value)?;
                    let plan = run.start.1.with_value(&network, path)?.plan;
                    Some((Arc::new(network), plan))
                }
            });
        }
        Ok(starts)
    }

    /// Applies the changes that are due before the device's next step.
    pub(super) async fn make_changes(&mut self) -> Result<(), Error> {
        loop {
            let time_ms = time::of_step(self.received, self.runs[0].plan.dt_ms);
            let at_time = |due: &DueChange| DueChange { place: format!("{}, at {time_ms} ms", due.place), ..due.clone() };
            let due = |run: &TrialRun| run.due().iter().filter(|due| due.step <= self.received).map(at_time).collect();
            let dues: Vec<Vec<DueChange>> = self.runs.iter().map(due).collect();
            if dues.iter().all(Vec::is_empty) {
                return Ok(());
            }
            self.assign(&dues).await?;
            for (run, dues) in self.runs.iter_mut().zip(dues) {
                let changed = |due: DueChange| Changed { step: self.received, path: due.path, value: due.value };
                run.changed.extend(dues.into_iter().map(changed));
            }
        }
    }

    /// Sets values of the current state, those of each trial together.
    async fn assign(&mut self, settings: &[Vec<DueChange>]) -> Result<(), Error> {
        let new = self.accepted_by_all(followed(&self.runs, settings, self.backend.precision())).await?;
        self.complete_step().await?;
        let mut refills = Vec::new();
        for (trial, ((_, bound), values)) in new.iter().zip(settings).enumerate() {
            if !values.is_empty() && (self.write_changes(trial, bound, values).await? || bound.revises) {
                refills.push(trial);
            }
        }
        if new.iter().any(|(_, bound)| bound.revises) {
            self.backend.revise(new.iter().map(|(_, bound)| bound.plan.clone()).collect()).await?;
        }
        for trial in refills {
            self.refill(trial).await?;
        }
        for ((run, (network, bound)), values) in self.runs.iter_mut().zip(new).zip(settings) {
            (run.network, run.plan) = (network, bound.plan);
            for DueChange { path, value, .. } in values {
                run.history.assign(path, value);
            }
        }
        Ok(())
    }

    /// Values that every rank accepts: some checks are of own neurons only, and a rank that rejects a value would no longer exchange what the
    /// others wait for.
    async fn accepted_by_all(&mut self, own: Result<Vec<Followed>, Error>) -> Result<Vec<Followed>, Error> {
        let sentence = own.as_ref().err().map(Error::to_string).unwrap_or_default();
        let all = self.backend.ask_all(sentence.chars().map(u32::from).collect()).await?;
        let rejected = all.into_iter().find(|words| !words.is_empty());
        match (own, rejected) {
            (Ok(_), Some(words)) => Err(Error::Backend(words.into_iter().filter_map(char::from_u32).collect())),
            (own, _) => own,
        }
    }

    /// Writes the arrays in which a new plan of a trial differs from the current one; returns whether pending input follows from them.
    async fn write_changes(
        &mut self,
        trial: usize,
        BoundPlan { plan, arrays, .. }: &BoundPlan,
        values: &[DueChange],
    ) -> Result<bool, Error> {
        let before = self.runs[trial].plan.clone();
        let may_differ = |array: &ArrayId| arrays.as_ref().is_none_or(|arrays| arrays.contains(array));
        let candidates: Vec<_> = plan.arrays().iter().filter(|(array, _)| may_differ(array)).collect();
        let own = candidates.iter().map(|(_, entry)| u32::from(plan.differs(&before, entry))).collect();
        // Values of the neurons of another rank are not known here, but all ranks write the same arrays: what they exchange depends on it.
        let all = self.backend.ask_all(own).await?;
        let mut refills = false;
        for (place, (array, entry)) in candidates.into_iter().enumerate() {
            let differs = all.iter().any(|of_rank| of_rank.get(place) == Some(&1));
            if let (Owner::RingColumns { population }, port) = (entry.owner, entry.index) {
                let [new, old] = [plan, &before].map(|plan| plan.populations[population].ports[port]);
                refills |= [new.shift, new.fine_shift] != [old.shift, old.fine_shift];
            } else if differs || values.iter().any(|value| value.path == entry.path) {
                refills |= matches!(entry.owner, Owner::Events { .. });
                self.backend.follow(trial, array, plan).await?;
            }
        }
        Ok(refills)
    }
}

/// Rejects a parameter without a meaning in the network: a misspelled name.
fn check_used(run: &TrialRun, new: &Network, path: &str) -> Result<(), Error> {
    let (object, name) = path.split_once('.').unwrap_or((path, ""));
    let named = || run.plan.arrays().named().filter_map(|(_, entry)| entry.path.split_once('.'));
    let moves = || named().filter(|(of, _)| *of == object);
    if name == PLASTICITY || run.plan.binding(path).is_some() || moves().any(|(_, variable)| variable == name) {
        return Ok(());
    }
    // Each of these reads the model's file.
    let before = run.network.parameter_names(object);
    if before.contains(name) || !new.parameter_names(object).contains(name) {
        return Ok(());
    }
    let known = before.iter().map(String::as_str).chain(moves().map(|(_, variable)| variable));
    Err(Error::unknown_name(path, "parameter or variable", name, known.collect::<IndexSet<_>>()))
}

/// The network of each trial with its new values; trials that were the same before share the result.
fn followed(runs: &[TrialRun], settings: &[Vec<DueChange>], precision: Precision) -> Result<Vec<Followed>, Error> {
    let mut new: Vec<Followed> = Vec::new();
    for (index, (run, values)) in runs.iter().zip(settings).enumerate() {
        if values.is_empty() {
            new.push((run.network.clone(), BoundPlan { plan: run.plan.clone(), arrays: Some(Vec::new()), revises: false }));
            continue;
        }
        let same = |other: &usize| {
            let same_run = Arc::ptr_eq(&runs[*other].network, &run.network) && Arc::ptr_eq(&runs[*other].plan, &run.plan);
            let assigned =
                |values: &'_ [DueChange]| values.iter().map(|of| (of.path.clone(), of.value.clone())).collect::<Vec<_>>();
            same_run && assigned(&settings[*other]) == assigned(values)
        };
        if let Some(other) = (0..index).find(same) {
            new.push(new[other].clone());
            continue;
        }
        let mut network = (*run.network).clone();
        network.make_change(values)?;
        for due in values {
            let checked = run.network.check_fixed(&network, &due.path).and_then(|()| check_used(run, &network, &due.path));
            checked.map_err(|error| due.located(error))?;
        }
        let paths: Vec<&str> = values.iter().map(|due| due.path.as_str()).collect();
        let bound = run.plan.with_all(&network, &paths).map_err(|error| {
            let is_wrong_alone = |due: &DueChange| {
                let mut alone = (*run.network).clone();
                alone.make_change(std::slice::from_ref(due)).is_err() || run.plan.with_all(&alone, &[&due.path]).is_err()
            };
            values.iter().find(|due| is_wrong_alone(due)).unwrap_or(&values[0]).located(error)
        })?;
        if precision == Precision::Single {
            bound.plan.check_integers().map_err(|error| values[0].located(error))?;
        }
        new.push((Arc::new(network), bound));
    }
    let first = &new[0].1.plan;
    let other = new.iter().zip(settings).filter(|((_, bound), _)| !bound.plan.shares_rows_with(first));
    if let Some(DueChange { path, value, .. }) = other.flat_map(|(_, values)| values).next() {
        let expected = "parallel trials share the weights of single synapses";
        return Err(Error::invalid(path, value, expected, "run them one after the other"));
    }
    Ok(new)
}
