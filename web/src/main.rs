//! The Spikelet page: choose a network, press play, watch it spike.
//!
//! The page never computes. The npm package does, which the page uses as every other does ([`package`]); [`studio`] talks to it.
//! [`session`] is what the page knows about the network, as plain data, and [`equations`] what is typed into it; [`plot`] are the
//! package's plots; [`views`] are the parts one sees; [`rescue`] is what is left of all that after a panic.

#![allow(unreachable_pub, reason = "`#[component]` writes `pub` into what it generates")]

mod app;
mod embed;
mod equations;
mod kept;
mod link;
mod network;
mod number;
mod package;
mod plot;
mod rescue;
mod role;
mod session;
mod studio;
mod views;

fn main() {
    rescue::install();
    leptos::mount::mount_to_body(app::App);
}
