//! A table of records of words, to which records are appended.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::ops::Range;
use std::path::PathBuf;

use crc32fast::Hasher;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::files;
use crate::jobs::Job;
use crate::records::words::{Words, bytes_of, checksum_of, damaged};

/// Words of a trial that wait until they are written together, if trials run in parallel.
const PENDING_WORDS: usize = 1 << 14;

/// A table. The first two words of each record are the variant and the trial.
pub(crate) struct Log {
    width: usize,
    store: Store,
    index: Index,
    /// Words that are not written yet, by trials.
    pending: BTreeMap<Job, Vec<u32>>,
    /// That of what is written to a file.
    checksum: Hasher,
}

/// What a [`Log`] was at a time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct LogState {
    pub(crate) records: u64,
    /// CRC-32 of these records in the file.
    checksum: u32,
    /// The words of a table in memory.
    words: Vec<u32>,
}

enum Store {
    Memory(Vec<u32>),
    File { file: File, path: PathBuf },
}

impl Log {
    /// A table in memory, of records of `width` words.
    pub(crate) fn in_memory(width: usize) -> Log {
        Log::of(width, Store::Memory(Vec::new()))
    }

    /// A table in a file, which may exist already: then [`Log::restore`] says how much of it counts.
    pub(crate) fn in_file(path: PathBuf, width: usize) -> Result<Log, Failure> {
        let opened = OpenOptions::new().create(true).append(true).read(true).open(&path);
        let file = opened.map_err(|error| files::unwritable(&path, &error))?;
        Ok(Log::of(width, Store::File { file, path }))
    }

    fn of(width: usize, store: Store) -> Log {
        Log { width, store, index: Index::default(), pending: BTreeMap::new(), checksum: Hasher::new() }
    }

    /// Words of a record.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number of records that are written.
    pub(crate) fn records(&self) -> usize {
        self.index.records
    }

