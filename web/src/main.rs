//! The Spikelet page: select a network, run it, and see its spikes.
//!
//! The page itself does not simulate; the npm package does, which the page uses like any other page ([`package`]); [`studio`] communicates
//! with it. [`session`] is the state of the network as plain data, and [`equations`] its edits; [`plot`] contains the plots of the package;
//! [`views`] the parts of the page; [`rescue`] handles panics.

#![allow(unreachable_pub, reason = "`#[component]` writes `pub` into what it generates")]

mod app;
mod backend;
mod brand;
mod canvas;
mod class;
mod continue_run;
mod embed;
mod equations;
mod keep;
mod kept;
mod labbook;
mod language;
mod lessons;
mod link;
mod network;
mod number;
mod package;
mod plot;
mod profile;
mod projects;
mod rescue;
mod role;
mod route;
mod scheme;
mod session;
mod share;
mod studio;
mod timeline;
mod views;

fn main() {
    rescue::install();
    // The outlines of index.html, replaced in one frame.
    if let Some(skeleton) = leptos::prelude::document().get_element_by_id("skeleton") {
        skeleton.remove();
    }
    leptos::mount::mount_to_body(app::App);
}
