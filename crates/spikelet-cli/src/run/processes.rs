//! Ranks that are processes of MPI. The first one reads the network for all, writes and prints.

use std::rc::Rc;
use std::time::Instant;

use pollster::block_on;
use spikelet::{Error, Exchange, Purpose, Reduction, Sweep, Tag};
use spikelet_mpi::Mpi;

use super::arguments::of_rank;
use super::ending::{attend, conclude, write};
use super::{Built, Input, division, dry, leave, sent, simulate};
use crate::args::{RunArguments, Split};
use crate::failure::Failure;
use crate::interrupt::InterruptGuard;
use crate::ranks::{Ranks, packed, split, unpacked};
use crate::{build, jobs};

/// Runs a network on all processes. Those after the first one end in silence: it says what is wrong.
pub(super) fn run(args: &RunArguments, mpi: &Rc<Mpi>, started: Instant) -> Result<(), Failure> {
    let (rank, size) = (mpi.rank(), mpi.size());
    let at_signal = (rank == 0).then(|| leave(args));
    let watch = InterruptGuard::begin(move |signal| at_signal.into_iter().for_each(|leave| leave(signal)))?;
    let on_machine = match compare(args, mpi)? {
        Ok(on_machine) => on_machine,
        Err(sentence) if rank == 0 => return Err(Failure::Input(sentence)),
        Err(_) => return Ok(()),
    };
    // What is wrong with the sweep, the first rank finds again.
    let runs = Sweep::grid(&args.sweep).ok().and_then(|grid| jobs::count(args, grid.len()).ok()).unwrap_or(1);
    let split = split(args, size, runs);
    let own = of_rank(args, rank, on_machine);
    // Others may wait for a rank that fails.
    let abandon = |failure: &Failure| mpi.abandon(&Error::Backend(failure.to_string()));
    let speeds = || {
        let mut speeds = vec![0.0; size];
        speeds[rank] = division::speed(&own).inspect_err(abandon)?;
        Ok(block_on(mpi.reduce(Tag::new(Purpose::Speeds), speeds, Reduction::Max))?)
    };
    let shares = if split == Split::Network { division::shares(args, size, speeds) } else { Ok(None) };
    let all = Ranks::new(mpi.clone(), None, on_machine, args.of_ranks.wait_limit());
    let (network, partition, folder) = if rank == 0 {
        let read = || {
            check(args, size)?;
            let (shares, input) = (shares?, Input::read(args, size)?);
            build::check(&input.network, args)?;
            let partition = match split {
                Split::Network => Some(division::divide(args, &input.network, size, shares.as_deref())?),
                Split::Trials => None,
            };
            let bytes = if args.dry_run { Vec::new() } else { sent::packed(&input.network, partition.as_ref())? };
            Ok((input, partition, bytes))
        };
        // Without bytes the others end.
        let read: Result<_, Failure> = read();
        all.receive_from_first(Purpose::Input, read.as_ref().map_or(Vec::new(), |(.., bytes)| bytes.clone()))?;
        let (input, partition, _) = read?;
        if args.dry_run {
            watch.end();
            return dry(args, input.network, started);
        }
        (input.network, partition, input.folder)
    } else {
        let bytes = all.receive_from_first(Purpose::Input, Vec::new())?;
        if bytes.is_empty() {
            return Ok(());
        }
        let (network, partition) = sent::unpacked(&bytes).inspect_err(abandon)?;
        (network, partition, None)
    };

    let run = || {
        let ranks = Ranks::new(mpi.clone(), partition, on_machine, args.of_ranks.wait_limit());
        let built = Built::new(&own, network, &ranks)?;
        let finished = simulate(&own, &built, &ranks, started, Some(watch))?;
        if rank > 0 {
            return attend(&own, finished).map(Ok);
        }
        let (report, results) = write(&own, folder.as_ref(), &built, finished)?;
        Ok(conclude(&own, &report, results))
    };
    // After the end of all each has its own outcome.
    run().inspect_err(abandon)?
}

/// The number of ranks on this machine; or a sentence if the ranks were started differently.
fn compare(args: &RunArguments, mpi: &Mpi) -> Result<Result<usize, String>, Error> {
    let own = [env!("CARGO_PKG_VERSION").to_owned(), format!("{args:?}"), spikelet_mpi::machine()];
    let all = block_on(mpi.gather(Tag::new(Purpose::Start), packed(own.join("\0").as_bytes())))?;
    let texts: Vec<String> = all.iter().map(|words| String::from_utf8_lossy(&unpacked(words)).into_owned()).collect();
    Ok(difference(&texts)
        .map_or_else(|| Ok(texts.iter().filter(|text| text.rsplit('\0').next() == Some(own[2].as_str())).count().max(1)), Err))
}

/// Why ranks with these versions, arguments and machines cannot work together.
fn difference(texts: &[String]) -> Option<String> {
    let parts: Vec<Vec<&str>> = texts.iter().map(|text| text.split('\0').collect()).collect();
    let other = |part: usize| (0..parts.len()).find(|rank| parts[*rank].get(part) != parts[0].get(part));
    if let Some(rank) = other(0) {
        let (version, first) = (parts[rank].first()?, parts[0].first()?);
        return Some(format!("rank {rank} is spikelet {version}, and rank 0 is {first}; install one version on all machines"));
    }
    let rank = other(1)?;
    Some(format!("rank {rank} was started with another network or other options than rank 0; start all ranks with one command"))
}

/// Rejects options that contradict the ranks that MPI has started.
fn check(args: &RunArguments, size: usize) -> Result<(), Failure> {
    match args.of_ranks.ranks.map(usize::from) {
        Some(ranks) if ranks != size => Err(Failure::Input(format!(
            "--ranks is {ranks}, but mpirun started {size} processes; remove --ranks, or start {ranks} processes"
        ))),
        _ if !args.of_ranks.devices.is_empty() => Err(Failure::Input(format!(
            "--devices has one process use several devices, and mpirun started {size} processes; use --backend and --adapter"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_other_versions_or_networks_are_named() {
        let texts = |all: &[[&str; 3]]| all.iter().map(|of| of.join("\0")).collect::<Vec<_>>();
        let same = ["1.0", "run cuba", "a"];
        assert_eq!(difference(&texts(&[same, same, ["1.0", "run cuba", "b"]])), None);
        let version = difference(&texts(&[same, same, ["1.1", "run cuba", "a"]])).expect("another version");
        assert!(version.starts_with("rank 2 is spikelet 1.1, and rank 0 is 1.0;"), "{version}");
        let network = difference(&texts(&[same, ["1.0", "run pd14", "a"], same])).expect("another network");
        assert!(network.starts_with("rank 1 was started with another network"), "{network}");
    }
}
