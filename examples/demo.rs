//! What `cargo run --release` runs in the repository: `lissom demo` without the command line, so that nothing of it has
//! to be built. Another path for the report may be given.

use lissom_show::demo::{self, Demo};

fn main() -> anyhow::Result<()> {
    let mut demo = Demo::default();
    if let Some(path) = std::env::args_os().nth(1) {
        anyhow::ensure!(
            !path.as_encoded_bytes().starts_with(b"-"),
            "the demo takes the path of its report alone; `cargo run --release --bin lissom -- demo --help` has options"
        );
        demo.output = path.into();
    }
    demo::run(&demo, &mut std::io::stdout().lock())
}
