//! What networks, their files and their protocols come to in plans.

mod building;
mod catalogue;
mod files;
mod protocol;
