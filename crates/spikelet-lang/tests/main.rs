//! What the language accepts, what it makes of it, and what it says of the rest.

mod distributions;
mod functions;
mod generators;
mod pasted;
mod regular;
mod snapshots;