    /// What the first records are.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn state(&self, records: usize) -> Result<LogState, Failure> {
        let (checksum, words) = match &self.store {
            Store::Memory(words) => (0, words[..records * self.width].to_vec()),
            Store::File { .. } if records == self.index.records => (self.checksum.clone().finalize(), Vec::new()),
            Store::File { file, path } => {
                let words = Words::of_file(file, path, records * self.width)?;
                (checksum_of(&words.as_slice()[..records * self.width]).finalize(), Vec::new())
            }
        };
        Ok(LogState { records: records as u64, checksum, words })
    }

    /// Checks that the table begins with the records of this state.
    ///
    /// # Errors
    /// The file is shorter, or its content is different.
    pub(crate) fn check(&self, state: &LogState) -> Result<(), Failure> {
        let words = state.records as usize * self.width;
        let Store::File { file, path } = &self.store else {
            let sentence = "a checkpoint has a table with incomplete records; run the network again";
            return if state.words.len() == words { Ok(()) } else { Err(Failure::Run(sentence.into())) };
        };
        let found = Words::of_file(file, path, words)?;
        if checksum_of(&found.as_slice()[..words]).finalize() == state.checksum {
            return Ok(());
        }
        Err(damaged(path, "has other content than the checkpoint expects"))
    }

    /// Appends records of a trial: `fill` adds their words to those that it receives, and receives the first two of each.
    ///
    /// # Errors
    /// The file cannot be written; it then has whole records only.
    pub(crate) fn append(&mut self, job: Job, fill: impl FnOnce(&mut Vec<u32>, [u32; 2])) -> Result<(), Failure> {
        let words = self.pending.entry(job).or_default();
        fill(words, [job.point as u32, job.trial]);
        // Trials that run in parallel wait, so that the ranges of the index are long.
        let is_due = words.len() >= PENDING_WORDS || self.pending.len() == 1;
        if is_due { self.write(job) } else { Ok(()) }
    }

    /// Appends the words of whole records.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub(crate) fn append_words(&mut self, words: &[u32]) -> Result<(), Failure> {
        words.chunks_exact(self.width).try_for_each(|record| self.append(job_of(record), |words, _| words.extend(record)))
    }

    fn write(&mut self, job: Job) -> Result<(), Failure> {
        let Some(words) = self.pending.get_mut(&job) else { return Ok(()) };
        match &mut self.store {
            Store::Memory(all) => all.extend(&*words),
            Store::File { file, path } => {
                let bytes = bytes_of(words);
                if let Err(error) = file.write_all(&bytes) {
                    // If that fails as well, readers ignore the incomplete record.
                    _ = file.set_len((self.index.records * self.width * 4) as u64);
                    return Err(files::unwritable(path, &error));
                }
                self.checksum.update(&bytes);
            }
        }
        self.index.add(job, words.len() / self.width);
        words.clear();
        Ok(())
    }

    /// Writes what waits.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let jobs: Vec<Job> = self.pending.keys().copied().collect();
        jobs.into_iter().try_for_each(|job| self.write(job))?;
        self.pending.clear();
        Ok(())
    }

    /// The same, up to the disk.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub(crate) fn sync(&mut self) -> Result<(), Failure> {
        self.flush()?;
        match &self.store {
            Store::Memory(_) => Ok(()),
            Store::File { file, path } => file.sync_data().map_err(|error| files::unwritable(path, &error)),
        }
    }

    /// Returns to a state.
    ///
    /// # Errors
    /// The file is shorter, has other content, or cannot be read or changed.
    pub(crate) fn restore(&mut self, state: LogState) -> Result<(), Failure> {
        self.check(&state)?;
        self.pending.clear();
        match &mut self.store {
            Store::Memory(all) => {
                *all = state.words;
                self.index = Index::of(all, self.width);
            }
            Store::File { file, path } => {
                let words = state.records as usize * self.width;
                file.set_len(words as u64 * 4).map_err(|error| files::unwritable(path, &error))?;
                let found = Words::of_file(file, path, words)?;
                self.index = Index::of(found.as_slice(), self.width);
                self.checksum = checksum_of(found.as_slice());
            }
        }
        Ok(())
    }

    /// Removes records of a table in memory.
    ///
    /// # Errors
    /// As [`Log::append`].
    pub(crate) fn retain(&mut self, keep: impl Fn(&[u32]) -> bool) -> Result<(), Failure> {
        self.flush()?;
        if let Store::Memory(words) = &mut self.store {
            let mut end = 0;
            for first in (0..words.len()).step_by(self.width) {
                if keep(&words[first..first + self.width]) {
                    words.copy_within(first..first + self.width, end);
                    end += self.width;
                }
            }
            words.truncate(end);
            self.index = Index::of(words, self.width);
        }
        Ok(())
    }

    /// Takes all records, to read them.
    ///
    /// # Errors
    /// As [`Log::append`]; the file cannot be read.
    pub(crate) fn into_reader(mut self) -> Result<LogReader, Failure> {
        self.flush()?;
        let words = match self.store {
            Store::Memory(words) => Words::Memory(words),
            Store::File { file, path } => Words::of_file(&file, &path, self.index.records * self.width)?,
        };
        Ok(LogReader { width: self.width, words, index: self.index })
    }
}

/// The trial of a record.
fn job_of(record: &[u32]) -> Job {
    Job { point: record[0] as usize, trial: record[1] }
}

/// The records of each trial in their order, as ranges of record numbers.
#[derive(Debug, Default)]
struct Index {
    of_job: BTreeMap<Job, Vec<Range<usize>>>,
    /// The trial of the last record.
    last: Option<Job>,
    records: usize,
}

impl Index {
    fn of(words: &[u32], width: usize) -> Index {
        let mut index = Index::default();
        words.chunks_exact(width).for_each(|record| index.add(job_of(record), 1));
        index
    }

    fn add(&mut self, job: Job, records: usize) {
        if records == 0 {
            return;
        }
        let (first, end) = (self.records, self.records + records);
        let ranges = self.of_job.entry(job).or_default();
        match ranges.last_mut().filter(|_| self.last == Some(job)) {
            Some(range) => range.end = end,
            None => ranges.push(first..end),
        }
        (self.last, self.records) = (Some(job), end);
    }
}

