//! The command as a user starts it: one file per subject.

mod bad_input;
#[allow(clippy::print_stdout, reason = "the page's code talks to its reader")]
mod character;
mod common;
mod first;
mod graph;
mod import;
mod looking;
mod matching;
mod recipes;
mod render;
mod replay;
mod show;
mod stream;
mod view;
