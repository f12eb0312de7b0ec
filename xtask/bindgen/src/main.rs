//! `lissom-bindgen PROGRAM.wasm NAME FOLDER`: writes `NAME.js` and `NAME_bg.wasm` for a page.
//!
//! The command `wasm-bindgen` does the same, but brings a web server and takes four times as long to build.
#![allow(clippy::print_stderr, reason = "a program talks to its user")]

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, name, folder] = &arguments[..] else {
        eprintln!("usage: lissom-bindgen PROGRAM.wasm NAME FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen.input_path(program).out_name(name).typescript(false);
    // The script finds the program that stands beside it.
    let made = bindgen.omit_default_module_path(false).web(true);
    match made.and_then(|bindgen| bindgen.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{program}: {e:#}");
            ExitCode::FAILURE
        }
    }
}
