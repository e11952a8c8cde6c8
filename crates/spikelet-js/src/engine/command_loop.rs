//! The loop that takes requests one by one and answers them.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use futures_channel::mpsc::UnboundedReceiver;
use spikelet::{Error, Recording, RunEnd, Snapshot};

use super::command_error::CommandError;
use super::devices::EngineDevices;
use super::request_queue::RequestQueue;
use super::run::{OpenNetwork, Posted, RunReply};
use super::time::{now_ms, sleep};
use super::value::may_pass;
use super::{check, memory, tables};
use crate::judge::judge;
use crate::protocol::{Command, Event, Failure, Message, Reply, Request, StopReason, ValuesWritten};

/// Time in ms for requests before a running network continues: about the duration of a batch.
const ASKS_MS: f64 = 12.0;

/// Handles commands one by one; at most one network is open.
pub(super) struct CommandLoop {
    arriving: UnboundedReceiver<Request>,
    inbox: RequestQueue,
    machine: EngineDevices,
    run: Option<OpenNetwork>,
}

impl CommandLoop {
    pub(super) fn new(arriving: UnboundedReceiver<Request>, machine: EngineDevices) -> CommandLoop {
        CommandLoop { arriving, inbox: RequestQueue::default(), machine, run: None }
    }

    /// Waits for a request; returns whether there can be further ones.
    pub(super) async fn recv(&mut self) -> bool {
        if !self.inbox.is_empty() {
            return true;
        }
        match self.arriving.recv().await {
            Ok(request) => {
                self.sort(request);
                true
            }
            Err(_) => false,
        }
    }

    /// Handles all pending requests, or as many as possible before the network continues.
    pub(super) async fn take_waiting(&mut self) {
        let began_ms = now_ms();
        loop {
            while let Ok(request) = self.arriving.try_recv() {
                self.sort(request);
            }
            let Some(requests) = self.inbox.pop() else { return };
            self.handle(requests).await;
            if self.is_running() && now_ms() - began_ms > ASKS_MS {
                break;
            }
        }
        if self.wait_ms() != Some(0.0) {
            // The page may have processed a batch meanwhile.
            self.machine.turn.give().await;
        }
    }

    /// The same, until a time in ms is over.
    pub(super) async fn recv_within(&mut self, ms: f64) -> bool {
        if !self.inbox.is_empty() {
            return true;
        }
        let received = {
            let (mut timer, mut recv) = (pin!(sleep(ms)), pin!(self.arriving.recv()));
            poll_fn(|context| match recv.as_mut().poll(context) {
                Poll::Ready(received) => Poll::Ready(Some(received)),
                Poll::Pending => timer.as_mut().poll(context).map(|()| None),
            })
            .await
        };
        match received {
            Some(Ok(request)) => self.sort(request),
            Some(Err(_)) => return false,
            None => {}
        }
        true
    }

    /// Adds a request to the queue. The acknowledgement of a batch is handled at once, because the run may continue.
    fn sort(&mut self, request: Request) {
        match (&request.command, &mut self.run) {
            (Command::Ack { batch }, Some(run)) => {
                run.acknowledge(*batch);
                self.answer(request.id, Ok(Reply::Done));
            }
            _ => self.inbox.push(request),
        }
    }

    /// Sends an event.
    fn emit(&self, event: Event) {
        self.machine.emit(event);
    }

    /// Answers a request, if an answer is expected.
    fn answer(&self, id: Option<u32>, done: Result<Reply, Failure>) {
        if let Some(id) = id {
            self.machine.post(match done {
                Ok(reply) => Message::Answer { id, reply },
                Err(failure) => Message::Error { id, failure },
            });
        }
    }

    fn is_running(&self) -> bool {
        self.run.as_ref().is_some_and(OpenNetwork::is_running)
    }

