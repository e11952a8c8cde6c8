//! The desk at which asks are taken, one by one, and answered.

use futures_channel::mpsc::UnboundedReceiver;
use spikelet::{Error, Recording, Snapshot};

use super::inbox::Inbox;
use super::machine::Machine;
use super::refusal::Refusal;
use super::run::{Ended, Run};
use super::time::now_ms;
use super::value::may_pass;
use super::{check, memory, tables};
use crate::judge::judge;
use crate::protocol::{Ask, Because, Command, Event, Failure, Message, Reply};

/// How long asks may be taken before a network that runs goes on, in ms: about as long as a batch takes.
const ASKS_MS: f64 = 12.0;

/// Takes commands one by one; at most one network is open.
pub(super) struct Desk {
    arriving: UnboundedReceiver<Ask>,
    inbox: Inbox,
    machine: Machine,
    run: Option<Run>,
}

impl Desk {
    pub(super) fn new(arriving: UnboundedReceiver<Ask>, machine: Machine) -> Desk {
        Desk { arriving, inbox: Inbox::default(), machine, run: None }
    }

    /// Waits until there is an ask; whether there will be any.
    pub(super) async fn hear(&mut self) -> bool {
        if !self.inbox.is_empty() {
            return true;
        }
        match self.arriving.recv().await {
            Ok(ask) => {
                self.sort(ask);
                true
            }
            Err(_) => false,
        }
    }

    /// Does what has been asked for: all of it, or as much as there is time for before the network goes on.
    pub(super) async fn take_waiting(&mut self) {
        let began_ms = now_ms();
        loop {
            while let Ok(ask) = self.arriving.try_recv() {
                self.sort(ask);
            }
            let Some(asks) = self.inbox.pop() else { return };
            self.take(asks).await;
            if self.is_running() && now_ms() - began_ms > ASKS_MS {
                break;
            }
        }
        if !self.has_work() {
            // The page may have taken a batch in by now.
            self.machine.turn.give().await;
        }
    }

    /// Puts an ask where it waits for its turn. That the page took in a batch is heard at once: the run may go on.
    fn sort(&mut self, ask: Ask) {
        match (&ask.command, &mut self.run) {
            (Command::Taken { batch }, Some(run)) => {
                run.take_in(*batch);
                self.answer(ask.ask, Ok(Reply::Done));
            }
            _ => self.inbox.push(ask),
        }
    }

    /// Tells that something happened.
    fn tell(&self, event: Event) {
        self.machine.tell(event);
    }

    /// Answers an ask, if anybody waits for that.
    fn answer(&self, ask: Option<u32>, done: Result<Reply, Failure>) {
        if let Some(ask) = ask {
            self.machine.say(match done {
                Ok(reply) => Message::Answer { ask, reply },
                Err(failure) => Message::Refusal { ask, failure },
            });
        }
    }

    fn is_running(&self) -> bool {
        self.run.as_ref().is_some_and(Run::is_running)
    }

    /// Whether a batch should be run now.
    pub(super) fn has_work(&self) -> bool {
        self.run.as_ref().is_some_and(Run::has_work)
    }

    /// Runs one batch and posts it, and lets commands arrive.
    pub(super) async fn work(&mut self) {
        let Some(run) = &mut self.run else { return };
        let done = run.batch().await;
        self.hand_out(done).await;
        self.machine.turn.give().await;
    }

    /// Posts what happened in a batch, and ends the run where it is over; survives what went wrong, if that can be.
    async fn hand_out(&mut self, done: Result<(Vec<Event>, bool), Error>) {
        match done {
            Ok((events, held)) => {
                events.into_iter().for_each(|event| self.tell(event));
                let Some(run) = &mut self.run else { return };
                if let Some(error) = run.simulation.failure().cloned() {
                    // What happened before is told.
                    self.survive(error).await;
                } else if let Some(because) = run.is_over(held) {
                    self.end(because);
                } else if let Err(error) = run.keep().await {
                    self.survive(error).await;
                }
            }
            Err(error) => self.survive(error).await,
        }
    }

    /// Ends the run under way, and tells so.
    fn end(&mut self, because: Because) {
        let Some(run) = &mut self.run else { return };
        if let Some(ended) = run.end(because) {
            let state = run.state(false);
            self.tell(state);
            self.tell_end(ended);
        }
    }

    fn tell_end(&self, (ask, ran): Ended) {
        self.answer(ask, Ok(Reply::Ran(ran)));
    }

