//! What networks, their files and their protocols come to in plans.

mod edge_table;
mod files;
mod learned;
mod protocol;
mod schedule;