    /// Wall time in ms until the next batch; none if there is none to wait for.
    pub(super) fn wait_ms(&self) -> Option<f64> {
        self.run.as_ref().and_then(OpenNetwork::wait_ms)
    }

    /// Runs one batch, posts it, and lets commands arrive.
    pub(super) async fn work(&mut self) {
        let Some(run) = &mut self.run else { return };
        let done = run.batch(&mut self.machine).await;
        self.post_batch(done);
        self.machine.turn.give().await;
    }

    /// Posts the events of a batch, if there are any, and ends the run if it is over, or cannot continue.
    fn post_batch(&mut self, done: Result<Option<Posted>, Error>) {
        match done {
            Ok(None) => {}
            Ok(Some((events, end))) => {
                events.into_iter().for_each(|event| self.emit(event));
                // Earlier events are sent first.
                match self.run.as_ref().and_then(|run| run.driver.simulation.failure().cloned()) {
                    Some(error) => self.abort(&error),
                    None => end.into_iter().for_each(|end| self.end(reason(end))),
                }
            }
            Err(error) => self.abort(&error),
        }
    }

    /// Posts what the device has computed of the open network.
    async fn catch_up_with_device(&mut self) -> Result<(), CommandError> {
        let run = self.run.as_mut().ok_or(CommandError::NoNetwork)?;
        let done = run.catch_up_with_device(&mut self.machine).await;
        self.post_batch(done);
        Ok(())
    }

    /// Ends the current run, and reports it.
    fn end(&mut self, because: StopReason) {
        let Some(run) = &mut self.run else { return };
        if let Some(ended) = run.end(because) {
            let state = run.state(false);
            self.emit(state);
            self.emit_end(ended);
        }
    }

    fn emit_end(&self, (id, ran): RunReply) {
        self.answer(id, Ok(Reply::RunResult(ran)));
    }

    /// The open network cannot continue.
    fn abort(&mut self, error: &Error) {
        let Some(run) = &mut self.run else { return };
        let ended = run.end(StopReason::Paused);
        run.broken = true;
        let state = run.state(false);
        if run.build.is_gpu() {
            self.machine.gpu.forget_if_failed(error);
        }
        let failure = Failure::from(error).of_a_run();
        self.emit(state);
        self.emit(Event::Failed(failure.clone()));
        if let Some((id, _)) = ended {
            self.answer(id, Err(failure));
        }
    }

    /// Executes a request and answers it; events are posted. If there are several requests, each sets the same path.
    async fn handle(&mut self, requests: Vec<Request>) {
        if let [Request { command: Command::Set { .. }, .. }, ..] = requests[..] {
            return self.set(requests).await;
        }
        for Request { id, command } in requests {
            if let Command::Run { ms, until } = command {
                if let Err(error) = self.start(id, ms, until) {
                    self.answer(id, Err(error.into()));
                }
            } else {
                let done = self.execute_or_recover(&command).await;
                self.answer(id, done);
            }
        }
    }

    /// Sets a path to the last of several values, and answers all requests with the result. Invalid values are rejected.
    async fn set(&mut self, mut requests: Vec<Request>) {
        let unit = match (&requests[0].command, &self.run) {
            (Command::Set { path, .. }, Some(run)) if requests.len() > 1 => run.unit(path),
            _ => None,
        };
        while let Some(last) = requests.len().checked_sub(1) {
            let mut passed = Vec::new();
            for (place, request) in requests.into_iter().enumerate() {
                if place < last && unit.as_ref().is_some_and(|unit| may_pass(&request.command, unit)) {
                    passed.push(request);
                    continue;
                }
                match self.execute_or_recover(&request.command).await {
                    Ok(Reply::Value(value)) => {
                        for Request { id, .. } in passed.drain(..).chain([request]) {
                            self.answer(id, Ok(Reply::Value(value.copied())));
                        }
                    }
                    done => self.answer(request.id, done),
                }
            }
            // The last value was rejected: try the previous one.
            requests = passed;
        }
    }

