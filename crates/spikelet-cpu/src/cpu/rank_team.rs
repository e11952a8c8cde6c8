//! The threads of a rank. What they need of other ranks they request together; then all of them return, the caller of the
//! [pool](spikelet_plan::Pool) obtains it, and lets them continue.

use std::ops::Range;
use std::sync::{Mutex, PoisonError, RwLock};
use std::task::Poll;

use spikelet_network::Error;
use spikelet_plan::{Plan, Spike};

use super::published::{LatestCopies, PublishedArrays};
use super::thread_team::{TeamMember, ThreadTeam, Urgency};
use super::winners::Candidate;
use crate::barrier::TeamAborted;
use crate::exchange::RankLink;

/// What the threads of a rank need of other ranks.
pub(super) enum Request {
    /// Exchange of the spikes of steps before this one.
    Spikes(Vec<Spike>, Urgency, u32),
    /// The spikes that are on their way.
    Finish,
    /// Exchange of the candidates of a step.
    Offers(u32, Vec<Candidate>),
    /// Exchange of the values of published arrays in a step, in one of their copies each.
    Arrays(u32, Vec<(usize, usize)>),
}

/// Where requests and answers lie.
#[derive(Default)]
pub(super) struct RequestDesk {
    request: Mutex<Option<Request>>,
    spikes: RwLock<Vec<Spike>>,
    offers: RwLock<Vec<Candidate>>,
}

impl RequestDesk {
    /// What the threads wait for.
    pub(super) fn take(&self) -> Option<Request> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Answers with spikes.
    pub(super) fn give_spikes(&self, spikes: Vec<Spike>) {
        *self.spikes.write().unwrap_or_else(PoisonError::into_inner) = spikes;
    }

    /// Answers with candidates.
    pub(super) fn give_offers(&self, offers: Vec<Candidate>) {
        *self.offers.write().unwrap_or_else(PoisonError::into_inner) = offers;
    }
}

/// Obtains what the threads have requested.
pub(super) async fn answer(
    link: &mut RankLink,
    request: Request,
    plan: &Plan,
    published: &PublishedArrays,
    desk: &RequestDesk,
) -> Result<(), Error> {
    match request {
        Request::Spikes(spikes, Urgency::Now, end) => desk.give_spikes(link.exchange_now(plan, &spikes, end).await?),
        Request::Spikes(spikes, Urgency::ByDelay, end) => desk.give_spikes(link.exchange_by_delay(plan, &spikes, end).await?),
        Request::Finish => desk.give_spikes(link.finish().await?),
        Request::Offers(step, offers) => {
            let others = link.offer(step, offers.iter().map(|offer| (offer.neuron, offer.value))).await?;
            desk.give_offers(others.into_iter().map(|(neuron, value)| Candidate { neuron, value }).collect());
        }
        Request::Arrays(step, copies) => share(link, step, plan, published, &copies).await?,
    }
    Ok(())
}

/// Sends the values of own neurons at a step, in copies of published arrays, and stores those of others.
pub(super) async fn share(
    link: &RankLink,
    step: u32,
    plan: &Plan,
    published: &PublishedArrays,
    copies: &[(usize, usize)],
) -> Result<(), Error> {
    let populations: Vec<usize> = copies.iter().map(|(place, _)| published.variable(*place).0).collect();
    let word = |array: usize, neuron: u32| published.word(copies[array].0, copies[array].1, neuron);
    let set = |array: usize, neuron: u32, word: u32| published.set_word(copies[array].0, copies[array].1, neuron, word);
    link.publish(step, plan, &populations, word, set).await
}

/// One of the threads of a rank.
pub(super) struct RankMember<'a> {
    pub(super) team: TeamMember<'a>,
    pub(super) desk: &'a RequestDesk,
}

impl RankMember<'_> {
    /// Waits for the answer to a request, which is the same for all threads.
    async fn request(&self, request: impl FnOnce() -> Request) {
        if self.team.number == 0 {
            *self.desk.request.lock().unwrap_or_else(PoisonError::into_inner) = Some(request());
        }
        let mut requested = false;
        std::future::poll_fn(|_| if std::mem::replace(&mut requested, true) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn append<T: Copy>(answer: &RwLock<Vec<T>>, to: &mut Vec<T>) {
        to.extend_from_slice(&answer.read().unwrap_or_else(PoisonError::into_inner));
    }
}

impl ThreadTeam for RankMember<'_> {
    async fn exchange(&mut self, spikes: &mut Vec<Spike>, urgency: Urgency, end: u32) -> Result<Range<usize>, TeamAborted> {
        let own = self.team.exchange(spikes, urgency, end).await?;
        self.request(|| Request::Spikes(spikes.clone(), urgency, end)).await;
        RankMember::append(&self.desk.spikes, spikes);
        Ok(own)
    }

    async fn finish(&mut self, spikes: &mut Vec<Spike>) -> Result<(), TeamAborted> {
        self.request(|| Request::Finish).await;
        RankMember::append(&self.desk.spikes, spikes);
        Ok(())
    }

    async fn gather(&mut self, step: u32, offers: &mut Vec<Candidate>) -> Result<(), TeamAborted> {
        self.team.gather(step, offers).await?;
        self.request(|| Request::Offers(step, offers.clone())).await;
        RankMember::append(&self.desk.offers, offers);
        Ok(())
    }

    async fn synchronise(&mut self, step: u32, places: &[usize], latest: &LatestCopies) -> Result<(), TeamAborted> {
        // All threads have written when all have returned.
        self.request(|| Request::Arrays(step, places.iter().map(|place| (*place, latest.next(*place))).collect())).await;
        Ok(())
    }
}
