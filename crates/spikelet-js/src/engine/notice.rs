//! Notices of a network after its build.

use super::run::OpenNetwork;
use super::summary;
use crate::protocol::{BackendChoice, Notice, NoticeCode};

/// All notices.
pub(super) fn of(run: &OpenNetwork) -> impl Iterator<Item = Notice> {
    let backend = run.build.backend();
    let on_cpu = !run.build.is_gpu();
    let no_gpu = (on_cpu && run.build.choice == BackendChoice::Auto)
        .then(|| Notice { code: NoticeCode::NoGpu, message: format!("the network runs on the CPU: {}", backend.reason) });
    let because = run.build.threads.one_because.as_ref().filter(|_| on_cpu);
    let one_thread = because
        .map(|because| Notice { code: NoticeCode::OneThread, message: format!("the network has one CPU thread: {because}") });
    let network = spikelet::notices(run.driver.simulation.network());
    let network = network.into_iter().map(|notice| Notice { code: NoticeCode::Network, message: notice.to_string() });
    no_gpu.into_iter().chain(one_thread).chain(procedural_for_memory(run)).chain(network)
}

/// Projections that became procedural because there is not enough memory to store them.
fn procedural_for_memory(run: &OpenNetwork) -> Option<Notice> {
    let names = summary::procedural_for_memory(&run.driver.simulation);
    let message = format!(
        "there is not enough memory to store the synapses of {}: they are drawn again at every spike, which gives the same \
         spikes but is slower; make the network smaller, or set \"storage\": \"procedural\"",
        names.join(", ")
    );
    (!names.is_empty()).then_some(Notice { code: NoticeCode::SynapsesNotKept, message })
}
