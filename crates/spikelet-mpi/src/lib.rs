//! Ranks that are processes of MPI: `Mpi` is one of those that `mpirun` or `srun` started.
#![cfg(feature = "mpi")]

mod sending;

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;
use std::time::{Duration, Instant};
use std::{env, thread};

use mpi::Threading;
use mpi::environment::Universe;
use mpi::point_to_point::{Message as Arrived, Status};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, MatchedReceiveVec, Source};
use spikelet_network::Error;
use spikelet_plan::{Exchange, Message, Tag, Task};

use sending::Sending;

/// Variables that the launchers of Open MPI, MPICH, Intel MPI and Slurm set for each rank.
const LAUNCHED: [&str; 4] = ["OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE"];
/// The tag of a rank that has failed; those of exchanges follow.
const FAILED: i32 = 0;
/// Number of tags of exchanges, in turn: each MPI has at least 32,767. Fewer exchanges than that are pending at a time.
const TAGS: i32 = 32_000;
/// The longest piece of a message in words, of 1 GiB: MPI counts in 31 bits, and some networks fail with more bytes than that.
const PIECE: usize = 1 << 28;
/// How often a rank looks for a message before its caller may look at something else.
const LOOKS: u32 = 1_000;
/// How long a rank that fails waits for lower ranks that fail for the same reason, so that only one of them says it.
const PATIENCE: Duration = Duration::from_millis(500);

/// The name of the machine of this process, as MPI knows it.
pub fn machine() -> String {
    mpi::environment::processor_name().unwrap_or_default()
}

/// A rank that is a process of MPI.
pub struct Mpi {
    world: Rc<World>,
    piece: usize,
    turn: Cell<i32>,
}

/// MPI from its start to its end, which comes after the last exchange.
struct World {
    ranks: SimpleCommunicator,
    _universe: Universe,
}

impl Mpi {
    /// This process as a rank, if a launcher of MPI started it together with others.
    ///
    /// # Errors
    /// The library of MPI cannot be used by a program with threads.
    pub fn start() -> Result<Option<Mpi>, Error> {
        if LAUNCHED.iter().all(|name| env::var_os(name).is_none()) {
            return Ok(None);
        }
        let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
            return Err(Error::Backend("MPI was started before in this process; start it once".into()));
        };
        if threading < Threading::Funneled {
            let way_out = "use a library of MPI with at least MPI_THREAD_FUNNELED";
            return Err(Error::Backend(format!("this MPI does not support programs with threads; {way_out}")));
        }
        let ranks = universe.world();
        let mpi = Mpi { world: Rc::new(World { ranks, _universe: universe }), piece: PIECE, turn: Cell::new(0) };
        Ok((mpi.size() > 1).then_some(mpi))
    }

    /// The same, with messages in pieces of at most this number of words. All ranks must have the same one.
    #[must_use]
    pub fn in_pieces(self, words: usize) -> Mpi {
        Mpi { piece: words.clamp(1, PIECE), ..self }
    }
}

impl Exchange for Mpi {
    fn rank(&self) -> usize {
        self.world.ranks.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.ranks.size() as usize
    }

    fn exchange(&self, tag: Tag, sent: Vec<Message>, from: &[usize]) -> Task<'static, Vec<Message>> {
        let turn = self.turn.get();
        self.turn.set((turn + 1) % TAGS);
        let (world, piece, from, turn) = (self.world.clone(), self.piece, from.to_vec(), FAILED + 1 + turn);
        let begin = |Message { rank, mut words }| {
            words.extend(tag.to_words());
            Sending::begin(&world.ranks, rank, turn, words, piece)
        };
        let sending: Vec<Sending> = sent.into_iter().map(begin).collect();
        Box::pin(async move {
            let mut received = Vec::new();
            for rank in from {
                let mut words = world.receive(rank, turn, piece).await;
                let found = words.split_off(words.len().saturating_sub(Tag::WORDS));
                let checked = tag.check(world.ranks.rank() as usize, Tag::from_words(&found), rank);
                checked.inspect_err(|error| world.abandon(error, piece))?;
                received.push(Message { rank, words });
            }
            for mut sending in sending {
                looking(|| sending.is_finished().then_some(())).await;
            }
            Ok(received)
        })
    }

    fn abandon(&self, error: &Error) {
        self.world.abandon(error, self.piece);
    }
}

/// Looks again and again; in between the caller may decide not to wait any longer.
async fn looking<T>(mut look: impl FnMut() -> Option<T>) -> T {
    poll_fn(|context| match (0..LOOKS).find_map(|_| look()) {
        Some(found) => Poll::Ready(found),
        None => {
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await
}

impl World {
    /// Ends all ranks.
    fn abandon(&self, error: &Error, piece: usize) {
        let ranks = &self.ranks;
        let (rank, size) = (ranks.rank() as usize, ranks.size() as usize);
        for higher in rank + 1..size {
            // It is pending until the end of the process, which is near.
            drop(Sending::begin(ranks, higher, FAILED, Vec::new(), piece));
        }
        let lower_fails =
            || (0..rank).any(|lower| ranks.process_at_rank(lower as i32).immediate_probe_with_tag(FAILED).is_some());
        let began = Instant::now();
        while rank > 0 && began.elapsed() < PATIENCE {
            if lower_fails() {
                // It ends this process, too.
                thread::sleep(10 * PATIENCE);
            }
            thread::sleep(PATIENCE / 100);
        }
        eprintln!("error: rank {rank} of {size} has ended: {error}");
        ranks.abort(1);
    }

    /// Waits for a message, piece by piece: one that is not full is the last.
    async fn receive(&self, rank: usize, turn: i32, piece: usize) -> Vec<u32> {
        let sender = self.ranks.process_at_rank(rank as i32);
        let next = || looking(|| -> Option<(Arrived, Status)> { sender.immediate_matched_probe_with_tag(turn) });
        let mut words: Vec<u32> = next().await.matched_receive_vec().0;
        let mut is_whole = words.len() < piece;
        while !is_whole {
            let more: Vec<u32> = next().await.matched_receive_vec().0;
            is_whole = more.len() < piece;
            words.extend(more);
        }
        words
    }
}

/// The end of MPI waits for all ranks; one that panics would wait for ever.
impl Drop for World {
    fn drop(&mut self) {
        if thread::panicking() {
            self.ranks.abort(101);
        }
    }
}
