//! Threads that wait for each other.

mod barrier;