    /// Goes on where a device is lost; a run that cannot go on breaks off.
    async fn survive(&mut self, error: Error) {
        let error = match error {
            Error::DeviceLost { device, why } => self.go_on(&device, &why).await.err(),
            error => Some(error),
        };
        if let Some(error) = error {
            self.break_off(&error);
        }
    }

    /// The same of a loss.
    async fn go_on(&mut self, device: &str, why: &str) -> Result<(), Error> {
        match &mut self.run {
            Some(run) => self.machine.go_on(run, device, why).await,
            None => Ok(()),
        }
    }

    /// The open network cannot go on.
    fn break_off(&mut self, error: &Error) {
        let Some(run) = &mut self.run else { return };
        let ended = run.end(Because::Paused);
        run.broken = true;
        let state = run.state(false);
        if run.build.is_gpu() {
            self.machine.gpu.forget_if_failed(error);
        }
        let failure = Failure::from(error).of_a_run();
        self.tell(state);
        self.tell(Event::Failed(failure.clone()));
        if let Some((ask, _)) = ended {
            self.answer(ask, Err(failure));
        }
    }

    /// Does what is asked, and answers; whatever else comes of it is posted. Of several asks each sets the same path.
    async fn take(&mut self, asks: Vec<Ask>) {
        if let [Ask { command: Command::Set { .. }, .. }, ..] = asks[..] {
            return self.set(asks).await;
        }
        for Ask { ask, command } in asks {
            if let Command::Run { ms, until } = command {
                if let Err(refusal) = self.start(ask, ms, until).await {
                    self.answer(ask, Err(refusal.into()));
                }
            } else {
                let done = self.carry_out(&command).await;
                self.answer(ask, done);
            }
        }
    }

    /// Sets a path to the last of the values that it is to have, and tells all who asked what it has then. What cannot be set is refused.
    async fn set(&mut self, mut asks: Vec<Ask>) {
        let unit = match (&asks[0].command, &self.run) {
            (Command::Set { path, .. }, Some(run)) if asks.len() > 1 => run.unit(path),
            _ => None,
        };
        while let Some(last) = asks.len().checked_sub(1) {
            let mut passed = Vec::new();
            for (place, ask) in asks.into_iter().enumerate() {
                if place < last && unit.as_ref().is_some_and(|unit| may_pass(&ask.command, unit)) {
                    passed.push(ask);
                    continue;
                }
                match self.carry_out(&ask.command).await {
                    Ok(Reply::Value(value)) => {
                        for Ask { ask, .. } in passed.drain(..).chain([ask]) {
                            self.answer(ask, Ok(Reply::Value(value.copied())));
                        }
                    }
                    done => self.answer(ask.ask, done),
                }
            }
            // The last one was refused: it is the turn of the one before.
            asks = passed;
        }
    }

    /// Does what a command says, on another device where the one that there is gets lost.
    async fn carry_out(&mut self, command: &Command) -> Result<Reply, Failure> {
        loop {
            match self.execute(command).await {
                Err(Refusal::Simulator(Error::DeviceLost { device, why })) if self.run.is_some() => {
                    if let Err(error) = self.go_on(&device, &why).await {
                        self.break_off(&error);
                        return Err(Failure::from(&error));
                    }
                }
                done => return done.map_err(|refusal| refusal.about(command)),
            }
        }
    }

    /// Begins a run, whose end is the answer.
    async fn start(&mut self, ask: Option<u32>, ms: Option<f64>, until: Option<String>) -> Result<(), Refusal> {
        let run = self.run.as_mut().ok_or(Refusal::NoNetwork)?;
        run.start(ask, ms, until)?;
        let (state, over) = (run.state(false), run.is_over(false));
        let kept = run.keep_start().await;
        self.tell(state);
        match kept {
            // Over where it was asked for no time at all.
            Ok(()) => over.into_iter().for_each(|because| self.end(because)),
            Err(error) => self.survive(error).await,
        }
        Ok(())
    }

