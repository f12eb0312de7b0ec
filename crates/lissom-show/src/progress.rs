//! Progress, where somebody looks.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// A bar on stderr; nothing at all where stderr is not a terminal.
pub fn bar(length: u64, what: &'static str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("  {msg:<12} {bar:32.green/dim} {pos}/{len}");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar.set_message(what);
    bar
}
