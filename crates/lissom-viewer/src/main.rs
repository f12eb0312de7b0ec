//! The viewer as a program; on a page, all of it.

#[cfg(not(target_arch = "wasm32"))]
mod program;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    program::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {
    lissom_viewer::page::start();
}
