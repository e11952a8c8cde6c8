//! `spikelet train`.

pub(crate) mod device;
mod folder;
mod report;
pub(crate) mod source;
mod stop;

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;
use std::time::Instant;

use pollster::block_on;
use spikelet::{Error, grouped};
use spikelet_train::{Checkpoint, Method, Trainer};

use crate::args::{TrainArguments, TrainingMethod};
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::progress::Progress;
use crate::signal::Signal;
use crate::{device as devices, interrupt, terminal};
use folder::TrainingFolder;
use report::{Column, EpochLine, TrainingReport};
use stop::StopRule;

pub(crate) fn run(args: &TrainArguments) -> Result<(), Failure> {
    devices::check_threads(args.device.threads)?;
    interrupt::listen()?;
    let watch = InterruptGuard::begin(leave)?;
    let checkpoint = args.resume.as_deref().map(read_checkpoint).transpose()?;
    let (training, data) = source::training(args)?;
    if args.until.is_some() && data.classes == 0 {
        let sentence = "--until needs an accuracy, and the targets of this training are no classes; remove it, or use --patience";
        return Err(Failure::Input(sentence.to_owned()));
    }
    let folder = args.out.as_deref().map(TrainingFolder::open).transpose()?;
    let device = device::differentiable(&training, &args.device)?;
    let mut trainer = block_on(Trainer::new(training, data, device))?;
    if let Some(checkpoint) = checkpoint {
        block_on(trainer.resume(checkpoint))?;
    }
    watch.end();
    let rule = StopRule::new(args.until, args.patience.map(NonZeroU32::get));
    let mut course = Course { args, folder, columns: columns_of(&trainer), trainer, rule, stopped: None, shown: 0 };
    course.begin()?;
    let ended = course.epochs();
    course.end(ended)
}

/// What to do at a signal before the first batch.
fn leave(signal: Signal) {
    terminal::fail(&Failure::Interrupted(signal, "before the first batch; nothing was written".into()), false);
}

/// A training on its way.
struct Course<'a> {
    args: &'a TrainArguments,
    folder: Option<TrainingFolder>,
    columns: Vec<Column>,
    trainer: Trainer,
    rule: StopRule,
    /// Why it ended before all epochs.
    stopped: Option<String>,
    /// Number of notices that were shown.
    shown: usize,
}