    /// Executes a command, on another device if the current one is lost.
    async fn execute_or_recover(&mut self, command: &Command) -> Result<Reply, Failure> {
        loop {
            let done = self.execute(command).await;
            let (Err(CommandError::Simulator(Error::DeviceLost { device, why })), Some(run)) = (&done, &mut self.run) else {
                return done.map_err(|error| error.about(command));
            };
            if let Err(error) = run.resume(&mut self.machine, device, why).await {
                self.abort(&error);
                return Err(Failure::from(&error));
            }
        }
    }

    /// Begins a run; the reply is sent at its end.
    fn start(&mut self, id: Option<u32>, ms: Option<f64>, until: Option<String>) -> Result<(), CommandError> {
        let run = self.run.as_mut().ok_or(CommandError::NoNetwork)?;
        let over = run.start(id, ms, until)?;
        let state = run.state(false);
        self.emit(state);
        // A run of zero steps ends at once.
        over.into_iter().for_each(|end| self.end(reason(end)));
        Ok(())
    }

    /// Executes a command.
    async fn execute(&mut self, command: &Command) -> Result<Reply, CommandError> {
        match command {
            Command::Create(create) => {
                if self.run.is_some() {
                    return Err(CommandError::SecondNetwork);
                }
                let run = self.run.insert(self.machine.create(create).await?);
                Ok(Reply::Info(Box::new(run.info())))
            }
            Command::Devices => Ok(Reply::Devices(self.machine.devices().await)),
            Command::Models => Ok(Reply::Models(tables::models())),
            Command::Networks => Ok(Reply::Networks(tables::networks())),
            Command::Estimate(create) => Ok(Reply::Estimate(Box::new(self.machine.estimate(create).await?))),
            Command::Judge(question) => {
                let judgement = judge(question, Some(memory::room()), &|of| self.machine.gpu.estimate(of, 1));
                Ok(Reply::Judgement(Box::new(judgement)))
            }
            Command::Check { json } => Ok(Reply::Diagnostics(check::diagnostics(json))),
            Command::Pause => self.pause().await,
            Command::Reset => self.reset().await,
            Command::SetSpeed { speed } => {
                self.open()?.limit_speed(*speed)?;
                Ok(Reply::Done)
            }
            Command::Ack { batch } => {
                self.run.as_mut().ok_or(CommandError::NoNetwork)?.acknowledge(*batch);
                Ok(Reply::Done)
            }
            Command::LoseDevice => {
                self.machine.gpu.destroy();
                Ok(Reply::Done)
            }
            Command::Set { path, text, values } => {
                let run = self.open()?;
                let (value, event) = run.set(path, text.as_deref(), values).await?;
                self.emit(event);
                Ok(Reply::Value(value))
            }
            Command::Get { path, trial } => Ok(Reply::Value(self.open()?.get(path, *trial).await?)),
            Command::Feed { path, values } => {
                self.open()?.feed(path, &values.to_vec()).await?;
                Ok(Reply::Done)
            }
            Command::Positions { population } => Ok(Reply::Positions(self.open()?.positions(population)?)),
            Command::Synapses { projection, limit, pre, post, trial } => {
                Ok(Reply::Synapses(self.open()?.synapses(projection, *limit, [*pre, *post], *trial).await?))
            }
            Command::Network => Ok(Reply::Text(self.open()?.driver.simulation.at_start().to_json())),
            Command::Statistics { trial } => {
                let run = self.open()?;
                let trial = run.trial(*trial)?;
                Ok(Reply::Text(run.statistics.json(trial)?))
            }
            Command::Profile => Ok(Reply::Text(self.open()?.profile().await?)),
            Command::SaveWeights { trial } => Ok(Reply::Bytes { content: self.open()?.weights(*trial).await? }),
            Command::SaveEdges { projection, format, trial } => {
                Ok(Reply::Bytes { content: self.open()?.edges(projection, *format, *trial).await? })
            }
            Command::LoadWeights { trial, file, content } => {
                let run = self.open()?;
                run.take_weights(*trial, file, &content.to_vec()).await?;
                let written = ValuesWritten { what: format!("weights = {file}"), step: run.driver.simulation.device_step() };
                self.emit(Event::Written(written));
                Ok(Reply::Done)
            }
            Command::PhasePlane(request) => Ok(Reply::PhasePlane(Box::new(self.open()?.phase_plane(request)?))),
            Command::Memory => {
                let buffers = self.open()?.buffers();
                Ok(Reply::Memory(memory::usage(buffers)))
            }
            Command::Record { json } => {
                self.open()?;
                let recordings = Recording::list_from_json(json)?;
                self.change_over(async |run| run.record(recordings).await).await
            }
            Command::Snapshot => Ok(Reply::Bytes { content: self.open()?.snapshot().await? }),
            Command::Restore { content, rewind } => {
                self.open()?;
                let snapshot = Snapshot::from_bytes(&content.to_vec())?;
                let reply = self.change_over(async |run| Ok(run.driver.simulation.restore(&snapshot).await?)).await?;
                self.moved(*rewind);
                Ok(reply)
            }
            // The reply is sent when the run ends.
            Command::Run { .. } => Err(CommandError::Running),
        }
    }

