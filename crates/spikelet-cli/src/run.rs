//! `spikelet run`.

use std::sync::Arc;
use std::time::Instant;

use spikelet::{Network, Plan, Point, Sweep};

use crate::args::Run;
use crate::failure::Failure;
use crate::report::{Population, Report};
use crate::trials::{Done, Job, Trials};
use crate::{build, dry_run, interrupt, memory, output, profile, source};

pub(crate) fn run(args: &Run) -> Result<(), Failure> {
    let started = Instant::now();
    let grid = Sweep::grid(&args.sweep)?;
    let mut network = source::network(args)?;
    if !args.quiet {
        network.notices().iter().for_each(|notice| eprintln!("notice: {notice}"));
    }
    steps(&network)?;
    interrupt::listen();
    // What is wrong with the network is said before a device is looked for.
    let Some(plan) = build::plan(&network, args)? else { return given_up() };
    build::say_weights(&mut network, &plan, args);
    if args.dry_run {
        return output::print(&dry_run::Report::new(&network, &plan, started.elapsed()));
    }
    if args.save_weights.is_some() {
        check_keeps(args, &grid, &plan)?;
    }
    let (network, plan) = (Arc::new(network), Arc::new(plan));
    let mut points = Vec::new();
    for values in grid {
        points.push(Point::new(&network, &plan, values, build::options(args))?);
        steps(&points[points.len() - 1].network)?;
        if interrupt::asked() {
            return given_up();
        }
    }

    let mut trials = Trials::new(args, &points, started)?;
    trials.run()?;
    if let Some(sentence) = trials.interruption().filter(|_| !args.quiet) {
        eprintln!("{sentence}");
    }

    let mut report = report(&network, &points, &trials);
    report.keep_account(trials.gpu().map(|(_, monitor)| monitor.buffers()), &points[0].plan);
    if args.profile {
        report.profile = profile::of_run(args, trials.gpu(), &points[0].plan, report.simulate_seconds)?;
    }
    if let Some(folder) = &args.out {
        output::write(folder, args.format, &network, &trials.recording(), &report)?;
    }
    if let Some(path) = &args.save_weights {
        output::write_learned(path, trials.learned())?;
    }
    if args.json {
        output::print(&report.to_json())?;
    } else if !args.quiet {
        output::print(&report)?;
    }
    if let (Some(profile), false) = (&report.profile, args.json || args.quiet) {
        output::print(profile)?;
    }
    if args.verbose {
        output::print(&report.account())?;
    }
    Ok(())
}

/// Refuses to keep what synapses learn where nothing does, or in more trials than one file is for.
fn check_keeps(args: &Run, grid: &[Vec<(String, String)>], plan: &Plan) -> Result<(), Failure> {
    if args.trials.get() > 1 || grid.len() > 1 {
        let sentence =
            "--save-weights keeps what synapses have learnt in one trial, and there are several; take one, with --trial";
        return Err(Failure::Input(sentence.into()));
    }
    if plan.projections.iter().all(|projection| projection.state.is_none()) {
        let sentence = "--save-weights has nothing to keep: no synapses of the network have a state; leave it out";
        return Err(Failure::Input(sentence.into()));
    }
    Ok(())
}

fn given_up() -> Result<(), Failure> {
    eprintln!("interrupted while the network was built; nothing was run");
    Ok(())
}

/// How many steps a trial has.
pub(crate) fn steps(network: &Network) -> Result<u32, Failure> {
    let steps = (network.duration_ms / network.dt_ms).round();
    if steps > f64::from(i32::MAX) {
        return Err(Failure::Input(format!(
            "{} ms are {steps} steps of {} ms, but a run has at most {}; take a shorter time or a longer step",
            network.duration_ms,
            network.dt_ms,
            i32::MAX
        )));
    }
    Ok(steps as u32)
}

fn report(network: &Network, points: &[Point], trials: &Trials) -> Report {
    let (done, plan) = (trials.done(), &points[0].plan);
    let total_ms: f64 = done.iter().map(|done| done.time_ms).sum();
    let total_steps: u64 = done.iter().map(|done| u64::from(done.steps)).sum();
    let simulate_seconds = trials.simulated().as_secs_f64();
    let per_second = |count: u64| (simulate_seconds > 0.0).then(|| count as f64 / simulate_seconds);
    let synaptic_events = done.iter().map(|done| done.recorder.synaptic_events()).sum();
    let furthest = done.iter().max_by_key(|done| done.changed.len());
    Report {
        network: network.name.clone(),
        neurons: plan.neurons().into(),
        synapses: plan.synapses(),
        dt_ms: plan.dt_ms,
        time_ms: output::without_dust(done.iter().map(|done| done.time_ms).fold(0.0, f64::max)),
        seed: plan.seed,
        trials: done.len() as u32,
        backend: trials.backend().cloned().unwrap_or_default(),
        build_seconds: trials.built().as_secs_f64(),
        first_spike_seconds: trials.first_spike().map(|time| time.as_secs_f64()),
        simulate_seconds,
        real_time_factor: (total_ms > 0.0).then(|| simulate_seconds * 1000.0 / total_ms),
        trial_steps_per_second: per_second(total_steps),
        spikes: done.iter().map(|done| done.recorder.spikes()).sum(),
        synaptic_events,
        synaptic_events_per_second: per_second(synaptic_events),
        memory_bytes: plan.memory().iter().map(|(_, bytes)| bytes).sum(),
        resident_bytes: memory::resident(),
        buffers: Vec::new(),
        device_bytes: 0,
        profile: None,
        populations: populations(plan, done),
        spikes_hash: done.iter().map(|done| done.recorder.spikes_hash()).collect::<Vec<_>>().into(),
        changes: furthest.map(|done| done.changed.clone()).unwrap_or_default(),
        stopped: done.iter().map(|done| done.stopped.clone()).collect::<Vec<_>>().into(),
        notices: trials.notices().to_vec(),
        results: done.iter().map(|done| done.result(&points[done.job.point])).collect(),
    }
}

/// Rate and irregularity of each population, as means over trials.
fn populations(plan: &Plan, trials: &[Done]) -> Vec<Population> {
    let summaries: Vec<_> = trials.iter().map(|done| done.recorder.populations(done.time_ms)).collect();
    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let population = |(index, population): (usize, &spikelet::PopulationPlan)| Population {
        name: population.name.clone(),
        size: population.size,
        rate_hz: mean(summaries.iter().map(|trial| trial[index].rate_hz).collect()).unwrap_or_default(),
        cv_isi: mean(summaries.iter().filter_map(|trial| trial[index].cv_isi).collect()),
    };
    plan.populations.iter().enumerate().map(population).collect()
}

/// All that is to be run: each point with each trial, a point after the other.
pub(crate) fn jobs(args: &Run, points: &[Point]) -> Result<Vec<Job>, Failure> {
    let trials = args.trial.map_or(0..args.trials.get(), |trial| trial..trial.saturating_add(1));
    if u64::from(args.trials.get()) * points.len() as u64 > 10_000_000 {
        return Err(Failure::Input(format!(
            "{} trials of {} combinations of values are more than 10000000 runs; take fewer",
            args.trials,
            points.len()
        )));
    }
    Ok((0..points.len()).flat_map(|point| trials.clone().map(move |trial| Job { point, trial })).collect())
}
