//! The exchange between processes: this program starts itself with `mpirun`, once for each case, and each rank checks what it receives.
//! `cargo xtask test mpi` sets what Open MPI needs in a container.

use std::env;
use std::process::{Command, Output, exit};

use pollster::block_on;
use spikelet_mpi::Mpi;
use spikelet_network::Error;
use spikelet_plan::{Exchange, Message, Purpose, Reduction, Tag};

/// What these messages are for.
const TAG: Tag = Tag { purpose: Purpose::Nothing, step: 0, of: 0 };
/// The case that a rank plays.
const CASE: &str = "SPIKELET_CASE_OF_RANKS";

fn main() {
    match env::var(CASE) {
        Ok(case) => play(&case),
        Err(_) => check(),
    }
}

/// Starts this program as ranks.
fn ranks(number: usize, case: &str) -> Output {
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", &number.to_string()]);
    command.arg(env::current_exe().expect("this program has a path")).env(CASE, case);
    command.output().expect("mpirun starts; `cargo xtask doctor` says how to install it")
}

fn check() {
    let mut passed = 0;
    for number in [1, 2, 3, 4, 7] {
        for case in ["messages", "pieces", "overlap", "reductions"] {
            let output = ranks(number, case);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{case} of {number} ranks: {said}");
            let lines = String::from_utf8_lossy(&output.stdout).lines().filter(|line| *line == "good").count();
            assert_eq!(lines, number, "{case} of {number} ranks: {said}");
            passed += 1;
        }
    }
    // Only the lowest of the ranks that fail says why; those that do not fail end with them.
    for (case, sentence) in [
        ("one fails", "error: rank 2 of 4 has ended: the device of rank 2 is lost"),
        ("all fail", "error: rank 0 of 4 has ended: the device of rank 0 is lost"),
        ("some fail", "error: rank 1 of 4 has ended: the device of rank 1 is lost"),
        ("one leaves out", "error: rank 0 of 4 has ended: rank 0 exchanges nothing, and rank 1 spikes at step 4: all ranks must"),
    ] {
        let output = ranks(4, case);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{case}: {said}");
        let sentences: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
        assert!(sentences.len() == 1 && sentences[0].starts_with(sentence), "{case}: {said}");
        passed += 1;
    }
    for (case, said) in [("one panics", "rank 1 panics"), ("one is killed", "signal 9")] {
        let output = ranks(3, case);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(said), "{case}: {text}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "", "{case}: no rank reaches its end");
        passed += 1;
    }
    println!("test result: ok. {passed} passed; 0 failed; 0 ignored");
}

/// What each rank does; it prints `good` at its end.
fn play(case: &str) {
    let Some(rank) = Mpi::start().expect("MPI starts") else {
        // A single process has nobody to exchange with.
        return println!("good");
    };
    match case {
        "messages" => messages(&rank, |from, to, turn| turn * (10 * from + to)),
        "pieces" => {
            let rank = rank.in_pieces(100);
            messages(&rank, |from, to, turn| [99, 100, 101, 200, 1000][(from + to + turn) % 5]);
            return println!("good");
        }
        "overlap" => overlap(&rank),
        "reductions" => reductions(&rank),
        "one fails" => fail_as(&rank, |rank| rank == 2),
        "all fail" => fail_as(&rank, |_| true),
        "some fail" => fail_as(&rank, |rank| rank == 1 || rank == 3),
        "one leaves out" => {
            if rank.rank() != 1 {
                block_on(rank.barrier(TAG)).expect("the ranks end here");
            }
            block_on(rank.barrier(Tag::new(Purpose::Spikes).at(4))).expect("the ranks end here");
        }
        "one panics" => {
            assert!(rank.rank() != 1, "rank 1 panics");
            block_on(rank.barrier(TAG)).expect("the ranks end here");
        }
        "one is killed" => {
            if rank.rank() == 1 {
                _ = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
            }
            block_on(rank.barrier(TAG)).expect("the ranks end here");
        }
        other => panic!("there is no case {other}"),
    }
    println!("good");
}

/// Word `at` of a message.
fn word(from: usize, to: usize, turn: usize, at: usize) -> u32 {
    (from * 1_000_003 + to * 10_007 + turn * 101 + at) as u32
}

fn message(from: usize, to: usize, turn: usize, length: usize) -> Vec<u32> {
    (0..length).map(|at| word(from, to, turn, at)).collect()
}

/// Some turns of messages of different lengths, up to those for which a sender waits for the receiver.
fn messages(rank: &Mpi, length: impl Fn(usize, usize, usize) -> usize) {
    let others: Vec<usize> = (0..rank.size()).filter(|other| *other != rank.rank()).collect();
    for turn in [0, 1, 2, 10, 5000] {
        let to = |to: &usize| Message { rank: *to, words: message(rank.rank(), *to, turn, length(rank.rank(), *to, turn)) };
        let received = block_on(rank.exchange(TAG, others.iter().map(to).collect(), &others)).expect("all ranks exchange");
        let expected = others
            .iter()
            .map(|from| Message { rank: *from, words: message(*from, rank.rank(), turn, length(*from, rank.rank(), turn)) });
        assert!(received.into_iter().eq(expected), "turn {turn}");
    }
}

/// Only neighbours exchange, and the second exchange begins and is awaited before the first one is.
fn overlap(rank: &Mpi) {
    let (own, size) = (rank.rank(), rank.size());
    let (next, before) = ((own + 1) % size, (own + size - 1) % size);
    let begin = |turn| rank.exchange(TAG, vec![Message { rank: next, words: message(own, next, turn, 50 + turn) }], &[before]);
    let (first, second) = (begin(1), begin(2));
    for (turn, task) in [(2, second), (1, first)] {
        let received = block_on(task).expect("all ranks exchange");
        assert_eq!(received, [Message { rank: before, words: message(before, own, turn, 50 + turn) }]);
    }
}

fn reductions(rank: &Mpi) {
    let (own, size) = (rank.rank(), rank.size());
    let gathered = block_on(rank.gather(TAG, message(own, 0, 0, own))).expect("all ranks gather");
    assert!(gathered.into_iter().eq((0..size).map(|from| message(from, 0, 0, from))));
    let values = vec![0.1 * own as f64, -(own as f64)];
    let sum = (0..size).fold(0.0, |sum, rank| sum + 0.1 * rank as f64);
    assert_eq!(block_on(rank.reduce(TAG, values.clone(), Reduction::Sum)).expect("all ranks reduce")[0].to_bits(), sum.to_bits());
    assert_eq!(block_on(rank.reduce(TAG, values, Reduction::Max)).expect("all ranks reduce")[1], 0.0);
    block_on(rank.barrier(TAG)).expect("all ranks wait");
}

/// Some ranks fail; the others wait for them.
fn fail_as(rank: &Mpi, fails: impl Fn(usize) -> bool) {
    if fails(rank.rank()) {
        rank.abandon(&Error::Backend(format!("the device of rank {} is lost", rank.rank())));
        exit(0);
    }
    block_on(rank.barrier(TAG)).expect("the ranks end here");
}
