//! Warnings: on standard error, the same ones together, with what can be done about them.

use crate::style::{Style, plain};
use anyhow::Result;
use std::collections::BTreeMap;
use std::io::Write;

/// How many lines are shown where nobody asked for all.
pub(crate) const SHOWN: usize = 4;

/// Prints the warnings of a file: those that say the same of several things in one line. At most `shown` lines, and how
/// many more there are.
pub(crate) fn write(file: &str, warnings: &[String], shown: usize) -> Result<()> {
    let style = Style::stderr();
    let mut err = std::io::stderr().lock();
    let lines = grouped(warnings);
    for line in lines.iter().take(shown) {
        writeln!(err, "{}: {}: {}", style.odd("warning"), plain(file), plain(line))?;
    }
    if lines.len() > shown {
        let more = lines.len() - shown;
        writeln!(err, "{}: {}: {more} more (import -v shows them)", style.odd("warning"), plain(file))?;
    }
    Ok(())
}

/// One line for warnings that differ only in where: `node 3 "a": it ...` and `node 7 "b": it ...` become
/// `node 3 "a" and 1 more: it ...`.
pub(crate) fn grouped(warnings: &[String]) -> Vec<String> {
    let mut order: Vec<&str> = Vec::new();
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for warning in warnings {
        let (place, text) = warning.split_once(": ").unwrap_or(("", warning));
        let all = places.entry(text).or_default();
        if all.is_empty() {
            order.push(text);
        }
        all.push(place);
    }
    let line = |text: &str| {
        let places = &places[text];
        match places.as_slice() {
            [""] => text.to_owned(),
            [one] => format!("{one}: {text}"),
            [first, rest @ ..] => format!("{first} and {} more: {text}", rest.len()),
            [] => text.to_owned(),
        }
    };
    order.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn what_says_the_same_is_said_once() {
        let all = ["a 1: it is odd", "the file is odd", "a 2: it is odd", "b: it is not", "a 3: it is odd"];
        let all = all.map(str::to_owned);
        assert_eq!(grouped(&all), ["a 1 and 2 more: it is odd", "the file is odd", "b: it is not"]);
    }
}