impl Course<'_> {
    /// Shows what begins; epochs before a checkpoint are part of it.
    fn begin(&mut self) -> Result<(), Failure> {
        if let Some(folder) = &self.folder {
            folder.begin()?;
            folder.write_checkpoint(&self.checkpoint())?;
        }
        self.stopped = self.rule.after(self.trainer.state());
        if self.args.json || self.args.quiet {
            return Ok(());
        }
        let (plan, data) = (self.trainer.plan(), self.trainer.data());
        let [train, test] = [&data.train, &data.test].map(|samples| grouped(samples.len() as u64));
        let neurons = grouped(plan.network.populations.iter().map(|of| u64::from(of.size)).sum());
        let parameters = grouped(plan.parameters.values.len() as u64);
        let method = self.trainer.training().method.name();
        let name = &self.trainer.training().name;
        let text = format!(
            "{name}: {neurons} neurons, {parameters} parameters, {train} samples to train on and {test} to test with, by {method}\n\n\
             {}",
            report::heading(&self.columns)
        );
        terminal::print(&text)
    }

    /// Trains until an end is reached; gives the signal that interrupted it.
    fn epochs(&mut self) -> Result<Option<Signal>, Failure> {
        while self.trainer.state().epoch < self.trainer.training().epochs && self.stopped.is_none() {
            let started = Instant::now();
            let progress = Progress::of_epoch(self.trainer.data().train.len(), self.args.quiet || self.args.json);
            while !self.trainer.is_epoch_done() {
                if let Some(signal) = interrupt::asked() {
                    return Ok(Some(signal));
                }
                block_on(self.trainer.train_batch()).map_err(|error| self.failure(&error))?;
                let state = self.trainer.state();
                progress.show_epoch(state.epoch + 1, state.score.samples as usize);
            }
            let result = block_on(self.trainer.end_epoch(started.elapsed().as_secs_f64()));
            let line = EpochLine::from(&result.map_err(|error| self.failure(&error))?);
            progress.clear();
            if let Some(folder) = &self.folder {
                folder.write_checkpoint(&self.checkpoint())?;
            }
            if self.args.json {
                terminal::print(&serde_json::json!(line))?;
            } else if !self.args.quiet {
                terminal::print(&report::row(&self.columns, &line))?;
            }
            self.new_notices();
            self.stopped = self.rule.after(self.trainer.state());
        }
        Ok(None)
    }

    /// Writes and prints the result.
    fn end(&mut self, ended: Result<Option<Signal>, Failure>) -> Result<(), Failure> {
        let signal = ended.as_ref().ok().copied().flatten();
        let lines = self.lines();
        let best_epoch = self.trainer.state().best.as_ref().map(|best| best.epoch);
        let keeps_best = self.args.patience.is_some();
        let report = TrainingReport {
            last: lines.last().cloned(),
            best_epoch,
            network_epoch: if keeps_best { best_epoch } else { lines.last().map(|line| line.epoch) },
            parameters: self.trainer.plan().parameters.values.len(),
            tape_bytes: self.trainer.device().tape_bytes(),
            training: self.trainer.training().name.clone(),
            method: self.trainer.training().method.name(),
            backend: self.trainer.device().name(),
            completed: matches!(ended, Ok(None)),
            interrupted: signal.map(|signal| signal.name),
            stopped: self.stopped.clone(),
        };
        if let Some(folder) = &self.folder {
            if signal.is_some() {
                folder.write_checkpoint(&self.checkpoint())?;
            }
            // After an error the parameters may be those that caused it.
            let network = || if keeps_best { self.trainer.best_network() } else { self.trainer.network() };
            let network = ended.is_ok().then(network).transpose()?;
            folder.write(&lines, network.as_ref(), &report)?;
        }
        if self.args.json {
            terminal::print(&serde_json::json!(report))?;
        } else if !self.args.quiet {
            terminal::print(&format_args!("\n{report}"))?;
        }
        if !self.args.quiet {
            self.trainer.device().notices().iter().for_each(terminal::notice);
        }
        match (ended, signal) {
            (Err(failure), _) => Err(failure),
            (Ok(_), None) => Ok(()),
            (Ok(_), Some(signal)) => {
                let state = self.trainer.state();
                let place = format!("after {} epochs and {} batches", state.epoch, state.batch);
                let kept = match &self.folder {
                    Some(folder) => format!("continue with --resume {}", folder.checkpoint().display()),
                    None => "nothing was written, as there is no --out".to_owned(),
                };
                Err(Failure::Interrupted(signal, format!("{place}; {kept}")))
            }
        }
    }

    /// The epochs so far.
    fn lines(&self) -> Vec<EpochLine> {
        self.trainer.state().history.iter().map(EpochLine::from).collect()
    }

    fn checkpoint(&self) -> Vec<u8> {
        self.trainer.checkpoint().to_bytes()
    }

    /// Shows the notices that were not shown yet.
    fn new_notices(&mut self) {
        let notices = self.trainer.notices();
        if !self.args.quiet {
            notices[self.shown..].iter().for_each(terminal::notice);
        }
        self.shown = notices.len();
    }

    /// An error in a batch, with its place and what is kept.
    fn failure(&self, error: &Error) -> Failure {
        let state = self.trainer.state();
        let kept = self.folder.as_ref().map_or(String::new(), |folder| {
            format!("; {} is the state after epoch {}", folder.checkpoint().display(), state.epoch)
        });
        Failure::Run(format!("epoch {}, batch {}: {error}{kept}", state.epoch + 1, state.batch + 1))
    }
}

/// The columns of the table of epochs.
fn columns_of(trainer: &Trainer) -> Vec<Column> {
    let plan = &trainer.plan().plan;
    let populations = plan.populations[..trainer.plan().network.populations.len()].iter();
    let firing = populations.filter(|of| of.program.update.condition.is_some());
    report::columns(trainer.data(), &firing.map(|of| of.name.clone()).collect::<Vec<_>>())
}

fn read_checkpoint(path: &Path) -> Result<Checkpoint, Failure> {
    let bytes = fs::read(path).map_err(|error| {
        Failure::Input(format!("{} cannot be read: {error}; name a checkpoint that --out has written", path.display()))
    })?;
    Checkpoint::from_bytes(&bytes).map_err(|error| Failure::of_file(path, &error))
}

impl From<TrainingMethod> for Method {
    fn from(method: TrainingMethod) -> Method {
        match method {
            TrainingMethod::EventProp => Method::EventProp,
            TrainingMethod::Bptt => Method::Bptt,
            TrainingMethod::Eprop => Method::Eprop,
        }
    }
}