/// The records of a table.
pub(crate) struct LogReader {
    width: usize,
    words: Words,
    index: Index,
}

impl LogReader {
    /// The records of a trial, in their order.
    pub(crate) fn of(&self, job: Job) -> impl Iterator<Item = &[u32]> {
        let (width, words) = (self.width, self.words.as_slice());
        let ranges = self.index.of_job.get(&job).map_or(&[][..], Vec::as_slice);
        ranges.iter().flat_map(move |range| words[range.start * width..range.end * width].chunks_exact(width))
    }

    /// The words of all records.
    pub(crate) fn words(&self) -> &[u32] {
        self.words.as_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_in(folder: &std::path::Path) -> Log {
        Log::in_file(folder.join("log.bin"), 3).expect("the folder is writable")
    }

    fn read(log: Log, trial: u32) -> Vec<u32> {
        log.into_reader().expect("it is readable").of(Job { point: 0, trial }).map(|record| record[2]).collect()
    }

    #[test]
    fn trials_are_read_one_after_the_other_and_a_log_returns_to_a_length() {
        let folder = std::env::temp_dir().join(format!("spikelet-log-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder is writable");
        let add = |log: &mut Log, trial: u32, value: u32| {
            log.append(Job { point: 0, trial }, |words, head| words.extend([head[0], head[1], value])).expect("it is writable");
        };
        for in_file in [true, false] {
            let mut log = if in_file { log_in(&folder) } else { Log::in_memory(3) };
            for value in 0..6 {
                add(&mut log, value % 2, value);
            }
            log.sync().expect("it is writable");
            assert_eq!(log.records(), 6);
            let kept = log.state(6).expect("it is readable");
            add(&mut log, 1, 7);
            log.flush().expect("it is writable");
            let mut log = if in_file { log_in(&folder) } else { log };
            log.restore(kept.clone()).expect("it is there");
            add(&mut log, 0, 8);
            log.restore(kept).expect("it is there");
            add(&mut log, 1, 9);
            assert_eq!(read(log, 1), [1, 3, 5, 9]);
        }
        assert_eq!(std::fs::metadata(folder.join("log.bin")).expect("it is there").len(), 7 * 12);
        let mut log = log_in(&folder);
        let error = log.restore(LogState { records: 8, ..LogState::default() }).expect_err("it is shorter").to_string();
        assert!(error.contains("has 84 bytes instead of 96: something else has changed it"), "{error}");
        let whole = log.state(7).expect("it is readable");
        log.restore(whole.clone()).expect("it is there");
        assert_eq!(log.state(7).expect("it is readable").checksum, whole.checksum);
        assert_eq!(read(log, 0), [0, 2, 4]);

        // Each byte that is wrong is found, and a file that becomes shorter before it is read.
        let path = folder.join("log.bin");
        let bytes = std::fs::read(&path).expect("it is there");
        for place in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[place] ^= 1;
            std::fs::write(&path, &wrong).expect("it is writable");
            let error = log_in(&folder).restore(whole.clone()).expect_err("it is damaged").to_string();
            assert!(error.contains("log.bin has other content than the checkpoint expects"), "byte {place}: {error}");
        }
        std::fs::write(&path, &bytes).expect("it is writable");
        let mut log = log_in(&folder);
        log.restore(whole).expect("it is there");
        std::fs::write(&path, &bytes[..40]).expect("it is writable");
        let error = log.into_reader().err().expect("it is shorter").to_string();
        assert!(error.contains("has 40 bytes instead of 84"), "{error}");
        std::fs::remove_dir_all(&folder).expect("it can be removed");
    }

    #[test]
    fn records_of_a_table_in_memory_are_removed() {
        let mut log = Log::in_memory(3);
        for value in 0..8 {
            let job = Job { point: 0, trial: value % 2 };
            log.append(job, |words, head| words.extend([head[0], head[1], value])).expect("memory");
        }
        log.retain(|record| record[2] >= 4).expect("memory");
        assert_eq!(log.records(), 4);
        assert_eq!(read(log, 1), [5, 7]);
    }
}
