//! Ranks that are played in one process: their messages stay in memory.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::hint::spin_loop;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use spikelet_network::Error;
use spikelet_plan::{Exchange, Message, Tag, Task};

/// How often a rank with a core of its own looks for a message, and how many pauses of the processor there are between.
const POLLS: u32 = 1_000;
const PAUSE: u32 = 10;

/// One of several ranks in a process: tasks of one thread that are polled together, or threads.
#[derive(Debug)]
pub struct Played {
    rank: usize,
    size: usize,
    /// How often a rank looks for a message before its task waits.
    polls: u32,
    mail: Arc<Mutex<Mail>>,
}

/// Messages from one rank to another, in their order.
type Queue = VecDeque<(Tag, Vec<u32>)>;

/// The pending messages between all ranks.
#[derive(Debug, Default)]
struct Mail {
    /// By sender and receiver, in the order in which they were sent.
    messages: HashMap<(usize, usize), Queue>,
    /// Tasks that wait for a message.
    waiting: Vec<Waker>,
    /// Why a rank has ended.
    abandoned: Option<String>,
}

impl Mail {
    fn wake(&mut self) {
        self.waiting.drain(..).for_each(Waker::wake);
    }
}

impl Played {
    /// This many ranks, in their order.
    pub fn ranks(size: usize) -> Vec<Played> {
        let mail = Arc::new(Mutex::new(Mail::default()));
        (0..size).map(|rank| Played { rank, size, polls: 1, mail: mail.clone() }).collect()
    }

    /// The same, each on a thread with a core of its own: a rank then looks for a message for some microseconds before it sleeps, because
    /// waking takes longer.
    pub fn ranks_on_cores(size: usize) -> Vec<Played> {
        Played::ranks(size).into_iter().map(|rank| Played { polls: POLLS, ..rank }).collect()
    }
}