    /// The open network.
    fn open(&mut self) -> Result<&mut OpenNetwork, CommandError> {
        self.run.as_mut().ok_or(CommandError::NoNetwork)
    }

    /// Reloads the open network. If this fails without a usable device, the run fails.
    async fn change_over(
        &mut self,
        how: impl AsyncFnOnce(&mut OpenNetwork) -> Result<(), CommandError>,
    ) -> Result<Reply, CommandError> {
        if self.open()?.broken {
            return Err(CommandError::Broken);
        }
        self.catch_up_with_device().await?;
        let run = self.open()?;
        match how(run).await {
            Ok(()) => Ok(Reply::Info(Box::new(run.info()))),
            Err(CommandError::Simulator(error)) if !error.is_bad_input() && !matches!(error, Error::DeviceLost { .. }) => {
                self.abort(&error);
                Err(error.into())
            }
            Err(error) => Err(error),
        }
    }

    /// The time of the open network was set, which ends its run.
    fn moved(&mut self, rewound: bool) {
        let Some(run) = &mut self.run else { return };
        let ended = run.end(StopReason::Moved);
        run.moved();
        let state = run.state_after(true, rewound);
        self.emit(state);
        ended.into_iter().for_each(|ended| self.emit_end(ended));
    }

    /// Ends the run at the current step of the device.
    async fn pause(&mut self) -> Result<Reply, CommandError> {
        self.catch_up_with_device().await?;
        self.end(StopReason::Paused);
        Ok(Reply::Done)
    }

    /// Returns to the start; on another device if the last one failed.
    async fn reset(&mut self) -> Result<Reply, CommandError> {
        let ended = self.open()?.end(StopReason::Moved);
        let done = self.restart().await;
        if let Some(ended) = ended {
            self.emit_end(ended);
        }
        done.map(|()| Reply::Done)
    }

    async fn restart(&mut self) -> Result<(), CommandError> {
        let run = self.run.as_mut().ok_or(CommandError::NoNetwork)?;
        if run.broken {
            run.rebuild(&mut self.machine).await?;
        }
        let events = run.restart().await?;
        self.machine.emit(run.state(true));
        events.into_iter().for_each(|event| self.machine.emit(event));
        Ok(())
    }
}

/// How the protocol says it.
fn reason(end: RunEnd) -> StopReason {
    match end {
        RunEnd::Time => StopReason::Time,
        RunEnd::Condition => StopReason::Condition,
        RunEnd::Over => StopReason::Stopped,
    }
}
