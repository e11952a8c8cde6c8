//! Starts the ranks of a run: threads of this process, or the processes that `mpirun` started.

use std::num::NonZeroUsize;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::low_level;
use spikelet::{Error, Exchange, Played, Sweep};

use super::arguments::of_rank;
use super::ending::{attend, conclude, write};
use super::{Built, Input, division, dry, leave, simulate};
use crate::args::{RunArguments, Split};
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::ranks::{Ended, Ranks, split};
use crate::{build, jobs, terminal};

/// How long a rank that has waited too long lets the first one end the program.
const PATIENCE: Duration = Duration::from_secs(2);
/// The stack of the thread of a rank, as large as that of the first one.
const STACK: usize = 8 << 20;

/// Runs a network on as many ranks as the arguments say.
pub(super) fn run(args: &RunArguments, started: Instant) -> Result<(), Failure> {
    #[cfg(feature = "mpi")]
    if let Some(mpi) = spikelet_mpi::Mpi::start()? {
        return super::processes::run(args, &Rc::new(mpi), started);
    }
    #[cfg(not(feature = "mpi"))]
    check_alone(args)?;
    let watch = InterruptGuard::begin(leave(args))?;
    let Input { network, folder } = Input::read(args, number(args))?;
    if args.dry_run {
        watch.end();
        return dry(args, network, started);
    }
    let number = number(args);
    let split = split(args, number, jobs::count(args, Sweep::grid(&args.sweep)?.len())?);
    if number == 1 {
        let ranks = Ranks::alone();
        let built = Built::new(args, network, &ranks)?;
        let finished = simulate(args, &built, &ranks, started, Some(watch))?;
        let (report, results) = write(args, folder.as_ref(), &built, finished)?;
        return conclude(args, &report, results);
    }
    let of_rank = |rank| of_rank(args, rank, number);
    // Ranks with trials of their own have one network in common.
    let (whole, partition) = match split {
        Split::Trials => (Some(Built::new(args, network.clone(), &Ranks::alone())?), None),
        Split::Network => {
            build::check(&network, args)?;
            let speeds = || (0..number).map(|rank| division::speed(&of_rank(rank))).collect();
            let shares = division::shares(args, number, speeds)?;
            (None, Some(division::divide(args, &network, number, shares.as_deref())?))
        }
    };
    let limit = args.of_ranks.wait_limit();
    let ranks_of = |exchange: &Rc<dyn Exchange>| Ranks::new(exchange.clone(), partition.clone(), number, limit);
    // Input that one rank rejects, all reject: it is the same sentence, whichever is first.
    let rejected = Mutex::new(None);
    let result = thread::scope(|scope| {
        let mut played = played(args, number).into_iter();
        let first: Rc<dyn Exchange> = Rc::new(played.next().expect("there are several ranks"));
        for (rank, exchange) in (1..).zip(played) {
            let (network, whole, ranks_of, rejected) = (&network, &whole, &ranks_of, &rejected);
            let work = move || {
                let exchange: Rc<dyn Exchange> = Rc::new(exchange);
                let (args, ranks, _guard) = (of_rank(rank), ranks_of(&exchange), PanicGuard(exchange.clone()));
                let run = || match whole {
                    Some(built) => attend(&args, simulate(&args, built, &ranks, started, None)?),
                    None => {
                        let built = Built::new(&args, network.clone(), &ranks)?;
                        attend(&args, simulate(&args, &built, &ranks, started, None)?)
                    }
                };
                if let Err(failure) = run() {
                    let reason = Error::Backend(failure.to_string());
                    if ranks.ended().is_some_and(Ended::is_by_waiting) {
                        exchange.abandon(&reason);
                        // The first rank ends the program, unless it is the one that does not answer.
                        thread::sleep(PATIENCE);
                        end_without_others(&failure, args.json);
                    }
                    if matches!(failure, Failure::Input(_) | Failure::Network(..)) {
                        *lock(rejected) = Some(failure);
                    }
                    exchange.abandon(&reason);
                }
            };
            let thread = thread::Builder::new().name(format!("rank {rank}")).stack_size(STACK);
            thread.spawn_scoped(scope, work).map_err(|error| {
                let failure = Failure::Run(format!("no thread for rank {rank} can be started ({error}); use fewer ranks"));
                first.abandon(&Error::Backend(failure.to_string()));
                failure
            })?;
        }
        let (args, ranks, _guard) = (of_rank(0), ranks_of(&first), PanicGuard(first.clone()));
        let run = || {
            let own = if whole.is_none() { Some(Built::new(&args, network.clone(), &ranks)?) } else { None };
            let built = whole.as_ref().or(own.as_ref()).expect("one of the two");
            let finished = simulate(&args, built, &ranks, started, Some(watch))?;
            let (report, results) = write(&args, folder.as_ref(), built, finished)?;
            conclude(&args, &report, results)
        };
        run().inspect_err(|failure| {
            first.abandon(&Error::Backend(failure.to_string()));
            if ranks.ended().is_some_and(Ended::is_by_waiting) {
                end_without_others(failure, args.json);
            }
        })
    });
    result.map_err(|failure| lock(&rejected).take().unwrap_or(failure))
}

/// Ends the program without the ranks that do not answer.
fn end_without_others(failure: &Failure, json: bool) -> ! {
    terminal::fail(failure, json);
    low_level::exit(failure.code().into());
}

/// Rejects several processes of `mpirun`, each of which would run the whole network: this program does not know of each other.
#[cfg(not(feature = "mpi"))]
fn check_alone(args: &RunArguments) -> Result<(), Failure> {
    let number = |name: &&str| std::env::var(name).ok()?.parse::<usize>().ok();
    // Open MPI, and MPICH and those that are made from it.
    let size = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE"].iter().find_map(number).unwrap_or(1);
    if size < 2 || args.of_ranks.part.is_some() {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "mpirun started {size} processes, and this program is built without MPI, so that each would run all; build it with --features mpi, or \
         start it without mpirun and with --ranks {size}"
    )))
}

fn lock(rejected: &Mutex<Option<Failure>>) -> MutexGuard<'_, Option<Failure>> {
    rejected.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The exchange of the ranks of this process.
fn played(args: &RunArguments, number: usize) -> Vec<Played> {
    let threads = args.threads.map_or(1, NonZeroUsize::get) * number;
    let has_cores = thread::available_parallelism().is_ok_and(|cores| threads <= cores.get());
    if has_cores { Played::ranks_on_cores(number) } else { Played::ranks(number) }
}

/// Number of ranks in this process.
fn number(args: &RunArguments) -> usize {
    let of_ranks = &args.of_ranks;
    of_ranks.ranks.map_or(of_ranks.devices.len().max(1), NonZeroUsize::get)
}

/// A rank that panics ends the others, which would wait for it.
struct PanicGuard(Rc<dyn Exchange>);

impl Drop for PanicGuard {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.abandon(&Error::Backend("it panicked; report this error".into()));
        }
    }
}
