//! What networks, their files and their protocols come to in plans.

mod catalogue;
mod files;
mod protocol;
