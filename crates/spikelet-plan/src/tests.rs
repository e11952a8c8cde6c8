//! What networks come to in plans.

mod building;
mod catalogue;