/// Executes the ranks of a thread together: polls their tasks in turns until all have finished.
pub async fn together<T>(ranks: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut ranks: Vec<_> = ranks.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<T>> = ranks.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (rank, done) in ranks.iter_mut().zip(&mut done) {
            if done.is_none()
                && let Poll::Ready(result) = rank.as_mut().poll(context)
            {
                *done = Some(result);
            }
        }
        if done.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

fn lock(mail: &Mutex<Mail>) -> MutexGuard<'_, Mail> {
    mail.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Exchange for Played {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange(&self, tag: Tag, sent: Vec<Message>, from: &[usize]) -> Task<'static, Vec<Message>> {
        let (rank, polls, mail, from) = (self.rank, self.polls, self.mail.clone(), from.to_vec());
        let mut open = lock(&mail);
        for Message { rank: to, words } in sent {
            open.messages.entry((rank, to)).or_default().push_back((tag, words));
        }
        open.wake();
        drop(open);
        let mut received = Vec::new();
        Box::pin(poll_fn(move |context| {
            let (mut open, mut looked) = (lock(&mail), 0);
            while let Some(sender) = from.get(received.len()) {
                if let Some(why) = &open.abandoned {
                    return Poll::Ready(Err(Error::Backend(why.clone())));
                }
                let Some((found, words)) = open.messages.get_mut(&(*sender, rank)).and_then(VecDeque::pop_front) else {
                    looked += 1;
                    if looked >= polls {
                        open.waiting.push(context.waker().clone());
                        return Poll::Pending;
                    }
                    drop(open);
                    (0..PAUSE).for_each(|_| spin_loop());
                    open = lock(&mail);
                    continue;
                };
                if let Err(error) = tag.check(rank, Some(found), *sender) {
                    open.abandoned.get_or_insert_with(|| error.to_string());
                    open.wake();
                    return Poll::Ready(Err(error));
                }
                received.push(Message { rank: *sender, words });
            }
            Poll::Ready(Ok(std::mem::take(&mut received)))
        }))
    }

    fn abandon(&self, error: &Error) {
        let mut open = lock(&self.mail);
        open.abandoned.get_or_insert_with(|| format!("rank {} has ended: {error}", self.rank));
        open.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikelet_plan::{Purpose, Reduction};

    const TAG: Tag = Tag { purpose: Purpose::Nothing, step: 0, of: 0 };

    /// Each rank on its own thread.
    fn on_threads<T: Send>(size: usize, work: impl Fn(Played) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> = Played::ranks(size).into_iter().map(|rank| scope.spawn(move || work(rank))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no rank panics")).collect()
        })
    }

    #[test]
    fn messages_arrive_in_their_order() {
        let received = on_threads(3, |rank| {
            pollster::block_on(async {
                let mut all = Vec::new();
                for turn in 0..5 {
                    let others: Vec<usize> = (0..3).filter(|other| *other != rank.rank()).collect();
                    let to = |other: &usize| Message { rank: *other, words: vec![turn, rank.rank() as u32, *other as u32] };
                    all.extend(rank.exchange(TAG, others.iter().map(to).collect(), &others).await?);
                }
                Ok::<_, Error>((rank.rank(), all))
            })
        });
        for (rank, messages) in received.into_iter().map(|of| of.expect("no rank fails")) {
            assert_eq!(messages.len(), 10);
            for (at, message) in messages.iter().enumerate() {
                assert_eq!(message.words, [at as u32 / 2, message.rank as u32, rank as u32]);
            }
        }
    }

    #[test]
    fn reductions_are_the_same_everywhere() {
        let reduced = on_threads(4, |rank| {
            let values = vec![0.5 * (rank.rank() + 1) as f64, -(rank.rank() as f64)];
            let sum = pollster::block_on(rank.reduce(TAG, values.clone(), Reduction::Sum));
            let largest = pollster::block_on(rank.reduce(TAG, values, Reduction::Max));
            (sum.expect("no rank fails"), largest.expect("no rank fails"))
        });
        assert!(reduced.iter().all(|of| *of == (vec![5.0, -6.0], vec![2.0, 0.0])), "{reduced:?}");
    }

    #[test]
    fn all_others_end_with_a_rank_that_fails() {
        let ended = on_threads(3, |rank| match rank.rank() {
            1 => {
                rank.abandon(&Error::Backend("the device is lost".into()));
                None
            }
            _ => pollster::block_on(rank.barrier(TAG)).err(),
        });
        let why = ended.into_iter().flatten().map(|error| error.to_string()).collect::<Vec<_>>();
        assert_eq!(why.len(), 2);
        assert!(why.iter().all(|why| why.contains("rank 1 has ended: the device is lost")), "{why:?}");
    }

    /// Whatever a rank leaves out or does too often: all end, with a sentence of the two places.
    #[test]
    fn ranks_that_exchange_something_else_end_with_a_sentence() {
        let tags = [TAG, Tag::new(Purpose::Spikes).at(4), Tag::new(Purpose::Values).at(4), Tag::new(Purpose::Spikes).at(8)];
        for size in [2, 3, 8] {
            for (rank, left_out) in [(0, 1), (size - 1, 2), (size / 2, 0)] {
                let ended = on_threads(size, |own| {
                    pollster::block_on(async {
                        for (turn, tag) in tags.iter().enumerate() {
                            if (own.rank(), turn) != (rank, left_out) {
                                own.gather(*tag, vec![turn as u32]).await?;
                            }
                        }
                        Ok::<_, Error>(())
                    })
                });
                let [expected, found] = [tags[left_out], tags[left_out + 1]].map(|tag| tag.to_string());
                let said: Vec<String> = ended.into_iter().filter_map(|of| Some(of.err()?.to_string())).collect();
                assert_eq!(said.len(), size, "{said:?}");
                assert!(said.iter().all(|text| text.contains(&expected) && text.contains(&found)), "{said:?}");
            }
        }
    }
}