    /// Does what a command says.
    async fn execute(&mut self, command: &Command) -> Result<Reply, Refusal> {
        match command {
            Command::Create(create) => {
                if self.run.is_some() {
                    return Err(Refusal::SecondNetwork);
                }
                let run = self.run.insert(self.machine.create(create).await?);
                Ok(Reply::Info(Box::new(run.info())))
            }
            Command::Devices => Ok(Reply::Devices(self.machine.devices().await)),
            Command::Models => Ok(Reply::Models(tables::models())),
            Command::Networks => Ok(Reply::Networks(tables::networks())),
            Command::Judge(question) => Ok(Reply::Judgement(Box::new(judge(question)))),
            Command::Check { json } => Ok(Reply::Diagnostics(check::diagnostics(json))),
            Command::Pause => self.pause().await,
            Command::Reset => self.reset().await,
            Command::Taken { batch } => {
                self.run.as_mut().ok_or(Refusal::NoNetwork)?.take_in(*batch);
                Ok(Reply::Done)
            }
            Command::LoseDevice => {
                self.machine.gpu.destroy();
                Ok(Reply::Done)
            }
            Command::Set { path, text, values } => {
                let run = self.open()?;
                let (value, changed) = run.set(path, text.as_deref(), values).await?;
                changed.into_iter().for_each(|changed| self.tell(Event::Changed(changed)));
                Ok(Reply::Value(value))
            }
            Command::Get { path, trial } => Ok(Reply::Value(self.open()?.get(path, *trial).await?)),
            Command::Network => Ok(Reply::Text(self.open()?.simulation.at_start().to_json())),
            Command::SaveWeights { trial } => Ok(Reply::Bytes { content: self.open()?.weights(*trial).await? }),
            Command::TakeWeights { trial, file, content } => {
                self.open()?.take_weights(*trial, file, &content.to_vec()).await?;
                Ok(Reply::Done)
            }
            Command::Memory => {
                let buffers = self.open()?.buffers();
                Ok(Reply::Memory(memory::told(buffers)))
            }
            Command::Record { json } => {
                self.open()?;
                let recordings = Recording::list_from_json(json)?;
                self.change_over(async |run| run.record(recordings).await).await
            }
            Command::Snapshot => Ok(Reply::Bytes { content: self.open()?.snapshot().await? }),
            Command::Restore { content } => {
                self.open()?;
                let snapshot = Snapshot::from_bytes(&content.to_vec())?;
                let reply = self.change_over(async |run| Ok(run.simulation.restore(&snapshot).await?)).await?;
                self.moved();
                Ok(reply)
            }
            // It is answered when it ends.
            Command::Run { .. } => Err(Refusal::Running),
        }
    }

    /// The network that is open.
    fn open(&mut self) -> Result<&mut Run, Refusal> {
        self.run.as_mut().ok_or(Refusal::NoNetwork)
    }

    /// Loads the open network anew, in a way that may leave its device with nothing: the run then breaks off.
    async fn change_over(&mut self, how: impl AsyncFnOnce(&mut Run) -> Result<(), Refusal>) -> Result<Reply, Refusal> {
        if self.open()?.broken {
            return Err(Refusal::Broken);
        }
        let done = self.open()?.catch_up().await;
        self.hand_out(done).await;
        let run = self.open()?;
        match how(run).await {
            Ok(()) => Ok(Reply::Info(Box::new(run.info()))),
            Err(Refusal::Simulator(error)) if !error.is_bad_input() && !matches!(error, Error::DeviceLost { .. }) => {
                self.break_off(&error);
                Err(error.into())
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// The open network was put to another time, which ends its run.
    fn moved(&mut self) {
        let Some(run) = &mut self.run else { return };
        let ended = run.end(Because::Moved);
        run.moved();
        let state = run.state(true);
        self.tell(state);
        ended.into_iter().for_each(|ended| self.tell_end(ended));
    }

    /// Ends the run where the device is.
    async fn pause(&mut self) -> Result<Reply, Refusal> {
        let done = self.open()?.catch_up().await;
        self.hand_out(done).await;
        self.end(Because::Paused);
        Ok(Reply::Done)
    }

    /// Back to the start; on another device where the last one failed.
    async fn reset(&mut self) -> Result<Reply, Refusal> {
        let ended = self.open()?.end(Because::Moved);
        let done = self.restart().await;
        if let Some(ended) = ended {
            self.tell_end(ended);
        }
        done.map(|()| Reply::Done)
    }

    async fn restart(&mut self) -> Result<(), Refusal> {
        let run = self.run.as_mut().ok_or(Refusal::NoNetwork)?;
        if run.broken {
            self.machine.mend(run).await?;
        }
        let events = run.restart().await?;
        self.machine.tell(run.state(true));
        events.into_iter().for_each(|event| self.machine.tell(event));
        Ok(())
    }
}
